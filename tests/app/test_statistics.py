"""The statistics in the app: a view at a time, and the fit that is offered from them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from math import inf
from pathlib import Path

import pytest

from engine.text import Language
from quizbank.fitting import optimizer
from quizbank.fitting.evaluation import Gain
from quizbank.fitting.fit import Fit, Scored
from quizbank.learning.day import now_ms
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.planning.forgetting import DEFAULT
from quizbank.settings import read_settings
from quizbank.statistics import words as views
from tests.app.driving import make_app, press, rows, settle, text
from tests.fitting.learner import FORGETFUL
from tui.screens import fit as fit_screen
from tui.screens.browse import BrowseScreen
from tui.screens.calibration import CalibrationScreen
from tui.screens.fit import FitScreen
from tui.screens.statistics import StatisticsScreen
from tui.widgets.menu import Menu

DAY = 86_400_000


def studied(home: Path) -> None:
    now = now_ms()
    with ReviewLog(home) as log:
        for days_ago, rating in ((9, Rating.EASY), (5, Rating.AGAIN), (2, Rating.GOOD), (0, Rating.GOOD)):
            log.grade("sample-attention-scale", rating, now - days_ago * DAY, 8_000, 1_500)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_without_reviews_each_view_says_what_to_do(home: Path, language: Language) -> None:
    app = make_app(home, language)
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        screen = app.screen
        assert isinstance(screen, StatisticsScreen)
        assert {"en": "Study a few cards", "zh": "先学几张卡片"}[language] in text(app)
        await press(pilot, *["right"] * 4)
        assert {"en": "only after a", "zh": "隔了夜"}[language] in text(app)
        # nothing to fit to, so it is not offered
        await press(pilot, "f")
        assert app.screen is screen


async def test_views_turn_both_ways_and_change_language_in_place(home: Path) -> None:
    studied(home)
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        screen = app.screen
        names = []
        for _ in range(len(views.NAMES)):
            names.append(screen.view.key)
            assert views.NAMES[names[-1]].en in rows(app)[0]
            await press(pilot, "right")
        assert names == list(views.NAMES)
        assert screen.view.key == "overview"
        await press(pilot, *["left"] * 6)
        assert "2 of 3, too few to say" in " ".join(text(app).split())
        # a topic leads to its cards, and back
        await press(pilot, "right", "right", "enter")
        assert isinstance(app.screen, BrowseScreen)
        assert app.screen.wanted.topics == ("attention",)
        await press(pilot, "escape", "left", "left")
        await press(pilot, "f2")
        assert "3 次中 2 次，次数太少" in text(app)
        assert "记忆保持率" in rows(app)[0]
        await press(pilot, "z")
        assert "次数太少" not in text(app)
        await press(pilot, "z", "o")
        assert isinstance(app.screen, CalibrationScreen)


@pytest.mark.slow
async def test_where_there_is_room_the_views_stand_in_a_list(home: Path) -> None:
    studied(home)
    app = make_app(home, "zh")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        screen = app.screen
        assert all(name.zh in text(app) for name in views.NAMES.values())
        await press(pilot, "down", "down")
        assert screen.view.key == "calendar"
        await press(pilot, "right")
        assert screen.query_one("#views", Menu).item.id == screen.view.key == "forecast"
        await press(pilot, "enter")
        assert screen.focused is screen.query_one("#said", Menu)
        # a narrow window has no list, and the keys go on
        await pilot.resize_terminal(60, 20)
        await press(pilot, "left")
        assert screen.view.key == "calendar"
        assert not screen.query_one("#views", Menu).display


@pytest.mark.slow
async def test_a_file_that_cannot_be_read_is_said_where_the_view_would_be(home: Path) -> None:
    (home / "predictions.db").mkdir(parents=True)
    app = make_app(home, "zh")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        assert "predictions.db" in text(app)


FOUND = Fit(
    1300, 560, 150, date(2026, 1, 5), False,
    Scored(DEFAULT, 0.41, 0.09), Scored(FORGETFUL, 0.38, 0.06), Gain(0.03, 0.01, 0.05),
)  # fmt: skip


class Child:
    """The process of a fit, as far as the screen knows it."""

    made: Child

    def __init__(self, call: list[str], **_: object) -> None:
        Child.made = self
        self.call = call
        self.killed = threading.Event()
        self.ends = threading.Event()
        self.returncode: int | None = None

    def communicate(self) -> tuple[str, str]:
        self.ends.wait(60)
        self.returncode = -9 if self.killed.is_set() else 0
        return json.dumps(FOUND.as_json()), ""

    def kill(self) -> None:
        self.killed.set()
        self.ends.set()


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Child]]:
    monkeypatch.setattr(optimizer, "is_installed", lambda: True)
    monkeypatch.setattr(fit_screen.subprocess, "Popen", Child)
    yield Child
    Child.made.ends.set()


@pytest.mark.slow
async def test_a_fit_is_run_shown_applied_and_taken_back(home: Path, child: type[Child]) -> None:
    studied(home)
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = FitScreen(700, 640, False)
        await app.push_screen(screen)
        await settle(pilot)
        assert "Press s to start" in " ".join(text(app).split())
        await pilot.press("s")
        child.made.ends.set()
        await settle(pilot)
        assert child.made.call[1:6] == ["-P", "-m", "tui", "fit", "--json"]
        assert "0.4100    0.3800" in text(app)
        assert "log loss falls by 0.0300" in " ".join(text(app).split())
        assert read_settings(home)[0].fsrs_weights == ()
        await press(pilot, "a")
        assert read_settings(home)[0].fsrs_weights == FORGETFUL
        assert "Weights of your own" in text(app)
        log = app.workspace.log
        assert log.scheduler.settings.parameters == FORGETFUL
        assert log.verify().ok
        await press(pilot, "d")
        assert read_settings(home)[0].fsrs_weights == ()
        assert app.workspace.log.scheduler.settings.parameters is None


async def test_leaving_ends_a_fit_that_runs(home: Path, child: type[Child]) -> None:
    app = make_app(home, "zh")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await app.push_screen(FitScreen(700, 640, False))
        await settle(pilot)
        await pilot.press("s")
        await pilot.pause()
        assert "正在拟合" in text(app)
        await pilot.press("escape")
        await settle(pilot)
        assert child.made.killed.is_set()


def test_a_fit_comes_back_whole_from_another_process() -> None:
    for found in (FOUND, replace(FOUND, gain=Gain(0.03, -inf, inf))):
        assert Fit.from_json(json.loads(json.dumps(found.as_json(), allow_nan=False))) == found
