"""What is shown while a person types: the formula as read, or what is wrong with the line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.answers.arithmetic import read
from engine.answers.judge import Case, judge
from engine.answers.reading import read_answer
from engine.errors import InputError
from engine.notation.terminal import layout

DATA = Path(__file__).parent.parent / "data"


@pytest.mark.parametrize("path", sorted(DATA.glob("answers_*.json")), ids=lambda path: path.stem)
def test_what_is_shown_while_typing_is_what_is_judged(path: Path) -> None:
    for case in json.loads(path.read_text(encoding="utf-8")):
        line_mode = case["options"].get("line_mode", "symbolic")
        is_number = case["mode"] == "numeric"
        bytes_meant = is_number and ("byte", 1) in read(case["reference"]).value.dimensions
        reading = read_answer(
            case["input"], case["symbols"], case["mode"], bytes_meant=bytes_meant, line_mode=line_mode
        )
        assert (reading.fault is None) == (reading.verdict == "ok"), case["id"]
        if case["expect"] == "equal":
            assert reading.verdict == "ok", case["id"]
            assert layout(reading.latex).width > 0, case["id"]
        if reading.verdict != "ok":
            asked = Case(case["mode"], case["input"], case["reference"], case["symbols"], case["options"])
            assert judge(asked).verdict != "equal", case["id"]


@pytest.mark.parametrize("mode", ["symbolic", "numeric", "asymptotic", "set", "derivation"])
def test_nothing_typed_yet(mode: str) -> None:
    reading = read_answer("", {}, mode)
    assert (reading.latex, reading.verdict) == ("", "invalid")
    assert reading.fault is not None
    assert reading.fault.zh


def test_a_derivation_is_shown_up_to_the_bad_line() -> None:
    reading = read_answer("x+1\n= 1+x\n= (x", {"x": "real"}, "derivation")
    assert reading.latex == "x + 1 = 1 + x"
    assert reading.fault is not None
    assert reading.fault.en.startswith("in line 3, ")


def test_the_units_of_the_card_are_read() -> None:
    assert read_answer("3 tokens", {}, "numeric").verdict == "invalid"
    assert read_answer("3 tokens", {}, "numeric", words=("tokens",)).verdict == "ok"


def test_what_is_too_costly_is_refused_before_it_is_computed() -> None:
    assert read_answer("9^9^9", {}, "numeric").verdict == "unsafe"
    assert read_answer("9^9^9", {}, "symbolic").verdict == "unsafe"


def test_a_mode_that_does_not_exist() -> None:
    with pytest.raises(InputError):
        read_answer("1", {}, "poetry")


def test_a_hanzi_that_cannot_be_read_is_named_by_itself() -> None:
    # Unicode's own name of it is a number
    fault = read_answer("方差", {}, "numeric").fault
    assert fault is not None
    assert "“方”" in fault.zh
    assert "“方”" in fault.en
