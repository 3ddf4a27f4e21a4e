"""Slow work beside the event loop.

Threads of the loop's own executor are joined when the program ends, so a proof that takes a minute
would hold up quitting for a minute. Daemon threads are not joined: what was written is written by
transactions, and the rest may be dropped at any moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


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
