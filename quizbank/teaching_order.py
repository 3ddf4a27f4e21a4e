"""The order a teacher would take: topics in turn, in a topic from core to expert, what a card needs before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from quizbank.card import LEVELS, TOPICS, Card


def teaching_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards topic by topic. In a topic each comes after the cards of the topic it ``needs``, and of those free
    to come the more basic first, else as they stand in their files. A circle of needs is broken at its first card."""
    topics: dict[str, list[Card]] = {}
    for card in cards:
        topics.setdefault(card.topic, []).append(card)
    return tuple(card for topic in sorted(topics, key=TOPICS.index) for card in _ordered(topics[topic]))


def _ordered(cards: list[Card]) -> Iterator[Card]:
    here = {card.id for card in cards}
    rank = {card.id: (LEVELS.index(card.level), place) for place, card in enumerate(cards)}
    left = {card.id: card for card in cards}
    while left:
        free = [
            card for card in left.values() if not any(need in left for need in card.needs if need in here)
        ]
        chosen = min(free or left.values(), key=lambda card: rank[card.id])
        del left[chosen.id]
        yield chosen


def circle_through(card: Card, cards: Mapping[str, Card]) -> tuple[str, ...]:
    """A chain of needs that leads from the card back to it; empty where there is none."""
    stack: list[tuple[str, ...]] = [(card.id,)]
    seen: set[str] = set()
    while stack:
        path = stack.pop()
        for need in cards[path[-1]].needs:
            if need == card.id:
                return (*path, need)
            if need in cards and need not in seen:
                seen.add(need)
                stack.append((*path, need))
    return ()
