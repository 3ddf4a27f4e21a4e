"""A fit: weights found on the earlier reviews, and both sets of weights judged on the later ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from math import ceil, inf, isfinite
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.fitting.evaluation import Gain, gain, log_loss, predict, rmse_bins
from quizbank.fitting.histories import TRAINING_SHARE, Histories, read_histories, split_day
from quizbank.fitting.optimizer import NEEDS, optimal_weights
from quizbank.learning.log import ReviewLog
from quizbank.planning.forgetting import DEFAULT

FIT_NEEDS = ceil(NEEDS / TRAINING_SHARE)
"""Reviews on a later day from which a fit is offered: the optimizer wants :data:`NEEDS` of them in the earlier part."""


@dataclass(frozen=True)
class Scored:
    """Weights and how they predict the held-out reviews: log loss in nats a review, RMSE over bins."""

    weights: tuple[float, ...]
    log_loss: float
    rmse_bins: float

    def as_json(self) -> dict[str, Any]:
        return {"weights": list(self.weights), "log_loss": self.log_loss, "rmse_bins": self.rmse_bins}


@dataclass(frozen=True)
class Fit:
    """``trained`` reviews on a later day came before ``held_out_from``, ``held_out`` on it or after; ``before`` are the
    weights in force, which may have been fitted to some of the held-out reviews themselves, ``after`` those found."""

    reviews: int
    trained: int
    held_out: int
    held_out_from: date
    is_sample: bool
    before: Scored
    after: Scored
    gain: Gain

    @property
    def is_better(self) -> bool:
        """Whether the new weights predict the held-out reviews better, be it by chance."""
        return self.after.log_loss < self.before.log_loss

    def as_json(self) -> dict[str, Any]:
        return {
            "reviews": self.reviews,
            "trained_on": self.trained,
            "held_out": self.held_out,
            "held_out_from": self.held_out_from.isoformat(),
            "sample": self.is_sample,
            "before": self.before.as_json(),
            "after": self.after.as_json(),
            # an interval without ends, of a single card, has none here either
            "gain": {
                "log_loss": self.gain.mean,
                "low": self.gain.low if isfinite(self.gain.low) else None,
                "high": self.gain.high if isfinite(self.gain.high) else None,
            },
            "better": self.is_better,
            "sure": self.gain.is_sure,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Fit:
        """What :meth:`as_json` gave, in another process."""
        scored = {
            name: Scored(tuple(one["weights"]), one["log_loss"], one["rmse_bins"])
            for name, one in ((name, given[name]) for name in ("before", "after"))
        }
        gain = given["gain"]
        return cls(
            reviews=given["reviews"],
            trained=given["trained_on"],
            held_out=given["held_out"],
            held_out_from=date.fromisoformat(given["held_out_from"]),
            is_sample=given["sample"],
            **scored,
            gain=Gain(
                gain["log_loss"],
                -inf if gain["low"] is None else gain["low"],
                inf if gain["high"] is None else gain["high"],
            ),
        )


def fittable(log: ReviewLog) -> Histories:
    """The grades a fit would read.

    Raises:
        InputError: there are too few, or the log cannot be read.
    """
    histories = read_histories(log)
    found, day = histories.later_days, split_day(histories)
    trained = sum(one < day for one in found) if day is not None else 0
    if trained < NEEDS:
        raise InputError(
            Text(
                "too few reviews on a later day to fit to: {n}, of which {trained} lie in the earlier part; some {needed} are needed, {least} of them there",
                "隔天复习的次数太少，无法拟合：共 {n} 次，其中较早的部分 {trained} 次；约需 {needed} 次，较早的部分至少 {least} 次",
            ).filled(n=len(found), trained=trained, needed=FIT_NEEDS, least=NEEDS)
        )
    return histories


def fit(
    log: ReviewLog,
    histories: Histories | None = None,
    optimize: Callable[[Histories], tuple[float, ...]] | None = None,
) -> Fit:
    """Fit to the earlier four fifths of the reviews on a later day, and compare on the rest.

    ``optimize`` finds the weights (None: :func:`quizbank.fitting.optimizer.optimal_weights`).

    Raises:
        InputError: as :func:`fittable` and ``optimize``.
    """
    histories = fittable(log) if histories is None else histories
    day = split_day(histories)
    assert day is not None
    later = histories.later_days
    in_force = log.scheduler.settings.parameters or DEFAULT
    found = (optimize or optimal_weights)(histories.before(day))
    before, after = (predict(histories, weights, day) for weights in (in_force, found))
    return Fit(
        reviews=histories.reviews,
        trained=sum(one < day for one in later),
        held_out=len(before),
        held_out_from=date.fromordinal(day),
        is_sample=histories.is_sample,
        before=Scored(in_force, log_loss(before), rmse_bins(before)),
        after=Scored(found, log_loss(after), rmse_bins(after)),
        gain=gain(before, after),
    )
