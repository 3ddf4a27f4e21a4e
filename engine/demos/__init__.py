"""The demonstrations: one file each, found by its name, so adding one touches nothing else.

``d19_dot_product_variance.py`` is D19, also called ``dot-product-variance``.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Text

if TYPE_CHECKING:
    from engine.demonstration import Demonstration

_FILE = re.compile(r"d(\d{2,3})_([a-z0-9_]+)\.py")


@dataclass(frozen=True)
class Entry:
    """A demonstration known by its file alone; nothing is imported to list it."""

    id: str
    name: str
    module: str


@cache
def catalogue() -> tuple[Entry, ...]:
    """All demonstrations in the order of their numbers."""
    found = [
        Entry(f"D{match[1]}", match[2].replace("_", "-"), f"{__name__}.{path.stem}")
        for path in Path(__file__).parent.iterdir()
        if (match := _FILE.fullmatch(path.name))
    ]
    return tuple(sorted(found, key=lambda entry: int(entry.id[1:])))


def load(key: str) -> Demonstration:
    """The demonstration with this number (``D19``, any case) or name (``dot-product-variance``).

    Raises:
        InputError: no such demonstration; the message offers the nearest names.
    """
    entry = find(key)
    demo: Demonstration = importlib.import_module(entry.module).DEMO
    return demo


@cache
def _by_key() -> dict[str, Entry]:
    return {key: entry for entry in reversed(catalogue()) for key in (entry.id.lower(), entry.name)}


def find(key: str) -> Entry:
    """As :func:`load`, without importing the demonstration."""
    if (entry := _by_key().get(key.strip().lower())) is not None:
        return entry
    from difflib import get_close_matches

    names = [name for entry in catalogue() for name in (entry.id, entry.name)]
    near = get_close_matches(key, names, n=3) or [catalogue()[0].id, catalogue()[-1].id]
    shown = "".join(c if c.isprintable() else "�" for c in key)[:40]
    raise InputError(
        Text(
            "no demonstration is called {key}; nearest: {near} (proofdeck demo --list shows all)",
            "没有名为 {key} 的演示；相近的有 {near}（proofdeck demo --list 列出全部）",
        ).filled(key=shown, near=", ".join(near))
    )
