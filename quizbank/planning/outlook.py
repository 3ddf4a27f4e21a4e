"""How ready a person will be: the plan up to the interview, recall a topic with its uncertainty, one more hour."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.text import Text
from quizbank.card import LEVELS, Card
from quizbank.card_list import CardList
from quizbank.learning.daily import studied
from quizbank.learning.log import ReviewLog
from quizbank.planning.curve import Curve
from quizbank.planning.evidence import Weighed
from quizbank.planning.futures import Known
from quizbank.planning.limits import MOST_MINUTES, PLANNED_DAYS, USUAL_MINUTES, check_interview
from quizbank.planning.person import Person, person
from quizbank.planning.plan import Planner

_ONE_HOUR = 3600.0
_IN_RANGE = 1.2816
"""Standard deviations on each side that hold 80 %."""


@dataclass(frozen=True)
class Readiness:
    """Expected share of a topic's cards that are recalled: ``now``, and on the day of the interview ``without``
    study and as ``planned``; ``low`` to ``high`` holds that share with 80 % probability, by what is not known of the
    person and by chance."""

    topic: str
    cards: int
    now: float
    without: float
    planned: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        return {
            name: getattr(self, name)
            for name in ("topic", "cards", "now", "without", "planned", "low", "high")
        }


@dataclass(frozen=True)
class Outlook:
    """``days`` are (day, cards to see). ``one_more_hour`` is what sixty more minutes, spread over the days left,
    would add to the expected share of all cards."""

    today: date
    interview: date
    minutes: int
    most_a_day: int | None
    days: tuple[tuple[date, tuple[str, ...]], ...]
    topics: tuple[Readiness, ...]
    overall: Readiness
    one_more_hour: float
    person: Person

    def as_json(self) -> dict[str, Any]:
        return {
            "today": self.today.isoformat(),
            "date": self.interview.isoformat(),
            "minutes": self.minutes,
            "most_minutes_a_day": self.most_a_day,
            "overall": self.overall.as_json(),
            "topics": [topic.as_json() for topic in self.topics],
            "one_more_hour": self.one_more_hour,
            "pace": {
                "value": self.person.pace,
                "low": self.person.slowest,
                "high": self.person.fastest,
                "reviews": self.person.reviews,
            },
            "days": [
                {"date": day.isoformat(), "cards": list(cards), "new": self.new_on(cards)}
                for day, cards in self.days
            ],
        }

    def new_on(self, cards: Iterable[str]) -> list[str]:
        """Those of a day's cards that it is the first to show."""
        met = self._met_before(cards)
        return [card for card in cards if self.person.known[card] is None and card not in met]

    def _met_before(self, cards: Iterable[str]) -> set[str]:
        met: set[str] = set()
        for _, earlier in self.days:
            if earlier is cards:
                break
            met |= set(earlier)
        return met


