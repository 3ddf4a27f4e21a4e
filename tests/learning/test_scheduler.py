"""Scheduling: FSRS as published, in the learner's days, the same every time."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import date, timedelta
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.learning.interval import interval_text
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import FSRS_VERSION, Scheduler, Settings, spread
from tests.learning.fsrs_traces import HISTORIES, TRACES, trace

MONDAY = date(2026, 1, 5)
NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY_MS = 86_400_000

RECORDED = json.loads(TRACES.read_text(encoding="utf-8"))


def review(
    memory: Memory, rating: Rating, days: int, card: str = "card", scheduler: Scheduler | None = None
) -> Memory:
    scheduler = scheduler or Scheduler()
    return scheduler.advance(card, memory, rating, NOON + days * DAY_MS, MONDAY + timedelta(days=days)).after


def mature() -> Memory:
    memory = Memory()
    for day in (0, 0, 2, 13):
        memory = review(memory, Rating.GOOD, day)
    return memory


def test_the_library_is_the_pinned_one() -> None:
    assert version("fsrs") == FSRS_VERSION == RECORDED["fsrs"]


@pytest.mark.parametrize("name", HISTORIES)
def test_the_library_schedules_as_recorded(name: str) -> None:
    for found, recorded in zip(trace(HISTORIES[name]), RECORDED["traces"][name], strict=True):
        assert found["stability"] == pytest.approx(recorded["stability"], rel=1e-12)
        assert found["difficulty"] == pytest.approx(recorded["difficulty"], rel=1e-12)
        for exact in ("phase", "step", "interval_seconds"):
            assert found[exact] == recorded[exact]


@pytest.mark.parametrize("name", HISTORIES)
def test_the_scheduler_follows_the_recorded_traces(name: str) -> None:
    memory = Memory()
    for recorded in RECORDED["traces"][name]:
        outcome = Scheduler().advance(
            "card",
            memory,
            Rating(recorded["rating"]),
            NOON + recorded["day"] * DAY_MS,
            MONDAY + timedelta(days=recorded["day"]),
        )
        repetition, memory = memory.reps, outcome.after
        assert (memory.phase, memory.step) == (recorded["phase"], recorded["step"])
        assert memory.stability == pytest.approx(recorded["stability"], rel=1e-12)
        assert memory.difficulty == pytest.approx(recorded["difficulty"], rel=1e-12)
        expected = timedelta(seconds=recorded["interval_seconds"])
        if memory.phase == "review":
            expected = timedelta(days=spread("card", repetition, expected.days, 36500))
        assert outcome.interval == expected


def test_first_ratings_have_the_published_stability_and_difficulty() -> None:
    """S₀(G) = w[G−1]; D₀(G) = w₄ − e^(w₅(G−1)) + 1, in [1, 10]: FSRS 6, default weights."""
    for rating, stability in zip(Rating, (0.212, 1.2931, 2.3065, 8.2956), strict=True):
        memory = review(Memory(), rating, 0)
        assert memory.stability == pytest.approx(stability)
        assert memory.difficulty == pytest.approx(max(1.0, 6.4133 - math.exp(0.8334 * (rating - 1)) + 1))


def test_recall_falls_to_nine_tenths_after_the_stability() -> None:
    memory = mature()
    assert memory.stability is not None
    scheduler = Scheduler()
    day = MONDAY + timedelta(days=13 + round(memory.stability))
    assert scheduler.retrievability(memory, day) == pytest.approx(0.9, abs=0.001)
    assert scheduler.retrievability(memory, MONDAY + timedelta(days=13)) == 1.0
    assert scheduler.retrievability(Memory(), MONDAY) == 0.0


def test_late_evening_and_next_morning_are_two_days() -> None:
    """Eleven hours apart, but a night between: the library alone would floor this to the same day."""
    scheduler = Scheduler()
    learned = mature()
    evening = scheduler.advance(
        "card", learned, Rating.GOOD, NOON + 60 * DAY_MS, MONDAY + timedelta(days=60)
    ).after
    same_day = scheduler.advance(
        "card", evening, Rating.GOOD, evening.last_ms + 3_600_000, evening.last_day
    ).after
    morning = scheduler.advance(
        "card", evening, Rating.GOOD, evening.last_ms + 11 * 3_600_000, evening.last_day + timedelta(days=1)
    ).after
    assert morning.stability != same_day.stability
    assert morning.stability == pytest.approx(review(evening, Rating.GOOD, 61).stability)


def test_a_clock_set_back_counts_as_no_time() -> None:
    scheduler = Scheduler()
    memory = mature()
    assert memory.last_day is not None
    same = scheduler.advance("card", memory, Rating.GOOD, NOON, memory.last_day).after
    back = scheduler.advance(
        "card", memory, Rating.GOOD, NOON - 900 * DAY_MS, MONDAY - timedelta(days=900)
    ).after
    assert back.stability == same.stability
    assert back.difficulty == same.difficulty
    assert back.due_day is not None
    assert back.due_day > MONDAY - timedelta(days=900)


def test_a_card_reviewed_under_a_clock_far_ahead_is_not_lost() -> None:
    memory = review(mature(), Rating.GOOD, 10_000)
    assert memory.is_due(NOON, MONDAY)
    assert not review(mature(), Rating.GOOD, 14).is_due(NOON + 13 * DAY_MS, MONDAY + timedelta(days=13))


@given(
    card=st.text(min_size=1, max_size=20),
    repetition=st.integers(0, 500),
    shorter=st.integers(1, 36500),
    longer=st.integers(1, 36500),
)
def test_spreading_keeps_the_order_and_stays_near(
    card: str, repetition: int, shorter: int, longer: int
) -> None:
    shorter, longer = sorted((shorter, longer))
    first, second = spread(card, repetition, shorter, 36500), spread(card, repetition, longer, 36500)
    assert first <= second
    assert first >= 1
    assert abs(first - shorter) <= max(2, 0.05 * shorter + 3)
    assert first == spread(card, repetition, shorter, 36500)


def test_cards_learned_together_do_not_all_return_together() -> None:
    days = [spread(f"card {number}", 3, 30, 36500) for number in range(1000)]
    counts = [days.count(day) for day in range(min(days), max(days) + 1)]
    assert (min(days), max(days)) == (27, 33)  # 30 ± 3.475, the range of the library's own fuzz
    assert all(abs(count - 1000 / 7) < 4 * math.sqrt(1000 * (1 / 7) * (6 / 7)) for count in counts)


def test_no_interval_exceeds_the_longest() -> None:
    scheduler = Scheduler(Settings(longest_interval=20))
    memory = Memory()
    for day in (0, 9, 60, 400):
        memory = review(memory, Rating.EASY, day, scheduler=scheduler)
        assert (memory.due_day - memory.last_day).days <= 20


@pytest.mark.parametrize(
    "wrong",
    [
        {"desired_retention": 1.0},
        {"desired_retention": 0.2},
        {"desired_retention": float("nan")},
        {"learning_steps": (timedelta(0),)},
        {"relearning_steps": (timedelta(days=2),)},
        {"longest_interval": 0},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Settings(**wrong)


def test_weights_the_library_refuses_are_an_error_a_person_can_act_on() -> None:
    with pytest.raises(InputError, match="21"):
        review(Memory(), Rating.GOOD, 0, scheduler=Scheduler(Settings(parameters=(1.0, 2.0))))


def test_without_learning_steps_a_card_goes_straight_to_days() -> None:
    scheduler = Scheduler(Settings(learning_steps=(), relearning_steps=()))
    memory = review(Memory(), Rating.AGAIN, 0, scheduler=scheduler)
    assert memory.phase == "review"
    assert memory.due_day == MONDAY + timedelta(days=1)


@pytest.mark.parametrize(
    ("interval", "english", "chinese"),
    [
        (timedelta(seconds=30), "30 s", "30 秒"),
        (timedelta(minutes=1), "1 min", "1 分钟"),
        (timedelta(minutes=5, seconds=30), "5.5 min", "5.5 分钟"),
        (timedelta(hours=2), "2 h", "2 小时"),
        (timedelta(days=1), "1 d", "1 天"),
        (timedelta(days=99), "99 d", "99 天"),
        (timedelta(days=120), "3.9 mo", "3.9 个月"),
        (timedelta(days=730), "2 y", "2 年"),
    ],
)
def test_intervals_read_well_in_both_languages(interval: timedelta, english: str, chinese: str) -> None:
    assert interval_text(interval) == (english, chinese)


def test_the_library_is_imported_late_and_brings_nothing_heavy() -> None:
    """Opening the log and asking what is due needs no FSRS; grading needs no NumPy and no torch."""
    program = """
import sys, tempfile
from pathlib import Path
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.session import StudySession
with tempfile.TemporaryDirectory() as folder, ReviewLog(Path(folder)) as log:
    log.due(), log.memories(), StudySession(log, ["a"])
    assert "fsrs" not in sys.modules
    log.grade("a", Rating.GOOD)
    assert "fsrs" in sys.modules
    heavy = {"numpy", "torch", "pandas", "sympy", "textual"} & set(sys.modules)
    assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True)
