"""A path as it is typed: its folders are proposed, ``~`` and ``$NAME`` stand for what the shell makes of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from textual.suggester import Suggester
from textual.widgets import Input

from tui.background import in_thread

MOST_ENTRIES = 2000
"""Entries of a folder that are looked through for a proposal."""


class FolderInput(Input):
    """Proposes the rest of a folder's name; → at the end of the line takes it."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.suggester = Folders(use_cache=False, case_sensitive=True)


class Folders(Suggester):
    """The first folder, by name, that begins as what was typed."""

    async def get_suggestion(self, value: str) -> str | None:
        return await in_thread(lambda: completed(value))


def completed(typed: str) -> str | None:
    """What was typed up to the end of the folder it begins to name, with a slash; None where there is none."""
    before, slash, begun = typed.rpartition("/")
    if begun in ("", ".", ".."):
        return None
    folder = expanded(before + slash) if slash else Path()
    try:
        with os.scandir(folder) as entries:
            found = sorted(
                entry.name
                for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False)
                if entry.name.startswith(begun) and entry.name.isprintable() and entry.is_dir()
            )
    except (OSError, ValueError):
        return None
    return f"{before}{slash}{found[0]}/" if found else None


def expanded(typed: str) -> Path:
    """The path that was typed, with the home folder and the variables of the environment in their places."""
    try:
        return Path(os.path.expandvars(typed)).expanduser()
    except RuntimeError:
        # ~name of nobody: a file of that name
        return Path(typed)
