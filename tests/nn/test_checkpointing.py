"""Checkpointing gives the gradients of plain backpropagation, bit by bit, and holds what it says it holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.checkpointing import (
    ActivationMemory,
    ChainGradients,
    Size,
    SizedLayer,
    TanhLayer,
    Work,
    backpropagate,
    backpropagate_checkpointed,
)
from engine.nn.saved_activations import transformer_layer
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


def plain(layers: list[TanhLayer], x: np.ndarray, d_output: np.ndarray, seed: int = 0) -> ChainGradients:
    return backpropagate(layers, x, d_output, np.random.default_rng(seed), ActivationMemory(), Work())


@pytest.mark.parametrize("source", SOURCES)
def test_gradients_and_evaluations_are_those_of_pytorch(source: str) -> None:
    for name, case in cases(arrays("checkpointing", source)).items():
        layers = [TanhLayer(weight) for weight in case["weights"]]
        x, d_output, segment = case["x"], case["d_output"], int(case["segment"])
        for keep_last, evaluations in (
            (False, int(case["evaluations"])),
            (True, int(case["sequential_evaluations"])),
        ):
            work = Work()
            gradients = backpropagate_checkpointed(
                layers,
                x,
                d_output,
                np.random.default_rng(0),
                ActivationMemory(),
                work,
                segment=segment,
                keep_last=keep_last,
            )
            assert_close(gradients.d_input, case["d_input"], f"{name} d_input")
            assert_close(np.stack(gradients.d_weights), case["d_weights"], f"{name} d_weights")
            if evaluations >= 0:
                assert work.forward + work.replayed == evaluations, name
        assert_close(
            plain(layers, x, d_output).d_input, case["d_input"], f"{name} d_input without checkpoints"
        )


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 12),
    rows=st.integers(1, 4),
    width=st.integers(1, 5),
    segment=st.integers(1, 14),
    dropout=st.sampled_from([0.0, 0.3]),
    keep_last=st.booleans(),
    seed=st.integers(0, 9999),
)
def test_the_gradients_are_equal_bit_by_bit(
    n: int, rows: int, width: int, segment: int, dropout: float, keep_last: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    layers = [TanhLayer(weight, dropout) for weight in rng.standard_normal((n, width, width))]
    x, d_output = rng.standard_normal((2, rows, width))
    memory, work, masks = ActivationMemory(), Work(), np.random.default_rng(seed)
    gradients = backpropagate_checkpointed(
        layers, x, d_output, masks, memory, work, segment=segment, keep_last=keep_last
    )
    wanted = plain(layers, x, d_output, seed)
    np.testing.assert_array_equal(gradients.d_input, wanted.d_input)
    np.testing.assert_array_equal(np.stack(gradients.d_weights), np.stack(wanted.d_weights))
    assert not memory.held
    assert memory.bytes == 0
    # the generator goes on as if there had been no replay
    untouched = np.random.default_rng(seed)
    plain_memory = ActivationMemory()
    backpropagate(layers, x, d_output, untouched, plain_memory, Work())
    assert masks.random() == untouched.random()
    assert plain_memory.peak == n + 1


def slow_peak(n: int, segment: int, output: int, inside: int) -> tuple[int, int]:
    """The specification: at each replayed segment, the inputs of it and of all before, and all that it holds inside."""
    most, most_bytes = 0, 0
    for number, start in enumerate(range(0, n, segment), start=1):
        length = min(segment, n - start)
        most = max(most, number + length)
        most_bytes = max(most_bytes, number * output + length * (output + inside))
    return most, most_bytes


@settings(max_examples=150, deadline=None)
@given(
    n=st.integers(1, 60),
    segment=st.integers(1, 60),
    output=st.integers(1, 5),
    inside=st.integers(0, 40),
    keep_last=st.booleans(),
)
def test_the_most_held_is_at_the_segment_that_is_replayed(
    n: int, segment: int, output: int, inside: int, keep_last: bool
) -> None:
    memory, work = ActivationMemory(), Work()
    size = Size(output)
    backpropagate_checkpointed(
        [SizedLayer(size, Size(inside))] * n,
        size,
        size,
        np.random.default_rng(0),
        memory,
        work,
        segment=segment,
        keep_last=keep_last,
    )
    assert (memory.peak, memory.peak_bytes) == slow_peak(n, min(segment, n), output, inside)
    last = n - (math.ceil(n / segment) - 1) * segment
    assert (work.forward, work.backward, work.replayed) == (n, n, n - last if keep_last else n)


def test_without_the_state_of_the_generator_dropout_spoils_the_gradients() -> None:
    rng = np.random.default_rng(4)
    layers = [TanhLayer(weight, 0.5) for weight in rng.standard_normal((6, 8, 8))]
    x, d_output = rng.standard_normal((2, 5, 8))
    gradients = backpropagate_checkpointed(
        layers,
        x,
        d_output,
        np.random.default_rng(1),
        ActivationMemory(),
        Work(),
        segment=2,
        preserve_rng_state=False,
    )
    assert not np.allclose(gradients.d_input, plain(layers, x, d_output, 1).d_input)


def test_a_segment_without_a_layer_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one layer"):
        backpropagate_checkpointed(
            [], Size(), Size(), np.random.default_rng(0), ActivationMemory(), Work(), segment=0
        )


@settings(max_examples=30, deadline=None)
@given(
    s=st.integers(1, 9),
    b=st.integers(1, 3),
    heads=st.integers(1, 4),
    head_width=st.integers(1, 6),
    flash=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_transformer_layer_keeps_korthikantis_bytes(
    s: int, b: int, heads: int, head_width: int, flash: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    h = heads * head_width
    output, tape = transformer_layer(rng.standard_normal((s, b, h)), heads, rng, flash=flash)
    assert output.shape == (s, b, h)
    assert np.isfinite(output).all()
    maps = 4 * heads * s * b if flash else 5 * heads * s * s * b
    assert tape.nbytes == 34 * s * b * h + maps


def test_the_heads_must_divide_the_width() -> None:
    with pytest.raises(ValueError, match="multiple"):
        transformer_layer(np.zeros((2, 1, 7)), 2, np.random.default_rng(0))
