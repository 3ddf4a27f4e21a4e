"""Mutants of D55."""

from __future__ import annotations

from engine.nn import kv_cache
from tests.mutants.mutant import Mutant


class _KeysAlone(kv_cache.LayerCache):
    """Counts the keys and forgets the values."""

    @property
    def nbytes(self) -> int:
        return self.key.nbytes


class _AllDoubles(kv_cache.LayerCache):
    """Ignores the type of number that it is asked for."""

    def __init__(self, batch, kv_heads, capacity, width, dtype=None):  # type: ignore[no-untyped-def]
        super().__init__(batch, kv_heads, capacity, width)


class _WholeRoom(kv_cache.LayerCache):
    """Counts the room that was taken, filled or not."""

    @property
    def nbytes(self) -> int:
        return self._key.nbytes + self._value.nbytes


def _newest_key_left_out(original):  # type: ignore[no-untyped-def]
    def decode(x_t, weights, cache, work):  # type: ignore[no-untyped-def]
        context = original(x_t, weights, cache, work)
        if cache.length > 1:
            cache.length -= 1
            query = (x_t @ weights.query).reshape(1, 1, weights.heads, -1).swapaxes(1, 2)
            context = kv_cache.grouped_query_attention(query, cache.key, cache.value).context
            cache.length += 1
        return context

    return decode


def _from_a_cache(_):  # type: ignore[no-untyped-def]
    def decode(x, weights, work):  # type: ignore[no-untyped-def]
        """The right output, out of a cache after all."""
        t = x.shape[-2]
        cache = kv_cache.LayerCache(1, weights.kv_heads, t, weights.key.shape[1] // weights.kv_heads)
        for i in range(t):
            context = kv_cache.decode_cached(x[:, i : i + 1], weights, cache, work)
        return context

    return decode


MUTANTS = (
    Mutant("values-forgotten", "LayerCache", lambda _: _KeysAlone, ("bytes-of-one-token", "multi-head-size")),
    Mutant("all-doubles", "LayerCache", lambda _: _AllDoubles, "bytes-of-one-token"),
    Mutant("room-for-bytes", "LayerCache", lambda _: _WholeRoom, ("bytes-of-one-token", "no-fixed-part")),
    Mutant("newest-key-left-out", "decode_cached", _newest_key_left_out, "cached-equals-uncached"),
    Mutant(
        "keys-and-values-swapped",
        "decode_uncached",
        lambda original: (
            lambda x, weights, work: original(
                x, kv_cache.GroupedWeights(weights.query, weights.value, weights.key, 4, 2), work
            )
        ),
        "cached-equals-uncached",
    ),
    Mutant("uncached-by-the-cache", "decode_uncached", _from_a_cache, "uncached-score-count"),
    Mutant(
        "factor-two-forgotten",
        "cache_bytes",
        lambda _: lambda L, n, d, s, b, B: L * n * d * s * b * B,
        ("llama-2-70b", "bytes-of-one-token", "intensity"),
    ),
    Mutant(
        "sum-one-short",
        "cached_scores",
        lambda _: lambda n: n * (n - 1) / 2,
        ("scores-with", "cached-score-count"),
    ),
    Mutant(
        "whole-triangle-for-each-step",
        "uncached_scores",
        lambda _: lambda n: n**3,
        ("scores-without", "uncached-score-count"),
    ),
    Mutant(
        "each-row-projected-n-times",
        "projection_ratio",
        lambda _: lambda n: n,
        ("projections-ratio", "projected-rows"),
    ),
)
