"""The order a teacher would take: topics in turn, in a topic from core to expert, what a card needs before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush

from quizbank.card import LEVELS, TOPICS, Card


def teaching_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards topic by topic. In a topic each comes after the cards of the topic it ``needs``, and of those free
    to come the more basic first, else as they stand in their files. A circle of needs is broken at its first card."""
    topics: dict[str, list[Card]] = {}
    for card in cards:
        topics.setdefault(card.topic, []).append(card)
    return tuple(card for topic in sorted(topics, key=TOPICS.index) for card in _ordered(topics[topic]))


def _ordered(cards: list[Card]) -> Iterator[Card]:
    if not any(card.needs for card in cards):
        yield from sorted(cards, key=lambda card: LEVELS.index(card.level))
        return
    rank = {card.id: (LEVELS.index(card.level), place) for place, card in enumerate(cards)}
    lacking = {card.id: {need for need in card.needs if need in rank} for card in cards}
    needed_by: dict[str, list[Card]] = {}
    for card in cards:
        for need in lacking[card.id]:
            needed_by.setdefault(need, []).append(card)
    basic_first = sorted(cards, key=lambda card: rank[card.id])
    free = [(rank[card.id], card) for card in basic_first if not lacking[card.id]]
    left = {card.id: card for card in basic_first}
    while left:
        # where none is free the needs run in a circle
        card = heappop(free)[1] if free else next(iter(left.values()))
        if left.pop(card.id, None) is None:
            continue
        yield card
        for dependent in needed_by.get(card.id, ()):
            lacking[dependent.id].discard(card.id)
            if not lacking[dependent.id]:
                heappush(free, (rank[dependent.id], dependent))


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
