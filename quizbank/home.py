"""Where the program keeps what belongs to a person: data, settings, caches.

``PROOFDECK_HOME`` puts all three in one folder; otherwise the platform's own places are used.
Nothing is created before it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError
from engine.text import Text
from quizbank.fault import shown

VARIABLE = "PROOFDECK_HOME"
IN_THE_WAY = Text("a file stands in its place", "该位置已有同名文件")


@dataclass(frozen=True)
class Home:
    """The three folders. They may not exist yet: ask :meth:`data_folder` before writing data.

    ``data`` holds the review log and the self-tests; ``config`` the settings; ``cache`` what can be
    made again at any time, so whoever uses it does without where it cannot be written.
    """

    data: Path
    config: Path
    cache: Path

    @classmethod
    def in_folder(cls, folder: Path) -> Home:
        """Everything in one folder."""
        return cls(folder, folder, folder / "cache")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Home:
        """The folders this process is to use.

        Raises:
            InputError: ``PROOFDECK_HOME`` names a user who is not there (``~nobody-like-this/x``), or a file.
        """
        given = (os.environ if environment is None else environment).get(VARIABLE, "")
        if given:
            try:
                folder = Path(os.path.abspath(Path(given).expanduser()))
                taken = not _may_be_a_folder(folder)
            except (RuntimeError, ValueError):
                raise _unusable(Path(given), Text("there is no such path", "路径不存在")) from None
            if taken:
                # also for a call that writes nothing: the name is a mistake
                raise _unusable(folder, IN_THE_WAY)
            return cls.in_folder(folder)
        import platformdirs

        name = "proofdeck"
        return cls(
            platformdirs.user_data_path(name, appauthor=False),
            platformdirs.user_config_path(name, appauthor=False),
            platformdirs.user_cache_path(name, appauthor=False),
        )

    def data_folder(self) -> Path:
        """The data folder, made if need be.

        Raises:
            InputError: it cannot be made or written; the message names the path and the way out.
        """
        return _usable(self.data)

    def config_folder(self) -> Path:
        """The folder of the settings, made if need be. Raises as :meth:`data_folder`."""
        return _usable(self.config)


def _may_be_a_folder(folder: Path) -> bool:
    """Is what there is of this path made of folders?"""
    there = next((place for place in (folder, *folder.parents) if os.path.exists(place)), None)
    return there is None or os.path.isdir(there)


def _usable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise _unusable(folder, IN_THE_WAY) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _unusable(folder, Text("it cannot be made ({r})", "无法创建（{r}）").filled(r=reason)) from None
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise _unusable(folder, Text("it cannot be written", "没有写入权限"))
    return folder


def _unusable(folder: Path, why: Text) -> InputError:
    path = shown(folder, 300)
    return InputError(
        Text(
            f"the folder {path} cannot be used: {why.en}; make it usable or set {VARIABLE} to another folder",
            f"文件夹 {path} 无法使用：{why.zh}；请修复它，或用 {VARIABLE} 指定另一个文件夹",
        )
    )
