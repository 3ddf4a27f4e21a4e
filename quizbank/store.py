"""What the smaller SQLite files have in common: how they are opened and closed, and what is saved of a damaged one."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import tzinfo
from pathlib import Path
from typing import ClassVar, Self

from engine.text import Text
from quizbank.database import Database, Salvage, Schema


def taking_over(tables: Mapping[str, str], counted: str) -> Salvage:
    """Take over the rows that a damaged file still yields, and count those of one table.

    ``tables`` maps each table to its columns, those first that others refer to.
    """

    def salvage(old: sqlite3.Connection, new: sqlite3.Connection) -> int:
        taken = 0
        for table, columns in tables.items():
            places = ", ".join("?" for _ in columns.split(","))
            rows = old.execute(f"SELECT {columns} FROM {table}")
            while True:
                try:
                    row = rows.fetchone()
                except sqlite3.DatabaseError:
                    break
                if row is None:
                    break
                try:
                    new.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", row)
                except sqlite3.IntegrityError:
                    continue
                taken += table == counted
        return taken

    return salvage


class Store:
    """One SQLite file in ``folder``: a class for each kind of file, with its name and schema.

    ``zone`` is where days turn, the machine's own if None; ``busy_ms`` how long a lock is waited for.

    Raises:
        InputError: the folder or file cannot be used, or a newer version of the program made it.
    """

    file_name: ClassVar[str]
    schema: ClassVar[Schema]

    def __init__(self, folder: Path, zone: tzinfo | None = None, busy_ms: int = 5000) -> None:
        self.zone = zone
        self._database = Database(Path(folder) / self.file_name, self.schema, busy_ms)

    @property
    def notices(self) -> tuple[Text, ...]:
        """What a person should know about the opening: a file set aside, rows taken over."""
        return tuple(self._database.notices)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
