"""Mutants of D32."""

from __future__ import annotations

import math

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "factor-forgotten",
        "draw_tokens",
        lambda original: lambda p, rng, rows: original(p, rng, rows) / math.sqrt(2 * p.pairs),
        ("token-size", "content-content", "content-position", "positions-share"),
        given={"multiply": "yes"},
    ),
    Mutant(
        "factor-d-for-its-root",
        "draw_tokens",
        lambda original: lambda p, rng, rows: original(p, rng, rows) * math.sqrt(2 * p.pairs),
        ("token-size", "content-content", "positions-share"),
        given={"multiply": "yes"},
    ),
    Mutant(
        "positions-scaled-along",
        "draw_positions",
        lambda original: lambda p, rng, rows: original(p, rng, rows) * math.sqrt(2 * p.pairs),
        ("position-size", "position-position", "positions-share"),
        given={"multiply": "yes"},
    ),
    Mutant(
        "position-mean-square-one",
        "position_square",
        lambda _: lambda positions, init, d: 1.0,
        ("position-size", "position-position"),
    ),
    Mutant(
        "variances-instead-of-product",
        "term_variance",
        lambda _: lambda at_query, at_key: (at_query + at_key) / 2,
        ("one-term", "content-content"),
    ),
    Mutant(
        "share-of-the-lengths",
        "position_share",
        lambda _: lambda token, position: position / (token + position),
        ("share", "positions-share"),
        given={"multiply": "yes"},
    ),
    Mutant(
        "weights-of-variance-one",
        "draw_heads",
        lambda original: lambda p, rng, heads: original(p, rng, heads) * math.sqrt(2 * p.pairs),
        ("content-content", "position-position", "three-terms-scaled"),
    ),
    Mutant(
        "two-terms-for-three",
        "disentangled_variance",
        lambda _: lambda d_k: 2 * d_k,
        ("three-terms", "three-terms-scaled"),
        given={"pairs": 32},
    ),
    Mutant(
        "cosines-left-out",
        "sinusoidal_encoding",
        lambda original: lambda places, d: original(places, 2 * d)[:, 0::2],
        "position-size",
    ),
)
