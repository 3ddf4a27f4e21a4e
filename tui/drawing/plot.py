"""Plots: curves, bands, points and rules over two axes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from rich.cells import cell_len

from engine.figure import Axis, Floats, Line, Mark, Plot, Points, Rule
from engine.text import Text
from tui.drawing.canvas import Canvas
from tui.drawing.frame import gutter_for, horizontal_axis, vertical_axis
from tui.drawing.medium import Medium
from tui.drawing.roles import Pen, pen
from tui.drawing.rows import Row, centre, finish, right, row_cells, shorten
from tui.drawing.scale import Scale, scale_of

_ROWS_A_TICK = 3
_CELLS_A_TICK = 9
_SAMPLE = 3
"""Cells of a curve's sample in the legend, at least."""
_LONGEST_NAME = 40
_Kind: TypeAlias = Literal["points", "dots", "curve", "level", "upright"]


@dataclass(frozen=True)
class _Series:
    """A mark with its pen, and how many curves with markers stand before it."""

    mark: Mark
    pen: Pen
    marked_before: int
    dense: bool
    """More points than markers could tell apart: each is one dot."""


def plot_rows(plot: Plot, width: int, height: int, medium: Medium) -> list[Row]:
    """See :func:`tui.drawing.figure_rows`."""
    series = _series(plot, width, medium)
    x_scale = scale_of(plot.x, _extent(plot, "x"), margin=0.0)
    y_scale = scale_of(plot.y, _extent(plot, "y"))

    framed = height >= 5 and width >= 12
    free = height - 2 * framed
    rows = heading(medium.say(plot.title), [_entry(one, medium) for one in series], width, free - 3, medium)
    free -= len(rows)
    y_title, x_title = framed and free >= 6, framed and free >= 7
    if y_title:
        rows.append([(shorten(axis_title(plot.y, medium), width), "")])
    tall = max(1, free - y_title - x_title)

    ticks = y_scale.ticks(max(3, min(5, tall // 2), tall // _ROWS_A_TICK), medium.ambiguous_wide)
    gutter = gutter_for(ticks, max(6, width // 3)) if framed else 0
    columns = max(1, width - gutter - framed)
    canvas = Canvas(columns, tall)
    for one in sorted(series, key=lambda one: (isinstance(one.mark, Points), one.pen.depth)):
        _draw(one, canvas, x_scale, y_scale)
    if framed:
        side = vertical_axis(ticks if gutter else [], tall, gutter, medium)
        rows += [[*edge, *cells] for edge, cells in zip(side, canvas.draw(), strict=True)]
        named = x_scale.ticks(max(5, columns // _CELLS_A_TICK), medium.ambiguous_wide)
        rows += horizontal_axis(named, columns, gutter, medium)
    else:
        rows += canvas.draw()
    if x_title:
        rows.append(under(axis_title(plot.x, medium), gutter + 1, columns, width))
    return [finish(row, width) for row in rows]


def heading(title: str, legend: list[Row], width: int, most: int, medium: Medium) -> list[Row]:
    """Title and legend in at most ``most`` rows: on one row where they fit, else under each other."""
    if most < 1:
        return []
    above: Row = [(shorten(title, width), medium.title)]
    lines = _flow(legend, width)
    if len(lines) == 1 and (gap := width - row_cells(above) - row_cells(lines[0])) >= 3:
        return [[*above, (" " * gap, ""), *lines[0]]]
    kept = lines[: max(0, (most - 1) // 2) if len(lines) > 1 else most - 1]
    if kept and len(kept) < len(lines):
        kept = _flow(legend, width - 2)[: len(kept)]
        kept[-1] = [*kept[-1], (" …", "")]
    return [above, *kept]


def _flow(entries: list[Row], width: int) -> list[Row]:
    """The entries, two spaces apart, on as many lines as they need."""
    lines: list[Row] = []
    for entry in entries:
        if lines and row_cells(lines[-1]) + 2 + row_cells(entry) <= width:
            lines[-1] += [("  ", ""), *entry]
        else:
            lines.append(finish(entry, min(width, row_cells(entry))))
    return lines


def under(title: str, indent: int, columns: int, width: int) -> Row:
    """An axis's title centred under its ``columns``; a longer one may take the whole width."""
    if cell_len(title) <= columns:
        return [(" " * indent, ""), (centre(title, columns), "")]
    return [(right(shorten(title, width), width), "")]


def axis_title(axis: Axis, medium: Medium) -> str:
    said = medium.say(axis.label)
    return said + medium.say(_LOG) if axis.scale == "log" else said


_LOG = Text(" (log)", "（对数）")


def _series(plot: Plot, width: int, medium: Medium) -> list[_Series]:
    # counted by kind of mark too: the measured points and the measured curve are one thing
    seen: Counter[tuple[type, str]] = Counter()
    marked = 0
    series = []
    for mark in plot.marks:
        own = pen(mark.role, seen[type(mark), mark.role], medium)
        seen[type(mark), mark.role] += 1
        dense = isinstance(mark, Points) and np.size(mark.x) > 2 * width
        series.append(_Series(mark, own, marked, dense))
        marked += isinstance(mark, Line) and own.marks_line
    return series


def _extent(plot: Plot, axis: Literal["x", "y"]) -> list[Floats]:
    """All the values that the axis must hold."""
    values: list[Floats] = []
    for mark in plot.marks:
        match mark:
            case Rule():
                values += [np.array([mark.at])] if mark.axis == axis else []
            case Line() if axis == "y":
                values += [mark.y, *(mark.band or ())]
            case _:
                values.append(mark.x if axis == "x" else mark.y)
    return values


def _draw(one: _Series, canvas: Canvas, x_scale: Scale, y_scale: Scale) -> None:
    mark, own = one.mark, one.pen
    if isinstance(mark, Rule):
        scale = x_scale if mark.axis == "x" else y_scale
        canvas.rule(float(scale.place(np.array([mark.at]))[0]), mark.axis, own)
        return
    x, y = x_scale.place(mark.x), y_scale.place(mark.y)
    if isinstance(mark, Points):
        (canvas.scatter if one.dense else canvas.markers)(x, y, own)
        return
    if mark.band is not None:
        lower, upper = mark.band
        canvas.band(x, y_scale.place(lower), y_scale.place(upper), own)
    canvas.curve(x, y, own)
    if own.marks_line:
        shown = np.flatnonzero((y >= 0) & (y <= 1) & (x >= 0) & (x <= 1))
        if shown.size > canvas.columns // 4:
            # as many markers as tell the curve apart, at other places than its neighbours have theirs
            count = max(2, canvas.columns // 12)
            at = (np.arange(count) + 0.2 + 0.3 * (one.marked_before % 3)) / count * shown.size
            shown = shown[at.astype(int)]
        canvas.markers(x[shown], y[shown], own)


def _entry(one: _Series, medium: Medium) -> Row:
    """The sample of a mark and its name."""
    name = (" " + shorten(medium.say(one.mark.name), _LONGEST_NAME), "")
    match one.mark:
        case Points():
            kind: _Kind = "dots" if one.dense else "points"
        case Rule(axis="x"):
            kind = "upright"
        case Rule():
            kind = "level"
        case _:
            kind = "curve"
    return [_sample(one.pen, kind), name]


@cache
def _sample(own: Pen, kind: _Kind) -> tuple[str, str]:
    """Drawn by the very code that draws the mark, as long as its dash takes to repeat."""
    if kind == "points":
        return own.marker, own.style
    cells = 1 if kind == "upright" else max(_SAMPLE, sum(own.dash) // 2)
    canvas = Canvas(cells, 1)
    if kind == "dots":
        canvas.scatter(np.linspace(0, 1, 4), np.array([0.2, 0.9, 0.1, 0.7]), own)
    else:
        canvas.rule(0.0 if kind == "upright" else 0.4, "x" if kind == "upright" else "y", own)
    if kind == "curve" and own.marks_line:
        canvas.markers(np.array([0.5]), np.array([0.5]), own)
    return "".join(text for text, _ in canvas.draw()[0]).rstrip(), own.style
