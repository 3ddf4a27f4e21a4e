r"""A formula as Typst mathematics, for the PDF sheets.

Every character stands as itself or escaped, and every multi-letter name as a string, so no part of a
formula can be read as a Typst name, call or command.
"""

from __future__ import annotations

from functools import lru_cache

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
    Table,
    Words,
    flat,
    unwrapped,
)
from engine.notation.tree import parse


@lru_cache(maxsize=4096)
def typst(latex: str, display: bool = False) -> str:
    """The formula as a Typst equation with its dollars: ``$x$``, or ``$ x $`` set on its own line.

    Raises:
        NotationError: the formula is outside the subset.
    """
    body = _row(parse(latex, display))
    return f"$ {body} $" if display else f"${body}$"


@lru_cache(maxsize=4096)
def broken(latex: str) -> tuple[str, ...]:
    """A display formula cut where a line may end: before its outermost relations, plus and minus signs.

    Each piece is an equation of its own, in display style, to stand in a line of text; one piece where
    there is no such place.

    Raises:
        NotationError: the formula is outside the subset.
    """
    pieces: list[list[Node]] = [[]]
    depth, before = 0, None
    for item in flat(parse(latex, True)):
        kind = item.kind if isinstance(item, Symbol) else ""
        depth += (kind == "open") - (kind == "close")
        # a sign after a sign is its operand's own: it is no place to break
        if depth <= 0 and _breaks(item) and before is not None and not _breaks(before):
            pieces.append([])
        pieces[-1].append(item)
        before = before if isinstance(item, Space) else item
    return tuple(_piece(tuple(piece), number > 0) for number, piece in enumerate(pieces))


def _piece(items: tuple[Node, ...], later: bool) -> str:
    # something in front keeps the spaces on both sides of the sign that a line begins with
    front = f"{_EMPTY} " if later else ""
    return f"$display({front}{_row(Row(items))})$"


def _breaks(node: Node) -> bool:
    base = node.base if isinstance(node, Limits | Scripts) else node
    return isinstance(base, Symbol) and (base.kind == "relation" or base.text in ("+", "−", "-"))


_EMPTY = '""'


_MARKS: dict[Mark, str] = {
    "hat": "hat", "tilde": "tilde", "bar": "macron", "vec": "arrow", "dot": "dot", "ddot": "dot.double", "check": "caron",
    "breve": "breve", "ring": "circle", "acute": "acute", "grave": "grave", "arrow": "arrow", "leftarrow": "arrow.l",
}  # fmt: skip
_ALIGN = {"l": "left", "c": "center", "r": "right"}


def _row(node: Node) -> str:
    out = ""
    before: Node | None = None
    for item in flat(node):
        text = _one(item)
        # Typst shows the space beside a string of text, so there is one only where the text has it
        glued = (isinstance(item, Words) and not item.text[:1].isspace()) or (
            isinstance(before, Words) and not before.text[-1:].isspace()
        )
        out += text if glued or not out else f" {text}"
        before = item
    return out


def _one(node: Node) -> str:
    if isinstance(node, Symbol):
        return _symbol(node)
    if isinstance(node, Words):
        return _string(node.text.strip()) if node.text.strip() else "#h(0.25em)"
    if isinstance(node, Space):
        return f"#h({node.em:g}em)"
    if isinstance(node, Fraction):
        top, bottom = _row(node.top), _row(node.bottom)
        if not node.line:
            return f"mat(delim: #none, {_argument(top)}; {_argument(bottom)})"
        text = f"frac({_argument(top)}, {_argument(bottom)})"
        return f"inline({text})" if node.small else text
    if isinstance(node, Root):
        if node.index is None:
            return f"sqrt({_argument(_row(node.body))})"
        return f"root({_argument(_row(node.index))}, {_argument(_row(node.body))})"
    if isinstance(node, Scripts):
        return _attach(node.base, node.sub, node.sup, sideways=True)
    if isinstance(node, Limits):
        base = unwrapped(node.base)
        if isinstance(base, Accent) and base.mark == "brace":
            label = node.under if base.under else node.over
            if label is not None:
                return f"{_brace(base)}({_argument(_row(base.body))}, {_argument(_row(label))})"
        return _attach(node.base, node.under, node.over, sideways=False)
    if isinstance(node, Accent):
        return _accent(node)
    if isinstance(node, Fenced):
        return f"lr({_delimiter(node.open)} {_row(node.body)} {_delimiter(node.close)})"
    if isinstance(node, Table):
        return _table(node)
    return _row(node)


