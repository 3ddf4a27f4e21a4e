"""Grading an answer against a drill's variant."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from engine.answers.judge import Case, judge
from engine.answers.number import judge_number
from engine.answers.tolerance import Tolerance
from engine.answers.verdict import Verdict
from engine.errors import InputError
from engine.text import Text, same
from quizbank.card import (
    Card,
    ChoiceDrill,
    CodeDrill,
    DerivationDrill,
    ExpressionDrill,
    NumberDrill,
    RecallDrill,
    Value,
)
from quizbank.drills.code import grade_code
from quizbank.drills.derivation import grade_derivation
from quizbank.drills.graded import Graded, Outcome
from quizbank.drills.recall import propose
from quizbank.drills.variant import Variant, find_drill

Evaluate: TypeAlias = Callable[[str, Mapping[str, Value]], float]
"""The value of an expression over engine quantities at a variant's variables
(:meth:`quizbank.slots.Quantities.value`)."""
Fill: TypeAlias = Callable[[str, Mapping[str, Value]], str]
"""A text with its value slots filled (:meth:`quizbank.slots.Quantities.fill`)."""

JudgeCase: TypeAlias = Callable[[Case], Verdict]
"""Judging a typed answer: in this process (:func:`engine.answers.judge.judge`) or, where a person waits, in a
worker with a deadline (:class:`engine.answers.worker.Judge`)."""

FLOAT_NOISE = Fraction(1, 10**12)
"""Relative error granted to a reference that floating-point arithmetic gave."""

_KNOWN_UNITS = re.compile(r"(?:bytes?|[kMGT]?B|[KMGT]iB|[mµμu]?s)")


@dataclass(frozen=True)
class Grader:
    """Grades answers to the drills of these cards."""

    cards: Mapping[str, Card]
    evaluate: Evaluate
    fill: Fill = lambda text, variables: text
    judge: JudgeCase = judge

    def grade(self, variant: Variant, given: str) -> Graded:
        """Grade an answer: the id of the option chosen, the number as typed, or the text as written.

        A recall comes back with proposed ticks and no points: see :func:`tick`.

        Raises:
            InputError: the drill is gone or changed, the option is none of its, or its reference cannot be computed.
        """
        card, drill = find_drill(self.cards, variant)
        if isinstance(drill, ChoiceDrill):
            graded = grade_choice(drill, given)
        elif isinstance(drill, NumberDrill):
            graded = grade_number(drill, variant.variables, given, self.evaluate)
        elif isinstance(drill, ExpressionDrill):
            graded = grade_expression(drill, given, self.judge)
        elif isinstance(drill, DerivationDrill):
            graded = grade_derivation(drill, given, self.judge)
        elif isinstance(drill, CodeDrill):
            # a program may hold anything, slots among it
            return grade_code(drill, given)
        else:
            graded = grade_recall(drill, card, given)
        return self._filled(graded, variant.variables)

    def unanswered(self, variant: Variant) -> Graded:
        """The variant as if nothing had been said: its reference, and the key points of a recall.

        Raises:
            InputError: as :meth:`grade`.
        """
        _, drill = find_drill(self.cards, variant)
        right = (
            (option.id for option in drill.options if option.right) if isinstance(drill, ChoiceDrill) else ()
        )
        return self.grade(variant, next(iter(right), ""))

    def _filled(self, graded: Graded, variables: Mapping[str, Value]) -> Graded:
        """Slots of the card's texts filled; what the person typed is left as it is."""

        def fill(text: Text) -> Text:
            return Text(self.fill(text.en, variables), self.fill(text.zh, variables))

        return replace(
            graded,
            given=fill(graded.given) if graded.kind == "choice" else graded.given,
            reference=fill(graded.reference),
            feedback=tuple(map(fill, graded.feedback)) if graded.kind == "choice" else graded.feedback,
            slip=graded.slip and fill(graded.slip),
            ticks=tuple(replace(tick, text=fill(tick.text)) for tick in graded.ticks),
        )


def grade_choice(drill: ChoiceDrill, chosen: str) -> Graded:
    """Feedback for the chosen option, and for the right one where another was chosen."""
    options = {option.id: option for option in drill.options}
    if chosen not in options:
        raise InputError(Text("{drill} has no such option", "{drill} 没有这个选项").filled(drill=drill.id))
    right = next(option for option in drill.options if option.right)
    mine = options[chosen]
    return Graded(
        kind="choice",
        outcome="right" if mine.right else "wrong",
        points=1.0 if mine.right else 0.0,
        given=mine.text,
        reference=right.text,
        feedback=(mine.feedback,) if mine.right else (mine.feedback, right.feedback),
    )


