"""The simulation that shows what the plan is worth: its learners, its minutes, and its outcome on a small scale."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quizbank.planning.forgetting import Floats
from quizbank.sheets.svg import svg
from tests.bench import simulate_plan
from tests.bench.learners import MEMORIES
from tests.bench.policies import COSTS, LAST_DAYS, POLICIES, Given
from tests.bench.simulate_plan import (
    COMPARED,
    SCENARIOS,
    Case,
    Work,
    cell,
    difference,
    picture,
    pooled,
    populations,
    study,
)

BENCH = Path(simulate_plan.__file__).parent
RESULTS = BENCH / "results" / "plan.json"
PLOT = BENCH.parent / "screenshots" / "plan.svg"
SMALL = (30, 5, 8)
CELL = ("FSRS", (40, 5, 12))
"""Memory and scenario in which the plan is tried again on learners whose seeds nobody has run before."""
ALARM, MISSED = 0.001, 0.005
"""How often a policy no better than random order may pass that trial, and one as good as the recorded plan fail."""
UNSEEN = range(2000, 2014)
WHERE_IT_LOSES = {
    ("ACT-R", 60, "plan", "cram"): 0.025,
    ("ACT-R", 100, "plan", "cram"): 0.09,
    ("ACT-R", 100, "plan, moved", "cram"): 0.028,
    ("multiscale", 60, "plan, moved", "plan"): 0.021,
}
"""Memory, cards, policy, the other that is significantly better: by less than so much recall."""


def recall_after(memory: str, met: tuple[int, ...], test: int) -> float:
    """Mean recall on a day of cards that were unknown and met on these days, a day named twice twice."""
    found = []
    for seed in range(12):
        learner = MEMORIES[memory](np.random.default_rng(seed), 30)
        every = np.arange(30)
        cards = every[learner.recall(every, 0, np.zeros(30)) < 0.02]
        chance = np.random.default_rng([seed, 1])
        for day in range(test):
            for turn in range(met.count(day)):
                at = np.full(len(cards), 600.0 * turn)
                learner.meet(cards, day, at, chance.random(len(cards)) < learner.recall(cards, day, at))
            learner.rest(600.0 * met.count(day))
        found.append(learner.recall(cards, test, np.zeros(len(cards))).mean())
    return float(np.mean(found))


@pytest.mark.parametrize("memory", MEMORIES)
def test_a_learner_forgets_and_spaced_meetings_last_longer_than_massed_ones(memory: str) -> None:
    once = [recall_after(memory, (0,), day) for day in (1, 7, 30)]
    assert once == sorted(once, reverse=True)
    assert once[0] - once[-1] > 0.05
    # the spacing effect: the same two meetings, a week after the last of them
    assert recall_after(memory, (0, 2), 9) > recall_after(memory, (0, 0), 7) + 0.01
    assert recall_after(memory, (0, 0), 7) >= once[1]


@pytest.mark.parametrize("memory", ["ACT-R", "multiscale"])
def test_the_best_gap_grows_with_the_time_until_the_test(memory: str) -> None:
    """Cepeda et al. 2008: about a tenth to a fifth of that time, never none and never all of it."""
    gaps = (1, 2, 4, 7, 14)

    def best(delay: int) -> int:
        return max(gaps, key=lambda gap: recall_after(memory, (0, gap), gap + delay))

    assert 1 <= best(3) <= best(60)
    assert best(60) >= 4


def test_all_policies_spend_the_same_minutes_but_one_that_starts_late() -> None:
    cards, days, minutes = SMALL
    given = Given(days, minutes * 60.0)
    for name, policy in POLICIES.items():
        learner = MEMORIES["FSRS"](np.random.default_rng(0), cards)
        spent = study(policy, learner, cards, given, np.random.default_rng(0)).seconds
        wanted = LAST_DAYS * given.seconds if name == "cram last" else given.in_all
        # a day ends where not even a review fits
        assert wanted - days * COSTS.review < spent <= wanted, name


def test_a_run_that_was_cut_short_goes_on_where_it_was(tmp_path: Path) -> None:
    file, cases = tmp_path / "work.jsonl", [Case("FSRS", SMALL, seed, "random") for seed in (0, 1)]
    first = Work(file).studied(cases[0])
    whole = file.read_text()
    file.write_text(whole + whole[:20])
    again = Work(file)
    assert again.studied(cases[0]) == first
    assert file.read_text() == whole
    assert again.studied(cases[1]) == Work(None).studied(cases[1]) != first
    assert len(file.read_text().splitlines()) == 2


def recorded_cell(memory: str, scenario: tuple[int, int, int]) -> dict[str, Any]:
    cells = json.loads(RESULTS.read_text(encoding="utf-8"))["cells"]
    (found,) = (one for one in cells if (one["memory"], one["cards"]) == (memory, scenario[0]))
    return dict(found)


def student(gaps: Floats) -> Floats:
    """Student's t of each row."""
    return np.asarray(gaps.mean(axis=-1) / (gaps.std(axis=-1, ddof=1) / np.sqrt(gaps.shape[-1])))


