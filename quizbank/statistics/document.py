"""The statistics as ``stats --json`` prints them; ``quizbank/statistics.schema.json`` says what each part is."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from quizbank.learning.memory import Rating
from quizbank.statistics.share import Share, total
from quizbank.statistics.summary import CAME, Statistics


def document_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`document`; it ships as ``quizbank/statistics.schema.json``."""
    text = (Path(__file__).parent.parent / "statistics.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def document(found: Statistics, fit_needs: int) -> dict[str, Any]:
    """``fit_needs`` is how many reviews on a later day a fit of the weights wants."""
    return {
        "today": found.today.isoformat(),
        "since": found.since.isoformat(),
        "topics_asked": list(found.only),
        "target_retention": found.target,
        "weights": "own" if found.own_weights else "default",
        "totals": {
            "cards": found.cards,
            "cards_reviewed": found.cards_seen,
            "reviews": found.reviews,
            "seconds": found.seconds,
            "reviews_ever": found.reviews_ever,
        },
        "streak": {"days": found.streak, "longest": found.longest_streak},
        "states": dict(found.states),
        "days": _days(found),
        "forecast": [{"day": day.isoformat(), "cards": count} for day, count in found.forecast.items()],
        "retention": {
            "overall": found.retention.as_json(),
            "weeks": [
                {"monday": monday.isoformat(), **share.as_json()} for monday, share in found.weeks.items()
            ],
        },
        "prediction": {
            "predicted": found.predicted,
            "recalled": total(one.recalled for one in found.bins).as_json(),
            "bins": [
                {
                    "from": one.low,
                    "to": one.high,
                    "predicted": one.predicted,
                    "recalled": one.recalled.as_json(),
                }
                for one in found.bins
            ],
        },
        "calendar": [{"day": day.isoformat(), "reviews": count} for day, count in found.calendar.items()],
        "topics": [
            {
                "topic": one.topic,
                "reviews": one.reviews,
                "lapses": one.lapses,
                "recalled": one.later.as_json(),
            }
            for one in found.topics
        ],
        "weakest": [one.topic for one in found.weakest],
        "time": {
            "overall": asdict(found.time),
            "topics": {topic: asdict(took) for topic, took in found.time_by_topic.items()},
            "levels": {level: asdict(took) for level, took in found.time_by_level.items()},
        },
        "self_tests": [
            {
                "topic": trend.topic,
                "points": Share(trend.score.earned, trend.score.possible).as_json(),
                "sat": trend.as_json()["sat"],
            }
            for trend in found.trends
        ],
        "guesses": found.calibration and found.calibration.as_json(),
        "fit": {"later_reviews": found.later, "needed": fit_needs, "offered": found.later >= fit_needs},
    }


def _days(found: Statistics) -> list[dict[str, Any]]:
    days = []
    for day, some in groupby(found.days, lambda one: one.day):
        of_day = list(some)
        days.append(
            {
                "day": day.isoformat(),
                **{came: sum(one.reviews for one in of_day if one.came == came) for came in CAME},
                "ratings": {
                    str(int(rating)): sum(one.reviews for one in of_day if one.rating == rating)
                    for rating in Rating
                },
                "seconds": sum(one.ms for one in of_day) / 1000,
            }
        )
    return days
