"""A document as Markdown, for GitHub or with plain dollars, and its figures as files beside it.

GitHub shows no image that stands in the text itself, so figures are separate SVG files.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from engine.text import Language, Text
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
from quizbank.sheets.markdown_prose import display, escaped, line, math, prose
from quizbank.sheets.svg import svg

_STEP_EVERY = 200
"""Nodes between two calls of ``progress``."""


def write(document: Document, options: Options, folder: str, progress: Progress) -> Written:
    """The whole document; its figures are linked as ``folder/NN.svg``."""
    return markdown(document, folder, options.flavour, progress)


def markdown(
    document: Document, folder: str, flavour: Flavour = "github", progress: Progress | None = None
) -> Written:
    """As :func:`write`, for GitHub unless another flavour is asked for."""
    page = _Page(document.languages, folder, flavour)
    parts = []
    for done, node in enumerate(document.nodes):
        if progress is not None and done % _STEP_EVERY == 0:
            progress(done, len(document.nodes))
        parts.append(page.node(node))
    return Written("\n\n".join(part for part in parts if part) + "\n", page.figures)


class _Page:
    def __init__(self, languages: Sequence[Language], folder: str, flavour: Flavour) -> None:
        self.languages = languages
        self.folder = folder
        self.flavour = flavour
        self.figures: dict[str, str] = {}

    def node(self, node: Node) -> str:
        match node:
            case Heading():
                anchor = f'<a id="{quote(node.anchor)}"></a>\n\n' if node.anchor else ""
                return f"{anchor}{'#' * node.level} {self._row(node.text)}"
            case Note():
                return "\n\n".join(f"*{escaped(text)}*" for text in self._each(node.text))
            case Pointer():
                return "\n\n".join(
                    f"[{escaped(text)}](#{quote(node.anchor)})" for text in self._each(node.text)
                )
            case Passage():
                return "\n\n".join(prose(text, self.flavour) for text in self._each(node.text))
            case Bullets():
                return self._bullets(node)
            case Boxed():
                return self._boxed(node)
            case Formula():
                return self._formula(node)
            case Table():
                return self._table(node)
            case Drawing():
                return self._drawing(node)
            case Answers():
                return "\n".join(["<br>"] * node.lines)
            case Citation():
                where = " · ".join(escaped(text) for text in self._each(node.where))
                return f"- {escaped(node.source.short)}" + (f", {where}" if where else "")
            case Entry():
                return self._entry(node)

    def _each(self, text: Text) -> list[str]:
        return [said for _, said in spoken(text, self.languages)]

    def _row(self, text: Text, bar: str = "|", by: str = " · ") -> str:
        """Every language on one line."""
        return by.join(line(said, self.flavour, bar) for said in self._each(text))

    def _bullets(self, node: Bullets) -> str:
        rows = []
        for index, item in enumerate(node.items, 1):
            mark = f"{index}." if node.ordered else "-"
            first, *more = (line(text, self.flavour) for text in self._each(item))
            rows.append(f"{mark} {first}")
            rows += [f"\n{' ' * (len(mark) + 1)}{text}\n" for text in more]
        return "\n".join(rows).rstrip()

    def _boxed(self, node: Boxed) -> str:
        parts = []
        for language in self.languages:
            label, text = node.label.of(language), node.text.of(language)
            part = f"**{line(label, self.flavour)}**\n\n{prose(text, self.flavour)}"
            if part not in parts:
                parts.append(part)
        return _quoted("\n\n".join(parts))

    def _formula(self, step: Formula) -> str:
        heads = []
        for language in self.languages:
            zh = language == "zh"
            method = escaped(step.method.of(language))
            how = (f"（{method}）" if zh else f" ({method})") if method else ""
            badge = f"{step.number}\\. **{escaped(step.badge.of(language))}**{how}{'：' if zh else ': '}"
            heads.append(badge + line(step.rule.of(language), self.flavour))
        parts = [*heads, display(step.latex, self.flavour)]
        if step.counterexample:
            parts.append(math(step.counterexample, self.flavour))
        return "\n\n".join(parts)

    def _table(self, table: Table) -> str:
        def cell(text: Text) -> str:
            return self._row(text, bar=r"\vert ", by=" / ")

        rows = [
            tuple(" / ".join(escaped(text) for text in self._each(name)) for name in table.header),
            ("---",) * len(table.header),
            *(tuple(cell(text) for text in row) for row in table.rows),
        ]
        body = "\n".join("| " + " | ".join(row) + " |" for row in rows)
        captions = "\n\n".join(escaped(text) for text in self._each(table.caption))
        return f"{captions}\n\n{body}"

    def _drawing(self, node: Drawing) -> str:
        parts = []
        for language in self.languages:
            name = f"{len(self.figures) + 1:02d}.svg"
            self.figures[name] = svg(node.figure, language, colour="#444444")
            seen = escaped(node.figure.see.of(language))
            parts.append(f"![{seen}](<{self.folder}/{name}>)\n\n{seen}")
        return "\n\n".join(parts)

    def _entry(self, entry: Entry) -> str:
        source = entry.source
        authors = escaped(", ".join(source.authors))
        zh = self.languages[0] == "zh"
        year, stop = (f"（{source.year}）。", "。") if zh else (f" ({source.year}). ", ". ")
        return f"- {authors}{year}{escaped(source.title)}{stop}{escaped(source.venue)}{stop}<{source.link}>"


def _quoted(text: str) -> str:
    return "\n".join(f"> {row}".rstrip() for row in text.split("\n"))
