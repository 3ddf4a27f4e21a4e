"""A fit: what it reads of a log, when it is offered, and how before and after are told apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from itertools import pairwise
from pathlib import Path

import fsrs.scheduler
import pytest

from engine.errors import InputError
from quizbank.fitting import optimizer
from quizbank.fitting.fit import FIT_NEEDS, fit, fittable
from quizbank.fitting.histories import Histories, read_histories
from quizbank.fitting.told import table, told
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.weights import LEAST, MOST, are_usable
from quizbank.planning.forgetting import DEFAULT
from tests.fitting.learner import FORGETFUL, keep, study
from tests.statistics.made import study as small_log


@pytest.fixture(scope="module")
def histories() -> Histories:
    return study(1, 250, 45, a_day=12)


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory, histories: Histories):
    """A log long enough to fit to; no test writes into it."""
    with ReviewLog(tmp_path_factory.mktemp("long"), zone=UTC) as log:
        keep(histories, log)
        yield log


@pytest.fixture
def log(tmp_path: Path):
    with ReviewLog(tmp_path, zone=UTC) as log:
        yield log


def test_the_log_is_read_as_it_is_replayed(tmp_path: Path) -> None:
    with small_log(tmp_path) as log:
        found = read_histories(log)
        assert {card: [one.rating for one in history] for card, history in found.cards.items()} == {
            "attention-scale": [3, 3, 1, 3],
            "bert-masking": [4, 3, 3],
            "batch-norm": [2],
            "layer-norm": [3],
        }
        assert (found.reviews, len(found.later_days), found.is_sample) == (9, 4, False)
        # a clock set back is a gap of nothing, as the scheduler counts it
        last = found.cards["bert-masking"][-1].day
        log.grade("bert-masking", Rating.GOOD, 0)
        assert read_histories(log).cards["bert-masking"][-1].day == last


def test_a_long_log_is_read_by_whole_cards(log: ReviewLog) -> None:
    keep(study(2, 12, 20), log)
    whole = read_histories(log)
    some = read_histories(log, most=whole.reviews // 2)
    assert some.is_sample
    assert whole.reviews // 4 < some.reviews <= whole.reviews // 2
    assert all(whole.cards[card] == history for card, history in some.cards.items())
    assert read_histories(log, most=whole.reviews).cards == whole.cards


def test_too_few_reviews_are_said_to_be_too_few(log: ReviewLog) -> None:
    keep(study(2, 10, 10), log)
    with pytest.raises(InputError, match=f"some {FIT_NEEDS} are needed"):
        fittable(log)


def test_both_sets_of_weights_are_judged_on_days_the_fit_did_not_see(
    long_log: ReviewLog, histories: Histories
) -> None:
    given: list[Histories] = []

    def optimize(training: Histories) -> tuple[float, ...]:
        given.append(training)
        return FORGETFUL

    found = fit(long_log, optimize=optimize)
    assert len(given[0].later_days) == found.trained >= optimizer.NEEDS
    assert (
        max(one.day for history in given[0].cards.values() for one in history)
        < found.held_out_from.toordinal()
    )
    assert (found.before.weights, found.after.weights) == (DEFAULT, FORGETFUL)
    assert found.trained + found.held_out == len(histories.later_days)
    # the weights by which this learner forgets predict better than the usual ones
    assert found.is_better
    assert found.gain.mean == pytest.approx(found.before.log_loss - found.after.log_loss)
    assert found.after.rmse_bins < found.before.rmse_bins
    seen = found.as_json()
    assert (seen["better"], seen["trained_on"], len(seen["after"]["weights"])) == (True, found.trained, 21)
    for language, words in (("en", ("log loss", "after")), ("zh", ("对数损失", "拟合后"))):
        assert all(word in "\n".join(table(found, language)) for word in words)


def test_weights_that_are_no_better_are_said_to_be_so(long_log: ReviewLog) -> None:
    found = fit(long_log, optimize=lambda _: (*(100.0,) * 4, *DEFAULT[4:]))
    for worse in (found, replace(found, after=found.before)):
        assert not worse.is_better
        assert "no better" in told(worse)[1].en
        assert "并不更好" in told(worse)[1].zh


def test_what_tells_against_a_comparison_is_said(long_log: ReviewLog) -> None:
    found = fit(long_log, optimize=lambda _: FORGETFUL)
    assert not any("disagree" in said.en or "favours" in said.en for said in told(found))
    odd = replace(found, after=replace(found.after, rmse_bins=found.before.rmse_bins + 0.01))
    assert any("disagree" in said.en for said in told(odd))
    again = replace(found, before=replace(found.before, weights=FORGETFUL))
    assert any("favours" in said.en for said in told(again))


def test_the_bounds_of_weights_are_those_of_the_library() -> None:
    assert fsrs.scheduler.LOWER_BOUNDS_PARAMETERS == LEAST
    assert fsrs.scheduler.UPPER_BOUNDS_PARAMETERS == MOST
    assert are_usable(DEFAULT)
    assert are_usable(FORGETFUL)
    for wrong in ((), DEFAULT[:20], (*DEFAULT[:20], 0.9), (*DEFAULT[:20], float("nan")), (*DEFAULT[:20], "0.2"),
                  (*DEFAULT[:20], True)):  # fmt: skip
        assert not are_usable(wrong)


@pytest.mark.torch
def test_the_optimizer_finds_weights_that_predict_better(log: ReviewLog) -> None:
    histories = study(1, 250, 45, a_day=12)
    keep(histories, log)
    found = fit(log)
    assert are_usable(found.after.weights)
    assert found.after.weights != found.before.weights
    assert found.is_better
    assert found.after.rmse_bins < found.before.rmse_bins
    # this learner forgets faster, along a steeper curve, than the usual one
    assert found.after.weights[2] < DEFAULT[2]
    assert found.after.weights[20] > DEFAULT[20]


@pytest.mark.torch
def test_the_optimizer_counts_the_reviews_that_are_counted_here() -> None:
    from fsrs.optimizer import Optimizer

    histories = study(4, 10, 15)
    seen = []

    class Counting(Optimizer):
        def __init__(self, logs: object) -> None:
            super().__init__(logs)
            seen.extend(self._revlogs_train.values())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fsrs.optimizer.Optimizer", Counting)
        # too few: it gives back what it starts from
        assert optimizer.optimal_weights(histories) == DEFAULT
    later = sum(
        (after[0][0] - before[0][0]).days > 0 for reviews in seen for before, after in pairwise(reviews)
    )
    assert later == len(histories.later_days)
