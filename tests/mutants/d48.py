"""Mutants of D48."""

from __future__ import annotations

import numpy as np

from engine.nn import decoding
from tests.mutants.mutant import Mutant


def _crossing_token_dropped(original):  # type: ignore[no-untyped-def]
    return lambda z, p, boundary="reaches": original(z, p, "within")


def _order_reversed(original):  # type: ignore[no-untyped-def]
    return lambda z, *, order, **settings: original(z, order=order[::-1], **settings)


def _least_probable(z, k, ties="first"):  # type: ignore[no-untyped-def]
    return np.where(np.asarray(z) <= np.partition(np.asarray(z), k - 1)[k - 1], z, -np.inf)


MUTANTS = (
    Mutant(
        "crossing-token-dropped",
        "top_p",
        _crossing_token_dropped,
        ("smallest-set", "mass-reaches-p"),
    ),
    Mutant(
        "nothing-cut",
        "top_p",
        lambda _: lambda z, p, boundary="reaches": np.asarray(z),
        ("smallest-set", "last-one-was-needed"),
    ),
    Mutant(
        "threshold-on-each-probability",
        "top_p",
        lambda _: lambda z, p, boundary="reaches": np.where(decoding.softmax(z) > 1 - p, z, -np.inf),
        ("smallest-set", "mass-reaches-p"),
    ),
    Mutant("order-reversed", "warp", _order_reversed, "size-of-the-support"),
    Mutant(
        "top-k-ignored",
        "warp",
        lambda original: lambda z, *, k, **settings: original(z, k=None, **settings),
        "size-of-the-support",
    ),
    Mutant("least-probable-kept", "engine.nn.decoding:top_k", lambda _: _least_probable, "best-are-kept"),
    Mutant("k-off-by-one", "top_k", lambda original: lambda z, k: original(z, k + 1), "top-k-size"),
    Mutant(
        "cut-tokens-still-drawn",
        "sample",
        lambda original: lambda p, rng, n: rng.integers(0, len(p), n),
        ("no-draw-from-outside", "top-share"),
    ),
    Mutant(
        "prefix-mass-of-one-token-more",
        "prefix_mass",
        lambda _: lambda r, m: 1 - r ** (m + 1),
        ("geometric-prefix", "geometric-size"),
    ),
    Mutant(
        "not-normalised-again",
        "share_of_kept",
        lambda _: lambda mass, whole: mass,
        ("k-before-p", "order-is-irrelevant"),
    ),
    Mutant(
        "overshoot-of-the-whole-token",
        "overshoot",
        lambda _: lambda last, missing: last,
        "overshoots-by-less-than-its-last",
    ),
)
