"""Mutants of D21."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def _scaled_again(attend):  # type: ignore[no-untyped-def]
    return lambda query, key, value, beta: attend(query, key, value, beta / np.sqrt(key.shape[1]))


def _sum_free(_):  # type: ignore[no-untyped-def]
    """Only the output held, the sum of the weights let go."""

    def other_weights(weights, value, epsilon):  # type: ignore[no-untyped-def]
        left, _, _ = np.linalg.svd(value)
        z = left[:, value.shape[1]] / np.abs(left[:, value.shape[1]]).max()
        step = np.min(weights[z < 0] / -z[z < 0], initial=1.0)
        return weights + epsilon * step * z, left.shape[1] - value.shape[1]

    return other_weights


def _normalised_over_queries(attend):  # type: ignore[no-untyped-def]
    def wrong(query, key, value, beta):  # type: ignore[no-untyped-def]
        scores = beta * query @ key.T
        powers = np.exp(scores - scores.max())
        weights = powers / powers.sum(axis=0)
        return weights, weights @ value

    return wrong


MUTANTS = (
    Mutant("scaled-twice", "attend", _scaled_again, ("matching-weight", "kernel-regression")),
    Mutant(
        "softmax-over-the-queries",
        "attend",
        _normalised_over_queries,
        ("matching-weight", "rows-sum-to-one", "mean-at-zero"),
    ),
    Mutant(
        "weights-not-normalised",
        "attend",
        lambda attend: lambda q, k, v, beta: tuple(2 * part for part in attend(q, k, v, beta)),
        ("inside-the-box", "rows-sum-to-one"),
    ),
    Mutant(
        "keys-of-unequal-length",
        "draw_keys",
        lambda draw: lambda p, rng: draw(p, rng) * np.linspace(1, 2, p.n)[:, None],
        "kernel-regression",
    ),
    Mutant(
        "kernel-of-twice-the-width",
        "smooth",
        lambda smooth: lambda query, key, value, beta: smooth(query, key, value, beta / 2),
        "kernel-regression",
    ),
    Mutant(
        "sum-of-the-weights-let-go",
        "other_weights",
        _sum_free,
        ("free-directions", "other-weights-sum-to-one"),
    ),
    Mutant(
        "too-far-along",
        "other_weights",
        lambda other: lambda weights, value, epsilon: other(weights, value, 1.5),
        "other-weights-nonnegative",
    ),
    Mutant(
        "same-weights-returned",
        "other_weights",
        lambda other: lambda weights, value, epsilon: (weights, other(weights, value, epsilon)[1]),
        "weights-did-change",
    ),
    Mutant(
        "own-key-counted-twice",
        "top_weight",
        lambda _: lambda n, decay: 1 / (1 + n * decay),
        ("top-weight", "all-weights", "no-preference", "matching-weight"),
    ),
    Mutant(
        "rest-not-shared",
        "other_weight",
        lambda _: lambda n, decay: 1 - 1 / (1 + (n - 1) * decay),
        "all-weights",
    ),
    Mutant(
        "sum-costs-no-direction",
        "free_directions",
        lambda _: lambda n, d_v: n - d_v,
        "free-directions",
    ),
    Mutant(
        "twice-the-smallest",
        "least_change",
        lambda _: lambda epsilon, smallest: 2 * epsilon * smallest,
        "still-weights",
    ),
)
