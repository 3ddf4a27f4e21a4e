"""The values a slider can take: exact, in order, with both ends in reach.

The values of a number are its low end plus whole steps (on a log scale: times whole powers of one
plus the step), and its high end. They are counted in fractions of the decimal numbers that the
parameter was written with, so three steps of 0.1 are 0.3, whatever the way there.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.demonstration import Parameter, Value

_BIG_STEPS = 10
"""Big steps from one end to the other."""

_MOST_ON_A_LOG = 5_000
"""A log scale with more stops than this is stepped through linearly."""


class Stepping:
    """The stops of one parameter, numbered from 0 to ``last``."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        self._low, self._high = _exact(parameter.low), _exact(parameter.high)
        self._step = _exact(parameter.step)
        if parameter.kind == "int":
            self._step = self._step if parameter.scale == "log" else Fraction(max(1, round(self._step)))
        self._powers: list[Fraction] = self._log_stops() if self._logarithmic else []

    @property
    def _logarithmic(self) -> bool:
        return self.parameter.scale == "log" and self._low > 0 and self._step > 0

    @property
    def last(self) -> int:
        if self.parameter.kind == "choice":
            return len(self.parameter.choices) - 1
        if self._powers:
            return len(self._powers) - 1
        return math.ceil((self._high - self._low) / self._step) if self._step > 0 else 1

    @property
    def big(self) -> int:
        """How many stops a big step passes."""
        return max(1, round(self.last / _BIG_STEPS))

    def value(self, stop: int) -> Value:
        """The value at a stop; beyond the ends, the end."""
        stop = min(max(stop, 0), self.last)
        if self.parameter.kind == "choice":
            return self.parameter.choices[stop].value
        exact = self._exact_at(stop)
        return int(exact) if self.parameter.kind == "int" else float(exact)

    def moved(self, value: Value, by: int) -> Value:
        """The value ``by`` stops up, or down. From between two stops the first step leads to the next stop."""
        below, above = self._around(value)
        if below != above:
            below += 0 if by > 0 else 1
        return self.value(below + by)

    def share(self, value: Value) -> float:
        """How far along the track a value lies, from 0 to 1."""
        if self.parameter.kind == "choice":
            return self._around(value)[0] / max(1, self.last)
        low, high, at = float(self._low), float(self._high), float(value)
        if high <= low:
            return 0.0
        if self._logarithmic:
            low, high, at = math.log(low), math.log(high), math.log(max(at, low))
        return min(max((at - low) / (high - low), 0.0), 1.0)

    def at_share(self, share: float) -> Value:
        """The stop nearest to a place on the track."""
        share = min(max(share, 0.0), 1.0)
        if self.parameter.kind == "choice":
            return self.value(round(share * self.last))
        low, high = float(self._low), float(self._high)
        if self._logarithmic:
            at = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            at = low + share * (high - low)
        near = {self.value(stop) for stop in self._around(at)}
        return min(near, key=lambda value: (abs(self.share(value) - share), value))

    def _exact_at(self, stop: int) -> Fraction:
        if self._powers:
            return self._powers[stop]
        return (
            min(self._low + stop * self._step, self._high)
            if self._step > 0
            else (self._low, self._high)[stop]
        )

    def _around(self, value: Value) -> tuple[int, int]:
        """The stops just below and just above a value; the same one twice where the value is a stop."""
        if self.parameter.kind == "choice":
            names = [choice.value for choice in self.parameter.choices]
            at = names.index(str(value)) if str(value) in names else 0
            return at, at
        exact = _exact(float(value))
        if exact <= self._low or exact >= self._high:
            return (0, 0) if exact <= self._low else (self.last, self.last)
        if self._powers:
            above = bisect_left(self._powers, exact)
            return (above, above) if self._powers[above] == exact else (above - 1, above)
        if self._step <= 0:
            return 0, 1
        steps = (exact - self._low) / self._step
        return math.floor(steps), math.ceil(steps)

    def _log_stops(self) -> list[Fraction]:
        """All stops of a log scale, to six digits or whole as the parameter is; none if there are too many."""
        stops, at, factor = [self._low], self._low, 1 + self._step
        while at < self._high and len(stops) <= _MOST_ON_A_LOG:
            at = min(at * factor, self._high)
            if self.parameter.kind == "int":
                stop = Fraction(round(at))
            else:
                stop = at if at == self._high else Fraction(f"{float(at):.6g}")
            if stop > stops[-1]:
                stops.append(stop)
        return stops if at >= self._high else []


def _exact(number: float) -> Fraction:
    """The decimal number as it is written, not the binary one nearest to it."""
    return Fraction(repr(float(number)))
