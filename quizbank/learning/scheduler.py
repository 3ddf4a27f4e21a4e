"""When to ask a card again: FSRS 6 (Ye et al., the DSR model with a trainable decay) through py-fsrs.

What this adds to the library, and why:

- Elapsed time is counted in the learner's days. The library floors elapsed time to 24 h, so a card seen
  at 22:00 and again next morning would count as seen twice the same day; it is handed whole days instead
  (in ``datetime.UTC``, the one zone it takes).
- Its fuzz is unseeded, so the interval on the button would not be the one stored. It is off; load is
  spread by a hash of card and repetition, over the range the library's fuzz would use.
- A clock set back gives an elapsed time of zero, never a negative one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.learning.memory import Memory, Phase, Rating

FSRS_VERSION = "6.3.2"
"""The library the schedule is derived with, pinned; its name is in the file, so a change is noticed."""
_SPREAD_RULE = 1

# py-fsrs's own fuzz ranges: from, to (days), share of the interval that may be added or taken away.
_SPREAD = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, float("inf"), 0.05))
_SHORTEST_SPREAD = 3


@dataclass(frozen=True)
class Settings:
    """How to schedule. ``parameters`` are the 21 weights of FSRS 6; None means the library's.

    Raises:
        InputError: a retention outside 0.7 … 0.99, steps that are not positive, an interval below a day.
    """

    desired_retention: float = 0.9
    learning_steps: tuple[timedelta, ...] = (timedelta(minutes=1), timedelta(minutes=10))
    relearning_steps: tuple[timedelta, ...] = (timedelta(minutes=10),)
    longest_interval: int = 36500
    parameters: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not 0.7 <= self.desired_retention <= 0.99:
            raise InputError(
                Text(
                    "the desired retention must lie between 0.7 and 0.99, not {given}",
                    "目标记忆保持率应在 0.7 与 0.99 之间，而不是 {given}",
                ).filled(given=self.desired_retention)
            )
        if any(
            step <= timedelta(0) or step >= timedelta(days=1)
            for step in self.learning_steps + self.relearning_steps
        ):
            raise InputError(
                Text(
                    "a learning step must be longer than 0 and shorter than a day",
                    "学习步长应大于 0 且短于一天",
                )
            )
        if not 1 <= self.longest_interval <= 36500:
            raise InputError(
                Text("the longest interval must be 1 to 36500 days", "最长间隔应在 1 到 36500 天之间")
            )

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same log would give another schedule."""
        return "|".join(
            (
                f"fsrs {FSRS_VERSION}",
                f"spread {_SPREAD_RULE}",
                f"retention {self.desired_retention!r}",
                "learning " + " ".join(str(step.total_seconds()) for step in self.learning_steps),
                "relearning " + " ".join(str(step.total_seconds()) for step in self.relearning_steps),
                f"longest {self.longest_interval}",
                "weights " + ("default" if self.parameters is None else " ".join(map(repr, self.parameters))),
            )
        )


@dataclass(frozen=True)
class Outcome:
    """What one rating leads to: the state it leaves and the interval shown on its button."""

    rating: Rating
    after: Memory
    interval: timedelta


class Scheduler:
    """Pure functions of a card's state, a rating and a moment. The library is imported at the first of them."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._loaded: tuple[Any, Any] | None = None

    def advance(self, card: str, before: Memory, rating: Rating, at_ms: int, day: date) -> Outcome:
        """The state after a review at ``at_ms`` on the learner's day ``day``.

        ``card`` is the card's id: with the number of repetitions it decides which day of the permitted
        range the interval ends on.
        """
        fsrs, scheduler = self._library()
        counted_day = max(day, before.last_day) if before.last_day else day
        given = fsrs.Card(
            card_id=0,
            state=fsrs.State.Learning if before.phase == "new" else fsrs.State[before.phase.capitalize()],
            step=before.step,
            stability=before.stability,
            difficulty=before.difficulty,
            due=_midnight(counted_day),
            last_review=_midnight(before.last_day) if before.last_day else None,
        )
        found, _ = scheduler.review_card(given, fsrs.Rating(int(rating)), _midnight(counted_day))
        interval: timedelta = found.due - _midnight(counted_day)
        phase: Phase = found.state.name.lower()
        if phase == "review":
            interval = timedelta(
                days=spread(card, before.reps, interval.days, self.settings.longest_interval)
            )
        after = Memory(
            phase=phase,
            step=found.step,
            stability=found.stability,
            difficulty=found.difficulty,
            last_ms=at_ms,
            last_day=day,
            due_ms=None if phase == "review" else at_ms + interval // timedelta(milliseconds=1),
            due_day=day + interval if phase == "review" else None,
            reps=before.reps + 1,
            lapses=before.lapses + (before.phase == "review" and rating == Rating.AGAIN),
            suspended=before.suspended,
        )
        return Outcome(rating, after, interval)

    def outcomes(self, card: str, before: Memory, at_ms: int, day: date) -> Mapping[Rating, Outcome]:
        """What each of the four ratings would lead to."""
        return {rating: self.advance(card, before, rating, at_ms, day) for rating in Rating}

    def retrievability(self, memory: Memory, day: date) -> float:
        """Probability of recall on ``day``: (1 + F·t/S)^(−w₂₀), t in days; 0 for a card never seen.

        Source: FSRS 6 power forgetting curve, with F chosen so that recall is 0.9 at t = S.
        """
        if memory.stability is None or memory.last_day is None:
            return 0.0
        _, scheduler = self._library()
        decay = scheduler.parameters[20]
        factor = 0.9 ** (-1 / decay) - 1
        elapsed = max(0, (day - memory.last_day).days)
        return float((1 + factor * elapsed / memory.stability) ** -decay)

    def _library(self) -> tuple[Any, Any]:
        if self._loaded is None:
            import fsrs

            chosen = self.settings
            given = {} if chosen.parameters is None else {"parameters": chosen.parameters}
            try:
                scheduler = fsrs.Scheduler(
                    desired_retention=chosen.desired_retention,
                    learning_steps=chosen.learning_steps,
                    relearning_steps=chosen.relearning_steps,
                    maximum_interval=chosen.longest_interval,
                    enable_fuzzing=False,
                    **given,
                )
            except ValueError as error:
                raise InputError(
                    Text("the FSRS parameters are not usable: {why}", "FSRS 参数不可用：{why}").filled(
                        why=" ".join(str(error).split())
                    )
                ) from error
            self._loaded = fsrs, scheduler
        return self._loaded


def spread(card: str, repetition: int, days: int, longest: int) -> int:
    """An interval near ``days``, the same every time: cards learned together do not all return together.

    The range is the one py-fsrs draws from; the place in it is a hash of card and repetition. A longer
    interval never becomes shorter than what a shorter one becomes, so Hard ≤ Good ≤ Easy holds.
    """
    if days < _SHORTEST_SPREAD:
        return days
    reach = 1.0 + sum(share * max(min(float(days), end) - start, 0.0) for start, end, share in _SPREAD)
    latest = min(round(days + reach), longest)
    earliest = min(max(2, round(days - reach)), latest)
    digest = hashlib.sha256(f"{card}\0{repetition}".encode()).digest()
    return earliest + int.from_bytes(digest[:8]) * (latest - earliest + 1) // 2**64


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
