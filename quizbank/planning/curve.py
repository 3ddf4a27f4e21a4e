"""How one person forgets beside the scheduler's model, as far as their reviews tell.

The scheduler's stability S says after how many days nine of ten such cards are recalled by its usual learner. A person
may forget faster (``pace``), along a curve that falls more steeply (``decay``), and by less of a difference between
firm and fragile cards than S claims (``power``). What is not known of the three is carried along: a plan weighs several
curves, as probable as the reviews leave them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from quizbank.planning.forgetting import DEFAULT, Floats

_LEAST = 1e-6
"""No answer is taken for surer than this: a slip of the finger must not decide the curve."""
_PACE_SPREAD, _DECAY_SPREAD, _POWER_SPREAD = 1.0, 0.7, 0.5
"""Standard deviations, before anything was seen, of ln pace, ln decay and power: people differ by factors of two."""
_PACES = np.exp(np.linspace(-3.0, 5.0, 33))
_DECAYS = np.exp(np.linspace(np.log(0.08), np.log(1.2), 7))
_POWERS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2])


@dataclass(frozen=True)
class Curve:
    """Recall after t days at stability S: (1 + F pace t / S^power)^(-decay), with F such that it is 0.9 where
    pace t = S^power. The fields are numbers, or arrays that weigh several curves at once."""

    pace: float | Floats = 1.0
    decay: float | Floats = DEFAULT[20]
    power: float | Floats = 1.0

    def recall(self, days: Floats, stability: Floats) -> Floats:
        factor = 0.9 ** (-1 / self.decay) - 1
        return np.asarray(
            (1 + factor * self.pace * np.maximum(days, 0) / stability**self.power) ** -self.decay
        )


def curves_of(
    days: Sequence[float] | Floats,
    stability: Sequence[float] | Floats,
    recalled: Sequence[bool] | NDArray[np.bool_],
    decay: float = DEFAULT[20],
    parts: int = 6,
) -> tuple[Curve, ...]:
    """Curves as probable as each other, given reviews on a later day: days since the card was last seen, its
    stability by the scheduler before the review (days), and whether it was recalled. ``decay`` is the model's own."""
    grid, logs = _weighed(days, stability, recalled, decay)
    weights = np.exp(logs - logs.max())
    below = np.cumsum(weights) / weights.sum()
    return tuple(
        Curve(*map(float, grid[:, int(np.searchsorted(below, (part + 0.5) / parts))]))
        for part in range(parts)
    )


def log_evidence(
    days: Sequence[float] | Floats,
    stability: Sequence[float] | Floats,
    recalled: Sequence[bool] | NDArray[np.bool_],
    decay: float = DEFAULT[20],
) -> float:
    """ln of the probability of these answers by the scheduler's model, whichever the curve."""
    _, logs = _weighed(days, stability, recalled, decay)
    _, before = _weighed([], [], [], decay)
    return float(np.logaddexp.reduce(logs) - np.logaddexp.reduce(before))


def _weighed(
    days: Sequence[float] | Floats,
    stability: Sequence[float] | Floats,
    recalled: Sequence[bool] | NDArray[np.bool_],
    decay: float,
) -> tuple[Floats, Floats]:
    """Every curve (3, n), and ln of its prior times the likelihood of the answers (n,)."""
    grid = np.array(list(product(_PACES, _DECAYS, _POWERS))).T
    logs: Floats = (
        -0.5 * (np.log(grid[0]) / _PACE_SPREAD) ** 2
        - 0.5 * (np.log(grid[1] / decay) / _DECAY_SPREAD) ** 2
        - 0.5 * ((grid[2] - 1) / _POWER_SPREAD) ** 2
    )
    if len(days):
        # many reviews share gap and stability
        cases, place = np.unique(np.array([days, stability], dtype=float), axis=1, return_inverse=True)
        right = np.bincount(place.ravel(), np.asarray(recalled, dtype=float))
        count = np.bincount(place.ravel())
        chance = Curve(*grid[:, :, None]).recall(cases[0], cases[1])
        chance = np.clip(chance, _LEAST, 1 - _LEAST)
        logs += np.log(chance) @ right + np.log1p(-chance) @ (count - right)
    return grid, logs
