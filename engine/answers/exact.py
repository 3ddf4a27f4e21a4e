"""Numbers that are exact where they can be and bounded where they cannot.

A value is a :class:`~fractions.Fraction`, or :class:`Bounds`: two decimals of 60 digits with the true value
between them. ``decimal`` rounds ``exp``, ``ln`` and ``sqrt`` correctly to the nearest, so one unit in the
last place on either side encloses them; the four operations are rounded outwards.

Every operation is refused before it is done where the result would exceed 10^±4000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from fractions import Fraction
from typing import TypeAlias

from engine.answers.verdict import RefusalError, invalid, unsafe
from engine.text import Text

LARGEST_LOG10 = 4000
"""Decimal digits before or after the point that a value may have."""
_EXACT_BITS = 4096
"""Numerators and denominators stay exact up to this size; beyond it 60 digits do."""
_DIGITS = 60
_LARGEST_FACTORIAL = 1000
_LARGEST_ROOT = 64
_LONGEST_EXPONENT_BITS = 64
_LARGEST_EXPONENT = int(LARGEST_LOG10 * math.log(10))


@dataclass(frozen=True)
class Bounds:
    """An irrational or very long number: ``low`` ≤ value ≤ ``high``."""

    low: Decimal
    high: Decimal


Number: TypeAlias = Fraction | Bounds

_TRAPS = [InvalidOperation, DivisionByZero, Overflow]
_REACH = 4 * LARGEST_LOG10
_DOWN = Context(prec=_DIGITS, rounding=ROUND_FLOOR, Emin=-_REACH, Emax=_REACH, traps=_TRAPS)
_UP = Context(prec=_DIGITS, rounding=ROUND_CEILING, Emin=-_REACH, Emax=_REACH, traps=_TRAPS)


def bounds(value: Number) -> Bounds:
    """The value between two decimals."""
    if isinstance(value, Bounds):
        return value
    above, below = Decimal(value.numerator), Decimal(value.denominator)
    return Bounds(_DOWN.divide(above, below), _UP.divide(above, below))


def middle(value: Number) -> Decimal:
    """The decimal halfway between the bounds, to 60 digits."""
    found = bounds(value)
    return _UP.divide(_UP.add(found.low, found.high), Decimal(2))


def log10_size(value: Number) -> float:
    """log10 of the magnitude, to about a digit; −∞ for zero."""
    if isinstance(value, Fraction):
        if value == 0:
            return -math.inf
        return (value.numerator.bit_length() - value.denominator.bit_length()) * math.log10(2)
    largest = max(abs(value.low), abs(value.high))
    return largest.adjusted() if largest else -math.inf


def sign(value: Number) -> int:
    """−1, 0 or 1.

    Raises:
        RefusalError: undecided, where zero lies between the bounds.
    """
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    if value.low > 0 or value.high < 0:
        return 1 if value.low > 0 else -1
    raise RefusalError(
        "undecided",
        Text("whether this is zero cannot be told to 60 digits", "算到 60 位仍无法判断此数是否为零"),
    )


def is_whole(value: Number) -> bool:
    return isinstance(value, Fraction) and value.denominator == 1


def negate(value: Number) -> Number:
    if isinstance(value, Fraction):
        return -value
    return Bounds(value.high.copy_negate(), value.low.copy_negate())


def absolute(value: Number) -> Number:
    if isinstance(value, Fraction):
        return abs(value)
    if value.low >= 0:
        return value
    if value.high <= 0:
        return negate(value)
    return Bounds(Decimal(0), max(value.low.copy_abs(), value.high))


def add(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction) and _bits(a) + _bits(b) <= 2 * _EXACT_BITS:
        return a + b
    left, right = bounds(a), bounds(b)
    return _checked(Bounds(_DOWN.add(left.low, right.low), _UP.add(left.high, right.high)))


def multiply(a: Number, b: Number) -> Number:
    if Fraction(0) in (a, b):
        return Fraction(0)
    _admit_size(log10_size(a) + log10_size(b))
    if isinstance(a, Fraction) and isinstance(b, Fraction) and _bits(a) + _bits(b) <= 2 * _EXACT_BITS:
        return a * b
    left, right = bounds(a), bounds(b)
    corners = [(x, y) for x in (left.low, left.high) for y in (right.low, right.high)]
    return _checked(
        Bounds(min(_DOWN.multiply(x, y) for x, y in corners), max(_UP.multiply(x, y) for x, y in corners))
    )


def divide(a: Number, b: Number) -> Number:
    """a / b. Raises RefusalError: invalid where b is zero."""
    if sign(b) == 0:
        raise invalid("division by zero", "除数为零")
    if isinstance(b, Fraction):
        return multiply(a, 1 / b)
    return multiply(a, _checked(Bounds(_DOWN.divide(Decimal(1), b.high), _UP.divide(Decimal(1), b.low))))


def power(base: Number, exponent: Number) -> Number:
    """base ^ exponent, exact where the result is rational and of moderate size.

    Raises:
        RefusalError: a negative base with an exponent that is not whole, 0 to a power that is not positive, too large.
    """
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(base, exponent.numerator)
    side = sign(base)
    if side < 0:
        raise invalid(
            "a negative number has no real power with an exponent that is not whole",
            "负数没有非整数次的实数幂",
        )
    if side == 0:
        if sign(exponent) < 0:
            raise invalid("division by zero", "除数为零")
        return Fraction(0)
    if (
        isinstance(base, Fraction)
        and isinstance(exponent, Fraction)
        and exponent.denominator <= _LARGEST_ROOT
    ):
        rooted = _exact_root(base, exponent.denominator)
        if rooted is not None:
            return _whole_power(rooted, exponent.numerator)
    return exponential(multiply(exponent, logarithm(base)))


def _whole_power(base: Number, exponent: int) -> Number:
    side = sign(base)
    if side == 0 and exponent <= 0:
        if exponent == 0:
            raise invalid("0 to the power of 0 is not defined here", "0 的 0 次幂在这里没有定义")
        raise invalid("division by zero", "除数为零")
    if exponent == 0 or (isinstance(base, Fraction) and base in (0, 1, -1)):
        return Fraction(1) if exponent == 0 or (base == -1 and exponent % 2 == 0) else base
    if exponent.bit_length() > _LONGEST_EXPONENT_BITS:
        raise _too_large()
    if isinstance(base, Fraction):
        _admit_size(exponent * (math.log10(abs(base.numerator)) - math.log10(base.denominator)))
        if _bits(base) * abs(exponent) <= _EXACT_BITS:
            return base**exponent
    raised = exponential(multiply(Fraction(exponent), logarithm(absolute(base))))
    return negate(raised) if side < 0 and exponent % 2 else raised


def root(value: Number, degree: int) -> Number:
    """The real root: square (of what is not negative) or cube (of anything)."""
    if degree % 2 and sign(value) < 0:
        return negate(root(negate(value), degree))
    if sign(value) < 0:
        raise invalid("a negative number has no real square root", "负数没有实数平方根")
    return power(value, Fraction(1, degree))


def exponential(value: Number) -> Number:
    """e^value."""
    if value == Fraction(0):
        return Fraction(1)
    given = bounds(value)
    largest = max(abs(given.low), abs(given.high))
    if largest > _LARGEST_EXPONENT:
        raise _too_large()
    return _rising(given, lambda context, x: context.exp(x))


def logarithm(value: Number) -> Number:
    """The natural logarithm. Raises RefusalError: invalid for what is not positive."""
    if sign(value) <= 0:
        raise invalid("only a positive number has a logarithm", "只有正数才有对数")
    if value == Fraction(1):
        return Fraction(0)
    return _rising(bounds(value), lambda context, x: context.ln(x))


def logarithm_to(value: Number, base: int) -> Number:
    """The logarithm to base 2 or 10; exact for powers of the base."""
    if isinstance(value, Fraction) and value > 0:
        numerator, denominator = _exponent_of(value.numerator, base), _exponent_of(value.denominator, base)
        if numerator is not None and denominator is not None:
            return Fraction(numerator - denominator)
    return divide(logarithm(value), logarithm(Fraction(base)))


def sigmoid(value: Number) -> Number:
    return divide(Fraction(1), add(Fraction(1), exponential(negate(value))))


def tanh(value: Number) -> Number:
    doubled = exponential(multiply(Fraction(2), value))
    return add(Fraction(1), negate(divide(Fraction(2), add(doubled, Fraction(1)))))


def whole_part(value: Number, up: bool) -> Number:
    """Floor, or ceiling. Raises RefusalError: undecided where a whole number lies between the bounds."""
    towards = math.ceil if up else math.floor
    if isinstance(value, Fraction):
        return Fraction(towards(value))
    if log10_size(value) > _DIGITS:
        raise unsafe("this number is too long to be rounded", "这个数太长，无法取整")
    low, high = towards(value.low), towards(value.high)
    if low != high:
        raise RefusalError("undecided", Text("cannot be rounded to 60 digits", "算到 60 位仍无法取整"))
    return Fraction(low)


def factorial(value: Number) -> Number:
    if not isinstance(value, Fraction) or value.denominator != 1 or value < 0:
        raise invalid("a factorial needs a whole number that is not negative", "阶乘只用于非负整数")
    if value > _LARGEST_FACTORIAL:
        raise unsafe("factorials go up to that of {n}", "最大只能算到 {n} 的阶乘", n=_LARGEST_FACTORIAL)
    return Fraction(math.factorial(value.numerator))


def _rising(given: Bounds, function: Callable[[Context, Decimal], Decimal]) -> Bounds:
    """An increasing function that ``decimal`` rounds to the nearest: enclosed by its neighbours."""
    return Bounds(_DOWN.next_minus(function(_DOWN, given.low)), _UP.next_plus(function(_UP, given.high)))


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _admit_size(log10: float) -> None:
    if log10 != -math.inf and abs(log10) > LARGEST_LOG10:
        raise _too_large()


def _too_large() -> RefusalError:
    return unsafe("the number would have more than {n} digits", "这个数会超过 {n} 位", n=LARGEST_LOG10)


def _checked(value: Bounds) -> Bounds:
    _admit_size(log10_size(value))
    return value


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    numerator, denominator = _whole_root(value.numerator, degree), _whole_root(value.denominator, degree)
    return None if numerator is None or denominator is None else Fraction(numerator, denominator)


def _whole_root(value: int, degree: int) -> int | None:
    """The whole root of a positive number, if it has one (Newton's iteration on integers)."""
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess if guess**degree == value else None
        guess = better


def _exponent_of(value: int, base: int) -> int | None:
    exponent = 0
    while value % base == 0:
        value //= base
        exponent += 1
    return exponent if value == 1 else None


E_NUMBER: Number = exponential(Fraction(1))
PI: Number = Bounds(
    Decimal("3.14159265358979323846264338327950288419716939937510582097494"),
    Decimal("3.14159265358979323846264338327950288419716939937510582097495"),
)
