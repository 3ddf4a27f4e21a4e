"""The review log as a person has set it up: one schedule, whichever call opens it."""

from __future__ import annotations

from pathlib import Path

from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.learning.scheduler import Settings
from quizbank.settings import Preferences, read_settings, settings_path


def open_log(home: Home, preferences: Preferences | None = None) -> ReviewLog:
    """The log of a home, scheduled for the retention and by the weights its settings ask for (or these do).

    A log that was derived for others is derived anew on opening. Where the file of settings changes later, by
    ``proofdeck fit --apply`` in a shell, say, the log goes by it from the next card or session on.

    Raises:
        InputError: as :class:`quizbank.learning.log.ReviewLog`.
    """
    chosen = read_settings(home.config)[0] if preferences is None else preferences
    return ReviewLog(home.data_folder(), scheduled_by(chosen), changed=_Watch(home.config))


def scheduled_by(preferences: Preferences) -> Settings:
    """The retention and the weights that a person's settings ask for."""
    return Settings(
        desired_retention=preferences.desired_retention, parameters=preferences.fsrs_weights or None
    )


class _Watch:
    """Called, gives what a person's settings ask for where their file has changed since; None where it has not, or
    where it holds a fault: what is half written is not gone by."""

    def __init__(self, config: Path) -> None:
        self._config = config
        self._seen = _state(config)

    def __call__(self) -> Settings | None:
        state = _state(self._config)
        if state == self._seen:
            return None
        found, faults = read_settings(self._config)
        self._seen = state
        return None if faults else scheduled_by(found)


def _state(config: Path) -> tuple[int, int, int] | None:
    """Another value once the file of settings is another."""
    try:
        found = settings_path(config).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