def critical(count: int) -> float:
    """What t of so many differences exceeds by chance once in 1 / ALARM."""
    t = np.linspace(0, 200, 400_001)
    density = (1 + t**2 / (count - 1)) ** (-count / 2)
    below = 0.5 + np.cumsum(density) / density.sum() / 2
    return float(t[np.searchsorted(below, 1 - ALARM)])


def test_the_plan_is_tried_again_on_as_many_learners_as_that_takes() -> None:
    """As many as make a plan as good as the recorded one fail so seldom, and no more."""
    recall = recorded_cell(*CELL)["recall"]
    gaps = np.subtract(recall["plan"], recall["random"])
    drawn = gaps.mean() + gaps.std(ddof=1) * np.random.default_rng(3).standard_normal((40_000, len(UNSEEN)))
    missed = [float(np.mean(student(drawn[:, :n]) <= critical(n))) for n in (len(UNSEEN) - 1, len(UNSEEN))]
    assert missed[0] > MISSED >= missed[1]


@pytest.mark.slow
def test_the_plan_beats_random_order_on_learners_never_met_and_a_plan_at_random_does_not() -> None:
    found = cell(*CELL, UNSEEN, ("plan", "random"))["recall"]
    cards, days, minutes = CELL[1]
    at_random = [
        study(
            POLICIES["random"],
            MEMORIES[CELL[0]](np.random.default_rng([seed, cards, days]), cards),
            cards,
            Given(days, minutes * 60.0),
            np.random.default_rng([seed, 8]),
        ).recall
        for seed in UNSEEN
    ]
    assert student(np.subtract(found["plan"], found["random"])) > critical(len(UNSEEN))
    assert student(np.subtract(at_random, found["random"])) < critical(len(UNSEEN))


def test_the_recorded_result_is_whole_and_the_plot_is_drawn_from_it() -> None:
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))
    held = {(one["memory"], (one["cards"], one["days"], one["minutes"])) for one in recorded["cells"]}
    assert held == set(product(MEMORIES, SCENARIOS))
    for one in recorded["cells"]:
        assert set(one["recall"]) == set(POLICIES)
        first, last = one["seeds"]
        fewest = 40 if one["days"] < 14 else 8
        assert all(len(recall) == last - first + 1 >= fewest for recall in one["recall"].values())
        for mine, other in COMPARED:
            _, low, high = difference(one["recall"], mine, other)
            lost = WHERE_IT_LOSES.get((one["memory"], one["cards"], mine, other))
            assert high > 0 if lost is None else low > -lost and high < 0, (
                one["memory"],
                one["cards"],
                other,
            )
    assert PLOT.read_text(encoding="utf-8") == svg(picture(recorded["cells"]), "en", "#777777") + "\n"


def test_where_half_forget_by_another_theory_the_plan_is_never_significantly_worse() -> None:
    found = list(populations(json.loads(RESULTS.read_text(encoding="utf-8"))["cells"]))
    assert len(found) == len(SCENARIOS) * (len(MEMORIES) - 1)
    for name, population in found:
        for mine, other in COMPARED:
            mean, low, high = pooled(population, mine, other)
            assert low < mean < high
            if other != "plan":
                assert high > 0, (name, mine, other)
            if "cram" != other != "plan":
                assert low > 0, (name, mine, other)
        assert pooled(population, "plan, moved", "cram")[1] > 0, name


@pytest.mark.slow
@pytest.mark.parametrize("memory", MEMORIES)
def test_the_recorded_learners_can_be_met_again(memory: str) -> None:
    """To within what rounding may turn: an answer drawn at the edge of its probability changes what follows."""
    scenario = SCENARIOS[1]
    held = recorded_cell(memory, scenario)
    again = cell(memory, scenario, range(held["seeds"][0], held["seeds"][0] + 2))
    gaps = [np.subtract(again["recall"][name], held["recall"][name][:2]) for name in POLICIES]
    assert np.mean(np.abs(gaps) < 1e-4) > 0.7
