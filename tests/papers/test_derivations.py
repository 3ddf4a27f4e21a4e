"""Derivations: a whole one earns everything, a hint costs its stage, the first bad line is named, true lines are never wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers.judge import Case, judge
from engine.answers.verdict import Verdict
from engine.errors import InputError
from engine.text import same
from quizbank.card import DerivationDrill, Milestone, Slip
from quizbank.card_file import read_card_file
from quizbank.drills.derivation import Route, form_faults, grade_derivation
from quizbank.drills.graded import Graded

_READ = read_card_file(Path(__file__).parents[1] / "data" / "derivations.yaml")
DRILLS = [drill for card in _READ.cards for drill in card.drills if isinstance(drill, DerivationDrill)]
each_drill = pytest.mark.parametrize("drill", DRILLS, ids=lambda drill: drill.id)


@cache
def _kept(case: str) -> Verdict:
    mode, typed, reference, symbols, options = json.loads(case)
    return judge(Case(mode, typed, reference, symbols, options))


def judged(case: Case) -> Verdict:
    """The verdict, each case decided once."""
    return _kept(json.dumps([case.mode, case.input, case.reference, dict(case.symbols), dict(case.options)]))


def graded(drill: DerivationDrill, *lines: str) -> Graded:
    return grade_derivation(drill, "\n".join(lines), judged)


def whole(drill: DerivationDrill) -> list[str]:
    return [*(milestone.line for milestone in drill.milestones), drill.goal]


def own(lines: Sequence[str]) -> list[str]:
    return [f"= {line}" for line in lines]


def a_drill(
    start: str, goal: str, symbols: dict[str, str], *milestones: str, slip: str = ""
) -> DerivationDrill:
    return DerivationDrill(
        "drill", same("?"), start, goal, symbols, tuple(Milestone(line, same("hint")) for line in milestones),
        slips=(Slip(slip, same("the slip")),) if slip else (),
    )  # fmt: skip


def test_the_deck_is_read() -> None:
    assert not _READ.faults
    assert len(DRILLS) == 6


@each_drill
def test_a_derivation_of_ones_own_earns_everything(drill: DerivationDrill) -> None:
    assert list(form_faults(drill)) == []
    answer = graded(drill, *own(whole(drill)))
    assert (answer.outcome, answer.points) == ("right", 1.0)
    assert [line.verdict for line in answer.lines] == ["equal"] * len(whole(drill))
    assert all(line.reading and not line.hint for line in answer.lines)
    assert answer.verdict is not None
    assert answer.verdict.verdict == "equal"


@each_drill
def test_a_slip_is_wrong_and_has_its_name(drill: DerivationDrill) -> None:
    for slip in drill.slips:
        answer = graded(drill, f"= {slip.value}")
        assert (answer.outcome, answer.points, answer.slip) == ("wrong", 0.0, slip.name)
        assert answer.verdict is not None
        assert answer.verdict.counterexample is not None
        assert answer.verdict.line == 2
        # the way to it still counts
        answer = graded(drill, *own(whole(drill)[:-1]), f"= {slip.value}", f"= {drill.goal}")
        stages = len(drill.milestones) + 1
        assert (answer.outcome, answer.slip) == ("partial", slip.name)
        assert answer.points == pytest.approx((stages - 1) / stages)
        assert [line.verdict for line in answer.lines[-2:]] == ["different", "unchecked"]


@each_drill
@settings(max_examples=8)
@given(data=st.data())
def test_any_of_the_lines_may_be_left_out_or_taken_from_a_hint(
    drill: DerivationDrill, data: st.DataObject
) -> None:
    way = whole(drill)[:-1]
    marks = data.draw(st.lists(st.sampled_from(("=", "?=", "")), min_size=len(way), max_size=len(way)))
    lines = [f"{mark} {line}" for mark, line in zip(marks, way, strict=True) if mark]
    answer = graded(drill, *lines, f"= {drill.goal}")
    stages = len(way) + 1
    # without a mark of one's own nothing between start and goal is the person's
    expected = (stages - marks.count("?=") if "=" in marks else 1) / stages
    assert answer.points == pytest.approx(expected)
    assert answer.outcome == ("right" if expected == 1 else "partial")
    assert [line.hint for line in answer.lines] == [mark == "?=" for mark in marks if mark] + [False]


@pytest.mark.slow
@each_drill
@settings(max_examples=8)
@given(data=st.data())
def test_the_first_disturbed_line_is_the_one_named(drill: DerivationDrill, data: st.DataObject) -> None:
    way = whole(drill)
    place = data.draw(st.integers(0, len(way) - 1))
    added = data.draw(st.sampled_from(("1", "1/1000", "-3")))
    lines = [*way[:place], f"{way[place]} + {added}", *way[place + 1 :]]
    answer = graded(drill, *own(lines))
    assert answer.verdict is not None
    assert (answer.verdict.verdict, answer.verdict.line) == ("different", place + 2)
    assert answer.points == pytest.approx(place / len(way))
    assert answer.outcome == ("partial" if place else "wrong")
    assert [line.verdict for line in answer.lines] == ["equal"] * place + ["different"] + ["unchecked"] * (
        len(way) - place - 1
    )


@each_drill
def test_an_end_before_the_goal_is_no_mistake(drill: DerivationDrill) -> None:
    way = whole(drill)
    for end in range(1, len(way)):
        answer = graded(drill, *own(way[:end]))
        assert (answer.outcome, answer.points) == ("partial", pytest.approx(end / len(way)))
    answer = graded(drill, f"= {drill.start}")
    assert (answer.outcome, answer.points) == ("partial", 0.0)


@each_drill
def test_the_goal_at_once_is_true_and_derives_nothing(drill: DerivationDrill) -> None:
    answer = graded(drill, f"= {drill.goal}")
    assert (answer.outcome, answer.points) == ("partial", pytest.approx(1 / len(whole(drill))))
    assert "nothing is derived" in answer.feedback[0].en
    # nor does it help to write the start out first
    assert graded(drill, f"= {drill.start}", f"= {drill.goal}").points == answer.points


@each_drill
def test_what_is_stored_comes_back(drill: DerivationDrill) -> None:
    answer = graded(drill, f"?= {whole(drill)[0]}", f"= {drill.slips[0].value}", "= 1")
    document = json.loads(json.dumps(answer.as_json()))
    assert Graded.from_json(document) == answer
    # as results.db holds it from before lines were kept
    del document["lines"]
    assert Graded.from_json(document).lines == ()


JACOBIAN = a_drill(
    "p_i*delta(i,j) + (-p_i)*p_j + 0*p_i*p_j*delta(i,j)", "p_i*(delta(i,j) - p_j)",
    {"p": "vec:prob", "n": "dim", "i": "index", "j": "index"}, "-(p_i*p_j - p_i*delta(i,j)) + p_i - p_i",
)  # fmt: skip
SIGMOID = a_drill(
    "exp(z)/(1+exp(z)) * (1 - exp(z)/(1+exp(z)))", "sigmoid(z)*(1-sigmoid(z))", {"z": "real"}, "sigmoid(z)*(1 - exp(z)/(1+exp(z)))",
)  # fmt: skip
SUM = a_drill(
    "sum(i, i, 1, n)", "n*(n+1)/2", {"n": "dim", "i": "index"}, "(sum(i, i, 1, n) + sum(n+1-i, i, 1, n))/2"
)


def test_of_milestones_with_one_form_a_line_reaches_the_one_it_is_written_as() -> None:
    first, second = "c*exp(z)/(exp(z)+c)^2", "exp(z)/(exp(z)+c)*(c/(exp(z)+c))"
    drill = a_drill(
        "(exp(z)*(exp(z)+c) - exp(z)*exp(z))/(exp(z)+c)^2", "exp(z)/(exp(z)+c)*(1 - exp(z)/(exp(z)+c))",
        {"z": "real", "c": "pos"}, first, second,
    )  # fmt: skip
    assert [graded(drill, f"= {line}").points for line in (first, second)] == [
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    ]
    # a hint that gave the first takes nothing of the second
    assert graded(drill, f"?= {first}", f"= {second}").points == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("drill", "last"),
    [
        (SUM, "(n+1)*n*½"),
        (SUM, "n²/2 + n/2"),
        (SUM, "(n^2+n)/2"),
        (JACOBIAN, "-p_i*(p_j - delta(j,i))"),
        (SIGMOID, "sigmoid(z) - sigmoid(z)^2"),
        (SIGMOID, "(1 - sigmoid(z)) σ(z)"),
    ],
)
def test_another_closed_form_is_as_good(drill: DerivationDrill, last: str) -> None:
    answer = graded(drill, f"= {drill.milestones[0].line}", f"= {last}")
    assert (answer.outcome, answer.points) == ("right", 1.0)


@pytest.mark.parametrize(
    ("drill", "last"),
    [
        (SIGMOID, "1/(2+exp(z)+exp(-z))"),
        (SIGMOID, "sigmoid(z)*sigmoid(-z)"),
        (SUM, "(n+1)^2/2 - (n+1)/2"),
        (SUM, "binomial(n+1, 2)"),
    ],
)
def test_a_true_end_in_another_form_is_never_wrong(drill: DerivationDrill, last: str) -> None:
    answer = graded(drill, f"= {drill.milestones[0].line}", f"= {last}")
    assert answer.outcome in ("right", "undecided")
    assert answer.points != 0
    # what is undecided can be settled by the person
    assert answer.verdict is not None
    assert answer.verdict.verdict == ("undecided" if answer.outcome == "undecided" else "equal")


@pytest.mark.parametrize(
    ("last", "word"),
    [
        ("sum(1, i, 1, n)*(n+1)/2", "sum"),
        ("n*(n+1)/2 + n - n", "like terms"),
        ("n^2*(n+1)/(2*n)", "cancel"),
        ("sum(j, j, 1, n)", "still the start"),
    ],
)
def test_what_has_not_arrived_is_told_why(last: str, word: str) -> None:
    drill = a_drill(
        "sum(i, i, 1, n)",
        "n*(n+1)/2",
        {"n": "dim", "i": "index", "j": "index"},
        *(m.line for m in SUM.milestones),
    )
    answer = graded(drill, f"= {SUM.milestones[0].line}", f"= {last}")
    assert answer.outcome == "partial"
    assert word in answer.feedback[0].en


def test_a_line_that_cannot_be_read_costs_nothing() -> None:
    answer = graded(SUM, f"= {SUM.milestones[0].line}", "= n(n+1", f"= {SUM.goal}")
    assert (answer.outcome, answer.points) == ("not-understood", None)
    assert [line.verdict for line in answer.lines] == ["equal", "invalid", "unchecked"]
    assert "line 2" in answer.feedback[0].en
    assert graded(SUM, "").points is None
    assert graded(SUM, "n*(n+1)/2").outcome == "not-understood"
    assert graded(SUM, *["= sum(i, i, 1, n)"] * 41).outcome == "not-understood"


def test_a_line_that_cannot_be_decided_is_left_to_the_person() -> None:
    def unsure(case: Case) -> Verdict:
        verdict = judged(case)
        return Verdict("undecided", same("who knows"), verdict.reading) if "n+1-i" in case.input else verdict

    answer = grade_derivation(SUM, f"= {SUM.milestones[0].line}\n= {SUM.goal}", unsure)
    assert (answer.outcome, answer.points) == ("undecided", None)
    assert [line.verdict for line in answer.lines] == ["undecided", "equal"]


def test_a_line_that_is_undecided_may_be_held_against_the_goal() -> None:
    def forgetful(case: Case) -> Verdict:
        undecided = case.input == "n^2/2 + n/2" and case.reference not in (SUM.start, SUM.goal)
        return Verdict("undecided", same("who knows")) if undecided else judged(case)

    answer = grade_derivation(SUM, f"= {SUM.milestones[0].line}\n= n^2/2 + n/2", forgetful)
    assert answer.outcome == "right"


def test_signs_as_people_type_them() -> None:
    answer = graded(SUM, f"＝ {SUM.milestones[0].line} = (n²+n)/2 \\\\", "&= n*(n+1)/2")
    assert answer.outcome == "right"
    assert [line.text for line in answer.lines] == [SUM.milestones[0].line, "(n²+n)/2", "n*(n+1)/2"]


def test_a_hint_that_is_none_of_the_drills_is_judged_and_costs() -> None:
    assert graded(SUM, f"?= {SUM.goal} + 1", f"= {SUM.goal}").outcome == "wrong"
    answer = graded(SUM, "?= (n^2+n)/2", f"= {SUM.goal}")
    assert answer.points == 0.5


def test_a_slip_without_any_value_has_its_name_too() -> None:
    drill = a_drill("ln(x) + ln(y)", "ln(x*y)", {"x": "pos", "y": "pos"}, "ln(y*x)", slip="ln(-x*y)")
    answer = graded(drill, "= ln(-(y*x))")
    assert (answer.outcome, answer.slip) == ("wrong", same("the slip"))


@settings(max_examples=150, deadline=None)
@given(st.text("=?＝ \n()+-*/^n2i√σ_{}[]|!%,&\\\x1b\u202e", max_size=60))
def test_whatever_is_typed_is_graded(typed: str) -> None:
    answer = grade_derivation(SUM, typed, judged)
    assert answer.outcome in ("right", "partial", "wrong", "not-understood", "undecided")
    assert answer.points is None or 0 <= answer.points <= 1
    assert Graded.from_json(json.loads(json.dumps(answer.as_json()))) == answer
    # only a line that does not follow, with its case, is wrong
    assert answer.outcome != "wrong" or (answer.verdict is not None and answer.verdict.counterexample)


def test_matrix_lines() -> None:
    drill = DerivationDrill(
        "matrix", same("?"), "(A B)^T C", "B^T A^T C", {"A": "mat:m,n", "B": "mat:n,p", "C": "mat:m,q"},
        (Milestone("(A B)^T (C + C - C)", same("hint")),), mode="matrix",
    )  # fmt: skip
    assert graded(drill, "= (AB)ᵀ(2C - C)", "= Bᵀ Aᵀ C").outcome == "right"
    wrong = graded(drill, "= A^T B^T C")
    assert wrong.outcome in ("wrong", "not-understood")


@pytest.mark.parametrize(
    ("drill", "field"),
    [
        (a_drill("a+b", "b+a", {"a": "real", "b": "real"}, "2*a+b-a"), ("goal",)),
        (a_drill("a+2*b", "b+a+b", {"a": "real", "b": "real"}, "2*b + a"), ("milestones", 0, "line")),
        (a_drill("a+a", "2*a", {"a": "real"}, "3*a - a", "a*2"), ("milestones", 1, "line")),
        (a_drill("a+a", "2*a", {"a": "real"}, "3*a - a", "-a + 3*a"), ("milestones", 1, "line")),
        (a_drill("a+", "2*a", {"a": "real"}, "3*a - a"), ("start",)),
    ],
)
def test_a_drill_with_lines_of_one_form_is_a_fault(
    drill: DerivationDrill, field: tuple[str | int, ...]
) -> None:
    (fault,) = form_faults(drill)
    assert fault[0] == field
    assert fault[1].zh != fault[1].en


def test_a_drill_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(InputError):
        graded(a_drill("a", "2*b", {"a": "real"}), "= a")
    assert Route(SUM).largest >= Route(SUM).goal.size
