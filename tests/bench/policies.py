"""What to study when: the plan, and what people and programs do otherwise. All have the same minutes.

A policy says how many seconds of a day it studies and in which order it would see the cards, round by round; the study
goes on while there is time. Where the minutes are given day by day:

- plan: the day's cards of :class:`quizbank.planning.plan.Planner`, made anew each day from the grades seen so far.
- fsrs: due cards at 90 % retention by the day they fell due, then new cards, as plain spaced repetition does.
- random: any cards.
- cram daily: the cards in turn, day by day, whatever was recalled.
- cram last: nothing until the last :data:`LAST_DAYS` days, then in turn with those days' own minutes: fewer in all.

Where the same minutes in all may be moved, up to :data:`MOST_SECONDS` on one day:

- cram: all of them on the last days, in turn.
- plan, moved: the planner says where they go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

import numpy as np

from quizbank.planning.curve import Curve, curves_of
from quizbank.planning.evidence import Weighed, weighed
from quizbank.planning.forgetting import AGAIN, GOOD, Floats, Forgetting
from quizbank.planning.plan import Costs, Known, Plan, Planner
from quizbank.planning.theories import Meeting, Past
from tests.bench.learners import Bools, Ints

COSTS = Costs()
LAST_DAYS = 3
MOST_SECONDS = 5 * 3600.0
"""Of study in one day: more than five hours at flash cards is no one's plan."""


@dataclass
class Record:
    """What a program knows of the cards from the grades it saw: FSRS with the default weights."""

    cards: int
    model: Forgetting = field(default_factory=Forgetting)

    def __post_init__(self) -> None:
        self.stability, self.difficulty = np.zeros(self.cards), np.zeros(self.cards)
        self.last = np.full(self.cards, -1)
        self.shown = np.zeros(self.cards, dtype=int)
        self.tests: list[tuple[Floats, Floats, Bools]] = []
        self.past: list[list[Meeting]] = [[] for _ in range(self.cards)]
        self.knew = self.firsts = 0

    @property
    def met(self) -> Bools:
        return np.asarray(self.last >= 0)

    def note(self, cards: Ints, day: int, recalled: Bools) -> None:
        model = self.model
        later = self.met[cards] & (self.last[cards] < day)
        if later.any():
            seen = cards[later]
            self.tests.append(
                (
                    (day - self.last[seen]).astype(float),
                    self.stability[seen],
                    recalled[later],
                )
            )
        for rating, told in ((GOOD, recalled), (AGAIN, ~recalled)):
            new, old = cards[told & ~self.met[cards]], cards[told & self.met[cards]]
            if rating == GOOD:
                self.knew += len(new)
            self.firsts += len(new)
            self.stability[new] = model.first_stability(rating)
            self.difficulty[new] = model.first_difficulty(rating)
            s, d = self.stability[old], self.difficulty[old]
            after = model.stability_after_recall if rating == GOOD else model.stability_after_lapse
            grown = after(s, d, model.recall(day - self.last[old], s))
            self.stability[old] = np.where(self.last[old] < day, grown, model.stability_same_day(s, rating))
            self.difficulty[old] = model.difficulty_after(d, rating)
        self.last[cards] = day

    def showing(self, cards: Ints, day: int, moments: Floats, recalled: Bools) -> None:
        """Note a meeting; to be told before its grades are."""
        for card, moment, right in zip(cards, moments, recalled, strict=True):
            stability = float(self.stability[card]) if self.met[card] else None
            self.past[card].append(Meeting(day, float(moment), bool(right), stability))

    def theories(self, day: int, sitting: float) -> Weighed:
        return weighed((self.past_of(card, day) for card in range(self.cards)), sitting)

    def past_of(self, card: int, today: int) -> Past:
        return tuple(replace(meeting, day=meeting.day - today) for meeting in self.past[card])

    def curves(self) -> tuple[Curve, ...]:
        columns = zip(*self.tests, strict=True) if self.tests else ((), (), ())
        days, stability, recalled = (np.concatenate(c) if len(c) else np.array([]) for c in columns)
        return curves_of(days, stability, recalled)

    def costs(self) -> Costs:
        """As the product reads them from a log: the usual chance of knowing a new card counts for four of them."""
        known = (4 * COSTS.known_at_first + self.knew) / (4 + self.firsts)
        return Costs(COSTS.review, COSTS.first, known)

    def due(self) -> Floats:
        """The day each card falls due at 90 % retention: its stability after it was last seen."""
        return np.asarray(self.last + np.maximum(1.0, np.round(self.stability)))


