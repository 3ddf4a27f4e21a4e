"""Encoder-decoder attention agrees with PyTorch, with a plain loop and with differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.alignment import (
    Additive,
    additive_attention,
    additive_attention_backward,
    attend,
    luong_concat,
    luong_dot,
    luong_general,
)
from engine.nn.recurrent import RNNWeights
from engine.nn.seq2seq import decode_from_vector, decode_with_attention, encode
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("alignment", source), "case").items():
        weights = Additive(case["W_s"], case["W_h"], case["b"], case["v"])
        done = additive_attention(case["s"], case["h"], weights)
        for key in ("scores", "weights", "context", "tanh"):
            assert_close(getattr(done, key), case[key], f"{name} {key}", atol=1e-13)
        ds, dh, gradients = additive_attention_backward(
            case["s"], case["h"], weights, done, case["d_context"]
        )
        for ours, key in zip((ds, dh, *gradients), ("ds", "dh", "dW_s", "dW_h", "db", "dv"), strict=True):
            assert_close(ours, case[key], f"{name} {key}", atol=1e-13)
        assert_close(
            luong_concat(case["s"], case["h"], case["both"], case["v"]), case["concat"], name, atol=1e-13
        )
        assert_close(
            luong_general(case["s"], case["h"], case["general"]), case["general_scores"], name, atol=1e-13
        )
        assert_close(attend(case["scores"], case["h"], case["keep"])[0], case["masked"], name, atol=1e-13)


@pytest.mark.parametrize("source", SOURCES)
def test_encoder_and_decoder_as_pytorch(source: str) -> None:
    made = cases(arrays("alignment", source), "pair")["pair"]

    def weights(name: str) -> RNNWeights:
        return RNNWeights(
            made[f"{name}_weight_hh"],
            made[f"{name}_weight_ih"],
            made[f"{name}_bias_hh"] + made[f"{name}_bias_ih"],
        )

    annotations = encode(made["x"], weights("encoder"))
    assert_close(annotations, made["annotations"], "annotations", atol=1e-13)
    assert_close(
        encode(made["x"], weights("encoder"), reverse=True), made["backwards"], "backwards", atol=1e-13
    )
    fixed = decode_from_vector(made["y"], annotations[-1], weights("plain"))
    assert_close(fixed.hidden, made["fixed"], "fixed", atol=1e-13)
    alignment = Additive(made["W_s"], made["W_h"], made["b"], made["v"])
    looking = decode_with_attention(made["y"], annotations, annotations[-1], weights("looking"), alignment)
    assert_close(looking.hidden, made["attended"], "attended", atol=1e-13)
    assert_close(looking.weights, made["looked"], "looked", atol=1e-13)


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(0, 1000))
def test_as_a_loop(B: int, T: int, H: int, A: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, h = rng.standard_normal((B, H)), rng.standard_normal((B, T, H))
    weights = Additive(*(rng.standard_normal(shape) for shape in ((A, H), (A, H), (A,), (A,))))
    done = additive_attention(s, h, weights)
    for row in range(B):
        scores = []
        for t in range(T):
            score = 0.0
            for a in range(A):
                inner = weights.b[a] + sum(
                    weights.W_s[a, k] * s[row, k] + weights.W_h[a, k] * h[row, t, k] for k in range(H)
                )
                score += weights.v[a] * math.tanh(inner)
            scores.append(score)
            assert luong_dot(s, h)[row, t] == pytest.approx(
                sum(s[row, k] * h[row, t, k] for k in range(H)), abs=1e-12
            )
        total = sum(math.exp(score - max(scores)) for score in scores)
        for t in range(T):
            assert done.weights[row, t] == pytest.approx(
                math.exp(scores[t] - max(scores)) / total, rel=1e-9, abs=1e-12
            )
        np.testing.assert_allclose(
            done.context[row], sum(done.weights[row, t] * h[row, t] for t in range(T)), atol=1e-12
        )


def test_gradients_by_differences() -> None:
    rng = np.random.default_rng(2)
    s, h, d_context = rng.standard_normal((2, 3)), rng.standard_normal((2, 4, 5)), rng.standard_normal((2, 5))
    weights = Additive(*(rng.standard_normal(shape) for shape in ((6, 3), (6, 5), (6,), (6,))))
    ds, dh, gradients = additive_attention_backward(
        s, h, weights, additive_attention(s, h, weights), d_context
    )
    checked = [
        (ds, lambda v: additive_attention(v, h, weights).context, s),
        (dh, lambda v: additive_attention(s, v, weights).context, h),
    ]
    for place, name in enumerate(Additive._fields):
        checked.append(
            (
                gradients[place],
                lambda v, name=name: additive_attention(s, h, weights._replace(**{name: v})).context,
                weights[place],
            )
        )
    for ours, function, at in checked:
        expected = differences.gradient(function, at, d_context)
        np.testing.assert_allclose(ours, expected, rtol=differences.RTOL, atol=differences.ATOL)
