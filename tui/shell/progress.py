"""How far a long call has come: one line on stderr, there only while it works and only for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.cells import cell_len

from engine.text import Language, Text

WRITING = Text("writing: {percent}%", "正在写出：{percent}%")
PROVING = Text("proving and measuring: {percent}%", "正在证明与测量：{percent}%")
PLANNING = Text("planning: {percent}%", "正在安排：{percent}%")


@contextmanager
def shown_progress(said: Text, language: Language) -> Iterator[Callable[[float], None]]:
    """What is yielded takes the share that is done, from 0 to 1; ``said`` has it as ``percent``."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield lambda share: None
        return
    width = 0
    last = -1

    def show(share: float) -> None:
        nonlocal width, last
        percent = int(100 * share)
        if percent == last:
            return
        last, line = percent, said.of(language).format(percent=percent)
        width = max(width, cell_len(line))
        stream.write(f"\r{line}")
        stream.flush()

    show(0.0)
    try:
        yield show
    finally:
        # what follows begins on a clean line
        stream.write(f"\r{' ' * width}\r")
        stream.flush()
