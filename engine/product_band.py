"""How far a product of independent factors may stray, each a scaled noncentral chi-square: the law of a random layer's growth.

A vector of fixed length plus a random Gaussian one has a squared length of this law. The bounds are Markov's inequality on
exact moments, so they hold for any number of factors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.deviation import ALARM, moments_from_cumulants

HIGHEST_ORDER = 24


def log_moments(
    freedom: int, noncentrality: float, scale: float, orders: int = HIGHEST_ORDER
) -> dict[int, float]:
    """ln E[X^r] of X = scale · χ'²(freedom, noncentrality), for r = ±1, ±2, … up to ``orders`` and as far as they exist."""
    # kappa_r = scale^r 2^(r-1) (r-1)! (k + r lambda): Johnson, Kotz, Balakrishnan 1995, equation 29.8
    mean = scale * (freedom + noncentrality)
    cumulants = [
        (scale / mean) ** r * 2.0 ** (r - 1) * math.factorial(r - 1) * (freedom + r * noncentrality)
        for r in range(1, orders + 1)
    ]
    found = {
        r: math.log(moment) + r * math.log(mean)
        for r, moment in enumerate(moments_from_cumulants(cumulants), 1)
    }
    # X is a central chi-square of freedom + 2J, J Poisson of mean lambda / 2
    half = noncentrality / 2
    reach = 12 * math.sqrt(half) + 40
    first = max(0, math.floor(half - reach)) if half else 0
    places = np.arange(first, math.ceil(half + reach) + 1 if half else 1, dtype=np.float64)
    weights = _poisson(half, places) if half else np.ones(1)
    falling = np.arange(1, min(orders, (freedom - 1) // 2) + 1)
    # E[χ²(k)^-r] = 1 / prod_{i <= r} (k - 2i); X^-r relative to the mean, so that nothing under- or overflows
    factors = mean / (scale * (freedom + 2 * (places - falling[:, None])))  # (orders, places)
    inverses = np.log(np.cumprod(factors, axis=0) @ weights)  # (orders,)
    found |= {-r: value - r * math.log(mean) for r, value in enumerate(inverses.tolist(), 1)}
    return found


def _poisson(mean: float, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of neighbouring counts, of sum 1: what lies beyond has less than 1e-15."""
    ratios = np.log(mean) - np.log(places[1:])
    logs = np.concatenate([[0.0], np.cumsum(ratios)])
    weights = np.exp(logs - logs.max())
    scaled: NDArray[np.float64] = weights / weights.sum()
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
