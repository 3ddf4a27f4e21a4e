"""Mutants of D53."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def _without_the_norm(_):  # type: ignore[no-untyped-def]
    return lambda x, directions: np.exp(x @ directions.T) / np.sqrt(len(directions))


def _divided_by_m(original):  # type: ignore[no-untyped-def]
    return lambda x, directions: original(x, directions) / np.sqrt(len(directions))


def _trigonometric(_):  # type: ignore[no-untyped-def]
    """Random Fourier features with the cosine alone, scaled for the softmax's kernel."""

    def features(x, directions):  # type: ignore[no-untyped-def]
        scale = np.exp((x * x).sum(axis=-1, keepdims=True) / 2)
        return scale * np.cos(x @ directions.T) * np.sqrt(2 / len(directions))

    return features


def _state_replaced(original):  # type: ignore[no-untyped-def]
    def step(query, key, value, state):  # type: ignore[no-untyped-def]
        context, new = original(query, key, value, state)
        return context, new._replace(z=key)

    return step


MUTANTS = (
    Mutant(
        "norm-forgotten",
        "positive_random_features",
        _without_the_norm,
        ("features-average-to-the-kernel",),
    ),
    Mutant(
        "divided-by-m",
        "positive_random_features",
        _divided_by_m,
        ("features-average-to-the-kernel", "sample-not-far-below"),
    ),
    Mutant(
        "trigonometric-features",
        "positive_random_features",
        _trigonometric,
        "relative-variance",
    ),
    Mutant("normaliser-not-summed", "linear_attention_step", _state_replaced, "recursion-equals-matrix"),
    Mutant(
        "every-query-sees-all",
        "causal_linear_attention",
        lambda _: lambda q, k, v: q @ (k.T @ v) / (q @ k.sum(axis=0))[:, None],
        "recursion-equals-matrix",
    ),
    Mutant(
        "bonus-for-all",
        "wkv",
        lambda original: lambda decay, bonus, key, value: original(decay, 0 * bonus, key, value),
        "wkv-forms",
    ),
    Mutant(
        "growth-for-decay",
        "wkv",
        lambda original: lambda decay, bonus, key, value: original(-decay, bonus, key, value),
        "wkv-forms",
    ),
    Mutant(
        "fourier-of-the-magnitude",
        "fourier_mixing",
        lambda _: lambda x: np.abs(np.fft.fft2(x)),
        "fourier-ignores-content",
    ),
    Mutant(
        "variance-without-exponent",
        "relative_variance",
        lambda _: lambda length, m, exp: length / m,
        ("mean-of-m", "relative-variance"),
    ),
    Mutant(
        "difference-for-the-sum",
        "squared_length",
        lambda _: lambda norm, cosine: 2 * norm**2 * (1 - cosine),
        ("length-of-the-sum", "relative-variance"),
        given={"cosine": 0.5},
    ),
    Mutant(
        "normaliser-not-kept",
        "state_size",
        lambda _: lambda m, d_v: m * d_v,
        "state",
    ),
)
