"""A share with its interval, held to published values and to what an interval promises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizbank.statistics.share import FEWEST, Share, total


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_that_of_wilson(hits: int, trials: int, low: float, high: float) -> None:
    assert Share(hits, trials).interval == pytest.approx((low, high), abs=5e-5)


@settings(max_examples=40)
@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_lies_in_0_to_1_and_holds_its_share(counts: tuple[int, int]) -> None:
    share = Share(*counts)
    low, high = share.interval
    assert 0 <= low <= share.value + 1e-12
    assert share.value - 1e-12 <= high <= 1
    mirrored = Share(counts[1] - counts[0], counts[1])
    assert mirrored.interval == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_nothing_is_claimed_of_nothing() -> None:
    none = Share(0, 0)
    assert (none.value, none.interval, none.is_few) == (None, None, True)
    assert none.as_json() == {"hits": 0, "trials": 0, "share": None, "low": None, "high": None, "few": True}
    assert Share(FEWEST - 1, FEWEST - 1).is_few
    assert not Share(FEWEST, FEWEST).is_few
    assert total([Share(1, 2), Share(2, 3)]) == Share(3, 5)
