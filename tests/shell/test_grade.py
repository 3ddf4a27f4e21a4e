"""`proofdeck grade` as a script meets it."""

from __future__ import annotations

import io
import json

import pytest

from tui.cli import main

CASE = {
    "mode": "symbolic",
    "reference": "d_k*sigma^4",
    "symbols": {"d_k": "posint", "sigma": "pos"},
    "options": {},
}


def graded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: list[str]
) -> list[dict]:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    # every line is answered, a faulty one by its fault
    assert main(["grade"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_case_is_answered_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["dk σ⁴", "d_k*sigma^2", "d_k sigma^", "9**9**9", ""]
    lines = [json.dumps(CASE | {"input": one}) for one in typed]
    lines[2:2] = ["", "not JSON", json.dumps({"mode": "numeric", "input": "1.5 GB", "reference": "1.5 GiB"})]
    lines.append(json.dumps({"mode": "matrix", "input": "A", "reference": "A", "symbols": {"A": "mat:n,n"}}))
    answers = graded(monkeypatch, capsys, lines)
    assert [answer["verdict"] for answer in answers] == [
        "equal", "different", "undecided", "different", "invalid", "unsafe", "invalid", "equal",
    ]  # fmt: skip
    assert all(set(one) == {"verdict", "reason", "reading", "counterexample", "line"} for one in answers)
    assert set(answers[1]["counterexample"]["values"]) == {"d_k", "sigma"}
    assert "line 4" in answers[2]["reason"]["en"]


def test_the_counterexample_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (answer,) = graded(monkeypatch, capsys, [json.dumps(CASE | {"input": "d_k*sigma^2"})])
    found = answer["counterexample"]
    d_k, sigma = found["values"]["d_k"], found["values"]["sigma"]
    assert found["input"] == pytest.approx(d_k * sigma**2, rel=1e-5)
    assert found["reference"] == pytest.approx(d_k * sigma**4, rel=1e-5)
    assert found["input"] != found["reference"]


def test_no_cases_no_answers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert graded(monkeypatch, capsys, []) == []


def test_a_case_at_fault_is_named_and_the_others_are_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = json.dumps(CASE | {"input": "dk σ⁴"})
    unknown = json.dumps({"mode": "foo"})
    of_no_kind = json.dumps(CASE | {"input": "x", "symbols": {"x": "furlong"}})
    known = "symbolic numeric matrix asymptotic set derivation"
    answers = graded(monkeypatch, capsys, [right, unknown, of_no_kind, right])
    assert [answer["verdict"] for answer in answers] == ["equal", "undecided", "undecided", "equal"]
    assert answers[1]["reason"]["zh"] == f'第 2 行：mode 应为以下之一：{known}；而不是 "foo"'
