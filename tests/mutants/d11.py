"""Mutants of D11."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

LAYER = "engine.nn.lstm"


def swapped_gates(original):
    """The backward pass multiplies by the input gate where the forget gate belongs."""

    def back(trace, *rest):
        return original(trace._replace(forget_gate=trace.input_gate, input_gate=trace.forget_gate), *rest)

    return back


def without(term):
    """The derivative of one step with one of its terms missing."""
    zeros = {"forget": "u_f", "input": "u_i", "candidate": "u_g"}

    def replace(original):
        names = ("f", "i", "g", "c", "o", "squashed", "u_f", "u_i", "u_g")

        def step(*values):
            given = dict(zip(names, values, strict=True))
            given[zeros[term]] = 0 * given[zeros[term]]
            return original(**given)

        return step

    return replace


def bias_on_the_input_gate(original):
    def drive(p, rng, shape, width):
        blocks = original(p, rng, shape, width).reshape(*shape, 4, width)
        return blocks[..., [1, 0, 2, 3], :].reshape(*shape, 4 * width)

    return drive


MUTANTS = (
    Mutant(
        "forget-gate-does-not-move", "total_step", without("forget"), ("total", "one-step"), {"bias": 0.0}
    ),
    Mutant("input-gate-does-not-move", "total_step", without("input"), ("total", "one-step")),
    Mutant("candidate-does-not-move", "total_step", without("candidate"), ("total", "one-step")),
    Mutant(
        "read-out-slope-forgotten",
        "total_step",
        lambda original: lambda f, i, g, c, o, squashed, *u: original(f, i, g, c, o, 0 * squashed, *u),
        ("total", "one-step"),
    ),
    Mutant(
        "input-gate-for-forget-gate",
        "lstm_state_gradients",
        swapped_gates,
        ("one-step", "one-derivative-two-readings"),
    ),
    Mutant(
        "gradient-truncated-at-the-gates",
        "lstm_state_gradients",
        lambda original: lambda trace, recurrent, *rest: original(trace, 0 * recurrent, *rest),
        ("one-step", "one-derivative-two-readings", "gates-carry-gradient-too"),
    ),
    Mutant(
        "slope-of-a-tanh-for-a-gate-s",
        f"{LAYER}:sigmoid_slope",
        lambda _: lambda gate: 1 - gate**2,
        ("one-step", "one-derivative-two-readings"),
    ),
    Mutant(
        "gates-in-another-order",
        "lstm_driven",
        lambda original: lambda drive, h, c, recurrent: original(drive, h, c, recurrent, "igfo"),
        ("mean-log-gate", "bias-for-half-life"),
    ),
    Mutant("bias-on-the-input-gate", "gate_drive", bias_on_the_input_gate, "mean-log-gate"),
    Mutant(
        "noise-forgotten",
        "log_gate_moments",
        lambda original: lambda bias, noise: original(bias, 0.0),
        "mean-log-gate",
        {"noise": 1.0},
    ),
    Mutant(
        "odds-of-the-share-lost",
        "half_life_odds",
        lambda _: lambda root_of_two: root_of_two - 1,
        ("keeps-half", "bias-for-half-life"),
    ),
    Mutant(
        "half-life-in-bits",
        "half_life",
        lambda _: lambda log_half, mean_log_gate: -1 / mean_log_gate,
        "half-life",
    ),
    Mutant(
        "content-after-the-gate-of-its-own-step",
        "lstm_driven",
        lambda original: (
            lambda *rest: (
                lambda trace: trace._replace(cell=np.concatenate([trace.cell[:1], trace.cell[:-1]]))
            )(original(*rest))
        ),
        "unrolled-cell",
    ),
)
