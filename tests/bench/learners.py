"""Learners to try a plan on: three theories of memory, each learner with parameters, cards and past of its own.

All take arrays of cards and one day's moments (seconds since the day's sitting began). A share of the cards was known
before: met several times in the months before the first day, which no program saw.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quizbank.planning.forgetting import AGAIN, DEFAULT, GOOD, Floats, Forgetting

Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]

DAY = 86_400.0
_PAST = 6
"""Encounters in the past of a card that was known before."""


class Learner(Protocol):
    def recall(self, cards: Ints, day: int, moments: Floats) -> Floats:
        """Probability of recall of each card at its moment of the day."""

    def meet(self, cards: Ints, day: int, moments: Floats, recalled: Bools) -> None:
        """Each card, no card twice, is seen with its answer at its moment, after it was recalled or not."""

    def rest(self, seconds: float) -> None:
        """The day is over; its sitting took so many seconds."""


def _past(rng: np.random.Generator, cards: int) -> tuple[Bools, Floats]:
    """Which cards were known before, and how many days ago they were met (cards, _PAST), earliest first."""
    knew = rng.random(cards) < rng.uniform(0.15, 0.55)
    ago = np.exp(rng.uniform(np.log(2), np.log(120), (cards, _PAST)))
    return knew, -np.sort(-ago, axis=1)


class FsrsLearner:
    """Forgets by FSRS 6 with weights, and a difficulty of each card, of its own."""

    def __init__(self, rng: np.random.Generator, cards: int) -> None:
        w = np.array(DEFAULT)
        w[:20] *= rng.lognormal(0, 0.25, 20)
        w[:4] = np.sort(w[:4])
        w[20] = float(np.clip(w[20] * rng.lognormal(0, 0.3), 0.1, 0.5))
        self.model = Forgetting(tuple(w))
        self.shift = rng.normal(0, 1.0, cards)
        self.stability, self.difficulty = np.zeros(cards), np.zeros(cards)
        self.last = np.full(cards, -np.inf)
        knew, ago = _past(rng, cards)
        for met in ago.T:
            self._meet(np.flatnonzero(knew), -np.round(met[knew]), np.ones(knew.sum(), dtype=bool))

    def recall(self, cards: Ints, day: int, moments: Floats) -> Floats:
        met = self.stability[cards] > 0
        days = np.where(met, day - self.last[cards], 0.0)
        return np.where(met, self.model.recall(days, np.where(met, self.stability[cards], 1.0)), 0.0)

    def meet(self, cards: Ints, day: int, moments: Floats, recalled: Bools) -> None:
        self._meet(cards, np.full(len(cards), float(day)), recalled)

    def _meet(self, cards: Ints, days: Floats, recalled: Bools) -> None:
        model = self.model
        for rating, told in ((GOOD, recalled), (AGAIN, ~recalled)):
            new = told & (self.stability[cards] == 0)
            self.stability[cards[new]] = model.first_stability(rating)
            hard = model.first_difficulty(rating) + self.shift[cards[new]]
            self.difficulty[cards[new]] = np.clip(hard, 1, 10)
            self.last[cards[new]] = days[new]
            old = cards[told & ~new]
            at = days[told & ~new]
            s, d = self.stability[old], self.difficulty[old]
            r = model.recall(at - self.last[old], s)
            after = model.stability_after_recall if rating == GOOD else model.stability_after_lapse
            later = at > self.last[old]
            self.stability[old] = np.where(later, after(s, d, r), model.stability_same_day(s, rating))
            self.difficulty[old] = model.difficulty_after(d, rating)
            self.last[old] = at

    def rest(self, seconds: float) -> None:
        """The time of day is nothing to this memory."""


class ActrLearner:
    """Forgets by ACT-R's declarative memory (Pavlik and Anderson 2005, equations 1 to 4).

    Every encounter leaves a trace that decays by a power law, the faster the stronger the memory was that it was laid
    on: m_n = ln sum t_i^-d_i, d_i = c e^(m_(i-1)) + a. Time out of the sittings passes h times as fast as within them.
    Their values a = 0.177, c = 0.217, tau = -0.704, s = 0.255, h = 0.025 vary from learner to learner.
    """

    def __init__(self, rng: np.random.Generator, cards: int) -> None:
        self.a = 0.177 * rng.lognormal(0, 0.15)
        self.c = 0.217 * rng.lognormal(0, 0.15)
        self.tau = -0.704 + rng.normal(0, 0.15)
        self.s = 0.255 * rng.lognormal(0, 0.15)
        self.h = 0.025 * rng.lognormal(0, 0.3)
        self.ease = rng.normal(0, 0.2, cards)
        self.now = 0.0
        """Seconds of this memory's time at the beginning of the day's sitting."""
        self.at = np.full((cards, 0), np.nan)
        self.decay = np.full((cards, 0), np.nan)
        knew, ago = _past(rng, cards)
        for met in ago.T:
            self._meet(np.flatnonzero(knew), -met[knew] * DAY * self.h)

    def _activation(self, cards: Ints, now: Floats) -> Floats:
        ages = np.maximum(now[:, None] - self.at[cards], 1.0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.nansum(ages ** -self.decay[cards], axis=1)))

    def recall(self, cards: Ints, day: int, moments: Floats) -> Floats:
        activation = self._activation(cards, self.now + moments) + self.ease[cards]
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp((self.tau - activation) / self.s)))

    def meet(self, cards: Ints, day: int, moments: Floats, recalled: Bools) -> None:
        self._meet(cards, self.now + moments)

    def _meet(self, cards: Ints, now: Floats) -> None:
        decay = self.c * np.exp(self._activation(cards, now)) + self.a
        free = (
            np.isnan(self.at[cards]).argmax(axis=1) if self.at.shape[1] else np.zeros(len(cards), dtype=int)
        )
        if not self.at.shape[1] or not np.isnan(self.at[cards, free]).all():
            wider = np.full((len(self.at), self.at.shape[1] + 8), np.nan)
            at, decays = wider.copy(), wider
            at[:, : self.at.shape[1]], decays[:, : self.at.shape[1]] = self.at, self.decay
            self.at, self.decay = at, decays
            free = np.isnan(self.at[cards]).argmax(axis=1)
        self.at[cards, free], self.decay[cards, free] = now, decay

    def rest(self, seconds: float) -> None:
        # within the sitting time passes fully, until the next day's h times as fast
        self.now += seconds + self.h * (DAY - seconds)


class MultiscaleLearner:
    """Forgets on many time scales at once: the multiscale context model (Mozer, Pashler, Cepeda, Lindsey and Vul 2009).

    Leaky integrators x_i with time constants tau_i from ten minutes to ten years; s_i = sum_(j<=i) gamma_j x_j /
    sum_(j<=i) gamma_j is what the scales up to i remember, recall is the last of them, and an encounter corrects each
    scale by what those up to it have lost: x_i += epsilon (1 - s_i), more where the card was recalled. With
    gamma_i proportional to tau_i^-f a card once met is forgotten by a power law t^-f. What a learner's f and
    epsilon are is drawn here, so that a new card, shown until it was known, is recalled after a day in 0.37 of the
    cases.
    """

    SCALES = np.geomspace(600.0, 3e8, 40)

    def __init__(self, rng: np.random.Generator, cards: int) -> None:
        self.f = rng.uniform(0.08, 0.2)
        self.epsilon = rng.uniform(0.8, 1.0)
        self.recalled = rng.uniform(1.2, 2.0)
        """Times that an encounter with recall counts beside one without."""
        self.hard = rng.lognormal(0, 0.15, cards)
        self.gamma = self.SCALES**-self.f
        self.x = np.zeros((cards, len(self.SCALES)))
        self.at = np.zeros(cards)
        self.now = 0.0
        knew, ago = _past(rng, cards)
        self.at[:] = -ago[:, 0] * DAY
        for met in ago.T:
            self._meet(np.flatnonzero(knew), -met[knew] * DAY, np.ones(knew.sum(), dtype=bool))

    def _left(self, cards: Ints, now: Floats) -> Floats:
        gone = (now - self.at[cards]) * self.hard[cards]
        return np.asarray(self.x[cards] * np.exp(-np.maximum(gone, 0)[:, None] / self.SCALES))

    def recall(self, cards: Ints, day: int, moments: Floats) -> Floats:
        strength = self._left(cards, self.now + moments) @ self.gamma / self.gamma.sum()
        return np.clip(strength, 0, 1)

    def meet(self, cards: Ints, day: int, moments: Floats, recalled: Bools) -> None:
        self._meet(cards, self.now + moments, recalled)

    def _meet(self, cards: Ints, now: Floats, recalled: Bools) -> None:
        x = self._left(cards, now)
        pooled = np.cumsum(x * self.gamma, axis=1) / np.cumsum(self.gamma)
        rate = self.epsilon * np.where(recalled, self.recalled, 1.0)
        self.x[cards] = x + rate[:, None] * np.maximum(1 - pooled, 0)
        self.at[cards] = now

    def rest(self, seconds: float) -> None:
        self.now += DAY


MEMORIES: dict[str, type[FsrsLearner] | type[ActrLearner] | type[MultiscaleLearner]] = {
    "FSRS": FsrsLearner,
    "ACT-R": ActrLearner,
    "multiscale": MultiscaleLearner,
}
