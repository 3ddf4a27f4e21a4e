"""Mutants of D30."""

from __future__ import annotations

import math

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "wavelength-without-two-pi",
        "complete_pairs",
        lambda original: (
            lambda trained, d, log_base, log_ratio: original(trained, d, log_base, log_ratio + math.log(6))
        ),
        ("turn-within-training", "incomplete-pairs"),
    ),
    Mutant(
        "width-for-pairs",
        "complete_pairs",
        lambda original: (
            lambda trained, d, log_base, log_ratio: 2 * original(trained, d, log_base, log_ratio)
        ),
        ("turn-within-training", "incomplete-pairs"),
    ),
    Mutant(
        "interpolated-the-wrong-way",
        "interpolated_positions",
        lambda _: lambda positions, trained, length: np.asarray(positions) * length / trained,
        ("unseen-phases", "interpolated-read-out", "neighbour-step"),
        given={"scheme": "interpolated"},
    ),
    Mutant(
        "not-interpolated",
        "interpolated_positions",
        lambda _: lambda positions, trained, length: positions,
        ("unseen-phases", "interpolated-read-out", "neighbour-step"),
        given={"scheme": "interpolated"},
    ),
    Mutant(
        "squeezed-by-the-square",
        "squeezed",
        lambda _: lambda position, trained, length: position * trained**2 / length**2,
        ("interpolation-stays-inside", "neighbour-step"),
        given={"scheme": "interpolated"},
    ),
    Mutant(
        "positions-as-features",
        "encode",
        lambda original: (
            lambda p, positions, scheme: np.where(
                np.arange(2 * p.pairs) == 0, 0.1 * positions[:, None], original(p, positions, scheme)
            )
        ),
        ("under-the-ceiling", "cannot-follow"),
    ),
    Mutant(
        "base-divided-by-the-factor",
        "ntk_aware_base",
        lambda _: lambda base, factor, d: base / factor,
        ("unseen-phases", "neighbour-step"),
        given={"scheme": "ntk"},
    ),
    Mutant(
        "factor-without-its-exponent",
        "ntk_log_base",
        lambda _: lambda log_base, log_factor, d: log_base + log_factor,
        ("ntk-slowest", "neighbour-step"),
        given={"scheme": "ntk", "pairs": 8},
    ),
    Mutant(
        "chord-for-its-half",
        "step_squared",
        lambda _: lambda half_sine: half_sine**2,
        ("step", "neighbour-step"),
    ),
    Mutant(
        "new-phases-only-near-the-start",
        "unseen",
        lambda original: lambda phases, rates, trained: original(phases, rates, 1),
        "unseen-phases",
    ),
    Mutant(
        "table-padded-with-zeros",
        "learned_encoding",
        lambda _: lambda table, position: np.zeros(table.shape[1]),
        "learned-table-ends",
    ),
)
