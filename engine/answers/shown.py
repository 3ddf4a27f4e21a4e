"""Values as a person sees them: how an answer was read, and the two sides of a counterexample."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from engine.answers import exact
from engine.answers.arithmetic import Quantity, Reading
from engine.answers.exact import Number
from engine.answers.tokens import grouped
from engine.answers.units import NONE, described
from engine.answers.verdict import Shown

_SHOWN_DIGITS = 10
_LARGEST_WHOLE = 2**53


def reading_latex(reading: Reading) -> str:
    """How a line was read, and its value where that is not what was typed: ``33\\% = 0.33``."""
    value, is_exact = _decimal(reading.value.number)
    shown = value + _unit_latex(reading.value)
    if reading.is_literal and (
        shown == reading.latex or reading.latex.lstrip("-").replace(".", "").isdigit()
    ):
        return reading.latex
    relation = "=" if is_exact else r"\approx"
    return f"{reading.latex} {relation} {shown}"


def _decimal(value: Number, digits: int = _SHOWN_DIGITS) -> tuple[str, bool]:
    """LaTeX of the value to so many figures, and whether that is all of it."""
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < 10**15:
        return _grouped(str(value.numerator)), True
    mantissa, exponent = _figures(value, digits)
    latex = _grouped(mantissa)
    if exponent:
        latex += rf" \times 10^{{{int(exponent)}}}"
    return latex, isinstance(value, Fraction) and Fraction(Decimal(f"{mantissa}e{exponent or 0}")) == value


def _figures(value: Number, digits: int) -> tuple[str, str]:
    """Mantissa, without trailing zeros, and exponent (empty where there is none)."""
    mantissa, _, exponent = f"{exact.middle(value):.{digits}g}".lower().partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa, str(int(exponent)) if exponent else ""


def _grouped(digits: str) -> str:
    return "-" + grouped(digits[1:]) if digits.startswith("-") else grouped(digits)


def _unit_latex(value: Quantity) -> str:
    return "" if value.dimensions == NONE else rf"\,\mathrm{{{described(value.dimensions).en}}}"


def told_apart(typed: Quantity, reference: Quantity) -> tuple[Shown, Shown]:
    """Both sides as JSON: numbers where floats tell them apart, else as many digits as it takes."""
    if typed.dimensions == reference.dimensions == NONE:
        sides = _as_float(typed.number), _as_float(reference.number)
        if None not in sides and sides[0] != sides[1]:
            return sides
    for digits in (_SHOWN_DIGITS, 20, 40, 60):
        texts = _with_unit(typed, digits), _with_unit(reference, digits)
        if texts[0] != texts[1]:
            break
    return texts


def to_figures(value: Number, figures: int) -> str:
    """The value to so many significant figures, trailing zeros kept: 1.2 to three is 1.20."""
    number = exact.middle(value)
    return f"{number.quantize(Decimal(1).scaleb(number.adjusted() - figures + 1)):f}"


def _as_float(value: Number) -> int | float | None:
    """The nearest float, or the whole number itself; None beyond a float's range."""
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < _LARGEST_WHOLE:
        return value.numerator
    if abs(exact.log10_size(value)) > 300:
        return None
    return float(value if isinstance(value, Fraction) else exact.middle(value))


def _with_unit(value: Quantity, digits: int) -> str:
    mantissa, exponent = _figures(value.number, digits)
    unit = "" if value.dimensions == NONE else " " + described(value.dimensions).en
    return mantissa + (f"e{exponent}" if exponent else "") + unit
