"""Mutants of D67."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "factor-not-differentiated",
        "focal_slope",
        lambda _: lambda p, gamma, log_p: (1 - p) ** gamma * (p - 1),
        ("focal-slope", "focal-gradient"),
    ),
    Mutant(
        "power-on-the-wrong-side",
        "focal_slope",
        lambda original: lambda p, gamma, log_p: original(p, gamma, log_p) * p**gamma,
        ("focal-slope", "focal-gradient"),
    ),
    Mutant(
        "weight-ignored",
        "weighted_optimum",
        lambda _: lambda rate, weight: rate,
        ("weighted-optimum", "odds-multiplied", "weighted-prediction"),
    ),
    Mutant(
        "divergence-turned-round",
        "divergence",
        lambda original: lambda q, p, log: original(p, q, log),
        ("decomposition", "sampled-cross-entropy"),
        given={"classes": 50},
    ),
    Mutant(
        "target-not-weighted",
        "cross_entropy_of",
        lambda original: lambda q, p, log: original((1 / len(q),) * len(q), p, log),
        ("decomposition", "sampled-cross-entropy"),
    ),
    Mutant(
        "micro-batches-averaged",
        "gradient",
        lambda original: (
            lambda x, w, y, reduction: original(x, w, y, "mean") * (1 if reduction == "mean" else 32)
        ),
        "sums-accumulated",
    ),
    Mutant(
        "counts-of-the-others",
        "mean_of_all",
        lambda _: lambda sums, counts: sum(sums) / counts[0],
        "equal-counts",
    ),
    Mutant(
        "logits-of-base-two",
        "cross_entropy",
        lambda original: lambda z, *args, **named: original(np.asarray(z) * np.log(2), *args, **named),
        ("perplexity", "weighted-prediction"),
        given={"weight": 5.0},
    ),
)
