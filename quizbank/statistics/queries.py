"""What is asked of the schedule for statistics: aggregates in SQL over the cards of the bank."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from quizbank.learning import tables
from quizbank.learning.day import local_day
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Memory

_CHOSEN = "CREATE TEMP TABLE chosen (card TEXT PRIMARY KEY) WITHOUT ROWID"
_STATES = """
    SELECT CASE WHEN suspended THEN 'suspended' WHEN phase IS NULL THEN 'new' WHEN phase = 'review' THEN 'review'
                ELSE 'learning' END, count(*)
    FROM chosen LEFT JOIN schedule USING (card) LEFT JOIN put_off USING (card) GROUP BY 1
"""
_BY_DAY = """
    SELECT due_day, count(*) FROM schedule JOIN chosen USING (card)
    WHERE due_day <= :last AND last_day <= :tomorrow
      AND card NOT IN (SELECT card FROM put_off) AND card NOT IN (SELECT card FROM wanted)
    GROUP BY due_day
"""
_ONE_BY_ONE = """
    SELECT card FROM chosen
    WHERE card IN (SELECT card FROM put_off UNION SELECT card FROM wanted
                   UNION SELECT card FROM schedule WHERE due_ms IS NOT NULL OR last_day > :tomorrow)
"""


class Scheduled(NamedTuple):
    """``states`` count cards as new, learning, review or suspended; ``forecast`` those that fall due on each day."""

    states: dict[str, int]
    forecast: dict[date, int]


def scheduled(log: ReviewLog, cards: Iterable[str], today: date, ahead: int) -> Scheduled:
    """The state of these cards, and the days from ``today`` to ``ahead`` days later on which they come back.

    Raises:
        InputError: the log cannot be read.
    """

    def work(connection: sqlite3.Connection) -> Scheduled:
        connection.execute(_CHOSEN)
        connection.executemany("INSERT OR IGNORE INTO chosen VALUES (?)", ((card,) for card in cards))
        found = Scheduled(dict(connection.execute(_STATES)), _forecast(connection, log, today, ahead))
        connection.execute("DROP TABLE temp.chosen")
        return found

    return log.read(work)


def _forecast(connection: sqlite3.Connection, log: ReviewLog, today: date, ahead: int) -> dict[date, int]:
    """Cards a day, what is overdue counted today; steps and what was put off or brought forward one by one."""
    last = today + timedelta(days=ahead)
    given = {"last": last.isoformat(), "tomorrow": (today + timedelta(days=1)).isoformat()}
    found = {today + timedelta(days=n): 0 for n in range(ahead + 1)}
    for due_day, count in connection.execute(_BY_DAY, given):
        found[max(today, date.fromisoformat(due_day))] += count
    for (card,) in connection.execute(_ONE_BY_ONE, {"tomorrow": given["tomorrow"]}).fetchall():
        day = first_asked(tables.memory(connection, card), today, log)
        if day is not None and day <= last:
            found[day] += 1
    return found


def first_asked(memory: Memory, today: date, log: ReviewLog) -> date | None:
    """The first day from ``today`` on that the card will be asked; None for one that waits for the person or is new.

    The rules are those of :meth:`Memory.is_due`: what was seen or wanted under a clock that was ahead is due at once.
    A card never seen is none of them, brought forward or not: it counts as new, as on the first screen.
    """
    tomorrow = today + timedelta(days=1)
    if memory.suspended or memory.phase == "new":
        return None
    days = []
    if memory.wanted_day is not None:
        days.append(memory.wanted_day if memory.wanted_day <= tomorrow else today)
    if memory.last_day is not None and memory.last_day > tomorrow:
        days.append(today)
    elif memory.due_day is not None:
        days.append(memory.due_day)
    elif memory.due_ms is not None:
        days.append(local_day(memory.due_ms, log.zone))
    if not days:
        return None
    buried = memory.buried_day if memory.is_put_off(today) else None
    return max(min(days), today if buried is None else buried + timedelta(days=1))
