"""Which cards give each other away, and which are to be met before which."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from quizbank.card import LEVELS, Card, Outline

_BASIC = LEVELS[0]


class Relations:
    """What the queue knows of the cards beyond their ids; an id that is none of them stands alone.

    Two cards are siblings where one gives the other away: one is a follow-up of the other or needs it, they carry
    the same claim, or they show the same demonstration at the same parameters. A card is a sibling of itself.
    """

    def __init__(self, cards: Iterable[Card] | Mapping[str, Outline] = ()) -> None:
        self._cards: Mapping[str, Outline] = (
            cards if isinstance(cards, Mapping) else {card.id: card for card in cards}
        )

    def are_siblings(self, one: str, other: str) -> bool:
        company = Company(self)
        company.join(one)
        return company.gives_away(other)

    def needs(self, card: str) -> tuple[str, ...]:
        """The ids of the cards to know before."""
        found = self._cards.get(card)
        return found.needs if found is not None else ()

    def stage(self, card: str) -> tuple[str, int]:
        """Its topic, and how special it is in it: all of a stage come before any of the next."""
        found = self._cards.get(card)
        return ("", 0) if found is None else (found.topic, LEVELS.index(found.level))

    def asks_next(self, card: str) -> frozenset[str]:
        """The cards of its stage that are follow-ups of it and do not lead back: better met after it."""
        found = self._cards.get(card)
        if found is None or not found.follow_ups:
            return frozenset()
        stage = self.stage(card)
        return frozenset(
            next_
            for next_ in _follow_ups(found)
            if next_ in self._cards
            and self.stage(next_) == stage
            and card not in _follow_ups(self._cards[next_])
            and next_ not in found.needs
        )

    def comes_before(self, one: str, other: str) -> bool:
        """Whether a queue that holds both must hold the first one first."""
        if one in self.needs(other):
            return True
        (topic, level), (other_topic, other_level) = self.stage(one), self.stage(other)
        return (topic == other_topic and level < other_level) or other in self.asks_next(one)

    def _links(self, card: str) -> frozenset[str]:
        found = self._cards.get(card)
        return frozenset() if found is None else _follow_ups(found) | {*found.needs}

    def _marks(self, card: str) -> frozenset[Hashable]:
        found = self._cards.get(card)
        if found is None:
            return frozenset()
        shown = ((ref.id, tuple(sorted(ref.set.items()))) for ref in found.demos)
        return frozenset((*found.claims, *shown))


class Company:
    """Cards met together, and whether another would be a sibling of one of them."""

    def __init__(self, relations: Relations, cards: Iterable[str] = ()) -> None:
        self._relations = relations
        self._cards: set[str] = set()
        self._links: set[str] = set()
        self._marks: set[Hashable] = set()
        for card in cards:
            self.join(card)

    def join(self, card: str) -> None:
        self._cards.add(card)
        self._links |= self._relations._links(card)
        self._marks |= self._relations._marks(card)

    def gives_away(self, card: str) -> bool:
        relations = self._relations
        return (
            card in self._cards
            or card in self._links
            or not self._cards.isdisjoint(relations._links(card))
            or not self._marks.isdisjoint(relations._marks(card))
        )


def _follow_ups(card: Outline) -> frozenset[str]:
    return frozenset(follow_up.card for follow_up in card.follow_ups if follow_up.card)
