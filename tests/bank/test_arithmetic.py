"""Expressions of answers and slips: our own reader, within limits, and never eval."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizbank.arithmetic import DEEPEST, LONGEST, ExpressionError, Quantity, Variable, parse, parts
from quizbank.card import Value
from quizbank.evaluation import evaluate


def value_of(source: str, **variables: Value) -> Value:
    def lookup(quantity: Quantity, arguments: Mapping[str, Value]) -> float:
        assert (quantity.demo, quantity.name) == ("D19", "score_variance")
        return float(arguments["d_k"]) * (1 if quantity.predicted else 1.01)

    return evaluate(parse(source), variables, lookup)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 2*3^2", 19),
        ("-2^2", -4),
        ("2^-1", 0.5),
        ("2^3^2", 512),
        ("10-3-2", 5),
        ("12/3/2", 2.0),
        ("(1+2)*3", 9),
        ("1e-5*1E5", 1.0),
        (".5", 0.5),
        ("--3", 3),
        ("sqrt(16) + log(exp(2)) + log2(8)", 9.0),
        ("min(3, 1, 2) + max(4)", 5),
        ("ceil(2.1) + floor(2.9)", 5),
        ("2^64", 2**64),
        ("7/2", 3.5),
    ],
)
def test_arithmetic_as_on_paper(source: str, value: float) -> None:
    found = value_of(source)
    assert found == value
    assert type(found) is type(value)


def test_variables_and_quantities() -> None:
    assert value_of("D19.predicted.score_variance(d_k=d_k, scale=none) / d_k", d_k=64) == 1.0
    assert value_of("D19.score_variance(d_k=2*64)") == pytest.approx(129.28)
    assert value_of("scale", scale="none") == "none"
    expression = parse("D19.score_variance(d_k=n) + m")
    assert {part.name for part in parts(expression) if isinstance(part, Variable)} == {"n", "m"}


numbers = st.integers(0, 50).map(str)
expressions = st.recursive(
    numbers,
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | inner.map(lambda e: f"-{e}")
    ),
    max_leaves=12,
)


@given(expressions)
def test_values_are_those_of_python(source: str) -> None:
    try:
        expected = eval(source)
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="division by zero"):
            value_of(source)
        return
    assert value_of(source) == expected


@pytest.mark.parametrize(
    ("source", "offset"),
    [
        ("", 0), ("1 +", 3), ("(1", 2), ("1)", 1), ("1 2", 2), ("2 $ 3", 2), ("sqrt(1, 2)", 0), ("sqrt", 4),
        ("D19", 3), ("D19.", 4), ("D19.x(", 6), ("D19.x(a)", 7), ("D19.x(a=1, a=2)", 11), ("foo(1)", 3),
        ("x.__class__", 1), ("'a'", 0), ("[1]", 0), ("1;2", 1), ("lambda: 0", 6), ("1e999", 0), ("π", 0),
    ],
)  # fmt: skip
def test_what_is_not_arithmetic_is_refused_at_its_character(source: str, offset: int) -> None:
    with pytest.raises(ExpressionError) as raised:
        parse(source)
    assert raised.value.offset == offset
    assert raised.value.text.zh


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("1/0", "division by zero"),
        ("0^-1", "division by zero"),
        ("9^9^9", "larger than 1e300"),
        ("((9^9)^9999)^9999", "larger than 1e300"),
        ("2^(10^9)", "larger than 1e300"),
        ("exp(1e9)", "larger than 1e300"),
        ("1e200*1e200", "larger than 1e300"),
        ("10^299*10^299", "larger than 1e300"),
        ("sqrt(-1)", "not defined"),
        ("log(0)", "not defined"),
        ("(-8)^0.5", "not a finite number"),
        ("x + 1", "unknown name x"),
        ("w + 1", "is a word"),
    ],
)
def test_what_has_no_value_is_refused(source: str, says: str) -> None:
    with pytest.raises(ExpressionError, match=says):
        value_of(source, w="none")


def test_a_vanishing_power_is_zero() -> None:
    assert value_of("2^-(10^9)") == 0


@pytest.mark.parametrize(
    "source", ["(" * 10_000, "-" * 10_000 + "1", "1" * 300_000, "2^" * 5_000 + "2", "(" * (DEEPEST + 1) + "1" + ")" * (DEEPEST + 1)]
)  # fmt: skip
def test_bombs_are_refused_before_they_are_read(source: str) -> None:
    with pytest.raises(ExpressionError, match=f"at most {LONGEST}|nested deeper|larger than"):
        parse(source)


@given(st.text(alphabet="0123456789+-*/^(),.=eE dk_DsqrtminlogxnP", max_size=40))
def test_no_input_does_anything_but_give_a_number_or_an_expression_error(source: str) -> None:
    try:
        found = evaluate(parse(source), {"d_k": 64}, lambda *_: 1.0)
    except ExpressionError:
        return
    assert isinstance(found, int | float)
    assert math.isfinite(found)
