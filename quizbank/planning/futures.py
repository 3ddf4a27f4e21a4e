"""What a set of review days is worth for one card: its expected recall on the day of the interview.

Every card is a set of possible memories with probabilities: a review splits each into recalled (Good) and forgotten
(Again, then recalled once more in the same sitting). Its stability is what the scheduler will make of the answers; how
probable they are is told by the person's own curve, or by several where it is not known: the worth is their mean.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from quizbank.planning.curve import Curve
from quizbank.planning.evidence import Weighed
from quizbank.planning.forgetting import AGAIN, GOOD, Floats, Forgetting
from quizbank.planning.theories import NO_SITTINGS, Ints, Past, Sittings

_STABILITY_STEP = 0.1
"""Of ln stability, within which cards are taken for alike."""


@dataclass(frozen=True)
class Known:
    """What is known of a card on the first day of a plan: stability (days), difficulty, days since it was last seen,
    and its meetings before."""

    stability: float
    difficulty: float
    since: float
    past: Past = ()

    def __hash__(self) -> int:
        return hash((self.stability, self.difficulty, self.since, len(self.past)))

    def after(self, days: int) -> Known:
        """The same so many days on, with no study in between."""
        past = tuple(replace(meeting, day=meeting.day - days) for meeting in self.past)
        return Known(self.stability, self.difficulty, self.since + days, past)

    def rounded(self) -> Known:
        """Stability to a tenth, difficulty to a half: cards this alike may be planned as one."""
        step = round(math.log(self.stability) / _STABILITY_STEP)
        return Known(math.exp(step * _STABILITY_STEP), round(2 * self.difficulty) / 2, self.since, self.past)


@dataclass(frozen=True)
class Costs:
    """Seconds: of a review, of a card met for the first time, and the chance that it is known already then."""

    review: float = 25.0
    first: float = 75.0
    known_at_first: float = 0.35


Days: TypeAlias = tuple[int, ...]
Key: TypeAlias = tuple[Known | None, Days]


class Futures:
    """Worths of review days, computed for many cards at once and kept: cards of the same past have the same future.

    ``interview`` is the day of the interview, counted from today as 0; ``curves`` are equally probable; ``cards`` is how
    many share the sittings; on the ``closed`` days none can be seen.
    """

    def __init__(
        self,
        interview: int,
        model: Forgetting,
        curves: Sequence[Curve],
        costs: Costs,
        theories: Weighed = (),
        sittings: Sittings = NO_SITTINGS,
        cards: int = 1,
        closed: Collection[int] = (),
    ) -> None:
        self._interview, self._closed = interview, frozenset(closed)
        self._theories, self._sittings = theories, sittings
        self._lengths = np.array([*sittings.coming, 0.0]) if theories else np.zeros(interview + 1)
        self._costs, self._round = costs, cards * costs.review
        self._model = model
        # curves (K, 1, 1) against rows of days and possible memories (R, M)
        each = np.array([(curve.pace, curve.decay, curve.power) for curve in curves], dtype=float)
        self._curve = Curve(*each.T[:, :, None, None])
        self._curves = len(curves)
        self._place: dict[Known | None, int] = {}
        self._left: list[Any] = []
        self._left_known = [theory.left([()], sittings, True) for _, theory in theories]
        self._worth: dict[Key, float] = {}
        self._with_one_more: dict[Key, Floats] = {}

    def worth(self, start: Known | None, days: Days) -> float:
        """Expected recall on the day of the interview with reviews on these days, in order."""
        return self.worths([(start, days)])[0]

    def worths(self, keys: Sequence[Key]) -> list[float]:
        """:meth:`worth` of many."""
        groups: dict[tuple[bool, int], list[Key]] = {}
        for key in dict.fromkeys(keys):
            if key not in self._worth:
                groups.setdefault((key[0] is None, len(key[1])), []).append(key)
        for (_, count), group in groups.items():
            rows = np.array([days for _, days in group], dtype=float).reshape(len(group), count)
            found = self._expected([start for start, _ in group], rows)
            self._worth.update(zip(group, found.tolist(), strict=True))
        return [self._worth[key] for key in keys]

    def with_one_more(self, start: Known | None, days: Days, horizon: int) -> Floats:
        """Expected recall if a review is added on each of the days 0 to horizon - 1; minus infinity on closed ones, and
        where one is, or was today."""
        key = (start, days)
        if key not in self._with_one_more:
            self.prepare([key], horizon)
        return self._with_one_more[key]

    def open_days(self, horizon: int) -> list[int]:
        return [day for day in range(horizon) if day not in self._closed]

    def allows(self, start: Known | None, days: Days) -> bool:
        """May a card be seen twice on one day? The scheduler's model has next to no use for it, the others have."""
        return bool(self._theories) or (
            len(set(days)) == len(days) and not (start is not None and start.since < 1 and 0 in days)
        )

    def prepare(self, keys: Iterable[Key], horizon: int) -> None:
        """Compute at once what :meth:`with_one_more` will be asked for."""
        groups: dict[tuple[bool, int], list[Key]] = {}
        for key in dict.fromkeys(keys):
            if key not in self._with_one_more:
                groups.setdefault((key[0] is None, len(key[1])), []).append(key)
        on = self.open_days(horizon)
        for (_, count), group in groups.items():
            days = np.empty((len(group), len(on), count + 1))
            days[:, :, 0] = on
            days[:, :, 1:] = np.array([chosen for _, chosen in group]).reshape(len(group), 1, count)
            rows = np.sort(days, axis=2).reshape(-1, count + 1)
            starts = [start for start, _ in group for _ in on]
            found = np.full((len(group), horizon), -np.inf)
            if on:
                found[:, on] = self._expected(starts, rows).reshape(len(group), len(on))
            for worth, (start, chosen) in zip(found, group, strict=True):
                barred = [day for day in on if not self.allows(start, (*chosen, day))]
                worth[barred] = -np.inf
                self._with_one_more[start, chosen] = worth

    def _expected(self, starts: Sequence[Known | None], reviews: Floats) -> Floats:
        """For each row of days, in order: reviews (R, n) -> (R,). The rows' starts are all known, or all new."""
        own = 1 - sum(share for share, _ in self._theories)
        found = own * self._by_curves(starts, reviews) if own > 1e-9 else np.zeros(len(reviews))
        if self._theories:
            last = np.full((len(reviews), 1), self._interview)
            days = np.concatenate((reviews.astype(np.intp), last), axis=1)
            moments = self._moments(days)
            which = self._places(starts)
            for place, (share, _) in enumerate(self._theories):
                found = found + share * self._by_theory(place, which, starts[0] is None, days, moments)
        return found

    def _places(self, starts: Sequence[Known | None]) -> Ints:
        """The place of each start's past among those whose traces are kept."""
        known = len(self._place)
        for start in starts:
            self._place.setdefault(start, len(self._place))
        if len(self._place) > known:
            pasts = [start.past if start else () for start in self._place]
            self._left = [theory.left(pasts, self._sittings, False) for _, theory in self._theories]
        return np.array([self._place[start] for start in starts])

    def _by_theory(self, place: int, which: Ints, new: bool, days: Ints, moments: Floats) -> Floats:
        theory = self._theories[place][1]
        if new and days.shape[1] == 1:
            return np.full(len(days), self._costs.known_at_first)
        unknown = theory.along(days, moments, self._left[place], which, self._sittings)[:, -1]
        if not new:
            return np.asarray(unknown)
        knew = self._costs.known_at_first
        known = theory.along(days, moments, self._left_known[place], np.zeros_like(which), self._sittings)[
            :, -1
        ]
        return np.asarray(knew * known + (1 - knew) * unknown)

    def _moments(self, days: Ints) -> Floats:
        """Seconds into the day's sitting. A card is met in the last rounds of a day; those after its first there last
        alike, and none longer than it takes to see every card."""
        same = days[:, :, None] == days[:, None, :]
        times = same.sum(axis=2)
        later = times - 1 - np.tril(same, -1).sum(axis=2)
        length = self._lengths[days]
        a_round = np.minimum(length / times, self._round)
        first = (length - a_round * later) / 2
        moments = np.where(later == times - 1, first, length - a_round * (later + 0.5))
        return np.asarray(moments + np.where(days == 0, self._sittings.gone, 0.0))

    def _by_curves(self, starts: Sequence[Known | None], reviews: Floats) -> Floats:
        rows, count = reviews.shape
        if starts[0] is None:
            if not count:
                return np.full(rows, self._costs.known_at_first)
            chance, stability, difficulty = self._first(rows)
            last, reviews = reviews[:, :1], reviews[:, 1:]
        else:
            known = np.array([(s.stability, s.difficulty, s.since) for s in starts if s is not None])
            chance = np.ones((self._curves, rows, 1))
            stability, difficulty = known[None, :, 0, None], known[None, :, 1, None]
            last = -known[:, 2, None]
        for at in reviews.T:
            day = at[:, None]
            chance, stability, difficulty = self.reviewed(chance, stability, difficulty, day - last)
            last = day
        recall = self._curve.recall(self._interview - last, stability)
        return np.asarray((chance * recall).sum(axis=2).mean(axis=0))

    def _first(self, rows: int) -> tuple[Floats, Floats, Floats]:
        """Possible memories after a first meeting: known at once, or learnt within the sitting."""
        knew, model = self._costs.known_at_first, self._model
        fresh = np.array([model.first_stability(GOOD), model.first_stability(AGAIN)])
        # a learning step later on the same day, answered
        settled = model.stability_same_day(fresh, GOOD)
        hard = np.array([model.first_difficulty(GOOD), model.first_difficulty(AGAIN)])
        return (
            np.broadcast_to([knew, 1 - knew], (self._curves, rows, 2)),
            np.broadcast_to(settled, (1, rows, 2)),
            np.broadcast_to(model.difficulty_after(hard, GOOD), (1, rows, 2)),
        )

    def reviewed(
        self, chance: Floats, stability: Floats, difficulty: Floats, days: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Every possible memory split by one review: recalled, and forgotten but answered within the sitting."""
        model = self._model
        recall = model.recall(days, stability)
        recalled = self._curve.recall(days, stability)
        kept = model.stability_after_recall(stability, difficulty, recall)
        if self._theories:
            kept = np.where(days < 1, model.stability_same_day(stability, GOOD), kept)
        fallen = model.stability_same_day(model.stability_after_lapse(stability, difficulty, recall), GOOD)
        return (
            np.concatenate((chance * recalled, chance * (1 - recalled)), axis=2),
            np.concatenate((kept, fallen), axis=2),
            np.concatenate(
                (model.difficulty_after(difficulty, GOOD), model.difficulty_after(difficulty, AGAIN)), axis=2
            ),
        )
