"""CPU time of one frame of each kind of figure, in milliseconds, at several sizes.

    python -m tests.bench.bench_drawing

Drawing means figure to rows of styled text; painting adds the rows to Textual strips and those to
what is sent to a terminal. The median of the runs is printed, and the bytes a full frame sends. Then the
figures of all demonstrations at 80x24: the slowest plots and heat maps, and a line for each limit.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from engine.demos import catalogue, load
from engine.figure import Axis, Figure, HeatMap, Line, Plot
from engine.text import same
from tests.bench.watching import say_load, verdict
from tests.drawing.samples import SAMPLES
from tui.drawing import Row, figure_rows

RUNS = 60
FEW = 15
"""Runs of each of the hundred and more figures of the demonstrations."""
SHOWN = 5
LIMITS: dict[type, tuple[str, float]] = {Plot: ("plot", 10.0), HeatMap: ("heat map", 15.0)}
"""Milliseconds of processor time a frame at 80x24, drawn and painted."""


def long_walk() -> Plot:
    """100,000 points of noise: what thinning is for."""
    x = np.arange(100_000.0)
    y = np.cumsum(np.random.default_rng(0).standard_normal(x.size))
    return Plot(same("walk"), same(""), Axis(same("step")), Axis(same("at")), (Line(same("walk"), x, y),))


def square(side: int) -> HeatMap:
    values = np.random.default_rng(0).standard_normal((side, side))
    return HeatMap(same(f"{side}x{side}"), same(""), values, diverging=True)


def cpu_ms(work: Callable[[], object], runs: int = RUNS) -> float:
    times = []
    for _ in range(runs):
        started = time.thread_time()
        work()
        times.append((time.thread_time() - started) * 1000)
    return statistics.median(times)


def strips(rows: list[Row]) -> list[Strip]:
    return [Strip([Segment(text, Style.parse(style)) for text, style in row]) for row in rows]


def frame_ms(figure: Figure, console: Console) -> float:
    """One frame at 80x24, drawn and painted."""

    def paint() -> None:
        for strip in strips(figure_rows(figure, 80, 24, "zh")):
            strip.render(console)

    return cpu_ms(paint, FEW)


def of_all_demonstrations(console: Console) -> None:
    frames = [
        (type(figure), frame_ms(figure, console), f"{entry.id}.{number}")
        for entry in catalogue()
        for number, figure in enumerate(load(entry.id).run().figures())
    ]
    frames += [(HeatMap, frame_ms(square(side), console), f"heat {side}x{side}") for side in (16, 64)]
    for kind, (name, limit) in LIMITS.items():
        slowest = sorted(((ms, of) for each, ms, of in frames if each is kind), reverse=True)
        print(
            f"slowest of {len(slowest)}, {name}:", ", ".join(f"{of} {ms:.1f}" for ms, of in slowest[:SHOWN])
        )
        verdict(f"{name} at 80x24, processor time of a frame", slowest[0][0], limit, slowest[0][1])


def main() -> None:
    say_load()
    figures: dict[str, Figure] = {
        **SAMPLES,
        **{f"D19.{number}": figure for number, figure in enumerate(load("D19").run().figures())},
        "100,000 points": long_walk(),
        "heat 16x16": square(16),
        "heat 64x64": square(64),
        "heat 512x512": square(512),
    }
    console = Console(color_system="truecolor", force_terminal=True)
    print(f"{'figure':16} {'size':>7} {'draw ms':>8} {'draw+paint ms':>14} {'kB a frame':>11}")
    for name, figure in figures.items():
        for width, height in ((60, 16), (80, 24), (120, 40)):
            rows = figure_rows(figure, width, height, "zh")

            def draw(figure: Figure = figure, width: int = width, height: int = height) -> list[Row]:
                return figure_rows(figure, width, height, "zh")

            def paint(draw: Callable[[], list[Row]] = draw) -> None:
                for strip in strips(draw()):
                    strip.render(console)

            sent = sum(len(strip.render(console).encode()) for strip in strips(rows))
            drawn, painted = cpu_ms(draw), cpu_ms(paint)
            print(f"{name:16} {f'{width}x{height}':>7} {drawn:8.2f} {painted:14.2f} {sent / 1000:11.1f}")
    of_all_demonstrations(console)
    say_load()


if __name__ == "__main__":
    main()
