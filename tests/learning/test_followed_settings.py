"""Weights fitted in a shell while the app is open: gone by from the next card on, and no button ever lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS

from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.opening import open_log
from quizbank.learning.session import StudySession
from quizbank.settings import settings_path, write_setting

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000
FITTED = [*(4 * weight for weight in DEFAULT_PARAMETERS[:4]), *DEFAULT_PARAMETERS[4:]]
"""A person who remembers four times as long after the first review."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.in_folder(tmp_path)


def applied(home: Home) -> None:
    """As ``proofdeck fit --apply`` does in another process."""
    write_setting(home.config_folder(), "fsrs_weights", FITTED)
    open_log(home).close()


def easy(log: ReviewLog, card: str) -> int:
    """Days that the button Easy says of a card never seen."""
    return log.preview(card, NOON)[Rating.EASY].interval.days


def test_an_open_session_goes_by_them_from_the_next_card_on(home: Home) -> None:
    with open_log(home) as log:
        usual = easy(log, "one")
        session = StudySession(log, ["one", "two"], clock_ms=lambda: NOON)
        shown = session.reveal()
        applied(home)
        # the buttons stand: what they say is what is stored
        done = session.grade(Rating.EASY)
        assert done.as_shown
        assert shown is not None
        assert done.entry is not None
        assert done.entry.interval == shown[Rating.EASY].interval
        assert shown[Rating.EASY].interval.days == usual
        assert log.notices == ()
        shown = session.reveal()
        assert shown is not None
        assert shown[Rating.EASY].interval.days > 2 * usual
        assert [notice.en for notice in log.notices if "changed elsewhere" in notice.en]
        done = session.grade(Rating.EASY)
        assert done.as_shown
        assert done.entry is not None
        assert done.entry.interval == shown[Rating.EASY].interval
        assert log.verify().ok
        memories = log.memories()
    with open_log(home) as again:
        assert again.memories() == memories
        assert again.verify().ok


def test_the_next_session_goes_by_them_at_once(home: Home) -> None:
    with open_log(home) as log:
        StudySession(log, ["one"], clock_ms=lambda: NOON)
        applied(home)
        StudySession(log, ["one"], clock_ms=lambda: NOON, cram=True)
        assert log.scheduler.settings.parameters is None
        StudySession(log, ["one"], clock_ms=lambda: NOON)
        assert log.scheduler.settings.parameters == tuple(FITTED)


def test_settings_with_a_fault_are_not_gone_by_until_it_is_mended(home: Home) -> None:
    with open_log(home) as log:
        usual = easy(log, "one")
        write_setting(home.config_folder(), "fsrs_weights", FITTED)
        path = settings_path(home.config)
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole + "half = [", encoding="utf-8")
        assert easy(log, "one") == usual
        path.write_text(whole, encoding="utf-8")
        assert easy(log, "one") > 2 * usual


def test_a_schedule_left_by_other_settings_is_derived_anew_before_the_buttons_are_shown(
    tmp_path: Path,
) -> None:
    with ReviewLog(tmp_path) as log:
        log.grade("card", Rating.GOOD, NOON)
        applied(Home.in_folder(tmp_path))
        shown = log.preview("card", NOON + DAY)
        stored = log.grade("card", Rating.GOOD, NOON + DAY)
        assert stored.before == shown.before
        assert stored.after == shown[Rating.GOOD].after
