"""Compiled parts of long sheets, kept on this machine: where one card has changed, its part alone is compiled again.

A kept part belongs to what it was made of: its name is a digest of its source and drawings, of the compiler's version
and call, and of the fonts. It begins with a digest of itself; what is damaged counts as not kept.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

from quizbank.sheets.kept_file import read_kept, write_kept
from quizbank.sheets.pdf import compiler
from quizbank.sheets.pdf.source import Source

_ROOM = 64 * 2**20
"""Bytes of all kept parts together: the whole bank in a few ways. The longest unused go first."""


class Kept:
    """Parts in a folder. What cannot be read or written is made again, nothing more."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, source: Source, timestamp: int) -> bytes | None:
        """The PDF of a source, None where it is not kept."""
        path = self._path(source, timestamp)
        made = read_kept(path)
        with suppress(OSError):
            # what is used stays
            os.utime(path)
        return made

    def put(self, source: Source, timestamp: int, made: bytes) -> None:
        """Keep the PDF of a source."""
        write_kept(self._path(source, timestamp), made)

    def clear(self, room: int = _ROOM) -> None:
        """Remove the longest unused parts, until the others take no more than ``room``."""
        with suppress(OSError):
            found = [(path.stat(), path) for path in self.folder.iterdir()]
            for status, path in sorted(found, key=lambda each: -each[0].st_mtime_ns):
                room -= status.st_size
                if room < 0:
                    path.unlink(missing_ok=True)

    def _path(self, source: Source, timestamp: int) -> Path:
        told = json.dumps([_compiler(), timestamp, source.text, sorted(source.inputs.items())])
        return self.folder / f"{blake2b(told.encode(), digest_size=16).hexdigest()}.pdf"


@cache
def _compiler() -> str:
    """A digest of all that decides, beside a source, what is made of it."""
    digest = blake2b(version("typst").encode(), digest_size=16)
    for path in (Path(compiler.__file__), *sorted(compiler.FONTS.iterdir())):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
