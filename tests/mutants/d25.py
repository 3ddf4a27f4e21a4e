"""Mutants of D25."""

from __future__ import annotations

import numpy as np

from engine.nn.attention import AttentionGradient
from engine.nn.mean_field import MeanField
from tests.mutants.mutant import Mutant


def positions_leak(original):
    """Keys that carry their position: scores fall with distance though no bias was asked for."""

    def attend(query, key, value, *, mask):
        return original(query, key, value, mask=mask - 0.02 * np.arange(key.shape[-2])[::-1])

    return attend


def without_values(original):
    """A backward pass that lets the gradient through a running mean of the values, not through the weights."""

    def backward(done, query, key, value, d_context):
        found = original(done, query, key, value, d_context)
        decay = 0.97 ** np.arange(value.shape[-2])[::-1, None]
        return AttentionGradient(found.query, found.key * decay, found.value * decay)

    return backward


def keys_unscaled(original):
    """The gradient by the keys without 1/√d_k."""

    def backward(done, query, key, value, d_context):
        found = original(done, query, key, value, d_context)
        return AttentionGradient(found.query, found.key * key.shape[-1] ** 0.5, found.value)

    return backward


MUTANTS = (
    Mutant(
        "n-others-instead-of-n-minus-one",
        "best_weight",
        lambda _: lambda power, keys: power / (power + keys),
        ("best-weight", "half", "leader-weight"),
    ),
    Mutant(
        "no-normaliser",
        "softmax",
        lambda original: lambda scores: np.exp(scores - scores.max()),
        ("leader-weight", "crowd-takes-more"),
    ),
    Mutant(
        "lead-counted-twice",
        "weight_of_the_leader",
        lambda original: lambda keys, lead, rng: original(keys, 2 * lead, rng),
        ("leader-weight", "lead-for-half"),
    ),
    Mutant(
        "threshold-with-all-keys",
        "power_for_half",
        lambda _: lambda keys: keys,
        ("half", "lead-for-half"),
    ),
    Mutant(
        "positions-leak-into-the-scores",
        "scaled_dot_product_attention",
        positions_leak,
        "weight-against-distance",
    ),
    Mutant(
        "bias-of-the-wrong-sign",
        "log_weight_slope",
        lambda _: lambda bias: bias,
        ("distance-bias", "weight-against-distance"),
        given={"bias": 0.1},
    ),
    Mutant(
        "gradient-decays-with-distance",
        "scaled_dot_product_attention_backward",
        without_values,
        ("gradient-against-distance", "gradient-of-the-values"),
    ),
    Mutant(
        "gradient-of-the-keys-unscaled",
        "scaled_dot_product_attention_backward",
        keys_unscaled,
        "gradient-of-the-keys",
    ),
    Mutant(
        "recurrent-gradient-without-slopes",
        "hidden_gradients",
        lambda original: lambda trace, recurrent, direct: original(trace, recurrent, direct, "linear"),
        "rnn-against-distance",
    ),
    Mutant(
        "rate-of-the-spectral-radius",
        "engine.nn.mean_field:mean_field",
        lambda original: (
            lambda gain, drive, activation: MeanField(gain, *original(gain, drive, activation)[1:])
        ),
        "rnn-against-distance",
    ),
)
