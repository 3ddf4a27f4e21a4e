"""A sheet as a sequence of nodes that every format draws: what stands where, in no format.

Every text stands in a node in both languages; ``Document.languages`` says which of them are printed. A format
sets the languages of one node together, side by side or one after the other, and prints once what is the same
in all of them (:func:`spoken`). Texts are prose with slots filled, unless a docstring says plain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.text import Language, Text
from quizbank.reference import Source
from quizbank.sheets.picture import Picture


@dataclass(frozen=True)
class Heading:
    """A heading of level 1 to 5, no level left out; ``anchor`` where a link points at it.

    ``listed``: a table of contents has it.
    """

    level: int
    text: Text
    anchor: str = ""
    listed: bool = False


@dataclass(frozen=True)
class Note:
    """One line of plain text: the form id, a caption, a verdict."""

    text: Text


@dataclass(frozen=True)
class Pointer:
    """A line of plain text that leads to the heading with this anchor."""

    text: Text
    anchor: str


@dataclass(frozen=True)
class Passage:
    """A prose text of any length."""

    text: Text


@dataclass(frozen=True)
class Bullets:
    """Short prose texts, one an item; ``ordered`` numbers them."""

    items: tuple[Text, ...]
    ordered: bool = False


@dataclass(frozen=True)
class Boxed:
    """A passage set off from the rest: the trap, the spoken answer. ``label`` is prose of one line."""

    label: Text
    text: Text


@dataclass(frozen=True)
class Formula:
    """One step of a derivation: what it states, what is said of it, and how it was decided.

    ``badge`` and ``method`` are plain; ``latex`` is the statement and ``counterexample`` what refutes it (or
    empty); neither belongs to a language, so they are printed once.
    """

    number: int
    badge: Text
    latex: str
    rule: Text
    method: Text
    counterexample: str


@dataclass(frozen=True)
class Table:
    """Rows of one-line prose under plain headings; ``caption`` is plain too. The first cell of a row names it."""

    caption: Text
    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True)
class Drawing:
    """A figure, with the sentence that says what to see in it (from the figure itself)."""

    picture: Picture


@dataclass(frozen=True)
class Answers:
    """Room to write, in lines."""

    lines: int


@dataclass(frozen=True)
class Citation:
    """What of a source carries an answer, ``where`` in plain text; the sheet ends with an :class:`Entry` of the source."""

    source: Source
    where: Text


@dataclass(frozen=True)
class Entry:
    """One source of the bibliography."""

    source: Source


Node = (
    Heading
    | Note
    | Pointer
    | Passage
    | Bullets
    | Boxed
    | Formula
    | Table
    | Drawing
    | Answers
    | Citation
    | Entry
)


@dataclass(frozen=True)
class Document:
    """``title`` is plain text; ``contents`` are the headings a table of contents lists.

    ``form`` is the id of the sheet, which a paper and its key share; ``date`` is YYYY-MM-DD.
    """

    title: Text
    languages: tuple[Language, ...]
    nodes: tuple[Node, ...]
    form: str = ""
    date: str = ""

    @property
    def contents(self) -> tuple[Heading, ...]:
        return tuple(node for node in self.nodes if isinstance(node, Heading) and node.listed)


def spoken(text: Text, languages: Sequence[Language]) -> tuple[tuple[Language, str], ...]:
    """The text in each of the languages; once where it reads the same in all of them."""
    if len(languages) == 1 or text.en == text.zh:
        return ((languages[0], text.of(languages[0])),)
    return tuple([(language, text.of(language)) for language in languages])
