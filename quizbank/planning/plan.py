"""Which cards to see on which day so that expected recall on the day of the interview is highest.

Every card is a set of possible memories with probabilities (:class:`Minds`): a review splits each into recalled
(Good) and forgotten (Again, then recalled once more in the same sitting). Reviews are placed one at a time, always
the pair of card and day that adds most expected recall for its seconds, as far as a day's seconds go; then each is
taken out and put back where it is worth most, until nothing moves. Greedy placement cannot be proved best; the
simulation in ``tests/bench`` measures what it is worth.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quizbank.planning.forgetting import AGAIN, GOOD, Floats, Forgetting

MOST_REVIEWS = 5
"""Reviews of one card in one plan: each doubles the number of its possible memories."""
_PASSES = 1
_LEAST_GAIN = 1e-4
"""Expected recall a review must add to be planned at all."""


@dataclass(frozen=True)
class Known:
    """What is known of a card on the first day of a plan: stability (days), difficulty, days since it was last seen."""

    stability: float
    difficulty: float
    since: float


@dataclass(frozen=True)
class Costs:
    """Seconds: of a review, of a card met for the first time, and the chance that it is known already then."""

    review: float = 25.0
    first: float = 75.0
    known_at_first: float = 0.35


@dataclass(frozen=True)
class Plan:
    """``days[i]`` are the cards of the i-th day from today, ``recall`` the expected recall of each card on the day
    of the interview, ``without`` what it would be with no study at all."""

    days: tuple[tuple[str, ...], ...]
    recall: Mapping[str, float]
    without: Mapping[str, float]

    @property
    def expected(self) -> float:
        """Mean expected recall over all cards."""
        return float(np.mean(list(self.recall.values()))) if self.recall else 0.0


@dataclass
class Planner:
    """Plans for cards that are ``known`` or, with None, were never seen; new cards are met in the order given.

    ``interview`` is the day of the interview, counted from today as 0; study is possible on the days before it,
    ``seconds[i]`` on the i-th.
    """

    known: Mapping[str, Known | None]
    interview: int
    seconds: Sequence[float]
    model: Forgetting = field(default_factory=Forgetting)
    costs: Costs = field(default_factory=Costs)

    def plan(self) -> Plan:
        """The plan; deterministic."""
        cards = list(self.known)
        horizon = min(self.interview, len(self.seconds))
        left = np.array(self.seconds[:horizon], dtype=float)
        chosen: dict[str, list[int]] = {card: [] for card in cards}
        value = {card: float(self._outcomes(card, np.zeros((1, 0)))[0]) for card in cards}
        without = dict(value)
        if horizon:
            self._place(cards, chosen, value, left)
            for _ in range(_PASSES):
                if not self._improve(cards, chosen, value, left):
                    break
        self._most_basic_first(chosen, value)
        days: list[list[str]] = [[] for _ in range(max(horizon, 0))]
        for card in cards:
            for day in chosen[card]:
                days[day].append(card)
        return Plan(tuple(map(tuple, days)), value, without)

    def _most_basic_first(self, chosen: dict[str, list[int]], value: dict[str, float]) -> None:
        """New cards are alike to the model: those given first take over the places that begin first."""
        new = [card for card, state in self.known.items() if state is None]
        places = sorted((not chosen[card], chosen[card], value[card]) for card in new)
        for card, (_, kept, worth) in zip(new, places, strict=True):
            chosen[card], value[card] = kept, worth

    def recall_of(self, plan: Plan) -> dict[str, float]:
        """Expected recall on the day of the interview if another plan's days are kept: what it is worth to a
        person who forgets faster or slower."""
        days: dict[str, list[int]] = {card: [] for card in self.known}
        for i, day in enumerate(plan.days):
            for card in day:
                days[card].append(i)
        return {
            card: float(self._outcomes(card, np.array([kept], dtype=float).reshape(1, -1))[0])
            for card, kept in days.items()
        }

    def _needs(self, card: str, chosen: Sequence[int], horizon: int) -> Floats:
        """Seconds that one more review of the card takes on each day. Before its first meeting a new card
        would be met on that day instead."""
        if self.known[card] is not None:
            return np.full(horizon, self.costs.review)
        first = min(chosen, default=horizon)
        return np.where(np.arange(horizon) < first, self.costs.first, self.costs.review)

    def _book(self, card: str, day: int, chosen: Sequence[int], left: Floats) -> None:
        """Take the seconds of one more review; a first meeting that becomes a review gives the rest back."""
        left[day] -= self._needs(card, chosen, len(left))[day]
        if self.known[card] is None and chosen and day < min(chosen):
            left[min(chosen)] += self.costs.first - self.costs.review

    def _give_back(self, card: str, day: int, rest: Sequence[int], left: Floats) -> None:
        """The inverse of :meth:`_book`."""
        left[day] += self._needs(card, rest, len(left))[day]
        if self.known[card] is None and rest and day < min(rest):
            left[min(rest)] -= self.costs.first - self.costs.review

    def _gains(self, card: str, chosen: Sequence[int], value: float, horizon: int) -> Floats:
        """Expected recall that one more review adds, on each day; minus infinity where it is planned already."""
        gains = np.full(horizon, -np.inf)
        free = [day for day in range(horizon) if day not in chosen]
        if free and len(chosen) < MOST_REVIEWS:
            rows = np.array([sorted((*chosen, day)) for day in free], dtype=float)
            gains[free] = self._outcomes(card, rows) - value
        return gains

    def _place(
        self, cards: Sequence[str], chosen: dict[str, list[int]], value: dict[str, float], left: Floats
    ) -> None:
        gains = {card: self._gains(card, chosen[card], value[card], len(left)) for card in cards}
        heap: list[tuple[float, int, str]] = []

        def push(rank: int, card: str) -> None:
            best = self._best(gains[card], left, self._needs(card, chosen[card], len(left)))
            if best is not None:
                heapq.heappush(heap, (-best[1], rank, card))

        for rank, card in enumerate(cards):
            push(rank, card)
        while heap:
            worth, rank, card = heapq.heappop(heap)
            best = self._best(gains[card], left, self._needs(card, chosen[card], len(left)))
            if best is None:
                continue
            day, now = best
            if now < -worth - 1e-15:
                heapq.heappush(heap, (-now, rank, card))
                continue
            self._book(card, day, chosen[card], left)
            chosen[card] = sorted((*chosen[card], day))
            value[card] += float(gains[card][day])
            gains[card] = self._gains(card, chosen[card], value[card], len(left))
            push(rank, card)

    def _best(self, gains: Floats, left: Floats, needs: Floats) -> tuple[int, float] | None:
        """The day with most gain a second among those with room, and that gain."""
        worth = np.where((left >= needs) & (gains > _LEAST_GAIN), gains / needs, -np.inf)
        day = int(np.argmax(worth))
        return (day, float(worth[day])) if np.isfinite(worth[day]) else None

    def _improve(
        self, cards: Sequence[str], chosen: dict[str, list[int]], value: dict[str, float], left: Floats
    ) -> bool:
        """Take each review out and put it back on the day where it is worth most; whether anything moved."""
        moved = False
        for card in cards:
            for day in list(chosen[card]):
                rest = [other for other in chosen[card] if other != day]
                base = float(self._outcomes(card, np.array([rest], dtype=float).reshape(1, -1))[0])
                gains = self._gains(card, rest, base, len(left))
                self._give_back(card, day, rest, left)
                room = left >= self._needs(card, rest, len(left))
                if rest and left[min(rest)] < 0:
                    # the day of the next review has no room for a first meeting
                    room &= np.arange(len(left)) < min(rest)
                best = int(np.argmax(np.where(room, gains, -np.inf)))
                if not room[best] or gains[best] <= gains[day] + _LEAST_GAIN:
                    best = day
                self._book(card, best, rest, left)
                if best != day:
                    chosen[card] = sorted((*rest, best))
                    value[card] = base + float(gains[best])
                    moved = True
        return moved

    def _outcomes(self, card: str, reviews: Floats) -> Floats:
        """Expected recall on the interview's day for each row of days (rows, reviews), in order."""
        start = self.known[card]
        rows, count = reviews.shape
        shape = (rows, 1)
        if start is None:
            if not count:
                return np.full(rows, self.costs.known_at_first)
            chance, stability, difficulty = self._first(rows)
            last = np.repeat(reviews[:, :1], chance.shape[1], axis=1)
            reviews = reviews[:, 1:]
        else:
            chance = np.ones(shape)
            stability = np.full(shape, start.stability)
            difficulty = np.full(shape, start.difficulty)
            last = np.full(shape, -start.since)
        for at in reviews.T:
            day = at[:, None]
            chance, stability, difficulty = self.reviewed(chance, stability, difficulty, day - last)
            last = np.repeat(day, chance.shape[1], axis=1)
        return np.asarray((chance * self.model.recall(self.interview - last, stability)).sum(axis=1))

    def _first(self, rows: int) -> tuple[Floats, Floats, Floats]:
        """Possible memories after a first meeting: known at once, or learnt within the sitting."""
        knew, model = self.costs.known_at_first, self.model
        fresh = np.array([model.first_stability(GOOD), model.first_stability(AGAIN)])
        # a learning step later on the same day, answered
        settled = model.stability_same_day(fresh, GOOD)
        hard = np.array([model.first_difficulty(GOOD), model.first_difficulty(AGAIN)])
        return (
            np.repeat([[knew, 1 - knew]], rows, axis=0),
            np.repeat(settled[None], rows, axis=0),
            np.repeat(model.difficulty_after(hard, GOOD)[None], rows, axis=0),
        )

    def reviewed(
        self, chance: Floats, stability: Floats, difficulty: Floats, days: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Every possible memory split by one review: recalled, and forgotten but answered within the sitting."""
        model = self.model
        recall = model.recall(days, stability)
        kept = model.stability_after_recall(stability, difficulty, recall)
        fallen = model.stability_same_day(model.stability_after_lapse(stability, difficulty, recall), GOOD)
        return (
            np.concatenate((chance * recall, chance * (1 - recall)), axis=1),
            np.concatenate((kept, fallen), axis=1),
            np.concatenate(
                (model.difficulty_after(difficulty, GOOD), model.difficulty_after(difficulty, AGAIN)), axis=1
            ),
        )
