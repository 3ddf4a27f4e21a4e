"""What the person answered so far says how weak a topic is."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.papers.draw import draw
from quizbank.papers.results import Report, Results
from quizbank.papers.weakness import EVIDENCE, topic_weights
from tests.papers.bank import CARDS, grader

START = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000
TOPICS = ("attention", "bert", "normalization", "memory")


def sat(folder: Path, right: dict[str, bool], times: int = 1, at_ms: int = START) -> tuple[Report, ...]:
    """Choices of each topic answered right, wrong, or (where nothing is said) not at all."""
    with Results(folder) as results:
        for place in range(times):
            paper = draw(CARDS, kinds=["choice"], count=6, seed=place)
            sitting = results.begin(paper, grader(), lambda place=place: at_ms + place * DAY)
            for position, question in enumerate(paper.questions):
                if question.topic in right:
                    sitting.go_to(position)
                    sitting.answer("b" if right[question.topic] else "a")
            sitting.hand_in()
        return results.history()


def test_nothing_known_is_one_half() -> None:
    assert topic_weights(TOPICS, ()) == dict.fromkeys(TOPICS, 0.5)


def test_the_weight_is_one_minus_the_posterior_mean(tmp_path: Path) -> None:
    # two cards of attention, one of bert, two of normalization, one of memory
    reports = sat(tmp_path, {"attention": True, "bert": False, "normalization": True})
    weights = topic_weights((*TOPICS, "rnn"), reports)
    assert weights == {
        "attention": pytest.approx(1 - 3 / 4),
        "bert": pytest.approx(1 - 1 / 3, abs=1e-4),
        "normalization": pytest.approx(1 - 3 / 4),
        # handed in without an answer
        "memory": pytest.approx(1 - 1 / 3, abs=1e-4),
        "rnn": 0.5,
    }
    assert topic_weights(TOPICS, reversed(reports)) == topic_weights(TOPICS, reports)


def test_a_paper_still_open_says_nothing_of_what_is_not_answered_yet(tmp_path: Path) -> None:
    with Results(tmp_path) as results:
        paper = draw(CARDS, kinds=["choice"], count=6, seed=1)
        sitting = results.begin(paper, grader())
        sitting.answer("a")
        weights = topic_weights(TOPICS, results.history())
    answered = paper.questions[0].topic
    assert weights == {
        topic: pytest.approx(2 / 3, abs=1e-4) if topic == answered else 0.5 for topic in TOPICS
    }


def test_what_was_long_ago_is_forgotten(tmp_path: Path) -> None:
    sat(tmp_path, {"attention": False}, times=20)
    reports = sat(tmp_path, {"attention": True}, times=EVIDENCE // 2, at_ms=START + 100 * DAY)
    assert topic_weights(("attention",), reports) == {
        "attention": pytest.approx(1 / (EVIDENCE + 2), abs=1e-4)
    }


def test_lapses_in_study_make_a_topic_weak_and_an_undone_one_does_not(tmp_path: Path) -> None:
    topic_of = {card.id: card.topic for card in CARDS}
    with ReviewLog(tmp_path) as log:
        for card in ("bert-masking", "checkpointing"):
            log.grade(card, Rating.EASY, START)
        # only a scheduled card that was asked says whether it was remembered
        assert set(topic_weights(TOPICS, (), log.entries(), topic_of).values()) == {0.5}
        lapse = log.grade("bert-masking", Rating.AGAIN, START + 20 * DAY)
        log.grade("checkpointing", Rating.HARD, START + 20 * DAY)
        log.grade("gone from the bank", Rating.AGAIN, START + 20 * DAY)
        log.bring_forward(["layer-norm"], START + 20 * DAY)
        weights = topic_weights(TOPICS, (), log.entries(), topic_of)
        assert weights["bert"] == pytest.approx(2 / 3, abs=1e-4)
        assert weights["memory"] == pytest.approx(1 / 3, abs=1e-4)
        assert weights["normalization"] == 0.5
        log.undo(lapse.id, START + 20 * DAY)
        assert topic_weights(TOPICS, (), log.entries(), topic_of)["bert"] == 0.5
