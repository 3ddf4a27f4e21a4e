"""Derivations a person kept: ``derivations.db``, append-only, apart from the review log and the self-tests.

A derivation is kept with its start, goal and names, so it can be read though its drill has changed or gone.
Taking one out adds a row that says so; nothing written is changed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.card import DerivationDrill
from quizbank.database import Schema
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.entry import new_id
from quizbank.store import Store, taking_over

FILE_NAME = "derivations.db"
LONGEST = 100_000
"""Characters of the lines together."""

_VERSION_1 = (
    """
    CREATE TABLE derivation (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
        card TEXT NOT NULL,
        drill TEXT NOT NULL,
        task TEXT NOT NULL,
        lines TEXT NOT NULL CHECK (lines <> ''),
        complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
        at_ms INTEGER NOT NULL CHECK (at_ms >= 0),
        day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]')
    ) STRICT
    """,
    "CREATE INDEX derivation_of_card ON derivation (card, drill)",
    """
    CREATE TABLE removal (
        derivation TEXT PRIMARY KEY CHECK (length(derivation) = 36),
        at_ms INTEGER NOT NULL CHECK (at_ms >= 0)
    ) STRICT, WITHOUT ROWID
    """,
    *(
        f"""
        CREATE TRIGGER {table}_is_never_{what}d BEFORE {verb} ON {table}
        BEGIN SELECT raise(ABORT, 'derivations are append-only'); END
        """
        for table in ("derivation", "removal")
        for verb, what in (("UPDATE", "change"), ("DELETE", "delete"))
    ),
)
_COLUMNS = "id, card, drill, task, lines, complete, at_ms, day"
SCHEMA = Schema(
    application_id=0x50664472,  # "PfDr"
    name=Text("notebook of derivations", "推导笔记"),
    migrations=(_VERSION_1,),
    # what was taken out stays out
    salvage=taking_over({"removal": "derivation, at_ms", "derivation": _COLUMNS}, "derivation"),
)


@dataclass(frozen=True)
class Kept:
    """A derivation as it was kept.

    ``card`` and ``drill`` are empty where start and goal were the person's own. ``lines`` begin with ``=``, or
    with ``?=`` where a hint gave them. ``complete``: every line followed and the last had arrived at the goal.
    """

    id: str
    card: str
    drill: str
    start: str
    goal: str
    symbols: Mapping[str, str]
    mode: str
    where: Mapping[str, str]
    lines: tuple[str, ...]
    complete: bool
    at_ms: int
    day: date

    @property
    def key(self) -> str:
        """``card/drill``; empty where start and goal were the person's own."""
        return f"{self.card}/{self.drill}" if self.card else ""

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "card": self.card,
            "drill": self.drill,
            **_task(self.start, self.goal, self.symbols, self.mode, self.where),
            "lines": list(self.lines),
            "complete": self.complete,
            "day": self.day.isoformat(),
        }


class Notebook(Store):
    """The derivations of one person, in ``folder``.

    Raises:
        InputError: the folder or file cannot be used, or a newer version of the program made it.
    """

    file_name = FILE_NAME
    schema = SCHEMA

    def keep(
        self,
        drill: DerivationDrill,
        lines: Sequence[str],
        complete: bool,
        card: str = "",
        clock_ms: Callable[[], int] = now_ms,
    ) -> Kept:
        """Keep the lines written from a drill's start; ``card`` is its card, empty for one's own start and goal.

        What stands there already, line for line, is not kept twice: the earlier one comes back.

        Raises:
            InputError: no lines, too many characters, or it could not be stored.
        """
        written = "\n".join(line.strip() for line in lines if line.strip())
        if not written:
            raise InputError(Text("there is no line to keep yet", "还没有可以保存的推导行"))
        if len(written) > LONGEST:
            raise InputError(Text(f"longer than {LONGEST} characters", f"超过了 {LONGEST} 个字符"))
        at_ms = clock_ms()
        task = json.dumps(
            _task(drill.start, drill.goal, drill.symbols, drill.mode, drill.where), ensure_ascii=False
        )
        name = drill.id if card else ""
        row = (
            new_id(at_ms), card, name, task, written, int(complete), at_ms,
            local_day(at_ms, self.zone).isoformat(),
        )  # fmt: skip

        def work(connection: sqlite3.Connection) -> Kept:
            there = connection.execute(
                f"SELECT {_COLUMNS} FROM derivation WHERE card = ? AND drill = ? AND task = ? AND lines = ? "
                "AND complete = ? AND id NOT IN (SELECT derivation FROM removal)",
                row[1:6],
            ).fetchone()
            if there is None:
                connection.execute(
                    f"INSERT INTO derivation ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row
                )
            return _kept(there or row)

        return self._database.write(work)

    def kept(self, card: str | None = None) -> tuple[Kept, ...]:
        """What is kept, the latest first: of one card, or all (None); ``""`` for one's own starts and goals."""
        where, given = ("AND card = ?", (card,)) if card is not None else ("", ())

        def work(connection: sqlite3.Connection) -> tuple[Kept, ...]:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM derivation WHERE id NOT IN (SELECT derivation FROM removal) {where} "
                "ORDER BY seq DESC",
                given,
            )
            return tuple(map(_kept, rows))

        return self._database.read(work)

    def remove(self, id_: str, clock_ms: Callable[[], int] = now_ms) -> None:
        """Take one out. Raises InputError where there is none of this id."""
        at_ms = clock_ms()

        def work(connection: sqlite3.Connection) -> None:
            there = connection.execute(
                "SELECT 1 FROM derivation WHERE id = ? AND id NOT IN (SELECT derivation FROM removal)", (id_,)
            ).fetchone()
            if there is None:
                raise InputError(Text("there is no such derivation", "没有这份推导"))
            connection.execute("INSERT INTO removal (derivation, at_ms) VALUES (?, ?)", (id_, at_ms))

        self._database.write(work)


def _task(
    start: str, goal: str, symbols: Mapping[str, str], mode: str, where: Mapping[str, str]
) -> dict[str, Any]:
    return {"start": start, "goal": goal, "symbols": dict(symbols), "mode": mode, "where": dict(where)}


def _kept(row: Sequence[Any]) -> Kept:
    id_, card, drill, task, lines, complete, at_ms, day = row
    fields = json.loads(task)
    return Kept(
        id=id_,
        card=card,
        drill=drill,
        start=fields["start"],
        goal=fields["goal"],
        symbols=fields["symbols"],
        mode=fields["mode"],
        where=fields["where"],
        lines=tuple(lines.split("\n")),
        complete=bool(complete),
        at_ms=at_ms,
        day=date.fromisoformat(day),
    )
