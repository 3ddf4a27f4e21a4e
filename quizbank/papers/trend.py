"""How a topic went from one self-test to the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from quizbank.card import TOPICS
from quizbank.papers.results import Report, Score


@dataclass(frozen=True)
class Sat:
    """A topic in one self-test."""

    id: str
    day: date
    score: Score


@dataclass(frozen=True)
class Trend:
    """A topic in the self-tests that asked it, the earliest first; each has points that count."""

    topic: str
    sat: tuple[Sat, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """Points earned of those possible, from 0 to 1, a self-test."""
        return tuple(one.score.earned / one.score.possible for one in self.sat)

    @property
    def score(self) -> Score:
        """All of them together."""
        return Score(sum(one.score.earned for one in self.sat), sum(one.score.possible for one in self.sat))

    def as_json(self) -> dict[str, Any]:
        return {
            "score": self.score.as_json(),
            "sat": [
                {"id": one.id, "day": one.day.isoformat(), "score": one.score.as_json()} for one in self.sat
            ],
        }


def trends(reports: Iterable[Report]) -> tuple[Trend, ...]:
    """The trend of every topic that was asked in a self-test that is over, in the order of topics."""
    over = sorted(
        (report for report in reports if report.status != "open"),
        key=lambda report: (report.started_ms, report.id),
    )
    found: dict[str, list[Sat]] = {}
    for report in over:
        for topic, score in report.by_topic.items():
            if score.possible:
                found.setdefault(topic, []).append(Sat(report.id, report.day, score))
    return tuple(Trend(topic, tuple(found[topic])) for topic in TOPICS if topic in found)
