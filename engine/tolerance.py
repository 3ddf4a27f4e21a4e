"""Tolerances that follow from the law of a statistic, so that a correct program almost never fails a check.

Each is at least five standard errors, with the term in the skewness that the normal law lacks: a correct program
leaves the band less than once in 10^6 runs. (Five bare standard errors fail once in thirty runs where a count is
expected to be 0.04.)
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

STANDARD_ERRORS = 5.0
FALSE_ALARM = 6e-7
"""P(|Z| > 5) = 5.73e-7 of a standard normal Z, rounded up: what :func:`proportion` and :func:`mean` keep to."""

# Cornish & Fisher 1938: the quantile of a law of skewness g at z is z + g (z^2 - 1) / 6 standard deviations
_SKEWNESS_TERM = (STANDARD_ERRORS**2 - 1) / 6


def proportion(p: float, n: float) -> float:
    """Half width of the band around a proportion ``p`` of ``n`` independent draws; 0 where p is 0 or 1.

    The exact binomial law leaves it with probability at most 5.8e-7, for any n and p.
    """
    if not 0 < p < 1:
        return 0.0
    # a binomial count has variance npq and skewness (q - p) / sqrt(npq)
    return (STANDARD_ERRORS * math.sqrt(n * p * (1 - p)) + _SKEWNESS_TERM * abs(1 - 2 * p)) / n


def mean(deviation: float, skewness: float, n: float) -> float:
    """Half width of the band around the mean of ``n`` independent draws of this standard deviation and skewness."""
    return deviation / math.sqrt(n) * (STANDARD_ERRORS + _SKEWNESS_TERM * abs(skewness) / math.sqrt(n))


def chi_square_tail(x: float, freedom: int) -> float:
    """P(chi-square with ``freedom`` degrees of freedom > x), by the finite sum for whole degrees of freedom."""
    if x == 0:
        return 1.0
    half, offset = x / 2, freedom % 2 / 2
    # Q(m, h) = e^-h sum_{i<m} h^i / i!,  Q(m + 1/2, h) = erfc(sqrt h) + e^-h sum_{i<m} h^{i+1/2} / Gamma(i + 3/2)
    powers = np.arange(freedom // 2) + offset
    terms = np.exp(powers * math.log(half) - half - _log_gammas(freedom)) if len(powers) else powers
    return (math.erfc(math.sqrt(half)) if offset else 0.0) + float(terms.sum())


@lru_cache(maxsize=16)
def _log_gammas(freedom: int) -> NDArray[np.float64]:
    """ln Gamma(i + 1), or ln Gamma(i + 3/2) where ``freedom`` is odd, for i below half of it."""
    return np.array([math.lgamma(i + 1 + freedom % 2 / 2) for i in range(freedom // 2)])


def chi_square_limit(freedom: int, alarm: float = 1e-7) -> float:
    """The value that a chi-square statistic exceeds with probability ``alarm``, to 1e-9."""
    low, high = 0.0, 1.0
    while chi_square_tail(high, freedom) > alarm:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_tail(middle, freedom) > alarm else (low, middle)
    return high
