"""Mutants of D27."""

from __future__ import annotations

import numpy as np
import sympy as sp

from engine.proof.row_softmax import RowSoftmax
from tests.mutants.mutant import Mutant


def positional_attention(original):
    """Scores that fall with the distance of places, as a relative position bias would make them."""

    def attend(query, key, value, *, mask):
        places = np.arange(len(query))
        return original(query, key, value, mask=-0.1 * np.abs(places[:, None] - places[None, :]))

    return attend


def hard_attention(original):
    """All weight on the best key: argmax for softmax."""

    def attend(query, key, value, *, mask):
        done = original(query, key, value, mask=mask)
        hard = (done.weights == done.weights.max(axis=-1, keepdims=True)).astype(float)
        return done._replace(weights=hard, context=hard @ value)

    return attend


class RunningSoftmax(RowSoftmax):
    """Normalised by what came so far in the row, as an online softmax that forgets to rescale."""

    def doit(self, **hints):
        scores = self.args[0].doit(**hints)
        if not isinstance(scores, sp.MatrixBase):
            return RunningSoftmax(scores)
        powers = scores.applyfunc(sp.exp)
        return sp.ImmutableMatrix(
            *scores.shape, lambda i, j: powers[i, j] / sum(powers[i, k] for k in range(j + 1))
        )


MUTANTS = (
    Mutant(
        "relative-position-bias",
        "scaled_dot_product_attention",
        positional_attention,
        ("outputs-follow-tokens", "pooled-output"),
        given={"shuffle": "rotate"},
    ),
    Mutant("argmax-for-softmax", "scaled_dot_product_attention", hard_attention, "attended-share"),
    Mutant(
        "mask-dropped",
        "causal_mask",
        lambda _: lambda queries, keys: np.ones((queries, keys), dtype=bool),
        ("outputs-follow-tokens", "pooled-output", "attended-share"),
        given={"mask": "causal"},
    ),
    Mutant(
        "mask-excludes-the-token-itself",
        "causal_mask",
        lambda _: lambda queries, keys: np.tril(np.ones((queries, keys), dtype=bool), -1),
        "attended-share",
        given={"mask": "causal"},
    ),
    Mutant(
        "positions-added-unasked",
        "normalised",
        lambda original: lambda x: original(x + np.arange(len(x))[:, None]),
        ("outputs-follow-tokens", "pair-keeps-its-score"),
    ),
    Mutant(
        "only-rows-counted",
        "changed_share",
        lambda _: lambda n, unmoved: 1 - unmoved / n,
        ("unmoved-scores", "scores-changed"),
    ),
    Mutant(
        "strictly-causal-count",
        "causal_share",
        lambda _: lambda n: (n - 1) / (2 * n),
        ("causal-count", "attended-share"),
        given={"mask": "causal"},
    ),
    Mutant(
        "normaliser-of-the-row-so-far",
        "engine.proof.row_softmax:RowSoftmax",
        lambda _: RunningSoftmax,
        ("softmax-moves", "attention-moves"),
    ),
    Mutant(
        "shuffle-that-does-nothing",
        "draw_order",
        lambda _: lambda p, rng: np.arange(p.tokens),
        "scores-changed",
    ),
)
