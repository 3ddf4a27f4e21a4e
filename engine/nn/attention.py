"""Scaled dot-product and multi-head attention, with a key-value cache for decoding.

Shapes: L queries, S keys and values, width d_k of a head, d_v of a value, h heads, d_model of the
stream; leading axes (…) are batches and broadcast. Source: Vaswani et al. 2017, section 3.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.nn.mask import Polarity, additive_mask
from engine.nn.softmax import EmptyRow, softmax, softmax_backward

Floats: TypeAlias = NDArray[np.floating[Any]]
Mask: TypeAlias = NDArray[Any]


class Attention(NamedTuple):
    """What attention computed on the way: ``scores`` before the mask and ``logits`` after it, both
    scaled, and ``weights``, all (…, L, S); ``context`` (…, L, d_v)."""

    scores: Floats
    logits: Floats
    weights: Floats
    context: Floats


class AttentionGradient(NamedTuple):
    """dL/d query (…, L, d_k), dL/d key (…, S, d_k), dL/d value (…, S, d_v)."""

    query: Floats
    key: Floats
    value: Floats


def scaled_dot_product_attention(
    query: Floats,
    key: Floats,
    value: Floats,
    *,
    mask: Mask | None = None,
    polarity: Polarity = "keep",
    scale: float | None = None,
    empty: EmptyRow = "zero",
) -> Attention:
    """Attention of queries (…, L, d_k) over keys (…, S, d_k) and values (…, S, d_v).

    ``mask`` broadcasts to (…, L, S): boolean with the given ``polarity``, or floating, added to the
    scores (ALiBi, -inf masks). ``scale`` is 1/√d_k where none is given. ``empty`` says what a query
    with every key masked gets (see :data:`engine.nn.softmax.EmptyRow`).

    Source: Vaswani et al. 2017, equation 1.
    """
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    # S = Q K^T / sqrt(d_k)
    scores = query @ key.swapaxes(-1, -2) * factor  # (..., L, S)
    logits = scores if mask is None else scores + _added(mask, polarity)  # (..., L, S)
    # A = softmax(S + M), over the keys
    weights = softmax(logits, axis=-1, empty=empty)  # (..., L, S)
    # C = A V
    context = weights @ value  # (..., L, d_v)
    return Attention(scores, logits, weights, context)


def scaled_dot_product_attention_backward(
    attended: Attention,
    query: Floats,
    key: Floats,
    value: Floats,
    d_context: Floats,
    scale: float | None = None,
) -> AttentionGradient:
    """Gradients from dL/d context (…, L, d_v); batch axes must be those of the forward pass, unbroadcast."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    # dL/dV = A^T dL/dC
    d_value = attended.weights.swapaxes(-1, -2) @ d_context  # (..., S, d_v)
    # dL/dA = dL/dC V^T
    d_weights = d_context @ value.swapaxes(-1, -2)  # (..., L, S)
    # dL/dS through the softmax of each row
    d_scores = softmax_backward(attended.weights, d_weights)  # (..., L, S)
    # dL/dQ = dL/dS K / sqrt(d_k),  dL/dK = dL/dS^T Q / sqrt(d_k)
    d_query = d_scores @ key * factor  # (..., L, d_k)
    d_key = d_scores.swapaxes(-1, -2) @ query * factor  # (..., S, d_k)
    return AttentionGradient(d_query, d_key, d_value)


def _added(mask: Mask, polarity: Polarity) -> Floats:
    return additive_mask(mask, polarity=polarity) if mask.dtype == np.bool_ else mask


# several heads


@dataclass(frozen=True)
class MultiHeadWeights:
    """Projections as in x @ W: ``query`` (d_model, h·d_k), ``key`` (d_source, h·d_k), ``value``
    (d_source, h·d_v), ``output`` (h·d_v, d_model). Head i owns columns i·d_k … (i+1)·d_k."""

    query: Floats
    key: Floats
    value: Floats
    output: Floats
    heads: int


class MultiHead(NamedTuple):
    """``query`` (…, h, L, d_k), ``key`` (…, h, S, d_k), ``value`` (…, h, S, d_v) after projection;
    ``attended`` per head; ``concatenated`` (…, L, h·d_v); ``output`` (…, L, d_model)."""

    query: Floats
    key: Floats
    value: Floats
    attended: Attention
    concatenated: Floats
    output: Floats


class MultiHeadGradient(NamedTuple):
    """dL/d x (…, L, d_model), dL/d source (…, S, d_source), and dL/dW of the four projections."""

    x: Floats
    source: Floats
    weights: MultiHeadWeights


