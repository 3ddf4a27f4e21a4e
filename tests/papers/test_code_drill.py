"""A program written by hand is graded by running it: right where every case agrees with the loops."""

from __future__ import annotations

import pytest

from engine.coding import load
from engine.errors import InputError
from engine.notation.prose import parse_prose
from engine.text import same
from quizbank.card import CodeDrill
from quizbank.drills.code import grade_code, report
from quizbank.drills.graded import Graded

DRILL = CodeDrill("by-hand", same("Write it."), "attention")
SPECIFICATION = load("attention")


def test_the_solution_is_right_and_comes_back_as_it_was_given() -> None:
    graded = grade_code(DRILL, SPECIFICATION.solution)
    assert (graded.outcome, graded.points) == ("right", 1.0)
    assert graded.given.en == graded.given.zh == SPECIFICATION.solution
    assert Graded.from_json(graded.as_json()) == graded


def test_a_slip_is_wrong_and_named_with_the_case_that_shows_it() -> None:
    slip = SPECIFICATION.slips[0]
    graded = grade_code(DRILL, slip.source)
    assert (graded.outcome, graded.points) == ("wrong", 0.0)
    said = graded.feedback[0]
    assert slip.name.en in said.en
    assert slip.name.zh in said.zh
    assert "(2, 3, 8)" in said.en


@pytest.mark.parametrize(
    ("source", "outcome", "points"),
    [
        ("def attention(query, key, value, mask):\n  return 1 +", "not-understood", None),
        ("def attention(query, key, value, mask):\n  return 'never closed", "not-understood", None),
        ("def attention(query, key, value, mask):\nreturn 1", "not-understood", None),
        ("def attention(query, key, value, mask):\n  raise ValueError('$x$ `y` @{D19.z}')", "wrong", 0.0),
        ("", "not-understood", None),
        ("x" * 50_000, "not-understood", None),
    ],
)
def test_a_program_that_does_not_run(source: str, outcome: str, points: float | None) -> None:
    graded = grade_code(DRILL, source)
    assert (graded.outcome, graded.points) == (outcome, points)
    for text in graded.feedback:
        # what the program says is quoted, never read as a formula or a slot
        assert all(type(span).__name__ == "Plain" for block in parse_prose(text.en) for span in block.spans)


def test_a_program_that_does_not_end_is_left_to_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    import quizbank.drills.code as code
    from engine.coding import run

    monkeypatch.setattr(code, "run", lambda specification, source: run(specification, source, deadline=1.0))
    graded = grade_code(DRILL, "def attention(query, key, value, mask):\n  while True: pass")
    assert (graded.outcome, graded.points) == ("undecided", None)
    assert "1 s" in graded.feedback[0].en


def test_a_drill_that_names_no_specification_is_at_fault() -> None:
    with pytest.raises(InputError, match="no code task"):
        grade_code(CodeDrill("x", same(""), "atention"), "")


def test_what_is_not_wrong_but_worth_saying_is_said_too() -> None:
    from engine.coding import run

    source = SPECIFICATION.solution.replace(
        "return weights @ value", "return (weights @ value).astype(np.float32)"
    )
    ran = run(SPECIFICATION, source)
    assert len(report(ran)) == 1 + len(ran.notes)
