"""The file of self-tests sat: ``results.db``, apart from the review log, which nothing here knows.

``sitting`` is one paper being sat or sat; ``response`` one question of it. What an answer was graded to is
stored with the answer, so a result can be read though the bank has changed. ``draft`` is what was being
written and not handed in yet.
"""

from __future__ import annotations

from engine.text import Text
from quizbank.database import Schema
from quizbank.store import taking_over

FILE_NAME = "results.db"

_VERSION_1 = (
    """
    CREATE TABLE sitting (
        id TEXT PRIMARY KEY CHECK (length(id) = 36),
        form TEXT NOT NULL,
        paper TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        day TEXT NOT NULL,
        limit_ms INTEGER CHECK (limit_ms > 0),
        used_ms INTEGER NOT NULL DEFAULT 0 CHECK (used_ms >= 0),
        position INTEGER NOT NULL DEFAULT 0 CHECK (position >= 0),
        status TEXT NOT NULL CHECK (status IN ('open', 'handed in', 'timed out')),
        ended_ms INTEGER,
        holder TEXT NOT NULL,
        CHECK ((status = 'open') = (ended_ms IS NULL))
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE response (
        sitting TEXT NOT NULL REFERENCES sitting (id),
        number INTEGER NOT NULL CHECK (number >= 0),
        spent_ms INTEGER NOT NULL DEFAULT 0 CHECK (spent_ms >= 0),
        flagged INTEGER NOT NULL DEFAULT 0 CHECK (flagged IN (0, 1)),
        given TEXT,
        graded TEXT,
        answered_ms INTEGER,
        PRIMARY KEY (sitting, number),
        CHECK ((given IS NULL) = (graded IS NULL))
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX sitting_started ON sitting (started_ms)",
)

_VERSION_2 = ("ALTER TABLE response ADD COLUMN draft TEXT",)

_TABLES = {
    "sitting": "id, form, paper, started_ms, day, limit_ms, used_ms, position, status, ended_ms, holder",
    "response": "sitting, number, spent_ms, flagged, given, graded, answered_ms, draft",
}


SCHEMA = Schema(
    application_id=0x50665274,  # "PfRt"
    name=Text("file of self-test results", "自测成绩文件"),
    migrations=(_VERSION_1, _VERSION_2),
    salvage=taking_over(_TABLES, "sitting"),
)
