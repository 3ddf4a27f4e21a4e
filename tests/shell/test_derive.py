"""`proofdeck derive` as a script meets it: lines on stdin, a verdict a line, an exit status."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tui.cli import main

DECK = str(Path(__file__).parents[1] / "data" / "derivations.yaml")
KEY = "sample-derivations/derive-variance"
VARIANCE = "= sum(sigma^4, i, 1, d_k)/d_k\n\n= d_k σ⁴/d_k\n＝ σ⁴\n"

Derive = Callable[..., tuple[int, str, str]]


@pytest.fixture
def derive(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Derive:
    """Call it with lines on stdin and a home of its own; (status, stdout, stderr)."""
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))

    def call(*arguments: str, lines: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        status = main(["derive", *arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return call


def test_a_derivation_that_arrives(derive: Derive) -> None:
    status, out, err = derive(KEY, "--deck", DECK, lines=VARIANCE)
    assert status == 0
    assert [line[:4] for line in out.splitlines()] == ["1. ✓", "2. ✓", "3. ✓"]
    assert "complete" in err


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_bad_line_with_its_case_and_its_slip(derive: Derive, language: str) -> None:
    lines = "= sum(sigma^4, i, 1, d_k)/d_k\n= d_k*sigma^4\n= sigma^4"
    status, out, err = derive(KEY, "--deck", DECK, "--lang", language, lines=lines)
    assert status == 1
    assert [line[:4] for line in out.splitlines()] == ["1. ✓", "2. ✗", "3. –"]
    assert "sigma = " in err
    assert {"en": "scale", "zh": "漏了缩放"}[language] in err
    assert ("does not follow" in out) == (language == "en")


@pytest.mark.slow
def test_as_json(derive: Derive) -> None:
    status, out, _ = derive(
        KEY, "--deck", DECK, "--json", lines="?= sum(sigma^4, i, 1, d_k)/d_k\n= sigma^4\n= x"
    )
    document = json.loads(out)
    assert status == 1
    assert (document["card"], document["drill"]) == ("sample-derivations", "derive-variance")
    assert [line["verdict"] for line in document["lines"]] == ["equal", "equal", "invalid"]
    assert [line["hint"] for line in document["lines"]] == [True, False, False]
    assert document["complete"] is False
    assert document["points"] is None
    assert document["verdict"]["line"] == 4


@pytest.mark.slow
def test_an_end_before_the_goal_is_not_complete(derive: Derive) -> None:
    status, out, err = derive(KEY, "--deck", DECK, lines="= sum(sigma^4, i, 1, d_k)/d_k\n")
    assert status == 1
    assert "✗" not in out
    assert "not yet the goal" in err


@pytest.mark.slow
def test_ones_own_start_and_goal(derive: Derive) -> None:
    own = ("--start", "1/(1+exp(-z))", "--goal", "1 - sigmoid(-z)", "--symbol", "z=real")
    assert derive(*own, lines="= sigmoid(z)\n= 1 - sigmoid(-z)")[0] == 0
    assert derive(*own, lines="= sigmoid(z)\n= 1 - sigmoid(z)")[0] == 1
    simplex = ("--start", "p_j*sum(y_i, i, 1, n)", "--goal", "p_j", "--symbol", "y=vec:prob", "--symbol", "p=vec:prob",
               "--symbol", "n=dim", "--symbol", "i=index", "--symbol", "j=index")  # fmt: skip
    assert derive(*simplex, "--where", "y=simplex", lines="= p_j")[0] == 0
    status, _, err = derive(*simplex, lines="= p_j")
    assert status == 2
    assert "not equal" in err
    matrices = (
        "--mode",
        "matrix",
        "--start",
        "(A B)^T",
        "--goal",
        "B^T A^T",
        "--symbol",
        "A=mat:n,m",
        "--symbol",
        "B=mat:m,p",
    )
    assert derive(*matrices, lines="= Bᵀ Aᵀ")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["no-such-thing"], "no-such-thing"),
        (["sample-derivations", "--deck", DECK], "derive-checkpoint-optimum"),
        (["bert-vs-gpt", "--start", "a", "--goal", "a"], "--start"),
        (["--start", "a"], "--goal"),
        (["--goal", "a"], "--start"),
        (["--symbol", "a=real"], "--start"),
        (["--start", "a", "--goal", "a", "--symbol", "a"], "--symbol"),
        (["--start", "a", "--goal", "a", "--symbol", "a=poetry"], "kind"),
        (["--start", "a", "--goal", "b", "--symbol", "a=real"], "--goal"),
        (["--start", "a +", "--goal", "a", "--symbol", "a=real"], "--start"),
        (["--start", "a", "--goal", "2*a", "--symbol", "a=real"], "not equal"),
        (["--start", "a", "--goal", "a", "--symbol", "a=real", "--where", "a=circle"], "simplex"),
        ([KEY, "--deck", DECK], "stdin"),
    ],
)
def test_a_bad_call_is_one_line(derive: Derive, arguments: list[str], where: str) -> None:
    status, out, err = derive(*arguments)
    assert (status, out) == (2, "")
    assert where in err
    assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_what_is_derived_can_be_kept(derive: Derive) -> None:
    assert json.loads(derive("--kept", "--json")[1]) == []
    _, out, _ = derive(KEY, "--deck", DECK, "--keep", "--json", lines=VARIANCE)
    kept = json.loads(out)["kept"]
    derive("--start", "a+a", "--goal", "2*a", "--symbol", "a=real", "--keep", lines="= a*2")
    shown = json.loads(derive("--kept", "--json")[1])
    assert [one["drill"] for one in shown] == ["", "derive-variance"]
    assert shown[1]["id"] == kept
    assert shown[1]["complete"] is True
    assert shown[1]["lines"] == ["= sum(sigma^4, i, 1, d_k)/d_k", "= d_k σ⁴/d_k", "= σ⁴"]
    assert [one["id"] for one in json.loads(derive("--kept", KEY, "--json")[1])] == [kept]
    out = derive("--kept", "--lang", "zh")[1]
    assert "自拟" in out
    assert "    = σ⁴" in out


@pytest.mark.slow
def test_the_list_names_what_can_be_derived(derive: Derive) -> None:
    derive(KEY, "--deck", DECK, "--keep", lines=VARIANCE)
    shown = json.loads(derive("--json", "--deck", DECK)[1])
    listed = {one["drill"]: one for one in shown if one["card"] == "sample-derivations"}
    assert listed["derive-variance"]["kept"] == 1
    assert listed["derive-rope-relative"]["milestones"] == 1
    status, out, err = derive("--list", "--deck", DECK)
    assert status == 0
    assert "sample-derivations/derive-checkpoint-optimum" in out
    assert "√n" in out
    assert "1 kept" in err
