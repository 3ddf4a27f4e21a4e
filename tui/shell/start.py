"""Opening the app from the shell."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.errors import InputError
from engine.text import Language, Text

if TYPE_CHECKING:
    from quizbank.home import Home

Start = Literal["home", "study", "test", "interview", "derive"]


def with_own(home: Home, decks: Sequence[Path]) -> tuple[Path, ...]:
    """The decks of the settings that are there, and these."""
    from quizbank.settings import read_settings

    return tuple(dict.fromkeys((*read_settings(home.config)[0].decks, *decks)))


def open_app(
    start: Start,
    language: Language,
    decks: Sequence[Path] = (),
    options: Mapping[str, object] | None = None,
) -> int:
    """Open the app at a screen; returns its exit status.

    Raises:
        InputError: no terminal to open it in, or a data folder that cannot be used.
    """
    from quizbank.home import Home

    home = Home.from_environment()
    # in a browser its driver speaks to the server through pipes (Textual's own variable)
    in_browser = bool(os.environ.get("TEXTUAL_DRIVER"))
    if not in_browser and os.environ.get("TERM") == "dumb":
        raise InputError(
            Text(
                "this terminal (TERM=dumb) has no screen to draw on; study, test, interview and demo work in it line by line",
                "此终端（TERM=dumb）无法绘制界面；study、test、interview、demo 可在其中逐行使用",
            )
        )
    if not in_browser and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            Text(
                "the app needs a terminal; `proofdeck --help` lists the calls that work without one",
                "应用需要在终端中打开；`proofdeck --help` 列出不需要终端的命令",
            )
        )
    home.data_folder()
    from quizbank.settings import read_settings

    settings = read_settings(home.config)
    # collecting garbage while the lasting objects of the app are made costs a tenth of the time to the
    # first paint; the app turns it on again right after
    gc.disable()
    from tui.app import run

    return run(start, home, tuple(decks), language, dict(options or {}), settings)
