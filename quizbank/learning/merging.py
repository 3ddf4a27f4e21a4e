"""The union of two logs: entries by id, each once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from engine.errors import InputError
from engine.text import Text
from quizbank.learning import tables
from quizbank.learning.entry import Entry


@dataclass(frozen=True)
class Merged:
    """Entries that were new to the log, and those it held already; ``cards`` are those whose replay may differ now."""

    new: int
    known: int
    cards: frozenset[str]


def join(connection: sqlite3.Connection, incoming: Iterable[tuple[str, Entry]]) -> Merged:
    """Append what the log does not hold. ``incoming`` has the place of each entry, for messages.

    Raises:
        InputError: one has the id of an entry that says something else.
    """
    touched: set[str] = set()
    new = known = 0
    for where, entry in incoming:
        held = tables.entry(connection, entry.id)
        if held is None:
            tables.append(connection, entry)
            touched |= {entry.card, *tables.card_undone(connection, entry)}
            new += 1
        elif held == entry:
            known += 1
        else:
            raise InputError(
                Text(
                    "entry {id} is in the log already and says something else; nothing was taken over",
                    "编号 {id} 的条目已在记录中，但内容不同；未导入任何条目",
                ).filled(id=entry.id),
                where,
            )
    return Merged(new, known, frozenset(touched))
