"""Very many plain cards: folded up in memory, and each the same as in its file whenever it is read."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quizbank.bank
from engine.text import Text, same
from quizbank.bank import Bank, load_bank
from quizbank.bundle import TOGETHER
from quizbank.card import NO_TRAP, NOTHING_SAID, Card, DemoRef, Level, Outline
from quizbank.card_cache import packed_cards, unpacked_cards
from quizbank.card_list import CardList, CardsById, Held
from quizbank.home import Home
from tests.bank.decks import SAMPLE, age, sample_card


def plain(card_id: str, question: Text, answer: Text, level: Level = "core", place: str = "") -> Card:
    return Card(
        card_id, "own", level, "unchecked", question, NOTHING_SAID, answer, (), NO_TRAP, (), (), (), (), (),
        kind="plain", place=place,
    )  # fmt: skip


def kept(cards: list[Card]) -> CardList:
    """The cards as they stand in memory when they come from the cache."""
    return loaded(json.loads(json.dumps(value, ensure_ascii=False)) for value in packed_cards(cards))


def loaded(values: Iterable[list[Any]]) -> CardList:
    held: dict[str, Held] = {}
    for value in values:
        held.update(unpacked_cards(value))
    return CardList(tuple(held), CardsById(held))


SAID = st.builds(Text, st.text(max_size=20), st.text(max_size=20)) | st.text(max_size=20).map(same)
SOME = st.lists(
    st.builds(
        lambda question, answer, level, tags, demos, file: replace(
            plain("", question, answer, level, f"{file}:7:5"),
            tags=tuple(tags),
            demos=tuple(DemoRef(demo, given) for demo, given in demos),
        ),
        SAID,
        SAID,
        st.sampled_from(["core", "deep", "expert"]),
        st.lists(st.text(max_size=5), max_size=2),
        st.lists(
            st.tuples(st.sampled_from(["D19", "D07"]), st.dictionaries(st.just("d_k"), st.integers(1, 3))),
            max_size=2,
        ),
        st.sampled_from(["", "one.yaml", "b:\udcff.yaml"]),
    ),
    max_size=8,
)


@settings(max_examples=40)
@given(SOME)
def test_any_card_read_is_the_card_that_was_kept(drawn: list[Card]) -> None:
    cards = [replace(card, id=f"c{number}") for number, card in enumerate(drawn)]
    found = kept(cards)
    assert list(found) == cards
    names = [name for name in dir(Outline) if not name.startswith("_")]
    assert {"topic", "file", "drills"} <= set(names)
    for (card_id, outline), card in zip(found.outlines(), cards, strict=True):
        assert card_id == card.id
        assert all(getattr(outline, name) == getattr(card, name) for name in names)


def test_full_cards_odd_ones_and_a_second_of_one_id_are_kept_whole() -> None:
    full, simple = sample_card(), plain("simple", same("q"), same("a"), place="own.yaml:1:5")
    # a field that no card file of today gives to a plain card
    odd = replace(simple, id="odd", claims=("ATT-01",))
    again = replace(simple, answer=same("another"), place="own.yaml:9:5")
    values = list(packed_cards([simple, full, odd, again]))
    assert [value[0] for value in values] == ["bundle", "whole"]
    whole = [card for _, card in unpacked_cards(values[1])]
    assert whole == [full, odd, again]


def test_a_list_of_cards_is_a_sequence() -> None:
    cards = [plain(f"c{number}", same(str(number)), same("a")) for number in range(2 * TOGETHER + 3)]
    found = kept(cards)
    assert (len(found), found[0], found[-1]) == (len(cards), cards[0], cards[-1])
    assert list(found[60:40:-3]) == cards[60:40:-3]
    assert found[5:7] == CardList.of(cards[5:7])
    assert found[5:7] != CardList.of(cards[6:8])
    assert cards[100] in found
    assert found.by_id["c7"] == cards[7]
    assert "c7x" not in found.by_id
    assert list(found[:2].joined(CardList.of([sample_card()]))) == [*cards[:2], sample_card()]


def test_very_many_cards_take_little_more_memory_than_their_ids() -> None:
    cards = [plain(f"own-{n}", same(f"What does layer {n} add?"), same("Its input.")) for n in range(2_000)]
    values = [json.dumps(value) for value in packed_cards(cards)]
    # what a card takes without its id, its texts and its place
    bare = len(cards) * sys.getsizeof(cards[0])
    tracemalloc.start()
    try:
        found = loaded(json.loads(value) for value in values)
        taken = tracemalloc.get_traced_memory()[0]
        assert taken < 2 * bare
        # to have read them all leaves only the last few in memory
        assert sum(len(card.answer.en) for card in found) == 10 * len(cards)
        assert tracemalloc.get_traced_memory()[0] - taken < bare / 2
    finally:
        tracemalloc.stop()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home, and a program that ships one card."""
    shipped = replace(quizbank.bank.shipped_deck(), files=(SAMPLE,))
    monkeypatch.setattr(quizbank.bank, "shipped_deck", lambda: shipped)
    return Home.in_folder(tmp_path / "home")


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    entries = (
        f"  - {{kind: plain, id: own-{n}, question: 'What does layer {n} add?', answer: 'Its input.'}}\n"
        for n in range(TOGETHER + 9)
    )
    path.write_text("topic: own\ncards:\n" + "".join(entries), encoding="utf-8")
    age(path)
    return path


def test_a_file_read_for_the_first_time_is_held_as_one_from_the_cache(deck: Path, home: Home) -> None:
    first, second = load_bank(home, [deck]), load_bank(home, [deck])
    assert first.cards == second.cards
    assert first.outlines["own-7"] is not first.by_id["own-7"]
    assert type(first.outlines["own-7"]) is type(second.outlines["own-7"])
    assert first.card("own-7").place == f"{deck}:10:5"


def test_two_files_with_one_id_are_told_of_plain_cards_too(deck: Path, home: Home, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    entry = "  - {kind: plain, id: own-3, question: Another?, answer: Yes.}\n"
    other.write_text("topic: own\ncards:\n" + entry + entry.replace("own-3", "new") * 2, encoding="utf-8")
    bank = load_bank(home, [deck, other])
    assert [(fault.where, fault.what.en) for fault in bank.faults] == [
        (f"{other}:3:5", f"the id own-3 is taken by {deck}:6:5"),
        (f"{other}:5:5", f"the id new is taken by {other}:4:5"),
    ]
    assert bank.card("own-3").question.en == "What does layer 3 add?"


def test_own_cards_are_those_of_ones_own_files(deck: Path, home: Home) -> None:
    bank = load_bank(home, [deck])
    assert set(bank.own_cards.ids) == {f"own-{n}" for n in range(TOGETHER + 9)}
    assert Bank(bank.cards).own_cards.ids == ()
