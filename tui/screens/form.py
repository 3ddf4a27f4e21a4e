"""A screen of fields: move with the arrows, change with left and right, Enter does it."""

from __future__ import annotations

from collections.abc import Iterator

from textual.widget import Widget
from textual.widgets import Input

from tui.screens.base import Page
from tui.widgets.fields import Picker


class FormPage(Page):
    """Moving up and down goes from field to field; ``action_go`` is what Enter does."""

    AUTO_FOCUS = "Picker, Input"
    CSS = "#outcome { margin-top: 1; height: auto; }"

    def fields(self) -> Iterator[Widget]:
        """The widgets that take the focus, from top to bottom."""
        yield from (widget for widget in self.query("Picker, Input") if widget.focusable and widget.display)

    def action_move(self, by: int) -> None:
        fields = list(self.fields())
        if self.focused in fields:
            place = fields.index(self.focused) + by
            if 0 <= place < len(fields):
                # at once: the next key may be in the same breath, and is meant for that field
                self.set_focus(fields[place])
        elif fields:
            self.set_focus(fields[0])

    def action_edge(self, direction: int) -> None:
        fields = list(self.fields())
        if fields:
            self.set_focus(fields[0 if direction < 0 else -1])

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        await self.run_action("go")

    def picker(self, name: str) -> Picker:
        return self.query_one(f"#{name}", Picker)
