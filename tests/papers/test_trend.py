"""How a topic went from one self-test to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizbank.papers.draw import draw
from quizbank.papers.results import Results
from quizbank.papers.trend import trends
from tests.papers.bank import CARDS, grader
from tui.drawing.sparkline import sparkline

START = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000


def test_a_trend_is_each_self_test_that_asked_the_topic(tmp_path: Path) -> None:
    """Attention has two choices, bert one; the third paper asks attention alone, the last is still open."""
    with Results(tmp_path) as results:
        for place, (topics, right) in enumerate(
            [((), 0), (("attention",), 1), (("bert", "attention"), 2), ((), 0)]
        ):
            paper = draw(CARDS, topics=topics, kinds=["choice"], count=9, seed=place)
            sitting = results.begin(paper, grader(), lambda place=place: START + place * DAY)
            of_attention = [
                at for at, question in enumerate(paper.questions) if question.topic == "attention"
            ]
            for at in of_attention[:right]:
                sitting.go_to(at)
                sitting.answer("b")
            if place < 3:
                sitting.hand_in()
        history = results.history()
    found = {trend.topic: trend for trend in trends(history)}
    assert list(found) == ["attention", "normalization", "bert", "memory"]
    assert found["attention"].shares == (0.0, 0.5, 1.0)
    assert found["bert"].shares == (0.0, 0.0)
    assert (found["attention"].score.earned, found["attention"].score.possible) == (3.0, 6)
    assert [one.id for one in found["attention"].sat] == [report.id for report in history[::-1][:3]]
    assert [one["score"]["share"] for one in found["attention"].as_json()["sat"]] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("shares", "drawn"),
    [((), ""), ((0.0, 1.0), "▁█"), ((0.0, 0.13, 0.5, 0.87, 0.99), "▁▂▅▇█"), ((0.0,) * 20 + (1.0,), "▁" * 11 + "█")],
)  # fmt: skip
def test_a_sparkline_shows_the_latest(shares: tuple[float, ...], drawn: str) -> None:
    assert sparkline(shares) == drawn
