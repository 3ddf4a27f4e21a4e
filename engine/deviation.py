"""How far a sample mean or a sample variance may stray, by inequalities that hold for every sample size.

:mod:`engine.tolerance` counts standard errors, which is exact for counts and close for mild laws. Here nothing is
asymptotic: a heavy tail, a handful of draws and an unknown law are all covered, at the price of a slightly wider band.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

ALARM = 1e-7
"""What each bound may be left with, at most, by a correct program."""

HIGHEST_ORDER = 24
"""The highest moment of the mean that Markov's inequality is tried with; 24 comes within 4 % of the best for 1e-7."""


def moment_band(cumulants: Sequence[float], n: int, alarm: float = ALARM) -> float:
    """t with P(|mean of n independent draws - E| >= t) <= alarm, from the cumulants of one draw.

    ``cumulants[r - 1]`` is the one of order r. Markov's inequality on the exact central moments of the mean,
    P(|M| >= t) <= E[M^{2p}] / t^{2p}, for the order 2p that gives the smallest t.
    """
    orders = min(HIGHEST_ORDER, len(cumulants)) // 2 * 2
    scale = math.sqrt(cumulants[1] / n)
    if scale == 0:
        return 0.0
    # kappa_r of a mean of n is kappa_r / n^{r-1}; in units of the mean's own deviation nothing overflows
    of_mean = [0.0, *(c / n ** (r - 1) / scale**r for r, c in enumerate(cumulants[1:orders], 2))]
    moments = moments_from_cumulants(of_mean)
    return scale * min(math.pow(moments[r - 1] / alarm, 1 / r) for r in range(2, orders + 1, 2))


def variance_band(cumulants: Sequence[float], n: int, alarm: float = ALARM) -> float:
    """t with P(|sample variance of n draws - variance| >= t) <= 2 alarm, from the cumulants of one draw.

    With S the mean of the squared deviations from the true mean, s² = n / (n - 1) (S - (sample mean - true mean)²):
    a band for S and one for the sample mean, each left with probability ``alarm``.
    """
    variance = cumulants[1]
    scale = math.sqrt(variance)
    standard = [0.0, *(c / scale**r for r, c in enumerate(cumulants[1:], 2))]
    squares = moments_from_cumulants(standard)[
        1::2
    ]  # E[Y], E[Y²], … of Y, the squared standardised deviation
    of_mean = moment_band(standard, n, alarm)
    of_squares = moment_band(cumulants_from_moments(_centred(squares)), n, alarm)
    return variance * (n * (of_squares + of_mean**2) + 1) / (n - 1)


def bernstein_band(spread: float, variance: float, n: int, alarm: float = ALARM) -> float:
    """t with P(|mean of n independent draws - E| >= t) <= alarm, for draws in an interval of width ``spread``.

    Bernstein's inequality (Boucheron, Lugosi, Massart 2013, section 2.8): exp(-n t² / (2 variance + 2 spread t / 3)) a side.
    ``variance`` may be an upper bound.
    """
    nats = math.log(2 / alarm) / n
    # t² - (2 spread nats / 3) t - 2 variance nats = 0
    half = spread * nats / 3
    return half + math.sqrt(half * half + 2 * variance * nats)


def chi_square_band(freedom: int, alarm: float = ALARM) -> float:
    """t with P(|chi-square / freedom - 1| >= t) <= alarm: Laurent and Massart 2000, lemma 1."""
    nats = math.log(2 / alarm) / freedom
    return 2 * math.sqrt(nats) + 2 * nats


def moments_from_cumulants(cumulants: Sequence[float]) -> list[float]:
    """E[X], E[X²], … of one law."""
    return [float(moment) for moment in moments_of_each(np.array(cumulants)[:, None])[:, 0]]


def moments_of_each(cumulants: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[X], E[X²], … (orders, laws) from the cumulants (orders, laws): m_r = sum_j C(r-1, j-1) kappa_j m_{r-j}."""
    orders, laws = cumulants.shape
    moments = np.ones((orders + 1, laws))
    for r in range(1, orders + 1):
        # kappa_1, …, kappa_r beside m_{r-1}, …, m_0
        moments[r] = _binomials(r - 1) @ (cumulants[:r] * moments[r - 1 :: -1])
    return moments[1:]


def cumulants_from_moments(moments: Sequence[float]) -> list[float]:
    """The inverse of :func:`moments_from_cumulants`."""
    full, cumulants = [1.0, *moments], list[float]()
    for r in range(1, len(moments) + 1):
        # m_{r-1}, …, m_1 beside kappa_1, …, kappa_{r-1}
        terms = zip(_binomials(r - 1).tolist(), cumulants, full[r - 1 : 0 : -1], strict=False)
        cumulants.append(full[r] - sum(binomial * kappa * moment for binomial, kappa, moment in terms))
    return cumulants


@cache
def _binomials(n: int) -> NDArray[np.float64]:
    return np.array([math.comb(n, k) for k in range(n + 1)], dtype=np.float64)


def _centred(moments: Sequence[float]) -> list[float]:
    """Moments about the mean, by repeated synthetic division of the raw ones (no alternating binomials)."""
    mean = moments[0]
    # E[Y^a (Y - m)^b] for all a + b = r, from E[Y^{a+1} (Y - m)^{b-1}] - m E[Y^a (Y - m)^{b-1}]
    row, centred = [1.0, *moments], list[float]()
    for _ in moments:
        row = [high - mean * low for low, high in pairwise(row)]
        centred.append(row[0])
    return centred
