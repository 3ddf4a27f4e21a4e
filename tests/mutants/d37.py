"""Mutants of D37."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "gradient-without-the-mean",
        "mse_gradient",
        lambda original: lambda parameters, design, y: len(y) * original(parameters, design, y),
        ("slope-after-the-epochs", "edge-of-stability"),
        {"lr": 0.001},
    ),
    Mutant(
        "gradient-without-the-two",
        "mse_gradient",
        lambda original: lambda parameters, design, y: original(parameters, design, y) / 2,
        ("slope-after-the-epochs", "offset-after-the-epochs", "edge-of-stability"),
    ),
    Mutant(
        "uphill",
        "descent",
        lambda _: lambda parameter, gradient, lr: parameter + lr * gradient,
        ("update", "edge-of-stability"),
    ),
    Mutant(
        "an-epoch-too-many",
        "train",
        lambda original: (
            lambda p, design, y: original(type(p)({**p.as_dict(), "epochs": p.epochs + 1}), design, y)[1:]
        ),
        ("slope-after-the-epochs", "offset-after-the-epochs"),
        {"epochs": 50},
    ),
    Mutant(
        "curvature-of-half-the-loss",
        "curvature",
        lambda _: lambda mean_square, mean: (mean_square, mean, mean**0),
        ("gradient", "curvature-slope", "fast-mode", "slope-after-the-epochs", "edge-of-stability"),
    ),
    Mutant(
        "mean-square-by-the-square-of-the-mean",
        "mean_square_of_places",
        lambda _: lambda n: ((n + 1) / 2) ** 2 + (n - 1),
        ("curvature-slope", "slope-after-the-epochs", "edge-of-stability"),
        {"points": 4},
    ),
    Mutant(
        "eigenvalues-without-the-root",
        "eigenvalue",
        lambda _: lambda half_trace, root, sign: half_trace,
        ("fast-mode", "slow-mode", "slope-after-the-epochs", "edge-of-stability"),
    ),
    Mutant(
        "contraction-as-an-exponential",
        "contraction",
        lambda _: lambda lr, curve: 1 / (1 + lr * curve),
        ("fast-mode-shrinks", "unstable-above-it", "slope-after-the-epochs"),
    ),
)
