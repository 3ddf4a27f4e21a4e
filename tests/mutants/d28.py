"""Mutants of D28."""

from __future__ import annotations

import math

import numpy as np

from engine.nn.position import sinusoidal_encoding
from tests.mutants.d27 import RunningSoftmax
from tests.mutants.mutant import Mutant


def _numbered(original):  # type: ignore[no-untyped-def]
    """Positions added to the input after all."""

    def depths(x, layers, mask):  # type: ignore[no-untyped-def]
        return original(x + sinusoidal_encoding(np.arange(x.shape[-2]), x.shape[-1]), layers, mask)

    return depths


def _sum_for_mean(original):  # type: ignore[no-untyped-def]
    def attend(query, key, value, **options):  # type: ignore[no-untyped-def]
        done = original(query, key, value, **options)
        return done._replace(context=done.context * len(key))

    return attend


def _cut_off(x, form):  # type: ignore[no-untyped-def]
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.trunc(np.ldexp(fraction, form.significand)), exponent - form.significand)


MUTANTS = (
    Mutant(
        "mask-forgotten",
        "visible",
        lambda _: lambda tokens, mask: None,
        ("orders-told-apart", "first-token-marked"),
    ),
    Mutant(
        "mask-transposed",
        "causal_mask",
        lambda original: lambda queries, keys: original(queries, keys).T,
        "orders-told-apart",
        given={"place": 1},
    ),
    Mutant(
        "positions-added-unasked",
        "depths",
        _numbered,
        ("orders-told-apart", "one-word-repeated"),
        given={"mask": "none"},
    ),
    Mutant(
        "one-layer-suffices",
        "orders_told_apart",
        lambda _: lambda prefix, layers, mask: math.factorial(prefix) if mask == "causal" else 1,
        "orders-told-apart",
        given={"layers": 1},
    ),
    Mutant(
        "depth-suffices-without-mask",
        "orders_told_apart",
        lambda _: lambda prefix, layers, mask: math.factorial(prefix) if layers >= 2 else 1,
        "orders-told-apart",
        given={"mask": "none"},
    ),
    Mutant("counted-from-zero", "counter", lambda _: lambda t: 1 / (t + 1), ("counter", "counter-value")),
    Mutant("sum-for-mean", "scaled_dot_product_attention", _sum_for_mean, "counter-value"),
    Mutant(
        "whole-place-for-half",
        "readable_places",
        lambda _: lambda u: (1 - u) / u,
        ("readable", "places-misread"),
    ),
    Mutant("digits-cut-off-for-rounded", "stored", lambda _: _cut_off, "places-misread"),
    Mutant(
        "normaliser-of-the-row-so-far",
        "engine.proof.row_softmax:RowSoftmax",
        lambda _: RunningSoftmax,
        ("one-layer-sees-a-set", "no-mask-no-order", "mask-alone-numbers-places"),
    ),
)
