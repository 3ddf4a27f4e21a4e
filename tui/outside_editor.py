"""The person's own editor: the app steps aside while it writes a text, or shows a file at a line."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Text

if TYPE_CHECKING:
    from textual.app import App

LONGEST = 100_000
AT_PLUS = frozenset({
    "vi", "vim", "nvim", "view", "gvim", "mvim", "vimx", "nano", "pico", "emacs", "emacsclient", "kak", "micro", "joe",
    "jed", "mg", "ne", "gedit",
})  # fmt: skip
"""Editors that take ``+LINE`` before the file."""
AT_COLON = frozenset({"hx", "helix", "subl", "zed"})
"""Editors that take ``FILE:LINE``."""
AT_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
"""Editors that take ``FILE:LINE`` after ``--goto``."""


def edited_outside(app: App[int], text: str, name: str) -> str:
    """The text as it was saved in ``$VISUAL`` or ``$EDITOR``; ``name`` is what the file is called.

    Raises:
        InputError: no editor is named, it cannot be started or failed, this terminal cannot be given away, or
            what was saved cannot be used. The text of before stands then.
    """
    command = _command()
    with tempfile.TemporaryDirectory(prefix="proofdeck-") as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        if (status := _ran(app, [*command, str(path)])) != 0:
            raise InputError(
                Text(
                    "{editor} ended with {status}; the text stays as it was",
                    "{editor} 以状态 {status} 退出，文本保持不变",
                ).filled(editor=command[0], status=status)
            )
        return _read(path)


def opened_outside(app: App[int], path: Path, line: int) -> None:
    """Show a file in ``$VISUAL`` or ``$EDITOR``, at a line where the editor is one that can be told.

    Raises:
        InputError: no editor is named, it cannot be started or failed, or this terminal cannot be given away.
    """
    command = _command()
    if (status := _ran(app, [*command, *at_line(command[0], path.absolute(), line)])) != 0:
        raise InputError(
            Text("{editor} ended with {status}", "{editor} 以状态 {status} 退出").filled(
                editor=command[0], status=status
            )
        )


def at_line(editor: str, path: Path, line: int) -> list[str]:
    """The arguments that have an editor open a file at a line; of one that is not known, the file alone."""
    name = Path(editor).name.lower().removesuffix(".exe").removesuffix(".cmd")
    if name in AT_PLUS:
        return [f"+{line}", str(path)]
    if name in AT_COLON:
        return [f"{path}:{line}"]
    if name in AT_GOTO:
        return ["--goto", f"{path}:{line}"]
    return [str(path)]


def _ran(app: App[int], call: list[str]) -> int:
    """The exit status of an editor that had the terminal to itself."""
    from textual.app import SuspendNotSupported

    try:
        with app.suspend():
            return subprocess.run(call, check=False).returncode
    except SuspendNotSupported:
        raise InputError(
            Text("this terminal cannot be given to another program", "当前终端无法交给其他程序使用")
        ) from None
    except OSError as error:
        raise InputError(
            Text("{editor} cannot be started: {why}", "无法启动 {editor}：{why}").filled(
                editor=call[0], why=error.strerror or type(error).__name__
            )
        ) from error


def _command() -> list[str]:
    line = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    try:
        command = shlex.split(line)
    except ValueError:
        command = []
    if not command:
        raise InputError(
            Text(
                "no editor is named: set $EDITOR (or $VISUAL) to one, e.g. EDITOR=nano",
                "没有指定编辑器：请设置 $EDITOR（或 $VISUAL），例如 EDITOR=nano",
            )
        )
    return command


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > 4 * LONGEST:
            raise InputError(Text("what was saved is too long", "保存的内容过长"))
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(Text("what was saved is not UTF-8", "保存的内容不是 UTF-8")) from None
    except OSError:
        raise InputError(Text("the file that was edited is gone", "编辑的文件已不存在")) from None
    if len(text) > LONGEST or "\0" in text:
        raise InputError(Text("what was saved is too long, or no text", "保存的内容过长，或不是文本"))
    return text.replace("\r\n", "\n").replace("\r", "\n")
