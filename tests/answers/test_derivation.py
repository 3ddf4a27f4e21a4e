"""Derivations: the first line that does not follow is the one named, with its counterexample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.answers.derivation import judge_derivation, judge_line, lines_of
from engine.answers.judge import Case, judge
from engine.answers.reading import read_answer
from engine.errors import InputError
from engine.notation.terminal import layout

CASES = json.loads(
    (Path(__file__).parent.parent / "data" / "answers_derivation.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict) -> None:
    verdict = judge(Case("derivation", case["input"], case["reference"], case["symbols"], case["options"]))
    assert verdict.verdict == case["expect"], (case["why"], verdict.reason.en)
    assert verdict.line == case.get("line")
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")
    if verdict.line and verdict.counterexample:
        assert verdict.counterexample.input != verdict.counterexample.reference
    if verdict.reading:
        assert layout(verdict.reading).width > 0


def test_the_kind_of_the_lines_is_an_option() -> None:
    symbols = {"A": "mat:n,m", "B": "mat:m,p"}
    options = {"line_mode": "matrix"}
    right = judge(Case("derivation", "(A B)^T\n= B^T A^T", "(A B)^T", symbols, options))
    assert right.verdict == "equal"
    wrong = judge(Case("derivation", "(A B)^T\n= A^T B^T\n= B^T A^T", "B^T*A^T", symbols, options))
    assert (wrong.verdict, wrong.line) == ("invalid", 2)
    assert judge(Case("derivation", "2^10\n= 1024", "1024", {}, {"line_mode": "numeric"})).verdict == "equal"
    with pytest.raises(InputError):
        judge(Case("derivation", "x\n= x", "x", {"x": "real"}, {"line_mode": "poetry"}))


def test_a_fault_of_the_card_is_an_error() -> None:
    with pytest.raises(InputError, match="goal"):
        judge_derivation("x\n= x", "y", {"x": "real"})


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("= a = b", [(1, "a"), (1, "b")]),
        ("＝ a ＝ b", [(1, "a"), (1, "b")]),
        ("&= a \\\\\n\n == b", [(1, "a"), (3, "b")]),
        ("= ind(i = j) = 1", [(1, "ind(i = j)"), (1, "1")]),
        (r"= \sum_{i=1}^{n} i = n", [(1, r"\sum_{i=1}^{n} i"), (1, "n")]),
        ("= ind(i <= j)", [(1, "ind(i <= j)")]),
        ("a + b", [(1, "a + b")]),
        ("= a =", [(1, "a"), (1, "")]),
    ],
)
def test_signs_between_and_before_lines(typed: str, expected: list[tuple[int, str]]) -> None:
    assert [(line.place, line.text) for line in lines_of(typed)] == expected


def test_a_hint_is_marked() -> None:
    hint, own, plain = lines_of("?= a\n= b\nc")
    assert (hint.hint, own.hint) == (True, False)
    assert (own.follows, plain.follows) == (True, False)
    assert [line.typed for line in (hint, own, plain)] == ["?= a", "= b", "c"]
    assert lines_of("？＝ a")[0].hint


def test_a_chain_is_judged_link_by_link() -> None:
    symbols = {"x": "real"}
    assert judge_line("= 2x = x + x", "3x - x", symbols).verdict == "equal"
    verdict = judge_line("= 2x = 3x", "x + x", symbols)
    assert verdict.verdict == "different"
    verdict = judge_derivation("x + x\n= 2x = 3x - x\n= x*3", "2x", symbols)
    assert (verdict.verdict, verdict.line) == ("different", 3)
    # and shown while it is typed as it will be judged
    assert read_answer("x + x\n= 2x = x*2", symbols, "derivation").latex == r"x + x = 2\,x = x \cdot 2"
