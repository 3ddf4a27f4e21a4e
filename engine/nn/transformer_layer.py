"""Encoder and decoder layers, made of the sublayers of :mod:`engine.nn.transformer`.

Shapes: x (…, n, d), memory (…, m, d). Source: Vaswani et al. 2017, figure 1 and section 3.1.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.nn.attention import Mask, MultiHead
from engine.nn.mask import Polarity
from engine.nn.normalization import Gradients
from engine.nn.softmax import Floats
from engine.nn.transformer import (
    Activation,
    DecoderLayerWeights,
    EncoderLayerWeights,
    FeedForward,
    Norm,
    Placement,
    Residual,
    attention_sublayer,
    attention_sublayer_backward,
    feed_forward,
    feed_forward_backward,
    residual,
    residual_backward,
)


class EncoderLayer(NamedTuple):
    """The two branches, the two sublayers around them, and ``y`` (…, n, d)."""

    attention: MultiHead
    attended: Residual
    feed_forward: FeedForward
    fed: Residual
    y: Floats


class DecoderLayer(NamedTuple):
    """As :class:`EncoderLayer`, with the cross-attention over the memory between the two."""

    attention: MultiHead
    attended: Residual
    cross: MultiHead
    crossed: Residual
    feed_forward: FeedForward
    fed: Residual
    y: Floats


def encoder_layer(
    x: Floats,
    weights: EncoderLayerWeights,
    heads: int,
    *,
    placement: Placement = "post",
    activation: Activation = "relu",
    mask: Mask | None = None,
    polarity: Polarity = "keep",
    eps: float = 1e-5,
) -> EncoderLayer:
    """Self-attention, then the feed-forward network, each in a residual sublayer.

    ``mask`` broadcasts to (…, heads, n, n).
    """
    # the branches leave their traces here, for the backward pass
    attentions: list[MultiHead] = []
    networks: list[FeedForward] = []

    def attend(given: Floats) -> Floats:
        attentions.append(attention_sublayer(given, given, weights.attention, heads, mask, polarity))
        return attentions[-1].output

    def feed(given: Floats) -> Floats:
        networks.append(feed_forward(given, weights.feed_forward, activation))
        return networks[-1].output

    # post: a = LN(x + MHA(x)), y = LN(a + FFN(a));  pre: a = x + MHA(LN(x)), y = a + FFN(LN(a))
    attended = residual(x, attend, placement, weights.attention_norm, eps)  # (..., n, d)
    fed = residual(attended.y, feed, placement, weights.feed_forward_norm, eps)  # (..., n, d)
    return EncoderLayer(attentions[0], attended, networks[0], fed, fed.y)


def encoder_layer_backward(
    done: EncoderLayer,
    weights: EncoderLayerWeights,
    d_y: Floats,
    *,
    placement: Placement = "post",
    activation: Activation = "relu",
) -> tuple[Floats, EncoderLayerWeights]:
    """dL/dx (…, n, d) and the gradients of the weights (zeros for norms that do not stand)."""
    d_weights = weights._asdict()

    def feed_back(d_branch: Floats) -> Floats:
        d_entered, d_weights["feed_forward"] = feed_forward_backward(
            done.feed_forward, weights.feed_forward, d_branch, activation
        )
        return d_entered

    def attend_back(d_branch: Floats) -> Floats:
        entered = done.attended.entered
        d_x, d_source, d_weights["attention"] = attention_sublayer_backward(
            done.attention, entered, entered, weights.attention, d_branch
        )
        return d_x + d_source

    # the sublayers in reverse order
    d_attended, fed_norm = residual_backward(done.fed, d_y, feed_back, placement)  # (..., n, d)
    d_x, attended_norm = residual_backward(done.attended, d_attended, attend_back, placement)  # (..., n, d)
    d_weights["feed_forward_norm"] = _norm_gradient(fed_norm, weights.feed_forward_norm)
    d_weights["attention_norm"] = _norm_gradient(attended_norm, weights.attention_norm)
    return d_x, EncoderLayerWeights(**d_weights)


def decoder_layer(
    x: Floats,
    memory: Floats,
    weights: DecoderLayerWeights,
    heads: int,
    *,
    placement: Placement = "post",
    activation: Activation = "relu",
    mask: Mask | None = None,
    memory_mask: Mask | None = None,
    polarity: Polarity = "keep",
    eps: float = 1e-5,
) -> DecoderLayer:
    """Self-attention under ``mask`` (causal, to decode), attention over the memory, the feed-forward network.

    ``mask`` broadcasts to (…, heads, n, n), ``memory_mask`` to (…, heads, n, m). The memory is read as it is: a pre-LN
    encoder has normalised it by its final norm.
    """
    attentions: list[MultiHead] = []
    networks: list[FeedForward] = []

    def attend(given: Floats) -> Floats:
        attentions.append(attention_sublayer(given, given, weights.attention, heads, mask, polarity))
        return attentions[-1].output

    def cross(given: Floats) -> Floats:
        attentions.append(attention_sublayer(given, memory, weights.cross, heads, memory_mask, polarity))
        return attentions[-1].output

    def feed(given: Floats) -> Floats:
        networks.append(feed_forward(given, weights.feed_forward, activation))
        return networks[-1].output

    # post: a = LN(x + MHA(x)), c = LN(a + MHA(a, memory)), y = LN(c + FFN(c))
    attended = residual(x, attend, placement, weights.attention_norm, eps)  # (..., n, d)
    crossed = residual(attended.y, cross, placement, weights.cross_norm, eps)  # (..., n, d)
    fed = residual(crossed.y, feed, placement, weights.feed_forward_norm, eps)  # (..., n, d)
    return DecoderLayer(attentions[0], attended, attentions[1], crossed, networks[0], fed, fed.y)


def decoder_layer_backward(
    done: DecoderLayer,
    memory: Floats,
    weights: DecoderLayerWeights,
    d_y: Floats,
    *,
    placement: Placement = "post",
    activation: Activation = "relu",
) -> tuple[Floats, Floats, DecoderLayerWeights]:
    """dL/dx (…, n, d), dL/dmemory (…, m, d) and the gradients of the weights (zeros for norms that do not stand)."""
    d_weights = weights._asdict()
    d_memories: list[Floats] = []

    def feed_back(d_branch: Floats) -> Floats:
        d_entered, d_weights["feed_forward"] = feed_forward_backward(
            done.feed_forward, weights.feed_forward, d_branch, activation
        )
        return d_entered

    def cross_back(d_branch: Floats) -> Floats:
        d_entered, d_memory, d_weights["cross"] = attention_sublayer_backward(
            done.cross, done.crossed.entered, memory, weights.cross, d_branch
        )
        d_memories.append(d_memory)
        return d_entered

    def attend_back(d_branch: Floats) -> Floats:
        entered = done.attended.entered
        d_x, d_source, d_weights["attention"] = attention_sublayer_backward(
            done.attention, entered, entered, weights.attention, d_branch
        )
        return d_x + d_source

    # the sublayers in reverse order
    d_crossed, fed_norm = residual_backward(done.fed, d_y, feed_back, placement)  # (..., n, d)
    d_attended, crossed_norm = residual_backward(
        done.crossed, d_crossed, cross_back, placement
    )  # (..., n, d)
    d_x, attended_norm = residual_backward(done.attended, d_attended, attend_back, placement)  # (..., n, d)
    d_weights["feed_forward_norm"] = _norm_gradient(fed_norm, weights.feed_forward_norm)
    d_weights["cross_norm"] = _norm_gradient(crossed_norm, weights.cross_norm)
    d_weights["attention_norm"] = _norm_gradient(attended_norm, weights.attention_norm)
    return d_x, d_memories[0], DecoderLayerWeights(**d_weights)


def _norm_gradient(found: Gradients | None, norm: Norm) -> Norm:
    if found is None:
        return Norm(0 * norm.gamma, 0 * norm.beta)
    return Norm(found.dgamma, found.dbeta)
