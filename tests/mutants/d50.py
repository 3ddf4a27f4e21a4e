"""Mutants of D50."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "patches-on-one-side-only",
        "patch_count",
        lambda _: lambda across: across,
        ("usual-count", "halved-patch", "patches", "vit-parameters"),
    ),
    Mutant(
        "class-token-forgotten",
        "score_count",
        lambda _: lambda n: n**2,
        ("class-token-dilutes", "scores"),
    ),
    Mutant(
        "bias-forgotten",
        "patch_parameters",
        lambda _: lambda P, C, d: C * P**2 * d,
        ("patch-map", "vit-b", "patch-parameters"),
    ),
    Mutant(
        "positions-for-patches-only",
        "vit_parameters",
        lambda original: lambda n, P, C, d, depth, classes: original(n - 1, P, C, d, depth, classes),
        ("vit-b", "vit-parameters"),
    ),
    Mutant(
        "nothing-is-dropped",
        "unused_pixels",
        lambda _: lambda H, P, across: 0 * H,
        "unused",
        {"side": 225},
    ),
    Mutant(
        "channels-in-reverse",
        "embed_by_unfolding",
        lambda original: lambda image, weights: original(image[::-1], weights),
        "unfolding-equals-convolution",
    ),
    Mutant(
        "rows-and-columns-swapped",
        "embed_by_convolution",
        lambda original: lambda image, weights: original(image.swapaxes(-1, -2), weights),
        "unfolding-equals-convolution",
    ),
    Mutant(
        "positions-not-added",
        "with_class_token",
        lambda original: lambda embedded, token, positions: original(embedded, token, 0 * positions),
        "order-with-positions",
    ),
    Mutant(
        "positions-always-there",
        "with_class_token",
        lambda original: (
            lambda embedded, token, positions: original(
                embedded,
                token,
                positions + np.arange(len(positions))[:, None] * np.linspace(-1, 1, embedded.shape[-1]),
            )
        ),
        ("set-without-positions-pre", "set-without-positions-post"),
    ),
)
