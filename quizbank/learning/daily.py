"""What was studied today, against the limits a person set for a day, and what there is to study."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import NamedTuple

from quizbank.learning.day import now_ms
from quizbank.learning.due import brought_new, due_among, new_among, steps_soon
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
_ANY_SEEN = "SELECT EXISTS (SELECT 1 FROM schedule) OR EXISTS (SELECT 1 FROM wanted)"


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


class Waiting(NamedTuple):
    """Of some cards: those due, those never seen, and those whose learning step falls due ``soon``; ``is_first``
    where no card of any deck was seen yet. Of the new ones ``brought`` are asked today whatever the day's limit:
    the plan, or a self-test, brought them forward."""

    due: frozenset[str]
    new: frozenset[str]
    soon: frozenset[str]
    is_first: bool
    brought: frozenset[str] = frozenset()


def waiting(log: ReviewLog, cards: Collection[str], soon_ms: int, at_ms: int | None = None) -> Waiting:
    """What is to be studied of these cards at ``at_ms`` (UTC milliseconds; None: now) and within ``soon_ms`` of it.

    Raises:
        InputError: the log cannot be read.
    """
    moment = now_ms() if at_ms is None else at_ms
    today = log.day(moment)

    def count(connection: sqlite3.Connection) -> Waiting:
        steps = steps_soon(connection, moment, moment + soon_ms, today)
        brought = frozenset(brought_new(connection, today, cards))
        return Waiting(
            frozenset(due_among(connection, moment, today, cards)) - brought,
            frozenset(new_among(connection, today, cards)) | brought,
            frozenset(card for _, card in steps if card in cards),
            not connection.execute(_ANY_SEEN).fetchone()[0],
            brought,
        )

    return log.read(count)
