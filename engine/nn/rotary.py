"""Rotary position embedding (RoPE): queries and keys are turned by their positions, values are not.

Shapes: n positions, width d_k of a head, r ≤ d_k rotated features in r/2 pairs; leading axes (…) are
batches and heads. Source: Su et al. 2021, section 3.2. The first r features are rotated and the rest
is left alone (Black et al. 2022, section 2.1.1: r = d_k / 4).

The order of the features is a named argument, as in :mod:`engine.nn.position`: ``interleaved`` (Su et
al.; the first LLaMA code) or ``halves`` (GPT-NeoX; ``rotate_half`` in Hugging Face). Weights trained
with one give wrong scores with the other until the columns of W_Q and W_K are reordered.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.nn.position import Floats, Layout, angular_frequencies, join_pairs, split_pairs


def rotary_angles(positions: ArrayLike, rotated: int, base: float = 10_000.0) -> Floats:
    """Angle in radians of each pair at each position: (n,) to (n, r/2).

    Raises:
        ValueError: ``rotated`` is odd or below 2.
    """
    # theta_{p,i} = p base^{-2i/r}
    at = np.asarray(positions, dtype=np.float64)
    return at[..., None] * angular_frequencies(rotated, base)  # (n, r/2)


def rotate(x: Floats, angles: Floats, layout: Layout = "interleaved") -> Floats:
    """Each pair of the first r features of ``x`` (…, n, d_k) turned by its angle (…, n, r/2), the two broadcast.

    Source: Su et al. 2021, equation 34.

    Raises:
        ValueError: more angles than pairs.
    """
    r = 2 * angles.shape[-1]
    if r > x.shape[-1]:
        raise ValueError(f"{r} features cannot be rotated where there are {x.shape[-1]}")
    first, second = split_pairs(x[..., :r], layout)  # (..., n, r/2) each
    cos, sin = np.cos(angles), np.sin(angles)  # (n, r/2)
    # (x_1, x_2) -> (x_1 cos t - x_2 sin t, x_1 sin t + x_2 cos t)
    turned = join_pairs(first * cos - second * sin, first * sin + second * cos, layout)  # (..., n, r)
    rest = np.broadcast_to(x[..., r:], (*turned.shape[:-1], x.shape[-1] - r))
    return np.concatenate((turned, rest), axis=-1)  # (..., n, d_k)


def rotate_backward(d_rotated: Floats, angles: Floats, layout: Layout = "interleaved") -> Floats:
    """dL/dx (…, n, d_k) from dL/d rotated: a rotation's transpose turns back."""
    # dL/dx = R^T dL/dy = R_{-p} dL/dy
    return rotate(d_rotated, -angles, layout)  # (..., n, d_k)


def rotate_on_grid(x: Floats, rows: ArrayLike, columns: ArrayLike, base: float = 100.0) -> Floats:
    """RoPE for patches of an image, axial: the first half of the features (…, n, d_k) turns by the column, the second
    by the row; ``rows`` and ``columns`` (…, n).

    Source: Heo et al. 2024, section 3 (axial frequencies).

    Raises:
        ValueError: d_k is not a multiple of 4.
    """
    half = x.shape[-1] // 2
    # R(column) x_1 beside R(row) x_2
    along = rotate(x[..., :half], rotary_angles(columns, half, base))  # (..., n, d_k/2)
    down = rotate(x[..., half:], rotary_angles(rows, x.shape[-1] - half, base))  # (..., n, d_k/2)
    return np.concatenate((along, down), axis=-1)  # (..., n, d_k)
