"""Dragging the sliders of each demonstration in the lab: how late the event loop runs, and when the last frame stands.

    python -m tests.bench.bench_slider [--every] [D01 D02 ...]

The app itself at 80x24, with the outcome shown: figure, sliders, checks. The first slider (``--every``: each of them)
goes to and fro through its whole range, 60 values a second as from a mouse, and ends near its high end. Printed:
frames on the way, the event loop's lag (p95: what any key would wait), the time from the last change to the frame of
the last values, and to the one of the full sample at rest, which begins when the slider has been still for a moment;
the loop's processor time a change, which says what a busy machine hides; in milliseconds, the slowest slider of each
demonstration. Nothing is asserted; each limit gets a line.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import NamedTuple

from textual.pilot import Pilot

from engine.demos import catalogue, load
from tests.app.driving import settle
from tests.bench.watching import HOLDS, MISSED, Watched, lags, p95, say_load, started, verdict
from tui.screens.lab import LabScreen
from tui.screens.lab_view import LabView
from tui.widgets.slider import Slider

CHANGES = 150
EVERY = 1 / 60
LAG, LAST = 20.0, 100.0


class Dragged(NamedTuple):
    last: float
    full: float
    lag: float
    cpu: float
    frames: int
    slider: str


async def drag_all(demo: str, every: bool) -> list[Dragged]:
    async with started(Watched) as (app, pilot):
        app.push_screen(LabScreen(demo))
        await settle(pilot)
        await app._press_keys(["enter"])
        await settle(pilot)
        view = app.screen.query_one(LabView)
        # the libraries that are loaded beside the first screens are there before a slider is measured
        await asyncio.sleep(1)
        await app.workers.wait_for_complete()
        sliders = list(view.query(Slider))[: None if every else 1]
        return [await drag(app, pilot, view, slider) for slider in sliders]


async def drag(app: Watched, pilot: Pilot[int], view: LabView, slider: Slider) -> Dragged:
    painted: list[tuple[float, dict[str, object], int]] = []
    told = view._recompute.painted

    def note() -> None:
        assert view.shown is not None
        params = view.shown[0].params
        painted.append((time.perf_counter(), params.as_dict(), params.samples))
        told()

    view._recompute.painted = note  # type: ignore[method-assign]
    home = slider.value
    slider.focus()
    await settle(pilot)
    used = time.thread_time()
    with lags() as late:
        last = time.perf_counter()
        for turn in range(CHANGES):
            # to and fro twice
            value = slider.stepping.at_share(abs((turn / CHANGES * 4) % 2 - 1))
            if value != slider.value:
                last = time.perf_counter()
                slider._put(value)
            await asyncio.sleep(EVERY)
    used = (time.thread_time() - used) * 1000 / CHANGES
    final, rest = view.values(), view.demo.samples.rest

    def of_last() -> list[tuple[float, int]]:
        return [
            ((at - last) * 1000, samples) for at, given, samples in painted if given == final and at > last
        ]

    for _ in range(3000):
        if view.error is not None or any(samples == rest for _, samples in of_last()):
            break
        await asyncio.sleep(0.005)
    frames = len(painted)
    seen = of_last() if view.error is None else [(0.0, rest)]
    view._recompute.painted = told  # type: ignore[method-assign]
    slider._put(home)
    await settle(pilot)
    await asyncio.sleep(0.3)
    full = next(at for at, samples in seen if samples == rest)
    return Dragged(seen[0][0], full, p95(late), used, frames, slider.parameter.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--every", action="store_true", help="every slider of a demonstration, not only the first"
    )
    parser.add_argument("demos", nargs="*", metavar="DEMO")
    asked = parser.parse_args()
    say_load()
    print(
        f"{'demo':5} {'slider':14} {'frames':>6} {'loop cpu':>8} {'lag p95':>8} {'last frame':>11} {'full frame':>11}"
    )
    lags_of: list[tuple[float, str]] = []
    last_of: list[tuple[float, str]] = []
    full_of: list[tuple[float, str]] = []
    for demo in asked.demos or [entry.id for entry in catalogue()]:
        dragged = asyncio.run(drag_all(load(demo).id, asked.every))
        slowest = max(dragged)
        lag = max(one.lag for one in dragged)
        missed = [what for what, ms, limit in (("lag", lag, LAG), ("last", slowest.last, LAST)) if ms > limit]
        print(
            f"{demo:5} {slowest.slider:14} {slowest.frames:6} {slowest.cpu:8.1f} {lag:8.1f} {slowest.last:11.0f} "
            f"{slowest.full:11.0f}  {MISSED + ': ' + ' '.join(missed) if missed else HOLDS}",
            flush=True,
        )
        full_of.append((max(one.full for one in dragged), demo))
        lags_of.append((lag, demo))
        last_of.append((slowest.last, demo))
    tell("slider: lag of the loop, p95", lags_of, LAG)
    tell("slider: last event to the frame of the last values", last_of, LAST)
    tell("slider: last event to that of the full sample at rest", full_of, LAST)
    say_load()


def tell(what: str, found: list[tuple[float, str]], limit: float) -> None:
    """The worst, and every demonstration beyond the limit."""
    over = " ".join(demo for at, demo in found if at > limit)
    verdict(what, max(found)[0], limit, f"{max(found)[1]}{f'; over: {over}' if over else ''}")


if __name__ == "__main__":
    main()
