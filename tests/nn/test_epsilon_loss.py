"""-log(p + eps) as PyTorch differentiates it, as a loop, and by differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.epsilon_loss import epsilon_loss, epsilon_loss_backward
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("epsilon_loss", source)).items():
        epsilon = float(case["epsilon"])
        assert_close(epsilon_loss(case["z"], case["targets"], epsilon), case["loss"], name)
        found = epsilon_loss_backward(case["z"], case["targets"], epsilon, case["upstream"])
        assert_close(found, case["dz"], name)


@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 5), st.sampled_from([1e-10, 1e-3, 0.5]))
def test_as_a_loop_and_as_differences(seed: int, rows: int, classes: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    z, targets = 2 * rng.standard_normal((rows, classes)), rng.integers(classes, size=rows)
    loss = epsilon_loss(z, targets, epsilon)
    for row in range(rows):
        total = math.fsum(math.exp(value) for value in z[row])
        expected = -math.log(math.exp(z[row, targets[row]]) / total + epsilon)
        assert loss[row] == pytest.approx(expected, rel=1e-12, abs=1e-14)
    upstream = rng.standard_normal(rows)
    expected = differences.gradient(lambda x: epsilon_loss(x, targets, epsilon), z, upstream)
    found = epsilon_loss_backward(z, targets, epsilon, upstream)
    assert_close(found, expected, "dz", rtol=differences.RTOL, atol=10 * differences.ATOL)
