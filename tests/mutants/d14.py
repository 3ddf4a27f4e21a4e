"""Mutants of D14."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "maps-are-gates",
        "MAPS",
        lambda _: {"lstm": 3, "gru": 2},
        ("parameters-lstm", "parameters-gru", "multiplications-lstm"),
    ),
    Mutant(
        "state-map-forgotten",
        "cell_parameters",
        lambda _: lambda maps, D, H, biases: maps * (H * D + biases * H),
        ("parameters-lstm", "parameters-gru", "usual-lstm"),
    ),
    Mutant(
        "one-bias-counted-for-two",
        "cell_parameters",
        lambda _: lambda maps, D, H, biases: maps * (H * (H + D) + H),
        ("parameters-lstm", "usual-lstm", "usual-gru", "keras-ratio"),
    ),
    Mutant(
        "upper-layers-read-the-input",
        "stack_total",
        lambda _: lambda first, upper, layers, directions: directions * layers * first,
        ("stack", "parameters-lstm", "multiplications-gru"),
    ),
    Mutant(
        "one-direction-counted",
        "stack_total",
        lambda original: lambda first, upper, layers, directions: original(first, upper, layers, 1),
        ("stack", "parameters-lstm", "gate-multiplications-gru"),
    ),
    Mutant(
        "a-product-less-in-the-gates",
        "gate_multiplications",
        lambda _: lambda H: 2 * H,
        ("gate-share", "gate-multiplications-lstm", "gate-multiplications-gru"),
    ),
    Mutant(
        "backward-as-dear-as-forward",
        "training_factor",
        lambda _: lambda: 2,
        ("training-lstm", "training-gru"),
    ),
    Mutant(
        "input-products-at-every-width-alike",
        "map_multiplications",
        lambda _: lambda maps, D, H: maps * H * 2 * H,
        ("multiplications-lstm", "multiplications-gru", "gate-share"),
    ),
    Mutant(
        "biases-left-out",
        "parameters",
        lambda _: lambda layers: sum(c.recurrent.size + c.inputs.size for layer in layers for c in layer),
        ("parameters-lstm", "parameters-gru"),
    ),
    Mutant(
        "reset-always-after",
        "gru_forward",
        lambda original: lambda x, h, weights, reset: original(x, h, weights, reset="after"),
        "two-in-a-row-when-before",
    ),
)
