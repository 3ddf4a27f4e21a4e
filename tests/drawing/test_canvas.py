"""Curves become the dots that a slow and plain drawing would set."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tui.drawing.canvas import Canvas, thin, trace
from tui.drawing.roles import Pen

WIDTH, HEIGHT = 40, 24
INSIDE = st.floats(0, 1, width=32)
PEN = Pen(style="red", marker="●", dash=(), marks_line=False, fill="█", depth=0)


def lines(canvas: Canvas) -> list[str]:
    return ["".join(text for text, _ in row) for row in canvas.draw()]


def lit(across: np.ndarray, down: np.ndarray, dash: tuple[int, ...] = ()) -> set[tuple[int, int]]:
    columns, rows = trace(across, down, WIDTH, HEIGHT, dash)
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def around(dots: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The dots and their eight neighbours."""
    return {(column + i, row + j) for column, row in dots for i in (-1, 0, 1) for j in (-1, 0, 1)}


@given(arrays.arrays(np.float64, (2, 9), elements=INSIDE))
def test_every_point_of_a_curve_is_lit_and_its_dots_are_joined(points: np.ndarray) -> None:
    across, down = points[0] * (WIDTH - 1), points[1] * (HEIGHT - 1)
    dots = lit(across, down)
    for x, y in zip(across, down, strict=True):
        assert any(abs(column - x) <= 1 and abs(row - y) <= 1 for column, row in dots)
    reached, edge = set(), [next(iter(dots))]
    while edge:
        column, row = edge.pop()
        reached.add((column, row))
        near = {(column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        edge += list((near & dots) - reached)
    assert reached == dots


@given(
    st.tuples(st.floats(-300, 300), st.floats(-300, 300)),
    st.tuples(st.floats(-300, 300), st.floats(-300, 300)),
)
def test_what_leaves_the_canvas_is_cut_where_it_leaves(start, end) -> None:  # type: ignore[no-untyped-def]
    """Against sampling the whole segment very finely and keeping what is inside."""
    across, down = np.array([start[0], end[0]]), np.array([start[1], end[1]])
    t = np.linspace(0, 1, 5_001)
    fine = start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])

    def sampled(margin: float) -> set[tuple[int, int]]:
        """The dots of the samples that lie on the canvas, ``margin`` beyond its outermost dots included."""
        inside = np.ones(t.size, dtype=bool)
        for values, size in zip(fine, (WIDTH, HEIGHT), strict=True):
            inside &= (values >= -margin) & (values <= size - 1 + margin)
        columns, rows = (np.round(values[inside]).astype(int).tolist() for values in fine)
        return set(zip(columns, rows, strict=True))

    dots = lit(across, down)
    assert sampled(0.4) <= around(dots)
    assert dots <= around(sampled(0.6))


def test_a_gap_stays_open_and_a_lonely_point_is_seen() -> None:
    across = np.arange(0, 40, 4.0)
    down = np.full(10, 5.0)
    down[[3, 5]] = np.nan
    columns = {column for column, _ in lit(across, down)}
    assert columns == {*range(9), 16, *range(24, 37)}


def test_dashes_run_on_across_the_points_of_a_curve() -> None:
    """The pattern depends on the way travelled, not on how many points the curve has."""
    few = lit(np.array([0.0, 39.0]), np.array([7.0, 7.0]), (4, 3))
    many = lit(np.linspace(0, 39, 79), np.full(79, 7.0), (4, 3))
    assert few == many
    assert {column for column, _ in few} == {column for column in range(40) if column % 7 < 4}


@given(arrays.arrays(np.float64, 3_000, elements=st.floats(0, 1, width=32), fill=INSIDE))
def test_a_thinned_curve_is_the_same_picture_to_a_dot(values: np.ndarray) -> None:
    across = np.linspace(0, WIDTH - 1, values.size)
    down = values * (HEIGHT - 1)
    full, thinned = lit(across, down), lit(*thin(across, down))
    assert full <= around(thinned)
    assert thinned <= around(full)


def test_thinning_leaves_a_path_that_turns_back_alone() -> None:
    angle = np.linspace(0, 6, 500)
    across, down = np.cos(angle), np.sin(angle)
    assert thin(across, down) == (across, down)


def test_points_above_and_below_say_where_they_went() -> None:
    canvas = Canvas(5, 3)
    canvas.markers(np.array([0.0, 0.5, 1.0]), np.array([2.0, 0.5, -np.inf]), PEN)
    assert lines(canvas) == ["^    ", "  ●  ", "    v"]


def test_a_band_gives_way_to_curves_and_leaves_gaps_open() -> None:
    x = np.linspace(0, 1, 41)
    low, high = np.full(41, 0.2), np.full(41, 0.8)
    high[15:25] = np.nan
    canvas = Canvas(20, 4)
    canvas.band(x, low, high, PEN)
    columns = [any(line[column] != " " for line in lines(canvas)) for column in range(20)]
    assert not any(columns[8:12])
    assert all(columns[:7:2])
    assert all(columns[14::2])
    canvas.curve(np.array([0.0, 1.0]), np.array([0.5, 0.5]), PEN)
    # a cell that the curve crosses shows the curve alone
    assert lines(canvas)[2] == "⠉" * 20