@dataclass(frozen=True)
class Given:
    """``seconds`` a day for ``days`` days, the interview on the day after the last of them."""

    days: int
    seconds: float

    @property
    def in_all(self) -> float:
        return self.days * self.seconds


Rounds: TypeAlias = Iterator[list[int]]


class Policy(Protocol):
    moves: bool
    """May it move the minutes from day to day?"""

    def seconds(self, given: Given, day: int, left: float) -> float:
        """Of study on this day, when so many are left in all."""

    def rounds(self, record: Record, given: Given, day: int, left: float, rng: np.random.Generator) -> Rounds:
        """The cards as they should be seen on this day, no card twice in a round; for ever, unless time is to be
        left for other days."""


class Fsrs:
    moves = False

    def seconds(self, given: Given, day: int, left: float) -> float:
        return given.seconds

    def rounds(self, record: Record, given: Given, day: int, left: float, rng: np.random.Generator) -> Rounds:
        while True:
            yield fsrs_order(record, day)


def rounds_of(cards: Sequence[int]) -> list[list[int]]:
    """The same cards in the same order, a new round begun where a card comes again."""
    rounds: list[list[int]] = []
    for card in cards:
        if not rounds or card in rounds[-1]:
            rounds.append([])
        rounds[-1].append(card)
    return rounds


def in_turn(record: Record) -> list[int]:
    return [int(card) for card in np.argsort(record.shown, kind="stable")]


def fsrs_order(record: Record, day: int) -> list[int]:
    due, met = record.due(), record.met
    by_due = [int(card) for card in np.argsort(due, kind="stable") if met[card]]
    now = [card for card in by_due if due[card] <= day]
    new = [int(card) for card in np.flatnonzero(~met)]
    # with nothing due or new, the one nearest to being forgotten
    return [*now, *new, *(card for card in by_due if due[card] > day)]


class Random:
    moves = False

    def seconds(self, given: Given, day: int, left: float) -> float:
        return given.seconds

    def rounds(self, record: Record, given: Given, day: int, left: float, rng: np.random.Generator) -> Rounds:
        while True:
            yield [int(card) for card in rng.permutation(record.cards)]


@dataclass
class InTurn:
    """``begins`` is how many days before the interview study begins; None: on the first day."""

    begins: int | None = None
    moves: bool = False

    def seconds(self, given: Given, day: int, left: float) -> float:
        days_left = given.days - day
        if self.moves:
            later = min(left, (days_left - 1) * MOST_SECONDS)
            return min(left - later, MOST_SECONDS)
        return given.seconds if self.begins is None or days_left <= self.begins else 0.0

    def rounds(self, record: Record, given: Given, day: int, left: float, rng: np.random.Generator) -> Rounds:
        while True:
            yield in_turn(record)


@dataclass
class Planned:
    moves: bool = False

    def seconds(self, given: Given, day: int, left: float) -> float:
        return min(left, MOST_SECONDS) if self.moves else given.seconds

    def rounds(self, record: Record, given: Given, day: int, left: float, rng: np.random.Generator) -> Rounds:
        passes = rounds_of([int(card) for card in self.plan(record, given, day, left).days[0]])
        days_left = given.days - day
        if self.moves and left <= (days_left - 1) * MOST_SECONDS:
            yield from passes
            return
        yield from passes[:-1]
        now = passes[-1] if passes else []
        planned = set(now)
        yield [*now, *(card for card in fsrs_order(record, day) if card not in planned)]
        while True:
            yield in_turn(record)

    def plan(self, record: Record, given: Given, day: int, left: float) -> Plan:
        known = {
            str(card): Known(float(s), float(d), float(day - last), record.past_of(card, day))
            if last >= 0
            else None
            for card, (s, d, last) in enumerate(
                zip(record.stability, record.difficulty, record.last, strict=True)
            )
        }
        days_left = given.days - day
        each = MOST_SECONDS if self.moves else given.seconds
        return Planner(
            known,
            days_left,
            [each] * days_left,
            record.model,
            record.costs(),
            left if self.moves else None,
            record.curves(),
            theories=record.theories(day, given.seconds),
        ).plan()


POLICIES: dict[str, Policy] = {
    "plan": Planned(),
    "fsrs": Fsrs(),
    "random": Random(),
    "cram daily": InTurn(),
    "cram last": InTurn(begins=LAST_DAYS),
    "cram": InTurn(moves=True),
    "plan, moved": Planned(moves=True),
}
