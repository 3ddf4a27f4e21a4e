"""What the first paint costs, and where the app opens."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.driving import make_app, settle, text
from tui.screens import home as home_screen
from tui.screens.home import IDLE

PROBE = """
import sys
from quizbank.home import Home
from tui.app import ProofdeckApp

class Probe(ProofdeckApp):
    def first_painted(self):
        painted = "\\n".join(strip.text for strip in self.screen._compositor.render_strips())
        assert "Study" in painted, painted
        print(*sorted(sys.modules), file=sys.__stdout__)
        self.exit(0)

probe = Probe(Home.from_environment())
probe.run(headless=True)
from tui.cli import end
end(probe.return_code)
"""

HEAVY = {"numpy", "sympy", "yaml", "textual.widgets._markdown", "markdown_it", "fsrs", "pydantic", "sqlite3",
         "math_core", "quizbank.bank", "engine.demonstration"}  # fmt: skip


def test_nothing_heavy_is_imported_before_the_first_paint(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert not HEAVY & set(done.stdout.split())


def test_what_textual_is_told_before_it_is_imported_unless_the_user_told_it() -> None:
    """No kitty protocol, and fewer frames over ssh."""
    ask = (
        "import tui.app; from textual import constants; print(constants.DISABLE_KITTY_KEY, constants.MAX_FPS)"
    )
    for given, expected in (
        ({}, "True 90"),
        ({"SSH_CONNECTION": "10.0.0.1 50000 10.0.0.2 22"}, "True 20"),
        ({"SSH_CONNECTION": "x", "TEXTUAL_FPS": "30", "TEXTUAL_DISABLE_KITTY_KEY": "0"}, "False 30"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", ask],
            env=given,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == expected


async def test_a_new_person_is_told_what_to_press(home: Path) -> None:
    app = make_app(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "New here? Press Enter." in text(app)
        await pilot.press("enter")
        await settle(pilot)
        assert "Why are attention scores divided" in text(app)


async def test_a_damaged_log_is_set_aside_with_a_notice_and_the_app_goes_on(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "reviews.db").write_bytes(b"this was never a database" * 100)
    app = make_app(home)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await pilot.pause(0.1)
        assert "a new one was started" in " ".join(text(app).replace("▌", " ").split())
        await pilot.press("s")
        await settle(pilot)
        assert "Why are attention scores divided" in text(app)
    # what was there is kept for whoever can read it
    assert any(path.read_bytes().startswith(b"this was never") for path in home.iterdir() if path.is_file())


async def test_the_heavy_libraries_wait_for_a_screen_that_may_need_them(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(home)
    warmed = asyncio.Event()
    loaded = []
    monkeypatch.setattr(home_screen, "load_screens", lambda: loaded.append("screens"))
    monkeypatch.setattr(app.workspace, "warm_up", warmed.set)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await asyncio.sleep(2 * IDLE)
        await settle(pilot)
        assert not loaded
        assert not warmed.is_set()
        await pilot.press("b")
        await settle(pilot)
        await asyncio.wait_for(warmed.wait(), 30)
        # whatever key comes next opens a screen that is imported already
        assert loaded == ["screens"]
