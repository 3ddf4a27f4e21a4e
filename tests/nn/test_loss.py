"""Cross-entropy agrees with PyTorch, with a plain loop and with differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.loss import IGNORED, cross_entropy, cross_entropy_backward
from engine.nn.softmax import softmax
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("loss", source)).items():
        reduction = str(case["reduction"])
        forward = cross_entropy(
            case["z"], case["targets"], label_smoothing=float(case["smoothing"]), reduction=reduction
        )
        assert_close(forward.loss, case["loss"], name)
        assert_close(forward.each, case["each"], name)
        assert_close(forward.log_p, case["log_p"], name)
        assert_close(cross_entropy_backward(forward, case["upstream"]), case["dz"], name)


def cross_entropy_by_loop(z: np.ndarray, targets: list[int], smoothing: float) -> float:
    """The definition: one row, one class at a time."""
    total, counted = 0.0, 0
    for row, target in zip(z.tolist(), targets, strict=True):
        if target == IGNORED:
            continue
        counted += 1
        normaliser = math.fsum(math.exp(value) for value in row)
        for c, value in enumerate(row):
            q = (1 - smoothing) * (c == target) + smoothing / len(row)
            total -= q * math.log(math.exp(value) / normaliser)
    return total / counted


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 5), st.integers(1, 6), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_as_a_loop_and_as_differences(
    data: st.DataObject, rows: int, classes: int, smoothing: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((rows, classes)) * 3
    label = st.integers(0, classes - 1)
    targets = [
        data.draw(label),
        *data.draw(st.lists(label | st.just(IGNORED), min_size=rows - 1, max_size=rows - 1)),
    ]
    forward = cross_entropy(z, targets, smoothing)
    np.testing.assert_allclose(
        forward.loss, cross_entropy_by_loop(z, targets, smoothing), rtol=1e-12, atol=1e-14
    )
    np.testing.assert_allclose(forward.q.sum(-1), 1, rtol=1e-14)

    slope = differences.gradient(lambda at: cross_entropy(at, targets, smoothing).loss, z, np.ones(()))
    np.testing.assert_allclose(
        cross_entropy_backward(forward), slope, rtol=differences.RTOL, atol=differences.ATOL
    )


def test_gradient_is_probability_minus_target_however_wrong_the_answer() -> None:
    for gap in (0.0, 20.0, 50.0, 700.0, 1e5):
        forward = cross_entropy([[gap, 0.0]], [1])
        assert forward.loss == pytest.approx(np.logaddexp(gap, 0.0), rel=1e-15)
        np.testing.assert_allclose(
            cross_entropy_backward(forward), softmax([[gap, 0.0]]) - [[0, 1]], rtol=1e-14
        )


def test_the_mean_is_over_counted_positions_only() -> None:
    z = np.zeros((4, 8))
    assert cross_entropy(z, [3, IGNORED, IGNORED, IGNORED]).loss == pytest.approx(math.log(8))
    gradient = cross_entropy_backward(cross_entropy(z, [3, IGNORED, IGNORED, IGNORED]))
    assert (gradient[1:] == 0).all()


def test_sequences_of_any_rank() -> None:
    z = np.random.default_rng(0).standard_normal((2, 3, 5))
    targets = np.arange(6).reshape(2, 3) % 5
    flat = cross_entropy(z.reshape(6, 5), targets.ravel())
    whole = cross_entropy(z, targets)
    assert whole.loss == flat.loss
    np.testing.assert_array_equal(cross_entropy_backward(whole).reshape(6, 5), cross_entropy_backward(flat))


@pytest.mark.parametrize(
    ("targets", "smoothing", "message"),
    [
        ([0, 3], 0.0, "outside 0 to 2"),
        ([0, -1], 0.0, "outside 0 to 2"),
        ([0], 0.0, "shape"),
        ([0, 1], 1.5, "between 0 and 1"),
        ([IGNORED, IGNORED], 0.0, "no mean"),
    ],
)
def test_what_has_no_loss_is_refused(targets: list[int], smoothing: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cross_entropy(np.zeros((2, 3)), targets, smoothing)
