"""The theories of memory that a plan weighs beside the scheduler's: their equations, and what grades say of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quizbank.planning.curve import Curve
from quizbank.planning.evidence import THEORIES, Weighed, weighed
from quizbank.planning.forgetting import Forgetting
from quizbank.planning.futures import Futures
from quizbank.planning.plan import Costs, Known, Plan, Planner
from quizbank.planning.theories import DAY, NO_SITTINGS, Meeting, Past, Scales, Sittings, Theory, Traces

EVERY = [theory for variants in THEORIES for theory in variants]


def recall(theory: Theory, days: tuple[int, ...], past: Past = (), knew: bool = False) -> float:
    """At the last of the days, met on those before it; what comes twice on a day comes a minute later again."""
    moments = np.array([[60.0 * days[:place].count(day) for place, day in enumerate(days)]])
    left = theory.left([past], NO_SITTINGS, knew)
    return float(theory.along(np.array([days]), moments, left, np.array([0]), NO_SITTINGS)[0, -1])


def test_a_trace_is_forgotten_as_published() -> None:
    """Two encounters, 40 s apart, and a day at h = 0.025, by hand (Pavlik and Anderson 2005, equations 1 to 4)."""
    a, c, tau, s, h = 0.177, 0.217, -0.704, 0.255, 0.025
    second = c * 40.0**-a + a
    day = h * DAY
    m = math.log(day**-a + (day - 40.0) ** -second)
    assert recall(Traces(spread=0.0), (0, 1)) == pytest.approx(1 / (1 + math.exp((tau - m) / s)), rel=1e-12)


def test_a_card_met_once_is_forgotten_by_a_power_law_on_many_scales() -> None:
    for f in (0.1, 0.2):
        slope = math.log(recall(Scales(f), (0, 64)) / recall(Scales(f), (0, 1))) / math.log(64)
        # nearly: the scales are few and the slowest hold something back
        assert -2.5 * f < slope < -0.5 * f


@pytest.mark.parametrize("theory", EVERY)
def test_more_meetings_are_recalled_better_and_spaced_ones_longer(theory: Theory) -> None:
    assert 0 < recall(theory, (0, 5)) < recall(theory, (0, 0, 5)) < recall(theory, (0, 2, 7)) < 1
    assert recall(theory, (0, 30)) < recall(theory, (0, 5))
    assert recall(theory, (0, 5), knew=True) > recall(theory, (0, 5))


@pytest.mark.parametrize("theory", EVERY)
def test_what_was_met_counts_as_it_was_foreseen(theory: Theory) -> None:
    """A meeting in the past and the same one planned leave the same, where the answer is certain."""
    sittings = Sittings((600.0,) * 9, 600.0)
    days, first = np.array([[0, 3, 8]]), np.array([0])
    moments = np.array([[60.0, 60.0, 0.0]])
    foreseen = theory.along(days, moments, theory.left([()], sittings, True), first, sittings)[0]
    past = (Meeting(-3, 60.0, True), Meeting(0, 60.0, True))
    # the times when it was met before are counted from the day or from the minute
    assert theory.told(past, sittings)[1] == pytest.approx(foreseen[1], abs=1e-4)
    if isinstance(theory, Scales):
        left = theory.left([past], sittings, False)
        seen = theory.along(np.array([[5]]), np.array([[0.0]]), left, first, sittings)[0, 0]
        assert seen == pytest.approx(foreseen[-1], abs=1e-4)


def answers(theory: Theory | None, cards: int) -> list[Past]:
    """Of cards met twice on the first of five days, drawn from the theory, or from the scheduler's curve: what is seen
    again on the same day is then nearly always recalled."""
    rng, pasts = np.random.default_rng(5), []
    for _ in range(cards):
        gaps = np.array([0, *rng.integers(1, 9, 4)])
        days = np.concatenate(([0], np.cumsum(gaps))) - int(gaps.sum()) - 1
        met = [Meeting(int(days[0]), 0.0, False)]
        for gap, day in zip(gaps, days[1:], strict=True):
            stability, moment = float(rng.choice([0.3, 1.0, 4.0, 15.0])), 0.0 if gap else 600.0
            if theory is None:
                p = float(Curve().recall(np.array(float(gap)), np.array(stability))) if gap else 0.95
            else:
                p = theory.told((*met, Meeting(int(day), moment, True)), NO_SITTINGS)[-1]
            met.append(Meeting(int(day), moment, bool(rng.random() < p), stability))
        pasts.append(tuple(met))
    return pasts


@pytest.mark.parametrize("theory", EVERY)
def test_the_theory_that_the_answers_follow_is_found(theory: Theory) -> None:
    found = weighed(answers(theory, 60), 0.0)
    assert max(found, key=lambda one: one[0])[1] == theory
    assert sum(share for share, _ in found) > 0.9


def test_who_forgets_by_the_schedulers_curve_is_planned_by_it() -> None:
    assert sum(share for share, _ in weighed(answers(None, 60), 0.0)) < 0.1


def test_before_anything_was_seen_the_theories_are_as_probable_as_the_schedulers() -> None:
    found = weighed([], 0.0)
    assert sum(share for share, _ in found) == pytest.approx(2 / 3)
    assert {theory for _, theory in found} == set(EVERY)


def test_a_card_forgotten_again_and_again_is_taken_for_a_hard_one() -> None:
    """The more so the more cards differ; what was forgotten was shown once more, and that alone speaks for it."""
    past = tuple(Meeting(day, 0.0, False, 1.0) for day in range(-4, 0))
    told = [Traces(spread=spread).told(past, NO_SITTINGS)[-1] for spread in (0.0, 0.12, 0.3)]
    assert told == sorted(told, reverse=True)
    assert told[0] - told[-1] > 0.05


def test_a_second_look_on_the_same_day_tells_the_theories_apart() -> None:
    """By one of them half is forgotten after ten minutes of study, by another hardly anything; the scheduler's model has
    no idea, so that it is neither refuted nor favoured."""

    def shares(recalled: int) -> dict[type, float]:
        pasts = [(Meeting(-1, 0.0, False), Meeting(-1, 600.0, i < recalled, 0.2)) for i in range(12)]
        found = weighed(pasts, 900.0)
        return {
            kind: sum(share for share, one in found if isinstance(one, kind)) for kind in (Traces, Scales)
        }

    half, nearly_all = shares(6), shares(11)
    assert half[Traces] > 5 * half[Scales]
    assert nearly_all[Scales] > 5 * nearly_all[Traces]
    assert 0.05 < 1 - sum(half.values()) < 0.95


def test_in_a_long_sitting_the_second_round_comes_late() -> None:
    """A round is over when every card was seen: of few cards in a long sitting, the last look is shortly before its end
    and recalled better afterwards."""

    def worth(cards: int) -> float:
        theories: Weighed = ((1.0, Traces()),)
        sitting = Sittings((6000.0,), 6000.0)
        return Futures(1, Forgetting(), (Curve(),), Costs(), theories, sitting, cards).worth(None, (0, 0))

    assert worth(10) > worth(60) > worth(120) == worth(240)


def test_what_was_studied_today_is_part_of_todays_share() -> None:
    """Of 40 minutes on two days 15 are over: 5 are left for today, and they come after what was seen."""
    seen = Known(1.0, 5.0, 0.0, (Meeting(0, 800.0, False),))
    known: dict[str, Known | None] = {"seen": seen, **dict.fromkeys("abcdefgh")}
    planner = Planner(known, 2, [3600.0] * 2, in_all=1500.0, theories=((1.0, Traces()),), studied=900.0)
    today = planner.plan().days[0]
    new = len(set(today) - {"seen"})
    assert 0 < new * planner.costs.first + (len(today) - new) * planner.costs.review <= 300.0
    again = Plan((("seen",), ()), {}, {})
    # by the clock of one who has studied nothing yet, the two looks would be one
    assert (
        planner.recall_of(again)["seen"]
        > Planner(known, 2, [], theories=planner.theories).recall_of(again)["seen"]
    )


def test_a_plan_sees_a_card_twice_a_day_where_that_is_worth_it_and_once_late() -> None:
    """Of what comes twice on a day the first round comes first; what comes once is seen in the last round."""
    planner = Planner(dict.fromkeys("abcdefgh"), 1, [750.0], theories=((1.0, Traces()),))
    plan = planner.plan()
    (day,) = plan.days
    assert len(day) > len(set(day))
    last_round = day[-len(set(day)) :]
    assert sorted(last_round) == sorted(set(day))
    seen_once = Plan((tuple(dict.fromkeys(day)),), {}, {})
    assert plan.expected > float(np.mean(list(planner.recall_of(seen_once).values())))


def test_theories_are_weighed_by_their_probabilities() -> None:
    known = {"card": Known(2.0, 5.0, 3.0, (Meeting(-3, 0.0, False),)), "new": None}
    plan = Plan((("card",), ("new",), ()), {}, {})

    def of(theories: tuple[tuple[float, Theory], ...]) -> np.ndarray:
        return np.array(list(Planner(known, 3, [60.0] * 3, theories=theories).recall_of(plan).values()))

    mixed = of(((0.25, Traces()), (0.5, Scales())))
    apart = 0.25 * of(()) + 0.25 * of(((1.0, Traces()),)) + 0.5 * of(((1.0, Scales()),))
    assert mixed == pytest.approx(apart, abs=1e-12)
