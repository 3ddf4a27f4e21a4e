"""A canvas of braille dots, two by four to a cell, with markers set into it.

Whole curves are turned into dots by array operations; no loop runs over points or dots.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.figure import Floats
from tui.drawing.roles import Pen
from tui.drawing.rows import Row

_BITS = np.array([[1, 8], [2, 16], [4, 32], [64, 128]], dtype=np.uint8)
"""The bit of each dot of a cell in U+2800 + bits, four rows of two."""

_BRAILLE = 0x2800
_SPACE = 0x20

# What a cell holds; a higher kind is never overwritten by a lower one.
_EMPTY, _BAND, _CURVE, _MARKER = range(4)


class Canvas:
    """``columns`` by ``rows`` cells. Coordinates are fractions of the canvas, y upwards."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._codes = np.full((rows, columns), _SPACE, dtype=np.uint32)
        self._bits = np.zeros((rows, columns), dtype=np.uint8)
        self._kind = np.zeros((rows, columns), dtype=np.uint8)
        self._style = np.zeros((rows, columns), dtype=np.intp)
        self._styles: list[str] = [""]

    def curve(self, x: Floats, y: Floats, pen: Pen) -> None:
        """A curve through the points in their order; NaN leaves a gap, what lies outside is cut off."""
        width, height = self.columns * 2, self.rows * 4
        across, down = x * (width - 1), (1 - y) * (height - 1)
        if across.size > 4 * width:
            across, down = thin(across, down)
        self._dots(*trace(across, down, width, height, pen.dash), _CURVE, pen.style)

    def band(self, x: Floats, lower: Floats, upper: Floats, pen: Pen) -> None:
        """A light stipple between two curves over the same rising ``x``."""
        width, height = self.columns * 2, self.rows * 4
        sortable = np.isfinite(x)
        order = np.argsort(x[sortable], kind="stable")
        x, lower, upper = (values[sortable][order] for values in (x * (width - 1), lower, upper))
        known = ~np.isnan(lower) & ~np.isnan(upper)
        if known.sum() < 2:
            return
        across = np.arange(width)
        top, bottom = (
            np.interp(across, x[known], (1 - np.clip(edge[known], -1, 2)) * (height - 1))
            for edge in (upper, lower)
        )
        # a gap in the data, and what lies beyond its ends, is a gap in the band
        after = np.searchsorted(x, across)
        right, left = np.minimum(after, x.size - 1), np.maximum(after - 1, 0)
        open_ = (x[0] <= across) & (across <= x[-1]) & known[right] & known[left]
        down = np.arange(height)[:, None]
        inside = open_ & (down >= np.round(top)) & (down <= np.round(bottom))
        stipple = (across % 4 == 0) & ((across // 4 + down) % 2 == 0)
        rows, columns = np.nonzero(inside & stipple)
        self._dots(columns, rows, _BAND, pen.style)

    def rule(self, at: float, axis: str, pen: Pen) -> None:
        """A straight line across the canvas at one fraction of one axis, if it lies on it."""
        if not 0 <= at <= 1:
            return
        ends, level = np.array([0.0, 1.0]), np.array([at, at])
        self.curve(*((level, ends) if axis == "x" else (ends, level)), pen)

    def markers(self, x: Floats, y: Floats, pen: Pen) -> None:
        """The pen's marker at each point; ``^`` or ``v`` at the edge for a point above or below it."""
        known = (x >= 0) & (x <= 1) & ~np.isnan(y)
        x, y = x[known], y[known]
        # the cell of the dot, so that a marker sits on the curve that passes through its point
        columns = np.round(x * (self.columns * 2 - 1)).astype(int) // 2
        rows = np.round((1 - np.clip(y, 0, 1)) * (self.rows * 4 - 1)).astype(int) // 4
        codes = np.where(y > 1, ord("^"), np.where(y < 0, ord("v"), ord(pen.marker)))
        self._codes[rows, columns] = codes
        self._kind[rows, columns] = _MARKER
        self._style[rows, columns] = self._index(pen.style)

    def scatter(self, x: Floats, y: Floats, pen: Pen) -> None:
        """One dot a point, for more points than markers can tell apart."""
        width, height = self.columns * 2, self.rows * 4
        known = (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
        columns = np.round(x[known] * (width - 1)).astype(int)
        rows = np.round((1 - y[known]) * (height - 1)).astype(int)
        self._dots(columns, rows, _CURVE, pen.style)

    def draw(self) -> list[Row]:
        dotted = (self._kind == _BAND) | (self._kind == _CURVE)
        codes = np.where(dotted, _BRAILLE + self._bits.astype(np.uint32), self._codes).astype("<u4")
        return [self._runs(text, style) for text, style in zip(codes, self._style, strict=True)]

    def _runs(self, codes: NDArray[np.uint32], style: NDArray[np.intp]) -> Row:
        # a blank takes on the style before it, so that it starts no run of its own
        inked = np.where(codes != _SPACE, np.arange(self.columns), 0)
        style = style[np.maximum.accumulate(inked)]
        text = codes.tobytes().decode("utf-32-le")
        edges = [0, *(np.flatnonzero(np.diff(style)) + 1).tolist(), self.columns]
        return [(text[start:end], self._styles[style[start]]) for start, end in pairwise(edges)]

    def _dots(self, across: NDArray[np.intp], down: NDArray[np.intp], kind: int, style: str) -> None:
        grid = np.zeros((self.rows * 4, self.columns * 2), dtype=np.uint8)
        grid[down, across] = 1
        cells = grid.reshape(self.rows, 4, self.columns, 2)
        bits = np.einsum("rdcs,ds->rc", cells, _BITS)
        here = (bits > 0) & (self._kind <= kind)
        fresh = here & (self._kind < kind)
        self._bits[fresh] = 0
        self._bits[here] |= bits[here]
        self._kind[here] = kind
        self._style[here] = self._index(style)

    def _index(self, style: str) -> int:
        if style not in self._styles:
            self._styles.append(style)
        return self._styles.index(style)


def thin(across: Floats, down: Floats) -> tuple[Floats, Floats]:
    """First, lowest, highest and last of the points in each dot column: the same picture from fewer.

    Only where ``across`` rises throughout; otherwise the points come back as they are.
    """
    if not np.isfinite(across).all() or (np.diff(across) < 0).any():
        return across, down
    column = np.round(across).astype(int)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    ends = np.append(starts[1:], across.size) - 1
    # NaN counts only where it is first, last or all there is: a gap narrower than a dot is not seen
    lowest, highest = np.fmin.reduceat(down, starts), np.fmax.reduceat(down, starts)
    values = np.stack([down[starts], lowest, highest, down[ends]], axis=1)
    return np.repeat(across[starts], 4), values.ravel()


def trace(
    across: Floats, down: Floats, width: int, height: int, dash: tuple[int, ...] = ()
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The dots of a polyline on a ``width`` by ``height`` grid, as (columns, rows).

    Each segment is cut to the grid (Liang and Barsky) before it is sampled once a dot, so a point
    far outside costs nothing. ``dash`` runs along the whole polyline.
    """
    # a point between two gaps is a curve of one dot: it is joined to itself
    known = ~np.isnan(across) & ~np.isnan(down)
    alone = known & ~np.append(known[1:], False) & ~np.append(False, known[:-1])
    across, down = np.repeat(across, 1 + alone), np.repeat(down, 1 + alone)
    reach = 1e6
    x0, x1 = np.clip(across[:-1], -reach, reach), np.clip(across[1:], -reach, reach)
    y0, y1 = np.clip(down[:-1], -reach, reach), np.clip(down[1:], -reach, reach)
    dx, dy = x1 - x0, y1 - y0
    enter, leave = np.zeros(dx.size), np.ones(dx.size)
    with np.errstate(all="ignore"):
        for start, delta, last in ((x0, dx, width - 0.51), (y0, dy, height - 0.51)):
            first, second = (-0.49 - start) / delta, (last - start) / delta
            inside = (start >= -0.49) & (start <= last)
            still = delta == 0
            enter = np.maximum(enter, np.where(still, np.where(inside, 0, 2), np.minimum(first, second)))
            leave = np.minimum(leave, np.where(still, np.where(inside, 1, -1), np.maximum(first, second)))
    seen = (enter <= leave) & ~np.isnan(dx) & ~np.isnan(dy)
    length = np.maximum(np.abs(dx), np.abs(dy))
    travelled = np.concatenate([[0.0], np.cumsum(np.nan_to_num(length))[:-1]])
    x0, y0, dx, dy, enter, leave, length, travelled = (
        part[seen] for part in (x0, y0, dx, dy, enter, leave, length, travelled)
    )
    samples = np.ceil((leave - enter) * length).astype(int) + 1
    segment = np.repeat(np.arange(samples.size), samples)
    order = np.arange(segment.size) - np.repeat(np.cumsum(samples) - samples, samples)
    share = order / np.maximum(samples - 1, 1)[segment]
    t = enter[segment] + share * (leave - enter)[segment]
    columns = np.clip(np.round(x0[segment] + t * dx[segment]), 0, width - 1).astype(np.intp)
    rows = np.clip(np.round(y0[segment] + t * dy[segment]), 0, height - 1).astype(np.intp)
    if dash:
        drawn = np.concatenate([np.full(run, turn % 2 == 0) for turn, run in enumerate(dash)])
        along = np.round(travelled[segment] + t * length[segment]).astype(np.int64) % drawn.size
        columns, rows = columns[drawn[along]], rows[drawn[along]]
    return columns, rows
