"""What is due, and the limits of a day, through both changes of summer time and when the clock jumps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from quizbank.learning.daily import Studied, studied
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.scheduler import Settings
from quizbank.learning.session import StudySession

HOUR = 3_600_000
DAY = 24 * HOUR
MINUTE = 60_000
# zone, the date whose night changes the clocks, hours from 04:00 the day before to 04:00 on it
NIGHTS = [
    ("Asia/Shanghai", "2026-03-29", 24),
    ("Asia/Shanghai", "2026-10-25", 24),
    ("Europe/Berlin", "2026-03-29", 23),
    ("Europe/Berlin", "2026-10-25", 25),
    ("America/New_York", "2026-03-08", 23),
    ("America/New_York", "2026-11-01", 25),
]
STEPS = Settings(learning_steps=(timedelta(minutes=10), timedelta(minutes=90)))


def ms(zone: str, wall: str, fold: int = 0) -> int:
    """The moment at which clocks on the wall show this; ``fold`` 1 is the second time in the hour that comes twice."""
    moment = datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone), fold=fold)
    return round(moment.timestamp() * 1000)


@contextmanager
def opened(folder: Path, zone: str, settings: Settings | None = None) -> Iterator[ReviewLog]:
    with ReviewLog(folder, settings, zone=ZoneInfo(zone)) as log:
        yield log
        assert log.verify().ok


def learned_for_a_day(log: ReviewLog, card: str, at_ms: int) -> None:
    """Graded so that its interval is one day, whatever the hour."""
    for rating in (Rating.AGAIN, Rating.GOOD, Rating.GOOD):
        log.grade(card, rating, at_ms)
    memory = log.memory(card)
    assert memory.due_day == log.day(at_ms) + timedelta(days=1), memory


@pytest.mark.parametrize(("zone", "night", "hours"), NIGHTS)
def test_a_card_for_tomorrow_is_due_from_four_o_clock_on_however_long_the_night(
    tmp_path: Path, zone: str, night: str, hours: int
) -> None:
    four = ms(zone, f"{night}T04:00")
    assert (
        four - ms(zone, f"{datetime.fromisoformat(night).date() - timedelta(days=1)}T04:00") == hours * HOUR
    )
    with opened(tmp_path, zone) as log:
        for number, before in enumerate((MINUTE, 3 * HOUR, 20 * HOUR)):
            learned_for_a_day(log, f"card {number}", four - before)
        assert log.due(four - 1) == ()
        assert set(log.due(four)) == {"card 0", "card 1", "card 2"}
        session = StudySession(log, ["card 0"], clock_ms=lambda: four, stopwatch=lambda: 0.0)
        session.reveal()
        done = session.grade(Rating.GOOD)
        # one day of the learner has passed, though it was a minute
        assert (done.entry.day - done.entry.before.last_day).days == 1


@pytest.mark.parametrize(("zone", "night", "hours"), NIGHTS)
def test_the_limits_of_a_day_begin_anew_at_four_and_not_before(
    tmp_path: Path, zone: str, night: str, hours: int
) -> None:
    four = ms(zone, f"{night}T04:00")
    with opened(tmp_path, zone) as log:
        log.grade("evening", Rating.GOOD, four - 6 * HOUR)
        log.grade("small hours", Rating.GOOD, four - MINUTE)
        assert studied(log, four - 1) == Studied(2, 0)
        assert studied(log, four) == Studied(0, 0)
        log.grade("evening", Rating.GOOD, four)
        assert studied(log, four) == Studied(0, 1)


@pytest.mark.parametrize(("zone", "night", "hours"), NIGHTS)
def test_a_learning_step_lasts_its_minutes_though_the_wall_clock_jumps(
    tmp_path: Path, zone: str, night: str, hours: int
) -> None:
    """Steps of 10 and 90 minutes begun every hour of the night in which the clocks change."""
    four = ms(zone, f"{night}T04:00")
    with opened(tmp_path, zone, STEPS) as log:
        for number, at_ms in enumerate(range(four - 5 * HOUR, four + HOUR, 60 * MINUTE)):
            for rating, minutes in ((Rating.AGAIN, 10), (Rating.GOOD, 90)):
                card = f"{rating.name} {number}"
                log.grade(card, rating, at_ms)
                assert log.memory(card).due_ms == at_ms + minutes * MINUTE
                assert card not in log.due(at_ms + minutes * MINUTE - 1)
                assert card in log.due(at_ms + minutes * MINUTE)


def test_an_hour_that_comes_twice_is_one_day_and_keeps_its_order(tmp_path: Path) -> None:
    zone = "Europe/Berlin"
    first, second = (ms(zone, "2026-10-25T02:30", fold) for fold in (0, 1))
    assert second - first == HOUR
    with opened(tmp_path, zone) as log:
        log.grade("card", Rating.AGAIN, first)
        log.grade("card", Rating.EASY, second)
        assert [entry.rating for entry in log.entries("card")] == [Rating.AGAIN, Rating.EASY]
        assert {entry.day.isoformat() for entry in log.entries()} == {"2026-10-24"}


# by how much the clock jumps after a card was graded for a day: is it due then, and once the clock is right again?
JUMPS = [
    ("set back an hour", -HOUR, False),
    ("set back past four in the morning", -12 * HOUR, False),
    ("a flight west over the turn of the day", -DAY, False),
    ("set back a month", -30 * DAY, True),
    ("set back to 1980", -46 * 365 * DAY, True),
    ("set forward an hour", HOUR, False),
    ("set forward a day", DAY, True),
    ("set forward ten years", 3650 * DAY, True),
]


@pytest.mark.parametrize(
    "zone",
    [
        "Europe/Berlin",
        pytest.param("Asia/Shanghai", marks=pytest.mark.slow),
        pytest.param("America/New_York", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(("what", "jump", "due"), JUMPS, ids=[what for what, _, _ in JUMPS])
def test_a_clock_that_jumps_hides_no_card_and_loses_no_review(
    tmp_path: Path, zone: str, what: str, jump: int, due: bool
) -> None:
    noon = ms(zone, "2026-06-10T12:00")
    with opened(tmp_path, zone) as log:
        learned_for_a_day(log, "card", noon)
        assert ("card" in log.due(noon + jump)) is due
        session = StudySession(log, ["card", "new"], clock_ms=lambda: noon + jump, stopwatch=lambda: 0.0)
        asked = []
        while session.current is not None and len(asked) < 9:
            asked.append(session.current)
            shown = session.reveal()
            done = session.grade(Rating.GOOD)
            assert done.entry.after == shown[Rating.GOOD].after
        assert ("card" in asked) is due
        # the clock is right again: in two months everything is to be asked, whatever it showed meanwhile
        later = noon + 60 * DAY
        assert set(log.due(later)) == {"card", "new"}
        assert len(log.entries()) == 3 + len(asked)
        orders = [entry.order_ms for entry in log.entries("card")]
        assert orders == sorted(set(orders))
