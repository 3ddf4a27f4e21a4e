"""What the statistics say of a log that was made by hand, and what they leave out."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from jsonschema import Draft202012Validator, FormatChecker

import quizbank
from engine.errors import InputError
from quizbank.calibration.summary import calibration
from quizbank.learning.daily import waiting
from quizbank.learning.day import day_start_ms
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.scheduler import Settings
from quizbank.papers.draw import draw
from quizbank.papers.results import Results
from quizbank.planning.forgetting import DEFAULT
from quizbank.statistics.document import document
from quizbank.statistics.share import Share
from quizbank.statistics.summary import Day, Quartiles, Statistics, statistics
from tests.papers.bank import CARDS, grader
from tests.statistics.made import BERT, NOW, SCALE, ms, study

MONDAY, WEDNESDAY, SUNDAY, TODAY = date(2026, 1, 5), date(2026, 1, 7), date(2026, 1, 11), date(2026, 1, 12)


@pytest.fixture
def log(tmp_path: Path):
    with study(tmp_path / "log") as log:
        yield log


def found(log: ReviewLog, **asked: object) -> Statistics:
    return statistics(log, CARDS, at_ms=NOW, **asked)


def test_reviews_a_day_by_how_they_came_and_were_rated(log: ReviewLog) -> None:
    seen = found(log)
    assert seen.days == (
        Day(MONDAY, "new", 3, 1, 12_000),
        Day(MONDAY, "new", 4, 1, 11_000),
        Day(MONDAY, "learning", 3, 1, 5_000),
        # 03:30 on Thursday belongs to Wednesday
        Day(WEDNESDAY, "new", 3, 1, 14_000),
        Day(WEDNESDAY, "review", 1, 1, 22_000),
        Day(WEDNESDAY, "review", 3, 1, 7_000),
        # the interruption is no time spent
        Day(SUNDAY, "new", 2, 1, 0),
        Day(TODAY, "learning", 3, 1, 21_000),
        Day(TODAY, "review", 3, 1, 3_000),
    )
    assert (seen.reviews, seen.cards, seen.cards_seen, seen.reviews_ever) == (9, 6, 4, 9)
    assert seen.ratings == {1: 1, 2: 1, 3: 6, 4: 1}
    assert seen.seconds == 95.0
    by_came = seen.by_came(SUNDAY)
    assert by_came[TODAY] == {"new": 0, "learning": 1, "review": 1}
    assert list(by_came) == [SUNDAY, TODAY]


def test_retention_counts_reviews_on_later_days_alone(log: ReviewLog) -> None:
    seen = found(log)
    assert seen.weeks == {MONDAY: Share(1, 2), TODAY: Share(2, 2)}
    assert seen.retention == Share(3, 4)
    assert seen.target == 0.9
    assert seen.later == 4


def test_what_was_predicted_is_what_the_schedule_held_then(log: ReviewLog) -> None:
    seen = found(log)
    tested = [
        (log.scheduler.retrievability(entry.before, entry.day), entry.rating > 1)
        for entry in log.entries()
        if entry.kind == "grade" and entry.before.last_day is not None and entry.day > entry.before.last_day
    ]
    assert len(tested) == 4
    assert sum(one.recalled.trials for one in seen.bins) == 4
    for one in seen.bins:
        inside = [(r, hit) for r, hit in tested if one.low <= r < one.high]
        assert one.recalled == Share(sum(hit for _, hit in inside), len(inside))
        assert one.predicted == pytest.approx(sum(r for r, _ in inside) / len(inside), rel=1e-12)
    assert seen.predicted == pytest.approx(sum(r for r, _ in tested) / 4, rel=1e-12)


def test_topics_lapses_states_and_times(log: ReviewLog) -> None:
    seen = found(log)
    by_topic = {one.topic: (one.reviews, one.later, one.lapses) for one in seen.topics}
    assert by_topic == {
        "attention": (4, Share(1, 2), 1),
        "normalization": (2, Share(0, 0), 0),
        "bert": (3, Share(2, 2), 0),
    }
    # none of them has ten reviews on a later day: nothing is called weak
    assert seen.weakest == ()
    assert seen.states == {"new": 2, "learning": 1, "review": 2, "suspended": 1}
    # thinking 2 4 6 8 10 12 16 20 s: the quartiles lie 7/4, 7/2 and 21/4 steps from the least
    assert seen.time.thinking == Quartiles(8, 5.5, 9.0, 13.0)
    assert seen.time.grading == Quartiles(8, 1.0, 2.0, 2.25)
    # four reviews are too few for quartiles
    assert seen.time_by_topic["attention"].thinking == Quartiles(4)
    assert list(seen.time_by_level) == ["core", "expert"]


def test_the_streak_ends_today_or_yesterday(log: ReviewLog) -> None:
    assert (found(log).streak, found(log).longest_streak) == (2, 2)
    tomorrow = statistics(log, CARDS, at_ms=NOW + 86_400_000)
    assert (tomorrow.streak, tomorrow.reviews) == (2, 9)
    assert statistics(log, CARDS, at_ms=NOW + 2 * 86_400_000).streak == 0
    # what lies ahead of a clock set back is not yet past
    assert statistics(log, CARDS, at_ms=ms("2026-01-07 12:00")).reviews == 6


def test_a_window_and_a_topic_narrow_what_counts(log: ReviewLog) -> None:
    week = found(log, days=2)
    assert (week.since, week.reviews, week.reviews_ever, week.streak) == (SUNDAY, 3, 9, 2)
    assert week.retention == Share(2, 2)
    assert week.calendar[MONDAY] == 3
    bert = found(log, topics=("bert",))
    assert (bert.reviews, bert.cards, bert.retention) == (3, 1, Share(2, 2))
    assert [one.topic for one in bert.topics] == ["bert"]
    assert bert.states == {"new": 0, "learning": 0, "review": 1, "suspended": 0}
    # what a fit can learn from does not depend on it
    assert bert.later == 4
    for days in (0, 40_000):
        with pytest.raises(InputError, match="days must be"):
            found(log, days=days)


def test_reviews_of_cards_that_are_gone_count_but_belong_to_no_topic(log: ReviewLog) -> None:
    left = [card for card in CARDS if card.id != BERT]
    seen = statistics(log, left, at_ms=NOW)
    assert (seen.reviews, seen.retention) == (9, Share(3, 4))
    assert [one.topic for one in seen.topics] == ["attention", "normalization"]
    assert sum(seen.forecast.values()) <= len(left)


def test_the_calendar_is_53_weeks_from_a_monday(log: ReviewLog) -> None:
    days = list(found(log).calendar)
    assert (days[0].weekday(), days[-1], len(days)) == (0, TODAY, 52 * 7 + 1)
    assert {day: count for day, count in found(log).calendar.items() if count} == {
        MONDAY: 3,
        WEDNESDAY: 3,
        SUNDAY: 1,
        TODAY: 2,
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_forecast_is_what_falls_due_if_nothing_more_is_done(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    cards = [replace(CARDS[0], id=f"card-{n}") for n in range(12)]
    moment = NOW
    with ReviewLog(tmp_path, zone=UTC) as log:
        for _ in range(60):
            card = chance.choice(cards).id
            match chance.randrange(8):
                case 0:
                    log.suspend([card], moment)
                case 1:
                    log.bury([card], moment)
                case 2:
                    log.bring_forward([card], moment)
                case _:
                    log.grade(card, chance.choice(list(Rating)), moment)
            moment += chance.choice((60_000, 3_600_000, 20 * 3_600_000))
        seen = statistics(log, cards, at_ms=moment)
        assert len(seen.forecast) == 31
        passed = 0
        for day, count in seen.forecast.items():
            passed += count
            end = day_start_ms(day + timedelta(days=1), UTC) - 1
            # as the first screen counts: a new card that was brought forward is new, not due
            assert passed == len(waiting(log, [card.id for card in cards], 0, end).due), day
        # a card that is not of the bank is not counted
        assert sum(statistics(log, cards[:3], at_ms=moment).forecast.values()) <= 3


def test_the_forecast_counts_as_the_first_screen_what_was_brought_forward(tmp_path: Path) -> None:
    cards = [replace(CARDS[0], id=f"card-{n}") for n in range(4)]
    with ReviewLog(tmp_path, zone=UTC) as log:
        log.grade("card-0", Rating.EASY, NOW - 86_400_000)
        # one that was seen, and two that never were: these stay new, due though they are
        log.bring_forward(["card-0", "card-1", "card-2"], NOW)
        seen = statistics(log, cards, at_ms=NOW)
        there = waiting(log, [card.id for card in cards], 0, NOW)
        assert (len(there.due), len(there.new)) == (1, 3)
        assert next(iter(seen.forecast.values())) == sum(seen.forecast.values()) == 1
        assert seen.states["new"] == 3


@pytest.mark.parametrize(
    ("zone", "moment", "day"),
    [
        ("Asia/Shanghai", "2026-01-05 19:59", MONDAY),
        ("Asia/Shanghai", "2026-01-05 20:00", date(2026, 1, 6)),
        ("Europe/Berlin", "2026-03-29 01:59", date(2026, 3, 28)),
        ("Europe/Berlin", "2026-03-29 02:00", date(2026, 3, 29)),
        ("America/New_York", "2026-11-01 08:59", date(2026, 10, 31)),
    ],
)
def test_the_day_turns_at_four_where_the_person_is(tmp_path: Path, zone: str, moment: str, day: date) -> None:
    with ReviewLog(tmp_path, zone=ZoneInfo(zone)) as log:
        log.grade(SCALE, Rating.GOOD, ms(moment))
        seen = statistics(log, CARDS, at_ms=ms(moment))
        assert [one.day for one in seen.days] == [day]
        assert seen.today == day


def test_own_weights_predict_by_their_own_curve(log: ReviewLog, tmp_path: Path) -> None:
    flat = (*DEFAULT[:20], 0.5)
    folder = log.path.parent
    with ReviewLog(folder, Settings(parameters=flat), UTC) as fitted:
        seen = statistics(fitted, CARDS, at_ms=NOW)
        assert seen.own_weights
        assert seen.predicted != found(log).predicted


def test_self_tests_count_in_the_window(log: ReviewLog, tmp_path: Path) -> None:
    with Results(tmp_path / "papers", UTC) as results:
        paper = draw(CARDS, topics=["bert"], kinds=["choice"], count=1, seed=1)
        for moment, answer in ((NOW, "b"), (NOW - 86_400_000, "a"), (NOW - 500 * 86_400_000, "b")):
            sitting = results.begin(paper, grader(), lambda moment=moment: moment)
            sitting.answer(answer)
            sitting.hand_in()
        seen = found(log, reports=results.history())
    (trend,) = seen.trends
    assert (trend.topic, trend.shares) == ("bert", (0.0, 1.0))


def test_the_document_keeps_its_published_shape(log: ReviewLog, tmp_path: Path) -> None:
    schema = json.loads(
        (Path(quizbank.__file__).parent / "statistics.schema.json").read_text(encoding="utf-8")
    )
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    with ReviewLog(tmp_path / "empty", zone=UTC) as nothing:
        empty = document(statistics(nothing, (), at_ms=NOW), 640)
    validator.validate(empty)
    assert empty["retention"]["overall"]["share"] is None
    assert (empty["days"], empty["weakest"], empty["guesses"]) == ([], [], None)
    full = document(found(log, calibration=calibration(())), 4)
    validator.validate(json.loads(json.dumps(full, allow_nan=False)))
    assert full["days"][0] == {
        "day": "2026-01-05",
        "new": 2,
        "learning": 1,
        "review": 0,
        "ratings": {"1": 0, "2": 0, "3": 2, "4": 1},
        "seconds": 28.0,
    }
    assert full["fit"] == {"later_reviews": 4, "needed": 4, "offered": True}
    assert full["retention"]["overall"]["few"] is True
    # the shape is closed: what it does not name is no part of it
    assert not validator.is_valid({**full, "more": 1})
    assert not validator.is_valid({**full, "today": "yesterday"})
