"""Prose and formulas as Typst: text as literals, formulas as equations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.notation.prose import (
    Block,
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Plain,
    Span,
)
from engine.text import Language
from quizbank.sheets.beside import is_plain_line
from quizbank.sheets.pdf.formulas import drawn
from quizbank.sheets.pdf.literals import shown, string
from quizbank.sheets.reading import drawable

Said = tuple[tuple[Language, str], ...]
"""A text in the languages of a sheet, once where it reads the same in all of them."""

_SHORT = 700
"""Bytes of markup that take about a fifth of a page in a column."""

_CODE_LINE = re.compile(r"\S{84}(?=\S)")


def inline(spans: Sequence[Span]) -> str:
    """A run of text, formulas and code, in markup."""
    parts = []
    for span in spans:
        match span:
            case Plain():
                parts.append(shown(span.text))
            case Math():
                parts.append(drawn(span.latex))
            case CodeSpan():
                parts.append(f"#code[{shown(span.text)}]")
    return "".join(parts)


@lru_cache(maxsize=2048)
def line(text: str) -> str:
    """A one-paragraph text (a question, an option), for use inside a heading or a cell."""
    if is_plain_line(text):
        return shown(text.strip())
    return " ".join(
        inline(block.spans) if isinstance(block, Paragraph | ListItem) else _alone(block)
        for block in drawable(text, drawn)
    )


def beside(parts: Sequence[str], whole_lines: bool = False) -> str:
    """The languages of a text as the arguments of a call, with :func:`long` before them."""
    return long(parts, whole_lines) + ", ".join(parts)


def long(parts: Sequence[str], whole_lines: bool = False) -> str:
    """The argument that says that a text may fill a page, or nothing.

    ``whole_lines``: something in it stands on lines of its own.
    """
    return "long: true, " if whole_lines or any(len(part.encode()) > _SHORT for part in parts) else ""


def has_whole_lines(text: str) -> bool:
    """Has the text a formula or a program on lines of its own?"""
    return "$$" in text or "```" in text


def in_language(language: Language, markup: str) -> str:
    """Markup as a content block that says its language."""
    return f"[#{language}[{markup}]]"


def prose(said: Said) -> str:
    """A whole text: paragraphs of two languages side by side, and once what is the same in both."""
    texts = [(language, drawable(text, drawn)) for language, text in said]
    first = texts[0][1]
    if all(_alike(first, blocks) for _, blocks in texts[1:]):
        rows = zip(*(blocks for _, blocks in texts), strict=True)
        languages = [language for language, _ in texts]
        return "\n".join(part for row in rows for part in _beside(tuple(zip(languages, row, strict=True))))
    return "\n".join(
        part for language, blocks in texts for block in blocks for part in _beside(((language, block),))
    )


def _alike(blocks: Sequence[Block], others: Sequence[Block]) -> bool:
    return [type(block) for block in blocks] == [type(block) for block in others]


def _beside(row: tuple[tuple[Language, Block], ...]) -> Iterator[str]:
    """One block in each language: text side by side; formulas and programs, which need the width, in turn."""
    block = row[0][1]
    if isinstance(block, Paragraph | ListItem):
        name = "paragraph" if isinstance(block, Paragraph) else "item"
        parts = [
            in_language(language, inline(each.spans))
            for language, each in row
            if isinstance(each, Paragraph | ListItem)
        ]
        yield f"#{name}({beside(parts)})"
        return
    for each in dict.fromkeys(block for _, block in row):
        yield _alone(each)


def _alone(block: Block) -> str:
    if isinstance(block, Display):
        return drawn(block.latex, True)
    if isinstance(block, Code):
        source = _CODE_LINE.sub("\\g<0>\n", block.text.expandtabs(4))
        return f"#program({string(block.language)}, {string(source)})"
    return inline(block.spans)
