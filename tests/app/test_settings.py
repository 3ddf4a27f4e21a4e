"""The settings in the app: kept between starts, changed on a screen, in force at once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from quizbank.home import Home
from quizbank.settings import FILE_NAME, read_settings
from tests.app.driving import make_app, press, settle, text
from tui.app import ProofdeckApp


def started(home: Path, **options: object) -> ProofdeckApp:
    """The app as the shell starts it: with the settings of its home."""
    made = make_app(home, "zh" if read_settings(home)[0].language == "zh" else "en", **options)
    return ProofdeckApp(
        made.workspace.home, (), made.language, made.start, made.options, settings=read_settings(home)
    )


async def test_language_and_theme_stay_between_starts(home: Path) -> None:
    home.mkdir(exist_ok=True)
    app = started(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        before = app.current_theme.dark
        await press(pilot, "f2", "f4")
    again = started(home)
    async with again.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert again.language == "zh"
        assert again.current_theme.dark is not before


@pytest.mark.slow
async def test_a_setting_is_changed_explained_and_kept_with_comments(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / FILE_NAME).write_text("new_per_day = 3  # enough\n", encoding="utf-8")
    app = started(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "comma")
        assert "Language of the app" in text(app)
        await press(pilot, "down", "right")
        assert read_settings(home)[0].theme == "light"
        assert not app.current_theme.dark
        for _ in range(3):
            await press(pilot, "down")
        assert "The most new cards a day" in text(app)
        await press(pilot, "backspace", "0", "enter")
        assert read_settings(home)[0].new_per_day == 0
        assert "new_per_day = 0  # enough" in (home / FILE_NAME).read_text(encoding="utf-8")
        await press(pilot, "x", "enter")
        assert "is not a number" in text(app)
        assert read_settings(home)[0].new_per_day == 0
        await press(pilot, "escape", "s")
        assert "held back by the daily limits" in text(app)


@pytest.mark.slow
async def test_the_day_of_the_interview_is_typed(home: Path) -> None:
    home.mkdir(exist_ok=True)
    app = started(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "comma", *["down"] * 8)
        await pilot.press(*"2027-13-01")
        await press(pilot, "enter")
        assert "2027-13-01 cannot be used" in text(app)
        await press(pilot, "backspace", "backspace", "backspace", "backspace", "backspace")
        await pilot.press(*"01-15")
        await press(pilot, "enter")
        assert read_settings(home)[0].interview_date == date(2027, 1, 15)


async def test_a_fault_is_a_notice_and_the_default_is_used(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / FILE_NAME).write_text("\nthem = 'dark'\nnew_per_day = 'x'\n", encoding="utf-8")
    app = started(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        notices = [notice.message.replace("\n", "") for notice in app._notifications]
        assert any(f"{FILE_NAME}:2" in line and "them" in line for line in notices)
        assert any(f"{FILE_NAME}:3" in line for line in notices)
        assert app.workspace.preferences.new_per_day == 20


def test_a_home_without_settings_has_none_made_by_starting(home: Path) -> None:
    assert started(home).workspace.preferences == read_settings(Home.in_folder(home).config)[0]
    assert not (home / FILE_NAME).exists()
