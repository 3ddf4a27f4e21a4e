"""What is asked of the tables of the review log, and how rows become objects."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from quizbank.learning.entry import LATEST_MS, MARKING_KINDS, RULES, Entry, Turn
from quizbank.learning.memory import Memory, Rating
from quizbank.sqlite_faults import DamagedError

_ENTRY = (
    "id, kind, card, at_ms, order_ms, day, rating, thinking_ms, grading_ms, before, after, interval_ms, undoes, "
    "text, edition"
)
_KINDS = ", ".join(f"'{kind}'" for kind in RULES)
_MARKING = ", ".join(f"'{kind}'" for kind in MARKING_KINDS)
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
        f"INSERT INTO entry ({_ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            new.text,
            new.edition,
        ),
    )


def length(connection: sqlite3.Connection) -> int:
    """How many entries there are: they are numbered from 1 and none is ever deleted."""
    return connection.execute("SELECT coalesce(max(seq), 0) FROM entry").fetchone()[0]  # type: ignore[no-any-return]


def last_id(connection: sqlite3.Connection) -> str | None:
    """The id of the entry written last."""
    row = connection.execute("SELECT id FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    return row and str(row[0])


def entries_by_id(connection: sqlite3.Connection) -> Iterator[Entry]:
    """Every entry in the order of its id, which is the same wherever the same entries are."""
    for row in connection.execute(f"SELECT {_ENTRY} FROM entry ORDER BY id"):
        yield _entry(row)


def rows_by_id(connection: sqlite3.Connection) -> Iterator[tuple[int, dict[str, object]]]:
    """As :func:`entries_by_id`, of a file that is not trusted: each row's number and its columns as they stand."""
    names = _ENTRY.split(", ")
    for seq, *row in connection.execute(f"SELECT seq, {_ENTRY} FROM entry ORDER BY id"):
        yield seq, dict(zip(names, row, strict=True))


def last_standing(connection: sqlite3.Connection, kinds: Iterable[str], beginning: str) -> Entry | None:
    """The latest entry of these kinds that no undo names, among those whose id begins so."""
    wanted = ", ".join(f"'{kind}'" for kind in kinds)
    row = connection.execute(
        f"""
        SELECT {_ENTRY} FROM entry AS turn WHERE kind IN ({wanted}) AND substr(id, 1, ?) = ?
          AND NOT EXISTS (SELECT 1 FROM entry AS undo WHERE undo.undoes = turn.id AND undo.kind = 'undo')
        ORDER BY at_ms DESC, seq DESC LIMIT 1
        """,
        (len(beginning), beginning),
    ).fetchone()
    return row and _entry(row)


def card_undone(connection: sqlite3.Connection, undo: Entry) -> tuple[str, ...]:
    """The card of the entry that an undo takes back, where that is here."""
    taken_back = undo.undoes and entry(connection, undo.undoes)
    return (taken_back.card,) if taken_back else ()


def is_undone(connection: sqlite3.Connection, id_: str) -> bool:
    found = connection.execute("SELECT 1 FROM entry WHERE kind = 'undo' AND undoes = ?", (id_,)).fetchone()
    return found is not None


def next_order_ms(connection: sqlite3.Connection, card: str, at_ms: int) -> int:
    """The wall clock, or just after the card's latest entry where the clock was set back.

    Another machine's log may hold an entry at the very end of the order, after which nothing comes: then the ids
    decide, so the new entry need not be the last of the replay (:func:`quizbank.learning.log.ReviewLog._keep`).
    """
    (latest,) = connection.execute("SELECT max(order_ms) FROM entry WHERE card = ?", (card,)).fetchone()
    return at_ms if latest is None else max(at_ms, min(int(latest) + 1, LATEST_MS))


def standing_turns(connection: sqlite3.Connection, card: str | None = None) -> Iterator[Turn]:
    """As :func:`quizbank.learning.entry.standing`, in SQL: nothing but one row at a time in memory."""
    where, given = ("AND card = ?", (card,)) if card is not None else ("", ())
    for row in connection.execute(
        f"""
        SELECT kind, card, rating, at_ms, order_ms, day FROM entry AS turn
        WHERE kind IN ({_KINDS}) {where}
          AND NOT EXISTS (SELECT 1 FROM entry AS undo WHERE undo.undoes = turn.id AND undo.kind = 'undo')
        ORDER BY card, order_ms, id
        """,
        given,
    ):
        kind, card_, rating, at_ms, order_ms, day_text = row
        try:
            turn = Turn(kind, card_, rating and Rating(rating), at_ms, order_ms, date.fromisoformat(day_text))
        except (ValueError, TypeError) as error:
            raise DamagedError(error) from error
        yield turn


def standing_marks(connection: sqlite3.Connection, card: str | None = None) -> Iterator[Entry]:
    """The entries that mark a card, or any, and that no undo names, in the order of replay: read off an index of
    their own, however long the log is."""
    where, given = ("AND card = ?", (card,)) if card is not None else ("", ())
    for row in connection.execute(
        f"""
        SELECT {_ENTRY} FROM entry AS mark
        WHERE kind IN ({_MARKING}) {where}
          AND NOT EXISTS (SELECT 1 FROM entry AS undo WHERE undo.undoes = mark.id AND undo.kind = 'undo')
        ORDER BY card, order_ms, id
        """,
        given,
    ):
        found = _entry(row)
        if found.kind not in MARKING_KINDS:
            raise DamagedError("the index of marks holds something else")
        yield found


