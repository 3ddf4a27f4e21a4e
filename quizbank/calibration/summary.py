"""How far off one tends to be: over all guesses, by topic, by demonstration, by month."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from statistics import fmean, median
from typing import Any, get_args

from quizbank.calibration.guess import Guess, Measure, Source
from quizbank.card import Card
from quizbank.learning.day import local_day

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
NEAR = 0.1
"""Within 10 % of the value, or of the range to guess in."""
TREND_FROM = 6
"""Guesses from which the earlier half is compared with the later."""


@dataclass(frozen=True)
class Spread:
    """The errors of guesses of one measure, oldest first; see :attr:`quizbank.calibration.guess.Guess.error`."""

    measure: Measure
    errors: tuple[float, ...]

    @property
    def count(self) -> int:
        return len(self.errors)

    @property
    def bias(self) -> float:
        """The median error: above zero where one guesses too high."""
        return median(self.errors)

    @property
    def typical(self) -> float:
        """The mean size of an error; 10 to its power is the geometric mean of the factors."""
        return fmean(map(abs, self.errors))

    @property
    def too_high(self) -> int:
        return sum(error > 0 for error in self.errors)

    @property
    def too_low(self) -> int:
        return sum(error < 0 for error in self.errors)

    @property
    def quantiles(self) -> tuple[float, ...]:
        """The errors at :data:`QUANTILES`, between the two nearest where none lies there."""
        ranked = sorted(self.errors)
        return tuple(_quantile(ranked, share) for share in QUANTILES)

    @property
    def near(self) -> int:
        """Guesses within 10 %, of the value or of the range."""
        allowed = math.log10(1 + NEAR) if self.measure == "factor" else NEAR
        return sum(abs(error) <= allowed + _ROUNDING for error in self.errors)

    @property
    def within_two(self) -> int | None:
        """Guesses within a factor of two; None where errors are no factors."""
        if self.measure == "range":
            return None
        return sum(abs(error) <= math.log10(2) + _ROUNDING for error in self.errors)

    @property
    def halves(self) -> tuple[float, float] | None:
        """The typical error of the earlier and of the later half; None while there are few."""
        if self.count < TREND_FROM:
            return None
        half = self.count // 2
        return fmean(map(abs, self.errors[:half])), fmean(map(abs, self.errors[-half:]))

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "count": self.count,
            "bias": self.bias,
            "typical": self.typical,
            "quantiles": dict(zip(map(str, QUANTILES), self.quantiles, strict=True)),
            "too_high": self.too_high,
            "too_low": self.too_low,
            "within_10_percent": self.near,
            "within_factor_2": self.within_two,
            "earlier_and_later": self.halves and list(self.halves),
        }


_ROUNDING = 1e-12
"""A guess exactly 10 % off, or off by exactly two, counts as within."""


def _quantile(ranked: list[float], share: float) -> float:
    place = share * (len(ranked) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


@dataclass(frozen=True)
class Group:
    """Guesses that have something in common: a source, a topic, a demonstration, a month."""

    source: Source
    name: str
    spread: Spread


@dataclass(frozen=True)
class Calibration:
    """``guesses`` count, oldest first; ``again`` were made after the outcome had been shown, ``no_factor`` have no error."""

    guesses: tuple[Guess, ...]
    again: int
    no_factor: int
    overall: tuple[Group, ...]
    by_topic: tuple[Group, ...]
    by_demo: tuple[Group, ...]
    by_month: tuple[Group, ...]

    def of(self, source: Source, measure: Measure) -> tuple[Guess, ...]:
        """The guesses of one source and measure, oldest first."""
        return tuple(guess for guess in self.guesses if (guess.source, guess.measure) == (source, measure))

    def as_json(self) -> dict[str, Any]:
        """As ``stats --json`` prints it: the two sources apart, and within each the two measures."""
        parts = {
            "overall": self.overall,
            "topics": self.by_topic,
            "demos": self.by_demo,
            "months": self.by_month,
        }
        return {
            "guesses": len(self.guesses),
            "again": self.again,
            "no_factor": self.no_factor,
            **{
                source: {
                    part: [
                        {"name": group.name, **group.spread.as_json()}
                        for group in groups
                        if group.source == source
                    ]
                    for part, groups in parts.items()
                }
                for source in get_args(Source)
            },
        }


def calibration(
    guesses: Iterable[Guess], cards: Mapping[str, Card] | None = None, zone: tzinfo | None = None
) -> Calibration:
    """Sum up guesses of the lab (:meth:`quizbank.calibration.store.Predictions.all`) and of papers
    (:func:`quizbank.calibration.guess.paper_guesses`).

    Only the first guess of a thing counts. A demonstration belongs to the topics of the cards it backs.
    """
    counted: list[Guess] = []
    seen: set[tuple[object, ...]] = set()
    again = no_factor = 0
    for guess in sorted(guesses, key=lambda guess: guess.at_ms):
        if guess.place in seen:
            again += 1
            continue
        seen.add(guess.place)
        if guess.error is None:
            no_factor += 1
        else:
            counted.append(guess)

    topics: dict[str, list[str]] = {}
    for card in (cards or {}).values():
        for demo in card.demos:
            topics.setdefault(demo.id, []).append(card.topic)

    def month(guess: Guess) -> list[str]:
        return [local_day(guess.at_ms, zone).isoformat()[:7]]

    return Calibration(
        guesses=tuple(counted),
        again=again,
        no_factor=no_factor,
        overall=_grouped(counted, lambda guess: [""]),
        by_topic=_grouped(counted, lambda guess: dict.fromkeys(topics.get(guess.demo, ()))),
        by_demo=_grouped(counted, lambda guess: [guess.demo]),
        by_month=_grouped(counted, month),
    )


def _grouped(guesses: Iterable[Guess], names: Callable[[Guess], Iterable[str]]) -> tuple[Group, ...]:
    """Groups by source, name and measure, in the order of their names."""
    errors: dict[tuple[Source, str, Measure], list[float]] = {}
    for guess in guesses:
        for name in names(guess):
            error = guess.error
            assert error is not None
            errors.setdefault((guess.source, name, guess.measure), []).append(error)
    return tuple(
        Group(source, name, Spread(measure, tuple(of_group)))
        for (source, name, measure), of_group in sorted(errors.items())
    )
