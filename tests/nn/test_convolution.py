"""Convolution: against PyTorch, a loop in plain Python, NumPy's polynomial product, and finite differences."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.convolution import convolve, correlate, correlate_backward, unfold
from engine.nn.windows import Fill, output_length, pad, pad_backward, windows
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


def geometry(recorded: dict[str, np.ndarray]) -> dict[str, Any]:
    return {
        "stride": tuple(int(s) for s in recorded["stride"]),
        "dilation": tuple(int(d) for d in recorded["dilation"]),
        "padding": recorded["padding"].tolist(),
        "fill": str(recorded["fill"]),
    }


@pytest.mark.parametrize("source", SOURCES)
def test_every_output_and_gradient_is_pytorchs(source: str) -> None:
    made = cases(arrays("convolution", source))
    assert len(made) == 10
    for name, torch in made.items():
        how = geometry(torch)
        x, weight = torch["x"], torch["weight"]
        assert_close(correlate(x, weight, torch["bias"], **how), torch["y"], f"{name}: y")
        gradient = correlate_backward(x, weight, torch["d_y"], **how)
        assert_close(gradient.x, torch["grad_x"], f"{name}: dL/dx")
        assert_close(gradient.weight, torch["grad_weight"], f"{name}: dL/dw")
        assert_close(gradient.bias, torch["grad_bias"], f"{name}: dL/db")
        if "columns" in torch:
            rows = unfold(x, weight.shape[2:], **how)
            columns = rows.reshape(len(x), -1, rows.shape[-1]).swapaxes(1, 2)
            assert (columns == torch["columns"]).all(), f"{name}: unfold"


LENGTHS, STRIDES, DILATIONS = st.integers(1, 7), st.integers(1, 3), st.integers(1, 3)
KERNELS, CHANNELS, PADS = st.integers(1, 4), st.integers(1, 3), st.integers(0, 4)
FILLS = st.sampled_from(["zero", "circular"])


def value_at(x: np.ndarray, place: int, fill: Fill) -> np.ndarray | float:
    """x (C, n) at one place of the line that it is a piece of."""
    n = x.shape[-1]
    if fill == "circular":
        return x[:, place % n]
    return x[:, place] if 0 <= place < n else 0.0


@given(
    st.integers(0, 2**31),
    st.tuples(CHANNELS, CHANNELS),
    LENGTHS,
    KERNELS,
    STRIDES,
    DILATIONS,
    st.tuples(PADS, PADS),
    FILLS,
)
def test_the_layer_does_what_the_loop_says(
    seed: int,
    channels: tuple[int, int],
    n: int,
    k: int,
    stride: int,
    dilation: int,
    ends: tuple[int, int],
    fill: Fill,
) -> None:
    (inputs, outputs), (before, after) = channels, ends
    rng = np.random.default_rng(seed)
    x, weight = rng.standard_normal((2, inputs, n)), rng.standard_normal((outputs, inputs, k))
    bias = rng.standard_normal(outputs)
    how = {"stride": stride, "dilation": dilation, "padding": [(before, after)], "fill": fill}
    places = output_length(n + before + after, k, stride, dilation)
    if places == 0:
        with pytest.raises(ValueError, match="does not fit"):
            correlate(x, weight, bias, **how)
        return
    for layer, kernel in ((correlate, weight), (convolve, weight[..., ::-1])):
        y = layer(x, weight, bias, **how)
        assert y.shape == (2, outputs, places)
        for b, o, i in itertools.product(range(2), range(outputs), range(places)):
            expected = bias[o] + sum(
                np.sum(kernel[o, :, m] * value_at(x[b], stride * i + dilation * m - before, fill))
                for m in range(k)
            )
            # at most twelve products of order one, added in another order
            assert_close(y[b, o, i], expected, f"y[{b}, {o}, {i}]", rtol=1e-12, atol=1e-13)


@given(st.integers(0, 2**31), CHANNELS, LENGTHS, KERNELS, STRIDES, DILATIONS, PADS, FILLS)
def test_backward_is_the_derivative(
    seed: int, channels: int, n: int, k: int, stride: int, dilation: int, before: int, fill: Fill
) -> None:
    if output_length(n + before, k, stride, dilation) == 0:
        return
    rng = np.random.default_rng(seed)
    x, weight = rng.standard_normal((1, channels, n)), rng.standard_normal((2, channels, k))
    how: dict[str, Any] = {
        "stride": stride,
        "dilation": dilation,
        "padding": [(before, 0)],
        "fill": fill,
    }
    upstream = rng.standard_normal(correlate(x, weight, **how).shape)
    gradient = correlate_backward(x, weight, upstream, **how)
    d_x = differences.gradient(lambda at: correlate(at, weight, **how), x, upstream)
    d_weight = differences.gradient(lambda at: correlate(x, at, **how), weight, upstream)
    assert_close(gradient.x, d_x, "dL/dx", differences.RTOL, differences.ATOL)
    assert_close(gradient.weight, d_weight, "dL/dw", differences.RTOL, differences.ATOL)


@given(st.integers(0, 2**31), LENGTHS, KERNELS)
def test_true_convolution_is_the_product_of_polynomials(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal(n), rng.standard_normal(k)
    full = convolve(x[None, None], w[None, None], padding=k - 1)[0, 0]
    assert_close(full, np.convolve(x, w), "full convolution", rtol=1e-12, atol=1e-13)


def test_an_impulse_returns_the_kernel_from_a_convolution_and_its_mirror_from_a_correlation() -> None:
    impulse, kernel = np.array([[[0.0, 0, 1, 0, 0]]]), np.array([[[1.0, 2, 3]]])
    assert convolve(impulse, kernel)[0, 0].tolist() == [1, 2, 3]
    assert correlate(impulse, kernel)[0, 0].tolist() == [3, 2, 1]


def test_a_causal_layer_never_looks_ahead_and_same_keeps_the_length() -> None:
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((1, 2, 12)), rng.standard_normal((3, 2, 3))
    before = correlate(x, weight, dilation=2, padding="causal")
    x[..., 7:] += 1.0
    after = correlate(x, weight, dilation=2, padding="causal")
    assert (before[..., :7] == after[..., :7]).all()
    assert (before[..., 7:] != after[..., 7:]).all()
    for k in range(1, 6):
        assert correlate(x, rng.standard_normal((1, 2, k)), dilation=2, padding="same").shape == (1, 1, 12)


@given(st.integers(0, 2**31), LENGTHS, PADS, PADS, FILLS)
def test_padding_and_its_gradient_are_adjoint(seed: int, n: int, before: int, after: int, fill: Fill) -> None:
    rng = np.random.default_rng(seed)
    x, d = rng.standard_normal((2, n)), rng.standard_normal((2, before + n + after))
    ends = [(before, after)]
    along, back = (pad(x, ends, fill) * d).sum(), (x * pad_backward(d, ends, fill)).sum()
    assert along == pytest.approx(back, rel=1e-12, abs=1e-12)


def test_a_view_of_windows_cannot_be_written_and_odd_arguments_are_refused() -> None:
    view = windows(np.zeros((1, 5)), (2,), (1,), (1,))
    assert not view.flags.writeable
    x, weight = np.zeros((1, 1, 4, 4)), np.zeros((1, 1, 2, 2))
    with pytest.raises(ValueError, match="3 values for 2 axes"):
        correlate(x, weight, stride=(1, 1, 1))
    with pytest.raises(ValueError, match="1 paddings for 2 axes"):
        correlate(x, weight, padding=[(1, 1)])
