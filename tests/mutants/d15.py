"""Mutants of D15."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

STACKED = "engine.nn.stacked"


def padding_turned_round_too(original):
    """The backward direction reads the whole row from its end, padding first."""
    return lambda lengths, steps: np.broadcast_to(np.arange(steps)[::-1, None], (steps, len(lengths))).copy()


def final_state_at_the_last_position(original):
    """h_n taken from the last position of the output in both directions."""

    def forward(x, layers, *rest, **named):
        trace = original(x, layers, *rest, **named)
        width = layers[0][0].recurrent.shape[1]
        output = trace.output.swapaxes(0, 1) if named.get("batch_first") else trace.output
        h_n = trace.h_n.copy()
        for k in range(len(layers[0])):
            h_n[k - len(layers[0])] = output[-1, :, k * width : (k + 1) * width]
        return trace._replace(h_n=h_n)

    return forward


def dropout_on_the_output(original):
    """Dropout after the last layer as well."""

    def forward(*rest, dropout=None, **named):
        trace = original(*rest, dropout=dropout, **named)
        if dropout is None:
            return trace
        mask = dropout.rng.random(trace.output.shape) >= dropout.rate
        return trace._replace(output=trace.output * mask)

    return forward


def states_batch_first(original):
    def forward(*rest, **named):
        trace = original(*rest, **named)
        return trace._replace(h_n=trace.h_n.swapaxes(0, 1)) if named.get("batch_first") else trace

    return forward


MUTANTS = (
    Mutant(
        "backward-pass-reads-forward",
        f"{STACKED}:reading_order",
        lambda _: (
            lambda lengths, steps: np.broadcast_to(np.arange(steps)[:, None], (steps, len(lengths))).copy()
        ),
        ("tokens-read", "last-state-where-it-ended", "backward-half-does-not-move"),
    ),
    Mutant(
        "padding-read-first",
        f"{STACKED}:reading_order",
        padding_turned_round_too,
        "lengths-ignore-padding",
    ),
    Mutant(
        "final-state-from-the-last-position",
        "stack_forward",
        final_state_at_the_last_position,
        ("last-state-where-it-ended", "last-position-is-not-the-last-state"),
    ),
    Mutant(
        "dropout-after-the-last-layer", "stack_forward", dropout_on_the_output, "not-after-the-last-layer"
    ),
    Mutant("states-turned-too", "stack_forward", states_batch_first, "batch-first-leaves-the-states"),
    Mutant(
        "lengths-ignored",
        "stack_forward",
        lambda original: lambda x, layers, lengths=None, **named: original(x, layers, **named),
        ("lengths-ignore-padding", "padding-gives-zeros"),
    ),
    Mutant(
        "direction-major-states",
        "state_place",
        lambda _: lambda layer, direction, directions: layer + 3 * direction,
        ("layer-of-a-state", "direction-of-a-state"),
    ),
    Mutant(
        "state-index-direction-major",
        "state_index",
        lambda _: lambda layer, direction, directions: layer + 2 * direction,
        "forward-state-at-the-end",
        {"layers": 2},
    ),
    Mutant(
        "all-tokens-are-read",
        "tokens_read_at_the_end",
        lambda _: lambda steps, layers, directions: steps,
        "tokens-read",
    ),
    Mutant(
        "one-token-at-any-depth",
        "tokens_read_at_the_end",
        lambda _: lambda steps, layers, directions: 1 if directions == 2 else steps,
        "tokens-read",
        {"layers": 2},
    ),
    Mutant(
        "directions-added-not-joined",
        "features",
        lambda _: lambda directions, hidden: hidden,
        ("upper-layer-input", "output-features"),
    ),
    Mutant(
        "dropout-keeps-at-its-rate",
        "Dropout",
        lambda original: lambda rate, rng: original(1 - rate, rng),
        "dropped-between-layers",
        {"layers": 2},
    ),
    Mutant(
        "dropout-not-rescaled",
        "dropped_variance",
        lambda _: lambda rate, h: h**2 * rate * (1 - rate),
        "dropout-variance",
    ),
)
