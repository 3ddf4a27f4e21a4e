"""Derivations: the first line that does not follow is the one named, with its counterexample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.answers.derivation import judge_derivation
from engine.answers.judge import Case, judge
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
