"""Drills can be answered, and a wrong answer can be told from the right one: the grader itself is asked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from engine.errors import InputError
from engine.text import Text
from quizbank.arithmetic import ExpressionError, Number, Variable, parse, parts
from quizbank.card import Card, ChoiceDrill, DerivationDrill, ExpressionDrill, NumberDrill, Slip
from quizbank.check.likeness import alike
from quizbank.check.view import View
from quizbank.drills.derivation import form_faults
from quizbank.drills.graded import Graded
from quizbank.drills.variant import Variant
from quizbank.fault import Fault
from quizbank.slot_grammar import find_slots
from quizbank.yaml_nodes import Loc

MOST_VARIANTS = 200
FIGURES = 4
"""A person gives a number that is not whole to this many significant figures."""


def drill_faults(view: View, card: Card) -> Iterator[Fault]:
    for i, drill in enumerate(card.drills):
        loc: Loc = ("drills", i)
        if isinstance(drill, ChoiceDrill):
            yield from _choice(view, card, drill, loc)
        elif isinstance(drill, NumberDrill):
            yield from _number(view, card, drill, loc)
        elif isinstance(drill, ExpressionDrill):
            yield from _written(view, card, drill, loc, ("answer", drill.answer), drill.slips)
        elif isinstance(drill, DerivationDrill):
            for field, why in form_faults(drill):
                yield view.fault(card, (*loc, *field), why.en, why.zh)
            way = "".join(f"= {milestone.line}\n" for milestone in drill.milestones)
            slips = tuple(Slip(f"{way}= {slip.value}", slip.name) for slip in drill.slips)
            yield from _written(view, card, drill, loc, ("goal", f"{way}= {drill.goal}"), slips)


def _choice(view: View, card: Card, drill: ChoiceDrill, loc: Loc) -> Iterator[Fault]:
    right = sum(option.right for option in drill.options)
    if right != 1:
        yield view.fault(
            card,
            (*loc, "options"),
            f"{right} options are marked right, exactly one must be",
            f"标为正确的选项有 {right} 个，应恰有一个",
        )
    for j, option in enumerate(drill.options):
        for k, earlier in enumerate(drill.options[:j]):
            if alike(option.text, earlier.text):
                place = view.place(card, (*loc, "options", k, "text"))
                yield view.fault(
                    card,
                    (*loc, "options", j, "text"),
                    f"the options {earlier.id} ({place}) and {option.id} say the same",
                    f"选项 {earlier.id}（{place}）与 {option.id} 内容相同",
                )


def _number(view: View, card: Card, drill: NumberDrill, loc: Loc) -> Iterator[Fault]:
    yield from _variables(view, card, drill, loc)
    slips = dict(enumerate(drill.slips))
    for variables in itertools.islice(drill.variants(), MOST_VARIANTS + 1):
        at = ", ".join(f"{name}={value}" for name, value in variables.items())
        en, zh = (f" at {at}", f"（{at}）") if at else ("", "")
        variant = Variant(card.id, drill.id, drill.kind, variables=variables)
        try:
            reference = view.quantities.value(drill.answer, variables)
            graded = view.grader.grade(variant, as_typed(reference, drill.unit))
        except InputError as error:
            offset = error.offset if isinstance(error, ExpressionError) else None
            yield view.fault(card, (*loc, "answer"), error.text.en + en, error.text.zh + zh, offset)
            return
        if graded.outcome != "right":
            typed, why = as_typed(reference, drill.unit), _why(graded)
            yield view.fault(
                card,
                (*loc, "answer"),
                f"the answer {reference:.10g}{en}, given as {typed}, misses its own tolerance: {why.en}",
                f"答案 {reference:.10g}{zh} 写成 {typed} 时超出自己的容差：{why.zh}",
            )
            return
        for j, slip in list(slips.items()):
            fault = _number_slip(
                view, card, drill, (*loc, "slips", j, "value"), slip, variant, reference, (en, zh)
            )
            if fault is not None:
                yield fault
                del slips[j]  # told at the first variant that shows it
    if math.prod(len(values) for values in drill.vary.values()) > MOST_VARIANTS:
        yield view.fault(
            card, (*loc, "vary"), f"more than {MOST_VARIANTS} variants", f"变体多于 {MOST_VARIANTS} 个"
        )


def _variables(view: View, card: Card, drill: NumberDrill, loc: Loc) -> Iterator[Fault]:
    asked = {
        part.name
        for slot in find_slots(drill.question.en)
        for part in parts(slot.expression)
        if isinstance(part, Variable)
    }
    used = {part.name for part in parts(parse(drill.answer)) if isinstance(part, Variable)}
    for name in drill.vary:
        if name not in asked:
            yield view.fault(
                card,
                (*loc, "vary", name),
                f"the question does not show @{{{name}}}",
                f"题干没有给出 @{{{name}}}",
            )
        if name not in used:
            yield view.fault(
                card, (*loc, "vary", name), f"the answer does not depend on {name}", f"答案与 {name} 无关"
            )


def _number_slip(
    view: View,
    card: Card,
    drill: NumberDrill,
    place: Loc,
    slip: Slip,
    variant: Variant,
    reference: Number,
    at: tuple[str, str],
) -> Fault | None:
    first = next(drill.variants())
    try:
        value = view.quantities.value(slip.value, variant.variables)
        # a number far off is judged once, in whatever variant; one that may pass is judged in each
        if variant.variables != first and not _close(drill, value, reference):
            return None
        graded = view.grader.grade(variant, as_typed(value, drill.unit))
    except InputError as error:
        offset = error.offset if isinstance(error, ExpressionError) else None
        return view.fault(card, place, error.text.en + at[0], error.text.zh + at[1], offset)
    if graded.outcome != "right" and not drill.accepts(value, reference):
        return None
    return view.fault(
        card,
        place,
        f"the slip {value:.10g} passes for the answer {reference:.10g}{at[0]}",
        f"错误值 {value:.10g} 会被当成答案 {reference:.10g}{at[1]}",
    )


def _close(drill: NumberDrill, value: Number, reference: Number) -> bool:
    """Whether a slip, as typed, could lie within the tolerance: twice that, or three figures, to be safe."""
    return abs(value - reference) <= 2 * max(drill.abs, drill.rel * abs(reference), abs(reference) / 1000)


def _written(
    view: View,
    card: Card,
    drill: ExpressionDrill | DerivationDrill,
    loc: Loc,
    answer: tuple[str, str],
    slips: tuple[Slip, ...],
) -> Iterator[Fault]:
    """``answer`` is the field the reference stands in and what is typed for it; ``slips`` are as typed."""
    field, typed = answer
    variant = Variant(card.id, drill.id, drill.kind)
    try:
        graded = view.grader.grade(variant, typed)
    except InputError as error:
        yield view.fault(card, (*loc, field), error.text.en, error.text.zh)
        return
    if graded.outcome != "right":
        why = _why(graded)
        line = graded.verdict.line if graded.verdict is not None else None
        if isinstance(drill, DerivationDrill) and line is not None and 2 <= line <= len(drill.milestones) + 1:
            field, loc = "line", (*loc, "milestones", line - 2)
        yield view.fault(
            card,
            (*loc, field),
            f"the grader does not accept the drill's own answer: {why.en}",
            f"判题器不接受这道题自己的答案：{why.zh}",
        )
        return
    for j, slip in enumerate(slips):
        place = (*loc, "slips", j, "value")
        try:
            graded = view.grader.grade(variant, slip.value)
        except InputError as error:
            yield view.fault(card, place, error.text.en, error.text.zh)
            continue
        judged = graded.verdict.verdict if graded.verdict is not None else ""
        if judged == "equal":
            yield view.fault(card, place, "the grader accepts this slip", "判题器会接受这个错误答案")
        elif judged != "different":
            why = _why(graded)
            yield view.fault(
                card,
                place,
                f"the grader does not call this slip wrong: {why.en}",
                f"判题器没有判这个错误答案为错：{why.zh}",
            )
        elif graded.slip is not None and graded.slip != slip.name:
            yield view.fault(
                card,
                place,
                f"this slip is the same as another: {graded.slip.en}",
                f"这个错误答案与另一个相同：{graded.slip.zh}",
            )


def _why(graded: Graded) -> Text:
    return graded.feedback[0] if graded.feedback else Text(graded.outcome, graded.outcome)


def as_typed(value: Number, unit: str = "") -> str:
    """A number as a person writes it down: whole numbers in full, others to four figures."""
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e15
    number = str(int(value)) if whole else f"{value:.{FIGURES}g}"
    return f"{number} {unit}".strip()
