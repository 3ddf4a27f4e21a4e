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
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quizbank.planning.forgetting import Floats

Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]

DAY = 86_400.0
AGAIN_AFTER = 40.0
"""Seconds until a card that was not recalled is shown again within the sitting."""
_KNEW = (64.0, 32.0, 16.0, 8.0, 4.0, 2.0)
"""Days before its first meeting here at which a card that was known then is taken to have been met."""
LEAST_AGE = 1.0
_EASES, _SHARES = np.polynomial.hermite_e.hermegauss(5)
_SHARES = _SHARES / _SHARES.sum()
"""Standard normal values with their probabilities (Gauss and Hermite)."""


@dataclass(frozen=True)
class Meeting:
    """A showing of a card: on which day, counted from today as 0, how many seconds into that day's sitting, and
    whether it was recalled. ``stability`` is the scheduler's before it, in days; None at the first, and where it
    is not to be taken for evidence."""

    day: int
    moment: float
    recalled: bool
    stability: float | None = field(default=None, compare=False)


Past = tuple[Meeting, ...]
"""Earliest first. A card whose first meeting was recalled was known before."""


@dataclass(frozen=True)
class Sittings:
    """Seconds to be studied on each day from today on, and on a day before it; ``gone`` are those of today that are
    over."""

    coming: tuple[float, ...]
    before: float
    gone: float = 0.0

    def until(self, day: int) -> float:
        """Seconds of study from the beginning of today to the beginning of that day; negative before today."""
        if day <= 0:
            return day * self.before
        return self.gone + sum(self.coming[:day])


NO_SITTINGS = Sittings((), 0.0)


class Theory(Protocol):
    def replay(self, past: Past, sittings: Sittings, new: bool) -> tuple[Any, list[float]]:
        """What past meetings left, in the theory's own terms, and recall at each of them. ``new`` says of a card
        without any that it was known before."""

    def left(self, pasts: Sequence[Past], sittings: Sittings, new: bool) -> Any:
        """What the meetings of several cards left, at the beginning of today."""

    def along(self, days: Ints, moments: Floats, left: Any, which: Ints, sittings: Sittings) -> Floats:
        """Probability of recall at each of the moments (R, n): ``days`` (R, n) in order, ``moments`` (R, n) the seconds
        into their sittings. At each moment but the last the card is met. (R, n) is what comes back.

        ``which`` (R,) says whose past each row has, of those that left what is ``left``.
        """

    def told(self, past: Past, sittings: Sittings) -> list[float]:
        """Probability of recall at each of the past meetings, given those before it."""


@lru_cache(maxsize=8192)
def _replayed(theory: Theory, past: Past, sittings: Sittings, new: bool) -> tuple[Any, list[float]]:
    return theory.replay(past, sittings, new)


@dataclass(frozen=True)
class Traces:
    """Activation m = ln sum_i t_i^-d_i, decay of a new trace d = c e^m + a, recall 1 / (1 + e^((tau - m) / s)); time
    out of the sittings passes h times as fast. The values are Pavlik and Anderson's. To m is added how easily a card
    comes: ``ease`` on average, with the standard deviation ``spread`` from card to card."""

    ease: float = 0.0
    spread: float = 0.12
    a: float = 0.177
    c: float = 0.217
    tau: float = -0.704
    s: float = 0.255
    h: float = 0.025

    def clock(self, day: int, sittings: Sittings) -> float:
        """Seconds of this memory's time at the beginning of a day, from that of today."""
        return self.h * DAY * day + (1 - self.h) * sittings.until(day)

    def recall(self, strength: Floats) -> Floats:
        """Of e^m (...): that of a card of each ease (..., K), of which :data:`_SHARES` are the probabilities."""
        odds = (strength * np.exp(self.ease - self.tau)) ** (1 / self.s)
        each = odds[..., None] * np.exp(self.spread * _EASES / self.s)
        return np.asarray(each / (1 + each))

    def left(self, pasts: Sequence[Past], sittings: Sittings, new: bool) -> tuple[Floats, Floats, Bools]:
        """Moment, decay and weight of each card's traces (P, most, 3), the probabilities of its ease (P, K), and
        whether it was met yet."""
        replayed = [_replayed(self, past, sittings, new)[0] for past in pasts]
        most = max((len(traces) for traces, _ in replayed), default=0)
        padded = np.full((len(pasts), most, 3), [0.0, 1.0, 0.0])
        for row, (traces, _) in zip(padded, replayed, strict=True):
            if traces:
                row[: len(traces)] = traces
        return padded, np.array([shares for _, shares in replayed]), np.array([bool(past) for past in pasts])

    def along(
        self, days: Ints, moments: Floats, left: tuple[Floats, Floats, Bools], which: Ints, sittings: Sittings
    ) -> Floats:
        traces, shares, met = left[0][which], left[1][which], left[2][which]
        starts = np.array([self.clock(day, sittings) for day in range(int(days.max()) + 1)])
        at = starts[days] + moments
        rows, count = at.shape
        earlier = len(traces[0])
        # of each trace its moment, its decay, and for how much of a trace it counts
        moment, decay, weight = np.zeros((3, rows, earlier + 2 * (count - 1)))
        moment[:, :earlier], decay[:, :earlier], weight[:, :earlier] = np.moveaxis(traces, 2, 0)

        def strength(now: Floats, laid: int) -> Floats:
            ages = np.maximum(now[:, None] - moment[:, :laid], LEAST_AGE)
            return np.asarray((weight[:, :laid] * ages ** -decay[:, :laid]).sum(axis=1))

        def lay(now: Floats, m: Floats, counts: Floats, place: int) -> None:
            moment[:, place], decay[:, place], weight[:, place] = now, self.c * m + self.a, counts

        found = np.empty((rows, count))
        for i in range(count):
            laid = earlier + 2 * i
            m = strength(at[:, i], laid)
            found[:, i] = p = (self.recall(m) * shares).sum(axis=1)
            if i < count - 1:
                lay(at[:, i], m, np.ones(rows), laid)
                # not recalled, or met for the first time: shown once more
                once_more = at[:, i] + AGAIN_AFTER
                again = 1 - p if i else np.where(met, 1 - p, 1.0)
                lay(once_more, strength(once_more, laid + 1), again, laid + 1)
        return found

    def told(self, past: Past, sittings: Sittings) -> list[float]:
        return _replayed(self, past, sittings, False)[1]

    def replay(
        self, past: Past, sittings: Sittings, new: bool
    ) -> tuple[tuple[list[tuple[float, float, float]], Floats], list[float]]:
        """Moment, decay and weight of the traces that past meetings left, with the probability of each ease by the
        answers after the first; and recall at each of these meetings."""
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
        shares, told = _SHARES, []
        for meeting in past:
            moment = self.clock(meeting.day, sittings) + meeting.moment
            p = self.recall(np.array(lay(moment)))
            told.append(float(p @ shares))
            if len(told) > 1:
                shares = shares * (p if meeting.recalled else 1 - p)
                shares = shares / shares.sum()
            if len(told) == 1 or not meeting.recalled:
                lay(moment + AGAIN_AFTER)
        return (laid, shares), told


