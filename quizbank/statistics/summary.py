"""Everything the statistics say, as one value: for the screen, the shell and ``stats --json``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.text import Text
from quizbank.calibration.summary import Calibration
from quizbank.card import LEVELS, TOPICS, Card, Outline
from quizbank.card_list import CardList
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.papers.results import Report
from quizbank.papers.trend import Trend, trends
from quizbank.planning.forgetting import Forgetting
from quizbank.statistics.queries import scheduled
from quizbank.statistics.reviews import REVIEW, Reviews, read_reviews
from quizbank.statistics.share import Share, total

USUAL_DAYS = 365
MOST_DAYS = 36_500
AHEAD = 30
"""Days after today that the forecast covers."""
CALENDAR_WEEKS = 53
CAME = ("new", "learning", "review")
STATES = ("new", "learning", "review", "suspended")
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
"""Bins of predicted recall, finer where a schedule puts most reviews; the last holds 1 too."""
LONGEST_MS = 600_000
"""A time longer than this was an interruption."""
FEWEST_TIMES = 5
"""Times from which quartiles are given."""

Mask = NDArray[np.bool_]


class Day(NamedTuple):
    """Reviews of a day that came in one way (new, learning, review) and were rated alike; their time."""

    day: date
    came: str
    rating: int
    reviews: int
    ms: int


class Bin(NamedTuple):
    """Reviews on a later day whose recall was predicted between two of :data:`EDGES`: the mean of what was predicted,
    and what came."""

    low: float
    high: float
    predicted: float
    recalled: Share


@dataclass(frozen=True)
class Quartiles:
    """Seconds; ``count`` times were measured. None where they are fewer than :data:`FEWEST_TIMES`."""

    count: int
    first: float | None = None
    median: float | None = None
    third: float | None = None


@dataclass(frozen=True)
class Took:
    """The time of a card of some sort: from question to answer, and from answer to grade."""

    thinking: Quartiles
    grading: Quartiles


@dataclass(frozen=True)
class OfTopic:
    """``later`` are the reviews on a later day; ``lapses`` cards in review that were not recalled."""

    topic: str
    reviews: int
    later: Share
    lapses: int


@dataclass(frozen=True)
class Statistics:
    """Reviews count from ``since`` to ``today``; days are the learner's, turning at 04:00.

    ``days`` holds the days of the window that have reviews, ``weeks`` retention by weeks that begin on Monday,
    ``bins`` what the schedule predicted beside what came, ``calendar`` the reviews of each day of the last 53 weeks,
    ``later`` the reviews on a later day in the whole log, which a fit can learn from. ``topics`` and the times are of
    cards in the bank; ``cards`` is how many those are, ``cards_seen`` how many different cards were reviewed.
    """

    today: date
    since: date
    only: tuple[str, ...]
    target: float
    own_weights: bool
    cards: int
    cards_seen: int
    reviews_ever: int
    days: tuple[Day, ...]
    streak: int
    longest_streak: int
    states: Mapping[str, int]
    forecast: Mapping[date, int]
    weeks: Mapping[date, Share]
    bins: tuple[Bin, ...]
    topics: tuple[OfTopic, ...]
    time: Took
    time_by_topic: Mapping[str, Took]
    time_by_level: Mapping[str, Took]
    calendar: Mapping[date, int]
    trends: tuple[Trend, ...]
    calibration: Calibration | None
    later: int

    @property
    def reviews(self) -> int:
        return sum(day.reviews for day in self.days)

    @property
    def seconds(self) -> float:
        """Spent on the reviews of the window, interruptions left out."""
        return sum(day.ms for day in self.days) / 1000

    @property
    def retention(self) -> Share:
        return total(self.weeks.values())

    @property
    def predicted(self) -> float | None:
        """The mean recall that the schedule predicted for the reviews of ``bins``."""
        count = sum(one.recalled.trials for one in self.bins)
        return sum(one.predicted * one.recalled.trials for one in self.bins) / count if count else None

    @property
    def ratings(self) -> dict[int, int]:
        return {
            int(rating): sum(one.reviews for one in self.days if one.rating == rating) for rating in Rating
        }

    @property
    def weakest(self) -> tuple[OfTopic, ...]:
        """The topics with enough reviews to say, the lowest middle of the interval first."""
        known = [one for one in self.topics if not one.later.is_few]
        return tuple(sorted(known, key=lambda one: one.later.centre))

    def by_came(self, first: date) -> dict[date, dict[str, int]]:
        """The reviews of each day from ``first`` to today by how they came."""
        found = {day: dict.fromkeys(CAME, 0) for day in _days(first, self.today)}
        for one in self.days:
            if one.day >= first:
                found[one.day][one.came] += one.reviews
        return found


def statistics(
    log: ReviewLog,
    cards: Sequence[Card],
    reports: Iterable[Report] = (),
    calibration: Calibration | None = None,
    *,
    topics: Sequence[str] = (),
    days: int | None = None,
    at_ms: int | None = None,
    cache: Path | None = None,
) -> Statistics:
    """What the log says at a moment (now), of the last ``days`` days and of ``topics`` (all cards where none is named).

    ``cards`` are those of the bank; reviews of cards that are there no longer count where no topic is asked for.
    ``cache`` is a folder in which the columns of a long log are kept.

    Raises:
        InputError: days out of range, or the log cannot be read.
    """
    days = USUAL_DAYS if days is None else days
    if not 1 <= days <= MOST_DAYS:
        raise InputError(
            Text("the days must be 1 to {most}, not {n}", "天数应在 1 到 {most} 之间，而不是 {n}").filled(
                most=MOST_DAYS, n=days
            ),
            "--days",
        )
    today = log.day(at_ms)
    since = date.fromordinal(max(1, today.toordinal() - days + 1))
    shown = {
        card_id: card for card_id, card in CardList.of(cards).outlines() if not topics or card.topic in topics
    }
    reviews = read_reviews(log, cache)
    later = int(reviews.is_later.sum())
    past = reviews["day"] <= today.toordinal()
    if topics:
        past &= np.array([card in shown for card in reviews.cards], bool)[reviews["card"]]
    reviews = reviews.where(past)
    a_day = np.bincount(reviews["day"])
    active = {date.fromordinal(day): int(a_day[day]) for day in np.flatnonzero(a_day).tolist()}
    reviews_ever = len(reviews)
    reviews = reviews.where(reviews["day"] >= since.toordinal())
    monday = today - timedelta(days=today.weekday() + 7 * (CALENDAR_WEEKS - 1))
    schedule = scheduled(log, shown, today, AHEAD)
    in_topic = _places(reviews, shown, TOPICS, lambda card: card.topic)
    in_level = _places(reviews, shown, LEVELS, lambda card: card.level)
    over = [report for report in reports if since <= report.day <= today]
    return Statistics(
        today=today,
        since=since,
        only=tuple(topics),
        target=log.scheduler.settings.desired_retention,
        own_weights=log.scheduler.settings.parameters is not None,
        cards=len(shown),
        cards_seen=int(np.count_nonzero(np.bincount(reviews["card"]))),
        reviews_ever=reviews_ever,
        days=tuple(_by_day(reviews)),
        streak=_streak(active, today),
        longest_streak=_longest(active),
        states={state: schedule.states.get(state, 0) for state in STATES},
        forecast=schedule.forecast,
        weeks=dict(_weeks(reviews)),
        bins=tuple(_bins(reviews, Forgetting.of(log.scheduler.settings.parameters))),
        topics=tuple(_of_topic(topic, reviews.where(mask)) for topic, mask in in_topic.items()),
        time=_took(reviews),
        time_by_topic={topic: _took(reviews.where(mask)) for topic, mask in in_topic.items()},
        time_by_level={level: _took(reviews.where(mask)) for level, mask in in_level.items()},
        calendar={day: active.get(day, 0) for day in _days(monday, today)},
        trends=tuple(trend for trend in trends(over) if not topics or trend.topic in topics),
        calibration=calibration,
        later=later,
    )


def _days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=n) for n in range((last - first).days + 1))


def _streak(active: Collection[date], today: date) -> int:
    """Days in a row with a review, up to today; a today without one yet breaks none."""
    day = today if today in active else today - timedelta(days=1)
    count = 0
    while day in active:
        count += 1
        day -= timedelta(days=1)
    return count


def _longest(active: Iterable[date]) -> int:
    """``active`` ascending."""
    longest = run = 0
    last: date | None = None
    for day in active:
        run = run + 1 if last is not None and day - last == timedelta(days=1) else 1
        longest, last = max(longest, run), day
    return longest


def _by_day(reviews: Reviews) -> Iterator[Day]:
    if not len(reviews):
        return
    first = int(reviews["day"].min())
    kind = ((reviews["day"] - first) * len(CAME) + reviews["came"]) * 5 + reviews["rating"]
    counts = np.bincount(kind)
    times = np.zeros(len(counts))
    for name in ("thinking_ms", "grading_ms"):
        times += np.bincount(kind, np.where(reviews[name] <= LONGEST_MS, reviews[name], 0))
    for place in np.flatnonzero(counts).tolist():
        day, came, rating = place // 15, place // 5 % 3, place % 5
        yield Day(date.fromordinal(first + day), CAME[came], rating, int(counts[place]), round(times[place]))


def _weeks(reviews: Reviews) -> Iterator[tuple[date, Share]]:
    """Retention by the Monday that each week begins with; day 1 of the calendar was one."""
    later = reviews.is_later
    if not later.any():
        return
    weeks = (reviews["day"][later] - 1) // 7
    first = int(weeks.min())
    trials, hits = _counted(weeks - first, reviews.is_recalled[later])
    for place, (n, k) in enumerate(zip(trials, hits, strict=True)):
        if n:
            yield date.fromordinal((first + place) * 7 + 1), Share(k, n)


def _counted(groups: NDArray[Any], recalled: Mask, least: int = 0) -> tuple[list[int], list[int]]:
    """Reviews, and those recalled, in each group; at least so many groups."""
    trials = np.bincount(groups, minlength=least)
    return trials.tolist(), np.bincount(groups[recalled], minlength=len(trials)).tolist()


def _bins(reviews: Reviews, model: Forgetting) -> Iterator[Bin]:
    tested = reviews.is_later & (reviews["stability"] > 0)
    predicted = model.recall(reviews["gap"][tested].astype(float), reviews["stability"][tested].astype(float))
    which = np.digitize(predicted, EDGES[1:-1])
    trials, hits = _counted(which, reviews.is_recalled[tested], len(EDGES) - 1)
    sums = np.bincount(which, weights=predicted, minlength=len(EDGES) - 1).tolist()
    for place, (n, k, added) in enumerate(zip(trials, hits, sums, strict=True)):
        if n:
            yield Bin(EDGES[place], EDGES[place + 1], added / n, Share(k, n))


def _places(
    reviews: Reviews, cards: Mapping[str, Outline], names: Sequence[str], name: Callable[[Outline], str]
) -> dict[str, Mask]:
    """Which reviews are of cards called so; names without a review are left out."""
    place = {one: n for n, one in enumerate(names)}
    of_card = np.array(
        [place.get(name(cards[card]), -1) if card in cards else -1 for card in reviews.cards], int
    )
    of_review = of_card[reviews["card"]] if len(reviews) else np.empty(0, int)
    masks = ((one, of_review == n) for one, n in place.items())
    return {one: mask for one, mask in masks if mask.any()}


def _of_topic(topic: str, reviews: Reviews) -> OfTopic:
    later, recalled = reviews.is_later, reviews.is_recalled
    lapses = (reviews["came"] == REVIEW) & ~recalled
    return OfTopic(
        topic, len(reviews), Share(int((later & recalled).sum()), int(later.sum())), int(lapses.sum())
    )


def _took(reviews: Reviews) -> Took:
    return Took(quartiles(reviews["thinking_ms"]), quartiles(reviews["grading_ms"]))


def quartiles(ms: NDArray[np.int32]) -> Quartiles:
    """Of times in milliseconds, those not measured (0) and interruptions left out; between the two nearest (Hyndman
    and Fan 1996, definition 7)."""
    measured = ms[(ms > 0) & (ms <= LONGEST_MS)]
    if len(measured) < FEWEST_TIMES:
        return Quartiles(len(measured))
    return Quartiles(len(measured), *(np.quantile(measured, (0.25, 0.5, 0.75)) / 1000).tolist())
