"""The fonts a PDF sheet is set in, and which characters they have.

Typst draws a box where no font has a character and says nothing, so every character is looked up first.
``code_points.txt`` holds what the fonts have, one range a line; ``tests/sheets/pdf/make_code_points.py``
writes it.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib.resources import files

SANS = "Noto Sans SC"
SERIF = "Libertinus Serif"
MATH = "New Computer Modern Math"
MONO = "DejaVu Sans Mono"
FAMILIES = (SANS, SERIF, MATH, MONO)
"""The first stands in ``quizbank/sheets/fonts``; the others come with the compiler."""

# a line or paragraph break in a formula or a caption, which the compiler reads as white space
_SPACES = frozenset("\n\t ")


@cache
def code_points() -> frozenset[int]:
    """The characters that can be set, in every style a sheet uses."""
    text = (files("quizbank.sheets.pdf") / "code_points.txt").read_text(encoding="ascii")
    found: set[int] = set()
    for line in text.split():
        low, _, high = line.partition("-")
        found.update(range(int(low, 16), int(high or low, 16) + 1))
    return frozenset(found)


def missing(text: str) -> tuple[str, ...]:
    """The characters of a text that no font has, each once, in their order."""
    if text.isascii():
        return ()
    # a sheet of the whole bank has millions of characters, a few thousand different ones
    unknown = {c for c in set(text) if ord(c) not in code_points()} - _SPACES
    return tuple(dict.fromkeys(c for c in text if c in unknown)) if unknown else ()


def named(character: str) -> str:
    """A character and its number: ``镕 (U+9555)``; a combining mark stands on a circle."""
    shown = f"◌{character}" if unicodedata.combining(character) else character
    return f"{shown} (U+{ord(character):04X})"
