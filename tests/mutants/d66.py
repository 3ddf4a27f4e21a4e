"""Mutants of D66."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "hidden-bit-not-counted",
        "largest",
        lambda original: lambda bits, top: original(bits - 1, top),
        ("largest", "largest-kept"),
    ),
    Mutant(
        "smallest-normal",
        "smallest",
        lambda _: lambda bits, least: 2.0**least,
        ("smallest-kept", "unscaled-lost"),
    ),
    Mutant(
        "spacing-of-half",
        "spacing_at_one",
        lambda original: lambda bits: original(bits) / 2,
        ("sum-of-ones-stops", "moved"),
        given={"update": 0.0007},
    ),
    Mutant(
        "no-master-weights",
        "state_bytes",
        lambda _: lambda weights, gradients, master, moments: weights + gradients + 2 * moments,
        ("mixed-state", "mixed-bytes"),
    ),
    Mutant(
        "backward-as-forward",
        "operations",
        lambda _: lambda weights: 4 * weights,
        ("six-n", "operations"),
    ),
    Mutant(
        "attention-forward-only",
        "attention_operations",
        lambda original: lambda d, n: original(d, n) / 3,
        ("attention-share", "attention-operations"),
    ),
    Mutant(
        "gradual-underflow-missing",
        "as_half",
        lambda original: (
            lambda x, name: np.where(np.abs(original(x, name)) < 2.0**-14, 0.0, original(x, name))
        ),
        ("smallest-kept", "unscaled-lost"),
    ),
    Mutant(
        "the-other-format",
        "as_half",
        lambda original: lambda x, name: original(x, "bfloat16"),
        ("largest-kept", "sum-of-ones", "unscaled-lost"),
    ),
    Mutant(
        "inner-width-of-d",
        "layer_weights",
        lambda _: lambda d: 4 * d**2 + 2 * d * d,
        ("layer", "operations"),
    ),
)
