"""Mutants of D07."""

from __future__ import annotations

import numpy as np

from engine.nn.recurrent import RNNTrace
from tests.mutants.mutant import Mutant

THEORY = "engine.nn.mean_field"


def slope_at_the_state(original):
    """tanh'(h_t) instead of tanh'(a_t) in the backward pass: the most copied slip."""
    return lambda trace, *rest: original(RNNTrace(trace.hidden[1:], trace.hidden), *rest)


def shifted_by_a_step(original):
    """The slope of the step before."""
    return lambda trace, *rest: original(
        RNNTrace(np.roll(trace.pre_activations, 1, axis=0), trace.hidden), *rest
    )


MUTANTS = (
    Mutant(
        "slope-at-the-state",
        "hidden_gradients",
        slope_at_the_state,
        ("mean-field-rate", "one-product-two-readings"),
    ),
    Mutant("slope-of-the-step-before", "hidden_gradients", shifted_by_a_step, "one-product-two-readings"),
    Mutant(
        "untransposed-weights",
        "hidden_gradients",
        lambda original: lambda trace, recurrent, *rest: original(trace, recurrent.T, *rest),
        "one-product-two-readings",
    ),
    Mutant(
        "gradient-through-the-weights-alone",
        "hidden_gradients",
        lambda original: lambda trace, recurrent, direct, _: original(trace, recurrent, direct, "linear"),
        "mean-field-rate",
    ),
    Mutant(
        "the-rate-is-the-radius",
        f"{THEORY}:squared_rate",
        lambda _: lambda gain, slope_square: gain**2,
        ("mean-field-rate", "backward-rate", "rate-is-the-radius"),
    ),
    Mutant(
        "drive-forgotten",
        f"{THEORY}:preactivation_variance",
        lambda _: lambda gain, state_square, drive: gain**2 * state_square,
        ("mean-field-rate", "forward-variance"),
    ),
    Mutant(
        "bias-without-the-half",
        f"{THEORY}:log_bias",
        lambda _: lambda spread: -spread,
        "log-bias",
    ),
    Mutant(
        "gain-not-divided-by-the-width",
        "recurrent_matrix",
        lambda _: lambda rng, hidden, gain, law: gain / hidden * rng.standard_normal((hidden, hidden)),
        "mean-field-rate",
    ),
    Mutant(
        "jordan-corner-one-power-too-many",
        "jordan_corner",
        lambda _: lambda eigenvalue, coupling, n: n * coupling * eigenvalue**n,
        ("jordan-power", "jordan-slope", "transient-peak"),
    ),
    Mutant(
        "peak-at-a-plus-sign",
        "jordan_peak_step",
        lambda _: lambda log_eigenvalue: 1 / log_eigenvalue,
        ("jordan-slope", "transient-step"),
    ),
    Mutant(
        "norm-of-a-normal-matrix",
        "triangular_norm",
        lambda _: lambda corner, root: (root - corner) / 2,
        ("larger-singular-value", "transient-peak"),
    ),
)
