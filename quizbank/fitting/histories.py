"""What a fit learns from: the standing grades of each card, day by day, cut in two by time."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from quizbank.learning import tables
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating

MOST_REVIEWS = 12_000
"""Reviews a fit reads, of whole cards: so many take py-fsrs's optimizer minutes, and more change little."""
TRAINING_SHARE = 0.8


class Graded(NamedTuple):
    """A grade: the learner's day (``date.toordinal``), which never goes back within a card, and the rating."""

    day: int
    rating: Rating


History = tuple[Graded, ...]
"""The grades of a card in the order of replay."""


@dataclass(frozen=True)
class Histories:
    """``cards`` by id. ``is_sample``: the log holds more cards than were read."""

    cards: Mapping[str, History]
    is_sample: bool = False

    @property
    def reviews(self) -> int:
        return sum(len(history) for history in self.cards.values())

    @property
    def later_days(self) -> list[int]:
        """The days of the reviews on a later day than the last of their card, ascending."""
        return sorted(day for history in self.cards.values() for day in _later(history))

    def before(self, day: int) -> Histories:
        """What was known on the morning of ``day``."""
        cut = {card: tuple(one for one in history if one.day < day) for card, history in self.cards.items()}
        return Histories({card: history for card, history in cut.items() if history}, self.is_sample)


def _later(history: History) -> Iterator[int]:
    last = None
    for one in history:
        if last is not None and one.day > last:
            yield one.day
        last = one.day


def split_day(histories: Histories) -> int | None:
    """The first day of the held-out part: at least :data:`TRAINING_SHARE` of the reviews on a later day come before it.

    A day belongs to one part as a whole; where nothing would be left, the last day is held out. None where there is
    no review on a later day.
    """
    days = histories.later_days
    if not days:
        return None
    last_trained = days[ceil(len(days) * TRAINING_SHARE) - 1]
    return next((day for day in days if day > last_trained), days[-1])


def read_histories(log: ReviewLog, most: int = MOST_REVIEWS) -> Histories:
    """The grades of every card, or of as many whole cards as hold ``most``, chosen by a hash of their ids.

    Raises:
        InputError: the log cannot be read.
    """

    def work(connection: sqlite3.Connection) -> Histories:
        grades = dict(connection.execute("SELECT card, reps FROM schedule"))
        chosen, count = [], 0
        for card in sorted(grades, key=_chance):
            if count + grades[card] > most:
                break
            chosen.append(card)
            count += grades[card]
        return Histories(
            {card: _history(connection, card) for card in sorted(chosen)}, is_sample=len(chosen) < len(grades)
        )

    return log.read(work)


def _history(connection: sqlite3.Connection, card: str) -> History:
    history: list[Graded] = []
    day = 0
    for turn in tables.standing_turns(connection, card):
        if turn.kind == "grade" and turn.rating is not None:
            # as the scheduler counts under a clock that was set back
            day = max(day, turn.day.toordinal())
            history.append(Graded(day, turn.rating))
    return tuple(history)


def _chance(card: str) -> bytes:
    return hashlib.sha256(card.encode("utf-8", "surrogatepass")).digest()
