"""The predicted mean gradient of D20 is the integral it claims to be: other routes to the same number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from engine.demos.d20_softmax_saturation import (
    QUADRATURE,
    SPREADS,
    mean_traces,
    query_lengths,
    trace_moments,
    trace_series,
)


@pytest.mark.parametrize("spread", [0.1, 1.0, 7.0, 50.0])
def test_two_keys_are_one_integral_over_their_gap(spread: float) -> None:
    gap = np.linspace(-12, 12, 200_001) * spread * math.sqrt(2)
    density = np.exp(-((gap / spread) ** 2) / 4) / (spread * math.sqrt(4 * math.pi))
    trace = 1 / (2 * np.cosh(np.minimum(np.abs(gap), 700) / 2) ** 2)
    step = gap[1] - gap[0]
    assert trace_moments(2, spread) == pytest.approx(
        [step * (trace * density).sum(), step * (trace**2 * density).sum()], rel=1e-9
    )


def test_equal_logits_leave_the_trace_of_even_weights() -> None:
    assert trace_moments(7, 1e-3)[0] == pytest.approx(1 - 1 / 7, abs=1e-6)


@pytest.mark.parametrize("n", [2, 5, 64, 256])
def test_the_series_is_the_function(n: int) -> None:
    low, high = (math.log(edge) for edge in SPREADS)
    for spread in (0.11, 0.5, 2.3, 11.0, 54.0):
        at = (2 * math.log(spread) - low - high) / (high - low)
        assert chebyshev.chebval(at, trace_series(n)) == pytest.approx(trace_moments(n, spread), abs=1e-6)


@pytest.mark.parametrize("d_k", [1, 2, 3, 64, 1024])
def test_the_lengths_have_the_moments_of_the_chi_law_and_stay_where_the_series_holds(d_k: int) -> None:
    lengths, weights = query_lengths(d_k)
    assert weights.sum() == pytest.approx(1)
    assert weights @ lengths**2 == pytest.approx(d_k)
    assert weights @ lengths**4 == pytest.approx(d_k * (d_k + 2))
    assert SPREADS[0] < lengths.min() / math.sqrt(d_k)
    assert lengths.max() < SPREADS[1]


def test_the_whole_mean_agrees_with_a_plain_simulation_of_dot_products() -> None:
    rng = np.random.default_rng(5)
    queries, keys = rng.standard_normal((4_000, 1, 8)), rng.standard_normal((4_000, 6, 8))
    scores = (queries * keys).sum(axis=-1)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    traces = 1 - ((e / e.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    (mean,), (variance,) = mean_traces(6, 8, "none")
    assert abs(traces.mean() - mean) < 6 * math.sqrt(variance / 4_000) + QUADRATURE
