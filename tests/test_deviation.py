"""The bounds hold where the exact law is known, and are not much wider than it."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.deviation import (
    ALARM,
    HIGHEST_ORDER,
    bernstein_band,
    chi_square_band,
    cumulants_from_moments,
    moment_band,
    moments_from_cumulants,
    variance_band,
)
from engine.tolerance import chi_square_tail
from tests.test_tolerance import binomial_law

NORMAL = [0.0, 1.0, *[0.0] * 46]
PRODUCT_OF_NORMALS = [0.0 if r % 2 else float(math.factorial(r - 1)) for r in range(1, 49)]
EXPONENTIAL = [float(math.factorial(r - 1)) for r in range(1, 49)]


def test_the_mean_of_normals_leaves_its_band_rarely_and_the_band_is_near_the_quantile() -> None:
    band = moment_band(NORMAL, 100) * 10
    assert math.erfc(band / math.sqrt(2)) < ALARM
    # the two-sided 1e-7 quantile of a standard normal is 5.33
    assert 5.33 < band < 6


@pytest.mark.parametrize("n", [1, 5, 50, 5_000])
def test_the_mean_of_exponentials_leaves_its_band_rarely(n: int) -> None:
    band = moment_band(EXPONENTIAL, n)
    above = chi_square_tail(2 * n * (1 + band), 2 * n)
    below = 1 - chi_square_tail(2 * n * (1 - band), 2 * n) if band < 1 else 0.0
    assert above + below < ALARM


@pytest.mark.parametrize("n", [2, 10, 500, 5_000])
def test_the_sample_variance_of_normals_leaves_its_band_rarely(n: int) -> None:
    band = variance_band(NORMAL, n)
    above = chi_square_tail((n - 1) * (1 + band), n - 1)
    below = 1 - chi_square_tail((n - 1) * (1 - band), n - 1) if band < 1 else 0.0
    assert above + below < 2 * ALARM


def test_a_heavier_tail_has_a_wider_band_and_scale_only_scales_it() -> None:
    assert variance_band(PRODUCT_OF_NORMALS, 1_000) > 2 * variance_band(NORMAL, 1_000)
    tripled = [3.0**r * c for r, c in enumerate(PRODUCT_OF_NORMALS, 1)]
    assert variance_band(tripled, 1_000) == pytest.approx(9 * variance_band(PRODUCT_OF_NORMALS, 1_000))
    assert moment_band(tripled, 1_000) == pytest.approx(3 * moment_band(PRODUCT_OF_NORMALS, 1_000))


def test_what_does_not_vary_has_no_band() -> None:
    assert moment_band([5.0, 0.0, 0.0, 0.0], 10) == 0


@pytest.mark.parametrize("freedom", [1, 2, 7, 100, 4_000])
def test_chi_square_leaves_its_band_rarely(freedom: int) -> None:
    band = chi_square_band(freedom)
    above = chi_square_tail(freedom * (1 + band), freedom)
    below = 1 - chi_square_tail(freedom * (1 - band), freedom) if band < 1 else 0.0
    assert above + below < ALARM


@pytest.mark.parametrize("p", [1e-3, 0.1, 0.5])
@pytest.mark.parametrize("n", [10, 300, 20_000])
def test_bernstein_holds_for_the_exact_binomial_law(n: int, p: float) -> None:
    band = bernstein_band(1.0, p * (1 - p), n)
    law = binomial_law(n, p)
    assert sum(float(chance) for k, chance in enumerate(law) if abs(k / n - p) >= band) < ALARM


@pytest.mark.slow
@given(st.lists(st.fractions(-4, 4, max_denominator=9), min_size=1, max_size=8))
def test_cumulants_and_moments_are_each_others_inverse(cumulants: list[Fraction]) -> None:
    # the recursions start from floats 1.0; fractions of this size survive them
    assert cumulants_from_moments(moments_from_cumulants(cumulants)) == pytest.approx(
        [float(value) for value in cumulants], abs=1e-6
    )


def test_moments_of_known_laws() -> None:
    assert moments_from_cumulants(NORMAL)[1:HIGHEST_ORDER:2] == [
        math.prod(range(1, 2 * k, 2)) for k in range(1, HIGHEST_ORDER // 2 + 1)
    ]
    assert moments_from_cumulants(EXPONENTIAL)[:10] == [math.factorial(r) for r in range(1, 11)]
    # E[(uv)^{2k}] = ((2k - 1)!!)² for independent standard normal u, v
    assert moments_from_cumulants(PRODUCT_OF_NORMALS)[1:8:2] == [1, 9, 225, 105**2]