def split_heads(projected: Floats, heads: int) -> Floats:
    """(…, n, h·d) to (…, h, n, d)."""
    *batch, n, width = projected.shape
    return projected.reshape(*batch, n, heads, width // heads).swapaxes(-3, -2)


def merge_heads(split: Floats) -> Floats:
    """(…, h, n, d) to (…, n, h·d)."""
    *batch, heads, n, d = split.shape
    return split.swapaxes(-3, -2).reshape(*batch, n, heads * d)


def multi_head_attention(
    x: Floats,
    source: Floats,
    weights: MultiHeadWeights,
    *,
    mask: Mask | None = None,
    polarity: Polarity = "keep",
    empty: EmptyRow = "zero",
) -> MultiHead:
    """Queries from ``x`` (…, L, d_model), keys and values from ``source`` (…, S, d_source).

    ``mask`` broadcasts to (…, h, L, S). Source: Vaswani et al. 2017, section 3.2.2.
    """
    # Q = x W_Q,  K = source W_K,  V = source W_V, cut into heads
    query = split_heads(x @ weights.query, weights.heads)  # (..., h, L, d_k)
    key = split_heads(source @ weights.key, weights.heads)  # (..., h, S, d_k)
    value = split_heads(source @ weights.value, weights.heads)  # (..., h, S, d_v)
    attended = scaled_dot_product_attention(query, key, value, mask=mask, polarity=polarity, empty=empty)
    return _output(query, key, value, attended, weights)


def _output(
    query: Floats, key: Floats, value: Floats, attended: Attention, weights: MultiHeadWeights
) -> MultiHead:
    # MultiHead = Concat(head_1, ..., head_h) W_O
    concatenated = merge_heads(attended.context)  # (..., L, h*d_v)
    output = concatenated @ weights.output  # (..., L, d_model)
    return MultiHead(query, key, value, attended, concatenated, output)


def self_attention(
    x: Floats, weights: MultiHeadWeights, *, mask: Mask | None = None, polarity: Polarity = "keep"
) -> MultiHead:
    """Queries, keys and values from one sequence ``x`` (…, n, d_model)."""
    return multi_head_attention(x, x, weights, mask=mask, polarity=polarity)


def cross_attention(
    x: Floats,
    memory: Floats,
    weights: MultiHeadWeights,
    *,
    mask: Mask | None = None,
    polarity: Polarity = "keep",
) -> MultiHead:
    """Queries from the decoder's ``x`` (…, L, d_model), keys and values from the encoder's ``memory``."""
    return multi_head_attention(x, memory, weights, mask=mask, polarity=polarity)


def multi_head_attention_backward(
    done: MultiHead, x: Floats, source: Floats, weights: MultiHeadWeights, d_output: Floats
) -> MultiHeadGradient:
    """Gradients from dL/d output (…, L, d_model); ``x`` and ``source`` with equal batch axes.

    For self-attention dL/dx in full is the sum of the gradients with respect to ``x`` and ``source``.
    """
    # dL/dConcat = dL/dOutput W_O^T
    d_concatenated = d_output @ weights.output.T  # (..., L, h*d_v)
    inner = scaled_dot_product_attention_backward(
        done.attended, done.query, done.key, done.value, split_heads(d_concatenated, weights.heads)
    )
    d_query, d_key, d_value = (merge_heads(part) for part in inner)  # (..., L or S, h*d)
    # dL/dx = dL/dQ W_Q^T,  dL/dsource = dL/dK W_K^T + dL/dV W_V^T
    d_x = d_query @ weights.query.T  # (..., L, d_model)
    d_source = d_key @ weights.key.T + d_value @ weights.value.T  # (..., S, d_source)
    return MultiHeadGradient(
        d_x,
        d_source,
        MultiHeadWeights(
            query=_outer_sum(x, d_query),
            key=_outer_sum(source, d_key),
            value=_outer_sum(source, d_value),
            output=_outer_sum(done.concatenated, d_output),
            heads=weights.heads,
        ),
    )


def _outer_sum(inputs: Floats, d_outputs: Floats) -> Floats:
    """dL/dW of y = x W, summed over batch and position: (d_in, d_out)."""
    # dL/dW = sum_t x_t^T dL/dy_t
    flat_in, flat_out = (part.reshape(-1, part.shape[-1]) for part in (inputs, d_outputs))
    product: Floats = flat_in.T @ flat_out  # (d_in, d_out)
    return product


# decoding with a cache


class KVCache(NamedTuple):
    """Keys (…, h, t, d_k) and values (…, h, t, d_v) of the t positions decoded so far."""

    key: Floats
    value: Floats

    @property
    def length(self) -> int:
        return int(self.key.shape[-2])


def empty_cache(weights: MultiHeadWeights, batch: tuple[int, ...] = ()) -> KVCache:
    """A cache of no positions."""
    d_k, d_v = (part.shape[-1] // weights.heads for part in (weights.key, weights.value))
    return KVCache(np.zeros((*batch, weights.heads, 0, d_k)), np.zeros((*batch, weights.heads, 0, d_v)))


def decode_step(
    x_t: Floats, weights: MultiHeadWeights, cache: KVCache, *, mask: Mask | None = None
) -> tuple[MultiHead, KVCache]:
    """Self-attention of the newest positions ``x_t`` (…, L, d_model) over the cache and themselves.

    With L = 1 no mask is needed: what comes later is not there to be seen. With L > 1 (prefill, or
    speculative decoding) give a bottom-right causal mask of (L, t + L), True = keep.

    Returns what was computed and the cache with the new keys and values appended.
    Source: Shazeer 2019, section 2.4.
    """
    query = split_heads(x_t @ weights.query, weights.heads)  # (..., h, L, d_k)
    # K_t = [K_{t-1}; x_t W_K],  V_t = [V_{t-1}; x_t W_V]
    key = np.concatenate([cache.key, split_heads(x_t @ weights.key, weights.heads)], axis=-2)
    value = np.concatenate([cache.value, split_heads(x_t @ weights.value, weights.heads)], axis=-2)
    attended = scaled_dot_product_attention(query, key, value, mask=mask)
    return _output(query, key, value, attended, weights), KVCache(key, value)
