"""Embedding tables agree with PyTorch, with a plain loop, with differences, and with one-hot products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.embedding import (
    embed,
    embed_backward,
    factorised_embed,
    factorised_embed_backward,
    one_hot,
)
from tests.nn import differences
from tests.nn.oracle import SOURCES, arrays, assert_close, cases


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    for name, case in cases(arrays("embedding", source)).items():
        ids, table, projection = case["ids"], case["table"], case["projection"]
        V = table.shape[0]
        assert_close(one_hot(ids, V), case["one_hot"], name)
        assert_close(embed(ids, table), case["rows"], name)
        assert_close(embed_backward(ids, case["upstream"], V), case["d_table"], name)
        assert_close(factorised_embed(ids, table, projection), case["projected"], name)
        d_table, d_projection = factorised_embed_backward(ids, table, projection, case["wide"])
        assert_close(d_table, case["d_narrow"], name, atol=1e-13)
        assert_close(d_projection, case["d_projection"], name, atol=1e-13)


@given(st.data(), st.integers(1, 6), st.integers(1, 4), st.integers(0, 8))
def test_as_a_loop_and_as_a_product_with_one_hot(data: st.DataObject, V: int, d: int, T: int) -> None:
    ids = np.array(data.draw(st.lists(st.integers(0, V - 1), min_size=T, max_size=T)), dtype=np.int64)
    rng = np.random.default_rng(V * 100 + d)
    table, upstream = rng.standard_normal((V, d)), rng.standard_normal((T, d))
    by_loop = np.array([table[token] for token in ids]).reshape(T, d)
    np.testing.assert_array_equal(embed(ids, table), by_loop)
    np.testing.assert_array_equal(one_hot(ids, V) @ table, by_loop)
    collected = np.zeros((V, d))
    for token, gradient in zip(ids, upstream, strict=True):
        collected[token] += gradient
    np.testing.assert_allclose(embed_backward(ids, upstream, V), collected, rtol=0, atol=1e-14)


def test_gradients_by_differences() -> None:
    rng = np.random.default_rng(1)
    ids = np.array([0, 2, 2, 1])
    table, projection, upstream = (
        rng.standard_normal((3, 2)),
        rng.standard_normal((2, 5)),
        rng.standard_normal((4, 5)),
    )
    d_table, d_projection = factorised_embed_backward(ids, table, projection, upstream)
    expected = differences.gradient(lambda E: factorised_embed(ids, E, projection), table, upstream)
    np.testing.assert_allclose(d_table, expected, rtol=differences.RTOL, atol=differences.ATOL)
    expected = differences.gradient(lambda P: factorised_embed(ids, table, P), projection, upstream)
    np.testing.assert_allclose(d_projection, expected, rtol=differences.RTOL, atol=differences.ATOL)


@pytest.mark.parametrize("token", [-1, 3])
def test_an_id_outside_the_table_is_refused(token: int) -> None:
    with pytest.raises(IndexError, match="0 … 2"):
        embed(np.array([0, token]), np.zeros((3, 2)))
