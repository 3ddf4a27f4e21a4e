"""A card or a run of a demonstration as plain text, formulas laid out, for a terminal or a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.demos import find
from engine.errors import InputError
from engine.notation.error import NotationError
from engine.notation.page import inline, plain
from engine.notation.prose import clean
from engine.notation.wide import width as cells_of
from engine.notation.wrap import wrap
from engine.text import Language, Text
from quizbank import labels
from quizbank.arithmetic import ExpressionError
from quizbank.bank import Bank
from quizbank.card import (
    Card,
    ChoiceDrill,
    DemoRef,
    DerivationDrill,
    Drill,
    ExpressionDrill,
    NumberDrill,
    SourceRef,
)
from quizbank.slot_grammar import rounded
from quizbank.slots import Quantities, filled

if TYPE_CHECKING:
    from engine.demonstration import Check, Demonstration, Run
    from engine.proof.step import Decided

NARROWEST = 20
"""Cells below which nothing is laid out narrower."""

_COLON = Text(": ", "：")
_PREDICTED = Text("predicted", "预测")
_MEASURED = Text("measured", "实测")
_TOLERANCE = Text("tolerance", "容差")
_HOLDS = Text("✓ holds", "✓ 成立")
_FAILS = Text("✗ fails", "✗ 不成立")
_PARAMETERS = Text("Parameters", "参数")
_COUNTEREXAMPLE = Text("counterexample", "反例")
_SEED = Text("seed", "随机种子")
_RIGHT = Text("right", "正确")
_HEADLINE = Text("Headline", "关键量")


def card_text(card: Card, bank: Bank, quantities: Quantities, language: Language, width: int = 78) -> str:
    """A card with everything it carries, at most ``width`` cells wide.

    Raises:
        InputError: a slot cannot be computed; the place is that of the card.
    """
    try:
        rows = list(_card_rows(card, bank, quantities, language, max(width, NARROWEST)))
    except ExpressionError as error:
        raise InputError(error.text, card.place) from error
    return "\n".join(rows) + "\n"


def demo_text(
    run: Run, steps: Iterable[Decided], language: Language, width: int = 78, plot: Sequence[str] = ()
) -> str:
    """A derivation with badges, predicted against measured, and the plot's rows as they are given."""
    rows = list(_demo_rows(run, steps, language, max(width, NARROWEST), plot))
    return "\n".join(rows) + "\n"


def _card_rows(
    card: Card, bank: Bank, quantities: Quantities, language: Language, width: int
) -> Iterator[str]:
    def prose(text: Text, indent: int = 0) -> list[str]:
        return prose_rows(filled(text, quantities.fill).of(language), width, indent)

    def labelled(label: Text, text: Text) -> list[str]:
        text = filled(text, quantities.fill)
        return prose_rows(label.of(language) + _COLON.of(language) + text.of(language), width)

    facts = (labels.TOPIC[card.topic], labels.LEVEL[card.level], labels.VERDICT[card.verdict])
    yield from prose_rows(" · ".join([card.id, *(fact.of(language) for fact in facts)]), width)
    if card.needs:
        needed = f"{labels.BUILDS_ON.of(language)}{_COLON.of(language)}{', '.join(card.needs)}"
        yield from prose_rows(needed, width)
    yield ""
    yield from prose(card.question)
    if card.is_plain:
        yield from _plain_rows(card, prose, language)
        return
    yield from _heading(labels.SPOKEN, language)
    yield from prose(card.spoken)
    yield from _heading(labels.ANSWER, language)
    yield from prose(card.answer)
    yield from _heading(labels.KEY_POINTS, language)
    for point in card.key_points:
        yield from _item("•", prose(point.text, 2))
    yield from _heading(labels.TRAP, language)
    yield from labelled(labels.POPULAR, card.trap.popular)
    yield from labelled(labels.CORRECTION, card.trap.correction)
    yield from labelled(labels.REFUTED_BY, labels.refuted_by(card.trap.refuted_by))
    yield from _heading(labels.FOLLOW_UPS, language)
    for number, follow_up in enumerate(card.follow_ups, 1):
        yield from _item(f"{number}.", prose(follow_up.question, 4), 4)
        yield from prose(follow_up.answer, 4)
        if follow_up.card:
            yield f"    {labels.SEE_CARD.of(language)} {follow_up.card}"
    yield from _heading(labels.PROOF, language)
    for demo in card.demos:
        yield from _item("•", prose_rows(demo_line(demo), width, 2))
    yield from _heading(labels.SOURCES, language)
    for source in card.sources:
        yield from _item("•", prose_rows(_source_line(source, bank, language), width, 2))
    yield from _heading(labels.DRILLS, language)
    for drill in card.drills:
        yield from _drill_rows(drill, quantities, language, width)


