"""Copies of the review log: one a day on which something was done, thinned out as they age.

A copy is taken by SQLite's own backup call from one consistent state of the file, while reviews go on; checked;
and renamed into place when it is whole. Nothing is ever copied back over the log: to restore is to merge a copy's
entries into the log that is there, which adds what is missing and removes nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path

from engine.errors import InputError
from engine.text import Text
from quizbank.learning import tables
from quizbank.learning.day import local_day
from quizbank.learning.log_schema import APPLICATION_ID

FOLDER_NAME = "backups"
LATEST, DAYS, WEEKS, MONTHS = 3, 7, 4, 6
"""So many of the latest copies are kept; the latest of so many days, weeks and months that have one; and the one
with the most entries."""

_NAME = re.compile(r"reviews-(\d{8}T\d{6}Z)-(\d+)\.db")
_STAMP = "%Y%m%dT%H%M%SZ"
_PARTIAL = "partial"
_ABANDONED_SECONDS = 300.0
"""How long nothing was written to a copy that a killed program left."""
_MUST_REMAIN = 64 * 2**20
"""Bytes that a copy must leave free on the disk, for reviews."""
_PATIENCE_SECONDS = 10.0
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Backup:
    """One copy: when it was taken (UTC milliseconds, whole seconds) and how many entries it holds."""

    path: Path
    at_ms: int
    entries: int

    @classmethod
    def at(cls, path: Path) -> Backup | None:
        """What the file's name says; None for a file that is none of ours."""
        match = _NAME.fullmatch(path.name)
        if match is None:
            return None
        try:
            moment = datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC)
        except ValueError:
            return None
        return cls(path, int(moment.timestamp()) * 1000, int(match[2]))


