"""The first and the last rows of every screen: its title, and the keys that work on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

SECONDARY, OPTIONAL, COMMON = 50, 60, 80
"""Ranks in the footer: below 50 the screen's own, from 50 on what is seldom wanted, from 60 on what goes
without saying, from 80 on every screen's."""


class TitleBar(Widget):
    """One row: where you are on the left, how far you are on the right."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"title--status"}
    DEFAULT_CSS = """
    TitleBar { height: 1; padding: 0 1; background: $primary-muted; color: $text; text-style: bold; }
    TitleBar .title--status { text-style: not bold; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        self._status = ""
        self._more = ""

    def tell(self, title: str, status: str = "") -> None:
        if (title, status) != (self._title, self._status):
            self._title, self._status = title, status
            self.refresh()

    def hint(self, more: str) -> None:
        """Where the page can be scrolled to, e.g. ``↓ more``; empty when all of it is on screen."""
        if more != self._more:
            self._more = more
            self.refresh()

    def render(self) -> Content:
        width = self.size.width
        right = "  ".join(part for part in (self._status, self._more) if part)
        right = clipped(right, width)
        left = clipped(self._title, max(0, width - cell_len(right) - (2 if right else 0)))
        gap = " " * max(0, width - cell_len(left) - cell_len(right))
        return Content.assemble(left, gap, (right, self.get_visual_style("title--status", partial=True)))


class KeyBar(Widget):
    """The keys of the screen and what they do, in one row or two; what does not fit is under ``?``."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"keys--key"}
    ROWS = 2
    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: auto; padding: 0 1; background: $panel; color: $text; }
    KeyBar .keys--key { text-style: bold; color: $text-accent; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._pairs: Sequence[tuple[int, str, str]] = ()

    def offer(self, pairs: Sequence[tuple[int, str, str]]) -> None:
        """(rank, key, name) in the order of ranks; the highest ranks are those of every screen and stay."""
        if tuple(pairs) != self._pairs:
            self._pairs = tuple(pairs)
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self.rows(width)))

    def rows(self, width: int) -> list[list[tuple[str, str]]]:
        """The pairs laid in at most two rows: the least important of the screen's own are left out first.

        What is seldom wanted is there where one row holds all; what goes without saying, where it costs no row.
        """
        pairs = list(self._pairs)
        if len(_flow([pair[1:] for pair in pairs], width)) > 1:
            pairs = [pair for pair in pairs if not SECONDARY <= pair[0] < OPTIONAL]
        needed = [pair for pair in pairs if not OPTIONAL <= pair[0] < COMMON]
        if len(_flow([pair[1:] for pair in needed], width)) < len(_flow([pair[1:] for pair in pairs], width)):
            pairs = needed
        while True:
            rows = _flow([(key, name) for _, key, name in pairs], width)
            if len(rows) <= self.ROWS:
                return rows
            own = [place for place, (rank, _, _) in enumerate(pairs) if rank < COMMON]
            del pairs[own[-1] if own else 0]

    def render(self) -> Content:
        style = self.get_visual_style("keys--key", partial=True)
        rows = [
            Content("  ").join(Content.assemble((key, style), f" {name}") for key, name in row)
            for row in self.rows(self.size.width)
        ]
        return Content("\n").join(rows)


def _flow(pairs: Sequence[tuple[str, str]], width: int) -> list[list[tuple[str, str]]]:
    rows: list[list[tuple[str, str]]] = []
    used = 0
    for key, name in pairs:
        need = cell_len(key) + 1 + cell_len(name)
        if rows and used + 2 + need <= width:
            rows[-1].append((key, name))
            used += 2 + need
        else:
            rows.append([(key, name)])
            used = need
    return rows


def clipped(text: str, width: int) -> str:
    """``text`` in at most ``width`` cells, ending in an ellipsis where it had to be cut."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > width - 1:
        text = text[:-1]
    return text + "…" if width > 0 else ""
