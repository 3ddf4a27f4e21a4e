"""Mutants of D10."""

from __future__ import annotations

import numpy as np

from engine.nn.simple_rnn import SimpleRNNTrace, SimpleRNNWeights
from tests.mutants.mutant import Mutant


def always_reads_the_state(original):
    """The copied cell mended: the read-out's state part takes the new state."""

    def mended(x, h_0, weights, read_out="state"):
        trace = original(x, h_0, weights, read_out)
        if read_out == "state":
            return trace
        inputs = x.shape[-1]
        logits = (
            x @ weights.i2o[:, :inputs].T + trace.hidden[1:] @ weights.i2o[:, inputs:].T + weights.i2o_bias
        )
        return SimpleRNNTrace(logits, trace.hidden, trace.combined)

    return mended


def without(name):
    def replace(original):
        def backward(trace, weights, d_logits, read_out="state"):
            found = original(trace, weights, d_logits, read_out)
            fields = {key: getattr(found, key) for key in ("i2h", "i2h_bias", "i2o", "i2o_bias")}
            return SimpleRNNWeights(**fields | {name: 0 * fields[name]})

        return backward

    return replace


MUTANTS = (
    Mutant(
        "read-out-of-the-new-state",
        "simple_rnn",
        always_reads_the_state,
        ("updates-that-reach-the-last-logits", "copied-cell-ignores-its-own-update", "copied-cell-is-affine"),
    ),
    Mutant(
        "both-read-the-old-state",
        "simple_rnn",
        lambda original: (
            lambda x, h_0, weights, read_out="state": (
                lambda trace: SimpleRNNTrace(
                    trace.logits
                    if read_out == "combined"
                    else trace.hidden[:-1] @ weights.i2o.T + weights.i2o_bias,
                    trace.hidden,
                    trace.combined,
                )
            )(original(x, h_0, weights, read_out))
        ),
        ("elman-uses-its-own-update", "elman-bends"),
    ),
    Mutant(
        "update-followed-from-the-step-after",
        "update_effects",
        lambda original: lambda *given: np.roll(original(*given), 1, axis=1),
        ("copied-cell-ignores-its-own-update"),
    ),
    Mutant(
        "no-recurrent-gradient",
        "simple_rnn_backward",
        without("i2h"),
        ("backward-pass-combined", "backward-pass-state"),
    ),
    Mutant(
        "gradient-of-the-other-read-out",
        "simple_rnn_backward",
        lambda original: (
            lambda trace, weights, d_logits, read_out: original(
                SimpleRNNTrace(trace.logits[:-1], trace.hidden[:-1], trace.combined[:-1]),
                weights,
                d_logits[:-1],
                read_out,
            )
        ),
        "backward-pass-state",
    ),
    Mutant(
        "every-update-counted",
        "updates_read",
        lambda _: lambda steps, lag: steps,
        ("updates-read", "updates-that-reach-the-last-logits"),
    ),
    Mutant(
        "state-missing-from-the-read-out",
        "copied_logit",
        lambda _: lambda x, h_before, a_x, a_h, c: a_x * x + c,
        "first-update-counts",
    ),
)
