"""Grouped and transposed convolutions: against PyTorch, loops in plain Python, and the adjoint's definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.convolution import correlate
from engine.nn.grouped_convolution import block_diagonal, grouped_correlate, separable_correlate
from engine.nn.transposed_convolution import transposed_correlate, transposed_length
from engine.nn.windows import output_length
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

SEEDS = st.integers(0, 2**31)
LOOP = {"rtol": 1e-12, "atol": 1e-13}
"""A few dozen products of order one, added in another order."""


@pytest.mark.parametrize("source", SOURCES)
def test_every_output_is_pytorchs(source: str) -> None:
    made = arrays("convolution_variants", source)
    grouped, transposed = cases(made, "grouped_"), cases(made, "transposed_")
    assert (len(grouped), len(transposed)) == (4, 7)
    for name, torch in grouped.items():
        groups, stride, dilation, padding = (int(value) for value in torch["how"])
        how = {"groups": groups, "stride": stride, "dilation": dilation, "padding": padding}
        assert_close(grouped_correlate(torch["x"], torch["weight"], torch["bias"], **how), torch["y"], name)
    for name, torch in transposed.items():
        stride, dilation, padding, more = (int(value) for value in torch["how"])
        how = {"stride": stride, "dilation": dilation, "padding": padding, "output_padding": more}
        assert_close(
            transposed_correlate(torch["x"], torch["weight"], torch["bias"], **how), torch["y"], name
        )


@given(SEEDS, st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(1, 6), st.integers(1, 3))
def test_a_group_sees_its_own_channels_only(
    seed: int, groups: int, inputs: int, outputs: int, n: int, k: int
) -> None:
    rng = np.random.default_rng(seed)
    x, weight = rng.standard_normal((groups * inputs, n)), rng.standard_normal((groups * outputs, inputs, k))
    y = grouped_correlate(x, weight, groups=groups, padding=k - 1)
    padded = np.pad(x, ((0, 0), (k - 1, k - 1)))
    for o, i in itertools.product(range(groups * outputs), range(n + k - 1)):
        first = o // outputs * inputs
        expected = sum(weight[o, c, m] * padded[first + c, i + m] for c in range(inputs) for m in range(k))
        assert_close(y[o, i], expected, f"y[{o}, {i}]", **LOOP)
    assert_close(correlate(x, block_diagonal(weight, groups), padding=k - 1), y, "block diagonal", **LOOP)


@given(SEEDS, st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_separable_is_a_full_layer_with_factored_weights(
    seed: int, inputs: int, outputs: int, k: int
) -> None:
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((2, inputs, 5, 4)), rng.standard_normal((inputs, 1, k, k))
    v = rng.standard_normal((outputs, inputs, 1, 1))
    assert_close(
        separable_correlate(x, w, v, padding="same"), correlate(x, v * w[:, 0], padding="same"), "y", **LOOP
    )


def test_groups_that_do_not_divide_the_channels_are_refused() -> None:
    with pytest.raises(ValueError, match="4 channels in, 6 out"):
        grouped_correlate(np.zeros((4, 5)), np.zeros((6, 1, 3)), groups=3)
    with pytest.raises(ValueError, match="weight for 4 in 2 groups"):
        grouped_correlate(np.zeros((4, 5)), np.zeros((6, 4, 3)), groups=2)


SIZES = st.tuples(st.integers(1, 6), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))


@given(SEEDS, SIZES, st.integers(1, 3), st.integers(1, 3), st.integers(0, 2))
def test_the_transposed_layer_lays_down_copies_of_the_kernel(
    seed: int, sizes: tuple[int, int, int, int], inputs: int, outputs: int, more: int
) -> None:
    n, k, stride, dilation = sizes
    rng = np.random.default_rng(seed)
    x, weight = rng.standard_normal((inputs, n)), rng.standard_normal((inputs, outputs, k))
    y = transposed_correlate(x, weight, stride=stride, dilation=dilation, output_padding=more)
    expected = np.zeros((outputs, transposed_length(n, k, stride, dilation, 0, more)))
    for c, o, i, m in itertools.product(range(inputs), range(outputs), range(n), range(k)):
        expected[o, stride * i + dilation * m] += weight[c, o, m] * x[c, i]
    assert_close(y, expected, "y", **LOOP)


@given(SEEDS, SIZES, st.integers(0, 2), st.integers(0, 3))
def test_it_is_the_adjoint_of_the_correlation(
    seed: int, sizes: tuple[int, int, int, int], padding: int, beyond: int
) -> None:
    n, k, stride, dilation = sizes
    more = min(beyond, stride - 1)
    length = transposed_length(n, k, stride, dilation, padding, more)
    rng = np.random.default_rng(seed)
    y, weight = rng.standard_normal((2, n)), rng.standard_normal((2, 3, k))
    if length < 1:
        with pytest.raises(ValueError, match="less a padding"):
            transposed_correlate(
                y, weight, stride=stride, dilation=dilation, padding=padding, output_padding=more
            )
        return
    x = rng.standard_normal((3, length))
    assert output_length(length + 2 * padding, k, stride, dilation) == n
    forward = correlate(x, weight, stride=stride, dilation=dilation, padding=padding)
    back = transposed_correlate(
        y, weight, stride=stride, dilation=dilation, padding=padding, output_padding=more
    )
    assert_close((forward * y).sum(), (x * back).sum(), "<Ax, y> = <x, A^T y>", rtol=1e-12, atol=1e-12)
