"""What is found out once on a machine: by key, from a file in the cache where it was found out before.

What is kept belongs to the code that found it out, as a kept proof does: the name of its file holds a digest of the
engine's source and of what else decides.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from engine.proof.derivation import engine_fingerprint
from quizbank.sheets.kept_file import read_kept, write_kept

Found = TypeVar("Found")


class Memo(Generic[Found]):
    """JSON values by key. ``code`` tells what decides them beside the engine; at most ``most`` are held at a time."""

    def __init__(self, name: str, code: Callable[[], str], most: int) -> None:
        self._name, self._code, self._most = name, code, most
        self._known: dict[str, Found] = {}
        self._new = False

    def get(self, key: str, find_out: Callable[[], Found]) -> Found:
        """What is known of the key. Raises what ``find_out`` does."""
        if key in self._known:
            return self._known[key]
        found = find_out()
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[key] = found
        self._new = True
        return found

    def remember(self, folder: Path) -> None:
        """Know what was kept in a folder."""
        held = read_kept(self._path(folder))
        if held is not None:
            self._known = {**json.loads(held), **self._known}

    def keep(self, folder: Path) -> None:
        """Keep what is known, where anything of it is new."""
        if self._new:
            # a copy: another thread may find something out meanwhile
            told = json.dumps(dict(self._known), ensure_ascii=False)
            write_kept(self._path(folder), told.encode("utf-8", "surrogatepass"))
            self._new = False

    def _path(self, folder: Path) -> Path:
        return folder / f"{self._name}-{engine_fingerprint()}-{self._code()}.json"
