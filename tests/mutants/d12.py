"""Mutants of D12."""

from __future__ import annotations

import numpy as np

from engine.nn.sigmoid import sigmoid
from tests.mutants.mutant import Mutant


def unsquashed(original):
    """The read-out without its tanh: h = o c."""

    def run(*rest):
        trace = original(*rest)
        hidden = trace.hidden.copy()
        hidden[1:] = trace.output_gate * trace.cell[1:]
        return trace._replace(hidden=hidden)

    return run


def peephole(original):
    """Gates that read the cell as well."""
    return lambda x, h, c, weights: original(x, h + 0.1 * c, c, weights)


def state_before_input(original):
    """[h, x] joined where the weights stand for [x, h]."""

    def cell(x, h, c, W, b, order):
        chunks = np.split(np.concatenate([h, x], axis=-1) @ W.T + b, 4, axis=-1)
        named = dict(zip(order, chunks, strict=True))
        new = sigmoid(named["f"]) * c + sigmoid(named["i"]) * np.tanh(named["g"])
        return sigmoid(named["o"]) * np.tanh(new), new

    return cell


MUTANTS = (
    Mutant(
        "forget-gate-forgets",
        "cell_update",
        lambda _: lambda f, c, i, g: (1 - f) * c + i * g,
        ("forget-gate-keeps", "repeated-step", "cell-after"),
    ),
    Mutant(
        "coupled-gates",
        "cell_update",
        lambda _: lambda f, c, i, g: f * c + (1 - f) * g,
        ("input-gate-writes", "cell-after"),
    ),
    Mutant(
        "kept-is-what-is-lost",
        "kept_share",
        lambda _: lambda f: 1 - f,
        ("forget-gate-keeps", "forget-gate-is-what-is-kept"),
    ),
    Mutant(
        "written-through-the-forget-gate",
        "written_share",
        lambda _: lambda i: 1 - i,
        ("input-gate-writes", "input-gate-is-what-is-written"),
        {"i": 0.3},
    ),
    Mutant(
        "slope-without-the-square",
        "read_out_slope",
        lambda _: lambda o, squashed: o * (1 - squashed),
        ("read-out-slope", "read-out-slope-measured"),
    ),
    Mutant("read-out-not-squashed", "lstm_driven", unsquashed, ("hidden-after", "read-out-slope-measured")),
    Mutant("peepholes", "lstm_forward", peephole, "gates-read-h-alone"),
    Mutant(
        "blocks-not-reordered",
        "reorder",
        lambda _: lambda stacked, *_, **__: stacked,
        "remapped-weights-agree",
    ),
    Mutant("state-before-input", "copied_cell", state_before_input, "remapped-weights-agree"),
    Mutant(
        "one-map-a-gate",
        "parameter_count",
        lambda _: lambda D, H, biases: 3 * (H * (H + D) + biases * H),
        ("four-maps", "second-bias", "parameters-one-bias", "parameters-two-biases"),
    ),
    Mutant(
        "series-cut-a-term-early",
        "repeated",
        lambda _: lambda f, f_power, c, written: f_power * c + written * (f - f_power) / (1 - f),
        ("repeated-step", "repeated-steps"),
    ),
)
