"""Expectations by moments agree with averaging over every outcome, and with the normal law."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.proof.ladder import decide
from engine.proof.moments import Expectation, Variance
from engine.proof.step import Relates, Status

u, v = sp.symbols("u v", real=True)
s, t = sp.symbols("s t", positive=True)

OUTCOMES = st.lists(st.integers(-3, 3), min_size=1, max_size=4)
TERMS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4)


def raw_moments(outcomes: list[int], order: int) -> tuple[sp.Rational, ...]:
    """E[x], E[x²], … of a variable that takes each outcome with equal chance."""
    return tuple(sp.Rational(sum(x**k for x in outcomes), len(outcomes)) for k in range(1, order + 1))


def polynomial(terms: list[tuple[int, int, int]], first: object, second: object) -> object:
    return sum(c * first**i * second**j for c, i, j in terms)  # type: ignore[operator]


@settings(max_examples=60, deadline=None)
@given(TERMS, OUTCOMES, OUTCOMES)
def test_mean_and_variance_are_those_of_averaging_over_all_outcomes(
    terms: list[tuple[int, int, int]], first: list[int], second: list[int]
) -> None:
    law = {u: raw_moments(first, 4), v: raw_moments(second, 4)}
    values = [Fraction(polynomial(terms, a, b)) for a, b in itertools.product(first, second)]  # type: ignore[arg-type]
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    expression = polynomial(terms, u, v)
    assert Expectation(expression, law).doit() == sp.Rational(mean)
    assert Variance(expression, law).doit() == sp.Rational(variance)


def test_a_symbol_that_is_not_random_is_a_constant() -> None:
    law = {u: (0, s**2)}
    assert Expectation(t * u**2 + t, law).doit() == t * s**2 + t
    assert Variance(t * u + t, law).doit() == t**2 * s**2
    assert Expectation(t, law).doit() == t


def test_moments_of_a_normal_variable_agree_with_its_density() -> None:
    import sympy.stats

    normal = sympy.stats.Normal("x", 0, s)
    law = {u: (0, s**2, 0, 3 * s**4)}
    for power in range(1, 5):
        assert sp.cancel(Expectation(u**power, law).doit() - sympy.stats.E(normal**power)) == 0


def test_an_expectation_inside_an_expectation_is_a_number() -> None:
    law = {u: (t, s**2 + t**2)}
    spread = Expectation((u - Expectation(u, law)) ** 2, law)
    assert spread.doit() == s**2
    assert decide(Relates(spread, "=", Variance(u, law))).status is Status.PROVED


def test_random_symbols_are_bound_and_constants_can_be_set() -> None:
    mean = Expectation(t * u**2, {u: (0, s**2)})
    assert mean.free_symbols == {s, t}
    assert mean.bound_symbols == [u]
    assert mean.subs(u, 5) == mean
    assert mean.subs({s: 2, t: 3}).doit() == 12


@pytest.mark.parametrize("expression", [u**3, sp.exp(u), 1 / u, sp.sqrt(u**2 + 1)])
def test_what_the_moments_do_not_say_is_refused(expression: sp.Expr) -> None:
    with pytest.raises(ValueError, match=r"no moment|polynomials only"):
        Expectation(expression, {u: (0, 1)}).doit()


def test_they_print_as_the_field_writes_them() -> None:
    law = {u: (0, 1), v: (0, 1)}
    assert sp.latex(Expectation(u * v, law)) == r"\mathbb{E}\left[u v\right]"
    assert sp.latex(Variance(u + v, law)) == r"\operatorname{Var}\left(u + v\right)"


def test_dependence_is_what_the_law_leaves_out() -> None:
    """Moments multiply for independent variables only: one variable squared is not two multiplied."""
    law = {u: (0, 1, 0, 3), v: (0, 1, 0, 3)}
    assert Variance(u * v, law).doit() == 1
    assert Variance(u * u, law).doit() == 2
