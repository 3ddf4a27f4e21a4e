"""The learner's day: local, turning at 04:00, so that a session past midnight still belongs to the evening.

Moments are UTC milliseconds since 1970; ``zone=None`` is the zone of this machine. The rule reads the
wall clock alone (03:59 is yesterday, 04:00 is today), so a night with 23 or 25 hours needs no case of its own.
"""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, tzinfo

from engine.errors import InputError
from engine.text import Text

DAY_TURNS_AT = 4
"""Hour of the local wall clock."""
_LATEST_YEAR = 9000


def now_ms() -> int:
    """This moment, in UTC milliseconds."""
    return time.time_ns() // 1_000_000


def local_day(at_ms: int, zone: tzinfo | None = None) -> date:
    """The learner's day that holds the moment.

    Raises:
        InputError: a moment before 1970 or after the year 9000: the machine's clock is wrong.
    """
    try:
        local = _utc(at_ms).astimezone(zone)
    except (OverflowError, ValueError, OSError) as error:
        raise _clock_error(at_ms) from error
    if at_ms < 0 or local.year > _LATEST_YEAR:
        raise _clock_error(at_ms)
    return local.date() if local.hour >= DAY_TURNS_AT else local.date() - timedelta(days=1)


def day_start_ms(day: date, zone: tzinfo | None = None) -> int:
    """The moment the day begins: 04:00 on the local wall clock."""
    wall = datetime(day.year, day.month, day.day, DAY_TURNS_AT)
    local = wall.astimezone() if zone is None else wall.replace(tzinfo=zone)
    return round(local.timestamp() * 1000)


def _utc(at_ms: int) -> datetime:
    seconds, milliseconds = divmod(at_ms, 1000)
    return datetime.fromtimestamp(seconds, UTC) + timedelta(milliseconds=milliseconds)


def _clock_error(at_ms: int) -> InputError:
    return InputError(
        Text(
            "this machine's clock gives an impossible date ({at} ms since 1970): set it right and try again",
            "本机时钟给出的日期不可能（1970 年起 {at} 毫秒）：请校准时钟后重试",
        ).filled(at=at_ms)
    )
