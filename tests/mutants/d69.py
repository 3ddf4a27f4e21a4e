"""Mutants of D69."""

from __future__ import annotations

from engine.nn.decoding import penalize_repetition
from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "every-logit-divided",
        "penalize_repetition",
        lambda original: lambda z, seen, penalty, by_sign=True: original(z, seen, penalty, by_sign=False),
        "change-by-sign",
        given={"z": -4.0, "c": 0.0},
    ),
    Mutant(
        "once-for-each-occurrence",
        "penalize_repetition",
        lambda original: (
            lambda z, seen, penalty, by_sign=True: original(z, seen, penalty ** len(seen), by_sign)
        ),
        ("change-by-sign", "change-by-division"),
    ),
    Mutant(
        "presence-paid-each-time",
        "penalize_counts",
        lambda original: lambda z, seen, presence, frequency: original(z, seen, 0.0, presence + frequency),
        ("change-by-subtraction", "subtraction-after-shift"),
    ),
    Mutant(
        "frequency-counted-once",
        "subtracted_change",
        lambda _: lambda presence, frequency, count: -(presence + frequency) + 0 * count,
        ("subtracted", "change-by-subtraction"),
    ),
    Mutant(
        "divided-for-subtracted",
        "penalize_counts",
        lambda _: lambda z, seen, presence, frequency: penalize_repetition(z, seen, 1 + presence),
        ("change-by-subtraction", "subtracted-law-unmoved"),
    ),
    Mutant(
        "positive-multiplied",
        "positive_change",
        lambda _: lambda z, theta: -z * (theta - 1),
        ("positive-logit", "change-by-sign"),
    ),
    Mutant(
        "negative-divided",
        "negative_change",
        lambda _: lambda z, theta: (1 / theta - 1) * z,
        ("negative-logit", "change-by-sign"),
        given={"z": -4.0},
    ),
)
