"""Beam search: over any model of the next token, and over whole batches of explicit trees.

Sources: Lowerre 1976; Graves 2012 (sequence transduction), section 2.6; Wu et al. 2016, section 7, equation 14 (length
penalty); Murray, Chiang 2018 (length bias).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]
Integers: TypeAlias = NDArray[np.int64]
Tokens: TypeAlias = tuple[int, ...]

Penalty = Literal["power", "gnmt"]
"""What a log probability is divided by. ``power``: |Y|^alpha. ``gnmt``: ((5 + |Y|) / 6)^alpha (Wu et al. 2016)."""


class Hypothesis(NamedTuple):
    """A sequence, its log probability and the score it is ranked by."""

    tokens: Tokens
    log_probability: float
    score: float


def penalized(log_probability: float, length: int, alpha: float, penalty: Penalty = "power") -> float:
    """The score of a hypothesis of ``length`` tokens, its end token included. ``alpha`` 0 is the plain log probability."""
    # s(Y) = log P(Y) / lp(Y)
    base = length if penalty == "power" else (5 + length) / 6
    # powers by logarithms: one rule for both conventions; an empty prefix is never ranked
    return log_probability / math.exp(alpha * math.log(base))


def beam_search(
    log_probabilities: Callable[[Tokens], ArrayLike],
    width: int,
    max_length: int,
    *,
    end: int | None = None,
    alpha: float = 0.0,
    penalty: Penalty = "power",
) -> list[Hypothesis]:
    """The hypotheses that survive, best first: at most ``width``.

    ``log_probabilities`` gives log p(next | prefix), (V,), of a prefix of tokens. ``end`` finishes a hypothesis; what has not
    finished after ``max_length`` tokens is taken as it stands. Width 1 with alpha 0 is greedy decoding. Live hypotheses
    compete by log probability, all having the same length; finished ones by their penalised score.

    Raises:
        ValueError: width or max_length below 1.
    """
    if width < 1 or max_length < 1:
        raise ValueError("width and max_length must be at least 1")
    live: list[tuple[Tokens, float]] = [((), 0.0)]
    finished: list[Hypothesis] = []
    for _ in range(max_length):
        # log P(y_1 … y_t) = log P(y_1 … y_{t-1}) + log p(y_t | y_1 … y_{t-1})
        grown = [
            ((*tokens, token), total + float(step))
            for tokens, total in live
            for token, step in enumerate(np.asarray(log_probabilities(tokens), dtype=np.float64))
            if step > -np.inf
        ]
        grown.sort(key=lambda one: -one[1])
        best = grown[:width]
        finished += [_scored(*one, alpha, penalty) for one in best if one[0][-1] == end]
        live = [one for one in best if one[0][-1] != end]
        if not live:
            break
    finished += [_scored(*one, alpha, penalty) for one in live]
    return sorted(finished, key=lambda one: -one.score)[:width]


def _scored(tokens: Tokens, total: float, alpha: float, penalty: Penalty) -> Hypothesis:
    return Hypothesis(tokens, total, penalized(total, len(tokens), alpha, penalty))


class TreeSearch(NamedTuple):
    """For each tree the log probability found (B,) and its tokens (B, depth)."""

    log_probability: Floats
    tokens: Integers


def beam_search_trees(levels: Sequence[Floats], width: int) -> TreeSearch:
    """Beam search of ``width`` on B trees at once, all leaves at the same depth.

    ``levels[t]`` (B, V^t, V) holds log p(next | node) of every node of depth t, nodes numbered by their tokens in base V.
    Equal candidates are taken in the order of their numbers. A width of V^depth finds the optimum.
    """
    trees, _, vocabulary = levels[0].shape
    node = np.zeros((trees, 1), dtype=np.int64)
    total: Floats = np.zeros((trees, 1))
    for level in levels:
        step = np.take_along_axis(level, node[..., None], axis=1)  # (B, beams, V)
        # log P(child) = log P(node) + log p(token | node)
        grown = (total[..., None] + step).reshape(trees, -1)  # (B, beams·V)
        child = (node[..., None] * vocabulary + np.arange(vocabulary)).reshape(trees, -1)
        kept = np.argsort(-grown, axis=1, kind="stable")[:, :width]  # (B, beams)
        node, total = np.take_along_axis(child, kept, axis=1), np.take_along_axis(grown, kept, axis=1)
    digits = vocabulary ** np.arange(len(levels) - 1, -1, -1)
    return TreeSearch(total[:, 0], node[:, :1] // digits % vocabulary)


def optimum_of_trees(levels: Sequence[Floats]) -> Floats:
    """The log probability of the most probable leaf of each tree, (B,), by going back from the leaves."""
    # best(node) = max_token (log p(token | node) + best(child))
    best: Floats = levels[-1].max(axis=-1)  # (B, V^t)
    for level in reversed(levels[:-1]):
        best = (level + best.reshape(level.shape)).max(axis=-1)
    return best[:, 0]
