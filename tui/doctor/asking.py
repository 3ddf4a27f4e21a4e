"""Asking the terminal itself: where its cursor is after a character, and which modes it knows.

The answers come as input, so the terminal is read byte by byte for as long as that takes, and given back
as it was however it ends. A terminal that does not answer within :data:`PATIENCE` is asked nothing more.
"""

from __future__ import annotations

import os
import re
import select
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

from engine.text import Text

PATIENCE = 0.7
"""Seconds to wait for an answer; over a slow line one takes two or three tenths."""

TERMINAL = "/dev/tty"

_CURSOR = re.compile(rb"\x1b\[(\d{1,5});(\d{1,5})R")
_MODE = re.compile(rb"\x1b\[\?1006;([0-4])\$y")
_ATTRIBUTES = re.compile(rb"\x1b\[\?([\d;]*)c")

NO_TERMINAL = Text("there is no terminal to ask", "没有可以询问的终端")
NO_ANSWER = Text("the terminal does not answer", "终端没有回答")
IN_BACKGROUND = Text("the call runs in the background", "命令在后台运行")
NOT_HERE = Text("this system has no such terminal", "此系统没有这样的终端")


@dataclass(frozen=True)
class Answers:
    """What the terminal said of itself; ``why_not`` tells why it said nothing.

    ``widths``: cells by text. ``mouse``: whether it knows the mode 1006, None where it did not say.
    ``attributes``: the numbers of its primary device attributes, None where it did not say.
    """

    widths: dict[str, int]
    mouse: bool | None = None
    attributes: tuple[int, ...] | None = None
    why_not: Text | None = None


def ask(texts: Sequence[str], path: str = "") -> Answers:
    """Ask the terminal at ``path`` (the one this process belongs to) how wide it draws each of the texts, and about mouse and clipboard."""
    try:
        import termios
    except ImportError:
        return Answers({}, why_not=NOT_HERE)
    try:
        terminal = os.open(path or TERMINAL, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return Answers({}, why_not=NO_TERMINAL)
    try:
        with suppress(OSError):
            if os.tcgetpgrp(terminal) != os.getpgrp():
                # to set up or read the terminal would stop the process
                return Answers({}, why_not=IN_BACKGROUND)
        try:
            with byte_by_byte(terminal):
                return _asked(terminal, texts)
        except termios.error:
            return Answers({}, why_not=NO_TERMINAL)
    finally:
        os.close(terminal)


def _asked(terminal: int, texts: Sequence[str]) -> Answers:
    widths: dict[str, int] = {}
    try:
        for text in texts:
            found = _answer(terminal, f"\r{text}\x1b[6n".encode(), _CURSOR)
            if found is None:
                return Answers(widths, why_not=NO_ANSWER)
            widths[text] = int(found[2]) - 1
        # the attributes come last: every terminal answers them, so an answer about the mode would be there by then
        found = _answer(terminal, b"\r\x1b[K\x1b[?1006$p\x1b[c", _ATTRIBUTES)
    finally:
        os.write(terminal, b"\r\x1b[K")
    if found is None:
        return Answers(widths)
    numbers = tuple(int(number) for number in found[1].split(b";") if number)
    mode = _MODE.search(found.string)
    return Answers(widths, None if mode is None else mode[1] != b"0", numbers)


def _answer(terminal: int, question: bytes, wanted: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """What the terminal answers; None where nothing of that form comes in time."""
    os.write(terminal, question)
    heard, until = b"", time.monotonic() + PATIENCE
    while (left := until - time.monotonic()) > 0 and len(heard) < 4096:
        ready, _, _ = select.select([terminal], [], [], left)
        if ready:
            heard += os.read(terminal, 256)
            if found := wanted.search(heard):
                return found
    return None


@contextmanager
def byte_by_byte(terminal: int) -> Iterator[None]:
    """The terminal gives each byte as it comes and echoes none; afterwards it is as it was, whatever happens.

    Raises:
        termios.error: it is no terminal.
    """
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    handlers: dict[int, Any] = {}
    try:
        with suppress(ValueError):  # signals are only the main thread's
            for number in (signal.SIGTERM, signal.SIGHUP):
                handlers[number] = signal.signal(number, _leave)
        tty.setcbreak(terminal, termios.TCSANOW)
        yield
    finally:
        # an answer that comes late must not be read as typed; so does what was typed meanwhile go
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
        for caught, handler in handlers.items():
            signal.signal(caught, handler)


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
