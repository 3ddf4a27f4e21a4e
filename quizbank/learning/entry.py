"""Entries of the review log, and what they add up to.

Replay is a function of the *set* of entries: those that no undo names, card by card, in the order of
``(order_ms, id)``. So two machines that hold the same entries hold the same schedule, however they got them.

A kind of entry is a name in :data:`Kind` and a rule: in :data:`RULES`, which says what it makes of a card's
:class:`~quizbank.learning.memory.Memory`, or in :data:`quizbank.learning.marks.MARKING`, where it says something
about the card and nothing of when to ask it. Undo, replay, verification, export, import and merge work from these
two; a kind that changes when a card is asked adds a field to the memory and a column to a derived table
(:func:`quizbank.learning.tables.store`), in a new version of the schema, which also tells an older program that
it cannot replay this log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from typing import Literal, get_args

from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler

Marking = Literal["bookmark", "unbookmark", "note", "report"]
Kind = Literal[
    "grade", "forward", "bury", "suspend", "resume", "undo", "bookmark", "unbookmark", "note", "report"
]
MARKING_KINDS: tuple[Marking, ...] = get_args(Marking)
KINDS: tuple[Kind, ...] = get_args(Kind)
LONGEST_TEXT = 4000
"""Characters of a note or a report."""
LATEST_MS = 2**48 - 1
"""The last moment an id can name (RFC 9562, section 5.7); no entry is ordered after it."""


@dataclass(frozen=True)
class Entry:
    """One thing the person did. Nothing in it ever changes.

    ``at_ms`` is the wall clock (UTC) when the answer was revealed and its four intervals stood on the
    buttons; ``day`` the learner's day then. ``order_ms`` orders the entries of a card: the wall clock,
    but later than any entry of that card this machine knew of, so that a clock set back cannot reorder
    history. ``thinking_ms`` runs from question to reveal, ``grading_ms`` from reveal to rating.
    ``before``, ``after`` and ``interval`` record what was known and promised then.

    A grade has a rating, states and an interval. A forward brings the card forward to its ``day``: it is
    asked then, and until it is graded, whatever its schedule says. A bury puts it off until the day after
    its ``day``, a suspend until a resume. An undo has the id of what it takes back.

    A note has the ``text`` that stands from then on, empty where it was taken away; a report what is wrong
    with the card, and the ``edition`` of the card it was said of (:func:`quizbank.learning.marks.edition`).
    """

    id: str
    kind: Kind
    card: str
    at_ms: int
    order_ms: int
    day: date
    rating: Rating | None = None
    thinking_ms: int | None = None
    grading_ms: int | None = None
    before: Memory | None = None
    after: Memory | None = None
    interval: timedelta | None = None
    undoes: str | None = None
    text: str | None = None
    edition: str | None = None


@dataclass(frozen=True)
class Turn:
    """What of an entry decides the card's state; the rest of it is a record."""

    kind: str
    card: str
    rating: Rating | None
    at_ms: int
    order_ms: int
    day: date


Rule = Callable[[Memory, Turn, Scheduler], Memory]


def _grade(memory: Memory, turn: Turn, scheduler: Scheduler) -> Memory:
    assert turn.rating is not None
    return scheduler.advance(turn.card, memory, turn.rating, turn.at_ms, turn.day).after


def _forward(memory: Memory, turn: Turn, _: Scheduler) -> Memory:
    return replace(memory, wanted_day=turn.day, buried_day=None)


def _bury(memory: Memory, turn: Turn, _: Scheduler) -> Memory:
    return replace(memory, buried_day=turn.day)


def _suspend(memory: Memory, _turn: Turn, _: Scheduler) -> Memory:
    return replace(memory, suspended=True)


def _resume(memory: Memory, _turn: Turn, _: Scheduler) -> Memory:
    return replace(memory, suspended=False, buried_day=None)


RULES: Mapping[str, Rule] = {
    "grade": _grade,
    "forward": _forward,
    "bury": _bury,
    "suspend": _suspend,
    "resume": _resume,
}
"""What each kind of entry that changes it makes of its card's memory."""


def new_id(at_ms: int, random_bytes: Callable[[int], bytes] = os.urandom) -> str:
    """A UUID of version 7 (RFC 9562, section 5.7): the moment first, so ids sort by time; the rest random."""
    chance = int.from_bytes(random_bytes(10))
    fields = at_ms << 80 | 0x7 << 76 | (chance >> 62 & 0xFFF) << 64 | 0b10 << 62 | chance & (1 << 62) - 1
    digits = f"{fields:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def standing(entries: Iterable[Entry]) -> Iterator[Turn]:
    """What decides the cards' states and no undo names, in the order of replay. Takes entries in any order."""
    for entry in standing_entries(entries, RULES):
        yield Turn(entry.kind, entry.card, entry.rating, entry.at_ms, entry.order_ms, entry.day)


def standing_entries(entries: Iterable[Entry], kinds: Container[str]) -> list[Entry]:
    """The entries of these kinds that no undo names, in the order of replay. Takes entries in any order."""
    held = list(entries)
    undone = {entry.undoes for entry in held if entry.kind == "undo"}
    found = [entry for entry in held if entry.kind in kinds and entry.id not in undone]
    return sorted(found, key=lambda entry: (entry.card, entry.order_ms, entry.id))


def replay(turns: Iterable[Turn], scheduler: Scheduler) -> Iterator[tuple[str, Memory]]:
    """Each card's state after its turns, which come card by card in the order of :func:`standing`."""
    for card, of_card in groupby(turns, key=lambda turn: turn.card):
        memory = Memory()
        for turn in of_card:
            memory = RULES[turn.kind](memory, turn, scheduler)
        yield card, memory
