"""The program's own SQLite files: opened, migrated, written durably, and set aside when they cannot be read.

Every write is one transaction with ``synchronous=FULL``: when :meth:`Database.write` returns, what it
wrote survives ``kill -9`` and a power cut. Nothing that was found is ever overwritten: a damaged or
foreign file is renamed with a time stamp, what can still be read of it is taken over, and a notice says so.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import TypeVar

from engine.errors import InputError
from engine.text import Text
from quizbank.sqlite_faults import DamagedError, is_damage, primary_code, words_for

T = TypeVar("T")

OLDEST_SQLITE = (3, 37, 0)
"""STRICT tables came with 3.37."""
CHECKED_AT_OPENING = 2_000_000
"""Bytes up to which a file is checked page by page each time it is opened (a few milliseconds)."""

_BEGUN_SECONDS = 1.0
"""How long a file may hold nothing because another instance has just begun it."""
_MOST_FILLED = 100_000_000
"""Bytes a copy of a truncated file is lengthened by at most, whatever its header says."""

Salvage = Callable[[sqlite3.Connection, sqlite3.Connection], int]
"""Copies what can be read of a damaged file (first) into its successor (second); returns how many rows."""


@dataclass(frozen=True)
class Schema:
    """What a file of ours is: its mark, its name in messages, and the statements from each version to the next."""

    application_id: int
    name: Text
    migrations: tuple[tuple[str, ...], ...]
    salvage: Salvage | None = None

    @property
    def version(self) -> int:
        return len(self.migrations)


class _ForeignError(Exception):
    """A readable database that is not ours."""


class Database:
    """One SQLite file, safe to use from several threads and several processes at once.

    ``notices`` holds what a person should know about the opening: a file set aside, rows taken over;
    ``set_aside`` the files that were, under their new names. ``before_migration`` is called with the open file
    before its tables are changed, to keep a copy; ``remedy`` says what to do where a file was lost.

    Raises:
        InputError: the folder or the file cannot be used, or a newer version of the program made it.
    """

    def __init__(
        self,
        path: Path,
        schema: Schema,
        busy_ms: int = 5000,
        before_migration: Callable[[sqlite3.Connection], None] | None = None,
        remedy: Callable[[], Sequence[Text]] = tuple,
    ) -> None:
        self.path = Path(path)
        self.schema = schema
        self.busy_ms = busy_ms
        self.notices: list[Text] = []
        self.set_aside: list[Path] = []
        self._before_migration = before_migration
        self._remedy = remedy
        self._lock = RLock()
        self._closed = False
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise InputError(
                Text(
                    "SQLite {found} is too old; {needed} or later is needed",
                    "SQLite {found} 太旧，需要 {needed} 或更新的版本",
                ).filled(found=sqlite3.sqlite_version, needed=".".join(map(str, OLDEST_SQLITE)))
            )
        self._connection = self._open_or_start_anew()

    def close(self) -> None:
        with self._lock:
            self._connection.close()
            self._closed = True

    def __del__(self) -> None:
        # one who lets go of it without closing it leaves no file open; none was opened where opening failed
        with contextlib.suppress(AttributeError):
            self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction that no other process can interleave; durable on return.

        ``work`` may run twice: again on the successor, where the file turns out to be damaged.

        Raises:
            InputError: locked beyond the timeout, disk full, read-only; nothing of ``work`` is kept.
        """
        return self._run("BEGIN IMMEDIATE", work)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on one consistent state of the file. Raises InputError as :meth:`write`."""
        return self._run("BEGIN", work)

    def start_anew(self) -> None:
        """Set the file aside as damaged and go on with what can be read of it; ``notices`` say what became of it.

        Raises:
            InputError: it cannot be set aside, or no new one be made.
        """
        with self._lock:
            self._follow()
            self._start_anew_from_damage()

    def _run(self, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            self._follow()
            try:
                return _transaction(self._connection, begin, work)
            except sqlite3.IntegrityError:
                raise
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise self._fault(error) from error
            self._start_anew_from_damage()
            try:
                return _transaction(self._connection, begin, work)
            except sqlite3.IntegrityError:
                raise
            except sqlite3.DatabaseError as error:
                raise self._fault(error) from error

    def _follow(self) -> None:
        """Open the path again if it no longer names our file: writes to a removed file would be lost."""
        found = _identity(self.path)
        if not self._closed and found != self._opened:
            self._connection.close()
            self._connection = self._open_or_start_anew()
            if found is None:
                self.notices.append(
                    self._error(
                        "the file of the {name} was removed while the program ran; a new one was started",
                        "{name}的文件在程序运行期间被删除，程序新建了一份",
                    ).text
                )
                self.notices += self._remedy()

    def _start_anew_from_damage(self) -> None:
        self._connection.close()
        if _identity(self.path) == self._opened:
            self._set_aside()
        self._connection = self._open_or_start_anew()

    def _open_or_start_anew(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                Text("the data folder cannot be used: {why}", "数据文件夹无法使用：{why}").filled(
                    why=error.strerror or error
                ),
                where=str(self.path.parent),
            ) from error
        try:
            if self._is_emptied():
                raise DamagedError("the file is empty")
            return self._open()
        except _ForeignError:
            self._set_aside(damaged=False)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise self._fault(error) from error
            self._set_aside()
        try:
            return self._open()
        except sqlite3.DatabaseError as error:
            raise self._fault(error) from error

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=self.busy_ms / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            self._opened = _identity(self.path)
            _settle(connection)
            self._admit(connection)
            _use_wal(connection, self.busy_ms)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if self._before_migration is not None and 0 < version < self.schema.version:
                self._before_migration(connection)
            migrate(connection, self.schema)
            if self.path.stat().st_size <= CHECKED_AT_OPENING:
                found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if found != "ok":
                    raise DamagedError(found)
        except UnicodeDecodeError as error:  # SQLite names what is damaged, in the bytes it found there
            connection.close()
            raise DamagedError(error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_emptied(self) -> bool:
        """Whether the file holds nothing though it once did: there is a copy to go back to, or a write-ahead log,
        which SQLite would delete."""
        try:
            found = self.path.stat()
            wal = self.path.with_name(f"{self.path.name}-wal")
            if not self.path.is_file() or found.st_size:
                return False
            if wal.exists() and wal.stat().st_size:
                return True
        except OSError:
            return False
        return time.time() - found.st_mtime > _BEGUN_SECONDS and bool(self._remedy())

    def _admit(self, connection: sqlite3.Connection) -> None:
        """Tell ours from new, foreign and too new, before anything is written."""
        application_id = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if application_id == self.schema.application_id:
            if version > self.schema.version:
                raise self._error(
                    "a newer version of the program made this {name} (format {found}; this one knows up to {known}); "
                    "nothing was changed: update the program",
                    "这份{name}由更新版本的程序写成（格式 {found}，本程序只认到 {known}）；未作任何改动，请升级程序",
                    found=version,
                    known=self.schema.version,
                )
        elif application_id or version or tables:
            raise _ForeignError

    def _set_aside(self, damaged: bool = True) -> None:
        """Rename the file (and its log, first: SQLite drops a log whose database is gone), then take over its rows."""
        kept = _unused(self.path)
        try:
            for suffix in ("-wal", "-shm", ""):
                found = self.path.with_name(self.path.name + suffix)
                if found.exists():
                    found.rename(kept.with_name(kept.name + suffix))
        except OSError as error:
            raise self._error(
                "the {name} cannot be read, and it cannot be set aside either: {why}",
                "{name}无法读取，也无法移到一旁：{why}",
                why=error.strerror or error,
            ) from error
        self.set_aside.append(kept)
        taken = self._take_over(kept, self.schema.salvage) if damaged and self.schema.salvage else 0
        if taken:
            english = "the {name} is damaged and was set aside as {kept}; {taken} entries could be taken over"
            chinese = "{name}已损坏，改名为 {kept} 保留；从中找回了 {taken} 条"
        elif damaged:
            english = "the {name} could not be read and was set aside as {kept}; a new one was started"
            chinese = "{name}无法读取，已改名为 {kept} 保留；程序新建了一份"
        else:
            english = "another program made the file in place of the {name}; it was set aside as {kept}"
            chinese = "{name}的位置上是别的程序的文件，已改名为 {kept} 保留；程序新建了一份"
        self.notices.append(self._error(english, chinese, kept=kept.name, taken=taken).text)
        self.notices += self._remedy()

    def _take_over(self, kept: Path, salvage: Salvage) -> int:
        """Copy what a damaged file still yields into a new one; work on copies, so the file stays as it was."""
        import shutil
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy.db"
            try:
                for suffix in ("", "-wal"):
                    found = kept.with_name(kept.name + suffix)
                    if found.exists():
                        shutil.copyfile(found, copy.with_name(copy.name + suffix))
                _fill_up(copy)
                old = sqlite3.connect(copy, isolation_level=None)
            except (OSError, sqlite3.DatabaseError):
                return 0
            try:
                if old.execute("PRAGMA application_id").fetchone()[0] != self.schema.application_id:
                    return 0
                with contextlib.suppress(sqlite3.DatabaseError, UnicodeDecodeError):
                    # damage may stand in the way of a migration and not of the rows
                    migrate(old, self.schema)
                new = self._open()
                try:
                    return _transaction(new, "BEGIN IMMEDIATE", lambda into: salvage(old, into))
                finally:
                    new.close()
            except (sqlite3.DatabaseError, UnicodeDecodeError):
                return 0
            finally:
                old.close()

    def _fault(self, error: sqlite3.DatabaseError) -> InputError:
        words = words_for(error, self.path.parent)
        return self._error(words.en, words.zh, why=error)

    def _error(self, english: str, chinese: str, **values: object) -> InputError:
        return InputError(
            Text(
                english.format(name=self.schema.name.en, **values),
                chinese.format(name=self.schema.name.zh, **values),
            ),
            where=str(self.path),
        )


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode: which file the path names now."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _unused(path: Path) -> Path:
    """A name beside ``path`` that no file has: ``reviews.damaged-20260105T070912Z.db``."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    kept, count = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}"), 1
    while kept.exists():
        count += 1
        kept = path.with_name(f"{path.stem}.damaged-{stamp}-{count}{path.suffix}")
    return kept


