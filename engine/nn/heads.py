"""Fine-tuning heads on top of an encoder: one linear layer each (Devlin et al. 2019, figure 4)."""

from __future__ import annotations

import numpy as np

from engine.demonstration import Array


def linear(x: Array, W: Array, b: Array) -> Array:
    """x (…, d), W (C, d) as PyTorch keeps it, b (C,); returns (…, C)."""
    # y = x W^T + b
    y: Array = x @ W.T + b  # (…, C)
    return y


def linear_backward(x: Array, W: Array, upstream: Array) -> tuple[Array, Array, Array]:
    """(dL/dx, dL/dW, dL/db) of :func:`linear`, shapes as x, W and b."""
    rows, gradients = x.reshape(-1, x.shape[-1]), upstream.reshape(-1, upstream.shape[-1])
    # dL/dx = dL/dy W, dL/dW = sum over rows of (dL/dy)^T x, dL/db = sum over rows of dL/dy
    return upstream @ W, np.einsum("nc,nd->cd", gradients, rows), gradients.sum(axis=0)


def classify_sentence(hidden_states: Array, W: Array, b: Array) -> Array:
    """Logits from the first position, [CLS]: hidden_states (B, T, d) to (B, C)."""
    return linear(hidden_states[:, 0], W, b)


def classify_tokens(hidden_states: Array, W: Array, b: Array) -> Array:
    """Logits of every position, for tagging: (B, T, d) to (B, T, C)."""
    return linear(hidden_states, W, b)


def span_logits(hidden_states: Array, W: Array, b: Array) -> tuple[Array, Array]:
    """Start and end logits of an extractive answer, (B, T) each; W (2, d)."""
    both = linear(hidden_states, W, b)  # (B, T, 2)
    return both[..., 0], both[..., 1]


def best_span(start: Array, end: Array, longest: int | None = None) -> tuple[int, int]:
    """argmax over i ≤ j of start_i + end_j for one sequence, in one pass; ``longest`` bounds j - i + 1.

    Ties go to the first span met from left to right.
    """
    T = start.shape[0]
    best, found = -np.inf, (0, 0)
    for j in range(T):
        first = 0 if longest is None else max(0, j - longest + 1)
        # the best start for this end lies in a window that only moves to the right
        i = first + int(np.argmax(start[first : j + 1]))
        if start[i] + end[j] > best:
            best, found = float(start[i] + end[j]), (i, j)
    return found


def cosine_similarity(a: Array, b: Array) -> Array:
    """a·b / (|a| |b|) along the last axis."""
    # cos = a.b / sqrt(a.a b.b)
    similarity: Array = (a * b).sum(axis=-1) / np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    return similarity
