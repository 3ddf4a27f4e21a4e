"""Dragging a slider of each demonstration: how late the event loop runs, and when the last frame stands.

    python -m tests.bench.bench_slider [D19 ...]

A headless app of 80x24 holds a figure and the sliders; one parameter is changed 200 times in 3.3 s,
as a mouse does. Printed: frames on the way, the event loop's lag (p95: what any key would wait), the
time from the last change to the frame of the last values, and to the full one at rest.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from typing import Any

from textual.app import App, ComposeResult

from engine.demonstration import Demonstration
from engine.demos import catalogue, load
from engine.figure import Figure
from engine.stepping import Stepping
from tui.recompute import Recompute, Recomputed
from tui.widgets.figure import FigureView
from tui.widgets.slider import Slider

CHANGES = 200
EVERY = 1 / 60


class Bench(App[None]):
    def __init__(self, demo: Demonstration) -> None:
        super().__init__()
        self.demo = demo
        self.given = dict(demo.read())
        self.drawn: list[tuple[float, dict[str, Any], bool]] = []
        # figures are made where the run is, so that the event loop has nothing left but to draw
        self.recompute: Recompute[dict[str, Any], tuple[Figure, ...]] = Recompute(
            lambda given, dragging: demo.run(given, 0, dragging).figures(),
            lambda outcome: self.post_message(Recomputed(outcome)),
            settles=demo.samples.rest != demo.samples.drag,
        )

    def compose(self) -> ComposeResult:
        yield FigureView()
        for parameter in self.demo.parameters:
            yield Slider(parameter)

    def on_slider_changed(self, event: Slider.Changed) -> None:
        self.given = {**self.given, event.name: event.value}
        self.recompute.ask(self.given)

    def on_recomputed(self, event: Recomputed) -> None:
        outcome = event.outcome
        if outcome.error is not None:
            raise outcome.error
        self.query_one(FigureView).figure = outcome.result[0]

        def painted() -> None:
            self.drawn.append((time.perf_counter(), outcome.given, outcome.dragging))

        self.call_after_refresh(painted)


async def drag(demo: Demonstration) -> tuple[int, float, float, float]:
    """Frames, lag p95 in ms, last change to its frame in ms, and to the full frame in ms."""
    app = Bench(demo)
    lags: list[float] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.recompute.ask(app.given, dragging=False)
        await pilot.pause(0.5)
        app.drawn.clear()
        slider = app.query(Slider).first()
        stepping = Stepping(slider.parameter)

        async def watch() -> None:
            while True:
                before = time.perf_counter()
                await asyncio.sleep(0.005)
                lags.append((time.perf_counter() - before - 0.005) * 1000)

        watching = asyncio.create_task(watch())
        last = 0.0
        for number in range(CHANGES):
            share = abs((number / CHANGES * 4) % 2 - 1)
            value = stepping.at_share(share)
            if value != slider.value:
                last = time.perf_counter()
            slider._put(value)
            await asyncio.sleep(EVERY)
        final = dict(app.given)
        same = demo.samples.rest == demo.samples.drag
        for _ in range(3000):
            await asyncio.sleep(0.01)
            if any(at >= last and given == final and (same or not drag) for at, given, drag in app.drawn):
                break
        watching.cancel()
        app.recompute.close()
    of_last = [(at - last) * 1000 for at, given, _ in app.drawn if given == final and at >= last]
    lag = statistics.quantiles(lags, n=20)[-1]
    return len(app.drawn), lag, of_last[0], of_last[-1]


def main() -> None:
    wanted = sys.argv[1:] or [entry.id for entry in catalogue()]
    print(
        f"{'demo':6} {'frames':>6} {'lag p95 ms':>11} {'last change to frame ms':>24} {'full frame ms':>14}"
    )
    for demo_id in wanted:
        frames, lag, final, full = asyncio.run(drag(load(demo_id)))
        print(f"{demo_id:6} {frames:6} {lag:11.1f} {final:24.0f} {full:14.0f}")


if __name__ == "__main__":
    main()
