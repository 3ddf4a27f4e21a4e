"""The formulas in arrays are those of py-fsrs, card by card."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import fsrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizbank.planning.forgetting import AGAIN, DEFAULT, GOOD, Forgetting

START = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_weights_are_those_of_the_library() -> None:
    assert fsrs.Scheduler().parameters == DEFAULT


@settings(max_examples=60, deadline=None)
@given(
    gaps=st.lists(st.integers(0, 60), min_size=1, max_size=6),
    ratings=st.lists(st.sampled_from([AGAIN, GOOD]), min_size=7, max_size=7),
)
def test_a_history_leaves_the_memory_that_the_library_computes(gaps: list[int], ratings: list[int]) -> None:
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    model = Forgetting()
    card, at = fsrs.Card(card_id=0), START
    card, _ = scheduler.review_card(card, fsrs.Rating(ratings[0]), at)
    stability = np.array(model.first_stability(ratings[0]))
    difficulty = np.array(model.first_difficulty(ratings[0]))
    for gap, rating in zip(gaps, ratings[1:], strict=False):
        at += timedelta(days=gap)
        if gap:
            recall = model.recall(np.array(float(gap)), stability)
            assert float(recall) == pytest.approx(scheduler.get_card_retrievability(card, at), rel=1e-9)
            after = model.stability_after_recall if rating == GOOD else model.stability_after_lapse
            stability = after(stability, difficulty, recall)
        else:
            stability = model.stability_same_day(stability, rating)
        difficulty = model.difficulty_after(difficulty, rating)
        card, _ = scheduler.review_card(card, fsrs.Rating(rating), at)
        assert float(stability) == pytest.approx(card.stability, rel=1e-9)
        assert float(difficulty) == pytest.approx(card.difficulty, rel=1e-9)
