"""The thirty seconds of a spoken answer: a bar that grows shorter, and the number beside it."""

from __future__ import annotations

import math
from typing import ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from engine.text import Text
from tui.widgets.chrome import clipped

FULL, EMPTY = "━", "·"

LEFT = Text("{n} s left", "剩余 {n} 秒")
OVER = Text("{n} s over", "超时 {n} 秒")
STOPPED = Text("clock stopped", "已停表")


class Countdown(Widget):
    """One row. The bar is told from its empty part by its shape, the rest is words: colour only adds to it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"countdown--left", "countdown--gone"}
    DEFAULT_CSS = """
    Countdown { height: 1; padding: 0 1; }
    Countdown .countdown--left { color: $text-accent; text-style: bold; }
    Countdown .countdown--gone { color: $text-muted; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._share = 1.0
        self._words = ""

    def tell(self, left_ms: int, limit_ms: int, words: str) -> None:
        """What is left of the limit; below zero the bar is empty. ``words`` say it as a number."""
        share = min(max(left_ms / limit_ms, 0.0), 1.0)
        if (share, words) != (self._share, self._words):
            self._share, self._words = share, words
            self.refresh()

    def render(self) -> Content:
        words = clipped(self._words, self.size.width)
        room = self.size.width - cell_len(words) - 2
        if room < 4:
            return Content(words)
        # empty only when nothing is left
        full = math.ceil(self._share * room)
        return Content.assemble(
            (FULL * full, self.get_visual_style("countdown--left")),
            (EMPTY * (room - full), self.get_visual_style("countdown--gone")),
            f"  {words}",
        )
