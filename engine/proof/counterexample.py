"""Counterexamples: points that the assumptions allow, at which a relation certainly fails.

A value counts as different from another only where exact rational arithmetic or an interval that
encloses it says so; a rounded number never decides.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import sympy as sp
from mpmath import mp
from mpmath.ctx_iv import MPIntervalContext

from engine.proof.step import Expr

SAMPLES = 24
"""Generic points at which a relation is tried."""

DIGITS = 40
"""Decimal digits of the enclosing intervals."""

# Its own context: mpmath's shared one could change its precision under us from another thread.
_IV = MPIntervalContext()
_IV.dps = DIGITS

HYPERBOLIC = (sp.tanh, sp.sinh, sp.cosh, sp.sech, sp.csch, sp.coth)

Point = dict[Expr, Expr]


# points


def free_symbols(*sides: Expr) -> list[Expr]:
    """The scalar symbols of the sides, in a fixed order."""
    found: set[Expr] = set()
    for side in sides:
        found |= side.free_symbols
    return sorted((symbol for symbol in found if isinstance(symbol, sp.Symbol)), key=sp.default_sort_key)


def points(symbols: list[Expr], count: int = SAMPLES, seed: int = 7) -> Iterator[Point]:
    """Generic rational points that respect the symbols' assumptions; none where a symbol allows none."""
    chance = random.Random(seed)
    for _ in range(count if symbols else 1):
        point = {symbol: _allowed_value(symbol, chance, _generic) for symbol in symbols}
        if None in point.values():
            return
        yield point


def special_points(symbols: list[Expr], count: int = SAMPLES, seed: int = 11) -> Iterator[Point]:
    """Points made of 0, 1, -1 and of very small and large values, where special cases hide."""
    chance = random.Random(seed)
    for _ in range(count if symbols else 0):
        point = {symbol: _allowed_value(symbol, chance, _special) for symbol in symbols}
        if None in point.values():
            return
        yield point


def _generic(symbol: Expr, chance: random.Random) -> Expr:
    if symbol.is_integer:
        return sp.Integer(chance.randint(-4, 6))
    return sp.Rational(chance.choice((-1, 1)) * chance.randint(1, 23), chance.choice((2, 3, 5, 7)))


def _special(symbol: Expr, chance: random.Random) -> Expr:
    if symbol.is_integer:
        return sp.Integer(chance.choice((0, 1, -1, 2, 7, 12, -9)))
    if symbol.is_real is False:
        return sp.I * sp.Rational(chance.randint(1, 9), 2)
    size = chance.choice((0, 1, sp.Rational(1, 2), sp.Rational(1, 50), 40))
    return sp.sympify(size) * chance.choice((1, -1))


def _allowed_value(
    symbol: Expr, chance: random.Random, draw: Callable[[Expr, random.Random], Expr]
) -> Expr | None:
    for _ in range(100):
        value = draw(symbol, chance)
        if _allowed(symbol, value):
            return value
    return None


def _allowed(symbol: Expr, value: Expr) -> bool:
    return all(
        getattr(value, f"is_{assumption}", None) in (wanted, None)
        for assumption, wanted in symbol.assumptions0.items()
    )


# certain bounds


def enclosure(value: Expr) -> tuple[Any, Any] | None:
    """(low, high) that certainly hold a real number; None where it is not one, or no method encloses it."""
    if value.is_Rational:
        return value, value
    if value.free_symbols or value.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I, sp.Float):
        return None
    try:
        enclosed = _IV.mpf(_interval(value))
    except (TypeError, ValueError, ZeroDivisionError, NotImplementedError, AttributeError, OverflowError):
        return None
    low, high = enclosed._mpi_
    return mp.make_mpf(low), mp.make_mpf(high)


