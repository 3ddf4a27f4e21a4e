"""What SQLite reports, in words a person can act on. ``{name}`` is the file's name, ``{why}`` SQLite's own words."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from engine.text import Text


class DamagedError(sqlite3.DatabaseError):
    """A page of the file is not as SQLite wrote it."""


_LOCKED = Text(
    "another program holds the {name} locked; nothing was lost: try again",
    "另一个程序锁住了{name}；没有丢失任何内容，请重试",
)
_READ_ONLY = Text(
    "the {name} cannot be written: the file or its folder is read-only",
    "{name}无法写入：文件或所在文件夹是只读的",
)
_WORDS = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_FULL: Text(
        "the disk is full: this could not be stored in the {name}; what was stored before is safe",
        "磁盘已满：这一条未能写入{name}；此前写入的内容完好",
    ),
    sqlite3.SQLITE_CANTOPEN: Text(
        "the {name} cannot be opened: check that the folder exists and may be written",
        "{name}无法打开：请检查所在文件夹是否存在、是否可写",
    ),
    sqlite3.SQLITE_IOERR: Text(
        "the disk reports a fault on the {name}: {why}; what was stored before is safe",
        "读写{name}时磁盘报错：{why}；此前写入的内容完好",
    ),
}
_NO_ROOM = Text(
    "the disk is full, and without a little room the {name} cannot even be opened; what was stored before is safe: "
    "make room and try again",
    "磁盘已满，{name}需要少量空间才能打开；此前写入的内容完好，请腾出空间后重试",
)
_ROOM_BYTES = 1_000_000
"""What SQLite needs beside a file it has open: an index of 32 kB, and the pages of a transaction."""
_OTHER = Text("the {name} cannot be used: {why}", "{name}无法使用：{why}")


def words_for(error: sqlite3.DatabaseError, folder: Path) -> Text:
    """What to say of an error on a file in this folder."""
    if primary_code(error) == sqlite3.SQLITE_IOERR and _is_full(folder):
        return _NO_ROOM
    return _WORDS.get(primary_code(error), _OTHER)


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _ROOM_BYTES
    except OSError:
        return False


def primary_code(error: sqlite3.DatabaseError) -> int:
    """SQLite's primary result code; 0 where the error carries none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault: not a database, or a damaged one.

    A text that is no UTF-8 is told by Python's library and not by SQLite, so without a code.
    """
    if isinstance(error, sqlite3.OperationalError) and str(error).startswith("Could not decode to UTF-8"):
        return True
    return isinstance(error, DamagedError) or primary_code(error) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )
