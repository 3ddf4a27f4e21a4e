"""What became of the file of reviews is told where one studies, with the way back."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InputError
from engine.text import Language
from quizbank.home import Home
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Rating
from tests.app.driving import make_app, press, settle
from tui.app import ProofdeckApp
from tui.background import in_thread


def reviewed(home: Path) -> Path:
    """A log with a review and a backup."""
    folder = Home.in_folder(home).data_folder()
    with ReviewLog(folder) as log:
        log.grade("another-card", Rating.GOOD)
        assert log.back_up() is not None
    return folder


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every notice the app gives, for longer than it is on the screen."""
    given: list[str] = []
    usual = ProofdeckApp.notice

    def notice(app: ProofdeckApp, message: str, **rest: Any) -> None:
        given.append(message)
        usual(app, message, **rest)

    monkeypatch.setattr(ProofdeckApp, "notice", notice)
    return given


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("start", ["study", "home"])
async def test_a_damaged_log_is_told_with_the_call_that_restores_it(
    home: Path, told: list[str], language: Language, start: str
) -> None:
    (reviewed(home) / FILE_NAME).write_bytes(b"no database\n" * 99)
    app = make_app(home, language, start)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
    assert len(told) == 2
    assert "reviews.damaged-" in told[0]
    assert "proofdeck log restore" in told[1]


async def test_damage_met_while_studying_is_told_and_the_answer_kept(home: Path, told: list[str]) -> None:
    path = reviewed(home) / FILE_NAME
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        path.with_name(FILE_NAME + "-wal").unlink(missing_ok=True)
        path.unlink()
        await press(pilot, "space", "3")
        await settle(pilot)
    assert len(told) == 2
    assert "proofdeck log restore" in told[1]
    with ReviewLog(path.parent) as log:
        assert len(log.entries()) == 1


async def test_studying_leaves_a_backup_of_what_was_done_before(home: Path, told: list[str]) -> None:
    folder = Home.in_folder(home).data_folder()
    with ReviewLog(folder) as log:
        log.grade("another-card", Rating.GOOD)
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        until = time.monotonic() + 20
        while not (found := app.workspace.log.backups.all()) and time.monotonic() < until:
            await pilot.pause(0.05)
        assert [one.entries for one in found] == [1]
    assert told == []


@pytest.mark.parametrize("hindrance", ["locked", "full"])
async def test_where_an_answer_cannot_be_stored_the_card_stays_and_the_same_key_tries_again(
    home: Path, told: list[str], hindrance: str
) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "space")
        screen = app.screen
        card, log = screen.session.current, app.workspace.log
        other = sqlite3.connect(log.path, isolation_level=None)
        if hindrance == "locked":
            log.read(lambda connection: connection.execute("PRAGMA busy_timeout = 20").fetchall())
            other.execute("BEGIN IMMEDIATE")
        else:
            log.read(lambda connection: connection.execute("PRAGMA max_page_count = 1").fetchall())
            with pytest.raises(InputError, match="disk is full"):  # noqa: PT012
                for number in range(1000):
                    log.grade(f"another {number}", Rating.GOOD)
        held = log.entries()
        await press(pilot, "4")
        assert {"locked": "holds the review log locked", "full": "the disk is full"}[hindrance] in told[-1]
        assert (screen.session.current, log.entries()) == (card, held)
        if hindrance == "locked":
            other.execute("ROLLBACK")
        else:
            log.read(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchall())
        other.close()
        await press(pilot, "4")
        assert [(entry.card, entry.rating) for entry in log.entries()[len(held) :]] == [(card, Rating.EASY)]
        assert screen.session.finished
        assert log.verify().ok


async def test_another_retention_set_while_studying_changes_the_next_interval(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = app.screen
        await in_thread(lambda: app.workspace.keep("desired_retention", lambda: 0.8))
        await press(pilot, "space")
        assert screen.preview is not None
        shown = screen.preview[Rating.EASY]
        await press(pilot, "4")
        (entry,) = app.workspace.log.entries()
        assert (entry.after, entry.interval) == (shown.after, shown.interval)
        assert app.workspace.log.scheduler.settings.desired_retention == 0.8
        assert app.workspace.log.verify().ok
