"""Roles are told apart by shape as well as by colour, and colours can be read on any ground."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from engine.figure import Axis, Bar, Bars, HeatMap, Line, Plot
from engine.text import LANGUAGES, same
from tui.drawing import figure_rows, plain_text
from tui.drawing.labels import column_labels
from tui.drawing.matrix import block_means, levels, numbers
from tui.drawing.palette import ink_on, luminance, palette
from tui.drawing.roles import ROLES
from tui.drawing.rows import in_columns

GROUNDS = ("#000000", "#121212", "#1e1e1e", "#e0e0e0", "#ffffff")


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_lines_keep_three_to_one_on_dark_and_on_light(role: str, ground: str) -> None:
    """WCAG 2.2, 1.4.11: graphics need 3 to 1."""
    assert all(contrast(colour, ground) >= 3 for colour in ROLES[role].full)  # type: ignore[index]


@pytest.mark.parametrize("diverging", [False, True])
def test_numbers_in_coloured_cells_can_be_read(diverging: bool) -> None:
    """WCAG 2.2, 1.4.3: text needs 4.5 to 1."""
    assert all(contrast(colour, ink_on(colour)) >= 4.5 for colour in palette(diverging))


def test_the_sequential_palette_rises_in_lightness_throughout() -> None:
    light = [luminance(colour) for colour in palette(False)]
    assert all(low < high for low, high in pairwise(light))


def test_the_diverging_palette_is_lightest_at_zero() -> None:
    light = [luminance(colour) for colour in palette(True)]
    assert light.index(max(light)) == len(light) // 2


def test_no_two_roles_share_a_marker_a_filling_or_a_colour() -> None:
    looks = list(ROLES.values())
    assert len({look.markers[0] for look in looks}) == len(looks)
    assert len({look.fill for look in looks}) == len(looks)
    assert len({look.full[0] for look in looks}) == len(looks)
    # a curve is told by its dash and by whether it carries its marker
    curves = {(look.dash, look.markers[0] if look.on_line[0] else "") for look in looks}
    assert len(curves) == len(looks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_legend_shows_each_curve_another_way_without_colour(language: str) -> None:
    x = np.linspace(0, 1, 50)
    plot = Plot(
        same("t"),
        same("s"),
        Axis(same("x")),
        Axis(same("y")),
        tuple(Line(same(f"<{role}>"), x, x * (1 + look.depth), role) for role, look in ROLES.items()),
    )
    drawn = plain_text(figure_rows(plot, 100, 24, language, "none"))  # type: ignore[arg-type]
    legend = drawn.split("x" * 3)[0]
    samples = {role: legend.split(f" <{role}>")[0].split("  ")[-1].strip() for role in ROLES}
    assert len(set(samples.values())) == len(ROLES), samples


def test_bars_of_one_length_for_equal_values_and_none_for_nothing() -> None:
    figure = Bars(
        same("t"), same("s"), Axis(same("v")), (Bar(same("a"), 0.0), Bar(same("b"), 2.0), Bar(same("c"), 2.0))
    )
    zero, *equal = plain_text(figure_rows(figure, 50, 12, "en")).splitlines()[1:4]
    assert "█" not in zero
    assert equal[0].count("█") == equal[1].count("█") > 20


def test_half_a_value_is_half_a_bar() -> None:
    figure = Bars(same("t"), same("s"), Axis(same("v")), (Bar(same("a"), 1.0), Bar(same("b"), 2.0)))
    half, whole = plain_text(figure_rows(figure, 49, 12, "en")).splitlines()[1:3]
    assert abs(half.count("█") * 2 - whole.count("█")) <= 1


def test_a_masked_cell_is_blank_and_a_zero_is_not() -> None:
    figure = HeatMap(same("t"), same("s"), np.array([[0.0, np.nan], [0.25, 0.5]]))
    rows = figure_rows(figure, 40, 10, "en")
    styles = [(text, style) for text, style in rows[1] if text.strip() or "on" in style]
    assert any("on #" in style for _, style in styles)
    assert rows[1][-1][1] == ""
    assert "blank" in plain_text(rows)


def test_large_matrices_are_averaged_and_say_so() -> None:
    values = np.zeros((200, 200))
    values[:100] = 1.0
    drawn = plain_text(figure_rows(HeatMap(same("t"), same("s"), values), 60, 20, "en"))
    assert "mean of 6×6" in drawn


def test_means_leave_out_what_is_not_a_number() -> None:
    values = np.array([[1.0, np.nan, 5.0], [3.0, np.nan, np.nan]])
    assert np.array_equal(block_means(values, 2, 2), [[2.0, 5.0]])
    assert np.isnan(block_means(np.full((2, 2), np.nan), 2, 2)).all()
    assert np.isfinite(block_means(np.full((4, 4), 1.7e308), 4, 4)).all()


def test_levels_reach_both_ends_and_tell_not_a_number_apart() -> None:
    values = np.array([0.0, 0.49, 1.0, np.nan, np.inf, -np.inf])
    assert levels(values, 0.0, 1.0, 4).tolist() == [0, 1, 3, -1, 3, 0]
    assert levels(np.array([-1.7e308, 1.7e308]), -1.7e308, 1.7e308, 5).tolist() == [0, 4]
    assert levels(np.array([7.0, np.nan]), 7.0, 7.0, 4).tolist() == [2, -1]


def test_numbers_are_left_out_where_they_would_say_too_little() -> None:
    assert numbers(np.array([[0.313, 1.0]]), 4) == [["0.31", "1.00"]]
    assert (
        numbers(np.array([[0.313, 0.5]]), 3) == [["0.3", "0.5"]]
        or numbers(np.array([[0.313, 0.5]]), 3) is None
    )
    assert numbers(np.array([[0.0004]]), 4) is None
    assert numbers(np.array([[12.0, 3.0]]), 2) == [["12", "3"]]
    assert numbers(np.array([[123456.0]]), 4) is None


def test_drawing_loads_neither_textual_nor_numpy_until_a_figure_is_drawn() -> None:
    code = "import sys, tui.drawing; print(sorted({'numpy', 'textual', 'sympy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_drawing_never_loads_textual() -> None:
    code = (
        "import sys; from tests.drawing.samples import SAMPLES; from tui.drawing import figure_rows\n"
        "for figure in SAMPLES.values(): figure_rows(figure, 60, 16, 'zh')\n"
        "print('textual' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_counts_in_a_list_stand_under_one_another() -> None:
    rows = [("24 张", "0 张到期", "22 张新卡"), ("7 张", "12 张到期", "9 张新卡"), ("4 张", "今日已完成")]
    assert in_columns(rows, " · ") == [
        "24 张 ·  0 张到期 · 22 张新卡",
        " 7 张 · 12 张到期 ·  9 张新卡",
        "4 张 · 今日已完成",
    ]


def test_names_of_some_columns_stand_on_one_line_where_the_others_leave_room() -> None:
    months = ["", "11", "", "", "", "12", "", "", "", "1", "", "", ""]
    assert column_labels(months, 1, 6) == [" 11  12  1"]
    # without room they stand upright, as before
    assert column_labels(["11", "", "12"], 1, 6) == ["1 1", "1 2"]
