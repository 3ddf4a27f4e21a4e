"""What was studied today, and the limits of a day."""

from __future__ import annotations

from datetime import UTC, timedelta
from pathlib import Path

import pytest

from quizbank.learning import due
from quizbank.learning.daily import Studied, studied, waiting
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.session import StudySession

DAY_MS = timedelta(days=1) // timedelta(milliseconds=1)
MONDAY = 20_000 * DAY_MS + DAY_MS // 2


def test_a_card_counts_once_a_day_as_new_or_as_come_back(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, zone=UTC) as log:
        assert studied(log, MONDAY) == Studied(0, 0)
        for card in ("a", "b"):
            log.grade(card, Rating.AGAIN, at_ms=MONDAY)
            log.grade(card, Rating.GOOD, at_ms=MONDAY + 60_000)
        undone = log.grade("c", Rating.GOOD, at_ms=MONDAY)
        assert studied(log, MONDAY) == Studied(3, 0)
        log.undo(undone.id, MONDAY)
        assert studied(log, MONDAY) == Studied(2, 0)
        tuesday = MONDAY + DAY_MS
        assert studied(log, tuesday) == Studied(0, 0)
        log.grade("a", Rating.GOOD, at_ms=tuesday)
        log.grade("c", Rating.GOOD, at_ms=tuesday)
        assert studied(log, tuesday) == Studied(1, 1)


def test_limits_hold_back_what_is_over_and_say_how_much(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, zone=UTC) as log:
        for card in ("a", "b", "c"):
            log.grade(card, Rating.EASY, at_ms=MONDAY)
        later = MONDAY + 60 * DAY_MS
        cards = ["a", "b", "c", "d", "e", "f"]
        session = StudySession(log, cards, due_limit=2, new_limit=1, clock_ms=lambda: later)
        assert (session.progress.due, session.progress.new, session.held_back) == (2, 1, 3)
        # what is gone through without the schedule has no limit of the day
        cram = StudySession(log, cards, due_limit=0, new_limit=0, cram=True, clock_ms=lambda: later)
        assert (cram.progress.due, cram.held_back) == (6, 0)


def test_what_waits_is_counted_of_these_cards_alone(tmp_path: Path) -> None:
    cards = {"due", "step", "new", "buried", "later", "wanted"}
    with ReviewLog(tmp_path, zone=UTC) as log:
        nothing = waiting(log, cards, 20 * 60_000, MONDAY)
        assert (nothing.due, nothing.new, nothing.soon, nothing.is_first) == (set(), cards, set(), True)
        for card in ("due", "of another deck"):
            log.grade(card, Rating.EASY, at_ms=MONDAY - 100 * DAY_MS)
        log.grade("later", Rating.EASY, at_ms=MONDAY)
        for card in ("step", "step of another deck"):
            log.grade(card, Rating.GOOD, at_ms=MONDAY - 60_000)
        log.bring_forward(["wanted"], MONDAY)
        log.bury(["buried"], MONDAY)
        found = waiting(log, cards, 20 * 60_000, MONDAY)
        assert (found.due, found.new, found.soon) == ({"due"}, {"new", "wanted"}, {"step"})
        assert (found.brought, found.is_first) == ({"wanted"}, False)
        assert waiting(log, cards, 60_000, MONDAY).soon == set()
        # a step that is due is no longer one that will be
        after = waiting(log, cards, 20 * 60_000, MONDAY + 10 * 60_000)
        assert (after.due, after.soon) == ({"due", "step"}, set())


def test_what_waits_is_the_same_however_many_cards_are_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards = [f"card {number}" for number in range(30)]
    with ReviewLog(tmp_path, zone=UTC) as log:
        for number, card in enumerate(cards[:20]):
            log.grade(card, Rating(1 + number % 4), MONDAY - number * DAY_MS)
        log.bring_forward(cards[18:22], MONDAY)
        log.bury(cards[4:8], MONDAY)
        log.suspend(cards[24:26], MONDAY)
        asked = cards[2:]
        for at_ms in (MONDAY - 3 * DAY_MS, MONDAY, MONDAY + DAY_MS, MONDAY + 90 * DAY_MS):
            few = waiting(log, asked, 1_200_000, at_ms)
            monkeypatch.setattr(due, "MANY", 5)
            assert waiting(log, asked, 1_200_000, at_ms) == few
            assert few.due | few.brought == set(log.due(at_ms)) & set(asked)
            assert few.brought <= few.new
            assert not few.due & few.new
            monkeypatch.undo()
