"""Two theories of memory beside the scheduler's: what a person's meetings with a card are worth by them.

The scheduler's model is one theory of forgetting among several, and a person may forget by another. A plan weighs
these too, each as probable as the person's grades leave it (:mod:`quizbank.planning.evidence`):

- traces: every meeting leaves a trace of its own that decays by a power law, the faster the stronger the memory was
  that it was laid on. Pavlik and Anderson 2005, Cognitive Science 29, equations 1 to 4.
- scales: a meeting is stored on many time scales at once, and more of it on those that have lost it. Mozer, Pashler,
  Cepeda, Lindsey and Vul 2009, NIPS 22, equations of the multiscale context model.

Both go by the moments of the meetings. What will be answered is not known beforehand; a meeting counts for what it is
worth on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from quizbank.planning.forgetting import Floats

DAY = 86_400.0
AGAIN_AFTER = 40.0
"""Seconds until a card that was not recalled is shown again within the sitting."""
_KNEW = (64.0, 32.0, 16.0, 8.0, 4.0, 2.0)
"""Days before its first meeting here at which a card that was known then is taken to have been met."""
LEAST_AGE = 1.0


@dataclass(frozen=True)
class Meeting:
    """A showing of a card: on which day, counted from today as 0, how many seconds into that day's sitting, and
    whether it was recalled. ``stability`` is the scheduler's before it, in days; None at the first."""

    day: int
    moment: float
    recalled: bool
    stability: float | None = field(default=None, compare=False)


Past = tuple[Meeting, ...]
"""Earliest first. A card whose first meeting was recalled was known before."""


@dataclass(frozen=True)
class Sittings:
    """Seconds studied on each day from today on, and on a day before it."""

    coming: tuple[float, ...]
    before: float

    def until(self, day: int) -> float:
        """Seconds of study from the beginning of today to the beginning of that day; negative before today."""
        return sum(self.coming[:day]) if day >= 0 else day * self.before


NO_SITTINGS = Sittings((), 0.0)


class Theory(Protocol):
    def replay(self, past: Past, sittings: Sittings, new: bool) -> tuple[Any, list[float]]:
        """What past meetings left, in the theory's own terms, and recall at each of them."""

    def along(
        self, days: Floats, moments: Floats, past: Sequence[Past], sittings: Sittings, new: bool
    ) -> Floats:
        """Probability of recall at each of the moments (R, n): ``days`` (R, n) whole and in order, ``moments`` (R, n)
        the seconds into their sittings. At each moment but the last the card is met. (R, n) is what comes back.

        ``past`` (R,) are the meetings before; where there are none, ``new`` says that the card was known before.
        """

    def told(self, past: Past, sittings: Sittings) -> list[float]:
        """Probability of recall at each of the past meetings, given those before it."""


@lru_cache(maxsize=8192)
def _replayed(theory: Theory, past: Past, sittings: Sittings, new: bool) -> tuple[Any, list[float]]:
    return theory.replay(past, sittings, new)


