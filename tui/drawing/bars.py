"""Bars, lying on their side so that labels in either script fit."""

from __future__ import annotations

import math

import numpy as np
from rich.cells import cell_len

from engine.figure import Axis, Bar, Bars
from engine.text import Text
from tui.drawing.frame import horizontal_axis
from tui.drawing.medium import Medium
from tui.drawing.plot import axis_title, heading, under
from tui.drawing.roles import ROLES, Pen, pen
from tui.drawing.rows import Row, finish, left, shorten
from tui.drawing.scale import Scale, scale_of

_EIGHTHS = " ▏▎▍▌▋▊▉"
_CELLS_A_TICK = 9
_MORE = Text("… {count} more", "……还有 {count} 项")


def bars_rows(figure: Bars, width: int, height: int, medium: Medium) -> list[Row]:
    """See :func:`tui.drawing.figure_rows`; as many rows as the bars need."""
    pens = {bar.role: pen(bar.role, 0, medium) for bar in figure.bars}
    names = dict(figure.names)
    legend: list[Row] = [
        [(pens[role].fill * 2, pens[role].style), (" " + medium.say(names.get(role, ROLES[role].words)), "")]
        for role in pens
        # bars of measurements are told apart by their labels
        if len(pens) > 1 and (names or not pens.keys() <= {"measured", "other"})
    ]
    rows = heading(medium.say(figure.title), legend, width, height - 2, medium)
    free = height - len(rows)
    bars = figure.bars if len(figure.bars) <= free else figure.bars[: max(1, free - 1)]
    left_out = len(figure.bars) - len(bars)

    said = {id(bar): _value_text(bar, medium) for bar in bars}
    label_cells = min(
        max((cell_len(shorten(medium.say(bar.label), width)) for bar in bars), default=0),
        max(1, 2 * width // 5),
    )
    value_cells = max((cell_len(text) for text in said.values()), default=0)
    columns = width - label_cells - 1 - value_cells - 1
    if columns < 4:
        columns, value_cells = max(1, width - label_cells - 1), 0
    scale = bar_scale(figure)
    for bar in bars:
        drawn = _bar_cells(bar, scale, columns, pens[bar.role], medium)
        value = " " + said[id(bar)] if value_cells else ""
        rows.append([(left(medium.say(bar.label), label_cells) + " ", ""), *drawn, (value, "")])
    if left_out and free > 1:
        rows.append([(shorten(medium.say(_MORE).format(count=left_out), width), "")])

    free = height - len(rows)
    title = axis_title(figure.value, medium)
    if free >= 3 and columns >= 8:
        ticks = scale.ticks(max(5, columns // _CELLS_A_TICK), medium.ambiguous_wide)
        rows += horizontal_axis(ticks, columns, label_cells, medium)
    if free >= 1 and not left_out and title:
        rows.append(under(title, label_cells + 1, columns, width))
    return [finish(row, width) for row in rows[:height]]


def bar_scale(figure: Bars) -> Scale:
    """Holds every bar with its error; a linear one starts at zero, so that lengths compare."""
    axis = figure.value
    reach = [bar.value + sign * bar.error for bar in figure.bars for sign in (-1, 1)]
    if axis.scale == "linear" and axis.low is None:
        reach.append(0.0)
    elif axis.scale == "log" and axis.low is None:
        # down to a whole decade below the smallest: a bar of no length would say "nothing"
        known = [bar.value for bar in figure.bars if 0 < bar.value < math.inf]
        floor = 10.0 ** max(math.ceil(math.log10(min(known))) - 1, -299) if known else None
        axis = Axis(axis.label, "log", floor, axis.high)
    return scale_of(axis, [np.array(reach, dtype=float)], margin=0.0)


def _value_text(bar: Bar, medium: Medium) -> str:
    """The value; with its error, which is given to two digits, and the value to as many places."""
    if not bar.error:
        return medium.number(bar.value)
    sign = medium.glyph("±")
    if 1e-6 <= abs(bar.error) < 1e5 and abs(bar.value) < 1e5:
        places = max(0, 1 - math.floor(math.log10(abs(bar.error))))
        value, error = (f"{one:.{places}f}".replace("-", "−") for one in (bar.value, abs(bar.error)))
        return f"{value} {sign} {error}"
    return f"{medium.number(bar.value)} {sign} {medium.number(bar.error)}"


def _bar_cells(bar: Bar, scale: Scale, columns: int, own: Pen, medium: Medium) -> list[tuple[str, str]]:
    """The bar from the scale's zero (its start, when log) to the value, with its error as a whisker."""
    zero, end, low, high = (
        float(np.clip(place, 0, 1)) * columns
        for place in scale.place(np.array([0.0, bar.value, bar.value - bar.error, bar.value + bar.error]))
    )
    # on a log axis zero, and an error that reaches below it, lie before the start
    zero = 0.0 if math.isnan(zero) else zero
    low = 0.0 if math.isnan(low) and not math.isnan(end) else low
    cells = [(" ", "")] * columns
    if zero > 0:
        cells[min(int(zero), columns - 1)] = ("⡇", medium.frame)
    if not math.isnan(end):
        first, last = sorted((zero, end))
        whole = range(round(first), int(last) if first == 0 else round(last))
        for cell in whole:
            cells[cell] = (own.fill, own.style)
        eighth = int((last - int(last)) * 8)
        if first == 0 and eighth and own.fill == "█":
            cells[int(last)] = (_EIGHTHS[eighth], own.style)
        elif first == 0 and own.fill != "█" and last - int(last) >= 0.5:
            cells[int(last)] = (own.fill, own.style)
    if bar.error and not (math.isnan(low) or math.isnan(high)):
        start, stop = int(min(low, columns - 1)), int(min(high, columns - 1))
        if stop - start >= 2:
            line = "├" + "─" * (stop - start - 1) + "┤"
            for cell, character in enumerate(line, start):
                cells[cell] = (medium.glyph(character), "bold")
    return cells
