"""Every formula can be read and drawn wherever it is shown, and no formula stands outside of dollars."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from engine.notation.error import NotationError
from engine.notation.line import one_line
from engine.notation.mathml import mathml
from engine.notation.prose import parse_prose
from engine.notation.terminal import layout
from engine.notation.typst import typst
from engine.text import Text
from quizbank.arithmetic import ExpressionError
from quizbank.card import Card, Value
from quizbank.check.view import View, drill_variables, single_texts
from quizbank.fault import Fault
from quizbank.slot_grammar import Region, find_slots, number_text, regions

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
    typst,
    lambda latex: typst(latex, True),
)


def formula_faults(view: View, card: Card) -> Iterator[Fault]:
    for loc, _, text in single_texts(card):
        variables = drill_variables(card, loc)

        def filled(latex: str, variables: dict[str, Value] = variables) -> str:
            return _filled(view, latex, variables)

        for offset, what in prose_faults(text, filled):
            yield view.fault(card, loc, what.en, what.zh, offset)


def prose_faults(text: str, filled: Callable[[str], str] = str) -> Iterator[tuple[int, Text]]:
    """(offset, what) of all that keeps a prose text from being drawn.

    ``filled`` puts numbers into the slots of a formula.
    """
    try:
        parse_prose(_neutral(text))
    except NotationError as error:
        yield error.offset, error.text
        return
    for region in regions(text):
        if region.kind in ("math", "display"):
            yield from _formula(text, region, filled)
        elif region.kind == "plain":
            yield from _outside(text, region)


def _neutral(text: str) -> str:
    """The text with each slot as digits of the same length: the same blocks, the same places."""
    for slot in find_slots(text):
        text = text[: slot.start] + "0" * (slot.end - slot.start) + text[slot.end :]
    return text


def _formula(text: str, region: Region, filled: Callable[[str], str]) -> Iterator[tuple[int, Text]]:
    dollars = 2 if region.kind == "display" else 1
    start = text.index("$" * dollars, region.start) + dollars
    source = text[start : region.end - dollars]
    try:
        fault = drawing_fault(filled(source))
    except ExpressionError:
        return  # the rule of slots reports it
    if fault is not None:
        slots = find_slots(source)
        before_any_slot = not slots or fault.offset <= slots[0].start
        yield start + (fault.offset if before_any_slot else 0), fault.text


def _filled(view: View, source: str, variables: dict[str, Value]) -> str:
    out, at = "", 0
    for slot in find_slots(source):
        value = view.quantities.slot_value(slot, variables)
        out += source[at : slot.start] + number_text(value, slot.format, latex=True)
        at = slot.end
    return out + source[at:]


def drawing_fault(latex: str) -> NotationError | None:
    """Why a formula cannot be drawn in the terminal, on one line, as MathML or as Typst; None where it can."""
    for draw in _DRAWN:
        try:
            draw(latex)
        except NotationError as error:
            return error
    return None


def _outside(text: str, region: Region) -> Iterator[tuple[int, Text]]:
    for match in _COMMAND.finditer(text, region.start, region.end):
        what = Text(f"{match[0]} stands outside of a formula", f"{match[0]} 出现在公式之外")
        yield match.start(), what
    for match in _LOOSE.finditer(text, region.start, region.end):
        yield (
            match.start(),
            Text(
                r"this $ opens no formula; a dollar is written \$",
                r"这个 $ 没有构成公式；美元符号写作 \$",
            ),
        )
