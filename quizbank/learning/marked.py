"""Under which words a person finds their cards again: what they marked, what they put off, what they keep forgetting.

A leech is a card forgotten so often that another review helps little: what is behind it has to be seen once more.
(The word and the rule of the half threshold are those of SuperMemo and Anki.)
"""

from __future__ import annotations

import sqlite3
from datetime import date
from typing import Literal, get_args

from quizbank.learning import tables
from quizbank.learning.entry import Entry
from quizbank.learning.log import ReviewLog
from quizbank.learning.marks import Marks, folded, marks_in
from quizbank.learning.memory import Memory

Mark = Literal["bookmarked", "noted", "reported", "buried", "suspended", "leech"]
MARKS: tuple[Mark, ...] = get_args(Mark)


def is_leech(lapses: int, threshold: int) -> bool:
    """Whether a card forgotten so often counts as one; a threshold of 0 knows none."""
    return 0 < threshold <= lapses


def noticed(entry: Entry, threshold: int) -> bool:
    """Whether the person is to be told at this grade: the one that makes its card a leech, and every half
    threshold after it."""
    if entry.before is None or entry.after is None or entry.after.lapses == entry.before.lapses:
        return False
    lapses = entry.after.lapses
    return is_leech(lapses, threshold) and (lapses - threshold) % -(-threshold // 2) == 0


def words_of(marks: Marks, memory: Memory, threshold: int, today: date) -> tuple[Mark, ...]:
    """The words that hold of a card with these marks and this memory, in the order of :data:`MARKS`."""
    holds = (
        marks.bookmarked,
        bool(marks.note),
        bool(marks.reports),
        not memory.suspended and memory.is_put_off(today),
        memory.suspended,
        is_leech(memory.lapses, threshold),
    )
    return tuple(word for word, yes in zip(MARKS, holds, strict=True) if yes)


def marked(log: ReviewLog, threshold: int, at_ms: int | None = None) -> dict[str, tuple[Mark, ...]]:
    """Every card of which any of the words holds, whether or not it still stands in the bank.

    Raises:
        InputError: the log cannot be read.
    """
    today = log.day(at_ms)

    def work(connection: sqlite3.Connection) -> dict[str, tuple[Mark, ...]]:
        marks = folded(tables.standing_marks(connection))
        leeches = tables.lapsed(connection, threshold) if threshold else []
        cards = {*marks, *tables.put_off(connection, today), *leeches}
        found = {
            card: words_of(marks.get(card, Marks()), tables.memory(connection, card), threshold, today)
            for card in cards
        }
        return {card: words for card, words in found.items() if words}

    return log.read(work)


def words_and_marks(
    log: ReviewLog, card: str, threshold: int, at_ms: int | None = None
) -> tuple[tuple[Mark, ...], Marks]:
    """The words that hold of one card, and its marks. Raises as :func:`marked`."""
    today = log.day(at_ms)

    def work(connection: sqlite3.Connection) -> tuple[tuple[Mark, ...], Marks]:
        marks = marks_in(connection, card)
        return words_of(marks, tables.memory(connection, card), threshold, today), marks

    return log.read(work)
