"""What a person marks a card with: a bookmark, a note of their own, what they report as wrong with it.

Marks are a function of the set of entries, as the schedule is: of bookmarks and notes the latest in the order of
``(order_ms, id)`` stands, reports add up, and an undo takes back the one it names. They say nothing of when a card
is asked. No table holds them: they are read off the entries, so nothing can differ from the log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Text
from quizbank.learning import tables
from quizbank.learning.entry import LONGEST_TEXT, Entry

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.learning.log import ReviewLog

NOTHING_SAID = Text("say what is wrong with the card", "请写明卡片哪里有误")
TOO_LONG = Text(
    "{n} characters are too many: at most {most} are kept with a card",
    "{n} 个字符过长：卡片上最多保存 {most} 个",
)


@dataclass(frozen=True)
class Report:
    """What a person found wrong with a card. ``id`` is that of its entry, ``at_ms`` the moment (UTC), ``edition``
    what the card said then (:func:`edition`)."""

    id: str
    at_ms: int
    day: date
    text: str
    edition: str


@dataclass(frozen=True)
class Marks:
    """Of one card; the default is a card that bears none."""

    bookmarked: bool = False
    note: str = ""
    reports: tuple[Report, ...] = ()


NONE = Marks()

Rule = Callable[[Marks, Entry], Marks]


def _bookmark(marks: Marks, _: Entry) -> Marks:
    return replace(marks, bookmarked=True)


def _unbookmark(marks: Marks, _: Entry) -> Marks:
    return replace(marks, bookmarked=False)


def _note(marks: Marks, entry: Entry) -> Marks:
    return replace(marks, note=entry.text or "")


def _report(marks: Marks, entry: Entry) -> Marks:
    said = Report(entry.id, entry.at_ms, entry.day, entry.text or "", entry.edition or "")
    return replace(marks, reports=(*marks.reports, said))


MARKING: Mapping[str, Rule] = {
    "bookmark": _bookmark,
    "unbookmark": _unbookmark,
    "note": _note,
    "report": _report,
}
"""What each kind of entry that marks a card makes of its marks."""


def folded(standing: Iterable[Entry]) -> dict[str, Marks]:
    """The marks of every card that bears any, from the entries that stand, in the order of replay
    (:func:`quizbank.learning.entry.standing_entries`)."""
    found: dict[str, Marks] = {}
    for entry in standing:
        found[entry.card] = MARKING[entry.kind](found.get(entry.card, NONE), entry)
    return {card: marks for card, marks in found.items() if marks != NONE}


def marks_in(connection: sqlite3.Connection, card: str) -> Marks:
    """A card's marks within a transaction on the log."""
    return folded(tables.standing_marks(connection, card)).get(card, NONE)


def marks_of(log: ReviewLog, card: str) -> Marks:
    """A card's marks.

    Raises:
        InputError: the log cannot be read.
    """
    return log.read(lambda connection: marks_in(connection, card))


def all_marks(log: ReviewLog) -> dict[str, Marks]:
    """The marks of every card that bears any, whether or not it still stands in the bank. Raises as :func:`marks_of`."""
    return log.read(lambda connection: folded(tables.standing_marks(connection)))


def kept_text(kind: str, given: str) -> str:
    """What a person wrote, as it is kept: no control sequences, no blank lines around it.

    Raises:
        InputError: a report that says nothing, or a text longer than is kept.
    """
    from engine.notation.prose import clean

    text = clean(given).strip()
    if kind == "report" and not text:
        raise InputError(NOTHING_SAID)
    if len(text) > LONGEST_TEXT:
        raise InputError(TOO_LONG.filled(n=len(text), most=LONGEST_TEXT))
    return text


def edition(card: Card) -> str:
    """A digest of everything a card says, whatever file it stands in: a report holds of this text and of no later one."""
    import json

    from quizbank.card_cache import digest, packed

    return digest(json.dumps(packed(replace(card, place="")), ensure_ascii=False).encode())
