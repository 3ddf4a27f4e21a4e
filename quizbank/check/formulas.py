"""Every formula can be read and drawn wherever it is shown, and no formula stands outside of dollars."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engine.notation.error import NotationError
from engine.notation.line import one_line
from engine.notation.mathml import mathml
from engine.notation.prose import parse_prose
from engine.notation.terminal import layout
from quizbank.arithmetic import ExpressionError
from quizbank.card import Card
from quizbank.check.view import View, drill_variables, single_texts
from quizbank.fault import Fault
from quizbank.slot_grammar import Region, Slot, find_slots, number_text, regions
from quizbank.yaml_nodes import Loc

NARROW = 40
"""Cells of a narrow pane: a formula must also be drawn there."""

_COMMAND = re.compile(r"\\[A-Za-z]+")
_LOOSE = re.compile(r"(?<!\\)\$(?!\d)")

_DRAWN: tuple[Callable[[str], object], ...] = (
    layout,
    lambda latex: layout(latex, NARROW),
    one_line,
    mathml,
    lambda latex: mathml(latex, True),
)


def formula_faults(view: View, card: Card) -> Iterator[Fault]:
    for loc, _, text in single_texts(card):
        try:
            parse_prose(_neutral(text))
        except NotationError as error:
            yield view.fault(card, loc, error.text.en, error.text.zh, error.offset)
            continue
        for region in regions(text):
            if region.kind in ("math", "display"):
                yield from _formula(view, card, loc, text, region)
            elif region.kind == "plain":
                yield from _outside(view, card, loc, text, region)


def _neutral(text: str) -> str:
    """The text with each slot as digits of the same length: the same blocks, the same places."""
    for slot in find_slots(text):
        text = text[: slot.start] + "0" * (slot.end - slot.start) + text[slot.end :]
    return text


def _formula(view: View, card: Card, loc: Loc, text: str, region: Region) -> Iterator[Fault]:
    dollars = 2 if text[region.start : region.end].lstrip().startswith("$$") else 1
    start = text.index("$" * dollars, region.start) + dollars
    source = text[start : region.end - dollars]
    slots = find_slots(source)
    try:
        latex = _filled(view, source, slots, drill_variables(card, loc))
    except ExpressionError:
        return  # the rule of slots reports it
    fault = drawing_fault(latex)
    if fault is not None:
        before_any_slot = not slots or fault.offset <= slots[0].start
        offset = start + (fault.offset if before_any_slot else 0)
        yield view.fault(card, loc, fault.text.en, fault.text.zh, offset)


def _filled(view: View, source: str, slots: tuple[Slot, ...], variables: dict[str, float | int | str]) -> str:
    out, at = "", 0
    for slot in slots:
        value = view.quantities.slot_value(slot, variables)
        out += source[at : slot.start] + number_text(value, slot.format, latex=True)
        at = slot.end
    return out + source[at:]


def drawing_fault(latex: str) -> NotationError | None:
    """Why a formula cannot be drawn in the terminal, on one line or as MathML; None where it can."""
    for draw in _DRAWN:
        try:
            draw(latex)
        except NotationError as error:
            return error
    return None


def _outside(view: View, card: Card, loc: Loc, text: str, region: Region) -> Iterator[Fault]:
    plain = text[region.start : region.end]
    for match in _COMMAND.finditer(plain):
        yield view.fault(
            card,
            loc,
            f"{match[0]} stands outside of a formula",
            f"{match[0]} 出现在公式之外",
            region.start + match.start(),
        )
    for match in _LOOSE.finditer(plain):
        yield view.fault(
            card,
            loc,
            r"this $ opens no formula; a dollar is written \$",
            r"这个 $ 没有构成公式；美元符号写作 \$",
            region.start + match.start(),
        )
