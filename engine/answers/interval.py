"""Real numbers between two bounds, at a chosen precision: the true value is never outside.

Exact values stay :class:`~fractions.Fraction`. Every rounded result is widened by a few units in its last
place, and a function is applied to both ends where it is monotone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, TypeAlias

from mpmath.ctx_mp import MPContext

_EXACT_BITS = 512
_LARGEST_LOG2 = 4_000_000
_LARGEST_ARGUMENT = 1_000_000

context = MPContext()


class UndefinedError(Exception):
    """No real value here."""


class BlurredError(Exception):
    """The bounds do not settle on which side of a border the value lies: more digits are needed."""


class BeyondError(Exception):
    """Too large, or too long, to be computed."""


@dataclass(frozen=True)
class Interval:
    low: Any
    high: Any


Value: TypeAlias = Fraction | Interval


_rounding: list[Any] = [context.ldexp(context.one, 5 - context.prec)]
"""The relative error allowed for, kept with the precision."""


def set_digits(digits: int) -> None:
    context.dps = digits
    _rounding[0] = context.ldexp(context.one, 5 - context.prec)


def interval(value: Value) -> Interval:
    if isinstance(value, Interval):
        return value
    middle = context.mpf(value.numerator) / value.denominator
    return _widened(middle, middle, exact=value.denominator == 1 and value.numerator.bit_length() < 64)


def _widened(low: Any, high: Any, exact: bool = False) -> Interval:
    if exact:
        return Interval(low, high)
    unit = _rounding[0]
    if max(context.mag(low), context.mag(high)) > _LARGEST_LOG2:
        raise BeyondError
    return Interval(low - abs(low) * unit, high + abs(high) * unit)


def sign(value: Value) -> int:
    """−1, 0 or 1. Raises BlurredError where zero lies between the bounds."""
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    if value.low > 0 or value.high < 0:
        return 1 if value.low > 0 else -1
    raise BlurredError


def negate(value: Value) -> Value:
    return -value if isinstance(value, Fraction) else Interval(-value.high, -value.low)


def add(a: Value, b: Value) -> Value:
    if isinstance(a, Fraction) and isinstance(b, Fraction) and _bits(a) + _bits(b) <= 2 * _EXACT_BITS:
        return a + b
    left, right = interval(a), interval(b)
    # cancellation: the rounding error is that of the summands, not of their difference
    unit = _rounding[0]
    slack = (abs(left.low) + abs(right.high) + abs(left.high) + abs(right.low)) * unit
    return Interval(left.low + right.low - slack, left.high + right.high + slack)


def multiply(a: Value, b: Value) -> Value:
    if a == Fraction(0) or b == Fraction(0):
        return Fraction(0)
    if isinstance(a, Fraction) and isinstance(b, Fraction) and _bits(a) + _bits(b) <= 2 * _EXACT_BITS:
        return a * b
    left, right = interval(a), interval(b)
    corners = [x * y for x in (left.low, left.high) for y in (right.low, right.high)]
    return _widened(min(corners), max(corners))


def divide(a: Value, b: Value) -> Value:
    if sign(b) == 0:
        raise UndefinedError
    if isinstance(b, Fraction):
        return multiply(a, 1 / b)
    return multiply(a, _widened(1 / b.high, 1 / b.low))


def power(base: Value, exponent: Value) -> Value:
    """base ^ exponent over the reals: a negative base takes whole exponents only, and 0^0 has no value."""
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(base, exponent.numerator)
    side = sign(base)
    if side < 0:
        # a bounded exponent may be a whole number, but only at single points
        raise UndefinedError
    if side == 0:
        if sign(exponent) <= 0:
            raise UndefinedError
        return Fraction(0)
    if exponent == Fraction(1, 2):
        return square_root(base)
    return rising(context.exp, multiply(exponent, logarithm(base)), _LARGEST_ARGUMENT)


def _whole_power(base: Value, exponent: int) -> Value:
    if exponent <= 0 and sign(base) == 0:
        raise UndefinedError
    if exponent == 0:
        return Fraction(1)
    if isinstance(base, Fraction):
        if base in (0, 1, -1):
            return base if base >= 0 or exponent % 2 else Fraction(1)
        if _bits(base) * abs(exponent) <= _EXACT_BITS:
            return base**exponent
    if abs(exponent) > 10**9:
        raise BeyondError
    given = interval(base)
    size = max(abs(context.mag(given.low)), abs(context.mag(given.high))) + 1
    if size * abs(exponent) > _LARGEST_LOG2:
        raise BeyondError
    if exponent < 0:
        return divide(Fraction(1), _whole_power(base, -exponent))
    low, high = given.low**exponent, given.high**exponent
    if exponent % 2 == 0:
        if given.low <= 0 <= given.high:
            return _widened(context.zero, max(low, high))
        low, high = min(low, high), max(low, high)
    return _widened(low, high)


def square_root(value: Value) -> Value:
    side = sign(value)
    if side < 0:
        raise UndefinedError
    if side == 0:
        return Fraction(0)
    if isinstance(value, Fraction) and _bits(value) <= _EXACT_BITS:
        rooted = _whole_root(value.numerator), _whole_root(value.denominator)
        if rooted[0] is not None and rooted[1] is not None:
            return Fraction(rooted[0], rooted[1])
    return rising(context.sqrt, value)


def cube_root(value: Value) -> Value:
    side = sign(value)
    if side == 0:
        return Fraction(0)
    if side < 0:
        return negate(cube_root(negate(value)))
    return rising(context.cbrt, value)


def logarithm(value: Value) -> Value:
    if sign(value) <= 0:
        raise UndefinedError
    return Fraction(0) if value == Fraction(1) else rising(context.log, value)


def rising(function: Callable[[Any], Any], value: Value, largest: int | None = None) -> Interval:
    """An increasing function of both ends. Raises BeyondError for arguments larger than ``largest``."""
    given = interval(value)
    if largest is not None and max(abs(given.low), abs(given.high)) > largest:
        raise BeyondError
    return _widened(function(given.low), function(given.high))


def wavering(function: Callable[[Any], Any], slope: Any, value: Value) -> Interval:
    """A function that rises and falls, whose derivative is at most ``slope`` between the bounds."""
    given = interval(value)
    if max(abs(given.low), abs(given.high)) > _LARGEST_ARGUMENT:
        raise BeyondError
    middle = (given.low + given.high) / 2
    unit = _rounding[0]
    slack = (given.high - given.low) * slope + unit * (1 + abs(middle)) * (1 + slope)
    found = function(middle)
    slack += abs(found) * unit
    return Interval(found - slack, found + slack)


def absolute(value: Value) -> Value:
    if isinstance(value, Fraction):
        return abs(value)
    if value.low >= 0:
        return value
    if value.high <= 0:
        return negate(value)
    return Interval(context.zero, max(-value.low, value.high))


def larger(a: Value, b: Value) -> Value:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return max(a, b)
    left, right = interval(a), interval(b)
    return Interval(max(left.low, right.low), max(left.high, right.high))


def whole_part(value: Value, up: bool) -> Fraction:
    if isinstance(value, Fraction):
        return Fraction(
            -(-value.numerator // value.denominator) if up else value.numerator // value.denominator
        )
    if max(context.mag(value.low), context.mag(value.high)) > context.prec:
        raise BlurredError
    towards = context.ceil if up else context.floor
    low, high = int(towards(value.low)), int(towards(value.high))
    if low != high:
        raise BlurredError
    return Fraction(low)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _whole_root(value: int) -> int | None:
    root = isqrt(value)
    return root if root * root == value else None


def middle(value: Value) -> Any:
    given = interval(value)
    return (given.low + given.high) / 2
