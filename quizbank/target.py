"""A file to be written: refused before any work where something is in the way, then written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from engine.errors import InputError
from engine.text import Text
from quizbank.fault import shown

EXISTS = Text("exists already; --force overwrites it", "已存在；加 --force 可覆盖")


def check_target(path: Path, force: bool) -> None:
    """Refuse, before any work, a target that exists or cannot be written.

    Raises:
        InputError: what is in the way and what to do.
    """
    if path.is_dir():
        raise InputError(
            Text("is a folder; name a file in it", "是文件夹；请指定其中的文件名"), shown(str(path))
        )
    if Path(os.path.realpath(path)).is_symlink():
        raise InputError(Text("is a link to itself", "是指向自身的链接"), shown(str(path)))
    if path.exists() and not path.is_file():
        raise InputError(Text("is no ordinary file", "不是普通文件"), shown(str(path)))
    if path.exists() and not force:
        raise InputError(EXISTS, shown(str(path)))
    folder = path.parent
    if not folder.is_dir():
        raise InputError(
            Text("there is no folder {folder}", "文件夹 {folder} 不存在").filled(folder=shown(str(folder))),
            shown(str(path)),
        )
    if not os.access(folder, os.W_OK):
        raise InputError(Text("its folder may not be written to", "其所在文件夹不可写"), shown(str(path)))


def write_whole(path: Path, content: str | bytes) -> None:
    """The content in place of whatever the path (or the file a link at it names) held; a fault leaves that as it was.

    Raises:
        InputError: it cannot be written.
    """
    with _made_beside(path, content) as (target, made):
        os.replace(made, target)


def write_with_folder(
    path: Path, content: str | bytes, folder: Path, files: Mapping[str, str | bytes], force: bool
) -> None:
    """A file, and files in a folder beside it (no folder where there are none); a fault leaves all as it was.

    Files of the folder that are not among ``files`` stay. Without ``force`` none of it may be there.

    Raises:
        InputError: it cannot be written, or one of the files exists.
    """
    if not files:
        write_whole(path, content)
        return
    there = next((folder / name for name in files if (folder / name).exists()), None)
    if there is not None and not force:
        raise InputError(EXISTS, shown(str(there)))
    with ExitStack() as stack:
        target, made = stack.enter_context(_made_beside(path, content))
        drawn = Path(stack.enter_context(_folder_beside(path)))
        for name, held in files.items():
            # hundreds of them: waiting for the disk after each would take as long as making them
            (drawn / name).write_bytes(_bytes(held))
        undo: list[tuple[Path, Path | None]] = []
        before = drawn / "before"
        is_new = not folder.exists()
        try:
            before.mkdir()
            folder.mkdir(exist_ok=True)
            for name in files:
                kept = None
                if (folder / name).exists():
                    kept = before / name
                    os.replace(folder / name, kept)
                undo.append((folder / name, kept))
                os.replace(drawn / name, folder / name)
            os.replace(made, target)
        except BaseException as error:
            for place, kept in reversed(undo):
                with suppress(OSError):
                    os.replace(kept, place) if kept is not None else place.unlink(missing_ok=True)
            if is_new:
                with suppress(OSError):
                    folder.rmdir()
            if isinstance(error, OSError):
                raise unwritable(folder, error) from error
            raise


@contextmanager
def _made_beside(path: Path, content: str | bytes) -> Iterator[tuple[Path, str]]:
    """The target behind the path, and a finished file beside it that is gone afterwards unless it was moved there."""
    # through a link to what it names, which a replacement would leave behind
    path = Path(os.path.realpath(path))
    made = ""
    try:
        _clear_left(path)
        number, made = tempfile.mkstemp(prefix=f"{_begun(path)}{os.getpid()}-", dir=path.parent)
        os.close(number)
        _write(Path(made), content)
        # a temporary file is its owner's alone; this one is as any file made here
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(made, 0o666 & ~mask)
        yield path, made
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with suppress(OSError):
            os.unlink(made)


@contextmanager
def _folder_beside(path: Path) -> Iterator[str]:
    path = Path(os.path.realpath(path))
    try:
        prefix = f"{_begun(path)}{os.getpid()}-"
        with tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as folder:
            yield folder
    except OSError as error:
        raise unwritable(path, error) from error


@cache
def _machine() -> str:
    """Tells this machine from another that writes to the same disk, whose processes nobody here can ask after."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:6]


def _begun(path: Path) -> str:
    """How the names begin of what stands beside a target while it is written; the number of the process follows."""
    return f".{path.stem[:40]}-proofdeck-{_machine()}-"


def _clear_left(path: Path) -> None:
    """Remove what an earlier process of this person's, killed on the way, had begun beside this target."""
    if os.name != "posix":
        # elsewhere to ask whether a process lives may end it
        return
    named = re.compile(rf"{re.escape(_begun(path))}(\d{{1,9}})-[a-z0-9_]{{8}}")
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            found = named.fullmatch(entry.name)
            if (
                found is None
                or _lives(int(found[1]))
                or entry.stat(follow_symlinks=False).st_uid != os.getuid()
            ):
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.is_file(follow_symlinks=False):
                os.unlink(entry.path)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _write(path: Path, content: str | bytes) -> None:
    with path.open("wb") as file:
        file.write(_bytes(content))
        file.flush()
        os.fsync(file.fileno())


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def unwritable(path: Path, error: OSError) -> InputError:
    """What to say of a file that could not be written."""
    return InputError(
        Text("cannot be written: {why}", "无法写入：{why}").filled(why=error.strerror or str(error)),
        shown(str(path)),
    )
