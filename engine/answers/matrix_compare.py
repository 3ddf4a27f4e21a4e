"""Comparing two matrix formulas at a point, element by element, with error bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from engine.answers import interval as iv
from engine.answers.compare import DIGITS, Outcome, outcome
from engine.answers.expression import Node
from engine.answers.interval import BeyondError, BlurredError, UndefinedError, Value
from engine.answers.matrix_points import MatrixPoint
from engine.answers.matrix_value import Bounded, MatrixEvaluation, Rows

_MOST_STEPS = 15_000
_ENOUGH_TO_EXPLAIN = 3
Known: TypeAlias = dict[tuple[int, int], Rows[Value] | None]


@dataclass(frozen=True)
class MatrixCompared:
    """The outcome at a point; where two elements differ, their place (counted from 1) and their values."""

    outcome: Outcome
    at: MatrixPoint
    sides: tuple[Rows[Value] | None, Rows[Value] | None] = (None, None)
    place: tuple[int, int] = (1, 1)

    @property
    def elements(self) -> tuple[Value | None, Value | None]:
        i, j = self.place
        first, second = (side[i - 1][j - 1] if side is not None else None for side in self.sides)
        return first, second


class MatrixComparison:
    """Two matrix formulas of one shape, compared point by point; the work done is counted and bounded."""

    def __init__(self, answer: Node, reference: Node, known: Known | None = None) -> None:
        """``known`` keeps the values of the reference, for other answers to be compared with it."""
        self.formulas = answer, reference
        self.known = {} if known is None else known
        self.steps = 0
        self.searched = 0

    def at_all(self, points: Iterable[MatrixPoint]) -> list[MatrixCompared]:
        """The outcomes, up to where the formulas differ beyond doubt: at three points, one of them generic."""
        found: list[MatrixCompared] = []
        for point in points:
            settled = [one for one in found if one.outcome in ("agree", "differ")]
            differing = any(one.outcome == "differ" for one in settled)
            if self.steps > _MOST_STEPS or (
                differing and len(settled) >= _ENOUGH_TO_EXPLAIN and settled[-1].at.generic
            ):
                break
            found.append(self.at(point))
        return found

    def at(self, point: MatrixPoint) -> MatrixCompared:
        """The outcome at a point. The first agreement is sought out to the second precision."""
        compared = MatrixCompared("unknown", point)
        for digits in DIGITS:
            iv.set_digits(digits)
            try:
                sides = self.side(0, point), self.reference(point, digits)
            except BlurredError:
                continue
            except BeyondError:
                break
            compared = _compared(point, sides, digits)
            is_exact = all(side is None or _is_exact(side) for side in sides)
            seek = compared.outcome == "agree" and not is_exact and not self.searched
            if compared.outcome == "unknown" or (seek and digits < DIGITS[1]):
                continue
            self.searched += compared.outcome == "agree" and not is_exact
            break
        return compared

    def reference(self, point: MatrixPoint, digits: int) -> Rows[Value] | None:
        key = (id(point), digits)
        if key not in self.known:
            self.known[key] = self.side(1, point)
        return self.known[key]

    def side(self, which: int, point: MatrixPoint) -> Rows[Value] | None:
        """The value of a side; None where it has none."""
        numbers = Bounded(point.point)
        evaluation = MatrixEvaluation[Value](numbers, point.matrices, point.point.vectors)
        try:
            return evaluation.value(self.formulas[which])
        except UndefinedError:
            return None
        finally:
            self.steps += numbers.steps


def _is_exact(rows: Rows[Value]) -> bool:
    return all(isinstance(entry, Fraction) for row in rows for entry in row)


def _compared(
    point: MatrixPoint, sides: tuple[Rows[Value] | None, Rows[Value] | None], digits: int
) -> MatrixCompared:
    answer, reference = sides
    if answer is None or reference is None:
        return MatrixCompared(_undefined(answer, reference), point, sides)
    worst: Outcome = "agree"
    for i, (row, other) in enumerate(zip(answer, reference, strict=True), 1):
        for j, (a, b) in enumerate(zip(row, other, strict=True), 1):
            found = outcome(a, b, digits, digits == DIGITS[-1])
            if found == "differ":
                return MatrixCompared(found, point, sides, (i, j))
            worst = found if found != "agree" else worst
    return MatrixCompared(worst, point, sides)


def _undefined(answer: Rows[Value] | None, reference: Rows[Value] | None) -> Outcome:
    if answer is None:
        return "both undefined" if reference is None else "input undefined"
    return "reference undefined"
