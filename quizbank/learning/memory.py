"""What is known of a person's memory of one card."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum
from typing import Any, Literal

Phase = Literal["new", "learning", "review", "relearning"]
PHASES: tuple[Phase, ...] = ("new", "learning", "review", "relearning")


class Rating(IntEnum):
    """How well a card was recalled; the numbers are those of FSRS."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


@dataclass(frozen=True)
class Memory:
    """State of one card between two reviews; the default is a card never seen.

    ``stability`` is in days (recall falls to 90 % after as many), ``difficulty`` runs from 1 to 10 (FSRS).
    A learning step is due at a moment (``due_ms``, UTC); an interval of days ends with a day
    (``due_day``), whatever the hour of the review and wherever the person travels. ``wanted_day`` is the day
    the person asked to see the card on, before it falls due or without ever having studied it; it says when
    to ask and nothing of the memory, and the next review ends it. A card ``buried_day`` names a day for is not
    asked on it; a ``suspended`` one not at all.
    """

    phase: Phase = "new"
    step: int | None = None
    stability: float | None = None
    difficulty: float | None = None
    last_ms: int | None = None
    last_day: date | None = None
    due_ms: int | None = None
    due_day: date | None = None
    reps: int = 0
    lapses: int = 0
    wanted_day: date | None = None
    buried_day: date | None = None
    suspended: bool = False

    def is_put_off(self, today: date) -> bool:
        """Whether the card is not to be asked on the learner's day ``today``, whatever else holds.

        One buried two days ahead or more was so under a wrong clock, and is not put off.
        """
        if self.suspended:
            return True
        return self.buried_day is not None and today <= self.buried_day <= today + timedelta(days=1)

    def is_due(self, at_ms: int, today: date) -> bool:
        """Whether the card is to be asked at the moment, on the learner's day ``today``.

        A card last seen two days ahead or more was reviewed under a wrong clock and is due at once;
        one day ahead is a flight west. The same holds of a card wanted two days ahead or more.
        """
        if self.is_put_off(today):
            return False
        if self.wanted_day is not None and not today < self.wanted_day <= today + timedelta(days=1):
            return True
        if self.phase == "new":
            return False
        if self.last_day is not None and self.last_day - today > timedelta(days=1):
            return True
        if self.due_day is not None:
            return self.due_day <= today
        return self.due_ms is not None and self.due_ms <= at_ms

    def to_json(self) -> str:
        """As stored in the log; numbers come back bit for bit."""
        return json.dumps(self.as_json(), separators=(",", ":"))

    def as_json(self) -> dict[str, Any]:
        """Every field, days as ISO 8601."""
        return {
            "phase": self.phase,
            "step": self.step,
            "stability": self.stability,
            "difficulty": self.difficulty,
            "last_ms": self.last_ms,
            "last_day": self.last_day and self.last_day.isoformat(),
            "due_ms": self.due_ms,
            "due_day": self.due_day and self.due_day.isoformat(),
            "reps": self.reps,
            "lapses": self.lapses,
            "wanted_day": self.wanted_day and self.wanted_day.isoformat(),
            "buried_day": self.buried_day and self.buried_day.isoformat(),
            "suspended": self.suspended,
        }

    @classmethod
    def from_json(cls, text: str) -> Memory:
        fields = json.loads(text)
        for name in ("last_day", "due_day", "wanted_day", "buried_day"):
            # entries of the first versions of the log know no wanted_day, and no buried_day
            given = fields.get(name)
            fields[name] = given and date.fromisoformat(given)
        return cls(**fields)
