"""Mutants of D16."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def coupled_gates(original):
    """An LSTM whose input gate is what its forget gate leaves, as in a GRU."""

    def forward(x, h, c, weights):
        trace = original(x, h, c, weights)
        cell = np.empty_like(trace.cell)
        cell[0] = c
        for t, (f, g) in enumerate(zip(trace.forget_gate, trace.candidate, strict=True)):
            cell[t + 1] = f * cell[t] + (1 - f) * g
        return trace._replace(cell=cell)

    return forward


def adding_state(original):
    """A GRU that adds what it writes and gives nothing up for it."""

    def forward(x, h, weights, **named):
        trace = original(x, h, weights, **named)
        hidden = np.concatenate([h[None], (trace.update_gate * trace.candidate).cumsum(axis=0)])
        return trace._replace(hidden=hidden)

    return forward


MUTANTS = (
    Mutant(
        "coupled-gates",
        "lstm_gated_by_input",
        coupled_gates,
        ("cell-after", "every-count-its-own-cell", "accepts-equal-counts-alone"),
    ),
    Mutant("state-that-adds", "gru_gated_by_input", adding_state, ("state-at-every-step", "state-bounded")),
    Mutant(
        "z-keeps",
        "gru_gated_by_input",
        lambda original: lambda *rest, update: original(*rest, update="keep"),
        ("state-at-every-step", "state-after-strings"),
    ),
    Mutant(
        "forget-gate-shut",
        "counting_lstm",
        lambda original: (
            lambda p: (
                lambda weights: type(weights)(
                    weights.recurrent, weights.inputs, weights.bias * np.array([1, -1, 1, 1])
                )
            )(original(p))
        ),
        ("cell-after", "every-count-its-own-cell"),
    ),
    Mutant(
        "b-writes-like-a",
        "counting_lstm",
        lambda original: (
            lambda p: (
                lambda weights: type(weights)(weights.recurrent, np.abs(weights.inputs), weights.bias)
            )(original(p))
        ),
        ("cell-after-strings", "accepts-equal-counts-alone"),
    ),
    Mutant(
        "count-without-its-first-symbol",
        "exact_count",
        lambda _: lambda steps, written: (steps - 1) * written,
        ("counts", "cell-after", "cell-at-every-step"),
    ),
    Mutant(
        "leak-forgotten-in-the-denominator",
        "leaky_count",
        lambda _: lambda lost_power, lost, written: written * lost_power,
        ("leaky-step", "cell-after"),
        {"bias": 3.0},
    ),
    Mutant(
        "limit-of-the-state-at-once",
        "bounded_count",
        lambda _: lambda kept_power, candidate: candidate * (1 + 0 * kept_power),
        ("gru-resolution", "state-at-every-step"),
    ),
    Mutant(
        "counting-down-from-the-limit-of-up",
        "then_back",
        lambda _: lambda state, lost_power, limit: state - lost_power * (state - limit),
        ("gru-step-back", "state-after-strings"),
    ),
    Mutant(
        "half-precision-s-counts",
        "ROUNDING",
        lambda original: 1e-3,
        "states-run-out",
    ),
)
