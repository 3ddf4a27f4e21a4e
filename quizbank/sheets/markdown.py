"""A document as Markdown, for GitHub or with plain dollars, and its figures as files beside it.

GitHub shows no image that stands in the text itself, so figures are separate SVG files.
"""

from __future__ import annotations

from functools import cache as once
from pathlib import Path
from urllib.parse import quote

from engine.notation.wide import width
from engine.text import Text
from quizbank import labels
from quizbank.card_cache import digest_of
from quizbank.reference import Source
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
from quizbank.sheets.formats import Flavour, Options, Progress, Written
from quizbank.sheets.markdown_prose import BREAK, display, escaped, line, prose
from quizbank.sheets.memo import Memo
from quizbank.sheets.wording import stop_after

_STEP_EVERY = 200
"""Nodes between two calls of ``progress``."""
_BACKGROUND = '<rect width="100%" height="100%" fill="#ffffff"/>'
_NO_BREAK_SPACE = "\u00a0"
_NARROWEST, _WIDEST = 3, 48
"""Dashes in the rule under a table's head, a column."""


def write(
    document: Document, options: Options, folder: str, progress: Progress, cache: Path | None = None
) -> Written:
    """The whole document; its figures are linked as ``folder/NNN.svg``. Texts are kept in the folder ``cache``."""
    page = _Page(document, folder, options.flavour)
    if cache is not None:
        page.known.remember(cache / "sheets")
    written = _written(page, document, progress)
    if cache is not None:
        page.known.keep(cache / "sheets")
    return written


def markdown(
    document: Document, folder: str, flavour: Flavour = "github", progress: Progress | None = None
) -> Written:
    """As :func:`write`, for GitHub unless another flavour is asked for."""
    return _written(_Page(document, folder, flavour), document, progress)


def _written(page: _Page, document: Document, progress: Progress | None) -> Written:
    parts = []
    for done, node in enumerate(document.nodes):
        if progress is not None and done % _STEP_EVERY == 0:
            progress(done, len(document.nodes))
        parts.append(page.node(node))
    return Written("\n\n".join(part for part in parts if part) + "\n", page.figures)


@once
def _code() -> str:
    """A digest of what decides, beside the engine, what a text is in Markdown."""
    here = Path(__file__).parent
    names = ("markdown_prose.py", "beside.py", "reading.py", "document.py")
    return digest_of((here / name).read_bytes() for name in names)[:16]


