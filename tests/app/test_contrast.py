"""Text can be told from its ground: a contrast of at least 4.5 (WCAG 2, level AA) in both themes."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color

from tests.app.driving import make_app, press, settle
from tui.app import ProofdeckApp
from tui.screens.lab import LabScreen

pytestmark = pytest.mark.slow

LEAST = 4.5


def luminance(color: Color) -> float:
    shares = [channel / 255 for channel in color.get_truecolor()]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def faint(app: ProofdeckApp) -> set[tuple[str, float]]:
    """Words (letters and digits, not the lines of a figure) whose contrast is too low."""
    found = set()
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if style is None or style.color is None or style.bgcolor is None:
                continue
            if not any(character.isalnum() for character in segment.text):
                continue
            ratio = contrast(style.color, style.bgcolor)
            if ratio < LEAST:
                found.add((segment.text.strip(), round(ratio, 2)))
    return found


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
async def test_every_word_is_readable_in_both_themes(home: Path, theme: str) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.theme = theme
        for keys in (
            ("question_mark",),
            ("escape", "t"),
            ("escape", "e"),
            ("escape", "b"),
            ("enter",),
            ("s",),
            ("escape", "escape", "s"),
            ("space",),
            ("space",),
            ("escape",),
        ):
            assert faint(app) == set(), keys
            await press(pilot, *keys)
        app.push_screen(LabScreen("D19"))
        await settle(pilot)
        assert faint(app) == set()
        for key in ("enter", "d", "A"):
            await press(pilot, key)
            assert faint(app) == set(), key
