"""Span corruption: nothing is lost, and the two sequences have the lengths that the counts say."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.span_corruption import corrupt_spans, noise_counts, restore


@given(st.integers(2, 60), st.floats(0.02, 0.95), st.floats(1.0, 8.0), st.integers(0, 500))
def test_inputs_and_targets_hold_every_token_once(T: int, rate: float, mean_span: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 100, T)
    made = corrupt_spans(ids, rng, rate=rate, mean_span=mean_span, first_sentinel=100)
    noise, spans = noise_counts(T, rate, mean_span)
    assert restore(made, 100).tolist() == ids.tolist()
    assert (len(made.inputs), len(made.targets)) == (T - noise + spans, noise + spans + 1)
    assert made.inputs[made.inputs >= 100].tolist() == list(range(100, 100 + spans))
    assert made.targets[made.targets >= 100].tolist() == list(range(100, 101 + spans))
    # no two sentinels meet in the input, and each hides a token at least
    assert not ((made.inputs[1:] >= 100) & (made.inputs[:-1] >= 100)).any()
    assert not ((made.targets[1:] >= 100) & (made.targets[:-1] >= 100))[:-1].any()


def test_every_cut_is_equally_likely() -> None:
    rng = np.random.default_rng(3)
    ids = np.arange(8)
    # 4 hidden tokens in 2 spans: lengths 1+3, 2+2, 3+1, and the same for the 4 visible ones
    seen = Counter(
        tuple(corrupt_spans(ids, rng, rate=0.5, mean_span=2, first_sentinel=8).inputs) for _ in range(4500)
    )
    assert len(seen) == 9
    assert all(abs(count - 500) < 5 * 21.1 for count in seen.values())


@pytest.mark.parametrize(
    ("tokens", "rate", "span"), [(1, 0.5, 1.0), (8, 0.0, 1.0), (8, 1.0, 1.0), (8, 0.5, 0.5)]
)
def test_impossible_counts_are_refused(tokens: int, rate: float, span: float) -> None:
    with pytest.raises(ValueError, match="two tokens"):
        noise_counts(tokens, rate, span)
