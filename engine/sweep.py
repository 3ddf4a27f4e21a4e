"""One parameter carried through its range, the others held: the headline of every run, as data and as a figure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from engine.figure import Axis, Bar, Bars, Figure, Line, Mark, Plot, Points, Role, Rule
from engine.stepping import Stepping
from engine.text import Text

if TYPE_CHECKING:
    from engine.demonstration import Demonstration, Parameter, Run, Value

MOST_PLACES = 25
_MEASURED, _PREDICTED = Text("measured", "实测"), Text("predicted", "预测")
_FAILED, _HERE = Text("a check fails", "有检验不成立"), Text("now", "当前")
_BARS: tuple[tuple[Role, Text], ...] = (
    ("measured", Text("measured, now", "实测，当前")),
    ("other", _MEASURED),
    ("popular", _FAILED),
)
_TITLE = Text("{headline}, by {parameter}", "{headline}：随“{parameter}”变化")
_SEE = Text(
    "every point is a run of its own with the same seed, all other parameters held; here the headline goes from {low} to {high}",
    "每个点各运行一次，随机种子相同，其余参数不变；这里主要结果从 {low} 到 {high}",
)
_SEE_LEVEL = Text(
    "every point is a run of its own with the same seed, all other parameters held; here the headline stays at {low}",
    "每个点各运行一次，随机种子相同，其余参数不变；这里主要结果始终为 {low}",
)
_NOTHING = Text("no run came out at any value of {parameter}", "{parameter} 的任何取值都没有得到结果")


def places(parameter: Parameter, most: int = MOST_PLACES) -> tuple[Value, ...]:
    """At most ``most`` values of the parameter from its low to its high end, both among them; every choice of a
    choice. They are stops of its slider, evenly spread along the track."""
    stepping = Stepping(parameter)
    if parameter.kind == "choice":
        return tuple(stepping.value(stop) for stop in range(stepping.last + 1))
    shares = np.linspace(0.0, 1.0, max(2, most))
    return tuple(dict.fromkeys(stepping.at_share(float(share)) for share in shares))


def sweep(
    demo: Demonstration,
    name: str,
    given: Mapping[str, object] | None = None,
    seed: int = 0,
    *,
    dragging: bool = False,
    most: int = MOST_PLACES,
) -> Iterator[Run]:
    """A run at each of :func:`places`, in their order; where the others leave no run at a value, it is passed over.

    Raises:
        InputError: as :meth:`Demonstration.read`; also for a name that is no parameter's.
    """
    values = demo.read(given)
    demo.read({name: values.get(name)})
    (parameter,) = (one for one in demo.parameters if one.name == name)
    for place in places(parameter, most):
        try:
            yield demo.run({**values, name: place}, seed, dragging)
        except InputError:
            continue


def swept_figure(demo: Demonstration, name: str, runs: Sequence[Run], now: Value | None = None) -> Figure:
    """The headline over the parameter: measured, predicted where a formula gives it, and where a check fails.

    Bars for a choice, else a plot on the parameter's own scale; ``now`` is pointed out.

    Raises:
        InputError: no runs.
    """
    (parameter,) = (one for one in demo.parameters if one.name == name)
    if not runs:
        raise InputError(_NOTHING.filled(parameter=name))
    measured = np.array([run.headline for run in runs])
    title = Text(
        *(
            words.format(headline=headline, parameter=meaning)
            for words, headline, meaning in zip(_TITLE, demo.headline.meaning, parameter.meaning, strict=True)
        )
    )
    low, high = (f"{value:.4g}" for value in _ends(measured))
    see = (_SEE_LEVEL if low == high else _SEE).filled(low=low, high=high)
    value = Axis(_with_unit(demo.headline.meaning, demo.headline.unit), _scale(demo, measured))
    if parameter.kind == "choice":
        labels = {choice.value: choice.label for choice in parameter.choices}
        bars = [
            Bar(labels[str(_at(run, name))], run.headline, _role(run, str(_at(run, name)) == str(now)))
            for run in runs
        ]
        return Bars(title, see, value, tuple(bars), _BARS)
    x = np.array([float(_at(run, name)) for run in runs])
    marks: list[Mark] = [Line(_MEASURED, x, measured)]
    predicted = [_predicted(run) for run in runs]
    if any(one is not None for one in predicted):
        formula = np.array([math.nan if one is None else one for one in predicted])
        slack = np.array([_tolerance(run) for run in runs])
        band = (formula - slack, formula + slack) if slack.any() else None
        marks.insert(0, Line(_PREDICTED, x, formula, "predicted", band))
    failing = np.array([not run.ok for run in runs])
    if failing.any():
        marks.append(Points(_FAILED, x[failing], measured[failing], "popular"))
    if now is not None:
        marks.append(Rule(_HERE, float(now), "x", "context"))
    across = Axis(_with_unit(parameter.meaning, parameter.unit), parameter.scale)
    return Plot(title, see, across, value, tuple(marks))


def sweep_json(demo: Demonstration, name: str, runs: Sequence[Run]) -> dict[str, Any]:
    """The sweep as plain data: the parameter and, for each run, its value, the headline measured and predicted, ``ok``."""
    return {
        "parameter": name,
        "headline": demo.headline.name,
        "runs": [
            {"value": _at(run, name), "measured": run.headline, "predicted": _predicted(run), "ok": run.ok}
            for run in runs
        ],
    }


def _at(run: Run, name: str) -> Value:
    return run.params.as_dict()[name]


def _predicted(run: Run) -> float | None:
    """What a formula says of the headline; None where none does."""
    found = run.predicted.get(run.demo.headline.name)
    return None if found is None or np.ndim(found) else float(found)


def _tolerance(run: Run) -> float:
    """How far the headline may lie from its prediction, by the check that compares just the two; 0 if none does."""
    pair = (run.headline, _predicted(run))
    return next(
        (
            check.tolerance or 0.0
            for check in run.checks
            if check.relation == "=" and (check.measured, check.predicted) == pair
        ),
        0.0,
    )


def _role(run: Run, here: bool) -> Role:
    if not run.ok:
        return "popular"
    return "measured" if here else "other"


def _ends(values: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (math.nan, math.nan)


def _scale(demo: Demonstration, values: np.ndarray[Any, np.dtype[np.float64]]) -> Any:
    positive = bool((values > 0).all())
    return "log" if demo.headline.scale == "log" and positive else "linear"


def _with_unit(meaning: Text, unit: Text) -> Text:
    if not unit.en:
        return meaning
    return Text(f"{meaning.en}, {unit.en}", f"{meaning.zh}（{unit.zh}）")
