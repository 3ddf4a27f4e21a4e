"""Attention: against PyTorch, a loop in plain Python, finite differences; and decoding with a cache."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.attention import (
    KVCache,
    MultiHeadWeights,
    cross_attention,
    decode_step,
    empty_cache,
    merge_heads,
    multi_head_attention,
    multi_head_attention_backward,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
    self_attention,
    split_heads,
)
from engine.nn.mask import causal_mask, padding_mask
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

HEADS = {"self": 2, "self-causal": 3, "cross": 4, "cross-padding": 4, "one-token": 1}


@pytest.mark.parametrize("source", SOURCES)
def test_scores_weights_context_and_gradients_are_pytorchs(source: str) -> None:
    made = cases(arrays("attention", source), "sdpa-")
    assert len(made) == 9
    for name, torch in made.items():
        query, key, value = torch["query"], torch["key"], torch["value"]
        mask = torch.get("mask")
        if "causal" in name:
            mask = causal_mask(query.shape[-2], key.shape[-2], alignment="top-left")
        done = scaled_dot_product_attention(query, key, value, mask=mask)
        assert_close(done.scores, torch["scores"], f"{name}: scores")
        assert_close(done.weights, torch["weights"], f"{name}: weights")
        assert_close(done.context, torch["context"], f"{name}: context")
        gradient = scaled_dot_product_attention_backward(done, query, key, value, torch["d_context"])
        for part in ("query", "key", "value"):
            assert_close(getattr(gradient, part), torch[f"grad_{part}"], f"{name}: dL/d{part}")


@pytest.mark.parametrize("source", SOURCES)
def test_several_heads_weights_output_and_gradients_are_pytorchs(source: str) -> None:
    made = cases(arrays("attention", source), "multi-")
    assert {name.removeprefix("multi-") for name in made} == set(HEADS)
    for name, torch in made.items():
        weights = MultiHeadWeights(
            torch["W_Q"], torch["W_K"], torch["W_V"], torch["W_O"], HEADS[name.removeprefix("multi-")]
        )
        x, memory = torch["x"], torch["source"]
        done = multi_head_attention(x, memory, weights, mask=torch.get("blocked"), polarity="block")
        assert_close(done.attended.weights, torch["weights"], f"{name}: weights")
        assert_close(done.output, torch["output"], f"{name}: output")
        gradient = multi_head_attention_backward(done, x, memory, weights, torch["d_output"])
        if "self" in name or name == "multi-one-token":
            assert_close(gradient.x + gradient.source, torch["grad_x"], f"{name}: dL/dx")
        else:
            assert_close(gradient.x, torch["grad_x"], f"{name}: dL/dx")
            assert_close(gradient.source, torch["grad_source"], f"{name}: dL/dsource")
        for part, letter in (("query", "Q"), ("key", "K"), ("value", "V"), ("output", "O")):
            assert_close(
                getattr(gradient.weights, part), torch[f"grad_W_{letter}"], f"{name}: dL/dW_{letter}"
            )


def test_our_padding_mask_is_the_key_padding_mask_of_pytorch() -> None:
    torch = cases(arrays("attention", "recorded"), "multi-cross-padding")["multi-cross-padding"]
    ours = padding_mask(torch["lengths"], torch["source"].shape[1], polarity="block")
    assert (ours[:, None] == torch["blocked"]).all()


SIZES = st.integers(1, 4)


@given(st.integers(0, 2**31), SIZES, SIZES, SIZES, SIZES, st.booleans())
def test_the_layer_does_what_the_loop_says(
    seed: int, queries: int, keys: int, d_k: int, d_v: int, masked: bool
) -> None:
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((queries, d_k)), rng.standard_normal((keys, d_k))
    value = rng.standard_normal((keys, d_v))
    keep = rng.random((queries, keys)) < 0.6 if masked else np.ones((queries, keys), dtype=bool)
    done = scaled_dot_product_attention(query, key, value, mask=~keep, polarity="block")
    for i in range(queries):
        scores = [sum(query[i, c] * key[j, c] for c in range(d_k)) / math.sqrt(d_k) for j in range(keys)]
        powers = [math.exp(scores[j]) if keep[i, j] else 0.0 for j in range(keys)]
        total = sum(powers)
        weights = [power / total if total else 0.0 for power in powers]
        context = [sum(weights[j] * value[j, c] for j in range(keys)) for c in range(d_v)]
        assert_close(done.scores[i], scores, "scores", atol=1e-14)
        assert_close(done.weights[i], weights, "weights", atol=1e-14)
        assert_close(done.context[i], context, "context", atol=1e-13)


@given(st.integers(0, 2**31), SIZES, SIZES, st.sampled_from([(1, 1), (2, 3), (4, 2)]), st.booleans())
def test_the_backward_pass_is_the_derivative(
    seed: int, queries: int, keys: int, heads_and_width: tuple[int, int], masked: bool
) -> None:
    heads, width = heads_and_width
    rng = np.random.default_rng(seed)
    d_model, d_source = 3, 2
    parts = [
        rng.standard_normal(shape)
        for shape in (
            (2, queries, d_model),
            (2, keys, d_source),
            (d_model, heads * width),
            (d_source, heads * width),
            (d_source, heads * width),
            (heads * width, d_model),
        )
    ]
    mask = causal_mask(queries, keys) if masked else None
    d_output = rng.standard_normal((2, queries, d_model))

    def loss(moved: list[np.ndarray]) -> float:
        x, memory, *w = moved
        done = multi_head_attention(x, memory, MultiHeadWeights(*w, heads=heads), mask=mask)
        return float((done.output * d_output).sum())

    x, memory, *w = parts
    weights = MultiHeadWeights(*w, heads=heads)
    done = multi_head_attention(x, memory, weights, mask=mask)
    gradient = multi_head_attention_backward(done, x, memory, weights, d_output)
    found = [gradient.x, gradient.source]
    found += [getattr(gradient.weights, name) for name in ("query", "key", "value", "output")]
    step = 1e-5
    for position, part in enumerate(parts):
        direction = rng.standard_normal(part.shape)
        moved = [
            [*parts[:position], part + sign * step * direction, *parts[position + 1 :]] for sign in (1, -1)
        ]
        slope = (loss(moved[0]) - loss(moved[1])) / (2 * step)
        expected = float((found[position] * direction).sum())
        # error of a central difference: step² times a third derivative
        assert slope == pytest.approx(expected, rel=1e-5, abs=1e-6 * (1 + np.abs(found[position]).max()))


@given(st.integers(0, 2**31), st.integers(1, 9), st.sampled_from([(1, 4), (2, 3), (4, 1)]))
def test_decoding_token_by_token_with_a_cache_gives_the_masked_pass(
    seed: int, length: int, heads_and_width: tuple[int, int]
) -> None:
    heads, width = heads_and_width
    rng = np.random.default_rng(seed)
    d_model = 5
    shapes = [(d_model, heads * width)] * 3 + [(heads * width, d_model)]
    weights = MultiHeadWeights(*(rng.standard_normal(s) / math.sqrt(s[0]) for s in shapes), heads=heads)
    x = rng.standard_normal((length, d_model))
    full = self_attention(x, weights, mask=causal_mask(length, length))
    cache = empty_cache(weights)
    for t in range(length):
        step, cache = decode_step(x[t : t + 1], weights, cache)
        assert cache.length == t + 1
        # the two sum in different orders
        assert_close(step.output[0], full.output[t], f"t = {t}", atol=1e-13)
        assert_close(step.attended.weights[:, 0], full.attended.weights[:, t, : t + 1], f"t = {t}")
    assert_close(cache.key, full.key, "keys")
    assert_close(cache.value, full.value, "values")


def test_several_new_tokens_over_a_cache_need_the_bottom_right_mask() -> None:
    rng = np.random.default_rng(3)
    weights = MultiHeadWeights(*rng.standard_normal((4, 6, 6)) / 3, heads=2)
    x = rng.standard_normal((7, 6))
    full = self_attention(x, weights, mask=causal_mask(7, 7)).output
    _, cache = decode_step(x[:4], weights, empty_cache(weights), mask=causal_mask(4, 4))
    rest, _ = decode_step(x[4:], weights, cache, mask=causal_mask(3, 7))
    assert_close(rest.output, full[4:], "bottom-right", atol=1e-13)
    wrong, _ = decode_step(x[4:], weights, cache, mask=causal_mask(3, 7, alignment="top-left"))
    assert np.abs(wrong.output - full[4:]).max() > 0.1


def test_a_top_left_mask_on_one_query_returns_the_first_value() -> None:
    rng = np.random.default_rng(4)
    query, key, value = rng.standard_normal((1, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    done = scaled_dot_product_attention(query, key, value, mask=causal_mask(1, 5, alignment="top-left"))
    assert (done.context[0] == value[0]).all()


def test_a_decoded_batch_is_its_sequences_decoded() -> None:
    rng = np.random.default_rng(5)
    weights = MultiHeadWeights(*rng.standard_normal((4, 4, 4)), heads=2)
    x = rng.standard_normal((3, 1, 4))
    together, cache = decode_step(x, weights, empty_cache(weights, (3,)))
    assert cache.key.shape == (3, 2, 1, 2)
    for b in range(3):
        alone, _ = decode_step(x[b], weights, empty_cache(weights))
        assert_close(together.output[b], alone.output, f"sequence {b}", atol=1e-13)


def test_the_source_may_come_in_any_order_for_cross_attention() -> None:
    rng = np.random.default_rng(6)
    weights = MultiHeadWeights(*rng.standard_normal((4, 4, 4)), heads=2)
    x, memory = rng.standard_normal((3, 4)), rng.standard_normal((6, 4))
    order = rng.permutation(6)
    one, other = cross_attention(x, memory, weights), cross_attention(x, memory[order], weights)
    assert_close(other.output, one.output, "output", atol=1e-13)
    assert_close(other.attended.weights, one.attended.weights[..., order], "weights", atol=1e-14)


def test_heads_are_cut_in_order_and_put_back() -> None:
    columns = np.arange(12.0).reshape(2, 6)
    split = split_heads(columns, 3)
    assert split.shape == (3, 2, 2)
    assert split[1].tolist() == [[2, 3], [8, 9]]
    assert (merge_heads(split) == columns).all()


def test_a_query_with_nothing_to_see_gets_zero_or_nan_as_asked() -> None:
    query, key, value = np.ones((1, 2)), np.ones((3, 2)), np.ones((3, 2))
    nothing = np.zeros((1, 3), dtype=bool)
    assert (scaled_dot_product_attention(query, key, value, mask=nothing).context == 0).all()
    assert np.isnan(scaled_dot_product_attention(query, key, value, mask=nothing, empty="nan").context).all()


def test_an_empty_cache_has_the_shape_of_the_heads() -> None:
    weights = MultiHeadWeights(np.ones((4, 6)), np.ones((4, 6)), np.ones((4, 9)), np.ones((9, 4)), heads=3)
    cache = empty_cache(weights)
    assert isinstance(cache, KVCache)
    assert (cache.key.shape, cache.value.shape, cache.length) == ((3, 0, 2), (3, 0, 3), 0)
