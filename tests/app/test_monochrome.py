"""``NO_COLOR``: no colour reaches the terminal, and what colours said is said by bold and reversed."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment

from tests.app.driving import make_app, press, settle
from tui.app import ProofdeckApp


def segments(app: ProofdeckApp) -> list[list[Segment]]:
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def coloured(app: ProofdeckApp) -> list[Segment]:
    return [
        one for row in segments(app) for one in row if one.style and (one.style.color or one.style.bgcolor)
    ]


def reversed_text(app: ProofdeckApp) -> str:
    return "".join(one.text for row in segments(app) for one in row if one.style and one.style.reverse)


@pytest.mark.parametrize("theme", ["textual-dark", pytest.param("textual-light", marks=pytest.mark.slow)])
async def test_no_colour_is_sent_and_the_cursor_is_seen_all_the_same(
    home: Path, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        app.theme = theme
        await settle(pilot)
        assert coloured(app) == []
        assert "Proofdeck" in reversed_text(app)
        assert "Study: flashcards" in reversed_text(app)
        assert "Lab: move" not in reversed_text(app)
        await press(pilot, "t")
        assert coloured(app) == []
        assert "‹ all ›" in reversed_text(app)
        assert "‹ evenly ›" not in reversed_text(app)
        await press(pilot, "escape", "colon")
        assert coloured(app) == []


async def test_an_empty_no_color_asks_for_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert coloured(app)
