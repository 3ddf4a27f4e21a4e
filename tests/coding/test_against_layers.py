"""The loops of the specifications and the layers of the engine were written apart, and agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.coding import load
from engine.nn import attention, beam, convolution, decoding, flash, gru, loss, lstm, mask, position, rotary
from engine.nn.normalization import layer_norm
from engine.nn.softmax import softmax

Array = NDArray[Any]
Outputs = Array | tuple[Any, ...]


def _attention(query: Array, key: Array, value: Array, mask: Array | None) -> Outputs:
    return attention.scaled_dot_product_attention(query, key, value, mask=mask).context


def _multi_head(x: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, heads: int) -> Outputs:
    return attention.self_attention(x, attention.MultiHeadWeights(W_Q, W_K, W_V, W_O, heads)).output


def _causal(queries: int, keys: int) -> Outputs:
    return mask.causal_mask(queries, keys)


def _sinusoidal(length: int, d_model: int) -> Outputs:
    return position.sinusoidal_encoding(np.arange(length), d_model)


def _rope(x: Array, positions: Array, base: float) -> Outputs:
    return rotary.rotate(x, rotary.rotary_angles(positions, x.shape[-1], base))


def _lstm(x: Array, h: Array, c: Array, W_x: Array, W_h: Array, b: Array) -> Outputs:
    trace = lstm.lstm_forward(x[None], h, c, lstm.LSTMWeights(W_h, W_x, b))
    return trace.hidden[-1], trace.cell[-1]


def _gru(x: Array, h: Array, W_x: Array, W_h: Array, b_x: Array, b_h: Array) -> Outputs:
    return gru.gru_forward(x[None], h, gru.GRUWeights(W_h, W_x, np.stack([b_x, b_h]))).hidden[-1]


def _layer_norm(x: Array, gamma: Array, beta: Array, eps: float) -> Outputs:
    return layer_norm(x, gamma, beta, eps).y


def _cross_entropy(logits: Array, targets: Array) -> Outputs:
    return softmax(logits), loss.cross_entropy(logits, targets).loss


def _conv2d(x: Array, weight: Array, bias: Array, stride: int, padding: int) -> Outputs:
    return convolution.correlate(x, weight, bias, stride=stride, padding=padding)


def _causal_conv(x: Array, weight: Array, bias: Array, dilation: int) -> Outputs:
    return convolution.correlate(x, weight, bias, dilation=dilation, padding="causal")


def _top_p(logits: Array, p: float, u: float) -> Outputs:
    kept = softmax(decoding.top_p(logits, p))
    order = decoding.by_probability(logits)
    return kept, order[np.searchsorted(np.cumsum(kept[order]), u, side="right")]


def _beam(log_p: Array, start: int, end: int, width: int, alpha: float) -> Outputs:
    def next_token(prefix: tuple[int, ...]) -> Array:
        return np.asarray(log_p[len(prefix), prefix[-1] if prefix else start])

    best = beam.beam_search(next_token, width, len(log_p), end=end, alpha=alpha)[0]
    return np.array(best.tokens), np.array(best.score)


def _kv_cache(x: Array, cache_k: Array, cache_v: Array, W_Q: Array, W_K: Array, W_V: Array) -> Outputs:
    weights = attention.MultiHeadWeights(W_Q, W_K, W_V, np.eye(W_V.shape[1]), 1)
    causal = mask.causal_mask(len(x), len(cache_k) + len(x))
    done, cache = attention.decode_step(
        x, weights, attention.KVCache(cache_k[None], cache_v[None]), mask=causal
    )
    return done.output, cache.key[0], cache.value[0]


def _online(m: Array, l: Array, acc: Array, scores: Array, values: Array) -> Outputs:
    state = flash.State(m[:, None], l[:, None], acc)
    new = flash.block_state(scores, values)
    merged = flash.merge(state, new, np.maximum(state.m, new.m))
    return merged.m[:, 0], merged.l[:, 0], merged.o


LAYERS: dict[str, Callable[..., Outputs]] = {
    "attention": _attention,
    "multi-head-attention": _multi_head,
    "causal-mask": _causal,
    "sinusoidal-encoding": _sinusoidal,
    "rope": _rope,
    "lstm-cell": _lstm,
    "gru-cell": _gru,
    "layer-norm": _layer_norm,
    "softmax-cross-entropy": _cross_entropy,
    "conv2d": _conv2d,
    "causal-conv1d": _causal_conv,
    "top-p": _top_p,
    "beam-search": _beam,
    "kv-cache-step": _kv_cache,
    "online-softmax": _online,
}
"""All but the masking of BERT, whose layer draws its own numbers, one a token in place of two."""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LAYERS)
def test_loops_and_layers_agree(name: str, seed: int) -> None:
    specification = load(name)
    compared = 0
    for case in specification.cases(seed):
        arguments: dict[str, Any] = dict(case.arguments)
        # the layer's block is never masked as a whole: its maximum is a number
        if name == "online-softmax" and np.isneginf(arguments["scores"]).all(axis=1).any():
            continue
        returned = LAYERS[name](**arguments)
        parts = returned if isinstance(returned, tuple) else (returned,)
        for part, expected in zip(parts, specification.expected(case), strict=True):
            np.testing.assert_allclose(
                part, expected, rtol=specification.rtol, atol=specification.atol, strict=False
            )
        compared += 1
    assert compared >= 4
