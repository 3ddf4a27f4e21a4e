"""How far a product of independent factors may stray, each a scaled noncentral chi-square: the law of a random layer's growth.

A vector of fixed length plus a random Gaussian one has a squared length of this law. The bounds are Markov's inequality on
exact moments, so they hold for any number of factors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.deviation import ALARM, moments_of_each

Array: TypeAlias = NDArray[np.float64]

HIGHEST_ORDER = 24


@lru_cache(maxsize=64)
def log_moments(
    freedom: int, noncentrality: float, scale: float, orders: int = HIGHEST_ORDER
) -> Mapping[int, float]:
    """ln E[X^r] of X = scale · χ'²(freedom, noncentrality), for r = ±1, ±2, … up to ``orders`` and as far as they exist."""
    of_one = log_moments_of_each(freedom, np.array([noncentrality]), np.array([scale]), orders)
    return MappingProxyType({r: float(values[0]) for r, values in of_one.items()})


# weights and powers too small for a float are 0: they are parts of sums that hold much larger ones
@np.errstate(under="ignore", divide="ignore")
def log_moments_of_each(
    freedom: int, noncentrality: Array, scale: Array, orders: int = HIGHEST_ORDER
) -> dict[int, Array]:
    """As :func:`log_moments` for many laws at once: ``noncentrality`` and ``scale`` (laws,), and so each moment."""
    # kappa_r = scale^r 2^(r-1) (r-1)! (k + r lambda): Johnson, Kotz, Balakrishnan 1995, equation 29.8
    mean = scale * (freedom + noncentrality)
    cumulants = np.array(
        [
            (scale / mean) ** r * (2.0 ** (r - 1) * math.factorial(r - 1)) * (freedom + r * noncentrality)
            for r in range(1, orders + 1)
        ]
    )
    log_mean = np.log(mean)
    found: dict[int, Array] = {
        r: np.log(moment) + r * log_mean for r, moment in enumerate(moments_of_each(cumulants), 1)
    }
    # X is a central chi-square of freedom + 2J, J Poisson of mean lambda / 2
    half = noncentrality / 2
    reach = 12 * np.sqrt(half) + 40
    first = np.maximum(0.0, np.floor(half - reach))
    places = first[:, None] + np.arange(math.ceil((half + reach - first).max()) + 1.0)  # (laws, places)
    weighted = _poisson(half, places)
    relative = (mean / scale)[:, None]
    for r in range(1, min(orders, (freedom - 1) // 2) + 1):
        # E[χ²(k)^-r] = 1 / prod_{i <= r} (k - 2i); X^-r relative to the mean, so that nothing under- or overflows
        weighted *= relative / (2 * places + (freedom - 2 * r))
        found[-r] = np.log(weighted.sum(axis=1)) - r * log_mean
    return found


def _poisson(mean: Array, places: Array) -> Array:
    """Probabilities of neighbouring counts (laws, places), of sum 1: what lies beyond has less than 1e-15."""
    ratios = np.log(mean)[:, None] - np.log(places[:, 1:])
    logs = np.concatenate([np.zeros((len(mean), 1)), np.cumsum(ratios, axis=1)], axis=1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    scaled: Array = weights / weights.sum(axis=1, keepdims=True)
    return scaled


def product_band(moments: Mapping[int, float], factors: int, alarm: float = ALARM) -> tuple[float, float]:
    """(low, high) around ln of the product of ``factors`` independent X, each side left with probability at most ``alarm``.

    ``moments`` as of :func:`log_moments`: ln E[X^r], or upper bounds of it.
    """
    nats = math.log(1 / alarm)
    # P(ln prod X >= t) <= E[X^r]^n e^{-r t} for every r > 0, and the like below
    high = min((factors * value + nats) / r for r, value in moments.items() if r > 0)
    low = max((factors * value + nats) / r for r, value in moments.items() if r < 0)
    return low, high
