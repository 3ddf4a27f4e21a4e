"""Every value slot names a quantity that can be computed and shown, and nothing is left that was meant as one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quizbank.arithmetic import ExpressionError
from quizbank.card import Card
from quizbank.check.view import View, drill_variables, single_texts
from quizbank.fault import Fault
from quizbank.slot_grammar import find_slots, number_text

_MEANT = re.compile(
    r"(?:[@＠]\s*)?[{｛]\s*D\d{2,3}\.|[@＠]\s*[{｛]|\bD\d{2,3}\.[a-z]\w*\(|\b(?:TODO|TBD|FIXME|XXX)\b|待补|待填"
)
"""A slot that is not written as one, so that it would be shown as it stands, and marks of unfinished text."""


def slot_faults(view: View, card: Card) -> Iterator[Fault]:
    for loc, _, text in single_texts(card):
        variables = drill_variables(card, loc)
        slots = find_slots(text)
        blanked = list(text)
        for slot in slots:
            blanked[slot.start : slot.end] = " " * (slot.end - slot.start)
        for match in _MEANT.finditer("".join(blanked)):
            yield view.fault(
                card,
                loc,
                f"{match[0]} would be shown as it stands: a slot is written @{{D01.name(…)}}",
                f"{match[0]} 会原样显示出来：值槽应写作 @{{D01.name(…)}}",
                match.start(),
            )
        for slot in slots:
            try:
                value = view.quantities.slot_value(slot, variables)
                number_text(value, slot.format, offset=slot.start)
            except ExpressionError as error:
                yield view.fault(card, loc, error.text.en, error.text.zh, error.offset)
