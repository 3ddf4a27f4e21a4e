"""A formula on one line of text, for narrow places: ``softmax(QKᵀ/√dₖ)V``.

The line is unambiguous: brackets are added wherever the two-dimensional form said by its shape what
belongs together. Scripts are raised or lowered characters where Unicode has all of them, else
``_x`` and ``^(a+b)``. A matrix is written row by row, ``[1, 0; 0, 1]``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from engine.notation.box import Box, text_box
from engine.notation.glyphs import COMBINING, accented, subscript, superscript
from engine.notation.nodes import (
    Accent,
    Fenced,
    Fraction,
    Limits,
    Node,
    Root,
    Row,
    Scripts,
    Symbol,
    Table,
    Words,
    unwrapped,
)
from engine.notation.pieces import Drawer, Piece, breakable, gap, join
from engine.notation.tree import parse


@lru_cache(maxsize=4096)
def one_line(latex: str) -> str:
    """The formula as one line of text.

    Raises:
        NotationError: the formula is outside the subset.
    """
    return " ".join(chunks(latex))


@lru_cache(maxsize=4096)
def chunks(latex: str) -> tuple[str, ...]:
    """The line cut where it may break: before relations and binary operators, after commas,
    outside brackets. Joined by single spaces they are :func:`one_line`.

    Raises:
        NotationError: the formula is outside the subset.
    """
    return cut(LINE.pieces(parse(latex)))


def cut(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """A row of pieces cut at its outermost breaks."""
    out: list[str] = []
    start = 0
    for at in range(1, len(pieces)):
        rank = breakable(pieces, at)
        if rank in (1, 2) and gap(pieces[at - 1], pieces[at]) == 1:
            out.append(join(pieces[start:at]).rows[0])
            start = at
    out.append(join(pieces[start:]).rows[0])
    return tuple(out)


class LineDrawer(Drawer):
    def cells(self, em: float) -> int:
        return 1 if em < 0.9 else 3

    def pieces(self, node: Node, compact: bool = False) -> list[Piece]:
        pieces = super().pieces(node, compact)
        return [
            self.bracketed(piece)
            if isinstance(piece.node, Fraction) and piece.node.line and _multiplied(pieces, at)
            else piece
            for at, piece in enumerate(pieces)
        ]

    def bracketed(self, piece: Piece) -> Piece:
        # without its node, so that an outer row does not bracket it again
        return piece._replace(box=text_box(f"({piece.box.rows[0]})"), node=None)

    def text(self, node: Node, compact: bool = False) -> str:
        return self.draw(node, compact).rows[0]

    def fraction(self, node: Fraction, compact: bool) -> Box:
        top, bottom = self.text(node.top, compact), self.text(node.bottom, compact)
        if not node.line:
            return text_box(f"{top}; {bottom}")
        if not _is_product(self.pieces(node.top, compact)):
            top = f"({top})"
        if not _is_factor(self.pieces(node.bottom, compact)):
            bottom = f"({bottom})"
        return text_box(f"{top}/{bottom}")

    def fenced(self, node: Fenced, compact: bool) -> list[Piece]:
        body = unwrapped(node.body)
        if isinstance(body, Fraction) and not body.line and (node.open, node.close) == ("(", ")"):
            text = f"binom({self.text(body.top)}, {self.text(body.bottom)})"
            return [Piece(text_box(text), "letter", "close", node)]
        if isinstance(body, Table):
            # a missing delimiter, as of cases, is drawn, so that the line shows where the table ends
            opening, closing = node.open or "{", node.close or "}"
            text = f"{opening}{self.table(body, compact).rows[0]}{closing}"
            return [Piece(text_box(text), "open", "close", node)]
        return super().fenced(node, compact)

    def piece(self, node: Node, compact: bool) -> list[Piece]:
        if isinstance(node, Table) and "none" not in node.gaps:
            # a table without delimiters; braces show where it ends
            return [Piece(text_box(f"{{{self.table(node, compact).rows[0]}}}"), "inner", "inner", node)]
        return super().piece(node, compact)

    def root(self, node: Root, compact: bool) -> Box:
        pieces = self.pieces(node.body, compact)
        body = join(pieces, compact).rows[0]
        if not is_atom(pieces):
            body = f"({body})"
        if node.index is None:
            return text_box(f"√{body}")
        index = self.text(node.index, True)
        raised = superscript(index)
        return text_box(f"{raised}√{body}" if raised else f"√[{index}]{body}")

    def scripts(self, node: Scripts, compact: bool) -> Piece:
        return self.with_scripts(node.base, node.sub, node.sup, node, compact)

    def with_scripts(
        self, base: Node, sub: Node | None, sup: Node | None, node: Node, compact: bool
    ) -> Piece:
        row = self.pieces(base, compact)
        text = join(row, compact).rows[0]
        low = ""
        if sub is not None:
            low = self.text(sub, True)
            low = _marked(low, "_") if is_word(sub) else _script(low, "_")
        high = _script(self.text(sup, True), "^") if sup is not None else ""
        if (
            row
            and row[0].left == "big"
            and sub is not None
            and sup is not None
            and ("_" in low or "^" in high)
        ):
            # both limits in one style: ∑_(i=1)^(dₖ), not ∑ᵢ₌₁^(dₖ)
            low, high = f"_({self.text(sub, True)})", f"^({self.text(sup, True)})"
        left, right = (row[0].left, row[-1].right) if row else ("letter", "letter")
        tail = bool(low) or not is_quiet(high)
        if right == "close" and left == "open":
            tail = False
        if right == "name" and low.endswith(")"):
            # lim_(h→0) (f), not lim_(h→0)(f)
            right = "big"
        return Piece(text_box(f"{text}{low}{high}"), left, right, node, tail=tail)

    def limits(self, node: Limits, compact: bool) -> Piece:
        base = unwrapped(node.base)
        if isinstance(base, Accent) and base.mark == "brace":
            label = node.under if base.under else node.over
            if label is not None:
                brace = "⏟" if base.under else "⏞"
                text = f"({self.text(base.body)} {brace} {self.text(label)})"
                return Piece(text_box(text), "inner", "inner", node)
        return self.with_scripts(node.base, node.under, node.over, node, compact)

    def accent(self, node: Accent, compact: bool) -> Box:
        body = self.text(node.body, compact)
        if node.mark == "brace":
            return text_box(f"({body})")
        if len(body) == 1 and not node.under:
            return text_box(accented(body, node.mark))
        if node.mark == "line":
            mark = "\u0332" if node.under else COMBINING["line"]
            if body.isalnum():
                return text_box("".join(letter + mark for letter in body))
        name = {"line": "underline" if node.under else "overline", "arrow": "vec"}.get(node.mark, node.mark)
        return text_box(f"{name}({body})")

    def table(self, node: Table, compact: bool = False) -> Box:
        if "none" in node.gaps:
            return text_box("; ".join(self.text(Row(row), compact) for row in node.rows))
        lines = (", ".join(self.text(cell, compact) for cell in row).rstrip(", ") for row in node.rows)
        return text_box("; ".join(lines))


def is_word(sub: Node) -> bool:
    """A subscript that is a word, as in d_head and n_kv: small letters would not be read."""
    inner = unwrapped(sub)
    return (isinstance(inner, Words) or (isinstance(inner, Symbol) and inner.kind == "name")) and len(
        inner.text
    ) > 1


def _script(text: str, mark: str) -> str:
    moved = subscript(text) if mark == "_" else superscript(text)
    return _marked(text, mark) if moved is None else moved


def _marked(text: str, mark: str) -> str:
    return f"{mark}{text}" if reads_whole(text) else f"{mark}({text})"


def reads_whole(text: str) -> bool:
    """Does a script read as one thing after ``_`` or ``^``: f, head, <t, 1:t?"""
    words = text.lstrip("<>≤≥≠∖").split(":", 1)
    return all(word.isalnum() and unicodedata.is_normalized("NFKC", word) for word in words)


def is_quiet(raised: str) -> bool:
    """A superscript after which a letter reads as a factor: σ²d, KᵀV."""
    return not raised or all(mark in "⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ′″" for mark in raised)


def _is_product(pieces: Sequence[Piece]) -> bool:
    """Does the row read as one numerator without brackets: −2ab, 3(x + y), log(x)?"""
    level = min((piece.depth for piece in pieces), default=0)
    for at, piece in enumerate(pieces):
        if piece.depth > level:
            continue
        called = at + 1 < len(pieces) and pieces[at + 1].left == "open"
        sound = piece.left in ("letter", "number", "open", "close") or (piece.left == "name" and called)
        if piece.space or not (sound or (piece.left == "unary" and at == 0)):
            return False
    return True


def is_atom(pieces: Sequence[Piece]) -> bool:
    """Is the row one letter, number or bracketed group?"""
    if len(pieces) == 1:
        return pieces[0].left in ("letter", "number", "open")
    return _is_group(pieces)


def _is_group(pieces: Sequence[Piece]) -> bool:
    return (
        len(pieces) > 2
        and pieces[0].left == "open"
        and pieces[-1].right == "close"
        and all(piece.depth > pieces[0].depth for piece in pieces[1:-1])
    )


def _is_factor(pieces: Sequence[Piece]) -> bool:
    """Does the row read as one denominator without brackets: x², √n, (a + b), f(x), ∂x? Not q(a + b), which is as like a product."""
    if is_atom(pieces):
        return True
    first = pieces[0] if pieces else None
    if first is None or first.left not in ("letter", "name"):
        return False
    if isinstance(first.node, Symbol) and first.node.text in ("∂", "d", "𝑑"):
        return is_atom(pieces[1:])
    if not _is_group(pieces[1:]):
        return False
    return first.left == "name" or " " not in join(pieces[2:-1]).rows[0].replace(", ", "")


def _multiplied(pieces: Sequence[Piece], at: int) -> bool:
    """Has a fraction a factor or a function name beside it, so that it needs brackets?"""
    beside = ("letter", "number", "inner")
    before = pieces[at - 1].right if at and not isinstance(pieces[at - 1].node, Limits) else None
    after = pieces[at + 1].left if at + 1 < len(pieces) else None
    slash = any(0 <= other < len(pieces) and _is_slash(pieces[other]) for other in (at - 1, at + 1))
    return before in (*beside, "close", "name") or after in (*beside, "open", "name", "big") or slash


def _is_slash(piece: Piece) -> bool:
    return isinstance(piece.node, Symbol) and piece.node.text in ("/", "!")


LINE = LineDrawer()
