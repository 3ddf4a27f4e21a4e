"""Mutants of D60."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "sink-subtracted",
        "kept_by_tokens",
        lambda _: lambda total, sink: 1 - sink / total,
        ("sink-takes-the-rest", "kept-by-tokens"),
    ),
    Mutant(
        "sink-not-in-the-denominator",
        "kept_by_tokens",
        lambda _: lambda total, sink: total / (total + 0 * sink),
        ("sink-takes-the-rest", "kept-by-tokens"),
    ),
    Mutant(
        "one-gain-for-two",
        "largest_normalised",
        lambda original: lambda n, decay: original(n, decay**0.5),
        ("largest-weight", "sharpest-row"),
    ),
    Mutant(
        "itself-among-the-others",
        "largest_normalised",
        lambda original: lambda n, decay: original(n + 1, decay),
        ("largest-weight", "sharpest-row"),
    ),
    Mutant(
        "variance-without-rescaling",
        "dropped_variance",
        lambda _: lambda rate, squares: rate * (1 - rate) * squares,
        ("variance-of-a-weight", "variance-of-row-sum"),
        given={"rate": 0.5},
    ),
    Mutant(
        "not-normalised",
        "unit",
        lambda _: lambda x: x,
        ("normalised-is-capped", "sharpest-row"),
    ),
    Mutant(
        "softmax-not-normalised",
        "softmax",
        lambda original: lambda z: original(z) * 0.9,
        ("kept-by-tokens", "mean-row-sum", "nothing-dropped"),
    ),
    Mutant(
        "softmax-at-another-temperature",
        "softmax",
        lambda original: lambda z: original(np.asarray(z) * 1.5),
        ("kept-by-tokens", "sharpest-row"),
    ),
)
