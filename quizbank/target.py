"""A file to be written: refused before any work where something is in the way, then written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from engine.errors import InputError
from engine.text import Text
from quizbank.fault import shown


def check_target(path: Path, force: bool) -> None:
    """Refuse, before any work, a target that exists or cannot be written.

    Raises:
        InputError: what is in the way and what to do.
    """
    if path.is_dir():
        raise InputError(
            Text("is a folder; name a file in it", "是文件夹；请指定其中的文件名"), shown(str(path))
        )
    if path.exists() and not path.is_file():
        raise InputError(Text("is no ordinary file", "不是普通文件"), shown(str(path)))
    if path.exists() and not force:
        raise InputError(
            Text("exists already; --force overwrites it", "已存在；加 --force 可覆盖"), shown(str(path))
        )
    folder = path.parent
    if not folder.is_dir():
        raise InputError(
            Text("there is no folder {folder}", "文件夹 {folder} 不存在").filled(folder=shown(str(folder))),
            shown(str(path)),
        )
    if not os.access(folder, os.W_OK):
        raise InputError(Text("its folder may not be written to", "其所在文件夹不可写"), shown(str(path)))


def write_whole(path: Path, text: str) -> None:
    """The text in place of whatever the path (or the file a link at it names) held; a fault leaves that as it was.

    Raises:
        InputError: it cannot be written.
    """
    # through a link to what it names, which a replacement would leave behind
    path = path.resolve()
    made = ""
    try:
        number, made = tempfile.mkstemp(prefix=f".{path.stem[:40]}-", dir=path.parent)
        with open(number, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # a temporary file is its owner's alone; this one is as any file made here
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(made, 0o666 & ~mask)
        os.replace(made, path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with suppress(OSError):
            os.unlink(made)


def unwritable(path: Path, error: OSError) -> InputError:
    """What to say of a file that could not be written."""
    return InputError(
        Text("cannot be written: {why}", "无法写入：{why}").filled(why=error.strerror or str(error)),
        shown(str(path)),
    )
