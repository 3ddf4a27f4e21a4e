"""FlashAttention's numbers are those of attention, and its counts those of a ledger kept by hand."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.flash import (
    State,
    attention,
    block_sizes,
    block_state,
    counted,
    flash_attention_1,
    flash_attention_2,
    merge,
    online_softmax,
    standard_attention,
)
from engine.nn.softmax import softmax
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

TILINGS = [(1, 1), (3, 5), (5, 3), (16, 16), (1000, 1000)]


def algorithms(rows: int, columns: int) -> list[partial[None]]:
    tiled = {"rows": rows, "columns": columns}
    return [
        partial(standard_attention),
        partial(flash_attention_1, **tiled),
        partial(flash_attention_2, **tiled),
    ]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("rows", "columns"), TILINGS)
def test_every_algorithm_gives_pytorchs_context(source: str, rows: int, columns: int) -> None:
    for name, case in cases(arrays("flash", source)).items():
        for run in algorithms(rows, columns):
            output, memory, _ = attention(case["q"], case["k"], case["v"], run)
            assert_close(output, case["context"], f"{name} {run.func.__name__}")
            if "L" in memory.arrays:
                assert_close(memory.arrays["L"][:, 0], case["logsumexp"], f"{name} logsumexp")


def slowly(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The specification: query by query, key by key, one running state each (Milakov & Gimelshein, algorithm 3)."""
    output = np.empty_like(q)
    for i, query in enumerate(q):
        m, l, o = -np.inf, 0.0, np.zeros(q.shape[1])
        for key, value in zip(k, v, strict=True):
            score = float(query @ key) / np.sqrt(q.shape[1])
            m_new = max(m, score)
            alpha, weight = np.exp(m - m_new), np.exp(score - m_new)
            m, l, o = m_new, alpha * l + weight, alpha * o + weight * value
        output[i] = o / l
    return output


sizes = st.integers(1, 12)


@settings(max_examples=40, deadline=None)
@given(
    n=sizes,
    d=sizes,
    rows=sizes,
    columns=sizes,
    spread=st.sampled_from([0.1, 1.0, 30.0]),
    seed=st.integers(0, 999),
)
def test_the_tiled_loops_are_the_loop_over_keys(
    n: int, d: int, rows: int, columns: int, spread: float, seed: int
) -> None:
    q, k, v = np.random.default_rng(seed).standard_normal((3, n, d))
    q *= spread
    for run in algorithms(rows, columns):
        output, _, _ = attention(q, k, v, run)
        np.testing.assert_allclose(output, slowly(q, k, v), rtol=1e-10, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 40), d=sizes, rows=sizes, columns=sizes)
def test_counting_without_arithmetic_counts_the_same(n: int, d: int, rows: int, columns: int) -> None:
    q, k, v = np.random.default_rng(n).standard_normal((3, n, d))
    for run in algorithms(rows, columns):
        _, memory, chip = attention(q, k, v, run)
        row_memory, row_chip = counted(n, d, run)
        assert row_memory.traffic() == memory.traffic()
        assert row_memory.extra_elements() == memory.extra_elements()
        for count in ("product_flops", "rescale_flops", "most_on_chip"):
            assert getattr(row_chip, count) == getattr(chip, count), count


def test_traffic_of_two_tiles_each_way_by_hand() -> None:
    # N = 4, d = 3, two blocks of 2 queries, blocks of 3 and 1 keys
    memory, _ = counted(4, 3, partial(flash_attention_1, rows=2, columns=3))
    set_up = 4 * 3 + 4 + 4
    keys_and_values = 2 * 4 * 3
    two_passes = 2 * 2 * (2 * 3 + 2 * 3 + 2 + 2)
    assert memory.traffic().read == keys_and_values + two_passes
    assert memory.traffic().written == set_up + 2 * 2 * (2 * 3 + 2 + 2)
    assert memory.traffic().written_by_name == {"O": 12 + 24, "l": 4 + 8, "m": 4 + 8}

    memory, chip = counted(4, 3, partial(flash_attention_2, rows=2, columns=3))
    assert memory.traffic().read == 4 * 3 + 2 * (2 * 4 * 3)
    assert memory.traffic().written_by_name == {"O": 12, "L": 4}
    assert chip.most_on_chip == 2 * 3 * (2 + 3)
    assert chip.product_flops == 2 * (2 * 4 * 4 * 3)

    memory, _ = counted(4, 3, standard_attention)
    assert memory.traffic().total == 2 * 12 + 16 + 16 + 16 + (16 + 12) + 12
    assert memory.extra_elements() == 2 * 16


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 30), block=st.integers(1, 31), seed=st.integers(0, 999))
def test_after_each_block_the_state_is_the_softmax_of_the_keys_seen(n: int, block: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, values = 5 * rng.standard_normal((2, n)), rng.standard_normal((n, 3))
    states = online_softmax(scores, values, block)
    assert len(states) == -(-n // block)
    for count, state in enumerate(states, start=1):
        seen = min(count * block, n)
        np.testing.assert_allclose(
            state.o / state.l, softmax(scores[:, :seen]) @ values[:seen], rtol=1e-12, atol=1e-14
        )
        np.testing.assert_array_equal(state.m[:, 0], scores[:, :seen].max(axis=1))


def test_scores_that_would_overflow_do_not() -> None:
    scores, values = np.array([[1e4, -1e4, 1e4 - 1, 5e3]]), np.arange(4.0)[:, None]
    state = online_softmax(scores, values, 1)[-1]
    np.testing.assert_allclose(state.o / state.l, softmax(scores) @ values, rtol=1e-14)


def test_the_reference_of_a_merge_may_be_any_number() -> None:
    scores, values = np.array([[0.3, -2.0, 1.5]]), np.array([[1.0], [2.0], [3.0]])
    one, other = block_state(scores[:, :2], values[:2]), block_state(scores[:, 2:], values[2:])
    outputs = [merge(one, other, m) for m in (-3.0, 0.0, 7.0)]
    for state in outputs:
        assert isinstance(state, State)
        np.testing.assert_allclose(state.o / state.l, softmax(scores) @ values, rtol=1e-13)


@settings(max_examples=100, deadline=None)
@given(sram=st.integers(4, 200_000), d=st.integers(1, 256))
def test_rounded_down_the_tiles_fit(sram: int, d: int) -> None:
    if sram < 4 * d:
        with pytest.raises(ValueError, match="SRAM"):
            block_sizes(sram, d)
        return
    columns, rows = block_sizes(sram, d)
    assert 1 <= rows <= min(columns, d)
    assert 2 * columns * d + 2 * rows * d <= sram


def test_rounded_up_as_in_the_paper_they_may_not() -> None:
    columns, rows = block_sizes(32_768, 112, "ceil")
    assert (columns, rows) == (74, 74)
    assert 2 * columns * 112 + 2 * rows * 112 > 32_768
