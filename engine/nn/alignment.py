"""Alignment scores of encoder-decoder attention: additive (Bahdanau et al. 2015, section A.1.2) and the
multiplicative forms of Luong et al. 2015, section 3.1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.demonstration import Array
from engine.nn.softmax import softmax, softmax_backward


class Additive(NamedTuple):
    """Weights of additive attention: ``W_s`` (A, S), ``W_h`` (A, H), ``b`` (A,), ``v`` (A,).

    The forward pass also takes weights of their own for each of B sequences, (B, A, S) and so on.
    """

    W_s: Array
    W_h: Array
    b: Array
    v: Array


class Aligned(NamedTuple):
    """``scores`` and ``weights`` (B, T), ``context`` (B, H), and of additive attention its ``tanh`` (B, T, A)."""

    scores: Array
    weights: Array
    context: Array
    tanh: Array


def additive_scores(s: Array, h: Array, weights: Additive) -> tuple[Array, Array]:
    """(scores (B, T), tanh (B, T, A)) of decoder states s (B, S) against annotations h (B, T, H)."""
    # e_j = v^T tanh(W_s s + W_h h_j + b)
    state = s[:, None] @ weights.W_s.swapaxes(-1, -2)  # (B, 1, A)
    tanh = np.tanh(state + h @ weights.W_h.swapaxes(-1, -2) + weights.b[..., None, :])  # (B, T, A)
    scores: Array = (tanh @ weights.v[..., None])[..., 0]  # (B, T)
    return scores, tanh


def luong_dot(s: Array, h: Array) -> Array:
    """s (B, H), h (B, T, H): (B, T)."""
    # e_j = s^T h_j
    scores: Array = np.einsum("bh,bth->bt", s, h)
    return scores


def luong_general(s: Array, h: Array, W: Array) -> Array:
    """W (S, H) between spaces of different width."""
    # e_j = s^T W h_j
    return luong_dot(s @ W, h)


def luong_concat(s: Array, h: Array, W: Array, v: Array) -> Array:
    """W (A, S + H): one layer on [s; h_j], without a bias."""
    joined = np.concatenate(
        [np.broadcast_to(s[:, None], (*h.shape[:2], s.shape[-1])), h], axis=-1
    )  # (B, T, S + H)
    # e_j = v^T tanh(W [s; h_j])
    scores: Array = np.tanh(joined @ W.T) @ v
    return scores


def attend(scores: Array, h: Array, keep: Array | None = None) -> tuple[Array, Array]:
    """(weights (B, T), context (B, H)); where ``keep`` (B, T) is False a position gets no weight."""
    masked = scores if keep is None else np.where(keep, scores, -np.inf)
    # alpha = softmax(e), c = sum_j alpha_j h_j
    weights = softmax(masked).astype(np.float64)  # (B, T)
    context: Array = np.einsum("bt,bth->bh", weights, h)  # (B, H)
    return weights, context


def additive_attention(s: Array, h: Array, weights: Additive, keep: Array | None = None) -> Aligned:
    """Additive attention with every intermediate."""
    scores, tanh = additive_scores(s, h, weights)
    alpha, context = attend(scores, h, keep)
    return Aligned(scores, alpha, context, tanh)


def additive_attention_backward(
    s: Array, h: Array, weights: Additive, done: Aligned, d_context: Array
) -> tuple[Array, Array, Additive]:
    """(dL/ds, dL/dh, dL/dweights) from dL/dcontext (B, H)."""
    # dL/dalpha_j = dL/dc . h_j, dL/de = J_softmax^T dL/dalpha
    d_scores = softmax_backward(done.weights, np.einsum("bh,bth->bt", d_context, h))  # (B, T)
    # dL/da_j = dL/de_j v (1 - tanh^2)
    d_pre = d_scores[..., None] * weights.v * (1.0 - done.tanh**2)  # (B, T, A)
    d_s = d_pre.sum(axis=1) @ weights.W_s  # (B, S)
    # h_j enters twice: through its score and as what is averaged
    d_h = d_pre @ weights.W_h + done.weights[..., None] * d_context[:, None]  # (B, T, H)
    gradients = Additive(
        np.einsum("bta,bs->as", d_pre, s),
        np.einsum("bta,bth->ah", d_pre, h),
        d_pre.sum(axis=(0, 1)),
        np.einsum("bt,bta->a", d_scores, done.tanh),
    )
    return d_s, d_h, gradients
