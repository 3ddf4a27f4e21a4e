"""Rows of a formula as pieces with spacing, shared by the two-dimensional and the one-line form.

Spacing follows TeX's classes of atoms, in cells: a relation or a binary operator has one cell on
either side, a comma one after it, a function name one before an argument without brackets; letters
stand tight. In scripts (``compact``) everything stands tight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, NamedTuple

from engine.notation.box import Box, beside, delimiter, text_box
from engine.notation.glyphs import plain_letters
from engine.notation.nodes import (
    Accent,
    Fenced,
    Fraction,
    Limits,
    Node,
    Root,
    Scripts,
    Space,
    Symbol,
    Table,
    Words,
    flat,
)

Edge = Literal[
    "letter",
    "number",
    "name",
    "big",
    "binary",
    "unary",
    "relation",
    "open",
    "close",
    "punct",
    "inner",
    "tight",
]


class Piece(NamedTuple):
    """A part of a row that is drawn as one box.

    ``left`` and ``right`` are its classes towards its neighbours. ``space`` is explicit space before
    it; ``depth`` counts the brackets open around it; ``tail``: a letter after it would read as part
    of its script.
    """

    box: Box
    left: Edge
    right: Edge
    node: Node | None = None
    space: int = 0
    depth: int = 0
    tail: bool = False


_TIGHT = frozenset("/\\")
_BEHIND = frozenset("!°%′″‴")
"""Signs that belong to what stands before them, with which they are one operand."""
_INNER = frozenset("…⋯⋮⋱")


def gap(left: Piece, right: Piece, compact: bool = False) -> int:
    """Cells between two neighbours, without explicit space."""
    a, b = left.right, right.left
    if "tight" in (a, b) or a in ("open", "unary") or b == "close":
        return 0
    if compact:
        words = (a == "name" and b not in ("open", "relation", "binary", "punct")) or (
            b == "name" and a in ("letter", "number", "name")
        )
        return int(words or a == b == "number")
    if b == "punct":
        return 0
    if a == "punct":
        return 1
    if a == b == "relation":
        return 0
    if a in ("relation", "binary", "big") or b in ("relation", "binary", "big"):
        return 1
    if b == "open":
        return int(a == "inner")
    if "name" in (a, b) or "inner" in (a, b) or b == "number":
        return 1
    return int(left.tail)


def join(pieces: Sequence[Piece], compact: bool = False) -> Box:
    """The pieces side by side with the spaces between them."""
    boxes: list[Box] = []
    for number, piece in enumerate(pieces):
        if number:
            spacing = gap(pieces[number - 1], piece, compact)
            cells = spacing if compact and piece.space == 1 else max(piece.space, spacing)
            if cells:
                boxes.append(text_box(" " * cells))
        boxes.append(piece.box)
    return beside(boxes)


class Drawer(ABC):
    """Turns nodes into pieces; subclasses draw what the two forms draw differently."""

    def draw(self, node: Node, compact: bool = False) -> Box:
        """A node as one box."""
        return join(self.pieces(node, compact), compact)

    def pieces(self, node: Node, compact: bool = False) -> list[Piece]:
        """A node as a row of pieces; delimiters that stay on one row become pieces of their own."""
        out: list[Piece] = []
        space = 0
        for item in flat(node):
            if isinstance(item, Space):
                space += self.cells(item.em)
                continue
            new = self.piece(item, compact)
            if new and space and out:
                new[0] = new[0]._replace(space=space)
            space = 0
            out.extend(new)
        return self.stretched(nested(unary(out)))

    def cells(self, em: float) -> int:
        """Explicit space in cells."""
        return 1 if em < 0.9 else 2 * round(em) + 1

    def piece(self, node: Node, compact: bool) -> list[Piece]:
        if isinstance(node, Symbol):
            return [symbol_piece(node)]
        if isinstance(node, Words):
            return [words_piece(node)]
        if isinstance(node, Fraction):
            return [Piece(self.fraction(node, compact), "inner", "inner", node)]
        if isinstance(node, Root):
            return [Piece(self.root(node, compact), "letter", "letter", node, tail=True)]
        if isinstance(node, Scripts):
            return [self.scripts(node, compact)]
        if isinstance(node, Limits):
            return [self.limits(node, compact)]
        if isinstance(node, Accent):
            box = self.accent(node, compact)
            return [Piece(box, "letter", "letter", node, tail=box.width > 1)]
        if isinstance(node, Fenced):
            return self.fenced(node, compact)
        if isinstance(node, Table):
            return [Piece(self.table(node, compact), "inner", "inner", node)]
        return self.pieces(node, compact)

    def fenced(self, node: Fenced, compact: bool) -> list[Piece]:
        inside = self.pieces(node.body, compact)
        box = join(inside, compact)
        opening, closing = (delimiter(mark, box.above, box.below) for mark in (node.open, node.close))
        if box.tall:
            whole = beside([opening, box, closing])
            left: Edge = "open" if node.open else "inner"
            right: Edge = "close" if node.close else "inner"
            return [Piece(whole, left, right, node)]
        return [Piece(opening, "open", "open"), *inside, Piece(closing, "close", "close")]

    def stretched(self, pieces: list[Piece]) -> list[Piece]:
        """Where brackets can be tall: typed ones that must be."""
        return pieces

    @abstractmethod
    def fraction(self, node: Fraction, compact: bool) -> Box: ...

    @abstractmethod
    def root(self, node: Root, compact: bool) -> Box: ...

    @abstractmethod
    def scripts(self, node: Scripts, compact: bool) -> Piece: ...

    @abstractmethod
    def limits(self, node: Limits, compact: bool) -> Piece: ...

    @abstractmethod
    def accent(self, node: Accent, compact: bool) -> Box: ...

    @abstractmethod
    def table(self, node: Table, compact: bool = False) -> Box: ...


_EDGES: dict[str, Edge] = {
    "letter": "letter", "number": "number", "name": "name", "big": "big", "binary": "binary", "relation": "relation",
    "open": "open", "close": "close", "fence": "tight", "punct": "punct",
}  # fmt: skip


def symbol_piece(node: Symbol) -> Piece:
    edge = right = _EDGES[node.kind]
    if node.kind == "letter":
        edge = right = "tight" if node.text in _TIGHT else "inner" if node.text in _INNER else "letter"
        if node.text in _BEHIND:
            edge, right = "tight", "number"
    # an operator name holds thin spaces (arg max)
    text = plain_letters(node.text).replace("\u2009", " ").replace("\u2005", " ")
    return Piece(text_box(text), edge, right, node)


def words_piece(node: Words) -> Piece:
    text = plain_letters(node.text.replace("\n", " ").replace("\t", " "))
    edges: list[Edge] = ["tight" if not text or text[at].isspace() else "letter" for at in (0, -1)]
    return Piece(text_box(text), edges[0], edges[1], node)


def unary(pieces: list[Piece]) -> list[Piece]:
    """A minus at the start, or after an operator or an opening bracket, stands tight."""
    out: list[Piece] = []
    before: Edge = "open"
    for piece in pieces:
        if piece.left == "binary" == piece.right and before in (
            "open", "unary", "binary", "relation", "punct", "big", "tight"
        ):  # fmt: skip
            piece = piece._replace(left="unary", right="unary")
        out.append(piece)
        before = piece.right
    return out


def nested(pieces: list[Piece]) -> list[Piece]:
    """The depth of brackets around each piece."""
    out: list[Piece] = []
    depth = 0
    for piece in pieces:
        if piece.right == "close" == piece.left:
            depth = max(0, depth - 1)
        out.append(piece._replace(depth=piece.depth + depth) if depth else piece)
        if piece.left == "open" == piece.right:
            depth += 1
    return out


def breakable(pieces: Sequence[Piece], at: int) -> int | None:
    """How good a line break before a piece is: 0 is best, None is none. Depth weighs most.

    0: at a wide space, between two statements; 1: before a relation; 2: before a binary operator or
    after a comma; 3: between factors.
    """
    if at == 0:
        return None
    before, piece = pieces[at - 1], pieces[at]
    rank = 4 * max(piece.depth, before.depth if before.right != "close" else piece.depth)
    if piece.space > 1:
        return rank
    if piece.left == "relation" and before.right != "relation":
        return rank + 1
    if before.right == "punct" or piece.left == "binary":
        return rank + 2
    if gap(before, piece) and before.right not in ("relation", "binary", "unary", "big", "name"):
        return rank + 3
    return None
