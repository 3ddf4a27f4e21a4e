"""The ladder proves what is true, refutes what is false with a point that shows it, and admits the rest."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.proof.counterexample import enclosure, free_symbols, points, special_points
from engine.proof.derivation import decide_all
from engine.proof.ladder import decide
from engine.proof.step import Relates, Status, equal, exhausted, let, ordered, sampled, unequal
from engine.text import same

a, b = sp.symbols("a b", positive=True)
x, y, z = sp.symbols("x y z", real=True)
w = sp.Symbol("w")  # complex: no assumption at all
n = sp.Symbol("n", integer=True, positive=True)
m = sp.Symbol("m", integer=True, positive=True)
i = sp.Symbol("i", integer=True, positive=True)
A, B, C = (sp.MatrixSymbol(name, n, n) for name in "ABC")
RULE = same("rule")


def status(lhs: object, op: str, rhs: object, **how: object) -> Status:
    return decide(Relates(lhs, op, rhs, **how)).status


p = sp.exp(x) / (sp.exp(x) + sp.exp(y) + sp.exp(z))

TRUE = {
    "structural": (x + y, y + x),
    "expand": ((x + y) ** 3, x**3 + 3 * x**2 * y + 3 * x * y**2 + y**3),
    "expand_trig": (sp.cos(x + y), sp.cos(x) * sp.cos(y) - sp.sin(x) * sp.sin(y)),
    "pythagoras": (sp.sin(x) ** 2 + sp.cos(x) ** 2, 1),
    "pythagoras below a fraction": (1 / (1 + sp.tan(x) ** 2), sp.cos(x) ** 2),
    "rational": (1 / x + 1 / y, (x + y) / (x * y)),
    "exponentials": (sp.diff(p, x), p * (1 - p)),
    "hyperbolic": (1 - sp.tanh(x) ** 2, sp.sech(x) ** 2),
    "half exponents": (sp.sech(x / 2) ** 2 / 4, sp.exp(x) / (1 + sp.exp(x)) ** 2),
    "number e": (sp.exp(2) - 1, (sp.E - 1) * (sp.E + 1)),
    "exponential of an exponential": (sp.exp(sp.exp(x) + 1), sp.E * sp.exp(sp.exp(x))),
    "logarithms": (sp.log(a * b), sp.log(a) + sp.log(b)),
    "log of a softmax": (sp.log(p), x - sp.log(sp.exp(x) + sp.exp(y) + sp.exp(z))),
    "radicals": (1 / (sp.sqrt(a + 1) - sp.sqrt(a)), sp.sqrt(a + 1) + sp.sqrt(a)),
    "scale leaves a root": (sp.sqrt(a**2 * x**2 + a**2 * y**2), a * sp.sqrt(x**2 + y**2)),
    "nested roots": (sp.sqrt(1 + sp.sqrt(a)) ** 4, 1 + 2 * sp.sqrt(a) + a),
    "root of a real square": (sp.sqrt(x**2), sp.Abs(x)),
    "real exponential root": (sp.sqrt(sp.exp(2 * x)), sp.exp(x)),
    "geometric sum": (sp.Sum(a**i, (i, 1, n)), a * (1 - a**n) / (1 - a)),
    "plain sum": (sp.Sum(i, (i, 1, n)), n * (n + 1) / 2),
    "limit": (sp.Limit(sp.tanh(x), x, sp.oo), 1),
    "derivative": (sp.Derivative(sp.tanh(x), x), 1 - sp.tanh(x) ** 2),
    "integral": (sp.Integral(2 * x, (x, 0, a)), a**2),
    "matrix product": ((A * B).T, B.T * A.T),
    "matrix gauge": ((A * C) * (B * C.I.T).T, A * B.T),
    "scalar before a matrix": ((a + b) ** 2 * A, (a**2 + 2 * a * b + b**2) * A),
    "explicit matrix": (
        sp.Matrix([[sp.exp(x + y), 1], [0, (x + 1) ** 2]]),
        sp.Matrix([[sp.exp(x) * sp.exp(y), 1], [0, x**2 + 2 * x + 1]]),
    ),
    "scalar before explicit matrices": (
        sp.MatMul(1 / a, sp.Matrix([[x, y]]), sp.Matrix([[1], [1]]), evaluate=False),
        sp.Matrix([[(x + y) / a]]),
    ),
    "matrix symbols of known size": (
        sp.MatMul(sp.MatrixSymbol("G", 2, 2), sp.Matrix([[1], [0]]), evaluate=False),
        sp.Matrix([[sp.MatrixSymbol("G", 2, 2)[0, 0]], [sp.MatrixSymbol("G", 2, 2)[1, 0]]]),
    ),
    "equal sizes written differently": (
        sp.MatrixSymbol("M", n * (n + 1), 2) * 1,
        sp.MatrixSymbol("M", n * (n + 1), 2),
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_identities_are_proved(name: str) -> None:
    assert status(TRUE[name][0], "=", TRUE[name][1]) is Status.PROVED


FALSE = {
    "root of a real square": (sp.sqrt(x**2), x),
    "root of any square": (sp.sqrt(w**2), w),
    "root of a product": (sp.sqrt(x * y), sp.sqrt(x) * sp.sqrt(y)),
    "log of a real product": (sp.log(x * y), sp.log(x) + sp.log(y)),
    "log of a real square": (sp.log(x**2), 2 * sp.log(x)),
    "power of a power": ((x**2) ** sp.Rational(1, 2), x),
    "exponential of a sum": (sp.exp(x + y), sp.exp(x) + sp.exp(y)),
    "freshman": ((x + y) ** 2, x**2 + y**2),
    "tanh'": (sp.Derivative(sp.tanh(x), x), 1 - sp.tanh(x)),
    "off by one": (sp.Sum(i, (i, 1, n)), n * (n - 1) / 2),
    "absolute value": (sp.Abs(x + y), sp.Abs(x) + sp.Abs(y)),
    "only at zero": (sp.Max(x, 0) + sp.Min(x, 0), sp.Abs(x)),
    "tiny": (x, x + sp.Rational(1, 10**30)),
    "constant": (sp.pi, sp.Rational(355, 113)),
    "matrices commute": (A * B, B * A),
    "transpose of a product": ((A * B).T, A.T * B.T),
    "scalar of a matrix": ((a + b) ** 2 * A, (a**2 + b**2) * A),
    "trace of a product": (sp.Trace(A * B) * A, sp.Trace(A) * sp.Trace(B) * A),
    "explicit matrix": (sp.Matrix([[x, 1]]), sp.Matrix([[x, x]])),
    "shapes": (sp.Matrix([[x, 1]]), sp.Matrix([[x], [1]])),
    "a matrix is no scalar": (sp.Matrix([[1]]), sp.Integer(1)),
}


@pytest.mark.parametrize("name", FALSE)
def test_false_identities_are_refuted_and_the_counterexample_is_shown(name: str) -> None:
    outcome = decide(Relates(FALSE[name][0], "=", FALSE[name][1]))
    assert outcome.status is Status.REFUTED
    assert outcome.counterexample


def test_a_counterexample_reads_as_point_and_both_values() -> None:
    u = sp.Symbol("u", integer=True, positive=True)
    outcome = decide(Relates(u**2, "=", u**2 + 1))
    value = int(outcome.counterexample.split(r":\ ")[0].removeprefix("u = "))
    assert outcome.counterexample == rf"u = {value}:\ {value**2} \neq {value**2 + 1}"


def test_values_that_differ_late_are_shown_with_the_digits_that_differ() -> None:
    outcome = decide(Relates(sp.pi + sp.E, "=", sp.pi + sp.E + sp.Rational(1, 10**12) * sp.sqrt(2)))
    left, right = outcome.counterexample.split(r" \neq ")
    assert left != right


UNDECIDABLE = {
    "an unknown function": (sp.Function("f")(x), sp.Function("g")(x)),
    "a trace stays a trace": (sp.Trace(A * B) * sp.Identity(n), sp.Trace(B * A) * sp.Identity(n)),
    "rounded numbers": (0.1 * x + 0.2 * x, 0.3 * x),
    "not a number": (sp.nan, sp.nan),
    "true, and beyond the rungs": (sp.sqrt(5 + 2 * sp.sqrt(6)), sp.sqrt(2) + sp.sqrt(3)),
    "a limit SymPy refuses": (sp.Limit(sp.exp(x) / (sp.exp(x) + sp.exp(z * x)), x, sp.oo), 1),
    "complex root of an exponential": (sp.sqrt(sp.exp(2 * w)), sp.exp(w)),
    "noncommuting symbols": (sp.Symbol("p", commutative=False) * x, x * sp.Symbol("q", commutative=False)),
    "sets": (sp.FiniteSet(1, 2), sp.FiniteSet(1, x)),
}


@pytest.mark.parametrize("name", UNDECIDABLE)
def test_what_no_rung_decides_stays_undecided(name: str) -> None:
    assert status(UNDECIDABLE[name][0], "=", UNDECIDABLE[name][1]) is Status.UNDECIDED


def test_equal_where_both_sides_are_defined_is_not_refuted_at_a_pole() -> None:
    assert status((x**2 - 1) / (x - 1), "=", x + 1) is Status.PROVED
    assert status(sp.sin(x) / x, "=", sp.sin(x) / x + 0) is Status.PROVED


def test_a_wrong_closed_form_inside_sympy_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = sp.Sum.doit

    def faulty(self: sp.Sum, **hints: object) -> sp.Expr:
        value = honest(self, **hints)
        return value + 1 if value.free_symbols else value

    monkeypatch.setattr(sp.Sum, "doit", faulty)
    assert status(sp.Sum(i, (i, 1, n)), "=", n * (n + 1) / 2 + 1) is Status.UNDECIDED


# order

ORDERS_TRUE = {
    "sum of squares": (x**2 + y**2, ">=", 0),
    "factors": (x**2 + y**2, ">=", 2 * x * y),
    "positive symbols": (a + b, ">", a),
    "exponentials": (sp.tanh(x) ** 2, "<", 1),
    "softmax entries": (p, "<", 1),
    "integers": (n, ">=", 1),
}
ORDERS_FALSE = {
    "wrong way": (x**2, "<", 0),
    "strict where equality occurs": (x**2, ">", 0),
    "boundary": (sp.Abs(x), "<=", 1),
    "only for large": (a, "<=", 10),
    "only near zero": (a**2, ">=", a),
    "integers": (n, ">", 1),
}


@pytest.mark.parametrize("name", ORDERS_TRUE)
def test_true_inequalities_are_proved(name: str) -> None:
    assert status(*ORDERS_TRUE[name]) is Status.PROVED


@pytest.mark.parametrize("name", ORDERS_FALSE)
def test_false_inequalities_are_refuted(name: str) -> None:
    outcome = decide(Relates(*ORDERS_FALSE[name]))
    assert outcome.status is Status.REFUTED
    assert outcome.counterexample


def test_a_witness_proves_only_what_it_equals_and_only_with_its_sign() -> None:
    # (x - y)² + (y - z)² + (z - x)² over two: no rung finds it by itself
    claim = (x**2 + y**2 + z**2, ">=", x * y + y * z + z * x)
    squares = ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2
    assert status(*claim) is Status.UNDECIDED
    assert status(*claim, witness=squares) is Status.PROVED
    assert status(*claim, witness=2 * squares) is Status.UNDECIDED
    assert status(claim[0], ">", claim[2], witness=squares) is not Status.PROVED
    assert status(-squares, ">=", 0, witness=-squares) is Status.REFUTED


def test_matrices_have_no_order() -> None:
    assert status(sp.eye(2), ">=", sp.zeros(2)) is Status.UNDECIDED
    assert status(A, ">", B) is Status.UNDECIDED


def test_not_identical_is_proved_by_a_witness_and_refuted_by_a_proof() -> None:
    assert status(x**2, "!=", x) is Status.PROVED
    assert status((x + 1) ** 2, "!=", x**2 + 2 * x + 1) is Status.REFUTED
    assert status(sp.Function("f")(x), "!=", sp.Function("g")(x)) is Status.UNDECIDED


# cases, samples, lemmas


def test_cases_are_decided_one_by_one_and_the_failing_one_is_named() -> None:
    cases = tuple({n: size} for size in range(1, 5))
    assert status(sp.Sum(i**3, (i, 1, n)), "=", sp.Sum(i, (i, 1, n)) ** 2, over=cases) is Status.PROVED
    outcome = decide(Relates(n**2, "=", 3 * n - 2, over=cases))
    assert outcome.status is Status.REFUTED
    assert outcome.counterexample.startswith("n = 3")


def test_sampling_measures_and_never_proves() -> None:
    square = sp.sqrt(5 + 2 * sp.sqrt(6)), sp.sqrt(2) + sp.sqrt(3)
    assert status(*(square[0], "=", square[1]), sampled=True) is Status.MEASURED
    assert status((x + 1) ** 2, "=", x**2 + 2 * x + 1, sampled=True) is Status.MEASURED
    assert status((x + 1) ** 2, "=", x**2 + 1, sampled=True) is Status.REFUTED
    rotation = sp.Matrix([[sp.cos(x), -sp.sin(x)], [sp.sin(x), sp.cos(x)]])
    assert status(rotation * rotation.T, "=", sp.eye(2), sampled=True) is Status.MEASURED
    assert status(sp.log(x * y), "=", sp.log(x) + sp.log(y), sampled=True) is not Status.MEASURED


def run(*steps: object) -> list[Status]:
    return [decided.status for decided in decide_all(lambda: steps)]  # type: ignore[arg-type,return-value]


def test_a_lemma_must_stand_earlier_as_an_equation() -> None:
    s = sp.Symbol("s", real=True)
    lemma = let("s", s, x + y, RULE)
    use = equal("use", s**2, x**2 + 2 * x * y + y**2, RULE, using=[(s, x + y)])
    assert run(lemma, use) == [Status.DEFINED, Status.PROVED]
    with pytest.raises(ValueError, match="no earlier step"):
        run(use, lemma)


def test_a_lemma_is_put_in_before_a_derivative_is_carried_out() -> None:
    s = sp.Symbol("s", real=True)
    lemma = let("s", s, x**2, RULE)
    right = equal("right", sp.Derivative(s, x), 2 * x, RULE, using=[(s, x**2)])
    wrong = equal("wrong", sp.Derivative(s, x), sp.Integer(0), RULE, using=[(s, x**2)])
    assert run(lemma, right, wrong) == [Status.DEFINED, Status.PROVED, Status.REFUTED]


def test_definitions_within_definitions_are_all_differentiated() -> None:
    s, t = sp.symbols("s t", real=True)
    lemmas = [let("s", s, x * t, RULE), let("t", t, x**2, RULE)]
    using = [(s, x * t), (t, x**2)]
    whole = equal("whole", sp.Derivative(s, x), 3 * x**2, RULE, using=using)
    partial = equal("partial", sp.Derivative(s, x), t, RULE, using=using)
    assert run(*lemmas, whole, partial) == [Status.DEFINED, Status.DEFINED, Status.PROVED, Status.REFUTED]


def test_a_lemma_about_a_sum_is_found_among_the_terms_of_another() -> None:
    probability = sp.IndexedBase("p", real=True)
    total = sp.Sum(probability[i], (i, 1, n))
    lemma = let("normalised", total, sp.Integer(1), RULE)
    trace = sp.Sum(3 * probability[i] - a * probability[i] ** 2, (i, 1, n))
    squares = sp.Sum(probability[i] ** 2, (i, 1, n))
    using = [(total, sp.Integer(1))]
    assert run(lemma, equal("trace", trace, 3 - a * squares, RULE, using=using)) == [
        Status.DEFINED,
        Status.PROVED,
    ]
    assert status(trace, "=", 3 - a * squares) is Status.UNDECIDED


@pytest.mark.parametrize(
    "ground",
    [
        unequal("ground", x, y, RULE),
        ordered("ground", x**2, ">=", 0, RULE),
        sampled("ground", (x + 1) ** 2, x**2 + 2 * x + 1, RULE),
        exhausted("ground", n**2, "=", n, RULE, over=[{n: sp.Integer(1)}], bound="n=1"),
        equal("ground", x, y, RULE),
    ],
    ids=["unequal", "ordered", "sampled", "listed cases", "refuted"],
)
def test_only_a_proved_or_defined_equation_carries_later_steps(ground: object) -> None:
    pair = (ground.claim.lhs, ground.claim.rhs)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="no earlier step"):
        run(ground, equal("use", pair[0], pair[1], RULE, using=[pair]))


# points and enclosures

ASSUMED = [
    {},
    {"real": True},
    {"positive": True},
    {"negative": True},
    {"nonnegative": True},
    {"nonpositive": True},
    {"nonzero": True},
    {"integer": True},
    {"integer": True, "negative": True},
    {"integer": True, "even": True},
    {"integer": True, "odd": True},
    {"integer": True, "positive": True},
    {"prime": True},
    {"integer": False, "real": True},
    {"zero": True},
]


@pytest.mark.parametrize("assumptions", ASSUMED, ids=str)
def test_every_point_respects_the_assumptions(assumptions: dict[str, bool]) -> None:
    symbol = sp.Symbol("s", **assumptions)
    drawn = [point[symbol] for make in (points, special_points) for point in make([symbol])]
    assert drawn
    for value in drawn:
        assert all(getattr(value, f"is_{name}") is wanted for name, wanted in assumptions.items())


def test_a_symbol_that_no_candidate_fits_leaves_the_claim_undecided() -> None:
    irrational = sp.Symbol("q", irrational=True)
    assert list(points([irrational])) == []
    assert status(irrational, "=", irrational**2) is Status.UNDECIDED


NUMBERS = st.recursive(
    st.integers(-9, 9).map(sp.Integer) | st.sampled_from([sp.pi, sp.E, sp.Rational(1, 3)]),
    lambda inner: (
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1])
        | st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1])
        | inner.map(lambda value: sp.sqrt(1 + sp.Abs(value)))
        | inner.map(lambda value: sp.tanh(value))
        | inner.map(lambda value: sp.cos(value))
        | inner.map(lambda value: sp.log(2 + sp.Abs(value)))
        | st.tuples(inner, inner).map(lambda pair: sp.Max(*pair))
    ),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None)
@given(NUMBERS)
def test_an_enclosure_holds_the_value_and_is_narrow(number: sp.Expr) -> None:
    bounds = enclosure(number)
    assert bounds is not None
    low, high = (sp.Float(edge, 60) for edge in bounds)
    value = sp.N(number, 60)
    slack = sp.Float("1e-30") * (1 + abs(value))
    assert low - slack <= value <= high + slack
    assert high - low <= slack


# random identities

COEFFICIENTS = st.integers(-3, 3)


@st.composite
def rational_functions(draw: st.DrawFn) -> sp.Expr:
    """A random rational function of x and y, not reduced."""
    expression = draw(st.sampled_from([x, y, x + 2 * y, x - 1]))
    for _ in range(draw(st.integers(1, 4))):
        other = draw(COEFFICIENTS) * x + draw(COEFFICIENTS) * y + draw(st.integers(1, 3))
        operation = draw(st.sampled_from("+*/-"))
        if operation == "+":
            expression = expression + other
        elif operation == "-":
            expression = other - expression
        elif operation == "*" or other == 0:
            expression = expression * other
        else:
            expression = expression / other
    return expression


def _rewritten(expression: sp.Expr, how: str) -> sp.Expr:
    match how:
        case "apart":
            return sp.apart(sp.together(expression), x)
        case "together":
            return sp.together(sp.expand(expression))
        case "factor":
            return sp.factor(expression)
        case _:
            return sp.expand(expression)


@settings(max_examples=25, deadline=None)
@given(rational_functions(), st.sampled_from(["apart", "together", "factor", "expand"]))
def test_random_rational_identities_are_proved(expression: sp.Expr, how: str) -> None:
    assert status(expression, "=", _rewritten(expression, how)) is Status.PROVED
    # and again where the variables are exponentials and hyperbolic tangents
    values = {x: sp.exp(y), y: sp.tanh(z)}
    assert (
        status(
            expression.subs(values, simultaneous=True),
            "=",
            _rewritten(expression, how).subs(values, simultaneous=True),
        )
        is Status.PROVED
    )


@settings(max_examples=25, deadline=None)
@given(
    rational_functions(),
    st.sampled_from(["apart", "together", "factor", "expand"]),
    st.sampled_from([sp.Rational(1, 10**9), x / 1000, x * y, 1 / (1 + x**2)]),
)
def test_random_perturbed_identities_are_refuted(expression: sp.Expr, how: str, fault: sp.Expr) -> None:
    assert status(expression, "=", _rewritten(expression, how) + fault) is Status.REFUTED


@settings(max_examples=25, deadline=None)
@given(rational_functions())
def test_a_refutation_can_be_checked_by_hand(expression: sp.Expr) -> None:
    """The point that is printed is a point at which exact arithmetic gives two different numbers."""
    from engine.proof.counterexample import unequal_at

    wrong = expression + 1 / (2 + x**2)
    point = unequal_at(expression, wrong)
    assert point is not None
    assert set(point) >= set(free_symbols(wrong))
    assert sp.Rational(expression.subs(point)) != sp.Rational(wrong.subs(point))
