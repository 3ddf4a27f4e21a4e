"""The file of guesses made in the lab: ``predictions.db``. Guesses of papers stand in the papers' own file."""

from __future__ import annotations

import json
import sqlite3

from engine.text import Text
from quizbank.calibration.guess import Guess
from quizbank.database import Schema
from quizbank.learning.day import local_day
from quizbank.learning.entry import new_id
from quizbank.store import Store, taking_over

FILE_NAME = "predictions.db"

_VERSION_1 = (
    """
    CREATE TABLE guess (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
        at_ms INTEGER NOT NULL CHECK (at_ms >= 0),
        day TEXT NOT NULL,
        demo TEXT NOT NULL CHECK (demo <> ''),
        name TEXT NOT NULL CHECK (name <> ''),
        parameters TEXT NOT NULL,
        seed INTEGER NOT NULL CHECK (seed >= 0),
        guess REAL NOT NULL,
        value REAL NOT NULL,
        scale TEXT NOT NULL CHECK (scale IN ('linear', 'log')),
        low REAL NOT NULL,
        high REAL NOT NULL,
        unit_en TEXT NOT NULL,
        unit_zh TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TRIGGER guess_is_never_changed BEFORE UPDATE ON guess
    BEGIN SELECT raise(ABORT, 'guesses are append-only'); END
    """,
    """
    CREATE TRIGGER guess_is_never_deleted BEFORE DELETE ON guess
    BEGIN SELECT raise(ABORT, 'guesses are append-only'); END
    """,
)

_COLUMNS = "id, at_ms, day, demo, name, parameters, seed, guess, value, scale, low, high, unit_en, unit_zh"
_INSERT = f"INSERT INTO guess ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


SCHEMA = Schema(
    application_id=0x50665064,  # "PfPd"
    name=Text("file of guesses", "猜测记录文件"),
    migrations=(_VERSION_1,),
    salvage=taking_over({"guess": _COLUMNS}, "guess"),
)


class Predictions(Store):
    """The guesses one person made in the lab, in ``folder``. They are added, never changed.

    Raises:
        InputError: the folder or file cannot be used, or a newer version of the program made it.
    """

    file_name = FILE_NAME
    schema = SCHEMA

    def add(self, guess: Guess) -> None:
        """Keep a guess. Raises InputError: it could not be stored, or the clock of the machine is wrong."""
        row = (
            new_id(guess.at_ms),
            guess.at_ms,
            local_day(guess.at_ms, self.zone).isoformat(),
            guess.demo,
            guess.name,
            json.dumps(dict(guess.parameters), sort_keys=True),
            guess.seed,
            float(guess.guess),
            float(guess.value),
            guess.scale,
            float(guess.low),
            float(guess.high),
            *guess.unit,
        )
        self._database.write(lambda connection: connection.execute(_INSERT, row) and None)

    def all(self) -> tuple[Guess, ...]:
        """Every guess, in the order they were made here."""

        def work(connection: sqlite3.Connection) -> list[Guess]:
            return [
                Guess(
                    source="lab", at_ms=at_ms, demo=demo, name=name, guess=guess, value=value, scale=scale,
                    low=low, high=high, unit=Text(unit_en, unit_zh), parameters=json.loads(parameters), seed=seed,
                )
                for _, at_ms, _, demo, name, parameters, seed, guess, value, scale, low, high, unit_en, unit_zh
                in connection.execute(f"SELECT {_COLUMNS} FROM guess ORDER BY seq")
            ]  # fmt: skip

        return tuple(self._database.read(work))
