"""Mutants of D45."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant("one-token-decides", "exact_match", lambda _: lambda p, k: p, ("all-tokens", "longer-is-steeper", "exact-match")),
    Mutant("k-times-instead-of-power", "exact_match", lambda _: lambda p, k: k * p, ("all-tokens", "same-curve-later", "exact-match")),
    Mutant("one-more-token", "exact_match", lambda _: lambda p, k: p ** (k + 1), "all-tokens"),
    Mutant("any-token-counts", "answer", lambda original: lambda gap, rng, n, k: original(gap, rng, n, k).any(axis=2, keepdims=True).repeat(k, axis=2), ("token-accuracy", "exact-match")),
    Mutant("answers-copied", "answer", lambda original: lambda gap, rng, n, k: original(gap, rng, n, 1).repeat(k, axis=2), "exact-match"),
    Mutant("exponent-outside", "token_accuracy", lambda _: lambda N, c, alpha, m=np: m.exp(-alpha * (c / N)), ("smooth-loss", "same-curve-later", "token-accuracy")),
)  # fmt: skip
