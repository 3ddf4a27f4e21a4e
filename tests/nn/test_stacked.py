"""Stacked, bidirectional and padded recurrent networks: against PyTorch, and against reading one sequence at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.gru import GRUWeights, gru_forward
from engine.nn.lstm import LSTMWeights, lstm_forward
from engine.nn.recurrent import RNNWeights, rnn_forward
from engine.nn.stacked import (
    Dropout,
    Kind,
    Layers,
    parameters,
    random_layers,
    reading_order,
    stack_backward,
    stack_forward,
    state_index,
)
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

KINDS = {"rnn": RNNWeights, "lstm": LSTMWeights, "gru": GRUWeights}


def layers_of(torch: dict[str, np.ndarray], kind: str, prefix: str = "") -> Layers:
    """The recorded weights or their gradients, arranged as ours."""
    found = []
    while f"{prefix}recurrent_{len(found)}_0" in torch:
        row = []
        while (at := f"{len(found)}_{len(row)}") and f"{prefix}recurrent_{at}" in torch:
            biases = torch[f"{prefix}bias_inputs_{at}"], torch[f"{prefix}bias_recurrent_{at}"]
            # an RNN has one bias here: its value is the sum of PyTorch's two, its gradient that of either
            of_rnn = biases[0] if prefix else biases[0] + biases[1]
            bias = of_rnn if kind == "rnn" else np.stack(biases)
            row.append(KINDS[kind](torch[f"{prefix}recurrent_{at}"], torch[f"{prefix}inputs_{at}"], bias))
        found.append(tuple(row))
    return tuple(found)


@pytest.mark.parametrize("source", SOURCES)
def test_outputs_states_and_gradients_are_pytorchs(source: str) -> None:
    made = cases(arrays("stacked", source))
    assert len(made) == 8
    # the layout of input and output is the recorded module's own argument
    batch_first = {"lstm_2bi_padded", "lstm_1", "gru_2bi"}
    for name, torch in made.items():
        kind = name.split("_")[0].replace("one", "gru")
        layers, first = layers_of(torch, kind), name in batch_first
        c_0 = torch.get("c_0")
        trace = stack_forward(torch["x"], layers, torch["lengths"], torch["h_0"], c_0, first)
        assert_close(trace.output, torch["output"], f"{name}: output")
        assert_close(trace.h_n, torch["h_n"], f"{name}: h_n")
        gradient = stack_backward(
            trace, layers, torch["d_output"], torch["lengths"], torch["d_h_n"], torch.get("d_c_n"), first
        )
        assert_close(gradient.x, torch["grad_x"], f"{name}: dL/dx")
        assert_close(gradient.h_0, torch["grad_h_0"], f"{name}: dL/dh_0")
        if kind == "lstm":
            assert_close(trace.c_n, torch["c_n"], f"{name}: c_n")
            assert_close(gradient.c_0, torch["grad_c_0"], f"{name}: dL/dc_0")
        else:
            assert trace.c_n is None
            assert gradient.c_0 is None
        theirs = layers_of(torch, kind, "grad_")
        for ours, other in zip(gradient.layers, theirs, strict=True):
            for cell, wanted in zip(ours, other, strict=True):
                for field in ("recurrent", "inputs", "bias"):
                    assert_close(getattr(cell, field), getattr(wanted, field), f"{name}: dL/d{field}")


@pytest.mark.parametrize("source", SOURCES)
def test_as_many_parameters_as_pytorch_has(source: str) -> None:
    counts = {key: int(value) for key, value in arrays("stacked", source).items() if key.startswith("count_")}
    assert counts["count_lstm_128_256_2_2"] == 2_367_488
    rng = np.random.default_rng(0)
    for key, count in counts.items():
        kind, *sizes = key.removeprefix("count_").split("_")
        assert parameters(random_layers(kind, *map(int, sizes), rng)) == count, key  # type: ignore[arg-type]


def one_sequence(x: np.ndarray, layers: Layers) -> tuple[np.ndarray, list[np.ndarray]]:
    """Output (n, K H) and final states of one unpadded sequence (n, D), position by position and layer by layer."""
    finals = []
    for directions in layers:
        outputs = []
        for k, weights in enumerate(directions):
            read = x[::-1] if k else x
            zero = np.zeros(weights.recurrent.shape[1])
            if isinstance(weights, LSTMWeights):
                states = lstm_forward(read, zero, zero, weights).hidden
            elif isinstance(weights, GRUWeights):
                states = gru_forward(read, zero, weights).hidden
            else:
                states = rnn_forward(read, zero, weights).hidden
            finals.append(states[-1])
            outputs.append(states[:0:-1] if k else states[1:])
        x = np.concatenate(outputs, axis=-1)
    return x, finals


@given(
    st.sampled_from(["rnn", "lstm", "gru"]),
    st.integers(0, 2**31),
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_a_padded_batch_is_its_sequences_one_by_one(
    kind: Kind, seed: int, lengths: list[int], inputs: int, hidden: int, depth: int, directions: int
) -> None:
    rng = np.random.default_rng(seed)
    layers = random_layers(kind, inputs, hidden, depth, directions, rng)
    x = rng.standard_normal((max(lengths) + 1, len(lengths), inputs))
    trace = stack_forward(x, layers, np.array(lengths))
    for b, length in enumerate(lengths):
        output, finals = one_sequence(x[:length, b], layers)
        assert_close(trace.output[:length, b], output, "output")
        assert not trace.output[length:, b].any()
        assert_close(trace.h_n[:, b], np.stack(finals), "h_n")


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_reading_backward_twice_restores_the_order(lengths: list[int]) -> None:
    order = reading_order(np.array(lengths), 6)
    twice = order[order, np.arange(len(lengths))]
    assert (twice == np.arange(6)[:, None]).all()
    for b, length in enumerate(lengths):
        assert order[:length, b].tolist() == list(range(length))[::-1]


def test_batch_first_turns_input_and_output_and_not_the_states() -> None:
    rng = np.random.default_rng(2)
    layers = random_layers("lstm", 3, 4, 2, 2, rng)
    x = rng.standard_normal((5, 2, 3))
    time_first, batch_first = (
        stack_forward(x, layers),
        stack_forward(x.swapaxes(0, 1), layers, batch_first=True),
    )
    assert_close(batch_first.output, time_first.output.swapaxes(0, 1), "output")
    assert batch_first.h_n.shape == time_first.h_n.shape == (4, 2, 4)
    assert state_index(1, 1, 2) == 3
    # the top layer's forward state is at the last position, its backward state at the first
    assert_close(time_first.h_n[state_index(1, 0, 2)], time_first.output[-1, :, :4], "forward")
    assert_close(time_first.h_n[state_index(1, 1, 2)], time_first.output[0, :, 4:], "backward")


def test_dropout_falls_between_layers_and_its_backward_uses_the_same_mask() -> None:
    rng = np.random.default_rng(3)
    layers = random_layers("gru", 3, 4, 2, 2, rng)
    x = rng.standard_normal((5, 2, 3))
    trace = stack_forward(x, layers, dropout=Dropout(0.5, np.random.default_rng(0)))
    assert trace.dropped[0] is not None
    assert set(np.unique(trace.dropped[0])) == {0.0, 2.0}
    assert trace.dropped[1] is None
    assert (trace.output != 0).all()
    d_output = np.ones_like(trace.output)
    gradient = stack_backward(trace, layers, d_output)
    direction, step = rng.standard_normal(x.shape), 1e-6

    def loss(at: float) -> float:
        again = Dropout(0.5, np.random.default_rng(0))
        return float(stack_forward(x + at * direction, layers, dropout=again).output.sum())

    slope = (loss(step) - loss(-step)) / (2 * step)
    assert slope == pytest.approx((gradient.x * direction).sum(), rel=1e-7)


def test_dropout_does_nothing_to_a_single_layer() -> None:
    rng = np.random.default_rng(4)
    layers = random_layers("lstm", 3, 4, 1, 2, rng)
    x = rng.standard_normal((5, 2, 3))
    dropped = stack_forward(x, layers, dropout=Dropout(0.9, rng))
    assert (dropped.output == stack_forward(x, layers).output).all()
