"""Real numbers between two bounds, at a chosen precision: the true value is never outside.

Exact values stay :class:`~fractions.Fraction`. Bounds are decimals: the four operations are rounded outwards,
``exp``, ``ln`` and ``sqrt`` are correctly rounded by :mod:`decimal` and widened by a unit in the last place, and
other functions come from mpmath with guard digits. A function is applied to both ends where it is monotone.

The precision is state of the module: whoever judges or reads an answer holds ``one_at_a_time``.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

# from the package itself: two threads that import package and module at once would wait for each other
from mpmath import MPContext

_EXACT_BITS = 512
_EXACT_FACTORIAL = 200
_LARGEST_EXPONENT = 1_200_000
"""Decimal digits before or after the point."""
_LARGEST_ARGUMENT = 1_000_000
_SMALLEST_BRIDGED = -5000
_GUARD = 8

one_at_a_time = threading.RLock()
context = MPContext()
"""mpmath at the precision in force and some guard digits, for the functions that decimals lack."""


class UndefinedError(Exception):
    """No real value here."""


class BlurredError(Exception):
    """The bounds do not settle on which side of a border the value lies: more digits are needed."""


class BeyondError(Exception):
    """Too large, or too long, to be computed."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: Decimal
    high: Decimal


Value: TypeAlias = Fraction | Interval


class _Precision:
    """``down`` and ``up`` round outwards; ``unit`` is the relative error allowed for where mpmath computes."""

    def __init__(self, digits: int) -> None:
        traps = [InvalidOperation, DivisionByZero, Overflow]
        self.digits = digits
        self.down = Context(digits + 2, ROUND_FLOOR, MIN_EMIN, MAX_EMAX, traps=traps)
        self.up = Context(digits + 2, ROUND_CEILING, MIN_EMIN, MAX_EMAX, traps=traps)
        self.unit = Decimal(1).scaleb(-digits)


_precisions: dict[int, _Precision] = {}
_now = _Precision(30)
_ONE, _ZERO = Decimal(1), Decimal(0)


def set_digits(digits: int) -> None:
    global _now
    if digits not in _precisions:
        _precisions[digits] = _Precision(digits)
    _now = _precisions[digits]
    context.dps = digits + _GUARD


def interval(value: Value) -> Interval:
    if isinstance(value, Interval):
        return value
    above = Decimal(value.numerator)
    if value.denominator == 1:
        return Interval(_now.down.plus(above), _now.up.plus(above))
    below = Decimal(value.denominator)
    return Interval(_now.down.divide(above, below), _now.up.divide(above, below))


def width(value: Interval) -> Decimal:
    return _now.up.subtract(value.high, value.low)


def nearest(value: Interval) -> Decimal:
    """The least distance from zero."""
    return _ZERO if value.low <= 0 <= value.high else min(value.low.copy_abs(), value.high.copy_abs())


def size(value: Value) -> Decimal:
    """The greatest distance from zero."""
    given = interval(value)
    return max(given.low.copy_abs(), given.high.copy_abs())


def scaled(number: Decimal, places: int) -> Decimal:
    """The decimal times 10^places."""
    return _now.up.scaleb(number, places)


def exceeds(number: Decimal, error: Decimal, times: int) -> bool:
    """Whether a distance is more than so many times the error."""
    return number > _now.up.multiply(error, Decimal(times))


def middle(value: Value) -> Decimal:
    given = interval(value)
    return _now.up.divide(_now.up.add(given.low, given.high), Decimal(2))


def contains(value: Value, number: Fraction) -> bool:
    """Whether a simple fraction lies between the bounds."""
    given = interval(value)
    scale = Decimal(number.denominator)
    low, high = _now.down.multiply(given.low, scale), _now.up.multiply(given.high, scale)
    return low <= number.numerator <= high


def log_size(value: Value) -> Decimal | None:
    """The natural logarithm of the magnitude, rounded; None for zero."""
    given = interval(value).low.copy_abs()
    return _now.up.ln(given) if given else None


def sign(value: Value) -> int:
    """−1, 0 or 1. Raises BlurredError where zero lies between the bounds."""
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    if value.low > 0 or value.high < 0:
        return 1 if value.low > 0 else -1
    raise BlurredError


