"""The vanilla RNN: against PyTorch step by step, a loop in plain Python, and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.recurrent import (
    Activation,
    RNNWeights,
    activate,
    hidden_gradients,
    rnn_backward,
    rnn_driven,
    rnn_forward,
    state_perturbation,
    step_jacobian,
)
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

CASES = {"tanh": "tanh", "relu": "relu", "one": "tanh", "long": "tanh"}


@pytest.mark.parametrize("source", SOURCES)
def test_every_state_jacobian_and_gradient_is_pytorchs(source: str) -> None:
    made = cases(arrays("recurrent", source))
    assert set(made) == set(CASES)
    for name, torch in made.items():
        activation: Activation = CASES[name]  # type: ignore[assignment]
        weights = RNNWeights(
            torch["recurrent"], torch["inputs"], torch["bias_inputs"] + torch["bias_recurrent"]
        )
        trace = rnn_forward(torch["x"], torch["h_0"], weights, activation)
        assert_close(trace.pre_activations, torch["pre_activations"], f"{name}: pre-activations")
        assert_close(trace.hidden, torch["hidden"], f"{name}: hidden")
        jacobian = step_jacobian(trace.pre_activations, weights.recurrent, activation)
        assert_close(jacobian, torch["step_jacobian"], f"{name}: step Jacobian")
        gradient = rnn_backward(trace, torch["x"], weights, torch["d_hidden"], activation)
        assert_close(gradient.hidden, torch["grad_hidden"], f"{name}: dL/dh")
        assert_close(gradient.x, torch["grad_x"], f"{name}: dL/dx")
        assert_close(gradient.weights.recurrent, torch["grad_recurrent"], f"{name}: dL/dW")
        assert_close(gradient.weights.inputs, torch["grad_inputs"], f"{name}: dL/dU")
        assert_close(gradient.weights.bias, torch["grad_bias"], f"{name}: dL/db")


SIZES = st.integers(1, 4)
ACTIVATIONS = st.sampled_from(["tanh", "relu", "linear"])
PHI = {"tanh": math.tanh, "relu": lambda a: max(a, 0.0), "linear": lambda a: a}


def draw(seed: int, steps: int, batch: int, inputs: int, hidden: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((steps, batch, inputs)),
        rng.standard_normal((batch, hidden)),
        rng.standard_normal((hidden, hidden)) / math.sqrt(hidden),
        rng.standard_normal((hidden, inputs)),
        rng.standard_normal(hidden),
    )


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, ACTIVATIONS)
def test_the_layer_does_what_the_loop_says(
    seed: int, steps: int, batch: int, inputs: int, hidden: int, activation: Activation
) -> None:
    x, h_0, recurrent, into, bias = draw(seed, steps, batch, inputs, hidden)
    trace = rnn_forward(x, h_0, RNNWeights(recurrent, into, bias), activation)
    for b in range(batch):
        h = list(h_0[b])
        for t in range(steps):
            a = [
                sum(recurrent[i, j] * h[j] for j in range(hidden))
                + sum(into[i, j] * x[t, b, j] for j in range(inputs))
                + bias[i]
                for i in range(hidden)
            ]
            h = [PHI[activation](value) for value in a]
            # the two sum in different orders: a few rounding errors of terms of order ten
            assert_close(trace.pre_activations[t, b], a, "a_t", rtol=1e-12, atol=1e-13)
            assert_close(trace.hidden[t + 1, b], h, "h_t", rtol=1e-12, atol=1e-13)


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, st.sampled_from(["tanh", "linear"]))
def test_backpropagation_through_time_is_the_derivative(
    seed: int, steps: int, batch: int, inputs: int, hidden: int, activation: Activation
) -> None:
    x, h_0, recurrent, into, bias = draw(seed, steps, batch, inputs, hidden)
    rng = np.random.default_rng(seed + 1)
    d_hidden = rng.standard_normal((steps + 1, batch, hidden))
    weights = RNNWeights(recurrent, into, bias)
    gradient = rnn_backward(rnn_forward(x, h_0, weights, activation), x, weights, d_hidden, activation)
    given_arrays = (x, h_0, recurrent, into, bias)
    found = (gradient.x, gradient.hidden[0], gradient.weights.recurrent, gradient.weights.inputs)
    directions = [rng.standard_normal(array.shape) for array in given_arrays]
    expected = sum((g * d).sum() for g, d in zip((*found, gradient.weights.bias), directions, strict=True))

    def loss(step: float) -> float:
        x_, h_, w_, u_, b_ = (a + step * d for a, d in zip(given_arrays, directions, strict=True))
        hidden_ = rnn_forward(x_, h_, RNNWeights(w_, u_, b_), activation).hidden
        return float((d_hidden * hidden_).sum())

    step = 1e-5
    slope = (loss(step) - loss(-step)) / (2 * step)
    scale = 1 + max(np.abs(array).max() for array in found)
    # error of a central difference: step² times a third derivative, here of a four-fold composition
    assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6 * scale)


def test_the_gradient_at_an_early_state_is_the_product_of_the_step_jacobians_in_order() -> None:
    x, h_0, recurrent, into, bias = draw(5, 6, 1, 3, 4)
    trace = rnn_forward(x, h_0, RNNWeights(recurrent, into, bias))
    last = np.zeros((7, 1, 4))
    last[-1] = [1.0, -2.0, 0.5, 3.0]
    found = hidden_gradients(trace, recurrent, last)
    row = last[-1, 0]
    for t in range(5, -1, -1):
        row = row @ step_jacobian(trace.pre_activations[t, 0], recurrent)
        assert_close(found[t, 0], row, f"dL/dh_{t}")


def test_an_imaginary_perturbation_comes_out_as_the_derivative() -> None:
    x, h_0, recurrent, into, bias = draw(6, 9, 1, 3, 4)
    drive = x @ into.T + bias
    direction = np.array([[1.0, 0.0, -1.0, 2.0]])
    moved = state_perturbation(drive, h_0, recurrent, direction)
    tangent = direction[0]
    for t, a in enumerate(rnn_driven(drive, h_0, recurrent).pre_activations[:, 0]):
        tangent = step_jacobian(a, recurrent) @ tangent
        assert_close(moved[t + 1, 0], tangent, f"t = {t}", rtol=1e-11)


def test_backward_keeps_the_callers_arrays() -> None:
    x, h_0, recurrent, into, bias = draw(7, 3, 2, 2, 3)
    trace = rnn_forward(x, h_0, RNNWeights(recurrent, into, bias))
    d_hidden = np.ones((4, 2, 3))
    hidden_gradients(trace, recurrent, d_hidden)
    assert (d_hidden == 1).all()


def test_relu_has_slope_zero_at_zero_as_in_pytorch() -> None:
    assert step_jacobian(np.array([0.0, 1.0]), np.eye(2), "relu").tolist() == [[0, 0], [0, 1]]
    assert activate(np.array([-1.0, 2.0]), "relu").tolist() == [0, 2]
