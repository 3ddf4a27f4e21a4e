"""What the log says of a person: the grades that stand, and no more of them than fixes what is asked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from statistics import median

import pytest

from quizbank.learning.day import local_day
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.planning import person as module
from quizbank.planning.person import Person, person
from quizbank.planning.plan import Costs, Known

DAY = 86_400_000
START = 1_767_600_000_000
CARDS = [f"card {number}" for number in range(12)]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[ReviewLog]:
    with ReviewLog(tmp_path, zone=UTC) as log:
        yield log


def studied(log: ReviewLog, days: int, right: float, seed: int = 0) -> int:
    """Grades day by day, each fifth of them taken back; returns the last moment."""
    chance = random.Random(seed)
    at_ms = START
    for day in range(days):
        for number, card in enumerate(CARDS):
            at_ms = START + day * DAY + number * 60_000
            rating = Rating.GOOD if chance.random() < right else Rating.AGAIN
            entry = log.grade(card, rating, at_ms, 8_000 + 100 * number, 1_000)
            if number % 5 == 4:
                log.undo(entry.id, at_ms + 1)
    return at_ms


def read(log: ReviewLog, at_ms: int) -> Person:
    return person(log, [*CARDS, "never seen"], local_day(at_ms, UTC))


def test_a_person_is_what_the_standing_grades_say(log: ReviewLog) -> None:
    last = studied(log, 6, 0.8)
    found = read(log, last + 3 * DAY)
    entries = log.entries()
    undone = {entry.undoes for entry in entries}
    standing = [entry for entry in entries if entry.kind == "grade" and entry.id not in undone]
    later = [entry for entry in standing if entry.before.last_day and entry.day > entry.before.last_day]
    firsts = [entry for entry in standing if entry.before.phase == "new"]
    assert found.reviews == len(later) > 20
    times = [(entry.thinking_ms + entry.grading_ms) / 1000 for entry in standing if entry not in firsts]
    assert found.costs.review == median(times)
    usual = Costs()
    knew = sum(entry.rating >= Rating.GOOD for entry in firsts)
    assert found.costs.known_at_first == (usual.known_at_first * 4 + knew) / (4 + len(firsts))
    assert list(found.known) == [*CARDS, "never seen"]
    assert found.known["never seen"] is None
    assert found.known["card 4"] is None, "every grade of it was taken back"
    memory = log.memory("card 0")
    assert found.known["card 0"] == Known(
        memory.stability, memory.difficulty, 3.0, found.known["card 0"].past
    )


def test_one_who_forgets_more_is_faster(tmp_path: Path) -> None:
    paces = []
    for right in (0.95, 0.75):
        with ReviewLog(tmp_path / str(right), zone=UTC) as log:
            found = read(log, studied(log, 6, right))
            assert found.slowest <= found.pace <= found.fastest
            paces.append(found.pace)
    assert paces[0] < paces[1]


def test_of_a_long_log_only_the_latest_is_read(log: ReviewLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Years of forgetting, then weeks of recalling: with a window on the weeks the years do not count."""
    last = studied(log, 8, 0.2)
    everything = read(log, last)
    monkeypatch.setattr(module, "REVIEWS_READ", 15)
    latest = read(log, last)
    assert latest.reviews == 15
    assert everything.reviews > 50
    monkeypatch.setattr(module, "GRADES_READ", 7)
    assert read(log, last).reviews <= 7
    for number in range(7):
        log.grade("card 0", Rating.GOOD, last + (number + 1) * 2 * DAY)
    recalled = read(log, last + 15 * DAY)
    assert recalled.reviews == 7
    assert recalled.pace < everything.pace


def test_of_very_many_cards_the_same_is_known(log: ReviewLog, monkeypatch: pytest.MonkeyPatch) -> None:
    last = studied(log, 3, 0.8)
    known = read(log, last + DAY).known
    monkeypatch.setattr(module, "MANY", 3)
    assert read(log, last + DAY).known == known
    assert list(read(log, last + DAY).known) == list(known)


def test_what_the_theories_are_told_are_the_showings_of_each_card(log: ReviewLog) -> None:
    """Grades of one card within minutes are one showing, by its first; hours later it is another one."""
    hour = 3_600_000
    log.grade("card 1", Rating.GOOD, START)
    for after, rating in ((0, Rating.AGAIN), (60_000, Rating.GOOD), (3 * hour, Rating.GOOD)):
        log.grade("card 0", rating, START + 120_000 + after)
    log.grade("card 0", Rating.GOOD, START + 2 * DAY)
    past = read(log, START + 5 * DAY).known["card 0"].past
    assert [(met.day, met.moment, met.recalled) for met in past] == [
        (-5, 120.0, False),
        (-5, 120.0 + 3 * 3600, True),
        (-3, 0.0, True),
    ]
    assert past[0].stability is None
    assert past[-1].stability is not None


def test_a_meeting_after_some_that_are_left_out_is_no_evidence(log: ReviewLog) -> None:
    """The days since the one before it would be counted from the first."""
    for day in range(15):
        log.grade("card 0", Rating.GOOD, START + day * DAY)
    past = read(log, START + 15 * DAY).known["card 0"].past
    assert [met.day for met in past] == [-15, *range(-10, 0)]
    assert [met.stability is None for met in past] == [True, True] + [False] * 9
    for day in range(11):
        log.grade("card 1", Rating.GOOD, START + day * DAY)
    whole = read(log, START + 15 * DAY).known["card 1"].past
    assert [met.stability is None for met in whole] == [True] + [False] * 10
