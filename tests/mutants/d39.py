"""Mutants of D39."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant("no-root", "one_hot_distance", lambda _: lambda same, m=None: 2 - 2 * same, ("all-equally-far", "one-hot-distance")),
    Mutant("distance-one", "one_hot_distance", lambda _: lambda same, m=None: 1 - same, ("all-equally-far", "one-hot-distance")),
    Mutant("last-occurrence-wins", "embed_backward", lambda _: _last_wins, "gradient-collects-occurrences"),
    Mutant("next-row", "embed", lambda original: lambda ids, table: original((ids + 1) % table.shape[0], table), "lookup-is-a-product"),
    Mutant("two-hot", "one_hot", lambda original: lambda ids, V: original(ids, V) + original((ids + 1) % V, V), ("lookup-is-a-product", "gradient-collects-occurrences")),
    Mutant("context-on-the-right-of-king-only", "SENTENCES", lambda sentences: tuple(s for s in sentences if "queen" not in s or "rules" in s), "king-and-queen"),
    Mutant("one-coordinate-for-all", "word_vectors", lambda _: lambda pmi, rank: np.ones((len(pmi), rank)), "king-and-apple"),
)  # fmt: skip


def _last_wins(ids: np.ndarray, upstream: np.ndarray, V: int) -> np.ndarray:
    gradient = np.zeros((V, upstream.shape[-1]))
    gradient[ids] = upstream
    return gradient
