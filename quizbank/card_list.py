"""Cards in an order, of which the plain ones are unpacked when they are read and not kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, overload

from quizbank.bundle import PlainOutline
from quizbank.card import Card, Outline

Held: TypeAlias = Card | PlainOutline
"""A card as it stands in memory: a full one whole, of a plain one what it shares with others, and where its texts are."""


def whole(card_id: str, held: Held) -> Card:
    """The card of this id that stands so in memory."""
    return held.card(card_id) if isinstance(held, PlainOutline) else held


class CardsById(Mapping[str, Card]):
    """The cards by id, in the order in which they were loaded."""

    def __init__(self, held: Mapping[str, Held]) -> None:
        self.held = held

    def __getitem__(self, card_id: str) -> Card:
        return whole(card_id, self.held[card_id])

    def __contains__(self, card_id: object) -> bool:
        return card_id in self.held

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


class CardList(Sequence[Card]):
    """Some cards, each once. Their ``ids`` and :meth:`outlines` cost nothing; a plain card is unpacked each time it is
    taken, so what needs no more than ids and outlines of very many goes by these."""

    def __init__(self, ids: Sequence[str], by_id: CardsById) -> None:
        self.ids = ids
        self.by_id = by_id

    @classmethod
    def of(cls, cards: Iterable[Card]) -> CardList:
        """These cards in this order; of two with one id the first."""
        if isinstance(cards, CardList):
            return cards
        held: dict[str, Held] = {}
        for card in cards:
            held.setdefault(card.id, card)
        return cls(tuple(held), CardsById(held))

    def chosen(self, ids: Iterable[str]) -> CardList:
        """The cards of these ids, all of which are there, in this order."""
        return CardList(tuple(ids), self.by_id)

    def joined(self, others: CardList) -> CardList:
        """These, then the others; the two have no card in common."""
        held = {card_id: self.by_id.held[card_id] for card_id in self.ids}
        held |= {card_id: others.by_id.held[card_id] for card_id in others.ids}
        return CardList(tuple(held), CardsById(held))

    @property
    def full(self) -> CardList:
        """Those that are no plain ones, whole in memory."""
        return self.chosen(card_id for card_id, card in self.outlines() if not card.is_plain)

    def held(self) -> Iterator[tuple[str, Held]]:
        """Each id with what stands in memory for its card."""
        held = self.by_id.held
        return ((card_id, held[card_id]) for card_id in self.ids)

    def outlines(self) -> Iterator[tuple[str, Outline]]:
        """Each id with what is known of its card."""
        return self.held()

    @overload
    def __getitem__(self, place: int) -> Card: ...

    @overload
    def __getitem__(self, place: slice) -> CardList: ...

    def __getitem__(self, place: int | slice) -> Card | CardList:
        if isinstance(place, slice):
            return CardList(self.ids[place], self.by_id)
        return self.by_id[self.ids[place]]

    def __iter__(self) -> Iterator[Card]:
        return (self.by_id[card_id] for card_id in self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CardList):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


NO_CARDS = CardList.of(())
