"""The ``matrix`` mode: is a typed matrix formula the reference formula?

Shapes are compared by the names of the dimensions, before anything is computed. Rational formulas (products,
transposes, inverses, determinants …) are decided at random matrices modulo 2^61 − 1; others, such as softmax,
are evaluated between error bounds.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

from engine.answers.compare import shown, shown_apart
from engine.answers.expression import Node, latex
from engine.answers.interval import UndefinedError
from engine.answers.matrix_compare import MatrixCompared, MatrixComparison
from engine.answers.matrix_points import MatrixSampler, ResiduePoint
from engine.answers.matrix_reader import read_matrix
from engine.answers.matrix_slips import matrix_slip, shape_slip
from engine.answers.matrix_value import MatrixEvaluation, Residues, Rows
from engine.answers.modular import NotRationalError
from engine.answers.shapes import Shape
from engine.answers.symbolic import admit, constraints
from engine.answers.symbols import Declared, declare
from engine.answers.verdict import Counterexample, RefusalError, Shown, Verdict, reading_the_reference
from engine.text import Text

_FEWEST_AGREEING = 2
"""Choices of matrices, each with all its elements."""
_TURNS = 4
"""Assignments of sizes at which rational formulas are compared."""


def judge_matrix(
    typed: str, reference: str, symbols: Mapping[str, str], options: Mapping[str, object] | None = None
) -> Verdict:
    """Judge a typed matrix formula against the reference, both over the declared names.

    Raises:
        InputError: the reference, the declarations or the options are at fault, not the answer.
    """
    declared = declare(symbols, has_matrices=True)
    where = constraints(options or {})
    with reading_the_reference():
        expected, wanted = read_safely(reference, declared)
    reading = ""
    try:
        answer, shape = read_matrix(typed, declared)
        reading = latex(answer)
        admit(answer)
    except RefusalError as refusal:
        return Verdict(refusal.verdict, refusal.reason, reading)
    if shape != wanted:
        reason = shape_slip(answer, expected, shape, wanted, declared)
        return Verdict("different", reason, reading, Counterexample({}, str(shape), str(wanted)))
    return _decide(answer, expected, declared, MatrixSampler(declared, (answer, expected), where), reading)


def read_safely(text: str, declared: Declared) -> tuple[Node, Shape]:
    """Read a matrix formula and refuse one too costly to evaluate. Raises RefusalError."""
    node, shape = read_matrix(text, declared)
    admit(node)
    return node, shape


def _decide(
    answer: Node, expected: Node, declared: Declared, sampler: MatrixSampler, reading: str
) -> Verdict:
    if same_rational(answer, expected, sampler):
        return Verdict("equal", Text("right: equal, decided exactly", "正确：恒等，由精确计算判定"), reading)
    comparison = MatrixComparison(answer, expected)
    compared = comparison.at_all(sampler.points())
    if (verdict := _domain(compared, reading)) is not None:
        return verdict
    differing = [one for one in compared if one.outcome == "differ"]
    if differing:
        reason = matrix_slip(answer, expected, compared, declared, sampler) or Text(
            "not the same: here is a case", "不相等：这里有一个反例"
        )
        return Verdict("different", reason, reading, _counterexample(differing[0]))
    agreeing = sum(one.outcome == "agree" for one in compared)
    if agreeing >= (1 if sampler.is_constant else _FEWEST_AGREEING):
        reason = Text(
            f"right: equal at {agreeing} choices of matrices, with error bounds",
            f"正确：在 {agreeing} 组矩阵上相等，误差有界",
        )
        return Verdict("equal", reason, reading)
    reason = Text(
        "too few matrices can be computed to tell whether the two are equal",
        "可计算的矩阵太少，无法判定两者是否相等",
    )
    return Verdict("undecided", reason, reading)


def same_rational(answer: Node, expected: Node, sampler: MatrixSampler) -> bool:
    """Whether the two agree at random matrices modulo 2^61 − 1, for sizes in several orders.

    False also where they are not rational. Sizes at which neither has a value are passed over: XᵀX is
    singular where X has more columns than rows.
    """
    rng = random.Random(0)
    decided = 0
    for turn in range(_TURNS):
        point = sampler.residues(rng, turn)
        try:
            sides = [_residues(side, point) for side in (answer, expected)]
        except NotRationalError:
            return False
        if sides[0] != sides[1]:
            return False
        decided += sides[0] is not None
    return decided > 1


def _residues(node: Node, point: ResiduePoint) -> Rows[int] | None:
    numbers = Residues(point.names, point.whole, point.vectors)
    try:
        return MatrixEvaluation[int](numbers, point.matrices, point.vectors).value(node)
    except UndefinedError:
        return None


def _domain(compared: list[MatrixCompared], reading: str) -> Verdict | None:
    """What follows from where the two sides have values, if anything does."""
    known = [one for one in compared if one.outcome != "unknown"]
    if known and all(one.outcome == "both undefined" for one in known):
        reason = Text(
            "no value at any matrices tried, so there is nothing to compare",
            "在所有试过的矩阵上都无定义，无从比较",
        )
        return Verdict("invalid", reason, reading)
    for outcome in ("input undefined", "reference undefined"):
        shares = [one for one in known if one.outcome == outcome]
        if any(one.at.generic for one in shares):
            reason = (
                Text(
                    "the answer has no value where the reference has one",
                    "在答案有定义之处，所写的式子无定义",
                )
                if outcome == "input undefined"
                else Text(
                    "the answer has a value where the reference has none",
                    "在答案无定义之处，所写的式子有定义",
                )
            )
            return Verdict("different", reason, reading, _counterexample(shares[0]))
    return None


def _counterexample(compared: MatrixCompared) -> Counterexample:
    """The sizes are seen from the matrices; ``(row, column)`` is the element where the two part."""
    at = compared.at
    values: dict[str, Shown] = {name: shown(value) for name, value in at.point.scalars.items()}
    for name, entries in at.point.vectors.items():
        values |= {f"{name}[{place}]": shown(entry) for place, entry in enumerate(entries, 1)}
    values |= {name: _rows(rows) for name, rows in at.matrices.items()}
    if any(side is not None and (len(side), len(side[0])) != (1, 1) for side in compared.sides):
        values["(row, column)"] = "({}, {})".format(*compared.place)
    return Counterexample(values, *shown_apart(*compared.elements))


def _rows(rows: Rows[Fraction]) -> str:
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]"