def _symbol(node: Symbol) -> str:
    text = node.text
    if node.kind == "number":
        return text if text.isascii() and text.replace(".", "", 1).isdigit() else _string(text)
    if text in "|‖" and node.kind in ("open", "close", "fence"):
        sides = {"open": "opening", "close": "closing", "fence": "normal"}
        return f'class("{sides[node.kind]}", {text})'
    if node.kind == "name":
        return f"op({_string(text)})"
    if len(text) > 1 or not text.isascii():
        # one Unicode symbol keeps its class; anything longer is text
        return text if len(text) == 1 else _string(text)
    if node.upright:
        return f"upright({text})"
    return text if text.isalnum() else f"\\{text}"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\t", " ")
    return f'"{escaped}"'


def _argument(text: str) -> str:
    """A row inside a call; an empty one is an empty string."""
    return text or _EMPTY


def _delimiter(mark: str) -> str:
    return f"\\{mark}" if mark.isascii() and mark else mark


def _attach(base: Node, sub: Node | None, sup: Node | None, sideways: bool) -> str:
    text = _argument(_row(base))
    inner = unwrapped(base)
    big = isinstance(inner, Symbol) and inner.kind == "big"
    integral = isinstance(inner, Symbol) and inner.text in "∫∬∭∮"
    if sideways:
        # letters and integrals have their scripts at the side by themselves
        plain = isinstance(inner, Symbol) and (integral or inner.kind in ("letter", "number"))
        text = text if plain else f"scripts({text})"
    elif not big or integral:
        # ∑ and ∏ move their limits by themselves between text and display
        text = f"limits({text})"
    low = f"_({_script(sub)})" if sub is not None else ""
    high = f"^({_script(sup)})" if sup is not None else ""
    return f"{text}{low}{high}"


def _script(node: Node) -> str:
    inner = unwrapped(node)
    # the lines of a stack keep the size of the script they stand in
    return _table(inner, script=True) if isinstance(inner, Table) else _argument(_row(node))


def _brace(node: Accent) -> str:
    return "underbrace" if node.under else "overbrace"


def _accent(node: Accent) -> str:
    body = _argument(_row(node.body))
    if node.mark == "brace":
        return f"{_brace(node)}({body})"
    if node.mark == "line":
        return f"{'underline' if node.under else 'overline'}({body})"
    return f"accent({body}, {_MARKS[node.mark]})"


def _table(node: Table, script: bool = False) -> str:
    rows = node.rows
    if "none" in node.gaps:
        # the two columns of an equation meet at an alignment point
        lines = (" & ".join(_row(cell) for cell in row) for row in rows)
        return f"mat(delim: #none, row-gap: #0.6em, {'; '.join(f'display({line})' for line in lines)})"
    # Typst would set the cells of an inline matrix as small as scripts
    sized = "{}" if script else "inline({})"
    body = "; ".join(", ".join(sized.format(_argument(_row(cell))) for cell in row) for row in rows)
    aligned = {_ALIGN[side] for side in node.align}
    align = aligned.pop() if len(aligned) == 1 else "center"
    lines_between = _augment(node)
    return f"mat(delim: #none, column-gap: #0.8em, align: #{align}, {lines_between}{body})"


def _augment(node: Table) -> str:
    if not node.verticals and not node.rules:
        return ""
    rules = ", ".join(str(line) for line in node.rules if 0 < line < len(node.rows))
    verticals = ", ".join(str(line) for line in node.verticals if 0 < line < len(node.align))
    return f"augment: #(hline: ({rules + ',' if rules else ''}), vline: ({verticals + ',' if verticals else ''})), "