def negate(value: Value) -> Value:
    if isinstance(value, Fraction):
        return -value
    return Interval(value.high.copy_negate(), value.low.copy_negate())


def add(a: Value, b: Value) -> Value:
    if isinstance(a, Fraction) and isinstance(b, Fraction) and _are_short(a, b):
        return a + b
    left, right = interval(a), interval(b)
    return Interval(_now.down.add(left.low, right.low), _now.up.add(left.high, right.high))


def multiply(a: Value, b: Value) -> Value:
    if isinstance(a, Fraction):
        if not a:
            return a
        if isinstance(b, Fraction) and _are_short(a, b):
            return a * b
    if isinstance(b, Fraction) and not b:
        return b
    left, right = interval(a), interval(b)
    down, up = _now.down.multiply, _now.up.multiply
    if left.low >= 0 and right.low >= 0:
        return Interval(down(left.low, right.low), up(left.high, right.high))
    corners = [(x, y) for x in (left.low, left.high) for y in (right.low, right.high)]
    return Interval(min(down(x, y) for x, y in corners), max(up(x, y) for x, y in corners))


def divide(a: Value, b: Value) -> Value:
    if sign(b) == 0:
        raise UndefinedError
    if isinstance(b, Fraction):
        return multiply(a, 1 / b)
    return multiply(a, Interval(_now.down.divide(_ONE, b.high), _now.up.divide(_ONE, b.low)))


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
    return exponential(multiply(exponent, logarithm(base)))


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
    places = max(abs(given.low.adjusted()), abs(given.high.adjusted())) + 1
    if places * abs(exponent) > _LARGEST_EXPONENT:
        raise BeyondError
    if exponent < 0:
        return divide(Fraction(1), _whole_power(base, -exponent))
    low, high = (_now.up.power(end, Decimal(exponent)) for end in (given.low, given.high))
    if exponent % 2 == 0:
        if given.low <= 0 <= given.high:
            return _widened(_ZERO, max(low, high))
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
    given = interval(value)
    return Interval(
        _now.down.next_minus(_now.down.sqrt(given.low)), _now.up.next_plus(_now.up.sqrt(given.high))
    )


def cube_root(value: Value) -> Value:
    side = sign(value)
    if side == 0:
        return Fraction(0)
    if side < 0:
        return negate(cube_root(negate(value)))
    return exponential(multiply(Fraction(1, 3), logarithm(value)))


def logarithm(value: Value) -> Value:
    """The natural logarithm of the upper end; ln a ≥ ln b − (b − a)/a gives the lower one."""
    if sign(value) <= 0:
        raise UndefinedError
    if value == Fraction(1):
        return Fraction(0)
    given = interval(value)
    found = _now.up.ln(given.high)
    slack = _now.up.divide(width(given), given.low)
    return Interval(_now.down.subtract(_now.down.next_minus(found), slack), _now.up.next_plus(found))


def exponential(value: Value) -> Value:
    """e^x of the upper end; e^a ≥ e^b (1 − (b − a)) gives the lower one. Raises BeyondError beyond 10^6."""
    if isinstance(value, Fraction) and not value:
        return Fraction(1)
    given = interval(value)
    if size(given) > _LARGEST_ARGUMENT:
        raise BeyondError
    found = _now.up.exp(given.high)
    low = _now.down.next_minus(found)
    slack = width(given)
    if slack > 1:
        low = _now.down.next_minus(_now.down.exp(given.low))
    elif slack:
        low = _now.down.multiply(low, _now.down.subtract(_ONE, slack))
    return Interval(low, _now.up.next_plus(found))


def sigmoid(value: Value) -> Value:
    return divide(Fraction(1), add(Fraction(1), exponential(negate(value))))


def softplus(value: Value) -> Value:
    """ln(1 + t) with t = e^x; for small t it lies between t − t²/2 and t."""
    t = exponential(value)
    if isinstance(t, Interval) and t.high.adjusted() < -_now.digits // 2:
        return Interval(_now.down.subtract(t.low, _now.up.multiply(t.high, t.high)), t.high)
    return logarithm(add(Fraction(1), t))


