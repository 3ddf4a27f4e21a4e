"""Whatever a figure holds and whatever size it is given: it is drawn, and every row is as wide as asked."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from rich.style import Style

from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Line, Mark, Plot, Points, Rule
from engine.text import LANGUAGES, Text
from tests.drawing.samples import SAMPLES
from tui.drawing import figure_rows
from tui.drawing.roles import ROLES
from tui.drawing.rows import row_cells

ANY = st.floats(allow_nan=True, allow_infinity=True)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
KIND = st.one_of(ANY, st.floats(0, 1), st.just(3.0), st.integers(-5, 5).map(float))
ROLE = st.sampled_from(sorted(ROLES))
WORDS = st.text(max_size=12)
TEXT = st.builds(Text, WORDS, WORDS)


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    ends = st.none() | FINITE
    return Axis(draw(TEXT), draw(st.sampled_from(["linear", "log"])), draw(ends), draw(ends))


@st.composite
def marks(draw: st.DrawFn) -> Mark:
    if draw(st.integers(0, 4)) == 0:
        return Rule(draw(TEXT), draw(KIND), draw(st.sampled_from(["x", "y"])), draw(ROLE))
    size = draw(st.sampled_from([0, 1, 2, 7, 400]))
    column = arrays.arrays(np.float64, size, elements=KIND)
    x = draw(column)
    if draw(st.booleans()):
        x = np.sort(x)
    if draw(st.booleans()):
        return Points(draw(TEXT), x, draw(column), draw(ROLE))
    band = (draw(column), draw(column)) if draw(st.booleans()) else None
    return Line(draw(TEXT), x, draw(column), draw(ROLE), band)


@st.composite
def plots(draw: st.DrawFn) -> Plot:
    return Plot(
        draw(TEXT), draw(TEXT), draw(axes()), draw(axes()), tuple(draw(st.lists(marks(), max_size=4)))
    )


@st.composite
def bars(draw: st.DrawFn) -> Bars:
    one = st.builds(Bar, TEXT, KIND, ROLE, KIND)
    return Bars(draw(TEXT), draw(TEXT), draw(axes()), tuple(draw(st.lists(one, max_size=6))))


@st.composite
def heatmaps(draw: st.DrawFn) -> HeatMap:
    shape = draw(st.tuples(st.integers(0, 40), st.integers(0, 40)))
    labels = st.lists(TEXT, min_size=max(shape), max_size=max(shape))
    values = draw(arrays.arrays(np.float64, shape, elements=KIND, fill=KIND))
    return HeatMap(
        draw(TEXT),
        draw(TEXT),
        values,
        tuple(draw(labels)[: shape[0]]) if draw(st.booleans()) else (),
        tuple(draw(labels)[: shape[1]]) if draw(st.booleans()) else (),
        draw(st.none() | FINITE),
        draw(st.none() | FINITE),
        draw(st.booleans()),
        tuple(draw(st.lists(st.tuples(st.integers(-1, 41), st.integers(-1, 41)), max_size=3))),
    )


SIZE = st.tuples(st.integers(1, 90), st.integers(1, 30))
COLOURS = st.sampled_from(["full", "16", "none"])


@pytest.mark.slow
@given(st.one_of(plots(), bars(), heatmaps()), SIZE, st.sampled_from(LANGUAGES), COLOURS, st.booleans())
def test_any_figure_at_any_size(figure: Figure, size, language, colours, ambiguous_wide) -> None:  # type: ignore[no-untyped-def]
    width, height = size
    rows = figure_rows(figure, width, height, language, colours, ambiguous_wide=ambiguous_wide)
    assert len(rows) <= height
    assert [row_cells(row) for row in rows] == [width] * len(rows)
    assert all(text.isprintable() for row in rows for text, _ in row)
    for row in rows:
        for text, style in row:
            assert text
            Style.parse(style)


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-3, 4)])
@pytest.mark.parametrize("name", SAMPLES)
def test_no_room_is_no_rows(name: str, size: tuple[int, int]) -> None:
    assert figure_rows(SAMPLES[name], *size, "en") == []


@pytest.mark.parametrize("name", SAMPLES)
def test_all_six_lines_of_a_tiny_place_hold_something(name: str) -> None:
    rows = figure_rows(SAMPLES[name], 20, 6, "zh", "none")
    assert sum(bool("".join(text for text, _ in row).strip()) for row in rows) >= 4


@pytest.mark.parametrize("name", SAMPLES)
def test_without_colour_no_style_has_one(name: str) -> None:
    for row in figure_rows(SAMPLES[name], 70, 20, "zh", "none"):
        for _, style in row:
            parsed = Style.parse(style)
            assert parsed.color is None
            assert parsed.bgcolor is None


@pytest.mark.parametrize("name", SAMPLES)
def test_where_ambiguous_characters_are_wide_none_is_used(name: str) -> None:
    """The words are the figure's own; what we add to them is safe."""
    figure = SAMPLES[name]
    for width, height in ((80, 24), (40, 12)):
        drawn = figure_rows(figure, width, height, "en", "full", ambiguous_wide=True)
        added = {character for row in drawn for text, _ in row for character in text}
        words = set("…“”λᵀΔ")
        wide = {one for one in added if unicodedata.east_asian_width(one) == "A"} - words
        assert wide == set()


def test_frames_are_narrow_in_every_terminal() -> None:
    """Axes hold no character that some terminal draws two cells wide."""
    from tui.drawing.frame import horizontal_axis, vertical_axis
    from tui.drawing.medium import Medium
    from tui.drawing.scale import Scale

    ticks = Scale(0.0, 1.0).ticks(6)
    medium = Medium("en")
    frame = [*vertical_axis(ticks, 8, 4, medium), *horizontal_axis(ticks, 40, 4, medium)]
    for row in frame:
        for text, _ in row:
            assert all(unicodedata.east_asian_width(one) != "A" for one in text)


def test_a_token_in_brackets_is_shown_as_it_is() -> None:
    rows = figure_rows(SAMPLES["attention"], 60, 20, "zh")
    drawn = "\n".join("".join(text for text, _ in row) for row in rows)
    assert drawn.count("[MASK]") == 2
    assert "地毯" in drawn
