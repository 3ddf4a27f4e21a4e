"""The plan on screen: the day typed, today's planned cards studied, and what the first screen says of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from engine.text import Language
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.settings import read_settings, write_setting
from tests.app.driving import make_app, press, rows, settle, text
from tui.app import ProofdeckApp
from tui.screens.home import HomeScreen
from tui.screens.plan import DateScreen, PlanScreen
from tui.screens.study import StudyScreen


def soon(days: int) -> str:
    return (local_day(now_ms()) + timedelta(days=days)).isoformat()


def started(home: Path, language: Language) -> ProofdeckApp:
    made = make_app(home, language)
    return ProofdeckApp(made.workspace.home, (), language, "home", None, settings=read_settings(home))


async def test_the_day_is_typed_and_todays_cards_are_studied_though_they_are_not_due(home: Path) -> None:
    home.mkdir(exist_ok=True)
    with ReviewLog(home) as log:
        # seen yesterday and due in many days: only the plan asks for it today
        log.grade("sample-attention-scale", Rating.EASY, now_ms() - 86_400_000)
        due = log.due()
    assert not due
    app = started(home, "zh")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        assert "面试是哪天" in text(app)
        await press(pilot, "d")
        await pilot.press(*soon(1), "down", "backspace", "backspace", *"60", "enter")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, PlanScreen)
        assert screen.found is not None
        kept = read_settings(home)[0]
        assert (kept.interview_date, kept.minutes_a_day) == (screen.found.interview, 60)
        ((_, cards),) = screen.found.days
        assert "sample-attention-scale" in cards
        assert f"{len(cards)} 张" in text(app)
        assert "全部卡片" in text(app)
        # beside another day, the old plan is called so until the new one is there
        assert "仍是" not in text(app)
        kept_day, screen.interview = screen.interview, screen.interview + timedelta(days=9)
        screen.show()
        await settle(pilot)
        assert f"仍是 {kept_day.isoformat()}" in text(app)
        screen.interview = kept_day
        screen.show()
        await press(pilot, "home", "enter")
        assert isinstance(app.screen, StudyScreen)
        assert app.screen.session is not None
        # a plan has cards never seen: none of it is called due
        assert "今日计划" in rows(app)[0]
        await press(pilot, "f2")
        assert "today's plan" in rows(app)[0]
        progress = app.screen.session.progress
        assert (progress.due, progress.new) == (1, 0)
        await press(pilot, "escape", "escape")
        await settle(pilot)
        assert "1 due · " in text(app)
    with ReviewLog(home) as log:
        assert "sample-attention-scale" in log.due()


@pytest.mark.slow
@pytest.mark.parametrize(("language", "size"), [("en", (60, 20)), ("zh", (120, 40))])
async def test_keys_move_the_day_and_the_minutes_and_the_first_screen_tells_them(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    home.mkdir(exist_ok=True)
    write_setting(home, "interview_date", soon(2))
    app = started(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "p", "right_square_bracket", "plus")
        screen = app.screen
        assert isinstance(screen, PlanScreen)
        assert soon(3) in text(app)
        assert screen.found is not None
        assert (screen.found.interview.isoformat(), screen.found.minutes) == (soon(3), 25)
        await press(pilot, "end")
        assert all(len(row) <= size[0] for row in rows(app))
        await press(pilot, "enter")
        assert soon(2) in text(app)
        await press(pilot, "escape", "escape")
        home_screen = app.screen
        assert isinstance(home_screen, HomeScreen)
        await pilot.pause(0.5)
        await settle(pilot)
        assert home_screen.ready == (3, screen.found.overall.planned)
        assert f"{screen.found.overall.planned:.0%}" in text(app)


@pytest.mark.slow
async def test_a_day_that_is_past_and_minutes_that_are_none_are_told(home: Path) -> None:
    home.mkdir(exist_ok=True)
    write_setting(home, "interview_date", soon(-3))
    app = started(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        assert "must lie between today and 365 days" in text(app)
        assert f"{soon(-3)}, which is past" in text(app)
        await press(pilot, "d", "down", "x", "enter")
        assert "minutes are a whole number, not 20x" in text(app)
        await press(pilot, "backspace", "5", "up", *["backspace"] * 10, *"12/5", "enter")
        # in the words of the form; and of two things typed none is kept where one cannot be used
        assert "12/5 is no date: write it like 2027-01-15, or leave it empty" in " ".join(text(app).split())
        assert read_settings(home)[0].minutes_a_day == 20
        # what no plan can be made for is refused as what is no date is
        for day in (soon(-3), soon(366)):
            await press(pilot, *["backspace"] * 10)
            await pilot.press(*day)
            await press(pilot, "enter")
            assert isinstance(app.screen, DateScreen)
            assert f"365 days from now, not on {day}" in " ".join(text(app).split())
            kept = read_settings(home)[0]
            assert kept.interview_date is not None
            assert (kept.interview_date.isoformat(), kept.minutes_a_day) == (soon(-3), 20)
        await press(pilot, "escape", "right_square_bracket")
        screen = app.screen
        assert isinstance(screen, PlanScreen)
        # a day later than a past one is today at the least
        assert screen.interview is not None
        assert screen.interview.isoformat() == soon(0)


async def test_no_key_moves_the_day_beyond_what_is_planned(home: Path) -> None:
    home.mkdir(exist_ok=True)
    write_setting(home, "interview_date", soon(365))
    app = started(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p", "right_square_bracket")
        assert read_settings(home)[0].interview_date is not None
        assert str(read_settings(home)[0].interview_date) == soon(365)
