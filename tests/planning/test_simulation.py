"""The simulation that shows what the plan is worth: its learners, its minutes, and its outcome on a small scale."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from quizbank.sheets.svg import svg
from tests.bench import simulate_plan
from tests.bench.learners import MEMORIES
from tests.bench.policies import COSTS, LAST_DAYS, POLICIES, Given
from tests.bench.simulate_plan import COMPARED, cell, difference, picture, study

BENCH = Path(simulate_plan.__file__).parent
RESULTS = BENCH / "results" / "plan.json"
PLOT = BENCH.parent / "screenshots" / "plan.svg"
SMALL = (30, 5, 8)
WHERE_IT_LOSES = {
    ("ACT-R", 60, "plan", "cram"): 0.03,
    ("ACT-R", 60, "plan, moved", "cram"): 0.008,
    ("multiscale", 60, "plan, moved", "plan"): 0.016,
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


@pytest.mark.slow
def test_the_plan_beats_random_order_learner_by_learner_and_chance_does_not() -> None:
    names = ("plan", "random")
    found = cell("FSRS", SMALL, 20, names)
    assert cell("FSRS", SMALL, 2, names)["recall"]["plan"] == found["recall"]["plan"][:2]

    def t(one: list[float], other: list[float]) -> float:
        gaps = np.array(one) - np.array(other)
        return float(gaps.mean() / (gaps.std(ddof=1) / np.sqrt(len(gaps))))

    # with nineteen degrees of freedom chance gives more than 3.17 in a quarter of a per cent
    assert t(found["recall"]["plan"], found["recall"]["random"]) > 3.17
    given = Given(SMALL[1], SMALL[2] * 60.0)
    other = [
        study(
            POLICIES["random"],
            MEMORIES["FSRS"](np.random.default_rng([seed, *SMALL[:2]]), SMALL[0]),
            SMALL[0],
            given,
            np.random.default_rng([seed, 8]),
        ).recall
        for seed in range(20)
    ]
    assert abs(t(other, found["recall"]["random"])) < 3.17


def test_the_recorded_result_is_whole_and_the_plot_is_drawn_from_it() -> None:
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert {one["memory"] for one in recorded["cells"]} == set(MEMORIES)
    for one in recorded["cells"]:
        assert set(one["recall"]) == set(POLICIES)
        assert all(len(recall) == recorded["learners"] >= 60 for recall in one["recall"].values())
        for mine, other in COMPARED:
            _, low, high = difference(one["recall"], mine, other)
            lost = WHERE_IT_LOSES.get((one["memory"], one["cards"], mine, other))
            assert high > 0 if lost is None else low > -lost and high < 0, (
                one["memory"],
                one["cards"],
                other,
            )
    assert PLOT.read_text(encoding="utf-8") == svg(picture(recorded["cells"]), "en", "#777777") + "\n"


@pytest.mark.slow
def test_no_policy_is_significantly_better_than_the_plan_for_learners_of_its_own_theory() -> None:
    found = cell("FSRS", (40, 5, 12), 16)
    for mine, other in COMPARED:
        _, _, high = difference(found["recall"], mine, other)
        assert high > 0, other


@pytest.mark.slow
@pytest.mark.parametrize("memory", MEMORIES)
def test_the_recorded_learners_can_be_met_again(memory: str) -> None:
    """To within what rounding may turn: an answer drawn at the edge of its probability changes what follows."""
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))
    (held,) = (one for one in recorded["cells"] if (one["memory"], one["cards"]) == (memory, 40))
    again = cell(memory, (held["cards"], held["days"], held["minutes"]), 2)
    gaps = [np.subtract(again["recall"][name], held["recall"][name][:2]) for name in POLICIES]
    assert np.mean(np.abs(gaps) < 1e-4) > 0.7
