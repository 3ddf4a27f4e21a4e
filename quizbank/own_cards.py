"""Which cards of a person's own decks were ever loaded, so that one that changes its id or vanishes is missed.

``own-cards.jsonl`` in the data folder holds of each its id, its question in both languages and its deck, a line
each; of several lines about a card the last holds. Lines are only added: the history of a card is kept in the review
log whatever becomes of the card, and here is what it asked. It is read line by line, so that a hundred thousand
cards take no more memory than one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.text import Text
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.card_cache import CardCache, digest_of, packed, stamp
from quizbank.card_list import CardList
from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.learning.marks import all_marks
from quizbank.target import unwritable

FILE_NAME = "own-cards.jsonl"
_TOLD = "told"
"""In the cache of cards: what the own cards said, in short, when the register was last seen to hold it all."""


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
    """The register, by id."""
    return dict(_lines(data / FILE_NAME))


def _lines(path: Path) -> Iterator[tuple[str, Known]]:
    """What each line says. One that cannot be read, such as one cut short by a crash, says nothing and stays."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    id_, en, zh, deck = (str(field) for field in json.loads(line))
                except (ValueError, TypeError, RecursionError):
                    continue
                yield id_, Known(Text(en, zh), deck)
    except OSError:
        return


def remember(home: Home, bank: Bank) -> tuple[tuple[str, str], ...]:
    """Put the bank's own cards into the register; (old id, new id) of those that came under a new id.

    Raises:
        InputError: the data folder cannot be used or the register not be written.
    """
    own, register = bank.own_cards, home.data / FILE_NAME
    cache, what = CardCache(home.cache / "cards"), _digest(own)
    sources = stamp([register])
    if sources is not None and (kept := cache.get(_TOLD, sources)) is not None and next(kept, "") == what:
        return ()
    # of each whether the register's last line about it says what it says; None where no line is about it
    is_told: dict[str, bool | None] = dict.fromkeys(own.ids)
    gone: dict[str, Text] = {}
    for id_, known in _lines(register):
        if id_ in is_told:
            is_told[id_] = known == _known(bank.by_id[id_])
        elif id_ not in bank:
            gone[id_] = known.question
    asked = {question: id_ for id_, question in gone.items()}
    fresh = own.chosen(id_ for id_, told in is_told.items() if told is None) if asked else ()
    renamed = tuple((asked[card.question], card.id) for card in fresh if card.question in asked)
    if untold := own.chosen(id_ for id_, told in is_told.items() if not told):
        _add(home.data_folder() / FILE_NAME, untold)
    if (sources := stamp([register])) is not None:
        cache.put(_TOLD, sources, [what])
    return renamed


def _digest(own: CardList) -> str:
    """Of everything these cards say, without unpacking what is folded up."""

    def parts() -> Iterator[bytes]:
        bundle = None
        for id_, card in own.held():
            yield f"{id_}\n".encode("utf-8", "surrogatepass")
            if isinstance(card, Card):
                yield json.dumps(packed(card)).encode()
            elif card.bundle is not bundle:
                bundle = card.bundle
                yield bundle.file.encode("utf-8", "surrogatepass")
                yield bundle.folded

    return digest_of(parts())


def _known(card: Card) -> Known:
    return Known(card.question, card.file)


def _add(path: Path, cards: Iterable[Card]) -> None:
    lines = (
        json.dumps([card.id, *card.question, _known(card).deck], ensure_ascii=False) + "\n" for card in cards
    )
    try:
        with path.open("a+b") as file:
            # after a line that was cut short begins another
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    file.write(b"\n")
            file.writelines(line.encode("utf-8", "replace") for line in lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise unwritable(path, error) from error


def vanished(home: Home, bank: Bank, log: ReviewLog) -> tuple[Vanished, ...]:
    """The cards reviewed or marked that are not in the bank, the last reviewed first.

    Raises:
        InputError: the log cannot be read.
    """
    marks = all_marks(log)
    gone = {id_ for id_ in log.seen() | marks.keys() if id_ not in bank}
    known = {id_: one for id_, one in _lines(home.data / FILE_NAME) if id_ in gone}
    questions = {one.question for one in known.values()}
    asked = (
        {card.question: card.id for card in bank.own_cards if card.question in questions} if questions else {}
    )
    found = []
    for id_ in gone:
        memory, one = log.memory(id_), known.get(id_)
        now = asked.get(one.question, "") if one is not None else ""
        last = memory.last_day.isoformat() if memory.last_day is not None else ""
        note = marks[id_].note if id_ in marks else ""
        found.append(Vanished(id_, one, now, memory.reps, last, note))
    return tuple(sorted(found, key=lambda card: (card.last, card.id), reverse=True))
