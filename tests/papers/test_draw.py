"""Papers are balanced, mixed, repeatable, and say when the bank holds too little."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.card import KINDS, LEVELS, TOPICS, RecallDrill
from quizbank.papers.draw import draw
from quizbank.papers.paper import Paper, read_paper
from tests.papers.bank import CARDS, card, choice, number

SMALL_TOPICS = TOPICS[:5]


@st.composite
def banks(draw_):
    """Up to twelve cards of five topics with up to four drills each."""
    cards = []
    for at in range(draw_(st.integers(1, 12))):
        kinds = draw_(st.lists(st.sampled_from(("choice", "number", "recall")), min_size=1, max_size=4))
        make = {"choice": choice, "number": number, "recall": lambda id_: RecallDrill(id_, CARDS[0].question)}
        drills = [make[kind](f"{kind}-{place}") for place, kind in enumerate(kinds)]
        topic, level = draw_(st.sampled_from(SMALL_TOPICS)), draw_(st.sampled_from(LEVELS))
        cards.append(card(f"card-{at}", topic, drills, level))
    return tuple(cards)


@settings(max_examples=50)
@given(bank=banks(), count=st.integers(1, 30), seed=st.integers(0, 10**9))
def test_what_holds_of_every_paper(bank, count: int, seed: int) -> None:
    paper = draw(bank, count=count, seed=seed)
    available = [(one.topic, one.id, drill) for one in bank for drill in one.drills]
    asked = Counter(question.topic for question in paper.questions)
    keys = [question.variant.key for question in paper.questions]

    assert len(keys) == len(set(keys)) == min(count, len(available))
    assert (paper.shortfall is None) == (count <= len(available))
    for number_asked in asked.values():
        for other in {topic_ for topic_, _, _ in available}:
            left = sum(topic_ == other for topic_, _, _ in available) - asked[other]
            assert left == 0 or asked[other] >= number_asked - 1
    if len(keys) >= 2 and len({drill.kind for _, _, drill in available}) >= 2:
        assert len({question.variant.kind for question in paper.questions}) >= 2
    assert draw(tuple(reversed(bank)), count=count, seed=seed) == paper
    assert Paper.from_json(json.loads(paper.text())) == paper


def test_another_seed_is_another_paper() -> None:
    papers = [draw(CARDS, count=5, seed=seed) for seed in range(30)]
    assert len({paper.form for paper in papers}) == 30
    assert len({frozenset(question.variant.key for question in paper.questions) for paper in papers}) > 20


def test_the_seed_is_drawn_where_none_is_given_and_repeats_the_paper() -> None:
    paper = draw(CARDS, count=5)
    assert draw(CARDS, count=5, seed=paper.seed) == paper


def test_a_choice_of_topics_kinds_and_levels_is_kept_to() -> None:
    paper = draw(CARDS, topics=["attention"], kinds=["number", "recall"], levels=["core"], count=9, seed=1)
    assert {question.topic for question in paper.questions} == {"attention"}
    assert {question.variant.kind for question in paper.questions} == {"number", "recall"}
    assert {question.level for question in paper.questions} == {"core"}
    assert (paper.topics, paper.kinds, paper.levels) == (("attention",), ("number", "recall"), ("core",))
    assert paper.shortfall is not None
    assert "9" in paper.shortfall.en
    assert "2" in paper.shortfall.zh


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"topics": ["attenton"]}, "attention"),
        ({"kinds": ["riddle"]}, ", ".join(KINDS)),
        ({"levels": ["easy"]}, "core"),
        ({"count": 0}, "1 to 500"),
        ({"count": 501}, "1 to 500"),
        ({"minutes": 0}, "1 to 600"),
        ({"seed": -1}, "0 or more"),
        ({"topics": ["vit"]}, "no question"),
        ({"kinds": ["code"]}, "no question"),
    ],
)
def test_what_cannot_be_drawn_is_said(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        draw(CARDS, **wrong)


def test_a_paper_survives_its_file(tmp_path: Path) -> None:
    paper = draw(CARDS, count=8, minutes=15, seed=3)
    file = tmp_path / "paper.json"
    file.write_text(paper.text(), encoding="utf-8")
    assert read_paper(file) == paper
    assert json.loads(file.read_text(encoding="utf-8"))["form"] == paper.form


def test_a_file_that_is_no_paper_is_said(tmp_path: Path) -> None:
    file = tmp_path / "paper.json"
    good = draw(CARDS, count=3, seed=3).as_json()
    for content in ("", "[]", "{", "null", '{"format": 2}', json.dumps({**good, "questions": 5}),
                    json.dumps({**good, "seed": "3"}), json.dumps({**good, "questions": [{}]}), "[" * 100_000):  # fmt: skip
        file.write_text(content, encoding="utf-8")
        with pytest.raises(InputError) as found:
            read_paper(file)
        assert found.value.where == str(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError):
        read_paper(file)
    with pytest.raises(InputError):
        read_paper(tmp_path / "missing.json")
    with pytest.raises(InputError):
        read_paper(tmp_path)


def test_a_paper_edited_after_it_was_drawn_is_noticed() -> None:
    document = draw(CARDS, count=3, seed=3).as_json()
    document["questions"][0]["drill"] = "other"
    with pytest.raises(InputError, match="changed"):
        Paper.from_json(document)


@pytest.mark.parametrize("seed", range(40))
def test_two_kinds_come_up_wherever_they_can(seed: int) -> None:
    """The second kind is in one topic alone, which may have been asked with the first kind or not at all."""
    of_one_kind = [card(f"card-{topic}", topic, (choice("a"), choice("b"))) for topic in TOPICS[:3]]
    mixed = card("mixed", TOPICS[3], (choice("a"), number("n")))
    for count in (2, 3, 4, 6):
        paper = draw([*of_one_kind, mixed], count=count, seed=seed)
        assert {question.variant.kind for question in paper.questions} == {"choice", "number"}
        asked = Counter(question.topic for question in paper.questions)
        assert max(asked.values()) - min(asked[topic] for topic in TOPICS[:4]) <= 1
