"""The Transformer's layers agree with PyTorch, with plain loops and with differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.demonstration import Array
from engine.nn.transformer import (
    AttentionWeights,
    DecoderLayerWeights,
    EncoderLayerWeights,
    FeedForwardWeights,
    Linear,
    Norm,
    feed_forward,
    feed_forward_backward,
    new_decoder_layer,
    new_encoder_layer,
    new_feed_forward,
    parameters,
    residual,
    residual_backward,
)
from engine.nn.transformer_layer import (
    decoder_layer,
    decoder_layer_backward,
    encoder_layer,
    encoder_layer_backward,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

ACTIVATIONS = ("relu", "gelu", "swiglu")
PLACEMENTS = ("post", "pre", "none")
# a sum of some tens of products of size 1 is rounded at 1e-15 each, and may come out near zero
ATOL = 1e-13


def read_linear(case: dict[str, np.ndarray], name: str) -> Linear:
    return Linear(case[f"{name}_weight"], case[f"{name}_bias"])


def read_norm(case: dict[str, np.ndarray], name: str) -> Norm:
    return Norm(case[f"{name}_gamma"], case[f"{name}_beta"])


def read_attention(case: dict[str, np.ndarray], name: str) -> AttentionWeights:
    return AttentionWeights(
        *(read_linear(case, f"{name}_{part}") for part in ("query", "key", "value", "output"))
    )


def read_network(case: dict[str, np.ndarray], prefix: str = "") -> FeedForwardWeights:
    gate = read_linear(case, f"{prefix}gate") if f"{prefix}gate_weight" in case else None
    return FeedForwardWeights(read_linear(case, f"{prefix}inner"), read_linear(case, f"{prefix}outer"), gate)


def read_decoder(case: dict[str, np.ndarray], prefix: str = "") -> DecoderLayerWeights:
    return DecoderLayerWeights(
        read_attention(case, f"{prefix}attention"),
        read_attention(case, f"{prefix}cross"),
        read_network(case, prefix),
        *(read_norm(case, f"{prefix}{part}_norm") for part in ("attention", "cross", "feed_forward")),
    )


def read_encoder(case: dict[str, np.ndarray], prefix: str = "") -> EncoderLayerWeights:
    return EncoderLayerWeights(
        read_attention(case, f"{prefix}attention"),
        read_network(case, prefix),
        read_norm(case, f"{prefix}attention_norm"),
        read_norm(case, f"{prefix}feed_forward_norm"),
    )


def flat(weights: object) -> list[np.ndarray]:
    if isinstance(weights, np.ndarray):
        return [weights]
    return [leaf for part in weights for leaf in flat(part)] if isinstance(weights, tuple) else []


def named(name: str) -> dict[str, str]:
    _, placement, activation = name.split("-")
    placed = {"post-one": "gelu", "pre-one": "relu"}.get(f"{placement}-{activation}", activation)
    return {"placement": placement, "activation": placed}


@pytest.mark.parametrize("source", SOURCES)
def test_encoder_layers_as_pytorch(source: str) -> None:
    found = cases(arrays("transformer", source), "encoder-")
    assert len(found) == 6
    for name, case in found.items():
        weights, options = read_encoder(case), named(name)
        heads = {8: 2, 12: 3, 2: 1}[case["x"].shape[-1]]
        done = encoder_layer(case["x"], weights, heads, mask=case["keep"], **options)
        assert_close(done.y, case["y"], name, atol=ATOL)
        d_x, d_weights = encoder_layer_backward(done, weights, case["d_y"], **options)
        assert_close(d_x, case["d_x"], name, atol=10 * ATOL)
        for ours, theirs in zip(flat(d_weights), flat(read_encoder(case, "d_")), strict=True):
            assert_close(ours, theirs, name, atol=10 * ATOL)


@pytest.mark.parametrize("source", SOURCES)
def test_decoder_layers_as_pytorch(source: str) -> None:
    found = cases(arrays("transformer", source), "decoder-")
    assert len(found) == 6
    for name, case in found.items():
        weights = read_decoder(case)
        heads = {8: 2, 12: 3, 2: 1}[case["x"].shape[-1]]
        done = decoder_layer(case["x"], case["memory"], weights, heads, mask=case["keep"], **named(name))
        assert_close(done.y, case["y"], name, atol=ATOL)
        d_x, d_memory, d_weights = decoder_layer_backward(
            done, case["memory"], weights, case["d_y"], **named(name)
        )
        assert_close(d_x, case["d_x"], name, atol=10 * ATOL)
        assert_close(d_memory, case["d_memory"], name, atol=10 * ATOL)
        for ours, theirs in zip(flat(d_weights), flat(read_decoder(case, "d_")), strict=True):
            assert_close(ours, theirs, name, atol=10 * ATOL)


@pytest.mark.parametrize("source", SOURCES)
def test_feed_forward_networks_as_pytorch(source: str) -> None:
    found = cases(arrays("transformer", source), "network-")
    assert len(found) == 6
    for name, case in found.items():
        weights, activation = read_network(case), name.split("-")[1]
        done = feed_forward(case["x"], weights, activation)
        assert_close(done.hidden, case["hidden"], name, atol=ATOL)
        assert_close(done.output, case["y"], name, atol=ATOL)
        d_x, d_weights = feed_forward_backward(done, weights, case["d_y"], activation)
        assert_close(d_x, case["d_x"], name, atol=ATOL)
        for ours, theirs in zip(flat(d_weights), flat(read_network(case, "d_")), strict=True):
            assert_close(ours, theirs, name, atol=ATOL)


def drawn(seed: int):
    rng = np.random.default_rng(seed)
    return lambda shape: rng.standard_normal(shape)


@given(st.integers(0, 4), st.integers(1, 4), st.integers(1, 5), st.sampled_from(ACTIVATIONS))
def test_a_network_is_the_same_at_every_position_as_in_a_loop(
    n: int, d: int, d_ff: int, activation: str
) -> None:
    draw = drawn(n + 10 * d + 100 * d_ff)
    weights, x = new_feed_forward(d, d_ff, draw, activation), draw((n, d))
    expected = np.zeros((n, d))
    for t in range(n):
        hidden = []
        for j in range(d_ff):
            z = sum(x[t, i] * weights.inner.weight[i, j] for i in range(d)) + weights.inner.bias[j]
            if activation == "relu":
                hidden.append(max(z, 0.0))
            elif activation == "gelu":
                hidden.append(z * 0.5 * math.erfc(-z / math.sqrt(2)))
            else:
                g = sum(x[t, i] * weights.gate.weight[i, j] for i in range(d)) + weights.gate.bias[j]
                hidden.append(g / (1 + math.exp(-g)) * z)
        for i in range(d):
            expected[t, i] = (
                sum(hidden[j] * weights.outer.weight[j, i] for j in range(d_ff)) + weights.outer.bias[i]
            )
    np.testing.assert_allclose(feed_forward(x, weights, activation).output, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_network_gradients_are_what_differences_find(activation: str) -> None:
    draw = drawn(7)
    weights, x, d_y = new_feed_forward(3, 5, draw, activation), draw((2, 4, 3)), draw((2, 4, 3))
    d_x, _ = feed_forward_backward(feed_forward(x, weights, activation), weights, d_y, activation)
    expected = differences.gradient(lambda at: feed_forward(at, weights, activation).output, x, d_y)
    np.testing.assert_allclose(d_x, expected, rtol=differences.RTOL, atol=differences.ATOL)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_residual_gradients_are_what_differences_find(placement: str) -> None:
    draw = drawn(8)
    W, x, d_y, norm = draw((4, 4)), draw((3, 4)), draw((3, 4)), Norm(draw((4,)), draw((4,)))

    def forward(at: np.ndarray) -> np.ndarray:
        return residual(at, lambda u: np.tanh(u @ W), placement, norm).y

    done = residual(x, lambda u: np.tanh(u @ W), placement, norm)
    d_x, _ = residual_backward(done, d_y, lambda d: (d * (1 - done.branch**2)) @ W.T, placement)
    expected = differences.gradient(forward, x, d_y)
    np.testing.assert_allclose(d_x, expected, rtol=differences.RTOL, atol=differences.ATOL)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_encoder_gradients_are_what_differences_find(placement: str) -> None:
    draw = drawn(9)
    weights, x, d_y = new_encoder_layer(4, 6, draw, "swiglu"), draw((3, 4)), draw((3, 4))
    options = {"placement": placement, "activation": "swiglu"}
    done = encoder_layer(x, weights, 2, **options)
    d_x, _ = encoder_layer_backward(done, weights, d_y, **options)
    expected = differences.gradient(lambda at: encoder_layer(at, weights, 2, **options).y, x, d_y)
    np.testing.assert_allclose(d_x, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_decoder_gradients_are_what_differences_find(placement: str) -> None:
    draw = drawn(11)
    weights = new_decoder_layer(4, 6, draw, "swiglu")
    x, memory, d_y = draw((3, 4)), draw((5, 4)), draw((3, 4))
    options = {"placement": placement, "activation": "swiglu"}
    keep = np.tril(np.ones((3, 3), dtype=bool))
    done = decoder_layer(x, memory, weights, 2, mask=keep, **options)
    d_x, d_memory, d_weights = decoder_layer_backward(done, memory, weights, d_y, **options)

    def run(at_x: Array = x, at_memory: Array = memory, at: DecoderLayerWeights = weights) -> Array:
        return decoder_layer(at_x, at_memory, at, 2, mask=keep, **options).y

    def with_query(query: Array) -> DecoderLayerWeights:
        return weights._replace(
            cross=weights.cross._replace(query=weights.cross.query._replace(weight=query))
        )

    def with_gamma(gamma: Array) -> DecoderLayerWeights:
        return weights._replace(cross_norm=weights.cross_norm._replace(gamma=gamma))

    close = {"rtol": 1e-5, "atol": 1e-6}
    np.testing.assert_allclose(d_x, differences.gradient(run, x, d_y), **close)
    np.testing.assert_allclose(
        d_memory, differences.gradient(lambda at: run(at_memory=at), memory, d_y), **close
    )
    query, gamma = weights.cross.query.weight, weights.cross_norm.gamma
    found = differences.gradient(lambda at: run(at=with_query(at)), query, d_y)
    np.testing.assert_allclose(d_weights.cross.query.weight, found, **close)
    found = differences.gradient(lambda at: run(at=with_gamma(at)), gamma, d_y)
    np.testing.assert_allclose(d_weights.cross_norm.gamma, found, **close)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_causal_decoder_does_not_see_what_comes_later(placement: str) -> None:
    draw = drawn(10)
    weights, x, memory = new_decoder_layer(4, 8, draw), draw((5, 4)), draw((3, 4))
    keep = np.tril(np.ones((5, 5), dtype=bool))
    changed = x.copy()
    changed[3:] += 1
    before, after = (
        decoder_layer(at, memory, weights, 2, placement=placement, mask=keep).y for at in (x, changed)
    )
    np.testing.assert_allclose(before[:3], after[:3], rtol=1e-12, atol=1e-12)
    assert np.abs(before[3:] - after[3:]).max() > 1e-3


def test_layers_have_the_published_number_of_parameters() -> None:
    # 12 d² + 13 d and 16 d² + 19 d at d_ff = 4 d
    assert parameters(new_encoder_layer(768, 3072, np.empty)) == 7_087_872
    assert parameters(new_decoder_layer(512, 2048, np.empty)) == 4_204_032


def test_swiglu_without_a_gate_is_refused() -> None:
    with pytest.raises(ValueError, match="gate"):
        feed_forward(np.zeros((1, 2)), new_feed_forward(2, 2, np.zeros), "swiglu")
