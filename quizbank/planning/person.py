"""What the review log says of a person: their cards, how long a review takes them, how fast they forget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

import numpy as np

from quizbank.learning.entry import Entry
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.planning.forgetting import Floats, Forgetting
from quizbank.planning.plan import Costs, Known

_FEWEST_TIMES = 5
"""Durations from which a median is taken; with fewer the usual ones stand."""
_LONGEST_SECONDS = 600.0
"""A review that took longer was an interruption."""
_PRIOR_SPREAD = 0.7
"""Standard deviation of ln pace before anything was seen: people differ by factors of two."""
_PACES = np.exp(np.linspace(-3.0, 3.0, 121))
_PRIOR_FIRST = 10.0
"""First meetings that the usual chance of knowing a new card counts for."""


@dataclass(frozen=True)
class Person:
    """``pace`` is how fast they forget beside the model, with the values that hold it with 80 % probability;
    ``reviews`` is how many reviews on a later day that rests on."""

    known: dict[str, Known | None]
    costs: Costs
    pace: float
    slowest: float
    fastest: float
    reviews: int
    parameters: tuple[float, ...] | None

    def model(self, pace: float | None = None) -> Forgetting:
        base = Forgetting.of(self.parameters)
        return Forgetting(base.w, self.pace if pace is None else pace)


def person(log: ReviewLog, cards: Sequence[str], today: date) -> Person:
    """Read from the log what a plan over these cards needs; new cards keep their order."""
    memories = log.memories()
    known: dict[str, Known | None] = {}
    for card in cards:
        memory = memories.get(card)
        if memory is None or memory.stability is None or memory.last_day is None:
            known[card] = None
        else:
            since = float(max(0, (today - memory.last_day).days))
            known[card] = Known(memory.stability, memory.difficulty or 5.0, since)
    entries = standing_grades(log.entries())
    parameters = log.scheduler.settings.parameters
    pace, slowest, fastest, reviews = _pace(entries, Forgetting.of(parameters))
    return Person(known, _costs(entries), pace, slowest, fastest, reviews, parameters)


def standing_grades(entries: Iterable[Entry]) -> list[Entry]:
    """The grades that no undo takes back, as they were stored."""
    held = list(entries)
    undone = {entry.undoes for entry in held if entry.kind == "undo"}
    return [entry for entry in held if entry.kind == "grade" and entry.id not in undone]


def _costs(entries: Sequence[Entry]) -> Costs:
    usual = Costs()
    times: dict[bool, list[float]] = {True: [], False: []}
    firsts = [entry for entry in entries if _is_first(entry)]
    for entry in entries:
        seconds = ((entry.thinking_ms or 0) + (entry.grading_ms or 0)) / 1000
        if 0 < seconds <= _LONGEST_SECONDS:
            times[_is_first(entry)].append(seconds)
    knew = sum(entry.rating is not None and entry.rating >= Rating.GOOD for entry in firsts)
    chance = (usual.known_at_first * _PRIOR_FIRST + knew) / (_PRIOR_FIRST + len(firsts))

    def typical(first: bool, else_: float) -> float:
        return max(5.0, median(times[first])) if len(times[first]) >= _FEWEST_TIMES else else_

    return Costs(typical(False, usual.review), typical(True, usual.first), chance)


def _is_first(entry: Entry) -> bool:
    return entry.before is not None and entry.before.phase == "new"


def _pace(entries: Iterable[Entry], model: Forgetting) -> tuple[float, float, float, int]:
    """Posterior of the pace given every review on a later day: its mode, and its tenth and ninetieth percentile."""
    days, stability, recalled = [], [], []
    for entry in entries:
        before = entry.before
        if before is None or before.stability is None or before.last_day is None or entry.rating is None:
            continue
        gap = (entry.day - before.last_day).days
        if gap >= 1:
            days.append(float(gap))
            stability.append(before.stability)
            recalled.append(entry.rating != Rating.AGAIN)
    logs: Floats = -0.5 * (np.log(_PACES) / _PRIOR_SPREAD) ** 2
    if days:
        gaps, stabilities, right = np.array(days), np.array(stability), np.array(recalled)
        for i, pace in enumerate(_PACES):
            r = np.clip(Forgetting(model.w, float(pace)).recall(gaps, stabilities), 1e-9, 1 - 1e-9)
            logs[i] += float(np.where(right, np.log(r), np.log1p(-r)).sum())
    weights = np.exp(logs - logs.max())
    below = np.cumsum(weights) / weights.sum()
    low, high = (float(_PACES[int(np.searchsorted(below, share))]) for share in (0.1, 0.9))
    return float(_PACES[int(np.argmax(weights))]), low, high, len(days)
