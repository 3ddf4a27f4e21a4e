"""Figures as SVG: well-formed, inside their frame, safe, and legible without sight or colour."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.demos import catalogue, load
from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Line, Plot, Points, Rule
from engine.text import Text, same
from quizbank.sheets.svg import svg

NS = "{http://www.w3.org/2000/svg}"
LABEL = Text("score", "分数")


def plot(x: np.ndarray, y: np.ndarray, scale: str = "linear") -> Plot:
    axis = Axis(LABEL, scale)  # type: ignore[arg-type]
    marks = (Line(LABEL, x, y), Points(LABEL, x, y, "predicted"), Rule(LABEL, 1.0))
    return Plot(LABEL, Text("see", "看点"), axis, axis, marks)


@pytest.mark.slow
@pytest.mark.parametrize("demo_id", [entry.id for entry in catalogue()])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_figure_of_every_demonstration(demo_id: str, language: str) -> None:
    for figure in load(demo_id).run().figures():
        root = ET.fromstring(svg(figure, language))  # type: ignore[arg-type]
        assert root.findtext(f"{NS}title") == figure.title.of(language)  # type: ignore[arg-type]
        assert root.findtext(f"{NS}desc") == figure.see.of(language)  # type: ignore[arg-type]
        drawn = [value for element in root.iter() for value in element.attrib.values()]
        assert [value for value in drawn if "nan" in value.lower() or "inf" in value.lower()] == []


numbers = st.floats(allow_nan=True, allow_infinity=True, width=64)


@given(arrays(np.float64, st.integers(1, 30), elements=numbers), st.sampled_from(["linear", "log"]))
def test_any_numbers_draw(values: np.ndarray, scale: str) -> None:
    with np.errstate(all="ignore"):
        drawn = svg(plot(values, values[::-1].copy(), scale), "en")
    root = ET.fromstring(drawn)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for circle in root.iter(f"{NS}circle"):
        assert -1 <= float(circle.attrib["cy"]) <= height
    assert width > 0


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=numbers), st.booleans())
def test_any_matrix_draws(values: np.ndarray, diverging: bool) -> None:
    with np.errstate(all="ignore"):
        root = ET.fromstring(svg(HeatMap(LABEL, LABEL, values, diverging=diverging), "zh"))
    assert len(list(root.iter(f"{NS}rect"))) >= values.size


HOSTILE = same('<script>alert("1")</script> ]]> & \x1b]52;c;x\x07 {{c1::a}}')


@pytest.mark.parametrize(
    "figure",
    [
        Plot(
            HOSTILE, HOSTILE, Axis(HOSTILE), Axis(HOSTILE), (Line(HOSTILE, np.arange(3.0), np.arange(3.0)),)
        ),
        Bars(HOSTILE, HOSTILE, Axis(HOSTILE), (Bar(HOSTILE, 1.0),)),
        HeatMap(HOSTILE, HOSTILE, np.eye(2), (HOSTILE, HOSTILE), (HOSTILE, HOSTILE)),
    ],
)
def test_hostile_text_stays_text(figure: Figure) -> None:
    drawn = svg(figure, "en")
    root = ET.fromstring(drawn)
    assert not list(root.iter(f"{NS}script"))
    assert "\x1b" not in drawn
    assert '<script>alert("1")</script>' in (root.findtext(f"{NS}title") or "")


def test_roles_differ_without_colour() -> None:
    x = np.arange(4.0)
    roles = ("measured", "predicted", "popular", "bound", "other", "context")
    marks = tuple(Line(same(role), x, x, role) for role in roles)  # type: ignore[arg-type]
    root = ET.fromstring(svg(Plot(LABEL, LABEL, Axis(LABEL), Axis(LABEL), marks), "en"))
    lines = [path for path in root.iter(f"{NS}path") if path.get("stroke-width") == "2"]
    assert len({path.get("stroke-dasharray") for path in lines}) == len(roles)
