"""Mutants of D04."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def ridge(_):
    """A fit that is pulled towards zero."""
    return lambda x, y: x.T @ np.linalg.solve(x @ x.T + 16 * np.eye(len(x)), y)


def one_window_a_sample(original):
    """A filter that learns from the first output of each sample only."""

    def products(x, y, k):
        gram, moments = original(x, y, k)
        first = np.concatenate([x[:, -((k - 1) // 2) :], x], axis=1)[:, :k]
        return first[:, :, None] * first[:, None, :] + 1e-9 * gram, first[:, :, None] * y[
            :, :1
        ] + 1e-9 * moments

    return products


def zeros_beyond_the_ends(original):
    return lambda x, weight, *rest, padding, fill="zero": original(x, weight, *rest, padding=padding)


MUTANTS = (
    Mutant(
        "a-window-of-k-for-k-by-k",
        "local_weights",
        lambda _: lambda side, k, c_in, c_out: side**2 * k * c_in * c_out,
        ("by-locality", "by-sharing", "small-local"),
    ),
    Mutant(
        "places-counted-once",
        "dense_weights",
        lambda _: lambda side, c_in, c_out: side**2 * c_in * c_out,
        ("dense", "by-locality", "small-dense"),
    ),
    Mutant(
        "channels-forgotten",
        "shared_weights",
        lambda _: lambda k, c_in, c_out: k**2 * c_out,
        ("by-sharing", "by-both", "small-shared"),
    ),
    Mutant("zeros-beyond-the-ends", "correlate", zeros_beyond_the_ends, "small-local"),
    Mutant(
        "unseen-squared",
        "unseen_share",
        lambda _: lambda n, samples: (1 - samples / n) ** 2,
        ("unseen", "unseen-directions"),
    ),
    Mutant(
        "noise-as-if-orthogonal",
        "dense_noise",
        lambda _: lambda more, fewer: fewer / more,
        ("variance-saved", "noise-of-the-dense-fit"),
        given={"train": 192},
    ),
    Mutant(
        "one-output-a-sample",
        "shared_noise",
        lambda _: lambda k, n, samples: k / samples,
        ("variance-saved", "shared-noise-measured"),
    ),
    Mutant(
        "one-window-a-sample",
        "window_products",
        one_window_a_sample,
        "shared-noise-measured",
    ),
    Mutant(
        "labels-shifted-by-one",
        "unfold",
        lambda original: lambda x, size, **how: np.roll(original(x, size, **how), 1, axis=1),
        "shared-error-measured",
    ),
    Mutant("a-ridge-fit", "fit_dense", ridge, "dense-error-measured"),
    Mutant(
        "too-few-maps-to-memorise",
        "max_pool",
        lambda original: lambda x, size: original(x[:, : len(x) // 2], size),
        "random-labels-learned",
    ),
    Mutant(
        "noise-grows-without-end",
        "dense_error",
        lambda _: lambda n, samples, variance: (1 - samples / n) + variance * samples / n,
        "more-data-never-hurts",
    ),
)
