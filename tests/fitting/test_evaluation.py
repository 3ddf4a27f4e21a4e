"""Log loss, RMSE over bins and their gain: by hand, by the library, and on learners whose weights are known."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

import fsrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizbank.fitting.evaluation import Predictions, gain, log_loss, losses, predict, rmse_bins
from quizbank.fitting.histories import Graded, Histories, split_day
from quizbank.learning.memory import Rating
from quizbank.planning.forgetting import DEFAULT
from tests.fitting.learner import FORGETFUL, study

AGAIN, HARD, GOOD, EASY = Rating


def made(*rows: tuple[float, bool, int, int, int, int]) -> Predictions:
    """(predicted, recalled, gap, number, lapses, card) a review."""
    predicted, recalled, *counts = zip(*rows, strict=True)
    return Predictions(np.array(predicted), np.array(recalled), *(np.array(one) for one in counts))


def test_the_loss_is_the_surprise_at_what_came() -> None:
    found = made((0.9, True, 1, 2, 0, 0), (0.8, False, 1, 2, 0, 1), (0.5, True, 1, 2, 0, 2))
    assert losses(found) == pytest.approx([-math.log(0.9), -math.log(0.2), math.log(2)])
    assert log_loss(found) == pytest.approx((0.1053605 + 1.6094379 + 0.6931472) / 3, abs=1e-7)
    # what was held for sure and did not come costs much, and not infinitely much
    assert 27 < log_loss(made((1.0, False, 1, 2, 0, 0))) < 28


def test_reviews_alike_are_compared_as_one_bin() -> None:
    # first bin (gap 1 to 3, second review): predicted 0.85 on average, one of two came; second (gap 13 to 47): 0.7, 1
    found = made(
        (0.9, True, 1, 2, 0, 0), (0.8, False, 3, 2, 0, 1),
        (0.6, True, 14, 3, 0, 2), (0.7, True, 20, 3, 0, 3), (0.8, True, 40, 2, 0, 4),
    )  # fmt: skip
    assert rmse_bins(found) == pytest.approx(math.sqrt((2 * 0.35**2 + 3 * 0.3**2) / 5))
    # a lapse makes it another kind of review
    apart = replace(found, lapses=np.array([0, 1, 0, 0, 0]))
    assert rmse_bins(apart) == pytest.approx(math.sqrt((0.1**2 + 0.8**2 + 3 * 0.3**2) / 5))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.booleans(), st.integers(1, 400), st.integers(2, 60),
                          st.integers(0, 20), st.integers(0, 5)), min_size=2, max_size=40))  # fmt: skip
def test_order_is_nothing_and_bins_never_beat_single_reviews(
    rows: list[tuple[float, bool, int, int, int, int]],
) -> None:
    found, turned = made(*rows), made(*reversed(rows))
    assert log_loss(found) == pytest.approx(log_loss(turned))
    assert rmse_bins(found) == pytest.approx(rmse_bins(turned))
    # by Jensen's inequality the mean of a bin is no further off than its reviews
    assert rmse_bins(found) <= math.sqrt(float(((found.predicted - found.recalled) ** 2).mean())) + 1e-12
    same = gain(found, found)
    assert (same.mean, same.is_sure) == (0.0, False)


def test_predictions_are_those_of_the_library_before_each_review() -> None:
    grades = [(0, GOOD), (0, GOOD), (3, GOOD), (12, AGAIN), (12, GOOD), (14, HARD), (30, EASY), (31, GOOD)]
    history = tuple(Graded(738_000 + day, rating) for day, rating in grades)
    found = predict(Histories({"a": history}), FORGETFUL)
    scheduler = fsrs.Scheduler(parameters=FORGETFUL, enable_fuzzing=False)
    card = fsrs.Card(card_id=1)
    expected = []
    for day, rating in grades:
        moment = datetime.fromordinal(738_000 + day).replace(tzinfo=UTC)
        if card.last_review is not None and (moment - card.last_review).days:
            expected.append(scheduler.get_card_retrievability(card, moment))
        card, _ = scheduler.review_card(card, fsrs.Rating(int(rating)), moment)
    assert found.predicted == pytest.approx(expected, rel=1e-12)
    assert found.recalled.tolist() == [True, False, True, True, True]
    assert found.gap.tolist() == [3, 9, 2, 16, 1]
    assert found.number.tolist() == [3, 4, 6, 7, 8]
    assert found.lapses.tolist() == [0, 0, 1, 1, 1]
    late = predict(Histories({"a": history}), FORGETFUL, 738_014)
    assert late.predicted.tolist() == found.predicted[2:].tolist()


def test_nothing_of_the_held_out_days_is_in_the_training_part() -> None:
    histories = study(3, 40, 40)
    day = split_day(histories)
    training = histories.before(day)
    assert max(one.day for history in training.cards.values() for one in history) < day
    trained, held_out = len(training.later_days), len(predict(histories, None, day))
    assert trained + held_out == len(histories.later_days)
    assert 0.8 <= trained / (trained + held_out) < 0.9
    # one long day belongs to one part
    assert split_day(Histories({"a": (Graded(5, GOOD), Graded(9, GOOD))})) == 9
    assert split_day(Histories({"a": (Graded(5, GOOD), Graded(5, GOOD))})) is None
    # five reviews on a later day, the fourth and fifth on one day: the last day is all that can be held out
    once = {
        name: (Graded(1, GOOD), Graded(day, GOOD)) for name, day in zip("abcde", (2, 3, 4, 6, 6), strict=True)
    }
    assert split_day(Histories(once)) == 6


def test_the_learners_own_weights_gain_and_those_of_another_lose() -> None:
    forgetful, usual = study(1, 120, 60), study(2, 120, 60, weights=DEFAULT)
    own = gain(predict(forgetful, DEFAULT), predict(forgetful, FORGETFUL))
    assert own.is_sure
    assert own.low < own.mean < own.high
    assert gain(predict(usual, DEFAULT), predict(usual, FORGETFUL)).high < 0
    # one card says nothing of how sure it is
    alone = Histories({"card-000": forgetful.cards["card-000"]})
    assert not gain(predict(alone, DEFAULT), predict(alone, FORGETFUL)).is_sure
