"""What belongs to the person: the folders, the log of reviews, the settings, the keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from engine.errors import InputError
from engine.text import Text, same
from quizbank.fault import Fault
from quizbank.home import VARIABLE, Home
from tui.doctor.finding import Finding

CHECKED_ENTRIES = 20_000
"""Entries up to which the schedule is compared with the replay of the log: a few seconds."""

_FOLDERS = {
    "data": Text("data folder", "数据文件夹"),
    "config": Text("settings folder", "设置文件夹"),
    "cache": Text("cache folder", "缓存文件夹"),
}
_NOT_YET = Text("{path} (made when it is needed)", "{path}（需要时建立）")
_NOT_WRITABLE = Text("{path} cannot be written", "{path} 不可写")
_GIVE_RIGHTS = Text(
    "make it writable, or name another place by {variable}", "请修改其权限，或用 {variable} 指定另一个位置"
)
_SLOW = Text(
    "numbers and proofs are computed anew each time until it can be written",
    "在可写之前，数值与证明每次都要重新计算",
)
_LOG = Text("review log", "复习记录")
_NO_LOG = Text("no reviews yet", "还没有复习记录")
_SOUND = Text("{n} {n:entry|entries}; the schedule is their replay", "共 {n} 条；排期与重放结果一致")
_SOUND_PAGES = Text("{n} {n:entry|entries}; the file is sound", "共 {n} 条；文件完好")
_WHOLE = Text(
    "`proofdeck log check` also compares the schedule with its replay",
    "`proofdeck log check` 还会把排期与重放结果对照",
)
_UNSOUND = Text("it is not sound", "不完好")
_RESTORE = Text(
    "`proofdeck log check` says what is wrong, `proofdeck log restore` brings back what a backup holds",
    "`proofdeck log check` 说明问题，`proofdeck log restore` 从备份补回",
)
_SETTINGS = Text("settings", "设置")
_KEYS = Text("keys", "按键")
_OWN_KEYS = Text("{n} of your own in {path}", "自定义 {n} 项，见 {path}")
_DEFAULTS = Text("none changed", "均为默认")
_MEND_SETTINGS = Text(
    "mend the line; until then the app goes on without what it sets, and the calls of the shell that go by the "
    "settings are refused",
    "请修改该行；在此之前，应用会忽略它所设的内容，需要读取设置的命令行调用则一律被拒绝",
)
_MEND_KEYS = Text(
    "mend the line; until then what it sets is as if it were not there",
    "请修改该行；在此之前它所设的内容不起作用",
)


def findings(home: Home) -> Iterator[Finding]:
    """The folders and what is in them. Nothing is made or changed."""
    for name in _FOLDERS:
        yield _folder(name, getattr(home, name))
    yield _log(home)
    yield _settings(home)
    yield _keys(home)


def _folder(name: str, path: Path) -> Finding:
    there = next((place for place in (path, *path.parents) if place.exists()), path)
    finding_id, called = f"files.{name}", _FOLDERS[name]
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        said = _NOT_WRITABLE.filled(path=path)
        if name == "cache":
            return Finding(finding_id, called, "note", said, str(path), _SLOW)
        return Finding(finding_id, called, "bad", said, str(path), _GIVE_RIGHTS.filled(variable=VARIABLE))
    return Finding(
        finding_id,
        called,
        "good",
        same(str(path)) if path.exists() else _NOT_YET.filled(path=path),
        str(path),
    )


def _log(home: Home) -> Finding:
    from quizbank.learning.log import FILE_NAME

    path = home.data / FILE_NAME
    if not path.exists():
        return Finding("files.log", _LOG, "good", _NO_LOG)
    entries, fault = _pages(path)
    if fault is not None:
        return Finding("files.log", _LOG, "bad", fault, None, _RESTORE)
    if entries > CHECKED_ENTRIES:
        return Finding(
            "files.log", _LOG, "good", _SOUND_PAGES.filled(n=entries), {"entries": entries}, _WHOLE
        )
    try:
        from quizbank.learning.opening import open_log

        with open_log(home) as log:
            sound = log.verify().ok
    except InputError as error:
        return Finding("files.log", _LOG, "bad", error.text, None, _RESTORE)
    if not sound:
        return Finding("files.log", _LOG, "bad", _UNSOUND, None, _RESTORE)
    return Finding("files.log", _LOG, "good", _SOUND.filled(n=entries), {"entries": entries})


def _pages(path: Path) -> tuple[int, Text | None]:
    """How many entries the file holds, looked at without opening it as ours: that would set a damaged one aside."""
    import sqlite3
    from contextlib import closing

    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2)
        ) as connection:
            said = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
            if said != "ok":
                return 0, same(said)
            return int(connection.execute("SELECT count(*) FROM entry").fetchone()[0]), None
    except sqlite3.Error as error:
        return 0, same(str(error))


def _settings(home: Home) -> Finding:
    from quizbank.settings import read_settings, settings_path

    _, faults = read_settings(home.config)
    path = settings_path(home.config)
    if faults:
        return _of_faults("files.settings", _SETTINGS, faults, _MEND_SETTINGS)
    said = same(str(path)) if path.exists() else _DEFAULTS
    return Finding("files.settings", _SETTINGS, "good", said, str(path))


def _keys(home: Home) -> Finding:
    from tui.commands import KEYMAP

    path = home.config / KEYMAP
    if not path.exists():
        return Finding("files.keys", _KEYS, "good", _DEFAULTS, str(path))
    from tui.keymap import read_keymap

    keys, faults = read_keymap(home.config)
    if faults:
        return _of_faults("files.keys", _KEYS, faults, _MEND_KEYS)
    return Finding("files.keys", _KEYS, "good", _OWN_KEYS.filled(n=len(keys), path=path), str(path))


def _of_faults(finding_id: str, name: Text, faults: tuple[Fault, ...], mend: Text) -> Finding:
    """A file with faults: each with its line, and what they mean until they are mended."""
    said = Text(
        "; ".join(fault.line("en") for fault in faults), "；".join(fault.line("zh") for fault in faults)
    )
    return Finding(finding_id, name, "bad", said, [fault.where for fault in faults], mend)
