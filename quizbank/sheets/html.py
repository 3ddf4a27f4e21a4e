"""A document as one HTML file: no script, nothing from outside, formulas in MathML with their font inside."""

from __future__ import annotations

import base64
from functools import cache
from importlib.resources import files

from engine.notation.mathml import mathml
from quizbank import labels
from quizbank.sheets.document import (
    Answers,
    Boxed,
    Bullets,
    Document,
    Drawing,
    Entry,
    Formula,
    Heading,
    Node,
    Note,
    Passage,
    Table,
)
from quizbank.sheets.html_prose import escaped, line, prose
from quizbank.sheets.svg import svg

_LANG = {"en": "en", "zh": "zh-Hans"}


def html(document: Document) -> str:
    """The whole document as one HTML text."""
    main = "\n".join(_node(node) for node in document.nodes)
    return (
        f'<!DOCTYPE html>\n<html lang="{_LANG[document.languages[0]]}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # the page may fetch nothing, whatever a deck's text tries
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'font-src data:; img-src data:">\n'
        f"<title>{escaped(document.title)}</title>\n<style>\n{_style()}\n</style>\n</head>\n<body>\n"
        f"{_contents(document)}<main>\n{main}\n</main>\n</body>\n</html>\n"
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


def _contents(document: Document) -> str:
    entries = "\n".join(
        f'<li lang="{_LANG[heading.language]}"><a href="#{escaped(heading.anchor)}">{line(heading.text)}</a></li>'
        for heading in document.contents
    )
    title = " · ".join(labels.CONTENTS.of(language) for language in document.languages)
    return f'<nav aria-label="{escaped(title)}">\n<h2>{escaped(title)}</h2>\n<ul>\n{entries}\n</ul>\n</nav>\n'


def _node(node: Node) -> str:
    if isinstance(node, Answers):
        return '<div class="room" aria-hidden="true">' + "<div></div>" * node.lines + "</div>"
    lang = f'lang="{_LANG[node.language]}"'
    match node:
        case Heading():
            anchor = f' id="{escaped(node.anchor)}"' if node.anchor else ""
            return f"<h{node.level} {lang}{anchor}>{line(node.text)}</h{node.level}>"
        case Note():
            return f'<p class="note" {lang}>{escaped(node.text)}</p>'
        case Passage():
            return f"<div {lang}>\n{prose(node.text)}\n</div>"
        case Bullets():
            tag = "ol" if node.ordered else "ul"
            items = "\n".join(f"<li>{line(item)}</li>" for item in node.items)
            return f"<{tag} {lang}>\n{items}\n</{tag}>"
        case Boxed():
            return f'<aside {lang}>\n<p class="label">{line(node.label)}</p>\n{prose(node.text)}\n</aside>'
        case Formula():
            return _formula(node, lang)
        case Table():
            return _table(node, lang)
        case Drawing():
            seen = escaped(node.figure.see.of(node.language))
            title = escaped(node.figure.title.of(node.language))
            drawn = svg(node.figure, node.language)
            return f"<figure {lang}>{drawn}<figcaption><b>{title}</b> {seen}</figcaption></figure>"
        case Entry():
            return _entry(node, lang)


def _formula(step: Formula, lang: str) -> str:
    how = f' <span class="method">{escaped(step.method)}</span>' if step.method else ""
    against = f'<div class="display">{mathml(step.counterexample, True)}</div>' if step.counterexample else ""
    return (
        f'<div class="step" {lang}>\n<p><span class="number">{step.number}</span> <span class="badge">{escaped(step.badge)}</span>{how} {line(step.rule)}</p>\n'
        f'<div class="display">{mathml(step.latex, True)}</div>{against}\n</div>'
    )


def _table(table: Table, lang: str) -> str:
    head = "".join(f'<th scope="col">{escaped(cell)}</th>' for cell in table.header)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{line(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return (
        f"<table {lang}>\n<caption>{escaped(table.caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )


def _entry(entry: Entry, lang: str) -> str:
    source = entry.source
    authors = escaped(", ".join(source.authors))
    year = f"（{source.year}）。" if entry.language == "zh" else f" ({source.year}). "
    comma, stop = ("，", "。") if entry.language == "zh" else (", ", ". ")
    where = f"{comma}{escaped(entry.where)}" if entry.where else ""
    return (
        f'<p class="source" {lang}>{authors}{year}<cite>{escaped(source.title)}</cite>{stop}'
        f'{escaped(source.venue)}{where}{stop}<a href="{escaped(source.link)}">{escaped(source.link)}</a></p>'
    )
