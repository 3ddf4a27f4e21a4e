"""When a card last changed: by what its reader sees, part by part, and never forgotten."""

from __future__ import annotations

import json
import os
from dataclasses import field, make_dataclass, replace
from pathlib import Path

import pytest

from engine.text import Text, same
from quizbank import revisions
from quizbank.bank import Bank, load_bank, user_deck
from quizbank.card import Card, CodeDrill
from quizbank.card_file import read_card_file
from quizbank.home import Home
from quizbank.revisions import LEDGER, date_of, part_digests, revised, revised_as_kept, stamped
from tests.bank.decks import SAMPLE

HOUR = 3600


@pytest.fixture(scope="module")
def bank(computed: Home) -> Bank:
    return load_bank(computed, [SAMPLE])


@pytest.fixture(scope="module")
def card(bank: Bank) -> Card:
    return bank.card("sample-attention-scale")


def test_every_change_of_the_shipped_bank_has_its_time(bank: Bank) -> None:
    own = {card.id for card in bank.own_cards}
    known = {part: digest for part, (digest, _) in json.loads(LEDGER.read_text(encoding="utf-8")).items()}
    said = {
        f"{card.id}{name}": digest
        for card in bank.cards
        if card.id not in own
        for name, digest in part_digests(card).items()
    }
    changed = sorted(part for part in known.keys() | said.keys() if known.get(part) != said.get(part))
    assert changed == [], (
        "run python -m quizbank.revisions, and commit quizbank/revisions.json with the cards"
    )


def changed_parts(before: Card, after: Card) -> set[str]:
    old, new = part_digests(before), part_digests(after)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def test_a_change_belongs_to_the_part_that_says_it(card: Card) -> None:
    drill = card.drills[0]
    assert changed_parts(card, replace(card, answer=same("another"))) == {"#question"}
    first, *rest = card.key_points
    points = (replace(first, text=Text("another", "另一个")), *rest)
    assert changed_parts(card, replace(card, key_points=points)) == {"#question", "#key-points"}
    drills = (replace(drill, question=same("another")), *card.drills[1:])
    assert changed_parts(card, replace(card, drills=drills)) == {f"/{drill.id}"}
    added = (*card.drills, CodeDrill("more", same("Write it."), "attention"))
    assert changed_parts(card, replace(card, drills=added)) == {"/more"}


def test_what_no_reader_sees_is_no_change(card: Card) -> None:
    moved = replace(card, place="elsewhere.yaml:9:9", claims=("another",), needs=("other",), cited=())
    assert changed_parts(card, moved) == set()
    # a field that a later version adds, where it has its default
    later = make_dataclass("Later", [("colour", str, field(default="blue"))], bases=(CodeDrill,), frozen=True)
    drills = {kind: (kind("more", same("Write it."), "attention"),) for kind in (CodeDrill, later)}
    assert (
        changed_parts(replace(card, drills=drills[CodeDrill]), replace(card, drills=drills[later])) == set()
    )


def test_the_ledger_keeps_the_time_of_what_has_not_changed(card: Card) -> None:
    bank = Bank((card,))
    known = {part: (digest, when) for part, (digest, when) in read(stamped(bank, {}, HOUR)).items()}
    again = Bank((replace(card, answer=same("another")),))
    times = {part: when for part, (_, when) in read(stamped(again, known, 2 * HOUR)).items()}
    assert {part for part, when in times.items() if when == 2 * HOUR} == {f"{card.id}#question"}
    assert set(times.values()) == {HOUR, 2 * HOUR}
    assert stamped(bank, known, 3 * HOUR) == stamped(bank, {}, HOUR)


def read(ledger: str) -> dict[str, tuple[str, int]]:
    return {part: (digest, revisions._seconds(when)) for part, (digest, when) in json.loads(ledger).items()}


def test_a_card_of_ones_own_is_as_old_as_its_file(tmp_path: Path, card: Card) -> None:
    deck = tmp_path / "mine.yaml"
    deck.write_text(SAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    os.utime(deck, (HOUR, HOUR))
    bank = Bank(read_card_file(deck, str(deck)).cards, decks=[user_deck(deck)])
    times = revised(bank)
    assert times[card.id] == times[f"{card.id}#question"] == HOUR
    assert set(times) == {card.id, *(f"{card.id}{part}" for part in part_digests(card))}
    assert date_of({"one": 0, "other": HOUR}) == "1970-01-01"


def test_what_was_found_is_kept_until_a_file_or_a_card_changes(
    tmp_path: Path, card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck, cache = tmp_path / "mine.yaml", tmp_path / "cache"
    deck.write_text(SAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    os.utime(deck, (HOUR, HOUR))
    bank = Bank(read_card_file(deck, str(deck)).cards, decks=[user_deck(deck)])
    first = revised_as_kept(bank, cache)
    assert first == revised(bank)
    with monkeypatch.context() as patched:
        patched.setattr(revisions, "revised", None)
        assert revised_as_kept(bank, cache) == first
        with pytest.raises(TypeError):
            revised_as_kept(Bank((replace(card, answer=same("another")),), decks=bank.decks), cache)
    os.utime(deck, (2 * HOUR, 2 * HOUR))
    assert revised_as_kept(bank, cache)[card.id] == 2 * HOUR
