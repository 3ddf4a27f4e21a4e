"""The tutorial's cell and the textbook's are PyTorch's, down to the gradient that is missing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.recurrent import RNNWeights, rnn_forward
from engine.nn.simple_rnn import SimpleRNNWeights, simple_rnn, simple_rnn_backward
from tests.nn.differences import ATOL, RTOL, gradient
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

READ_OUTS = ("combined", "state")
NAMES = ("i2h", "i2h_bias", "i2o", "i2o_bias")
TORCH_NAMES = ("i2h_weight", "i2h_bias", "i2o_weight", "i2o_bias")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("read_out", READ_OUTS)
def test_logits_states_and_gradients_are_pytorchs(source: str, read_out: str) -> None:
    for name, torch in cases(arrays("simple_rnn", source), read_out).items():
        weights = SimpleRNNWeights(*(torch[key] for key in TORCH_NAMES))
        trace = simple_rnn(torch["x"], torch["h_0"], weights, read_out)
        assert_close(trace.logits, torch["logits"], f"{name}: logits")
        assert_close(trace.hidden, torch["hidden"], f"{name}: hidden")
        found = simple_rnn_backward(trace, weights, torch["d_logits"], read_out)
        for ours, theirs in zip(NAMES, TORCH_NAMES, strict=True):
            assert_close(getattr(found, ours), torch[f"grad_{theirs}"], f"{name}: dL/d{ours}")


@pytest.mark.parametrize("source", SOURCES)
def test_pytorch_gives_the_copied_cell_no_gradient_at_one_step(source: str) -> None:
    recorded = cases(arrays("simple_rnn", source))
    missing = {name for name, torch in recorded.items() if torch["grad_i2h_weight_is_none"]}
    assert missing == {"combined_one_step"}


SIZES = st.integers(1, 3)


def draw(seed: int, steps: int, inputs: int, hidden: int, read_out: str) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    read = inputs + hidden if read_out == "combined" else hidden
    shapes = ((hidden, inputs + hidden), (hidden,), (2, read), (2,))
    return (
        rng.standard_normal((steps, 2, inputs)),
        rng.standard_normal((2, hidden)),
        *(rng.standard_normal(shape) for shape in shapes),
    )


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, st.sampled_from(READ_OUTS))
def test_the_layer_does_what_the_loop_says(
    seed: int, steps: int, inputs: int, hidden: int, read_out: str
) -> None:
    x, h_0, i2h, b_h, i2o, b_o = draw(seed, steps, inputs, hidden, read_out)
    trace = simple_rnn(x, h_0, SimpleRNNWeights(i2h, b_h, i2o, b_o), read_out)
    for row in range(2):
        h = list(h_0[row])
        for t in range(steps):
            c = [*x[t, row], *h]
            h = [
                math.tanh(sum(w * v for w, v in zip(i2h[i], c, strict=True)) + b_h[i]) for i in range(hidden)
            ]
            read = c if read_out == "combined" else h
            logits = [sum(w * v for w, v in zip(i2o[k], read, strict=True)) + b_o[k] for k in range(2)]
            assert_close(trace.logits[t, row], logits, "logits", atol=1e-13)


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, st.sampled_from(READ_OUTS))
def test_the_backward_pass_is_the_derivative(
    seed: int, steps: int, inputs: int, hidden: int, read_out: str
) -> None:
    x, h_0, *weights = draw(seed, steps, inputs, hidden, read_out)
    d_logits = np.random.default_rng(seed + 1).standard_normal((steps, 2, 2))
    whole = SimpleRNNWeights(*weights)
    found = simple_rnn_backward(simple_rnn(x, h_0, whole, read_out), whole, d_logits, read_out)
    for index, name in enumerate(NAMES):

        def logits(value: np.ndarray, index: int = index) -> np.ndarray:
            moved = SimpleRNNWeights(*weights[:index], value, *weights[index + 1 :])
            return simple_rnn(x, h_0, moved, read_out).logits

        expected = gradient(logits, weights[index], d_logits)
        scale = 1 + np.abs(expected).max()
        assert_close(getattr(found, name), expected, name, rtol=RTOL, atol=100 * ATOL * scale)


def test_the_states_are_those_of_the_recurrent_layer() -> None:
    x, h_0, i2h, b_h, i2o, b_o = draw(3, 4, 3, 5, "state")
    trace = simple_rnn(x, h_0, SimpleRNNWeights(i2h, b_h, i2o, b_o))
    assert_close(trace.hidden, rnn_forward(x, h_0, RNNWeights(i2h[:, 3:], i2h[:, :3], b_h)).hidden, "hidden")
