"""Mutants of D29."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def _cosines_at_the_next_exponent(original):  # type: ignore[no-untyped-def]
    """cos with 2i + 1 in the exponent where it shares 2i with its sine."""

    def encode(positions, d, *, base, layout):  # type: ignore[no-untyped-def]
        table = original(positions, d, base=base, layout=layout)
        off = original(np.asarray(positions) * base ** (-1 / d), d, base=base, layout=layout)
        cosines = np.arange(d) % 2 == 1 if layout == "interleaved" else np.arange(d) >= d // 2
        return np.where(cosines, off, table)

    return encode


def _sines_and_cosines_exchanged(original):  # type: ignore[no-untyped-def]
    def encode(positions, d, *, base, layout):  # type: ignore[no-untyped-def]
        table = original(positions, d, base=base, layout=layout)
        order = np.arange(d) ^ 1 if layout == "interleaved" else np.roll(np.arange(d), d // 2)
        return table[..., order]

    return encode


def _padded(original):  # type: ignore[no-untyped-def]
    """A table that leaves the last sine of an odd width out."""
    return lambda positions, d, base: original(positions, d - d % 2, base)


MUTANTS = (
    Mutant(
        "exponent-without-its-two",
        "angular_frequencies",
        lambda original: lambda d, base: original(d, base) ** 0.5,
        ("rotated-encoding", "dot-product", "quarter-turn"),
    ),
    Mutant(
        "cosine-at-another-frequency",
        "sinusoidal_encoding",
        _cosines_at_the_next_exponent,
        ("both-forms", "norm-everywhere", "rotated-encoding", "dot-product"),
    ),
    Mutant(
        "sine-and-cosine-exchanged",
        "sinusoidal_encoding",
        _sines_and_cosines_exchanged,
        ("both-forms", "rotated-encoding", "quarter-turn"),
    ),
    Mutant(
        "counted-from-one",
        "sinusoidal_encoding",
        lambda original: lambda positions, d, **options: original(np.asarray(positions) + 1, d, **options),
        "both-forms",
    ),
    Mutant(
        "layout-ignored",
        "sinusoidal_encoding",
        lambda original: lambda positions, d, *, base, layout: original(positions, d, base=base),
        ("both-forms", "rotated-encoding", "quarter-turn"),
        given={"layout": "halves"},
    ),
    Mutant(
        "rotated-the-other-way",
        "shifted",
        lambda original: lambda encoding, angles, layout: original(encoding, -angles, layout),
        "rotated-encoding",
    ),
    Mutant(
        "half-angle-for-the-angle",
        "pair_distance_squared",
        lambda _: lambda half_sine: 2 * half_sine**2,
        ("distance", "nearest-position"),
    ),
    Mutant(
        "wrong-sign-of-direction",
        "aligned_form",
        lambda original: lambda a, b, cosine, sine: original(a, -b, cosine, sine),
        ("aligned-projections", "any-projection", "quarter-turn"),
    ),
    Mutant(
        "unequal-on-the-diagonal",
        "quarter_turns",
        lambda original: (
            lambda a, b, layout: original(a, b, layout) * (1 + np.arange(2 * len(a)) % 2)[:, None]
        ),
        ("projected-score", "quarter-turn"),
        given={"projection": "aligned"},
    ),
    Mutant("padded-table", "exponential_table", _padded, "odd-width-refused"),
)
