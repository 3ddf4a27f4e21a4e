"""Driving the app in tests: start it, press keys, read what stands on the screen."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from engine.text import Language
from quizbank.home import Home
from tui.app import ProofdeckApp

SAMPLE = Path(__file__).parent.parent / "data" / "sample_cards.yaml"
SIZES = [(80, 24), (60, 20)]
CACHE = Path(tempfile.mkdtemp(prefix="proofdeck-cache-"))
"""Shared by the tests of a process: what is in it can be made again at any time."""
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)


def make_app(
    folder: Path,
    language: Language = "en",
    start: str = "home",
    options: Mapping[str, Any] | None = None,
    decks: tuple[Path, ...] = (SAMPLE,),
) -> ProofdeckApp:
    return ProofdeckApp(Home(folder, folder, CACHE), decks, language, start, options)


async def settle(pilot: Pilot[int]) -> None:
    """Wait until all that was asked of threads has come back and is on the screen."""
    await pilot.pause()
    for _ in range(50):
        if not any(worker.is_running for worker in pilot.app.workers):
            break
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


async def press(pilot: Pilot[int], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def rows(app: ProofdeckApp) -> list[str]:
    """What stands on the screen, row by row, without spaces at the ends."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def text(app: ProofdeckApp) -> str:
    return "\n".join(rows(app))
