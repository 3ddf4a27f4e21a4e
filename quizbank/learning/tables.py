"""The tables of the review log and how rows become objects.

``entry`` is the truth and only ever grows: triggers refuse to change, delete or replace a row. An undo
need not find its grade here (a merge may bring it later), so ``undoes`` is no foreign key. ``schedule`` and
``wanted`` are derived from it and can be rebuilt; ``derived`` says with which scheduler they were.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from engine.text import Text
from quizbank.database import Salvage, Schema
from quizbank.learning.entry import Entry, Forward, Grade, Turn
from quizbank.learning.memory import Memory, Rating

_VERSION_1 = (
    """
    CREATE TABLE entry (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
        kind TEXT NOT NULL,
        card TEXT NOT NULL CHECK (card <> ''),
        at_ms INTEGER NOT NULL CHECK (at_ms >= 0),
        order_ms INTEGER NOT NULL CHECK (order_ms >= at_ms),
        day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
        rating INTEGER CHECK (rating BETWEEN 1 AND 4),
        thinking_ms INTEGER CHECK (thinking_ms >= 0),
        grading_ms INTEGER CHECK (grading_ms >= 0),
        before TEXT,
        after TEXT,
        interval_ms INTEGER CHECK (interval_ms > 0),
        undoes TEXT,
        CHECK (kind <> 'grade' OR (rating IS NOT NULL AND before IS NOT NULL AND after IS NOT NULL
                                   AND interval_ms IS NOT NULL AND undoes IS NULL)),
        CHECK (kind <> 'undo' OR (undoes IS NOT NULL AND rating IS NULL))
    ) STRICT
    """,
    "CREATE INDEX entry_of_card ON entry (card, order_ms, id)",
    "CREATE INDEX entry_undoes ON entry (undoes) WHERE undoes IS NOT NULL",
    """
    CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
    BEGIN SELECT raise(ABORT, 'the review log is append-only'); END
    """,
    """
    CREATE TRIGGER entry_is_never_deleted BEFORE DELETE ON entry
    BEGIN SELECT raise(ABORT, 'the review log is append-only'); END
    """,
    # INSERT OR REPLACE deletes without asking the trigger above, unless a pragma of the connection says so
    """
    CREATE TRIGGER entry_is_never_replaced BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE id = NEW.id OR seq = NEW.seq)
    BEGIN SELECT raise(ABORT, 'the review log is append-only'); END
    """,
    """
    CREATE TABLE schedule (
        card TEXT PRIMARY KEY,
        phase TEXT NOT NULL CHECK (phase IN ('learning', 'review', 'relearning')),
        step INTEGER,
        stability REAL NOT NULL CHECK (stability > 0),
        difficulty REAL NOT NULL CHECK (difficulty BETWEEN 1 AND 10),
        last_ms INTEGER NOT NULL,
        last_day TEXT NOT NULL,
        due_ms INTEGER,
        due_day TEXT,
        reps INTEGER NOT NULL CHECK (reps > 0),
        lapses INTEGER NOT NULL CHECK (lapses >= 0),
        CHECK ((due_ms IS NULL) <> (due_day IS NULL))
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX schedule_due_ms ON schedule (due_ms) WHERE due_ms IS NOT NULL",
    "CREATE INDEX schedule_due_day ON schedule (due_day) WHERE due_day IS NOT NULL",
    "CREATE INDEX schedule_last_day ON schedule (last_day)",
    "CREATE TABLE derived (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
)

# a table of its own: a card may be wanted that was never studied and has no row in the schedule
_VERSION_2 = (
    "CREATE TABLE wanted (card TEXT PRIMARY KEY, day TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX wanted_day ON wanted (day)",
)

_ENTRY = "id, kind, card, at_ms, order_ms, day, rating, thinking_ms, grading_ms, before, after, interval_ms, undoes"
_SCHEDULE = "card, phase, step, stability, difficulty, last_ms, last_day, due_ms, due_day, reps, lapses"


def entries(connection: sqlite3.Connection, card: str | None = None) -> Iterator[Entry]:
    """Entries in the order they were written here; of one card, or of all."""
    where, given = ("WHERE card = ?", (card,)) if card is not None else ("", ())
    for row in connection.execute(f"SELECT {_ENTRY} FROM entry {where} ORDER BY seq", given):
        yield _entry(row)


