"""Intervals as the buttons show them."""

from __future__ import annotations

from datetime import timedelta

from engine.text import Text

_DAYS_A_YEAR = 365.25


def interval_text(interval: timedelta) -> Text:
    """The interval as stored, in the largest unit that keeps it readable: 5.5 min, 10 min, 3 d, 4.2 mo, 1.3 y."""
    seconds = interval.total_seconds()
    if seconds < 60:
        return _shown(seconds, "s", "秒")
    if seconds < 3600:
        return _shown(seconds / 60, "min", "分钟")
    if interval < timedelta(days=1):
        return _shown(seconds / 3600, "h", "小时")
    if interval.days < 100:
        return _shown(interval.days, "d", "天")
    if interval.days < _DAYS_A_YEAR:
        return _shown(interval.days / (_DAYS_A_YEAR / 12), "mo", "个月")
    return _shown(interval.days / _DAYS_A_YEAR, "y", "年")


def _shown(count: float, english: str, chinese: str) -> Text:
    digits = f"{count:.1f}".removesuffix(".0")
    return Text(f"{digits} {english}", f"{digits} {chinese}")