def certainly_nonzero(value: Expr) -> bool:
    """Whether a number is certainly not zero; a complex one by its real or imaginary part."""
    if value.has(sp.I):
        return any(certainly_nonzero(part) for part in value.as_real_imag() if not part.has(sp.I))
    bounds = enclosure(value)
    return bounds is not None and bool(0 < bounds[0] < math.inf or -math.inf < bounds[1] < 0)


def _interval(value: Expr) -> Any:
    if value.is_Rational:
        return _IV.mpf(int(value.p)) / _IV.mpf(int(value.q))
    if value is sp.pi:
        return _IV.pi
    if value is sp.E:
        return _IV.e
    if isinstance(value, HYPERBOLIC):
        return _interval(value.rewrite(HYPERBOLIC, sp.exp))
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
                return _IV.sqrt(parts[0])
            return _IV.exp(parts[1] * _IV.log(parts[0]))
        case sp.exp():
            return _IV.exp(parts[0])
        case sp.log():
            return _IV.log(parts[0])
        case sp.sin():
            return _IV.sin(parts[0])
        case sp.cos():
            return _IV.cos(parts[0])
        case sp.Max():
            return _IV.mpf([max(p.a for p in parts), max(p.b for p in parts)])
        case sp.Min():
            return _IV.mpf([min(p.a for p in parts), min(p.b for p in parts)])
        case sp.Abs():
            return abs(parts[0])
    raise NotImplementedError(type(value).__name__)


# searching


def unequal_at(lhs: Expr, rhs: Expr) -> Point | None:
    """A point at which the two sides are both defined and certainly differ."""
    return _first(lhs, rhs, certainly_nonzero)


def negative_at(difference: Expr, strictly: bool) -> Point | None:
    """A point at which ``difference`` is certainly below zero (at most zero where ``strictly`` is false)."""

    def broken(value: Expr) -> bool:
        bounds = enclosure(value)
        return bounds is not None and bool(bounds[1] < 0 if strictly else bounds[1] <= 0)

    return _first(difference, sp.Integer(0), broken)


def _first(lhs: Expr, rhs: Expr, broken: Callable[[Expr], bool]) -> Point | None:
    symbols = free_symbols(lhs, rhs)
    for point in chain(points(symbols), special_points(symbols)):
        left, right = (value_at(side, point) for side in (lhs, rhs))
        if left is not None and right is not None and broken(left - right):
            return point
    return None


def value_at(side: Expr, point: Mapping[Expr, Expr]) -> Expr | None:
    """The side's number at a point; None where it is undefined or SymPy cannot say."""
    try:
        value = side.subs(point).doit()
    except (ValueError, TypeError, NotImplementedError, ZeroDivisionError, RecursionError):
        return None
    return None if value.has(sp.zoo, sp.nan) or value.free_symbols else value


# printing


def point_latex(point: Mapping[Expr, Expr], lhs: Expr, rhs: Expr, relation: str = r"\neq") -> str:
    """``x = 1/2: 3 ≠ 4`` with both sides evaluated at the point."""
    left, right = shown_apart(*(side.subs(point).doit() for side in (lhs, rhs)))
    stated = f"{left} {relation} {right}"
    return rf"{assigned_latex(point)}:\ {stated}" if point else stated


def assigned_latex(point: Mapping[Expr, Expr]) -> str:
    return ",\\ ".join(f"{sp.latex(symbol)} = {sp.latex(value)}" for symbol, value in point.items())


def entry_latex(row: int, column: int) -> str:
    """Which entry of a matrix is meant, rows and columns counted from 1."""
    return rf"(i, j) = ({row + 1}, {column + 1}):\ "


def shown_apart(left: Expr, right: Expr) -> tuple[str, str]:
    """Both numbers short, yet with the digits that tell them apart."""
    for digits in (8, 16, DIGITS):
        texts = (_short_latex(left, digits), _short_latex(right, digits))
        if texts[0] != texts[1]:
            break
    return texts


def _short_latex(value: Expr, digits: int) -> str:
    text: str = sp.latex(value)
    return text if len(text) <= 24 else sp.latex(sp.N(value, digits))
