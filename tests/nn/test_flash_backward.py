"""The tiled backward pass gives the gradients of ordinary attention, whatever the tiles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.attention import scaled_dot_product_attention, scaled_dot_product_attention_backward
from engine.nn.flash_backward import Kept, row_dots, tiled_backward, weights_again
from engine.nn.hbm import Floats
from tests.nn.differences import ATOL, RTOL
from tests.nn.differences import gradient as slope
from tests.nn.oracle import assert_close


def drawn(seed: int, n: int, s: int, d: int, d_v: int) -> tuple[Floats, Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=size) for size in ((n, d), (s, d), (s, d_v), (n, d_v)))  # type: ignore[return-value]


def kept(q: Floats, k: Floats, v: Floats, scale: float) -> Kept:
    scores = q @ k.T * scale
    top = scores.max(axis=-1, keepdims=True)
    total = top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True))
    return Kept(np.exp(scores - total) @ v, total)


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(1, 4),
    st.data(),
)
def test_as_the_backward_pass_that_keeps_the_weights(
    seed: int, n: int, s: int, d: int, d_v: int, data: st.DataObject
) -> None:
    q, k, v, d_output = drawn(seed, n, s, d, d_v)
    rows, columns = data.draw(st.integers(1, n + 1)), data.draw(st.integers(1, s + 1))
    scale = 1 / math.sqrt(d)
    tiled = tiled_backward(q, k, v, kept(q, k, v, scale), d_output, scale, rows, columns)
    attended = scaled_dot_product_attention(q, k, v)
    for one, other in zip(
        tiled, scaled_dot_product_attention_backward(attended, q, k, v, d_output), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


def test_weights_and_row_dots_are_those_of_the_whole_row() -> None:
    q, k, v, d_output = drawn(3, 4, 6, 3, 2)
    scale = 1 / math.sqrt(3)
    attended = scaled_dot_product_attention(q, k, v)
    left = kept(q, k, v, scale)
    again = weights_again(q, k, left.logsumexp, scale)
    assert_close(again, attended.weights, "weights")
    assert_close(
        row_dots(left.output, d_output),
        (attended.weights * (d_output @ v.T)).sum(axis=-1, keepdims=True),
        "row dots",
    )


def test_slopes_are_those_of_the_loss() -> None:
    q, k, v, d_output = drawn(5, 3, 4, 2, 3)
    scale = 1 / math.sqrt(2)
    gradient = tiled_backward(q, k, v, kept(q, k, v, scale), d_output, scale, 2, 3)

    def context(query: Floats, key: Floats, value: Floats) -> Floats:
        return scaled_dot_product_attention(query, key, value).context

    for at, found, function in (
        (q, gradient.query, lambda x: context(x, k, v)),
        (k, gradient.key, lambda x: context(q, x, v)),
        (v, gradient.value, lambda x: context(q, k, x)),
    ):
        np.testing.assert_allclose(slope(function, at, d_output), found, rtol=RTOL, atol=ATOL)


def test_an_empty_tile_is_refused() -> None:
    q, k, v, d_output = drawn(0, 2, 2, 2, 2)
    with pytest.raises(ValueError, match="tile"):
        tiled_backward(q, k, v, kept(q, k, v, 1.0), d_output, 1.0, 0, 1)
