"""A document as one HTML file: no script, nothing from outside, formulas in MathML with their font inside."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files

from engine.text import Language, Text
from quizbank import labels
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
from quizbank.sheets.formats import Options, Progress, Written
from quizbank.sheets.html_prose import LANG, apart, display, escaped, line, prose, together
from quizbank.sheets.wording import stop_after

_STEP_EVERY = 200
"""Nodes between two calls of ``progress``."""
_SKIP = Text("Skip to the questions", "跳到题目")
_TONE = {labels.POPULAR: "popular", labels.CORRECTION: "holds", labels.SPOKEN: "spoken"}
_SIGN_TONE = {"✓": "proved", "✗": "refuted", "≈": "measured"}
_NUMERIC = frozenset("0123456789.,−-+±=≤≥≠<>·×⁰¹²³⁴⁵⁶⁷⁸⁹⁻ eNanifty∞%/–")


def write(document: Document, _options: Options, _folder: str, progress: Progress) -> Written:
    """The whole document as one HTML text."""
    return Written(html(document, progress))


def html(document: Document, progress: Progress | None = None) -> str:
    """As :func:`write`."""
    page = _Page(document)
    parts = []
    start = ""
    for done, node in enumerate(document.nodes):
        if progress is not None and done % _STEP_EVERY == 0:
            progress(done, len(document.nodes))
        if isinstance(node, Heading) and node.listed and not start:
            start = node.anchor
            parts.append(page.contents())
        parts.append(page.node(node))
    main = "\n".join(parts)
    title = " · ".join(text for _, text in spoken(document.title, document.languages))
    languages = "both" if len(document.languages) > 1 else "one"
    return (
        f'<!DOCTYPE html>\n<html lang="{LANG[document.languages[0]]}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # the page may fetch nothing, whatever a deck's text tries
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'font-src data:">\n'
        f"<title>{escaped(title)} · {escaped(document.form)}</title>\n<style>\n{_style()}\n</style>\n</head>\n"
        f'<body class="{languages}">\n'
        f'<a class="skip" href="#{escaped(start)}">{page.in_line(_SKIP)}</a>\n'
        f"<main>\n{main}\n</main>\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    folder = files("quizbank.sheets")
    font = base64.b64encode((folder / "fonts" / "stix-two-math-subset.woff2").read_bytes()).decode()
    face = (
        '@font-face { font-family: "STIX Two Math"; '
        f'src: url("data:font/woff2;base64,{font}") format("woff2"); }}\n'
    )
    return face + (folder / "sheet.css").read_text(encoding="utf-8")


class _Page:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.languages: Sequence[Language] = document.languages
        nodes = document.nodes
        self.anchors = {node.anchor for node in nodes if isinstance(node, Heading) and node.anchor}
        self.anchors |= {_of_source(node.source) for node in nodes if isinstance(node, Entry)}
        self._placed: set[str] = set()

    def contents(self) -> str:
        """The table of contents, chapters with their questions inside; nothing where there is one entry."""
        listed = self.document.contents
        if len(listed) < 2:
            return ""
        parts = []
        level = 2
        for place, heading in enumerate(listed):
            if place == 0:
                parts.append("<ol>\n")
            elif heading.level > level:
                parts.append("\n<ol>\n")
            else:
                parts.append("</li>\n" + "</ol>\n</li>\n" * (level - heading.level))
            level = heading.level
            parts.append(f'<li><a href="#{escaped(heading.anchor)}">{self.in_line(heading.text)}</a>')
        parts.append("</li>\n" + "</ol>\n</li>\n" * (level - 2) + "</ol>\n")
        title = self.in_line(labels.CONTENTS)
        return f'<nav aria-labelledby="contents">\n<h2 id="contents">{title}</h2>\n{"".join(parts)}</nav>\n'

    def node(self, node: Node) -> str:
        match node:
            case Heading():
                listed = ' class="listed"' if node.listed else ""
                attributes = f"{self._id(node.anchor)}{listed}"
                return f"<h{node.level}{attributes}>{self.in_line(node.text)}</h{node.level}>"
            case Note():
                return self._beside(node.text, escaped, "p", "note")
            case Pointer():
                return self._pointer(node)
            case Passage():
                return prose(node.text, self.languages)
            case Bullets():
                return self._bullets(node)
            case Boxed():
                tone = _TONE.get(node.label, "plain")
                label = self._beside(node.label, line, "p", "label")
                return f'<div class="box {tone}">\n{label}\n{prose(node.text, self.languages)}\n</div>'
            case Formula():
                return self._formula(node)
            case Table():
                return self._table(node)
            case Drawing():
                return self._figure(node)
            case Answers():
                return '<div class="room" aria-hidden="true">' + "<div></div>" * node.lines + "</div>"
            case Citation():
                return self._citation(node)
            case Entry():
                return self._entry(node.source)

    # languages

    def in_line(self, text: Text, drawn: Callable[[str], str] = line) -> str:
        """The languages in one line, each in a span of its own."""
        return " ".join(
            f'<span lang="{LANG[language]}">{drawn(said)}</span>'
            for language, said in spoken(text, self.languages)
        )

    def _beside(self, text: Text, drawn: Callable[[str], str], tag: str = "div", name: str = "") -> str:
        """The languages beside each other, each in an element of its own."""
        return together(
            [apart(language, drawn(said), tag, name) for language, said in spoken(text, self.languages)]
        )

    def _id(self, anchor: str) -> str:
        """The attribute that a link leads to; on the first of its kind only."""
        if not anchor or anchor in self._placed:
            return ""
        self._placed.add(anchor)
        return f' id="{escaped(anchor)}"'

    # nodes

    def _pointer(self, node: Pointer) -> str:
        if node.anchor not in self.anchors:
            return self._beside(node.text, escaped, "p", "note")
        link = f'<a href="#{escaped(node.anchor)}">'
        return self._beside(node.text, lambda text: f"{link}{escaped(text)}</a>", "p", "note")

    def _bullets(self, node: Bullets) -> str:
        tag = "ol" if node.ordered else "ul"
        items = "\n".join(f"<li>{self._beside(item, line)}</li>" for item in node.items)
        return f"<{tag}>\n{items}\n</{tag}>"

    def _formula(self, step: Formula) -> str:
        said = []
        for language in self.languages:
            badge, method = step.badge.of(language), escaped(step.method.of(language))
            how = f' <span class="method">{method}</span>' if method else ""
            tone = _SIGN_TONE.get(badge[:1], "stated")
            said.append(
                apart(
                    language,
                    f'<span class="number">{step.number}</span> <span class="badge {tone}">{escaped(badge)}</span>{how} '
                    + line(step.rule.of(language)),
                    "p",
                )
            )
        formulas = display(step.latex)
        if step.counterexample:
            formulas += self._beside(labels.COUNTEREXAMPLE, escaped, "p", "note") + display(
                step.counterexample
            )
        return f'<div class="step">\n{together(said)}\n{formulas}\n</div>'

    def _table(self, table: Table) -> str:
        numeric = [all(_is_number(cell) for cell in column) for column in zip(*table.rows, strict=True)]
        marks = [' class="figures"' if each else "" for each in numeric] or [""] * len(table.header)
        head = "".join(
            f'<th scope="col"{mark}>{self._stacked(cell)}</th>'
            for cell, mark in zip(table.header, marks, strict=True)
        )
        body = "\n".join(f"<tr>{self._cells(row, marks)}</tr>" for row in table.rows)
        return (
            f'<div class="wide"><table>\n<caption>{self._stacked(table.caption)}</caption>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
        )

    def _cells(self, row: Sequence[Text], marks: Iterable[str]) -> str:
        """A row, whose first cell names it."""
        name, *cells = ((self._stacked(cell), mark) for cell, mark in zip(row, marks, strict=True))
        return f'<th scope="row">{name[0]}</th>' + "".join(f"<td{mark}>{cell}</td>" for cell, mark in cells)

    def _stacked(self, text: Text) -> str:
        """The languages one under the other, where there is no room beside."""
        return "".join(
            f'<div lang="{LANG[language]}">{line(said)}</div>'
            for language, said in spoken(text, self.languages)
        )

    def _figure(self, node: Drawing) -> str:
        picture = node.picture
        captions = together(
            [
                apart(
                    language,
                    f"<b>{escaped(picture.title.of(language))}</b> {escaped(picture.see.of(language))}",
                    "p",
                )
                for language in self.languages
            ]
        )
        return f"<figure>{picture.svg(self.languages)}<figcaption>{captions}</figcaption></figure>"

    def _citation(self, node: Citation) -> str:
        where = self.in_line(node.where, escaped) if node.where.of(self.languages[0]) else ""
        anchor, name = _of_source(node.source), escaped(node.source.short)
        named = f'<a href="#{escaped(anchor)}">{name}</a>' if anchor in self.anchors else name
        return f'<p class="source">{named}{", " if where else ""}{where}</p>'

    def _entry(self, source: Source) -> str:
        language = self.languages[0]
        year, stop = (f"（{source.year}）。", "。") if language == "zh" else (f" ({source.year}). ", ". ")
        authors, link = escaped(", ".join(source.authors)), escaped(source.link)
        return (
            f'<p class="source" lang="{LANG[language]}"{self._id(_of_source(source))}>{authors}{year}'
            f"<cite>{escaped(source.title)}</cite>{stop_after(source.title, stop)}{escaped(source.venue)}{stop}"
            f'<a href="{link}">{link}</a></p>'
        )


def _of_source(source: Source) -> str:
    return f"source-{source.key}"


def _is_number(cell: Text) -> bool:
    return cell.en == cell.zh and set(cell.en) <= _NUMERIC
