"""Mutants of D31."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def _added(x, angles, layout="interleaved"):  # type: ignore[no-untyped-def]
    """A sinusoidal vector added for a rotation."""
    vector = np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(angles), -1)
    return x + np.pad(vector, ((0, 0), (0, x.shape[-1] - vector.shape[-1])))


def _scaled(original):  # type: ignore[no-untyped-def]
    """A rotation that also shrinks, as cos for both diagonal terms with sin halved would."""
    return lambda x, angles, layout: (
        original(x, angles, layout) * (1 - 1e-6 * np.arange(len(angles)))[:, None]
    )


MUTANTS = (
    Mutant(
        "vector-added-for-rotation",
        "rotate",
        lambda _: _added,
        ("score-by-distance", "roles-exchanged", "drift", "lengths"),
    ),
    Mutant(
        "key-turned-back",
        "pair_score",
        lambda original: lambda dot, cross, cosine, sine: original(dot, -cross, cosine, sine),
        ("pair-score", "score-by-distance", "roles-exchanged"),
    ),
    Mutant(
        "cosine-only",
        "pair_score",
        lambda original: lambda dot, cross, cosine, sine: dot * cosine,
        ("pair-score", "score-by-distance", "roles-exchanged"),
    ),
    Mutant(
        "exponent-without-its-two",
        "rotary_angles",
        lambda original: lambda positions, rotated, base: original(positions, rotated, base**0.5),
        "score-by-distance",
    ),
    Mutant("shrinks-as-it-turns", "rotate", _scaled, ("drift", "lengths"), given={"form": "float64"}),
    Mutant(
        "rest-rotated-too",
        "stored_angles",
        lambda original: (
            lambda p, positions, form: (
                np.pad(original(p, positions, form), ((0, 0), (0, 16)), constant_values=1.0)
                * positions[:, None]
            )
        ),
        "score-by-distance",
        given={"fraction": 0.5},
    ),
    Mutant(
        "layout-not-reordered",
        "halved",
        lambda _: lambda x, pairs: x,
        "reordered-layout",
    ),
    Mutant(
        "layouts-taken-for-one",
        "rotate",
        lambda original: lambda x, angles, layout: original(x, angles, "interleaved"),
        ("reordered-layout", "mixed-layout"),
    ),
    Mutant(
        "one-rounding-for-three",
        "angle_error",
        lambda _: lambda angle, u: angle * u,
        "rounded-angle",
    ),
    Mutant(
        "angle-in-half-the-digits",
        "stored",
        lambda original: (
            lambda x, form: original(x, type(form)("half", form.significand // 2, form.least_exponent))
        ),
        "drift",
    ),
)
