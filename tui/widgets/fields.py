"""Rows of a form: pick one of several, or type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from engine.text import Text
from tui.commands import Command, bindings
from tui.widgets.chrome import clipped

LABEL_WIDTH = 18

NEXT = Command(
    "turn(1)",
    ("right", "l", "space"),
    Text("Change", "更改"),
    Text("the next value", "下一个值"),
    footer=10,
    palette=False,
)
PREVIOUS = Command(
    "turn(-1)",
    ("left", "h"),
    Text("Change back", "改回"),
    Text("the value before", "上一个值"),
    palette=False,
)


class Picker(Widget, can_focus=True):
    """One row: a label and one of several values, changed with the arrow keys."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"picker--value", "picker--label"}
    DEFAULT_CSS = """
    Picker { height: 1; padding: 0 1; }
    Picker .picker--value { text-style: bold; }
    Picker:focus .picker--value { background: $block-cursor-background; color: $block-cursor-foreground; }
    Picker .picker--label { color: $text-muted; }
    """
    OFFERS = (NEXT, PREVIOUS)
    BINDINGS = bindings("picker", OFFERS)

    class Changed(Message):
        def __init__(self, picker: Picker) -> None:
            super().__init__()
            self.picker = picker

        @property
        def control(self) -> Picker:
            return self.picker

    def __init__(self, *, id: str) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._label = ""
        self._options: list[tuple[str, str]] = []
        self._at = 0

    @property
    def value(self) -> str:
        return self._options[self._at][0] if self._options else ""

    def tell(self, label: str, options: Sequence[tuple[str, str]], value: str | None = None) -> None:
        """Label and (value, words) pairs; the value stays as it was unless one is given."""
        wanted = self.value if value is None else value
        self._label, self._options = label, list(options)
        self._at = next((n for n, (name, _) in enumerate(self._options) if name == wanted), 0)
        self.refresh()

    def choose(self, value: str) -> None:
        """Another value, from the program: posts nothing."""
        self.tell(self._label, self._options, value)

    def action_turn(self, by: int) -> None:
        if self._options:
            self._at = (self._at + by) % len(self._options)
            self.refresh()
            self.post_message(self.Changed(self))

    def on_click(self, event: Click) -> None:
        self.focus()
        self.action_turn(1)

    def render(self) -> Content:
        words = self._options[self._at][1] if self._options else ""
        mark = "▸ " if self.has_focus else "  "
        label = clipped(self._label, LABEL_WIDTH - 1)
        label += " " * (LABEL_WIDTH - cell_len(label))
        room = self.size.width - LABEL_WIDTH - 2 - 4
        return Content.assemble(
            mark,
            (label, self.get_visual_style("picker--label")),
            (f"‹ {clipped(words, max(4, room))} ›", self.get_visual_style("picker--value")),
        )


CHOOSE = NEXT._replace(name=Text("Choose", "选择"), help=Text("pick from the list", "从列表中选择"))


class Chooser(Picker):
    """One row as a picker's, whose value is chosen from a list that the screen opens when it hears :class:`Wanted`."""

    OFFERS = (CHOOSE,)

    class Wanted(Message):
        """The list is asked for."""

    def action_turn(self, by: int) -> None:
        self.post_message(self.Wanted())


class Entry(Horizontal):
    """One row: a label and a place to type, of the kind ``field``."""

    DEFAULT_CSS = """
    Entry { height: 1; padding: 0 1; }
    Entry > .entry--mark { width: 2; }
    Entry > .entry--label { width: 18; color: $text-muted; }
    Entry > Input { width: 1fr; margin: 0; height: 1; }
    """

    def __init__(self, value: str = "", *, id: str, field: type[Input] = Input) -> None:  # noqa: A002
        super().__init__(id=id)
        self._first = value
        self._field = field

    def compose(self) -> ComposeResult:
        yield Static("", classes="entry--mark", markup=False)
        yield Static("", classes="entry--label", markup=False)
        yield self._field(self._first, compact=True, select_on_focus=False)

    @property
    def input(self) -> Input:
        return self.query_one(Input)

    @property
    def value(self) -> str:
        return self.input.value.strip()

    def tell(self, label: str, hint: str = "") -> None:
        self.query_one(".entry--label", Static).update(Content(clipped(label, LABEL_WIDTH - 1)))
        self.input.placeholder = hint

    def on_descendant_focus(self) -> None:
        self.query_one(".entry--mark", Static).update(Content("▸ "))

    def on_descendant_blur(self) -> None:
        self.query_one(".entry--mark", Static).update(Content("  "))