@dataclass(frozen=True)
class Scales:
    """Leaky integrators x_i with time constants tau_i from ten minutes to ten years. Recall is sum_i gamma_i x_i, where
    gamma_i is proportional to tau_i^-f and sums to one, so that a card met once is forgotten as t^-f. A meeting corrects
    each scale by what those up to it have lost: x_i += 1 - s_i, s_i = sum_(j<=i) gamma_j x_j / sum_(j<=i) gamma_j."""

    f: float = 0.2
    tau: Floats = field(default_factory=lambda: np.geomspace(600.0, 3e8, 14), compare=False)

    @cached_property
    def gamma(self) -> Floats:
        weights = self.tau**-self.f
        return np.asarray(weights / weights.sum())

    @cached_property
    def _up_to(self) -> Floats:
        """The matrix that takes x to s."""
        return np.asarray(np.triu(np.outer(self.gamma, 1 / np.cumsum(self.gamma))))

    def left(self, pasts: Sequence[Past], sittings: Sittings, new: bool) -> Floats:
        """The scales of each card (P, scales)."""
        return np.array([_replayed(self, past, sittings, new)[0] for past in pasts])

    def along(self, days: Ints, moments: Floats, left: Floats, which: Ints, sittings: Sittings) -> Floats:
        x, at = left[which], days * DAY + moments
        gaps = np.maximum(np.diff(at, axis=1, prepend=0.0), 0.0)
        found = np.empty(at.shape)
        for i in range(at.shape[1]):
            if i:
                x = self._met(x)
            x = x * np.exp(gaps[:, i, None] * self._rates)
            found[:, i] = x @ self.gamma
        return np.clip(found, 0, 1)

    @cached_property
    def _rates(self) -> Floats:
        return np.asarray(-1 / self.tau)

    def _met(self, x: Floats) -> Floats:
        return np.asarray(x + np.maximum(1 - x @ self._up_to, 0))

    def told(self, past: Past, sittings: Sittings) -> list[float]:
        return _replayed(self, past, sittings, False)[1]

    def replay(self, past: Past, sittings: Sittings, new: bool) -> tuple[Floats, list[float]]:
        """The scales at the beginning of today, and recall at each past meeting."""
        moments = [meeting.day * DAY + meeting.moment for meeting in past]
        earlier = 0
        if new or (past and past[0].recalled):
            first, earlier = moments[0] if past else 0.0, len(_KNEW)
            moments = [first - ago * DAY for ago in _KNEW] + moments
        x, last, recall = np.zeros(len(self.tau)), 0.0, []
        for at in moments:
            x = x * np.exp(-max(at - last, 0.0) / self.tau)
            recall.append(float(np.clip(x @ self.gamma, 0, 1)))
            x, last = self._met(x), at
        return np.asarray(x * np.exp(-max(-last, 0.0) / self.tau)), recall[earlier:]
