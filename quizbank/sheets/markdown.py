"""A document as Markdown, for GitHub or with plain dollars, and its figures as files beside it.

GitHub shows no image that stands in the text itself, so figures are separate SVG files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from quizbank.sheets.document import (
    Answers,
    Boxed,
    Bullets,
    Document,
    Drawing,
    Entry,
    Formula,
    Heading,
    Note,
    Passage,
    Table,
    TextNode,
)
from quizbank.sheets.markdown_prose import Flavour, display, escaped, line, math, prose
from quizbank.sheets.svg import svg


@dataclass(frozen=True)
class Written:
    """The text, ending in a line break, and the figures it shows: file name to SVG."""

    text: str
    figures: Mapping[str, str]


def markdown(document: Document, folder: str, flavour: Flavour = "github") -> Written:
    """The whole document; its figures are linked as ``folder/NN.svg``."""
    figures: dict[str, str] = {}
    parts = []
    for node in document.nodes:
        if isinstance(node, Drawing):
            name = f"{len(figures) + 1:02d}.svg"
            figures[name] = svg(node.figure, node.language, colour="#444444")
            seen = escaped(node.figure.see.of(node.language))
            parts.append(f"![{seen}](<{folder}/{name}>)\n\n{seen}")
        else:
            parts.append(_node(node, flavour))
    return Written("\n\n".join(part for part in parts if part) + "\n", figures)


def _node(node: TextNode, flavour: Flavour) -> str:
    match node:
        case Heading():
            anchor = f'<a id="{quote(node.anchor)}"></a>\n\n' if node.anchor else ""
            return f"{anchor}{'#' * node.level} {line(node.text, flavour)}"
        case Note():
            return f"*{escaped(node.text)}*"
        case Passage():
            return prose(node.text, flavour)
        case Bullets():
            marks = (f"{index}." if node.ordered else "-" for index in range(1, len(node.items) + 1))
            return "\n".join(
                f"{mark} {line(item, flavour)}" for mark, item in zip(marks, node.items, strict=True)
            )
        case Boxed():
            return _quoted(f"**{line(node.label, flavour)}**\n\n{prose(node.text, flavour)}")
        case Formula():
            return _formula(node, flavour)
        case Table():
            return _table(node, flavour)
        case Answers():
            return "\n".join(["<br>"] * node.lines)
        case Entry():
            return _entry(node)


def _quoted(text: str) -> str:
    return "\n".join(f"> {row}".rstrip() for row in text.split("\n"))


def _formula(step: Formula, flavour: Flavour) -> str:
    zh = step.language == "zh"
    how = (f"（{escaped(step.method)}）" if zh else f" ({escaped(step.method)})") if step.method else ""
    head = f"{step.number}\\. **{escaped(step.badge)}**{how}{'：' if zh else ': '}"
    parts = [head + line(step.rule, flavour), display(step.latex, flavour)]
    if step.counterexample:
        parts.append(math(step.counterexample, flavour))
    return "\n\n".join(parts)


def _table(table: Table, flavour: Flavour) -> str:
    rows = [
        tuple(escaped(cell) for cell in table.header),
        ("---",) * len(table.header),
        *(tuple(line(cell, flavour, bar=r"\vert ") for cell in row) for row in table.rows),
    ]
    body = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"{escaped(table.caption)}\n\n{body}"


def _entry(entry: Entry) -> str:
    source = entry.source
    authors = escaped(", ".join(source.authors))
    year = f"（{source.year}）。" if entry.language == "zh" else f" ({source.year}). "
    comma, stop = ("，", "。") if entry.language == "zh" else (", ", ". ")
    where = f"{comma}{escaped(entry.where)}" if entry.where else ""
    return (
        f"- {authors}{year}{escaped(source.title)}{stop}{escaped(source.venue)}{where}{stop}<{source.link}>"
    )
