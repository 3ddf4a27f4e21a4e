"""Mutants of D63."""

from __future__ import annotations

from tests.mutants.mutant import Mutant


def _statistics_held_constant(_):  # type: ignore[no-untyped-def]
    return lambda g, mean_g, mean_gh, h, gamma, s: gamma * g / s


def _mean_only(_):  # type: ignore[no-untyped-def]
    return lambda g, mean_g, mean_gh, h, gamma, s: gamma * (g - mean_g) / s


def _old_value_weighted(original):  # type: ignore[no-untyped-def]
    class Swapped(original):  # type: ignore[misc, valid-type]
        def updated(self, forward, momentum=0.1):  # type: ignore[no-untyped-def]
            done = original(self.mean, self.var).updated(forward, 1 - momentum)
            return Swapped(done.mean, done.var)

    return Swapped


def _fold_without_mean(original):  # type: ignore[no-untyped-def]
    return lambda running, gamma, beta, eps: (original(running, gamma, beta, eps)[0], beta)


MUTANTS = (
    Mutant(
        "statistics-held-constant",
        "input_gradient",
        _statistics_held_constant,
        ("input-gradient", "gradient-entries"),
    ),
    Mutant("mean-only", "input_gradient", _mean_only, ("input-gradient", "gradient-entries")),
    Mutant(
        "variances-averaged",
        "pooled_variance",
        lambda _: lambda inner, between: inner + 0 * between,
        ("pooled-variance", "variance-over-devices"),
    ),
    Mutant(
        "dropout-without-rescaling",
        "dropped_variance",
        lambda _: lambda v, m, rate: (1 - rate) * (v + rate * m**2),
        ("dropped-variance", "variance-behind-dropout"),
    ),
    Mutant(
        "mean-forgotten-under-dropout",
        "dropped_variance",
        lambda _: lambda v, m, rate: v / (1 - rate) + 0 * m,
        ("dropped-variance", "variance-behind-dropout"),
        given={"m": 2.0},
    ),
    Mutant(
        "momentum-the-other-way",
        "start_left",
        lambda _: lambda momentum, steps: momentum**steps,
        ("start-fades", "start-left-over"),
    ),
    Mutant("old-value-weighted", "RunningStatistics", _old_value_weighted, ("start-left-over",)),
    Mutant("fold-without-mean", "batch_norm_folded", _fold_without_mean, ("fold-into-convolution",)),
)
