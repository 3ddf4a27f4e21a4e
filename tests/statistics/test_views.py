"""The views: drawn at any size, the same numbers in both languages, few data called few."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path

import pytest
from rich.cells import cell_len

from engine.figure import Bars, HeatMap, Plot
from engine.text import LANGUAGES, Text
from quizbank.fitting.histories import Histories
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.statistics.share import Share
from quizbank.statistics.summary import Statistics, statistics
from quizbank.statistics.views import View, told, views
from tests.fitting.learner import START, keep
from tests.fitting.learner import study as learn
from tests.papers.bank import CARDS
from tests.statistics.made import NOW, ms, study
from tui.drawing import figure_rows


def numbers(said: str) -> list[str]:
    return sorted(re.findall(r"\d+(?:\.\d+)?%?", said))


def by_key(found: Statistics) -> dict[str, View]:
    return {view.key: view for view in views(found)}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> list[Statistics]:
    """Of an empty log, of the one made by hand, and of ninety days of study."""
    folder = tmp_path_factory.mktemp("views")
    with ReviewLog(folder / "empty", zone=UTC) as log:
        found = [statistics(log, CARDS, at_ms=NOW)]
    with study(folder / "small") as log:
        found.append(statistics(log, CARDS, at_ms=NOW))
    with ReviewLog(folder / "long", zone=UTC) as log:
        histories = learn(4, 6, 90).cards.values()
        keep(Histories({card.id: history for card, history in zip(CARDS, histories, strict=True)}), log)
        found.append(statistics(log, CARDS, at_ms=ms(f"{START.isoformat()} 12:00") + 90 * 86_400_000))
    return found


def test_both_languages_say_the_same_numbers(seen: list[Statistics]) -> None:
    for found in seen:
        for view in views(found):
            texts: list[Text] = [view.name, *view.said, *([view.figure.see] if view.figure else [])]
            assert view.said
            for text in texts:
                assert text.en
                assert text.zh
                assert numbers(text.en) == numbers(text.zh)


@pytest.mark.parametrize("size", [(24, 8), (58, 12), (80, 18), (116, 26)])
def test_every_figure_is_drawn_at_any_size(seen: list[Statistics], size: tuple[int, int]) -> None:
    for found in seen:
        for view in views(found):
            for language in LANGUAGES:
                if view.figure is not None:
                    drawn = figure_rows(view.figure, *size, language, "full")
                    assert 1 <= len(drawn) <= size[1]
                    assert {sum(cell_len(text) for text, _ in row) for row in drawn} == {size[0]}


def test_figures_hold_what_was_counted(seen: list[Statistics]) -> None:
    found = by_key(seen[1])
    retention = found["retention"].figure
    assert isinstance(retention, Plot)
    line, target = retention.marks
    assert (line.x.tolist(), line.y.tolist(), target.at) == ([-1.0, 0.0], [0.5, 1.0], 0.9)
    assert line.band[0].tolist() == [Share(1, 2).interval[0], Share(2, 2).interval[0]]
    calendar = found["calendar"].figure
    assert isinstance(calendar, HeatMap)
    assert calendar.values[:, -2].tolist() == [3, 0, 3, 0, 0, 0, 1]
    assert calendar.values[0, -1] == 2
    assert sum(cell != cell for cell in calendar.values[:, -1]) == 6
    states = found["overview"].figure
    assert isinstance(states, Bars)
    assert [bar.value for bar in states.bars] == [2, 1, 2, 1]


def test_few_data_are_called_few(seen: list[Statistics]) -> None:
    empty, small, long = map(by_key, seen)
    for key in ("reviews", "calendar", "forecast", "retention", "prediction", "topics", "time", "self_tests"):
        assert empty[key].figure is None, key
    # single topics have too few reviews for a bar, and say so
    assert small["topics"].figure is None
    assert all("too few to say" in said.en for said in small["topics"].said)
    assert "too few to say" in small["retention"].said[0].en
    # once for all cards, not again for each level and topic
    assert [said.zh.partition("：")[0] for said in small["time"].said] == ["全部卡片", "基础"]
    assert small["overview"].said[1].zh.endswith("用时 2 分钟")
    assert isinstance(long["topics"].figure, Bars)
    assert set(long["topics"].topics) == {card.topic for card in CARDS}
    assert "次数太少" not in long["retention"].said[0].zh


def test_a_target_is_missed_only_where_the_interval_says_so(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, zone=UTC) as log:
        for number in range(30):
            log.grade(f"card {number}", Rating.EASY, NOW)
        for number in range(30):
            log.grade(f"card {number}", Rating.GOOD if number % 2 else Rating.AGAIN, NOW + 9 * 86_400_000)
        said = by_key(statistics(log, CARDS, at_ms=NOW + 9 * 86_400_000))
    assert said["retention"].said[0] == told(Share(15, 30))
    assert "below your target of 90%" in said["retention"].said[1].en
    assert "too hopeful" in said["prediction"].said[2].en
