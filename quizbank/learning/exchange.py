"""The review log to a file and from one: JSON lines for anyone, another machine's log as it is.

An export is the entries in the order of their ids, one a line (:mod:`quizbank.learning.entry_json`); two machines that
hold the same entries write the same bytes. What comes in is a set: files may be joined with ``cat``, sorted,
merged in any order and more than once. Every line is judged before anything is stored, and all are taken or none.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar

from engine.errors import InputError
from engine.text import Text
from quizbank.database import migrate
from quizbank.fault import Fault, shown
from quizbank.learning import tables
from quizbank.learning.backup import copy
from quizbank.learning.entry import Entry
from quizbank.learning.entry_json import LONGEST_LINE, TOO_LONG, entry_of, entry_of_line, line_of
from quizbank.learning.log import ReviewLog
from quizbank.learning.log_schema import APPLICATION_ID, schema
from quizbank.learning.merging import Merged
from quizbank.target import unwritable

G = TypeVar("G")

_SQLITE = b"SQLite format 3\0"
_LONGEST_BYTES = LONGEST_LINE * 4
_MOST_FAULTS = 100
_FEW_FAULTS = 3

_NOT_UTF8 = Text("is not UTF-8", "不是 UTF-8 编码")
_DAMAGED = Text("the file is damaged: {why}; nothing was taken over", "文件已损坏：{why}；未导入任何条目")
_FOREIGN = Text("is no review log of this program", "不是本程序的复习记录")
_NEWER = Text(
    "a newer version of the program made this log (format {found}; this one knows up to {known}): update the program",
    "这份记录由更新版本的程序写成（格式 {found}，本程序只认到 {known}）：请升级程序",
)
_NO_EXPORT = Text("is no export of a review log", "不是复习记录的导出文件")
_UNREADABLE = Text("cannot be read: {why}", "无法读取：{why}")
_NO_FILE = Text("is no ordinary file: put what it gives into one first", "不是普通文件：请先把内容存成文件")
_LINES_WANTED = Text(
    "is a database, not JSON lines: proofdeck log merge takes it",
    "是数据库而不是 JSON 行：请用 proofdeck log merge",
)


class FaultsError(InputError):
    """Files that were not taken over, with every fault found in them."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        more = len(faults) - 1
        said = faults[0].what
        if more:
            said = Text(f"{said.en} (and {more} more)", f"{said.zh}（另有 {more} 处）")
        super().__init__(said, faults[0].where)


def export(log: ReviewLog, file: TextIO) -> int:
    """Write every entry as a line; returns how many. Reviews go on meanwhile.

    Raises:
        InputError: the log cannot be read.
        OSError: the file cannot be written.
    """

    return log.read(lambda connection: _write_lines(connection, file))


def export_as_it_is(path: Path, file: TextIO) -> int:
    """As :func:`export`, of a log that may not be written: read from a copy in a temporary folder.

    Raises:
        InputError: it is no log of ours, or damaged, or there is no room for the copy.
        OSError: the file cannot be written.
    """
    with _present_copy(path) as connection:
        return _write_lines(connection, file)


def _write_lines(connection: sqlite3.Connection, file: TextIO) -> int:
    count = 0
    for entry in tables.entries_by_id(connection):
        file.write(line_of(entry) + "\n")
        count += 1
    return count


def merge(log: ReviewLog, paths: Sequence[Path], lines_only: bool = False) -> Merged:
    """Join logs and exports into this one: the union of their entries, whatever the order, however often.

    Raises:
        FaultsError: something in the files is not as it must be; every fault with its place, and nothing was stored.
        InputError: a file cannot be read, or says of an entry what this log does not, or the log cannot be written.
    """
    with contextlib.ExitStack() as stack:
        sources = [stack.enter_context(_source(Path(path), lines_only)) for path in paths]
        faults: list[Fault] = []
        for source in sources:
            faults += _faults_of(source, _MOST_FAULTS - len(faults))
            if len(faults) == _MOST_FAULTS:
                break
        if faults:
            raise FaultsError(faults)
        # what is merged cannot be taken out again
        log.back_up()

        def incoming() -> Iterator[tuple[str, Entry]]:
            for source in sources:
                for where, found in source.entries():
                    if isinstance(found, InputError):  # the file changed since it was judged
                        raise InputError(found.text, where)
                    yield where, found

        return log.merge(incoming)


def _faults_of(source: _Lines | _Log, most: int) -> list[Fault]:
    """What is wrong in a file; a single fault where nothing in it is an entry, as of a file taken by mistake."""
    faults: list[Fault] = []
    has_entries = False
    for where, found in source.entries():
        if isinstance(found, InputError):
            faults.append(Fault(where, found.text))
        else:
            has_entries = True
        if len(faults) == most:
            break
    if len(faults) > _FEW_FAULTS and not has_entries:
        where, why = faults[0].where, faults[0].what
        return [Fault(where, Text(f"{_NO_EXPORT.en} ({why.en})", f"{_NO_EXPORT.zh}（{why.zh}）"))]
    return faults


