"""A document as one HTML file: no script, nothing from outside, formulas in MathML with their font inside."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from engine.notation.mathml import mathml
from engine.text import Language, Text
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
from quizbank.sheets.formats import Options, Progress, Written
from quizbank.sheets.html_prose import escaped, line, prose
from quizbank.sheets.svg import svg

LANG: dict[Language, str] = {"en": "en", "zh": "zh-Hans"}
_STEP_EVERY = 200
"""Nodes between two calls of ``progress``."""


def write(document: Document, _options: Options, _folder: str, progress: Progress) -> Written:
    """The whole document as one HTML text."""
    return Written(html(document, progress))


def html(document: Document, progress: Progress | None = None) -> str:
    """As :func:`write`."""
    parts = []
    for done, node in enumerate(document.nodes):
        if progress is not None and done % _STEP_EVERY == 0:
            progress(done, len(document.nodes))
        parts.append(_Page(document.languages).node(node))
    main = "\n".join(parts)
    title = " · ".join(text for _, text in spoken(document.title, document.languages))
    return (
        f'<!DOCTYPE html>\n<html lang="{LANG[document.languages[0]]}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # the page may fetch nothing, whatever a deck's text tries
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'font-src data:; img-src data:">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{_style()}\n</style>\n</head>\n<body>\n"
        f"{_Page(document.languages).contents(document)}<main>\n{main}\n</main>\n</body>\n</html>\n"
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
    def __init__(self, languages: Sequence[Language]) -> None:
        self.languages = languages

    def contents(self, document: Document) -> str:
        entries = "\n".join(
            f'<li><a href="#{escaped(heading.anchor)}">{self._spans(heading.text)}</a></li>'
            for heading in document.contents
        )
        title = " · ".join(text for _, text in spoken(labels.CONTENTS, self.languages))
        return f'<nav aria-label="{escaped(title)}">\n<h2>{escaped(title)}</h2>\n<ul>\n{entries}\n</ul>\n</nav>\n'

    def node(self, node: Node) -> str:
        match node:
            case Heading():
                anchor = f' id="{escaped(node.anchor)}"' if node.anchor else ""
                return f"<h{node.level}{anchor}>{self._spans(node.text)}</h{node.level}>"
            case Note():
                return self._beside(node.text, lambda text: f'<p class="note">{escaped(text)}</p>')
            case Pointer():
                link = f'<a href="#{escaped(node.anchor)}">'
                return self._beside(node.text, lambda text: f'<p class="note">{link}{escaped(text)}</a></p>')
            case Passage():
                return self._beside(node.text, prose)
            case Bullets():
                tag = "ol" if node.ordered else "ul"
                items = "\n".join(f"<li>{self._beside(item, line)}</li>" for item in node.items)
                return f"<{tag}>\n{items}\n</{tag}>"
            case Boxed():
                label = f'<p class="label">{self._spans(node.label)}</p>'
                return f"<aside>\n{label}\n{self._beside(node.text, prose)}\n</aside>"
            case Formula():
                return self._formula(node)
            case Table():
                return self._table(node)
            case Drawing():
                return "\n".join(self._figure(node, language) for language in self.languages)
            case Answers():
                return '<div class="room" aria-hidden="true">' + "<div></div>" * node.lines + "</div>"
            case Citation():
                where = " · ".join(text for _, text in spoken(node.where, self.languages) if text)
                said = f"{node.source.short}, {where}" if where else node.source.short
                return f'<p class="source">{escaped(said)}</p>'
            case Entry():
                return self._entry(node)

    def _spans(self, text: Text) -> str:
        """The languages in one line, each in a span of its own."""
        return " ".join(
            f'<span lang="{LANG[language]}">{line(said)}</span>'
            for language, said in spoken(text, self.languages)
        )

    def _beside(self, text: Text, drawn: Callable[[str], str]) -> str:
        """The languages beside each other."""
        parts = [
            f'<div lang="{LANG[language]}">{drawn(said)}</div>'
            for language, said in spoken(text, self.languages)
        ]
        return parts[0] if len(parts) == 1 else f'<div class="pair">{"".join(parts)}</div>'

    def _figure(self, node: Drawing, language: Language) -> str:
        seen, title = escaped(node.figure.see.of(language)), escaped(node.figure.title.of(language))
        drawn = svg(node.figure, language)
        return (
            f'<figure lang="{LANG[language]}">{drawn}<figcaption><b>{title}</b> {seen}</figcaption></figure>'
        )

    def _formula(self, step: Formula) -> str:
        said = []
        for language in self.languages:
            method = escaped(step.method.of(language))
            how = f' <span class="method">{method}</span>' if method else ""
            said.append(
                f'<p lang="{LANG[language]}"><span class="number">{step.number}</span> '
                f'<span class="badge">{escaped(step.badge.of(language))}</span>{how} {line(step.rule.of(language))}</p>'
            )
        against = (
            f'<div class="display">{mathml(step.counterexample, True)}</div>' if step.counterexample else ""
        )
        beside = said[0] if len(said) == 1 else f'<div class="pair">{"".join(said)}</div>'
        return f'<div class="step">\n{beside}\n<div class="display">{mathml(step.latex, True)}</div>{against}\n</div>'

    def _table(self, table: Table) -> str:
        head = "".join(f'<th scope="col">{self._spans(cell)}</th>' for cell in table.header)
        body = "\n".join(
            "<tr>" + "".join(f"<td>{self._beside(cell, line)}</td>" for cell in row) + "</tr>"
            for row in table.rows
        )
        return (
            f"<table>\n<caption>{self._spans(table.caption)}</caption>\n"
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        )

    def _entry(self, entry: Entry) -> str:
        source = entry.source
        authors = escaped(", ".join(source.authors))
        zh = self.languages[0] == "zh"
        year, stop = (f"（{source.year}）。", "。") if zh else (f" ({source.year}). ", ". ")
        return (
            f'<p class="source" lang="{LANG[self.languages[0]]}">{authors}{year}<cite>{escaped(source.title)}</cite>{stop}'
            f'{escaped(source.venue)}{stop}<a href="{escaped(source.link)}">{escaped(source.link)}</a></p>'
        )