def entry(connection: sqlite3.Connection, id_: str) -> Entry | None:
    row = connection.execute(f"SELECT {_ENTRY} FROM entry WHERE id = ?", (id_,)).fetchone()
    return row and _entry(row)


def append(connection: sqlite3.Connection, new: Entry) -> None:
    connection.execute(
        f"INSERT INTO entry ({_ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            new.id,
            new.kind,
            new.card,
            new.at_ms,
            new.order_ms,
            new.day.isoformat(),
            new.rating and int(new.rating),
            new.thinking_ms,
            new.grading_ms,
            new.before and new.before.to_json(),
            new.after and new.after.to_json(),
            new.interval and new.interval // timedelta(milliseconds=1),
            new.undoes,
        ),
    )


def is_undone(connection: sqlite3.Connection, id_: str) -> bool:
    found = connection.execute("SELECT 1 FROM entry WHERE kind = 'undo' AND undoes = ?", (id_,)).fetchone()
    return found is not None


def next_order_ms(connection: sqlite3.Connection, card: str, at_ms: int) -> int:
    """The wall clock, or just after the card's latest entry where the clock was set back."""
    (latest,) = connection.execute("SELECT max(order_ms) FROM entry WHERE card = ?", (card,)).fetchone()
    return at_ms if latest is None else max(at_ms, int(latest) + 1)


def standing_turns(connection: sqlite3.Connection, card: str | None = None) -> Iterator[Turn]:
    """As :func:`quizbank.learning.entry.standing`, in SQL: nothing but one row at a time in memory."""
    where, given = ("AND card = ?", (card,)) if card is not None else ("", ())
    for row in connection.execute(
        f"""
        SELECT card, rating, at_ms, order_ms, day FROM entry AS turn
        WHERE kind IN ('grade', 'forward') {where}
          AND NOT EXISTS (SELECT 1 FROM entry AS undo WHERE undo.undoes = turn.id AND undo.kind = 'undo')
        ORDER BY card, order_ms, id
        """,
        given,
    ):
        card_, rating, at_ms, order_ms, day_text = row
        day = date.fromisoformat(day_text)
        if rating is None:
            yield Forward(card_, order_ms, day)
        else:
            yield Grade(card_, Rating(rating), at_ms, order_ms, day)


def memory(connection: sqlite3.Connection, card: str) -> Memory:
    """The card's state; that of a card never seen where there is none."""
    row = connection.execute(f"SELECT {_SCHEDULE} FROM schedule WHERE card = ?", (card,)).fetchone()
    found = _memory(row) if row else Memory()
    wanted = connection.execute("SELECT day FROM wanted WHERE card = ?", (card,)).fetchone()
    return replace(found, wanted_day=date.fromisoformat(wanted[0])) if wanted else found


def memories(connection: sqlite3.Connection) -> Iterator[tuple[str, Memory]]:
    """Every card that was ever graded or brought forward, by id."""
    wanted = dict(connection.execute("SELECT card, day FROM wanted").fetchall())
    found = {
        row[0]: _memory(row) for row in connection.execute(f"SELECT {_SCHEDULE} FROM schedule ORDER BY card")
    }
    for card, day in wanted.items():
        found[card] = replace(found.get(card, Memory()), wanted_day=date.fromisoformat(day))
    yield from sorted(found.items())


