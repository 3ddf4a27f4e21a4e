"""The learner's day turns at 04:00 on the wall clock, through both changes of summer time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.learning.day import day_start_ms, local_day

ZONES = ("Asia/Shanghai", "Europe/Berlin", "America/New_York")

# zone, moment in UTC, the day it belongs to, what is special about it
TURNS = [
    ("Asia/Shanghai", "2026-01-05T19:59:59.999", "2026-01-05", "03:59 on the 6th is still the 5th"),
    ("Asia/Shanghai", "2026-01-05T20:00:00", "2026-01-06", "04:00"),
    ("Asia/Shanghai", "2026-01-05T16:00:00", "2026-01-05", "midnight turns nothing"),
    ("Asia/Shanghai", "2025-12-31T20:00:00", "2026-01-01", "new year"),
    ("Asia/Shanghai", "2028-02-29T19:59:59", "2028-02-29", "leap day"),
    ("Asia/Shanghai", "1986-05-03T18:59:59", "1986-05-03", "03:59 in the summer time of 1986"),
    ("Asia/Shanghai", "1986-05-03T19:00:00", "1986-05-04", "04:00 in the summer time of 1986"),
    ("Europe/Berlin", "2026-03-28T02:59:59", "2026-03-27", "winter, 03:59"),
    ("Europe/Berlin", "2026-03-28T03:00:00", "2026-03-28", "winter, 04:00"),
    ("Europe/Berlin", "2026-03-29T00:59:59", "2026-03-28", "a second before 02:00 becomes 03:00"),
    ("Europe/Berlin", "2026-03-29T01:59:59", "2026-03-28", "summer, 03:59"),
    ("Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29", "summer, 04:00"),
    ("Europe/Berlin", "2026-10-25T00:30:00", "2026-10-24", "02:30 the first time"),
    ("Europe/Berlin", "2026-10-25T01:30:00", "2026-10-24", "02:30 the second time"),
    ("Europe/Berlin", "2026-10-25T02:59:59", "2026-10-24", "winter again, 03:59"),
    ("Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25", "winter again, 04:00"),
    ("America/New_York", "2026-03-08T06:59:59", "2026-03-07", "a second before 02:00 becomes 03:00"),
    ("America/New_York", "2026-03-08T07:59:59", "2026-03-07", "summer, 03:59"),
    ("America/New_York", "2026-03-08T08:00:00", "2026-03-08", "summer, 04:00"),
    ("America/New_York", "2026-11-01T05:30:00", "2026-10-31", "01:30 the first time"),
    ("America/New_York", "2026-11-01T06:30:00", "2026-10-31", "01:30 the second time"),
    ("America/New_York", "2026-11-01T08:59:59", "2026-10-31", "winter again, 03:59"),
    ("America/New_York", "2026-11-01T09:00:00", "2026-11-01", "winter again, 04:00"),
]

# zone, day, hours it lasts
LENGTHS = [
    ("Asia/Shanghai", "2026-03-28", 24),
    ("Europe/Berlin", "2026-03-28", 23),
    ("Europe/Berlin", "2026-03-29", 24),
    ("Europe/Berlin", "2026-10-24", 25),
    ("America/New_York", "2026-03-07", 23),
    ("America/New_York", "2026-10-31", 25),
]


def utc_ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def machine_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    def settle(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield settle
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("zone", "moment", "day", "why"), TURNS)
def test_a_moment_belongs_to_its_day(zone: str, moment: str, day: str, why: str) -> None:
    assert local_day(utc_ms(moment), ZoneInfo(zone)).isoformat() == day, why


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone while running")
@pytest.mark.parametrize(("zone", "moment", "day", "why"), TURNS)
def test_the_zone_of_the_machine_gives_the_same(
    machine_zone, zone: str, moment: str, day: str, why: str
) -> None:
    machine_zone(zone)
    at_ms = utc_ms(moment)
    assert local_day(at_ms).isoformat() == day, why
    assert day_start_ms(local_day(at_ms)) == day_start_ms(local_day(at_ms), ZoneInfo(zone))


@pytest.mark.parametrize(("zone", "day", "hours"), LENGTHS)
def test_a_day_lasts_from_four_to_four(zone: str, day: str, hours: int) -> None:
    first = date.fromisoformat(day)
    begins = day_start_ms(first, ZoneInfo(zone))
    ends = day_start_ms(first + timedelta(days=1), ZoneInfo(zone))
    assert (ends - begins) / 3_600_000 == hours


@given(
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    at_ms=st.integers(0, utc_ms("2100-01-01")),
)
def test_every_moment_lies_inside_its_day(zone: ZoneInfo, at_ms: int) -> None:
    day = local_day(at_ms, zone)
    assert day_start_ms(day, zone) <= at_ms < day_start_ms(day + timedelta(days=1), zone)


@pytest.mark.parametrize("at_ms", [-1, utc_ms("9999-12-31") + 400 * 86_400_000, 10**18, -(10**18)])
def test_an_impossible_clock_is_an_error_a_person_can_act_on(at_ms: int) -> None:
    with pytest.raises(InputError, match="clock"):
        local_day(at_ms)
