"""Warpers agree with PyTorch and with the definitions of the papers; the search agrees with plain enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.beam import beam_search, beam_search_trees, optimum_of_trees, penalized
from engine.nn.decoding import (
    entropy,
    greedy,
    penalize_counts,
    penalize_repetition,
    sample,
    temper,
    top_k,
    top_p,
    warp,
)
from engine.nn.softmax import log_softmax, softmax
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("decoding", source)).items():
        z, T, k, p = case["z"], float(case["temperature"]), int(case["k"]), float(case["p"])
        assert_close(softmax(temper(z, T)), case["tempered"], name)
        assert_close(top_k(z, k), case["top_k"], name)
        assert_close(top_p(z, p), case["top_p"], name)
        warped = warp(z, temperature=T, k=k, p=p)
        assert_close(warped, case["warped"], name)
        assert_close(softmax(warped), case["probabilities"], name)
        assert_close(entropy(softmax(temper(z, T))), case["entropy"], name)
        np.testing.assert_array_equal(greedy(z), case["greedy"])


def nucleus_by_loop(probabilities: list[float], p: float, boundary: str) -> set[int]:
    """Tokens added from the most probable on, until the mass reaches p."""
    kept: set[int] = set()
    mass = 0.0
    for token in sorted(range(len(probabilities)), key=lambda one: -probabilities[one]):
        if kept and (mass >= p if boundary == "reaches" else mass + probabilities[token] > p):
            break
        kept.add(token)
        mass += probabilities[token]
    return kept


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.floats(0.02, 0.999), st.sampled_from(["reaches", "within"]), SEEDS)
def test_a_nucleus_as_a_loop_builds_it(n: int, p: float, boundary: str, seed: int) -> None:
    z = np.random.default_rng(seed).standard_normal((2, n)) * 2
    warped = top_p(z, p, boundary)  # type: ignore[arg-type]
    for row, logits in zip(warped, z, strict=True):
        kept = set(np.flatnonzero(row > -np.inf).tolist())
        assert kept == nucleus_by_loop(softmax(logits).tolist(), p, boundary)
        assert all(row[token] == logits[token] for token in kept)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 12), SEEDS)
def test_top_k_keeps_the_k_most_probable_and_ties_are_a_choice(n: int, k: int, seed: int) -> None:
    z = np.random.default_rng(seed).integers(0, 3, (n,)).astype(float)
    kept = np.flatnonzero(top_k(z, k) > -np.inf).tolist()
    assert kept == sorted(sorted(range(n), key=lambda i: (-z[i], i))[:k])
    threshold = sorted(z, reverse=True)[min(k, n) - 1]
    assert (np.flatnonzero(top_k(z, k, ties="keep") > -np.inf) == np.flatnonzero(z >= threshold)).all()


def test_everything_is_kept_at_p_one_and_equal_tokens_are_taken_in_order() -> None:
    assert (top_p(np.zeros(7), 1.0) == 0).all()
    assert (top_p(np.array([0.0, -900.0]), 1.0) == [0.0, -900.0]).all()
    assert np.flatnonzero(top_p(np.zeros(10), 0.25) == 0).tolist() == [0, 1, 2]
    assert np.flatnonzero(top_p(np.zeros(10), 0.25, "within") == 0).tolist() == [0, 1]


def test_the_order_of_warpers_matters() -> None:
    z = np.log([0.5, 0.3, 0.2])
    usual = warp(z, temperature=0.5, p=0.6)
    last = warp(z, temperature=0.5, p=0.6, order=("top_p", "temperature"))
    assert (usual > -np.inf).sum() == 1
    assert (last > -np.inf).sum() == 2


def test_repetition_penalty_lowers_what_was_seen_only_by_sign() -> None:
    z = np.array([2.0, -2.0, 1.0])
    by_sign = penalize_repetition(z, [0, 1, 1], 2.0)
    assert by_sign.tolist() == [1.0, -4.0, 1.0]
    assert penalize_repetition(z, [0, 1], 2.0, by_sign=False).tolist() == [1.0, -1.0, 1.0]
    assert z.tolist() == [2.0, -2.0, 1.0]
    assert penalize_repetition(z, [], 2.0).tolist() == z.tolist()


def test_samples_come_in_proportion_and_never_from_outside() -> None:
    p = np.array([0.0, 0.5, 0.0, 0.3, 0.2, 0.0])
    drawn = sample(p, np.random.default_rng(0), 20_000)
    counts = np.bincount(drawn, minlength=6)
    assert (counts[p == 0] == 0).all()
    # six standard errors
    np.testing.assert_allclose(counts / 20_000, p, atol=6 * math.sqrt(0.25 / 20_000))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_what_is_no_setting_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        temper([0.0], bad)
    with pytest.raises(ValueError, match="p must lie"):
        top_p([0.0], bad)
    with pytest.raises(ValueError, match="k must be"):
        top_k([0.0], 0)
    with pytest.raises(ValueError, match="at least 1"):
        beam_search(lambda _: [0.0], 0, 1)


# search


def random_levels(trees: int, vocabulary: int, depth: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [log_softmax(rng.standard_normal((trees, vocabulary**t, vocabulary)) * 1.5) for t in range(depth)]


def model_of(levels: list[np.ndarray], tree: int):  # type: ignore[no-untyped-def]
    vocabulary = levels[0].shape[-1]

    def log_probabilities(tokens: tuple[int, ...]) -> np.ndarray:
        node = 0
        for token in tokens:
            node = node * vocabulary + token
        return levels[len(tokens)][tree, node]

    return log_probabilities


def probability(levels: list[np.ndarray], tree: int, tokens: tuple[int, ...]) -> float:
    model = model_of(levels, tree)
    return math.fsum(float(model(tokens[:t])[token]) for t, token in enumerate(tokens))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), SEEDS)
def test_trees_in_a_batch_as_one_by_one(
    trees: int, vocabulary: int, depth: int, width: int, seed: int
) -> None:
    levels = random_levels(trees, vocabulary, depth, seed)
    batch, optimum = beam_search_trees(levels, width), optimum_of_trees(levels)
    whole = beam_search_trees(levels, vocabulary**depth)
    for tree in range(trees):
        one = beam_search(model_of(levels, tree), width, depth)[0]
        assert tuple(batch.tokens[tree].tolist()) == one.tokens
        assert batch.log_probability[tree] == pytest.approx(one.log_probability, abs=1e-12)
        every = itertools.product(range(vocabulary), repeat=depth)
        best = max(probability(levels, tree, tokens) for tokens in every)
        assert optimum[tree] == pytest.approx(best, abs=1e-12)
        assert whole.log_probability[tree] == pytest.approx(best, abs=1e-12)


def test_width_one_is_greedy_and_an_end_token_finishes() -> None:
    levels = random_levels(1, 4, 3, 7)
    model, tokens = model_of(levels, 0), ()
    for _ in range(3):
        tokens = (*tokens, int(greedy(model(tokens))))
    assert beam_search(model, 1, 3)[0].tokens == tokens
    stops = beam_search(lambda _: np.log([0.6, 0.4]), 2, 4, end=0)
    assert stops[0].tokens == (0,)
    assert stops[1].tokens == (1, 0)


def test_presence_is_subtracted_once_and_frequency_each_time() -> None:
    z = np.array([2.0, -1.0, 0.5])
    assert penalize_counts(z, [0, 1, 1], 0.5, 0.25).tolist() == [1.25, -2.0, 0.5]
    assert penalize_counts(z, [], 0.5, 0.25).tolist() == z.tolist()
    assert z.tolist() == [2.0, -1.0, 0.5]


@given(SEEDS, st.floats(-50, 50))
def test_a_common_shift_of_the_logits_passes_through_a_subtracted_penalty(seed: int, shift: float) -> None:
    z = np.random.default_rng(seed).normal(size=9)
    here, there = (softmax(penalize_counts(logits, [1, 4, 4], 0.7, 0.3)) for logits in (z, z + shift))
    np.testing.assert_allclose(there, here, rtol=1e-12)


def test_length_penalty_prefers_longer_and_both_conventions_are_as_published() -> None:
    assert penalized(-3.0, 4, 0.0) == -3.0
    assert penalized(-3.0, 4, 1.0) == pytest.approx(-0.75)
    assert penalized(-3.0, 7, 1.0, "gnmt") == pytest.approx(-1.5)

    def chain(_: tuple[int, ...]) -> np.ndarray:
        return np.log([0.3, 0.7])

    lengths = [len(beam_search(chain, 3, 6, end=0, alpha=alpha)[0].tokens) for alpha in (0.0, 1.0, 2.0)]
    assert lengths[0] == 1
    assert lengths == sorted(lengths)
    assert lengths[-1] == 6
