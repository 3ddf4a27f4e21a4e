"""Tolerances are as wide as they say, by the exact laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine import tolerance


def binomial_law(n: int, p: float) -> np.ndarray:
    count = np.arange(n + 1)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    log_choose = log_factorial[n] - log_factorial - log_factorial[::-1]
    return np.exp(log_choose + count * math.log(p) + (n - count) * math.log1p(-p))


@pytest.mark.parametrize("n", [1, 10, 300, 20_000])
@pytest.mark.parametrize("expected", [1e-3, 0.04, 0.3, 1.0, 4.0, 30.0, 9_000.0])
def test_a_binomial_proportion_leaves_its_band_less_than_once_in_a_million(n: int, expected: float) -> None:
    p = min(expected / n, 0.5)
    law = binomial_law(n, p)
    outside = np.abs(np.arange(n + 1) / n - p) > tolerance.proportion(p, n)
    assert law[outside].sum() < tolerance.FALSE_ALARM


def test_a_certain_proportion_has_no_band() -> None:
    assert tolerance.proportion(0.0, 10) == tolerance.proportion(1.0, 10) == 0.0


@pytest.mark.parametrize("n", [5, 50, 5_000])
def test_the_mean_of_a_skewed_law_leaves_its_band_less_than_once_in_a_million(n: int) -> None:
    # the sum of n exponentials of mean 1 is above x as often as a Poisson process has fewer than n points by x
    band = tolerance.mean(1.0, 2.0, n)
    above = tolerance.chi_square_tail(2 * n * (1 + band), 2 * n)
    below = 1 - tolerance.chi_square_tail(2 * n * (1 - band), 2 * n) if band < 1 else 0.0
    assert above + below < 1e-6


# Abramowitz & Stegun 1964, table 26.8
@pytest.mark.parametrize(
    ("freedom", "x", "tail"),
    [(1, 3.84146, 0.05), (2, 5.99146, 0.05), (7, 14.0671, 0.05), (10, 29.5883, 0.001), (7, 0.0, 1.0)],
)
def test_the_chi_square_tail_is_the_tabulated_one(freedom: int, x: float, tail: float) -> None:
    assert tolerance.chi_square_tail(x, freedom) == pytest.approx(tail, rel=2e-5)


@pytest.mark.parametrize("freedom", [1, 2, 7, 30])
def test_the_limit_inverts_the_tail(freedom: int) -> None:
    limit = tolerance.chi_square_limit(freedom, 1e-7)
    assert tolerance.chi_square_tail(limit, freedom) == pytest.approx(1e-7, rel=1e-6)
