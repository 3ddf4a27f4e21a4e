"""Figures as data: what is to be seen, with no drawing in it.

The terminal widgets and the SVG writer of the sheets draw the same objects. A series carries a
*role*, not a colour, so that "predicted" looks the same in every figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.text import Text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# a sheet of figures that were drawn before needs no arrays
Floats: TypeAlias = "NDArray[np.float64]"

Role = Literal["measured", "predicted", "popular", "bound", "other", "context"]
"""measured: came out of the experiment; predicted: the formula; popular: the popular error;
bound: a limit nothing may cross; other: a second measured thing; context: a faint aid."""

Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Axis:
    """One axis. ``low``/``high`` None means: from the data. A log axis shows positive values only."""

    label: Text
    scale: Scale = "linear"
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """A curve; ``band`` is a (lower, upper) pair of arrays as long as ``y``. NaN leaves a gap."""

    name: Text
    x: Floats
    y: Floats
    role: Role = "measured"
    band: tuple[Floats, Floats] | None = None


@dataclass(frozen=True)
class Points:
    """Single points, drawn as markers."""

    name: Text
    x: Floats
    y: Floats
    role: Role = "measured"


@dataclass(frozen=True)
class Rule:
    """A straight line across the plot at one value of one axis: a bound, a threshold, 'you are here'."""

    name: Text
    at: float
    axis: Literal["x", "y"] = "y"
    role: Role = "bound"


Mark = Line | Points | Rule


@dataclass(frozen=True)
class Plot:
    """Curves and points over two axes. ``see`` says in one sentence what to see in it."""

    title: Text
    see: Text
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Bar:
    label: Text
    value: float
    role: Role = "measured"
    error: float = 0.0


@dataclass(frozen=True)
class Bars:
    """Labelled bars, drawn sideways so that labels in either script fit.

    ``names`` says what a role stands for here, where that is not what it is usually called.
    """

    title: Text
    see: Text
    value: Axis
    bars: tuple[Bar, ...]
    names: tuple[tuple[Role, Text], ...] = ()


@dataclass(frozen=True)
class HeatMap:
    """A matrix as colours. ``values`` (rows, columns); labels may be empty or as long as the side.

    ``diverging`` centres the colours on zero. ``outline`` lists (row, column) cells to point out.
    """

    title: Text
    see: Text
    values: Floats
    rows: tuple[Text, ...] = ()
    columns: tuple[Text, ...] = ()
    low: float | None = None
    high: float | None = None
    diverging: bool = False
    outline: tuple[tuple[int, int], ...] = ()


Figure = Plot | Bars | HeatMap
