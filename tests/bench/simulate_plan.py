"""Does the plan pay? Simulated learners study for an interview, equal minutes a day, under four policies.

    python -m tests.bench.simulate_plan [--learners N] [--plot FILE.svg]

Half of the learners forget by FSRS with weights of their own, half by another theory: ACT-R's declarative memory
(Pavlik and Anderson 2005, equations 1 to 4), where every encounter leaves a trace that decays by a power law, faster
when it was laid on a strong memory. The planner knows neither: it plans with the default weights and re-plans each day
from the grades it saw. Recall on the day is what the learner's own model says.

- plan: the day's cards of :class:`quizbank.planning.plan.Planner`, made anew each day.
- fsrs: due cards at 90 % retention by falling overdueness, then new cards, as plain spaced repetition does.
- random: any cards.
- cram: all minutes on the last days (at most five hours a day), the cards in turn.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from quizbank.planning.forgetting import AGAIN, DEFAULT, GOOD, Forgetting
from quizbank.planning.plan import Costs, Known, Planner

COSTS = Costs()
CRAM_SECONDS = 5 * 3600.0
_BETWEEN = 40.0
"""Seconds between two encounters within one sitting."""


class FsrsLearner:
    """Forgets by FSRS 6 with weights, and a difficulty of each card, of its own."""

    def __init__(self, rng: np.random.Generator, cards: int) -> None:
        w = np.array(DEFAULT)
        w[:20] *= rng.lognormal(0, 0.25, 20)
        w[:4] = np.sort(w[:4])
        w[20] = float(np.clip(w[20] * rng.lognormal(0, 0.3), 0.1, 0.5))
        self.model = Forgetting(tuple(w))
        self.knew = rng.random(cards) < rng.uniform(0.15, 0.55)
        self.shift = rng.normal(0, 1.0, cards)
        self.state: dict[int, tuple[float, float, int]] = {}

    def recall(self, card: int, day: int, moment: float) -> float:
        if card not in self.state:
            return float(self.knew[card])
        stability, _, last = self.state[card]
        return float(self.model.recall(np.array(float(day - last)), np.array(stability)))

    def meet(self, card: int, day: int, moment: float, recalled: bool) -> None:
        rating = GOOD if recalled else AGAIN
        model = self.model
        if card not in self.state:
            hard = float(np.clip(model.first_difficulty(rating) + self.shift[card], 1, 10))
            self.state[card] = (model.first_stability(rating), hard, day)
            return
        s, d, last = self.state[card]
        stability, difficulty = np.array(s), np.array(d)
        if last == day:
            stability = model.stability_same_day(stability, rating)
        else:
            r = model.recall(np.array(float(day - last)), stability)
            after = model.stability_after_recall if recalled else model.stability_after_lapse
            stability = after(stability, difficulty, r)
        self.state[card] = (float(stability), float(model.difficulty_after(difficulty, rating)), day)


class ActrLearner:
    """Forgets by ACT-R: activation is the log of a sum of decaying traces."""

    WITHIN = 1.0
    DAY = 86_400.0

    def __init__(self, rng: np.random.Generator, cards: int) -> None:
        self.a = 0.177 * rng.lognormal(0, 0.15)
        self.c = 0.217 * rng.lognormal(0, 0.15)
        self.tau = -0.704 + rng.normal(0, 0.15)
        self.s = 0.255 * rng.lognormal(0, 0.15)
        # time out of the sitting counts for less (Pavlik and Anderson 2005: h = 0.025)
        self.h = 0.025 * rng.lognormal(0, 0.3)
        self.knew = rng.random(cards) < rng.uniform(0.15, 0.55)
        self.ease = rng.normal(0, 0.2, cards)
        self.traces: dict[int, list[tuple[float, float]]] = {}

    def _activation(self, card: int, now: float) -> float:
        traces = self.traces.get(card, [])
        if not traces:
            return -np.inf
        ages = np.array([max(now - at, 1.0) for at, _ in traces])
        decays = np.array([decay for _, decay in traces])
        return float(np.log((ages**-decays).sum()) + self.ease[card])

    def recall(self, card: int, day: int, moment: float) -> float:
        if card not in self.traces:
            return float(self.knew[card])
        activation = self._activation(card, self._time(day, moment))
        return float(1 / (1 + np.exp((self.tau - activation) / self.s)))

    def meet(self, card: int, day: int, moment: float, recalled: bool) -> None:
        now = self._time(day, moment)
        activation = self._activation(card, now)
        decay = self.a if activation == -np.inf else self.c * np.exp(activation) + self.a
        self.traces.setdefault(card, []).append((now, float(decay)))
        if len(self.traces[card]) == 1 and self.knew[card]:
            self.traces[card] *= 4

    def _time(self, day: int, moment: float) -> float:
        return day * self.DAY * self.h + moment


Learner: TypeAlias = FsrsLearner | ActrLearner


@dataclass
class Record:
    """What a program knows of the cards from the grades it saw: FSRS with the default weights."""

    model: Forgetting = field(default_factory=Forgetting)
    known: dict[int, tuple[float, float, int]] = field(default_factory=dict)
    tests: list[tuple[float, float, bool]] = field(default_factory=list)
    first: list[bool] = field(default_factory=list)

    def pace(self) -> float:
        """How fast the person forgets beside the model, from the reviews on later days: the most probable value."""
        paces = np.exp(np.linspace(-3, 5, 81))
        posterior = -0.5 * (np.log(paces) / 1.0) ** 2
        if self.tests:
            days, stability, ok = (np.array(column, dtype=float) for column in zip(*self.tests, strict=True))
            for i, pace in enumerate(paces):
                r = np.clip(Forgetting(self.model.w, float(pace)).recall(days, stability), 1e-6, 1 - 1e-6)
                posterior[i] += (ok * np.log(r) + (1 - ok) * np.log(1 - r)).sum()
        return float(paces[int(np.argmax(posterior))])

    def note(self, card: int, day: int, recalled: bool) -> None:
        rating = GOOD if recalled else AGAIN
        model = self.model
        if card not in self.known:
            stability, difficulty = np.array(model.first_stability(rating)), model.first_difficulty(rating)
            self.known[card] = (float(stability), difficulty, day)
            return
        s, d, last = self.known[card]
        stability, hard = np.array(s), np.array(d)
        if last == day:
            stability = model.stability_same_day(stability, rating)
        else:
            self.tests.append((float(day - last), float(stability), recalled))
            recall = model.recall(np.array(float(day - last)), stability)
            after = model.stability_after_recall if recalled else model.stability_after_lapse
            stability = after(stability, hard, recall)
        self.known[card] = (float(stability), float(model.difficulty_after(hard, rating)), day)

    def due(self, card: int) -> float:
        """The day a card falls due at 90 % retention: its stability after it was last seen."""
        stability, _, last = self.known[card]
        return last + max(1.0, round(stability))


Policy: TypeAlias = Callable[[Record, int, int, int, float, np.random.Generator], Iterator[int]]


def by_plan(
    record: Record, cards: int, day: int, interview: int, seconds: float, rng: np.random.Generator
) -> Iterator[int]:
    known = {
        str(card): Known(record.known[card][0], record.known[card][1], float(day - record.known[card][2]))
        if card in record.known
        else None
        for card in range(cards)
    }
    pace = record.pace()
    plan = Planner(known, interview - day, [seconds] * (interview - day), Forgetting(pace=pace)).plan()
    yield from map(int, plan.days[0])
    yield from by_fsrs(record, cards, day, interview, seconds, rng)


def by_fsrs(
    record: Record, cards: int, day: int, interview: int, seconds: float, rng: np.random.Generator
) -> Iterator[int]:
    due = sorted((record.due(card), card) for card in record.known if record.due(card) <= day)
    yield from (card for _, card in due if record.known[card][2] < day)
    yield from (card for card in range(cards) if card not in record.known)
    # with nothing due or new, the one nearest to being forgotten
    yield from sorted(record.known, key=record.due)


def at_random(
    record: Record, cards: int, day: int, interview: int, seconds: float, rng: np.random.Generator
) -> Iterator[int]:
    yield from map(int, rng.permutation(cards))


def in_turn(
    record: Record, cards: int, day: int, interview: int, seconds: float, rng: np.random.Generator
) -> Iterator[int]:
    while True:
        yield from range(cards)


def study(
    policy: Policy,
    learner: Learner,
    cards: int,
    interview: int,
    budget: list[float],
    rng: np.random.Generator,
) -> float:
    """Mean recall on the day of the interview."""
    record = Record()
    for day, seconds in enumerate(budget):
        moment, spent = 0.0, 0.0
        seen: set[int] = set()
        if seconds < COSTS.review:
            continue
        for card in policy(record, cards, day, interview, seconds, rng):
            cost = COSTS.review if card in record.known else COSTS.first
            if spent + cost > seconds:
                break
            if card in seen and policy is not in_turn:
                continue
            seen.add(card)
            spent += cost
            recalled = bool(rng.random() < learner.recall(card, day, moment))
            learner.meet(card, day, moment, recalled)
            record.note(card, day, recalled)
            if not recalled or cost == COSTS.first:
                # shown again within the sitting until it is known, as every program does
                learner.meet(card, day, moment + _BETWEEN, True)
                record.note(card, day, True)
            moment += cost
    return float(
        np.mean(
            [
                learner.recall(card, interview, 0.0) if card in record.known else learner.knew[card]
                for card in range(cards)
            ]
        )
    )


POLICIES: dict[str, Policy] = {"plan": by_plan, "fsrs": by_fsrs, "random": at_random, "cram": in_turn}
SCENARIOS = ((60, 7, 15), (100, 14, 15), (100, 14, 30), (150, 21, 20), (100, 30, 10))
"""Cards, days, minutes a day."""


def budgets(days: int, minutes: float, cram: bool) -> list[float]:
    even = [minutes * 60.0] * days
    if not cram:
        return even
    left, budget = sum(even), [0.0] * days
    for day in reversed(range(days)):
        budget[day] = min(left, CRAM_SECONDS)
        left -= budget[day]
    return budget


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--learners", type=int, default=20, help="of each kind and scenario")
    parser.add_argument("--scenario", type=int, default=None)
    parser.add_argument("--plot", type=Path)
    asked = parser.parse_args()
    chosen = SCENARIOS if asked.scenario is None else (SCENARIOS[asked.scenario],)
    print(
        f"{'cards':>5} {'days':>4} {'min':>4} {'memory':>7}  "
        + "  ".join(f"{name:>7}" for name in POLICIES)
        + "   plan minus best other, 95 % interval"
    )
    for cards, days, minutes in chosen:
        for kind in (FsrsLearner, ActrLearner):
            results = {name: [] for name in POLICIES}
            for seed in range(asked.learners):
                for name, policy in POLICIES.items():
                    rng = np.random.default_rng([seed, cards, days])
                    learner = kind(rng, cards)
                    results[name].append(
                        study(
                            policy,
                            learner,
                            cards,
                            days,
                            budgets(days, minutes, name == "cram"),
                            np.random.default_rng([seed, 7]),
                        )
                    )
            means = {name: float(np.mean(values)) for name, values in results.items()}
            best = max((name for name in POLICIES if name != "plan"), key=means.__getitem__)
            gaps = np.array(results["plan"]) - np.array(results[best])
            half = 1.96 * gaps.std(ddof=1) / np.sqrt(len(gaps))
            print(
                f"{cards:>5} {days:>4} {minutes:>4} {'FSRS' if kind is FsrsLearner else 'ACT-R':>7}  "
                + "  ".join(f"{means[name]:7.3f}" for name in POLICIES)
                + f"   {gaps.mean():+.3f} ± {half:.3f} against {best}",
                flush=True,
            )


if __name__ == "__main__":
    main()
