"""The nodes of a sheet as the HTML of an Anki field; plots become files that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from engine.text import Language
from quizbank.sheets.anki.field import LANG, attribute, beside, each, escaped, formula, line, plain
from quizbank.sheets.document import (
    Answers,
    Boxed,
    Bullets,
    Citation,
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
from quizbank.sheets.picture import Picture
from quizbank.sheets.wording import stop_after

_TOLD = re.compile(r"<title>.*?</title><desc>.*?</desc>", re.DOTALL)
_WORDS = re.compile(r"<text[^>]*>[^<]*[^\W\d_]{2}")
INK = "#333333"
"""Of axes and words in a plot: an image cannot take the colour of the page around it."""


class Media:
    """The plots of a package by file name. A name holds a digest of the plot, so that another plot has another name."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def name(self, demo: str, picture: Picture, language: Language) -> str:
        """The file of a figure of this demonstration; one for both languages where no word stands in it."""
        # what it is called and what to see in it stand beside the image, which tells them to nobody
        drawn = _TOLD.sub("", picture.svg((language,), INK), count=1)
        if not _WORDS.search(drawn):
            drawn = drawn.replace(f' lang="{language}"', "", 1)
        name = f"proofdeck-{demo.lower()}-{sha256(drawn.encode()).hexdigest()[:12]}.svg"
        self.files[name] = drawn.encode()
        return name


class Fields:
    """Writes nodes in the languages of a sheet; ``demo`` is the one whose figures are among them."""

    def __init__(self, languages: Sequence[Language], media: Media) -> None:
        self.languages = languages
        self.media = media
        self._steps: dict[Formula, str] = {}

    def html(self, nodes: Iterable[Node], demo: str = "") -> str:
        return "".join(self._node(node, demo) for node in nodes)

    def _node(self, node: Node, demo: str) -> str:
        match node:
            case Heading():
                return f"<h4>{beside(node.text, self.languages, line)}</h4>"
            case Note() | Pointer():
                return plain(node.text, self.languages)
            case Passage():
                return each(node.text, self.languages)
            case Bullets():
                return self._bullets(node)
            case Boxed():
                label = f'<p class="label">{beside(node.label, self.languages, line)}</p>'
                return f'<div class="boxed">{label}{each(node.text, self.languages)}</div>'
            case Formula():
                # many cards rest on one derivation
                if node not in self._steps:
                    self._steps[node] = self._step(node)
                return self._steps[node]
            case Table():
                return self._table(node)
            case Drawing():
                return self._figure(node.picture, demo)
            case Citation():
                return self._citation(node)
            case Entry() | Answers():
                # a note stands alone: no bibliography behind it, and nothing is written into it
                return ""

    def _bullets(self, node: Bullets) -> str:
        tag = "ol" if node.ordered else "ul"
        items = "".join(f"<li>{each(item, self.languages, line)}</li>" for item in node.items)
        return f"<{tag}>{items}</{tag}>"

    def _step(self, step: Formula) -> str:
        said = []
        for language in self.languages:
            method = escaped(step.method.of(language))
            how = f' <span class="method">{method}</span>' if method else ""
            said.append(
                f'<p lang="{LANG[language]}">{step.number}. <span class="badge">{escaped(step.badge.of(language))}</span>'
                f"{how} {line(step.rule.of(language))}</p>"
            )
        against = (
            f"<div>{formula(step.counterexample, display=True, known=True)}</div>"
            if step.counterexample
            else ""
        )
        return f"{''.join(said)}<div>{formula(step.latex, display=True, known=True)}</div>{against}"

    def _table(self, table: Table) -> str:
        head = "".join(f"<th>{beside(cell, self.languages)}</th>" for cell in table.header)
        rows = (
            "<tr>" + "".join(f"<td>{each(cell, self.languages, line)}</td>" for cell in row) + "</tr>"
            for row in table.rows
        )
        caption = beside(table.caption, self.languages)
        return f'<div class="wide"><table><caption>{caption}</caption><tr>{head}</tr>{"".join(rows)}</table></div>'

    def _figure(self, picture: Picture, demo: str) -> str:
        """The figure in each language with what to see in it; once where the drawing is the same in all of them."""
        parts: dict[str, list[str]] = {}
        for language in self.languages:
            title, seen = (escaped(text.of(language)) for text in (picture.title, picture.see))
            told = f'<p lang="{LANG[language]}"><b>{title}</b> {seen}</p>'
            parts.setdefault(self.media.name(demo, picture, language), []).append(told)
        seen = attribute(picture.see.of(self.languages[0]))
        return "".join(
            f'<div class="plot"><img src="{name}" alt="{seen}">{"".join(told)}</div>'
            for name, told in parts.items()
        )

    def _citation(self, node: Citation) -> str:
        source = node.source
        authors, title, venue, link = (
            escaped(text) for text in (", ".join(source.authors), source.title, source.venue, source.link)
        )
        where = " · ".join(
            f'<span lang="{LANG[language]}">{escaped(said)}</span>'
            for language, said in spoken(node.where, self.languages)
            if said
        )
        if source.link.startswith("https://"):
            link = f'<a href="{attribute(source.link)}">{link}</a>'
        return f"<p>{authors} ({source.year}). <i>{title}</i>{stop_after(source.title, '. ')}{venue}.{f' {where}.' if where else ''} {link}</p>"
