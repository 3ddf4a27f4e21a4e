"""Drills that are typed: the grader's own verdict on each reference and each slip."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text import Language
from quizbank.check import check_bank
from quizbank.slots import Quantities
from tests.bank.decks import bank_of, place_of, write

_FOLDER: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def _quantities_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    _FOLDER[:] = [tmp_path_factory.mktemp("quantities")]


def found(path: Path, language: Language = "en") -> list[str]:
    return [fault.line(language) for fault in check_bank(bank_of(path), Quantities(_FOLDER[0]))]


EXPRESSION = """      - kind: expression
        id: variance-formula
        question: {en: Write the variance of the score., zh: 写出分数的方差。}
        symbols: {d_k: dim, sigma: pos}
        answer: d_k*sigma^4
        slips:
          - {value: d_k*sigma^2, name: {en: one factor only, zh: 只算了一个因子}}
          - {value: sigma^4, name: {en: one term only, zh: 只算了一项}}
"""
DERIVATION = """      - kind: derivation
        id: derive-difference
        question: {en: Derive the difference of two squares., zh: 推导两个平方之差。}
        symbols: {x: real}
        start: (x+1)^2 - (x-1)^2
        goal: 4*x
        milestones:
          - {line: x^2 + 2*x + 1 - (x^2 - 2*x + 1), hint: {en: Expand., zh: 展开。}}
        slips:
          - {value: 2*x + 2, name: {en: the second square lost its sign, zh: 第二个平方丢了符号}}
"""
CODE = "      - {kind: code, id: write-it, question: {en: Write it., zh: 写出来。}, spec: attention}\n"


def deck(folder: Path, drill: str, *pairs: tuple[str, str]) -> Path:
    for old, new in pairs:
        assert drill.count(old) == 1, old
        drill = drill.replace(old, new)
    return write(folder, ("      - kind: recall", f"{drill}      - kind: recall"))


@pytest.mark.parametrize("drill", [EXPRESSION, DERIVATION, CODE], ids=["expression", "derivation", "code"])
def test_a_sound_drill_has_no_fault(tmp_path: Path, drill: str) -> None:
    assert found(deck(tmp_path, drill)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("drill", "old", "new", "at", "says"),
    [
        (EXPRESSION, "answer: d_k*sigma^4", "answer: d_k*tau^4", "answer: d_k*tau", "tau"),
        (EXPRESSION, "sigma: pos", "sigma: colour", "answer: d_k*sigma^4", "a kind that is not known"),
        (EXPRESSION, "value: d_k*sigma^2", "value: sigma^4*d_k", "sigma^4*d_k", "the grader accepts this slip"),
        (EXPRESSION, "value: sigma^4,", "value: sigma^2*d_k,", "sigma^2*d_k", "same as another: one factor only"),
        (EXPRESSION, "value: sigma^4,", "value: tau,", "value: tau", "does not call this slip wrong"),
        (DERIVATION, "goal: 4*x", "goal: 3*x", "goal: 3*x", "does not accept the drill's own answer"),
        (DERIVATION, "x^2 + 2*x + 1 -", "x^2 + 2*x - 1 -", "x^2 + 2*x - 1", "does not accept the drill's own answer"),
        (DERIVATION, "value: 2*x + 2", "value: x*4", "value: x*4", "the grader accepts this slip"),
        (DERIVATION, "x^2 + 2*x + 1 - (x^2 - 2*x + 1)", "-(x-1)^2 + (x+1)^2", "-(x-1)^2 +", "the start in another order"),
        (DERIVATION, "x^2 + 2*x + 1 - (x^2 - 2*x + 1)", "x*4", "x*4", "the goal in another order"),
        (DERIVATION, "goal: 4*x", "goal: (1+x)^2 - (x-1)^2", "goal: (1+x)", "the goal is the start"),
        (DERIVATION, "value: 2*x + 2", "value: 2*y", "value: 2*y", "does not call this slip wrong"),
        (CODE, "spec: attention", "spec: atention", "spec: atention", "no specification atention; there are attention"),
    ],
)  # fmt: skip
def test_a_reference_that_is_not_accepted_and_a_slip_that_is(
    tmp_path: Path, drill: str, old: str, new: str, at: str, says: str
) -> None:
    path = deck(tmp_path, drill, (old, new))
    lines = found(path)
    assert any(says in line and line.startswith(f"{place_of(path, at)}:") for line in lines), lines
    assert all("：" in line for line in found(path, "zh"))
