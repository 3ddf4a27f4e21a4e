"""Sets of cards hold what they promise, and come in their own order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.text import Text
from quizbank.bank import Bank, load_bank
from quizbank.card_set import CardSet
from quizbank.check.card_sets import held_faults
from quizbank.check.view import View
from quizbank.home import Home
from quizbank.search import Wanted
from quizbank.slots import Quantities
from tests.bank.decks import sample_card

A = replace(sample_card(), id="a")
B = replace(sample_card(), id="b", needs=("a",))
SET = CardSet("evening", Text("Evening", "前夜"), Text("read", "读"), "read", 2, ("a", "b"))


def bank(*sets: CardSet) -> Bank:
    return Bank([A, B], sets=lambda: {one.id: one for one in sets})


@pytest.mark.parametrize(
    ("cards", "size", "told"),
    [
        (("a", "b"), 2, []),
        (("a", "b"), 3, ["2 cards, 3 are promised"]),
        (("a", "x"), 2, ["no card is called x"]),
        (("a", "a"), 2, ["a is there twice"]),
        (("b", "a"), 2, ["b stands before a, which it needs"]),
    ],
)
def test_the_compiler_tells_what_a_set_does_not_hold(
    tmp_path: Path, cards: tuple[str, ...], size: int, told: list[str]
) -> None:
    one = replace(SET, cards=cards, size=size)
    found = held_faults([one], View(bank(one), Quantities(tmp_path)), {"evening": "sets.yaml:2:3"})
    assert [fault.line("en") for fault in found] == [f"sets.yaml:2:3: evening: {line}" for line in told]


def test_the_cards_of_a_set_come_in_its_order() -> None:
    held = bank(replace(SET, cards=("b", "gone", "a")))
    assert [card.id for card in held.of_set("evening")] == ["b", "a"]
    assert [card.id for card in held.index.select(Wanted(cards=("b", "a")))] == ["b", "a"]
    with pytest.raises(InputError, match="there are: evening"):
        held.card_set("morning")


@pytest.mark.slow
def test_the_thirty_most_asked_are_thirty_core_cards_of_many_topics(computed: Home) -> None:
    shipped = load_bank(computed, lenient=True)
    thirty = shipped.of_set("thirty-most-asked")
    if not shipped.faults:
        assert len({card.id for card in thirty}) == len(thirty) == 30
        assert len(shipped.of_set("last-evening")) == 20
    assert {card.level for card in thirty} == {"core"}
    assert len({card.topic for card in thirty}) >= 12
