"""Mutants of D23."""

from __future__ import annotations

import math

from tests.mutants.mutant import Mutant


def _same_rotation_for_both(original):  # type: ignore[no-untyped-def]
    def gauge(d_k, ratio, rng):  # type: ignore[no-untyped-def]
        R, _, size = original(d_k, ratio, rng)
        return R, R, size

    return gauge


def _inverse_not_transposed(original):  # type: ignore[no-untyped-def]
    def gauge(d_k, ratio, rng):  # type: ignore[no-untyped-def]
        R, inverse_t, size = original(d_k, ratio, rng)
        return R, inverse_t.T, size

    return gauge


MUTANTS = (
    Mutant(
        "query-projection-for-both",
        "projected_scores",
        lambda original: lambda x, W_Q, W_K: original(x, W_Q, W_Q),
        ("projected-scores-are-not", "self-weight-of-projections", "only-the-product-matters"),
    ),
    Mutant(
        "scale-forgotten",
        "projected_scores",
        lambda original: lambda x, W_Q, W_K: original(x, W_Q, W_K) * math.sqrt(W_Q.shape[-1]),
        "only-the-product-matters",
    ),
    Mutant(
        "inputs-compared-as-well",
        "projected_scores",
        lambda original: lambda x, W_Q, W_K: original(x, W_Q, W_K) + x @ x.swapaxes(-1, -2),
        ("rank-at-most", "self-weight-of-projections", "only-the-product-matters"),
    ),
    Mutant("gauge-without-inverse", "draw_gauge", _same_rotation_for_both, "gauge-keeps-scores"),
    Mutant("gauge-inverse-not-transposed", "draw_gauge", _inverse_not_transposed, "gauge-keeps-scores"),
    Mutant(
        "self-scores-over-d-for-its-root",
        "self_scores",
        lambda original: lambda x: original(x) / math.sqrt(x.shape[-1]),
        "self-weight-without",
    ),
    Mutant(
        "softmax-without-normalising",
        "softmax",
        lambda original: lambda z: original(z) * z.shape[-1],
        "self-weight-of-projections",
    ),
    Mutant(
        "weight-of-the-others",
        "self_weight",
        lambda _: lambda others: others / (1 + others),
        ("convex", "self-weight"),
    ),
    Mutant(
        "two-selves",
        "self_weight",
        lambda _: lambda others: 1 / (2 + others),
        "self-weight",
    ),
    Mutant("gauge-not-counted", "free_directions", lambda _: lambda d, d_k: 2 * d * d_k, "free-directions"),
)
