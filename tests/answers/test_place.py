"""Where a formula stops being read: an offset in the line as it was typed, whatever it was rewritten to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.placed import Placed
from engine.answers.reading import read_answer

SYMBOLS = {"d_k": "dim", "x": "real", "p": "vec:real", "i": "index"}
MATRICES = {"A": "mat:n,n", "B": "mat:n,m"}


@pytest.mark.parametrize(
    ("typed", "before"),
    [
        ("1/sqrt(d_k))", "1/sqrt(d_k)"),
        ("x^2 + foo", "x^2 + "),
        ("  = x + + * 2", "  = x + + "),
        ("2+*3", "2+"),
        ("sqrt(d_k", "sqrt(d_k"),
        ("  = 1/", "  = 1/"),
        ("x² + ½ x³ + bar", "x² + ½ x³ + "),
        (r"\mathrm{x} + \left( foo \right)", r"\mathrm{x} + \left( "),
        ("x**2 + 3,07", "x**2 + "),
        ("（x＋ａ）", "（x＋"),
        ("x + а", "x + "),
        ("p_i + p_[", "p_i + p_"),
        ("1{,}024 * foo", "1{,}024 * "),
    ],
)
def test_the_place_is_that_of_the_line_as_typed(typed: str, before: str) -> None:
    reading = read_answer(typed, SYMBOLS, "symbolic")
    assert reading.fault is not None
    assert reading.at == len(before)


def test_matrix_formulas_have_places_too() -> None:
    assert read_answer("A B⁻ᵀ + C", MATRICES, "matrix").at == len("A B⁻ᵀ + ")


@pytest.mark.parametrize(
    ("typed", "mode"), [("{1, q}", "set"), ("O(q)", "asymptotic"), ("1 + foo", "numeric")]
)
def test_where_the_place_is_not_known_none_is_named(typed: str, mode: str) -> None:
    reading = read_answer(typed, SYMBOLS, mode)
    assert reading.fault is not None
    assert reading.at is None


@given(st.text(st.sampled_from("x d_k2²³(){}[]+-*/^√½σ\\$,.!|=　（＋а"), max_size=60))
def test_a_place_lies_in_the_line(typed: str) -> None:
    reading = read_answer(typed, SYMBOLS, "symbolic")
    assert reading.at is None or 0 <= reading.at <= len(typed)


@given(st.text(st.sampled_from("ab$*{},"), max_size=20))
def test_rewriting_keeps_every_place(typed: str) -> None:
    line = Placed.of(typed).sub("**", "^").sub("$", "  ").sub("{,}", "")
    assert line.text == typed.replace("**", "^").replace("$", "  ").replace("{,}", "")
    assert len(line.origins) == len(line.text) + 1
    assert list(line.origins) == sorted(line.origins)
    for character, at in zip(line.text, line.origins, strict=False):
        assert typed[at] == character or (character, typed[at]) in (("^", "*"), (" ", "$"))
