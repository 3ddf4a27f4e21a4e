"""The glossary: found in either language, read with the places of its faults, kept to by the cards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.text import Text
from quizbank.bank import GLOSSARY, SHIPPED, Bank, load_bank, load_glossary
from quizbank.card import Card
from quizbank.card_cache import CardCache
from quizbank.check.glossary import avoided, term_faults, wording_faults
from quizbank.check.view import View
from quizbank.fault import Fault
from quizbank.glossary import Glossary, Term
from quizbank.glossary_file import read_glossary
from quizbank.home import Home
from quizbank.search import SearchIndex
from quizbank.slots import Quantities
from tests.bank.decks import sample_card

STATE = Term(
    "hidden-state", Text("hidden state", "隐藏状态"), Text("What a layer knows.", "一层所知的内容。"),
    ("KV head",), ("隐状态",), "state",
)  # fmt: skip
FORCING = Term("teacher-forcing", Text("teacher forcing", "教师强制"), Text("True tokens.", "真实的前文。"))


def card(name: str, en: str, zh: str) -> Card:
    return replace(sample_card(), id=name, question=Text(en, zh))


def view(cards: list[Card], terms: list[Term], folder: Path) -> View:
    bank = Bank(cards, glossary=lambda: {term.key: term for term in terms})
    return View(bank, Quantities(folder))


def lines(faults: object) -> list[str]:
    assert hasattr(faults, "__iter__")
    return [fault.line("en") for fault in faults if isinstance(fault, Fault)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("hidden", ["hidden-state"]),
        ("隐状态", ["hidden-state"]),
        ("ＫＶ Head", ["hidden-state"]),
        ("前文", ["teacher-forcing"]),
        ("t", ["teacher-forcing", "hidden-state"]),
        ("", ["hidden-state", "teacher-forcing"]),
        ("zebra", []),
    ],
)
def test_a_term_is_found_by_any_of_its_names_and_by_its_explanation(query: str, found: list[str]) -> None:
    assert [term.key for term in Glossary([FORCING, STATE]).found(query)] == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("教师强制", ["english"]),
        ("teacher forcing", ["english"]),
        ("hidden state", ["chinese"]),
        ("隐状态", ["chinese"]),
        ("kv head", ["chinese"]),
        ("教师强制 斑马", []),
        ("强制", []),
    ],
)
def test_cards_are_found_by_the_other_names_of_a_term(query: str, found: list[str]) -> None:
    cards = [
        card("english", "Why teacher forcing?", "怎么训练？"),
        card("chinese", "What is kept?", "隐藏状态保存什么？"),
    ]
    index = SearchIndex(cards, Glossary([STATE, FORCING]).synonyms())
    assert [one.id for one in index.found(query)] == found


def test_the_compiler_tells_what_is_wrong_with_a_term(tmp_path: Path) -> None:
    looked_at = view([card("state", "x", "某")], [], tmp_path)
    assert lines(term_faults((STATE, FORCING), looked_at, {})) == []
    wrong = {
        "隐藏状态 names hidden-state already": replace(FORCING, also=("隐藏状态",)),
        "no card is called nowhere": replace(FORCING, card="nowhere"),
        "the Chinese explanation holds no Chinese": replace(FORCING, means=Text("x", "x")),
        "Chinese in the English name": replace(FORCING, name=Text("教师", "教师强制")),
        "half-width ,": replace(FORCING, means=Text("x", "真实,前文")),
        "no space between hanzi and Latin": replace(FORCING, means=Text("x", "用token训练")),
    }
    for told, term in wrong.items():
        (line,) = lines(term_faults((STATE, term), looked_at, {"teacher-forcing": "glossary.yaml:9:3"}))
        assert told in line
        assert line.startswith("glossary.yaml:9:3: teacher-forcing")


def test_a_card_that_uses_a_word_to_avoid_is_told_the_right_one(tmp_path: Path) -> None:
    group = Term("grouped", Text("grouped", "分组卷积"), Text("x", "某"), avoid=("组卷积",))
    cards = [
        card("wrong", "What is kept?", "隐状态与组卷积"),
        card("right", "隐状态", "隐藏状态与分组卷积"),
    ]
    looked_at = view(cards, [STATE, group], tmp_path)
    told = lines(wording_faults(looked_at, cards[0]))
    assert [line.split(", ", 1)[1] for line in told] == [
        "question.zh: 隐状态: the glossary says 隐藏状态 (hidden-state)",
        "question.zh: 组卷积: the glossary says 分组卷积 (grouped)",
    ]
    right = replace(cards[1], question=Text("What is kept?", "隐藏状态与分组卷积"))
    assert lines(wording_faults(looked_at, right)) == []


def test_a_fault_of_form_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "glossary.yaml"
    path.write_text(
        "- key: a\n  name: {en: one, zh: 一}\n  means: {en: x}\n- key: b\n  name: two\n  means: {en: y, zh: 某}\n  cards: c\n",
        encoding="utf-8",
    )
    terms, faults = read_glossary(path, "glossary.yaml")
    assert terms == {}
    assert [fault.where for fault in faults] == ["glossary.yaml:3:10", "glossary.yaml:7:3"]


def test_what_ships_is_large_whole_and_the_same_from_the_cache(tmp_path: Path) -> None:
    read, faults = read_glossary(SHIPPED / GLOSSARY)
    assert faults == ()
    assert len(read) >= 150
    cache = CardCache(tmp_path)
    for _ in range(2):
        kept, told = load_glossary(cache)
        assert kept == read
        assert told == []


@pytest.mark.slow
def test_every_card_of_the_shipped_glossary_is_there(computed: Home) -> None:
    bank = load_bank(computed, lenient=True)
    if not bank.faults:
        assert [term.key for term in bank.glossary.terms if term.card and term.card not in bank] == []


def test_demonstrations_programs_and_screens_use_the_words_of_the_glossary() -> None:
    terms = tuple(read_glossary(SHIPPED / GLOSSARY)[0].values())
    root = SHIPPED.parent
    files = [path for part in ("engine", "quizbank", "tui") for path in (root / part).rglob("*.py")]
    assert len(files) > 300
    found = []
    for path in files:
        # whose docstring shows how a word to avoid is declared
        text = "" if path.name == "glossary_file.py" else path.read_text(encoding="utf-8")
        for word, better, _, at in avoided(terms, text):
            if not word.isascii():
                found.append(
                    f"{path.relative_to(root)}:{text.count(chr(10), 0, at) + 1}: {word}, better {better}"
                )
    assert found == []
