"""Typed formulas: right ones are accepted in every form, wrong ones come back with the case that breaks them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.answers import interval as iv
from engine.answers.evaluate import Evaluation, Point
from engine.answers.expression import latex
from engine.answers.interval import BlurredError, UndefinedError
from engine.answers.reader import read_formula
from engine.answers.symbolic import judge_formula
from engine.answers.verdict import RefusalError
from engine.errors import InputError
from engine.notation.line import one_line
from engine.notation.terminal import layout

CASES = json.loads(
    (Path(__file__).parent.parent / "data" / "answers_symbolic.json").read_text(encoding="utf-8")
)
SYMBOLS = {
    "x": "real",
    "y": "pos",
    "n": "posint",
    "d_k": "posint",
    "sigma": "pos",
    "p": "vec:prob",
    "i": "index",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict) -> None:
    verdict = judge_formula(case["input"], case["reference"], case["symbols"], case["options"])
    assert verdict.verdict == case["expect"], (case["why"], verdict.reason.en)
    assert case.get("says", "") in verdict.reason.en
    assert verdict.reason.en
    assert verdict.reason.zh
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")
    if verdict.counterexample:
        assert verdict.counterexample.input != verdict.counterexample.reference
        assert bool(verdict.counterexample.values) == bool(case["symbols"])
    if not verdict.is_refusal:
        assert layout(verdict.reading).width > 0
        assert one_line(verdict.reading)
    json.dumps(verdict.as_json(), allow_nan=False)
    if verdict.verdict == "equal":
        # equality holds both ways
        turned = judge_formula(case["reference"], case["input"], case["symbols"], case["options"])
        assert turned.verdict == "equal", turned.reason.en


@pytest.mark.parametrize(
    ("typed", "reading"),
    [
        ("1/2x", r"\frac{1}{2}\,x"),
        ("2xy(x+y)", r"2\,x\,y\,\left(x + y\right)"),
        ("-x^2", "-x^{2}"),
        ("x^-2y", r"x^{-2}\,y"),
        ("2^3^n", "2^{3^{n}}"),
        ("dk σ⁴", r"d_{k}\,\sigma^{4}"),
        (r"\frac{1}{\sqrt{d_k}}", r"\frac{1}{\sqrt{d_{k}}}"),
        (r"\frac12x", r"\frac{1}{2}\,x"),
        ("√dk x", r"\sqrt{d_{k}}\,x"),
        ("2|x|y", r"2\,\left|x\right|\,y"),
        ("ｘ＋１", "x + 1"),
        ("ln σ", r"\ln\left(\sigma\right)"),
        ("σ/2", r"\frac{\sigma}{2}"),
        ("p_i", "p_{i}"),
        ("p_{i+1}", "p_{i + 1}"),
        ("x%", r"\frac{x}{100}"),
        ("1½x", r"\frac{3}{2}\,x"),
        (r"\sum_{i=1}^{n} x^i", r"\sum_{i=1}^{n} x^{i}"),
        ("max(1,200)", r"\max\left(1, 200\right)"),
        ("n!!", None),
        ("sin x y", None),
        ("x y z", None),
        ("x_2", None),
        ("p", None),
        ("xy2", None),
        ("1,00", None),
        ("1.2.3", None),
        ("x)", None),
        ("|x", None),
        ("sqrt", None),
        ("delta(i)", None),
        (r"\foo{x}", None),
    ],
)
def test_how_it_is_read(typed: str, reading: str | None) -> None:
    if reading is None:
        with pytest.raises(RefusalError) as refusal:
            read_formula(typed, SYMBOLS)
        assert refusal.value.verdict == "invalid"
        return
    assert latex(read_formula(typed, SYMBOLS)) == reading


def test_a_declared_name_shadows_functions_and_constants() -> None:
    symbols = {"sigma": "real", "e": "real", "lambda": "real", "N": "real", "x": "real"}
    assert judge_formula("σ(x)", "sigma*x", symbols).verdict == "equal"
    assert judge_formula("σ(x)", "sigmoid(x)", {"x": "real"}).verdict == "equal"
    assert judge_formula("e^2", "exp(2)", symbols).verdict == "different"
    assert judge_formula("λN", "lambda*N", symbols).verdict == "equal"
    assert judge_formula("2e-3", "2*e-3", symbols).verdict == "equal"
    assert judge_formula("2e-3", "1/500", {}).verdict == "equal"


@pytest.mark.parametrize("typed", ["p_i*(delta(i,j) - p_i)", "p_i*(1 - p_j)", "p_1", "sum(p_k^2, k, 1, n)"])
def test_a_vector_that_sums_to_one_does_so_in_a_counterexample(typed: str) -> None:
    symbols = {"p": "vec:prob", "i": "index", "j": "index", "k": "index", "n": "dim"}
    verdict = judge_formula(typed, "p_i*(delta(i,j) - p_j)", symbols, {"where": {"p": "simplex"}})
    assert verdict.counterexample is not None
    entries = [value for name, value in verdict.counterexample.values.items() if name.startswith("p[")]
    # as they are shown, and not only before they are rounded
    assert sum(Fraction(str(value)) for value in entries) == 1
    assert min(entries) > 0


@pytest.mark.parametrize(
    ("symbols", "options", "reference"),
    [
        ({"x": "complex"}, {}, "x"),
        ({"x": 1}, {}, "x"),
        ({"1x": "real"}, {}, "1"),
        ({"x": "real"}, {"rel": 0.1}, "x"),
        ({"x": "real"}, {"where": {"x": "simplex"}}, "x"),
        ({"x": "real"}, {"where": 3}, "x"),
        ({"x": "real"}, {}, "y"),
        ({"x": "real"}, {}, ""),
    ],
)
def test_a_fault_of_the_card_is_an_error_and_no_verdict(symbols: dict, options: dict, reference: str) -> None:
    with pytest.raises(InputError):
        judge_formula("1", reference, symbols, options)


def test_what_cannot_be_told_is_undecided() -> None:
    verdict = judge_formula("exp(exp(exp(x+30)))", "exp(exp(exp(x+30)))*2", {"x": "pos"})
    assert verdict.verdict == "undecided"
    assert verdict.counterexample is None


Polynomial = tuple[str, Callable[..., Fraction]]


def _joined(pair: tuple[Polynomial, Polynomial, str]) -> Polynomial:
    (a, f), (b, g), sign = pair
    if sign == "*":
        return f"({a})({b})", lambda *v: f(*v) * g(*v)
    return f"({a}){sign}({b})", lambda *v: f(*v) + (g(*v) if sign == "+" else -g(*v))


LEAVES: st.SearchStrategy[Polynomial] = st.one_of(
    st.integers(0, 9).map(lambda n: (str(n), lambda *v, n=n: Fraction(n))),
    st.sampled_from([("x", lambda x, y: x), ("y", lambda x, y: y), ("x²", lambda x, y: x * x)]),
)
POLYNOMIALS = st.recursive(
    LEAVES, lambda inner: st.tuples(inner, inner, st.sampled_from("+-*")).map(_joined), max_leaves=8
)


@settings(max_examples=40, deadline=None)
@given(POLYNOMIALS, POLYNOMIALS)
def test_polynomials_are_told_apart_by_a_point_that_really_does(a: Polynomial, b: Polynomial) -> None:
    symbols = {"x": "real", "y": "real"}
    verdict = judge_formula(a[0], b[0], symbols)
    grid = [(Fraction(m, 7), Fraction(n, 5)) for m in range(-8, 9) for n in range(-8, 9)]
    same = all(a[1](*point) == b[1](*point) for point in grid)
    assert verdict.verdict == ("equal" if same else "different")
    if verdict.counterexample:
        point = [Fraction(str(verdict.counterexample.values.get(name, 1))) for name in ("x", "y")]
        assert a[1](*point) != b[1](*point)
        assert math.isclose(float(verdict.counterexample.input), float(a[1](*point)), rel_tol=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(
        ["exp(x)-1", "ln(x)+sin(x)", "tanh(x)/x", "sqrt(x)^3", "sigmoid(-x)", "softplus(x)", "erf(x)", "gamma(x+1/3)",
         "x^(1/3)-cbrt(x)", "acos(1/(1+x))", "atan(x)-pi", "cosh(x)-cos(x)", "asinh(x)log2(x)", "max(x,1/x)", "tan(x)"]
    ),
    st.fractions(Fraction(1, 50), 50, max_denominator=1000),
)  # fmt: skip
def test_the_value_lies_between_its_bounds(formula: str, x: Fraction) -> None:
    node = read_formula(formula, {"x": "pos"})
    iv.set_digits(80)
    exact = iv.interval(Evaluation(Point({"x": x})).value(node))
    iv.set_digits(20)
    rough = iv.interval(Evaluation(Point({"x": x})).value(node))
    assert rough.low <= exact.low
    assert exact.high <= rough.high
    assert iv.width(rough) <= Decimal("1e-12") * (1 + abs(rough.high))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["tanh", "sigmoid", "softplus", "sinh", "erf", "exp", "atan", "asinh"]),
    st.floats(-12, 3),
    st.sampled_from([1, -1]),
)
def test_bounds_hold_for_arguments_of_every_size(function: str, exponent: float, side: int) -> None:
    """Formulas that cancel near zero or far out keep their digits, or say so by their width."""
    x = side * Fraction(10**exponent).limit_denominator(10**15)
    node = read_formula(f"{function}(x)", {"x": "real"})
    iv.set_digits(30)
    value = iv.interval(Evaluation(Point({"x": x})).value(node))
    with mpmath.workdps(900):
        at = mpmath.mpf(x.numerator) / x.denominator
        wanted = {
            "sigmoid": lambda t: 1 / (1 + mpmath.exp(-t)), "softplus": lambda t: mpmath.log1p(mpmath.exp(t))
        }.get(function, getattr(mpmath, function, None))(at)  # fmt: skip
        assert mpmath.mpf(str(value.low)) <= wanted <= mpmath.mpf(str(value.high))
    assert iv.width(value) <= iv.size(value) * Decimal("1e-14")


@pytest.mark.parametrize(
    ("formula", "oracle"),
    [
        ("sigmoid(x)", lambda x: 1 / (1 + mpmath.exp(-x))),
        ("log10(x)", mpmath.log10),
        ("acos(x)", mpmath.acos),
        ("gamma(x)", mpmath.gamma),
        ("gamma(-x)", lambda x: mpmath.gamma(-x)),
        ("atanh(x)", mpmath.atanh),
        ("x^pi", lambda x: x**mpmath.pi),
        ("binomial(5,2)x", lambda x: 10 * x),
        ("prod(x+k,k,1,3)", lambda x: (x + 1) * (x + 2) * (x + 3)),
    ],
)
def test_values_agree_with_mpmath(formula: str, oracle: Callable) -> None:
    iv.set_digits(30)
    node = read_formula(formula, {"x": "prob", "k": "posint"})
    value = iv.interval(Evaluation(Point({"x": Fraction(3, 10)})).value(node))
    with mpmath.workdps(30):
        expected = oracle(mpmath.mpf(3) / 10)
        for end in (value.low, value.high):
            assert abs(mpmath.mpf(str(end)) - expected) < mpmath.mpf(10) ** -27


@pytest.mark.parametrize(
    "formula", ["ln(-x)", "sqrt(-x)", "1/(x-x)", "(-x)^(1/2)", "0^0", "asin(1+x)", "atanh(1)", "(-1)!", "gamma(0)", "p[9]"]
)  # fmt: skip
def test_no_value_over_the_reals(formula: str) -> None:
    node = read_formula(formula, {"x": "pos", "p": "vec:prob"})
    with pytest.raises(UndefinedError):
        Evaluation(Point({"x": Fraction(2)}, {"p": (Fraction(1, 2),)})).value(node)


def test_a_border_within_the_bounds_is_not_guessed() -> None:
    iv.set_digits(30)
    with pytest.raises(BlurredError):
        Evaluation(Point({})).value(read_formula("ln(sqrt(2)^2-2)", {}))


HOSTILE = [
    "x" * 400,
    "x" * 10_000,
    "(" * 399,
    "-" * 399,
    "-" * 39 + "x",
    "2^" * 199 + "x",
    "x^" * 199 + "x",
    "sqrt " * 39 + "x",
    "x" + "!" * 300,
    "x" + "%" * 300,
    "|" * 399,
    "\\frac" * 60,
    "\\" * 300,
    "{{{{" * 90,
    "½" * 300,
    "²" * 300,
    "1,234" * 70,
    "exp(" * 39 + "x" + ")" * 39,
    "sum(" * 39 + "x",
    "sum(x^i,i,1,1000)",
    "sum(sum(x^i,i,1,n),n,1,1000)",
    "sum(sum(sum(x^i*n,i,1,900),n,1,900),i,1,900)",
    "sum(1,i,1,10^9)",
    "sum(1,i,1,n^n^n^n)",
    "prod(prod(n^n,i,1,1000),i,1,1000)",
    "n^n^n^n^n",
    "(x+1)^(10^9)",
    "(n!)!",
    "binomial(10^9,10^8)",
    "binomial(n^n,n)",
    "gamma(10^9)",
    "factorial(10**6)",
    "9**9**9",
    "2**(-10**9)",
    "sin(10^3000)",
    "floor(pi*10^3000)",
    "x^(1/3)^(1/3)^(1/3)",
    "exp(exp(exp(exp(x))))",
    "23d_{k}y exp(y sum(x^i,i,1,n))",
    "x acos(acos(dk max(sum(x^i,i,1,n),1)))",
    "max(" + "x," * 190 + "x)",
    "+".join(["sin(x)cos(x)"] * 15),
    "*".join(["sum(p[i]^n,i,1,3)"] * 10),
    "1/0",
    "0^0",
    "0x" + "f" * 398,
    "__import__('os').system('true')",
    "x.__class__.__mro__",
    "x.subs(x,'1')",
    "sin('x')",
    "lambda:1",
    "(x:=3)",
    "x;y",
    "x\n+1",
    "\x1b]52;c;AAAA\x07",
    "\ud800",
    "𝑥+1",
    "х+1",
    "x\u202e+1",
    "[red]x[/red]",
    "\\input{secret}",
    "$$$$",
]


@pytest.mark.parametrize("typed", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_input_gets_a_verdict(typed: str) -> None:
    verdict = judge_formula(typed, "x", SYMBOLS)
    assert verdict.verdict in ("different", "invalid", "unsafe", "undecided")
    assert all(character.isprintable() for character in verdict.reason.en + verdict.reason.zh)
    json.dumps(verdict.as_json(), allow_nan=False)


PIECES = st.sampled_from(
    ["x", "y", "n", "dk", "d_{k}", "σ", "\\sigma", "p_i", "p[i]", "p", "_", "^", "**", "(", ")", "|", "+", "-", "*", "/", "!",
     "%", ",", "1", "23", "0.5", "1e3", "½", "²", "√", "\\frac", "{", "}", "\\sqrt", "ln", "exp", "max(", "sum(", "delta(",
     "sin", "floor(", "e", "pi", " ", "=", "\\sum_{i=1}^{n}", "$", "\\left(", "<", "ind("]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=60)))
@example("x^" * 20 + "2")
def test_anything_typed_gets_a_verdict(typed: str) -> None:
    verdict = judge_formula(typed, "x+n", SYMBOLS)
    json.dumps(verdict.as_json(), allow_nan=False)
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")
    if verdict.reading:
        assert layout(verdict.reading).width > 0
