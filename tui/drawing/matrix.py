"""A matrix made ready for drawing: its limits, its levels, its means where it is too large, its numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.figure import Floats, HeatMap


def limits(figure: HeatMap, values: Floats) -> tuple[float, float]:
    """The values at the two ends of the colours; equal distances from zero where they diverge."""
    known = values[np.isfinite(values)]
    low, high = (
        end if end is not None and math.isfinite(end) else float(pick(known)) if known.size else 0.0
        for end, pick in ((figure.low, np.min), (figure.high, np.max))
    )
    if figure.diverging:
        most = max(abs(low), abs(high))
        return -most, most
    return min(low, high), max(low, high)


def levels(values: Floats, low: float, high: float, count: int) -> NDArray[np.intp]:
    """Each value's level from 0 to ``count`` - 1; -1 for NaN. Infinities take the ends."""
    unit = max(abs(low), abs(high)) or 1.0
    span = high / unit - low / unit
    with np.errstate(all="ignore"):
        share = (values / unit - low / unit) / span if span > 0 else np.where(np.isnan(values), np.nan, 0.5)
        level = np.clip(np.floor(share * count), 0, count - 1)
    # the place of an infinite value is NaN only where the span is itself not a number
    level = np.where(np.isnan(level) & np.isposinf(values), count - 1, level)
    level = np.where(np.isnan(level) & np.isneginf(values), 0, level)
    return np.where(np.isnan(level), -1, level).astype(np.intp)


def block_means(values: Floats, down: int, across: int) -> Floats:
    """Means over blocks of ``down`` by ``across``, NaN left out; the last blocks may be smaller."""
    if down == across == 1:
        return values
    rows, columns = values.shape
    padded = np.pad(values, ((0, -rows % down), (0, -columns % across)), constant_values=np.nan)
    blocks = padded.reshape(padded.shape[0] // down, down, padded.shape[1] // across, across)
    known = ~np.isnan(blocks)
    count = known.sum(axis=(1, 3))
    with np.errstate(all="ignore"):
        # divided before they are added, so that large values do not overflow
        shares = np.where(known, blocks, 0.0) / np.maximum(count, 1)[:, None, :, None]
        means = shares.sum(axis=(1, 3))
    return np.where(count > 0, means, np.nan)


def numbers(values: Floats, cells: int) -> list[list[str]] | None:
    """The values with as many decimals as ``cells`` cells hold, all alike; None where that says too little.

    Two digits of the largest value must show, or the values be whole numbers.
    """
    known = np.abs(values[np.isfinite(values)])
    if cells < 1 or not known.size or (largest := float(known.max())) >= 10.0 ** (cells + 1):
        return None
    whole = bool((known == np.floor(known)).all())
    for places in (0,) if whole else (3, 2, 1, 0) if largest < 0.1 else (2, 1, 0):
        texts = [[_number(value, places) for value in row] for row in values.tolist()]
        if max(len(text) for row in texts for text in row) <= cells:
            return texts if whole or largest * 10**places >= 9.5 else None
    return None


def _number(value: float, places: int) -> str:
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "inf" if value > 0 else "−inf"
    return "0" if value == 0 else f"{value:.{places}f}".replace("-", "−")