def outlook(
    log: ReviewLog,
    cards: Sequence[Card],
    today: date,
    interview: date,
    minutes: int = USUAL_MINUTES,
    most_a_day: int | None = None,
    told: Callable[[float], None] = lambda share: None,
) -> Outlook:
    """Plan from ``today`` to the day before ``interview`` with ``minutes`` a day.

    What was studied today already is taken from today's minutes; cards that are suspended, or buried for today, are
    on no day. With ``most_a_day`` the same minutes in all may be moved between the days, up to so many on one.
    ``told`` hears which share of the work is done.

    Raises:
        InputError: a date that is past or too far, or minutes out of range.
    """
    check_interview(interview, today)
    left = (interview - today).days
    for asked in (minutes, most_a_day):
        if asked is not None and not 1 <= asked <= MOST_MINUTES:
            raise InputError(
                Text("minutes a day must be 1 to {most}", "每天的分钟数应为 1 到 {most}").filled(
                    most=MOST_MINUTES
                )
            )
    listed = CardList.of(cards)
    who = person(log, _basic_first(listed), today)
    planned = min(left, PLANNED_DAYS)
    begins = left - planned
    then = _later(who.known, begins)

    off = log.put_off()
    done = studied(log)
    spent = 0.0 if begins else done.new * who.costs.first + done.reviews * who.costs.review

    def planner(
        seconds: float, curves: Sequence[Curve] = who.curves, theories: Weighed = who.theories
    ) -> Planner:
        """With so many seconds a day on average."""
        each = [seconds if most_a_day is None else max(seconds, most_a_day * 60.0)] * planned
        each[:1] = [max(0.0, first - spent) for first in each[:1]]
        in_all = None if most_a_day is None else max(0.0, seconds * planned - spent)
        return Planner(then, planned, each, who.model, who.costs, in_all, curves, off, theories, spent)

    told(0.1)
    plan = planner(minutes * 60.0).plan()
    told(0.45)
    more = planner(minutes * 60.0 + _ONE_HOUR / planned).plan() if planned else plan
    told(0.8)
    own = 1 - sum(share for share, _ in who.theories)
    shares = [own / len(who.curves)] * len(who.curves) + [share for share, _ in who.theories]
    each = [planner(0.0, (curve,), ()) for curve in who.curves]
    each += [planner(0.0, theories=((1.0, theory),)) for _, theory in who.theories]
    by_curve = [one.recall_of(plan) for one in each]
    days = tuple((today + timedelta(days=begins + i), _in_order(day, who)) for i, day in enumerate(plan.days))
    today_is_the_day = Planner(
        who.known, 0, [], who.model, who.costs, curves=who.curves, theories=who.theories
    )
    now = today_is_the_day.plan().without

    def ready(topic: str, ids: Sequence[str]) -> Readiness:
        recall = np.array([[of[card] for card in ids] for of in by_curve])
        share = float(np.average(recall.mean(axis=1), weights=shares))
        # cards are recalled or not, so a share varies by chance, besides what differs from curve to curve
        chance = float(np.average((recall * (1 - recall)).sum(axis=1), weights=shares)) / len(ids) ** 2
        between = float(np.average((recall.mean(axis=1) - share) ** 2, weights=shares))
        spread = _IN_RANGE * math.sqrt(chance + between)
        return Readiness(
            topic,
            len(ids),
            float(np.mean([now[card] for card in ids])),
            float(np.mean([plan.without[card] for card in ids])),
            share,
            max(0.0, share - spread),
            min(1.0, share + spread),
        )

    by_topic: dict[str, list[str]] = {}
    for card_id, card in listed.outlines():
        by_topic.setdefault(card.topic, []).append(card_id)
    return Outlook(
        today,
        interview,
        minutes,
        most_a_day,
        days,
        tuple(ready(topic, ids) for topic, ids in by_topic.items()),
        ready("", listed.ids),
        # with more minutes the same plan can still be kept
        max(0.0, more.expected - plan.expected),
        who,
    )


def _basic_first(cards: CardList) -> list[str]:
    """The ids from basic to special; at one level a card of each topic in turn, in the bank's order."""
    place: Counter[tuple[str, str]] = Counter()
    turns = {}
    for card_id, card in cards.outlines():
        turns[card_id] = LEVELS.index(card.level), place[card.level, card.topic]
        place[card.level, card.topic] += 1
    return sorted(cards.ids, key=turns.__getitem__)


def _later(known: Mapping[str, Known | None], days: int) -> dict[str, Known | None]:
    """The same memories so many days on."""
    return {card: state and state.after(days) for card, state in known.items()}


def _in_order(day: Sequence[str], who: Person) -> tuple[str, ...]:
    """Each card once: one that is seen twice is planned again when it was seen. Cards known already first, then new ones from basic to special."""
    rank = {card: i for i, card in enumerate(who.known)}
    return tuple(sorted(set(day), key=lambda card: (who.known[card] is None, rank[card])))
