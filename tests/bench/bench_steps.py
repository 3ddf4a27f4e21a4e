"""From asking for a derivation to its first step on the screen, for each demonstration.

    python -m tests.bench.bench_steps [D19 ...]

A headless app of 80x24. Three cases, in milliseconds: the proof is kept (the second visit); it is not, but SymPy is
loaded; and, in a process of its own for the slowest demonstrations, neither: then the line that says what is going on
must be there at once, and keys must go on being answered. ``d`` is pressed in the lab once its outcome is shown.
Nothing is asserted; each limit gets a line.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from typing import Any, NamedTuple

from rich.console import RenderableType
from textual.screen import Screen

from engine.demos import catalogue, load
from quizbank.home import Home
from tests.app.driving import settle
from tests.bench.bench_keys import started
from tests.bench.watching import Watched, lags, p95, say_load, verdict
from tui.app import ProofdeckApp
from tui.screens.lab import LabScreen
from tui.screens.lab_view import LabView
from tui.widgets.derivation import DerivationView

FIRST, AT_ONCE, LAG = 1000.0, 100.0, 50.0
COLD = 3
"""Demonstrations that are asked without SymPy too: those whose first step took longest with it."""
PATIENCE = 60.0


class Asked(NamedTuple):
    """Milliseconds to the first picture of the new screen and to that with the first step; the loop's lag meanwhile."""

    shown: float
    step: float
    lag: float


class Following(Watched):
    """Notes how many steps of a derivation each picture shows."""

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self.steps_drawn: list[int] = []

    def forget(self) -> None:
        super().forget()
        self.steps_drawn.clear()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if renderable is not None:
            view = shown(self)
            self.steps_drawn.append(0 if view is None else view.revealed)


def shown(app: ProofdeckApp) -> DerivationView | None:
    """The derivation that fills the screen; the lab's own, beneath its figure, has no room at 80x24."""
    views = app.screen.query(DerivationView) if not app.screen.query(LabView) else ()
    return next(iter(views), None)


async def ask(demo: str, loads: bool) -> tuple[Asked, Asked]:
    """The derivation asked for twice; ``loads``: once what is loaded beside the first screens is there."""
    async with started(Following) as (app, pilot):
        # a data folder of its own holds no proofs yet
        app.push_screen(LabScreen(demo))
        await settle(pilot)
        await app._press_keys(["enter"])
        await settle(pilot)
        if loads:
            await asyncio.to_thread(app.workspace.warm_up)
        found = []
        for _ in range(2):
            lab = app.screen
            app.forget()
            with lags() as late:
                began = time.perf_counter()
                await app._press_keys(["d"])
                while (view := shown(app)) is None or not view.complete:
                    if time.perf_counter() - began > PATIENCE:
                        raise TimeoutError(demo)
                    await asyncio.sleep(0.002)
            await settle(pilot)
            pictures = [
                (at, steps)
                for at, screen, steps in zip(app.drawn, app.drawn_screens, app.steps_drawn, strict=True)
                if screen is not lab
            ]
            first = next(at for at, steps in pictures if steps)
            found.append(Asked((pictures[0][0] - began) * 1000, (first - began) * 1000, p95(late)))
            await app._press_keys(["escape"])
            await settle(pilot)
        return found[0], found[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", action="store_true", help="ask at once, before SymPy is loaded")
    parser.add_argument("demos", nargs="*", metavar="DEMO")
    asked = parser.parse_args()
    if asked.cold:
        for demo in asked.demos:
            was_loaded = "sympy" in sys.modules
            fresh, _ = asyncio.run(ask(demo, loads=False))
            loaded = "SymPy loaded meanwhile" if not was_loaded else "SymPy was loaded"
            verdict(
                f"{demo}, neither: something to see",
                fresh.shown,
                AT_ONCE,
                f"{loaded}; first step {fresh.step:.0f}",
            )
            verdict(f"{demo}, neither: lag of the loop, p95", fresh.lag, LAG)
        return
    say_load()
    print(f"{'demo':5} {'kept':>7} {'decided':>8} {'seen':>7}")
    kept, decided = [], []
    for demo in asked.demos or [entry.id for entry in catalogue()]:
        fresh, again = asyncio.run(ask(load(demo).id, loads=True))
        print(
            f"{demo:5} {again.step:7.0f} {fresh.step:8.0f} {max(fresh.shown, again.shown):7.0f}", flush=True
        )
        kept.append((again.step, demo))
        decided.append((fresh.step, demo))
    verdict("first step, its proof kept", *_worst(kept))
    verdict("first step, SymPy loaded", *_worst(decided))
    for _, demo in sorted(decided, reverse=True)[:COLD]:
        subprocess.run([sys.executable, "-m", __spec__.name, "--cold", demo], check=True)
    say_load()


def _worst(found: list[tuple[float, str]]) -> tuple[float, float, str]:
    ms, demo = max(found)
    return ms, FIRST, demo


if __name__ == "__main__":
    main()
