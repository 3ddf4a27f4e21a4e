"""LayerNorm, BatchNorm and RMSNorm agree with PyTorch, with plain loops, with differences, and with their laws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.normalization import (
    Normalized,
    RunningStatistics,
    batch_norm_eval,
    batch_norm_folded,
    batch_norm_train,
    layer_norm,
    normalization_backward,
    rms_norm,
    rms_norm_backward,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

SIDE = st.integers(1, 5)
SEED = st.integers(0, 2**32 - 1)


def draw_input(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape) * 2 + 1


@pytest.mark.parametrize("source", SOURCES)
def test_layer_norm_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("normalization", source), "layer.").items():
        forward = layer_norm(case["x"], case["gamma"], case["beta"], float(case["eps"]))
        assert_close(forward.y, case["y"], name)
        assert_close(forward.mean, case["mean"], name)
        assert_close(1 / forward.denominator, case["rstd"], name)
        assert_gradients(forward, case, name)


@pytest.mark.parametrize("source", SOURCES)
def test_layer_norm_of_copied_code_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("normalization", source), "std").items():
        forward = layer_norm(
            case["x"], case["gamma"], case["beta"], float(case["eps"]), ddof=1, eps_place="outside"
        )
        assert_close(forward.y, case["y"], name)
        assert_gradients(forward, case, name)
        assert (
            np.abs(forward.y - layer_norm(case["x"], case["gamma"], case["beta"], float(case["eps"])).y).max()
            > 1e-2
        )


@pytest.mark.parametrize("source", SOURCES)
def test_batch_norm_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("normalization", source), "batch.").items():
        gamma, beta = case["gamma"], case["beta"]
        first = batch_norm_train(case["first"], gamma, beta, 1e-3, channel_axis=1)
        running = RunningStatistics.initial(gamma.size).updated(first, momentum=0.2)
        assert_close(running.mean, case["mean1"], name)
        assert_close(running.var, case["var1"], name)
        forward = batch_norm_train(case["x"], gamma, beta, 1e-3, channel_axis=1)
        assert_close(forward.y, case["y"], name)
        running = running.updated(forward, momentum=0.2)
        assert_close(running.mean, case["mean2"], name)
        assert_close(running.var, case["var2"], name)
        at_rest = batch_norm_eval(case["at_rest"], running, gamma, beta, 1e-3, channel_axis=1)
        assert_close(at_rest, case["y_eval"], name)
        assert_gradients(forward, case, name)


@pytest.mark.parametrize("source", SOURCES)
def test_rms_norm_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("normalization", source), "rms.").items():
        forward = rms_norm(case["x"], case["gamma"], float(case["eps"]))
        assert_close(forward.y, case["y"], name)
        dx, dgamma = rms_norm_backward(forward, case["upstream"])
        assert_close(dx, case["dx"], name)
        assert_close(dgamma, case["dgamma"], name)


def assert_gradients(forward: Normalized, case: dict[str, np.ndarray], name: str) -> None:
    found = normalization_backward(forward, case["upstream"])
    assert_close(found.dx, case["dx"], name)
    assert_close(found.dgamma, case["dgamma"], name)
    assert_close(found.dbeta, case["dbeta"], name)


# plain loops


def normalized_by_loop(values: list[float], eps: float) -> tuple[list[float], float, float]:
    """One group of values: normalised, mean, biased variance."""
    mean = math.fsum(values) / len(values)
    var = math.fsum((value - mean) ** 2 for value in values) / len(values)
    return [(value - mean) / math.sqrt(var + eps) for value in values], mean, var


@settings(max_examples=50, deadline=None)
@given(SIDE, SIDE, SIDE, SEED)
def test_layer_norm_as_a_loop_over_rows(batch: int, length: int, d: int, seed: int) -> None:
    x = draw_input(seed, batch, length, d)
    gamma, beta = draw_input(seed + 1, 2, d)
    forward = layer_norm(x, gamma, beta, 1e-3)
    for b, t in itertools.product(range(batch), range(length)):
        row, mean, var = normalized_by_loop(x[b, t].tolist(), 1e-3)
        np.testing.assert_allclose(
            forward.y[b, t],
            [g * v + s for g, v, s in zip(gamma, row, beta, strict=True)],
            rtol=1e-12,
            atol=1e-13,
        )
        np.testing.assert_allclose(
            [forward.mean[b, t, 0], forward.var[b, t, 0]], [mean, var], rtol=1e-12, atol=1e-15
        )


@settings(max_examples=50, deadline=None)
@given(SIDE, SIDE, SIDE, SEED, st.sampled_from([-1, 0, 1]))
def test_batch_norm_as_a_loop_over_channels(
    batch: int, length: int, d: int, seed: int, channel_axis: int
) -> None:
    x = draw_input(seed, batch, length, d)
    forward = batch_norm_train(x, eps=1e-3, channel_axis=channel_axis)
    channels_first = np.moveaxis(x, channel_axis, 0)
    for c, group in enumerate(channels_first):
        row, mean, var = normalized_by_loop(group.ravel().tolist(), 1e-3)
        np.testing.assert_allclose(
            np.moveaxis(forward.y, channel_axis, 0)[c].ravel(), row, rtol=1e-11, atol=1e-12
        )
        np.testing.assert_allclose(
            [forward.mean.ravel()[c], forward.var.ravel()[c]], [mean, var], rtol=1e-12, atol=1e-15
        )


@settings(max_examples=50, deadline=None)
@given(SIDE, SIDE, SEED)
def test_rms_norm_as_a_loop_over_rows(rows: int, d: int, seed: int) -> None:
    x, gamma = draw_input(seed, rows, d), draw_input(seed + 1, d)
    forward = rms_norm(x, gamma, 1e-4)
    for r in range(rows):
        rms = math.sqrt(math.fsum(value * value for value in x[r].tolist()) / d + 1e-4)
        np.testing.assert_allclose(
            forward.y[r], [g * v / rms for g, v in zip(gamma, x[r], strict=True)], rtol=1e-13
        )


# slopes


@settings(max_examples=20, deadline=None)
@given(SIDE, st.integers(2, 5), SEED, st.sampled_from([0, 1]), st.sampled_from(["inside", "outside"]))
def test_layer_norm_backward_is_the_slope(rows: int, d: int, seed: int, ddof: int, place: str) -> None:
    x, upstream = draw_input(seed, 2, rows, d)
    gamma, beta = draw_input(seed + 1, 2, d)
    settings_of = {"eps": 0.05, "ddof": ddof, "eps_place": place}
    found = normalization_backward(layer_norm(x, gamma, beta, **settings_of), upstream)
    close = {"rtol": differences.RTOL, "atol": differences.ATOL}
    np.testing.assert_allclose(
        found.dx,
        differences.gradient(lambda at: layer_norm(at, gamma, beta, **settings_of).y, x, upstream),
        **close,
    )
    np.testing.assert_allclose(
        found.dgamma,
        differences.gradient(lambda at: layer_norm(x, at, beta, **settings_of).y, gamma, upstream),
        **close,
    )
    np.testing.assert_allclose(
        found.dbeta,
        differences.gradient(lambda at: layer_norm(x, gamma, at, **settings_of).y, beta, upstream),
        **close,
    )


@settings(max_examples=20, deadline=None)
@given(SIDE, SIDE, SIDE, SEED, st.sampled_from([-1, 0, 1]))
def test_batch_norm_backward_is_the_slope(
    batch: int, length: int, d: int, seed: int, channel_axis: int
) -> None:
    x, upstream = draw_input(seed, 2, batch, length, d)
    gamma, beta = draw_input(seed + 1, 2, x.shape[channel_axis])
    forward = batch_norm_train(x, gamma, beta, 0.05, channel_axis)
    found = normalization_backward(forward, upstream)
    close = {"rtol": differences.RTOL, "atol": differences.ATOL}
    np.testing.assert_allclose(
        found.dx,
        differences.gradient(lambda at: batch_norm_train(at, gamma, beta, 0.05, channel_axis).y, x, upstream),
        **close,
    )
    np.testing.assert_allclose(
        found.dgamma,
        differences.gradient(lambda at: batch_norm_train(x, at, beta, 0.05, channel_axis).y, gamma, upstream),
        **close,
    )


@settings(max_examples=20, deadline=None)
@given(SIDE, SIDE, SEED)
def test_rms_norm_backward_is_the_slope(rows: int, d: int, seed: int) -> None:
    x, upstream = draw_input(seed, 2, rows, d)
    gamma = draw_input(seed + 1, d)
    dx, dgamma = rms_norm_backward(rms_norm(x, gamma, 0.05), upstream)
    close = {"rtol": differences.RTOL, "atol": differences.ATOL}
    np.testing.assert_allclose(
        dx, differences.gradient(lambda at: rms_norm(at, gamma, 0.05).y, x, upstream), **close
    )
    np.testing.assert_allclose(
        dgamma, differences.gradient(lambda at: rms_norm(x, at, 0.05).y, gamma, upstream), **close
    )


# laws


def test_layer_norm_of_a_row_knows_no_other_row_and_batch_norm_knows_them_all() -> None:
    x = draw_input(0, 8, 16)
    np.testing.assert_array_equal(layer_norm(x).y[:2], layer_norm(x[:2]).y)
    assert np.abs(batch_norm_train(x).y[:2] - batch_norm_train(x[:2]).y).max() > 0.1


def test_batch_norm_of_one_row_gives_beta_and_keeps_no_variance() -> None:
    x, (gamma, beta) = draw_input(0, 1, 6), draw_input(1, 2, 6)
    forward = batch_norm_train(x, gamma, beta)
    np.testing.assert_array_equal(forward.y, beta[None])
    with pytest.raises(ValueError, match="unbiased"):
        RunningStatistics.initial(6).updated(forward)


def test_batch_norm_at_inference_folds_into_the_linear_layer_before_it() -> None:
    rng = np.random.default_rng(3)
    x, weight, bias = rng.standard_normal((5, 4)), rng.standard_normal((4, 6)), rng.standard_normal(6)
    running = RunningStatistics(rng.standard_normal(6), rng.random(6) + 0.1)
    gamma, beta = rng.standard_normal((2, 6))
    scale, shift = batch_norm_folded(running, gamma, beta)
    apart = batch_norm_eval(x @ weight + bias, running, gamma, beta)
    np.testing.assert_allclose(x @ (weight * scale) + (bias * scale + shift), apart, rtol=1e-12, atol=1e-14)


def test_a_large_mean_in_float32_does_not_drown_the_variance() -> None:
    x = (np.random.default_rng(0).standard_normal((64, 256)) + 10_000).astype(np.float32)
    y = layer_norm(x).y
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.std(axis=-1), 1, atol=1e-3)


def test_a_constant_row_becomes_beta() -> None:
    np.testing.assert_array_equal(layer_norm(np.full((2, 4), 7.0)).y, np.zeros((2, 4)))
    found = normalization_backward(
        layer_norm(np.full((2, 4), 7.0), eps=0.1, eps_place="outside"), np.ones((2, 4))
    )
    np.testing.assert_array_equal(found.dx, np.zeros((2, 4)))


def test_a_variance_needs_more_values_than_ddof() -> None:
    with pytest.raises(ValueError, match="ddof"):
        layer_norm(np.ones((3, 1)), ddof=1)
