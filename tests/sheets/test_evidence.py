"""What a demonstration puts on a sheet is the same whether it has just run or was kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.demos import load
from engine.errors import InputError
from quizbank.arithmetic import ExpressionError
from quizbank.sheets import evidence as module
from quizbank.sheets.evidence import evidence
from quizbank.sheets.filling import Filling
from quizbank.sheets.svg import svg
from quizbank.slots import Quantities

# a curve with a band, bars, a heat map with labels and an outlined cell, a check without a tolerance
SHOWN = (
    ("D01", {}),
    ("D07", {"steps": 30}),
    ("D12", {}),
    ("D19", {"d_k": 64}),
    ("D27", {}),
    ("D52", {}),
)


@pytest.mark.parametrize(("demo", "given"), SHOWN)
def test_a_kept_run_shows_what_the_run_shows(tmp_path: Path, demo: str, given: dict[str, Any]) -> None:
    run = load(demo).run(given)
    first = evidence(demo, given, tmp_path)
    (kept,) = tmp_path.iterdir()
    before = kept.stat().st_mtime_ns
    again = evidence(demo, given, tmp_path)
    assert kept.stat().st_mtime_ns == before
    assert again.params == first.params == run.params.as_dict()
    assert [picture.svg(("zh",)) for picture in again.figures] == [
        svg(figure, "zh") for figure in run.figures()
    ]
    assert again.checks == first.checks
    for found, made in zip(again.checks, run.checks, strict=True):
        assert (found.name, found.claim, found.law, found.relation) == (
            made.name,
            made.claim,
            made.law,
            made.relation,
        )
        assert found.ok == made.ok
        assert found.measured == made.measured or math.isnan(made.measured)


def test_a_kept_run_is_not_run_again_and_damage_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evidence("D19", {}, tmp_path)
    (kept,) = tmp_path.iterdir()

    def never(_demo: str) -> None:
        raise AssertionError("loaded")

    with monkeypatch.context() as patched:
        patched.setattr(module, "load", never)
        evidence("D19", {}, tmp_path)
        # other parameters are another run
        with pytest.raises(AssertionError, match="loaded"):
            evidence("D19", {"d_k": 16}, tmp_path)
        # as is a run of another engine
        patched.setattr(module, "_code", lambda: "another")
        with pytest.raises(AssertionError, match="loaded"):
            evidence("D19", {}, tmp_path)
    for junk in ("", "[]", "{}", '{"demo": [1]}', '{"demo": ["D19", "n", ["a", "b"]], "params": {}}'):
        kept.write_text(junk, encoding="utf-8")
        assert evidence("D19", {}, tmp_path).demo.title == load("D19").title


def test_without_a_folder_to_write_nothing_is_kept_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert evidence("D19", {}, tmp_path / "taken").checks == evidence("D19", {}, None).checks
    with pytest.raises(InputError):
        evidence("D19", {"d_k": -1}, tmp_path)


def test_the_numbers_of_a_run_are_known_to_the_slots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quantities = Quantities(tmp_path)
    evidence("D19", {"d_k": 64}, None, quantities)
    monkeypatch.setattr("quizbank.slots.load", None)
    assert np.isfinite(float(quantities.fill("@{D19.score_variance(d_k=64)|.6g}")))


def test_a_slot_is_filled_once_on_a_machine(tmp_path: Path) -> None:
    class Refusing(Quantities):
        def scalars(self, *_: object) -> Any:
            raise AssertionError("computed")

    texts = [
        ("@{D19.score_variance(d_k=64)|.6g}", None),
        ("@{n} of @{D19.score_variance(d_k=n)|.3g}", {"n": 16}),
    ]
    first = Filling(Quantities())
    said = [first.fill(*text) for text in texts]
    key = first.value("2 * D19.score_variance(d_k=n)", {"n": 16})
    first.known.keep(tmp_path)
    again = Filling(Refusing())
    again.known.remember(tmp_path)
    assert [again.fill(*text) for text in texts] == said
    assert again.value("2 * D19.score_variance(d_k=n)", {"n": 16}) == key
    # other variables, and what could not be filled, are worked out
    with pytest.raises(AssertionError, match="computed"):
        again.fill(texts[1][0], {"n": 64})
    with pytest.raises(ExpressionError):
        again.fill("@{n}")
