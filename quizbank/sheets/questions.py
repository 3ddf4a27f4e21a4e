"""The drills of a card as a sheet prints them: one variant each, filled, with its key."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import Text
from quizbank.card import Card, ChoiceDrill, DerivationDrill, Drill, ExpressionDrill, NumberDrill, Option
from quizbank.drills.variant import Variant, draw_variant
from quizbank.slot_grammar import rounded
from quizbank.slots import Quantities, filled

LETTERS = "ABCDEFGH"
LINES_TO_WRITE = {"choice": 2, "number": 2, "expression": 4, "derivation": 12, "code": 16, "recall": 6}
"""Room on paper, by kind."""


@dataclass(frozen=True)
class Asked:
    """A drawn drill: its texts filled, a choice's options in their printed order.

    ``answer`` is a number drill's key with its unit, as printed; ``slips`` are (value, name).
    """

    drill: Drill
    question: Text
    options: tuple[Option, ...] = ()
    answer: str = ""
    slips: tuple[tuple[str, Text], ...] = ()


def ask(card: Card, seed: int, quantities: Quantities) -> tuple[Asked, ...]:
    """Every drill of the card in the variant that this seed draws.

    Raises:
        InputError: a quantity of a drill cannot be computed.
    """
    return tuple(
        ask_variant(drill, draw_variant(card, drill, seed), quantities, drill.question)
        for drill in card.drills
    )


def ask_variant(drill: Drill, variant: Variant, quantities: Quantities, question: Text) -> Asked:
    """One drill in a variant drawn before, ``question`` being how it is put. Raises InputError as :func:`ask`."""

    def fill(text: str) -> str:
        return quantities.fill(text, variant.variables)

    question = filled(question, fill)
    if isinstance(drill, ChoiceDrill):
        by_id = {option.id: filled(option, fill) for option in drill.options}
        return Asked(drill, question, tuple(by_id[option] for option in variant.options))
    if isinstance(drill, NumberDrill):
        unit = f" {drill.unit}" if drill.unit else ""
        key = rounded(quantities.answer(drill, variant.variables), 6) + unit
        slips = tuple(
            (
                rounded(float(quantities.value(slip.value, variant.variables)), 6) + unit,
                filled(slip.name, fill),
            )
            for slip in drill.slips
        )
        return Asked(drill, question, (), key, slips)
    if isinstance(drill, ExpressionDrill):
        slips = tuple((f"`{slip.value}`", filled(slip.name, fill)) for slip in drill.slips)
        return Asked(drill, question, (), f"`{drill.answer}`", slips)
    if isinstance(drill, DerivationDrill):
        lines = (drill.start, *(milestone.line for milestone in drill.milestones), drill.goal)
        return Asked(drill, question, (), " = ".join(f"`{line}`" for line in lines))
    return Asked(drill, question)