def grade_number(
    drill: NumberDrill, variables: Mapping[str, Value], typed: str, evaluate: Evaluate
) -> Graded:
    """Judge the number, and name the slip of the drill that it is, if it is one."""
    words = own_units(drill.unit)
    reference, tolerance = _reference(drill, drill.answer, variables, evaluate)
    verdict = judge_number(typed, reference, tolerance, words)
    outcome, points = _OUTCOMES[verdict.verdict]
    slip = None
    if outcome == "wrong":
        for candidate in drill.slips:
            wrong, width = _reference(drill, candidate.value, variables, evaluate)
            if judge_number(typed, wrong, width, words).verdict == "equal":
                slip = candidate.name
                break
    return Graded(
        kind="number",
        outcome=outcome,
        points=points,
        given=same(typed),
        reference=same(reference),
        feedback=(verdict.reason,),
        slip=slip,
        verdict=verdict,
    )


_OUTCOMES: Mapping[str, tuple[Outcome, float | None]] = {
    "equal": ("right", 1.0),
    "different": ("wrong", 0.0),
    "undecided": ("undecided", None),
    "invalid": ("not-understood", None),
    "unsafe": ("not-understood", None),
}


def grade_expression(drill: ExpressionDrill, typed: str, judge: JudgeCase) -> Graded:
    """Judge a typed formula, and name the slip of the drill that it is, if it is one.

    Raises:
        InputError: the drill's own reference or declarations are at fault.
    """
    options = {"where": dict(drill.where)} if drill.where else {}

    def judged(typed: str, reference: str) -> Verdict:
        return judge(Case(drill.mode, typed, reference, drill.symbols, options))

    verdict = judged(typed, drill.answer)
    outcome, points = _OUTCOMES[verdict.verdict]
    slip = None
    if outcome == "wrong":
        slip = next((slip.name for slip in drill.slips if judged(typed, slip.value).verdict == "equal"), None)
    return Graded(
        kind="expression",
        outcome=outcome,
        points=points,
        given=same(typed),
        reference=same(drill.answer),
        feedback=(verdict.reason,),
        slip=slip,
        verdict=verdict,
    )


def grade_recall(drill: RecallDrill, card: Card, said: str) -> Graded:
    """Propose ticks for the card's key points; the person decides."""
    return Graded(
        kind=drill.kind,
        outcome="to-tick",
        points=None,
        given=same(said),
        reference=card.answer,
        ticks=propose(card.key_points, said),
    )


def tick(graded: Graded, ticked: Collection[str]) -> Graded:
    """A recall as the person ticked it: the share of its key points.

    Raises:
        InputError: a tick that is none of the key points.
    """
    known = [point.id for point in graded.ticks]
    for id_ in ticked:
        if id_ not in known:
            raise InputError(Text("there is no key point {id}", "没有要点 {id}").filled(id=id_[:40]))
    ticks = tuple(replace(point, ticked=point.id in ticked) for point in graded.ticks)
    points = sum(bool(point.ticked) for point in ticks) / len(ticks) if ticks else 0.0
    outcome: Outcome = "right" if points == 1 else "partial" if points else "wrong"
    return replace(graded, ticks=ticks, points=points, outcome=outcome)


def _reference(
    drill: NumberDrill, expression: str, variables: Mapping[str, Value], evaluate: Evaluate
) -> tuple[str, Tolerance]:
    """The number with its unit, as one would type it, and how near an answer must come."""
    value = evaluate(expression, variables)
    if not math.isfinite(value):
        raise InputError(
            Text("{drill}: the answer is not a finite number", "{drill}：答案不是有限的数").filled(
                drill=drill.id
            )
        )
    whole = isinstance(value, int) or value.is_integer()
    shown = str(int(value)) if whole and abs(value) < 2**53 else repr(value)
    rel = Fraction(str(drill.rel))
    tolerance = Tolerance(
        rel=rel if isinstance(value, int) else max(rel, FLOAT_NOISE), abs=Fraction(str(drill.abs))
    )
    return f"{shown} {drill.unit}".strip(), tolerance


def own_units(unit: str) -> list[str]:
    """Words of a unit that are neither bytes nor seconds: the card declares them by using them."""
    return [word for word in re.findall(r"[A-Za-zµμ]+", unit) if not _KNOWN_UNITS.fullmatch(word)]
