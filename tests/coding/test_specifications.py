"""Each specification accepts right programs, and rejects and names every slip it lists."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from engine.coding import audit, load, names, run
from engine.coding.runner import prepared, run_all
from engine.coding.specification import Specification, edited
from engine.errors import InputError
from engine.notation.prose import parse_prose
from engine.text import LANGUAGES
from tests.coding.solutions import SOLUTIONS


@pytest.fixture(params=names())
def specification(request: pytest.FixtureRequest) -> Specification:
    return load(request.param)


def test_the_solution_is_accepted_and_every_listed_slip_rejected_and_named(
    specification: Specification,
) -> None:
    assert audit(specification) == ()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 30))
def test_with_other_cases_too(specification: Specification, seed: int) -> None:
    assert audit(specification, seed) == ()


def test_an_audit_finds_what_is_wrong_with_a_specification() -> None:
    sound = load("attention")
    no_scale, other, *_ = sound.slips
    accepted = replace(sound, slips=(replace(no_scale, source=sound.solution),))
    assert [fault.en for fault in audit(accepted)] == ["the slip no-scale is accepted"]
    twice = replace(sound, slips=(no_scale, replace(other, source=no_scale.source)))
    assert [fault.en for fault in audit(twice)] == ["the slip scale-d-k is named no-scale"]
    (fault,) = audit(replace(sound, solution=no_scale.source, slips=()))
    assert "own solution is not accepted" in fault.en


def test_the_message_names_the_slip() -> None:
    attention = load("attention")
    slip = attention.slips[0]
    outcome = run(attention, slip.source)
    assert (outcome.verdict, outcome.slip_id, outcome.slip) == ("failed", "no-scale", slip.name)
    assert "without the division by √d_k" in outcome.message.en
    assert "没有除以 √d_k" in outcome.message.zh


def test_a_specification_is_whole(specification: Specification) -> None:
    assert len(specification.slips) >= 3
    assert len({slip.id for slip in specification.slips}) == len(specification.slips)
    cases = prepared(specification, 0).cases
    assert len(cases) >= 4
    assert specification.solution.count(specification.signature) == 1
    (function,) = ast.parse(specification.signature + " ...").body
    assert isinstance(function, ast.FunctionDef)
    assert function.name == specification.function
    asked = {argument.arg for argument in function.args.args}
    assert all(set(case.arguments) == asked for case in cases)
    assert set(inspect.signature(specification.reference).parameters) == asked


def test_texts_are_there_in_both_languages(specification: Specification) -> None:
    texts = [specification.title, specification.task, specification.docstring]
    texts += [slip.name for slip in specification.slips]
    texts += [case.note for case in prepared(specification, 0).cases]
    assert all(text.en.strip() and text.zh.strip() for text in texts)
    assert not any("\u4e00" <= character <= "\u9fff" for text in texts for character in text.en)
    for language in LANGUAGES:
        assert parse_prose(specification.task.of(language))
        *_, function = ast.parse(specification.start(language)).body
        assert isinstance(function, ast.FunctionDef)
        assert len(function.body) == 1, "the docstring alone: the rest is the person's"


def test_cases_depend_on_the_seed_alone(specification: Specification) -> None:
    def drawn(seed: int) -> list[bytes]:
        return [
            value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
            for case in specification.cases(seed)
            for value in case.arguments.values()
        ]

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(InputError, match="attention"):
        load("atention")
    with pytest.raises(InputError, match="no code task"):
        load("../attention")


def test_the_list_of_names_needs_no_numpy() -> None:
    program = "import sys, engine.coding as c; c.names(); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_an_edit_that_meets_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 times"):
        edited("a = 1", ("b", "c"))


@pytest.mark.parametrize("name", SOLUTIONS)
def test_right_programs_in_other_styles_pass(name: str) -> None:
    specification = load(name)
    for source, outcome in zip(SOLUTIONS[name], run_all(specification, SOLUTIONS[name]), strict=True):
        assert outcome.verdict == "passed", f"{outcome.message.en}\n{source}"
        assert outcome.notes == ()


def test_every_specification_has_a_second_solution() -> None:
    assert set(SOLUTIONS) == set(names())
