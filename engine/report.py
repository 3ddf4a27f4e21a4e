"""A run of a demonstration as JSON: for machines, and for whoever wants to compare two runs.

Equal parameters, seeds and versions give equal JSON, but for ``ms``. NaN and the infinities, which
JSON does not have, are the strings ``NaN``, ``Infinity`` and ``-Infinity``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.demonstration import Run
    from engine.proof.step import Decided

MOST_NUMBERS = 4096
"""An array with more numbers than this is told by its shape, mean, minimum and maximum."""


def run_json(run: Run, steps: Iterable[Decided]) -> dict[str, Any]:
    """A run and its decided derivation.

    ``ok`` says that every step has its expected status and every check holds.
    """
    steps = tuple(steps)
    demo = run.demo
    return {
        "id": demo.id,
        "name": demo.name,
        "parameters": plain(run.params.as_dict()),
        "seed": run.seed,
        "headline": {
            "name": demo.headline.name,
            "value": plain(run.headline),
            "unit": demo.headline.unit.en,
        },
        "steps": steps_json(steps),
        "results": plain(run.results),
        "checks": [
            {
                "name": check.name,
                "predicted": plain(check.predicted),
                "measured": plain(check.measured),
                "tolerance": plain(check.tolerance),
                "ok": bool(check.ok),
            }
            for check in run.checks
        ],
        "ok": bool(run.ok) and all(step.ok for step in steps),
    }


def steps_json(steps: Iterable[Decided]) -> list[dict[str, Any]]:
    """Decided steps; ``statement`` is LaTeX, ``bound`` empty where all sizes are meant."""
    return [
        {
            "statement": step.statement,
            "rule": {"en": step.rule.en, "zh": step.rule.zh},
            "status": str(step.status),
            "expected": str(step.expected),
            "method": step.method,
            "bound": step.bound,
            "ms": step.ms,
        }
        for step in steps
    ]


def plain(value: Any) -> Any:
    """A result as JSON values: NumPy scalars and arrays as plain numbers, big arrays summarised."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _infinite(value)
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if hasattr(value, "ndim"):
        return _array(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def _infinite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _array(value: Any) -> Any:
    if value.ndim == 0:
        return plain(value.item())
    if value.size > MOST_NUMBERS:
        return {
            "shape": list(value.shape),
            "mean": plain(value.mean()),
            "min": plain(value.min()),
            "max": plain(value.max()),
        }
    return plain(value.tolist())
