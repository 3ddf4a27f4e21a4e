"""What a run of a demonstration puts on a sheet, kept on this machine so that it is run once.

A kept run belongs to the code that made it: its file's name holds a digest of the engine's source and NumPy's version,
as that of a kept proof does. Whether it was kept or has just been made, what a sheet prints has gone through the same
JSON, so both are the same to the last digit.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.demonstration import Check, Value
from engine.demos import load
from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Line, Plot, Points, Rule
from engine.proof.derivation import engine_fingerprint
from engine.text import Text
from quizbank.slots import Quantities, numbers_of

if TYPE_CHECKING:
    from engine.demonstration import Run


@dataclass(frozen=True)
class Demo:
    """What a demonstration says of itself: :class:`engine.demonstration.Demonstration` without its functions."""

    id: str
    name: str
    title: Text
    shows: Text
    kills: Text


@dataclass(frozen=True)
class Evidence:
    """One run at seed 0: the values of all parameters, single numbers measured, predicted against measured, what is to be seen."""

    demo: Demo
    params: Mapping[str, Value]
    results: Mapping[str, float | int]
    checks: tuple[Check, ...]
    figures: tuple[Figure, ...]


def evidence(
    demo_id: str, given: Mapping[str, Value], folder: Path | None, quantities: Quantities | None = None
) -> Evidence:
    """The run of a demonstration at these parameters, from the folder where it is kept.

    ``quantities`` learns the numbers of a run that had to be made.

    Raises:
        InputError: no such demonstration or parameter, or a value out of range.
    """
    path = None if folder is None else folder / f"{demo_id}-{_settings(given)}-{_code()}.json"
    if path is not None and (kept := _kept(path)) is not None:
        return kept
    run = load(demo_id).run(given)
    if quantities is not None:
        quantities.learn(run, given)
    packed = json.dumps(_of_run(run), ensure_ascii=False, separators=(",", ":"))
    if path is not None:
        _keep(path, packed)
    return _unpacked(json.loads(packed))


def _settings(given: Mapping[str, Value]) -> str:
    text = json.dumps([[name, repr(value)] for name, value in sorted(given.items())], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _code() -> str:
    from importlib.metadata import version

    return f"{engine_fingerprint()}-{version('numpy')}"


def _kept(path: Path) -> Evidence | None:
    try:
        return _unpacked(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(path: Path, packed: str) -> None:
    """Without a cache the run is made again, nothing more."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(packed, encoding="utf-8")
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


# to JSON


def _of_run(run: Run) -> dict[str, Any]:
    demo = run.demo
    return {
        "demo": [demo.id, demo.name, demo.title, demo.shows, demo.kills],
        "params": run.params.as_dict(),
        "results": numbers_of(run.results),
        "checks": [_packed(check) for check in run.checks],
        "figures": [[type(figure).__name__, *_packed(figure)] for figure in run.figures()],
    }


def _packed(value: Any) -> Any:
    """A check, a figure or any part of one: its fields in their order, arrays as lists of floats."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_packed(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        own = [_packed(getattr(value, each.name)) for each in fields(value)]
        return [type(value).__name__, *own] if isinstance(value, Line | Points | Rule) else own
    return value


# from JSON


def _unpacked(kept: dict[str, Any]) -> Evidence:
    demo_id, name, *texts = kept["demo"]
    return Evidence(
        Demo(demo_id, name, *(Text(*text) for text in texts)),
        kept["params"],
        kept["results"],
        tuple(_check(row) for row in kept["checks"]),
        tuple(_FIGURES[kind](row) for kind, *row in kept["figures"]),
    )


def _check(row: list[Any]) -> Check:
    name, claim, predicted, measured, tolerance, law, *rest = row
    return Check(name, Text(*claim), predicted, measured, tolerance, Text(*law), *rest)


def _plot(row: list[Any]) -> Plot:
    title, see, x, y, marks = row
    return Plot(
        Text(*title), Text(*see), _axis(x), _axis(y), tuple(_MARKS[kind](mark) for kind, *mark in marks)
    )


def _bars(row: list[Any]) -> Bars:
    title, see, value, bars = row
    return Bars(
        Text(*title), Text(*see), _axis(value), tuple(Bar(Text(*label), *rest) for label, *rest in bars)
    )


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


_MARKS: dict[str, Callable[[list[Any]], Line | Points | Rule]] = {
    "Line": _line,
    "Points": _points,
    "Rule": _rule,
}
_FIGURES: dict[str, Callable[[list[Any]], Figure]] = {"Plot": _plot, "Bars": _bars, "HeatMap": _heat_map}
