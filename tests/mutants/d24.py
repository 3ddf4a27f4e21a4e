"""Mutants of D24."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def _heads_averaged(original):  # type: ignore[no-untyped-def]
    """One set of weights shared by all heads."""

    def attend(x, source, weights):  # type: ignore[no-untyped-def]
        done = original(x, source, weights)
        return done._replace(attended=done.attended._replace(weights=done.attended.weights.mean(axis=0)))

    return attend


def _bare_reshape(original):  # type: ignore[no-untyped-def]
    return lambda projected, heads: projected.reshape(heads, len(projected), -1)


MUTANTS = (
    Mutant(
        "output-projection-forgotten",
        "parameters",
        lambda _: lambda d: 3 * d**2,
        ("parameters", "projection-entries"),
    ),
    Mutant(
        "scores-without-weighted-sums",
        "multiplications",
        lambda _: lambda n, d: 4 * n * d**2 + n**2 * d,
        ("multiplications", "layer-multiplications"),
    ),
    Mutant("heads-free", "weight_count", lambda _: lambda n, h: n**2, ("weights", "attention-weights")),
    Mutant("one-map-for-all-heads", "multi_head_attention", _heads_averaged, "attention-weights"),
    Mutant(
        "heads-cut-by-a-bare-reshape",
        "engine.nn.attention:split_heads",
        _bare_reshape,
        "head-by-its-columns",
    ),
    Mutant(
        "copies-that-write-in-full",
        "layer_of_copies",
        lambda original: (
            lambda x, weights: (original(x, weights)[0], weights.heads * original(x, weights)[1])
        ),
        "copies-of-one-head",
    ),
    Mutant(
        "slip-that-is-none",
        "cut_in_place",
        lambda _: lambda projected, heads: projected.reshape(len(projected), heads, -1).swapaxes(0, 1),
        "reshape-slip",
    ),
    Mutant(
        "share-for-its-square",
        "read_error",
        lambda _: lambda own, other: 1 - own / (own + other),
        ("best-read-out", "one-target"),
        given={"share": 0.25},
    ),
    Mutant(
        "argmax-for-softmax",
        "mixed_values",
        lambda original: lambda share: original(float(share >= 0.5)),
        ("one-target", "distinct-mixtures"),
    ),
    Mutant(
        "both-values-seen",
        "linear_errors",
        lambda original: lambda features, targets: original(np.hstack((features, targets[:, :1])), targets),
        ("one-target", "both-targets"),
    ),
)
