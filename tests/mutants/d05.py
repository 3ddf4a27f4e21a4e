"""Mutants of D05."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def bag_of_words(original):
    """A layer that adds up the words of a window before it weighs them."""
    return lambda words, filters, padding: original(
        words, filters.mean(axis=2, keepdims=True) + 0 * filters, padding
    )


def positions_added(original):
    def attend(x, weights):
        return original(x + np.linspace(0, 1, len(x))[:, None], weights)

    return attend


def counts_kept(original):
    """A TextCNN that sums over time instead of taking the maximum."""

    def sentence(words, weights):
        trace = original(words, weights)
        return trace._replace(sentence=np.concatenate([c.sum(axis=-1) for c in trace.feature_maps]))

    return sentence


def wrapped_padding(original):
    return lambda x, weight, *, padding: original(x, weight, padding=padding, fill="circular")


MUTANTS = (
    Mutant(
        "a-bag-of-words-in-each-window",
        "text_layer",
        bag_of_words,
        "convolution-and-order",
        given={"k": 5, "shuffle": "swap"},
    ),
    Mutant("attention-with-positions", "self_attention", positions_added, "attention-and-order"),
    Mutant(
        "recurrence-without-memory",
        "rnn_forward",
        lambda original: lambda x, h, weights: original(x[-1:], h, weights),
        "recurrence-and-order",
    ),
    Mutant("sum-for-the-maximum", "text_cnn", counts_kept, "phrase-repeated"),
    Mutant(
        "pads-too-few",
        "documents",
        lambda original: lambda gap, rng: original(gap - 1, rng),
        "phrases-exchanged",
    ),
    Mutant(
        "padding-that-wraps", "correlate", wrapped_padding, "places-told-apart", given={"padding": "same"}
    ),
    Mutant(
        "one-window-too-many",
        "window_count",
        lambda _: lambda n, k: n - k + 2,
        ("windows", "windows-counted"),
    ),
    Mutant(
        "padding-at-one-end",
        "touched_by_padding",
        lambda _: lambda k: (k - 1) / 2,
        ("ends", "places-told-apart"),
        given={"padding": "same"},
    ),
    Mutant(
        "one-map-for-all-widths",
        "text_cnn",
        lambda original: (
            lambda words, weights: original(words, type(weights)(weights.filters[:1], weights.biases[:1]))
        ),
        "sentence-vector",
    ),
    Mutant(
        "signal-forgotten-in-the-error",
        "remaining_error",
        lambda _: lambda c, w: 1 - 2 * sum(a * b for a, b in zip(c, w, strict=True)),
        ("its-least-error", "denoising-errors"),
    ),
    Mutant(
        "channels-in-the-wrong-order",
        "unfold",
        lambda original: lambda x, size, **how: np.roll(original(x, size, **how), 1, axis=-1),
        "windows-as-rows",
    ),
    Mutant(
        "pixels-not-shuffled",
        "denoise",
        lambda original: lambda k, step: original(k, step) if k == 1 else original(k, 1),
        "denoising-errors",
    ),
)
