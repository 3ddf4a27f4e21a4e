"""Line breaking for Chinese and English, in terminal cells.

Chinese may break between any two characters, but no line starts with closing punctuation and none
ends with an opening one; Latin words, formulas' chunks, and numbers with their units stay whole.
A unit breaks inside only when it is longer than a line: a line is never wider than asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from engine.notation.wide import CLOSING, OPENING, is_wide, width

Kind = Literal["text", "math", "code"]
Segment: TypeAlias = tuple[str, Kind]
Row: TypeAlias = tuple[Segment, ...]
"""One terminal line as runs of text, each with its kind."""


class Token(NamedTuple):
    """The smallest unit of breaking.

    ``space``: a space stands before it, dropped where the line breaks. ``glued``: no break before.
    """

    text: str
    kind: Kind
    space: bool = False
    glued: bool = False


_WORD = re.compile(r"[ \t\n]+|[^ \t\n]+")
_COMBINING = "\u0300-\u036f\ufe00-\ufe0f\u20d0-\u20ff"
_CLUSTER = re.compile(f".[{_COMBINING}]*", re.DOTALL)
_MARKS = re.compile(f"[{_COMBINING}]*\\Z")
_CJK_CLOSING = frozenset(mark for mark in CLOSING if not mark.isascii())

_UNITS = re.compile(
    r"(?:[kKMGTP]?i?B|[kMGT]?B/s|[mµun]?s|min|h|[kMGT]?Hz|[kMGTP]?FLOPs?|[kMGTP]?FLOP/s|bits?|bytes?|tokens?"
    r"|%|‰|°C|dB|[KMBT]|nats?|pp|px|[个层倍维次步位头块行列类种项条张秒分字元词轮页卡])"
    r"(?![A-Za-z])"
)
_NUMBER_END = re.compile(r"(?:^|[^A-Za-z_])[0-9][0-9.,]*\Z")


def tokens(spans: Iterable[tuple[str, Kind] | tuple[Sequence[str], Kind]]) -> list[Token]:
    """Spans as tokens. A span's text is a string, broken by the rules of its script, or a sequence
    of chunks that a space parts and that do not break inside (a formula, see ``line.chunks``)."""
    out: list[Token] = []
    space = False
    before = ""
    for content, kind in spans:
        parts = _cut(content) if isinstance(content, str) else _spaced(content)
        for part in parts:
            if part.isspace() and "\xa0" not in part:
                space = True
                continue
            out.append(Token(part, kind, space, _glued(before, part, space)))
            before, space = part, False
    return out


def _cut(text: str) -> Iterator[str]:
    """White space, single characters of the wide scripts with their marks, and what lies between them."""
    for word in _WORD.findall(text):
        if word.isascii():
            yield word
            continue
        at = 0
        for cluster in _CLUSTER.finditer(word):
            if is_wide(cluster[0][0]):
                if at < cluster.start():
                    yield word[at : cluster.start()]
                yield cluster[0]
                at = cluster.end()
        if at < len(word):
            yield word[at:]


def _spaced(chunks: Sequence[str]) -> Iterator[str]:
    for number, chunk in enumerate(chunks):
        if number:
            yield " "
        yield chunk


def _glued(before: str, after: str, space: bool) -> bool:
    """May no line break stand between two neighbouring tokens?"""
    if not before:
        return False
    first, last = after[0], before[-1]
    if space:
        if first in _CJK_CLOSING or last in OPENING or all(mark in CLOSING for mark in after):
            return True
        return bool(_NUMBER_END.search(before) and _UNITS.match(after))
    if first in CLOSING or last in OPENING:
        return True
    if _NUMBER_END.search(before) and _UNITS.match(after):
        return True
    marks = _MARKS.search(before)
    base = before[: marks.start()] if marks else before
    return not (is_wide(first) or (base != "" and is_wide(base[-1])))


def fill(units: Sequence[Token], cells: int, first: Row = (), hanging: int = 0) -> list[Row]:
    """Lines of at most ``cells`` cells.

    ``first`` opens the first line (a bullet); ``hanging`` spaces open the others.
    """
    cells = max(cells, 1)
    indent: Row = ((" " * hanging, "text"),) if 0 < hanging < cells else ()
    rows: list[Row] = []
    line: list[Segment] = list(first)
    used = sum(width(text) for text, _ in first)
    empty = True

    def flush() -> None:
        nonlocal line, used, empty
        if len(line) > 1 and line[-1][0] == " ":
            line.pop()
        rows.append(tuple(_merged(line)))
        line, used, empty = list(indent), len(indent[0][0]) if indent else 0, True

    at = 0
    while at < len(units):
        stop = at + 1
        while stop < len(units) and units[stop].glued:
            stop += 1
        group = units[at:stop]
        at = stop
        length = _cached_width(group[0].text)
        for token in group[1:]:
            length += token.space + _cached_width(token.text)
        lead = group[0].space and not empty
        if used + lead + length > cells and not empty:
            flush()
            lead = False
        if used + length > cells:
            for piece in _forced(group, cells):
                size = sum(width(token.text) for token in piece)
                if used + size > cells and not empty:
                    flush()
                if not (empty and piece[0].text == " "):
                    line.extend((token.text, token.kind) for token in piece)
                    used += size
                    empty = False
            continue
        for number, token in enumerate(group):
            if token.space if number else lead:
                line.append((" ", token.kind if line[-1][1] == token.kind else "text"))
            line.append((token.text, token.kind))
        used += lead + length
        empty = False
    if not empty or not rows:
        flush()
    return rows


def _forced(group: Sequence[Token], cells: int) -> Iterator[list[Token]]:
    """The characters of a unit that is longer than a line, each with the marks around it as long as these fit."""
    piece: list[Token] = []
    for number, token in enumerate(group):
        if number and token.space:
            if piece:
                yield piece
            yield [Token(" ", token.kind)]
            piece = []
        for cluster in _CLUSTER.findall(token.text):
            joined = [*piece, Token(cluster, token.kind)]
            parts = piece and not (cluster in CLOSING or piece[-1].text in OPENING)
            if parts or sum(width(one.text) for one in joined) > cells:
                if piece:
                    yield piece
                joined = joined[-1:]
            piece = joined
    if piece:
        yield piece


def _merged(line: Sequence[Segment]) -> Iterator[Segment]:
    """Neighbours of one kind as one segment."""
    text, kind = "", None
    for piece, piece_kind in line:
        if piece_kind == kind:
            text += piece
            continue
        if kind is not None and text:
            yield text, kind
        text, kind = piece, piece_kind
    if kind is not None and text:
        yield text, kind


@lru_cache(maxsize=8192)
def _cached_width(text: str) -> int:
    return width(text)


def wrap(text: str, cells: int) -> list[str]:
    """Lines of a plain text, none wider than ``cells``; line feeds in the text are kept.

    Spaces collapse where a line breaks; no other character is lost. An empty text gives no line.
    """
    lines: list[str] = []
    if not text:
        return lines
    for paragraph in text.split("\n"):
        rows = fill(tokens([(paragraph, "text")]), cells)
        lines.extend("".join(part for part, _ in row) for row in rows)
    return lines