def memory(connection: sqlite3.Connection, card: str) -> Memory:
    """The card's state; that of a card never seen where there is none."""
    row = connection.execute(f"SELECT {_SCHEDULE} FROM schedule WHERE card = ?", (card,)).fetchone()
    found = _memory(row) if row else Memory()
    wanted = connection.execute("SELECT day FROM wanted WHERE card = ?", (card,)).fetchone()
    off = connection.execute("SELECT buried_day, suspended FROM put_off WHERE card = ?", (card,)).fetchone()
    return _with(found, wanted and wanted[0], off)


def memories(connection: sqlite3.Connection) -> Iterator[tuple[str, Memory]]:
    """Every card with a state other than that of one never seen, by id; one row at a time in memory."""
    columns = ", ".join(f"schedule.{name}" for name in _SCHEDULE.split(", "))
    for row in connection.execute(
        f"""
        SELECT cards.card, wanted.day, buried_day, suspended, {columns}
        FROM (SELECT card FROM schedule UNION SELECT card FROM wanted UNION SELECT card FROM put_off) AS cards
        LEFT JOIN schedule USING (card) LEFT JOIN wanted USING (card) LEFT JOIN put_off USING (card)
        ORDER BY cards.card
        """
    ):
        card, wanted, buried, suspended, *scheduled = row
        found = _memory(scheduled) if scheduled[0] is not None else Memory()
        yield card, _with(found, wanted, None if suspended is None else (buried, suspended))


def seen(connection: sqlite3.Connection) -> set[str]:
    return {*_cards(connection, "schedule"), *_cards(connection, "wanted")}


def put_off(connection: sqlite3.Connection, today: date) -> set[str]:
    """The cards for which :meth:`Memory.is_put_off` holds."""
    tomorrow = today + timedelta(days=1)
    buried = (today.isoformat(), tomorrow.isoformat())
    return set(_cards(connection, "put_off WHERE suspended OR buried_day BETWEEN ? AND ?", buried))


def lapsed(connection: sqlite3.Connection, times: int) -> list[str]:
    """The cards forgotten so often or more."""
    return _cards(connection, "schedule WHERE lapses >= ?", (times,))


def _cards(connection: sqlite3.Connection, rows: str, given: tuple[object, ...] = ()) -> list[str]:
    """The ids in these rows, in their order: one text from SQLite, half the time of as many rows."""
    (text,) = connection.execute(
        f"SELECT json_group_array(card) FROM (SELECT card FROM {rows})", given
    ).fetchone()
    found: list[str] = json.loads(text)
    return found


def basis(connection: sqlite3.Connection) -> str | None:
    """The fingerprint of the settings the schedule was derived with."""
    row = connection.execute("SELECT value FROM derived WHERE name = 'scheduler'").fetchone()
    return row and str(row[0])


def clear_schedule(connection: sqlite3.Connection, new_basis: str) -> None:
    """Empty the derived tables before they are filled again with other settings."""
    connection.execute("DELETE FROM schedule")
    connection.execute("DELETE FROM wanted")
    connection.execute("DELETE FROM put_off")
    connection.execute("INSERT OR REPLACE INTO derived (name, value) VALUES ('scheduler', ?)", (new_basis,))


def store(connection: sqlite3.Connection, card: str, state: Memory) -> None:
    """Put a card's state into the schedule; a card whose every grade was undone leaves it."""
    if state.wanted_day is None:
        connection.execute("DELETE FROM wanted WHERE card = ?", (card,))
    else:
        connection.execute(
            "INSERT OR REPLACE INTO wanted (card, day) VALUES (?, ?)", (card, state.wanted_day.isoformat())
        )
    if state.buried_day is None and not state.suspended:
        connection.execute("DELETE FROM put_off WHERE card = ?", (card,))
    else:
        connection.execute(
            "INSERT OR REPLACE INTO put_off (card, buried_day, suspended) VALUES (?, ?, ?)",
            (card, state.buried_day and state.buried_day.isoformat(), int(state.suspended)),
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
    """Take over the entries that a damaged log still yields, row by row.

    Damage may have kept it from being migrated: what its version did not have is empty.
    """
    there = {row[1] for row in old.execute("PRAGMA table_info(entry)")}
    columns = ", ".join(name if name in there else f"NULL AS {name}" for name in _ENTRY.split(", "))
    taken, seq, missed = 0, 0, 0
    while missed < _ROWS_MISSED:
        seq += 1
        missed += 1
        try:
            row = old.execute(f"SELECT {columns} FROM entry WHERE seq = ?", (seq,)).fetchone()
            found = row and _entry(row)
        except sqlite3.DatabaseError:
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
    """Raises DamagedError: the page is one of SQLite's, and what it holds is not what was written."""
    try:
        return _entry_of(row)
    except (ValueError, TypeError, AttributeError) as error:
        raise DamagedError(error) from error


def _entry_of(row: tuple[Any, ...]) -> Entry:
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
        text,
        edition,
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
        text=text,
        edition=edition,
    )


def _with(found: Memory, wanted_day: str | None, off: tuple[str | None, int] | None) -> Memory:
    try:
        return _put_off(found, wanted_day, off)
    except (ValueError, TypeError) as error:
        raise DamagedError(error) from error


def _put_off(found: Memory, wanted_day: str | None, off: tuple[str | None, int] | None) -> Memory:
    if wanted_day is not None:
        found = replace(found, wanted_day=date.fromisoformat(wanted_day))
    if off is not None:
        buried_day, suspended = off
        found = replace(
            found,
            buried_day=date.fromisoformat(buried_day) if buried_day else None,
            suspended=bool(suspended),
        )
    return found


def _memory(row: Sequence[Any]) -> Memory:
    try:
        return _memory_of(row)
    except (ValueError, TypeError) as error:
        raise DamagedError(error) from error


def _memory_of(row: Sequence[Any]) -> Memory:
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
