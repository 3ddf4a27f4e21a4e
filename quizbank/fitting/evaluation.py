"""How well weights predict reviews: log loss and RMSE over bins, and what one set gains over another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from quizbank.fitting.histories import Histories
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler, Settings
from quizbank.statistics.share import Z

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SURE = 1e-12
"""A prediction of 0 or 1 counts as this near to it: its loss stays finite."""


@dataclass(frozen=True)
class Predictions:
    """Reviews on a later day, each (reviews,): the ``predicted`` probability of recall and whether it was ``recalled``;
    ``gap`` in days, ``number`` of the review within its card (from 1), ``lapses`` of the card before it, ``card``."""

    predicted: Floats
    recalled: NDArray[np.bool_]
    gap: Ints
    number: Ints
    lapses: Ints
    card: Ints

    def __len__(self) -> int:
        return len(self.predicted)


def predict(histories: Histories, weights: tuple[float, ...] | None, from_day: int = 0) -> Predictions:
    """What these weights (None: the library's) predict for each review on a later day from ``from_day`` on.

    Each card is replayed from its first grade by the scheduler itself, so a prediction knows what came before
    its review and nothing else.

    Raises:
        InputError: the weights are not usable.
    """
    scheduler = Scheduler(Settings(parameters=weights))
    rows: list[tuple[float, bool, int, int, int, int]] = []
    for place, (card, history) in enumerate(histories.cards.items()):
        memory, lapses = Memory(), 0
        for number, graded in enumerate(history, start=1):
            day, recalled = date.fromordinal(graded.day), graded.rating != Rating.AGAIN
            gap = (day - memory.last_day).days if memory.last_day is not None else 0
            if gap >= 1:
                if graded.day >= from_day:
                    predicted = scheduler.retrievability(memory, day)
                    rows.append((predicted, recalled, gap, number, lapses, place))
                lapses += not recalled
            memory = scheduler.advance(card, memory, graded.rating, 0, day).after
    columns = np.array(rows, float).reshape(-1, 6).T
    gaps, numbers, lapsed, places = columns[2:].astype(np.int64)
    return Predictions(columns[0], columns[1] > 0, gaps, numbers, lapsed, places)


def losses(found: Predictions) -> Floats:
    """(reviews,): −ln of the probability that was given to what came."""
    sure = np.clip(found.predicted, _SURE, 1 - _SURE)
    return np.where(found.recalled, -np.log(sure), -np.log1p(-sure))


def log_loss(found: Predictions) -> float:
    """The mean of :func:`losses`, in nats a review."""
    return float(losses(found).mean())


def rmse_bins(found: Predictions) -> float:
    """Root of the mean squared difference between predicted and actual recall over bins of like reviews.

    Source: open-spaced-repetition, the metric "RMSE (bins)" of its benchmark: bins by interval, number of reviews and
    number of lapses, each on a geometric scale, weighted by their reviews.
    """
    bins = np.stack(
        [
            _geometric(found.gap, 2.48, 3.62, 2),
            _geometric(found.number, 1.99, 1.89, 0),
            np.where(found.lapses == 0, 0.0, _geometric(np.maximum(found.lapses, 1), 1.65, 1.73, 0)),
        ]
    )
    _, which, counts = np.unique(bins, axis=1, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    difference = np.bincount(which, found.predicted - found.recalled) / counts
    return float(np.sqrt((counts * difference**2).sum() / counts.sum()))


def _geometric(count: Ints, scale: float, base: float, digits: int) -> Floats:
    """scale · base^⌊log_base(count)⌋, rounded; the same for all counts of a bin."""
    return np.asarray(np.round(scale * base ** np.floor(np.log(count) / np.log(base)), digits))


@dataclass(frozen=True)
class Gain:
    """By how much the log loss fell, in nats a review, and the 95 % interval of that."""

    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Whether all of the interval lies above zero."""
        return self.low > 0


def gain(before: Predictions, after: Predictions) -> Gain:
    """From one set of predictions to another of the same reviews.

    Reviews of a card depend on each other, so the interval is that of sums over cards (cluster-robust, Liang and Zeger
    1986, with the factor cards / (cards − 1)); with fewer than two cards it is all numbers.
    """
    saved = losses(before) - losses(after)
    mean = float(saved.mean())
    sums = np.bincount(before.card, saved - mean)[np.unique(before.card)]
    cards = len(sums)
    if cards < 2:
        return Gain(mean, -np.inf, np.inf)
    error = float(np.sqrt(cards / (cards - 1) * (sums**2).sum()) / len(saved))
    return Gain(mean, mean - Z * error, mean + Z * error)
