"""Does the plan pay? Simulated learners study for an interview under every policy of :mod:`tests.bench.policies`.

    python -m tests.bench.simulate_plan [--first-seed S] [--learners N] [--every K] [--memory M] [--scenario I]
        [--work FILE.jsonl] [--results FILE.json] [--plot FILE.svg]
    python -m tests.bench.simulate_plan --read FILE.json --plot FILE.svg

A third of the learners forget by FSRS with weights of their own, two thirds by theories that are not FSRS (ACT-R and
the multiscale context model, see :mod:`tests.bench.learners`). The planner knows the parameters of none of them: it
begins with the default weights and published values, weighs its theories by the grades it saw and plans anew each day.
Recall on the day is what the learner's own memory says.

What it gains and where it does not (recall on the day, in points with 95 % intervals; 60 cards in 7 days of 15 minutes
and 40 cards in 5 days of 12 with 42 learners of each memory, 100 cards in 14 days of 15 minutes with only 10):

- At equal minutes a day it is significantly better than every other policy in eight of the nine cells, and in the ninth
  (ACT-R learners, 100 cards) equal to going through the cards in turn (-0.0 [-0.5, +0.4]): by 2.1 to 10.0 than FSRS
  order, 5.0 to 10.2 than random order, 1.3 to 9.4 than in turn in the other eight, 20 to 49 than the last days only.
- Against all minutes crammed into the end (at most five hours a day), which is not the same minutes a day, the plan at
  even minutes is better by 1.8 to 12.5 in six cells, equal in one (FSRS learners, 40 cards: +0.7 [-0.1, +1.5]) and worse
  in two, of ACT-R learners: with 60 cards -1.9 [-2.4, -1.4], with 100 cards -7.2 [-8.5, -5.7]. By this theory a meeting
  helps however soon it follows another, and the last day's are the freshest.
- The plan that may move minutes too is better than that cramming by 1.7 to 14.4 in seven cells, equal to it for ACT-R
  learners with 60 cards (-0.05 [-0.45, +0.40]) and worse for those with 100: -2.1 [-2.6, -1.6]. Than the policies with
  even minutes, but the plan, it is better by 1.8 or more in all nine.
- Minutes that may be moved are worth 1.9 to 5.1 more than even ones in four cells, nothing in four, and cost in one:
  multiscale learners, 60 cards: -1.2 [-2.0, -0.5]. Who will forget in which way is not to be told from the few grades
  there are before most minutes are spent, and what serves a multiscale learner, an early beginning, costs an ACT-R one.

By which theory a person forgets nobody knows, and so it is a mixture that the plan has to serve. Where half of the
learners forget by FSRS and half by either of the other theories, the plan at even minutes is better than every policy
with even minutes by 1.3 or more in all six mixtures; than all minutes crammed into the end in five, and equal in one
(with ACT-R, 100 cards: -0.5 [-2.0, +0.9]). With minutes that may be moved it is better than that in all six, by 2.2 to
10.4.

How far this goes: the planner was frozen (commit 80861fc) before any of these learners was simulated; their seeds, 100
to 141 and 200 to 209, had been used by nobody, and are as many as were done by times set beforehand. It was developed on
seeds 0 to 59 of the first two scenarios. It weighs a theory of each of the three kinds that the learners follow, with
values of its own: of a person who forgets in a fourth way nothing is shown here.

The same seeds study under every policy, so differences are paired learner by learner; their 95 % intervals are
percentiles of 2,000 bootstrap samples. What was measured stands in ``tests/bench/results/plan.json``.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.figure import Axis, Bar, Bars
from engine.text import Text
from quizbank.planning.forgetting import Floats
from quizbank.sheets.svg import svg
from tests.bench.learners import MEMORIES, Learner
from tests.bench.policies import COSTS, MOST_SECONDS, POLICIES, Given, Policy, Record

BETWEEN = 40.0
"""Seconds between two encounters within one showing of a card."""
SCENARIOS = ((60, 7, 15), (40, 5, 12), (100, 14, 15))
"""Cards, days, minutes a day; no two with as many cards."""
COMPARED = (
    ("plan", "fsrs"), ("plan", "random"), ("plan", "cram daily"), ("plan", "cram last"),
    ("plan", "cram"), ("plan, moved", "cram"), ("plan, moved", "plan"),
)  # fmt: skip
"""Policies whose difference is told; the last three are with minutes that may be moved."""
_SAMPLES = 2000


@dataclass(frozen=True)
class Studied:
    """Mean recall on the day of the interview over all cards, and the seconds of study it took."""

    recall: float
    seconds: float


def study(policy: Policy, learner: Learner, cards: int, given: Given, rng: np.random.Generator) -> Studied:
    """A learner's days until the interview under a policy."""
    record, spent = Record(cards), 0.0
    for day in range(given.days):
        offered = policy.seconds(given, day, given.in_all - spent)
        left = offered
        if left >= COSTS.review:
            for wanted in policy.rounds(record, given, day, given.in_all - spent, rng):
                taken, moments = _what_fits(wanted, record, left, offered - left)
                left -= sum(COSTS.review if record.met[card] else COSTS.first for card in taken)
                _show(learner, record, np.array(taken, dtype=int), day, np.array(moments), rng)
                if left < COSTS.review or not taken:
                    break
        learner.rest(offered - left)
        spent += offered - left
    every = np.arange(cards)
    return Studied(float(learner.recall(every, given.days, np.zeros(cards)).mean()), spent)


