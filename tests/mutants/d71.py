"""Mutants of D71."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "curvature-not-scaled-by-the-rate",
        "growth",
        lambda _: lambda lr, down: 1 + down,
        ("descent-leaves", "distance-from-saddle", "steps-to-leave"),
    ),
    Mutant(
        "attracted",
        "growth",
        lambda _: lambda lr, down: 1 / (1 - lr * down),
        ("descent-leaves", "distance-from-saddle"),
    ),
    Mutant(
        "gradient-for-newton",
        "newton",
        lambda _: lambda x, slope, curvature: x - slope,
        ("newton-lands", "newton-ignores-units"),
    ),
    Mutant(
        "half-a-step",
        "saddle_free",
        lambda original: lambda x, slope, size: original(x, slope / 2, size),
        "absolute-curvature-leaves",
    ),
    Mutant(
        "not-symmetrised",
        "definite",
        lambda _: lambda rng, n, draws: (rng.standard_normal((draws, n)) > 0).all(axis=1),
        "share-of-minima",
    ),
    Mutant(
        "curvature-of-another-point",
        "curvature",
        lambda original: (
            lambda rng, d, condition: original(rng, d, condition) + 1e-3 * np.triu(np.ones((d, d)), 1)
        ),
        "absolute-curvature-doubles",
    ),
    Mutant(
        "one-for-each-sign",
        "share_of_minima",
        lambda _: lambda n: 0.5**n,
        "share-of-minima",
    ),
)