def tanh(value: Value) -> Value:
    """1 − 2/(e^2x + 1), but near zero, where that cancels, from mpmath."""
    if isinstance(value, Fraction) and not value:
        return value
    if size(value).adjusted() < -3:
        return rising(context.tanh, value)
    below = add(exponential(multiply(Fraction(2), value)), Fraction(1))
    return add(Fraction(1), negate(divide(Fraction(2), below)))


def constant(name: str) -> Interval:
    """π or e."""
    return _constant(name, _now.digits)


@lru_cache(maxsize=32)
def _constant(name: str, digits: int) -> Interval:
    del digits  # the precision in force, which the key must hold
    found = _decimal(context.mpf(1) * (context.pi if name == "pi" else context.e))
    return _widened(found, found)


def factorial(number: int) -> Value:
    """n!, exact while it is short."""
    return Fraction(math.factorial(number)) if number <= _EXACT_FACTORIAL else _factorial(number, _now.digits)


@lru_cache(maxsize=4096)
def _factorial(number: int, digits: int) -> Interval:
    del digits  # the precision in force, which the key must hold
    return interval(Fraction(math.factorial(number)))


def rising(function: Callable[[Any], Any], value: Value, largest: int | None = None) -> Interval:
    """An increasing function of mpmath's, of both ends. Raises BeyondError for arguments larger than ``largest``."""
    given = interval(value)
    if largest is not None and size(given) > largest:
        raise BeyondError
    low = _decimal(function(_binary(given.low)))
    return _widened(low, low if given.low == given.high else _decimal(function(_binary(given.high))))


def wavering(function: Callable[[Any], Any], slope: int, value: Value) -> Interval:
    """A function that rises and falls, whose derivative is at most ``slope`` between the bounds."""
    given = interval(value)
    if size(given) > _LARGEST_ARGUMENT:
        raise BeyondError
    up = _now.up
    at = middle(given)
    found = _decimal(function(_binary(at)))
    rounding = up.multiply(_now.unit, up.add(up.add(_ONE, at.copy_abs()), found.copy_abs()))
    slack = up.multiply(Decimal(slope + 1), up.add(width(given), rounding))
    return Interval(_now.down.subtract(found, slack), up.add(found, slack))


def _widened(low: Decimal, high: Decimal) -> Interval:
    """Wider by the relative error allowed for."""
    return Interval(
        _now.down.subtract(low, _now.up.multiply(low.copy_abs(), _now.unit)),
        _now.up.add(high, _now.up.multiply(high.copy_abs(), _now.unit)),
    )


def _binary(number: Decimal) -> Any:
    """As mpmath has it, rounded to the nearest."""
    if number and number.adjusted() < _SMALLEST_BRIDGED:
        raise BeyondError
    return context.mpf(str(number))


def _decimal(number: Any) -> Decimal:
    """A number of mpmath's, to the precision in force."""
    negative, mantissa, exponent, bits = number._mpf_
    if not bits:
        if exponent:
            raise BeyondError
        return _ZERO
    if abs(exponent) > 4 * _LARGEST_EXPONENT:
        raise BeyondError
    found = _now.up.multiply(Decimal(mantissa), _power_of_two(exponent, _now.digits))
    return found.copy_negate() if negative else found


@lru_cache(maxsize=512)
def _power_of_two(exponent: int, digits: int) -> Decimal:
    return Context(digits + 2 * _GUARD, Emin=MIN_EMIN, Emax=MAX_EMAX).power(Decimal(2), Decimal(exponent))


def absolute(value: Value) -> Value:
    if isinstance(value, Fraction):
        return abs(value)
    if value.low >= 0:
        return value
    if value.high <= 0:
        return negate(value)
    return Interval(_ZERO, max(value.low.copy_abs(), value.high))


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
    if size(value).adjusted() > _now.digits:
        raise BlurredError
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    low, high = (int(end.to_integral_value(rounding)) for end in (value.low, value.high))
    if low != high:
        raise BlurredError
    return Fraction(low)


def _are_short(a: Fraction, b: Fraction) -> bool:
    """Whether their sum and product are worth keeping exact."""
    return (
        max(a.numerator.bit_length(), a.denominator.bit_length())
        + max(b.numerator.bit_length(), b.denominator.bit_length())
        <= 2 * _EXACT_BITS
    )


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _whole_root(value: int) -> int | None:
    root = math.isqrt(value)
    return root if root * root == value else None


set_digits(30)
