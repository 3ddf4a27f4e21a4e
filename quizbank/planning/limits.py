"""How far and how much is planned. No NumPy: a screen may ask before it plans."""

from __future__ import annotations

from datetime import date

from engine.errors import InputError
from engine.text import Text

USUAL_MINUTES = 20
MOST_MINUTES = 600
FURTHEST_DAYS = 365
PLANNED_DAYS = 30
"""Days before the interview that are planned one by one; until then plain spaced repetition does as well."""


def check_interview(interview: date, today: date) -> None:
    """Can a plan be made today for an interview on this day?

    Raises:
        InputError: it is past or too far.
    """
    if not 0 <= (interview - today).days <= FURTHEST_DAYS:
        raise InputError(
            Text(
                "the interview must lie between today and {far} days from now, not on {day}",
                "面试日期应在今天到 {far} 天之内，而不是 {day}",
            ).filled(far=FURTHEST_DAYS, day=interview.isoformat())
        )
