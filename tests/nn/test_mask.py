"""Masks: which key each query sees, in every convention the frameworks use."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.mask import (
    Alignment,
    Polarity,
    additive_mask,
    causal_mask,
    combine_masks,
    padding_mask,
    prefix_mask,
)
from engine.nn.softmax import softmax

SIZES = st.integers(1, 7)
POLARITIES = st.sampled_from(["keep", "block"])


@given(SIZES, SIZES, st.sampled_from(["top-left", "bottom-right"]), POLARITIES)
def test_a_causal_mask_keeps_what_is_not_later(
    queries: int, keys: int, alignment: Alignment, polarity: Polarity
) -> None:
    mask = causal_mask(queries, keys, alignment=alignment, polarity=polarity)
    assert mask.shape == (queries, keys)
    first = keys - queries if alignment == "bottom-right" else 0
    for i in range(queries):
        for j in range(keys):
            kept = mask[i, j] == (polarity == "keep")
            assert kept == (j <= first + i)


def test_the_two_alignments_agree_on_squares_and_differ_for_one_query_over_a_cache() -> None:
    square = [causal_mask(4, 4, alignment=a) for a in ("top-left", "bottom-right")]
    assert (square[0] == square[1]).all()
    assert causal_mask(1, 5, alignment="top-left").tolist() == [[True, False, False, False, False]]
    assert causal_mask(1, 5, alignment="bottom-right").all()


def test_more_queries_than_keys_leave_the_first_queries_empty_when_aligned_at_the_bottom() -> None:
    assert causal_mask(3, 2).tolist() == [[False, False], [True, False], [True, True]]


@given(SIZES, st.integers(0, 8), POLARITIES)
def test_a_prefix_is_seen_by_all_and_the_rest_causally(length: int, prefix: int, polarity: Polarity) -> None:
    mask = prefix_mask(length, prefix, polarity=polarity)
    for i in range(length):
        for j in range(length):
            assert (mask[i, j] == (polarity == "keep")) == (j <= i or j < prefix)


def test_the_ends_of_the_prefix_are_the_causal_and_the_full_mask() -> None:
    assert (prefix_mask(5, 0) == causal_mask(5, 5)).all()
    assert prefix_mask(5, 5).all()


def test_padding_stands_right_or_left_of_the_tokens() -> None:
    assert padding_mask([2, 0, 3], 3).tolist() == [
        [[True, True, False]],
        [[False, False, False]],
        [[True, True, True]],
    ]
    assert padding_mask([2], 3, side="left").tolist() == [[[False, True, True]]]
    assert padding_mask([2], 3, polarity="block").tolist() == [[[False, False, True]]]


@pytest.mark.parametrize("lengths", [[4], [-1]])
def test_a_length_that_does_not_fit_is_refused(lengths: list[int]) -> None:
    with pytest.raises(ValueError, match="lengths must lie in 0"):
        padding_mask(lengths, 3)


@given(st.integers(0, 2**31), SIZES, SIZES)
def test_combining_keeps_only_what_all_keep_in_either_polarity(seed: int, queries: int, keys: int) -> None:
    masks = np.random.default_rng(seed).random((3, queries, keys)) < 0.5
    kept = combine_masks(*masks)
    assert (kept == masks.all(axis=0)).all()
    assert (combine_masks(*~masks, polarity="block") == ~kept).all()


def test_padding_and_causal_combine_by_broadcasting() -> None:
    both = combine_masks(causal_mask(3, 3), padding_mask([3, 1], 3))
    assert both.shape == (2, 3, 3)
    assert both[0].tolist() == causal_mask(3, 3).tolist()
    assert both[1].tolist() == [[True, False, False]] * 3


@given(st.integers(0, 2**31), SIZES, POLARITIES)
def test_adding_the_mask_gives_the_softmax_of_the_kept_scores_alone(
    seed: int, keys: int, polarity: Polarity
) -> None:
    rng = np.random.default_rng(seed)
    scores, keep = rng.standard_normal(keys) * 5, rng.random(keys) < 0.5
    keep[rng.integers(keys)] = True
    mask = keep if polarity == "keep" else ~keep
    weights = softmax(scores + additive_mask(mask, polarity=polarity))
    assert (weights[~keep] == 0).all()
    np.testing.assert_allclose(weights[keep], softmax(scores[keep]), rtol=1e-14)


def test_a_finite_fill_does_not_mask_a_row_of_nothing_but_masked_keys() -> None:
    nothing = np.zeros(4, dtype=bool)
    scores = np.array([0.0, 1.0, 2.0, 3.0])
    assert (softmax(scores + additive_mask(nothing), empty="zero") == 0).all()
    assert softmax(scores + additive_mask(nothing, fill=-1e9)).sum() == pytest.approx(1)
