"""Mutants of D20."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def _elementwise(z, axis=-1, empty="nan"):  # type: ignore[no-untyped-def]
    """Each logit through a sigmoid of its own: no competition between keys."""
    return 1 / (1 + np.exp(-np.asarray(z)))


def _argmax(_):  # type: ignore[no-untyped-def]
    def hard(z, axis=-1, empty="nan"):  # type: ignore[no-untyped-def]
        z = np.asarray(z)
        return (z == z.max(axis=-1, keepdims=True)).astype(float)

    return hard


MUTANTS = (
    Mutant(
        "diagonal-forgotten",
        "softmax_jacobian",
        lambda _: lambda p: -p[..., :, None] * p[..., None, :],
        "jacobian-entries",
    ),
    Mutant(
        "outer-product-forgotten",
        "softmax_jacobian",
        lambda _: lambda p: p[..., :, None] * np.eye(p.shape[-1]),
        "jacobian-entries",
    ),
    Mutant(
        "argmax-for-softmax", "softmax", _argmax, ("pair-slope", "mean-trace-unscaled", "mean-trace-scaled")
    ),
    Mutant("sigmoid-for-softmax", "softmax", lambda _: _elementwise, ("row-sums", "jacobian-entries")),
    Mutant(
        "softmax-over-the-queries",
        "softmax",
        lambda original: lambda z, axis=-1, empty="nan": original(z, axis=0),
        ("mean-trace-unscaled", "jacobian-entries"),
    ),
    Mutant(
        "divided-by-d-for-its-root",
        "logits_of",
        lambda _: (
            lambda lengths, projections, d_k, scale: (
                lengths[:, None] * projections / (d_k if scale == "sqrt" else 1)
            )
        ),
        "mean-trace-scaled",
        given={"d_k": 4},
    ),
    Mutant(
        "scores-never-scaled",
        "logits_of",
        lambda _: lambda lengths, projections, d_k, scale: lengths[:, None] * projections,
        "mean-trace-scaled",
    ),
    Mutant(
        "own-slope-without-its-factor", "own_slope", lambda _: lambda p: p, ("own-logit", "trace", "two-keys")
    ),
    Mutant(
        "cross-slope-with-the-wrong-sign",
        "cross_slope",
        lambda _: lambda a, b: a * b,
        ("other-logit", "jacobian"),
    ),
    Mutant(
        "pair-slope-of-tanh",
        "pair_slope",
        lambda _: lambda cosh_half_gap: 1 / cosh_half_gap**2,
        ("two-keys", "below-exponential", "tail", "pair-slope"),
    ),
)
