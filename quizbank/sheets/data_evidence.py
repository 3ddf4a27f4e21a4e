"""What backs an answer, as JSON values: parameters, steps, checks, and figures as the numbers they are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.demonstration import Check
from engine.figure import Axis, Bars, Figure, Floats, HeatMap, Line, Mark, Plot, Points, Rule
from engine.proof.step import Decided
from engine.report import plain
from engine.text import Text
from quizbank.sheets.content import Backing

Said = Callable[[Text], dict[str, str]]
"""A text in the languages of the sheet."""


def demonstration(key: str, backing: Backing, said: Said) -> dict[str, Any]:
    """A demonstration at its parameters; ``key`` is what cards name it by."""
    demo = backing.demo
    return {
        "key": key,
        "id": demo.id,
        "name": demo.name,
        "title": said(demo.title),
        "shows": said(demo.shows),
        "refutes": said(demo.kills),
        "parameters": plain(backing.params),
        "steps": [_step(step, said) for step in backing.steps],
        "results": plain(backing.results),
        "checks": [_check(check, said) for check in backing.checks],
        "figures": [_figure(picture.figure, said) for picture in backing.figures],
    }


def _step(step: Decided, said: Said) -> dict[str, Any]:
    return {
        "name": step.name,
        "statement": step.statement,
        "rule": said(step.rule),
        "status": str(step.status),
        "expected": str(step.expected),
        "method": step.method,
        "bound": step.bound,
        "source": step.source,
        "counterexample": step.counterexample,
    }


def _check(check: Check, said: Said) -> dict[str, Any]:
    return {
        "name": check.name,
        "claim": said(check.claim),
        "relation": check.relation,
        "predicted": plain(float(check.predicted)),
        "measured": plain(float(check.measured)),
        "tolerance": None if check.tolerance is None else plain(float(check.tolerance)),
        "law": said(check.law),
        "ok": bool(check.ok),
    }


def _figure(figure: Figure, said: Said) -> dict[str, Any]:
    told = {"title": said(figure.title), "see": said(figure.see)}
    match figure:
        case Plot():
            marks = [_mark(mark, said) for mark in figure.marks]
            return {
                "kind": "plot",
                **told,
                "x": _axis(figure.x, said),
                "y": _axis(figure.y, said),
                "marks": marks,
            }
        case Bars():
            bars = [
                {
                    "label": said(bar.label),
                    "value": plain(float(bar.value)),
                    "role": bar.role,
                    "error": plain(float(bar.error)),
                }
                for bar in figure.bars
            ]
            return {"kind": "bars", **told, "value": _axis(figure.value, said), "bars": bars}
        case HeatMap():
            return {
                "kind": "heat-map",
                **told,
                "values": numbers(figure.values),
                "rows": [said(label) for label in figure.rows],
                "columns": [said(label) for label in figure.columns],
                "low": plain(figure.low),
                "high": plain(figure.high),
                "diverging": figure.diverging,
                "outline": [list(map(int, cell)) for cell in figure.outline],
            }


def _axis(axis: Axis, said: Said) -> dict[str, Any]:
    return {"label": said(axis.label), "scale": axis.scale, "low": plain(axis.low), "high": plain(axis.high)}


def _mark(mark: Mark, said: Said) -> dict[str, Any]:
    named = {"name": said(mark.name), "role": mark.role}
    match mark:
        case Line():
            band = None if mark.band is None else [numbers(edge) for edge in mark.band]
            return {"kind": "line", **named, "x": numbers(mark.x), "y": numbers(mark.y), "band": band}
        case Points():
            return {"kind": "points", **named, "x": numbers(mark.x), "y": numbers(mark.y)}
        case Rule():
            return {"kind": "rule", **named, "at": plain(float(mark.at)), "axis": mark.axis}


def numbers(values: Floats) -> list[Any]:
    """An array in full, as nested lists; what is not finite as :func:`engine.report.plain` has it."""
    array = np.asarray(values, dtype=float)
    listed: list[Any] = array.tolist()
    return listed if bool(np.isfinite(array).all()) else _named(listed)


def _named(values: list[Any]) -> list[Any]:
    return [_named(value) if isinstance(value, list) else plain(value) for value in values]