def seen(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT card FROM schedule UNION ALL SELECT card FROM wanted")
    return {row[0] for row in rows}


def due(connection: sqlite3.Connection, at_ms: int, today: date) -> tuple[str, ...]:
    """The cards for which :meth:`Memory.is_due` holds: learning steps, what is wanted, then days, the longest
    overdue first.

    Each part is read in the order of an index that holds the card's id, so no row of the table is touched.
    """
    today_text = today.isoformat()
    tomorrow = date.fromordinal(today.toordinal() + 1).isoformat()
    parts = (
        ("schedule WHERE due_ms IS NOT NULL AND due_ms <= ? ORDER BY due_ms, card", (at_ms,)),
        ("wanted WHERE day <= ? OR day > ? ORDER BY day, card", (today_text, tomorrow)),
        ("schedule WHERE due_day IS NOT NULL AND due_day <= ? ORDER BY due_day, card", (today_text,)),
        # reviewed under a clock that was ahead
        (
            "schedule WHERE last_day > ? AND (due_ms IS NULL OR due_ms > ?) AND (due_day IS NULL OR due_day > ?) ORDER BY last_day, card",
            (tomorrow, at_ms, today_text),
        ),
    )
    found = (row[0] for rows, given in parts for row in connection.execute(f"SELECT card FROM {rows}", given))
    # what is wanted may be due by itself too
    return tuple(dict.fromkeys(found))


def basis(connection: sqlite3.Connection) -> str | None:
    """The fingerprint of the settings the schedule was derived with."""
    row = connection.execute("SELECT value FROM derived WHERE name = 'scheduler'").fetchone()
    return row and str(row[0])


def clear_schedule(connection: sqlite3.Connection, new_basis: str) -> None:
    """Empty the derived tables before they are filled again with other settings."""
    connection.execute("DELETE FROM schedule")
    connection.execute("DELETE FROM wanted")
    connection.execute("INSERT OR REPLACE INTO derived (name, value) VALUES ('scheduler', ?)", (new_basis,))


def store(connection: sqlite3.Connection, card: str, state: Memory) -> None:
    """Put a card's state into the schedule; a card whose every grade was undone leaves it."""
    if state.wanted_day is None:
        connection.execute("DELETE FROM wanted WHERE card = ?", (card,))
    else:
        connection.execute(
            "INSERT OR REPLACE INTO wanted (card, day) VALUES (?, ?)", (card, state.wanted_day.isoformat())
        )
    if state.phase == "new":
        connection.execute("DELETE FROM schedule WHERE card = ?", (card,))
        return
    connection.execute(
        f"INSERT OR REPLACE INTO schedule ({_SCHEDULE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            card,
            state.phase,
            state.step,
            state.stability,
            state.difficulty,
            state.last_ms,
            state.last_day and state.last_day.isoformat(),
            state.due_ms,
            state.due_day and state.due_day.isoformat(),
            state.reps,
            state.lapses,
        ),
    )


_ROWS_MISSED = 1000
"""Rows in a row that cannot be read, after which a damaged table counts as read to its end."""


def salvage_entries(old: sqlite3.Connection, new: sqlite3.Connection) -> int:
    """Take over the entries that a damaged log still yields, row by row."""
    taken, seq, missed = 0, 0, 0
    while missed < _ROWS_MISSED:
        seq += 1
        missed += 1
        try:
            row = old.execute(f"SELECT {_ENTRY} FROM entry WHERE seq = ?", (seq,)).fetchone()
            found = row and _entry(row)
        except (sqlite3.DatabaseError, ValueError, TypeError):
            continue
        if found is None:
            continue
        try:
            append(new, found)
        except sqlite3.IntegrityError:
            continue
        taken, missed = taken + 1, 0
    return taken


def _entry(row: tuple[Any, ...]) -> Entry:
    (
        id_,
        kind,
        card,
        at_ms,
        order_ms,
        day,
        rating,
        thinking_ms,
        grading_ms,
        before,
        after,
        interval_ms,
        undoes,
    ) = row
    return Entry(
        id=id_,
        kind=kind,
        card=card,
        at_ms=at_ms,
        order_ms=order_ms,
        day=date.fromisoformat(day),
        rating=rating and Rating(rating),
        thinking_ms=thinking_ms,
        grading_ms=grading_ms,
        before=before and Memory.from_json(before),
        after=after and Memory.from_json(after),
        interval=interval_ms and timedelta(milliseconds=interval_ms),
        undoes=undoes,
    )


def _memory(row: tuple[Any, ...]) -> Memory:
    _, phase, step, stability, difficulty, last_ms, last_day, due_ms, due_day, reps, lapses = row
    return Memory(
        phase=phase,
        step=step,
        stability=stability,
        difficulty=difficulty,
        last_ms=last_ms,
        last_day=date.fromisoformat(last_day),
        due_ms=due_ms,
        due_day=due_day and date.fromisoformat(due_day),
        reps=reps,
        lapses=lapses,
    )


def schema(salvage: Salvage) -> Schema:
    return Schema(
        application_id=0x50664C67,  # "PfLg"
        name=Text("review log", "复习记录"),
        migrations=(_VERSION_1, _VERSION_2),
        salvage=salvage,
    )
