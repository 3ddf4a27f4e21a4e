"""Mutants of D49."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant


def _one_wider(original):  # type: ignore[no-untyped-def]
    return lambda levels, width: original(levels, width + 1)


def _worst_kept(original):  # type: ignore[no-untyped-def]
    """The beam keeps its least probable candidates."""

    def search(levels, width):  # type: ignore[no-untyped-def]
        found = original([-level for level in levels], width)
        return found._replace(log_probability=-found.log_probability)

    return search


def _probabilities_added(original):  # type: ignore[no-untyped-def]
    """Adds probabilities along a path, where their logarithms belong."""
    return lambda model, width, steps, **rest: original(lambda y: np.exp(model(y)), width, steps, **rest)


MUTANTS = (
    Mutant("beam-one-wider", "beam_search_trees", _one_wider, "greedy-miss"),
    Mutant(
        "worst-candidates-kept",
        "beam_search_trees",
        _worst_kept,
        ("greedy-miss", "full-width-is-exact"),
    ),
    Mutant("probabilities-added", "beam_search", _probabilities_added, "tree"),
    Mutant(
        "width-ignored",
        "beam_search",
        lambda original: lambda model, width, steps, **rest: original(model, 1, steps, **rest),
        ("tree", "deep-tree-width-2"),
    ),
    Mutant(
        "length-penalty-ignored",
        "beam_search",
        lambda original: (
            lambda model, width, steps, **rest: original(model, width, steps, **{**rest, "alpha": 0.0})
        ),
        "length",
        given={"alpha": 1.0},
    ),
    Mutant(
        "optimum-of-the-last-step-alone",
        "optimum_of_trees",
        lambda _: lambda levels: levels[-1].max(axis=(1, 2)),
        "full-width-is-exact",
    ),
    Mutant(
        "optimum-from-the-first-token",
        "optimum_of_trees",
        lambda _: lambda levels: sum(level[:, 0].max(axis=-1) for level in levels),
        "never-beyond-the-optimum",
    ),
    Mutant(
        "miss-share-without-its-constant",
        "miss_share",
        lambda _: lambda logs: 4 * logs[0] - 3 * logs[1],
        ("greedy-misses", "greedy-miss"),
    ),
    Mutant(
        "end-token-not-counted",
        "chain_score",
        lambda _: lambda n, log_q, log_e, factor: n * log_q / factor,
        ("normalised", "length"),
        given={"alpha": 0.7},
    ),
)
