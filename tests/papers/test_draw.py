"""Papers are balanced, mixed, repeatable, and say when the bank holds too little."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.card import KINDS, LEVELS, TOPICS, CodeDrill, DerivationDrill, ExpressionDrill, RecallDrill
from quizbank.papers.draw import draw
from quizbank.papers.paper import Paper, read_paper
from quizbank.papers.weakness import shares
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
        # where it is no JSON the line and the column are named
        assert found.value.where in (str(file), f"{file}:1:1", f"{file}:1:2")
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


@pytest.mark.parametrize("seed", range(10))
def test_every_kind_comes_up_as_often_as_every_other(seed: int) -> None:
    """Each topic has two cards with a drill of each of the six kinds."""
    text = CARDS[0].question
    made = (
        choice("choice"),
        number("number"),
        ExpressionDrill("expression", text, "x", {"x": "real"}),
        DerivationDrill("derivation", text, "x", "y", {"x": "real", "y": "real"}, ()),
        CodeDrill("code", text, "attention"),
        RecallDrill("recall", text),
    )
    bank = [card(f"{topic}-{at}", topic, made) for topic in TOPICS[:5] for at in range(2)]
    for weights in (None, {TOPICS[0]: 0.9, TOPICS[1]: 0.1}):
        paper = draw(bank, count=18, seed=seed, weights=weights)
        assert Counter(question.variant.kind for question in paper.questions) == dict.fromkeys(KINDS, 3)


def test_siblings_are_kept_apart_wherever_they_can_be() -> None:
    for seed in range(60):
        paper = draw(CARDS, count=14, seed=seed)
        cards = [question.variant.card for question in paper.questions]
        assert all(one != other for one, other in itertools.pairwise(cards))


@pytest.mark.slow
@given(bank=banks(), count=st.integers(1, 30), seed=st.integers(0, 10**9))
def test_no_order_has_fewer_neighbours_of_one_card(bank, count: int, seed: int) -> None:
    cards = [question.variant.card for question in draw(bank, count=count, seed=seed).questions]
    met = sum(one == other for one, other in itertools.pairwise(cards))
    # of n questions of one card and m others, n - 1 - m pairs must meet
    most = max(Counter(cards).values())
    assert met == max(0, 2 * most - 1 - len(cards))


@st.composite
def weighted(draw_):
    """Weights of a few topics, their drills, and a number of questions."""
    topics = draw_(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=8, unique=True))
    weights = {topic: draw_(st.floats(0.01, 0.99)) for topic in topics}
    room = {topic: draw_(st.integers(1, 12)) for topic in topics}
    return weights, room, draw_(st.integers(1, 60))


@given(case=weighted(), seed=st.integers(0, 10**6))
def test_shares_of_the_weak(case, seed: int) -> None:
    weights, room, count = case
    found = shares(weights, room, count, seed)
    assert sum(found.values()) == min(count, sum(room.values()))
    assert all(number <= room[topic] for topic, number in found.items())
    if count >= len(room):
        assert min(found.values()) >= 1
    for topic, asked in found.items():
        for weaker, others in found.items():
            if weights[topic] <= weights[weaker]:
                # the weaker topic is never two questions behind, unless it has no more
                assert others >= asked - 1 or others == room[weaker]
    assert shares(dict(reversed(weights.items())), dict(reversed(room.items())), count, seed) == found


def test_the_expected_number_of_questions_is_proportional_to_the_weight() -> None:
    weights = {"attention": 0.8, "bert": 0.4, "rnn": 0.2, "vit": 0.6}
    room = dict.fromkeys(weights, 40)
    seeds = 2000
    counted = Counter[str]()
    for seed in range(seeds):
        counted.update(shares(weights, room, 11, seed))
    for topic, weight in weights.items():
        expected = 11 * weight / sum(weights.values())
        part = expected % 1
        # each number is the expected one rounded up or down: a Bernoulli variable of that mean
        assert abs(counted[topic] / seeds - expected) < 5 * (part * (1 - part) / seeds) ** 0.5 + 1e-9


@settings(max_examples=50)
@given(bank=banks(), count=st.integers(1, 30), seed=st.integers(0, 10**9), low=st.floats(0.01, 0.9))
def test_a_weighted_paper_is_recorded_and_drawn_again(bank, count: int, seed: int, low: float) -> None:
    weights = {topic: low if place % 2 else 0.9 for place, topic in enumerate(SMALL_TOPICS)}
    paper = draw(bank, count=count, seed=seed, weights=weights)
    topics = {one.topic for one in bank}
    asked = Counter(question.topic for question in paper.questions)
    keys = [question.variant.key for question in paper.questions]
    assert len(keys) == len(set(keys)) == min(count, sum(len(one.drills) for one in bank))
    assert paper.weights == {topic: weights[topic] for topic in TOPICS if topic in topics}
    if count >= len(topics):
        assert set(asked) == topics
    again = Paper.from_json(json.loads(paper.text()))
    assert again == paper
    assert draw(bank, count=count, seed=again.seed, weights=again.weights) == paper


def test_weak_topics_get_more_and_strong_ones_keep_a_turn() -> None:
    bank = [
        card(f"{topic}-{at}", topic, (choice("a"), number("b"))) for topic in TOPICS[:4] for at in range(10)
    ]
    weights = {TOPICS[0]: 0.95, TOPICS[1]: 0.03, TOPICS[2]: 0.03, TOPICS[3]: 0.03}
    paper = draw(bank, count=12, seed=4, weights=weights)
    asked = Counter(question.topic for question in paper.questions)
    assert asked == {TOPICS[0]: 9, TOPICS[1]: 1, TOPICS[2]: 1, TOPICS[3]: 1}
    assert {question.variant.kind for question in paper.questions} == {"choice", "number"}


def test_papers_without_weights_keep_their_form() -> None:
    assert "weights" not in draw(CARDS, count=3, seed=3).as_json()
    document = draw(CARDS, count=3, seed=3, weights={}).as_json()
    assert set(document["weights"].values()) == {1.0}
    for wrong in ([], {"attention": "1"}, {"attention": True}, {"attention": 0}, {"cooking": 1.0}):
        with pytest.raises(InputError, match="not a self-test paper"):
            Paper.from_json({**document, "weights": wrong})
    document["weights"]["attention"] = 0.25
    with pytest.raises(InputError, match="changed"):
        Paper.from_json(document)
    with pytest.raises(InputError, match="positive"):
        draw(CARDS, count=3, weights={"attention": 0.0})
