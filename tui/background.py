"""Slow work beside the event loop.

Threads of the loop's own executor are joined when the program ends, so a proof that takes a minute
would hold up quitting for a minute. Daemon threads are not joined: what was written is written by
transactions, and the rest may be dropped at any moment.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, get_ident
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE = 0.05
"""Seconds within which the event loop comes round, unless it waits for the very thing that waits for it."""


class StoppedError(Exception):
    """Work that was ended on request before it was done."""


async def in_thread(work: Callable[[], T]) -> T:
    """Await ``work()`` run in a thread of its own. Cancelling drops the result; the thread ends by itself."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def deliver(setter: Callable[[Any], None], value: object) -> None:
        if not outcome.done():
            setter(value)

    def run() -> None:
        setter: Callable[[Any], None]
        value: object
        try:
            setter, value = outcome.set_result, work()
        except BaseException as error:  # whatever it was belongs to the one who waits
            setter, value = outcome.set_exception, error
        with suppress(RuntimeError):  # the loop is closed: the program has ended meanwhile
            loop.call_soon_threadsafe(deliver, setter, value)

    Thread(target=run, daemon=True, name=f"work:{getattr(work, '__name__', 'work')}").start()
    return await outcome


@contextmanager
def giving_way(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Each module that this thread imports meanwhile waits until the event loop has come round.

    Two threads take turns in the interpreter, so a key pressed while hundreds of modules are loaded would be answered
    half as fast. A loop that does not come round may be waiting for one of these modules: until it does, none waits.
    """
    polite = _Polite(loop)
    # another list each time: an import of another thread may be going through the one there is
    sys.meta_path = [polite, *sys.meta_path]
    try:
        yield
    finally:
        sys.meta_path = [finder for finder in sys.meta_path if finder is not polite]


class _Polite:
    """A finder that finds nothing, asked first: the one place that every import passes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread = get_ident()
        self._came_round = Event()
        self._came_round.set()

    def find_spec(self, *_: object) -> None:
        if self._thread != get_ident() or not self._came_round.is_set():
            return
        self._came_round.clear()
        with suppress(RuntimeError):  # the loop is closed, and comes round no more
            self._loop.call_soon_threadsafe(self._came_round.set)
            self._came_round.wait(PATIENCE)
