"""The order a teacher would take: topics in turn, in a topic from core to expert, what a card needs before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush

from quizbank.card import LEVELS, TOPICS, Card, Outline


def teaching_order(cards: Mapping[str, Outline]) -> Iterator[str]:
    """The ids of the cards topic by topic. In a topic each comes after the cards of the topic it ``needs``, and of
    those free to come the more basic first, else as they are given. A circle of needs is broken at its first card."""
    topics: dict[str, list[str]] = {}
    for card_id, card in cards.items():
        topics.setdefault(card.topic, []).append(card_id)
    return (
        card_id for topic in sorted(topics, key=TOPICS.index) for card_id in _ordered(topics[topic], cards)
    )


def _ordered(ids: list[str], cards: Mapping[str, Outline]) -> Iterator[str]:
    def level(card_id: str) -> int:
        return LEVELS.index(cards[card_id].level)

    if not any(cards[card_id].needs for card_id in ids):
        yield from sorted(ids, key=level)
        return
    rank = {card_id: (level(card_id), place) for place, card_id in enumerate(ids)}
    lacking = {card_id: {need for need in cards[card_id].needs if need in rank} for card_id in ids}
    needed_by: dict[str, list[str]] = {}
    for card_id in ids:
        for need in lacking[card_id]:
            needed_by.setdefault(need, []).append(card_id)
    basic_first = sorted(ids, key=rank.__getitem__)
    free = [(rank[card_id], card_id) for card_id in basic_first if not lacking[card_id]]
    left = dict.fromkeys(basic_first)
    while left:
        # where none is free the needs run in a circle
        card_id = heappop(free)[1] if free else next(iter(left))
        if card_id not in left:
            continue
        del left[card_id]
        yield card_id
        for dependent in needed_by.get(card_id, ()):
            lacking[dependent].discard(card_id)
            if not lacking[dependent]:
                heappush(free, (rank[dependent], dependent))


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
