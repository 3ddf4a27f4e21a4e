"""Pooling: against PyTorch, a loop in plain Python, and finite differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.pooling import (
    average_pool,
    average_pool_backward,
    binomial_filter,
    blur,
    global_average_pool,
    max_blur_pool,
    max_pool,
    max_pool_backward,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


def sizes(recorded: np.ndarray) -> tuple[int, ...]:
    return tuple(int(size) for size in recorded)


@pytest.mark.parametrize("source", SOURCES)
def test_every_pooling_and_gradient_is_pytorchs(source: str) -> None:
    made = {name: case for name, case in cases(arrays("pooling", source)).items() if "size" in case}
    assert len(made) == 7
    for name, torch in made.items():
        x, size = torch["x"], sizes(torch["size"])
        how = {"stride": sizes(torch["stride"]), "padding": sizes(torch["padding"])}
        shape = x.shape[-len(size) :]
        largest = max_pool(x, size, **how)
        assert (largest.y == torch["max"]).all(), f"{name}: maximum"
        d_x = max_pool_backward(largest, torch["d_max"], shape, size, **how)
        assert_close(d_x, torch["grad_max"], f"{name}: dL/dx of the maximum")
        assert_close(average_pool(x, size, **how), torch["average"], f"{name}: average")
        d_x = average_pool_backward(torch["d_average"], shape, size, **how)
        assert_close(d_x, torch["grad_average"], f"{name}: dL/dx of the average")
        overall = global_average_pool(x, len(size))
        assert_close(overall, torch["global"].reshape(overall.shape), f"{name}: global average")


@pytest.mark.parametrize("source", SOURCES)
def test_the_blur_is_pytorchs_depthwise_convolution(source: str) -> None:
    made = cases(arrays("pooling", source), "blur_")
    assert len(made) == 3
    for name, torch in made.items():
        for fill in ("zero", "circular"):
            blurred = blur(torch["x"], int(torch["taps"]), stride=int(torch["stride"]), fill=fill)
            assert_close(blurred, torch[fill], f"{name}, {fill}")


SIZE, STRIDE = st.integers(1, 4), st.integers(1, 3)


@given(st.integers(0, 2**31), st.integers(1, 6), st.integers(1, 6), SIZE, SIZE, STRIDE)
def test_the_layer_does_what_the_loop_says(
    seed: int, rows: int, columns: int, high: int, wide: int, stride: int
) -> None:
    x = np.random.default_rng(seed).standard_normal((2, rows, columns))
    if high > rows or wide > columns:
        with pytest.raises(ValueError, match="does not fit"):
            max_pool(x, (high, wide))
        return
    largest, mean = (
        max_pool(x, (high, wide), stride=(stride, stride)),
        average_pool(x, (high, wide), stride=(stride, stride)),
    )
    starts = [range(0, n - k + 1, stride) for n, k in ((rows, high), (columns, wide))]
    assert largest.y.shape == mean.shape == (2, *(len(start) for start in starts))
    for c, (i, r), (j, s) in itertools.product(range(2), *(tuple(enumerate(start)) for start in starts)):
        window = [x[c, r + a, s + b] for a in range(high) for b in range(wide)]
        assert largest.y[c, i, j] == max(window)
        assert window[largest.winners[c, i, j]] == max(window)
        assert mean[c, i, j] == pytest.approx(sum(window) / len(window), rel=1e-12, abs=1e-14)


@given(st.integers(0, 2**31), st.integers(1, 7), SIZE, STRIDE)
def test_backward_is_the_derivative(seed: int, n: int, size: int, stride: int) -> None:
    if size > n:
        return
    rng = np.random.default_rng(seed)
    # distinct values a tenth apart: no step of the difference quotient changes a winner
    x = rng.permutation(2 * n).reshape(2, n) / 10
    how = {"stride": (stride,)}
    pooled = max_pool(x, (size,), **how)
    upstream = rng.standard_normal(pooled.y.shape)
    found = max_pool_backward(pooled, upstream, (n,), (size,), **how)
    expected = differences.gradient(lambda at: max_pool(at, (size,), **how).y, x, upstream)
    assert_close(found, expected, "maximum", differences.RTOL, differences.ATOL)
    found = average_pool_backward(upstream, (n,), (size,), **how)
    expected = differences.gradient(lambda at: average_pool(at, (size,), **how), x, upstream)
    assert_close(found, expected, "average", differences.RTOL, differences.ATOL)


def test_of_equal_values_the_first_wins_and_padding_never_does() -> None:
    assert max_pool(np.zeros((1, 4)), (2,)).winners.tolist() == [[0, 0]]
    assert max_pool(np.full((1, 3), -5.0), (3,), stride=(1,), padding=(1,)).y.tolist() == [[-5, -5, -5]]


def test_blur_pooling_is_a_dense_maximum_then_a_blur() -> None:
    assert binomial_filter(3).tolist() == [0.25, 0.5, 0.25]
    x = np.array([[0.0, 0, 1, 1, 0, 0, 1, 1]])
    assert max_blur_pool(x, 2, 1, circular=True).tolist() == max_pool(x, (2,)).y.tolist()
    # dense maxima 0 1 1 1 0 1 1 1; [1, 2, 1] / 4 around every second of them
    assert max_blur_pool(x, 2, 3, circular=True).tolist() == [[0.5, 1.0, 0.5, 1.0]]
    # without the other end: dense maxima 0 1 1 1 0 1 1, zeros beyond
    assert max_blur_pool(x, 2, 3).tolist() == [[0.25, 1.0, 0.5, 0.75]]
