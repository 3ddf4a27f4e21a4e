"""Writing a sheet: whole or not at all, never over an existing file unasked."""

from __future__ import annotations

import datetime
import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.errors import InputError
from engine.text import Text
from quizbank.bank import Bank
from quizbank.sheets import programs
from quizbank.sheets.compose import compose
from quizbank.sheets.content import Sheet
from quizbank.sheets.document import Document
from quizbank.sheets.formats import AS_USUAL, FORMATS, Format, Options, Progress, SheetFormat, Written
from quizbank.sheets.gather import Source, check_over, gather, paper_of, report_of
from quizbank.slots import Quantities
from quizbank.target import check_target, write_with_folder

NOTHING_MATCHES = Text(
    "no card matches, so there is nothing to write", "没有符合条件的卡片，因此没有内容可写"
)


def export(
    source: Source,
    bank: Bank,
    quantities: Quantities,
    path: Path,
    format: Format,  # noqa: A002
    options: Options = AS_USUAL,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write the sheet of ``source`` to ``path`` and return the path.

    ``progress`` is told how much of the whole is done, and may raise to cancel; nothing is left behind then.
    ``cache`` is the folder of :attr:`quizbank.home.Home.cache`.

    Raises:
        InputError: no cards, a bad date, a path that exists (without ``force``) or cannot be written.
    """
    check_target(path, options.force)
    written = made(
        source, bank, quantities, format, options, figures_folder(path).name, cache=cache, progress=progress
    )
    write_with_folder(path, written.content, figures_folder(path), written.beside, options.force)
    return path


def made(
    source: Source,
    bank: Bank,
    quantities: Quantities,
    format: Format,  # noqa: A002
    options: Options = AS_USUAL,
    folder: str = "figures",
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Written:
    """The sheet in its format, in memory. Raises InputError as :func:`export`, but for the path."""
    kind = FORMATS[format]
    told = progress or _untold
    halves = 2 * max(1, _length(source))

    def gathering(done: int, _cards: int) -> None:
        told(done, halves)

    def writing(done: int, parts: int) -> None:
        told(halves // 2 + halves // 2 * done // max(1, parts), halves)

    with _without_collecting():
        if cache is not None:
            programs.KNOWN.remember(cache / "sheets")
        drawn = drawing(source, bank, quantities, kind, options, cache=cache, progress=gathering)
        writing(0, 1)
        written = kind.write(drawn, options, folder, writing, cache)
        if cache is not None:
            programs.KNOWN.keep(cache / "sheets")
    told(halves, halves)
    return written


@contextmanager
def _without_collecting() -> Iterator[None]:
    """What a sheet is made of is kept until it is written; looking for garbage in it costs a fifth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def drawing(
    source: Source,
    bank: Bank,
    quantities: Quantities,
    kind: SheetFormat,
    options: Options,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Document | Sheet:
    """What a format draws. Raises InputError as :func:`export`, but for the path."""
    printed_date(options.date)
    if not _length(source):
        raise InputError(NOTHING_MATCHES)
    if kind.answers:
        check_over(source, "embedded")
    cards = kind.draws == "cards"
    sheet = gather(
        source,
        bank,
        quantities,
        options,
        cache=cache,
        # of what was answered a document shows the calls that prove it, not the proofs
        backed=cards or (options.mode == "embedded" and report_of(source) is None),
        progress=progress,
    )
    return sheet if cards else compose(sheet)


def _length(source: Source) -> int:
    paper = paper_of(source)
    if paper is not None:
        return len(paper.questions)
    assert isinstance(source, Sequence)
    return len(source)


def _untold(_done: int, _all: int) -> None:
    """Nobody asked how far it is."""


def figures_folder(path: Path) -> Path:
    """Where the figures of a Markdown sheet stand: ``answers.md`` has ``answers-figures``."""
    return path.with_name(f"{path.stem}-figures")


def printed_date(date: str) -> str:
    """The date to print; empty where none is asked for. Raises InputError: not YYYY-MM-DD, or no such day."""
    if date and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise InputError(Text("must be a date as YYYY-MM-DD", "须为 YYYY-MM-DD 形式的日期"), "--date")
    try:
        return datetime.date.fromisoformat(date).isoformat() if date else ""
    except ValueError as error:
        raise InputError(Text("there is no such day", "没有这一天"), "--date") from error