def _plain_rows(card: Card, prose: Callable[[Text], list[str]], language: Language) -> Iterator[str]:
    """What a plain card has beyond its question."""
    yield from _heading(labels.ANSWER, language)
    yield from prose(card.answer)
    yield ""
    if not card.demos:
        yield labels.NO_DEMONSTRATION.of(language)
    for demo in card.demos:
        yield f"• {demo_line(demo)}"
    if card.tags:
        yield clean(f"{labels.TAGS.of(language)}{_COLON.of(language)}{' '.join(card.tags)}")


def _heading(label: Text, language: Language) -> Iterator[str]:
    text = label.of(language)
    yield ""
    yield text
    yield "─" * cells_of(text)


def prose_rows(text: str, width: int, indent: int = 0) -> list[str]:
    """Prose laid out and indented; a text with a formula outside of the subset as it is written."""
    cells = max(width - indent, NARROWEST // 2)
    try:
        rows = plain(text, cells)
    except NotationError:
        rows = [row for line in clean(text).split("\n") for row in wrap(line, cells) or [""]]
    return [f"{' ' * indent}{row}".rstrip() for row in rows]


def _item(mark: str, rows: list[str], indent: int = 2) -> list[str]:
    """Indented rows with a mark in the first one's margin."""
    return [mark.ljust(indent) + rows[0][indent:], *rows[1:]] if rows else [mark]


def demo_line(demo: DemoRef) -> str:
    """A demonstration with the call that runs it at the card's setting; prose."""
    settings = "".join(f" --set {name}={value}" for name, value in demo.set.items())
    try:
        name = f" ({find(demo.id).name})"
    except InputError:
        name = ""
    return f"{demo.id}{name}: `proofdeck demo {demo.id}{settings}`"


def _source_line(reference: SourceRef, bank: Bank, language: Language) -> str:
    source = bank.bibliography.get(reference.key)
    where = reference.where.of(language)
    if source is None:
        return f"{reference.key}, {where}"
    comma, stop = ("，", "。") if language == "zh" else (", ", ". ")
    return f"{source.short}{comma}{where}{stop}{source.title}{stop}{source.venue}{stop}{source.link}"


def _drill_rows(drill: Drill, quantities: Quantities, language: Language, width: int) -> Iterator[str]:
    variables = next(drill.variants()) if isinstance(drill, NumberDrill) else {}
    question = quantities.fill(drill.question.of(language), variables)
    kind = labels.KIND[drill.kind].of(language)
    yield from _item("•", prose_rows(f"{kind}{_COLON.of(language)}{question}", width, 2))
    if isinstance(drill, ChoiceDrill):
        for letter, option in zip("ABCDEFGHI", drill.options, strict=False):
            text = quantities.fill(option.text.of(language))
            mark = f"  ✓ {_RIGHT.of(language)}" if option.right else ""
            yield from _item(f"  {letter}.", prose_rows(text + mark, width, 5), 5)
            yield from prose_rows(quantities.fill(option.feedback.of(language)), width, 7)
    elif isinstance(drill, NumberDrill):
        answer = rounded(quantities.answer(drill, variables), 6)
        yield f"  {labels.KEY.of(language)}{_COLON.of(language)}{answer} {clean(drill.unit)}".rstrip()
    elif isinstance(drill, ExpressionDrill):
        yield f"  {labels.KEY.of(language)}{_COLON.of(language)}{clean(drill.answer)}"
    elif isinstance(drill, DerivationDrill):
        yield f"  {clean(drill.start)}"
        for line in (*(milestone.line for milestone in drill.milestones), drill.goal):
            yield f"  = {clean(line)}"


def _demo_rows(
    run: Run, steps: Iterable[Decided], language: Language, width: int, plot: Sequence[str]
) -> Iterator[str]:
    demo = run.demo
    yield f"{demo.id} · {demo.name} · {_SEED.of(language)} {run.seed}"
    yield from prose_rows(demo.title.of(language), width)
    yield ""
    yield from prose_rows(demo.shows.of(language), width)
    kills = f"{labels.POPULAR.of(language)}{_COLON.of(language)}{demo.kills.of(language)}"
    yield from prose_rows(kills, width)
    yield from _heading(_PARAMETERS, language)
    yield from _parameter_rows(demo, run, language, width)
    yield from _heading(labels.DERIVATION, language)
    for number, step in enumerate(steps, 1):
        yield from _step_rows(number, step, language, width)
    yield from _heading(labels.MEASURED_AGAINST, language)
    for check in run.checks:
        yield from _check_rows(check, language, width)
    yield from _heading(_HEADLINE, language)
    unit = demo.headline.unit.of(language)
    meaning = demo.headline.meaning.of(language)
    # a line break joins as the script of the unit asks: no space before a full-width bracket
    yield from prose_rows(f"{meaning}{_COLON.of(language)}{_number(run.headline)}\n{unit}".rstrip(), width)
    if plot:
        yield ""
        yield from plot


def _parameter_rows(demo: Demonstration, run: Run, language: Language, width: int) -> Iterator[str]:
    for parameter in demo.parameters:
        value = run.params.as_dict()[parameter.name]
        shown = value if isinstance(value, str) else _number(value)
        unit = parameter.unit.of(language)
        setting = f"{parameter.name} = {shown} {unit}".rstrip()
        rows = prose_rows(parameter.meaning.of(language), width, 24)
        room = 24 - cells_of(setting)
        yield setting + " " * room + rows[0].lstrip() if room > 0 else setting
        yield from rows[1:] if room > 0 else rows


def _step_rows(number: int, step: Decided, language: Language, width: int) -> Iterator[str]:
    from engine.proof.words import badge, method

    yield from _item(f"{number}.", prose_rows(step.rule.of(language), width, 4), 4)
    yield from _formula_rows(step.statement, width, 6)
    told = [badge(step).of(language), method(step).of(language), step.source]
    yield from prose_rows(" · ".join(part for part in told if part), width, 4)
    if step.counterexample:
        yield f"    {_COUNTEREXAMPLE.of(language)}{_COLON.of(language)}".rstrip()
        yield from _formula_rows(step.counterexample, width, 6)
    yield ""


def _formula_rows(latex: str, width: int, indent: int) -> list[str]:
    from engine.notation.terminal import layout

    try:
        rows: Sequence[str] = layout(latex, max(width - indent, NARROWEST // 2)).rows
    except NotationError:
        rows = wrap(clean(latex), max(width - indent, NARROWEST // 2))
    return [textwrap.indent(row, " " * indent).rstrip() for row in rows]


def _check_rows(check: Check, language: Language, width: int) -> Iterator[str]:
    from engine.demonstration import RELATION_SIGN

    verdict = (_HOLDS if check.ok else _FAILS).of(language)
    yield from _item(
        "•", prose_rows(f"{check.name}{_COLON.of(language)}{check.claim.of(language)}", width, 2)
    )
    relation = "," if check.relation == "=" else f" {RELATION_SIGN[check.relation]}"
    numbers = f"{_MEASURED.of(language)} {_number(check.measured)}{relation}"
    numbers += f" {_PREDICTED.of(language)} {_number(check.predicted)}"
    if check.tolerance is not None:
        law = inline(check.law.of(language))
        open_, close = ("（", "）") if language == "zh" else (" (", ")")
        numbers += f", {_TOLERANCE.of(language)} {_number(check.tolerance)}{open_}{law}{close}"
    if language == "zh":
        numbers = numbers.replace(", ", "，")
    yield from prose_rows(f"{verdict} · {numbers}", width, 2)


def _number(value: float | int) -> str:
    return rounded(value, 6)
