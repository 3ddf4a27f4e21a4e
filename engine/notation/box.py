"""A rectangle of terminal text with a baseline, and how rectangles are put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from engine.notation.wide import pad, width


class Box(NamedTuple):
    """``rows`` of equal width in cells; ``baseline`` is the row that neighbours align on.

    ``above`` and ``below`` count the rows over and under the baseline that a delimiter around the
    box must span: a fraction's parts, but not scripts.
    """

    rows: tuple[str, ...]
    width: int
    baseline: int = 0
    above: int = 0
    below: int = 0

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def tall(self) -> bool:
        return bool(self.above or self.below)

    def __str__(self) -> str:
        return "\n".join(self.rows)


EMPTY = Box(("",), 0)


def text_box(text: str) -> Box:
    return Box((text,), width(text))


def beside(boxes: Sequence[Box]) -> Box:
    """Boxes side by side on one baseline."""
    boxes = [box for box in boxes if box.width]
    if not boxes:
        return EMPTY
    if len(boxes) == 1:
        return boxes[0]
    up = max(box.baseline for box in boxes)
    down = max(box.height - 1 - box.baseline for box in boxes)
    if up == down == 0:
        return Box(("".join(box.rows[0] for box in boxes),), sum(box.width for box in boxes))
    lines = [""] * (up + down + 1)
    for box in boxes:
        start = up - box.baseline
        blank = " " * box.width
        for number in range(len(lines)):
            inside = 0 <= number - start < box.height
            lines[number] += box.rows[number - start] if inside else blank
    return Box(
        tuple(lines),
        sum(box.width for box in boxes),
        up,
        max(box.above for box in boxes),
        max(box.below for box in boxes),
    )


def aligned(box: Box, cells: int, align: Literal["l", "c", "r"]) -> tuple[str, ...]:
    """The rows of a box within a greater width."""
    spare = cells - box.width
    left = {"l": 0, "c": spare // 2, "r": spare}[align]
    return tuple(" " * left + row + " " * (spare - left) for row in box.rows)


def stacked(boxes: Sequence[Box], baseline: int, align: Literal["l", "c", "r"] = "c") -> Box:
    """Boxes one under another; ``baseline`` is a row of the result. All of it is solid."""
    cells = max(box.width for box in boxes)
    rows = tuple(row for box in boxes for row in aligned(box, cells, align))
    return Box(rows, cells, baseline, baseline, len(rows) - 1 - baseline)


def shifted(rows: Sequence[str], cells: int, baseline: int, above: int = 0, below: int = 0) -> Box:
    """A box from rows that are not yet of one width."""
    return Box(tuple(pad(row, cells) for row in rows), cells, baseline, above, below)


_TALL = {
    "(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦", "|": "│││", "‖": "║║║", "⌊": "⎢⎢⎣", "⌋": "⎥⎥⎦", "⌈": "⎡⎢⎢", "⌉": "⎤⎥⎥",
    "⟦": "⎡⎢⎣", "⟧": "⎤⎥⎦",
}  # fmt: skip


def delimiter(mark: str, above: int, below: int) -> Box:
    """A delimiter that spans ``above`` rows over the baseline and ``below`` under it."""
    height = above + below + 1
    if not mark:
        return EMPTY
    if height == 1:
        return text_box(mark)
    if mark in "{}":
        top, side, middle, bottom = ("⎧", "⎪", "⎨", "⎩") if mark == "{" else ("⎫", "⎪", "⎬", "⎭")
        if height == 2:
            rows = ["⎰", "⎱"] if mark == "{" else ["⎱", "⎰"]
        else:
            at = min(max(above, 1), height - 2)
            rows = [top, *([side] * (height - 2)), bottom]
            rows[at] = middle
    elif mark in "⟨⟩":
        return _angle(mark, above, below)
    elif mark in "/\\":
        order = range(height - 1, -1, -1) if mark == "/" else range(height)
        line = "╱" if mark == "/" else "╲"
        return Box(
            tuple(" " * step + line + " " * (height - 1 - step) for step in order),
            height,
            above,
            above,
            below,
        )
    else:
        top, side, bottom = tuple(_TALL.get(mark, mark * 3))
        rows = [top, *([side] * (height - 2)), bottom]
    return Box(tuple(rows), 1, above, above, below)


def _angle(mark: str, above: int, below: int) -> Box:
    """A tall angle bracket; in an odd number of rows the small one is its point."""
    half, odd = divmod(above + below + 1, 2)
    steps = range(half - 1, -1, -1) if mark == "⟨" else range(half)
    up, down = ("╱", "╲") if mark == "⟨" else ("╲", "╱")
    point = 0 if mark == "⟨" else half - 1
    columns = [(up, step) for step in steps]
    columns += [(mark, point)] * odd
    columns += [(down, step) for step in reversed(steps)]
    rows = (" " * column + line + " " * (half - 1 - column) for line, column in columns)
    return Box(tuple(rows), half, above, above, below)
