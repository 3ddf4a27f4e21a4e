"""Mutants of D06."""

from __future__ import annotations

import numpy as np

from engine.nn.recurrent import RNNTrace
from tests.mutants.mutant import Mutant


def without_first_step(original):
    """The gradient of the weights summed from the second step on."""

    def backward(trace, x, weights, d_hidden, *rest):
        later = RNNTrace(trace.pre_activations[1:], trace.hidden[1:])
        return original(later, x[1:], weights, d_hidden[1:], *rest)

    return backward


MUTANTS = (
    Mutant(
        "state-not-squared",
        "slope_from_state",
        lambda _: lambda h: 1 - h,
        ("slope-from-state", "numerator-layout", "denominator-layout", "chain", "shared-weight", "order"),
    ),
    Mutant(
        "jacobian-untransposed-weights",
        "step_jacobian",
        lambda original: lambda a, recurrent, *rest: original(a, recurrent.T, *rest),
        ("descending-product", "transposed-ascending-product"),
    ),
    Mutant(
        "slope-on-the-wrong-side",
        "step_jacobian",
        lambda original: lambda a, recurrent, *rest: np.swapaxes(original(a, recurrent.T, *rest), -1, -2),
        "descending-product",
    ),
    Mutant(
        "jacobian-without-slope",
        "step_jacobian",
        lambda original: lambda a, recurrent, *rest: original(a, recurrent, "linear"),
        "descending-product",
    ),
    Mutant(
        "product-in-the-other-order",
        "product_of",
        lambda original: lambda factors: original(factors[::-1]),
        ("descending-product", "transposed-ascending-product", "pascanus-network"),
    ),
    Mutant(
        "a-step-too-few",
        "product_of",
        lambda original: lambda factors: original(factors[1:]),
        ("descending-product", "pascanus-network"),
    ),
    Mutant(
        "weight-gradient-without-the-first-step",
        "rnn_backward",
        without_first_step,
        "backpropagation-through-time",
    ),
    Mutant(
        "wall-at-tanh-of-one",
        "lowest_slope_at_a_state",
        lambda _: lambda tanh_of_one: tanh_of_one,
        ("wall", "misread-slope-stays-above-its-wall"),
    ),
)
