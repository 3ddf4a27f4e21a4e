"""Prose set in rows: formulas laid out, Chinese wrapped by its rules."""

from __future__ import annotations

from functools import lru_cache

from engine.errors import InputError
from engine.notation.wrap import wrap


@lru_cache(maxsize=2048)
def laid(text: str, width: int) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Prose as rows of (text, kind); a text that cannot be read as prose is shown as it stands."""
    width = max(8, width)
    if text.isprintable() and not any(mark in text for mark in "$`") and not text.startswith("-"):
        # one plain paragraph, as on the first screen: no need to load what reads formulas
        return tuple(((line, "text"),) for line in wrap(text, width))
    from engine.notation.page import page

    try:
        return page(text, width)
    except InputError:
        from engine.notation.prose import clean

        return tuple(((line, "text"),) for line in wrap(clean(text), width))
