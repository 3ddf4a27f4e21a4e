"""The review log as a person has set it up: one schedule, whichever call opens it."""

from __future__ import annotations

from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.learning.scheduler import Settings
from quizbank.settings import Preferences, read_settings


def open_log(home: Home, preferences: Preferences | None = None) -> ReviewLog:
    """The log of a home, scheduled for the retention and by the weights its settings ask for (or these do).

    A log that was derived for others is derived anew on opening.

    Raises:
        InputError: as :class:`quizbank.learning.log.ReviewLog`.
    """
    chosen = read_settings(home.config)[0] if preferences is None else preferences
    return ReviewLog(home.data_folder(), scheduled_by(chosen))


def scheduled_by(preferences: Preferences) -> Settings:
    """The retention and the weights that a person's settings ask for."""
    return Settings(
        desired_retention=preferences.desired_retention, parameters=preferences.fsrs_weights or None
    )
