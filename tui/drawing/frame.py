"""Axes, drawn in braille: exact to the dot, and one cell wide in every terminal."""

from __future__ import annotations

from rich.cells import cell_len

from tui.drawing.medium import Medium
from tui.drawing.rows import Row, place, right
from tui.drawing.scale import Tick

_BRAILLE = 0x2800
_RIGHT_COLUMN = 0xB8
_LEFT_DOTS = (0x01, 0x02, 0x04, 0x40)
_TOP_ROW = 0x09
_DOWN_LEFT, _DOWN_RIGHT = 0x06, 0x30
_CORNER = 0x08


def vertical_axis(ticks: list[Tick], rows: int, gutter: int, medium: Medium) -> list[Row]:
    """Labels in ``gutter`` cells and the axis in one more, from the top row down."""
    named: dict[int, tuple[str, int]] = {}
    for tick in ticks:
        row, dot = divmod(round((1 - tick.at) * (rows * 4 - 1)), 4)
        if 0 <= row < rows:
            named.setdefault(row, (tick.label, _LEFT_DOTS[dot]))
    side: list[Row] = []
    for row in range(rows):
        label, dash = named.get(row, ("", 0))
        side.append([(right(label, gutter), ""), (chr(_BRAILLE + _RIGHT_COLUMN + dash), medium.frame)])
    return side


def horizontal_axis(ticks: list[Tick], columns: int, gutter: int, medium: Medium) -> list[Row]:
    """The axis under ``columns`` cells and a row of labels, both starting ``gutter`` + 1 cells in."""
    cells = [_TOP_ROW] * columns
    labels = []
    for tick in ticks:
        cell, half = divmod(round(tick.at * (columns * 2 - 1)), 2)
        if 0 <= cell < columns:
            cells[cell] |= _DOWN_RIGHT if half else _DOWN_LEFT
            labels.append((gutter + 1 + cell, tick.label))
    line = chr(_BRAILLE + _CORNER) + "".join(chr(_BRAILLE + cell) for cell in cells)
    return [
        [(" " * gutter, ""), (line, medium.frame)],
        [(place(labels, gutter + 1 + columns), "")],
    ]


def gutter_for(ticks: list[Tick], most: int) -> int:
    """Cells that the labels need, or 0 where that is more than ``most``."""
    widest = max((cell_len(tick.label) for tick in ticks), default=0)
    return widest if widest <= most else 0
