"""The main screens as pictures: wide and narrow, in both languages, dark, light and without colour.

``pytest tests/app/test_snapshots.py --snapshot-update`` (with ``PROOFDECK_TIERS=slow``) draws them anew, into
``__snapshots__``; look at them before they are kept. They show the sample deck at a fixed moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from engine.text import Language, Text
from tests.app.driving import make_app, settle, type_keys
from tests.app.test_workbench import DECK, VARIANCE
from tests.screenshots.make import with_wide_characters, without_outside_fonts
from tui.app import ProofdeckApp

NOON = 1_780_315_200_000
"""2026-06-01 12:00 UTC, in milliseconds."""
LIGHT = "textual-light"


class Shot(NamedTuple):
    name: str
    language: Language
    size: tuple[int, int]
    keys: tuple[str, ...]
    theme: str = "textual-dark"
    start: str = "home"
    options: Mapping[str, Any] | None = None
    everyday: bool = False


SHOTS = (
    Shot("home", "en", (80, 24), ()),
    Shot("home", "zh", (60, 20), (), everyday=True),
    Shot("home", "zh", (120, 40), (), LIGHT),
    Shot("help", "en", (60, 20), ("question_mark",)),
    Shot("palette", "zh", (60, 20), ("colon",), LIGHT),
    Shot("study, question", "en", (60, 20), ("s",)),
    Shot("study, full", "zh", (80, 24), ("s", "space", "space"), everyday=True),
    Shot("study, full", "en", (120, 40), ("s", "space", "space"), LIGHT),
    Shot("card", "en", (60, 20), ("b", "enter")),
    Shot("card, derivation", "zh", (80, 24), ("b", "enter", "d", "space", "space")),
    Shot("card, derivation", "en", (120, 40), ("b", "enter", "d", "A"), LIGHT),
    Shot("card, guess", "zh", (60, 20), ("b", "enter", "l")),
    Shot("card, lab", "en", (120, 40), ("b", "enter", "l", "enter")),
    Shot("card, lab", "zh", (80, 24), ("b", "enter", "l", "enter"), LIGHT),
    Shot("card, lab", "en", (60, 20), ("b", "enter", "l", "enter")),
    Shot("card, lab, no colour", "en", (80, 24), ("b", "enter", "l", "enter"), everyday=True),
    Shot("card, follow-ups", "zh", (60, 20), ("b", "enter", "f", "enter"), LIGHT),
    Shot("browse", "en", (80, 24), ("b",), LIGHT),
    Shot("self-test", "zh", (60, 20), ("t",)),
    Shot("sitting", "en", (80, 24), (), start="test", options={"kinds": ("choice",), "count": 1, "seed": 7}),
    Shot("own derivation", "zh", (80, 24), ("w", "n"), LIGHT),
    Shot("derivation written", "en", (80, 24), (*"sigma^4*d_k", "enter"), start="derive", options=VARIANCE),
    Shot("statistics", "en", (80, 24), ("a",)),
    Shot("plan", "zh", (60, 20), ("p",)),
    Shot("settings", "en", (80, 24), ("comma",), LIGHT, everyday=True),
    Shot("settings, no colour", "zh", (80, 24), ("comma",)),
)


def _cases() -> list[object]:
    return [
        pytest.param(
            shot,
            id=f"{shot.name}, {shot.language} {shot.size[0]}".replace(", ", "-").replace(" ", "-"),
            marks=() if shot.everyday else pytest.mark.slow,
        )
        for shot in SHOTS
    ]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment, and the time a step took."""
    monkeypatch.setattr("quizbank.learning.day.time", SimpleNamespace(time_ns=lambda: NOON * 1_000_000))
    monkeypatch.setattr("tui.widgets.derivation.MILLISECONDS", Text("9 ms", "9 毫秒"))
    for name in ("COLORFGBG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("shot", _cases())
def test_the_screen_looks_as_it_did(
    home: Path, shot: Shot, snap_compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "no colour" in shot.name:
        monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(home, shot.language, shot.start, shot.options, (DECK,) if shot.start == "derive" else ())
    drawn = app.export_screenshot
    # a Chinese character is two cells wide, and a picture in a repository asks nobody for a font
    app.export_screenshot = lambda **how: with_wide_characters(without_outside_fonts(drawn(**how)))  # type: ignore[method-assign]

    async def arrive(pilot: Pilot[int]) -> None:
        assert isinstance(pilot.app, ProofdeckApp)
        pilot.app.theme = shot.theme
        await settle(pilot)
        await type_keys(pilot, *shot.keys)
        for field in pilot.app.screen.query(Input):
            # seen in every picture, not in every other
            field.cursor_blink = False

    assert snap_compare(app, terminal_size=shot.size, run_before=arrive)
