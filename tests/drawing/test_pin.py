"""Two settings compared: what was measured before stands behind what is measured now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.figure import Bars, HeatMap, Plot
from tests.drawing.samples import SAMPLES
from tui.drawing import figure_rows, plain_text
from tui.drawing.pin import over_pinned


def test_measured_curves_stay_behind_as_context() -> None:
    now = SAMPLES["decay"]
    both = over_pinned(now, now)
    assert isinstance(both, Plot)
    assert isinstance(now, Plot)
    assert both.marks[2:] == now.marks
    assert [(mark.role, mark.name.en) for mark in both.marks[:2]] == [
        ("context", "pinned: measured"),
        ("context", "pinned: LSTM"),
    ]
    assert "已固定：实测" in plain_text(figure_rows(both, 100, 24, "zh"))


def test_a_pinned_curve_stays_within_the_axes() -> None:
    now = SAMPLES["decay"]
    assert isinstance(now, Plot)
    both = over_pinned(
        replace(now, y=replace(now.y, low=1e-3, high=1.0)), replace(now, y=replace(now.y, low=1e-6, high=0.5))
    )
    assert isinstance(both, Plot)
    assert (both.y.low, both.y.high) == (1e-6, 1.0)
    # an end that is found from the data is found from all of it
    open_above = over_pinned(now, replace(now, y=replace(now.y, high=None)))
    assert isinstance(open_above, Plot)
    assert open_above.y.high is None


def test_each_bar_stands_over_its_earlier_self() -> None:
    now = SAMPLES["traffic"]
    both = over_pinned(now, now)
    assert isinstance(both, Bars)
    assert [bar.role for bar in both.bars] == ["measured", "context"] * 2 + ["bound", "context"]


def test_two_matrices_are_shown_by_their_difference() -> None:
    now = SAMPLES["attention"]
    assert isinstance(now, HeatMap)
    both = over_pinned(now, replace(now, values=now.values - 0.25))
    assert isinstance(both, HeatMap)
    assert np.nanmax(abs(both.values - 0.25)) < 1e-15
    assert both.diverging


@pytest.mark.parametrize(
    ("now", "then"), [("decay", "traffic"), ("attention", "encoding"), ("traffic", "masking")]
)
def test_what_cannot_be_compared_is_left_alone(now: str, then: str) -> None:
    assert over_pinned(SAMPLES[now], SAMPLES[then]) is SAMPLES[now]
