"""How near a number must come to the reference, in decimal arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from fractions import Fraction

from engine.answers import exact
from engine.answers.exact import Number
from engine.errors import InputError
from engine.text import Text


@dataclass(frozen=True)
class Tolerance:
    """When a number counts as the reference. With nothing set, only when it is the same number.

    ``rel`` and ``abs``: |x − r| ≤ max(abs, rel·|r|). ``sigfigs``: at most half a unit in the reference's
    n-th figure, inclusive; ``strict`` then asks for n figures to be typed, trailing zeros counting.

    Raises:
        InputError: a negative tolerance, figures outside 1 … 15, strict without figures, both kinds at once.
    """

    rel: Fraction = Fraction(0)
    abs: Fraction = Fraction(0)
    sigfigs: int | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if self.rel < 0 or self.abs < 0:
            raise InputError(Text("a tolerance is not negative", "容差不能为负"))
        if self.sigfigs is not None and not 1 <= self.sigfigs <= 15:
            raise InputError(Text("sigfigs must be 1 to 15", "sigfigs 应为 1 到 15"))
        if self.sigfigs is not None and (self.rel or self.abs):
            raise InputError(
                Text("give a tolerance or significant figures, not both", "容差与有效数字只能给一种")
            )
        if self.strict and self.sigfigs is None:
            raise InputError(Text("strict needs sigfigs", "strict 须与 sigfigs 同用"))

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Tolerance:
        """From the ``options`` of a case. Raises InputError: an unknown option, or a value of the wrong kind."""
        for name in options:
            if name not in ("rel", "abs", "sigfigs", "strict"):
                raise InputError(
                    Text("numeric answers have no option {o}", "数值作答没有选项 {o}").filled(o=name[:40])
                )
        sigfigs, strict = options.get("sigfigs"), options.get("strict", False)
        if sigfigs is not None and (isinstance(sigfigs, bool) or not isinstance(sigfigs, int)):
            raise InputError(Text("sigfigs must be a whole number", "sigfigs 应为整数"))
        if not isinstance(strict, bool):
            raise InputError(Text("strict must be true or false", "strict 应为 true 或 false"))
        return cls(
            _as_written(options.get("rel", 0), "rel"),
            _as_written(options.get("abs", 0), "abs"),
            sigfigs,
            strict,
        )

    def width(self, reference: Number) -> Number:
        """The greatest distance from the reference that is accepted."""
        if self.sigfigs is not None:
            place = _leading_place(reference)
            return Fraction(0) if place is None else Fraction(10) ** (place - self.sigfigs + 1) / 2
        if not self.rel:
            return self.abs
        relative = exact.multiply(self.rel, exact.absolute(reference))
        return relative if exact.sign(exact.add(relative, -self.abs)) > 0 else self.abs

    def accepts(self, typed: Number, reference: Number) -> bool | None:
        """Whether |typed − reference| is within the tolerance; None where the bounds do not tell."""
        distance, width = gap(typed, reference), self.width(reference)
        if isinstance(distance, Fraction) and isinstance(width, Fraction):
            return distance <= width
        near, far = exact.bounds(distance), exact.bounds(width)
        if near.high <= far.low:
            return True
        return False if near.low > far.high else None


def gap(typed: Number, reference: Number) -> Number:
    return exact.absolute(exact.add(typed, exact.negate(reference)))


def _leading_place(value: Number) -> int | None:
    """The power of ten of the first figure; None for zero."""
    if value == Fraction(0):
        return None
    size = exact.absolute(value)
    place = math.floor(exact.log10_size(size))
    while _at_least(size, Fraction(10) ** (place + 1)):
        place += 1
    while not _at_least(size, Fraction(10) ** place):
        place -= 1
    return place


def _at_least(a: Number, b: Number) -> bool:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a >= b
    return exact.sign(exact.add(a, exact.negate(b))) >= 0


def _as_written(given: object, name: str) -> Fraction:
    """A tolerance as its decimal digits say: 0.05 is 1/20."""
    if isinstance(given, bool) or not isinstance(given, int | float | str | Fraction):
        raise _bad_tolerance(name)
    if isinstance(given, Fraction):
        return given
    try:
        number = Decimal(str(given))
    except DecimalException:
        raise _bad_tolerance(name) from None
    if not number.is_finite() or abs(number.adjusted()) > 400:
        raise _bad_tolerance(name)
    return Fraction(number)


def _bad_tolerance(name: str) -> InputError:
    return InputError(Text("{n} must be a number", "{n} 应为数").filled(n=name))
