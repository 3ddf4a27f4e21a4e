"""The four buttons under a revealed answer, each with what pressing it will store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

MARK = "▸ "
"""Before the rating that is proposed."""


class GradeBar(Widget):
    """One row where it fits, else two: key, rating and interval of each button."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"grade--key"}
    DEFAULT_CSS = """
    GradeBar { height: auto; padding: 0 1; background: $boost; }
    GradeBar .grade--key { text-style: bold; background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    class Pressed(Message):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self) -> None:
        super().__init__()
        self._buttons: tuple[tuple[str, str], ...] = ()
        self._proposed: int | None = None

    def tell(self, buttons: Sequence[tuple[str, str]], proposed: int | None = None) -> None:
        """(rating, interval) of the buttons 1, 2, 3, 4, and the number of the one that is proposed."""
        self._buttons = tuple(buttons)
        self._proposed = proposed
        self.refresh(layout=True)

    def _rows(self, width: int) -> list[list[tuple[int, str]]]:
        """The buttons, all of one width, in as few rows as hold them."""
        cells = [
            f"{MARK if number == self._proposed else ''}{rating} {interval}".rstrip()
            for number, (rating, interval) in enumerate(self._buttons, 1)
        ]
        widest = max((cell_len(cell) for cell in cells), default=0) + 4 + 2
        a_row = next((count for count in (4, 2, 1) if count * widest - 2 <= width), 1)
        numbered = list(enumerate(cells, 1))
        return [numbered[start : start + a_row] for start in range(0, len(numbered), a_row)]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self._rows(width)))

    def render(self) -> Content:
        key = self.get_visual_style("grade--key")
        rows = self._rows(self.size.width)
        cell = self.size.width // max((len(row) for row in rows), default=1)
        lines = []
        for row in rows:
            parts: list[str | tuple[str, object]] = []
            for number, text in row:
                style = "bold" if number == self._proposed else ""
                parts += [(f" {number} ", key), (f" {text}", style), " " * max(0, cell - 4 - cell_len(text))]
            lines.append(Content.assemble(*parts))  # type: ignore[arg-type]
        return Content("\n").join(lines)

    def on_click(self, event: Click) -> None:
        rows = self._rows(self.size.width)
        if 0 <= event.y < len(rows):
            cell = self.size.width // max(1, max(len(row) for row in rows))
            at = min(len(rows[event.y]) - 1, max(0, event.x - 1) // max(1, cell))
            self.post_message(self.Pressed(rows[event.y][at][0]))
