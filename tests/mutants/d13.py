"""Mutants of D13."""

from __future__ import annotations

import numpy as np

from engine.nn.gru import GRUWeights
from tests.mutants.mutant import Mutant


def reset_gate_open(original):
    """A textbook cell that forgets its reset gate: that of weights which hold it open."""

    def cell(x, h, weights, *repairs, **named):
        width = h.shape[-1]
        recurrent, inputs, bias = (a.copy() for a in (weights.recurrent, weights.inputs, weights.bias))
        recurrent[:width], inputs[:width] = 0, 0
        bias[:, :width] = 100
        return original(x, h, GRUWeights(recurrent, inputs, bias), *repairs, **named)

    return cell


MUTANTS = (
    Mutant(
        "z-writes-in-chung-s-formula-no-more",
        "writing_update",
        lambda _: lambda z, h, n: z * h + (1 - z) * n,
        ("written-share", "one-meaning-of-z", "coupled-lstm", "state-after"),
        {"convention": "Chung"},
    ),
    Mutant(
        "keeps-without-giving-way",
        "keeping_update",
        lambda _: lambda z, h, n: h + (1 - z) * n,
        ("swap", "negated-weights", "state-after", "share-kept"),
    ),
    Mutant(
        "gates-add-in-the-commutator",
        "commutator_term",
        lambda _: lambda u, r_i, r_j, h_j: u * (r_i + r_j) * h_j,
        ("commutator", "commutator-two-units", "commutator-measured"),
    ),
    Mutant(
        "layer-resets-before",
        "gru_forward",
        lambda original: lambda x, h, weights, reset="before": original(x, h, weights, reset="before"),
        ("both-repairs-agree", "reset-placement-matters"),
    ),
    Mutant(
        "layer-reads-keras-order",
        "gru_forward",
        lambda original: lambda *rest, **named: original(*rest, **named, order="zrn"),
        "both-repairs-agree",
    ),
    Mutant(
        "layer-writes-by-z",
        "gru_driven",
        lambda original: lambda *rest, **named: original(*rest, **{**named, "update": "write"}),
        ("state-after", "share-kept", "share-written"),
    ),
    Mutant("reset-gate-forgotten", "textbook_cell", reset_gate_open, "both-repairs-agree"),
    Mutant(
        "bias-of-the-state-forgotten",
        "textbook_cell",
        lambda original: (
            lambda x, h, weights, *repairs, **named: original(
                x,
                h,
                GRUWeights(weights.recurrent, weights.inputs, weights.bias * np.array([[1], [0]])),
                *repairs,
            )
        ),
        "both-repairs-agree",
    ),
    Mutant(
        "coupled-the-wrong-way",
        "lstm_driven",
        lambda original: lambda drive, *rest: original(drive[..., [1, 0, 2, 3]], *rest),
        "lstm-with-coupled-gates",
    ),
)
