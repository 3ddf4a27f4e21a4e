"""What every demonstration keeps, whatever it shows."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from engine.demonstration import Demonstration, Parameter
from engine.demos import catalogue, load
from engine.errors import InputError
from engine.figure import Bars, Figure, HeatMap, Line, Plot, Points
from engine.proof.derivation import decide_all
from engine.proof.words import method
from engine.text import Text, same

IDS = [entry.id for entry in catalogue()]
BOTH_SIDES_ALIKE = re.compile(r"(.+) (?:=|<|>|\\leq|\\geq|\\not\\equiv) \1")
RAW_NOTATION = re.compile(r"(?<![A-Za-z])[A-Za-z]_\w{1,2}\b|[_^]\{|\w\^\S")
"""Typed scripts as in ``d_k``, ``e^-D``; names of code such as ``is_causal`` are none."""


def texts_in(thing: object) -> Iterator[Text]:
    """Every text a figure holds, in its marks and axes too."""
    if isinstance(thing, Text):
        yield thing
    elif isinstance(thing, tuple):
        for part in thing:
            yield from texts_in(part)
    elif dataclasses.is_dataclass(thing):
        for field in dataclasses.fields(thing):
            yield from texts_in(getattr(thing, field.name))


def corner_values(parameter: Parameter) -> tuple[object, ...]:
    if parameter.kind == "choice":
        return tuple(choice.value for choice in parameter.choices)
    return (parameter.low, parameter.high)


def corners(demo: Demonstration, limit: int) -> list[dict[str, object]]:
    """About ``limit`` of the corners of the parameter box, evenly picked, and each single extreme."""
    names = [parameter.name for parameter in demo.parameters]
    ranges = [corner_values(parameter) for parameter in demo.parameters]
    full = [dict(zip(names, values, strict=True)) for values in itertools.product(*ranges)]
    single = [{name: value} for name, values in zip(names, ranges, strict=True) for value in values]
    return full[:: max(1, len(full) // limit)] + single


@pytest.mark.parametrize("demo_id", IDS)
def test_every_step_and_every_check_holds_at_the_defaults(demo_id: str) -> None:
    demo = load(demo_id)
    steps = list(decide_all(demo.derive))
    # a badge says for which sizes in symbols, which both languages read
    assert not [step.bound for step in steps if re.search(r"[A-Za-z]{4,}", step.bound)]
    assert [(step.name, step.status, step.counterexample) for step in steps if not step.ok] == []
    assert len({step.name for step in steps}) == len(steps)
    assert [step.method for step in steps if step.method and method(step) == same(step.method)] == []
    assert [step.name for step in steps if BOTH_SIDES_ALIKE.fullmatch(step.statement)] == []
    run = demo.run()
    assert [check for check in run.checks if not check.ok] == []
    assert run.checks
    assert not {check.name for check in run.checks} & {step.name for step in steps}
    assert all(0 <= check.false_alarm < 1e-6 for check in run.checks)
    assert demo.headline.low <= run.headline <= demo.headline.high
    # these are drawn as they stand, not as prose with formulas
    labels = [choice.label for parameter in demo.parameters for choice in parameter.choices]
    meanings = [parameter.meaning for parameter in demo.parameters]
    plain = [demo.title, demo.headline.meaning, *labels, *meanings, *texts_in(run.figures())]
    assert [text for text in plain if any(map(RAW_NOTATION.search, text))] == []


def test_file_number_and_name_agree() -> None:
    for entry in catalogue():
        demo = load(entry.name)
        assert (demo.id, demo.name) == (entry.id, entry.name)


@pytest.mark.slow
@pytest.mark.parametrize("demo_id", IDS)
def test_equal_seeds_give_equal_results_and_seeds_matter_only_through_the_generator(demo_id: str) -> None:
    demo = load(demo_id)
    assert _text(demo.run(seed=3).results) == _text(demo.run(seed=3).results)


def _text(results: dict[str, object]) -> str:
    return json.dumps({name: np.asarray(value).tolist() for name, value in results.items()})


@pytest.mark.slow
@pytest.mark.parametrize("demo_id", IDS)
def test_corners_of_the_range_give_no_warning_no_nan_and_no_failed_check(demo_id: str) -> None:
    demo = load(demo_id)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        for given in corners(demo, 64):
            for dragging in (False, True):
                run = demo.run(given, dragging=dragging)
                assert [check for check in run.checks if not check.ok] == [], given
                assert not math.isnan(run.headline), given
                for figure in run.figures():
                    check_figure(figure)


def check_figure(figure: Figure) -> None:
    """A figure's arrays fit together and its words are there in both languages."""
    assert all(figure.title)
    assert all(figure.see)
    match figure:
        case Plot():
            assert figure.marks
            for mark in figure.marks:
                assert all(mark.name)
                if isinstance(mark, Line | Points):
                    assert np.shape(mark.x) == np.shape(mark.y)
                    assert np.ndim(mark.x) == 1
                    assert not np.isnan(np.asarray(mark.y, dtype=float)).all()
                if isinstance(mark, Line) and mark.band is not None:
                    assert all(np.shape(edge) == np.shape(mark.y) for edge in mark.band)
        case Bars():
            assert figure.bars
            assert all(math.isfinite(bar.value) for bar in figure.bars)
        case HeatMap():
            rows, columns = figure.values.shape
            assert len(figure.rows) in (0, rows)
            assert len(figure.columns) in (0, columns)
            assert np.isfinite(figure.values).any()


@pytest.mark.parametrize("demo_id", IDS)
def test_out_of_range_is_refused_with_the_range(demo_id: str) -> None:
    demo = load(demo_id)
    for parameter in demo.parameters:
        if parameter.kind == "choice":
            with pytest.raises(InputError, match="must be one of"):
                demo.run({parameter.name: "no-such-setting"})
            continue
        for beyond in (parameter.low - 1, parameter.high + 1):
            with pytest.raises(InputError, match="out of range"):
                demo.run({parameter.name: beyond})
        for nonsense in ("abc", "nan", "inf", "1e999", None, True):
            with pytest.raises(InputError, match="must be a"):
                demo.run({parameter.name: nonsense})
    with pytest.raises(InputError, match="has no parameter"):
        demo.run({"no_such_parameter": 1})


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(25), marks=pytest.mark.slow), pytest.param(range(25, 100), marks=pytest.mark.soak)],
    ids=["25", "100"],
)
@pytest.mark.parametrize("demo_id", IDS)
def test_every_seed_passes_every_check(demo_id: str, seeds: range) -> None:
    demo = load(demo_id)
    for seed in seeds:
        assert [check for check in demo.run(seed=seed).checks if not check.ok] == [], seed
