"""Every mutant of every demonstration is rejected by the check or step that it names."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path

import pytest

from engine.demos import catalogue, find, load
from engine.proof.derivation import decide_step
from tests.mutants.mutant import Mutant, applied

FOLDER = Path(__file__).parent / "mutants"


def _all() -> list[tuple[str, Mutant]]:
    found = []
    for path in sorted(FOLDER.glob("d[0-9]*.py")):
        module = importlib.import_module(f"tests.mutants.{path.stem}")
        found += [(path.stem.upper(), mutant) for mutant in module.MUTANTS]
    return found


ALL = _all()
EVERYDAY = 1
"""Mutants of a demonstration that run by default; the rest run in the slow tier."""


def _tiered() -> list[object]:
    seen: Counter[str] = Counter()
    cases = []
    for demo, mutant in ALL:
        seen[demo] += 1
        marks = [pytest.mark.slow] if seen[demo] > EVERYDAY else []
        cases.append(pytest.param(demo, mutant, id=f"{demo}-{mutant.name}", marks=marks))
    return cases


@pytest.mark.parametrize(("demo_id", "mutant"), _tiered())
def test_the_named_check_rejects_the_mutant(demo_id: str, mutant: Mutant) -> None:
    demo = load(demo_id)
    check_names = {check.name for check in demo.run(mutant.given, mutant.seed).checks}
    wanted = set(mutant.rejecters) - check_names
    # deriving takes longer than running, and most mutants are rejected by checks alone
    unknown = wanted - {step.name for step in demo.derive()} if wanted else set()
    assert not unknown, f"no such check or step: {unknown}"
    with applied(mutant, find(demo_id).module):
        passed = {check.name for check in demo.run(mutant.given, mutant.seed).checks if check.ok}
        if wanted:
            steps = [step for step in demo.derive() if step.name in wanted]
            passed |= {step.name for step in steps if decide_step(step).ok}
    survived = set(mutant.rejecters) & passed
    assert not survived, f"{mutant.name} survived {survived}"


def test_there_are_at_least_two_hundred() -> None:
    assert len(ALL) >= 200


def test_every_demonstration_has_at_least_three_mutants_with_names_of_their_own() -> None:
    by_demo: dict[str, list[str]] = {entry.id: [] for entry in catalogue()}
    for demo, mutant in ALL:
        by_demo[demo].append(mutant.name)
    assert {demo: names for demo, names in by_demo.items() if len(set(names)) < 3} == {}
    assert all(len(names) == len(set(names)) for names in by_demo.values())
