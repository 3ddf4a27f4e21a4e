"""Deciding a relation between SymPy expressions: the cheapest sound method that succeeds.

Every rung that says *proved* is sound for all values the assumptions allow; every rung that says
*refuted* holds an exact or interval-enclosed counterexample. Nothing here calls ``simplify``: its
failure means nothing, and it does not finish on LSTM-sized expressions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
import sympy as sp

from engine.proof.step import Expr, Relates, Status

SAMPLES = 24
"""Points at which a relation is sampled when algebra is not asked for."""


@dataclass(frozen=True)
class Outcome:
    status: Status
    method: str
    counterexample: str = ""


def decide(claim: Relates) -> Outcome:
    """Decide ``claim``; ``undecided`` when no rung comes to a decision."""
    if claim.over:
        return _decide_cases(claim)
    lhs, rhs = _evaluated(claim.lhs, claim), _evaluated(claim.rhs, claim)
    if claim.sampled:
        return _sample(lhs, rhs)
    if claim.op == "=":
        return _decide_equal(lhs, rhs)
    if claim.op == "!=":
        return _decide_unequal(lhs, rhs)
    return _decide_order(lhs, claim.op, rhs, claim.witness)


def _evaluated(side: Expr, claim: Relates) -> Expr:
    value = sp.sympify(side).doit()
    for left, right in claim.using:
        value = value.subs(left, right)
    return value.doit() if claim.using else value


# equality


def _decide_equal(lhs: Expr, rhs: Expr) -> Outcome:
    if lhs == rhs:
        return Outcome(Status.PROVED, "structural")
    if _is_matrix(lhs) or _is_matrix(rhs):
        return _decide_equal_matrices(lhs, rhs)
    for method, difference in _rungs(lhs, rhs):
        if difference == 0:
            return Outcome(Status.PROVED, method)
    found = _counterexample(lhs, rhs)
    if found is not None:
        return Outcome(Status.REFUTED, "counterexample", found)
    return Outcome(Status.UNDECIDED, "none")


def _rungs(lhs: Expr, rhs: Expr) -> Iterator[tuple[str, Expr]]:
    """(method, lhs - rhs in that method's normal form), cheapest first; a zero proves equality."""
    difference = lhs - rhs
    expanded = sp.expand(difference)
    yield "expand", expanded
    if expanded.has(sp.sin, sp.cos, sp.tan):
        expanded = sp.expand(sp.expand_trig(expanded))
        yield "expand_trig", expanded
        yield "pythagoras", sp.expand(expanded.replace(_is_sine_power, _sine_power_by_cosine))
    if not difference.has(sp.zoo, sp.nan, sp.Piecewise, sp.Sum, sp.Product, sp.Limit):
        yield "rational", _rational_form(difference)
        logs = sp.expand(sp.expand_log(difference))
        if logs != expanded:
            yield "logarithms", _rational_form(logs)
        yield "radicals", sp.cancel(sp.together(sp.radsimp(sp.powsimp(sp.powdenest(difference)))))


def _is_sine_power(expr: Expr) -> bool:
    return bool(
        isinstance(expr, sp.Pow) and isinstance(expr.base, sp.sin) and expr.exp.is_Integer and expr.exp >= 2
    )


def _sine_power_by_cosine(expr: Expr) -> Expr:
    half, odd = divmod(int(expr.exp), 2)
    angle = expr.base.args[0]
    return (1 - sp.cos(angle) ** 2) ** half * sp.sin(angle) ** odd


def _rational_form(expr: Expr) -> Expr:
    """Hyperbolic functions and exponentials as powers of one symbol per exponent atom, then ``cancel``.

    Treating the atoms as independent can only miss an identity, never invent one: an identity in
    free symbols holds whatever is put for them.
    """
    hyperbolic = (sp.tanh, sp.sinh, sp.cosh, sp.sech, sp.csch, sp.coth)
    if expr.has(*hyperbolic):
        expr = expr.rewrite(sp.exp)
    expr = sp.expand(expr, power_exp=True, power_base=False, deep=True, mul=False, multinomial=False)
    atoms: dict[Expr, Expr] = {}

    def base_symbol(argument: Expr) -> Expr:
        """exp(argument) through the symbol of its primitive part: e^{-2a} is s^-2 where s = e^a."""
        coefficient, primitive = argument.as_coeff_Mul()
        if not coefficient.is_Rational:
            coefficient, primitive = sp.Integer(1), argument
        if coefficient.is_Rational and not coefficient.is_Integer:
            primitive, coefficient = primitive / coefficient.q, sp.Integer(coefficient.p)
        symbol = atoms.setdefault(primitive, sp.Dummy(f"e{len(atoms)}", positive=True))
        return symbol**coefficient

    expr = expr.replace(lambda e: isinstance(e, sp.exp), lambda e: base_symbol(e.args[0]))
    return sp.cancel(sp.together(expr))


def _is_matrix(value: Expr) -> bool:
    return isinstance(value, sp.MatrixBase | sp.MatrixExpr)


def _decide_equal_matrices(lhs: Expr, rhs: Expr) -> Outcome:
    if not (_is_matrix(lhs) and _is_matrix(rhs)) or lhs.shape != rhs.shape:
        return Outcome(Status.REFUTED, "shape", rf"{_shape(lhs)} \neq {_shape(rhs)}")
    explicit = isinstance(lhs, sp.MatrixBase) and isinstance(rhs, sp.MatrixBase)
    if not explicit:
        difference = (lhs - rhs).doit().expand().doit()
        if difference.is_zero_matrix or isinstance(difference, sp.ZeroMatrix):
            return Outcome(Status.PROVED, "matrix algebra")
        return _refute_matrix_expressions(lhs, rhs)
    methods: list[str] = []
    for row in range(lhs.rows):
        for column in range(lhs.cols):
            entry = _decide_equal(lhs[row, column], rhs[row, column])
            if entry.status is not Status.PROVED:
                place = rf"\text{{entry }}({row + 1},{column + 1}):\ "
                text = place + entry.counterexample if entry.counterexample else ""
                return Outcome(entry.status, entry.method, text)
            methods.append(entry.method)
    order = ("structural", "expand", "expand_trig", "pythagoras", "rational", "logarithms", "radicals")
    return Outcome(Status.PROVED, max(methods, key=order.index, default="structural"))


def _shape(value: Expr) -> str:
    return rf"{value.shape[0]} \times {value.shape[1]}" if _is_matrix(value) else r"\text{scalar}"


def _refute_matrix_expressions(lhs: Expr, rhs: Expr) -> Outcome:
    """Small integer matrices in place of matrix symbols of general size; exact arithmetic."""
    chance = random.Random(1)
    sizes = sorted(
        {side for symbol in _matrix_symbols(lhs, rhs) for side in symbol.shape if side.free_symbols}, key=str
    )
    for attempt in range(4):
        by_size = {size: sp.Integer(2 + (position + attempt) % 3) for position, size in enumerate(sizes)}
        values: dict[Expr, Expr] = {}
        for symbol in sorted(_matrix_symbols(lhs, rhs), key=str):
            shape = [int(sp.sympify(side).subs(by_size)) for side in symbol.shape]
            values[symbol] = sp.Matrix(*shape, lambda *_: chance.randint(-3, 3))
        scalars = dict(by_size)
        try:
            left, right = (_explicit(side, values, scalars) for side in (lhs, rhs))
        except (ValueError, TypeError, AttributeError, NotImplementedError):
            continue
        if left != right:
            shown = ",\\ ".join(f"{sp.latex(k)} = {sp.latex(v)}" for k, v in values.items())
            return Outcome(Status.REFUTED, "counterexample", shown)
    return Outcome(Status.UNDECIDED, "none")


def _matrix_symbols(*sides: Expr) -> set[Any]:
    return set().union(*(side.atoms(sp.MatrixSymbol) for side in sides))


def _explicit(side: Expr, values: Mapping[Expr, Expr], scalars: Mapping[Expr, Expr]) -> Expr:
    if side in values:
        return values[side]
    if isinstance(side, sp.MatrixSymbol):
        return values[side]
    if isinstance(side, sp.Identity):
        return sp.eye(int(side.shape[0].subs(scalars)))
    if isinstance(side, sp.ZeroMatrix):
        return sp.zeros(*(int(n.subs(scalars)) for n in side.shape))
    parts = [
        _explicit(part, values, scalars) if _is_matrix(part) else part.subs(scalars) for part in side.args
    ]
    match side:
        case sp.Transpose():
            return parts[0].T
        case sp.Inverse():
            return parts[0].inv()
        case sp.MatAdd():
            return sum(parts[1:], parts[0])
        case sp.MatMul():
            product = parts[0]
            for part in parts[1:]:
                product = product * part
            return product
        case sp.MatPow():
            return parts[0] ** parts[1]
    raise NotImplementedError(type(side).__name__)


# counterexamples


def _points(symbols: list[Expr], count: int, seed: int = 7) -> Iterator[dict[Expr, Expr]]:
    """Rational points that respect the symbols' assumptions, small and distinct."""
    chance = random.Random(seed)
    for _ in range(count):
        yield {symbol: _rational_for(symbol, chance) for symbol in symbols}


def _rational_for(symbol: Expr, chance: random.Random) -> Expr:
    if symbol.is_integer:
        low = 1 if symbol.is_positive else 0 if symbol.is_nonnegative else -4
        value = sp.Integer(chance.randint(low, 6))
        if symbol.is_even:
            return value * 2
        return value if not (symbol.is_nonzero and value == 0) else sp.Integer(1)
    value = sp.Rational(chance.randint(1, 23), chance.choice((2, 3, 5, 7)))
    if symbol.is_positive or symbol.is_nonnegative:
        return value
    if symbol.is_negative:
        return -value
    return value if chance.random() < 0.5 else -value


def _free(*sides: Expr) -> list[Expr]:
    symbols: set[Expr] = set()
    for side in sides:
        symbols |= side.free_symbols
    return sorted((s for s in symbols if isinstance(s, sp.Symbol)), key=str)


def _counterexample(lhs: Expr, rhs: Expr) -> str | None:
    """A point at which the two certainly differ, as LaTeX; None when none was found."""
    found = _first_point(lhs - rhs, lambda low, high: low > 0 or high < 0)
    if found is None:
        return None
    return _point_latex(found, lhs, rhs)


def _first_point(difference: Expr, holds: Callable[[Any, Any], bool]) -> dict[Expr, Expr] | None:
    """The first sampled point whose enclosure [low, high] of ``difference`` satisfies ``holds``."""
    for point in _points(_free(difference), SAMPLES):
        value = difference.subs(point)
        try:
            value = value.doit()
        except (ValueError, TypeError, NotImplementedError):
            continue
        bounds = _enclosure(value)
        if bounds is not None and holds(*bounds):
            return point
    return None


def _enclosure(value: Expr) -> tuple[Any, Any] | None:
    """Certain bounds of a number: exact for rationals, else by interval arithmetic."""
    if value.is_Rational:
        return value, value
    if value.free_symbols or value.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I):
        return None
    mpmath.iv.dps = 40
    try:
        enclosed = mpmath.iv.mpf(_interval(value))
    except (TypeError, ValueError, ZeroDivisionError, NotImplementedError, AttributeError):
        return None
    return enclosed.a, enclosed.b


