"""Mutants of D51."""

from __future__ import annotations

import numpy as np

from engine.nn.transformer import Linear
from tests.mutants.mutant import Mutant


def uncounted(layer: Linear) -> Linear:
    """The same map, its products not entered anywhere."""
    return Linear(layer.weight.view(np.ndarray), layer.bias.view(np.ndarray))


MUTANTS = (
    Mutant(
        "weighted-values-forgotten",
        "pair_products",
        lambda _: lambda N, d: N**2 * d,
        ("pair-work", "gap", "pair-share", "pair-coefficient", "held-back"),
    ),
    Mutant(
        "network-forgotten",
        "weight_products",
        lambda _: lambda N, d: 4 * N * d**2,
        ("matrix-work", "gap", "pair-share", "weight-coefficient", "held-back"),
    ),
    Mutant(
        "crossover-at-the-width",
        "layer_crossover",
        lambda _: lambda d: d,
        ("gap", "crossover"),
    ),
    Mutant(
        "input-map-of-the-recurrence-forgotten",
        "recurrent_products",
        lambda _: lambda N, d: N * d**2,
        ("against-recurrence", "recurrent-coefficient"),
    ),
    Mutant(
        "scores-as-wide-as-heads",
        "score_entries",
        lambda _: lambda N, h: h * N**2 * 128,
        ("one-head-128k", "score-bytes"),
    ),
    Mutant(
        "diagonal-forgotten",
        "causal_pairs",
        lambda _: lambda N: N * (N - 1) / 2,
        ("half-of-them", "causal"),
    ),
    Mutant(
        "weights-read-anew-for-every-token",
        "intensity",
        lambda _: lambda n, d, size: 2 * n * d**2 / (size * (n * d**2 + 2 * n * d)),
        ("arithmetic-intensity", "intensity"),
    ),
    Mutant(
        "scores-not-held",
        "scaled_dot_product_attention",
        lambda original: lambda q, k, v, **named: original(q[..., :1, :], k, v, **named),
        ("scores-quadruple", "score-bytes"),
    ),
    Mutant(
        "key-projection-uncounted",
        "encoder_layer",
        lambda original: (
            lambda x, weights, heads: original(
                x,
                weights._replace(attention=weights.attention._replace(key=uncounted(weights.attention.key))),
                heads,
            )
        ),
        ("weight-coefficient", "held-back"),
    ),
)
