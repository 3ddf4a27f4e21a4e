"""Cards are found by what they are about and by words, in either language."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import Text
from quizbank.bank import Bank, shipped_deck
from quizbank.card import Card
from quizbank.card_file import read_card_file
from quizbank.search import SHELF, SearchIndex, Wanted, _body, folded
from tests.bank.decks import sample_card


@cache
def shipped() -> Bank:
    return Bank([card for file in shipped_deck().files for card in read_card_file(file).cards])


def card(name: str, en: str, zh: str, answer: str = "x") -> Card:
    return replace(sample_card(), id=name, question=Text(en, zh), answer=Text(answer, answer))


CARDS = [
    card("gates", "How does an LSTM forget?", "长短期记忆网络如何遗忘？"),
    card(
        "weights", "What are attention weights?", "注意力对齐是什么？", r"$\operatorname{softmax}(q \cdot k)$"
    ),
    card(
        "vanish",
        "Why do convolutions shift?",
        "卷积为什么平移？",
        "An LSTM helps; see multi-head, $d_k$ and 1/n.",
    ),
]


def ids(query: str, **wanted: str) -> list[str]:
    return [found.id for found in SearchIndex(CARDS).select(Wanted(text=query, **wanted))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lstm", ["gates", "vanish"]),
        ("ＬＳＴＭ", ["gates", "vanish"]),
        ("ls", ["gates", "vanish"]),
        ("stm", []),
        ("卷积", ["vanish"]),
        ("平移", ["vanish"]),
        ("积为", ["vanish"]),
        ("齐", ["weights"]),
        ("卷积 lstm", ["vanish"]),
        ("卷积 对齐", []),
        # Chinese is typed without spaces
        ("卷积平移", ["vanish"]),
        ("卷积的LSTM？", ["vanish"]),
        ("卷积对齐", []),
        ("长短期网络遗忘", ["gates"]),
        ("啊啊啊", []),
        ("softmax(q", []),
        ("{softmax}", ["weights"]),
        ("forget 遗忘", ["gates"]),
        ("multi-h", ["vanish"]),
        ("1/n", ["vanish"]),
        ("zebra", []),
    ],
)
def test_every_word_typed_must_occur(query: str, found: list[str]) -> None:
    assert ids(query) == found


def test_what_every_card_holds_finds_them_all_and_nothing_typed_too() -> None:
    assert ids("") == ids("  ") == ids("d19") == ids("vaswani") == ["gates", "weights", "vanish"]


def test_words_in_the_question_come_first() -> None:
    cards = [CARDS[2], CARDS[0]]
    assert [found.id for found in SearchIndex(cards).found("lstm")] == ["gates", "vanish"]


def test_topic_level_verdict_and_demonstration_narrow_what_words_find() -> None:
    index = SearchIndex(
        [CARDS[0], replace(CARDS[1], topic="rnn", level="deep"), replace(CARDS[2], verdict="true")]
    )

    def found(wanted: Wanted) -> list[str]:
        return [card.id for card in index.select(wanted)]

    assert found(Wanted(topics=("rnn",))) == ["weights"]
    assert found(Wanted(topics=("rnn", "attention"))) == ["gates", "weights", "vanish"]
    assert found(Wanted(level="core")) == ["gates", "vanish"]
    assert found(Wanted(verdict="true", text="lstm")) == ["vanish"]
    assert found(Wanted(verdict="true", text="遗忘")) == []
    assert found(Wanted(demo="D19")) == ["gates", "weights", "vanish"]
    assert found(Wanted(demo="D20")) == []


@pytest.mark.parametrize("query", ["lstm", "softmax", "梯度", "位置", "掩码", "checkpoint", "\\sqrt"])
def test_the_shipped_cards_are_found_by_what_they_say(query: str) -> None:
    found = shipped().index.found(query)
    assert found
    assert len(found) < len(shipped().cards)


VOCABULARY = st.sampled_from(
    ["lstm", "soft", "softmax", "d_k", "1/n", "multi-head", "q", "2", "卷积", "注意力", "力", "$", "\\", "K=V", "自注意力-2", "。"]
)  # fmt: skip


@given(st.lists(st.one_of(VOCABULARY, st.text(min_size=1, max_size=3)), max_size=3))
def test_the_fast_search_finds_what_reading_every_text_finds(words: list[str]) -> None:
    query = " ".join(words)

    def occurs(word: str, text: str) -> bool:
        latin = word.isascii() and word[0].isalnum()
        return re.search(("(?<![a-z0-9])" if latin else "") + re.escape(word), text) is not None

    def read(card: Card) -> list[str]:
        head = folded(" ".join([card.id, *card.question, card.topic, "attention 注意力"]))
        return [head, folded(" ".join(_body(card)))]

    wanted = {
        card.id for card in CARDS if all(any(occurs(w, t) for t in read(card)) for w in folded(query).split())
    }
    if wanted or not re.search("[\u3400-\u9fff]", folded(query)):
        assert set(ids(query)) == wanted
    # else Chinese is cut where it does not stand in any card as typed: see the examples


def test_what_is_searched_is_folded_once() -> None:
    index = SearchIndex(shipped().cards).ready()
    texts = [shelf.text for shelf in index._shelves]
    index.found("softmax")
    assert all(shelf.text is text for shelf, text in zip(index._shelves, texts, strict=True))


def test_cards_of_several_shelves_keep_their_order() -> None:
    many = [card(f"n{number:03d}", f"Layer {number}?", "层？", "gates") for number in range(2 * SHELF + 5)]
    many[SHELF] = replace(many[SHELF], question=Text("Gates?", "门？"))
    found = [one.id for one in SearchIndex(many).found("gates")]
    assert found[0] == many[SHELF].id
    assert found[1:] == [one.id for one in many if one is not many[SHELF]]
    assert [one.id for one in SearchIndex(many).found("layer 204")] == ["n204"]


def test_a_line_break_in_a_text_parts_no_words() -> None:
    cards = [card("broken", "What is teacher\nforcing,\tfor\u2028whom?", "教师强制？"), CARDS[0]]
    index = SearchIndex(cards, {"教师强制": ("teacher forcing",)})
    assert [one.id for one in index.found("教师强制")] == ["broken"]
    assert [one.id for one in index.found("whom")] == ["broken"]
    assert [one.id for one in index.found("lstm")] == ["gates"]


def test_of_a_query_as_long_as_a_pasted_page_only_the_beginning_is_read() -> None:
    assert ids("lstm " * 200_000 + "nowhere") == ids("lstm")
    assert ids("lstm nowhere") == []