def _interval(value: Expr) -> Any:
    iv = mpmath.iv
    if value.is_Integer:
        return iv.mpf(int(value))
    if value.is_Rational:
        return iv.mpf(int(value.p)) / iv.mpf(int(value.q))
    if value is sp.pi:
        return iv.pi
    if value is sp.E:
        return iv.e
    parts = [_interval(part) for part in value.args]
    match value:
        case sp.Add():
            return sum(parts[1:], parts[0])
        case sp.Mul():
            product = parts[0]
            for part in parts[1:]:
                product = product * part
            return product
        case sp.Pow():
            if value.exp.is_Integer:
                return parts[0] ** int(value.exp)
            if value.exp == sp.Rational(1, 2):
                return iv.sqrt(parts[0])
            return iv.exp(parts[1] * iv.log(parts[0]))
        case sp.exp():
            return iv.exp(parts[0])
        case sp.log():
            return iv.log(parts[0])
        case sp.sin():
            return iv.sin(parts[0])
        case sp.cos():
            return iv.cos(parts[0])
        case sp.tanh() | sp.sinh() | sp.cosh() | sp.sech():
            return _interval(value.rewrite(sp.exp))
        case sp.Max():
            return iv.mpf([max(p.a for p in parts), max(p.b for p in parts)])
        case sp.Min():
            return iv.mpf([min(p.a for p in parts), min(p.b for p in parts)])
        case sp.Abs():
            return abs(parts[0])
    raise NotImplementedError(type(value).__name__)


