"""`check` proves and measures anew, names what fails, and survives whatever a demonstration does."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.demonstration import Demonstration
from engine.demos import catalogue, load
from engine.proof.step import defined
from engine.text import Text, same
from quizbank import verify as module
from quizbank.home import Home
from quizbank.verify import DemoVerdict, card_counts, examine, examine_all, verify
from tests.bank.decks import SAMPLE, bank_of, write


@pytest.fixture
def only_d19(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "catalogue", lambda: tuple(e for e in catalogue() if e.id == "D19"))


def mutate(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """D19 with something changed in it."""
    demo: Demonstration = replace(load("D19"), **changes)  # type: ignore[arg-type]
    monkeypatch.setattr(module, "load", lambda _: demo)


def lines(verdict: DemoVerdict) -> list[str]:
    return [fault.line("en") for fault in verdict.faults]


def test_a_sound_demonstration_has_no_fault() -> None:
    verdict = examine("D19", None, [0, 1])
    assert lines(verdict) == []
    assert verdict.ok
    assert verdict.steps["proved"] >= 3
    assert verdict.checks_ok == 2 * len(load("D19").run().checks)
    assert verdict.checks_failed == 0


def test_the_report_has_the_shape_of_the_contract(only_d19: None, tmp_path: Path) -> None:
    found = verify(bank_of(SAMPLE), Home.in_folder(tmp_path))
    told = json.loads(json.dumps(found.to_json("zh"), allow_nan=False))
    assert list(told) == ["ok", "demos", "cards", "faults"]
    assert told["ok"] is True
    (demo,) = told["demos"]
    assert list(demo) == ["id", "ok", "steps", "checks", "ms"]
    assert set(demo["checks"]) == {"ok", "failed"}
    assert told["cards"]["cards"] == 1
    assert told["cards"]["drills"] == 3
    assert told["faults"] == []


def test_faults_of_cards_and_demonstrations_come_together_in_the_language_asked_for(
    only_d19: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "deck", ("claims: [dot-product-variance]", "claims: [no-such-claim]"))
    demo = load("D19")
    mutate(monkeypatch, measure=lambda p, rng: {**demo.measure(p, rng), "score_variance": 9.0})
    found = verify(bank_of(path), Home.in_folder(tmp_path / "home"))
    told = found.to_json("zh")["faults"]
    assert not found.ok
    assert told[0]["where"] == "D19.score-variance"
    assert any(fault["where"].startswith(f"{path}:") and "论断清单" in fault["what"] for fault in told)


def test_a_wrong_layer_fails_the_check_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    demo = load("D19")
    mutate(monkeypatch, measure=lambda p, rng: {**demo.measure(p, rng), "score_variance": 9.0})
    verdict = examine("D19", None, range(3))
    assert not verdict.ok
    assert verdict.checks_failed == 3
    (line,) = lines(verdict)
    assert line.startswith("D19.score-variance: the check fails")
    assert "seed 0 and 2 more seeds" in line


def test_a_wrong_formula_fails_the_step_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sympy as sp

    from engine.proof.step import equal

    d_k = sp.Symbol("d_k", integer=True, positive=True)
    wrong = equal("wrong", d_k + d_k, d_k**2, same("a rule"))
    demo = load("D19")
    mutate(monkeypatch, derive=lambda: (*demo.derive(), wrong))
    (line,) = lines(examine("D19", None, [0]))
    assert line.startswith("D19.wrong: the step is expected to be proved but came out refuted: dₖ = ")


@pytest.mark.parametrize("part", ["derive", "predict", "measure", "check"])
def test_whatever_a_demonstration_raises_is_a_fault_of_it(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom \x1b[2J")

    mutate(monkeypatch, **{part: fail})
    (line,) = lines(examine("D19", None, [0]))
    assert line == "D19: the demonstration failed with RuntimeError: boom �[2J"


def test_nan_never_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    demo = load("D19")
    mutate(monkeypatch, measure=lambda p, rng: {**demo.measure(p, rng), "score_variance": math.nan})
    assert lines(examine("D19", None, [0]))[0].startswith("D19.score-variance")


@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ({"derive": lambda: (defined("d", r"\nosuch", same("a rule")),)}, "D19.d", "nosuch"),
        ({"derive": lambda: (defined("d", "x", same(r"a \rule")),)}, "D19.d", r"\rule stands outside"),
        ({"shows": Text("fine", r"$\nosuch$")}, "D19.shows", "nosuch"),
    ],
)
def test_a_formula_of_a_demonstration_that_cannot_be_drawn_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], where: str, says: str
) -> None:
    mutate(monkeypatch, **changes)
    found = lines(examine("D19", None, [0]))
    assert any(line.startswith(f"{where}: ") and says in line for line in found), found


def test_proofs_are_kept_and_deep_ignores_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = examine_all(["D19"], tmp_path)
    (file,) = tmp_path.glob("D19-*.json")
    file.write_text(file.read_text().replace('"status": "proved"', '"status": "undecided"'))
    kept = examine_all(["D19"], tmp_path)
    assert first[0].ok
    assert not kept[0].ok
    monkeypatch.setattr(module, "DEEP_SEEDS", 2)
    deep = examine_all(["D19"], tmp_path, deep=True)
    assert deep[0].ok
    assert deep[0].checks_ok == 2 * first[0].checks_ok


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="times of starting processes differ")
def test_worker_processes_come_to_the_same_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "WORTH_A_POOL", 1)
    # what lies in the folder somebody works in is not the library of that name
    (tmp_path / "numpy.py").write_text("raise SystemExit", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    (there,) = examine_all(["D19"], None, workers=2)
    (here,) = examine_all(["D19"], None, workers=1)
    assert replace(there, ms=0) == replace(here, ms=0)


def test_counts_of_a_bank() -> None:
    assert card_counts(bank_of(SAMPLE)) == {
        "cards": 1, "topics": 1, "follow_ups": 3, "drills": 3, "choice": 1, "number": 1, "recall": 1,
        "demos": 1, "claims": 1, "sources": 1, "slots": 4,
    }  # fmt: skip
