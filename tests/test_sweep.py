"""A parameter carried through its range: every place a run of its own, and the picture of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.demonstration import Params, Results
from engine.demos import catalogue, load
from engine.errors import InputError
from engine.figure import Bars, Line, Plot, Points, Rule
from engine.sweep import places, sweep, sweep_json, swept_figure


def test_a_sweep_goes_from_end_to_end_along_the_slider() -> None:
    for entry in catalogue():
        for parameter in load(entry.id).parameters:
            found = places(parameter)
            assert len(set(found)) == len(found)
            if parameter.kind == "choice":
                assert found == tuple(choice.value for choice in parameter.choices)
            else:
                assert (found[0], found[-1]) == (parameter.low, parameter.high)
                assert list(found) == sorted(found)
                assert len(found) <= 25
                assert all(parameter.read(value) == value for value in found)


def test_a_place_of_a_sweep_is_the_run_at_that_value() -> None:
    demo = load("D19")
    runs = list(sweep(demo, "d_k", {"scale": "none"}, 3, most=5))
    alone = demo.run({"scale": "none", "d_k": runs[2].params.d_k}, 3)
    assert runs[2].headline == alone.headline
    data = sweep_json(demo, "d_k", runs)
    assert [one["value"] for one in data["runs"]] == [run.params.d_k for run in runs]
    # without the scaling the variance is the width
    assert data["runs"][-1]["predicted"] == data["runs"][-1]["value"]
    assert all(one["ok"] for one in data["runs"])


def test_the_picture_has_both_curves_the_band_of_the_check_and_where_one_stands() -> None:
    demo = load("D19")
    runs = list(sweep(demo, "d_k", most=5, dragging=True))
    figure = swept_figure(demo, "d_k", runs, 64)
    assert isinstance(figure, Plot)
    predicted, measured, here = figure.marks
    assert isinstance(predicted, Line)
    assert isinstance(measured, Line)
    assert predicted.band is not None
    assert ((predicted.band[0] < measured.y) & (measured.y < predicted.band[1])).all()
    assert isinstance(here, Rule)
    assert here.at == 64
    assert figure.x.scale == "log"


def test_a_choice_is_swept_as_bars_and_the_one_that_stands_is_told_apart() -> None:
    demo = load("D08")
    figure = swept_figure(demo, "scheme", list(sweep(demo, "scheme", dragging=True)), "orthogonal")
    assert isinstance(figure, Bars)
    assert [bar.role for bar in figure.bars].count("measured") == 1


def test_a_check_that_fails_on_the_way_is_pointed_out() -> None:
    demo = load("D19")

    def wrong(p: Params) -> Results:
        return {**demo.predict(p), "score_variance": 1.0 + (p.d_k > 100)}

    broken = replace(demo, predict=wrong)
    runs = list(sweep(broken, "d_k", most=5, dragging=True))
    figure = swept_figure(broken, "d_k", runs)
    assert isinstance(figure, Plot)
    failing = figure.marks[-1]
    assert isinstance(failing, Points)
    assert failing.x.tolist() == [run.params.d_k for run in runs if not run.ok]
    assert 0 < failing.x.size < len(runs)


def test_a_value_that_the_others_forbid_is_passed_over_and_none_at_all_is_said() -> None:
    demo = load("D19")

    def picky(p: Params, rng: np.random.Generator) -> Results:
        if p.d_k != 1:
            raise InputError(demo.title)
        return demo.measure(p, rng)

    runs = list(sweep(replace(demo, measure=picky), "d_k", most=5))
    assert [run.params.d_k for run in runs] == [1]
    assert math.isfinite(runs[0].headline)
    with pytest.raises(InputError, match="no run"):
        swept_figure(demo, "d_k", [])


def test_an_unknown_parameter_is_named_with_the_known() -> None:
    with pytest.raises(InputError, match=r"D19 has no parameter width; it has d_k"):
        list(sweep(load("D19"), "width"))


def test_a_counter_that_hardly_leaks_is_predicted_to_the_last_digits() -> None:
    # the limit of the leak is e to the bias: its difference must not be taken
    assert all(run.ok for run in sweep(load("D16"), "bias"))


@pytest.mark.soak
@pytest.mark.parametrize("demo", [entry.id for entry in catalogue()])
def test_every_check_holds_along_every_parameter(demo: str) -> None:
    for parameter in load(demo).parameters:
        for run in sweep(load(demo), parameter.name):
            assert run.ok, (parameter.name, run.params.as_dict(), [c.name for c in run.checks if not c.ok])
