"""Is the schedule the replay of the log, and is every page of the file sound?"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from quizbank.learning import tables
from quizbank.learning.entry import replay
from quizbank.learning.memory import Memory
from quizbank.learning.scheduler import Scheduler

_OF_INDEX = re.compile(r"missing from index|wrong # of entries in index|non-unique entry in index")
"""How SQLite's integrity check says that an index and its table disagree."""


@dataclass(frozen=True)
class Difference:
    """A card whose scheduled state is not what the log says."""

    card: str
    scheduled: Memory
    replayed: Memory


@dataclass(frozen=True)
class Verification:
    """``entries`` and ``cards`` of the log; ``faults`` are damaged pages as SQLite reports them."""

    entries: int
    cards: int
    differences: tuple[Difference, ...]
    faults: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.differences and not self.faults

    @property
    def rows_are_sound(self) -> bool:
        """Whether every row can be read, and what is wrong is no more than an index that does not fit the rows."""
        return all(_OF_INDEX.search(fault) for fault in self.faults)


def verify(connection: sqlite3.Connection, scheduler: Scheduler) -> Verification:
    """Compare card by card, in the order of their ids: a log of any length fits in memory."""
    faults = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    replayed = replay(tables.standing_turns(connection), scheduler)
    # of damaged pages anything may be read, so nothing is compared
    differences = (
        ()
        if faults
        else tuple(
            Difference(card, scheduled, found)
            for card, scheduled, found in _paired(tables.memories(connection), replayed)
            if scheduled != found
        )
    )
    entries, cards = connection.execute("SELECT count(*), count(DISTINCT card) FROM entry").fetchone()
    return Verification(entries, cards, differences, tuple(faults))


def _paired(
    scheduled: Iterator[tuple[str, Memory]], replayed: Iterator[tuple[str, Memory]]
) -> Iterator[tuple[str, Memory, Memory]]:
    """Two sequences ordered by card, side by side; a card that one lacks is one never seen there."""
    left, right = next(scheduled, None), next(replayed, None)
    while left is not None or right is not None:
        card = min(pair[0] for pair in (left, right) if pair is not None)
        one = two = Memory()
        if left is not None and left[0] == card:
            one, left = left[1], next(scheduled, None)
        if right is not None and right[0] == card:
            two, right = right[1], next(replayed, None)
        yield card, one, two
