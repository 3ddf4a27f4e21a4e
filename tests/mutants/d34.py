"""Mutants of D34."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "square-root-forgotten",
        "post_identity_square",
        lambda original: lambda s, L: original(s, 2 * L),
        ("post-at-one", "post-identity-norm"),
    ),
    Mutant(
        "growth-by-deviation-not-variance",
        "residual_square",
        lambda _: lambda s, L: (1 + s) ** L,
        ("residual-step", "residual-norm"),
        {"s": 0.3},
    ),
    Mutant(
        "pre-stream-grows-without-bound",
        "pre_square",
        lambda _: lambda s, L: (1 + s**2) ** L,
        ("pre-gradient", "pre-stream-norm"),
    ),
    Mutant(
        "norm-forgotten-on-the-skip",
        "residual_backward",
        lambda original: (
            lambda done, d_y, back, placement: (
                original(done, d_y, back, placement) if placement != "post" else (d_y + back(d_y), None)
            )
        ),
        "post-identity-norm",
    ),
    Mutant(
        "norms-swapped",
        "residual",
        lambda original: (
            lambda x, branch, placement, **named: original(
                x, branch, {"pre": "post", "post": "pre"}.get(placement, placement), **named
            )
        ),
        "pre-stream-norm",
    ),
    Mutant(
        "pre-gradient-as-without-a-norm",
        "pre_gradient_step",
        lambda _: lambda s, v, kept=1: 1 + s**2 + 0 * v,
        ("pre-gradient", "pre-gradient-norm"),
    ),
    Mutant(
        "norm-forgotten-in-the-branch",
        "residual_backward",
        lambda original: (
            lambda done, d_y, back, placement: original(
                done._replace(normalized=None) if placement == "pre" else done, d_y, back, placement
            )
        ),
        "pre-gradient-norm",
    ),
    Mutant(
        "second-norm-free-of-eps",
        "renormalised_square",
        lambda _: lambda v, eps: 1 + 0 * v,
        "second-norm-factor",
    ),
    Mutant(
        "biases-left-out",
        "layer_parameters",
        lambda _: lambda d: 12 * d**2 + 4 * d,
        ("layer-parameters", "encoder-layer-parameters"),
    ),
    Mutant(
        "skip-left-out",
        "plain_square",
        lambda _: lambda s, L: s**L,
        "plain-norm",
        {"s": 0.5},
    ),
)
