"""A document as the bytes of a PDF: checked, compiled with our own fonts, the same bytes each time."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from engine.errors import InputError
from engine.text import Text
from quizbank.sheets.document import Document
from quizbank.sheets.formats import FORMATS, Options, Progress, Size, Written
from quizbank.sheets.pdf import compiler
from quizbank.sheets.pdf.source import Source, source

_LOOK_EVERY = 0.1
"""Seconds between two calls of ``progress`` while the compiler runs."""


def write(document: Document, options: Options, _folder: str, progress: Progress) -> Written:
    """The document as one PDF.

    Raises:
        InputError: the extra is not installed, no font has some character of the document, or the compiler
            was ended before it was done.
    """
    return Written(pdf(document, options.size, progress))


def pdf(document: Document, size: Size = "a4", progress: Progress | None = None) -> bytes:
    """As :func:`write`."""
    told = progress or _untold
    if line := FORMATS["pdf"].install_line:
        raise InputError(
            Text(f"PDF needs the compiler Typst: {line}", f"导出 PDF 需要 Typst 编译器：{line}"),
            "--format pdf",
        )
    # the source takes about a fifth of the time, the compiler the rest
    written = source(document, size, lambda done, parts: told(done, 5 * parts))
    return _compiled(written, _midnight(document.date), lambda: told(1, 5))


def _midnight(date: str) -> int:
    """The day (YYYY-MM-DD) in seconds of UTC; 0 where none is given."""
    if not date:
        return 0
    start = datetime.datetime.combine(datetime.date.fromisoformat(date), datetime.time(), datetime.UTC)
    return int(start.timestamp())


def _compiled(written: Source, timestamp: int, beat: Callable[[], None]) -> bytes:
    """Run the compiler beside a heartbeat; where that raises, the compiler is ended."""
    with tempfile.TemporaryDirectory(prefix="proofdeck-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        asked = {"text": written.text, "drawings": dict(written.drawings), "timestamp": timestamp}
        (place / compiler.ASKED).write_text(json.dumps(asked), encoding="utf-8")
        with (place / "said").open("wb") as said:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", compiler.__name__, folder],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            try:
                _wait(process, beat)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        if process.returncode:
            raise _ended(process.returncode, (place / "said").read_text(encoding="utf-8", errors="replace"))
        return (place / compiler.MADE).read_bytes()


def _wait(process: subprocess.Popen[bytes], beat: Callable[[], None]) -> None:
    while True:
        beat()
        try:
            process.wait(_LOOK_EVERY)
        except subprocess.TimeoutExpired:
            continue
        return


def _ended(status: int, said: str) -> InputError:
    last = (said.strip().splitlines() or [""])[-1][:200]
    if status < 0 or "MemoryError" in last:
        return InputError(
            Text(
                "the PDF compiler was ended, most likely for want of memory; export fewer cards",
                "PDF 编译器被终止，多半是内存不足；请少选一些卡片",
            )
        )
    return InputError(Text(f"the PDF compiler failed: {last}", f"PDF 编译失败：{last}"))


def _untold(_done: int, _all: int) -> None:
    """Nobody asked how far it is."""
