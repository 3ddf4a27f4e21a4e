"""Handing a file to the desktop's own program for it, where there is a desktop."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from engine.errors import InputError
from engine.text import Text

PATIENCE = 4.0
"""Seconds in which an opener says that it cannot; one that is still there then is showing the file."""

NO_DESKTOP = Text("there is no desktop here to open it on", "此处没有可用来打开文件的桌面环境")


def opener() -> str | None:
    """The program that opens a file on this desktop; None where there is none, as over ssh."""
    if sys.platform == "darwin":
        # a person on another machine would open it where nobody looks
        return None if "SSH_CONNECTION" in os.environ else shutil.which("open")
    if sys.platform == "win32":
        return None if "SSH_CONNECTION" in os.environ else "start"
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return shutil.which("xdg-open")
    return None


def open_on_desktop(path: Path) -> None:
    """Open the file with what the desktop has for its kind.

    Raises:
        InputError: there is no desktop, or it has nothing for this file.
    """
    program = opener()
    if program is None:
        raise InputError(NO_DESKTOP)
    try:
        if program == "start":
            os.startfile(path)  # type: ignore[attr-defined]  # on Windows only
            return
        process = subprocess.Popen(
            [program, str(path.absolute())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise InputError(
            Text("{program} cannot be started: {why}", "无法启动 {program}：{why}").filled(
                program=program, why=error.strerror or type(error).__name__
            )
        ) from error
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return
    if status != 0:
        raise InputError(
            Text(
                "{program} found nothing to open it with (status {status})",
                "{program} 没有找到可以打开它的程序（状态 {status}）",
            ).filled(program=Path(program).name, status=status)
        )
