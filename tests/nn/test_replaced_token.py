"""Replaced-token detection: the loss is PyTorch's, and the labels say what really differs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.replaced_token import corrupt, detection_loss, detection_loss_backward
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("replaced_token", source)).items():
        assert_close(np.asarray(detection_loss(case["logits"], case["replaced"])), case["loss"], name)
        assert_close(detection_loss_backward(case["logits"], case["replaced"]), case["gradient"], name)


@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 5), st.integers(0, 500))
def test_labels_are_what_differs_and_only_selected_places_change(B: int, T: int, V: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ids, selected = rng.integers(0, V, (B, T)), rng.random((B, T)) < 0.5
    logits = rng.standard_normal((B, T, V))
    made = corrupt(ids, selected, logits, rng)
    for row in range(B):
        for t in range(T):
            assert 0 <= made.ids[row, t] < V
            assert bool(made.replaced[row, t]) == (made.ids[row, t] != ids[row, t])
            if not selected[row, t]:
                assert made.ids[row, t] == ids[row, t]


def test_a_generator_that_is_sure_and_right_replaces_nothing() -> None:
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 4, (2, 50))
    logits = np.where(np.arange(4) == ids[..., None], 800.0, 0.0)
    assert not corrupt(ids, np.ones_like(ids, dtype=bool), logits, rng).replaced.any()


def test_samples_follow_the_generator() -> None:
    rng = np.random.default_rng(1)
    logits = np.log(np.array([0.1, 0.2, 0.7])) + np.zeros((1, 20_000, 1))
    made = corrupt(np.zeros((1, 20_000), dtype=np.int64), np.ones((1, 20_000), dtype=bool), logits, rng)
    for token, p in enumerate((0.1, 0.2, 0.7)):
        share = float((made.ids == token).mean())
        assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / 20_000)


def test_gradient_by_differences() -> None:
    rng = np.random.default_rng(2)
    logits, replaced = rng.standard_normal((2, 3)), rng.random((2, 3)) < 0.5
    expected = differences.gradient(
        lambda z: np.asarray(detection_loss(z, replaced)), logits, np.asarray(1.0)
    )
    np.testing.assert_allclose(
        detection_loss_backward(logits, replaced), expected, rtol=differences.RTOL, atol=differences.ATOL
    )
