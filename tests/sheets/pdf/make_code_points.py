"""Writes which characters the fonts of a PDF sheet have: ``python -m tests.sheets.pdf.make_code_points``.

The compiler holds three of the families inside its own library and cannot be asked what is in them, so
they are read out of it. Needs fontTools.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import typst
from fontTools.ttLib import TTFont

from quizbank.sheets.pdf import fonts

TARGET = Path(fonts.__file__).with_name("code_points.txt")
VENDORED = Path(fonts.__file__).parent.parent / "fonts" / "noto-sans-sc-gb2312-subset.otf"

STYLES = {
    fonts.SERIF: ("Regular", "Italic"),
    "NewComputerModern Math": ("Regular",),  # New Computer Modern Math, as the font names itself
    fonts.MONO: ("Book",),
}
"""The styles that a sheet uses, by family; a character counts where all of them have it."""


def code_points() -> frozenset[int]:
    """What is in the fonts, read from the fonts."""
    found = vendored()
    held = {(family, style): set[int]() for family, styles in STYLES.items() for style in styles}
    for font in _inside_the_compiler():
        names = font["name"]
        name = (
            names.getDebugName(16) or names.getDebugName(1),
            names.getDebugName(17) or names.getDebugName(2),
        )
        if held.get(name) == set():
            held[name] = set(font.getBestCmap())
    assert all(held.values()), f"not found in the compiler: {[name for name in held if not held[name]]}"
    for family, styles in STYLES.items():
        found |= set.intersection(*(held[family, style] for style in styles))
    return frozenset(found)


def vendored() -> set[int]:
    """What is in the font that stands in this repository."""
    return set(TTFont(io.BytesIO(VENDORED.read_bytes()), lazy=True).getBestCmap())


def _inside_the_compiler() -> Iterator[TTFont]:
    """The fonts in the compiler's library: each begins with its table directory."""
    (library,) = Path(typst.__file__).parent.glob("_typst*")
    data = library.read_bytes()
    for match in re.finditer(rb"OTTO\x00|\x00\x01\x00\x00\x00", data):
        start = match.start()
        tables = struct.unpack(">H", data[start + 4 : start + 6])[0]
        directory = data[start + 12 : start + 12 + 16 * tables]
        entries = list(struct.iter_unpack(">4sLLL", directory[: len(directory) // 16 * 16]))
        if not 8 <= len(entries) <= 30 or not all(re.fullmatch(rb"[A-Za-z0-9/ ]{4}", e[0]) for e in entries):
            continue
        end = max(offset + length for _, _, offset, length in entries)
        yield TTFont(io.BytesIO(data[start : start + end]), lazy=True)


def written(points: Iterable[int]) -> str:
    """Ranges of hexadecimal numbers, one a line."""
    ranges: list[list[int]] = []
    for point in sorted(points):
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(f"{low:X}\n" if low == high else f"{low:X}-{high:X}\n" for low, high in ranges)


if __name__ == "__main__":
    TARGET.write_text(written(code_points()), encoding="ascii")