@dataclass(frozen=True)
class Traces:
    """Activation m = ln sum_i t_i^-d_i, decay of a new trace d = c e^m + a, recall 1 / (1 + e^((tau - m) / s)); time
    out of the sittings passes h times as fast. The values are Pavlik and Anderson's; ``ease`` is added to m."""

    ease: float = 0.0
    a: float = 0.177
    c: float = 0.217
    tau: float = -0.704
    s: float = 0.255
    h: float = 0.025

    def clock(self, day: int, sittings: Sittings) -> float:
        """Seconds of this memory's time at the beginning of a day, from that of today."""
        return self.h * DAY * day + (1 - self.h) * sittings.until(day)

    def recall(self, strength: Floats) -> Floats:
        """Of e^m."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(1 / (1 + np.exp((self.tau - self.ease - np.log(strength)) / self.s)))

    def along(
        self, days: Floats, moments: Floats, past: Sequence[Past], sittings: Sittings, new: bool
    ) -> Floats:
        starts = {day: self.clock(int(day), sittings) for day in np.unique(days)}
        begins = np.vectorize(starts.__getitem__, otypes=[float])(days) if days.size else days
        at = begins + moments
        rows, count = at.shape
        earlier = self._earlier(past, at, sittings, new)
        laid: list[tuple[Floats, Floats, Floats]] = []
        """Of each trace since: its moment, its decay, and for how much of a trace it counts, each (R,)."""

        def strength(now: Floats, so_far: Floats) -> Floats:
            total = so_far.copy()
            for moment, decay, weight in laid:
                total += weight * np.maximum(now - moment, LEAST_AGE) ** -decay
            return total

        found = np.empty((rows, count))
        first = np.array([not one for one in past])
        for i in range(count):
            m = strength(at[:, i], earlier[:, i])
            found[:, i] = p = self.recall(m)
            if i < count - 1:
                laid.append((at[:, i], self.c * m + self.a, np.ones(rows)))
                # not recalled, or met for the first time: shown once more
                once_more = at[:, i] + AGAIN_AFTER
                m = strength(once_more, earlier[:, i])
                laid.append((once_more, self.c * m + self.a, np.where(first & (i == 0), 1.0, 1 - p)))
        return found

    def _earlier(self, past: Sequence[Past], at: Floats, sittings: Sittings, new: bool) -> Floats:
        """What the traces from before add to e^m at each moment: (R, n)."""
        kinds = {one: place for place, one in enumerate(dict.fromkeys(past))}
        place = np.array([kinds[one] for one in past])
        traces = [_replayed(self, one, sittings, new)[0] for one in kinds]
        most = max((len(t) for t in traces), default=0)
        if not most:
            return np.zeros(at.shape)
        padded = np.full((len(kinds), most, 3), [0.0, 1.0, 0.0])
        for row, t in zip(padded, traces, strict=True):
            row[: len(t)] = t
        # the same few moments come again and again
        moments, which = np.unique(at, return_inverse=True)
        ages = np.maximum(moments - padded[:, :, 0, None], LEAST_AGE)
        each = (padded[:, :, 2, None] * ages ** -padded[:, :, 1, None]).sum(axis=1)
        return np.asarray(each[place[:, None], which.reshape(at.shape)])

    def told(self, past: Past, sittings: Sittings) -> list[float]:
        return _replayed(self, past, sittings, False)[1]

    def replay(
        self, past: Past, sittings: Sittings, new: bool
    ) -> tuple[list[tuple[float, float, float]], list[float]]:
        """Moment, decay and weight of the traces that past meetings left, and recall at each of these."""
        laid: list[tuple[float, float, float]] = []

        def strength(moment: float) -> float:
            return float(sum(w * max(moment - at, LEAST_AGE) ** -decay for at, decay, w in laid))

        def lay(moment: float) -> float:
            m = strength(moment)
            laid.append((moment, self.c * m + self.a, 1.0))
            return m

        if new or (past and past[0].recalled):
            first = self.clock(past[0].day if past else 0, sittings)
            for ago in _KNEW:
                lay(first - self.h * DAY * ago)
        before = []
        for meeting in past:
            moment = self.clock(meeting.day, sittings) + meeting.moment
            before.append(lay(moment))
            if len(before) == 1 or not meeting.recalled:
                lay(moment + AGAIN_AFTER)
        return laid, list(map(float, self.recall(np.array(before))))


@dataclass(frozen=True)
class Scales:
    """Leaky integrators x_i with time constants tau_i from ten minutes to ten years. Recall is sum_i gamma_i x_i, where
    gamma_i is proportional to tau_i^-f and sums to one, so that a card met once is forgotten as t^-f. A meeting corrects
    each scale by what those up to it have lost: x_i += 1 - s_i, s_i = sum_(j<=i) gamma_j x_j / sum_(j<=i) gamma_j."""

    f: float = 0.2
    tau: Floats = field(default_factory=lambda: np.geomspace(600.0, 3e8, 14), compare=False)

    @property
    def gamma(self) -> Floats:
        weights = self.tau**-self.f
        return np.asarray(weights / weights.sum())

    def along(
        self, days: Floats, moments: Floats, past: Sequence[Past], sittings: Sittings, new: bool
    ) -> Floats:
        gamma, cumulated = self.gamma, np.cumsum(self.gamma)
        rows, count = days.shape
        kinds = {one: place for place, one in enumerate(dict.fromkeys(past))}
        left = np.array([_replayed(self, one, sittings, new)[0] for one in kinds]).reshape(len(kinds), -1)
        x = left[[kinds[one] for one in past]]
        now = np.zeros(rows)
        found = np.empty((rows, count))
        for i in range(count):
            at = days[:, i] * DAY + moments[:, i]
            gaps, place = np.unique(np.maximum(at - now, 0.0), return_inverse=True)
            x = x * np.exp(-gaps[:, None] / self.tau)[place]
            found[:, i] = np.clip(x @ gamma, 0, 1)
            if i < count - 1:
                x = self._met(x, gamma, cumulated)
            now = at
        return found

    @staticmethod
    def _met(x: Floats, gamma: Floats, cumulated: Floats) -> Floats:
        return np.asarray(x + np.maximum(1 - np.cumsum(x * gamma, axis=-1) / cumulated, 0))

    def told(self, past: Past, sittings: Sittings) -> list[float]:
        return _replayed(self, past, sittings, False)[1]

    def replay(self, past: Past, sittings: Sittings, new: bool) -> tuple[Floats, list[float]]:
        """The scales at the beginning of today, and recall at each past meeting."""
        gamma, cumulated = self.gamma, np.cumsum(self.gamma)
        moments = [meeting.day * DAY + meeting.moment for meeting in past]
        earlier = 0
        if new or (past and past[0].recalled):
            first, earlier = moments[0] if past else 0.0, len(_KNEW)
            moments = [first - ago * DAY for ago in _KNEW] + moments
        x, last, recall = np.zeros(len(self.tau)), 0.0, []
        for at in moments:
            x = x * np.exp(-max(at - last, 0.0) / self.tau)
            recall.append(float(np.clip(x @ gamma, 0, 1)))
            x, last = self._met(x, gamma, cumulated), at
        return np.asarray(x * np.exp(-max(-last, 0.0) / self.tau)), recall[earlier:]
