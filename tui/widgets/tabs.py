"""One row of panels, each under a key of its own; the open one is marked by a sign and reversed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget


class Tab(NamedTuple):
    id: str
    key: str
    name: str


class TabStrip(Widget):
    """Shortens to the keys alone, but for the open panel, where the names do not fit."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--key", "tabs--open"}
    DEFAULT_CSS = """
    TabStrip { height: 1; padding: 0 1; background: $boost; }
    TabStrip .tabs--key { text-style: bold; color: $text-accent; }
    TabStrip .tabs--open { text-style: bold; background: $block-cursor-background; color: $block-cursor-foreground; }
    """

    class Picked(Message):
        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self) -> None:
        super().__init__()
        self._tabs: tuple[Tab, ...] = ()
        self._open = ""

    def tell(self, tabs: Sequence[Tab], open_tab: str) -> None:
        self._tabs, self._open = tuple(tabs), open_tab
        self.refresh()

    def _labels(self) -> list[tuple[Tab, str]]:
        full = [(tab, f" {tab.key} {tab.name} ") for tab in self._tabs]
        if sum(cell_len(label) for _, label in full) <= self.size.width:
            return full
        return [(tab, label if tab.id == self._open else f" {tab.key} ") for tab, label in full]

    def render(self) -> Content:
        parts: list[Content] = []
        key, opened = self.get_visual_style("tabs--key", partial=True), self.get_visual_style("tabs--open")
        for tab, label in self._labels():
            if tab.id == self._open:
                parts.append(Content.styled("▸" + label[1:], opened))
            else:
                parts.append(Content.assemble(" ", (tab.key, key), label[2:]))
        return Content("").join(parts)

    def on_click(self, event: Click) -> None:
        at = 1
        for tab, label in self._labels():
            if at <= event.x < at + cell_len(label):
                self.post_message(self.Picked(tab.id))
            at += cell_len(label)
