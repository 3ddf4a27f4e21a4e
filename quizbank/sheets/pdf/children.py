"""Compilers as child processes: several at a time, each ended with the sheet that wanted it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterable
from pathlib import Path

from engine.errors import InputError
from engine.own_process import own_environment
from engine.text import Text
from quizbank.sheets.pdf import compiler
from quizbank.sheets.pdf.kept import Kept
from quizbank.sheets.pdf.source import Source

_LOOK_EVERY = 0.05
"""Seconds between two looks at the compilers."""


def compile_each(
    sources: Iterable[Source],
    timestamp: int,
    at_once: int,
    beat: Callable[[], None],
    kept: Kept | None = None,
) -> Generator[bytes, None, None]:
    """The PDF of each source, in their order; ``at_once`` are compiled at a time, none long before it is wanted.

    What is ``kept`` is not compiled, and what is compiled is kept.
    ``beat`` is called while compilers run. Where it or a source raises, and where no more is asked for (close the
    iterator), the compilers are ended and their files removed.

    Raises:
        InputError: a compiler failed or was ended.
    """
    waiting = iter(sources)
    begun: deque[_Child | _Found] = deque()
    more = True
    with tempfile.TemporaryDirectory(prefix="proofdeck-", ignore_cleanup_errors=True) as folder:
        try:
            while more or begun:
                running = sum(child.running for child in begun)
                if more and running < at_once and len(begun) < 2 * at_once:
                    source = next(waiting, None)
                    more = source is not None
                    if source is not None:
                        found = kept.get(source, timestamp) if kept is not None else None
                        if found is not None:
                            begun.append(_Found(found))
                        else:
                            begun.append(_Child(source, timestamp, Path(tempfile.mkdtemp(dir=folder)), kept))
                elif begun[0].running:
                    beat()
                    begun[0].wait(_LOOK_EVERY)
                else:
                    yield begun.popleft().made()
        finally:
            for child in begun:
                child.end()


class _Found:
    """What was kept, as if a compiler had just made it."""

    running = False

    def __init__(self, content: bytes) -> None:
        self._content = content

    def wait(self, seconds: float) -> None:
        """It is there already."""

    def made(self) -> bytes:
        return self._content

    def end(self) -> None:
        """Nothing is at work."""


class _Child:
    """One compiler at work in its folder."""

    def __init__(self, source: Source, timestamp: int, place: Path, kept: Kept | None) -> None:
        self._source, self._timestamp, self._kept = source, timestamp, kept
        self._place = place
        asked = {"text": source.text, "inputs": dict(source.inputs), "timestamp": timestamp}
        (place / compiler.ASKED).write_text(json.dumps(asked), encoding="utf-8")
        with (place / "said").open("wb") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-P", compiler.__file__, str(place)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env=own_environment(),
            )

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def wait(self, seconds: float) -> None:
        """Until it is done, at most so long."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return

    def made(self) -> bytes:
        """What it made. Raises InputError: nothing."""
        if status := self._process.returncode:
            raise _ended(status, (self._place / "said").read_text(encoding="utf-8", errors="replace"))
        made = self._place / compiler.MADE
        content = made.read_bytes()
        made.unlink()
        if self._kept is not None:
            self._kept.put(self._source, self._timestamp, content)
        return content

    def end(self) -> None:
        if self.running:
            self._process.kill()
        self._process.wait()


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
