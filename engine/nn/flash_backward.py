"""The backward pass of FlashAttention: attention's gradients from inputs, output and one number a row, tile by tile.

One head, no mask. The weights are not stored; each tile of them is made again from a tile of queries and keys and the
logsumexp of its rows.

Sources: Dao et al. 2022 (FlashAttention), section 3.1 and appendix B; Dao 2023 (FlashAttention-2), algorithm 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.nn.attention import AttentionGradient
from engine.nn.hbm import Floats


class Kept(NamedTuple):
    """What the forward pass leaves beside its inputs: the output (N, d_v) and the logsumexp of each row of scores (N, 1)."""

    output: Floats
    logsumexp: Floats


def weights_again(q: Floats, k: Floats, logsumexp: Floats, scale: float) -> Floats:
    """A tile of attention weights (r, c) from queries (r, d), keys (c, d) and the logsumexp (r, 1) of whole rows."""
    # P = e^{S - L},  S = scale Q K^T
    return np.asarray(np.exp(q @ k.T * scale - logsumexp))  # (r, c)


def row_dots(output: Floats, d_output: Floats) -> Floats:
    """Each row's dot product of output and its gradient (N, 1), which is the mean of dL/dP under the row's weights."""
    # D_i = dO_i . O_i
    return np.asarray((d_output * output).sum(axis=-1, keepdims=True))  # (N, 1)


def tiled_backward(
    q: Floats, k: Floats, v: Floats, kept: Kept, d_output: Floats, scale: float, rows: int, columns: int
) -> AttentionGradient:
    """Gradients of queries (N, d), keys (S, d) and values (S, d_v) from dL/d output (N, d_v), in tiles of ``rows`` queries
    by ``columns`` keys; the last tiles may be smaller.

    Raises:
        ValueError: a tile without rows or columns.
    """
    if rows < 1 or columns < 1:
        raise ValueError("a tile has at least one row and one column")
    d_query, d_key, d_value = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    dots = row_dots(kept.output, d_output)  # (N, 1)
    for start in range(0, len(k), columns):
        keys = slice(start, start + columns)
        for first in range(0, len(q), rows):
            own = slice(first, first + rows)
            weights = weights_again(q[own], k[keys], kept.logsumexp[own], scale)  # (r, c)
            # dV += P^T dO
            d_value[keys] += weights.T @ d_output[own]  # (c, d_v)
            # dP = dO V^T
            d_weights = d_output[own] @ v[keys].T  # (r, c)
            # dS = P * (dP - D)
            d_scores = weights * (d_weights - dots[own])  # (r, c)
            # dQ += scale dS K
            d_query[own] += d_scores @ k[keys] * scale  # (r, d)
            # dK += scale dS^T Q
            d_key[keys] += d_scores.T @ q[own] * scale  # (c, d)
    return AttentionGradient(d_query, d_key, d_value)
