"""Comparing two formulas at a point, with error bounds, at 30, 60 and 120 digits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Literal

from engine.answers import interval as iv
from engine.answers.evaluate import Evaluation, Point
from engine.answers.expression import Node, nodes
from engine.answers.interval import BeyondError, BlurredError, UndefinedError, Value
from engine.answers.points import Sample

DIGITS = (30, 60, 120)
_MOST_STEPS = 12_000
_ENOUGH_TO_EXPLAIN = 12
"""Generic points from which the slip behind a difference is told."""
_MARGIN = 100
"""How many times its error a gap must exceed to count."""

_WIDE = Context(prec=200, Emin=MIN_EMIN, Emax=MAX_EMAX)

Outcome = Literal["agree", "differ", "input undefined", "reference undefined", "both undefined", "unknown"]


@dataclass(frozen=True)
class Compared:
    outcome: Outcome
    point: Point
    generic: bool
    input: Value | None = None
    reference: Value | None = None


@dataclass
class Tally:
    """What the comparison found at all points."""

    compared: list[Compared] = field(default_factory=list)

    def of(self, *outcomes: Outcome, generic: bool = False) -> list[Compared]:
        return [one for one in self.compared if one.outcome in outcomes and (one.generic or not generic)]


class Comparison:
    """Two formulas, compared point by point; the work done is counted and bounded."""

    def __init__(self, answer: Node, reference: Node, digits: tuple[int, ...] = DIGITS) -> None:
        self.sides = answer, reference
        self.digits = digits
        self.steps = 0
        self.searched = 0

    def at_all(self, samples: Iterable[Sample]) -> Tally:
        """The outcomes, up to where the formulas differ beyond doubt: at a dozen generic points or fewer."""
        tally = Tally()
        generic = 0
        differing = False
        for sample in samples:
            if self.steps > _MOST_STEPS or (differing and generic >= _ENOUGH_TO_EXPLAIN):
                break
            compared = self.at(sample)
            tally.compared.append(compared)
            generic += sample.generic
            differing = differing or (sample.generic and compared.outcome == "differ")
        return tally

    def at(self, sample: Sample) -> Compared:
        """The outcome at a point. The first agreement is sought out to the last digit."""
        found: Outcome = "unknown"
        sides: tuple[Value | None, Value | None] = (None, None)
        for digits in self.digits:
            iv.set_digits(digits)
            try:
                sides = self.side(0, sample.point), self.side(1, sample.point)
            except BlurredError:
                continue
            except BeyondError:
                break
            found = outcome(*sides, digits, digits == self.digits[-1])
            is_exact = all(isinstance(side, Fraction) for side in sides)
            if found == "unknown" or (
                found == "agree" and not is_exact and not self.searched and digits < self.digits[-1]
            ):
                continue
            self.searched += found == "agree" and not is_exact
            break
        return Compared(found, sample.point, sample.generic, *sides)

    def side(self, which: int, point: Point) -> Value | None:
        """The value of a side; None where it has none."""
        evaluation = Evaluation(point)
        try:
            return evaluation.value(self.sides[which])
        except UndefinedError:
            return None
        finally:
            self.steps += evaluation.steps


def outcome(answer: Value | None, reference: Value | None, digits: int, is_last: bool) -> Outcome:
    """What two values at the precision in force, perhaps the last one tried, say; None stands for no value."""
    if answer is None or reference is None:
        if answer is None:
            return "both undefined" if reference is None else "input undefined"
        return "reference undefined"
    if isinstance(answer, Fraction) and isinstance(reference, Fraction):
        return "agree" if answer == reference else "differ"
    gap = iv.interval(iv.add(answer, iv.negate(reference)))
    error, nearest = iv.width(gap), iv.nearest(gap)
    if iv.exceeds(nearest, error, _MARGIN):
        return "differ"
    if nearest > 0:
        return "unknown"
    if error <= iv.scaled(max(iv.size(answer), iv.size(reference)), -digits // 2):
        return "agree"
    # both sides may be zero, where no relative bound can be kept
    if is_last and error <= iv.scaled(Decimal(1), -digits // 2):
        return "agree"
    return "unknown"


def digits_for(formulas: Iterable[Node]) -> tuple[int, ...]:
    """The precisions at which constants are compared: e^1000 and e^1000 + 1 agree in 434 digits."""
    iv.set_digits(DIGITS[0])
    largest = 0
    for formula in formulas:
        for node in nodes(formula):
            try:
                size = iv.size(Evaluation(Point({})).value(node))
            except (UndefinedError, BlurredError, BeyondError, KeyError):
                continue
            largest = max(largest, abs(size.adjusted()) if size else 0)
    if largest <= DIGITS[-1] // 4:
        return DIGITS
    # their squares need twice as many
    return (*DIGITS, DIGITS[-1] + largest, DIGITS[-1] + 2 * largest)


def shown(value: Value | None, digits: int = 12) -> int | float | str:
    """A value as JSON: a number where a float has it, else digits; ``undefined`` where there is none."""
    if value is None:
        return "undefined"
    if isinstance(value, Fraction):
        if value.denominator == 1 and abs(value) < 2**53:
            return value.numerator
        if value.denominator.bit_length() <= 900 and value.numerator.bit_length() <= 900 and digits <= 15:
            return float(f"{float(value):.{digits}g}")
    middle = iv.middle(value)
    if digits <= 15 and abs(middle.adjusted()) < 270:
        return float(f"{middle:.{digits}g}")
    return f"{Decimal(f'{middle:.{digits}g}').normalize(_WIDE):g}"


def shown_apart(answer: Value | None, reference: Value | None) -> tuple[int | float | str, int | float | str]:
    """Both values with as many digits as it takes to tell them apart."""
    if answer is not None and reference is not None:
        gap = iv.add(answer, iv.negate(reference))
        if iv.size(gap) < iv.scaled(iv.size(reference), -100):
            same = shown(reference, 6)
            side = "-" if iv.middle(gap) < 0 else "+"
            return f"{same} {side} {shown(iv.absolute(gap), 6)}", same
    iv.set_digits(DIGITS[-1])
    pair: tuple[int | float | str, int | float | str] = ("", "")
    for digits in (6, 12, 30, 60, 110):
        pair = shown(answer, digits), shown(reference, digits)
        if pair[0] != pair[1]:
            break
    return pair
