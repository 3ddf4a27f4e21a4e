"""Every drill that ships, answered as a person would: the reference is accepted, each listed slip rejected and named.

The compiler asks the like of a card while it is written; here the grader of papers is asked, of all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from engine.coding import load
from quizbank.bank import load_bank, shipped_deck
from quizbank.card import Card, ChoiceDrill, CodeDrill, DerivationDrill, Drill, ExpressionDrill, NumberDrill
from quizbank.check.drills import as_typed
from quizbank.drills.graded import Graded
from quizbank.drills.grading import Grader
from quizbank.drills.variant import Variant
from quizbank.home import Home
from quizbank.slots import Quantities

pytestmark = pytest.mark.slow

MOST_VARIANTS = 6
Answering = tuple[dict[str, list[Card]], Grader, Quantities]


@pytest.fixture(scope="module")
def shipped(computed: Home) -> Answering:
    """The cards by their file, and what grades them."""
    cards = load_bank(computed, lenient=True).cards
    quantities = Quantities(computed.cache / "quantities")
    by_file: dict[str, list[Card]] = {}
    for card in cards:
        by_file.setdefault(card.place.partition(":")[0].rpartition("/")[2], []).append(card)
    return by_file, Grader({card.id: card for card in cards}, quantities.value, quantities.fill), quantities


@pytest.mark.parametrize("file", [path.name for path in shipped_deck().files])
def test_references_are_right_and_slips_are_wrong_by_name(shipped: Answering, file: str) -> None:
    by_file, grader, quantities = shipped
    faults: list[str] = []
    for card in by_file.get(file, []):
        for drill in card.drills:
            answer = _ASKED.get(type(drill))
            if answer is not None:
                faults += [
                    f"{card.id} {drill.id}: {fault}" for fault in answer(grader, quantities, card, drill)
                ]
    assert faults == []


def _choice(grader: Grader, quantities: Quantities, card: Card, drill: Drill) -> list[str]:
    assert isinstance(drill, ChoiceDrill)
    variant = Variant(card.id, drill.id, drill.kind, tuple(option.id for option in drill.options))
    outcomes = {option.id: grader.grade(variant, option.id) for option in drill.options}
    return [
        f"{option.id} is {outcomes[option.id].outcome}"
        for option in drill.options
        if outcomes[option.id].outcome != ("right" if option.right else "wrong")
        or not outcomes[option.id].feedback[0].en
    ]


def _number(grader: Grader, quantities: Quantities, card: Card, drill: Drill) -> list[str]:
    assert isinstance(drill, NumberDrill)
    faults: list[str] = []
    unnamed = set(drill.slips)
    for variables in itertools.islice(drill.variants(), MOST_VARIANTS):
        variant = Variant(card.id, drill.id, drill.kind, variables=variables)

        def graded(value: str, variant: Variant = variant) -> Graded:
            return grader.grade(variant, as_typed(quantities.value(value, variant.variables), drill.unit))

        if graded(drill.answer).outcome != "right":
            faults.append(f"the reference is {graded(drill.answer).outcome} at {variables}")
        for slip in drill.slips:
            found = graded(slip.value)
            if found.outcome != "wrong":
                faults.append(f"{slip.value} is {found.outcome} at {variables}")
            if found.slip is not None and found.slip.en == slip.name.en:
                unnamed.discard(slip)
    return faults + [f"{slip.value} is never named" for slip in unnamed]


def _written(grader: Grader, quantities: Quantities, card: Card, drill: Drill) -> list[str]:
    assert isinstance(drill, ExpressionDrill | DerivationDrill)
    variant = Variant(card.id, drill.id, drill.kind)
    before, answer = "", drill.goal if isinstance(drill, DerivationDrill) else drill.answer
    if isinstance(drill, DerivationDrill):
        before = "".join(f"= {milestone.line}\n" for milestone in drill.milestones) + "= "
    faults = []
    if (right := grader.grade(variant, before + answer)).outcome != "right":
        faults.append(f"the reference is {right.outcome}: {right.feedback}")
    for slip in drill.slips:
        found = grader.grade(variant, before + slip.value)
        # the good lines before a bad one earn their share
        if found.outcome != "wrong" and (found.outcome, bool(before)) != ("partial", True):
            faults.append(f"{slip.value} is {found.outcome}")
        elif found.slip is None or found.slip.en != slip.name.en:
            faults.append(f"{slip.value} is named {found.slip}")
        elif found.verdict is None or found.verdict.counterexample is None:
            faults.append(f"{slip.value} has no counterexample")
    return faults


def _code(grader: Grader, quantities: Quantities, card: Card, drill: Drill) -> list[str]:
    """The specifications' own slips are held by the tests of the specifications."""
    assert isinstance(drill, CodeDrill)
    graded = grader.grade(Variant(card.id, drill.id, drill.kind), load(drill.spec).solution)
    return [] if graded.outcome == "right" else [f"the solution is {graded.outcome}: {graded.feedback}"]


_ASKED: dict[type[Drill], Callable[[Grader, Quantities, Card, Drill], list[str]]] = {
    ChoiceDrill: _choice,
    NumberDrill: _number,
    ExpressionDrill: _written,
    DerivationDrill: _written,
    CodeDrill: _code,
}
