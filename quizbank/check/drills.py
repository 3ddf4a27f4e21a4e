"""Drills can be answered, and a wrong answer can be told from the right one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

from quizbank.arithmetic import ExpressionError, Number, Variable, parse, parts
from quizbank.card import Card, ChoiceDrill, NumberDrill, Value
from quizbank.check.view import View
from quizbank.fault import Fault
from quizbank.slot_grammar import find_slots
from quizbank.yaml_nodes import Loc

MOST_VARIANTS = 200
FIGURES = 4
"""A person gives a number that is not whole to this many significant figures."""


def drill_faults(view: View, card: Card) -> Iterator[Fault]:
    for i, drill in enumerate(card.drills):
        if isinstance(drill, ChoiceDrill):
            yield from _choice(view, card, drill, ("drills", i))
        elif isinstance(drill, NumberDrill):
            yield from _number(view, card, drill, ("drills", i))


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
        for earlier in drill.options[:j]:
            if any(_same(a, b) for a, b in zip(option.text, earlier.text, strict=True)):
                yield view.fault(
                    card,
                    (*loc, "options", j, "text"),
                    f"the options {earlier.id} and {option.id} say the same",
                    f"选项 {earlier.id} 与 {option.id} 内容相同",
                )


def _same(left: str, right: str) -> bool:
    return "".join(left.split()).casefold() == "".join(right.split()).casefold()


def _number(view: View, card: Card, drill: NumberDrill, loc: Loc) -> Iterator[Fault]:
    yield from _variables(view, card, drill, loc)
    for variant in itertools.islice(drill.variants(), MOST_VARIANTS + 1):
        at = ", ".join(f"{name}={value}" for name, value in variant.items())
        en, zh = (f" at {at}", f"（{at}）") if at else ("", "")
        try:
            reference = view.quantities.value(drill.answer, variant)
        except ExpressionError as error:
            yield view.fault(card, (*loc, "answer"), error.text.en + en, error.text.zh + zh, error.offset)
            return
        if not drill.accepts(as_typed(reference), reference):
            yield view.fault(
                card,
                (*loc, "answer"),
                f"the answer {reference:.10g}{en}, given as {as_typed(reference):.10g}, misses its own tolerance",
                f"答案 {reference:.10g}{zh} 写成 {as_typed(reference):.10g} 时超出自己的容差",
            )
            return
        yield from _slips(view, card, drill, loc, variant, reference, (en, zh))
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


def _slips(
    view: View,
    card: Card,
    drill: NumberDrill,
    loc: Loc,
    variant: Mapping[str, Value],
    reference: Number,
    at: tuple[str, str],
) -> Iterator[Fault]:
    for j, slip in enumerate(drill.slips):
        place = (*loc, "slips", j, "value")
        try:
            value = view.quantities.value(slip.value, variant)
        except ExpressionError as error:
            yield view.fault(card, place, error.text.en + at[0], error.text.zh + at[1], error.offset)
            continue
        if drill.accepts(value, reference):
            yield view.fault(
                card,
                place,
                f"the slip {value:.10g} passes for the answer {reference:.10g}{at[0]}",
                f"错误值 {value:.10g} 会被当成答案 {reference:.10g}{at[1]}",
            )


def as_typed(value: Number) -> float:
    """A number as a person writes it down: whole numbers in full, others to four figures."""
    if value == int(value) and abs(value) < 1e15:
        return float(value)
    return float(f"{value:.{FIGURES}g}")
