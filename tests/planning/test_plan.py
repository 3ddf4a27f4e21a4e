"""A plan keeps to its minutes, says what it is worth, and is worth more with more of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizbank.planning.curve import Curve, curves_of
from quizbank.planning.evidence import weighed
from quizbank.planning.futures import Futures
from quizbank.planning.plan import MOST_REVIEWS, Costs, Known, Plan, Planner

COSTS = Costs()
OWN = Curve()


@st.composite
def situations(draw: st.DrawFn) -> Planner:
    cards = draw(st.integers(1, 12))
    known = {
        f"card-{i}": draw(
            st.none() | st.builds(Known, st.floats(0.2, 300), st.floats(1, 10), st.integers(0, 90).map(float))
        )
        for i in range(cards)
    }
    days = draw(st.integers(0, 12))
    seconds = draw(st.lists(st.sampled_from([0.0, 60.0, 150.0, 600.0]), min_size=days, max_size=days))
    curves = draw(st.sampled_from([(), (Curve(4.0),), (Curve(0.5), Curve(2.0, 0.5, 0.6))]))
    in_all = draw(st.none() | st.sampled_from([0.0, 200.0, 1000.0]))
    return Planner(known, days, seconds, in_all=in_all, curves=curves)


def spent(planner: Planner, plan: Plan) -> list[float]:
    met = {card for card, state in planner.known.items() if state is not None}
    seconds = []
    for day in plan.days:
        seconds.append(sum(COSTS.review if card in met else COSTS.first for card in day))
        met |= set(day)
    return seconds


@settings(max_examples=20, deadline=None)
@given(situations())
def test_no_day_takes_more_than_its_seconds(planner: Planner) -> None:
    plan = planner.plan()
    assert len(plan.days) == planner.interview
    for used, given_ in zip(spent(planner, plan), planner.seconds, strict=True):
        assert used <= given_ + 1e-9
    assert planner.in_all is None or sum(spent(planner, plan)) <= planner.in_all + 1e-9
    for day in plan.days:
        assert len(set(day)) == len(day)
    for card in planner.known:
        assert sum(card in day for day in plan.days) <= MOST_REVIEWS


@settings(max_examples=12, deadline=None)
@given(situations())
def test_the_recall_it_states_is_that_of_its_days(planner: Planner) -> None:
    plan = planner.plan()
    futures = Futures(planner.interview, planner.model, planner.curves or (OWN,), planner.costs)
    for card in planner.known:
        days = [float(i) for i, day in enumerate(plan.days) if card in day]
        again = futures.worth(planner.known[card], tuple(map(int, days)))
        assert plan.recall[card] == pytest.approx(again, abs=1e-9)
        assert plan.recall[card] >= plan.without[card] - 1e-9
    assert planner.plan() == plan


def test_expected_recall_is_what_a_thousand_such_learners_show() -> None:
    """The possible memories, summed up, against a lottery that draws each answer."""
    planner = Planner({"card": Known(3.0, 6.0, 2.0)}, 20, [1e9] * 20)
    reviews = [1.0, 5.0, 14.0]
    plan = Plan(tuple(("card",) if day in reviews else () for day in range(20)), {}, {})
    expected = planner.recall_of(plan)["card"]
    rng, model, total = np.random.default_rng(1), planner.model, 0.0
    learners = 4000
    for _ in range(learners):
        stability, difficulty, last = np.array(3.0), np.array(6.0), -2.0
        for day in reviews:
            recall = model.recall(np.array(day - last), stability)
            recalled = rng.random() < recall
            if recalled:
                stability = model.stability_after_recall(stability, difficulty, recall)
            else:
                fallen = model.stability_after_lapse(stability, difficulty, recall)
                stability = model.stability_same_day(fallen, 3)
            difficulty, last = model.difficulty_after(difficulty, 3 if recalled else 1), day
        total += float(model.recall(np.array(20.0 - last), stability))
    # recall lies in [0, 1]: five standard errors of a mean are at most 2.5 / sqrt(n)
    assert total / learners == pytest.approx(expected, abs=2.5 / np.sqrt(learners))


def test_more_minutes_and_more_days_are_worth_more() -> None:
    known: dict[str, Known | None] = {f"new-{i}": None for i in range(30)}
    known |= {f"old-{i}": Known(2.0 + i, 5.0, 4.0) for i in range(10)}
    worth = [Planner(known, 8, [minutes * 60.0] * 8).plan().expected for minutes in (0, 2, 5, 10, 30)]
    assert worth == sorted(worth)
    assert worth[-1] - worth[0] > 0.2


def test_the_last_days_are_for_what_would_be_forgotten() -> None:
    known = {"fragile": Known(1.0, 7.0, 3.0), "firm": Known(400.0, 3.0, 3.0)}
    plan = Planner(known, 10, [COSTS.review] * 10).plan()
    assert "fragile" in plan.days[-1]
    assert sum("fragile" in day for day in plan.days) > sum("firm" in day for day in plan.days)


def test_a_plan_is_worth_more_than_going_through_the_cards_in_turn() -> None:
    """New cards met as early as the minutes allow and seen again at the end: the planner must find as much, and
    placing reviews greedily where each adds most does not."""
    cards = [f"new-{i:02d}" for i in range(60)]
    planner = Planner(dict.fromkeys(cards), 7, [900.0] * 7)
    met = [tuple(cards[12 * day : 12 * day + 12]) for day in range(5)]
    again = [tuple(cards[:36]), tuple(cards[36:] + cards[:12])]
    in_turn = planner.recall_of(Plan((*met, *again), {}, {}))
    assert planner.plan().expected > np.mean(list(in_turn.values())) - 0.005


def test_minutes_that_may_be_moved_are_worth_no_less() -> None:
    known: dict[str, Known | None] = {f"new-{i}": None for i in range(20)}
    fixed = Planner(known, 6, [300.0] * 6).plan()
    moved = Planner(known, 6, [3600.0] * 6, in_all=1800.0).plan()
    assert moved.expected > fixed.expected
    assert max(spent(Planner(known, 6, []), moved)) > 300.0


def test_days_without_minutes_take_nothing_from_the_others() -> None:
    known: dict[str, Known | None] = dict.fromkeys(f"new-{i}" for i in range(100))
    theories, costs = weighed([], 900.0), Costs(known_at_first=0.0)
    late = Planner(known, 14, [0.0] * 12 + [6300.0] * 2, costs=costs, theories=theories).plan()
    assert not any(late.days[:12])
    alone = Planner(known, 2, [6300.0] * 2, costs=costs, theories=theories).plan()
    assert late.expected == pytest.approx(alone.expected, abs=0.002)


@pytest.mark.parametrize(("pace", "decay", "power"), [(0.3, 0.2, 1.0), (8.0, 0.15, 1.0), (2.0, 0.6, 0.6)])
def test_the_curves_recall_as_often_as_the_person_did(pace: float, decay: float, power: float) -> None:
    """Answers drawn from one curve: those left as probable predict the share recalled, at short gaps and long ones."""
    rng = np.random.default_rng(3)
    true = Curve(pace, decay, power)
    stability = np.exp(rng.uniform(-1, 4, 3000))
    days = np.maximum(1, np.round(stability * rng.lognormal(0, 0.8, 3000)))
    recalled = rng.random(3000) < true.recall(days, stability)
    found = curves_of(days, stability, recalled)
    for part in (days < np.median(days), days >= np.median(days)):
        predicted = np.mean([curve.recall(days[part], stability[part]).mean() for curve in found])
        # five standard errors of a share of 1500
        assert predicted == pytest.approx(recalled[part].mean(), abs=2.5 / np.sqrt(part.sum()))
    unread = curves_of([], [], [])
    assert np.std([np.log(c.pace) for c in unread]) > 2 * np.std([np.log(c.pace) for c in found])


def test_a_card_that_is_left_out_is_shown_on_no_day_and_counts_all_the_same() -> None:
    known = {
        "new": None,
        "left out": None,
        "old": Known(1.0, 6.0, 2.0),
        "old and left out": Known(1.0, 6.0, 2.0),
    }
    plan = Planner(known, 4, [600.0] * 4, left_out={"left out", "old and left out"}).plan()
    shown = {card for day in plan.days for card in day}
    assert shown == {"new", "old"}
    for card in known:
        assert (plan.recall[card] > plan.without[card]) is (card in shown)
    assert Planner(known, 4, [600.0] * 4, left_out=set(known)).plan().days == ((), (), (), ())


def test_what_was_seen_today_is_not_asked_again_today() -> None:
    known = {f"card-{i}": Known(0.5, 7.0, 0.0) for i in range(4)}
    plan = Planner(known, 3, [3600.0] * 3).plan()
    assert plan.days[0] == ()
    assert set(plan.days[-1]) == set(known)
