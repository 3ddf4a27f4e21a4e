"""Cards buried until tomorrow and suspended until they are resumed: not asked, and nothing of their memory changes."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from engine.errors import InputError
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler
from quizbank.learning.session import StudySession

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000


@pytest.fixture
def log(tmp_path: Path):
    with ReviewLog(tmp_path, zone=UTC) as log:
        for card in ("one", "two", "three"):
            log.grade(card, Rating.EASY, NOON - 60 * DAY)
        yield log


def session(log: ReviewLog, at_ms: int, *cards: str) -> list[str]:
    """The cards a session asks, in order."""
    asked = StudySession(log, cards, clock_ms=lambda: at_ms, stopwatch=lambda: 0.0)
    found = []
    while asked.current is not None:
        found.append(asked.current)
        asked.drop(asked.current)
    return found


def test_a_buried_card_is_asked_again_tomorrow(log: ReviewLog) -> None:
    assert set(log.due(NOON)) == {"one", "two", "three"}
    (entry,) = log.bury(["two", "two"], NOON)
    assert (entry.kind, entry.card) == ("bury", "two")
    assert log.put_off(NOON) == {"two"}
    assert "two" not in log.due(NOON)
    # until 04:00, not midnight
    assert "two" not in log.due(NOON + 19 * 3_600_000)
    assert "two" in log.due(NOON + 20 * 3_600_000)
    assert log.put_off(NOON + DAY) == set()
    # a second time, nothing is left to bury
    assert log.bury(["two"], NOON) == ()
    assert log.verify().ok


def test_one_buried_under_a_clock_that_was_ahead_is_asked(log: ReviewLog) -> None:
    log.bury(["two"], NOON + 300 * DAY)
    assert "two" in log.due(NOON)
    # a flight west
    log.bury(["one"], NOON + DAY)
    assert "one" not in log.due(NOON)


def test_a_suspended_card_stays_away_until_it_is_resumed(log: ReviewLog) -> None:
    before = log.memory("one")
    log.suspend(["one", "never seen"], NOON)
    assert not {"one", "never seen"} & set(log.due(NOON + 500 * DAY))
    assert session(log, NOON, "one", "two", "never seen", "new") == ["two", "new"]
    log.rebuild()
    assert log.put_off(NOON + 500 * DAY) == {"one", "never seen"}
    # its author's wish to see it does not bring it back
    assert log.bring_forward(["one"], NOON) == ()
    log.resume(["one", "never seen", "two"], NOON + DAY)
    assert log.put_off(NOON) == set()
    assert log.memory("one") == before
    assert log.memory("never seen") == Memory()
    assert session(log, NOON + DAY, "one", "never seen") == ["one", "never seen"]
    assert [entry.kind for entry in log.entries()][3:] == ["suspend", "suspend", "resume", "resume"]
    assert log.verify().ok


def test_to_ask_for_a_buried_card_ends_the_burial(log: ReviewLog) -> None:
    log.bury(["one"], NOON)
    log.bring_forward(["one"], NOON)
    assert "one" in log.due(NOON)
    assert log.verify().ok


def test_each_is_taken_back_like_a_grade(log: ReviewLog) -> None:
    before = log.memories()
    (buried,) = log.bury(["one"], NOON)
    (suspended,) = log.suspend(["one"], NOON)
    assert log.undo(suspended.id).suspended is False
    assert "one" not in log.due(NOON)
    log.undo(buried.id)
    assert log.memories() == before
    assert "one" in log.due(NOON)
    with pytest.raises(InputError, match="no review"):
        log.undo(log.entries()[-1].id)
    assert log.verify().ok


def test_a_grade_from_another_machine_counts_and_leaves_the_card_suspended(log: ReviewLog) -> None:
    before = log.memory("one")
    log.suspend(["one"], NOON)
    graded = log.grade("one", Rating.GOOD, NOON + DAY)
    assert graded.after.suspended
    assert log.memory("one").stability == Scheduler().advance(
        "one", before, Rating.GOOD, NOON + DAY, graded.day
    ).after.stability  # fmt: skip
    assert "one" not in log.due(NOON + 900 * DAY)
    log.undo(graded.id)
    assert log.put_off(NOON) == {"one"}
    assert log.verify().ok


def test_a_card_put_off_by_another_instance_is_asked_no_more_in_this_session(log: ReviewLog) -> None:
    asked = StudySession(log, ["one", "new"], clock_ms=lambda: NOON, stopwatch=lambda: 0.0)
    assert asked.current == "one"
    log.suspend(["new"], NOON)
    asked.drop("one")
    assert asked.finished
