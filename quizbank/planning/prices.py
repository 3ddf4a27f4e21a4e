"""Each second of each day at a price, so that every card can choose its own days.

The days of one card and those of another compete for nothing but time. With a price on the seconds of each day every
card can be asked by itself for the days worth most to it, less what they cost; the prices are raised where more is
asked for than there is and lowered where less is, until they hardly move (Lagrange multipliers, by gradient steps in
their logarithm on the dual smoothed by a softmax over the choices: Nesterov 2005, Mathematical Programming 103). Then
the cards take their days one after the other, at prices that keep step with what is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from quizbank.planning.forgetting import Floats
from quizbank.planning.futures import Costs, Days, Futures, Known

SEARCHES, ROUNDS = 5, 200
"""Rounds of changing the prices: first while cards look for choices of days that nobody has weighed yet, then among
those found."""
_ROWS = 4000
"""Choices that are weighed only because they are few."""
_FIRST_STEP, _LAST_STEP = 0.15, 0.015
"""ln of the change of a price where twice the seconds of a day are asked for, in the first and the last search."""
_SOFTEST, _SHARPEST = 0.05, 0.003
"""By how much recall two choices differ that are asked for in the ratio e, in the first round and the last."""
_STEP = 4.0
"""The same change of a price in the rounds after the search, for each unit of that softness: a sharper preference
answers more to a price."""
_LEAST_PRICE = 1e-9
_PULLS = (1.0, 4.0, 16.0)
"""ln of the change of a price where all of a day is gone before the first card was asked, in each try."""
_MOVES = 3
"""In one round a card changes its days one by one, at most so many of them."""


@dataclass(frozen=True)
class _Choices:
    """Choices of days of one card: their worth (n,), and the seconds they take of each day (n, days)."""

    days: tuple[Days, ...]
    worth: Floats
    seconds: Floats

    def best(self, prices: Floats, among: np.ndarray | None = None) -> int:
        left_over = self.worth - self.seconds @ prices
        if among is not None:
            left_over = np.where(among, left_over, -np.inf)
        return int(np.argmax(left_over))


class Market:
    """``starts`` are the cards, asked as one where they are alike; ``seconds`` those of each day, ``in_all`` those of
    all days together, where that is less."""

    def __init__(
        self,
        futures: Futures,
        starts: Sequence[Known | None],
        seconds: Floats,
        in_all: float | None,
        costs: Costs,
        most_reviews: int,
    ) -> None:
        self._futures, self._costs, self._most = futures, costs, most_reviews
        self._starts, self._count = starts, Counter(starts)
        self._seconds, self._horizon = seconds, len(seconds)
        self._pool = float(seconds.sum()) if in_all is None else min(in_all, float(seconds.sum()))
        self._weighed: dict[Known | None, set[Days]] = {start: {()} for start in self._count}
        self._prices = np.full(self._horizon, self._opening_price())
        self._enumerate()
        held: dict[Known | None, Days] = dict.fromkeys(self._count, ())
        for step in np.geomspace(_FIRST_STEP, _LAST_STEP, SEARCHES):
            self._search(held)
            asked = sum((self._count[start] * self._cost(start, days) for start, days in held.items()),
                        start=np.zeros(self._horizon))  # fmt: skip
            self._prices = self._prices * np.exp(step * self._over(asked))
        self._choices = {start: self._table(start) for start in self._count}
        self._settle()

    def _settle(self) -> None:
        """Prices at which as much is asked for as there is, where each card asks for all its choices, the more for
        those that are worth more; the preference is sharpened little by little."""
        tables = list(self._choices.items())
        worth = np.concatenate([choices.worth for _, choices in tables])
        seconds = np.concatenate([choices.seconds for _, choices in tables])
        sizes = np.array([len(choices.days) for _, choices in tables])
        begins = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        count = np.array([float(self._count[start]) for start, _ in tables])
        for softness in np.geomspace(_SOFTEST, _SHARPEST, ROUNDS):
            left_over = (worth - seconds @ self._prices) / softness
            top = np.maximum.reduceat(left_over, begins)
            share = np.exp(left_over - np.repeat(top, sizes))
            share *= np.repeat(count / np.add.reduceat(share, begins), sizes)
            over = np.clip(self._over(share @ seconds), -1, 2)
            self._prices = np.maximum(self._prices * np.exp(_STEP * softness * over), _LEAST_PRICE)

    def _enumerate(self) -> None:
        """Weigh every choice of few days, as far as that is little work."""
        days = self._futures.open_days(self._horizon)
        for new in (True, False):
            starts = [start for start in self._count if (start is None) == new]
            for size in range(1, self._most if new else 3):
                bases = list(combinations_with_replacement(days, size))
                if len(bases) * len(days) * len(starts) > _ROWS:
                    break
                for start in starts:
                    self._weighed[start].update(b for b in bases if self._futures.allows(start, b))
            self._futures.prepare(((s, base) for s in starts for base in self._weighed[s]), self._horizon)

    def share_out(self) -> tuple[list[Days], Floats, float]:
        """Days for each card, and the seconds left over on each day and in all: the best of a few orders in which the
        cards take theirs."""
        tries = [self._share_out(seed, pull) for seed, pull in enumerate(_PULLS)]
        return max(tries, key=lambda found: found[0])[1:]

    def _share_out(self, seed: int, pull: float) -> tuple[float, list[Days], Floats, float]:
        """One card after the other takes what is best for it among what still fits; a price rises above the settled
        one while more of its day is gone than of the cards has been asked, and falls below it while less is.
        """
        left, pool = self._seconds.copy(), self._pool
        taken: list[Days] = [()] * len(self._starts)
        worth = 0.0
        for asked, place in enumerate(np.random.default_rng(seed).permutation(len(taken))):
            choices = self._choices[self._starts[place]]
            gone = 1 - np.minimum(left / np.maximum(self._seconds, 1.0), pool / max(self._pool, 1.0))
            prices = self._prices * np.exp(pull * (gone - asked / len(taken)))
            fits = (choices.seconds <= left).all(axis=1) & (choices.seconds.sum(axis=1) <= pool)
            best = choices.best(prices, fits)
            taken[place] = choices.days[best]
            worth += float(choices.worth[best])
            left -= choices.seconds[best]
            pool -= float(choices.seconds[best].sum())
        return worth, taken, left, pool

    def _over(self, asked: Floats) -> Floats:
        """By which share more is asked for than there is, of each day or of all together."""
        return np.asarray(
            np.maximum(asked / np.maximum(self._seconds, 1.0), asked.sum() / max(self._pool, 1.0)) - 1
        )

    def _cost(self, start: Known | None, days: Days) -> Floats:
        """Seconds of each day that a card takes with reviews on these days."""
        taken = np.zeros(self._horizon)
        for day in days:
            taken[day] += self._costs.review
        if start is None and days:
            taken[days[0]] += self._costs.first - self._costs.review
        return taken

    def _opening_price(self) -> float:
        """Half the gain a second of a first review, as it is in the middle of the cards."""
        self._futures.prepare(((start, ()) for start in self._count), self._horizon)
        self._futures.worths([(start, ()) for start in self._count])
        gains = [
            (
                float(self._futures.with_one_more(start, (), self._horizon).max())
                - self._futures.worth(start, ())
            )
            / (self._costs.first if start is None else self._costs.review)
            for start in self._count
        ]
        return max(1e-7, 0.5 * float(np.median(gains)))

    # Looking for choices of days -----------------------------------------------------------------

    def _search(self, held: dict[Known | None, Days]) -> None:
        """Better each card's days at the present prices, and note which choices were weighed."""
        moving = list(held)
        for _ in range(_MOVES):
            around = {start: list(_around(held[start], self._most)) for start in moving}
            self._futures.prepare(
                ((start, base) for start, bases in around.items() for base in bases), self._horizon
            )
            still = []
            for start, bases in around.items():
                self._weighed[start].update(bases)
                better = self._better(start, held[start], bases)
                if better != held[start]:
                    held[start] = better
                    still.append(start)
            moving = still

    def _better(self, start: Known | None, days: Days, bases: Sequence[Days]) -> Days:
        """The best of the same days, one less, one more, one moved."""
        best, found = self._worth(start, days) - self._spent(start, days) + 1e-12, days
        for base in bases:
            spent = self._spent(start, base)
            if base != days and (dropped := self._worth(start, base) - spent) > best:
                best, found = dropped, base
            more = self._costs.review * self._prices
            if start is None:
                first = np.minimum(np.arange(self._horizon), base[0] if base else self._horizon)
                extra = self._costs.first - self._costs.review
                more = more + extra * (self._prices[first] - (self._prices[base[0]] if base else 0.0))
            worth = self._futures.with_one_more(start, base, self._horizon) - spent - more
            day = int(np.argmax(worth))
            if worth[day] > best:
                best, found = float(worth[day]), tuple(sorted((*base, day)))
        return found

    def _spent(self, start: Known | None, days: Days) -> float:
        return float(self._cost(start, days) @ self._prices)

    def _worth(self, start: Known | None, days: Days) -> float:
        if not days:
            return self._futures.worth(start, ())
        return float(self._futures.with_one_more(start, days[:-1], self._horizon)[days[-1]])

    def _table(self, start: Known | None) -> _Choices:
        """All choices that were weighed, with each day that was tried beside them."""
        worths: dict[Days, float] = {(): self._futures.worth(start, ())}
        for base in self._weighed[start]:
            more = self._futures.with_one_more(start, base, self._horizon)
            for day in np.flatnonzero(np.isfinite(more)):
                worths[tuple(sorted((*base, int(day))))] = float(more[day])
        days = tuple(worths)
        return _Choices(
            days, np.array(list(worths.values())), np.array([self._cost(start, one) for one in days])
        )


def _around(days: Days, most: int) -> Iterator[Days]:
    """The days to which one may be added: these, and these but one."""
    if len(days) < most:
        yield days
    for place in range(len(days)):
        yield (*days[:place], *days[place + 1 :])
