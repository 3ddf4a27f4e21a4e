"""Mutants of D64."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "variance-without-rescaling",
        "dropped_variance",
        lambda _: lambda rate, squares: rate * (1 - rate) * squares,
        ("training-loss", "variance-added"),
        given={"rate": 0.4},
    ),
    Mutant(
        "not-inverted",
        "kept",
        lambda original: lambda rng, rate, shape: original(rng, rate, shape) * (1 - rate),
        ("mean-kept", "training-loss-excess"),
    ),
    Mutant(
        "one-mask-for-all-units",
        "kept",
        lambda original: lambda rng, rate, shape: np.repeat(original(rng, rate, (shape[0], 1)), shape[1], 1),
        "variance-added",
    ),
    Mutant(
        "penalty-without-the-one",
        "shrunk",
        lambda _: lambda target, penalty: target * (1 - penalty),
        ("l2-minimum", "l2-shrinks"),
    ),
    Mutant(
        "threshold-by-half",
        "threshold",
        lambda _: lambda size, penalty: size - penalty / 2,
        ("l1-minimum", "soft-threshold"),
    ),
    Mutant(
        "l1-slope-of-l2",
        "l1_slope",
        lambda original: lambda w, penalty: original(w, 0.0) + penalty * w,
        ("soft-threshold", "l1-zeros"),
    ),
    Mutant(
        "one-step-less",
        "stopped",
        lambda original: lambda rest, steps: original(rest, steps - 1),
        ("early-stopping-is-a-penalty", "share-reached"),
    ),
    Mutant(
        "penalty-of-the-inverse",
        "matching_penalty",
        lambda _: lambda curvature, rest, steps: curvature * (1 - rest**steps) / rest**steps,
        "early-stopping-is-a-penalty",
    ),
    Mutant(
        "gain-counted-twice",
        "optimism",
        lambda _: lambda features, points: 2 * features / points,
        ("error-on-own-labels", "error-on-new-labels"),
    ),
)
