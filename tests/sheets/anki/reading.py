"""A package as whoever opens it finds it: its notes, and fields with their HTML undone."""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from dataclasses import dataclass
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

from engine.notation.prose import (
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Plain,
    clean,
    parse_prose,
)
from engine.text import Language, Text

LANGUAGE = {"en": "en", "zh-Hans": "zh"}
BLOCKS = ("p", "div", "li", "ul", "ol", "pre", "summary", "details", "tr", "td", "th", "h4", "caption")


@dataclass(frozen=True)
class Found:
    """A note of a package, its fields by name."""

    guid: str
    modified: int
    tags: tuple[str, ...]
    fields: dict[str, str]
    decks: frozenset[str]
    cards: int


def opened(content: bytes) -> tuple[dict[str, Found], dict[str, bytes], dict[str, Any]]:
    """(notes by guid, media by name, note types by name)."""
    with zipfile.ZipFile(BytesIO(content)) as package, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "collection"
        path.write_bytes(package.read("collection.anki2"))
        media = {name: package.read(number) for number, name in json.loads(package.read("media")).items()}
        with closing(sqlite3.connect(path)) as connection:
            models, decks = map(json.loads, connection.execute("SELECT models, decks FROM col").fetchone())
            cards: dict[int, list[str]] = {}
            for note, deck in connection.execute("SELECT nid, did FROM cards"):
                cards.setdefault(note, []).append(decks[str(deck)]["name"])
            notes = {}
            for id_, guid, model, modified, tags, fields in connection.execute(
                "SELECT id, guid, mid, mod, tags, flds FROM notes ORDER BY id"
            ):
                names = [field["name"] for field in models[str(model)]["flds"]]
                notes[guid] = Found(
                    guid,
                    modified,
                    tuple(tags.split()),
                    dict(zip(names, fields.split("\x1f"), strict=True)),
                    frozenset(cards[id_]),
                    len(cards[id_]),
                )
    return notes, media, {model["name"]: model for model in models.values()}


UNREAD = "\ufdd0"
"""A backslash where no formula begins or ends."""


class Reader(HTMLParser):
    """The words of a field by language, with formulas and code marked off as our prose marks them.

    Attributes, tags, files: what a hostile text could have smuggled in.
    """

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[Language, list[str]] = {"en": [], "zh": []}
        self.tags: list[str] = []
        self.open: list[str] = []
        self.images: list[str] = []
        self.links: list[str] = []
        self.of: list[Language | None] = [None]
        self.unread = [False]
        self.feed(source)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert not any(name.startswith("on") for name in given)
        self.tags.append(tag)
        if tag in ("img", "hr", "br"):
            self.images += [given["src"] or ""] if tag == "img" else []
            return
        if tag == "a":
            self.links.append(given["href"] or "")
        self.open.append(tag)
        self.unread.append(self.unread[-1] or "mathjax_ignore" in (given.get("class") or ""))
        self.of.append(LANGUAGE[given["lang"]] if given.get("lang") else self.of[-1])  # type: ignore[index,arg-type]
        self._mark("```" if tag == "pre" else "`" if tag == "code" and "pre" not in self.open[:-1] else "")
        if tag in BLOCKS:
            self._mark("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self._mark("\n")
        self._mark("```" if tag == "pre" else "`" if tag == "code" and "pre" not in self.open[:-1] else "")
        assert self.open.pop() == tag
        self.unread.pop()
        self.of.pop()

    def handle_data(self, data: str) -> None:
        # MathJax finds no mark in an element that it leaves alone
        self._mark(data.replace("\\", UNREAD) if self.unread[-1] else data)

    def _mark(self, text: str) -> None:
        for language in ("en", "zh"):
            if self.of[-1] in (None, language):
                self.texts[language].append(text)  # type: ignore[index]

    def said(self, language: Language) -> str:
        """The words in one language, formulas between dollars, white space as one space."""
        return squeezed(formulas_between_dollars("".join(self.texts[language])).replace(UNREAD, "\\"))

    def text(self, language: Language) -> str:
        """The words in one language as they are shown where no formula is set."""
        return squeezed("".join(self.texts[language]).replace(UNREAD, "\\"))


def formulas_between_dollars(text: str) -> str:
    text = re.sub(r"\\\((.*?)\\\)", r"$\1$", text, flags=re.DOTALL)
    return re.sub(r"\\\[(.*?)\\\](?!\d)", r"$$\1$$", text, flags=re.DOTALL)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def source(text: str) -> str:
    """Our prose in the same form, from its own blocks."""
    parts = []
    for block in parse_prose(text):
        match block:
            case Paragraph() | ListItem():
                parts.append("".join(span_source(span) for span in block.spans))
            case Display():
                parts.append(f"$${block.latex.strip()}$$")
            case Code():
                parts.append(f"```\n{block.text}\n```")
    return squeezed("\n".join(parts))


def span_source(span: Plain | Math | CodeSpan) -> str:
    match span:
        case Plain():
            return span.text
        case Math():
            return f"${span.latex.strip()}$"
        case CodeSpan():
            return f"`{span.text}`"


def sources(text: Text) -> dict[Language, str]:
    return {"en": source(text.en), "zh": source(text.zh)}


def visible(text: str) -> str:
    """A plain text as it may be shown."""
    return squeezed(clean(text))