def _what_fits(
    wanted: Sequence[int], record: Record, left: float, moment: float
) -> tuple[list[int], list[float]]:
    taken, moments, met = [], [], record.met
    for card in wanted:
        cost = COSTS.review if met[card] else COSTS.first
        if cost <= left:
            taken.append(card)
            moments.append(moment)
            left, moment = left - cost, moment + cost
    return taken, moments


def _show(
    learner: Learner, record: Record, cards: Any, day: int, moments: Floats, rng: np.random.Generator
) -> None:
    recalled = rng.random(len(cards)) < learner.recall(cards, day, moments)
    # until it is known a card is shown again within the sitting, as every program does
    again = ~recalled | ~record.met[cards]
    record.showing(cards, day, moments, recalled)
    for some, at, right in (
        (cards, moments, recalled),
        (cards[again], moments[again] + BETWEEN, np.ones(again.sum(), dtype=bool)),
    ):
        learner.meet(some, day, at, right)
        record.note(some, day, right)
    record.shown[cards] += 1


@dataclass(frozen=True)
class Case:
    """One learner under one policy."""

    memory: str
    scenario: tuple[int, int, int]
    seed: int
    policy: str

    def studied(self) -> Studied:
        cards, days, minutes = self.scenario
        return study(
            POLICIES[self.policy],
            MEMORIES[self.memory](np.random.default_rng([self.seed, cards, days]), cards),
            cards,
            Given(days, minutes * 60.0),
            np.random.default_rng([self.seed, 7]),
        )


class Work:
    """What was simulated so far, kept line by line in a file: a run that was cut short goes on where it was, and
    several may share the file if their seeds differ."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._done: dict[Case, Studied] = {}
        kept = file.read_text() if file and file.exists() else ""
        whole = kept[: kept.rfind("\n") + 1]
        if file and whole != kept:
            # the last line was cut short
            file.write_text(whole)
        for line in whole.splitlines():
            memory, scenario, seed, policy, recall, seconds = json.loads(line)
            self._done[Case(memory, tuple(scenario), seed, policy)] = Studied(recall, seconds)

    def studied(self, case: Case) -> Studied:
        if case not in self._done:
            self._done[case] = found = case.studied()
            if self._file:
                line = json.dumps(
                    [case.memory, case.scenario, case.seed, case.policy, found.recall, found.seconds]
                )
                with self._file.open("a") as file:
                    file.write(line + "\n")
        return self._done[case]


def cell(
    memory: str,
    scenario: tuple[int, int, int],
    seeds: Sequence[int],
    names: Sequence[str] = (),
    work: Work | None = None,
) -> dict[str, Any]:
    """Every learner's recall, and the mean minutes of study, under each policy."""
    work = work or Work(None)
    recall: dict[str, list[float]] = {}
    spent: dict[str, float] = {}
    for name in names or POLICIES:
        studied = [work.studied(Case(memory, scenario, seed, name)) for seed in seeds]
        recall[name] = [round(one.recall, 5) for one in studied]
        spent[name] = round(float(np.mean([one.seconds for one in studied])) / 60, 2)
    cards, days, minutes = scenario
    return {
        "memory": memory,
        "cards": cards,
        "days": days,
        "minutes": minutes,
        "seeds": [seeds[0], seeds[-1]],
        "recall": recall,
        "spent": spent,
    }


def difference(recall: dict[str, Sequence[float]], one: str, other: str) -> tuple[float, float, float]:
    """Mean paired difference with the ends of its 95 % bootstrap interval."""
    return pooled([{"recall": recall}], one, other)


