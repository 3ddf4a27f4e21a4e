"""Cards that meet the same popular error lead to one another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.text import Text
from quizbank.bank import Bank
from quizbank.card import Card, FollowUp, Trap
from quizbank.check.traps import unlinked_traps
from quizbank.check.view import View
from quizbank.slots import Quantities
from tests.bank.decks import sample_card


def card(name: str, refuted_by: str, leads_to: str = "", needs: tuple[str, ...] = ()) -> Card:
    asked = Text("What next?", "接下来呢？")
    return replace(
        sample_card(),
        id=name,
        trap=Trap(asked, asked, refuted_by),
        follow_ups=(FollowUp(asked, asked, leads_to),),
        needs=needs,
    )


def told(folder: Path, *cards: Card) -> list[str]:
    view = View(Bank(cards), Quantities(folder))
    return [fault.what.en.partition(",")[0] for fault in unlinked_traps(cards, view)]


def test_the_same_refutation_needs_a_way_between_the_cards_in_either_direction(tmp_path: Path) -> None:
    assert told(tmp_path, card("a", "D19.x"), card("b", "D19.x"), card("c", "D19.y")) == ["b"]
    assert told(tmp_path, card("a", "D19.x", "b"), card("b", "D19.x")) == []
    assert told(tmp_path, card("a", "D19.x"), card("b", "D19.x", needs=("a",))) == []
    assert told(tmp_path, card("a", "D19.x", "b"), card("b", "D19.x", "c"), card("c", "D19.x")) == []
    assert told(tmp_path, card("a", "D19.x", "z"), card("z", "D19.y", "b"), card("b", "D19.x")) == ["b"]