class Backups:
    """The copies beside a review log. Looking for them makes no folder."""

    def __init__(self, data_folder: Path) -> None:
        self.folder = data_folder / FOLDER_NAME

    def all(self) -> tuple[Backup, ...]:
        """The copies there are, the newest first."""
        try:
            found = [Backup.at(path) for path in self.folder.iterdir()]
        except OSError:
            return ()
        return tuple(sorted((one for one in found if one is not None), key=_age, reverse=True))

    def newest_good(self) -> Backup | None:
        """The newest copy every page of which can be read."""
        return next((backup for backup in self.all() if _is_good(backup.path)), None)

    def offer(self) -> tuple[Text, ...]:
        """What to say where the log was lost or damaged: the copy there is and the call that restores it."""
        found = self.newest_good()
        if found is None or not found.entries:
            return ()
        return (
            Text(
                "there is a backup of {when} with {n} {n:entry|entries}: proofdeck log restore adds what is missing, "
                "and removes nothing",
                "有一份 {when} 的备份，共 {n} 条：运行 proofdeck log restore 可补回缺失的条目，不会删除任何内容",
            ).filled(when=moment(found.at_ms), n=found.entries),
        )

    def is_due(self, source: sqlite3.Connection, at_ms: int, zone: tzinfo | None = None) -> bool:
        """Whether today has no copy yet and the log is not the one that was copied last."""
        # one of another year was taken under a wrong clock
        earlier = [backup for backup in self.all() if backup.at_ms <= at_ms + _DAY_MS]
        if not earlier:
            return True
        return local_day(earlier[0].at_ms, zone) < local_day(at_ms, zone) and self.is_new(source)

    def is_new(self, source: sqlite3.Connection) -> bool:
        """Whether no copy holds the log as it is."""
        count, last = tables.length(source), tables.last_id(source)
        return not any(backup.entries == count and _is_good(backup.path, last) for backup in self.all())

    def make(self, source: sqlite3.Connection, at_ms: int, zone: tzinfo | None = None) -> Backup:
        """Copy the log that ``source`` has open, then remove the copies no longer needed.

        Raises:
            InputError: the folder or the disk does not allow it, the log is damaged, or the clock is wrong;
                nothing is left behind.
        """
        local_day(at_ms, zone)
        partial = self.folder / f".reviews-{os.getpid()}-{os.urandom(4).hex()}.{_PARTIAL}"
        try:
            self.folder.mkdir(exist_ok=True)
            self._sweep()
            self._leave_room(source)
            entries = _copy(source, partial)
            stamp = datetime.fromtimestamp(at_ms // 1000, UTC).strftime(_STAMP)
            made = self.folder / f"reviews-{stamp}-{entries}.db"
            os.replace(partial, made)
            _sync(self.folder)
            self._thin_out(zone)
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(
                Text(
                    "no backup of the review log was made: {why}; the log itself is as it was",
                    "未能备份复习记录：{why}；记录本身没有改动",
                ).filled(why=why),
                where=str(self.folder),
            ) from error
        finally:
            for left in (partial, partial.with_name(partial.name + "-journal")):
                with contextlib.suppress(OSError):
                    left.unlink()
        return Backup(made, at_ms // 1000 * 1000, entries)

    def _thin_out(self, zone: tzinfo | None) -> None:
        found = self.all()
        needed = kept(found, lambda backup: local_day(backup.at_ms, zone))
        for backup in found:
            if backup not in needed:
                with contextlib.suppress(FileNotFoundError):  # another instance was faster
                    backup.path.unlink()

    def _sweep(self) -> None:
        """Remove what programs left that were killed while they copied."""
        for path in self.folder.glob(f".reviews-*.{_PARTIAL}*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                    path.unlink()

    def _leave_room(self, source: sqlite3.Connection) -> None:
        pages, size = (source.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        if shutil.disk_usage(self.folder).free < pages * size + _MUST_REMAIN:
            raise OSError(0, "the disk is nearly full")


def kept(found: Iterable[Backup], day_of: Callable[[Backup], date]) -> set[Backup]:
    """Which copies to keep: the latest, the latest of each of the last days, weeks and months, and the fullest.

    The fullest stays so that a log begun anew after a loss cannot push the old one out.
    """
    newest_first = sorted(found, key=_age, reverse=True)
    needed = set(newest_first[:LATEST])
    if newest_first:
        needed.add(max(newest_first, key=lambda backup: (backup.entries, backup.at_ms)))
    periods: tuple[tuple[int, Callable[[date], tuple[int, ...]]], ...] = (
        (DAYS, lambda day: (day.toordinal(),)),
        (WEEKS, lambda day: day.isocalendar()[:2]),
        (MONTHS, lambda day: (day.year, day.month)),
    )
    for count, period_of in periods:
        latest: dict[tuple[int, ...], Backup] = {}
        for backup in newest_first:
            latest.setdefault(period_of(day_of(backup)), backup)
        needed |= set(list(latest.values())[:count])
    return needed


def moment(at_ms: int) -> str:
    """A moment for messages, in UTC."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)).strftime("%Y-%m-%d %H:%M UTC")


@contextlib.contextmanager
def reachable(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of its own to the log, so that copying holds up nobody who uses another.

    Raises:
        InputError: the file cannot be opened.
    """
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise InputError(
            Text("the review log cannot be opened: {why}", "复习记录无法打开：{why}").filled(why=error),
            where=str(path),
        ) from error
    try:
        yield connection
    finally:
        connection.close()


def copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """SQLite's backup call in one step: one consistent state, and writers need not wait for it.

    Raises:
        sqlite3.Error: the disk is full, the source is damaged, or it stays locked.
    """
    until = time.monotonic() + _PATIENCE_SECONDS

    def waited(status: int, _remaining: int, _total: int) -> None:
        # the call itself would wait for a lock without end
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise sqlite3.OperationalError("the review log stays locked")

    source.backup(target, progress=waited)


def _copy(source: sqlite3.Connection, partial: Path) -> int:
    target = sqlite3.connect(partial, isolation_level=None)
    try:
        copy(source, target)
        # one file that needs no other beside it; the setting is copied with the pages
        target.execute("PRAGMA journal_mode = DELETE").fetchone()
        found = target.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(found)
        return tables.length(target)
    finally:
        target.close()


def _is_good(path: Path, last: str | None = None) -> bool:
    """Whether it is a log of ours that can be read: every page, or the last entry, where that has this id."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                return False
            if last is not None:
                return tables.last_id(connection) == last
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        finally:
            connection.close()
    except (sqlite3.Error, OSError):
        return False


def _sync(folder: Path) -> None:
    """Make a renaming outlast a power cut, where the system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _age(backup: Backup) -> tuple[int, int, str]:
    return backup.at_ms, backup.entries, backup.path.name
