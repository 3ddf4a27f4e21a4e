"""Fine-tuning heads agree with PyTorch, with brute force and with differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.heads import (
    best_span,
    classify_sentence,
    classify_tokens,
    cosine_similarity,
    linear,
    linear_backward,
    span_logits,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("heads", source)).items():
        assert_close(linear(case["x"], case["W"], case["b"]), case["y"], name)
        for ours, key in zip(
            linear_backward(case["x"], case["W"], case["upstream"]), ("dx", "dW", "db"), strict=True
        ):
            assert_close(ours, case[key], f"{name} {key}", atol=1e-13)
        assert_close(cosine_similarity(case["x"], case["other"]), case["similarity"], name, atol=1e-13)


def spans(T: int, longest: int | None) -> list[tuple[int, int]]:
    return [(i, j) for j in range(T) for i in range(j + 1) if longest is None or j - i < longest]


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=1, max_size=12),
    st.one_of(st.none(), st.integers(1, 12)),
)
def test_the_best_span_is_the_best_of_all(logits: list[tuple[float, float]], longest: int | None) -> None:
    start, end = np.array(logits).T
    i, j = best_span(start, end, longest)
    assert i <= j
    assert longest is None or j - i < longest
    assert start[i] + end[j] == max(start[a] + end[b] for a, b in spans(len(logits), longest))


def test_heads_read_where_they_say() -> None:
    rng = np.random.default_rng(0)
    states, W, b = rng.standard_normal((2, 5, 3)), rng.standard_normal((2, 3)), rng.standard_normal(2)
    np.testing.assert_array_equal(classify_sentence(states, W, b), classify_tokens(states, W, b)[:, 0])
    start, end = span_logits(states, W, b)
    for row in range(2):
        for t in range(5):
            assert start[row, t] == pytest.approx(W[0] @ states[row, t] + b[0])
            assert end[row, t] == pytest.approx(W[1] @ states[row, t] + b[1])


def test_gradients_by_differences() -> None:
    rng = np.random.default_rng(1)
    x, W, b, upstream = (rng.standard_normal(s) for s in ((2, 3, 4), (5, 4), (5,), (2, 3, 5)))
    dx, dW, db = linear_backward(x, W, upstream)
    for ours, function, at in (
        (dx, lambda v: linear(v, W, b), x),
        (dW, lambda v: linear(x, v, b), W),
        (db, lambda v: linear(x, W, v), b),
    ):
        expected = differences.gradient(function, at, upstream)
        np.testing.assert_allclose(ours, expected, rtol=differences.RTOL, atol=differences.ATOL)
