"""A document as the bytes of a PDF: checked, compiled with our own fonts, the same bytes each time."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Text
from quizbank.sheets.document import Document
from quizbank.sheets.formats import FORMATS, Options, Progress, Size, Written
from quizbank.sheets.pdf.source import Source, source

if TYPE_CHECKING:
    from typst import Fonts

_LOOK_EVERY = 0.1
"""Seconds between two calls of ``progress`` while the compiler runs."""


def write(document: Document, options: Options, _folder: str, progress: Progress) -> Written:
    """The document as one PDF.

    Raises:
        InputError: the extra is not installed, or no font has some character of the document.
    """
    return Written(pdf(document, options.size, progress))


def pdf(document: Document, size: Size = "a4", progress: Progress | None = None) -> bytes:
    """As :func:`write`."""
    told = progress or _untold
    _installed()
    # reading takes about a third of the time, the compiler the rest
    written = source(document, size, lambda done, parts: told(done, 3 * parts))
    return _in_a_thread(lambda: compiled(written, document.date), lambda: told(1, 3))


def compiled(written: Source, date: str) -> bytes:
    """What the compiler makes of a source; ``date`` (YYYY-MM-DD, or empty) is stamped in."""
    import typst

    day = datetime.date.fromisoformat(date) if date else datetime.date(1970, 1, 1)
    midnight = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
    return typst.compile(
        written.text.encode(),
        font_paths=_fonts(),
        ignore_system_fonts=True,
        sys_inputs=dict(written.drawings),
        timestamp=int(midnight.timestamp()),
    )


@cache
def _fonts() -> Fonts:
    import typst

    with as_file(files("quizbank.sheets") / "fonts") as folder:
        return typst.Fonts(include_system_fonts=False, font_paths=[folder])


def _installed() -> None:
    if line := FORMATS["pdf"].install_line:
        raise InputError(
            Text(f"PDF needs the compiler Typst: {line}", f"导出 PDF 需要 Typst 编译器：{line}"),
            "--format pdf",
        )


def _in_a_thread(work: Callable[[], bytes], beat: Callable[[], None]) -> bytes:
    """Run the work beside a heartbeat, which may raise to give it up."""
    done: list[bytes] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        beat()
        thread.join(_LOOK_EVERY)
    if failed:
        raise failed[0]
    return done[0]


def _untold(_done: int, _all: int) -> None:
    """Nobody asked how far it is."""
