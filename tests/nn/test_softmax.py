"""Softmax agrees with PyTorch, with a plain loop, with differences, and with its own laws."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from engine.nn.softmax import (
    log_softmax,
    log_softmax_backward,
    logsumexp,
    softmax,
    softmax_backward,
    softmax_jacobian,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

FINITE = st.floats(-800, 800)
LOGITS = npst.arrays(np.float64, npst.array_shapes(min_dims=1, max_dims=3, max_side=5), elements=FINITE)
MASKED = npst.arrays(
    np.float64,
    npst.array_shapes(min_dims=2, max_dims=2, max_side=5),
    elements=st.one_of(st.floats(-50, 50), st.just(-math.inf)),
)


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    made = arrays("softmax", source)
    for name, case in cases(made).items():
        if name == "empty":
            continue
        axis = int(case["axis"])
        p, log_p = softmax(case["z"], axis), log_softmax(case["z"], axis)
        assert_close(p, case["p"], name)
        assert_close(log_p, case["log_p"], name)
        assert_close(logsumexp(case["z"], axis), case["logsumexp"], name)
        assert_close(softmax_backward(p, case["upstream"], axis), case["dz"], name)
        assert_close(log_softmax_backward(log_p, case["upstream"], axis), case["dz_log"], name)
        if "jacobian" in case:
            assert_close(softmax_jacobian(p), case["jacobian"], name)
    empty = np.full((2, 3), -np.inf)
    np.testing.assert_array_equal(softmax(empty), made["empty.p"])
    np.testing.assert_array_equal(log_softmax(empty), made["empty.log_p"])
    np.testing.assert_array_equal(logsumexp(empty), made["empty.logsumexp"])


def softmax_by_loop(row: list[float]) -> list[float]:
    """The definition, in exact order and with Python's own summation."""
    top = max(row)
    e = [math.exp(value - top) for value in row]
    return [value / math.fsum(e) for value in e]


@settings(max_examples=60, deadline=None)
@given(LOGITS)
def test_as_a_loop_over_rows(z: np.ndarray) -> None:
    p, log_p, total = softmax(z), log_softmax(z), logsumexp(z)
    for place in np.ndindex(z.shape[:-1]):
        row = z[place].tolist()
        expected = softmax_by_loop(row)
        # exp() of the two libraries and five additions: a few ulp
        np.testing.assert_allclose(p[place], expected, rtol=1e-14, atol=0)
        top = max(row)
        log_total = top + math.log(math.fsum(math.exp(value - top) for value in row))
        np.testing.assert_allclose(total[place], log_total, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(log_p[place], [value - log_total for value in row], rtol=1e-13, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(LOGITS, st.floats(-1e3, 1e3))
def test_probabilities_sum_to_one_and_a_common_shift_changes_nothing(z: np.ndarray, c: float) -> None:
    p = softmax(z)
    np.testing.assert_allclose(p.sum(-1), 1, rtol=1e-15 * z.shape[-1])
    assert (p >= 0).all()
    # z + c is itself rounded: 1800 · 2^-53 in the exponent
    np.testing.assert_allclose(softmax(z + c), p, rtol=1e-12, atol=0)


@settings(max_examples=40, deadline=None)
@given(MASKED)
def test_a_masked_key_gets_exactly_nothing_and_the_others_as_if_it_were_absent(z: np.ndarray) -> None:
    with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise"):
        warnings.simplefilter("error")
        p, log_p = softmax(z, empty="zero"), log_softmax(z)
    assert (p[np.isneginf(z)] == 0).all()
    for row, weights, logs in zip(z, p, log_p, strict=True):
        kept = row > -np.inf
        if kept.any():
            np.testing.assert_allclose(weights[kept], softmax(row[kept]), rtol=1e-15)
            assert np.isneginf(logs[~kept]).all()
        else:
            assert (weights == 0).all()
            assert np.isnan(logs).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_backward_is_the_slope_of_forward(rows: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    z, upstream = rng.standard_normal((2, rows, n))
    p, log_p = softmax(z), log_softmax(z)
    close = {"rtol": differences.RTOL, "atol": differences.ATOL}
    np.testing.assert_allclose(
        softmax_backward(p, upstream), differences.gradient(softmax, z, upstream), **close
    )
    np.testing.assert_allclose(
        log_softmax_backward(log_p, upstream), differences.gradient(log_softmax, z, upstream), **close
    )
    through_jacobian = np.einsum("rij,ri->rj", softmax_jacobian(p), upstream)
    np.testing.assert_allclose(softmax_backward(p, upstream), through_jacobian, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_logit_is_refused(bad: float) -> None:
    for function in (softmax, log_softmax, logsumexp):
        with pytest.raises(ValueError, match="finite or -inf"):
            function([0.0, bad])


def test_precision_is_kept_and_integers_are_read() -> None:
    assert softmax(np.zeros(3, np.float32)).dtype == np.float32
    assert log_softmax(np.zeros(3, np.float32)).dtype == np.float32
    assert logsumexp(np.zeros(3, np.float32)).dtype == np.float32
    np.testing.assert_allclose(softmax([1, 2]), softmax([1.0, 2.0]))


def test_far_logits_keep_their_log_probability_where_exp_underflows() -> None:
    assert softmax([0.0, -800.0])[1] == 0
    assert log_softmax([0.0, -800.0])[1] == -800
