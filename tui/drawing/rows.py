"""Rows of styled text and their width in terminal cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

Row: TypeAlias = list[tuple[str, str]]
"""Runs of (text, style) from left to right."""


def clean(text: str) -> str:
    """The text on one line, without anything that moves the cursor or changes the direction of writing."""
    if text.isascii() and text.isprintable():
        return text
    flat = " ".join(text.split())
    return "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for character in flat
        if not unicodedata.name(character, "").startswith("VARIATION SELECTOR")
    )


def shorten(text: str, cells: int) -> str:
    """The text in at most ``cells`` cells; an ellipsis says where something was left out."""
    text = clean(text)
    if cell_len(text) <= cells:
        return text
    if cells < 3:
        return set_cell_size(text, max(cells, 0)).rstrip()
    return set_cell_size(text, cells - 1).rstrip() + "…"


def in_columns(rows: Sequence[tuple[str, ...]], between: str) -> list[str]:
    """Each row as one text, with the parts of rows that have as many under one another, to the right."""
    widths: dict[int, list[int]] = {}
    for row in rows:
        before = widths.setdefault(len(row), [0] * len(row))
        widths[len(row)] = [max(cells, cell_len(part)) for cells, part in zip(before, row, strict=True)]
    return [
        between.join(right(part, cells) for cells, part in zip(widths[len(row)], row, strict=True))
        for row in rows
    ]


def left(text: str, cells: int) -> str:
    text = shorten(text, cells)
    return text + " " * (cells - cell_len(text))


def right(text: str, cells: int) -> str:
    text = shorten(text, cells)
    return " " * (cells - cell_len(text)) + text


def centre(text: str, cells: int) -> str:
    text = shorten(text, cells)
    gap = cells - cell_len(text)
    return " " * (gap // 2) + text + " " * (gap - gap // 2)


def row_cells(row: Row) -> int:
    return sum(cell_len(text) for text, _ in row)


def finish(row: Row, width: int) -> Row:
    """The row cut or filled to exactly ``width`` cells, empty runs left out, equal styles joined."""
    finished: Row = []
    room = width
    for text, style in row:
        cells = cell_len(text)
        if cells > room:
            text, cells = set_cell_size(text, room), room
        if text:
            if finished and finished[-1][1] == style:
                finished[-1] = (finished[-1][0] + text, style)
            else:
                finished.append((text, style))
        room -= cells
        if room == 0:
            break
    if room:
        finished.append((" " * room, ""))
    return finished


def plain_text(rows: Iterable[Row]) -> str:
    """The rows without their styles, one a line, white space at the ends left out."""
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


def place(labels: Iterable[tuple[int, str]], width: int) -> str:
    """Labels centred on their cells, left to right; one that would touch its neighbour is left out."""
    line, used = "", 0
    for cell, label in labels:
        cells = cell_len(label)
        start = min(max(cell - (cells - 1) // 2, 0), width - cells)
        if start < used + (1 if used else 0) or start < 0:
            continue
        line += " " * (start - used) + label
        used = start + cells
    return line
