"""The columns of the reviews: the same whether read anew or lengthened from what was kept."""

from __future__ import annotations

import random
from datetime import UTC
from pathlib import Path

import numpy as np
import pytest

from quizbank.learning.exchange import merge
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.statistics import reviews
from quizbank.statistics.reviews import FILE_NAME, Reviews, read_reviews
from tests.statistics.made import NOW, study

HOUR = 3_600_000


@pytest.fixture(autouse=True)
def _short_logs_are_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "KEPT_FROM", 1)


def rows(found: Reviews) -> list[tuple[object, ...]]:
    """The reviews as tuples, a card by its id."""
    return [
        (found.cards[card], *rest)
        for card, *rest in zip(
            *(found[name].tolist() for name in ("card", *sorted(set(found.columns) - {"card"}))), strict=True
        )
    ]


def test_kept_columns_follow_grades_undos_and_merges(tmp_path: Path) -> None:
    chance = random.Random(5)
    cache = tmp_path / "cache"
    with ReviewLog(tmp_path / "one", zone=UTC) as log, ReviewLog(tmp_path / "two", zone=UTC) as other:
        moment, graded = NOW, []
        for step in range(24):
            moment += HOUR * chance.randrange(30)
            match chance.randrange(5):
                case 0 if graded:
                    log.undo(chance.choice(graded), moment)
                case 1:
                    other.grade(f"card {chance.randrange(4)}", chance.choice(list(Rating)), moment)
                    merge(log, [other.path])
                case _:
                    card = f"card {chance.randrange(6)}"
                    graded.append(log.grade(card, chance.choice(list(Rating)), moment, step, 1).id)
            if chance.random() < 0.6:
                assert rows(read_reviews(log, cache)) == rows(read_reviews(log))
        standing = {entry.undoes for entry in log.entries() if entry.kind == "undo"}
        grades = [entry for entry in log.entries() if entry.kind == "grade" and entry.id not in standing]
        assert len(standing) >= 2
        found = read_reviews(log, cache)
        assert [found.cards[card] for card in found["card"]] == [entry.card for entry in grades]
        assert found["rating"].tolist() == [entry.rating for entry in grades]


def test_an_undo_counts_wherever_it_comes(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with ReviewLog(tmp_path / "one", zone=UTC) as log, ReviewLog(tmp_path / "two", zone=UTC) as other:
        entry = log.grade("a", Rating.GOOD, NOW)
        log.grade("b", Rating.GOOD, NOW)
        read_reviews(log, cache)
        log.undo(entry.id, NOW)
        # twice: once as what was kept is brought up to date, once from what was kept then
        assert [card for card, *_ in rows(read_reviews(log, cache))] == ["b"]
        assert [card for card, *_ in rows(read_reviews(log, cache))] == ["b"]
        # another machine's undo arrives before the grade that it takes back
        grade = other.grade("c", Rating.GOOD, NOW)
        other.undo(grade.id, NOW)
        undo = next(one for one in other.entries() if one.kind == "undo")
        for arriving in (undo, grade):
            log.merge(lambda arriving=arriving: [("", arriving)])
            assert [card for card, *_ in rows(read_reviews(log, cache))] == ["b"]


@pytest.mark.parametrize("damage", ["empty", "cut", "another log", "pickled", "other columns"])
def test_what_cannot_be_used_is_read_anew(tmp_path: Path, damage: str) -> None:
    cache = tmp_path / "cache"
    with study(tmp_path / "log") as log:
        expected = rows(read_reviews(log, cache))
        path = cache / FILE_NAME
        data = path.read_bytes()
        if damage == "empty":
            path.write_bytes(b"")
        elif damage == "cut":
            path.write_bytes(data[: len(data) // 2])
        elif damage == "another log":
            with ReviewLog(tmp_path / "other", zone=UTC) as other:
                for n in range(20):
                    other.grade("x", Rating.GOOD, NOW + n * HOUR)
                read_reviews(other, cache)
        elif damage == "pickled":
            with path.open("wb") as file:
                np.savez(file, format=np.array([object()], dtype=object))
        else:
            with np.load(path) as kept:
                columns = {**kept, "of_day": kept["of_day"][:-1]}
            with path.open("wb") as file:
                np.savez(file, **columns)
        assert rows(read_reviews(log, cache)) == expected


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in its place")
    with study(tmp_path / "log") as log:
        assert len(read_reviews(log, tmp_path / "cache")) == 9


def test_a_log_without_reviews_has_none(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, zone=UTC) as log:
        assert len(read_reviews(log, tmp_path / "cache")) == 0
        log.suspend(["a"], NOW)
        assert len(read_reviews(log)) == 0
