"""The languages of a text set together: paragraph beside paragraph, and what both have in common once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from engine.figure import Figure
from engine.notation.prose import Block, Code, Display
from engine.text import Language, Text, same
from quizbank.sheets.document import spoken
from quizbank.slots import each_text

Row: TypeAlias = tuple[tuple[Language, tuple[Block, ...]], ...]
"""What stands beside each other; of one entry where it is the same in all languages, or there is one language."""

_PLAIN_LINE = re.compile(r"(?!\s*-\s)[^$`\\\n\r\u2028\u2029]*")


def is_plain_line(text: str) -> bool:
    """Is the text one paragraph without formulas and code, which needs no reading?"""
    return _PLAIN_LINE.fullmatch(text) is not None


def rows(
    text: Text, languages: Sequence[Language], read: Callable[[str], tuple[Block, ...]]
) -> Iterator[Row]:
    """The text block by block where its languages run in parallel, else between the formulas they share.

    ``read`` is how the format reads a text (:mod:`quizbank.sheets.reading`).
    """
    said = [(language, read(part)) for language, part in spoken(text, languages)]
    first = [type(block) for block in said[0][1]]
    if all([type(block) for block in blocks] == first for _, blocks in said[1:]):
        for place in range(len(first)):
            yield _row([(language, (blocks[place],)) for language, blocks in said])
        return
    if len({tuple(_alone(blocks)) for _, blocks in said}) > 1:
        yield _row(said)
        return
    parts = [(language, tuple(_split(blocks))) for language, blocks in said]
    for place in range(len(parts[0][1])):
        row = [(language, part[place]) for language, part in parts]
        if any(blocks for _, blocks in row):
            yield _row(row)


def _row(row: Sequence[tuple[Language, tuple[Block, ...]]]) -> Row:
    language, blocks = row[0]
    alone = all(isinstance(block, Display | Code) for block in blocks)
    return ((language, blocks),) if alone and len({each for _, each in row}) == 1 else tuple(row)


def _alone(blocks: Sequence[Block]) -> Iterator[Block]:
    return (block for block in blocks if isinstance(block, Display | Code))


def _split(blocks: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """The blocks before, between and after those that need a line of their own, and these."""
    between: list[Block] = []
    for block in blocks:
        if isinstance(block, Display | Code):
            yield tuple(between)
            yield (block,)
            between = []
        else:
            between.append(block)
    yield tuple(between)


def in_all(figure: Figure, languages: Sequence[Language]) -> Figure:
    """The figure with each of its labels in all the languages at once; what is said of it stays apart by language."""
    if len(languages) == 1:
        return figure
    drawn = each_text(figure, lambda text: same(" · ".join(said for _, said in spoken(text, languages))))
    return replace(drawn, title=figure.title, see=figure.see)
