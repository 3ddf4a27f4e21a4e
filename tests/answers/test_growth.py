"""Classes of growth: constants and lower terms do not matter, a ray on which the two part does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers.growth import judge_growth
from engine.answers.judge import Case, judge
from engine.errors import InputError
from engine.notation.terminal import layout

CASES = json.loads(
    (Path(__file__).parent.parent / "data" / "answers_asymptotic.json").read_text(encoding="utf-8")
)
SYMBOLS = {"n": "posint", "d": "posint"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict) -> None:
    verdict = judge(Case("asymptotic", case["input"], case["reference"], case["symbols"], case["options"]))
    assert verdict.verdict == case["expect"], (case["why"], verdict.reason.en)
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")
    if verdict.counterexample:
        assert verdict.counterexample.input != verdict.counterexample.reference
        assert any("∞" in str(value) for value in verdict.counterexample.values.values())
    if verdict.reading:
        assert layout(verdict.reading).width > 0
    json.dumps(verdict.as_json(), allow_nan=False)


def test_the_ray_is_one_on_which_they_part() -> None:
    verdict = judge_growth("O(n^2)", "n^2*d", SYMBOLS)
    assert verdict.counterexample is not None
    assert dict(verdict.counterexample.values) == {"d": "→ ∞", "n": "fixed"}
    assert verdict.counterexample.reference == pytest.approx(verdict.counterexample.input * 1024)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.integers(0, 4), st.integers(1, 9))
def test_monomials_grow_alike_only_with_the_same_powers(a: int, b: int, c: int, e: int, factor: int) -> None:
    verdict = judge_growth(f"O({factor} n^{a} d^{b})", f"n^{c}*d^{e}", SYMBOLS)
    assert verdict.verdict == ("equal" if (a, b) == (c, e) else "different")


@pytest.mark.parametrize("typed", ["O(log(log(log(n+9))))", "O(log(log(n)))", "O(n^0.00001)"])
def test_what_creeps_is_undecided(typed: str) -> None:
    assert judge_growth(typed, "1", SYMBOLS).verdict == "undecided"


def test_a_lower_term_may_be_lower_by_a_logarithm_only() -> None:
    assert judge_growth("O(n log(n) + n)", "n*log(n)", SYMBOLS).verdict == "equal"


@pytest.mark.parametrize(("reference", "options"), [("q", {}), ("O(", {}), ("n", {"rel": 1})])
def test_a_fault_of_the_card_is_an_error(reference: str, options: dict) -> None:
    with pytest.raises(InputError):
        judge_growth("n", reference, SYMBOLS, options)
