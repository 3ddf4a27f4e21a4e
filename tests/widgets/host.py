"""An app that holds nothing but the widgets under test."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
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

    def lines(self) -> list[str]:
        """What is on the screen, without styles."""
        return [
            "".join(segment.text for segment in strip).rstrip()
            for strip in self.screen._compositor.render_strips()
        ]

    @property
    def text(self) -> str:
        return "\n".join(self.lines())
