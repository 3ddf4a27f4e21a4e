"""Normal forms of a scalar expression: when one of them is zero, the expression is zero.

Each form replaces atoms by independent symbols or uses true relations between them, so it can miss
an identity but never invent one. SymPy's rules are used without ``force``: they look at the
symbols' assumptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import lcm

import sympy as sp

from engine.proof.counterexample import HYPERBOLIC
from engine.proof.step import Expr

METHODS = (
    "structural",
    "expand",
    "expand_trig",
    "pythagoras",
    "rational",
    "logarithms",
    "radicals",
    "piecewise",
)
"""The rungs by name, cheapest first."""

_UNEVALUATED = (sp.Sum, sp.Product, sp.Limit, sp.Integral, sp.Derivative, sp.Subs)


def zero_by(difference: Expr) -> str | None:
    """The first method whose normal form of ``difference`` is zero; None where none is."""
    for method, form in _forms(difference):
        try:
            if form() == 0:
                return method
        # what SymPy refuses (no polynomial, no common ring) another rung may still decide
        except (sp.PolynomialError, NotImplementedError, ZeroDivisionError):
            continue
    return None


def _forms(difference: Expr) -> Iterator[tuple[str, Callable[[], Expr]]]:
    yield "expand", lambda: sp.expand(difference)
    if difference.has(sp.sin, sp.cos, sp.tan):
        yield "expand_trig", lambda: _trigonometric(difference)
        yield "pythagoras", lambda: _sines_by_cosines(difference)
    if difference.has(sp.Piecewise):
        yield "piecewise", lambda: _zero_in_every_branch(difference)
        return
    if difference.has(sp.zoo, sp.nan, *_UNEVALUATED) or not difference.is_commutative:
        return
    yield "rational", lambda: rational_form(difference)
    if difference.has(sp.log):
        yield "logarithms", lambda: rational_form(sp.expand(sp.expand_log(_log_arguments(difference))))
    yield "radicals", lambda: _numerator_modulo_roots(exponentials_as_symbols(difference))


# sums


def linear_sums(expr: Expr) -> Expr:
    """Finite sums split into their terms, with the factors that know no index in front."""
    if _is_matrix(expr) or not expr.has(sp.Sum):
        return expr
    return expr.replace(_is_finite_sum, _split_sum)


def carried_out(expr: Expr) -> Expr:
    """``expr.doit()``, but for sums of indexed terms up to a symbol: SymPy tries long on them and finds nothing."""
    # what is still to be done to such a sum (a derivative by one of its terms) needs the sum itself
    if _is_matrix(expr) or expr.has(*(kind for kind in _UNEVALUATED if kind is not sp.Sum)):
        return expr.doit()
    stand_ins = {total: sp.Dummy() for total in expr.atoms(sp.Sum) if _is_opaque(total)}
    back = {stand_in: total for total, stand_in in stand_ins.items()}
    return expr.xreplace(stand_ins).doit().xreplace(back)


def _is_opaque(total: Expr) -> bool:
    return total.function.has(sp.Indexed) and any(
        end.free_symbols for limits in total.limits for end in limits[1:]
    )


def _is_matrix(expr: Expr) -> bool:
    return isinstance(expr, sp.MatrixBase | sp.MatrixExpr)


def _is_finite_sum(expr: Expr) -> bool:
    return bool(
        isinstance(expr, sp.Sum)
        and expr.is_commutative
        and not any(limit.has(sp.oo) for limit in expr.limits)
    )


def _split_sum(total: Expr) -> Expr:
    indices = total.variables
    result = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(total.function)):
        constant, varying = term.as_independent(*indices, as_Add=False)
        result += constant * carried_out(sp.Sum(varying, *total.limits))
    return result


# sines and cosines


def _trigonometric(expr: Expr) -> Expr:
    return sp.expand(sp.expand_trig(sp.expand(expr)))


def _sines_by_cosines(expr: Expr) -> Expr:
    """The numerator over a common denominator, with sin² as 1 - cos²."""
    quotients = expr.replace(sp.tan, lambda angle: sp.sin(angle) / sp.cos(angle))
    numerator, _ = sp.fraction(sp.together(sp.expand_trig(quotients)))
    return sp.expand(_trigonometric(numerator).replace(_is_sine_power, _sine_power_by_cosine))


def _is_sine_power(expr: Expr) -> bool:
    return bool(
        isinstance(expr, sp.Pow) and isinstance(expr.base, sp.sin) and expr.exp.is_Integer and expr.exp >= 2
    )


def _sine_power_by_cosine(expr: Expr) -> Expr:
    half, odd = divmod(int(expr.exp), 2)
    angle = expr.base.args[0]
    return (1 - sp.cos(angle) ** 2) ** half * sp.sin(angle) ** odd


# exponentials


def rational_form(expr: Expr) -> Expr:
    """Exponentials as symbols, then one fraction in lowest terms: complete for rational functions."""
    return sp.cancel(sp.together(exponentials_as_symbols(expr)))


def exponentials_as_symbols(expr: Expr) -> Expr:
    """Each exp(c·a) with rational c as an integer power of one symbol for exp(a/q); hyperbolics first.

    The symbol is positive only where SymPy knows the exponential to be: sqrt(exp(2a)) is exp(a) for
    real a, and not for complex a.
    """
    if expr.has(*HYPERBOLIC):
        expr = expr.rewrite(HYPERBOLIC, sp.exp)
    expr = sp.expand(expr, power_exp=True, power_base=False, log=False, mul=False, multinomial=False)
    while True:
        innermost = [e for e in expr.atoms(sp.exp) if not e.exp.has(sp.exp)]
        if not innermost:
            return expr
        by_primitive: dict[Expr, dict[Expr, Expr]] = {}
        for exponential in sorted(innermost, key=sp.default_sort_key):
            coefficient, primitive = exponential.exp.as_coeff_Mul()
            if not coefficient.is_Rational:
                coefficient, primitive = sp.Integer(1), exponential.exp
            by_primitive.setdefault(primitive, {})[exponential] = coefficient
        if sp.Integer(1) in by_primitive and expr.has(sp.E):
            by_primitive[sp.Integer(1)][sp.E] = sp.Integer(1)
        powers: dict[Expr, Expr] = {}
        for primitive, members in by_primitive.items():
            unit = lcm(*(int(coefficient.q) for coefficient in members.values()))
            positive = sp.exp(primitive / unit).is_positive
            symbol = sp.Dummy(f"e{len(powers)}", **({"positive": True} if positive else {}))
            powers |= {member: symbol ** (coefficient * unit) for member, coefficient in members.items()}
        expr = expr.xreplace(powers)


# logarithms


def _log_arguments(expr: Expr) -> Expr:
    """Arguments of logarithms as one fraction in lowest terms, so that ``expand_log`` can split them."""
    return expr.replace(lambda e: isinstance(e, sp.log), lambda e: sp.log(sp.factor(sp.together(e.args[0]))))


# roots


def _numerator_modulo_roots(expr: Expr) -> Expr:
    """The numerator, with each root as a symbol r and reduced by its relation r^q = radicand.

    A zero says that the expression vanishes wherever its denominators do not.
    """
    expr = expr.replace(_is_root, lambda e: sp.expand_power_base(sp.factor(sp.together(e.base)) ** e.exp))
    relations: list[tuple[Expr, int, Expr]] = []
    while True:
        innermost = [
            e for e in expr.atoms(sp.Pow) if _is_root(e) and not any(map(_is_root, e.base.atoms(sp.Pow)))
        ]
        if not innermost:
            break
        by_base: dict[Expr, list[Expr]] = {}
        for root in sorted(innermost, key=sp.default_sort_key):
            by_base.setdefault(root.base, []).append(root)
        powers: dict[Expr, Expr] = {}
        for base, roots in by_base.items():
            degree = lcm(*(int(root.exp.q) for root in roots))
            symbol = sp.Dummy("r", **({"positive": True} if base.is_positive else {}))
            powers |= {root: symbol ** (root.exp * degree) for root in roots}
            relations.append((symbol, degree, base))
        expr = expr.xreplace(powers)
    numerator, _ = sp.fraction(sp.together(expr))
    for symbol, degree, base in reversed(relations):
        over, under = sp.fraction(sp.together(base))
        numerator = sp.prem(numerator, under * symbol**degree - over, symbol)
    return sp.expand(numerator)


def _is_root(expr: Expr) -> bool:
    return bool(isinstance(expr, sp.Pow) and expr.exp.is_Rational and not expr.exp.is_Integer)


# cases


def _zero_in_every_branch(difference: Expr) -> Expr:
    """0 where each branch is zero; a branch under ``x = value`` only there. An undefined branch says nothing."""
    folded = sp.piecewise_fold(difference)
    if not isinstance(folded, sp.Piecewise):
        return sp.Integer(0) if zero_by(folded) else folded
    defined = 0
    for branch, condition in folded.args:
        if isinstance(condition, sp.Eq) and isinstance(condition.lhs, sp.Symbol):
            branch = branch.subs(condition.lhs, condition.rhs)
        if branch.has(sp.zoo, sp.nan):
            continue
        defined += 1
        if branch.has(sp.Piecewise) or zero_by(branch) is None:
            return folded
    return sp.Integer(0) if defined else folded
