"""The settings in the app: kept between starts, changed on a screen, in force at once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from quizbank.home import Home
from quizbank.learning.day import local_day, now_ms
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
        today = local_day(now_ms())
        # what no plan can be made for is refused here, not kept for the next screen to complain of
        for day in (today - timedelta(days=1), today + timedelta(days=366)):
            await press(pilot, *["backspace"] * 10)
            await pilot.press(*day.isoformat())
            await press(pilot, "enter")
            assert f"365 days from now, not on {day}" in " ".join(text(app).split())
            assert read_settings(home)[0].interview_date is None
        furthest = today + timedelta(days=365)
        for day in (today, furthest):
            await press(pilot, *["backspace"] * 10)
            await pilot.press(*day.isoformat())
            await press(pilot, "enter")
            assert read_settings(home)[0].interview_date == day
        await press(pilot, *["backspace"] * 10, "enter")
        assert read_settings(home)[0].interview_date is None


async def test_a_deck_that_is_not_there_is_refused_in_the_form(home: Path) -> None:
    (home / "mine").mkdir(parents=True)
    (home / "mine" / "cards.yaml").touch()
    app = started(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "comma", *["down"] * 9)
        await pilot.press(*"mine; gone")
        await press(pilot, "enter")
        assert "Own decks: no card file is at gone" in text(app)
        await press(pilot, "f2")
        assert "自备卡片：gone 处没有卡片文件" in text(app)
        assert read_settings(home)[0].decks == ()
        assert read_settings(home)[1] == ()
        await press(pilot, *["backspace"] * 6, "enter")
        assert read_settings(home)[0].decks == (home / "mine",)


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
