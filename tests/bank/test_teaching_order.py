"""What a card needs comes before it, and a circle of needs is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizbank.bank import load_bank
from quizbank.card import Card
from quizbank.check import check_bank
from quizbank.home import Home
from quizbank.slots import Quantities
from quizbank.teaching_order import circle_through, teaching_order
from tests.bank.decks import bank_of, sample_card, several

LEVEL = Literal["core", "deep", "expert"]


def card(id_: str, level: LEVEL = "core", needs: tuple[str, ...] = (), topic: str = "attention") -> Card:
    return replace(sample_card(), id=id_, level=level, needs=needs, topic=topic)


def order_of(cards: Iterable[Card]) -> list[str]:
    return list(teaching_order({c.id: c for c in cards}))


def test_needs_come_first_then_the_more_basic_then_the_order_of_the_files() -> None:
    cards = [
        card("later", "core", ("deep-one",)),
        card("deep-one", "deep"),
        card("basic", "core"),
        card("other", "core", topic="rnn"),
    ]
    assert order_of(cards) == ["other", "basic", "deep-one", "later"]


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.sampled_from(["core", "deep", "expert"]), st.sets(st.integers(0, 7), max_size=3)),
        max_size=8,
    )
)
def test_any_needs_without_a_circle_are_kept(drawn: list[tuple[LEVEL, set[int]]]) -> None:
    cards = [
        card(f"c{i}", level, tuple(f"c{need}" for need in sorted(needs) if need < i))
        for i, (level, needs) in enumerate(drawn)
    ]
    order = order_of(cards)
    assert sorted(order) == sorted(c.id for c in cards)
    for c in cards:
        assert all(order.index(need) < order.index(c.id) for need in c.needs)


def test_a_circle_is_found_and_broken() -> None:
    cards = {c.id: c for c in (card("a", needs=("b",)), card("b", needs=("c",)), card("c", needs=("a",)))}
    assert circle_through(cards["a"], cards) == ("a", "b", "c", "a")
    assert set(order_of(cards.values())) == {"a", "b", "c"}
    assert circle_through(card("x", needs=("a",)), {**cards, "x": card("x", needs=("a",))}) == ()


def test_the_compiler_tells_a_need_that_is_not_there_and_a_circle(tmp_path: Path) -> None:
    first = sample_card().id
    path = several(
        tmp_path,
        [("    claims: [dot-product-variance]", "    claims: [dot-product-variance]\n    needs: [second, nowhere]")],
        [(f"id: {first}", "id: second"), ("    claims: [dot-product-variance]", f"    claims: [dot-product-variance]\n    needs: [{first}]")],
    )  # fmt: skip
    found = [fault.line("en") for fault in check_bank(bank_of(path), Quantities(tmp_path))]
    assert any("no card is called nowhere" in line for line in found)
    assert any("the needs run in a circle" in line for line in found)


@pytest.mark.slow
def test_the_shipped_bank_runs_from_basic_to_special(computed: Home) -> None:
    cards = load_bank(computed).cards
    place = {c.id: i for i, c in enumerate(cards)}
    for c in cards:
        for need in c.needs:
            if cards[place[need]].topic == c.topic:
                assert place[need] < place[c.id]
