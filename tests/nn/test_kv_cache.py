"""Grouped-query attention agrees with PyTorch and with a loop; decoding with a cache equals decoding without."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.kv_cache import (
    GroupedWeights,
    LayerCache,
    Work,
    decode_cached,
    decode_uncached,
    grouped_query_attention,
    share_heads,
)
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("kv_cache", source)).items():
        query, key = case["query"], case["key"]
        mask = np.tri(query.shape[-2], key.shape[-2], dtype=bool) if case["causal"] else None
        ours = grouped_query_attention(query, key, case["value"], mask=mask)
        assert_close(ours.context, case["context"], name)


def context_by_loop(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """One query head at a time, one query at a time, with its own group's keys."""
    batch, heads, queries, width = query.shape
    context = np.zeros((batch, heads, queries, value.shape[-1]))
    for b, head, i in np.ndindex(batch, heads, queries):
        group = head * key.shape[1] // heads
        powers = [math.exp(float(query[b, head, i] @ one) / math.sqrt(width)) for one in key[b, group]]
        for power, row in zip(powers, value[b, group], strict=True):
            context[b, head, i] += power / math.fsum(powers) * row
    return context


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 2),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_as_a_loop(batch: int, kv_heads: int, group: int, n: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    query = rng.standard_normal((batch, kv_heads * group, n, width))
    key, value = rng.standard_normal((2, batch, kv_heads, n + 1, width))
    ours = grouped_query_attention(query, key, value).context
    np.testing.assert_allclose(ours, context_by_loop(query, key, value), rtol=1e-12, atol=1e-13)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 2), st.integers(1, 3), st.integers(1, 3), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_cached_equals_uncached_and_the_work_is_what_was_done(
    batch: int, kv_heads: int, group: int, n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    heads, width, d = kv_heads * group, 3, 5
    weights = GroupedWeights(
        rng.standard_normal((d, heads * width)),
        *rng.standard_normal((2, d, kv_heads * width)),
        heads,
        kv_heads,
    )
    x = rng.standard_normal((batch, n, d))
    cache, cached, uncached = LayerCache(batch, kv_heads, n, width), Work(), Work()
    for t in range(1, n + 1):
        ours = decode_cached(x[:, t - 1 : t], weights, cache, cached)
        np.testing.assert_allclose(ours, decode_uncached(x[:, :t], weights, uncached), rtol=1e-11, atol=1e-12)
    assert cached == Work(scores=sum(range(n + 1)), projected=n)
    assert uncached == Work(scores=sum(t * t for t in range(n + 1)), projected=sum(range(n + 1)))
    assert cache.nbytes == 2 * batch * kv_heads * n * width * 8


def test_a_full_cache_and_uneven_groups_are_refused() -> None:
    cache = LayerCache(1, 1, 2, 1)
    assert cache.nbytes == 0
    cache.append(np.ones((1, 1, 2, 1)), np.ones((1, 1, 2, 1)))
    with pytest.raises(ValueError, match="room for 2"):
        cache.append(np.ones((1, 1, 1, 1)), np.ones((1, 1, 1, 1)))
    with pytest.raises(ValueError, match="evenly"):
        share_heads(np.ones((2, 1, 1)), 3)
