"""Mutants of D22."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "polarity-ignored",
        "read_as_keep",
        lambda _: lambda mask, polarity: mask,
        "wrong-queries",
        given={"polarity": "block", "alignment": "bottom-right"},
    ),
    Mutant(
        "alignment-ignored",
        "build_mask",
        lambda build: lambda p, alignment: build(p, "bottom-right"),
        "wrong-queries",
    ),
    Mutant(
        "padding-on-the-other-side",
        "padding_mask",
        lambda padding: lambda lengths, keys, side: padding(lengths, keys),
        "keys-seen",
        given={"mask": "padding"},
    ),
    Mutant(
        "masks-united-for-intersected",
        "combine_masks",
        lambda _: lambda *masks: np.logical_or(*masks),
        "wrong-queries",
        given={"mask": "both"},
    ),
    Mutant(
        "one-key-too-few",
        "causal_count",
        lambda _: lambda i, offset: i + offset,
        ("causal-keys", "bottom-right-last"),
    ),
    Mutant(
        "queries-and-keys-exchanged",
        "bottom_right_offset",
        lambda _: lambda queries, keys: queries - keys,
        "bottom-right-last",
    ),
    Mutant(
        "hidden-bit-forgotten",
        "spacing",
        lambda _: lambda exponent, significand: 2 ** (exponent - significand),
        ("spacing-float32", "spacing-float64"),
    ),
    Mutant(
        "mask-after-the-softmax",
        "masked_logits",
        lambda _: lambda scores, keep, fill, application, name: scores,
        "wrong-queries",
        given={"alignment": "bottom-right"},
    ),
    Mutant(
        "fill-too-weak",
        "masked_logits",
        lambda mask: (
            lambda scores, keep, fill, application, name: mask(scores, keep, -10.0, application, name)
        ),
        ("wrong-queries", "kept-rows-exact"),
        given={"alignment": "bottom-right"},
    ),
    Mutant(
        "format-ignored",
        "into_format",
        lambda _: lambda x, name: x,
        "empty-row-uniform",
    ),
    Mutant(
        "float16-does-not-overflow",
        "fill_stays_finite",
        lambda _: lambda p: True,
        "empty-row-nan",
        given={"format": "float16"},
    ),
    Mutant(
        "rounding-counted-once",
        "rounding_factor",
        lambda _: lambda e_delta: e_delta,
        "rounding-moves-a-weight",
    ),
)
