"""Typed numbers: right ones are accepted, wrong ones come back with their counterexample, nothing hangs."""

from __future__ import annotations

import json
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers import exact
from engine.answers.arithmetic import read
from engine.answers.number import judge_number
from engine.answers.tolerance import Tolerance
from engine.answers.verdict import RefusalError
from engine.errors import InputError
from engine.notation.line import one_line
from engine.notation.terminal import layout

CASES = json.loads(
    (Path(__file__).parent.parent / "data" / "answers_numeric.json").read_text(encoding="utf-8")
)


def test_a_b_is_named_a_byte_or_a_billion_never_both() -> None:
    count = judge_number("3 furlongs", "3", {}).reason
    size = judge_number("3 furlongs", "3 GB", {}).reason
    assert "units are kB" in count.en
    assert count.en.endswith("suffixes k M B")
    assert "可用单位 kB" in count.zh
    assert "units are B kB" in size.en
    assert size.en.endswith("suffixes k M")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, object]) -> None:
    verdict = judge_number(case["input"], case["reference"], case["options"])
    assert verdict.verdict == case["expect"], (case["why"], verdict.reason.en)
    assert case.get("says", "") in verdict.reason.en
    assert verdict.reason.en
    assert verdict.reason.zh
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")
    if verdict.counterexample:
        assert verdict.counterexample.input != verdict.counterexample.reference
        assert verdict.counterexample.values == {}
    if not verdict.is_refusal:
        assert layout(verdict.reading).width > 0
        assert one_line(verdict.reading)
    document = json.loads(json.dumps(verdict.as_json(), allow_nan=False))
    assert set(document) == {"verdict", "reason", "reading", "counterexample", "line"}


@pytest.mark.parametrize(
    ("typed", "reading"),
    [
        ("3，072", "3072"),
        ("124,439,808", "124,439,808"),
        ("33%", "33% = 0.33"),
        ("1/2(3)", "1/2⋅3 = 1.5"),
        ("1½", "1 + 1/2 = 1.5"),
        ("−5", "−5"),
    ],
)
def test_how_an_answer_is_read_is_shown(typed: str, reading: str) -> None:
    shown = one_line(judge_number(typed, "1").reading)
    assert shown.replace(" ", "") == reading.replace(" ", "")


@given(st.integers(-(10**18), 10**18))
def test_a_whole_number_equals_itself_however_it_is_written(number: int) -> None:
    for typed in (str(number), f"{number:,}", f"{number:_}", f"={number}", f"{number}.0", f"{number}/1"):
        assert judge_number(typed, str(number)).verdict == "equal", typed
    wide = str(number).translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    assert judge_number(wide, str(number)).verdict == "equal"


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_a_float_equals_its_own_digits_and_no_neighbour(number: float) -> None:
    assert judge_number(repr(number), f"{number!r}").verdict == "equal"
    neighbour = math.nextafter(number, math.inf)
    if math.isfinite(neighbour) and neighbour != number:
        verdict = judge_number(repr(neighbour), repr(number))
        assert verdict.verdict == "different"
        assert verdict.counterexample is not None
        assert verdict.counterexample.input != verdict.counterexample.reference


decimals = st.decimals(min_value=-(10**6), max_value=10**6, allow_nan=False, places=4)


@given(answer=decimals, reference=decimals, per_mille=st.integers(0, 200))
def test_a_relative_tolerance_is_inclusive_and_exact(
    answer: Decimal, reference: Decimal, per_mille: int
) -> None:
    right = abs(Fraction(answer) - Fraction(reference)) <= Fraction(per_mille, 1000) * abs(
        Fraction(reference)
    )
    verdict = judge_number(f"{answer:f}", f"{reference:f}", {"rel": per_mille / 1000})
    assert verdict.verdict == ("equal" if right else "different")


@given(answer=decimals, reference=decimals.filter(bool), figures=st.integers(1, 6))
def test_significant_figures_are_half_a_unit_of_the_reference(
    answer: Decimal, reference: Decimal, figures: int
) -> None:
    half = Fraction(10) ** (reference.adjusted() - figures + 1) / 2
    right = abs(Fraction(answer) - Fraction(reference)) <= half
    assert judge_number(f"{answer:f}", f"{reference:f}", {"sigfigs": figures}).verdict == (
        "equal" if right else "different"
    )


numbers = st.integers(1, 999).map(str)
expressions = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({''.join(parts)})"),
        st.tuples(inner, st.integers(1, 3)).map(lambda parts: f"({parts[0]})^{parts[1]}"),
    ),
    max_leaves=8,
)


def by_python(expression: str) -> Fraction:
    """The same arithmetic by Python itself, on fractions."""
    program = re.sub(r"(?<!\^)\b(\d+)\b", r"Fraction(\1)", expression.replace(" ", "")).replace("^", "**")
    return eval(program, {"Fraction": Fraction, "__builtins__": {}})


@given(expressions)
def test_arithmetic_agrees_with_python(expression: str) -> None:
    try:
        expected = by_python(expression)
    except ZeroDivisionError:
        with pytest.raises(RefusalError, match="division by zero"):
            read(expression)
        return
    found = read(expression).value.number
    if isinstance(found, Fraction):
        assert found == expected
    else:
        assert Fraction(found.low) <= expected <= Fraction(found.high)


