"""Mutants of D35."""

from __future__ import annotations

from engine.nn.transformer import new_encoder_layer
from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "output-projection-forgotten",
        "attention_parameters",
        lambda _: lambda d: 3 * d**2 + 3 * d,
        ("encoder-layer", "bert-base", "attention", "total"),
    ),
    Mutant(
        "network-as-one-matrix",
        "network_parameters",
        lambda _: lambda d, ratio: ratio * d**2 + ratio * d,
        ("encoder-layer", "feed-forward", "total"),
    ),
    Mutant(
        "cross-attention-forgotten",
        "decoder_parameters",
        lambda _: lambda d, ratio: 12 * d**2 + 13 * d,
        "decoder-layer",
    ),
    Mutant(
        "norm-without-shift",
        "norm_parameters",
        lambda _: lambda d: d,
        ("encoder-layer", "rest", "total"),
    ),
    Mutant(
        "decoder-built-as-encoder",
        "new_decoder_layer",
        lambda _: new_encoder_layer,
        ("attention", "total"),
        {"preset": "transformer"},
    ),
    Mutant(
        "biases-counted-as-products",
        "matrix_entries",
        lambda _: lambda d, ratio: 4 * d**2 + 2 * ratio * d**2 + 9 * d,
        ("attention-share", "products-a-token"),
    ),
    Mutant(
        "network-mixes-positions",
        "feed_forward",
        lambda original: lambda x, w: original(x + x[:1], w),
        "moved-positions",
    ),
)
