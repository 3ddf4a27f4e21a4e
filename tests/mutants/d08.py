"""Mutants of D08."""

from __future__ import annotations

import math

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "variance-of-a-uniform-law-without-the-third",
        "uniform_variance",
        lambda _: lambda bound_squared: bound_squared,
        ("pytorch-entries", "glorot-entries", "pytorch-radius", "entry-variance", "spectral-norm"),
    ),
    Mutant(
        "glorot-by-one-side-only",
        "initial_recurrent",
        lambda _: lambda rng, hidden, scheme: rng.uniform(-1, 1, (hidden, hidden)) * math.sqrt(6 / hidden),
        ("entry-variance", "spectral-norm", "radius-not-above-the-disc"),
        {"scheme": "glorot"},
    ),
    Mutant(
        "bound-by-the-width-itself",
        "initial_recurrent",
        lambda _: lambda rng, hidden, scheme: rng.uniform(-1, 1, (hidden, hidden)) / hidden,
        ("entry-variance", "spectral-norm", "radius-not-below-the-disc"),
    ),
    Mutant(
        "norm-is-the-radius",
        "norm_squared",
        lambda _: lambda variance, hidden: hidden * variance,
        ("edge", "spectral-norm", "norm-is-the-radius", "norm-below-one"),
    ),
    Mutant(
        "radius-of-the-variance-alone",
        "radius_squared",
        lambda _: lambda variance, hidden: variance,
        ("mean-square-singular-value", "pytorch-radius", "radius-not-above-the-disc"),
        {"scheme": "small_normal"},
    ),
    Mutant(
        "symmetric-weights",
        "initial_recurrent",
        lambda original: lambda *given: (lambda w: (w + w.T) / math.sqrt(2))(original(*given)),
        ("radius-not-above-the-disc",),
    ),
    Mutant(
        "orthogonal-without-qr",
        "initial_recurrent",
        lambda _: lambda rng, hidden, scheme: rng.standard_normal((hidden, hidden)) / math.sqrt(hidden),
        ("orthogonal-spectral-norm", "orthogonal-smallest-modulus"),
        {"scheme": "orthogonal"},
    ),
    Mutant(
        "edge-without-its-finite-width",
        "edge",
        lambda _: lambda hidden, position: 2 * math.sqrt(1 + np.sign(position) / hidden),
        "spectral-norm",
        {"hidden": 16},
    ),
)
