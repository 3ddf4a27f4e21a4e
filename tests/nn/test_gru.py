"""The GRU in its three conventions: against PyTorch, a loop in plain Python, and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.gru import (
    CONVENTIONS,
    GateOrder,
    GRUConvention,
    GRUWeights,
    Reset,
    Update,
    gru_backward,
    gru_driven,
    gru_forward,
    gru_gated_by_input,
)
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_every_gate_state_and_gradient_is_pytorchs(source: str) -> None:
    made = cases(arrays("gru", source))
    assert set(made) == {"many", "one", "long", "cho", "chung"}
    for name, torch in made.items():
        update, reset = CONVENTIONS[str(torch["convention"])]
        weights = GRUWeights(torch["recurrent"], torch["inputs"], torch["bias"])
        trace = gru_forward(torch["x"], torch["h_0"], weights, update=update, reset=reset)
        for field in ("reset_gate", "update_gate", "candidate", "hidden"):
            assert_close(getattr(trace, field), torch[field], f"{name}: {field}")
        gradient = gru_backward(trace, torch["x"], weights, torch["d_hidden"], update=update, reset=reset)
        assert_close(gradient.hidden, torch["grad_hidden"], f"{name}: dL/dh")
        assert_close(gradient.x, torch["grad_x"], f"{name}: dL/dx")
        assert_close(gradient.weights.recurrent, torch["grad_recurrent"], f"{name}: dL/dU")
        assert_close(gradient.weights.inputs, torch["grad_inputs"], f"{name}: dL/dW")
        assert_close(gradient.weights.bias, torch["grad_bias"], f"{name}: dL/db")


def test_pytorchs_convention_keeps_by_z_and_resets_after_the_product() -> None:
    assert CONVENTIONS["PyTorch"] == GRUConvention("keep", "after")


SIZES = st.integers(1, 4)
UPDATES, RESETS = st.sampled_from(["keep", "write"]), st.sampled_from(["before", "after"])
ORDERS = st.sampled_from(["rzn", "zrn"])


def draw(seed: int, steps: int, batch: int, inputs: int, hidden: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((steps, batch, inputs)),
        rng.standard_normal((batch, hidden)),
        rng.standard_normal((3 * hidden, hidden)) / math.sqrt(hidden),
        rng.standard_normal((3 * hidden, inputs)),
        rng.standard_normal((2, 3 * hidden)),
    )


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, UPDATES, RESETS, ORDERS)
def test_the_layer_does_what_the_loop_says(
    seed: int,
    steps: int,
    batch: int,
    inputs: int,
    hidden: int,
    update: Update,
    reset: Reset,
    order: GateOrder,
) -> None:
    x, h_0, recurrent, into, bias = draw(seed, steps, batch, inputs, hidden)
    weights = GRUWeights(recurrent, into, bias)
    trace = gru_forward(x, h_0, weights, update=update, reset=reset, order=order)
    units = range(hidden)
    for b in range(batch):
        h = list(h_0[b])
        for t in range(steps):
            row = {gate: [k * hidden + u for u in units] for k, gate in enumerate(order)}

            def given_in(gate: str, u: int, t: int = t, b: int = b, row: dict = row) -> float:
                k = row[gate][u]
                return sum(into[k, j] * x[t, b, j] for j in range(inputs)) + bias[0, k]

            def from_state(gate: str, u: int, state: list[float], row: dict = row) -> float:
                k = row[gate][u]
                return sum(recurrent[k, j] * state[j] for j in units) + bias[1, k]

            r, z = (
                [1 / (1 + math.exp(-given_in(gate, u) - from_state(gate, u, h))) for u in units]
                for gate in "rz"
            )
            if reset == "before":
                masked = [r[u] * h[u] for u in units]
                n = [math.tanh(given_in("n", u) + from_state("n", u, masked)) for u in units]
            else:
                n = [math.tanh(given_in("n", u) + r[u] * from_state("n", u, h)) for u in units]
            keep = z if update == "keep" else [1 - value for value in z]
            h = [keep[u] * h[u] + (1 - keep[u]) * n[u] for u in units]
            # the two sum in different orders: a few rounding errors of terms of order ten
            assert_close(trace.candidate[t, b], n, "n_t", rtol=1e-12, atol=1e-13)
            assert_close(trace.hidden[t + 1, b], h, "h_t", rtol=1e-12, atol=1e-13)


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, UPDATES, RESETS, ORDERS)
def test_backpropagation_through_time_is_the_derivative(
    seed: int,
    steps: int,
    batch: int,
    inputs: int,
    hidden: int,
    update: Update,
    reset: Reset,
    order: GateOrder,
) -> None:
    given_arrays = draw(seed, steps, batch, inputs, hidden)
    x, h_0, *stacked = given_arrays
    rng = np.random.default_rng(seed + 1)
    d_hidden = rng.standard_normal((steps + 1, batch, hidden))
    weights = GRUWeights(*stacked)
    trace = gru_forward(x, h_0, weights, update=update, reset=reset, order=order)
    gradient = gru_backward(trace, x, weights, d_hidden, update=update, reset=reset, order=order)
    of_weights = (gradient.weights.recurrent, gradient.weights.inputs, gradient.weights.bias)
    found = (gradient.x, gradient.hidden[0], *of_weights)
    directions = [rng.standard_normal(array.shape) for array in given_arrays]
    expected = sum((g * d).sum() for g, d in zip(found, directions, strict=True))

    def loss(step: float) -> float:
        x_, h_, *arrays_ = (a + step * d for a, d in zip(given_arrays, directions, strict=True))
        moved = gru_forward(x_, h_, GRUWeights(*arrays_), update=update, reset=reset, order=order)
        return float((d_hidden * moved.hidden).sum())

    step = 1e-5
    slope = (loss(step) - loss(-step)) / (2 * step)
    scale = 1 + max(np.abs(array).max() for array in found)
    # error of a central difference: step² times a third derivative, here of a four-fold composition
    assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6 * scale)


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, UPDATES, RESETS)
def test_one_bias_is_two_of_which_the_state_s_is_zero(
    seed: int, steps: int, batch: int, inputs: int, hidden: int, update: Update, reset: Reset
) -> None:
    x, h_0, recurrent, into, bias = draw(seed, steps, batch, inputs, hidden)
    bias[1] = 0
    one = GRUWeights(recurrent, into, bias[0])
    trace = gru_forward(x, h_0, one, update=update, reset=reset)
    both = gru_forward(x, h_0, GRUWeights(recurrent, into, bias), update=update, reset=reset)
    assert_close(trace.hidden, both.hidden, "one bias")
    d_hidden = np.ones_like(trace.hidden)
    gradient = gru_backward(trace, x, one, d_hidden, update=update, reset=reset)
    assert gradient.weights.bias.shape == (3 * hidden,)


def test_a_driven_gru_without_recurrence_keeps_and_writes_by_its_gate() -> None:
    drive = np.array([[[0.0, math.log(3.0), 100.0]]])
    h_0 = np.array([[-1.0]])
    kept = gru_driven(drive, h_0, np.zeros((3, 1)))
    written = gru_driven(drive, h_0, np.zeros((3, 1)), update="write")
    # z = 3/4 of the old state -1, and 1/4 of the candidate 1, or the other way round
    assert_close(kept.hidden[1], [[-0.5]], "keep")
    assert_close(written.hidden[1], [[0.5]], "write")


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, UPDATES, ORDERS)
def test_gates_that_read_the_input_alone_are_those_of_the_whole_layer_all_at_once(
    seed: int, steps: int, batch: int, inputs: int, hidden: int, update: Update, order: GateOrder
) -> None:
    x, h_0, recurrent, into, bias = draw(seed, steps, batch, inputs, hidden)
    weights = GRUWeights(0 * recurrent, into, bias[0])
    at_once = gru_gated_by_input(x, h_0, weights, update=update, order=order)
    whole = gru_forward(x, h_0, weights, update=update, reset="before", order=order)
    for name, found, said in zip(at_once._fields, at_once, whole, strict=True):
        assert_close(found, said, name)
    for waiting in (GRUWeights(recurrent, into, bias[0]), GRUWeights(0 * recurrent, into, bias)):
        with pytest.raises(ValueError, match="has to wait"):
            gru_gated_by_input(x, h_0, waiting, update=update, order=order)
