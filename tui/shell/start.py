"""Opening the app from the shell."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from engine.errors import InputError
from engine.text import Language, Text

Start = Literal["home", "study", "test", "interview", "derive"]


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
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            Text(
                "the app needs a terminal; `proofdeck --help` lists the calls that work without one",
                "应用需要在终端中打开；`proofdeck --help` 列出不需要终端的命令",
            )
        )
    home.data_folder()
    # collecting garbage while the lasting objects of the app are made costs a tenth of the time to the
    # first paint; the app turns it on again right after
    gc.disable()
    from tui.app import run

    return run(start=start, home=home, decks=tuple(decks), language=language, options=dict(options or {}))
