"""Grouped-query and multi-query attention, and the cache of keys and values that decoding keeps.

h query heads share n_kv key-value heads, h / n_kv to a group: n_kv = h is multi-head attention, n_kv = 1 multi-query. Sources:
Shazeer 2019, section 3 (multi-query); Ainslie et al. 2023, section 2.2 (grouped-query); Pope et al. 2022, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.nn.attention import Attention, Mask, scaled_dot_product_attention

Floats: TypeAlias = NDArray[np.floating[Any]]


def share_heads(x: Floats, heads: int) -> Floats:
    """Keys or values (…, n_kv, S, d) as ``heads`` heads, (…, heads, S, d): head i gets that of group i // (heads / n_kv).

    Raises:
        ValueError: the heads do not divide evenly into groups.
    """
    if heads % x.shape[-3]:
        raise ValueError(f"{heads} query heads cannot share {x.shape[-3]} key-value heads evenly")
    return np.repeat(x, heads // x.shape[-3], axis=-3)


def grouped_query_attention(
    query: Floats, key: Floats, value: Floats, *, mask: Mask | None = None
) -> Attention:
    """Queries (…, h, L, d_k) over keys (…, n_kv, S, d_k) and values (…, n_kv, S, d_v); masks as for the scaled dot product.

    Raises:
        ValueError: as :func:`share_heads`.
    """
    heads = query.shape[-3]
    # head_i = softmax(q_i K_g^T / sqrt(d_k)) V_g,  g = floor(i n_kv / h)
    return scaled_dot_product_attention(query, share_heads(key, heads), share_heads(value, heads), mask=mask)


class LayerCache:
    """One layer's keys and values, (batch, n_kv, capacity, d_h) each, of which the first ``length`` positions are filled.

    The room is taken once, as servers do: appending copies nothing that is already there.
    """

    def __init__(self, batch: int, kv_heads: int, capacity: int, width: int, dtype: DTypeLike = np.float64):
        self.length = 0
        self._key = np.zeros((batch, kv_heads, capacity, width), dtype)
        self._value = np.zeros(self._key.shape, dtype)

    @property
    def key(self) -> Floats:
        return self._key[..., : self.length, :]

    @property
    def value(self) -> Floats:
        return self._value[..., : self.length, :]

    @property
    def nbytes(self) -> int:
        """Bytes that the filled part takes."""
        return self.key.nbytes + self.value.nbytes

    def append(self, key: Floats, value: Floats) -> None:
        """Adds keys and values (batch, n_kv, t, d_h) of the newest t positions.

        Raises:
            ValueError: they do not fit into what room is left.
        """
        end = self.length + key.shape[-2]
        if end > self._key.shape[-2]:
            raise ValueError(f"the cache has room for {self._key.shape[-2]} positions, not {end}")
        # K_t = [K_{t-1}; k_t],  V_t = [V_{t-1}; v_t]
        self._key[..., self.length : end, :] = key
        self._value[..., self.length : end, :] = value
        self.length = end


@dataclass
class Work:
    """Scores that attention computed and rows that were projected to keys and values, as they happen."""

    scores: int = 0
    projected: int = 0


@dataclass(frozen=True)
class GroupedWeights:
    """Projections as in x @ W: ``query`` (d, h·d_h), ``key`` and ``value`` (d, n_kv·d_h)."""

    query: Floats
    key: Floats
    value: Floats
    heads: int
    kv_heads: int


def _heads(projected: Floats, heads: int) -> Floats:
    """(batch, n, h·d_h) to (batch, h, n, d_h)."""
    batch, n, width = projected.shape
    return projected.reshape(batch, n, heads, width // heads).swapaxes(1, 2)


def decode_cached(
    x_t: Floats,
    weights: GroupedWeights,
    cache: LayerCache,
    work: Work,
    attend: Callable[..., Attention] = grouped_query_attention,
) -> Floats:
    """Context (batch, h, 1, d_h) of the newest position ``x_t`` (batch, 1, d); its key and value join the cache."""
    # only the newest row is projected: the others are in the cache
    cache.append(_heads(x_t @ weights.key, weights.kv_heads), _heads(x_t @ weights.value, weights.kv_heads))
    work.projected += x_t.shape[-2]
    attended = attend(_heads(x_t @ weights.query, weights.heads), cache.key, cache.value)
    work.scores += attended.scores[0, 0].size
    return attended.context  # (batch, h, 1, d_h)


def decode_uncached(x: Floats, weights: GroupedWeights, work: Work) -> Floats:
    """The same context, of the last of the positions ``x`` (batch, t, d), with everything computed anew under a causal mask."""
    t = x.shape[-2]
    key, value = _heads(x @ weights.key, weights.kv_heads), _heads(x @ weights.value, weights.kv_heads)
    work.projected += t
    mask = np.tri(t, dtype=np.bool_)  # (t, t)
    attended = grouped_query_attention(_heads(x @ weights.query, weights.heads), key, value, mask=mask)
    work.scores += attended.scores[0, 0].size
    return attended.context[..., -1:, :]  # (batch, h, 1, d_h)
