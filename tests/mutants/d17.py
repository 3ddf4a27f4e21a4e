"""Mutants of D17."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant("noise-of-all-items", "crosstalk_variance", lambda _: lambda n, d: n / d, ("noise", "noise-at-any-size")),
    Mutant("noise-without-width", "crosstalk_variance", lambda _: lambda n, d: n - 1, ("noise", "noise-at-any-size")),
    Mutant("one-step-too-old", "item_weight", lambda _: lambda leak, age: leak ** (age + 1), ("fading", "first-word"), given={"leak": 0.8, "order": "reversed", "d": 1024}),
    Mutant("leak-squared-once", "leaked_variance", lambda _: lambda leak, ages, d: (1 - leak**ages) / (1 - leak) / d, "faded-noise"),
    Mutant("never-leaks", "remember", lambda original: lambda codes, signs, leak: original(codes, signs, 1.0), "first-word", given={"leak": 0.8}),
    Mutant("signs-forgotten", "remember", lambda original: lambda codes, signs, leak: original(codes, np.ones_like(signs), leak), "first-word", given={"n": 2, "d": 1024}),
    Mutant("attends-to-the-next", "attend_and_recall", lambda original: lambda keys, codes, codebook: original(keys, np.roll(codes, 1, axis=0), codebook), "attention-recalls-all"),
    Mutant("average-of-all", "softmax", lambda _: lambda scores: np.full(scores.shape, 1 / scores.shape[-1]), "attention-recalls-all"),
)  # fmt: skip
