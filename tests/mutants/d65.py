"""Mutants of D65."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "one-for-two",
        "he_variance",
        lambda _: lambda width: 1 / width,
        ("he", "factor-of-a-layer"),
    ),
    Mutant(
        "fan-in-only",
        "glorot_variance",
        lambda _: lambda inputs, outputs: 1 / inputs,
        "glorot-linear",
    ),
    Mutant(
        "deviation-for-variance",
        "layer_factor",
        lambda _: lambda width, variance, passed: width * variance**0.5 * passed,
        ("he", "factor-of-a-layer"),
    ),
    Mutant(
        "relu-of-the-other-sign-kept",
        "relu",
        lambda _: lambda x: np.abs(x),
        ("factor-of-a-layer", "dead-units"),
    ),
    Mutant(
        "uniform-of-the-same-bound",
        "drawn_weights",
        lambda original: lambda rng, p: original(rng, p) / np.sqrt(3.0),
        "factor-of-a-layer",
    ),
    Mutant(
        "dead-at-one-example",
        "dead_share",
        lambda _: lambda below, examples: below,
        "dead-units",
    ),
    Mutant(
        "gate-not-counted",
        "gated_width",
        lambda _: lambda d, ratio: ratio * d,
        "gated-weights",
    ),
    Mutant(
        "noise-in-the-update",
        "descent",
        lambda original: (
            lambda w, g, lr: original(w, g, lr) + 1e-6 * np.arange(len(w)).reshape(-1, *(1,) * (w.ndim - 1))
        ),
        ("equal-units-stay-equal", "zero-start-stays"),
    ),
)
