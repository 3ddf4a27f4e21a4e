"""Words under which cards are found again, and the grades at which a person is told of a leech."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from quizbank.learning.entry import Entry
from quizbank.learning.log import ReviewLog
from quizbank.learning.marked import is_leech, marked, noticed, words_and_marks
from quizbank.learning.memory import Rating

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000


def forgotten(log: ReviewLog, card: str, times: int) -> list[Entry]:
    """The entries of so many lapses, each after a recall."""
    found = []
    for number in range(times):
        log.grade(card, Rating.EASY, NOON + number * 60 * DAY)
        found.append(log.grade(card, Rating.AGAIN, NOON + (number * 60 + 30) * DAY))
    return found


@pytest.fixture(scope="module")
def lapses(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Thirteen lapses, and a grade of Again within the last one's relearning step, which is none."""
    with ReviewLog(tmp_path_factory.mktemp("log"), zone=UTC) as log:
        found = forgotten(log, "card", 13)
        return [*found, log.grade("card", Rating.AGAIN, found[-1].at_ms + 60_000)]


@pytest.mark.parametrize(
    ("threshold", "told"), [(6, [6, 9, 12]), (5, [5, 8, 11]), (1, list(range(1, 14))), (13, [13]), (0, [])]
)
def test_a_leech_is_noticed_at_the_threshold_and_every_half_after(
    lapses: list[Entry], threshold: int, told: list[int]
) -> None:
    assert [entry.after.lapses for entry in lapses] == [*range(1, 14), 13]
    assert [entry.after.lapses for entry in lapses if noticed(entry, threshold)] == told
    assert is_leech(13, threshold) is (threshold > 0)


def test_each_word_holds_of_the_cards_it_should(tmp_path: Path) -> None:
    now = NOON + 400 * DAY
    with ReviewLog(tmp_path, zone=UTC) as log:
        forgotten(log, "hard", 3)
        forgotten(log, "less hard", 1)
        log.mark("bookmark", "kept", at_ms=now)
        log.mark("note", "kept", "why", at_ms=now)
        log.mark("report", "wrong", "the sign", "0123456789abcdef", at_ms=now)
        log.bury(["hard", "away"], now)
        log.suspend(["gone", "away"], now)
        assert marked(log, 3, now) == {
            "kept": ("bookmarked", "noted"), "wrong": ("reported",), "hard": ("buried", "leech"),
            "gone": ("suspended",), "away": ("suspended",),
        }  # fmt: skip
        assert marked(log, 0, now + 2 * DAY) == {
            "kept": ("bookmarked", "noted"), "wrong": ("reported",), "gone": ("suspended",), "away": ("suspended",),
        }  # fmt: skip
        words, marks = words_and_marks(log, "kept", 3, now)
        assert (words, marks.note) == (("bookmarked", "noted"), "why")
        assert words_and_marks(log, "never seen", 3, now)[0] == ()
