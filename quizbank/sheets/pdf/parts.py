"""A long sheet in parts, each compiled alone: the compiler keeps all it laid out, so a part bounds its memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from quizbank.sheets.document import Answers, Heading
from quizbank.sheets.pdf.literals import string
from quizbank.sheets.pdf.source import Piece, Source, Writer

WHOLE = 220_000
"""The longest sheet that is compiled at once, in characters of its source: about 65 pages, 250 MB."""
PART = 160_000
"""What a part of a longer one may have before its next card begins another: about 50 pages, 150 MB."""
AT_MOST = 3
"""Compilers at a time, however many processors there are: together with what binds, they stay within 500 MB."""

_OF_A_LINE = 120
"""Characters that take about the room of a line to write on."""


def weight(piece: Piece) -> int:
    """About how much of the compiler's work a piece is, in characters."""
    return len(piece.text) + (_OF_A_LINE * piece.node.lines if isinstance(piece.node, Answers) else 0)


def bodies(writer: Writer, pieces: Iterable[Piece], longest: int = PART) -> Iterator[Source]:
    """The parts of what stands from the first listed heading on: a topic each, a long one cut between its cards."""
    held: list[Piece] = []
    heavy = 0
    for piece in pieces:
        opens = writer.chapters and isinstance(piece.node, Heading) and piece.node.level == 2
        if held and piece.listed and (opens or heavy > longest):
            yield _body(writer, held)
            held, heavy = [], 0
        held.append(piece)
        heavy += weight(piece)
    if held:
        yield _body(writer, held)


def _body(writer: Writer, pieces: Sequence[Piece]) -> Source:
    inputs = {"part": "body"}
    for piece in pieces:
        inputs |= piece.drawings
    return Source("\n".join([writer.opening(), *(piece.text for piece in pieces)]) + "\n", inputs)


def front(writer: Writer, before: Iterable[Piece], placed: Mapping[str, int], pages: int) -> Source:
    """What stands ``before`` the first listed heading, with the contents, before ``pages`` pages.

    ``placed`` has the page of each anchor, counted from 1 after the front.
    """
    inputs = {"part": "front", "bodies": str(pages), "placed": json.dumps(placed)}
    texts = [writer.opening()]
    for piece in before:
        texts.append(piece.text)
        inputs |= piece.drawings
    texts.append(writer.contents(apart=False))
    return Source("\n".join(texts) + "\n", inputs)


def feet(writer: Writer, leaves: int, pages: int) -> Source:
    """The footers of ``pages`` pages, on a page each, which stand after so many ``leaves``."""
    form = string(writer.document.form)
    return Source(f"{writer.opening()}\n#feet({form}, {leaves})\n", {"part": "feet", "bodies": str(pages)})
