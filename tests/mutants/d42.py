"""Mutants of D42."""

from __future__ import annotations

import numpy as np

from engine.nn.attention import KVCache
from engine.nn.mask import causal_mask
from tests.mutants.mutant import Mutant


def triangle(diagonal):
    """A causal mask whose diagonal is off."""
    return lambda _: (
        lambda queries, keys, **_kept: np.tril(
            np.ones((queries, keys), dtype=bool), keys - queries + diagonal
        )
    )


def cache_of_the_newest(original):
    """A cache that keeps the newest position only."""

    def step(x_t, weights, cache, *, mask):
        newest = KVCache(cache.key[..., -1:, :], cache.value[..., -1:, :])
        return original(x_t, weights, newest, mask=None)

    return step


def keys_and_values_out_of_step(original):
    """Cached values one position behind their keys."""

    def step(x_t, weights, cache, *, mask):
        rolled = KVCache(cache.key, np.roll(cache.value, 1, axis=-2))
        return original(x_t, weights, rolled, mask=mask)

    return step


def norm_over_the_sequence(_):
    """A normalisation with statistics of all tokens, as BatchNorm would take them."""
    return lambda x: x / np.sqrt((x**2).mean(axis=(-1, -2), keepdims=True))


MUTANTS = (
    Mutant(
        "mask-peeks-at-the-next-token",
        "causal_mask",
        triangle(1),
        ("influence-share", "peeking", "decoding-agrees"),
    ),
    Mutant("mask-hides-the-token-itself", "causal_mask", triangle(-1), "decoding-agrees"),
    Mutant(
        "polarity-flipped",
        "self_attention",
        lambda original: lambda x, weights, *, mask: original(x, weights, mask=mask, polarity="block"),
        ("peeking", "decoding-agrees"),
    ),
    Mutant("norm-over-the-sequence", "normalised", norm_over_the_sequence, ("influence-share", "peeking")),
    Mutant("cache-of-the-newest-only", "decode_step", cache_of_the_newest, "decoding-agrees"),
    Mutant("values-behind-their-keys", "decode_step", keys_and_values_out_of_step, "decoding-agrees"),
    Mutant(
        "decoding-with-is-causal",
        "decode_step",
        lambda original: (
            lambda x_t, weights, cache, *, mask: original(
                x_t, weights, cache, mask=causal_mask(1, cache.length + 1, alignment="top-left")
            )
        ),
        "decoding-agrees",
    ),
    Mutant(
        "causal-mask-on-the-source",
        "cross_attention",
        lambda original: (
            lambda x, memory, weights: original(
                x, memory, weights, mask=causal_mask(len(x), len(memory), alignment="top-left")
            )
        ),
        "source-order-free",
    ),
    Mutant(
        "the-diagonal-not-counted",
        "causal_share",
        lambda _: lambda n: (n - 1) / (2 * n),
        ("causal-pairs", "influence-share"),
    ),
    Mutant(
        "prefix-counted-as-a-square",
        "prefix_share",
        lambda _: lambda n, prefix: (n * (n + 1) + prefix**2) / (2 * n**2),
        ("prefix-pairs", "influence-share"),
        given={"mask": "prefix"},
    ),
    Mutant(
        "prefix-one-too-long",
        "prefix_mask",
        lambda original: lambda length, prefix: original(length, prefix + 1),
        "prefix-share",
    ),
)
