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
    return text or '""'


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
    low = f"_({_argument(_row(sub))})" if sub is not None else ""
    high = f"^({_argument(_row(sup))})" if sup is not None else ""
    return f"{text}{low}{high}"


def _brace(node: Accent) -> str:
    return "underbrace" if node.under else "overbrace"


def _accent(node: Accent) -> str:
    body = _argument(_row(node.body))
    if node.mark == "brace":
        return f"{_brace(node)}({body})"
    if node.mark == "line":
        return f"{'underline' if node.under else 'overline'}({body})"
    return f"accent({body}, {_MARKS[node.mark]})"


def _table(node: Table) -> str:
    rows = node.rows
    if "none" in node.gaps:
        # the two columns of an equation meet at an alignment point
        lines = (" & ".join(_row(cell) for cell in row) for row in rows)
        return f"mat(delim: #none, row-gap: #0.6em, {'; '.join(f'display({line})' for line in lines)})"
    body = "; ".join(", ".join(_argument(_row(cell)) for cell in row) for row in rows)
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
