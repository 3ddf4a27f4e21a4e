"""Cards of one's own in their lighter form: a question and an answer, never passed off as proved."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import quizbank.bank
from quizbank import labels
from quizbank.bank import Bank, user_deck
from quizbank.card import UNCHECKED, Card
from quizbank.card_cache import packed, unpacked_card
from quizbank.card_file import read_card_file
from quizbank.card_json import card_json, listed_json
from quizbank.check import check_bank
from quizbank.home import Home
from quizbank.interview.plan import draw_opening
from quizbank.plain import card_text
from quizbank.search import Wanted
from quizbank.slots import Quantities
from tests.bank.decks import SAMPLE, sample_card

DECK = """topic: own
cards:
  - kind: plain
    id: residual
    question: 'What does a residual connection add to $F(x)$?'
    answer: 'Its input: $x + F(x)$.'
    tags: [block, 残差]
  - kind: plain
    id: backed
    level: deep
    question: {en: 'Why divide by $\\sqrt{d_k}$?', zh: '为什么要除以 $\\sqrt{d_k}$？'}
    answer: {en: 'It is @{D19.score_variance(d_k=256, scale=none)|.3g}.', zh: '是 @{D19.score_variance(d_k=256, scale=none)|.3g}。'}
    demos: [{id: D19, set: {d_k: 256}}]
"""


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(DECK, encoding="utf-8")
    return path


def cards(path: Path) -> tuple[Card, ...]:
    read = read_card_file(path)
    assert read.faults == ()
    return read.cards


def test_a_question_and_an_answer_are_a_card(deck: Path) -> None:
    residual, backed = cards(deck)
    assert (residual.kind, residual.level, residual.verdict) == ("plain", "core", UNCHECKED)
    assert residual.question.en == residual.question.zh
    assert residual.tags == ("block", "残差")
    assert (backed.level, backed.question.zh) == ("deep", "为什么要除以 $\\sqrt{d_k}$？")


def test_it_survives_the_cache(deck: Path) -> None:
    for card in cards(deck):
        assert unpacked_card(json.loads(json.dumps(packed(card)))) == card


def test_it_says_that_it_has_to_be_believed_unless_a_demonstration_backs_it(
    deck: Path, tmp_path: Path
) -> None:
    bank = Bank(cards(deck))
    quantities = Quantities(tmp_path)
    for language in ("en", "zh"):
        bare, backed = (card_text(card, bank, quantities, language) for card in bank.cards)
        believed = labels.NO_DEMONSTRATION.of(language)
        assert believed in bare
        assert labels.VERDICT[UNCHECKED].of(language) in bare
        assert believed not in backed
        assert "D19" in backed
        for heading in (labels.TRAP, labels.SPOKEN, labels.KEY_POINTS, labels.SOURCES):
            assert heading.of(language) not in bare


def test_scripts_see_what_is_missing(deck: Path, tmp_path: Path) -> None:
    bank = Bank(cards(deck))
    told = card_json(bank.cards[0], bank, Quantities(tmp_path))
    assert (told["kind"], told["trap"], told["spoken"], told["verdict"]) == ("plain", None, None, "unchecked")
    assert told["tags"] == ["block", "残差"]
    assert listed_json(bank.cards[0])["verdict"] == UNCHECKED


def test_a_tag_finds_it(deck: Path) -> None:
    bank = Bank(cards(deck))
    assert [card.id for card in bank.index.select(Wanted(text="残差"))] == ["residual"]


def test_only_what_would_break_it_is_a_fault(deck: Path, tmp_path: Path) -> None:
    quantities = Quantities(tmp_path)

    def faults(text: str) -> list[str]:
        deck.write_text(text, encoding="utf-8")
        read = read_card_file(deck)
        bank = Bank(read.cards, read.faults, decks=[user_deck(deck)])
        found = check_bank(bank, quantities, files=[str(deck)])
        return [fault.line("en").removeprefix(f"{deck}:") for fault in found]

    assert faults(DECK) == []
    wrong = DECK.replace("d_k: 256}}", "d_k: -1}}").replace("$x + F(x)$", "$\\frac{x$")
    outside, formula = sorted(faults(wrong))
    assert outside.startswith("13:13: backed, demos.1: d_k = -1 is out of range")
    assert formula.startswith("6:")


def test_its_form_is_checked_with_the_place(deck: Path) -> None:
    text = DECK.replace("    tags: [block, 残差]\n", "    trap: x\n    tags: [a b]\n    level: easy\n")
    deck.write_text(text, encoding="utf-8")
    read = read_card_file(deck)
    assert [card.id for card in read.cards] == ["backed"]
    assert sorted(fault.where.removeprefix(f"{deck}:") for fault in read.faults) == ["7:5", "8:12", "9:12"]


def test_no_interview_opens_with_it(deck: Path) -> None:
    plain = {card.id: card for card in cards(deck)}
    full = replace(sample_card(), level="core")
    assert {draw_opening({**plain, full.id: full}, seed=seed) for seed in range(8)} == {full.id}


def test_a_deck_of_them_is_studied_beside_the_bank(
    deck: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = quizbank.bank.shipped_deck()
    monkeypatch.setattr(quizbank.bank, "shipped_deck", lambda: replace(shipped, files=(SAMPLE,)))
    bank = quizbank.bank.load_bank(Home.in_folder(tmp_path / "home"), [deck])
    assert bank.faults == ()
    # behind the topics of the bank
    assert [card.id for card in bank.cards if card.is_plain] == ["residual", "backed"]
    assert [card.topic for card in bank.cards[-2:]] == ["own", "own"]
