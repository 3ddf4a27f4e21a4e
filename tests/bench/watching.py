"""What the benchmarks of the app see: when each picture was drawn, how late the event loop runs, and verdicts.

Clock times mean something on a calm machine only, so the load stands beside them. Processor time of the loop's own
thread is disturbed less; it leaves out what the loop waited for other threads.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import tempfile
import time
from asyncio import events
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from rich.console import RenderableType
from textual.pilot import Pilot
from textual.screen import Screen

from quizbank.home import Home
from quizbank.settings import read_settings
from tests.app.driving import settle
from tui.app import ProofdeckApp

SIZE = (80, 24)


class Watched(ProofdeckApp):
    """Notes when each picture was drawn, and of which screen."""

    def __init__(self, home: Home) -> None:
        super().__init__(home, language="en", settings=read_settings(home.config))
        self.drawn: list[float] = []
        self.drawn_screens: list[Screen[Any]] = []

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if renderable is not None:
            self.drawn.append(time.perf_counter())
            self.drawn_screens.append(screen)

    def forget(self) -> None:
        self.drawn.clear()
        self.drawn_screens.clear()


W = TypeVar("W", bound=Watched)


@asynccontextmanager
async def started(kind: type[W], like: Path | None = None) -> AsyncIterator[tuple[W, Pilot[int]]]:
    """An app on an empty home, or on a copy of the one in ``like``; its first screen with its counts."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if like is not None:
            shutil.copytree(like, folder, dirs_exist_ok=True)
        app = kind(Home.in_folder(Path(folder)))
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            yield app, pilot


@contextmanager
def lags(every: float = 0.005) -> Iterator[list[float]]:
    """Milliseconds by which a task that sleeps ``every`` seconds woke too late: what any key would have waited."""
    late: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(every)
            late.append((time.perf_counter() - before - every) * 1000)

    watching = asyncio.create_task(watch())
    try:
        yield late
    finally:
        watching.cancel()


@contextmanager
def steps() -> Iterator[list[float]]:
    """Milliseconds of processor time of every step of the event loop: none can be interrupted by a key."""
    taken: list[float] = []
    run = events.Handle._run

    def timed(handle: events.Handle) -> None:
        began = time.thread_time()
        run(handle)
        taken.append((time.thread_time() - began) * 1000)

    events.Handle._run = timed  # type: ignore[method-assign]
    try:
        yield taken
    finally:
        events.Handle._run = run  # type: ignore[method-assign]


def p95(times: Sequence[float]) -> float:
    """The 95th percentile; of a single time, that time."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0]


HOLDS, MISSED = "holds", "MISSED"


def verdict(what: str, found: float, limit: float, of: str = "", unit: str = "ms") -> None:
    """One line a limit: ``heat map 12.1 ms of 15: holds``."""
    said = HOLDS if found <= limit else MISSED
    value = f"{found:.1f} {unit}" if unit else f"{found:.2f}"
    print(f"{what} {value} of {limit:g}: {said}{f' ({of})' if of else ''}", flush=True)


def say_load() -> None:
    """How busy the machine is: clock times of a busy one say little."""
    with suppress(OSError):
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
