"""Mutants of D02."""

from __future__ import annotations

import numpy as np

from engine.nn.pooling import average_pool, max_pool
from tests.mutants.mutant import Mutant


def mean_for_the_maximum(_):
    class Pooled:
        def __init__(self, x, size, stride=None):
            self.y = average_pool(x, size, stride=stride)

    return Pooled


def windows_in_steps_of_one(_):
    """A pooling that always moves by one, whatever the stride."""
    return lambda x, size, stride=None: max_pool(x, size, stride=(1,))


def flat_filter(_):
    return lambda taps: np.ones(taps) / taps


MUTANTS = (
    Mutant(
        "mean-for-the-maximum",
        "max_pool",
        mean_for_the_maximum,
        ("unchanged-windows", "square-of-maximum-measured", "sparse-maximum", "dense-maximum"),
    ),
    Mutant(
        "stride-forgotten",
        "max_pool",
        windows_in_steps_of_one,
        "whole-window-shift",
        given={"shift": 2},
    ),
    Mutant(
        "maximum-for-the-mean",
        "average_pool",
        lambda _: lambda x, size: max_pool(x, size).y,
        ("sparse-mean", "dense-mean"),
    ),
    Mutant(
        "a-box-for-the-blur",
        "engine.nn.pooling:binomial_filter",
        flat_filter,
        "blurred-white-noise",
        given={"shift": 2},
    ),
    Mutant(
        "a-small-shift-changes-nothing",
        "unchanged_share",
        lambda _: lambda p, s: 0 * s + 1,
        ("unchanged", "unchanged-windows"),
    ),
    Mutant(
        "overlap-over-one-window",
        "unchanged_share",
        lambda _: lambda p, s: (p - s) / p,
        ("unchanged", "unchanged-windows"),
    ),
    Mutant(
        "maxima-taken-as-independent",
        "square_of_change",
        lambda original: lambda p, s: original(p, p) + 0 * s,
        ("square-of-change", "square-of-change-measured"),
    ),
    Mutant(
        "values-on-the-unit-interval",
        "square_of_maximum",
        lambda _: lambda p: p / (p + 2),
        ("square-of-maximum", "square-of-maximum-measured"),
    ),
    Mutant(
        "one-tap-too-many",
        "blurred_overlap",
        lambda original: lambda taps, s: original(taps + 1, s),
        ("blurred-noise", "blurred-white-noise"),
    ),
    Mutant(
        "variance-of-one-mean",
        "spread_of_mean_difference",
        lambda _: lambda c: 1 / c,
        ("mean-spread", "sparse-mean", "dense-mean"),
    ),
    Mutant(
        "largest-of-one-unit-less",
        "largest_is_noise",
        lambda _: lambda t, c, below: (c - 1) * t ** (c - 2) * below,
        ("coin-toss", "sparse-maximum"),
        given={"units": 4},
    ),
    Mutant(
        "blur-after-thinning-out",
        "blur",
        lambda original: (
            lambda x, taps, *, stride, fill: original(x[..., ::stride], taps, stride=1, fill=fill)
        ),
        "blurred-white-noise",
    ),
)
