"""Mutants of D01."""

from __future__ import annotations

import numpy as np

from engine.nn.convolution import convolve, correlate
from tests.mutants.mutant import Mutant


def zeros_whatever_is_asked(original):
    """A layer that pads with zeros even where circular padding was asked for."""
    return lambda x, kernel, *, padding, fill: original(x, kernel, padding=padding, fill="zero")


def circle_whatever_is_asked(original):
    return lambda x, kernel, *, padding, fill: original(x, kernel, padding=padding, fill="circular")


def no_sharing(original):
    """A layer whose taps grow from place to place."""

    def layer(x, kernel, padding):
        y = original(x, kernel, padding)
        return y * (1 + 0.1 * np.arange(y.shape[-1]))

    return layer


MUTANTS = (
    Mutant(
        "the-layer-flips-its-kernel",
        "correlate",
        lambda _: convolve,
        ("flipped-kernel", "convolution-against-correlation"),
    ),
    Mutant("convolution-forgets-to-flip", "convolve", lambda _: correlate, "convolution-against-correlation"),
    Mutant(
        "zeros-for-the-circle",
        "correlate",
        zeros_whatever_is_asked,
        ("map-of-the-shifted", "mean-of-the-map", "weights-in-the-mean", "flipped-kernel"),
    ),
    Mutant(
        "the-circle-for-zeros",
        "correlate",
        circle_whatever_is_asked,
        ("map-of-the-shifted", "mean-of-the-map", "weights-in-the-mean"),
        given={"padding": "zero"},
    ),
    Mutant("no-weight-sharing", "feature_map", no_sharing, ("map-of-the-shifted", "mean-of-the-map")),
    Mutant(
        "sum-for-the-mean",
        "global_average_pool",
        lambda original: lambda x: original(x) * x.shape[-1],
        "weights-in-the-mean",
    ),
    Mutant(
        "invariance-believed",
        "overlap",
        lambda original: lambda s, k, a: original(0, k, a),
        ("overlap", "change-under-a-shift"),
    ),
    Mutant(
        "overlap-of-a-flat-kernel",
        "overlap",
        lambda _: lambda s, k, a: (k - s) * (k + 1) ** 2 / 4,
        ("overlap", "change-under-a-shift"),
    ),
    Mutant(
        "mirror-counted-once",
        "mirror_energy",
        lambda _: lambda k, a: a**2 * k * (k**2 - 1) / 12,
        ("mirror", "convolution-against-correlation"),
    ),
    Mutant(
        "one-tap-too-few-in-the-sum",
        "partial_sum",
        lambda original: lambda first, last, k, a: original(first, last - 1, k, a),
        ("taps-that-count", "weights-in-the-mean"),
    ),
)
