"""The Transformer's layers: feed-forward network, residual sublayers, encoder layer and decoder layer.

Shapes: x (…, n, d) the stream, memory (…, m, d) the encoder's output, d_ff the inner width. Dropout is left out, as at
inference. Sources: Vaswani et al. 2017, section 3; Xiong et al. 2020 (where the norm stands); Shazeer 2020 (SwiGLU).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from engine.nn.attention import (
    Mask,
    MultiHead,
    merge_heads,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
    split_heads,
)
from engine.nn.mask import Polarity
from engine.nn.normalization import Gradients, Normalized, layer_norm, normalization_backward
from engine.nn.sigmoid import sigmoid
from engine.nn.softmax import Floats

Activation = Literal["relu", "gelu", "swiglu"]
"""``gelu`` is the exact one, by the normal distribution function (BERT, GPT-2's is the tanh approximation of it)."""

Placement = Literal["post", "pre", "none"]
"""``post``: LN(x + F(x)), Vaswani et al. 2017. ``pre``: x + F(LN(x)), GPT-2 and ViT. ``none``: x + F(x), no norm."""

Make: TypeAlias = Callable[[tuple[int, ...]], Floats]
"""A maker of arrays of a given shape: drawn, zero, or allocated only to be counted."""


class Linear(NamedTuple):
    """``weight`` (d_in, d_out), used as in x @ W; ``bias`` (d_out,)."""

    weight: Floats
    bias: Floats


class Norm(NamedTuple):
    """``gamma`` and ``beta`` of a LayerNorm, (d,) each."""

    gamma: Floats
    beta: Floats


class AttentionWeights(NamedTuple):
    query: Linear
    key: Linear
    value: Linear
    output: Linear


class FeedForwardWeights(NamedTuple):
    """``inner`` (d, d_ff), ``outer`` (d_ff, d); ``gate`` (d, d_ff) in SwiGLU only."""

    inner: Linear
    outer: Linear
    gate: Linear | None = None


class EncoderLayerWeights(NamedTuple):
    attention: AttentionWeights
    feed_forward: FeedForwardWeights
    attention_norm: Norm
    feed_forward_norm: Norm


class DecoderLayerWeights(NamedTuple):
    attention: AttentionWeights
    cross: AttentionWeights
    feed_forward: FeedForwardWeights
    attention_norm: Norm
    cross_norm: Norm
    feed_forward_norm: Norm


def new_linear(d_in: int, d_out: int, make: Make) -> Linear:
    return Linear(make((d_in, d_out)), make((d_out,)))


def new_norm(d: int, make: Make) -> Norm:
    return Norm(make((d,)), make((d,)))


def new_attention(d: int, make: Make) -> AttentionWeights:
    """Four square projections; the number of heads changes no shape."""
    return AttentionWeights(*(new_linear(d, d, make) for _ in range(4)))


def new_feed_forward(d: int, d_ff: int, make: Make, activation: Activation = "relu") -> FeedForwardWeights:
    gate = new_linear(d, d_ff, make) if activation == "swiglu" else None
    return FeedForwardWeights(new_linear(d, d_ff, make), new_linear(d_ff, d, make), gate)


def new_encoder_layer(d: int, d_ff: int, make: Make, activation: Activation = "relu") -> EncoderLayerWeights:
    return EncoderLayerWeights(
        new_attention(d, make),
        new_feed_forward(d, d_ff, make, activation),
        new_norm(d, make),
        new_norm(d, make),
    )


def new_decoder_layer(d: int, d_ff: int, make: Make, activation: Activation = "relu") -> DecoderLayerWeights:
    return DecoderLayerWeights(
        new_attention(d, make),
        new_attention(d, make),
        new_feed_forward(d, d_ff, make, activation),
        *(new_norm(d, make) for _ in range(3)),
    )


def parameters(weights: object) -> int:
    """Entries of every array in nested tuples of weights."""
    if isinstance(weights, np.ndarray):
        return weights.size
    return sum(parameters(part) for part in weights) if isinstance(weights, tuple) else 0


# a linear map


def linear(x: Floats, layer: Linear) -> Floats:
    # y = x W + b
    y: Floats = x @ layer.weight + layer.bias  # (..., d_out)
    return y


def linear_backward(x: Floats, layer: Linear, d_y: Floats) -> tuple[Floats, Linear]:
    """dL/dx (…, d_in), and dL/dW, dL/db summed over all leading axes."""
    flat_x, flat_y = (part.reshape(-1, part.shape[-1]) for part in (x, d_y))
    # dL/dx = dL/dy W^T,  dL/dW = sum_t x_t^T dL/dy_t,  dL/db = sum_t dL/dy_t
    return d_y @ layer.weight.T, Linear(flat_x.T @ flat_y, flat_y.sum(axis=0))


# the position-wise feed-forward network


class FeedForward(NamedTuple):
    """``x`` as given, ``inner`` before the activation, ``gate`` (SwiGLU only), ``hidden`` after it, ``output`` (…, d)."""

    x: Floats
    inner: Floats
    gate: Floats | None
    hidden: Floats
    output: Floats


_erf = np.vectorize(math.erf, otypes=[np.float64])


def normal_distribution(z: Floats) -> Floats:
    """P(Z <= z) of a standard normal Z, z's shape and precision."""
    # Phi(z) = (1 + erf(z / sqrt 2)) / 2
    values: Floats = np.asarray(0.5 * (1 + _erf(z / math.sqrt(2)))).astype(z.dtype)  # z's shape
    return values


def feed_forward(x: Floats, weights: FeedForwardWeights, activation: Activation = "relu") -> FeedForward:
    """The same two-layer network at every position of (…, d).

    Source: Vaswani et al. 2017, equation 2; Hendrycks, Gimpel 2016 (GELU); Shazeer 2020, equation 6 (SwiGLU).

    Raises:
        ValueError: SwiGLU without a gate.
    """
    inner = linear(x, weights.inner)  # (..., d_ff)
    gate = None
    match activation:
        case "relu":
            # h = max(0, z)
            hidden = np.maximum(inner, 0)  # (..., d_ff)
        case "gelu":
            # h = z Phi(z)
            hidden = inner * normal_distribution(inner)  # (..., d_ff)
        case "swiglu":
            if weights.gate is None:
                raise ValueError("SwiGLU needs a gate")
            gate = linear(x, weights.gate)  # (..., d_ff)
            # h = swish(x W_g) * (x W_1),  swish(g) = g sigmoid(g)
            hidden = gate * sigmoid(gate) * inner  # (..., d_ff)
    return FeedForward(x, inner, gate, hidden, linear(hidden, weights.outer))


def feed_forward_backward(
    done: FeedForward, weights: FeedForwardWeights, d_output: Floats, activation: Activation = "relu"
) -> tuple[Floats, FeedForwardWeights]:
    """dL/dx (…, d) and the gradients of the weights, from dL/d output (…, d)."""
    d_hidden, d_outer = linear_backward(done.hidden, weights.outer, d_output)  # (..., d_ff)
    z = done.inner
    if done.gate is not None and weights.gate is not None:
        s = sigmoid(done.gate)
        # dL/dz = dL/dh swish(g),  dL/dg = dL/dh z swish'(g),  swish'(g) = s + g s (1 - s)
        d_inner: Floats = d_hidden * done.gate * s  # (..., d_ff)
        d_gate_values = d_hidden * z * (s + done.gate * s * (1 - s))  # (..., d_ff)
        d_x_gate, d_gate = linear_backward(done.x, weights.gate, d_gate_values)
        d_x, d_first = linear_backward(done.x, weights.inner, d_inner)
        return d_x + d_x_gate, FeedForwardWeights(d_first, d_outer, d_gate)
    if activation == "relu":
        # dL/dz = dL/dh where z > 0
        d_inner = d_hidden * (z > 0)  # (..., d_ff)
    else:
        # dL/dz = dL/dh (Phi(z) + z phi(z))
        density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        d_inner = d_hidden * (normal_distribution(z) + z * density)  # (..., d_ff)
    d_x, d_first = linear_backward(done.x, weights.inner, d_inner)
    return d_x, FeedForwardWeights(d_first, d_outer)


# a residual sublayer


class Residual(NamedTuple):
    """``entered`` what the branch read, ``branch`` what it gave, ``normalized`` the norm's trace (None without), ``y``."""

    entered: Floats
    branch: Floats
    normalized: Normalized | None
    y: Floats


def residual(
    x: Floats,
    branch: Callable[[Floats], Floats],
    placement: Placement,
    norm: Norm | None = None,
    eps: float = 1e-5,
) -> Residual:
    """One sublayer around the stream (…, d); ``norm`` None leaves gamma and beta out.

    Source: He et al. 2016, equation 1; Vaswani et al. 2017, section 3.1 (post); Xiong et al. 2020, table 1 (pre).
    """
    gamma, beta = (None, None) if norm is None else norm
    if placement == "pre":
        normalized = layer_norm(x, gamma, beta, eps)
        out = branch(normalized.y)
        # y = x + F(LN(x))
        return Residual(normalized.y, out, normalized, x + out)  # (..., d)
    out = branch(x)
    # y = x + F(x)
    total = x + out  # (..., d)
    if placement == "none":
        return Residual(x, out, None, total)
    # y = LN(x + F(x))
    normalized = layer_norm(total, gamma, beta, eps)
    return Residual(x, out, normalized, normalized.y)  # (..., d)


def residual_backward(
    done: Residual, d_y: Floats, branch_backward: Callable[[Floats], Floats], placement: Placement
) -> tuple[Floats, Gradients | None]:
    """dL/dx (…, d), and the norm's gradients; ``branch_backward`` takes dL/dF to the gradient of what the branch read.

    A ``branch_backward`` that returns zeros leaves the identity path alone.
    """
    if done.normalized is None:
        # dL/dx = dL/dy (I + J_F)
        return d_y + branch_backward(d_y), None  # (..., d)
    if placement == "pre":
        # dL/dx = dL/dy (I + J_F J_LN): nothing stands in the identity's way
        inner = normalization_backward(done.normalized, branch_backward(d_y))
        return d_y + inner.dx, inner  # (..., d)
    # dL/dx = dL/dy J_LN (I + J_F): the identity passes the norm too
    outer = normalization_backward(done.normalized, d_y)
    return outer.dx + branch_backward(outer.dx), outer  # (..., d)


# attention with biases


def attention_sublayer(
    x: Floats,
    source: Floats,
    weights: AttentionWeights,
    heads: int,
    mask: Mask | None = None,
    polarity: Polarity = "keep",
) -> MultiHead:
    """Multi-head attention of x (…, n, d) over source (…, m, d), each projection with its bias.

    ``mask`` broadcasts to (…, heads, n, m). Source: Vaswani et al. 2017, section 3.2.2.
    """
    query, key, value = (
        split_heads(linear(given, projection), heads)
        for given, projection in ((x, weights.query), (source, weights.key), (source, weights.value))
    )  # (..., heads, n or m, d/heads)
    attended = scaled_dot_product_attention(query, key, value, mask=mask, polarity=polarity)
    concatenated = merge_heads(attended.context)  # (..., n, d)
    return MultiHead(query, key, value, attended, concatenated, linear(concatenated, weights.output))


def attention_sublayer_backward(
    done: MultiHead, x: Floats, source: Floats, weights: AttentionWeights, d_output: Floats
) -> tuple[Floats, Floats, AttentionWeights]:
    """dL/dx, dL/dsource and the gradients of the weights; for self-attention the first two add up."""
    d_concatenated, d_out = linear_backward(done.concatenated, weights.output, d_output)
    inner = scaled_dot_product_attention_backward(
        done.attended, done.query, done.key, done.value, split_heads(d_concatenated, done.query.shape[-3])
    )
    d_x, d_query = linear_backward(x, weights.query, merge_heads(inner.query))
    d_by_key, d_key = linear_backward(source, weights.key, merge_heads(inner.key))
    d_by_value, d_value = linear_backward(source, weights.value, merge_heads(inner.value))
    return d_x, d_by_key + d_by_value, AttentionWeights(d_query, d_key, d_value, d_out)
