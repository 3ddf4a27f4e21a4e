"""A document as a Typst source: which node stands where, and every text as a literal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice

from engine.errors import InputError
from engine.notation.wide import width
from engine.text import Text
from quizbank import labels
from quizbank.sheets.document import (
    Answers,
    Boxed,
    Bullets,
    Citation,
    Document,
    Drawing,
    Entry,
    Formula,
    Heading,
    Node,
    Note,
    Passage,
    Pointer,
    Table,
    spoken,
)
from quizbank.sheets.formats import Size
from quizbank.sheets.pdf.figures import settled
from quizbank.sheets.pdf.fonts import missing, named
from quizbank.sheets.pdf.formulas import drawn
from quizbank.sheets.pdf.literals import shown, string, strings
from quizbank.sheets.pdf.prose import Said, beside, has_whole_lines, in_language, line, long, prose
from quizbank.sheets.reading import in_one_line as as_line
from quizbank.sheets.wording import stop_after

_TONE = {
    labels.POPULAR: "wrong",
    labels.SLIP: "wrong",
    labels.COUNTEREXAMPLE: "wrong",
    labels.CORRECTION: "right",
    labels.REFERENCE: "right",
}
_SIGN_TONE = {"✓": "right", "✗": "wrong"}
_NUMBER = re.compile(r"[\s<>≤≥≈=≠~±−+-]*([\d.,]+(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?%?|∞|NaN)\Z|[–—]?\Z|[\d.]+ / [\d.]+\Z")
_LETTERED = re.compile(r"(\([A-Z]\)) ")
_MANY = 24
"""Headings that fill a table of contents of more than a page: the first card then starts a page of its own."""

_RUNNING_CELLS = 64


@dataclass(frozen=True)
class Source:
    """A Typst source, and its inputs: by name the drawings (SVG) that it asks for, and what it is of a longer sheet."""

    text: str
    inputs: Mapping[str, str]


@dataclass(frozen=True)
class Piece:
    """One node of a document in Typst, with the drawings it asks for."""

    node: Node
    text: str
    drawings: Mapping[str, str]

    @property
    def listed(self) -> bool:
        """Does the table of contents have it?"""
        return isinstance(self.node, Heading) and self.node.listed


def source(document: Document, size: Size = "a4", told: Callable[[int, int], None] | None = None) -> Source:
    """The whole document. ``told`` hears how many of its nodes are done, of how many.

    Raises:
        InputError: a character that no font of the sheet has; the place is the card it stands in.
    """
    writer = Writer(document, size)
    return writer.whole(writer.pieces(told))


@cache
def _look() -> str:
    return (files("quizbank.sheets.pdf") / "sheet.typ").read_text(encoding="utf-8")


class Writer:
    """Writes one document, node by node."""

    def __init__(self, document: Document, size: Size = "a4") -> None:
        self.document = document
        self._size = size
        self._names: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        nodes = document.nodes
        self.anchors = {node.anchor for node in nodes if isinstance(node, Heading) and node.anchor}
        self.anchors |= {_entry_anchor(node.source.key) for node in nodes if isinstance(node, Entry)}
        self._placed: set[str] = set()
        self.chapters = any(heading.level > 2 for heading in document.contents)

    def whole(self, pieces: Iterable[Piece]) -> Source:
        """The sheet of these pieces, which are all there are."""
        texts, drawings = [self.opening()], dict[str, str]()
        listed = False
        for piece in pieces:
            if piece.listed and not listed:
                listed = True
                texts.append(self.contents(apart=len(self.document.contents) > _MANY))
            texts.append(piece.text)
            drawings |= piece.drawings
        return Source("\n".join(texts) + "\n", drawings)

    def pieces(self, told: Callable[[int, int], None] | None = None) -> Iterator[Piece]:
        """The nodes in their order. Raises InputError at their end: as :func:`source`."""
        nodes = self.document.nodes
        place = ""
        lacking = [(place, character) for character in missing(self.opening())]
        for done, node in enumerate(nodes):
            if told is not None and done % 100 == 0:
                told(done, len(nodes))
            if isinstance(node, Heading) and node.listed:
                place = node.anchor.removeprefix("card-")
            drawings = len(self._names)
            self._shown = {}
            text = self._node(node)
            lacking += ((place, character) for character in missing(text))
            for picture in islice(self._names, drawings, None):
                lacking += ((place, character) for character in missing(picture))
            yield Piece(node, text, self._shown)
        if lacking:
            raise _no_glyph(list(dict.fromkeys(lacking)))

    def opening(self) -> str:
        """The look, and what is said of the document as a whole."""
        return f"{_look()}\n{self._settings()}"

    def _settings(self) -> str:
        document = self.document
        title = " · ".join(text for _, text in self._said(document.title))
        date = "none"
        if document.date:
            year, month, day = (int(part) for part in document.date.split("-"))
            date = f"datetime(year: {year}, month: {month}, day: {day})"
        return (
            f"#show: sheet.with(title: {string(title)}, form: {string(document.form)}, date: {date}, "
            f'languages: {strings(document.languages)}, paper: "{self._size}")'
        )

    def contents(self, apart: bool) -> str:
        """The table of contents; ``apart``: what follows it begins a page."""
        contents = self.document.contents
        if len(contents) < 2:
            return ""
        entries = "".join(
            f"({heading.level}, {string(heading.anchor)}, ({self._lines(heading.text)},)),\n"
            for heading in contents
            if heading.anchor
        )
        rest = ", apart: true" if apart else ""
        return f"#contents(({self._lines(labels.CONTENTS)},), (\n{entries}){rest})"

    def bookmark(self, text: Text) -> str:
        """A heading as it stands in a list of bookmarks, which knows no formulas."""
        return " · ".join(as_line(said) for _, said in self._said(text))

    # the languages

    def _said(self, text: Text) -> Said:
        return spoken(text, self.document.languages)

    def _parts(self, text: Text, drawn: Callable[[str], str]) -> list[str]:
        """A text in each language."""
        return [in_language(language, drawn(said)) for language, said in self._said(text)]

    def _beside(self, text: Text) -> str:
        """The languages of a text of one line as the arguments of a call."""
        return beside(self._parts(text, line), has_whole_lines(text.en) or has_whole_lines(text.zh))

    def _plain(self, text: Text) -> str:
        return beside(self._parts(text, shown))

    def _lines(self, text: Text) -> str:
        """As the members of an array, which is told nothing."""
        return ", ".join(self._parts(text, line))

    # the nodes

    def _node(self, node: Node) -> str:
        match node:
            case Heading():
                return self._heading(node)
            case Note():
                return f"#note({self._plain(node.text)})"
            case Pointer():
                return f"#pointer({self._link(node.anchor)}, {self._plain(node.text)})"
            case Passage():
                return prose(self._said(node.text))
            case Bullets():
                return "\n".join(self._bullets(node))
            case Boxed():
                return self._boxed(node)
            case Formula():
                return self._formula(node)
            case Table():
                return self._table(node)
            case Drawing():
                return self._figure(node)
            case Answers():
                return f"#room({node.lines})"
            case Citation():
                where = " · ".join(text for _, text in self._said(node.where) if text)
                words = f"{node.source.short}, {where}" if where else node.source.short
                return f"#citation({self._link(_entry_anchor(node.source.key))}, [{shown(words)}])"
            case Entry():
                return self._entry(node)

    def _boxed(self, node: Boxed) -> str:
        tone, parts = _TONE.get(node.label, "plain"), self._parts(node.label, line)
        told = long(parts, has_whole_lines(node.label.en) or has_whole_lines(node.label.zh))
        return f'#boxed("{tone}", {told}({", ".join(parts)},), [\n{prose(self._said(node.text))}\n])'

    def _heading(self, node: Heading) -> str:
        bookmark = self.bookmark(node.text)
        anchor = ""
        if node.anchor and node.anchor not in self._placed:
            self._placed.add(node.anchor)
            anchor = f"anchor: {string(node.anchor)}, "
        running = _shortened(as_line(self._said(node.text)[0][1]))
        listed = f"running-head: {string(running)}, " if node.listed else ""
        # a chapter begins a page; the compiler also sets what stands between such breaks side by side
        opening = "#pagebreak(weak: true)\n" if self.chapters and node.listed and node.level == 2 else ""
        return f"{opening}#head({node.level}, {string(bookmark)}, {anchor}{listed}{self._beside(node.text)})"

    def _link(self, anchor: str) -> str:
        return string(anchor) if anchor in self.anchors else "none"

    def _bullets(self, node: Bullets) -> Iterator[str]:
        # a column that lacked what reads the same in the other would have a hole
        whole = any(len(self._said(item)) > 1 for item in node.items)
        for number, item in enumerate(node.items, 1):
            said = (
                tuple((each, item.of(each)) for each in self.document.languages)
                if whole
                else self._said(item)
            )
            letters = [_LETTERED.match(text) for _, text in said]
            if node.ordered:
                call, cut = f"marked([{number}.], ", 0
            elif letters[0] and all(each and each[0] == letters[0][0] for each in letters):
                call, cut = f"marked([{shown(letters[0][1])}], ", len(letters[0][0])
            else:
                call, cut = "item(", 0
            parts = [in_language(language, line(text[cut:])) for language, text in said]
            yield f"#{call}{beside(parts, any(has_whole_lines(text) for _, text in said))})"

    def _formula(self, step: Formula) -> str:
        parts = []
        whole_lines = has_whole_lines(step.rule.en) or has_whole_lines(step.rule.zh)
        for language in self.document.languages:
            sign = step.badge.of(language)
            pill = f'#badge("{_SIGN_TONE.get(sign[:1], "plain")}")[{shown(sign)}]'
            how = f" #method[{shown(step.method.of(language))}]" if step.method.of(language) else ""
            rule = line(step.rule.of(language))
            parts.append(in_language(language, f"{pill}{how}#parbreak();{rule}"))
        formulas = drawn(step.latex, True)
        if step.counterexample:
            formulas += (
                f"\n#against({self._plain(labels.COUNTEREXAMPLE)})\n{drawn(step.counterexample, True)}"
            )
        return f"#step({step.number}, [{formulas}], {beside(parts, whole_lines)})"

    def _table(self, table: Table) -> str:
        numeric = [
            all(_NUMBER.match(row[place].en) and row[place].en == row[place].zh for row in table.rows)
            for place in range(len(table.header))
        ]
        align = ", ".join("right" if number else "left" for number in numeric)
        header = ", ".join(self._stacked(cell) for cell in table.header)
        rows = "".join(f"({', '.join(self._stacked(cell) for cell in row)},),\n" for row in table.rows)
        return f"#numbers(({', '.join(self._parts(table.caption, shown))},), ({header},), {len(table.header)}, ({align},), (\n{rows}))"

    def _stacked(self, text: Text) -> str:
        return f"[#stacked({self._lines(text)})]"

    def _figure(self, node: Drawing) -> str:
        languages = self.document.languages
        picture = node.picture
        name = self._drawing(settled(picture, languages))
        captions = ", ".join(
            in_language(
                language,
                f"#caption([{shown(picture.title.of(language))}], [{shown(picture.see.of(language))}])",
            )
            for language in languages
        )
        return f'#drawing("{name}", {string(picture.see.of(languages[0]))}, {captions})'

    def _drawing(self, picture: str) -> str:
        """The name of a drawing: the same for the same drawing, however often it is shown."""
        name = self._names.setdefault(picture, f"drawing-{len(self._names) + 1}")
        self._shown[name] = picture
        return name

    def _entry(self, node: Entry) -> str:
        source = node.source
        authors = ", ".join(source.authors)
        zh = self.document.languages[0] == "zh"
        year, stop = (f"（{source.year}）。", "。") if zh else (f" ({source.year}). ", ". ")
        address = f"#address({string(source.link)}, [{shown(source.link)}])" if source.link else ""
        venue = shown(stop_after(source.title, stop) + source.venue + stop)
        body = f"{shown(authors + year)}#cited[{shown(source.title)}]{venue}{address}"
        anchor = _entry_anchor(source.key)
        named_once = "none" if anchor in self._placed else string(anchor)
        self._placed.add(anchor)
        return f"#entry({named_once}, {in_language(self.document.languages[0], body)})"


def _entry_anchor(key: str) -> str:
    return f"source-{key}"


def _shortened(title: str) -> str:
    """A title for the head of a page, whose room is one line."""
    # a title may be of any length, and measuring takes time that grows with it
    if len(title) <= 2 * _RUNNING_CELLS and width(title) <= _RUNNING_CELLS:
        return title
    title = title[: 2 * _RUNNING_CELLS]
    while width(title) >= _RUNNING_CELLS:
        title = title[:-1]
    # between words, where there are any near
    words = title.rpartition(" ")[0]
    return (words if width(words) > 2 * _RUNNING_CELLS // 3 else title).rstrip(" ,;:，；：、") + " …"


def _no_glyph(lacking: list[tuple[str, str]]) -> InputError:
    place, character = lacking[0]
    others = [f"{where}: {named(each)}" if where != place else named(each) for where, each in lacking[1:6]]
    more = ", ".join([named(character), *others]) + (" …" if len(lacking) > 6 else "")
    return InputError(
        Text(
            f"no font of the PDF has {more}; write it otherwise, or export HTML",
            f"PDF 所用的字体中没有 {more}；请换一种写法，或导出为 HTML",
        ),
        place,
    )