def _fill_up(copy: Path) -> None:
    """Give a truncated file its length back, as zeros: SQLite refuses to read any row of a shorter one. An empty
    one beside a write-ahead log gets a page, so that SQLite looks for the others there.

    Source: SQLite file format, section 1.3: page size at offset 16, size in pages at offset 28; section 4.1: page
    size of a write-ahead log at offset 8.
    """
    wal = copy.with_name(f"{copy.name}-wal")
    if not copy.stat().st_size and wal.exists():
        with copy.open("wb") as file, wal.open("rb") as ahead:
            file.truncate(min(int.from_bytes(ahead.read(12)[8:]), 65536))
    with copy.open("r+b") as file:
        header = file.read(32)
        if header.startswith(b"SQLite format 3\0") and len(header) == 32:
            page = int.from_bytes(header[16:18]) or 65536
            length = page * int.from_bytes(header[28:32])
            found = copy.stat().st_size
            if found < length <= found + _MOST_FILLED:
                file.truncate(length)


def _settle(connection: sqlite3.Connection) -> None:
    for pragma in (
        "foreign_keys = ON",
        "recursive_triggers = ON",  # so that INSERT OR REPLACE meets the triggers that guard the log
        "trusted_schema = OFF",
        "cell_size_check = ON",
        "synchronous = FULL",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _use_wal(connection: sqlite3.Connection, busy_ms: int) -> None:
    """Switch to a write-ahead log. SQLite does not wait for a lock here, so this does."""
    until = time.monotonic() + busy_ms / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            if (
                primary_code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
                or time.monotonic() > until
            ):
                raise
            time.sleep(0.01)


def migrate(connection: sqlite3.Connection, schema: Schema) -> None:
    """Bring the file to the current version, in one transaction: a kill leaves the old version or the new."""

    def work(connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for statements in schema.migrations[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {schema.version}")
        connection.execute(f"PRAGMA application_id = {schema.application_id}")

    if connection.execute("PRAGMA user_version").fetchone()[0] < schema.version:
        _transaction(connection, "BEGIN IMMEDIATE", work)


def _transaction(connection: sqlite3.Connection, begin: str, work: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result
