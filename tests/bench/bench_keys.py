"""Key to paint on every screen: how long after a key the first picture that follows it is drawn.

    python -m tests.bench.bench_keys [--presses 60] [--fresh] [SCREEN ...]

A headless app of 80x24 on the data of :mod:`tests.bench.places`. What is loaded beside the first screens is loaded
before; ``--fresh`` gives each screen a process of its own, where it is not: then the first column says what a first
visit costs. Each screen is opened, left alone until it has what it asked for, and then given keys that move about in
it; a key that draws nothing is named at the end, as what its screen shows of itself (a clock) must not count for it.
Printed a screen, in milliseconds: from the key that opens it to its first picture,
and to all that it asked for; median, p95 and the longest from a key in it to the next picture; the p95 of the event
loop's processor time for it, and the longest single step of the loop. Then two screens while SymPy is loaded beside
them, each in a process of its own, and a key held down, 30 events a second, without waiting for the pictures: how many
came, how late the loop was, and from the last event to the last picture. Nothing is asserted; each limit gets a line.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from quizbank.home import Home
from tests.app.driving import settle
from tests.bench.places import PLACES, Place, lived_in
from tests.bench.watching import Watched, lags, p95, say_load, started, steps, verdict
from tui.screens.home import load_screens
from tui.workspace import Workspace

LOADING = ("lab list", "lab")
"""Screens that are used while SymPy is loaded."""

HELD = (("lab list", "down"), ("browse", "down"), ("glossary", "down"), ("lab", "right"))
EVENTS, RATE = 90, 30
LIMIT, HELD_LIMIT = 50.0, 100.0
PATIENCE = 0.5
"""Seconds after which a press counts as one that draws nothing."""


class Seen(NamedTuple):
    """Milliseconds: to the first picture of the screen, to all of it; of each press by the clock and of the loop's
    processor time; of the longest step of the loop."""

    first: float
    whole: float
    clock: list[float]
    cpu: list[float]
    step: float


async def measure(place: Place, presses: int, like: Path) -> Seen:
    async with started(Watched, like) as (app, pilot):
        first = whole = 0.0
        keys, ways = place.keys, [partial(app._press_keys, [key]) for key in place.opening]
        if place.screen is not None:
            ways.insert(0, partial(_push, app, place.screen(app)))
        with steps() as taken:
            for way in ways:
                app.forget()
                before, began = app.screen, time.perf_counter()
                await way()
                await settle(pilot)
                ends = time.perf_counter()
                shown = [
                    at
                    for at, screen in zip(app.drawn, app.drawn_screens, strict=True)
                    if screen is not before or app.screen is before
                ]
                first = (shown[0] - began) * 1000 if shown else 0.0
                whole = ((app.drawn[-1] if app.drawn else ends) - began) * 1000
            times = [await _one(app, pilot, keys[turn % len(keys)]) for turn in range(presses)]
        drawn = [one for one in times if one is not None]
    return Seen(first, whole, [clock for clock, _ in drawn], [cpu for _, cpu in drawn], max(taken))


async def _push(app: Watched, screen: Screen[Any]) -> None:
    app.push_screen(screen)


async def _one(app: Watched, pilot: Pilot[int], key: str) -> tuple[float, float] | None:
    await settle(pilot)
    before = _picture(app)
    took = await _press(app, key)
    # what scrolls nothing, as where a short card fits, still has the screen written again some time later
    return None if _picture(app) == before else took


def _picture(app: Watched) -> list[Strip]:
    """What stands on the screen, with its colours."""
    return list(app.screen._compositor.render_strips())


async def _press(app: Watched, key: str) -> tuple[float, float] | None:
    """Clock and processor time from a key to the next picture; None where none comes."""
    app.forget()
    began, used = time.perf_counter(), time.thread_time()
    app.post_message(Key(key, None if len(key) > 1 else key))
    while not app.drawn:
        if time.perf_counter() - began > PATIENCE:
            return None
        await asyncio.sleep(0.001)
    return (app.drawn[0] - began) * 1000, (time.thread_time() - used) * 1000


async def while_loading(opening: tuple[str, ...], keys: tuple[str, ...]) -> list[float]:
    """Key to paint, a key every 30 ms, while SymPy is loaded, which waits until the screen is open."""
    times: list[float] = []
    opened = threading.Event()
    async with started(Watched) as (app, _):
        warm_up = app.workspace.warm_up

        def once_opened() -> None:
            opened.wait()
            warm_up()

        app.workspace.warm_up = once_opened  # type: ignore[method-assign]
        for key in opening:
            await app._press_keys([key])
            while any(worker.is_running and worker.group != "warm-up" for worker in app.workers):
                await asyncio.sleep(0.005)
        opened.set()
        loaded = asyncio.create_task(_sympy())
        while not loaded.done():
            pressed = await _press(app, keys[len(times) % len(keys)])
            if pressed is not None:
                times.append(pressed[0])
            await asyncio.sleep(0.03)
    return times


async def _sympy() -> None:
    while not hasattr(sys.modules.get("engine.proof.ladder"), "decide"):
        await asyncio.sleep(0.01)


async def hold(opening: tuple[str, ...], key: str) -> tuple[int, float, float, float]:
    """Pictures; lag of the loop, p95 and longest, in ms; from the last event to the last picture, in ms."""
    async with started(Watched) as (app, pilot):
        for each in opening:
            await app._press_keys([each])
            await settle(pilot)
        app.forget()
        with lags() as late:
            for turn in range(EVENTS):
                # to and fro, so that every event moves something
                there = key if turn // 20 % 2 == 0 else {"down": "up", "right": "left"}[key]
                app.post_message(Key(there, None))
                last = time.perf_counter()
                await asyncio.sleep(1 / RATE)
            during = p95(late), max(late)
            await settle(pilot)
        return len(app.drawn), *during, max(0.0, (app.drawn[-1] - last) * 1000)


HEAD = f"{'screen':13} {'opens':>7} {'whole':>7} {'median':>7} {'p95':>7} {'max':>7} {'cpu p95':>8} {'step':>6}  drawn"


def tell(name: str, seen: Seen, presses: int) -> float:
    """One line a screen; its p95, 0 where nothing was drawn."""
    line = f"{name:13} {seen.first:7.1f} {seen.whole:7.1f} "
    if not seen.clock:
        print(f"{line}nothing was drawn", flush=True)
        return 0.0
    print(
        f"{line}{statistics.median(seen.clock):7.1f} {p95(seen.clock):7.1f} {max(seen.clock):7.1f} "
        f"{p95(seen.cpu):8.1f} {seen.step:6.1f}  {len(seen.clock)} of {presses}",
        flush=True,
    )
    return p95(seen.clock)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=20)
    parser.add_argument("--loading", choices=LOADING, help="this screen alone, while SymPy is loaded")
    parser.add_argument(
        "--fresh", action="store_true", help="each screen in a process of its own, before anything is loaded"
    )
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("screens", nargs="*", metavar="SCREEN", help="; ".join(PLACES))
    asked = parser.parse_args()
    if asked.loading:
        place = PLACES[asked.loading]
        times = asyncio.run(while_loading(place.opening, place.keys))
        verdict(
            f"{asked.loading}, SymPy being loaded: p95",
            p95(times),
            LIMIT,
            f"{len(times)} keys, longest {max(times):.0f}",
        )
        return
    chosen = asked.screens or list(PLACES)
    if not asked.alone:
        say_load()
        print(HEAD)
    with tempfile.TemporaryDirectory() as made:
        like = Path(made)
        lived_in(like)
        if not asked.alone:
            load_screens()
            Workspace(Home.in_folder(like), ()).warm_up()
        slowest, silent = (0.0, ""), list[str]()
        for name in chosen:
            if asked.fresh:
                call = [sys.executable, "-m", __spec__.name, "--alone", "--presses", str(asked.presses), name]
                subprocess.run(call, check=True)
                continue
            seen = asyncio.run(measure(PLACES[name], asked.presses, like))
            slowest = max(slowest, (tell(name, seen, asked.presses), name))
            if len(seen.clock) < asked.presses:
                silent.append(name)
    if asked.alone or asked.fresh:
        return
    verdict("key to paint: p95", slowest[0], LIMIT, slowest[1])
    if silent:
        print("keys that drew nothing:", ", ".join(silent))
    if not asked.screens:
        for name in LOADING:
            subprocess.run([sys.executable, "-m", __spec__.name, "--loading", name], check=True)
        for name, key in HELD:
            pictures, late, longest, after = asyncio.run(hold(PLACES[name].opening, key))
            told = f"{pictures} pictures of {EVENTS} events, lag p95 {late:.0f}, longest {longest:.0f}"
            verdict(f"{name}, {key} held: last event to last picture", after, HELD_LIMIT, told)
    say_load()


if __name__ == "__main__":
    main()
