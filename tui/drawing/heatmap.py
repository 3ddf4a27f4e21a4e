"""Matrices as colours: labelled cells where there is room, half blocks where there is not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from engine.figure import Floats, HeatMap
from engine.text import Text
from tui.drawing.labels import column_labels
from tui.drawing.matrix import block_means, levels, limits, numbers
from tui.drawing.medium import Medium
from tui.drawing.palette import OUTLINE, ink_on, palette
from tui.drawing.plot import heading
from tui.drawing.rows import Row, centre, clean, finish, right, shorten

_WIDEST_CELL = 9
_TALLEST_CELL = 3
_NUMBERED = 400
"""More cells than this are read as a picture, not one by one."""

_MEANS = Text("each cell: mean of {down}×{across}", "每格为 {down}×{across} 个值的均值")
_BLANK = Text("blank: no value", "空白：无值")


@dataclass(frozen=True)
class _Grid:
    """The matrix as it will be seen: cut to what fits, with the labels and marks that are left."""

    values: Floats
    rows: list[str]
    columns: list[str]
    outlined: frozenset[tuple[int, int]]
    down: int
    across: int


@dataclass(frozen=True)
class _Layout:
    """``cell`` cells across, ``tall`` rows down (0: half a row) for one value; ``gutter`` for row labels."""

    cell: int
    tall: int
    gutter: int
    numbers: list[list[str]] | None

    @cached_property
    def longest(self) -> int:
        """Cells of the longest number."""
        return max((len(text) for row in self.numbers or [] for text in row), default=0)


def heatmap_rows(figure: HeatMap, width: int, height: int, medium: Medium) -> list[Row]:
    """See :func:`tui.drawing.figure_rows`; as many rows as the matrix needs."""
    rows = heading(medium.say(figure.title), [], width, height - 3, medium)
    values = np.atleast_2d(np.asarray(figure.values, dtype=float))
    if not values.size:
        return [finish(row, width) for row in rows or [[]]]
    low, high = limits(figure, values)
    with_bar = height - len(rows) >= 4 and width >= 16
    room = height - len(rows) - with_bar
    gutter = _gutter(figure, width, medium)
    grid = _grid(figure, values, width - gutter, room, medium)
    layout, above = _lay_out(grid, gutter, width - gutter, room, medium)

    rows += [[(" " * gutter + line, "")] for line in above]
    if layout.tall == 0:
        rows += _half_rows(grid, layout, low, high, figure.diverging)
    elif medium.colours == "full":
        rows += _coloured_rows(grid, layout, low, high, figure.diverging)
    else:
        rows += _shaded_rows(grid, layout, low, high, figure.diverging, medium)
    if with_bar:
        rows += _key(grid, layout, low, high, figure.diverging, width, medium)
    return [finish(row, width) for row in rows[:height]]


def _gutter(figure: HeatMap, width: int, medium: Medium) -> int:
    if not figure.rows or width < 12:
        return 0
    return min(max(cell_len(clean(medium.say(label))) for label in figure.rows), width // 3) + 1


def _grid(figure: HeatMap, values: Floats, width: int, room: int, medium: Medium) -> _Grid:
    halves = medium.colours == "full" and not medium.ambiguous_wide
    rows, columns = values.shape
    down, across = -(-rows // (room * (2 if halves else 1))), -(-columns // width)
    if rows == columns:
        # a square stays a square
        down = across = max(down, across)
    return _Grid(
        block_means(values, down, across),
        [clean(medium.say(label)) for label in figure.rows[::down]],
        [clean(medium.say(label)) for label in figure.columns[::across]],
        frozenset(
            (row // down, column // across)
            for row, column in figure.outline
            if 0 <= row < rows and 0 <= column < columns
        ),
        down,
        across,
    )


def _lay_out(grid: _Grid, gutter: int, width: int, room: int, medium: Medium) -> tuple[_Layout, list[str]]:
    """Cells as wide as labels and numbers want and the room allows; the lines of labels above them."""
    rows, columns = grid.values.shape
    full = rows <= room
    widest = max((cell_len(label) for label in grid.columns), default=0)
    marks = 2 if grid.outlined else 1
    wanted = max(2 if full else 1, widest + 1 if widest else 0)
    figures = numbers(grid.values, _WIDEST_CELL - marks) if full and rows * columns <= _NUMBERED else None
    if figures:
        wanted = max(wanted, max(len(text) for row in figures for text in row) + marks)
    cell = max(1, min(width // columns, wanted, _WIDEST_CELL))
    shown = numbers(grid.values, cell - marks) if figures else None
    used = rows if full else -(-rows // 2)
    above = column_labels(grid.columns, cell, min(room - used, 6))
    tall = 0
    if full:
        plain_numbers = shown is not None and medium.colours != "full"
        tall = 1 if plain_numbers else max(1, min((room - len(above)) // rows, cell // 2, _TALLEST_CELL))
    return _Layout(cell, tall, gutter, shown), above


def _row_label(grid: _Grid, row: int, gutter: int) -> tuple[str, str]:
    if not gutter:
        return "", ""
    label = grid.rows[row] if row < len(grid.rows) else ""
    return right(label, gutter - 1) + " ", ""


def _inside(grid: _Grid, layout: _Layout, row: int, column: int, fill: str) -> str:
    """What stands in one cell: its number or filling, between brackets where it is pointed out."""
    marked = (row, column) in grid.outlined
    text = layout.numbers[row][column] if layout.numbers else ""
    if text:
        # set right, so that the decimal points of a column stand under each other
        text = f"[{text}]" if marked else f" {text} " if grid.outlined else text
        return centre(text.rjust(layout.longest + (2 if grid.outlined else 0)), layout.cell)
    if not marked:
        return fill * layout.cell
    return "[" + fill * (layout.cell - 2) + "]" if layout.cell > 1 else "+"


def _coloured_rows(grid: _Grid, layout: _Layout, low: float, high: float, diverging: bool) -> list[Row]:
    colours = palette(diverging)
    level = levels(grid.values, low, high, len(colours)).tolist()
    rows: list[Row] = []
    blank = " " * layout.cell
    for row, line in enumerate(level):
        grounds = ["" if one < 0 else f"on {colours[one]}" for one in line]
        padding: Row = [("" if not layout.gutter else " " * layout.gutter, "")]
        padding += [(blank, ground) for ground in grounds]
        written: Row = [_row_label(grid, row, layout.gutter)]
        for column, (one, ground) in enumerate(zip(line, grounds, strict=True)):
            text = _inside(grid, layout, row, column, " ")
            ink = f"bold {ink_on(colours[one])} {ground}" if one >= 0 else ""
            written.append((text, ink if text.strip() else ground))
        middle = layout.tall // 2
        rows += [written if line_ == middle else list(padding) for line_ in range(layout.tall)]
    return rows


def _shaded_rows(
    grid: _Grid, layout: _Layout, low: float, high: float, diverging: bool, medium: Medium
) -> list[Row]:
    shade = _shades(grid.values, low, high, diverging, medium)
    rows: list[Row] = []
    for row, line in enumerate(shade):
        filled: Row = [(" " * layout.gutter, "")]
        written: Row = [_row_label(grid, row, layout.gutter)]
        for column, (fill, style) in enumerate(line):
            filled.append((fill * layout.cell, style))
            written.append((_inside(grid, layout, row, column, fill), style))
        middle = layout.tall // 2
        rows += [written if line_ == middle else list(filled) for line_ in range(layout.tall)]
    return rows


def _shades(
    values: Floats, low: float, high: float, diverging: bool, medium: Medium
) -> list[list[tuple[str, str]]]:
    """A character and a style for each value; on a diverging scale the sign has characters of its own."""
    rising, below = medium.shades, medium.shades_below_zero
    if not diverging:
        level = levels(values, low, high, len(rising)).tolist()
        return [[(" " if one < 0 else rising[one], "") for one in line] for line in level]
    scale = below[:0:-1] + rising
    level = levels(values, low, high, len(scale)).tolist()
    zero = len(below) - 1
    cold = medium.pick("", "bright_blue")
    return [
        [(" " if one < 0 else scale[one], cold if 0 <= one < zero else "") for one in line] for line in level
    ]


def _half_rows(grid: _Grid, layout: _Layout, low: float, high: float, diverging: bool) -> list[Row]:
    """Two values to a cell: the upper one is the block's colour, the lower one the ground's."""
    colours = (*palette(diverging), OUTLINE, "")
    level = levels(grid.values, low, high, len(colours) - 2)
    for row, column in grid.outlined:
        level[row, column] = len(colours) - 2
    if level.shape[0] % 2:
        level = np.pad(level, ((0, 1), (0, 0)), constant_values=-1)
    return [
        [
            _row_label(grid, 2 * row, layout.gutter),
            *_half_runs(level[2 * row], level[2 * row + 1], layout.cell, colours),
        ]
        for row in range(level.shape[0] // 2)
    ]


def _half_runs(upper: NDArray[np.intp], lower: NDArray[np.intp], cell: int, colours: tuple[str, ...]) -> Row:
    changes = np.flatnonzero((np.diff(upper) != 0) | (np.diff(lower) != 0)) + 1
    edges = [0, *changes.tolist(), upper.size]
    runs: Row = []
    for start, end in pairwise(edges):
        top, bottom, cells = colours[upper[start]], colours[lower[start]], (end - start) * cell
        if top == bottom:
            runs.append((" " * cells, f"on {top}" if top else ""))
        elif not top:
            runs.append(("▄" * cells, bottom))
        else:
            runs.append(("▀" * cells, f"{top} on {bottom}" if bottom else top))
    return runs


def _key(
    grid: _Grid, layout: _Layout, low: float, high: float, diverging: bool, width: int, medium: Medium
) -> list[Row]:
    """What the colours mean, in one row; nothing where numbers alone say it all."""
    notes = []
    if grid.down > 1 or grid.across > 1:
        notes.append(medium.say(_MEANS).format(down=grid.down, across=grid.across))
    if np.isnan(grid.values).any():
        notes.append(medium.say(_BLANK))
    first, last = medium.number(low), medium.number(high)
    row: Row = [(" " * layout.gutter, "")]
    if medium.colours == "full":
        colours = palette(diverging)
        room = width - layout.gutter - cell_len(first) - cell_len(last) - 2
        count = max(2, min(len(colours), room))
        picked = [colours[round(step * (len(colours) - 1) / (count - 1))] for step in range(count)]
        row += [(first + " ", ""), *((" ", f"on {colour}") for colour in picked), (" " + last, "")]
    elif layout.numbers is None:
        count = len(medium.shades) + (len(medium.shades_below_zero) - 1 if diverging else 0)
        middles = low + (np.arange(count) + 0.5) / count * (high - low)
        samples = _shades(middles[None, :], low, high, diverging, medium)[0]
        row += [(first + " |", ""), *((fill * 2, style) for fill, style in samples)]
        row += [("| " + last, "")]
    elif not notes:
        return []
    row += [("  " + medium.glyph(shorten("  ".join(notes), 60)), "")] if notes else []
    return [row]
