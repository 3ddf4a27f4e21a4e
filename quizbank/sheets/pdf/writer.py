"""A document as the bytes of a PDF: checked, compiled with our own fonts, the same bytes each time."""

from __future__ import annotations

import datetime
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, dropwhile, takewhile
from pathlib import Path

from engine.errors import InputError
from engine.notation.prose import clean
from engine.text import Text
from quizbank.sheets.document import Document
from quizbank.sheets.formats import FORMATS, Options, Progress, Size, Written
from quizbank.sheets.pdf.children import compile_each
from quizbank.sheets.pdf.formulas import KNOWN
from quizbank.sheets.pdf.kept import Kept
from quizbank.sheets.pdf.parts import AT_MOST, PART, WHOLE, bodies, feet, front, weight
from quizbank.sheets.pdf.source import Piece, Source, Writer
from quizbank.target import unwritable


def write(
    document: Document, options: Options, _folder: str, progress: Progress, cache: Path | None = None
) -> Written:
    """The document as one PDF. Parts of a long one are kept in the folder ``cache``.

    Raises:
        InputError: the extra is not installed, no font has some character of the document, or a compiler
            was ended before it was done.
    """
    return Written(pdf(document, options.size, progress, cache=cache))


def pdf(
    document: Document,
    size: Size = "a4",
    progress: Progress | None = None,
    *,
    cache: Path | None = None,
    whole: int = WHOLE,
    part: int = PART,
) -> bytes:
    """As :func:`write`; what is longer than ``whole`` is compiled in parts of about ``part``."""
    told = progress or _untold
    if line := FORMATS["pdf"].install_line:
        raise InputError(
            Text(f"PDF needs the compiler Typst: {line}", f"导出 PDF 需要 Typst 编译器：{line}"),
            "--format pdf",
        )
    try:
        if cache is None:
            return _pdf(document, size, told, whole, part, None)
        KNOWN.remember(cache / "sheets")
        made = _pdf(document, size, told, whole, part, Kept(cache / "pdf"))
        KNOWN.keep(cache / "sheets")
        return made
    except OSError as error:
        raise unwritable(Path(tempfile.gettempdir()), error) from error


def _pdf(document: Document, size: Size, told: Progress, whole: int, part: int, kept: Kept | None) -> bytes:
    writer = Writer(document, size)
    timestamp = _midnight(document.date)
    heard = _Heard(told)
    pieces = writer.pieces(heard.read)
    taken: list[Piece] = []
    heavy, listed = 0, False
    for piece in pieces:
        taken.append(piece)
        heavy += weight(piece)
        listed = listed or piece.listed
        if listed and heavy > whole and len(document.contents) > 1:
            heard.tenths = 9
            parts = bodies(writer, _listed(chain(taken, pieces)), part)
            return _bound(writer, taken, parts, timestamp, heard, kept)
    return _only(writer.whole(taken), timestamp, heard)


def _bound(
    writer: Writer,
    first: Sequence[Piece],
    parts: Iterator[Source],
    timestamp: int,
    heard: _Heard,
    kept: Kept | None,
) -> bytes:
    """The parts, each compiled and bound while others compile; then front and feet, which know all page numbers."""
    from quizbank.sheets.pdf.binding import Binding, Bookmark, count

    binding = Binding()
    at_once = min(os.cpu_count() or 1, AT_MOST)
    with closing(compile_each(parts, timestamp, at_once, heard.beat, kept)) as made:
        for each in made:
            binding.add(each)
    before = takewhile(lambda piece: not piece.listed, first)
    numbered = _only(front(writer, before, binding.placed, binding.pages), timestamp, heard, kept)
    binding.foot(_only(feet(writer, count(numbered), binding.pages), timestamp, heard, kept))
    if kept is not None:
        kept.clear()
    contents = writer.document.contents
    marks = [
        Bookmark(each.level, clean(writer.bookmark(each.text)), each.anchor)
        for each in contents
        if each.anchor
    ]
    return binding.bound(numbered, marks)


def _only(source: Source, timestamp: int, heard: _Heard, kept: Kept | None = None) -> bytes:
    with closing(compile_each([source], timestamp, 1, heard.beat, kept)) as made:
        return next(made)


def _listed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """From the first listed heading on."""
    return dropwhile(lambda piece: not piece.listed, pieces)


class _Heard:
    """How far it is, told again and again while compilers run.

    A sheet that is compiled whole has its source after about a fifth of the time; of one in parts, the source is
    written as they are compiled.
    """

    def __init__(self, told: Progress) -> None:
        self._told = told
        self._done, self._all = 0, 1
        self.tenths = 2

    def read(self, done: int, parts: int) -> None:
        self._done, self._all = done, parts
        self.beat()

    def beat(self) -> None:
        self._told(self.tenths * self._done, 10 * self._all)


def _midnight(date: str) -> int:
    """The day (YYYY-MM-DD) in seconds of UTC; 0 where none is given."""
    if not date:
        return 0
    start = datetime.datetime.combine(datetime.date.fromisoformat(date), datetime.time(), datetime.UTC)
    return int(start.timestamp())


def _untold(_done: int, _all: int) -> None:
    """Nobody asked how far it is."""
