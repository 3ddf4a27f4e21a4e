"""Sets, tuples and intervals: order, repetition, ends and the members themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers.collection import judge_collection
from engine.answers.judge import Case, judge
from engine.errors import InputError
from engine.notation.terminal import layout

CASES = json.loads((Path(__file__).parent.parent / "data" / "answers_set.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict) -> None:
    verdict = judge(Case("set", case["input"], case["reference"], case["symbols"], case["options"]))
    assert verdict.verdict == case["expect"], (case["why"], verdict.reason.en)
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")
    if verdict.counterexample:
        assert verdict.counterexample.input != verdict.counterexample.reference
    if verdict.reading:
        assert layout(verdict.reading).width > 0
    json.dumps(verdict.as_json(), allow_nan=False)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-5, 5), max_size=6), st.lists(st.integers(-5, 5), max_size=6))
def test_sets_of_whole_numbers_are_equal_as_sets(a: list[int], b: list[int]) -> None:
    typed, reference = ("{" + ",".join(map(str, one)) + "}" for one in (a, b))
    assert judge_collection(typed, reference, {}).verdict == ("equal" if set(a) == set(b) else "different")


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="{}()[],x12+\\ $-", max_size=30))
def test_anything_typed_gets_a_verdict(typed: str) -> None:
    verdict = judge_collection(typed, "{x, 1}", {"x": "real"})
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")


@pytest.mark.parametrize(("reference", "options"), [("{q}", {}), ("1", {}), ("{1}", {"rel": 1})])
def test_a_fault_of_the_card_is_an_error(reference: str, options: dict) -> None:
    with pytest.raises(InputError):
        judge_collection("{1}", reference, {}, options)