def populations(cells: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Learners of whom half forget by FSRS and half by another theory, for each scenario and each other theory.

    Nobody knows by which theory a person forgets, so a policy is judged by what it gives to such a mixture.
    """
    for mine in cells:
        for other in cells:
            if mine["memory"] == "FSRS" != other["memory"] and mine["cards"] == other["cards"]:
                yield f"half FSRS, half {other['memory']}, {mine['cards']} cards", [mine, other]


def pooled(population: Sequence[dict[str, Any]], one: str, other: str) -> tuple[float, float, float]:
    """As :func:`difference`, over cells that weigh the same; samples are drawn within each."""
    drawn, means = [], []
    for place, part in enumerate(population):
        gaps = np.array(part["recall"][one]) - np.array(part["recall"][other])
        chosen = np.random.default_rng(place).integers(len(gaps), size=(_SAMPLES, len(gaps)))
        drawn.append(gaps[chosen].mean(axis=1))
        means.append(gaps.mean())
    low, high = np.quantile(np.mean(drawn, axis=0), (0.025, 0.975))
    return float(np.mean(means)), float(low), float(high)


def picture(cells: Sequence[dict[str, Any]]) -> Bars:
    """What the plan gains on each other policy that studies as long, a memory and a number of cards at a time."""
    names = {
        "fsrs": Text("FSRS order", "FSRS 次序"), "random": Text("random order", "随机次序"),
        "cram daily": Text("in turn, daily", "每天轮流"),
        "cram": Text("all at the end", "全放最后"),
    }  # fmt: skip
    bars: list[Bar] = []
    for found in sorted(cells, key=lambda one: list(MEMORIES).index(one["memory"])):
        where = f"{found['memory']}, {found['cards']}"
        for one, other in COMPARED:
            if other not in names:
                continue
            mean, low, high = difference(found["recall"], one, other)
            moved = "cram" in (one, other)
            who = Text("moved", "可挪动") if one != "plan" else Text("plan", "计划")
            label = Text(f"{where}: {who.en} − {names[other].en}", f"{where}：{who.zh} − {names[other].zh}")
            half = 100 * max(high - mean, mean - low)
            bars.append(Bar(label, 100 * mean, "other" if moved else "measured", half))
    return Bars(
        Text("What the plan gains, at equal minutes", "学习时间相同，计划多得多少"),
        Text(
            "Bars to the right of zero: more is recalled on the day with the plan. Lines are 95 % intervals.",
            "条形在零的右侧：按计划学习，当天记住的更多。线段为 95 % 区间。",
        ),
        Axis(Text("points of recall on the day", "当天记住的比例之差（百分点）")),
        tuple(bars),
    )


def table(cells: Sequence[dict[str, Any]]) -> Iterator[str]:
    for one in cells:
        where = f"{one['memory']}, {one['cards']} cards, {one['days']} days, {one['minutes']} min"
        yield f"{where}: " + "  ".join(f"{name} {np.mean(r):.3f}" for name, r in one["recall"].items())
        for a, b in COMPARED:
            if a in one["recall"] and b in one["recall"]:
                mean, low, high = difference(one["recall"], a, b)
                yield _told(a, b, mean, low, high)
    for name, population in populations(cells):
        yield name
        for a, b in COMPARED:
            if all(a in part["recall"] and b in part["recall"] for part in population):
                yield _told(a, b, *pooled(population, a, b))


def _told(a: str, b: str, mean: float, low: float, high: float) -> str:
    verdict = "WORSE" if high < 0 else "better" if low > 0 else "equal"
    return f"    {a} - {b}: {100 * mean:+.2f} [{100 * low:+.2f}, {100 * high:+.2f}] {verdict}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--learners", type=int, default=60, help="of each memory and scenario")
    parser.add_argument("--first-seed", type=int, default=0, help="of the first learner; the others' follow")
    parser.add_argument(
        "--every", type=int, default=1, help="from one seed to the next, for runs side by side"
    )
    parser.add_argument("--scenario", type=int, choices=range(len(SCENARIOS)))
    parser.add_argument("--memory", choices=MEMORIES)
    parser.add_argument("--work", type=Path, help="keep each learner in this file and go on from it")
    parser.add_argument(
        "--results", type=Path, help="write what each learner recalled, beside other cells there"
    )
    parser.add_argument("--read", type=Path, help="draw what was measured before")
    parser.add_argument("--plot", type=Path)
    asked = parser.parse_args()
    scenarios = SCENARIOS if asked.scenario is None else (SCENARIOS[asked.scenario],)
    memories = [asked.memory] if asked.memory else list(MEMORIES)
    seeds = range(asked.first_seed, asked.first_seed + asked.learners * asked.every, asked.every)
    if asked.read:
        cells: list[dict[str, Any]] = json.loads(asked.read.read_text())["cells"]
    else:
        work = Work(asked.work)
        # learner by learner, so that a run that is cut short has as many of each kind
        for case in (
            Case(m, s, seed, name) for seed in seeds for s in scenarios for m in memories for name in POLICIES
        ):
            work.studied(case)
        cells = [cell(memory, scenario, seeds, work=work) for scenario in scenarios for memory in memories]
    print("\n".join(table(cells)))
    if asked.results:
        made = {
            "numpy": np.__version__,
            "python": platform.python_version(),
            "most_seconds_a_day": MOST_SECONDS,
        }
        before = json.loads(asked.results.read_text())["cells"] if asked.results.exists() else []
        anew = {(one["memory"], one["cards"]) for one in cells}
        cells = [one for one in before if (one["memory"], one["cards"]) not in anew] + cells
        asked.results.write_text(json.dumps({**made, "cells": cells}) + "\n")
    if asked.plot:
        asked.plot.write_text(svg(picture(cells), "en", "#777777") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
