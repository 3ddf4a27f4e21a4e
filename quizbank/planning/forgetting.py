"""FSRS 6 in arrays: what a review at one moment does to a great many possible memories at once.

The scheduler asks py-fsrs for one card at a time; a plan weighs thousands of futures. The formulas are those of
py-fsrs 6.3 (a test holds them to it), in days, for a learner whose answers are Again or Good.

Source: Ye et al., FSRS 6 (open-spaced-repetition): power forgetting curve with trainable decay w20, stability after
recall and after a lapse, same-day reviews, difficulty with linear damping and mean reversion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

DEFAULT = (
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629,
    1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
)  # fmt: skip
"""The weights w0 to w20 that py-fsrs 6.3 starts with."""
LEAST_STABILITY = 0.001
AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4


@dataclass(frozen=True)
class Forgetting:
    """The model with its 21 weights. Every method is elementwise, over arrays that broadcast together."""

    w: tuple[float, ...] = DEFAULT
    pace: float = 1.0
    """How fast this person forgets beside the model: days count for so many."""

    @classmethod
    def of(cls, parameters: Sequence[float] | None) -> Forgetting:
        return cls() if parameters is None else cls(tuple(parameters))

    @property
    def factor(self) -> float:
        """F with recall 0.9 at t = S."""
        return float(0.9 ** (-1 / self.w[20]) - 1)

    def recall(self, days: Floats, stability: Floats) -> Floats:
        """Probability of recall after ``days`` days: (1 + F t / S)^(-w20), t in days of this person's pace."""
        return np.asarray((1 + self.factor * self.pace * np.maximum(days, 0) / stability) ** -self.w[20])

    def first_stability(self, rating: int) -> float:
        return max(self.w[rating - 1], LEAST_STABILITY)

    def first_difficulty(self, rating: int) -> float:
        return float(np.clip(self._difficulty_of(rating), 1, 10))

    def _difficulty_of(self, rating: int) -> float:
        return float(self.w[4] - np.exp(self.w[5] * (rating - 1)) + 1)

    def difficulty_after(self, difficulty: Floats, rating: int) -> Floats:
        # D' = w7 D0(Easy) + (1 - w7) (D - w6 (G - 3) (10 - D) / 9)
        damped = difficulty - self.w[6] * (rating - 3) * (10 - difficulty) / 9
        reverted = self.w[7] * self._difficulty_of(EASY) + (1 - self.w[7]) * damped
        return np.asarray(np.clip(reverted, 1, 10))

    def stability_after_recall(self, stability: Floats, difficulty: Floats, recall: Floats) -> Floats:
        """After Good: S (1 + e^w8 (11 - D) S^-w9 (e^(w10 (1 - R)) - 1))."""
        gain = (
            np.exp(self.w[8])
            * (11 - difficulty)
            * stability ** -self.w[9]
            * np.expm1(self.w[10] * (1 - recall))
        )
        return np.asarray(stability * (1 + gain))

    def stability_after_lapse(self, stability: Floats, difficulty: Floats, recall: Floats) -> Floats:
        """After Again: min(w11 D^-w12 ((S + 1)^w13 - 1) e^(w14 (1 - R)), S / e^(w17 w18))."""
        fallen = (
            self.w[11]
            * difficulty ** -self.w[12]
            * ((stability + 1) ** self.w[13] - 1)
            * np.exp(self.w[14] * (1 - recall))
        )
        ceiling = stability / np.exp(self.w[17] * self.w[18])
        return np.asarray(np.maximum(np.minimum(fallen, ceiling), LEAST_STABILITY))

    def stability_same_day(self, stability: Floats, rating: int) -> Floats:
        """A second review on one day: S e^(w17 (G - 3 + w18)) S^-w19, never less than S after Good."""
        growth = np.exp(self.w[17] * (rating - 3 + self.w[18])) * stability ** -self.w[19]
        grown = np.maximum(growth, 1) if rating >= GOOD else growth
        return np.asarray(np.maximum(stability * grown, LEAST_STABILITY))
