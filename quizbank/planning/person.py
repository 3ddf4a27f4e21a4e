"""What the review log says of a person: their cards, how long a review takes them, how fast they forget."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quizbank.learning import tables
from quizbank.learning.due import MANY
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.planning.curve import Curve, curves_of
from quizbank.planning.evidence import Weighed, weighed
from quizbank.planning.forgetting import Floats, Forgetting
from quizbank.planning.futures import Costs, Known
from quizbank.planning.theories import Meeting, Past

_FEWEST_TIMES = 5
"""Durations from which a median is taken; with fewer the usual ones stand."""
_LONGEST_SECONDS = 600.0
"""A review that took longer was an interruption."""
_PRIOR_SPREAD = 0.7
"""Standard deviation of ln pace before anything was seen: people differ by factors of two."""
_PACES = np.exp(np.linspace(-3.0, 3.0, 121))
_PRIOR_FIRST = 4.0
"""First meetings that the usual chance of knowing a new card counts for."""
_ONE_SHOWING_MS = 15 * 60_000
"""Grades of a card nearer to each other belong to one showing: it is shown until it is known."""
_LATEST_MEETINGS = 10
"""Of a card, besides the first, that the theories of memory are told."""
REVIEWS_READ = 20_000
GRADES_READ = 50_000


@dataclass(frozen=True)
class Person:
    """``pace`` is how fast they forget beside the model, with the values that hold it with 80 % probability;
    ``curves`` and ``theories`` are those a plan weighs; ``reviews`` is how many reviews on a later day both rest on."""

    known: dict[str, Known | None]
    costs: Costs
    pace: float
    slowest: float
    fastest: float
    curves: tuple[Curve, ...]
    theories: Weighed
    reviews: int
    parameters: tuple[float, ...] | None

    @property
    def model(self) -> Forgetting:
        """That of the scheduler, by which stabilities are kept."""
        return Forgetting.of(self.parameters)


def person(log: ReviewLog, cards: Sequence[str], today: date) -> Person:
    """Read from the log what a plan over these cards needs; new cards keep their order.

    A log of any length is read row by row from its end, and no further back than the latest
    :data:`REVIEWS_READ` reviews on a later day, or :data:`GRADES_READ` grades of any sort: so many fix the pace to
    a few per cent, and what they show is how the person recalls now.
    """
    known: dict[str, Known | None] = dict.fromkeys(cards)

    def states(connection: sqlite3.Connection) -> None:
        # of a few cards each is looked up, of very many the table is read through
        few = ((card, tables.memory(connection, card)) for card in tuple(known))
        for card, memory in tables.memories(connection) if len(known) > MANY else few:
            if card in known and memory.stability is not None and memory.last_day is not None:
                since = float(max(0, (today - memory.last_day).days))
                known[card] = Known(memory.stability, memory.difficulty or 5.0, since)

    log.read(states)
    reviews = log.read(_latest_reviews)
    pasts = _pasts(reviews, known, today)
    for card, state in known.items():
        if state is not None:
            known[card] = replace(state, past=pasts.get(card, ()))
    parameters = log.scheduler.settings.parameters
    model = Forgetting.of(parameters)
    days, stability, recalled = _later(reviews)
    pace, slowest, fastest = _pace(days, stability, recalled, model)
    curves = curves_of(days, stability, recalled, model.w[20])
    costs = _costs(reviews)
    theories = weighed(pasts.values(), _sitting(reviews, costs), model.w[20])
    return Person(known, costs, pace, slowest, fastest, curves, theories, len(days), parameters)


class Review(NamedTuple):
    """Of a grade, what tells of costs and memory. ``stability`` in days is that before it, ``gap`` the days since
    the card was last seen; both are None where it never was."""

    card: str
    day: date
    at_ms: int
    rating: int
    seconds: float
    stability: float | None
    gap: int | None

    @property
    def is_first(self) -> bool:
        return self.gap is None


def _latest_reviews(connection: sqlite3.Connection) -> list[Review]:
    """The grades that no undo takes back, the latest first, as far back as :func:`person` reads."""
    # ids begin with the moment, so two machines that hold the same entries read the same ones
    rows = connection.execute(
        """
        SELECT card, at_ms, rating, coalesce(thinking_ms, 0) + coalesce(grading_ms, 0), day,
               json_extract(before, '$.stability'), json_extract(before, '$.last_day')
        FROM entry AS turn WHERE kind = 'grade'
          AND NOT EXISTS (SELECT 1 FROM entry AS undo WHERE undo.undoes = turn.id AND undo.kind = 'undo')
        ORDER BY id DESC LIMIT ?
        """,
        (GRADES_READ,),
    )
    found: list[Review] = []
    later = 0
    for card, at_ms, rating, milliseconds, text, stability, last_day in rows:
        day = date.fromisoformat(text)
        gap = None
        if stability is not None and last_day is not None:
            gap = (day - date.fromisoformat(last_day)).days
        found.append(Review(card, day, at_ms, rating, milliseconds / 1000, stability, gap))
        later += gap is not None and gap >= 1
        if later == REVIEWS_READ:
            break
    return found


def _pasts(reviews: Sequence[Review], cards: Container[str], today: date) -> dict[str, Past]:
    """The showings of each card, from its grades with the latest first."""
    began: dict[date, int] = {}
    for review in reviews:
        began[review.day] = min(review.at_ms, began.get(review.day, review.at_ms))
    shown: dict[str, list[Meeting]] = {}
    last: dict[str, int] = {}
    for review in reversed(reviews):
        if review.card not in cards:
            continue
        again = review.card in last and review.at_ms - last[review.card] < _ONE_SHOWING_MS
        last[review.card] = review.at_ms
        if not again:
            moment = (review.at_ms - began[review.day]) / 1000
            recalled = review.rating != Rating.AGAIN
            shown.setdefault(review.card, []).append(
                Meeting((review.day - today).days, moment, recalled, review.stability)
            )
    return {card: _shortened(met) for card, met in shown.items()}


def _shortened(met: Sequence[Meeting]) -> Past:
    """The first meeting and the latest. Where some between them are left out, the next is no evidence for any theory:
    none of them knows how long before it the card was really seen."""
    if len(met) <= 1 + _LATEST_MEETINGS:
        return tuple(met)
    first, after_the_gap, *others = met[0], *met[-_LATEST_MEETINGS:]
    return first, replace(after_the_gap, stability=None), *others


def _sitting(reviews: Sequence[Review], costs: Costs) -> float:
    """Seconds studied on a day of study."""
    spent = sum(costs.first if review.is_first else costs.review for review in reviews)
    return spent / max(1, len({review.day for review in reviews}))


def _costs(reviews: Sequence[Review]) -> Costs:
    usual = Costs()
    times: dict[bool, list[float]] = {True: [], False: []}
    for review in reviews:
        if 0 < review.seconds <= _LONGEST_SECONDS:
            times[review.is_first].append(review.seconds)
    firsts = [review.rating for review in reviews if review.is_first]
    knew = sum(rating >= Rating.GOOD for rating in firsts)
    chance = (usual.known_at_first * _PRIOR_FIRST + knew) / (_PRIOR_FIRST + len(firsts))

    def typical(first: bool, else_: float) -> float:
        return max(5.0, median(times[first])) if len(times[first]) >= _FEWEST_TIMES else else_

    return Costs(typical(False, usual.review), typical(True, usual.first), chance)


def _later(reviews: Iterable[Review]) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Of every review on a later day: the days since the last, the stability before it, whether it was recalled."""
    found = [
        (float(review.gap), review.stability, review.rating != Rating.AGAIN)
        for review in reviews
        if review.gap is not None and review.stability is not None and review.gap >= 1
    ]
    days, stability, recalled = np.array(found, dtype=float).reshape(-1, 3).T
    return days, stability, recalled.astype(bool)


def _pace(
    days: Floats, stability: Floats, recalled: NDArray[np.bool_], model: Forgetting
) -> tuple[float, float, float]:
    """Posterior of the pace given those reviews: its mode, and its tenth and ninetieth percentile."""
    logs: Floats = -0.5 * (np.log(_PACES) / _PRIOR_SPREAD) ** 2
    for i, pace in enumerate(_PACES):
        r = np.clip(Forgetting(model.w, float(pace)).recall(days, stability), 1e-9, 1 - 1e-9)
        logs[i] += float(np.where(recalled, np.log(r), np.log1p(-r)).sum())
    weights = np.exp(logs - logs.max())
    below = np.cumsum(weights) / weights.sum()
    low, high = (float(_PACES[int(np.searchsorted(below, share))]) for share in (0.1, 0.9))
    return float(_PACES[int(np.argmax(weights))]), low, high
