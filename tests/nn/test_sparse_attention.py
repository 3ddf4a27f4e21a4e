"""Sparse masks agree with PyTorch's triangles and with their definitions pair by pair; Linformer with PyTorch and differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.attention import scaled_dot_product_attention
from engine.nn.sparse_attention import (
    fixed_masks,
    global_mask,
    linformer_attention,
    linformer_attention_backward,
    local_mask,
    random_mask,
    reached,
    sliding_window_mask,
    strided_masks,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

PARTS = ("query", "key", "value", "key_projection", "value_projection")


@pytest.mark.parametrize("source", SOURCES)
def test_masks_as_pytorch(source: str) -> None:
    made = cases(arrays("sparse_attention", source), "mask-")
    ours = {
        "mask-window": sliding_window_mask(9, 3),
        "mask-local": local_mask(9, 2),
        "mask-block": fixed_masks(9, 3)[0],
    }
    for name, case in made.items():
        np.testing.assert_array_equal(ours[name], case["mask"])
        attended = scaled_dot_product_attention(case["query"], case["key"], case["value"], mask=ours[name])
        assert_close(attended.context, case["context"], name)


@pytest.mark.parametrize("source", SOURCES)
def test_linformer_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("sparse_attention", source), "linformer-").items():
        inputs = [case[part] for part in PARTS]
        done = linformer_attention(*inputs)
        assert_close(done.attended.context, case["context"], name)
        gradients = linformer_attention_backward(done, *inputs, case["upstream"])
        for part, gradient in zip(PARTS, gradients, strict=True):
            assert_close(gradient, case[f"d_{part}"], f"{name} {part}", rtol=1e-11, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 13), st.integers(1, 3))
def test_masks_pair_by_pair(n: int, size: int, few: int) -> None:
    window, local, everywhere = sliding_window_mask(n, size), local_mask(n, size), global_mask(n, few)
    near, far = strided_masks(n, size)
    own, summaries = fixed_masks(n, size, few)
    for i in range(n):
        for j in range(n):
            before = j <= i
            assert window[i, j] == (before and i - j < size)
            assert local[i, j] == (abs(i - j) <= size)
            assert everywhere[i, j] == (min(i, j) < few)
            assert near[i, j] == (before and i - j <= size)
            assert far[i, j] == (before and (i - j) % size == 0)
            assert own[i, j] == (before and i // size == j // size)
            assert summaries[i, j] == (before and j % size >= size - few)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 10), st.integers(1, 5), st.integers(0, 4))
def test_reach_is_the_support_of_a_power_of_the_mask(n: int, window: int, layers: int) -> None:
    mask = sliding_window_mask(n, window)
    counts = reached(mask, n - 1, layers)
    for steps in range(layers + 1):
        power = np.linalg.matrix_power(mask.astype(np.int64), steps)
        assert counts[steps] == (power[n - 1] > 0).sum()


def test_random_keys_are_as_many_as_asked_for_and_differ() -> None:
    mask = random_mask(20, 3, np.random.default_rng(0))
    assert (mask.sum(axis=1) == 3).all()
    assert len({tuple(row) for row in mask.tolist()}) > 10
    assert random_mask(2, 5, np.random.default_rng(0)).all()


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_linformer_backward_is_the_slope_of_forward(n: int, k: int, d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs = [*rng.standard_normal((3, n, d)), *rng.standard_normal((2, k, n))]
    upstream = rng.standard_normal((n, d))
    gradients = linformer_attention_backward(linformer_attention(*inputs), *inputs, upstream)
    for place, ours in enumerate(gradients):

        def moved(x: np.ndarray, place: int = place) -> np.ndarray:
            return linformer_attention(*inputs[:place], x, *inputs[place + 1 :]).attended.context

        np.testing.assert_allclose(
            ours,
            differences.gradient(moved, inputs[place], upstream),
            rtol=differences.RTOL,
            atol=differences.ATOL,
        )
