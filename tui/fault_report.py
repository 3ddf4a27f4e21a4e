"""What a person reads of a fault that ends the app, and where the whole of it is written.

``TEXTUAL=debug`` in the environment shows Textual's own traceback instead, with the values of all variables.
"""

from __future__ import annotations

import os
import platform
import traceback
from importlib.metadata import version

from engine.errors import InputError
from engine.text import Language, Text
from quizbank.home import Home
from tui.cli import printable

FILE_NAME = "fault.txt"
"""The latest fault, in the data folder; no values of variables, so nothing that a person typed."""

_STOPPED = Text("Proofdeck stopped at a fault of its own: {what}", "Proofdeck 因自身故障而停止：{what}")
_STORED = Text(
    "Grades and answers given until then are stored; start it again to go on.",
    "此前的评分与作答都已保存；重新启动即可继续。",
)
_WRITTEN = Text(
    "The full report is in {path}; please attach it to an issue at the place Proofdeck came from, with the keys you pressed last.",
    "完整报告见 {path}；请到获取 Proofdeck 的地方提交 issue，附上此文件，并说明最后按了哪些键。",
)
_NOT_WRITTEN = Text(
    "The full report could not be written ({why}). Set TEXTUAL=debug to see it here the next time.",
    "完整报告无法写入（{why}）。设置 TEXTUAL=debug，下次会直接显示在这里。",
)


def line_of(error: BaseException, language: Language) -> str:
    """What happened: the message of an input error, the type, text and place of any other."""
    if isinstance(error, InputError):
        return error.line(language)
    what, where = what_and_where(error)
    return f"{what}（{where}）" if language == "zh" else f"{what} ({where})"


def what_and_where(error: BaseException) -> tuple[str, str]:
    """Type and text of an exception, and the file and line that raised it."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_filename.rpartition('/')[2]}:{place.tb_lineno}" if place else "?"
    return f"{type(error).__name__}: {error}"[:300], where


def report(error: BaseException, home: Home, language: Language) -> str:
    """Write the whole of it to a file; returns the lines for the person. Raises nothing."""
    path = home.data / FILE_NAME
    try:
        home.data_folder()
        path.write_text(_in_full(error), encoding="utf-8", errors="backslashreplace")
        written = _WRITTEN.filled(path=path)
    except (OSError, InputError) as fault:
        why = fault.text if isinstance(fault, InputError) else Text(*[fault.strerror or str(fault)] * 2)
        written = Text(_NOT_WRITTEN.en.format(why=why.en), _NOT_WRITTEN.zh.format(why=why.zh))
    lines = (_STOPPED.filled(what=line_of(error, language)), _STORED, written)
    return "\n".join(printable(line.of(language)) for line in lines)


def _in_full(error: BaseException) -> str:
    names = ("TERM", "COLORTERM", "TMUX", "STY", "LANG", "NO_COLOR")
    machine = [
        f"proofdeck {version('proofdeck')}, textual {version('textual')}, Python {platform.python_version()}",
        platform.platform(),
        ", ".join(f"{name}={os.environ[name]}" for name in names if name in os.environ),
    ]
    return "\n".join((*machine, "", *traceback.format_exception(error)))
