"""The tables of the review log, version by version.

``entry`` is the truth and only ever grows: triggers refuse to change, delete or replace a row. An undo
need not find its grade here (a merge may bring it later), so ``undoes`` is no foreign key. ``schedule``,
``wanted`` and ``put_off`` are derived from it and can be rebuilt; ``derived`` says with which scheduler they were.
"""

from __future__ import annotations

from engine.text import Text
from quizbank.database import Salvage, Schema

APPLICATION_ID = 0x50664C67  # "PfLg"

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

_VERSION_3 = (
    """
    CREATE TABLE put_off (
        card TEXT PRIMARY KEY,
        buried_day TEXT,
        suspended INTEGER NOT NULL CHECK (suspended IN (0, 1)),
        CHECK (buried_day IS NOT NULL OR suspended)
    ) STRICT, WITHOUT ROWID
    """,
)

# what a person marks a card with is read off its entries, so it needs no table: these are few among the grades
_VERSION_4 = (
    """
    ALTER TABLE entry ADD COLUMN text TEXT
        CHECK (length(text) <= 4000 AND (kind NOT IN ('note', 'report') OR text IS NOT NULL))
    """,
    "ALTER TABLE entry ADD COLUMN edition TEXT CHECK (edition <> '')",
    """
    CREATE INDEX entry_marks ON entry (card, order_ms, id)
        WHERE kind IN ('bookmark', 'unbookmark', 'note', 'report')
    """,
)


def schema(salvage: Salvage | None = None) -> Schema:
    return Schema(
        application_id=APPLICATION_ID,
        name=Text("review log", "复习记录"),
        migrations=(_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4),
        salvage=salvage,
    )
