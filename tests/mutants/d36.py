"""Mutants of D36."""

from __future__ import annotations

import numpy as np

from engine.nn.softmax import softmax
from tests.mutants.mutant import Mutant


def twice_the_softmax(original):
    """Probabilities fed to a loss that expects logits."""
    return lambda z, *rest, **named: original(softmax(z), *rest, **named)


def without_jacobian(original):
    """-1/(p + eps) on the target's logit: the slope by p, not by z."""

    def backward(z, targets, epsilon, d_loss):
        p = softmax(z)
        rows = np.arange(len(targets))
        gradient = np.zeros_like(p)
        gradient[rows, targets] = -d_loss / (p[rows, targets] + epsilon)
        return gradient

    return backward


MUTANTS = (
    Mutant("softmax-twice", "cross_entropy", twice_the_softmax, ("exact-loss", "exact-backward")),
    Mutant("softmax-jacobian-forgotten", "epsilon_loss_backward", without_jacobian, "epsilon-backward"),
    Mutant(
        "epsilon-of-the-wrong-size",
        "epsilon_loss",
        lambda original: lambda z, targets, epsilon: original(z, targets, 10 * epsilon),
        ("capped-loss", "sure-hit"),
        {"epsilon": 1e-6},
    ),
    Mutant(
        "slope-without-the-rest",
        "epsilon_slope",
        lambda _: lambda p, eps: p / (p + eps),
        ("epsilon-slope", "half", "epsilon-pull"),
        {"gap": 2},
    ),
    Mutant(
        "epsilon-forgotten-in-the-slope",
        "epsilon_slope",
        lambda _: lambda p, eps: 1 - p,
        ("epsilon-slope", "epsilon-limit", "harmless", "epsilon-pull"),
    ),
    Mutant(
        "one-class-too-many",
        "target_probability",
        lambda _: lambda power, classes: 1 / (power + classes),
        ("mistake-probability", "epsilon-pull"),
        {"gap": 2},
    ),
    Mutant(
        "smoothing-over-the-others-only",
        "smoothed_target",
        lambda _: lambda share, classes: (1 - share, share / (classes - 1)),
        ("smoothed-gap", "smoothed-minimum"),
    ),
    Mutant(
        "smoothing-that-leaks",
        "smoothed_target",
        lambda _: lambda share, classes: (1 - share, share / classes),
        ("smoothed-sums-to-one", "smoothed-minimum"),
    ),
    Mutant(
        "softmax-without-the-shift",
        "softmax",
        lambda _: lambda z: np.exp(z) / (1e-3 + np.exp(z).sum()),
        "shift-invariance",
        {"gap": 0},
    ),
)
