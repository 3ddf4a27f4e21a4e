"""Mutants of D68."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "samples-not-counted",
        "best_product",
        lambda original: lambda joint, word, noise, k: original(joint, word, noise, 1),
        ("best-inner-product", "inner-products"),
    ),
    Mutant(
        "conditional-only",
        "best_product",
        lambda _: lambda joint, word, noise, k: joint / (k * word),
        ("best-inner-product", "inner-products"),
    ),
    Mutant(
        "one-negative-for-all",
        "slope",
        lambda original: lambda x, joint, noise, k: original(x, joint, noise, 1),
        "inner-products",
    ),
    Mutant(
        "noise-not-raised",
        "noise_law",
        lambda original: lambda contexts, power: original(contexts, 1.0 - power),
        "not-the-softmax",
        given={"power": 1.0},
    ),
    Mutant(
        "ends-not-cut-off",
        "skip_gram_pairs",
        lambda _: lambda tokens, m: 2 * m * tokens,
        ("pairs", "skip-gram-pairs"),
    ),
    Mutant(
        "marks-forgotten",
        "subwords",
        lambda original: lambda characters: original(characters - 2),
        "subwords",
    ),
    Mutant(
        "balanced-code-for-all",
        "huffman",
        lambda _: lambda f: [format(i, f"0{int(np.ceil(np.log2(len(f))))}b") for i in range(len(f))],
        "path-below-entropy-plus-one",
        given={"V": 256, "zipf": 1.5},
    ),
    Mutant(
        "context-summed",
        "cbow_gradients",
        lambda original: (
            lambda m, rng: tuple(g * f for g, f in zip(original(m, rng), (2 * m, 1), strict=True))
        ),
        "context-gradients",
    ),
)
