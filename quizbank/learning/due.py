"""What is due, read off the indexes of the schedule: as much of it as is asked for, however much there is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from datetime import date, timedelta
from itertools import islice

from quizbank.learning import tables

MANY = 5_000
"""Cards from which on reading an index from end to end is faster than a look at each."""


def due_cards(connection: sqlite3.Connection, at_ms: int, today: date) -> Iterator[str]:
    """The cards for which :meth:`Memory.is_due` holds: learning steps, what is wanted, then days, the longest
    overdue first.

    Each part is read row by row in the order of an index that holds the card's id, so no row of the table is
    touched, and none is read that is not asked for.
    """
    off = tables.put_off(connection, today)
    today_text, tomorrow = _days(today)
    wanted = dict.fromkeys(
        _cards(
            connection,
            "wanted WHERE day <= ? OR day > ? ORDER BY day, card",
            (today_text, tomorrow),
        )
    )
    for card in _cards(
        connection, "schedule WHERE due_ms IS NOT NULL AND due_ms <= ? ORDER BY due_ms, card", (at_ms,)
    ):
        if card not in off:
            yield card
            # what is wanted may be due by itself too
            wanted.pop(card, None)
    yield from (card for card in wanted if card not in off)
    met = off | set(wanted)
    parts: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("schedule WHERE due_day IS NOT NULL AND due_day <= ? ORDER BY due_day, card", (today_text,)),
        # reviewed under a clock that was ahead
        (
            "schedule WHERE last_day > ? AND (due_ms IS NULL OR due_ms > ?)"
            " AND (due_day IS NULL OR due_day > ?) ORDER BY last_day, card",
            (tomorrow, at_ms, today_text),
        ),
    )
    for rows, given in parts:
        for card in _cards(connection, rows, given):
            if card not in met:
                yield card


def first_due(
    connection: sqlite3.Connection, at_ms: int, today: date, cards: Collection[str], limit: int | None
) -> list[str]:
    """The first so many due cards that are among ``cards``, in the order of :func:`due_cards`."""
    return list(islice((card for card in due_cards(connection, at_ms, today) if card in cards), limit))


def due_among(connection: sqlite3.Connection, at_ms: int, today: date, cards: Collection[str]) -> set[str]:
    """Which of these cards are due: a look at each of them, and at no other; of very many, at all that are due."""
    if len(cards) > MANY:
        among = set(cards)
        return {card for card in due_cards(connection, at_ms, today) if card in among}
    today_text, tomorrow = _days(today)
    off = tables.put_off(connection, today)
    found = _of(
        connection,
        cards,
        """
        EXISTS (SELECT 1 FROM schedule WHERE card = value
                AND (due_ms <= :at_ms OR due_day <= :today OR last_day > :tomorrow))
        OR EXISTS (SELECT 1 FROM wanted WHERE card = value AND (day <= :today OR day > :tomorrow))
        """,
        {"at_ms": at_ms, "today": today_text, "tomorrow": tomorrow},
    )
    return {card for card in found if card not in off}


def brought_new(connection: sqlite3.Connection, today: date, cards: Collection[str]) -> list[str]:
    """Which of these cards are due for having been brought forward alone: they were never graded."""
    off = tables.put_off(connection, today)
    found = _cards(
        connection,
        "wanted WHERE (day <= ? OR day > ?) AND card NOT IN (SELECT card FROM schedule) ORDER BY day, card",
        _days(today),
    )
    return [card for card in found if card in cards and card not in off]


def new_among(connection: sqlite3.Connection, today: date, cards: Collection[str]) -> list[str]:
    """Which of these cards were never graded, brought forward or put off, in the order given."""
    off = tables.put_off(connection, today)
    if len(cards) > MANY:
        # row by row: a hundred thousand ids are not held a second time
        left = dict.fromkeys(cards)
        for table in ("schedule", "wanted"):
            for card in _cards(connection, table, ()):
                left.pop(card, None)
        return [card for card in left if card not in off]
    found = _of(
        connection,
        cards,
        "NOT EXISTS (SELECT 1 FROM schedule WHERE card = value)"
        " AND NOT EXISTS (SELECT 1 FROM wanted WHERE card = value)",
    )
    return [card for card in found if card not in off]


def steps_soon(
    connection: sqlite3.Connection, at_ms: int, until_ms: int, today: date
) -> tuple[tuple[int, str], ...]:
    """Learning steps that fall due after one moment and until the other, as (due_ms, card), the earliest first."""
    off = tables.put_off(connection, today)
    today_text, tomorrow = _days(today)
    rows = connection.execute(
        """
        SELECT due_ms, card FROM schedule
        WHERE due_ms IS NOT NULL AND due_ms > ? AND due_ms <= ? AND last_day <= ?
          AND NOT EXISTS (SELECT 1 FROM wanted WHERE wanted.card = schedule.card AND (day <= ? OR day > ?))
        ORDER BY due_ms, card
        """,
        (at_ms, until_ms, tomorrow, today_text, tomorrow),
    )
    return tuple((due_ms, card) for due_ms, card in rows if card not in off)


def _cards(connection: sqlite3.Connection, rows: str, given: tuple[object, ...]) -> Iterator[str]:
    return (card for (card,) in connection.execute(f"SELECT card FROM {rows}", given))


def _of(
    connection: sqlite3.Connection,
    cards: Iterable[str],
    condition: str,
    given: dict[str, object] | None = None,
) -> Iterator[str]:
    # one call for all of them; SQLite bounds the parameters of a statement and not the length of a text
    rows = connection.execute(
        f"SELECT value FROM json_each(:cards) WHERE {condition} ORDER BY key",
        {"cards": json.dumps(list(cards)), **(given or {})},
    )
    return (card for (card,) in rows)


def _days(today: date) -> tuple[str, str]:
    return today.isoformat(), (today + timedelta(days=1)).isoformat()
