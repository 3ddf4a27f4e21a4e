"""Mutants of D54."""

from __future__ import annotations

import numpy as np

from engine.nn import sparse_attention
from tests.mutants.mutant import Mutant


def _far_alone(_):  # type: ignore[no-untyped-def]
    """Both heads look at every stride-th token, none at the near ones."""

    def masks(n, stride):  # type: ignore[no-untyped-def]
        far = sparse_attention.strided_masks(n, stride)[1]
        return far, far

    return masks


def _projects_the_width(_):  # type: ignore[no-untyped-def]
    """Leaves the length as it is."""

    def attend(query, key, value, e, f):  # type: ignore[no-untyped-def]
        return sparse_attention.linformer_attention(query, key, value, np.eye(len(key)), np.eye(len(key)))

    return attend


def _masked_after(original):  # type: ignore[no-untyped-def]
    """Reads the earliest token alone: nothing later can leak."""
    return lambda q, k, v, e, f: original(q, k, v, e * (np.arange(len(k)) == 0), f * (np.arange(len(k)) == 0))


MUTANTS = (
    Mutant(
        "window-one-longer",
        "sliding_window_mask",
        lambda original: lambda n, window: original(n, window + 1),
        ("reach", "pairs-of-the-window", "outputs-hear-as-far"),
        given={"W": 4},
    ),
    Mutant(
        "window-both-ways",
        "sliding_window_mask",
        lambda _: lambda n, window: sparse_attention.local_mask(n, window - 1),
        ("window-is-causal", "pairs-of-the-window"),
    ),
    Mutant(
        "global-rows-without-columns",
        "global_mask",
        lambda _: lambda n, tokens: np.repeat(np.arange(n)[:, None] < tokens, n, axis=1),
        "pairs-of-longformer",
    ),
    Mutant("far-head-alone", "strided_masks", _far_alone, "two-hops-reach-all"),
    Mutant("length-not-projected", "linformer_attention", _projects_the_width, "scores-of-linformer"),
    Mutant("projection-of-the-first-token", "linformer_attention", _masked_after, "linformer-leaks"),
    Mutant(
        "one-layer-for-all",
        "reached",
        lambda original: lambda mask, query, layers: original(mask, query, min(layers, 1)),
        "reach",
    ),
    Mutant(
        "mask-ignored",
        "scaled_dot_product_attention",
        lambda original: lambda q, k, v, mask: original(q, k, v),
        "outputs-hear-as-far",
        given={"W": 4},
    ),
    Mutant(
        "reach-is-the-product",
        "window_reach",
        lambda _: lambda layers, window: layers * window,
        ("reach-grows", "reach", "below-the-product"),
    ),
    Mutant(
        "first-rows-counted-in-full",
        "window_pairs",
        lambda _: lambda n, window: n * window,
        ("window-pairs", "pairs-of-the-window"),
    ),
    Mutant(
        "near-head-alone-costs",
        "strided_cost",
        lambda _: lambda n, stride, filled: n * stride,
        ("stride", "n-root-n", "stride-is-best"),
    ),
    Mutant(
        "global-tokens-counted-once",
        "longformer_pairs",
        lambda _: lambda n, w, g: n * (2 * w + 1) - w * (w + 1) + g * n,
        ("longformer-density", "pairs-of-longformer"),
    ),
    Mutant(
        "far-head-with-full-rows",
        "far_pairs",
        lambda _: lambda stride, blocks, rest: (stride * blocks + rest) * blocks,
        ("far-pairs", "pairs-of-strided"),
    ),
    Mutant(
        "near-head-without-the-query",
        "near_pairs",
        lambda _: lambda n, stride: n * stride - stride * (stride + 1) / 2,
        ("near-pairs", "pairs-of-strided"),
    ),
)
