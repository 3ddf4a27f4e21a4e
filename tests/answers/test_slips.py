"""Slips the caller lists: a wrong answer that makes one is told which."""

from __future__ import annotations

import json
import threading

import pytest

from engine.answers.judge import Case, Slip, case_of, judge
from engine.answers.worker import Judge
from engine.errors import InputError
from engine.text import Text

HALVED = Slip(
    "d_k*sigma^2", Text("the variance of a product needs both variances", "乘积的方差要用到两个方差")
)
ROOT = Slip("sqrt(d_k)*sigma^2", Text("this is the standard deviation", "这是标准差"))
SYMBOLS = {"d_k": "posint", "sigma": "pos"}


def test_a_listed_slip_is_named_in_any_form() -> None:
    for typed, place, slip in (("σ² dk", 0, HALVED), ("√d_k σ^2", 1, ROOT)):
        verdict = judge(Case("symbolic", typed, "d_k*sigma^4", SYMBOLS, {}, (HALVED, ROOT)))
        assert (verdict.verdict, verdict.slip, verdict.reason) == ("different", place, slip.name)
        assert verdict.counterexample is not None
        assert verdict.as_json()["slip"] == place


def test_other_verdicts_are_as_without_slips() -> None:
    for typed in ("d_k*sigma^4", "d_k*sigma^3", "d_k*", "q"):
        plain = judge(Case("symbolic", typed, "d_k*sigma^4", SYMBOLS))
        assert judge(Case("symbolic", typed, "d_k*sigma^4", SYMBOLS, {}, (HALVED, ROOT))) == plain
        assert plain.slip is None
        assert "slip" not in plain.as_json()


@pytest.mark.parametrize(
    ("mode", "typed", "reference", "symbols", "options", "value"),
    [
        ("numeric", "3071", "3072", {}, {}, "3072-1"),
        ("numeric", "1.5 GB", "1.5 GiB", {}, {}, "1.5 GB"),
        ("matrix", "softmax(Q K')", "softmax(Q*K^T/sqrt(d))", {"Q": "mat:n,d", "K": "mat:n,d", "d": "dimval"}, {},
         "softmax(Q*K^T)"),
        ("asymptotic", "O(n d^2)", "n^2*d", {"n": "posint", "d": "posint"}, {}, "d^2*n"),
        ("set", "(0,1)", "(0,1]", {}, {}, "(0,1)"),
        ("derivation", "x*x*x\n= x^2 + x\n= x^3", "x^3", {"x": "real"}, {}, "x*(x+1)"),
        ("derivation", "(A B)^T\n= B A^T\n= B^T A^T", "B^T*A^T", {"A": "mat:n,n", "B": "mat:n,n"},
         {"line_mode": "matrix"}, "B*A^T"),
    ],
)  # fmt: skip
def test_every_mode_knows_slips(
    mode: str, typed: str, reference: str, symbols: dict, options: dict, value: str
) -> None:
    verdict = judge(Case(mode, typed, reference, symbols, options, (Slip(value, Text("this", "这")),)))
    assert (verdict.verdict, verdict.slip, verdict.reason.en) == ("different", 0, "this")


def test_slips_go_through_the_worker() -> None:
    line = json.dumps(
        {"mode": "symbolic", "input": "x+1", "reference": "x", "symbols": {"x": "real"},
         "slips": [{"value": "1+x", "name": {"en": "one too many", "zh": "多了一"}}]}
    )  # fmt: skip
    with Judge(deadline=60) as judged:
        verdict = judged(case_of(line))
    assert (verdict.slip, verdict.reason) == (0, Text("one too many", "多了一"))


@pytest.mark.parametrize("slips", [1, [1], [{"value": 1}], [{"value": "x", "name": "x"}],
                                   [{"value": "x", "name": {"en": "x"}}], [{}] * 13])  # fmt: skip
def test_slips_that_are_none(slips: object) -> None:
    with pytest.raises(InputError, match="slips"):
        case_of(json.dumps({"mode": "symbolic", "input": "1", "reference": "2", "slips": slips}))


def test_a_slip_that_cannot_be_read_is_a_fault_of_the_card() -> None:
    with pytest.raises(InputError, match="slip 1"):
        judge(Case("symbolic", "x+1", "x", {"x": "real"}, {}, (Slip("q", Text("a", "b")),)))


def test_threads_judge_one_after_the_other() -> None:
    """Numbers are computed at a precision that is shared; the verdicts do not mix."""
    cases = [
        Case("symbolic", "e^x+10^-20", "e^x", {"x": "real"}),
        Case("symbolic", "sin(x)^2+cos(x)^2", "1", {"x": "real"}),
        Case("asymptotic", "n log(n)", "n*log(n^2)", {"n": "posint"}),
    ]
    wanted = [judge(case).verdict for case in cases]
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append([judge(case).verdict for case in cases]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wanted == ["different", "equal", "equal"]
    assert found == [wanted] * 4
