"""Which cards of a person's own decks were ever loaded, so that one that changes its id or vanishes is missed.

``own-cards.json`` in the data folder holds the question and the deck of each by id. It only grows: the history of
a card is kept in the review log whatever becomes of the card, and here is what it asked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.text import Text
from quizbank.bank import Bank
from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.learning.marks import all_marks
from quizbank.target import write_whole

FILE_NAME = "own-cards.json"


class Known(NamedTuple):
    """What a card asked, and the file it stood in, when it was last loaded."""

    question: Text
    deck: str


@dataclass(frozen=True)
class Vanished:
    """A card with a history that no loaded deck holds: ``known`` where it was a person's own, ``now`` the id of
    the card that asks the same today, if one does; ``reviews`` counts its reviews, ``last`` is the day of the last,
    empty where it was never reviewed; ``note`` is the person's note on it."""

    id: str
    known: Known | None
    now: str
    reviews: int
    last: str
    note: str = ""


def known_cards(data: Path) -> dict[str, Known]:
    """The register. One that cannot be read is set aside under another name, not written over."""
    path = data / FILE_NAME
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        return {
            str(id_): Known(Text(str(row["en"]), str(row["zh"])), str(row["deck"]))
            for id_, row in given.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        with suppress(OSError):
            os.replace(path, path.with_suffix(".damaged.json"))
        return {}


def remember(home: Home, bank: Bank) -> tuple[tuple[str, str], ...]:
    """Put the bank's own cards into the register; (old id, new id) of those that came under a new id.

    Raises:
        InputError: the data folder cannot be used or the register not be written.
    """
    before = known_cards(home.data)
    own = {card.id: Known(card.question, card.place.rsplit(":", 2)[0]) for card in bank.own_cards}
    renamed = _renamed(before, own, bank)
    after = {**before, **own}
    if after != before:
        rows = {
            id_: {"en": k.question.en, "zh": k.question.zh, "deck": k.deck}
            for id_, k in sorted(after.items())
        }
        write_whole(home.data_folder() / FILE_NAME, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    return renamed


def _renamed(
    before: Mapping[str, Known], own: Mapping[str, Known], bank: Collection[str] | Bank
) -> tuple[tuple[str, str], ...]:
    gone = {known.question: id_ for id_, known in before.items() if id_ not in bank}
    return tuple(
        (gone[card.question], id_) for id_, card in own.items() if id_ not in before and card.question in gone
    )


def vanished(home: Home, bank: Bank, log: ReviewLog) -> tuple[Vanished, ...]:
    """The cards reviewed or marked that are not in the bank, the last reviewed first.

    Raises:
        InputError: the log cannot be read.
    """
    known = known_cards(home.data)
    asked = {card.question: card.id for card in bank.own_cards}
    found = []
    marks = all_marks(log)
    for id_ in log.seen() | marks.keys():
        if id_ not in bank:
            memory, one = log.memory(id_), known.get(id_)
            now = asked.get(one.question, "") if one is not None else ""
            last = memory.last_day.isoformat() if memory.last_day is not None else ""
            note = marks[id_].note if id_ in marks else ""
            found.append(Vanished(id_, one, now, memory.reps, last, note))
    return tuple(sorted(found, key=lambda card: (card.last, card.id), reverse=True))
