"""The sets of cards hold what they promise: as many cards as they say, each there, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.text import Text
from quizbank.bank import SETS, SHIPPED
from quizbank.card_set import CardSet
from quizbank.check.languages import chinese_slips
from quizbank.check.view import View, entry_places
from quizbank.fault import Fault
from quizbank.glossary_file import read_sets
from quizbank.yaml_nodes import read_document

LABEL = f"{SHIPPED.name}/{SETS}"


def set_faults(view: View) -> Iterator[Fault]:
    """Faults of the sets' form and of what they hold."""
    if not any(deck.name for deck in view.bank.decks):
        return
    path = SHIPPED / SETS
    yield from read_sets(path, LABEL)[1]
    yield from held_faults(view.bank.sets.values(), view, entry_places(read_document(path, LABEL), "id"))


def held_faults(sets: Iterable[CardSet], view: View, places: Mapping[str, str]) -> Iterator[Fault]:
    for one in sets:
        for en, zh in _slips(one, view):
            yield Fault(places.get(one.id, LABEL), Text(f"{one.id}: {en}", f"{one.id}：{zh}"))


def _slips(one: CardSet, view: View) -> Iterator[tuple[str, str]]:
    held = len(one.cards)
    if held != one.size:
        yield f"{held} cards, {one.size} are promised", f"有 {held} 张卡片，应为 {one.size} 张"
    place = {card: number for number, card in enumerate(one.cards)}
    for number, card in enumerate(one.cards):
        if card not in view.bank:
            # what could not be read may be the card
            if not view.bank.faults:
                yield f"no card is called {card}", f"没有名为 {card} 的卡片"
            continue
        if place[card] != number:
            yield f"{card} is there twice", f"{card} 重复"
        for need in view.bank.card(card).needs:
            if place.get(need, -1) > number:
                yield f"{card} stands before {need}, which it needs", f"{card} 排在它的前提 {need} 之前"
    for text in (one.name.zh, one.about.zh):
        for _, what in chinese_slips(text):
            yield what.en, what.zh
