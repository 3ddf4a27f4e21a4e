"""Mutants of D59."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "stride-for-every-input",
        "transposed_length",
        lambda _: lambda n, k, s, p: n * s + k - 2 * p,
        ("length", "output-length"),
    ),
    Mutant(
        "padding-at-one-end",
        "forward_length",
        lambda _: lambda n, k, s, p: (n + p - k) / s + 1,
        ("length", "forward-length"),
        given={"padding": 1},
    ),
    Mutant(
        "copies-rounded-down",
        "most_copies",
        lambda _: lambda k, s: k // s,
        "most-copies",
    ),
    Mutant(
        "every-input-wins",
        "winners",
        lambda _: lambda p: p / p,
        ("one-in-p", "winners-share"),
    ),
    Mutant(
        "kernel-turned-round-in-the-layer",
        "transposed_correlate",
        lambda original: lambda y, w, **how: original(y, w[..., ::-1], **how),
        ("adjoint-measured", "matrix-measured", "input-gradient-measured", "full-convolution-measured"),
    ),
    Mutant(
        "backward-without-the-flip",
        "correlate_backward",
        lambda original: lambda x, w, d, **how: original(x, w[..., ::-1], d, **how),
        ("input-gradient-measured", "slope"),
    ),
    Mutant(
        "weight-gradient-from-the-flipped-signal",
        "correlate_backward",
        lambda original: lambda x, w, d, **how: original(x[..., ::-1], w, d, **how),
        "weight-gradient-measured",
    ),
    Mutant(
        "maximum-shares-its-gradient",
        "max_pool_backward",
        lambda _: lambda pooled, d, shape, size: np.repeat(d, size[0], axis=-1) / size[0],
        ("winners-share", "pool-slope"),
    ),
    Mutant(
        "mean-gives-all-to-the-first",
        "average_pool_backward",
        lambda _: lambda d, shape, size: np.repeat(d, size[0], axis=-1),
        ("mean-share", "passed-on-measured"),
    ),
    Mutant(
        "a-transpose-that-inverts",
        "back_and_forth",
        lambda _: lambda layer, transposed: np.eye(len(layer)),
        "deconvolution",
    ),
)
