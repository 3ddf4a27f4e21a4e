"""The file of interviews: ``interviews.db``. Apart from reviews and self-tests, whose files nothing here knows.

``interview`` is one interview, ``mark`` one answer of it, written as it is given. Rows are added, never changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import get_args

from engine.text import Text
from quizbank.database import Schema
from quizbank.interview.plan import Kind, Turn
from quizbank.interview.verdict import LevelVerdict, Mark, verdicts
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.entry import new_id
from quizbank.store import Store, taking_over

FILE_NAME = "interviews.db"

_KINDS = ", ".join(f"'{kind}'" for kind in get_args(Kind))
_VERSION_1 = (
    """
    CREATE TABLE interview (
        id TEXT PRIMARY KEY CHECK (length(id) = 36),
        started_ms INTEGER NOT NULL CHECK (started_ms >= 0),
        day TEXT NOT NULL,
        card TEXT NOT NULL CHECK (card <> ''),
        seed INTEGER NOT NULL CHECK (seed >= 0),
        questions INTEGER NOT NULL CHECK (questions > 0)
    ) STRICT, WITHOUT ROWID
    """,
    f"""
    CREATE TABLE mark (
        interview TEXT NOT NULL REFERENCES interview (id),
        number INTEGER NOT NULL CHECK (number >= 0),
        level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
        kind TEXT NOT NULL CHECK (kind IN ({_KINDS})),
        card TEXT NOT NULL CHECK (card <> ''),
        part TEXT NOT NULL,
        said REAL NOT NULL CHECK (said BETWEEN 0 AND out_of),
        out_of INTEGER NOT NULL CHECK (out_of > 0),
        used_ms INTEGER NOT NULL CHECK (used_ms >= 0),
        PRIMARY KEY (interview, number)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX interview_started ON interview (started_ms)",
)

_INTERVIEW = "id, started_ms, day, card, seed, questions"
_MARK = "interview, number, level, kind, card, part, said, out_of, used_ms"


SCHEMA = Schema(
    application_id=0x50664976,  # "PfIv"
    name=Text("file of interviews", "模拟面试记录文件"),
    migrations=(_VERSION_1,),
    salvage=taking_over({"interview": _INTERVIEW, "mark": _MARK}, "interview"),
)


@dataclass(frozen=True)
class Past:
    """One interview: where it started, and its answers so far."""

    id: str
    started_ms: int
    day: date
    card: str
    seed: int
    questions: int
    marks: tuple[Mark, ...]

    @property
    def verdicts(self) -> tuple[LevelVerdict, ...]:
        return verdicts(self.marks)

    @property
    def is_whole(self) -> bool:
        """Was every question answered?"""
        return len(self.marks) == self.questions


class Interviews(Store):
    """The interviews of one person, in ``folder``.

    Raises:
        InputError: the folder or file cannot be used, or a newer version of the program made it.
    """

    file_name = FILE_NAME
    schema = SCHEMA

    def begin(self, card: str, seed: int, questions: int) -> str:
        """A new interview; returns its id.

        Raises:
            InputError: it could not be stored, or the clock of the machine is wrong.
        """
        at_ms = now_ms()
        row = (new_id(at_ms), at_ms, local_day(at_ms, self.zone).isoformat(), card, seed, questions)

        def work(connection: sqlite3.Connection) -> str:
            connection.execute(f"INSERT INTO interview ({_INTERVIEW}) VALUES (?, ?, ?, ?, ?, ?)", row)
            return row[0]

        return self._database.write(work)

    def add(self, interview: str, number: int, mark: Mark) -> None:
        """Store an answer. Raises InputError: it could not be stored."""
        turn = mark.turn
        row = (
            interview,
            number,
            turn.level,
            turn.kind,
            turn.card,
            turn.part,
            mark.said,
            mark.out_of,
            mark.used_ms,
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(f"INSERT INTO mark ({_MARK}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

        self._database.write(work)

    def history(self) -> Sequence[Past]:
        """Every interview in which something was answered, the latest first."""

        def work(connection: sqlite3.Connection) -> list[Past]:
            marks: dict[str, list[Mark]] = {}
            for interview, _, level, kind, card, part, said, out_of, used_ms in connection.execute(
                f"SELECT {_MARK} FROM mark ORDER BY interview, number"
            ):
                marks.setdefault(interview, []).append(
                    Mark(Turn(level, kind, card, part), said, out_of, used_ms)
                )
            rows = connection.execute(f"SELECT {_INTERVIEW} FROM interview ORDER BY started_ms DESC, id DESC")
            return [
                Past(id_, started_ms, date.fromisoformat(day), card, seed, questions, tuple(marks[id_]))
                for id_, started_ms, day, card, seed, questions in rows
                if id_ in marks
            ]

        return self._database.read(work)
