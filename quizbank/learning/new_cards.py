"""The order in which new cards are met: what a card needs before it, the basic before the special, siblings on
different days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush

from quizbank.learning.relations import Company, Relations


def order_of_meeting(cards: Sequence[str], relations: Relations, met_today: Iterable[str]) -> Iterator[str]:
    """The cards, none of them met yet, in the order to meet them; a day's share is the first so many.

    Cards are free to come once those they need, of the ones given, have come; of a topic's free cards only the most
    basic may. Among these come, in the order given, first those that are no sibling of one that came before or
    was ``met_today``, and of them those first that are no follow-up of another still to come. A sibling comes
    only where every free card is one. A circle of needs is broken.

    Each card is looked at a few times at most, so that a hundred thousand take a fraction of a second.
    """
    return iter(_Order(cards, relations, met_today))


class _Order:
    def __init__(self, cards: Sequence[str], relations: Relations, met_today: Iterable[str]) -> None:
        self._relations = relations
        self._company = Company(relations, met_today)
        self._cards = cards
        self._place = {card: place for place, card in enumerate(cards)}
        self._left = dict.fromkeys(cards)
        self._lacks: Counter[str] = Counter()
        self._needed_by: dict[str, list[str]] = {}
        self._led_to: Counter[str] = Counter()
        self._free_of_stage: Counter[tuple[str, int]] = Counter()
        # places of cards, each heap to be turned to where those before it are empty
        self._untried: list[int] = []
        self._follow_ups: list[int] = []
        self._siblings: list[int] = []
        self._gated: dict[str, list[int]] = {}
        for card in cards:
            for need in set(relations.needs(card)):
                if need in self._place and need != card:
                    self._lacks[card] += 1
                    self._needed_by.setdefault(need, []).append(card)
            for next_ in relations.asks_next(card):
                if next_ in self._place:
                    self._led_to[next_] += 1
        for card in cards:
            if not self._lacks[card]:
                self._set_free(card)

    def __iter__(self) -> Iterator[str]:
        while self._left:
            card = self._next()
            self._take(card)
            yield card

    def _next(self) -> str:
        while self._untried:
            place = heappop(self._untried)
            card = self._cards[place]
            if not self._may_come(place):
                continue
            if self._company.gives_away(card):
                heappush(self._siblings, place)
            elif self._led_to[card]:
                heappush(self._follow_ups, place)
            else:
                return card
        for heap in (self._follow_ups, self._siblings):
            while heap:
                place = heappop(heap)
                if not self._may_come(place):
                    continue
                if heap is self._follow_ups and self._company.gives_away(self._cards[place]):
                    heappush(self._siblings, place)
                    continue
                return self._cards[place]
        return self._on_a_circle()

    def _on_a_circle(self) -> str:
        """None is free: the needs of each lead on and on, and so in the end round."""
        card, passed = next(iter(self._left)), set[str]()
        while card not in passed:
            passed.add(card)
            card = next(need for need in self._relations.needs(card) if need in self._left)
        return card

    def _may_come(self, place: int) -> bool:
        """Whether a free card is still to come and of its topic's most basic; else it is kept until it is."""
        card = self._cards[place]
        topic, level = self._relations.stage(card)
        if card not in self._left:
            return False
        if any(self._free_of_stage[topic, lower] for lower in range(level)):
            self._gated.setdefault(topic, []).append(place)
            return False
        return True

    def _take(self, card: str) -> None:
        topic, _ = stage = self._relations.stage(card)
        del self._left[card]
        self._company.join(card)
        if not self._lacks[card]:
            self._free_of_stage[stage] -= 1
            if not self._free_of_stage[stage]:
                for place in self._gated.pop(topic, ()):
                    heappush(self._untried, place)
        for dependent in self._needed_by.get(card, ()):
            self._lacks[dependent] -= 1
            if not self._lacks[dependent] and dependent in self._left:
                self._set_free(dependent)
        for next_ in self._relations.asks_next(card):
            if next_ in self._led_to:
                self._led_to[next_] -= 1
                if not self._led_to[next_] and next_ in self._left and not self._lacks[next_]:
                    # it may wait among the follow-ups
                    heappush(self._untried, self._place[next_])

    def _set_free(self, card: str) -> None:
        self._free_of_stage[self._relations.stage(card)] += 1
        heappush(self._untried, self._place[card])