class _Page:
    def __init__(self, document: Document, folder: str, flavour: Flavour) -> None:
        self.languages = document.languages
        self.folder = quote(folder)
        self.flavour = flavour
        self.figures: dict[str, str] = {}
        nodes = document.nodes
        self.anchors = {node.anchor for node in nodes if isinstance(node, Heading) and node.anchor}
        self.anchors |= {_of_source(node.source) for node in nodes if isinstance(node, Entry)}
        self._placed: set[str] = set()
        # what a text becomes depends on these alone; reading and escaping takes half of the time
        self.known: Memo[str] = Memo(f"markdown-{flavour}-{'-'.join(document.languages)}", _code, 40_000)

    def node(self, node: Node) -> str:
        match node:
            case Heading():
                anchor = self._anchor(node.anchor)
                return f"{anchor}{chr(10) * 2 if anchor else ''}{'#' * node.level} {self._titled(node.text)}"
            case Note():
                return BREAK.join(f"*{text}*" for text in self._plain(node.text))
            case Pointer():
                return BREAK.join(self._link(text, node.anchor) for text in self._plain(node.text))
            case Passage():
                return self._prose(node.text)
            case Bullets():
                return self._bullets(node)
            case Boxed():
                label = self._label(node.label)
                return _quoted(f"{label}\n\n{self._prose(node.text)}")
            case Formula():
                return self._formula(node)
            case Table():
                return self._table(node)
            case Drawing():
                return self._drawing(node)
            case Answers():
                return "\n\n".join([_NO_BREAK_SPACE] * node.lines)
            case Citation():
                where = " · ".join(text for text in self._plain(node.where) if text)
                named = self._link(self._escaped(node.source.short), _of_source(node.source))
                return f"- {named}{', ' if where else ''}{where}"
            case Entry():
                return self._entry(node.source)

    def _escaped(self, text: str) -> str:
        return escaped(text, self.flavour)

    def _plain(self, text: Text) -> list[str]:
        """A plain text in each language."""
        return [self._escaped(said) for _, said in spoken(text, self.languages)]

    def _lines(self, text: Text, in_table: bool = False, starts: bool = True) -> list[str]:
        """A prose of one line in each language."""
        return [self._line(said, in_table, starts) for _, said in spoken(text, self.languages)]

    def _line(self, said: str, in_table: bool = False, starts: bool = True) -> str:
        return self.known.get(
            f"{in_table:d}{starts:d}{said}", lambda: line(said, self.flavour, in_table, starts)
        )

    def _prose(self, text: Text) -> str:
        said = "\0".join(text.of(language) for language in self.languages)
        return self.known.get(f"prose {said}", lambda: prose(text, self.languages, self.flavour))

    def _titled(self, text: Text) -> str:
        """Every language on one line, after a mark that makes it a heading."""
        return " · ".join(self._lines(text, starts=False))

    def _label(self, text: Text) -> str:
        # a formula inside of emphasis is not shown by GitHub
        return BREAK.join(each if "$" in each else f"**{each}**" for each in self._lines(text))

    def _anchor(self, anchor: str) -> str:
        """What a link leads to; the first of its kind only."""
        if not anchor or anchor in self._placed:
            return ""
        self._placed.add(anchor)
        return f'<a id="{quote(anchor)}"></a>'

    def _link(self, text: str, anchor: str) -> str:
        return f"[{text}](#{quote(anchor)})" if anchor in self.anchors else text

    def _bullets(self, node: Bullets) -> str:
        rows = []
        for index, item in enumerate(node.items, 1):
            mark = f"{index}." if node.ordered else "-"
            rows.append(f"{mark} {f'{BREAK}{chr(32) * (len(mark) + 1)}'.join(self._lines(item))}")
        return "\n".join(rows)

    def _formula(self, step: Formula) -> str:
        heads = []
        for language in self.languages:
            opening, closing, colon = ("（", "）", "：") if language == "zh" else (" (", ")", ": ")
            method = self._escaped(step.method.of(language))
            how = f"{opening}{method}{closing}" if method else ""
            badge = f"{step.number}\\. **{self._escaped(step.badge.of(language))}**"
            heads.append(f"{badge}{how}{colon}{self._line(step.rule.of(language))}")
        parts = [BREAK.join(heads), display(step.latex, self.flavour)]
        if step.counterexample:
            parts += [
                " · ".join(self._plain(labels.COUNTEREXAMPLE)),
                display(step.counterexample, self.flavour),
            ]
        return "\n\n".join(parts)

    def _table(self, table: Table) -> str:
        header = tuple(" / ".join(self._plain(name)) for name in table.header)
        rows = [
            tuple(" / ".join(self._lines(cell, in_table=True, starts=False)) for cell in row)
            for row in table.rows
        ]
        # pandoc gives a column of a wide table the share of the width that it has of these
        rules = (
            "-" * max(_NARROWEST, min(_WIDEST, max(width(cell) for cell in column)))
            for column in zip(header, *rows, strict=True)
        )
        body = "\n".join("| " + " | ".join(row) + " |" for row in (header, tuple(rules), *rows))
        return f"{BREAK.join(self._plain(table.caption))}\n\n{body}"

    def _drawing(self, node: Drawing) -> str:
        name = f"{len(self.figures) + 1:03d}.svg"
        picture = node.picture
        drawn = picture.svg(self.languages, "#444444")
        # an image stands on a page of unknown colour
        self.figures[name] = drawn.replace("</desc>", f"</desc>{_BACKGROUND}", 1)
        seen = self._escaped(picture.see.of(self.languages[0]))
        captions = (
            f"**{self._escaped(picture.title.of(each))}** {self._escaped(picture.see.of(each))}"
            for each in self.languages
        )
        # in one paragraph: an image alone in one is to pandoc a figure, with a caption of its own
        return BREAK.join([f"![{seen}](<{self.folder}/{name}>)", *dict.fromkeys(captions)])

    def _entry(self, source: Source) -> str:
        zh = self.languages[0] == "zh"
        year, stop = (f"（{source.year}）。", "。") if zh else (f" ({source.year}). ", ". ")
        said = f"{', '.join(source.authors)}{year}{source.title}{stop_after(source.title, stop)}{source.venue}{stop}"
        return f"- {self._anchor(_of_source(source))}{self._escaped(said)}<{source.link}>"


def _of_source(source: Source) -> str:
    return f"source-{source.key}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {row}".rstrip() for row in text.split("\n"))
