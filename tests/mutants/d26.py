"""Mutants of D26."""

from __future__ import annotations

import numpy as np

from engine.nn.optimizer import Clipped
from tests.mutants.mutant import Mutant

OPTIMIZER = "engine.nn.optimizer"


def each_array_by_itself(original):
    """The norm of each array clipped on its own."""

    def clip(gradients, limit, order=2.0, epsilon=1e-6):
        alone = [original([g], limit, order, epsilon) for g in gradients]
        whole = original(gradients, limit, order, epsilon)
        return Clipped(tuple(a.gradients[0] for a in alone), whole.norm, whole.factor)

    return clip


def rescaled_always(original):
    """Small gradients raised to the threshold as well."""

    def clip(gradients, limit, order=2.0, epsilon=1e-6):
        norm = original(gradients, limit, order, epsilon).norm
        factor = limit / (norm + epsilon)
        return Clipped(tuple(g * factor for g in gradients), norm, factor)

    return clip


MUTANTS = (
    Mutant(
        "each-array-by-itself",
        "clip_by_norm",
        each_array_by_itself,
        ("norm-after-clipping", "direction-after-clipping"),
    ),
    Mutant(
        "small-gradients-raised-too",
        "clip_by_norm",
        rescaled_always,
        ("norm-after-clipping", "pytorchs-norm-after-clipping"),
        {"gain": 0.5, "threshold": 10, "activation": "tanh"},
    ),
    Mutant(
        "clipped-by-value-instead",
        "clip_by_norm",
        lambda original: (
            lambda gradients, limit, order=2.0, epsilon=1e-6: Clipped(
                tuple(np.clip(g, -limit, limit) for g in gradients), original(gradients, limit).norm, 1.0
            )
        ),
        ("norm-after-clipping", "direction-after-clipping", "early-steps-share"),
    ),
    Mutant(
        "factor-by-the-squared-norm",
        "clip_factor",
        lambda _: lambda norm, limit, epsilon=0: limit / (norm**2 + epsilon),
        ("norm-after", "direction-kept", "only-shrinks"),
    ),
    Mutant(
        "layers-factor-by-the-squared-norm",
        f"{OPTIMIZER}:clip_factor",
        lambda _: lambda norm, limit, epsilon=0: limit / (norm**2 + epsilon),
        ("norm-after-clipping", "pytorchs-norm-after-clipping"),
    ),
    Mutant(
        "grows-linearly",
        "growth",
        lambda _: lambda gain, steps: gain * steps,
        ("exponential-growth", "log-growth"),
        {"gain": 1.5},
    ),
    Mutant(
        "weights-not-orthogonal",
        "recurrent_matrix",
        lambda original: lambda rng, hidden, gain, law: original(rng, hidden, gain, "normal"),
        "log-growth",
    ),
    Mutant(
        "only-positive-entries-clipped",
        "clip_by_value",
        lambda _: lambda gradients, limit: tuple(np.minimum(g, limit) for g in gradients),
        "largest-entry-by-value",
    ),
)
