"""The first pages of a sheet, as a terminal can show them: the very nodes that every format writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.style import Style

from engine.errors import InputError
from engine.notation.wrap import wrap
from engine.text import Language, Text
from tui.drawing import Colours, figure_rows
from tui.drawing.prose import laid
from tui.drawing.rows import Row, clean, left
from tui.widgets.figure import natural_height, terminal_colours
from tui.widgets.reading import formula_lines
from tui.widgets.rows import RowsView, StyledRow

if TYPE_CHECKING:
    from quizbank.reference import Source
    from quizbank.sheets.document import Document, Drawing, Formula, Heading, Node, Table
    from quizbank.sheets.preview import Beginning

PAGES_ROWS = 160
"""Rows after which a preview ends: two or three printed pages."""
GOES_ON = Text("… and so on: this is how the sheet begins.", "……以上是开头部分，其余从略。")
INDENT = 2
_DRAWN = "drawn "
_COLON = Text(": ", "：")


class SheetView(RowsView):
    """Shows the nodes of a document until its first pages are full; whatever a node holds is shown as text."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "sheet--title", "sheet--strong", "sheet--quiet", "sheet--math", "sheet--code",
    }  # fmt: skip
    DEFAULT_CSS = """
    SheetView { height: auto; width: 1fr; }
    SheetView .sheet--title { text-style: bold; color: $text-primary; }
    SheetView .sheet--strong { text-style: bold; }
    SheetView .sheet--quiet { color: $text-muted; }
    SheetView .sheet--math { color: $text-success; }
    SheetView .sheet--code { color: $text-warning; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._document: Document | None = None
        self._language: Language = "en"
        self._goes_on = False
        self._note = ""

    def tell(self, beginning: Beginning | None, language: Language, note: str = "") -> None:
        """Show how a document begins, under a note; ``language`` is that of what is said about it."""
        document, goes_on = beginning or (None, False)
        same = document is self._document and (language, note) == (self._language, self._note)
        self._document, self._goes_on, self._language, self._note = document, goes_on, language, note
        if not same:
            self.changed(layout=True)

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        found = list(_plain(self._note, max(16, width), "quiet")) if self._note else []
        if self._document is None:
            return found
        laying = NodeRows(self._document.languages, max(16, width), terminal_colours(self.app))
        for node in self._document.nodes:
            if len(found) > PAGES_ROWS:
                break
            found += [[], *laying.of(node)] if found else laying.of(node)
        if self._goes_on or len(found) > PAGES_ROWS:
            del found[PAGES_ROWS:]
            found += [[], *_plain(GOES_ON.of(self._language), max(16, width), "quiet")]
        return found

    def style_of(self, name: str) -> Style:
        if name.startswith(_DRAWN):
            return Style.parse(name.removeprefix(_DRAWN))
        style = Style.null()
        for kind in name.split():
            if f"sheet--{kind}" in self.COMPONENT_CLASSES:
                style += self.component_style(f"sheet--{kind}")
        return style


class NodeRows:
    """Lays out nodes as rows of (text, style name), none wider than ``width``; the languages one after the other."""

    def __init__(self, languages: tuple[Language, ...], width: int, colours: Colours = "none") -> None:
        self.languages = languages
        self.width = width
        self.colours = colours

    def of(self, node: Node) -> list[StyledRow]:
        return list(self._of(node))

    def _of(self, node: Node) -> Iterator[StyledRow]:
        from quizbank.sheets import document as d

        match node:
            case d.Heading():
                yield from self._heading(node)
            case d.Note() | d.Pointer():
                for _, line in self._each(node.text):
                    yield from _plain(line, self.width, "quiet")
            case d.Passage():
                for place, (_, text) in enumerate(self._each(node.text)):
                    if place:
                        yield []
                    yield from _prose(text, self.width)
            case d.Bullets():
                for place, item in enumerate(node.items, 1):
                    mark = f"{place}. " if node.ordered else "• "
                    for _, text in self._each(item):
                        yield from _hanging(mark, text, self.width)
                        mark = " " * cell_len(mark)
            case d.Boxed():
                for language, text in self._each(node.text):
                    yield from _prose(node.label.of(language), self.width, style="strong")
                    yield from _prose(text, self.width, INDENT)
            case d.Formula():
                yield from self._formula(node)
            case d.Table():
                yield from self._table(node)
            case d.Drawing():
                yield from self._drawing(node)
            case d.Answers():
                yield from ([("_" * self.width, "quiet")] for _ in range(node.lines))
            case d.Citation():
                where = node.where.of(self.languages[0])
                yield from _plain(f"{node.source.short}, {where}" if where else node.source.short, self.width)
            case d.Entry():
                yield from _plain(_entry(node.source, self.languages[0]), self.width)

    def _each(self, text: Text) -> tuple[tuple[Language, str], ...]:
        from quizbank.sheets.document import spoken

        return spoken(text, self.languages)

    def _heading(self, node: Heading) -> Iterator[StyledRow]:
        style = "title" if node.level <= 2 else "strong"
        widest = 0
        for _, text in self._each(node.text):
            for row in _prose(text, self.width, style=style):
                widest = max(widest, sum(cell_len(part) for part, _ in row))
                yield row
        if node.level == 1:
            yield [("=" * widest, style)]

    def _formula(self, node: Formula) -> Iterator[StyledRow]:
        for language, badge in self._each(node.badge):
            method = node.method.of(language)
            how = (f"（{method}）" if language == "zh" else f" ({method})") if method else ""
            yield from _plain(f"{node.number}. {badge}{how}", self.width, "strong")
        for _, rule in self._each(node.rule):
            yield from _prose(rule, self.width, INDENT)
        for latex in (node.latex, node.counterexample):
            if latex:
                for line in formula_lines(latex, self.width - 2 * INDENT):
                    yield [(" " * 2 * INDENT, ""), (line, "math")]

    def _table(self, node: Table) -> Iterator[StyledRow]:
        """Columns where all fit; else every row under its first cell, a line for each of the others."""
        for language in self.languages:
            yield from _plain(node.caption.of(language), self.width, "strong")
            header = [clean(name.of(language)) for name in node.header]
            cells = [[_inline(cell.of(language)) for cell in row] for row in node.rows]
            widths = [max(map(cell_len, column)) for column in zip(header, *cells, strict=True)]
            if sum(widths) + 2 * (len(widths) - 1) <= self.width:
                for place, row in enumerate((header, *cells)):
                    line = "  ".join(left(cell, room) for cell, room in zip(row, widths, strict=True))
                    yield [(line.rstrip(), "quiet" if place == 0 else "")]
                continue
            for first, *rest in node.rows:
                yield from _hanging("• ", first.of(language), self.width)
                for name, cell in zip(header[1:], rest, strict=True):
                    if text := cell.of(language):
                        yield from _prose(f"{name}{_COLON.of(language)}{text}", self.width, INDENT)

    def _drawing(self, node: Drawing) -> Iterator[StyledRow]:
        figure = node.picture.figure
        height = natural_height(figure, self.width)
        for row in figure_rows(figure, self.width, height, self.languages[0], self.colours):
            yield [(text, f"{_DRAWN}{style}" if style else "") for text, style in row]
        for _, seen in self._each(figure.see):
            yield from _prose(seen, self.width, style="quiet")


def _plain(text: str, width: int, style: str = "") -> Iterator[StyledRow]:
    for line in wrap(clean(text), width):
        yield [(line, style)]


def _prose(text: str, width: int, indent: int = 0, style: str = "") -> Iterator[StyledRow]:
    lead: Row = [(" " * indent, "")] if indent else []
    for row in laid(text, width - indent):
        yield [*lead, *((part, f"{style} {kind}") for part, kind in row)]


def _hanging(mark: str, text: str, width: int) -> Iterator[StyledRow]:
    """Prose after a mark, its further rows in line with the first."""
    for row in laid(text, width - cell_len(mark)):
        yield [(mark, ""), *row]
        mark = " " * cell_len(mark)


def _inline(cell: str) -> str:
    from engine.notation.page import inline

    try:
        return inline(cell)
    except InputError:
        return clean(cell)


def _entry(source: Source, language: Language) -> str:
    year = f"（{source.year}）。" if language == "zh" else f" ({source.year}). "
    stop = "。" if language == "zh" else ". "
    return f"{', '.join(source.authors)}{year}{source.title}{stop}{source.venue}{stop}{source.link}"
