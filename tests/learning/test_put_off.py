"""Cards buried until tomorrow and suspended until they are resumed: not asked, and nothing of their memory changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler
from quizbank.learning.session import PutOff, StudySession

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


def asking(log: ReviewLog, *cards: str, **options: object) -> StudySession:
    return StudySession(log, cards, clock_ms=lambda: NOON, stopwatch=lambda: 0.0, **options)


def test_a_card_put_off_in_a_session_makes_way_for_the_next_and_comes_back_by_one_undo(
    log: ReviewLog,
) -> None:
    session = asking(log, "one", "two", "new")
    first, before = session.current, session.progress
    done = session.put_off("bury")
    assert (done.card, done.kind, done.entry.kind) == (first, "bury", "bury")
    assert session.current not in (None, first)
    assert log.put_off(NOON) == {first}
    assert session.progress == replace(before, due=1)
    second = session.current
    session.put_off("suspend")
    assert session.current == "new"
    assert [one.kind for one in session.put_off_cards] == ["bury", "suspend"]
    assert session.graded == ()
    assert session.undo().card == second
    assert session.current == second
    session.undo()
    assert (session.current, session.progress) == (first, before)
    assert log.put_off(NOON) == set()
    assert not session.can_undo
    assert log.verify().ok


def test_what_was_put_off_last_comes_back_after_the_session_ended(log: ReviewLog) -> None:
    session = asking(log, "one")
    session.put_off("suspend")
    assert session.finished
    assert session.undo().card == "one"
    assert session.current == "one"
    assert log.put_off(NOON) == set()


def test_a_card_that_would_come_back_within_the_session_does_not_once_it_is_put_off(log: ReviewLog) -> None:
    session = asking(log, "one", "two")
    first = session.current
    session.reveal()
    session.grade(Rating.AGAIN)
    second = session.current
    # a leech is suspended while the next card is asked already
    session.put_off("suspend", first)
    assert session.current == second
    session.reveal()
    session.grade(Rating.EASY)
    assert session.finished
    session.undo()
    assert session.undo() == PutOff(first, "suspend", log.entries(first)[-2])
    assert session.current == second
    session.undo()
    assert session.current == first
    assert log.verify().ok


def test_in_cram_it_is_left_out_of_the_round_and_nothing_is_written(log: ReviewLog) -> None:
    held = log.entries()
    session = asking(log, "one", "two", cram=True)
    session.put_off("suspend")
    assert session.current == "two"
    assert session.undo().entry is None
    assert session.current == "one"
    assert log.entries() == held


def test_thinking_is_counted_from_when_the_card_came_into_sight(log: ReviewLog) -> None:
    now = [0.0]
    session = StudySession(log, ["one", "two"], clock_ms=lambda: NOON, stopwatch=lambda: now[0])
    now[0] = 100.0
    session.in_sight()
    now[0] = 107.0
    session.reveal()
    # once it is revealed, there is no more thinking to count
    session.in_sight()
    assert session.grade(Rating.GOOD).entry.thinking_ms == 7000


@settings(max_examples=8)
@given(done=st.lists(st.sampled_from(["bury", "suspend", "again", "easy", "undo"]), max_size=10))
def test_undo_goes_back_through_all_that_was_done_in_a_session(
    tmp_path_factory: pytest.TempPathFactory, done: list[str]
) -> None:
    with ReviewLog(tmp_path_factory.mktemp("log"), zone=UTC) as log:
        log.grade("one", Rating.EASY, NOON - 60 * DAY)
        memories = log.memories()
        session = asking(log, "one", "two", "three")
        places = [(session.current, session.progress)]
        for act in done:
            if act == "undo":
                session.undo()
                places = places[: 1 + len(session.graded) + len(session.put_off_cards)]
                assert (session.current, session.progress) == places[-1]
            elif not session.finished:
                if act in ("bury", "suspend"):
                    put_off = session.current
                    session.put_off(act)
                    assert session.current != put_off
                else:
                    session.reveal()
                    session.grade(Rating.AGAIN if act == "again" else Rating.EASY)
                places.append((session.current, session.progress))
        assert log.verify().ok
        while session.can_undo:
            session.undo()
        assert (session.current, session.progress) == places[0]
        assert log.memories() == memories
