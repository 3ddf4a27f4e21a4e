"""An app that holds nothing but the widgets under test."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from tui.widgets.slider import Slider


class Host(App[None]):
    CSS = "Screen { layout: vertical; }"

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        self.widgets = widgets
        self.heard: list[Any] = []

    def compose(self) -> ComposeResult:
        yield from self.widgets

    def on_slider_changed(self, event: Slider.Changed) -> None:
        self.heard.append((event.name, event.value))

    def on_derivation_view_wanted(self, event: Any) -> None:
        self.heard.append(event.index)

    async def resized(self, pilot: Pilot[None], width: int, height: int) -> None:
        """Resize the terminal, and wait until the widgets are laid out in it."""
        await pilot.resize_terminal(width, height)
        for _ in range(500):
            await pilot.pause()
            if self.screen.size == (width, height) and all(one.size.width <= width for one in self.widgets):
                return
        raise AssertionError("the widgets keep their size")

    def lines(self) -> list[str]:
        """What is on the screen, without styles."""
        return [
            "".join(segment.text for segment in strip).rstrip()
            for strip in self.screen._compositor.render_strips()
        ]

    @property
    def text(self) -> str:
        return "\n".join(self.lines())
