"""A sheet as a sequence of nodes that every format draws: what stands where, in no format.

Texts in nodes are prose of one language with slots filled, unless a docstring says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.figure import Figure
from engine.text import Language
from quizbank.reference import Source


@dataclass(frozen=True)
class Heading:
    """A heading of level 1 to 4; ``anchor`` where a table of contents or a link points at it."""

    level: int
    text: str
    language: Language
    anchor: str = ""


@dataclass(frozen=True)
class Note:
    """One line of plain text (no prose): the form id, a caption, a verdict."""

    text: str
    language: Language


@dataclass(frozen=True)
class Passage:
    """A prose text of any length."""

    text: str
    language: Language


@dataclass(frozen=True)
class Bullets:
    """Short prose texts, one an item; ``ordered`` numbers them."""

    items: tuple[str, ...]
    language: Language
    ordered: bool = False


@dataclass(frozen=True)
class Boxed:
    """A passage set off from the rest: the trap, the spoken answer. ``label`` is plain text."""

    label: str
    text: str
    language: Language


@dataclass(frozen=True)
class Formula:
    """One step: its number, its badge (plain text), its statement (LaTeX), its rule (prose), a counterexample (LaTeX)."""

    number: int
    badge: str
    latex: str
    rule: str
    method: str
    counterexample: str
    language: Language


@dataclass(frozen=True)
class Table:
    """Rows of one-line prose under plain headings; ``caption`` is plain text too."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    language: Language


@dataclass(frozen=True)
class Drawing:
    """A figure, with the sentence that says what to see in it (from the figure itself)."""

    figure: Figure
    language: Language


@dataclass(frozen=True)
class Answers:
    """Room to write, in lines."""

    lines: int


@dataclass(frozen=True)
class Entry:
    """One source of the bibliography, and (where, in plain text) what of it is meant."""

    source: Source
    where: str
    language: Language


TextNode = Heading | Note | Passage | Bullets | Boxed | Formula | Table | Answers | Entry
Node = TextNode | Drawing


@dataclass(frozen=True)
class Document:
    """``title`` is plain text; ``contents`` are the headings a table of contents lists."""

    title: str
    languages: tuple[Language, ...]
    nodes: tuple[Node, ...]

    @property
    def contents(self) -> tuple[Heading, ...]:
        return tuple(node for node in self.nodes if isinstance(node, Heading) and node.anchor)
