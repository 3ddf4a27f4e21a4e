"""Guessed against true, and the typical error month by month, as figures."""

from __future__ import annotations

import numpy as np

from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.text import Text
from quizbank.calibration.guess import Guess
from quizbank.calibration.summary import Calibration

_PERFECT = Text("guess = truth", "猜测 = 实际")
_GUESSES = Text("guesses", "猜测")
_TRUE = Text("what came out", "实际值")
_GUESSED = Text("what was guessed", "猜测值")
_TRUE_SHARE = Text("what came out, as a share of its range", "实际值占取值范围的比例")
_GUESSED_SHARE = Text("what was guessed, as a share of the range", "猜测值占取值范围的比例")
_SEE_FACTOR = Text(
    "Above the line: guessed too high; below: too low. In the band: within a factor of 2.",
    "线上方：猜高了；线下方：猜低了；带内：相差不到 2 倍。",
)
_SEE_RANGE = Text(
    "Above the line: guessed too high; below: too low. In the band: within a tenth of the range.",
    "线上方：猜高了；线下方：猜低了；带内：相差不到取值范围的十分之一。",
)
_SEE_MONTHS = Text(
    "Shorter bars are nearer guesses; 1 would be the truth.", "条越短，猜得越准；1 倍即与实际值相等。"
)
_LAB = Text("Lab", "实验室")
_PAPERS = Text("Self-tests", "自测")
_MONTHS = Text("Typical factor by month", "各月的典型倍数")
_TIMES = Text("off by a factor of", "相差倍数")
_FACTOR_TITLE = Text("{source}: guessed against true", "{source}：猜测与实际")
_RANGE_TITLE = Text(
    "{source}: guessed against true, shares of the range", "{source}：猜测与实际（占取值范围的比例）"
)


def pictures(calibration: Calibration) -> tuple[Figure, ...]:
    """The figures there is something to see in: lab and papers apart, factors and ranges apart, months from two on."""
    figures: list[Figure] = []
    if guesses := calibration.of("lab", "factor"):
        figures.append(_by_factor(guesses, _LAB))
    if guesses := calibration.of("lab", "range"):
        figures.append(_by_range(guesses, _LAB))
    if guesses := calibration.of("paper", "factor"):
        figures.append(_by_factor(guesses, _PAPERS))
    months = [group for group in calibration.by_month if group.spread.measure == "factor"]
    if len({group.name for group in months}) > 1:
        bars = tuple(
            Bar(
                _named(Text("{month} {source}", "{month} {source}"), group.name, group.source),
                10**group.spread.typical,
            )
            for group in sorted(months, key=lambda group: (group.name, group.source))
        )
        figures.append(Bars(_MONTHS, _SEE_MONTHS, Axis(_TIMES, "log", low=1.0), bars))
    return tuple(figures)


def _named(template: Text, month: str, source: str) -> Text:
    name = _LAB if source == "lab" else _PAPERS
    return Text(
        template.en.format(month=month, source=name.en), template.zh.format(month=month, source=name.zh)
    )


def _by_factor(guesses: tuple[Guess, ...], source: Text) -> Plot:
    """Both axes logarithmic, from the lowest to the highest number there is, with room for the factor of two."""
    true = np.array([guess.value for guess in guesses])
    guessed = np.array([guess.guess for guess in guesses])
    low, high = min(true.min(), guessed.min()) / 2, max(true.max(), guessed.max()) * 2
    ends = np.array([low, high])
    return Plot(
        _titled(_FACTOR_TITLE, source),
        _SEE_FACTOR,
        Axis(_TRUE, "log", low, high),
        Axis(_GUESSED, "log", low, high),
        (
            Line(_PERFECT, ends, ends, "predicted", band=(ends / 2, ends * 2)),
            Points(_GUESSES, true, guessed, "measured"),
        ),
    )


def _by_range(guesses: tuple[Guess, ...], source: Text) -> Plot:
    """Each number as a share of its own headline's range, so that all fit one picture."""
    width = np.array([guess.high - guess.low for guess in guesses])
    low = np.array([guess.low for guess in guesses])
    true = (np.array([guess.value for guess in guesses]) - low) / width
    guessed = (np.array([guess.guess for guess in guesses]) - low) / width
    first, last = min(0.0, true.min(), guessed.min()), max(1.0, true.max(), guessed.max())
    ends = np.array([first, last])
    return Plot(
        _titled(_RANGE_TITLE, source),
        _SEE_RANGE,
        Axis(_TRUE_SHARE, "linear", first, last),
        Axis(_GUESSED_SHARE, "linear", first, last),
        (
            Line(_PERFECT, ends, ends, "predicted", band=(ends - 0.1, ends + 0.1)),
            Points(_GUESSES, true, guessed, "measured"),
        ),
    )


def _titled(template: Text, source: Text) -> Text:
    return Text(template.en.format(source=source.en), template.zh.format(source=source.zh))