@settings(max_examples=40)
@given(st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=10**6))
def test_irrational_values_lie_between_their_bounds(value: Fraction) -> None:
    """Against mpmath at twice the digits."""
    with mpmath.workdps(130):
        x = mpmath.mpf(value.numerator) / value.denominator
        for name, found, expected in (
            ("exp", exact.exponential(value), mpmath.exp(x)),
            ("ln", exact.logarithm(value), mpmath.log(x)),
            ("log2", exact.logarithm_to(value, 2), mpmath.log(x, 2)),
            ("sqrt", exact.root(value, 2), mpmath.sqrt(x)),
            ("cbrt", exact.root(value, 3), mpmath.cbrt(x)),
            ("tanh", exact.tanh(value), mpmath.tanh(x)),
            ("sigmoid", exact.sigmoid(value), 1 / (1 + mpmath.exp(-x))),
            ("pi^x", exact.power(exact.PI, value), mpmath.pi**x),
        ):
            between = exact.bounds(found)
            doubt = abs(expected) * mpmath.mpf(10) ** -120
            assert mpmath.mpf(str(between.low)) <= expected + doubt, name
            assert mpmath.mpf(str(between.high)) >= expected - doubt, name
            assert mpmath.mpf(str(between.high)) - mpmath.mpf(str(between.low)) <= mpmath.mpf(10) ** -50 * (
                1 + abs(expected)
            ), name


def test_bounds_that_do_not_tell_are_sought_further_and_undecided_where_that_cannot_be() -> None:
    verdict = judge_number("sqrt(8) ms", "2 sqrt(2) ms")
    assert verdict.verdict == "undecided"
    assert verdict.counterexample is None
    assert judge_number("sqrt(8)", "2 sqrt(2)").verdict == "equal"
    assert judge_number("sqrt(8) ms", "sqrt(8) ms").verdict == "equal"
    assert judge_number("sqrt(8)", "2 sqrt(2)", {"rel": 1e-9}).verdict == "equal"


def test_a_card_may_declare_units_of_its_own() -> None:
    assert judge_number("512 tokens", "512 token", words=["tokens"]).verdict == "equal"
    assert judge_number("6.3 GFLOP", "6.3e9 FLOP", words=["FLOP"]).verdict == "equal"
    assert judge_number("512", "512 tokens", words=["tokens"]).verdict == "different"
    assert judge_number("2 FLOP/byte", "2 FLOP/bytes", words=["FLOP"]).verdict == "equal"
    assert judge_number("512 tokens", "512").verdict == "invalid"


@pytest.mark.parametrize(
    "options",
    [
        {"rel": -0.1},
        {"rel": "much"},
        {"rel": True},
        {"abs": float("nan")},
        {"sigfigs": 0},
        {"sigfigs": 2.5},
        {"sigfigs": 3, "rel": 0.1},
        {"strict": True},
        {"strict": "yes", "sigfigs": 3},
        {"tolerance": 1},
    ],
)
def test_options_that_make_no_sense_are_an_error(options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        judge_number("1", "1", options)


@pytest.mark.parametrize("reference", ["", "3,07", "nan", "9**9**9", "d_k"])
def test_a_reference_that_cannot_be_read_is_an_error_and_no_verdict(reference: str) -> None:
    with pytest.raises(InputError, match="reference"):
        judge_number("1", reference)


def test_a_tolerance_reads_as_its_decimal_digits() -> None:
    assert Tolerance.of({"rel": 0.05}).rel == Fraction(1, 20)


HOSTILE = [
    "9" * 400,
    "9" * 10_000,
    "2^" * 199 + "1",
    "1e9999*1e-9999",
    "1e3999*1e-3999",
    "+".join(
        f"1/{prime}^999" for prime in (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
    ),
    "1000!/999!*998!/997!*996!",
    "1000!*1000!*1000!",
    "sqrt(" * 49 + "2" + ")" * 49,
    "exp(exp(exp(9)))",
    "pi^pi^pi^pi",
    "(1+10^-3900)^(10^3900)",
    "1.000001^(10^9)",
    "floor(pi*10^70)",
    "1" + "!" * 300,
    "(2^(1/64))^64",
    "(" * 10_000,
    "-" * 10_000 + "1",
    "\\" * 300,
    "\\frac" * 60,
    "|" * 300,
    "½" * 300,
    "²" * 300,
    "1" + "^(" * 150,
    "0x" + "f" * 398,
    "{{{{" * 90,
    "1,234" * 60,
    "$" * 400,
    "x.__class__.__mro__[1].__subclasses__()",
    "__import__('os').system('true')",
    "(lambda:1)()",
    "\x1b]52;c;AAAA\x07",
    "\ud800",
    "１" * 399,
    "𝟏𝟐",
    "٣",
    "१२",
]


@pytest.mark.parametrize("typed", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_input_gets_a_verdict(typed: str) -> None:
    verdict = judge_number(typed, "1")
    assert verdict.verdict in ("different", "invalid", "unsafe", "equal", "undecided")
    if verdict.is_refusal:
        assert all(character.isprintable() for character in verdict.reason.en + verdict.reason.zh)


def steps_to_judge(typed: str) -> int:
    """Lines of our own code run to judge a line: a measure of cost that no other load disturbs."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if "answers" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        judge_number(typed, "1")
    finally:
        sys.settrace(before)
    return count


def test_no_line_costs_more_than_some_thousand_steps() -> None:
    assert max(map(steps_to_judge, HOSTILE)) < 60_000


@given(
    st.text(
        alphabet=st.one_of(
            st.sampled_from("0123456789.,+-*/^()[]{}|!%=eEkMBGiBsπσ√½²₂万亿\\$_ x"), st.characters()
        ),
        max_size=80,
    )
)
def test_anything_typed_gets_a_verdict(typed: str) -> None:
    verdict = judge_number(typed, "1.5 GiB", {"rel": 0.01})
    json.dumps(verdict.as_json(), allow_nan=False)
    if not verdict.is_refusal:
        assert layout(verdict.reading).width > 0