Found = tuple[str, Entry | InputError]


class _Lines:
    """A file of JSON lines."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path, self._file = path, file

    def entries(self) -> Iterator[Found]:
        self._file.seek(0)
        number = 0
        while line := self._file.readline(_LONGEST_BYTES + 1):
            number += 1
            where = f"{shown(self._path, 300)}:{number}"
            if len(line) > _LONGEST_BYTES:
                yield where, InputError(TOO_LONG)
                while line and not line.endswith(b"\n"):
                    line = self._file.readline(_LONGEST_BYTES)
                continue
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
            except UnicodeDecodeError:
                yield where, InputError(_NOT_UTF8)
                continue
            if text.strip():
                yield where, _tried(entry_of_line, text)


class _Log:
    """A copy of another machine's log, brought to the present version."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection

    def entries(self) -> Iterator[Found]:
        place = shown(self._path, 300)
        try:
            for seq, fields in tables.rows_by_id(self._connection):
                yield f"{place}: entry {seq}", _tried(entry_of, _plain(fields))
        except sqlite3.DatabaseError as error:
            raise InputError(_DAMAGED.filled(why=error), place) from error


def _tried(read: Callable[[G], Entry], given: G) -> Entry | InputError:
    try:
        return read(given)
    except InputError as error:
        return error


def _plain(fields: dict[str, object]) -> dict[str, object]:
    """A row as the JSON of a line would give it."""
    given = {key: value for key, value in fields.items() if value is not None}
    for key in ("before", "after"):
        value = given.get(key)
        if isinstance(value, str):
            with contextlib.suppress(ValueError, RecursionError):
                given[key] = json.loads(value)
    return given


@contextlib.contextmanager
def _source(path: Path, lines_only: bool) -> Iterator[_Lines | _Log]:
    place = shown(path, 300)
    try:
        # all is judged before any is taken, so it is read twice, and a device has no end
        if path.exists() and not path.is_file() and not path.is_dir():
            raise InputError(_NO_FILE, place)
        file = path.open("rb")
    except (OSError, ValueError) as error:
        raise InputError(_UNREADABLE.filled(why=getattr(error, "strerror", None) or error), place) from error
    with file:
        try:
            is_log = file.read(len(_SQLITE)) == _SQLITE
        except OSError as error:
            raise InputError(_UNREADABLE.filled(why=error.strerror or error), place) from error
        if not is_log:
            yield _Lines(path, file)
            return
    if lines_only:
        raise InputError(_LINES_WANTED, place)
    with _present_copy(path) as connection:
        yield _Log(path, connection)


@contextlib.contextmanager
def _present_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """A log's copy, brought to the present version."""
    place = shown(path, 300)
    with tempfile.TemporaryDirectory() as folder:
        try:
            connection = _opened_copy(path, Path(folder) / "copy.db")
            try:
                _admit(connection, place)
                yield connection
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            raise InputError(_DAMAGED.filled(why=error), place) from error


def _opened_copy(path: Path, target: Path) -> sqlite3.Connection:
    """A copy of a log that its own program may be writing at this moment."""
    connection = sqlite3.connect(target, isolation_level=None)
    try:
        source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        try:
            copy(source, connection)
        finally:
            source.close()
    except sqlite3.OperationalError:
        # in a folder that may not be written SQLite cannot read a log in use: take the files as they are
        connection.close()
        for suffix in ("", "-wal"):
            found = path.with_name(path.name + suffix)
            if found.exists():
                shutil.copyfile(found, target.with_name(target.name + suffix))
        connection = sqlite3.connect(target, isolation_level=None)
    except BaseException:
        connection.close()
        raise
    return connection


def _admit(connection: sqlite3.Connection, place: str) -> None:
    """Ours, whole, and of a version known here; then of the present one."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise InputError(_FOREIGN, place)
    ours = schema()
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > ours.version:
        raise InputError(_NEWER.filled(found=version, known=ours.version), place)
    # a view in its place could compute without end
    kind = connection.execute("SELECT type FROM sqlite_schema WHERE name = 'entry'").fetchone()
    if kind != ("table",):
        raise InputError(_FOREIGN, place)
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise InputError(_DAMAGED.filled(why=found), place)
    migrate(connection, ours)


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """A text file that stands under its name when it is complete, and not before; for what is too long to hold.

    Raises:
        InputError: it cannot be written.
    """
    path = path.resolve()
    partial = path.with_name(f".{path.name[:40]}-{os.urandom(4).hex()}")
    try:
        with partial.open("x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
