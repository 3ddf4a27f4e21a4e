"""Biases and score terms of the distance: against PyTorch, plain loops and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.attention import scaled_dot_product_attention
from engine.nn.mask import additive_mask, causal_mask
from engine.nn.relative import (
    alibi_bias,
    alibi_slopes,
    bucketed_bias,
    bucketed_bias_backward,
    clipped_scores,
    disentangled_scores,
    distances,
    relative_buckets,
    relative_rows,
    relative_shift,
)
from engine.nn.rotary import rotary_angles, rotate, rotate_on_grid
from tests.nn.differences import ATOL, RTOL, gradient
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

SEEDS = st.integers(0, 2**31)
BUCKETS = {"encoder": (32, 128, True), "decoder": (32, 128, False), "few": (8, 20, True)}


@pytest.mark.parametrize("source", SOURCES)
def test_alibi_slopes_and_biases_are_pytorchs(source: str) -> None:
    made = cases(arrays("position", source), "alibi-")
    assert len(made) == 6
    for name, torch in made.items():
        heads = int(name.removeprefix("alibi-"))
        assert_close(alibi_slopes(heads), torch["slopes"], f"{name}: slopes")
        assert_close(alibi_bias(heads, 3, 5), torch["bias"], f"{name}: bias")


@pytest.mark.parametrize("source", SOURCES)
def test_buckets_biases_and_gradients_are_pytorchs(source: str) -> None:
    made = cases(arrays("position", source), "buckets-")
    assert {name.removeprefix("buckets-") for name in made} == set(BUCKETS)
    for name, torch in made.items():
        buckets, max_distance, bidirectional = BUCKETS[name.removeprefix("buckets-")]
        found = relative_buckets(
            torch["distance"], buckets=buckets, max_distance=max_distance, bidirectional=bidirectional
        )
        assert (found == torch["bucket"]).all()
        assert_close(bucketed_bias(torch["table"], found), torch["bias"], f"{name}: bias")
        d_table = bucketed_bias_backward(found, torch["d_bias"], buckets)
        # the two add in different orders
        assert_close(d_table, torch["grad_table"], f"{name}: dL/d table", atol=1e-13)


@pytest.mark.parametrize("source", SOURCES)
def test_debertas_terms_are_pytorchs(source: str) -> None:
    made = cases(arrays("position", source), "deberta-")
    assert len(made) == 3
    for name, torch in made.items():
        done = disentangled_scores(
            torch["query"], torch["key"], torch["position_query"], torch["position_key"]
        )
        for part in done._fields:
            assert_close(getattr(done, part), torch[part], f"{name}: {part}", atol=1e-14)


@given(SEEDS, st.integers(1, 5), st.integers(1, 3), st.integers(1, 4))
def test_debertas_terms_are_what_the_loop_says(seed: int, length: int, d_k: int, reach: int) -> None:
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((2, length, d_k))
    position_query, position_key = rng.standard_normal((2, 2 * reach, d_k))
    done = disentangled_scores(query, key, position_query, position_key)

    def row(gap: int) -> int:
        return 0 if gap <= -reach else 2 * reach - 1 if gap >= reach else gap + reach

    for i in range(length):
        for j in range(length):
            assert relative_rows(np.array(i - j), reach) == row(i - j)
            total = sum(
                query[i, c] * key[j, c]
                + query[i, c] * position_key[row(i - j), c]
                + key[j, c] * position_query[row(j - i), c]
                for c in range(d_k)
            )
            assert done.scores[i, j] == pytest.approx(total / math.sqrt(3 * d_k), abs=1e-12)


@given(st.integers(-300, 300), st.sampled_from([(32, 128), (8, 20), (6, 7)]), st.booleans())
def test_a_bucket_is_what_the_loop_says(distance: int, shape: tuple[int, int], bidirectional: bool) -> None:
    buckets, max_distance = shape
    found = relative_buckets(
        np.array([distance]), buckets=buckets, max_distance=max_distance, bidirectional=bidirectional
    )
    side = buckets // 2 if bidirectional else buckets
    far = abs(distance) if bidirectional else max(distance, 0)
    exact = side // 2
    bucket = min(far, exact - 1)
    # a bucket further for each geometric step from exact to max_distance that is reached
    for step in range(side - exact):
        start = exact * (max_distance / exact) ** (step / (side - exact))
        bucket += far >= start * (1 - 1e-12)
    assert found == bucket + (side if bidirectional and distance < 0 else 0)


@given(SEEDS, st.integers(1, 3), st.integers(1, 4), st.integers(1, 4))
def test_the_bias_tables_backward_pass_is_its_derivative(
    seed: int, heads: int, queries: int, keys: int
) -> None:
    rng = np.random.default_rng(seed)
    buckets = relative_buckets(distances(queries, keys), buckets=8, max_distance=20)
    table, upstream = rng.standard_normal((8, heads)), rng.standard_normal((heads, queries, keys))
    expected = gradient(lambda moved: bucketed_bias(moved, buckets), table, upstream)
    ours = bucketed_bias_backward(buckets, upstream, 8)
    np.testing.assert_allclose(ours, expected, rtol=RTOL, atol=ATOL)


def test_distances_are_counted_from_the_last_query_as_a_cache_needs() -> None:
    assert distances(1, 4).tolist() == [[3, 2, 1, 0]]
    assert (alibi_bias(8, 1, 6)[:, 0] == alibi_bias(8, 6, 6)[:, -1]).all()


def test_alibi_prefers_the_near_key_among_equals_and_the_steepest_head_most() -> None:
    same = np.ones((8, 6, 2))
    mask = alibi_bias(8, 6, 6) + additive_mask(causal_mask(6, 6))
    weights = scaled_dot_product_attention(same, same, same, mask=mask).weights
    assert (np.diff(weights[:, -1]) > 0).all()
    assert (np.diff(weights[:, -1, -1]) < 0).all()


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one head"):
        alibi_slopes(0)
    for buckets, reach in ((3, 128), (32, 8)):
        with pytest.raises(ValueError, match="leave no room"):
            relative_buckets(np.arange(3), buckets=buckets, max_distance=reach)


@given(SEEDS, st.integers(1, 9), st.integers(1, 4), st.integers(1, 4))
def test_clipped_scores_are_a_key_and_an_embedding_added(seed: int, length: int, d: int, reach: int) -> None:
    rng = np.random.default_rng(seed)
    query, key = rng.normal(size=(2, length, d))
    table = rng.normal(size=(2 * reach + 1, d))
    scores = clipped_scores(query, key, table)
    for i in range(length):
        for j in range(length):
            offset = max(-reach, min(reach, j - i))
            assert scores[i, j] == pytest.approx(query[i] @ (key[j] + table[offset + reach]), abs=1e-12)


@given(SEEDS, st.integers(1, 9))
def test_the_shift_lines_distances_up_with_keys(seed: int, length: int) -> None:
    by_distance = np.random.default_rng(seed).normal(size=(2, length, length))
    shifted = relative_shift(by_distance)
    for i in range(length):
        for j in range(i + 1):
            assert (shifted[:, i, j] == by_distance[:, i, length - 1 - (i - j)]).all()


@given(SEEDS, st.integers(1, 3), st.integers(-20, 20), st.integers(-20, 20))
def test_on_a_grid_each_half_turns_by_its_own_axis(seed: int, quarter: int, row: int, column: int) -> None:
    x = np.random.default_rng(seed).normal(size=(1, 4 * quarter))
    turned = rotate_on_grid(x, [row], [column])
    half = 2 * quarter
    assert_close(turned[:, :half], rotate(x[:, :half], rotary_angles([column], half, 100.0)), "columns")
    assert_close(turned[:, half:], rotate(x[:, half:], rotary_angles([row], half, 100.0)), "rows")


def test_a_grid_needs_pairs_for_both_axes() -> None:
    with pytest.raises(ValueError, match="even"):
        rotate_on_grid(np.ones((1, 6)), [0], [0])
