"""Rounding to short formats: against PyTorch, and by the law that it keeps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.precision import FORMATS, stored
from tests.nn.oracle import SOURCES, arrays, cases


@pytest.mark.parametrize("source", SOURCES)
def test_stored_numbers_are_pytorchs_bit_for_bit(source: str) -> None:
    torch = cases(arrays("precision", source))["precision"]
    for name in ("float32", "bfloat16", "float16"):
        assert (stored(torch["x"], FORMATS[name]) == torch[name]).all()
    assert (stored(torch["x"], FORMATS["float64"]) == torch["x"]).all()


@given(st.floats(-6e4, 6e4), st.sampled_from(sorted(FORMATS)))
def test_the_nearest_number_is_within_the_unit_roundoff(x: float, name: str) -> None:
    form = FORMATS[name]
    kept = float(stored(np.array(x), form))
    error = abs(Fraction(kept) - Fraction(x))
    assert error <= max(Fraction(form.unit_roundoff) * abs(Fraction(x)), Fraction(form.underflow))
    assert stored(np.array(kept), form) == kept


def test_three_hundred_and_three_hundred_and_one_are_one_number_in_bfloat16() -> None:
    assert stored(np.array([300.0, 301.0, 302.0]), FORMATS["bfloat16"]).tolist() == [300, 300, 302]
