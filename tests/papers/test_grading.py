"""An answer is graded beside the reference, with the slip it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.text import Text
from quizbank.card import NumberDrill, Slip
from quizbank.drills.graded import Graded
from quizbank.drills.grading import Grader, grade_number, tick
from quizbank.drills.recall import propose, terms
from quizbank.drills.variant import Variant, draw_variant, find_drill
from tests.papers.bank import CARDS, POINTS, card, choice, every_kind, grader, number

CARD = CARDS[0]
CHOICE, NUMBER, RECALL = CARD.drills


def at(d_k: int) -> Variant:
    return Variant(CARD.id, "compute", "number", variables={"d_k": d_k})


def test_the_same_seed_gives_the_same_variant_and_others_differ() -> None:
    variants = [draw_variant(CARD, CHOICE, seed) for seed in range(40)]
    assert variants == [draw_variant(CARD, CHOICE, seed) for seed in range(40)]
    orders = {variant.options for variant in variants}
    assert len(orders) > 12
    assert all(sorted(order) == ["a", "b", "c", "d"] for order in orders)
    drawn = {draw_variant(CARD, NUMBER, seed).variables["d_k"] for seed in range(40)}
    assert drawn == {64, 128, 256, 512}


def test_every_order_and_value_comes_up_equally_often() -> None:
    first = [draw_variant(CARD, CHOICE, seed).options[0] for seed in range(2000)]
    values = [draw_variant(CARD, NUMBER, seed).variables["d_k"] for seed in range(2000)]
    for found in (first, values):
        for one in set(found):
            assert abs(found.count(one) - 500) < 5 * (2000 * 0.25 * 0.75) ** 0.5


def test_a_variant_survives_json_and_finds_its_drill() -> None:
    for drill in CARD.drills:
        variant = draw_variant(CARD, drill, 7)
        again = Variant.from_json(json.loads(json.dumps(variant.as_json())))
        assert again == variant
        assert find_drill({CARD.id: CARD}, again) == (CARD, drill)


@pytest.mark.parametrize(
    "document",
    [None, [], {}, {"card": 1, "drill": "x", "kind": "choice"}, {"card": "a", "drill": "b", "kind": "riddle"},
     {"card": "a", "drill": "b", "kind": "choice", "options": [1]},
     {"card": "a", "drill": "b", "kind": "number", "variables": {"x": []}}],
)  # fmt: skip
def test_what_is_no_variant_is_refused(document: object) -> None:
    with pytest.raises(InputError):
        Variant.from_json(document)


def test_a_drill_that_is_gone_or_changed_is_said() -> None:
    variant = draw_variant(CARD, CHOICE, 1)
    with pytest.raises(InputError, match="no longer in the bank"):
        find_drill({}, variant)
    with pytest.raises(InputError, match="no longer in the bank"):
        find_drill({CARD.id: card(CARD.id, "attention", (number("compute"),))}, variant)
    shorter = choice("choose")
    shorter = type(shorter)(shorter.id, shorter.question, shorter.options[:3])
    with pytest.raises(InputError, match="changed"):
        find_drill({CARD.id: card(CARD.id, "attention", (shorter,))}, variant)
    with pytest.raises(InputError, match="changed"):
        find_drill({CARD.id: CARD}, Variant(CARD.id, "compute", "number", variables={"n": 1}))


def test_a_wrong_choice_brings_both_feedbacks() -> None:
    variant = draw_variant(CARD, CHOICE, 3)
    wrong = grader().grade(variant, "c")
    assert (wrong.outcome, wrong.points) == ("wrong", 0.0)
    assert wrong.given.en == "option c"
    assert wrong.reference.en == "option b"
    assert [text.en for text in wrong.feedback] == ["because c", "because b"]
    right = grader().grade(variant, "b")
    assert (right.outcome, right.points) == ("right", 1.0)
    assert [text.zh for text in right.feedback] == ["因为 b"]
    with pytest.raises(InputError, match="option"):
        grader().grade(variant, "e")


@pytest.mark.parametrize(
    ("typed", "outcome", "points", "slip"),
    [
        ("768", "right", 1.0, None),
        ("3*256", "right", 1.0, None),
        ("770", "right", 1.0, None),
        ("256", "wrong", 0.0, "forgot the factor 3"),
        ("16", "wrong", 0.0, "took the deviation at 256"),
        ("√256", "wrong", 0.0, "took the deviation at 256"),
        ("500", "wrong", 0.0, None),
        ("seven", "not-understood", None, None),
        ("", "not-understood", None, None),
        ("9^9^9", "not-understood", None, None),
    ],
)
def test_a_number_is_judged_and_its_slip_named(
    typed: str, outcome: str, points: float | None, slip: str | None
) -> None:
    graded = grader().grade(at(256), typed)
    assert (graded.outcome, graded.points) == (outcome, points)
    assert (graded.slip and graded.slip.en) == slip
    assert graded.reference.en == "768"
    assert graded.given.en == typed
    assert (graded.verdict.counterexample is not None) == (outcome == "wrong")


@pytest.mark.parametrize("d_k", NUMBER.vary["d_k"])
def test_every_reference_is_accepted_and_every_slip_rejected(d_k: int) -> None:
    grade = grader().grade
    assert grade(at(d_k), grade(at(d_k), "0").reference.en).outcome == "right"
    for slip in NUMBER.slips:
        typed = str(grader().evaluate(slip.value, {"d_k": d_k}))
        assert grade(at(d_k), typed).slip.zh == grader().fill(slip.name.zh, {"d_k": d_k})


def test_a_slip_within_the_tolerance_of_the_answer_is_right() -> None:
    drill = NumberDrill(
        "near", Text("?", "？"), answer="100", rel=0.05, slips=(Slip("104", Text("slip", "错")),)
    )
    graded = grade_number(drill, {}, "104", grader().evaluate)
    assert (graded.outcome, graded.slip) == ("right", None)


@pytest.mark.parametrize(
    ("unit", "typed", "outcome"),
    [
        ("GiB", "768 GiB", "right"),
        ("GiB", "768", "wrong"),
        ("GiB", "768 GB", "wrong"),
        ("GiB", "0.75 TiB", "right"),
        ("%", "7.68", "right"),
        ("%", "768%", "right"),
        ("%", "768", "wrong"),
        ("tokens", "768 tokens", "right"),
        ("tokens", "768", "wrong"),
        ("FLOP/byte", "768 FLOP/B", "right"),
        ("ms", "0.768 s", "right"),
    ],
)
def test_the_unit_is_part_of_the_answer(unit: str, typed: str, outcome: str) -> None:
    graded = grade_number(number("compute", unit), {"d_k": 256}, typed, grader().evaluate)
    assert graded.outcome == outcome, graded.feedback


def test_a_measured_reference_is_not_asked_beyond_float_noise() -> None:
    drill = NumberDrill("noise", Text("?", "？"), answer="x")
    assert grade_number(drill, {}, "0.3", lambda expression, variables: 0.1 + 0.2).outcome == "right"
    assert grade_number(drill, {}, "0.300001", lambda expression, variables: 0.1 + 0.2).outcome == "wrong"
    assert grade_number(drill, {}, "256", lambda expression, variables: 256.0).outcome == "right"
    with pytest.raises(InputError, match="finite"):
        grade_number(drill, {}, "1", lambda expression, variables: float("inf"))


def test_ticks_are_proposed_and_decide_nothing() -> None:
    graded = grader().grade(Variant(CARD.id, "say", "recall"), "the variance of q·k is proportional to dk")
    assert (graded.outcome, graded.points) == ("to-tick", None)
    assert [point.proposed for point in graded.ticks] == [True, False, False]
    assert {"varianc", "proportional", "dk"} <= set(graded.ticks[0].matched)
    assert all(point.ticked is None for point in graded.ticks)


@pytest.mark.parametrize(
    ("said", "proposed"),
    [
        ("方差与 d_k 成正比", [True, False, False]),
        ("softmax 饱和之后梯度消失", [False, True, False]),
        ("各分量独立、零均值", [False, False, True]),
        ("Large scores saturate softmax: gradients vanish. Assumes zero mean, independent entries.", [False, True, True]),
        ("", [False, False, False]),
        ("注意力", [False, False, False]),
    ],
)  # fmt: skip
def test_proposals_in_either_language(said: str, proposed: list[bool]) -> None:
    assert [point.proposed for point in propose(POINTS, said)] == proposed


def test_one_name_however_its_subscript_is_typed() -> None:
    assert terms("d_k") == terms("dk") == terms("$d_{k}$") == {"dk"}
    assert "sqrt" in terms(r"$\frac{1}{\sqrt{d_k}}$")
    assert "frac" not in terms(r"$\frac{1}{2}$")
    assert {"left", "right"} <= terms("left-to-right")


@given(st.text(max_size=200))
def test_anything_said_gets_a_proposal(said: str) -> None:
    assert [point.id for point in propose(POINTS, said)] == [point.id for point in POINTS]
    assert all(0 <= point.overlap <= 1 for point in propose(POINTS, said))


@pytest.mark.parametrize(
    ("ticked", "points", "outcome"),
    [((), 0.0, "wrong"), (("saturation",), 1 / 3, "partial"), (("saturation", "premises", "variance-grows"), 1.0, "right")],
)  # fmt: skip
def test_the_person_ticks(ticked: tuple[str, ...], points: float, outcome: str) -> None:
    graded = tick(grader().grade(Variant(CARD.id, "say", "recall"), "something"), ticked)
    assert (graded.points, graded.outcome) == (pytest.approx(points), outcome)
    assert {point.id for point in graded.ticks if point.ticked} == set(ticked)
    with pytest.raises(InputError, match="key point"):
        tick(graded, ["no such"])


def test_what_was_graded_survives_json() -> None:
    for variant, given_ in ((draw_variant(CARD, CHOICE, 1), "a"), (at(256), "256"), (at(256), "1 2"),
                            (Variant(CARD.id, "say", "recall"), "饱和")):  # fmt: skip
        graded = grader().grade(variant, given_)
        assert Graded.from_json(json.loads(json.dumps(graded.as_json()))) == graded


def test_what_was_typed_is_never_filled() -> None:
    """A typed slot is text, not a request to compute."""
    graded = grader().grade(Variant(CARD.id, "say", "recall"), "@{D19.score_variance(d_k=256)}")
    assert graded.given.en == "@{D19.score_variance(d_k=256)}"


def test_every_kind_is_graded_by_the_same_call() -> None:
    one = every_kind("one", "bert")
    assert isinstance(grader((one,)), Grader)
    kinds = [
        grader((one,)).grade(draw_variant(one, drill, 1), answer).kind
        for drill, answer in zip(one.drills, ("a", "1", "x"), strict=True)
    ]
    assert kinds == ["choice", "number", "recall"]
