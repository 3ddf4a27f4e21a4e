"""The formulas of a sheet: those its nodes hold, to be compared with those a reader of the sheet finds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from engine.notation.prose import Display, ListItem, Math, Paragraph, parse_prose
from engine.text import Text
from quizbank.sheets.beside import rows
from quizbank.sheets.document import Boxed, Bullets, Document, Formula, Heading, Passage, Table, spoken


def formulas(document: Document) -> Iterator[tuple[bool, str]]:
    """(stands on lines of its own, LaTeX) of every formula, as often as it is printed."""
    for node in document.nodes:
        match node:
            case Heading():
                yield from _lines(node.text, document)
            case Passage():
                yield from _prose(node.text, document)
            case Bullets():
                for item in node.items:
                    yield from _lines(item, document)
            case Boxed():
                yield from _lines(node.label, document)
                yield from _prose(node.text, document)
            case Formula():
                for language in document.languages:
                    yield from _of_line(node.rule.of(language))
                yield True, node.latex
                if node.counterexample:
                    yield True, node.counterexample
            case Table():
                for row in node.rows:
                    for cell in row:
                        yield from _lines(cell, document)
            case _:
                continue


def _lines(text: Text, document: Document) -> Iterator[tuple[bool, str]]:
    for _, said in spoken(text, document.languages):
        yield from _of_line(said)


def _of_line(text: str) -> Iterator[tuple[bool, str]]:
    yield from _of_blocks(parse_prose(text))


def _prose(text: Text, document: Document) -> Iterator[tuple[bool, str]]:
    for row in rows(text, document.languages, parse_prose):
        for _, blocks in row:
            yield from _of_blocks(blocks)


def _of_blocks(blocks: Sequence[object]) -> Iterator[tuple[bool, str]]:
    for block in blocks:
        if isinstance(block, Display):
            yield True, block.latex
        elif isinstance(block, Paragraph | ListItem):
            yield from ((False, span.latex) for span in block.spans if isinstance(span, Math))


def squeezed(latex: str) -> str:
    """A formula without the white space that means nothing in it, and without the character | (tables)."""
    spelled = re.sub(r"<\s+", "<", latex.replace(r"\|", r"\Vert ").replace("|", r"\vert "))
    parts = ["".join(run) for word, run in groupby(spelled, str.isspace) if not word]
    return " ".join(parts)
