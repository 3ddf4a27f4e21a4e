"""MathML, as math-core writes it, read into our tree.

What is not known here is refused: a formula that one of the outputs cannot draw must fail when the
bank is checked, not look wrong on a sheet. Styles are read by a white list for the same reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeGuard
from xml.etree.ElementTree import Element

from engine.notation.error import NotationError
from engine.notation.nodes import (
    Accent,
    Fenced,
    Fraction,
    Limits,
    Mark,
    Node,
    Root,
    Row,
    Scripts,
    Space,
    Symbol,
    SymbolKind,
    Table,
    Words,
    unwrapped,
)
from engine.text import Text

MAX_DEPTH = 60

_INVISIBLE = "\u2061\u2062\u2063\u2064"
_OPEN = frozenset("([{⟨⌊⌈⟦")
_CLOSE = frozenset(")]}⟩⌋⌉⟧")
_FENCE = frozenset("|‖")
_DELIMITERS = _OPEN | _CLOSE | _FENCE | {"\u2063"}
_BIG = frozenset("∑∏∐∫∬∭∮⋃⋂⨁⨂⨀⋁⋀⨆⨄")
_BINARY = frozenset("+−-±∓×÷⋅·∗*∘•⊙⊗⊕⊖⊘∩∪⊓⊔∧∨∖⋆†‡⋄△▽⊎≀⨿⋉⋊")
_PUNCTUATION = frozenset(",;")
_LETTERLIKE = frozenset("∂∇∞∀∃∄¬′″‴⁗°/\\!?%$#&_@.…⋯⋮⋱⊤⊥∅ℓℏ√∠△□■◻‵⅋")

_MARKS: dict[str, Mark] = {
    "ˆ": "hat", "^": "hat", "̂": "hat", "˜": "tilde", "~": "tilde", "¯": "bar", "⃗": "vec", "˙": "dot", "¨": "ddot",
    "ˇ": "check", "˘": "breve", "˚": "ring", "´": "acute", "`": "grave", "̲": "line", "‾": "line", "_": "line",
    "→": "arrow", "←": "leftarrow", "⏞": "brace", "⏟": "brace",
}  # fmt: skip

_STYLES = re.compile(
    r"\s*(?:text-align:\s*(?P<align>left|right|center)|justify-items:\s*(?:start|end|center)"
    r"|padding-(?P<side>left|right):\s*(?P<pad>0|1em)"
    r"|border-(?P<border>left|right|top|bottom):[^;]*)\s*\Z"
)
_BORDER = re.compile(r"\s*border-(?:top|bottom|left|right):[^;]*\Z")


def read(math: Element, source: str) -> Node:
    """The tree of a ``<math>`` element; ``source`` is the LaTeX, for the error.

    Raises:
        NotationError: an element, an attribute or a nesting that the outputs cannot draw.
    """
    return _Reader(source).row(math, 0)


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source

    def refuse(self, en: str, zh: str) -> NotationError:
        return NotationError(Text(en, zh), self.source, 0)

    def row(self, element: Element, depth: int) -> Node:
        """The children of an element as one row, fenced where the first and last are stretchy."""
        if depth > MAX_DEPTH:
            raise self.refuse("the formula is nested too deep", "公式嵌套过深")
        children = list(element)
        fenced = (
            element.tag == "mrow"
            and len(children) >= 2
            and all(_stretchy(child) for child in (children[0], children[-1]))
        )
        inner = children[1:-1] if fenced else children
        items = _paired(list(_joined(self.items(inner, depth))))
        body: Node = items[0] if len(items) == 1 else Row(tuple(items))
        if fenced:
            opening, closing = ((child.text or "").strip(_INVISIBLE) for child in (children[0], children[-1]))
            return Fenced(opening, body, closing)
        return body

    def items(self, children: list[Element], depth: int) -> Iterator[Node]:
        for child in children:
            node = self.node(child, depth + 1)
            if isinstance(node, Row):
                yield from node.items
            elif node is not None:
                yield node

    def node(self, element: Element, depth: int) -> Node | None:
        if depth > MAX_DEPTH:
            raise self.refuse("the formula is nested too deep", "公式嵌套过深")
        tag = element.tag
        if tag in ("mi", "mn", "mo", "mtext"):
            return self.leaf(element)
        if tag == "mspace":
            return _space(element)
        if tag == "mrow":
            if "style" in element.attrib or "class" in element.attrib:
                raise self.refuse("colours and decorations are not part of the subset", "不支持颜色与装饰")
            return self.row(element, depth)
        if tag == "mpadded" and element.get("style", "").startswith("padding-"):
            return self.row(element, depth)
        if tag == "mfrac":
            top, bottom = self.parts(element, depth)
            return Fraction(
                top,
                bottom,
                line=element.get("linethickness") != "0",
                small=element.get("displaystyle") == "false",
            )
        if tag == "msqrt":
            return Root(self.row(element, depth))
        if tag == "mroot":
            body, index = self.parts(element, depth)
            return Root(body, index)
        if tag in ("msub", "msup", "msubsup"):
            base, *scripts = self.parts(element, depth)
            sub = scripts[0] if tag != "msup" else None
            sup = scripts[-1] if tag != "msub" else None
            return Scripts(base, sub, sup)
        if tag in ("munder", "mover", "munderover"):
            return self.limits(element, depth)
        if tag == "mtable":
            return self.table(element, depth)
        raise self.refuse(
            f"this formula needs <{tag}>, which cannot be drawn everywhere",
            f"公式需要 <{tag}>，并非处处都能显示",
        )

    def parts(self, element: Element, depth: int) -> list[Node]:
        return [self.node(child, depth + 1) or Row(()) for child in element]

    def leaf(self, element: Element) -> Node | None:
        if element.tag == "mtext":
            for child in element:
                if child.tag not in ("code", "b", "i", "em") or child.attrib:
                    raise self.refuse("only plain text can stand in \\text", "\\text 中只能是普通文字")
            return Words("".join(element.itertext()).replace("\xa0", " "))
        text = (element.text or "").replace("\ufe00", "").strip(_INVISIBLE)
        if not text:
            return None
        if element.tag == "mn":
            return Symbol(text, "number")
        if text == "," and element.get("rspace") == "0":
            # ``3{,}072``, or a comma in a script: no space after it
            return Symbol(text, "letter")
        upright = element.get("mathvariant") == "normal" and text.isascii() and text.isalpha()
        return Symbol(text, _kind(text, element), upright)

    def limits(self, element: Element, depth: int) -> Node:
        base, *marks = self.parts(element, depth)
        if element.get("accent") == "true" or element.get("accentunder") == "true":
            mark = unwrapped(marks[0])
            name = _MARKS.get(mark.text) if isinstance(mark, Symbol) else None
            if name is None:
                raise self.refuse("this accent cannot be drawn everywhere", "这个重音符号并非处处都能显示")
            return Accent(base, name, under=element.tag == "munder")
        if isinstance(marks[0], Space):
            # the minimum width that math-core gives the label of an extensible arrow
            return base
        under = marks[0] if element.tag != "mover" else None
        over = marks[-1] if element.tag != "munder" else None
        return Limits(base, under, over)

    def table(self, element: Element, depth: int) -> Node:
        frame = element.get("style", "")
        if frame and not all(_BORDER.match(style) for style in frame.split(";") if style.strip()):
            raise self.refuse(
                "numbered equations are not part of the subset; use aligned",
                "不支持带编号的公式；请用 aligned",
            )
        rows: list[tuple[Node, ...]] = []
        align: dict[int, Literal["l", "c", "r"]] = {}
        gaps: dict[int, Literal["none", "wide"]] = {}
        verticals: set[int] = set()
        rules = {0} if "border-top" in frame else set()
        for number, line in enumerate(element):
            cells: list[Node] = []
            for column, cell in enumerate(line):
                cells.append(self.row(cell, depth + 1))
                align.setdefault(column, "c")
                gaps.setdefault(column, "wide")
                for style in filter(None, cell.get("style", "").split(";")):
                    match = _STYLES.match(style)
                    if match is None:
                        raise self.refuse("this kind of table cannot be drawn", "无法绘制这种表格")
                    if match["align"]:
                        align[column] = {"left": "l", "right": "r", "center": "c"}[match["align"]]  # type: ignore[assignment]
                    elif match["side"] == "left" and match["pad"] == "0":
                        gaps[column] = "none"
                    elif match["border"] in ("left", "right"):
                        verticals.add(column + (match["border"] == "right"))
                    elif match["border"] in ("top", "bottom"):
                        rules.add(number + (match["border"] == "bottom"))
            rows.append(tuple(cells))
        columns = max((len(row) for row in rows), default=0)
        # a line break after the last row opens a row that holds nothing
        while rows and all(cell == Row(()) for cell in rows[-1]):
            rows.pop()
        if "border-bottom" in frame:
            rules.add(len(rows))
        if not rows:
            raise self.refuse("an empty table", "表格为空")
        return Table(
            tuple(row + (Row(()),) * (columns - len(row)) for row in rows),
            tuple(align[column] for column in range(columns)),
            tuple(gaps[column] for column in range(columns)),
            tuple(sorted(verticals)),
            tuple(sorted(rules)),
        )


def _stretchy(element: Element) -> bool:
    """A delimiter of ``\\left`` and ``\\right``, as against one typed or of a fixed size."""
    return (
        element.tag == "mo"
        and element.text in _DELIMITERS
        and element.get("stretchy") != "false"
        and "minsize" not in element.attrib
    )


def _kind(text: str, element: Element) -> SymbolKind:
    if len(text) > 1 and any(character.isalpha() for character in text):
        return "name"
    if element.tag == "mi":
        return "punct" if text == ":" else "letter"
    form = element.get("form")
    if text in _FENCE and form in ("prefix", "postfix"):
        return "open" if form == "prefix" else "close"
    for kind, members in _KINDS:
        if text in members:
            return kind
    return "relation"


_KINDS: tuple[tuple[SymbolKind, frozenset[str]], ...] = (
    ("open", _OPEN),
    ("close", _CLOSE),
    ("fence", _FENCE),
    ("big", _BIG),
    ("binary", _BINARY),
    ("punct", _PUNCTUATION),
    ("letter", _LETTERLIKE),
)

_EM = re.compile(r"(-?[0-9.]+)em\Z")


def _space(element: Element) -> Space | None:
    match = _EM.match(element.get("width", ""))
    return Space(round(float(match[1]), 3)) if match and float(match[1]) > 0 else None


def _joined(items: Iterator[Node]) -> Iterator[Node]:
    """Three dots in a row as one ellipsis, and ``3{,}072`` as one number."""
    held: list[Node] = []
    dot, comma = Symbol(".", "letter"), Symbol(",", "letter")
    for item in items:
        held.append(item)
        if held[-3:] == [dot] * 3:
            held[-3:] = [Symbol("…", "letter")]
        elif len(held) >= 3 and held[-2] == comma:
            left, right = held[-3], held[-1]
            if _is_number(left) and _is_number(right):
                held[-3:] = [Symbol(f"{left.text},{right.text}", "number")]
    yield from held


def _paired(items: list[Node]) -> list[Node]:
    """``|`` and ``‖`` told apart: an even number of them within one pair of brackets opens and closes
    by turns; a lone one, as in p(x|y), stays what it is."""
    if not any(_fence(item) for item in items):
        return items
    found: dict[tuple[str, int], list[int]] = {}
    levels = [0]
    for number, item in enumerate(items):
        kind = item.kind if isinstance(item, Symbol) else ""
        if kind == "open":
            levels.append(number + 1)
        elif kind == "close" and len(levels) > 1:
            levels.pop()
        if fence := _fence(item):
            found.setdefault((fence.text, levels[-1]), []).append(number)
    out = list(items)
    for places in found.values():
        for turn, number in enumerate(places if len(places) % 2 == 0 else []):
            out[number] = _turned(out[number], "close" if turn % 2 else "open")
    return out


def _fence(node: Node) -> Symbol | None:
    """The ``|`` of an item, with its scripts or without."""
    if isinstance(node, Scripts):
        return _fence(node.base)
    return node if isinstance(node, Symbol) and node.kind == "fence" else None


def _turned(node: Node, kind: SymbolKind) -> Node:
    if isinstance(node, Scripts):
        return Scripts(_turned(node.base, kind), node.sub, node.sup)
    return Symbol(node.text, kind) if isinstance(node, Symbol) else node


def _is_number(node: Node) -> TypeGuard[Symbol]:
    return isinstance(node, Symbol) and node.kind == "number"
