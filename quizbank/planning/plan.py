"""Which cards to see on which day so that expected recall on the day of the interview is highest.

Cards take their days at prices of the days' seconds; what is left over goes to the pair of card and day that adds most
expected recall for its seconds. Neither can be proved best; the simulation in ``tests/bench`` measures what it is worth.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from quizbank.planning.curve import Curve
from quizbank.planning.evidence import Weighed
from quizbank.planning.forgetting import Floats, Forgetting
from quizbank.planning.futures import Costs, Days, Futures, Known
from quizbank.planning.prices import Market
from quizbank.planning.theories import Sittings

__all__ = ["MOST_REVIEWS", "Costs", "Known", "Plan", "Planner"]

MOST_REVIEWS = 5
"""Reviews of one card in one plan: each doubles the number of its possible memories."""
_UNSEEN = 0.04
"""Expected recall that a plan of one sitting is taken to lack beside one of very many, a plan of n sittings an n-th of
it: each shows what the next is best used for, which no plan made before them can count."""
_LEAST_GAIN = 1e-4
"""Expected recall a review must add to be planned at all."""


@dataclass(frozen=True)
class Plan:
    """``days[i]`` are the cards of the i-th day from today in the order of study, a card that is to be seen twice on it
    named twice; ``recall`` the expected recall of each card on the day
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
    """Plans for cards that are ``known`` or, with None, were never seen; new cards are met in the order given. Those
    ``left_out`` are shown on no day.

    ``interview`` is the day of the interview, counted from today as 0; study is possible on the days before it, at
    most ``seconds[i]`` on the i-th and, where it is given, ``in_all`` on all of them together; ``studied`` are seconds
    of today that are over and count in neither. The worth of a plan is its mean over the person's ``curves``, equally
    probable, or by the model's own, and over the ``theories`` of memory beside the scheduler's, by their probabilities.
    """

    known: Mapping[str, Known | None]
    interview: int
    seconds: Sequence[float]
    model: Forgetting = field(default_factory=Forgetting)
    costs: Costs = field(default_factory=Costs)
    in_all: float | None = None
    curves: Sequence[Curve] = ()
    left_out: Collection[str] = ()
    theories: Weighed = ()
    studied: float = 0.0

    def plan(self) -> Plan:
        """The plan; deterministic."""
        if self.in_all is None or not self.theories or not self.interview:
            return self._plan(self.seconds)
        # evenly over the last days, however few
        counts = [days for days in (2, 4, 8, 16) if days < self.interview] + [self.interview]
        plans = {days: self._on_the_last(days, self.in_all) for days in counts}
        return plans[max(counts, key=lambda days: plans[days].expected - _UNSEEN / days)]

    def _on_the_last(self, days: int, in_all: float) -> Plan:
        before = self.interview - days
        even = [0.0] * before + [in_all / days] * days
        if not before:
            # with what was studied today already
            even[0] = max(0.0, (in_all + self.studied) / days - self.studied)
            even[1:] = [(in_all - even[0]) / max(1, days - 1)] * (days - 1)
        even = [min(*both) for both in zip(even, self.seconds, strict=False)]
        return replace(self, seconds=even, in_all=None)._plan(even)

    def _sat(self, plan: Plan) -> list[float]:
        """Seconds of each day that a plan takes."""
        met = {card for card, state in self.known.items() if state is not None}
        seconds = []
        for day in plan.days:
            new = set(day) - met
            seconds.append(len(day) * self.costs.review + len(new) * (self.costs.first - self.costs.review))
            met |= new
        return seconds

    def _plan(self, sittings: Sequence[float]) -> Plan:
        cards = list(self.known)
        horizon = min(self.interview, len(self.seconds))
        futures = self._futures(sittings)
        chosen: dict[str, Days] = dict.fromkeys(cards, ())
        shown: dict[str, Days] = {card: () for card in cards if card not in self.left_out}
        if horizon and shown:
            self._place(futures, shown, np.array(self.seconds[:horizon], dtype=float))
            chosen.update(shown)
        self._most_basic_first(chosen)
        days = tuple(self._in_order(chosen, day) for day in range(max(horizon, 0)))
        plan = Plan(days, {}, self._worths(futures, dict.fromkeys(cards, ())))
        return replace(plan, recall=self.recall_of(plan))

    def _in_order(self, chosen: Mapping[str, Days], day: int) -> tuple[str, ...]:
        """The day's cards as they should be seen: in so many rounds as the most frequent needs, every card in the
        last ones, so that what is seen but once is seen late; in each round first those that are new."""
        times = {card: days.count(day) for card, days in chosen.items() if day in days}
        fresh = [card for card in times if self.known[card] is None and chosen[card][0] == day]
        order = [*fresh, *(card for card in times if card not in set(fresh))]
        most = max(times.values(), default=0)
        return tuple(card for left in range(most, 0, -1) for card in order if times[card] >= left)

    def _futures(self, sittings: Sequence[float]) -> Futures:
        own = Curve(self.model.pace, self.model.w[20])
        usual = sum(sittings) / len(sittings) if sittings else 0.0
        return Futures(
            self.interview,
            self.model,
            self.curves or (own,),
            self.costs,
            self.theories,
            Sittings(tuple(sittings), usual, self.studied),
            len(self.known) - len(self.left_out),
            [day for day, seconds in enumerate(self.seconds) if seconds < self.costs.review],
        )

    def _most_basic_first(self, chosen: dict[str, Days]) -> None:
        """New cards are alike to the model: those given first take over the places that begin first."""
        new = [card for card, state in self.known.items() if state is None and card not in self.left_out]
        places = sorted((not chosen[card], chosen[card]) for card in new)
        for card, (_, kept) in zip(new, places, strict=True):
            chosen[card] = kept

    def recall_of(self, plan: Plan) -> dict[str, float]:
        """Expected recall on the day of the interview if another plan's days are kept: what it is worth to a
        person who forgets faster or slower."""
        days: dict[str, Days] = dict.fromkeys(self.known, ())
        for i, day in enumerate(plan.days):
            for card in day:
                days[card] = (*days[card], i)
        return self._worths(self._futures(self._sat(plan)), days)

    def _worths(self, futures: Futures, days: Mapping[str, Days]) -> dict[str, float]:
        worths = futures.worths([(self.known[card], kept) for card, kept in days.items()])
        return dict(zip(days, worths, strict=True))

    def _needs(self, card: str, chosen: Days, horizon: int) -> Floats:
        """Seconds that one more review of the card takes on each day. Before its first meeting a new card
        would be met on that day instead."""
        if self.known[card] is not None:
            return np.full(horizon, self.costs.review)
        first = min(chosen, default=horizon)
        return np.where(np.arange(horizon) < first, self.costs.first, self.costs.review)

    def _place(self, futures: Futures, chosen: dict[str, Days], left: Floats) -> None:
        """Days at the prices that clear the market; what is left over goes where it adds most."""
        starts = (self.known[card] for card in chosen)
        alike = [start and start.rounded() for start in starts]
        market = Market(futures, alike, left, self.in_all, self.costs, MOST_REVIEWS)
        taken, left, pool = market.share_out()
        chosen.update(zip(tuple(chosen), taken, strict=True))
        self._fill(futures, chosen, left, pool)

    def _fill(self, futures: Futures, chosen: dict[str, Days], left: Floats, pool: float) -> None:
        """Add reviews one at a time, always the pair of card and day that gains most for its seconds."""
        horizon = len(left)
        value = self._worths(futures, chosen)
        heap: list[tuple[float, int, str]] = []

        def best(card: str) -> tuple[int, float] | None:
            """The day with most gain a second among those with room, and that gain."""
            kept = chosen[card]
            if len(kept) == MOST_REVIEWS:
                return None
            gains = futures.with_one_more(self.known[card], kept, horizon) - value[card]
            needs = self._needs(card, kept, horizon)
            room = (np.minimum(left, pool) >= needs) & (gains > _LEAST_GAIN)
            worth = np.where(room, gains / needs, -np.inf)
            day = int(np.argmax(worth))
            return (day, float(worth[day])) if room[day] else None

        futures.prepare(
            ((self.known[card], kept) for card, kept in chosen.items() if len(kept) < MOST_REVIEWS), horizon
        )
        for rank, card in enumerate(chosen):
            if (found := best(card)) is not None:
                heapq.heappush(heap, (-found[1], rank, card))
        while heap:
            worth, rank, card = heapq.heappop(heap)
            found = best(card)
            if found is None:
                continue
            day, now = found
            if now < -worth - 1e-15:
                heapq.heappush(heap, (-now, rank, card))
                continue
            kept = chosen[card]
            needs = float(self._needs(card, kept, horizon)[day])
            left[day] -= needs
            pool -= needs
            if self.known[card] is None and kept and day < min(kept):
                # what was the first meeting is a review now, and gives the rest back
                left[min(kept)] += self.costs.first - self.costs.review
                pool += self.costs.first - self.costs.review
            chosen[card] = tuple(sorted((*kept, day)))
            value[card] = float(futures.with_one_more(self.known[card], kept, horizon)[day])
            if (found := best(card)) is not None:
                heapq.heappush(heap, (-found[1], rank, card))
