"""Every formula of every demonstration is drawn, and both languages state the same formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

import pytest
from rich.cells import cell_len

from engine.demonstration import Demonstration
from engine.demos import catalogue, load
from engine.notation.check import faults, formula_fault, formulas
from engine.notation.line import one_line
from engine.notation.page import inline, plain
from engine.notation.terminal import layout
from engine.proof.derivation import decide_step, statement_latex
from engine.proof.step import Relates, Status, Step
from engine.text import Text

IDS = [entry.id for entry in catalogue()]


def texts(value: object) -> Iterator[Text]:
    """Every bilingual text anywhere inside a value."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from texts(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from texts(getattr(value, field.name))


def stated(text: str) -> Counter[str]:
    """The formulas that state something. A single symbol may be named once more in one language."""
    return Counter(
        one_line(latex) for latex, _, _ in formulas(text) if set(one_line(latex)) & set(" /()√∑∏<>")
    )


@cache
def steps(demo_id: str) -> tuple[Step, ...]:
    return load(demo_id).derive()


def shown(demo: Demonstration) -> Iterator[Text]:
    """What a person sees of a demonstration: its texts, its steps', its checks' and its figures'."""
    yield from texts(demo)
    yield from (step.rule for step in steps(demo.id))
    run = demo.run(dragging=True)
    yield from texts(run.checks)
    yield from texts(run.figures())


@pytest.mark.parametrize("demo_id", IDS)
def test_every_text_is_drawn_and_the_languages_agree_on_formulas(demo_id: str) -> None:
    for text in shown(load(demo_id)):
        for language in (text.en, text.zh):
            assert not faults(language), (language, faults(language))
            assert inline(language).strip() or not language.strip()
            for line in plain(language, 60):
                assert cell_len(line) <= 60
        english, chinese = (stated(part) for part in text)
        assert english == chinese, text


@pytest.mark.slow
@pytest.mark.parametrize("demo_id", IDS)
def test_every_symbol_statement_and_counterexample_is_drawn(demo_id: str) -> None:
    for parameter in load(demo_id).parameters:
        assert formula_fault(parameter.symbol) is None, parameter
        assert layout(parameter.symbol).height == 1, parameter
    for step in steps(demo_id):
        claim = step.claim
        latex = statement_latex(claim) if isinstance(claim, Relates) else claim.latex
        assert formula_fault(latex, True) is None, (step.name, latex)
        for width in (76, 40):
            assert layout(latex, width).width <= width
        if step.expected is Status.REFUTED:
            counterexample = decide_step(step).counterexample
            assert counterexample
            assert not faults(counterexample), counterexample
