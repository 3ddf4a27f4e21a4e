"""The ``symbolic`` mode: is a typed formula the reference formula?

Rational expressions are decided by exact evaluation modulo 2^61 − 1. Others are evaluated between error
bounds at points that respect the declared kinds: ``different`` only where the gap is a hundred times the
error, ``equal`` where every usable point agrees, ``undecided`` where too few points can be used.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

from engine.answers import interval as iv
from engine.answers.compare import (
    DIGITS,
    Compared,
    Comparison,
    Outcome,
    Tally,
    digits_for,
    shown,
    shown_apart,
)
from engine.answers.evaluate import LONGEST_SUM, Evaluation, Point
from engine.answers.exact import LARGEST_LOG10
from engine.answers.expression import Node, free_names, holds_matrix, latex, nodes
from engine.answers.interval import BeyondError, BlurredError, UndefinedError
from engine.answers.modular import NotRationalError, residue
from engine.answers.points import Sampler
from engine.answers.reader import read_formula
from engine.answers.slips import slip
from engine.answers.symbols import Declared, declare
from engine.answers.verdict import Counterexample, RefusalError, Shown, Verdict, reading_the_reference, unsafe
from engine.errors import InputError
from engine.text import Text

FEWEST_AGREEING = 8
_MISMATCH = Fraction(1, 20)
"""The share of generic points that must show that one side has no value before it counts."""
_GROWING = ("^", "factorial", "*", "exp", "binomial")


def judge_formula(
    typed: str, reference: str, symbols: Mapping[str, str], options: Mapping[str, object] | None = None
) -> Verdict:
    """Judge a typed formula against the reference, both over the declared names.

    Raises:
        InputError: the reference, the declarations or the options are at fault, not the answer.
    """
    declared = declare(symbols)
    where = constraints(options or {})
    with reading_the_reference():
        expected = read_safely(reference, declared)
    reading = ""
    try:
        answer = read_formula(typed, declared)
        reading = latex(answer)
        admit(answer)
    except RefusalError as refusal:
        return Verdict(refusal.verdict, refusal.reason, reading)
    return decide(answer, expected, Sampler(symbols, (answer, expected), where), reading)


def read_safely(text: str, declared: Declared) -> Node:
    """Read a formula and refuse one too costly to evaluate. Raises RefusalError."""
    node = read_formula(text, declared)
    admit(node)
    return node


def constraints(options: Mapping[str, object]) -> Mapping[str, object]:
    """The ``where`` of a case. Raises InputError: another option, or no object."""
    for name in options:
        if name != "where":
            raise InputError(
                Text("formulas have no option {o}", "公式作答没有选项 {o}").filled(o=str(name)[:40])
            )
    where = options.get("where", {})
    if not isinstance(where, Mapping):
        raise InputError(Text("where must be an object", "where 应为对象"))
    return where


def admit(root: Node) -> None:
    """Refuse constants of more than 4,000 digits and sums of more than a thousand terms, before they are used."""
    iv.set_digits(DIGITS[0])
    for node in nodes(root):
        limits = node.args[1:] if node.op in ("sum", "prod") else ()
        if limits and not any(map(free_names, limits)) and not any(map(holds_matrix, limits)):
            try:
                first, last = (Evaluation(Point({})).value(limit) for limit in limits)
            except (UndefinedError, BlurredError):
                continue
            except BeyondError:
                raise _too_large() from None
            length = iv.interval(iv.add(last, iv.negate(first))).high
            if length > LONGEST_SUM:
                raise unsafe("a sum has at most {n} terms", "求和最多 {n} 项", n=LONGEST_SUM)
        if node.op in _GROWING and not free_names(node) and not holds_matrix(node):
            try:
                size = iv.size(Evaluation(Point({})).value(node))
            except (UndefinedError, BlurredError, KeyError):
                continue
            except BeyondError:
                raise _too_large() from None
            if size and abs(size.adjusted()) > LARGEST_LOG10:
                raise _too_large()


def _too_large() -> RefusalError:
    return unsafe("the number would have more than {n} digits", "这个数会超过 {n} 位", n=LARGEST_LOG10)


def decide(answer: Node, expected: Node, sampler: Sampler, reading: str) -> Verdict:
    """Whether two formulas are equal wherever they have values. ``reading`` goes into the verdict."""
    if answer == expected and _has_value(answer, sampler):
        return Verdict("equal", Text("right: the same formula", "正确：同一个公式"), reading)
    if _same_rational(answer, expected, sampler):
        return Verdict("equal", Text("right: equal, decided exactly", "正确：恒等，由精确计算判定"), reading)
    digits = digits_for((answer, expected)) if sampler.is_constant else DIGITS
    tally = Comparison(answer, expected, digits).at_all(sampler.samples())
    if (verdict := _domain(tally, reading)) is not None:
        return verdict
    differing = tally.of("differ")
    steps = any(node.op in ("floor", "ceil") for side in (answer, expected) for node in nodes(side))
    if differing and (steps or not sampler.is_continuous or tally.of("differ", generic=True)):
        reason = slip(answer, expected, tally, sampler) or Text(
            "not the same: here is a case", "不相等：这里有一个反例"
        )
        return Verdict("different", reason, reading, _counterexample(differing[0]))
    agreeing = len(tally.of("agree", generic=True))
    if agreeing >= (1 if sampler.is_constant else FEWEST_AGREEING):
        return Verdict(
            "equal",
            Text(f"right: equal to {digits[-1]} digits", f"正确：{digits[-1]} 位内一致")
            if sampler.is_constant
            else Text(
                f"right: equal at {agreeing} points, with error bounds",
                f"正确：在 {agreeing} 个点上相等，误差有界",
            ),
            reading,
        )
    return Verdict(
        "undecided",
        Text(
            "too few points can be computed to tell whether the two are equal",
            "可计算的点太少，无法判定两者是否相等",
        ),
        reading,
    )


def _has_value(node: Node, sampler: Sampler) -> bool:
    """Whether the formula has a value at some generic point."""
    comparison = Comparison(node, node)
    return any(sample.generic and comparison.at(sample).outcome == "agree" for sample in sampler.samples())


def _same_rational(answer: Node, expected: Node, sampler: Sampler) -> bool:
    rng = random.Random(0)
    try:
        for whole in sampler.combinations():
            for _ in range(2):
                names, vectors = sampler.residues(rng, whole)
                if residue(answer, names, whole, vectors) != residue(expected, names, whole, vectors):
                    return False
    except NotRationalError:
        return False
    return True


def _domain(tally: Tally, reading: str) -> Verdict | None:
    """What follows from where the two sides have values, if anything does."""
    generic = [one for one in tally.compared if one.generic and one.outcome != "unknown"]
    if not generic:
        return None
    if len(tally.of("both undefined", generic=True)) == len(generic):
        return Verdict(
            "invalid",
            Text(
                "undefined everywhere over the reals, so there is nothing to compare",
                "在实数范围内处处无定义，无从比较",
            ),
            reading,
        )
    outcomes: tuple[Outcome, ...] = ("input undefined", "reference undefined")
    for outcome in outcomes:
        shares = tally.of(outcome, generic=True)
        if len(shares) >= max(Fraction(1), _MISMATCH * len(generic)):
            first = next(iter(tally.of(outcome)))
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
            return Verdict("different", reason, reading, _counterexample(first))
    return None


def _counterexample(compared: Compared) -> Counterexample:
    return Counterexample(point_shown(compared.point), *shown_apart(compared.input, compared.reference))


def point_shown(point: Point) -> dict[str, Shown]:
    """The values of the names and of the entries of the vectors."""
    values: dict[str, Shown] = {name: shown(value) for name, value in point.scalars.items()}
    for name, entries in point.vectors.items():
        values |= {f"{name}[{place}]": shown(entry) for place, entry in enumerate(entries, 1)}
    return values
