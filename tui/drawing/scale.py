"""Where a value falls along an axis. Ranges and ticks are those of the sheets (:mod:`engine.ticks`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from engine.figure import Axis, Floats
from engine.ticks import axis_range, ticks

_MARGIN = 0.03
"""Air beyond the data, as a share of the range, on an axis whose end the figure leaves open."""

_FAR = 1e9

_POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@dataclass(frozen=True)
class Tick:
    """A named place: ``at`` from 0 (the axis's start) to 1 (its end)."""

    at: float
    label: str


@dataclass(frozen=True)
class Scale:
    """From ``low`` to ``high``; both are positive on a logarithmic scale."""

    low: float
    high: float
    log: bool = False

    def place(self, values: Floats) -> Floats:
        """Fractions of the axis, below 0 and above 1 outside it; NaN for what it cannot show."""
        values = np.asarray(values, dtype=float)
        if self.log:
            low, high = np.log([self.low, self.high])
            with np.errstate(invalid="ignore"):
                inner = np.log(np.where(values > 0, values, np.nan))
        else:
            # in units of the larger end, so that no difference overflows
            unit = max(abs(self.low), abs(self.high))
            low, high = self.low / unit, self.high / unit
            with np.errstate(over="ignore"):
                inner = values / unit
        # far outside is far enough: what follows multiplies by the size of the canvas
        share: Floats = np.clip((inner - low) / (high - low), -_FAR, _FAR)
        return share

    def ticks(self, most: int, narrow: bool = False) -> list[Tick]:
        """At most ``most`` (at least two) round values inside the axis, in rising order."""
        found = ticks(self.low, self.high, "log" if self.log else "linear", max(2, most))
        places = self.place(np.array([tick.at for tick in found])).tolist()
        return [
            Tick(place, narrowed(tick.label) if narrow else tick.label)
            for place, tick in zip(places, found, strict=True)
        ]


def scale_of(axis: Axis, data: Iterable[Floats], margin: float = _MARGIN) -> Scale:
    """The scale of an axis: its own ends where they are given, else the ends of the data."""
    values = np.concatenate([np.zeros(0), *(np.ravel(np.asarray(part, dtype=float)) for part in data)])
    low, high = axis_range(axis, values, margin)
    return Scale(low, high, axis.scale == "log")


def narrowed(label: str) -> str:
    """A number without characters of ambiguous width: ``4×10⁻³`` as ``4e-3``."""
    return re.sub(
        r"(?:×|^)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)",
        lambda power: ("e" if power[0][0] == "×" else "1e") + power[1].translate(_POWERS),
        label,
    )
