"""Entries of the review log, and what they add up to.

Replay is a function of the *set* of entries: grades and wishes that no undo names, card by card, in the order
of ``(order_ms, id)``. So two machines that hold the same entries hold the same schedule, however they got them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from typing import Literal, TypeAlias

from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler

Kind = Literal["grade", "forward", "undo"]


@dataclass(frozen=True)
class Entry:
    """One thing the person did. Nothing in it ever changes.

    ``at_ms`` is the wall clock (UTC) when the answer was revealed and its four intervals stood on the
    buttons; ``day`` the learner's day then. ``order_ms`` orders the entries of a card: the wall clock,
    but later than any entry of that card this machine knew of, so that a clock set back cannot reorder
    history. ``thinking_ms`` runs from question to reveal, ``grading_ms`` from reveal to rating.
    ``before``, ``after`` and ``interval`` record what was known and promised then.

    A grade has a rating, states and an interval. A forward brings the card forward to its ``day``: it is
    asked then, and until it is graded, whatever its schedule says. An undo has the id of what it takes back.
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


@dataclass(frozen=True)
class Grade:
    """What of a grade decides the schedule; the rest of an entry is a record."""

    card: str
    rating: Rating
    at_ms: int
    order_ms: int
    day: date


@dataclass(frozen=True)
class Forward:
    """What of a forward decides when the card is asked."""

    card: str
    order_ms: int
    day: date


Turn: TypeAlias = Grade | Forward


def new_id(at_ms: int) -> str:
    """A UUID of version 7 (RFC 9562, section 5.7): the moment first, so ids sort by time; the rest random."""
    chance = int.from_bytes(os.urandom(10))
    fields = at_ms << 80 | 0x7 << 76 | (chance >> 62 & 0xFFF) << 64 | 0b10 << 62 | chance & (1 << 62) - 1
    digits = f"{fields:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def standing(entries: Iterable[Entry]) -> Iterator[Turn]:
    """The grades and forwards no undo names, in the order of replay. Takes entries in any order."""
    held = list(entries)
    undone = {entry.undoes for entry in held if entry.kind == "undo"}
    turns = [entry for entry in held if entry.kind in ("grade", "forward") and entry.id not in undone]
    for entry in sorted(turns, key=lambda entry: (entry.card, entry.order_ms, entry.id)):
        if entry.rating is None:
            yield Forward(entry.card, entry.order_ms, entry.day)
        else:
            yield Grade(entry.card, entry.rating, entry.at_ms, entry.order_ms, entry.day)


def replay(turns: Iterable[Turn], scheduler: Scheduler) -> Iterator[tuple[str, Memory]]:
    """Each card's state after its turns, which come card by card in the order of :func:`standing`."""
    for card, of_card in groupby(turns, key=lambda turn: turn.card):
        memory = Memory()
        for turn in of_card:
            if isinstance(turn, Forward):
                memory = replace(memory, wanted_day=turn.day)
            else:
                memory = scheduler.advance(card, memory, turn.rating, turn.at_ms, turn.day).after
        yield card, memory