def _point_latex(point: Mapping[Expr, Expr], lhs: Expr, rhs: Expr) -> str:
    where = ",\\ ".join(f"{sp.latex(symbol)} = {sp.latex(value)}" for symbol, value in point.items())
    left, right = (_value_latex(side.subs(point)) for side in (lhs, rhs))
    return rf"{where}:\ {left} \neq {right}" if where else rf"{left} \neq {right}"


def _value_latex(value: Expr) -> str:
    value = value.doit()
    text = sp.latex(value)
    return text if len(text) <= 24 else sp.latex(sp.N(value, 8))


# other relations


def _decide_unequal(lhs: Expr, rhs: Expr) -> Outcome:
    equality = _decide_equal(lhs, rhs)
    match equality.status:
        case Status.REFUTED:
            return Outcome(Status.PROVED, "witness", equality.counterexample)
        case Status.PROVED:
            return Outcome(Status.REFUTED, equality.method, r"\text{identical}")
        case _:
            return equality


def _decide_order(lhs: Expr, op: str, rhs: Expr, witness: Expr | None) -> Outcome:
    greater, smaller = (lhs, rhs) if op in (">", ">=") else (rhs, lhs)
    difference = greater - smaller
    strict = op in ("<", ">")
    if witness is not None:
        same = _decide_equal(difference, sp.sympify(witness))
        if same.status is Status.PROVED and _signed(witness, strict):
            return Outcome(Status.PROVED, f"sign of a witness ({same.method})")
    for method, form in (("sign", difference), ("sign after factoring", sp.factor(difference))):
        if _signed(form, strict):
            return Outcome(Status.PROVED, method)
    broken = (lambda low, high: high <= 0) if strict else (lambda low, high: high < 0)
    found = _first_point(difference, broken)
    if found is not None:
        return Outcome(Status.REFUTED, "counterexample", _order_latex(found, lhs, op, rhs))
    return Outcome(Status.UNDECIDED, "none")


