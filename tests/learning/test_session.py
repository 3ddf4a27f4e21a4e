"""A study session: what comes next, and taking it back."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Settings
from quizbank.learning.session import LEARN_AHEAD_MS, StudySession
from tests.learning.related import related

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
MINUTE = 60_000
DAY = 86_400_000


class Clock:
    """A wall clock and a stopwatch that move when told."""

    def __init__(self, at_ms: int = NOON) -> None:
        self.at_ms = at_ms

    def ms(self) -> int:
        return self.at_ms

    def seconds(self) -> float:
        return self.at_ms / 1000

    def tick(self, ms: int) -> None:
        self.at_ms += ms


@pytest.fixture
def log(tmp_path: Path):
    with ReviewLog(tmp_path) as log:
        yield log


@pytest.fixture
def clock() -> Clock:
    return Clock()


def begin(log: ReviewLog, cards: list[str], clock: Clock, **options: object) -> StudySession:
    return StudySession(log, cards, clock_ms=clock.ms, stopwatch=clock.seconds, **options)


def answer(session: StudySession, rating: Rating, clock: Clock | None = None, ms: int = 0):
    session.reveal()
    if clock:
        clock.tick(ms)
    return session.grade(rating)


def learned(log: ReviewLog, card: str, at_ms: int) -> None:
    log.grade(card, Rating.EASY, at_ms)


def test_due_cards_come_first_then_new_ones_in_the_order_given(log: ReviewLog, clock: Clock) -> None:
    learned(log, "late", NOON - 40 * DAY)
    learned(log, "later still", NOON - 60 * DAY)
    learned(log, "not due", NOON - DAY)
    session = begin(log, ["new b", "late", "new a", "not due", "later still"], clock)
    assert session.progress.due == 2
    order = []
    while not session.finished:
        order.append((session.current, session.current_came))
        answer(session, Rating.EASY)
    assert order == [("later still", "due"), ("late", "due"), ("new b", "new"), ("new a", "new")]
    assert session.progress.done == 4


def test_a_learning_step_comes_back_when_its_time_has_come(log: ReviewLog, clock: Clock) -> None:
    session = begin(log, ["a", "b", "c", "d"], clock)
    answer(session, Rating.AGAIN)
    assert session.current == "b"
    clock.tick(2 * MINUTE)
    answer(session, Rating.EASY)
    assert (session.current, session.current_came) == ("a", "step")
    answer(session, Rating.EASY)
    assert session.current == "c"


def test_at_the_end_near_steps_are_not_waited_for_and_far_ones_are(log: ReviewLog, clock: Clock) -> None:
    session = begin(log, ["a"], clock)
    answer(session, Rating.GOOD)
    assert session.current == "a"
    answer(session, Rating.GOOD)
    assert session.finished
    assert session.next_step_ms is None
    assert log.memory("a").phase == "review"

    far = ReviewLog(log.path.parent / "far", Settings(learning_steps=(timedelta(hours=2),)))
    session = begin(far, ["a"], clock)
    answer(session, Rating.AGAIN)
    assert session.finished
    assert session.next_step_ms == NOON + 120 * MINUTE
    clock.tick(120 * MINUTE - LEARN_AHEAD_MS)
    session.refresh()
    assert session.current == "a"
    far.close()


def test_an_answer_is_in_the_log_the_moment_it_is_given(log: ReviewLog, clock: Clock, tmp_path: Path) -> None:
    session = begin(log, ["a", "b"], clock)
    clock.tick(7_000)
    preview = session.reveal()
    clock.tick(1_500)
    graded = session.grade(Rating.HARD)
    with ReviewLog(tmp_path) as other:
        (entry,) = other.entries()
    assert entry == graded.entry
    assert (entry.thinking_ms, entry.grading_ms) == (7_000, 1_500)
    assert entry.at_ms == NOON + 7_000
    assert preview is not None
    assert entry.interval == preview[Rating.HARD].interval
    assert graded.as_shown


def test_the_buttons_stand_though_one_hesitates_past_the_turn_of_the_day(
    log: ReviewLog, clock: Clock
) -> None:
    learned(log, "a", NOON - 40 * DAY)
    session = begin(log, ["a"], clock)
    shown = session.reveal()
    clock.tick(30 * 60 * MINUTE)
    assert session.reveal() is shown
    graded = session.grade(Rating.GOOD)
    assert graded.entry.after == shown[Rating.GOOD].after
    assert graded.as_shown


def test_another_instance_that_graded_meanwhile_is_noticed_and_both_reviews_kept(
    log: ReviewLog, clock: Clock, tmp_path: Path
) -> None:
    session = begin(log, ["a", "b", "c"], clock)
    session.reveal()
    with ReviewLog(tmp_path) as other:
        other.grade("a", Rating.EASY, NOON)
        other.grade("b", Rating.EASY, NOON)
    assert not session.grade(Rating.GOOD).as_shown
    assert [entry.card for entry in log.entries()] == ["a", "b", "a"]
    assert session.current == "c"


def test_undo_asks_the_same_card_again_as_if_nothing_had_happened(log: ReviewLog, clock: Clock) -> None:
    session = begin(log, ["a", "b"], clock)
    before = (session.progress, session.current, session.current_came)
    answer(session, Rating.AGAIN)
    undone = session.undo()
    assert (undone.card, undone.rating) == ("a", Rating.AGAIN)
    assert (session.progress, session.current, session.current_came) == before
    assert log.memory("a") == Memory()
    with pytest.raises(InputError, match="reveal"):
        session.grade(Rating.GOOD)
    answer(session, Rating.EASY)
    assert session.current == "b"


def test_undo_works_after_the_last_card_and_back_to_the_first(log: ReviewLog, clock: Clock) -> None:
    session = begin(log, ["a", "b", "c"], clock)
    while not session.finished:
        answer(session, Rating.EASY)
    for card in "cba":
        assert session.can_undo
        session.undo()
        assert session.current == card
    assert not session.can_undo
    assert session.undo() is None
    assert log.memories() == {}
    assert log.verify().ok


@settings(max_examples=40)
@given(
    steps=st.lists(
        st.one_of(st.sampled_from(Rating), st.just("undo"), st.integers(0, 30 * MINUTE)),
        min_size=1,
        max_size=30,
    )
)
def test_any_session_can_be_taken_back_to_its_start(tmp_path_factory, steps: list[object]) -> None:
    clock = Clock()
    with ReviewLog(tmp_path_factory.mktemp("log")) as log:
        learned(log, "due", NOON - 40 * DAY)
        start = log.memories()
        session = begin(log, ["a", "due", "b"], clock)
        places = [(session.current, session.progress)]
        for step in steps:
            if step == "undo":
                if session.undo() is not None:
                    places.pop()
                assert (session.current, session.progress) == places[-1]
            elif isinstance(step, Rating):
                if not session.finished:
                    answer(session, step)
                    places.append((session.current, session.progress))
            else:
                clock.tick(step)
        while session.can_undo:
            session.undo()
        assert (session.current, session.progress) == places[0]
        assert log.memories() == start
        assert log.verify().ok


def test_cram_asks_everything_and_writes_nothing(log: ReviewLog, clock: Clock) -> None:
    learned(log, "not due", NOON - DAY)
    entries, memories = log.entries(), log.memories()
    session = begin(log, ["new", "not due", "other"], clock, cram=True)
    order = []
    while not session.finished:
        order.append(session.current)
        again = session.current == "new" and len(order) < 5
        assert session.reveal() is None
        assert session.grade(Rating.AGAIN if again else Rating.GOOD).entry is None
    assert order == ["new", "not due", "other", "new", "new"]
    session.undo()
    assert session.current == "new"
    assert log.entries() == entries
    assert log.memories() == memories


def test_limits_bound_the_queue(log: ReviewLog, clock: Clock) -> None:
    for number in range(5):
        learned(log, f"due {number}", NOON - 40 * DAY)
    cards = [f"due {number}" for number in range(5)] + [f"new {number}" for number in range(5)]
    progress = begin(log, cards, clock, new_limit=2).progress
    assert (progress.due, progress.new) == (5, 2)
    progress = begin(log, cards, clock, limit=6).progress
    assert (progress.due, progress.new) == (5, 1)
    progress = begin(log, cards, clock, limit=0).progress
    assert (progress.due, progress.new) == (0, 0)


def test_a_card_listed_twice_is_asked_once(log: ReviewLog, clock: Clock) -> None:
    assert begin(log, ["a", "a", "b"], clock).progress.new == 2


def test_a_card_that_vanishes_from_the_deck_is_dropped_in_mid_session(log: ReviewLog, clock: Clock) -> None:
    session = begin(log, ["a", "b", "c"], clock)
    answer(session, Rating.AGAIN)
    session.drop("a")
    session.drop("b")
    assert session.current == "c"
    answer(session, Rating.EASY)
    assert session.finished
    session.undo()
    assert session.current == "c"
    session.undo()
    assert session.current == "c"
    assert not session.can_undo


def test_no_cards_is_a_finished_session(log: ReviewLog, clock: Clock) -> None:
    session = begin(log, [], clock)
    assert session.finished
    assert session.current_came is None
    with pytest.raises(InputError, match="over"):
        session.reveal()


def test_where_an_answer_cannot_be_stored_the_session_stays_at_the_card(clock: Clock, tmp_path: Path) -> None:
    with ReviewLog(tmp_path, busy_ms=20) as log:
        session = begin(log, ["a", "b"], clock)
        session.reveal()
        other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match="locked"):
            session.grade(Rating.GOOD)
        assert session.current == "a"
        assert not session.can_undo
        other.execute("ROLLBACK")
        session.grade(Rating.GOOD)
        assert session.current == "b"
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match="locked"):
            session.undo()
        assert session.current == "b"
        other.execute("ROLLBACK")
        other.close()
        assert session.undo().card == "a"
        assert log.verify().ok


def test_a_step_of_an_earlier_session_comes_when_nothing_else_is_left(log: ReviewLog, clock: Clock) -> None:
    answer(begin(log, ["a", "b"], clock), Rating.GOOD)
    clock.tick(MINUTE)
    session = begin(log, ["a", "b"], clock)
    assert session.current == "b"
    answer(session, Rating.EASY)
    assert (session.current, session.current_came) == ("a", "step")
    answer(session, Rating.EASY)
    assert session.finished
    assert begin(log, ["c"], clock).current == "c"


def test_cards_brought_forward_are_asked_once_among_the_due(log: ReviewLog, clock: Clock) -> None:
    log.grade("known", Rating.EASY, NOON - DAY)
    log.bring_forward(["missed", "known"], NOON)
    session = begin(log, ["new", "known", "missed"], clock)
    assert (session.progress.due, session.progress.new) == (1, 2)
    asked = []
    while session.current is not None:
        asked.append((session.current, session.current_came))
        answer(session, Rating.EASY)
    assert asked == [("known", "due"), ("missed", "new"), ("new", "new")]
    assert begin(log, ["new", "known", "missed"], clock).finished
    # taken back, it is asked again as one that was wanted
    session.undo()
    session.undo()
    assert session.current == "missed"
    assert "missed" in log.due(NOON)
    assert log.verify().ok


def test_new_cards_brought_forward_come_before_other_new_ones_and_count_among_them(
    log: ReviewLog, clock: Clock
) -> None:
    log.bring_forward(["d", "e", "f"], NOON)
    cards = ["a", "b", "d", "e", "f"]
    assert asked_in_order(begin(log, cards, clock, new_limit=0, due_limit=0, limit=2)) == ["d", "e"]
    # the day's limit is a bound on those nobody asked for
    session = begin(log, cards, clock, new_limit=2, due_limit=0)
    assert (session.progress.due, session.progress.new, session.held_back) == (0, 2, 1)
    assert asked_in_order(session) == ["f", "a"]


def asked_in_order(session: StudySession) -> list[str]:
    asked = []
    while session.current is not None:
        asked.append(session.current)
        answer(session, Rating.EASY)
    return asked


def test_siblings_that_are_due_are_kept_apart_and_the_rest_stays_in_order(
    log: ReviewLog, clock: Clock
) -> None:
    cards = ["a1", "a2", "a3", "b", "c", "new"]
    for number, card in enumerate(cards[:-1]):
        learned(log, card, NOON - (100 - 10 * number) * DAY)
    relations = related({"a1": "a", "a2": "a", "a3": "a", "b": "b", "c": "", "new": ""})
    session = begin(log, cards, clock, relations=relations)
    assert session.progress.due == 5
    assert asked_in_order(session) == ["a1", "b", "a2", "c", "a3", "new"]
    while session.can_undo:
        session.undo()
    assert session.current == "a1"
    assert (session.progress.due, session.progress.new) == (5, 1)
    alone = begin(log, ["a1", "a2", "a3"], clock, relations=relations)
    assert asked_in_order(alone) == ["a1", "a2", "a3"]


def test_a_new_card_is_not_met_before_what_it_needs_to_keep_siblings_apart(
    log: ReviewLog, clock: Clock
) -> None:
    learned(log, "due", NOON - 60 * DAY)
    relations = related({"due": "a", "first": "a", "then": ""}, {"then": ("first",)})
    session = begin(log, ["due", "first", "then"], clock, relations=relations)
    assert asked_in_order(session) == ["due", "first", "then"]


def test_going_through_cards_keeps_siblings_apart_too(log: ReviewLog, clock: Clock) -> None:
    session = begin(
        log, ["a1", "a2", "b"], clock, cram=True, relations=related({"a1": "a", "a2": "a", "b": ""})
    )
    assert asked_in_order(session) == ["a1", "b", "a2"]


def test_an_evening_session_knows_what_the_morning_met(log: ReviewLog, clock: Clock) -> None:
    relations = related({"a1": "a", "a2": "a", "b1": "b", "b2": "b", "c": ""})
    cards = ["a1", "a2", "b1", "b2", "c"]
    morning = begin(log, cards, clock, relations=relations, new_limit=1)
    assert asked_in_order(morning) == ["a1"]
    clock.tick(60 * MINUTE)
    evening = begin(log, cards, clock, relations=relations, new_limit=2, due_limit=0)
    assert asked_in_order(evening) == ["b1", "c"]
    clock.tick(DAY)
    assert asked_in_order(begin(log, cards, clock, relations=relations, due_limit=0)) == ["a2", "b2"]


@settings(max_examples=15)
@given(
    claims=st.lists(st.sampled_from(["", "x", "y"]), min_size=2, max_size=7),
    due=st.integers(0, 7),
    ratings=st.lists(st.sampled_from(Rating), min_size=1, max_size=20),
    ticks=st.lists(st.integers(0, 3 * MINUTE), min_size=1, max_size=5),
)
def test_no_sibling_follows_the_other_while_anything_else_is_there(
    tmp_path_factory, claims: list[str], due: int, ratings: list[Rating], ticks: list[int]
) -> None:
    clock = Clock()
    cards = [f"c{number}" for number in range(len(claims))]
    relations = related(dict(zip(cards, claims, strict=True)))
    with ReviewLog(tmp_path_factory.mktemp("log")) as log:
        for card in cards[:due]:
            learned(log, card, NOON - 60 * DAY)
        session = begin(log, cards, clock, relations=relations)
        last = None
        for number, rating in enumerate(ratings):
            asked = session.current
            memories = log.memories()
            there = [
                card
                for card in cards
                if card not in memories
                or memories[card].is_due(clock.at_ms + LEARN_AHEAD_MS, log.day(clock.at_ms))
            ]
            if asked is None:
                assert there == []
                break
            assert asked in there
            if last is not None and relations.are_siblings(last, asked):
                assert all(relations.are_siblings(last, card) for card in there)
            clock.tick(ticks[number % len(ticks)])
            answer(session, rating)
            last = asked


def test_what_the_limits_hold_back_is_counted(log: ReviewLog, clock: Clock) -> None:
    for number in range(5):
        learned(log, f"due {number}", NOON - 40 * DAY)
    learned(log, "of another deck", NOON - 40 * DAY)
    log.suspend(["due 0", "new 0"], NOON)
    cards = [f"due {number}" for number in range(5)] + [f"new {number}" for number in range(5)]
    assert begin(log, cards, clock, due_limit=0, new_limit=0).held_back == 8
    assert begin(log, cards, clock, due_limit=1, new_limit=2).held_back == 5
    assert begin(log, cards, clock, limit=1).held_back == 0
    assert begin(log, cards, clock).held_back == 0
