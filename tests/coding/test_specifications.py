"""Each specification accepts right programs, and rejects and names every slip it lists."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.coding import audit, load, names, run
from engine.coding.runner import prepared, run_all
from engine.coding.specification import Case, Specification, edited
from engine.errors import InputError
from engine.notation.check import faults, formulas
from engine.notation.wide import width
from engine.text import LANGUAGES
from tests.coding.solutions import SOLUTIONS

SLIPPED = {
    "attention": [
        (0, " * query.shape[-1] ** -0.5", "", "no-scale"),
        (1, "mask[b][i][j]]", "not mask[b][i][j]]", "polarity"),
    ],
    "layer-norm": [
        (0, "x.var(-1)", "x.var(-1, ddof=1)", "ddof-1"),
        (1, "(sigma2 + eps) ** 0.5", "(sigma2 ** 0.5 + eps)", "eps-outside"),
    ],
    "softmax-cross-entropy": [(1, "/ len(targets)", "", "sum")],
    "conv2d": [(0, "windows, weight,", "windows, weight[..., ::-1, ::-1],", "flipped")],
    # an unlisted slip has no name
    "lstm-cell": [(0, "s[:, :H] * np.tanh", "s[:, 2*H:3*H] * np.tanh", "")],
    "gru-cell": [(0, "(n + z * (h.T - n))", "(h.T + z * (n - h.T))", "z-polarity")],
    "rope": [(0, "1j * np.outer", "-1j * np.outer", "clockwise")],
    "causal-mask": [(0, ", k=keys - queries", "", "top-left")],
    "multi-head-attention": [(1, " @ W_O", "", "no-output-projection")],
    "top-p": [(0, "prob[i] / mass", "prob[i]", "not-renormalised")],
    "beam-search": [(0, "[:width]", "[:1]", "greedy")],
    "kv-cache-step": [(0, " / W_Q.shape[1] ** 0.5", "", "no-scale")],
}
"""Of a specification: which solution, what is changed in it, and what the slip is called."""


@pytest.fixture(params=names())
def specification(request: pytest.FixtureRequest) -> Specification:
    return load(request.param)


def test_the_solution_is_accepted_and_every_listed_slip_rejected_and_named(
    specification: Specification,
) -> None:
    assert audit(specification) == ()


@pytest.mark.soak
def test_with_other_cases_too(specification: Specification) -> None:
    for seed in range(1, 30):
        assert audit(specification, seed) == (), seed


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
    cases, expected = prepared(specification, 0).cases, prepared(specification, 0).expected
    assert not any(np.isnan(array).any() for arrays in expected for array in arrays)
    assert len(cases) >= 4
    assert specification.solution.count(specification.signature) == 1
    (function,) = ast.parse(specification.signature + " ...").body
    assert isinstance(function, ast.FunctionDef)
    assert function.name == specification.function
    asked = [argument.arg for argument in function.args.args]
    # in order: a person may rename a parameter
    assert all(list(case.arguments) == asked for case in cases)
    assert list(inspect.signature(specification.reference).parameters) == asked


def test_texts_are_there_in_both_languages(specification: Specification) -> None:
    texts = [specification.title, specification.task, specification.docstring]
    texts += [slip.name for slip in specification.slips]
    texts += [case.note for case in prepared(specification, 0).cases]
    assert all(text.en.strip() and text.zh.strip() for text in texts)
    assert not any("\u4e00" <= character <= "\u9fff" for text in texts for character in text.en)
    for language in LANGUAGES:
        assert faults(specification.task.of(language)) == ()
        start = specification.start(language)
        assert max(map(width, start.splitlines())) <= 71, "in 80 columns it is read without scrolling"
        *_, function = ast.parse(start).body
        assert isinstance(function, ast.FunctionDef)
        assert len(function.body) == 1, "the docstring alone: the rest is the person's"


def test_both_languages_ask_the_same(specification: Specification) -> None:
    def stated(text: str) -> tuple[Counter[str], set[str]]:
        latex = Counter(latex for latex, _, _ in formulas(text))
        return latex, set(re.findall(r"\d+(?:\.\d+)?", text))

    assert stated(specification.task.en) == stated(specification.task.zh)


def test_cases_depend_on_the_seed_alone(specification: Specification) -> None:
    def drawn(seed: int) -> list[bytes]:
        return [
            value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
            for case in specification.cases(seed)
            for value in case.arguments.values()
        ]

    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


@pytest.mark.parametrize(("name", "output"), [("beam-search", 0), ("top-p", 1)])
def test_no_choice_of_a_token_hangs_on_rounding(name: str, output: int) -> None:
    """A tie would mark one of two right programs wrong: whole numbers stay when the arguments move a little."""
    specification = load(name)
    rng = np.random.default_rng(5)
    for seed in range(40):
        for case in specification.cases(seed):
            moved = {
                key: value * (1 + 1e-9 * rng.normal(size=value.shape))
                if isinstance(value, np.ndarray)
                else value
                for key, value in case.arguments.items()
            }
            token = specification.expected(case)[output]
            again = specification.expected(Case(moved, case.note))[output]
            np.testing.assert_array_equal(token, again)


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


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLUTIONS)
def test_other_styles_pass_and_their_slips_are_named(name: str) -> None:
    slipped = [
        (edited(SOLUTIONS[name][style], (old, new)), slip) for style, old, new, slip in SLIPPED.get(name, ())
    ]
    expected = [("passed", "")] * len(SOLUTIONS[name]) + [("failed", slip) for _, slip in slipped]
    sources = (*SOLUTIONS[name], *(source for source, _ in slipped))
    for source, outcome, right in zip(sources, run_all(load(name), sources), expected, strict=True):
        assert (outcome.verdict, outcome.slip_id) == right, f"{outcome.message.en}\n{source}"
        assert outcome.notes == ()


@pytest.mark.soak
@pytest.mark.parametrize("name", SOLUTIONS)
def test_other_styles_pass_on_other_cases(name: str) -> None:
    for seed in range(1, 30):
        outcomes = run_all(load(name), SOLUTIONS[name], seed)
        assert [outcome.verdict for outcome in outcomes] == ["passed"] * len(outcomes), seed


def test_every_specification_has_a_second_solution() -> None:
    assert set(SOLUTIONS) == set(names())


def test_an_overflow_is_named_however_the_formula_is_written() -> None:
    source = """
def softmax_cross_entropy(logits, targets):
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return p, -np.log(p[np.arange(len(p)), targets]).mean()
"""
    assert run(load("softmax-cross-entropy"), source).slip_id == "unstable"