def _signed(form: Expr, strict: bool) -> bool:
    form = sp.sympify(form)
    return bool(form.is_positive if strict else form.is_nonnegative)


def _order_latex(point: Mapping[Expr, Expr], lhs: Expr, op: str, rhs: Expr) -> str:
    negated = {"<": r"\geq", "<=": ">", ">": r"\leq", ">=": "<"}[op]
    return _point_latex(point, lhs, rhs).replace(r"\neq", negated)


def _decide_cases(claim: Relates) -> Outcome:
    for case in claim.over:
        lhs, rhs = (sp.sympify(side).subs(case) for side in (claim.lhs, claim.rhs))
        outcome = decide(Relates(lhs, claim.op, rhs, using=claim.using))
        if outcome.status is not Status.PROVED:
            where = ",\\ ".join(f"{sp.latex(symbol)} = {sp.latex(value)}" for symbol, value in case.items())
            return Outcome(outcome.status, outcome.method, where + r":\ " + outcome.counterexample)
    return Outcome(Status.PROVED, f"{len(claim.over)} cases")


def _sample(lhs: Expr, rhs: Expr) -> Outcome:
    """Agreement to 30 of 40 digits at sampled points."""
    difference = lhs - rhs
    agreed = 0
    for point in _points(_free(lhs, rhs), SAMPLES):
        gap, scale = (sp.N(side.subs(point), 40) for side in (difference, lhs))
        if not (gap.is_number and scale.is_number):
            return Outcome(Status.UNDECIDED, "none")
        if abs(gap) > sp.Float("1e-30") * (1 + abs(scale)):
            bounds = _enclosure(difference.subs(point).doit())
            certain = bounds is not None and (bounds[0] > 0 or bounds[1] < 0)
            text = _point_latex(point, lhs, rhs)
            return Outcome(
                Status.REFUTED if certain else Status.UNDECIDED, "counterexample", text if certain else ""
            )
        agreed += 1
    return Outcome(Status.MEASURED, f"{agreed} points, 40 digits")
