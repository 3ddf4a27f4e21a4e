"""Mutants of D41."""

from __future__ import annotations

import math

import numpy as np

from tests.mutants.mutant import Mutant


def skipping_a_token(_: object) -> object:
    """x3 is drawn from x1, as if x2 were not there."""

    def sample_triples(a: float, b: float, count: int, rng: np.random.Generator) -> np.ndarray:
        start = np.linalg.matrix_power(np.array([[a, 1 - a], [1 - b, b]]), 512)[0, 0]
        draws = rng.random((3, count))
        first = draws[0] >= start
        second, third = (draws[i] >= np.where(first, 1 - b, a) for i in (1, 2))
        return np.bincount(4 * first + 2 * second + third, minlength=8).reshape(2, 2, 2)

    return sample_triples


def left_only(original: object) -> object:
    """The masked prediction does not look to the right."""
    return lambda a, b: (original(a, b)[0], original(a, b)[0])  # type: ignore[operator]


MUTANTS = (
    Mutant(
        "masked-predictions-called-a-law",
        "pseudo_mass",
        lambda _: lambda a, b: 1 + 0 * a,
        ("pseudo-sum", "masked-predictions-are-a-law", "pseudo-mass"),
    ),
    Mutant("sampling-skips-a-token", "sample_triples", skipping_a_token, "ancestral-sampling"),
    Mutant("right-neighbour-ignored", "conditionals", left_only, ("between-bits", "between-information")),
    Mutant(
        "nats-for-bits",
        "next_entropy",
        lambda original: lambda a, b, q, t, log: original(a, b, q, t, log) * math.log(2),
        ("one-step-entropy", "next-bits"),
    ),
    Mutant(
        "stationary-law-exchanged",
        "stationary",
        lambda _: lambda q, t: q / (q + t),
        ("stationary", "next-bits", "ancestral-sampling"),
    ),
    Mutant(
        "far-step-forgotten",
        "two_steps",
        lambda _: lambda a, b, q, t: (a, b, q, t),
        ("two-steps", "between-bits"),
    ),
    Mutant(
        "information-of-unlike-neighbours-forgotten",
        "between_information",
        lambda original: lambda a, b, q, t: original(a, b, q, t) - t / (q + t) * 2 * q * b / (a * (a + b)),
        "information-between",
    ),
    Mutant(
        "labels-not-shifted",
        "causal_labels",
        lambda _: lambda input_ids: input_ids,
        "causal-targets",
    ),
    Mutant(
        "ignored-positions-counted",
        "mask_tokens",
        lambda original: lambda ids, rng, **named: original(ids, rng, **{**named, "rate": 1.0}),
        "masked-targets",
    ),
    Mutant(
        "fresh-logits-called-uniform",
        "initial_loss",
        lambda _: lambda V, sigma, log: log(V),
        ("normal-logits", "initial-loss"),
    ),
)
