"""Positions that enter the scores as functions of the distance: Shaw, Transformer-XL, T5, ALiBi, DeBERTa.

Shapes: h heads, L queries, S keys, width d_k of a head. The last query is the last key's position
(bottom-right, see :mod:`engine.nn.mask`), so that decoding with a cache needs nothing else.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.nn.position import Floats, Ints


def distances(queries: int, keys: int) -> Ints:
    """Position of the query minus position of the key: (L, S), positive towards the past."""
    # i + S - L - j
    return np.arange(queries)[:, None] + (keys - queries) - np.arange(keys)[None, :]  # (L, S)


# Shaw et al., Transformer-XL


def clipped_scores(query: Floats, key: Floats, table: Floats) -> Floats:
    """Scores, not yet scaled, of keys with an embedding of the clipped offset added: (…, L, d_k) twice to (…, L, L).

    ``table`` (2 reach + 1, d_k) has the row ``reach`` for offset 0 and later rows for keys after the query. Each query
    meets each row once, so no (L, L, d_k) array of embeddings is built. Source: Shaw et al. 2018, equations 3 to 5 and
    section 3.3.
    """
    reach, length = len(table) // 2, query.shape[-2]
    rows = np.clip(-distances(length, length), -reach, reach) + reach  # (L, L), [i, j] = clip(j - i) + reach
    # e_ij = q_i (k_j + a_{j-i})^T = q_i k_j^T + q_i a_{j-i}^T
    by_offset = query @ table.T  # (..., L, 2 reach + 1)
    scores: Floats = (
        query @ key.swapaxes(-1, -2) + by_offset[..., np.arange(length)[:, None], rows]
    )  # (..., L, L)
    return scores


def relative_shift(by_distance: Floats) -> Floats:
    """Columns for distances L-1 … 0 moved to columns for keys 0 … L-1: (…, L, L) to (…, L, L).

    Entry [i, j] holds distance i - j where j ≤ i; what lies after the diagonal is left to a causal mask. One column of
    padding and two reshapes, no gather. Source: Dai et al. 2019 (Transformer-XL), appendix B.
    """
    *lead, length, _ = by_distance.shape
    padded = np.concatenate((np.zeros((*lead, length, 1)), by_distance), axis=-1)  # (..., L, L + 1)
    # B_ij = A_{i, L-1-(i-j)}
    return padded.reshape(*lead, length + 1, length)[..., 1:, :]  # (..., L, L)


# ALiBi


def alibi_slopes(heads: int) -> Floats:
    """One slope a head: (h,), for a power of two the geometric sequence from 2^{-8/h} to 2^{-8}.

    For other numbers the released code takes the slopes of the power of two below and fills up with every other one
    of the power above. Source: Press et al. 2022, section 3 and its code.

    Raises:
        ValueError: no heads.
    """
    if heads < 1:
        raise ValueError("there must be at least one head")
    below = 2 ** (heads.bit_length() - 1)
    # m_k = 2^{-8k/h},  k = 1 … h
    slopes = 2.0 ** (-8 * np.arange(1, below + 1) / below)  # (h,)
    between = 2.0 ** (-8 * np.arange(1, 2 * below + 1, 2) / (2 * below))
    return np.concatenate((slopes, between[: heads - below]))


def alibi_bias(heads: int, queries: int, keys: int) -> Floats:
    """What ALiBi adds to the scores: (h, L, S), 0 on the diagonal, falling linearly with the distance.

    Source: Press et al. 2022, section 3 (keys after the query are left to the causal mask).
    """
    # b_{kij} = -m_k |i - j|
    bias: Floats = -alibi_slopes(heads)[:, None, None] * np.abs(distances(queries, keys))  # (h, L, S)
    return bias


# T5


def relative_buckets(
    distance: Ints, *, buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> Ints:
    """T5's bucket of each distance (query minus key), same shape: one each while near, logarithmic to ``max_distance``.

    Source: Raffel et al. 2020, section 2.1 and its code.

    Raises:
        ValueError: too few buckets for a logarithmic part, or ``max_distance`` inside the exact part.
    """
    side = buckets // 2 if bidirectional else buckets
    exact = side // 2
    if exact < 1 or max_distance <= exact:
        raise ValueError(f"{buckets} buckets up to distance {max_distance} leave no room")
    # the later half of the buckets is for keys after the query; causal models put those at distance 0
    after = side * (distance < 0) if bidirectional else np.zeros_like(distance)
    far = np.abs(distance) if bidirectional else np.maximum(distance, 0)
    # exact + floor(log(|i-j| / exact) / log(max / exact) (side - exact)), at most side - 1
    grown = np.log(np.maximum(far, exact) / exact) / math.log(max_distance / exact) * (side - exact)
    bucket = np.where(far < exact, far, np.minimum(exact + grown.astype(np.int64), side - 1))
    return after + bucket


def bucketed_bias(table: Floats, buckets: Ints) -> Floats:
    """Scores to add: a learned scalar for each bucket and head, (buckets, h) and (L, S) to (h, L, S)."""
    # b_{kij} = T[bucket(i - j), k]
    return np.moveaxis(table[buckets], -1, 0)  # (h, L, S)


def bucketed_bias_backward(buckets: Ints, d_bias: Floats, rows: int) -> Floats:
    """dL/d table (rows, h) from dL/d bias (h, L, S): each entry sums over the pairs in its bucket."""
    d_table = np.zeros((rows, len(d_bias)), dtype=d_bias.dtype)
    # dL/dT[b, k] = sum of dL/db_{kij} over bucket(i - j) = b
    np.add.at(d_table, buckets.ravel(), np.moveaxis(d_bias, 0, -1).reshape(-1, len(d_bias)))
    return d_table


# DeBERTa


class Disentangled(NamedTuple):
    """DeBERTa's three terms and their scaled sum, each (…, L, L)."""

    content_to_content: Floats
    content_to_position: Floats
    position_to_content: Floats
    scores: Floats


def relative_rows(distance: Ints, reach: int) -> Ints:
    """DeBERTa's row δ in 0 … 2 reach - 1 of each distance, cut off at ``reach``. He et al. 2021, equation 3."""
    # delta = clip(i - j + k, 0, 2k - 1)
    return np.clip(distance + reach, 0, 2 * reach - 1)


def disentangled_scores(
    query: Floats, key: Floats, position_query: Floats, position_key: Floats
) -> Disentangled:
    """Scores of a sequence from contents ``query``, ``key`` (…, L, d_k) and relative positions (2 reach, d_k).

    The fourth term, position to position, is left out: relative positions alone carry little. The scale is
    1/√(3 d_k) because three terms are added. Source: He et al. 2021 (DeBERTa), equation 4.
    """
    length, d_k = query.shape[-2:]
    rows = relative_rows(distances(length, length), len(position_key) // 2)  # (L, L), [i, j] = δ(i, j)
    # A_ij = Q^c_i K^c_j + Q^c_i K^r_δ(i,j) + K^c_j Q^r_δ(j,i)
    content = query @ key.swapaxes(-1, -2)  # (..., L, L)
    to_position = (query @ position_key.T)[..., np.arange(length)[:, None], rows]  # (..., L, L)
    from_position = (key @ position_query.T)[..., np.arange(length)[None, :], rows.T]  # (..., L, L)
    # softmax(A / sqrt(3 d_k))
    scores = (content + to_position + from_position) / math.sqrt(3 * d_k)  # (..., L, L)
    return Disentangled(content, to_position, from_position, scores)
