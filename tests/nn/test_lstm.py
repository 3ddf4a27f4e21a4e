"""The LSTM: against PyTorch gate by gate, a loop in plain Python, and finite differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.lstm import (
    GateOrder,
    LSTMWeights,
    lstm_backward,
    lstm_cell_perturbation,
    lstm_driven,
    lstm_forward,
    lstm_gated_by_input,
    lstm_state_gradients,
    reorder,
)
from engine.nn.sigmoid import logit, sigmoid
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

FORWARD = (
    "pre_activations",
    "input_gate",
    "forget_gate",
    "candidate",
    "output_gate",
    "hidden",
    "cell",
)


@pytest.mark.parametrize("source", SOURCES)
def test_every_gate_state_and_gradient_is_pytorchs(source: str) -> None:
    made = cases(arrays("lstm", source))
    assert set(made) == {"many", "one", "long", "wide"}
    for name, torch in made.items():
        biases = np.stack([torch["bias_inputs"], torch["bias_recurrent"]])
        weights = LSTMWeights(torch["recurrent"], torch["inputs"], biases)
        trace = lstm_forward(torch["x"], torch["h_0"], torch["c_0"], weights)
        for field in FORWARD:
            assert_close(getattr(trace, field), torch[field], f"{name}: {field}")
        assert_close(trace.squashed, np.tanh(torch["cell"][1:]), f"{name}: tanh(c)")
        gradient = lstm_backward(trace, torch["x"], weights, torch["d_hidden"], torch["d_cell"])
        assert_close(gradient.hidden, torch["grad_hidden"], f"{name}: dL/dh")
        assert_close(gradient.cell, torch["grad_cell"], f"{name}: dL/dc")
        assert_close(gradient.x, torch["grad_x"], f"{name}: dL/dx")
        assert_close(gradient.weights.recurrent, torch["grad_recurrent"], f"{name}: dL/dW_h")
        assert_close(gradient.weights.inputs, torch["grad_inputs"], f"{name}: dL/dW_x")
        assert_close(gradient.weights.bias[0], torch["grad_bias_inputs"], f"{name}: dL/db")
        assert_close(gradient.weights.bias[1], torch["grad_bias_recurrent"], f"{name}: dL/db'")


SIZES = st.integers(1, 4)
ORDERS = st.sampled_from(["ifgo", "ifog", "igfo", "iofg"])


def draw(seed: int, steps: int, batch: int, inputs: int, hidden: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((steps, batch, inputs)),
        rng.standard_normal((batch, hidden)),
        rng.standard_normal((batch, hidden)),
        rng.standard_normal((4 * hidden, hidden)) / math.sqrt(hidden),
        rng.standard_normal((4 * hidden, inputs)),
        rng.standard_normal(4 * hidden),
    )


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, ORDERS)
def test_the_layer_does_what_the_loop_says(
    seed: int, steps: int, batch: int, inputs: int, hidden: int, order: GateOrder
) -> None:
    x, h_0, c_0, recurrent, into, bias = draw(seed, steps, batch, inputs, hidden)
    trace = lstm_forward(x, h_0, c_0, LSTMWeights(recurrent, into, bias), order)

    def sigma(a: float) -> float:
        return 1 / (1 + math.exp(-a))

    for b in range(batch):
        h, c = list(h_0[b]), list(c_0[b])
        for t in range(steps):
            gates = {}
            for block, gate in enumerate(order):
                squash = math.tanh if gate == "g" else sigma
                gates[gate] = [
                    squash(
                        sum(recurrent[block * hidden + u, j] * h[j] for j in range(hidden))
                        + sum(into[block * hidden + u, j] * x[t, b, j] for j in range(inputs))
                        + bias[block * hidden + u]
                    )
                    for u in range(hidden)
                ]
            c = [gates["f"][u] * c[u] + gates["i"][u] * gates["g"][u] for u in range(hidden)]
            h = [gates["o"][u] * math.tanh(c[u]) for u in range(hidden)]
            # the two sum in different orders: a few rounding errors of terms of order ten
            assert_close(trace.forget_gate[t, b], gates["f"], "f_t", rtol=1e-12, atol=1e-13)
            assert_close(trace.candidate[t, b], gates["g"], "g_t", rtol=1e-12, atol=1e-13)
            assert_close(trace.cell[t + 1, b], c, "c_t", rtol=1e-12, atol=1e-13)
            assert_close(trace.hidden[t + 1, b], h, "h_t", rtol=1e-12, atol=1e-13)


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, ORDERS)
def test_backpropagation_through_time_is_the_derivative(
    seed: int, steps: int, batch: int, inputs: int, hidden: int, order: GateOrder
) -> None:
    given_arrays = draw(seed, steps, batch, inputs, hidden)
    x, h_0, c_0, recurrent, into, bias = given_arrays
    rng = np.random.default_rng(seed + 1)
    d_hidden, d_cell = rng.standard_normal((2, steps + 1, batch, hidden))
    weights = LSTMWeights(recurrent, into, bias)
    trace = lstm_forward(x, h_0, c_0, weights, order)
    gradient = lstm_backward(trace, x, weights, d_hidden, d_cell, order)
    of_weights = (gradient.weights.recurrent, gradient.weights.inputs, gradient.weights.bias)
    found = (gradient.x, gradient.hidden[0], gradient.cell[0], *of_weights)
    directions = [rng.standard_normal(array.shape) for array in given_arrays]
    expected = sum((g * d).sum() for g, d in zip(found, directions, strict=True))

    def loss(step: float) -> float:
        x_, h_, c_, *arrays_ = (a + step * d for a, d in zip(given_arrays, directions, strict=True))
        moved = lstm_forward(x_, h_, c_, LSTMWeights(*arrays_), order)
        return float((d_hidden * moved.hidden).sum() + (d_cell * moved.cell).sum())

    step = 1e-5
    slope = (loss(step) - loss(-step)) / (2 * step)
    scale = 1 + max(np.abs(array).max() for array in found)
    # error of a central difference: step² times a third derivative, here of a four-fold composition
    assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6 * scale)


@pytest.mark.parametrize(("source", "target"), itertools.permutations(["ifgo", "ifog", "igfo", "iofg"], 2))
def test_weights_carried_over_in_the_other_order_give_the_same_cell(
    source: GateOrder, target: GateOrder
) -> None:
    x, h_0, c_0, *stacked = draw(3, 5, 2, 3, 4)
    here = lstm_forward(x, h_0, c_0, LSTMWeights(*stacked), source)
    carried = LSTMWeights(*(reorder(array, source, target) for array in stacked))
    there = lstm_forward(x, h_0, c_0, carried, target)
    assert_close(there.hidden, here.hidden, "carried over")
    copied = lstm_forward(x, h_0, c_0, LSTMWeights(*stacked), target)
    assert np.abs(copied.hidden - here.hidden).max() > 0.1


def test_an_imaginary_perturbation_of_the_cell_is_the_transpose_of_the_backward_pass() -> None:
    x, h_0, c_0, recurrent, into, bias = draw(6, 9, 1, 3, 4)
    drive = x @ into.T + bias
    trace = lstm_driven(drive, h_0, c_0, recurrent)
    rng = np.random.default_rng(1)
    direction, upstream = rng.standard_normal((2, 1, 4))
    d_cell = np.zeros_like(trace.cell)
    d_cell[-1] = upstream
    states = lstm_state_gradients(trace, recurrent, np.zeros_like(d_cell), d_cell)
    # from step 3 on: c_3 is seen through h_3 as well
    moved = lstm_cell_perturbation(
        drive[3:], trace.hidden[3], trace.cell[3], recurrent, direction, trace.output_gate[2]
    )
    assert_close((upstream * moved.cell[-1]).sum(), (states.cell[3] * direction).sum(), "u J v", rtol=1e-11)


def test_many_losses_of_one_run_at_once_are_the_single_ones() -> None:
    x, h_0, c_0, recurrent, into, bias = draw(8, 4, 1, 3, 4)
    trace = lstm_driven(x @ into.T + bias, h_0, c_0, recurrent)
    d_cell = np.zeros((5, 4, 4))
    d_cell[-1] = np.eye(4)
    together = lstm_state_gradients(trace, recurrent, np.zeros_like(d_cell), d_cell)
    for unit in range(4):
        alone = lstm_state_gradients(
            trace, recurrent, np.zeros((5, 1, 4)), np.ascontiguousarray(d_cell[:, unit : unit + 1])
        )
        assert_close(together.cell[:, unit], alone.cell[:, 0], "dL/dc")


def test_backward_keeps_the_callers_arrays() -> None:
    x, h_0, c_0, recurrent, into, bias = draw(7, 3, 2, 2, 3)
    trace = lstm_forward(x, h_0, c_0, LSTMWeights(recurrent, into, bias))
    d_hidden, d_cell = np.ones((2, 4, 2, 3))
    lstm_state_gradients(trace, recurrent, d_hidden, d_cell)
    assert (d_hidden == 1).all()
    assert (d_cell == 1).all()


def test_the_sigmoid_keeps_its_digits_in_both_tails_and_warns_of_nothing() -> None:
    with np.errstate(all="raise"):
        assert sigmoid(np.array([-1000.0, 0.0, 1000.0])).tolist() == [0.0, 0.5, 1.0]
    assert_close(sigmoid(np.array(-30.0)), np.exp(-30.0) / (1 + np.exp(-30.0)), "tail", atol=0)
    for gate in (1e-9, 0.25, 0.5, 0.999):
        assert_close(float(sigmoid(np.array(logit(gate)))), gate, "logit")


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, ORDERS)
def test_gates_that_read_the_input_alone_are_those_of_the_whole_layer_all_at_once(
    seed: int, steps: int, batch: int, inputs: int, hidden: int, order: GateOrder
) -> None:
    x, h_0, c_0, recurrent, into, bias = draw(seed, steps, batch, inputs, hidden)
    weights = LSTMWeights(0 * recurrent, into, bias)
    at_once = lstm_gated_by_input(x, h_0, c_0, weights, order)
    for name, found, said in zip(
        at_once._fields, at_once, lstm_forward(x, h_0, c_0, weights, order), strict=True
    ):
        assert_close(found, said, name)
    with pytest.raises(ValueError, match="has to wait"):
        lstm_gated_by_input(x, h_0, c_0, LSTMWeights(recurrent, into, bias), order)
