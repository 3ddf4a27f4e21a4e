"""The tree of a formula: what every output is drawn from.

Frozen, hashable and free of LaTeX. Text is Unicode; bold, double-struck and script letters are
their own characters (𝐱, ℝ, ℒ).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SymbolKind = Literal[
    "letter", "number", "name", "big", "binary", "relation", "open", "close", "fence", "punct"
]
"""letter: also ∂, ∞, %, … and primes; name: sin, max, softmax; big: ∑, ∏, ∫; fence: a | or ‖ that may open or
close."""


@dataclass(frozen=True)
class Symbol:
    """``upright``: a Latin letter set upright, ``\\mathrm{d}x``."""

    text: str
    kind: SymbolKind
    upright: bool = False


@dataclass(frozen=True)
class Words:
    r"""Upright text, ``\\text{…}``; spaces are kept."""

    text: str


@dataclass(frozen=True)
class Space:
    """Horizontal space in em; negative ones are dropped by the reader."""

    em: float


@dataclass(frozen=True)
class Row:
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Fraction:
    """``line`` False: a binomial's stack. ``small``: set in text size where the output knows one."""

    top: Node
    bottom: Node
    line: bool = True
    small: bool = False


@dataclass(frozen=True)
class Root:
    """A square root, or with an ``index`` another one."""

    body: Node
    index: Node | None = None


@dataclass(frozen=True)
class Scripts:
    """Subscript and superscript at the side of a base."""

    base: Node
    sub: Node | None = None
    sup: Node | None = None


@dataclass(frozen=True)
class Limits:
    """What stands under and over a base: limits of ∑ and lim, the label of a brace, =ᵈ."""

    base: Node
    under: Node | None = None
    over: Node | None = None


Mark = Literal[
    "hat",
    "tilde",
    "bar",
    "vec",
    "dot",
    "ddot",
    "check",
    "breve",
    "ring",
    "acute",
    "grave",
    "line",
    "arrow",
    "leftarrow",
    "brace",
]


@dataclass(frozen=True)
class Accent:
    """A mark over (or under) a body. ``line``, ``arrow`` and ``brace`` span the whole body."""

    body: Node
    mark: Mark
    under: bool = False


@dataclass(frozen=True)
class Fenced:
    r"""``\\left … \\right``: delimiters as tall as the body; an empty one is not drawn."""

    open: str
    body: Node
    close: str


@dataclass(frozen=True)
class Table:
    """A matrix, ``cases`` or ``aligned``: rows of equal length.

    ``align`` has one of l, c, r a column; ``gaps`` the space before each column: ``none`` within an
    aligned equation, ``wide`` elsewhere. ``verticals`` and ``rules`` are the column and row numbers
    before which a line runs.
    """

    rows: tuple[tuple[Node, ...], ...]
    align: tuple[Literal["l", "c", "r"], ...]
    gaps: tuple[Literal["none", "wide"], ...]
    verticals: tuple[int, ...] = ()
    rules: tuple[int, ...] = ()


Node: TypeAlias = Symbol | Words | Space | Row | Fraction | Root | Scripts | Limits | Accent | Fenced | Table


def unwrapped(node: Node) -> Node:
    """The single item of a row that has only one."""
    while isinstance(node, Row) and len(node.items) == 1:
        node = node.items[0]
    return node


def flat(node: Node) -> tuple[Node, ...]:
    """The items of a node as a row; nested rows are dissolved."""
    if not isinstance(node, Row):
        return (node,)
    out: list[Node] = []
    for item in node.items:
        out.extend(flat(item) if isinstance(item, Row) else (item,))
    return tuple(out)
