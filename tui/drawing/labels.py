"""Labels above the columns of a matrix, whatever their script, inside the room there is."""

from __future__ import annotations

from itertools import pairwise

from rich.cells import cell_len, split_graphemes

from tui.drawing.rows import centre, clean, place, shorten


def column_labels(labels: list[str], cell: int, most: int) -> list[str]:
    """At most ``most`` lines that name columns ``cell`` cells wide.

    In order of preference: on one line; on two lines in turn; written downwards, as Chinese may be;
    every second, third … label only.
    """
    if not labels or most < 1:
        return []
    labels = [clean(label) for label in labels]
    widest = max(cell_len(label) for label in labels)
    width = cell * len(labels)
    if widest < cell or widest == cell == 1 or (widest == 2 and cell == 2 and most == 1):
        return ["".join(centre(label, cell) for label in labels)]
    at = [column * cell + (cell - 1) // 2 for column in range(len(labels))]
    named = [(start, label) for start, label in zip(at, labels, strict=True) if label]
    if len(named) < len(labels) and all(
        after - start > max(cell_len(label), cell_len(next_))
        for (start, label), (after, next_) in pairwise(named)
    ):
        # a name stands over the unnamed columns beside its own as well
        return [place(named, width)]
    if all(label.lstrip("-−").isdecimal() for label in labels):
        # positions are counted by the eye: every second, fifth, tenth … is enough
        every = _next_round(-(-(widest + 1) // cell))
        return [place(list(zip(at, labels, strict=True))[::every], width)]
    if widest < 2 * cell and most >= 2 and len(labels) > 2:
        return [place(list(zip(at, labels, strict=True))[turn::2], width) for turn in (0, 1)]
    upright = [_graphemes(label) for label in labels]
    if max(len(stack) for stack in upright) <= most and all(
        cell_len(one) <= cell for stack in upright for one in stack
    ):
        return _downwards(upright, cell)
    if cell >= 5:
        return ["".join(centre(shorten(label, cell - 1), cell) for label in labels)]
    return [place(zip(at, labels, strict=True), width)]


def _downwards(stacks: list[list[str]], cell: int) -> list[str]:
    """One character under another, ending just above the column."""
    tall = max(len(stack) for stack in stacks)
    return [
        "".join(centre(([""] * (tall - len(stack)) + stack)[line], cell) for stack in stacks)
        for line in range(tall)
    ]


def _graphemes(text: str) -> list[str]:
    spans, _ = split_graphemes(text)
    return [text[start:end] for start, end, _ in spans]


def _next_round(count: int) -> int:
    """The next of 1, 2, 5, 10, 20, 50 …"""
    size = 1
    while True:
        for digit in (1, 2, 5):
            if count <= digit * size:
                return digit * size
        size *= 10
