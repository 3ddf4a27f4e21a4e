"""The ``numeric`` mode: is a typed number the reference number?

Compared in exact rational arithmetic, so 33% is 0.33 and not 1/3, and 1.239 lies exactly half a unit from
1.234 at three figures. Where a value is irrational it is known between two bounds, and the verdict is
``undecided`` when they do not settle it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.answers.arithmetic import Reading, read
from engine.answers.near_miss import distance, figures_differ, near_miss, units_differ
from engine.answers.shown import reading_latex, to_figures, told_apart
from engine.answers.symbolic import judge_formula
from engine.answers.tolerance import Tolerance
from engine.answers.verdict import Counterexample, RefusalError, Verdict, reading_the_reference
from engine.errors import InputError
from engine.text import Text


def judge_number(
    typed: str,
    reference: str,
    options: Mapping[str, object] | Tolerance | None = None,
    words: Collection[str] = (),
) -> Verdict:
    """Judge a typed number against the reference, both in the notation of :mod:`engine.answers.arithmetic`.

    ``words`` are units the card declares beside bytes and seconds.

    Raises:
        InputError: the reference or the options are at fault, not the answer.
    """
    tolerance = options if isinstance(options, Tolerance) else Tolerance.of(options or {})
    with reading_the_reference():
        expected = read(reference, words)
        if ("byte", 1) in expected.value.dimensions:
            expected = read(reference, words, bytes_meant=True)
    bytes_meant = any(name == "byte" for name, _ in expected.value.dimensions)
    try:
        answer = read(typed, words, bytes_meant)
    except RefusalError as refusal:
        return Verdict(refusal.verdict, refusal.reason)
    reading = reading_latex(answer)
    try:
        return _compared(answer, expected, tolerance, reading)
    except RefusalError as refusal:
        return Verdict(refusal.verdict, refusal.reason, reading)


def _compared(answer: Reading, expected: Reading, tolerance: Tolerance, reading: str) -> Verdict:
    if answer.value.dimensions != expected.value.dimensions:
        return _different(units_differ(answer, expected), answer, expected, reading)
    typed, reference = answer.value.number, expected.value.number
    accepted = tolerance.accepts(typed, reference)
    if accepted is None:
        if answer.latex == expected.latex or _same_constant(answer.text, expected.text):
            accepted = True
        else:
            reason = Text(
                "the two agree to 60 digits, but whether they are the same number was not decided",
                "两数前 60 位一致，但未能判定是否为同一个数",
            )
            return Verdict("undecided", reason, reading)
    if not accepted:
        reason = near_miss(answer, expected, tolerance) or distance(typed, reference, tolerance)
        return _different(reason, answer, expected, reading)
    if tolerance.strict and tolerance.sigfigs and answer.figures != tolerance.sigfigs:
        sides = answer.text, to_figures(reference, tolerance.sigfigs)
        return Verdict("different", figures_differ(answer, tolerance), reading, Counterexample({}, *sides))
    return Verdict("equal", _agreement(tolerance), reading)


def _same_constant(typed: str, reference: str) -> bool:
    """Whether two irrational numbers without units are equal to 120 digits: √2/2 and 1/√2."""
    try:
        return judge_formula(typed, reference, {}).verdict == "equal"
    except InputError:
        return False


def _different(reason: Text, answer: Reading, expected: Reading, reading: str) -> Verdict:
    sides = told_apart(answer.value, expected.value)
    return Verdict("different", reason, reading, Counterexample({}, *sides))


def _agreement(tolerance: Tolerance) -> Text:
    if tolerance.sigfigs is not None:
        return Text(
            f"right to {tolerance.sigfigs} significant figures", f"正确：{tolerance.sigfigs} 位有效数字一致"
        )
    if tolerance.rel or tolerance.abs:
        return Text("right, within the tolerance", "正确，在容差之内")
    return Text("right: the same number", "正确：是同一个数")
