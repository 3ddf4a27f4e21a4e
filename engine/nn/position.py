"""Absolute position encodings: sinusoidal, learned, and positions scaled down to the trained length.

Shapes: n positions, width d of an encoding, d/2 pairs of one sine and one cosine. Frameworks order
the features of the pairs differently, so the order is a named argument: ``interleaved`` puts the two
features of pair i at 2i and 2i + 1 (Vaswani et al. 2017), ``halves`` at i and d/2 + i (tensor2tensor).
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.int64]

Layout = Literal["interleaved", "halves"]


def angular_frequencies(d: int, base: float = 10_000.0) -> Floats:
    """Radians a position for each pair: (d/2,), from 1 down to base^{-(d-2)/d}.

    Source: Vaswani et al. 2017, section 3.5; the same frequencies in Su et al. 2021, section 3.2.2.

    Raises:
        ValueError: d is odd or below 2: a pair would lack its cosine.
    """
    if d < 2 or d % 2:
        raise ValueError(f"the width must be even and at least 2, not {d}")
    # w_i = base^{-2i/d}
    frequencies: Floats = base ** (-2 * np.arange(d // 2) / d)  # (d/2,)
    return frequencies


def sinusoidal_encoding(
    positions: ArrayLike, d: int, *, base: float = 10_000.0, layout: Layout = "interleaved"
) -> Floats:
    """PE of each position, whole or not: (…) to (…, d). Each pair is (sin, cos).

    Source: Vaswani et al. 2017, section 3.5.

    Raises:
        ValueError: as :func:`angular_frequencies`.
    """
    at = np.asarray(positions, dtype=np.float64)
    angles = at[..., None] * angular_frequencies(d, base)  # (..., d/2)
    encoding: Floats = np.empty((*at.shape, d))
    sines, cosines = split_pairs(encoding, layout)
    # PE(p)_{2i} = sin(w_i p),  PE(p)_{2i+1} = cos(w_i p)
    np.sin(angles, out=sines)  # (..., d/2)
    np.cos(angles, out=cosines)  # (..., d/2)
    return encoding  # (..., d)


def split_pairs(x: Floats, layout: Layout) -> tuple[Floats, Floats]:
    """First and second features of the pairs: (…, d) to two views (…, d/2)."""
    if layout == "interleaved":
        return x[..., 0::2], x[..., 1::2]
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def join_pairs(first: Floats, second: Floats, layout: Layout) -> Floats:
    """The inverse of :func:`split_pairs`: two (…, d/2) to (…, d)."""
    if layout == "halves":
        return np.concatenate((first, second), axis=-1)
    return np.stack((first, second), axis=-1).reshape(*first.shape[:-1], 2 * first.shape[-1])


def learned_encoding(table: Floats, positions: ArrayLike) -> Floats:
    """Rows of a learned table (max_len, d) at whole positions: (…) to (…, d).

    Source: Gehring et al. 2017, section 3.1; Devlin et al. 2019, section 3.

    Raises:
        ValueError: a position below 0 or without a row: a learned table has nothing to say beyond its length.
    """
    return table[_rows(positions, len(table))]  # (..., d)


def learned_encoding_backward(positions: ArrayLike, d_encoding: Floats, max_len: int) -> Floats:
    """dL/d table (max_len, d) from dL/d encoding (…, d): a row gets the sum over its uses, unused rows get 0."""
    d = d_encoding.shape[-1]
    d_table = np.zeros((max_len, d), dtype=d_encoding.dtype)
    # dL/dT_p = sum over the uses u of row p of dL/de_u
    np.add.at(d_table, _rows(positions, max_len).ravel(), d_encoding.reshape(-1, d))  # (max_len, d)
    return d_table


def _rows(positions: ArrayLike, max_len: int) -> Ints:
    at = np.asarray(positions, dtype=np.int64)
    if at.size and not (at.min() >= 0 and at.max() < max_len):
        raise ValueError(f"positions must lie in 0..{max_len - 1}")
    return at


def interpolated_positions(positions: ArrayLike, trained: int, length: int) -> Floats:
    """Positions of a sequence of ``length`` squeezed into the ``trained`` range; unchanged where it fits.

    Source: Chen et al. 2023 (position interpolation), equation 4.
    """
    # p' = p L / L',  L' > L
    return np.asarray(positions, dtype=np.float64) * min(1.0, trained / length)


def ntk_aware_base(base: float, factor: float, d: int) -> float:
    """The base at which the slowest pair turns ``factor`` times slower while the fastest keeps its speed.

    Source: Peng et al. 2024 (YaRN), definition 1 and equation 16, after a note by bloc97 (2023).

    Raises:
        ValueError: d is odd or below 4: there must be a slowest pair besides the fastest.
    """
    if d < 4 or d % 2:
        raise ValueError(f"the width must be even and at least 4, not {d}")
    # b' = b s^{d/(d-2)}
    return float(base * factor ** (d / (d - 2)))
