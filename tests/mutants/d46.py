"""Mutants of D46."""

from __future__ import annotations

import math

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant("exponents-swapped", "size_exponent", lambda _: lambda alpha, beta: alpha / (alpha + beta), ("size-exponent", "data-exponent", "chinchilla")),
    Mutant("no-ratio", "log_best_size", lambda _: lambda ratio, c, alpha, beta: beta * c / (alpha + beta), ("balance", "best-size")),
    Mutant("alpha-for-beta", "log_best_size", lambda _: lambda ratio, c, alpha, beta: (ratio + alpha * c) / (alpha + beta), ("balance", "best-size")),
    Mutant("data-term-with-size", "loss", lambda _: lambda t, c, A, B, alpha, beta, m=math: A * m.exp(-alpha * t) + B * m.exp(-beta * t), "slope"),
    Mutant("tokens-not-divided", "train", lambda _: lambda t, c, p: 406.4 / math.exp(t) ** p.alpha + 410.7 / math.exp(c - 2 * t) ** p.beta, ("best-size", "size-exponent-found")),
    Mutant("search-stops-early", "lowest", lambda original: lambda c, p, rounds=70: original(c, p, 8), ("best-size",)),
)  # fmt: skip
