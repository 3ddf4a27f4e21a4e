"""Key to paint on every screen: how long after a key the first picture that follows it is drawn.

    python -m tests.bench.bench_keys [--presses 20]

A headless app of 80x24 on an empty home; each screen is opened, left alone until it has what it asked for, and then
given keys that move about in it. Printed a screen: median, p95 and the longest, in milliseconds. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from textual.pilot import Pilot
from textual.screen import Screen

from quizbank.home import Home
from tests.app.driving import settle
from tui.app import ProofdeckApp

SCREENS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("home", (), ("down", "down", "up")),
    ("study", ("s",), ("space", "down", "up")),
    ("card", ("s", "space", "o"), ("down", "up", "tab")),
    ("derivation", ("l", "enter", "enter", "d"), ("space", "down", "up")),
    ("lab list", ("l",), ("down", "pagedown", "up")),
    ("lab", ("l", "enter", "enter"), ("right", "left", "down", "up")),
    ("browse", ("b",), ("down", "pagedown", "up")),
    ("find", ("b", "slash"), ("s", "backspace")),
    ("self-test", ("t",), ("down", "up")),
    ("sitting", ("t", "enter"), ("down", "up")),
    ("interviews", ("i",), ("down", "up")),
    ("workbench", ("w",), ("down", "up")),
    ("sheets", ("e",), ("down", "up")),
    ("glossary", ("y",), ("down", "up")),
    ("help", ("question_mark",), ("down", "up")),
)
"""What it is called, the keys that lead to it from the first screen, the keys pressed there."""


class Watched(ProofdeckApp):
    """Notes when each picture was drawn."""

    def __init__(self, home: Home) -> None:
        super().__init__(home, language="en")
        self.drawn: list[float] = []

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if renderable is not None:
            self.drawn.append(time.perf_counter())


async def measure(opening: tuple[str, ...], keys: tuple[str, ...], presses: int) -> list[float]:
    """Milliseconds from each key to the end of the first drawing after it; presses that draw nothing are left out."""
    with tempfile.TemporaryDirectory() as folder:
        app = Watched(Home.in_folder(Path(folder)))
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            for key in opening:
                await pilot.press(key)
                await settle(pilot)
            times = [await _one(app, pilot, keys[turn % len(keys)]) for turn in range(presses)]
    return [ms for ms in times if ms is not None]


async def _one(app: Watched, pilot: Pilot[int], key: str) -> float | None:
    await settle(pilot)
    app.drawn.clear()
    started = time.perf_counter()
    await app._press_keys([key])
    for _ in range(100):
        if app.drawn:
            return (app.drawn[0] - started) * 1000
        await asyncio.sleep(0.002)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=20)
    presses = parser.parse_args().presses
    print(f"{'screen':12} {'median':>8} {'p95':>8} {'max':>8}   drawn")
    for name, opening, keys in SCREENS:
        times = sorted(asyncio.run(measure(opening, keys, presses)))
        if not times:
            print(f"{name:12} nothing was drawn")
            continue
        p95 = times[min(len(times) - 1, int(0.95 * len(times)))]
        print(
            f"{name:12} {statistics.median(times):8.1f} {p95:8.1f} {times[-1]:8.1f}   {len(times)} of {presses}"
        )


if __name__ == "__main__":
    main()
