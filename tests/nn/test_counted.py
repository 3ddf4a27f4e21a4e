"""Arrays that count: the numbers are NumPy's, the tally is that of the loops written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.counted import Counted, Tally, counted
from engine.nn.lstm import LSTMWeights, lstm_forward

SIZES = st.integers(1, 5)


@given(SIZES, SIZES, SIZES, SIZES)
def test_a_product_counts_what_its_loops_multiply(batch: int, m: int, k: int, n: int) -> None:
    tally = Tally()
    a, b = np.ones((batch, m, k)), counted(np.ones((k, n)), tally)
    product = a @ b
    loops = sum(1 for _ in range(batch) for _ in range(m) for _ in range(n) for _ in range(k))
    assert (tally.in_products, tally.products, tally.between_entries) == (loops, 1, 0)
    assert isinstance(product, Counted)
    # what is computed from the result counts on; a broadcast product counts every entry
    assert (np.asarray(2.0 * product) == 2.0 * k).all()
    assert tally.between_entries == batch * m * n


def test_sums_and_views_count_nothing_and_in_place_products_do() -> None:
    tally = Tally()
    a = counted(np.ones((3, 4)), tally)
    _ = a[1:] + a[:-1], a.T, a.sum(), np.tanh(a)
    assert tally == Tally()
    plain = np.full((3, 4), 2.0)
    np.multiply(a, plain, out=plain)
    a *= 3.0
    assert tally.between_entries == 24
    assert (plain == 2).all()


def test_a_layer_run_on_counted_weights_is_the_layer() -> None:
    rng = np.random.default_rng(0)
    x, h, c = rng.standard_normal((4, 2, 3)), rng.standard_normal((2, 5)), rng.standard_normal((2, 5))
    arrays = rng.standard_normal((20, 5)), rng.standard_normal((20, 3)), rng.standard_normal(20)
    tally = Tally()
    real = lstm_forward(x, h, c, LSTMWeights(*arrays))
    watched = lstm_forward(x, h, c, LSTMWeights(*(counted(array, tally) for array in arrays)))
    assert (np.asarray(watched.hidden) == real.hidden).all()
    # four maps of state and input, three products of gates with something, for each of 2 sequences over 4 steps
    assert tally.in_products == 8 * 4 * 5 * (5 + 3)
    assert tally.between_entries == 8 * 3 * 5
