"""Mutants of D47."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "logits-times-the-temperature",
        "temper",
        lambda _: lambda z, T: np.asarray(z) * T,
        ("top-share", "log-odds", "entropy-never-falls"),
        given={"T": 2.0},
    ),
    Mutant(
        "temperature-ignored",
        "temper",
        lambda _: lambda z, T: np.asarray(z, dtype=float),
        ("top-share", "last-share", "log-odds"),
        given={"T": 2.0},
    ),
    Mutant(
        "entropy-in-bits",
        "entropy",
        lambda original: lambda p: original(p) / np.log(2),
        "entropy-slope-measured",
    ),
    Mutant(
        "entropy-without-its-sign",
        "entropy",
        lambda original: lambda p: -original(p),
        ("entropy-slope-measured", "entropy-never-falls"),
    ),
    Mutant(
        "greedy-for-sampling",
        "sample",
        lambda _: lambda p, rng, draws: np.full(draws, int(np.argmax(p))),
        ("top-share", "last-share"),
    ),
    Mutant(
        "slope-over-the-square",
        "entropy_slope",
        lambda _: lambda variance, T: variance / T**2,
        ("entropy-slope", "entropy-slope-measured"),
        given={"T": 2.0},
    ),
    Mutant(
        "odds-divided-by-the-temperature",
        "log_odds",
        lambda _: lambda gap, T: gap * T,
        ("odds", "log-odds"),
        given={"T": 2.0},
    ),
)
