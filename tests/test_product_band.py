"""The bounds on products of chi-squares: exact moments, and bands that draws stay inside."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.product_band import log_moments, log_moments_of_each, product_band


@pytest.mark.parametrize(
    ("freedom", "noncentrality", "scale"), [(32, 0.0, 0.5), (31, 320.0, 0.1), (64, 16.0, 2.0)]
)
def test_moments_are_those_of_draws(freedom: int, noncentrality: float, scale: float) -> None:
    rng = np.random.default_rng(1)
    if noncentrality:
        draws = scale * rng.noncentral_chisquare(freedom, noncentrality, 200_000)
    else:
        draws = scale * rng.chisquare(freedom, 200_000)
    moments = log_moments(freedom, noncentrality, scale)
    for r in (-3, -1, 1, 2, 4):
        powers = draws**r
        spread = 6 * powers.std() / math.sqrt(len(powers))
        assert abs(powers.mean() - math.exp(moments[r])) < spread, r


def test_central_moments_are_the_closed_form() -> None:
    moments = log_moments(20, 0.0, 1.0)
    assert moments[2] == pytest.approx(math.log(20 * 22), rel=1e-12)
    assert moments[-2] == pytest.approx(-math.log(18 * 16), rel=1e-12)
    assert min(moments) == -9


@pytest.mark.parametrize("factors", [1, 10, 50])
def test_a_band_is_left_no_more_often_than_it_says(factors: int) -> None:
    rng = np.random.default_rng(2)
    moments = log_moments(32, 32.0, 1 / 32)
    sums = np.log(rng.noncentral_chisquare(32, 32.0, (20_000, factors)) / 32).sum(axis=1)
    for alarm in (1e-1, 1e-2, 1e-3):
        low, high = product_band(moments, factors, alarm)
        assert low < high
        # each side: at most alarm, plus five standard errors of a count
        slack = 5 * math.sqrt(alarm / len(sums))
        assert (sums > high).mean() <= alarm + slack
        assert (sums < low).mean() <= alarm + slack
    # and it is no empty promise: the band of one in ten is left by some
    low, high = product_band(moments, factors, 1e-1)
    assert ((sums < low) | (sums > high)).any()


def test_many_laws_at_once_have_the_moments_of_each_alone() -> None:
    noncentralities, scales = np.array([0.0, 3.0, 12_800.0]), np.array([0.5, 2.0, 0.01])
    together = log_moments_of_each(30, noncentralities, scales)
    for law, (noncentrality, scale) in enumerate(zip(noncentralities, scales, strict=True)):
        alone = log_moments(30, float(noncentrality), float(scale))
        assert together.keys() == alone.keys()
        assert {r: values[law] for r, values in together.items()} == pytest.approx(
            alone, rel=1e-12, abs=1e-12
        )
