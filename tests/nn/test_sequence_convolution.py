"""TextCNN and the TCN block: against PyTorch, loops in plain Python, finite differences, and what each promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.temporal_convolution import TCNWeights, tcn_block, tcn_block_backward
from engine.nn.text_convolution import TextCNNWeights, text_cnn, text_cnn_backward
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_text_cnn_is_that_of_pytorchs_layers(source: str) -> None:
    made = cases(arrays("sequence_convolution", source), "text_")
    assert len(made) == 3
    for name, torch in made.items():
        widths = torch["widths"].tolist()
        filters = tuple(torch[f"filters_{h}"] for h in widths)
        weights = TextCNNWeights(filters, tuple(torch[f"bias_{h}"] for h in widths))
        activation = str(torch["activation"])
        words = torch["words"]
        trace = text_cnn(words, weights, activation)
        assert_close(trace.sentence, torch["sentence"], f"{name}: sentence")
        d_words, gradient = text_cnn_backward(trace, words, weights, torch["d_sentence"], activation)
        assert_close(d_words, torch["grad_words"], f"{name}: dL/d words")
        for index, h in enumerate(widths):
            assert_close(trace.pre_activations[index], torch[f"pre_activations_{h}"], f"{name}: a, {h}")
            assert_close(gradient.filters[index], torch[f"grad_filters_{h}"], f"{name}: dL/dw, {h}")
            assert_close(gradient.biases[index], torch[f"grad_bias_{h}"], f"{name}: dL/db, {h}")


@pytest.mark.parametrize("source", SOURCES)
def test_a_tcn_block_is_that_of_pytorchs_layers(source: str) -> None:
    made = cases(arrays("sequence_convolution", source), "block_")
    assert len(made) == 4
    for name, torch in made.items():
        parts = ("first", "second", "shortcut")
        fields = {
            f"{part}{ours}": torch.get(f"{part}_{theirs}")
            for part in parts
            for ours, theirs in (("", "weight"), ("_bias", "bias"))
        }
        weights = TCNWeights(**fields)
        x, dilation = torch["x"], int(torch["dilation"])
        block = tcn_block(x, weights, dilation)
        for part in ("first", "second", "total", "y"):
            assert_close(getattr(block, part), torch[part], f"{name}: {part}")
        gradient = tcn_block_backward(block, x, weights, dilation, torch["d_y"])
        assert_close(gradient.x, torch["grad_x"], f"{name}: dL/dx")
        for part in parts:
            if f"{part}_weight" in torch:
                assert_close(getattr(gradient.weights, part), torch[f"grad_{part}_weight"], f"{name}: {part}")
                bias = getattr(gradient.weights, f"{part}_bias")
                assert_close(bias, torch[f"grad_{part}_bias"], f"{name}: {part} bias")


SIZES = st.integers(1, 3)


@given(st.integers(0, 2**31), st.integers(0, 4), SIZES, SIZES, SIZES, st.sampled_from(["relu", "tanh"]))
def test_text_cnn_does_what_the_loop_says(
    seed: int, extra: int, width: int, widest: int, maps: int, activation: str
) -> None:
    rng = np.random.default_rng(seed)
    n = widest + extra
    words = rng.standard_normal((n, width))
    widths = range(1, widest + 1)
    weights = TextCNNWeights(
        tuple(rng.standard_normal((maps, width, h)) for h in widths),
        tuple(rng.standard_normal(maps) for _ in widths),
    )
    phi = math.tanh if activation == "tanh" else lambda a: max(a, 0.0)
    expected = []
    for filters, biases, h in zip(weights.filters, weights.biases, widths, strict=True):
        for map_filter, bias in zip(filters, biases, strict=True):
            scores = []
            for i in range(n - h + 1):
                a = bias + sum(map_filter[c, m] * words[i + m, c] for m in range(h) for c in range(width))
                scores.append(phi(a))
            expected.append(max(scores))
    assert_close(text_cnn(words, weights, activation).sentence, expected, "sentence", atol=1e-13)


@given(st.integers(0, 2**31), SIZES, SIZES, st.integers(1, 8), SIZES, SIZES)
def test_a_tcn_block_does_what_the_loop_says(
    seed: int, channels: int, hidden: int, steps: int, k: int, dilation: int
) -> None:
    rng = np.random.default_rng(seed)
    x, weights = rng.standard_normal((channels, steps)), draw_block(rng, channels, hidden, k)

    def layer(source: list[list[float]], kernel: np.ndarray, bias: np.ndarray, t: int, o: int) -> float:
        total = float(bias[o])
        for c in range(kernel.shape[1]):
            for m in range(k):
                place = t - (k - 1 - m) * dilation
                total += kernel[o, c, m] * source[c][place] if place >= 0 else 0.0
        return total

    mid = [
        [max(layer(x.tolist(), weights.first, weights.first_bias, t, o), 0.0) for t in range(steps)]
        for o in range(hidden)
    ]
    expected = np.empty((hidden, steps))
    for o in range(hidden):
        for t in range(steps):
            residual = max(layer(mid, weights.second, weights.second_bias, t, o), 0.0)
            if weights.shortcut is None or weights.shortcut_bias is None:
                across = x[o, t]
            else:
                across = weights.shortcut_bias[o] + sum(
                    weights.shortcut[o, c, 0] * x[c, t] for c in range(channels)
                )
            expected[o, t] = max(across + residual, 0.0)
    assert_close(tcn_block(x, weights, dilation).y, expected, "y", rtol=1e-11, atol=1e-12)


def draw_block(rng: np.random.Generator, channels: int, hidden: int, k: int) -> TCNWeights:
    across = channels != hidden
    return TCNWeights(
        rng.standard_normal((hidden, channels, k)),
        rng.standard_normal(hidden),
        rng.standard_normal((hidden, hidden, k)),
        rng.standard_normal(hidden),
        rng.standard_normal((hidden, channels, 1)) if across else None,
        rng.standard_normal(hidden) if across else None,
    )


@pytest.mark.parametrize("hidden", [2, 3])
def test_backward_is_the_derivative(hidden: int) -> None:
    rng = np.random.default_rng(4)
    x, weights = rng.standard_normal((2, 7)), draw_block(rng, 2, hidden, 3)
    block = tcn_block(x, weights, 2)
    upstream = rng.standard_normal(block.y.shape)
    gradient = tcn_block_backward(block, x, weights, 2, upstream)
    expected = differences.gradient(lambda at: tcn_block(at, weights, 2).y, x, upstream)
    assert_close(gradient.x, expected, "TCN", differences.RTOL, differences.ATOL)

    words = rng.standard_normal((6, 3))
    text = TextCNNWeights(
        tuple(rng.standard_normal((2, 3, h)) for h in (2, 3)), tuple(rng.standard_normal(2) for _ in "ab")
    )
    trace = text_cnn(words, text, "tanh")
    d_sentence = rng.standard_normal(trace.sentence.shape)
    d_words, _ = text_cnn_backward(trace, words, text, d_sentence, "tanh")
    expected = differences.gradient(lambda at: text_cnn(at, text, "tanh").sentence, words, d_sentence)
    assert_close(d_words, expected, "TextCNN", differences.RTOL, differences.ATOL)


def test_a_sentence_vector_has_one_length_for_every_sentence_and_a_block_never_looks_ahead() -> None:
    rng = np.random.default_rng(5)
    weights = TextCNNWeights(
        tuple(rng.standard_normal((100, 8, h)) for h in (3, 4, 5)),
        tuple(rng.standard_normal(100) for _ in range(3)),
    )
    assert {text_cnn(rng.standard_normal((n, 8)), weights).sentence.shape for n in (5, 6, 40)} == {(300,)}
    with pytest.raises(ValueError, match="does not fit"):
        text_cnn(rng.standard_normal((4, 8)), weights)
    x, block = rng.standard_normal((3, 10)), draw_block(rng, 3, 3, 3)
    before = tcn_block(x, block, 2).y
    x[:, 6:] += 1.0
    assert (tcn_block(x, block, 2).y[:, :6] == before[:, :6]).all()
