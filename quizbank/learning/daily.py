"""What was studied today, against the limits a person set for a day."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from quizbank.learning.log import ReviewLog


class Studied(NamedTuple):
    """Cards graded today: those seen for the first time, and those that came back."""

    new: int
    reviews: int


_FIRST_TODAY = """NOT EXISTS (
        SELECT 1 FROM entry AS earlier
        WHERE earlier.card = schedule.card AND earlier.kind = 'grade' AND earlier.day < :today
          AND NOT EXISTS (SELECT 1 FROM entry AS undo WHERE undo.undoes = earlier.id)
    )"""
# a card counts once a day, however often it was graded; what an undo took back counts for nothing
_STUDIED = f"SELECT count(*), coalesce(sum({_FIRST_TODAY}), 0) FROM schedule WHERE last_day = :today"
_MET = f"SELECT card FROM schedule WHERE last_day = :today AND {_FIRST_TODAY} ORDER BY card"


def studied(log: ReviewLog, at_ms: int | None = None) -> Studied:
    """The cards graded on the learner's day of ``at_ms`` (UTC milliseconds; None: now).

    Raises:
        InputError: the log cannot be read.
    """
    today = log.day(at_ms).isoformat()

    def count(connection: sqlite3.Connection) -> Studied:
        all_, new = connection.execute(_STUDIED, {"today": today}).fetchone()
        return Studied(new, all_ - new)

    return log.read(count)


def met_today(log: ReviewLog, at_ms: int | None = None) -> tuple[str, ...]:
    """The cards seen for the first time on the learner's day of ``at_ms``. Raises as :func:`studied`."""
    today = log.day(at_ms).isoformat()
    return log.read(lambda connection: tuple(card for (card,) in connection.execute(_MET, {"today": today})))
