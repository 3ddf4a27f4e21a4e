"""A file of the cache: written whole or not at all, and begun with a digest of itself, so that damage counts as nothing."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

_SIZE = 16


def read_kept(path: Path) -> bytes | None:
    """What was kept, None where nothing was or it is damaged."""
    with suppress(OSError):
        held = path.read_bytes()
        if held[:_SIZE] == blake2b(held[_SIZE:], digest_size=_SIZE).digest():
            return held[_SIZE:]
    return None


def write_kept(path: Path, data: bytes) -> None:
    """Keep it. Without a cache it is made again, nothing more."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(blake2b(data, digest_size=_SIZE).digest() + data)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
