"""Driving the app in tests: start it, press keys, read what stands on the screen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual import _wait
from textual.pilot import Pilot

from engine.text import Language
from quizbank.home import Home
from tui.app import ProofdeckApp
from tui.screens.home import HomeScreen
from tui.screens.lab_view import LabView

# Textual's pilot looks every 20 ms whether the app has come to rest; a test of fifty keys need not take seconds
_wait.SLEEP_GRANULARITY = 1 / 250
_wait.SLEEP_IDLE = _wait.SLEEP_GRANULARITY / 20

SAMPLE = Path(__file__).parent.parent / "data" / "sample_cards.yaml"
SIZES = [(80, 24), (60, 20)]


def make_app(
    folder: Path,
    language: Language = "en",
    start: str = "home",
    options: Mapping[str, Any] | None = None,
    decks: tuple[Path, ...] = (),
) -> ProofdeckApp:
    """The app on a data folder of its own; what can be made again at any time is shared by all tests."""
    cache = Path(os.environ["PROOFDECK_TEST_CACHE"])
    return ProofdeckApp(Home(folder, folder, cache), decks, language, start, options)


async def settle(pilot: Pilot[int]) -> None:
    """Wait until all that was asked of threads has come back and is on the screen."""
    quiet = 0
    for _ in range(200):
        await pilot.pause()
        if any(worker.is_running for worker in pilot.app.workers):
            await pilot.app.workers.wait_for_complete()
            quiet = 0
        elif any(waiting(widget) for widget in (pilot.app.screen, *pilot.app.screen.query("*"))):
            quiet = 0
        else:
            quiet += 1
        if quiet == 2:
            return
    raise AssertionError("the app does not come to rest")


def waiting(widget: object) -> bool:
    """Does the widget still miss what it asked for?"""
    if isinstance(widget, HomeScreen):
        return widget.overview is None
    if isinstance(widget, LabView):
        return widget.error is None and (
            widget.shown is None or widget.shown[0].params.as_dict() != widget.values()
        )
    # what a typed answer is read as
    return bool(getattr(widget, "is_waiting", False))


async def press(pilot: Pilot[int], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def type_keys(pilot: Pilot[int], *keys: str) -> None:
    """As :func:`press`, but what goes into a text is typed without waiting for each character to be shown."""
    run: list[str] = []
    for key in keys:
        focused = pilot.app.screen.focused
        if len(key) == 1 and focused is not None and focused.check_consume_key(key, key):
            run.append(key)
            continue
        if run:
            await pilot.press(*run)
            await settle(pilot)
            run = []
        await press(pilot, key)
    if run:
        await pilot.press(*run)
        await settle(pilot)


def rows(app: ProofdeckApp) -> list[str]:
    """What stands on the screen, row by row, without spaces at the ends."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def text(app: ProofdeckApp) -> str:
    return "\n".join(rows(app))
