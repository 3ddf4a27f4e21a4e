"""A share and how well it is known: the Wilson interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Z = 1.959963984540054
"""Standard deviations on each side that hold 95 % of a normal distribution."""
FEWEST = 10
"""Trials below which a share is reported as resting on too little."""


@dataclass(frozen=True)
class Share:
    """``hits`` of ``trials``; points of a self-test may be fractions."""

    hits: float
    trials: int

    @property
    def value(self) -> float | None:
        """hits / trials; None without a trial."""
        return self.hits / self.trials if self.trials else None

    @property
    def is_few(self) -> bool:
        return self.trials < FEWEST

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % score interval; None without a trial.

        Source: Wilson (1927), equation for the roots of (p - p0)^2 = z^2 p0 (1 - p0) / n.
        """
        if not self.trials:
            return None
        return max(0.0, self.centre - self.half_width), min(1.0, self.centre + self.half_width)

    @property
    def centre(self) -> float:
        """The middle of the interval, nearer to one half than ``value``; one half without a trial."""
        return (self.hits + Z**2 / 2) / (self.trials + Z**2)

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        if not self.trials:
            return 0.5
        p = self.hits / self.trials
        return (
            Z / (1 + Z**2 / self.trials) * math.sqrt(p * (1 - p) / self.trials + (Z / 2 / self.trials) ** 2)
        )

    def as_json(self) -> dict[str, Any]:
        interval = self.interval
        return {
            "hits": self.hits,
            "trials": self.trials,
            "share": self.value,
            "low": None if interval is None else interval[0],
            "high": None if interval is None else interval[1],
            "few": self.is_few,
        }


def total(shares: Iterable[Share]) -> Share:
    """All of them together."""
    held = list(shares)
    return Share(sum(share.hits for share in held), sum(share.trials for share in held))
