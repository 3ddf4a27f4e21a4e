"""Where the marks of an axis stand and what they read, the same in the terminal and in a sheet."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.figure import Axis, Floats, Scale

EXTREME = 1e300
"""Values beyond this are drawn at the edge: their differences would overflow."""

TINY = 1e-300
"""Values nearer to zero than this count as zero: their quotients would vanish."""

_GROUPED = 1e4
"""From here on the thousands stand apart."""

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Tick:
    at: float
    label: str


def axis_range(axis: Axis, values: Floats, margin: float = 0.0) -> tuple[float, float]:
    """The axis's (low, high), with low < high: as the axis says, else from the finite ``values``.

    A log axis looks at positive values only. ``margin`` is the share of the range added at each end
    that the axis leaves open, on a linear axis; never beyond zero, where the data end at zero.
    """
    values = _bounded(values[np.isfinite(values)])
    if axis.scale == "log":
        values = values[values > 0]
    low = axis.low if axis.low is not None else float(values.min()) if values.size else 0.0
    high = axis.high if axis.high is not None else float(values.max()) if values.size else 1.0
    low, high = _bounded(np.array([low, high])).tolist()
    if axis.scale == "log":
        high = high if high > 0 else 1.0
        low = low if low > 0 else high / 10
        return (low, high) if high > low * (1 + 1e-9) else (low / 2, low * 2)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        around = max(0.5, 1e-3 * abs(low))
        return low - around, low + around
    pad = margin * (high - low)
    return (
        low if axis.low is not None or low == 0 else low - pad,
        high if axis.high is not None or high == 0 else high + pad,
    )


def _bounded(values: Floats) -> Floats:
    """The values no further than EXTREME, and zero where they are nearer to it than TINY."""
    values = np.clip(values, -EXTREME, EXTREME)
    return np.where(np.abs(values) < TINY, 0.0, values)


def ticks(low: float, high: float, scale: Scale, at_most: int) -> tuple[Tick, ...]:
    """Between two and ``at_most`` (at least 2) round values in [low, high].

    Linear axes step by 1, 2 or 5 times a power of ten; log axes by whole decades, or by 1-2-5
    within a decade when the range holds fewer than two. ``low < high`` (both positive on a log axis).
    """
    if scale == "log":
        return _log_ticks(low, high, at_most)
    return _linear_ticks(low, high, at_most)


def _linear_ticks(low: float, high: float, at_most: int) -> tuple[Tick, ...]:
    step = _round_step((high - low) / max(1, at_most))
    first, last = _multiples(low, high, step)
    # the finest round step whose marks are few enough; a coarser one may leave a single mark
    while last - first >= at_most:
        step = _round_step(step * 1.5)
        first, last = _multiples(low, high, step)
    if last <= first:
        return tuple(Tick(value, number(value)) for value in (low, high))
    return tuple(Tick(index * step, number(index * step, step)) for index in range(first, last + 1))


def _multiples(low: float, high: float, step: float) -> tuple[int, int]:
    """The first and the last multiple of ``step`` in [low, high]."""
    return math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)


def _round_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))


def _log_ticks(low: float, high: float, at_most: int) -> tuple[Tick, ...]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first >= 1:
        every = max(1, math.ceil((last - first) / max(1, at_most - 1)))
        whole = [power for power in range(first, last + 1) if power % every == 0]
        powers = whole if len(whole) >= 2 else range(first, last + 1, every)
        return tuple(Tick(10.0**power, _power(power)) for power in powers)
    within = [
        factor * 10.0**power
        for power in range(first - 1, last + 2)
        for factor in (1, 2, 5)
        if low * (1 - 1e-9) <= factor * 10.0**power <= high * (1 + 1e-9)
    ]
    values = within if 2 <= len(within) <= at_most else [low, high]
    return tuple(Tick(value, number(value)) for value in values)


def _power(power: int) -> str:
    return str(10**power) if 0 <= power <= 3 else "10" + str(power).translate(_SUPERSCRIPTS)


def number(value: float, step: float | None = None) -> str:
    """A value as a tick label: no more digits than the step needs, powers of ten for large and small."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else "−inf"
    if value == 0 or (step is not None and abs(value) < step * 1e-6):
        return "0"
    if not 1e-3 <= abs(value) < 1e5:
        mantissa, _, exponent = f"{value:.3g}".partition("e")
        if not exponent:
            mantissa, _, exponent = f"{value:.2e}".partition("e")
            mantissa = mantissa.rstrip("0").rstrip(".")
        power = "10" + str(int(exponent)).translate(_SUPERSCRIPTS)
        return power if mantissa == "1" else f"{mantissa}×{power}".replace("-", "−")
    digits = 4 if step is None else max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(value) >= (_GROUPED if step is not None else _GROUPED - 0.5):
        return f"{value:,.{0 if step is None else digits}f}".replace("-", "−")
    text = f"{value:.{digits}f}"
    if step is None and "." in text:
        text = f"{value:.4g}"
    return text.replace("-", "−")
