"""A figure of a sheet: what is said of it, and its drawing, which is made once on this machine.

A figure is kept as a line of JSON and read only where it is drawn or its numbers are wanted: most sheets are of figures
that were drawn before, and need neither its arrays nor NumPy. A kept drawing stands beside its run; its name holds the
run, the languages, the colour and a digest of the code that draws, and it begins with a digest of itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Line, Plot, Points, Rule
from engine.text import Language, Text
from quizbank.sheets.kept_file import read_kept, write_kept

if TYPE_CHECKING:
    from engine.figure import Mark

_PAGE = "currentColor"


@dataclass(frozen=True)
class Picture:
    """A figure on a sheet. ``row`` is the figure as JSON; ``place`` begins the name of its kept drawings."""

    title: Text
    see: Text
    row: str
    place: Path | None = None

    @classmethod
    def of(cls, figure: Figure) -> Picture:
        """A figure that is kept nowhere."""
        return cls(figure.title, figure.see, json.dumps(packed(figure), ensure_ascii=False))

    @property
    def figure(self) -> Figure:
        """The figure with its arrays."""
        kind, *row = json.loads(self.row)
        return _FIGURES[kind](row)

    def svg(self, languages: Sequence[Language], colour: str = _PAGE) -> str:
        """The drawing with its labels in all of these languages, as :func:`quizbank.sheets.svg.svg` has it."""
        if self.place is None:
            return self._drawn(languages, colour)
        name = f"{self.place.name}-{'-'.join(languages)}-{colour.removeprefix('#')}-{_code()}.svg"
        path = self.place.with_name(name)
        kept = read_kept(path)
        if kept is not None:
            return kept.decode()
        drawn = self._drawn(languages, colour)
        write_kept(path, drawn.encode())
        return drawn

    def _drawn(self, languages: Sequence[Language], colour: str) -> str:
        from quizbank.sheets.beside import in_all
        from quizbank.sheets.svg import svg

        return svg(in_all(self.figure, languages), languages[0], colour)


@cache
def _code() -> str:
    """A digest of what decides, beside the figure and the engine, how it is drawn."""
    here = Path(__file__).parent
    digest = blake2b(digest_size=8)
    for name in ("svg.py", "beside.py"):
        digest.update((here / name).read_bytes())
    return digest.hexdigest()


# to JSON: the fields in their order, arrays as lists of floats


def packed(value: Any) -> Any:
    """A check, a figure or any part of one as JSON values."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [packed(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        own = [packed(getattr(value, each.name)) for each in fields(value)]
        return [type(value).__name__, *own] if isinstance(value, _NAMED) else own
    return value


_NAMED = (Plot, Bars, HeatMap, Line, Points, Rule)
"""What may stand where another may, so that its name is told."""


# from JSON


def _plot(row: list[Any]) -> Plot:
    title, see, x, y, marks = row
    return Plot(
        Text(*title), Text(*see), _axis(x), _axis(y), tuple(_MARKS[kind](mark) for kind, *mark in marks)
    )


def _bars(row: list[Any]) -> Bars:
    title, see, value, bars, names = row
    return Bars(
        Text(*title), Text(*see), _axis(value), tuple(Bar(Text(*label), *rest) for label, *rest in bars),
        tuple((role, Text(*name)) for role, name in names),
    )  # fmt: skip


def _heat_map(row: list[Any]) -> HeatMap:
    title, see, values, rows, columns, low, high, diverging, outline = row
    return HeatMap(
        Text(*title), Text(*see), _array(values),
        tuple(Text(*label) for label in rows), tuple(Text(*label) for label in columns),
        low, high, diverging, tuple((y, x) for y, x in outline),
    )  # fmt: skip


def _axis(row: list[Any]) -> Axis:
    label, *rest = row
    return Axis(Text(*label), *rest)


def _line(row: list[Any]) -> Line:
    name, x, y, role, band = row
    return Line(Text(*name), _array(x), _array(y), role, band and (_array(band[0]), _array(band[1])))


def _points(row: list[Any]) -> Points:
    name, x, y, role = row
    return Points(Text(*name), _array(x), _array(y), role)


def _rule(row: list[Any]) -> Rule:
    name, *rest = row
    return Rule(Text(*name), *rest)


def _array(values: list[Any]) -> Any:
    import numpy as np

    return np.array(values, dtype=float)


_MARKS: dict[str, Callable[[list[Any]], Mark]] = {"Line": _line, "Points": _points, "Rule": _rule}
_FIGURES: dict[str, Callable[[list[Any]], Figure]] = {"Plot": _plot, "Bars": _bars, "HeatMap": _heat_map}
