"""Mutants of D70."""

from __future__ import annotations

from engine.nn.flash_backward import Kept
from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "row-dot-left-out",
        "engine.nn.flash_backward:row_dots",
        lambda original: lambda output, d_output: 0 * original(output, d_output),
        "gradients-equal",
    ),
    Mutant(
        "row-dot-of-the-first-feature",
        "row_dots",
        lambda original: lambda output, d_output: original(output[:, :1], d_output[:, :1]),
        "row-dots",
    ),
    Mutant(
        "maximum-for-logsumexp",
        "kept_of",
        lambda original: (
            lambda head: Kept(
                original(head).output, (head.q @ head.k.T * head.scale).max(axis=-1, keepdims=True)
            )
        ),
        ("gradients-equal", "weights-made-again"),
    ),
    Mutant(
        "scale-forgotten-in-the-recomputation",
        "engine.nn.flash_backward:weights_again",
        lambda original: lambda q, k, logsumexp, scale: original(q, k, logsumexp, 1.0),
        "gradients-equal",
    ),
    Mutant(
        "weights-not-recomputed",
        "backward_multiplications",
        lambda _: lambda N, d: 4 * N**2 * d,
        ("counted-backward", "five-products"),
    ),
    Mutant(
        "row-dot-added",
        "score_gradient",
        lambda _: lambda weight, d_weight, dot: weight * (d_weight + dot),
        "score-gradient",
    ),
)
