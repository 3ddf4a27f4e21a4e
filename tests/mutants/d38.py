"""Mutants of D38."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

OPTIMIZER = "engine.nn.optimizer"

MUTANTS = (
    Mutant(
        "no-bias-correction",
        f"{OPTIMIZER}:unbiased",
        lambda _: lambda average, beta, steps: average,
        ("first-step-taken", "constant-gradient"),
        {"beta_2": 0.95},
    ),
    Mutant(
        "correction-of-the-wrong-power",
        "unbiased",
        lambda _: lambda average, beta, steps: average / (1 - beta ** (steps + 1)),
        ("bias-corrected", "first-step", "after-silence"),
    ),
    Mutant(
        "averages-of-full-weight",
        f"{OPTIMIZER}:moving_average",
        lambda _: lambda average, value, beta: beta * average + value,
        ("first-step-taken", "spike-step"),
    ),
    Mutant(
        "weights-swapped",
        "moving_average",
        lambda _: lambda average, value, beta: (1 - beta) * average + beta * value,
        ("short-of-the-mean", "first-step", "after-silence"),
    ),
    Mutant(
        "epsilon-under-the-root",
        "first_step",
        lambda _: lambda size, eps: size / (size**2 + eps) ** 0.5,
        ("first-step", "first-step-taken"),
        {"epsilon": 1e-3, "scale": 0.1},
    ),
    Mutant(
        "spike-never-above-the-learning-rate",
        "spike_step",
        lambda _: lambda size, eps, weight_1, root_weight_2: size / (size + eps),
        ("after-silence", "spike-step"),
    ),
    Mutant(
        "decay-inside-the-gradient",
        "decoupled_shrinkage",
        lambda _: lambda lr, decay, steps: 1 - lr * steps,
        ("decoupled-decay", "decoupled-shrinkage"),
    ),
    Mutant(
        "counterexample-by-plain-descent",
        "counterexample",
        lambda original: lambda plain: original(not plain),
        ("adam-ends-at-the-worst-point", "descent-ends-at-the-best"),
    ),
    Mutant(
        "rate-of-the-steep-mode-alone",
        "descent_rate",
        lambda _: lambda condition: 1 - 1 / condition,
        ("plain-descent", "plain-descent-steep", "descent-error"),
    ),
)
