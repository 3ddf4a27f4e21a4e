"""Linear attention, FNet and WKV agree with PyTorch, with loops, and in their two forms; features average to the kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.linear_attention import (
    causal_linear_attention,
    elu_plus_one,
    elu_plus_one_backward,
    empty_state,
    fourier_mixing,
    fourier_mixing_backward,
    linear_attention,
    linear_attention_step,
    orthogonal_directions,
    positive_random_features,
    wkv,
    wkv_parallel,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("linear_attention", source)).items():
        x, up = case["x"], case["upstream"]
        assert_close(elu_plus_one(x), case["features"], name)
        assert_close(elu_plus_one_backward(x, up), case["d_elu"], name)
        # sums of up to 128 numbers cancel in a transform: absolute rounding
        assert_close(fourier_mixing(x), case["mixed"], name, atol=1e-13)
        assert_close(fourier_mixing_backward(up), case["d_mixed"], name, atol=1e-13)
        q, k, v = case["phi_q"], case["phi_k"], case["value"]
        assert_close(linear_attention(q, k, v), case["context"], name)
        assert_close(causal_linear_attention(q, k, v), case["causal"], name)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 3), SEEDS)
def test_the_recursion_the_masked_matrix_and_a_loop_agree(n: int, m: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, k = elu_plus_one(rng.standard_normal((2, n, m)))
    v = rng.standard_normal((n, width))
    causal, state = causal_linear_attention(q, k, v), empty_state(m, width)
    for t in range(n):
        context, state = linear_attention_step(q[t], k[t], v[t], state)
        np.testing.assert_allclose(context, causal[t], rtol=1e-11, atol=1e-13)
        weights = [float(q[t] @ k[j]) for j in range(t + 1)]
        by_loop = sum(w * v[j] for j, w in enumerate(weights)) / math.fsum(weights)
        np.testing.assert_allclose(context, by_loop, rtol=1e-11, atol=1e-13)
    assert state.size == m * (width + 1)
    np.testing.assert_allclose(linear_attention(q[-1:], k, v)[0], causal[-1], rtol=1e-11, atol=1e-13)


def wkv_by_loop(decay: float, bonus: float, key: list[float], value: list[float]) -> list[float]:
    """One channel, straight from the definition."""
    out = []
    for t in range(len(key)):
        powers = [math.exp(key[i] - (t - 1 - i) * decay) for i in range(t)] + [math.exp(bonus + key[t])]
        out.append(math.fsum(p * v for p, v in zip(powers, value, strict=False)) / math.fsum(powers))
    return out


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 7), st.integers(1, 3), SEEDS)
def test_wkv_as_a_loop_in_both_forms(T: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    decay, bonus = rng.uniform(0, 2, d), rng.standard_normal(d)
    key, value = rng.standard_normal((2, T, d)) * 2
    ours = wkv(decay, bonus, key, value)
    np.testing.assert_allclose(ours, wkv_parallel(decay, bonus, key, value), rtol=1e-11, atol=1e-12)
    for c in range(d):
        expected = wkv_by_loop(float(decay[c]), float(bonus[c]), key[:, c].tolist(), value[:, c].tolist())
        np.testing.assert_allclose(ours[:, c], expected, rtol=1e-11, atol=1e-12)


def test_wkv_survives_keys_that_overflow() -> None:
    key = np.array([[900.0], [0.0], [-900.0]])
    value = np.array([[1.0], [2.0], [3.0]])
    with np.errstate(over="raise", invalid="raise"):
        ours = wkv(np.array([0.5]), np.array([0.0]), key, value)
    np.testing.assert_allclose(ours, [[1.0], [1.0], [1.0]])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), SEEDS)
def test_backward_is_the_slope_of_forward(n: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, up = rng.standard_normal((2, n, d))
    # the second derivative jumps at 0: keep differences off it
    x = np.where(np.abs(x) < 1e-3, 0.1, x)
    close = {"rtol": differences.RTOL, "atol": differences.ATOL}
    np.testing.assert_allclose(
        elu_plus_one_backward(x, up), differences.gradient(elu_plus_one, x, up), **close
    )
    np.testing.assert_allclose(
        fourier_mixing_backward(up), differences.gradient(fourier_mixing, x, up), **close
    )


def test_random_features_average_to_the_kernel_and_orthogonal_ones_are_orthogonal() -> None:
    rng = np.random.default_rng(0)
    q, k = 0.3 * rng.standard_normal((2, 4))
    for directions in (rng.standard_normal((40_000, 4)), orthogonal_directions(40_000, 4, rng)):
        estimate = positive_random_features(q, directions) @ positive_random_features(k, directions)
        deviation = math.exp(q @ k) * math.sqrt(math.expm1(float((q + k) @ (q + k))) / 40_000)
        assert abs(estimate - math.exp(q @ k)) < 6 * deviation
    few = orthogonal_directions(3, 4, rng)
    gram = few @ few.T
    np.testing.assert_allclose(gram, np.diag(np.diagonal(gram)), atol=1e-12)
