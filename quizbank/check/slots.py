"""Every value slot names a quantity that can be computed and shown."""

from __future__ import annotations

from collections.abc import Iterator

from quizbank.arithmetic import ExpressionError
from quizbank.card import Card
from quizbank.check.view import View, drill_variables, single_texts
from quizbank.fault import Fault
from quizbank.slot_grammar import find_slots, number_text


def slot_faults(view: View, card: Card) -> Iterator[Fault]:
    for loc, _, text in single_texts(card):
        variables = drill_variables(card, loc)
        for slot in find_slots(text):
            try:
                value = view.quantities.slot_value(slot, variables)
                number_text(value, slot.format, offset=slot.start)
            except ExpressionError as error:
                yield view.fault(card, loc, error.text.en, error.text.zh, error.offset)
