"""Places to write more than a line: prose for a recall, and Python."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from engine.text import Text
from tui.commands import BACK, Command, bindings
from tui.widgets.typed_line import Entered

LEAVE = Command(
    "leave",
    ("escape",),
    Text("Out of the text", "离开输入框"),
    Text("leave the text, so that single keys are commands again",
         "离开输入框，单个字母键恢复为命令"),
    # the way out is where it always is, and is never left out
    footer=BACK.footer,
)  # fmt: skip
FINISH = Command(
    "finish",
    ("enter",),
    Text("Done", "完成"),
    Text("the text stands as it is", "以当前文字为准"),
    1,
    palette=False,
)
NEW_LINE = Command(
    "new_line", ("ctrl+j",), Text("New line", "换行"), Text("begin a new line", "另起一行"), palette=False
)
INDENT = 4


class Left(Message):
    """The person wants out of the text, with nothing lost."""


_KEPT = [
    binding
    for binding in TextArea.BINDINGS
    if isinstance(binding, Binding) and binding.key not in ("f6", "f7")
]
"""F6 and F7 go from question to question here as anywhere."""


class Area(TextArea, inherit_bindings=False):
    """A text area without syntax colours or markup; Esc leaves it."""

    DEFAULT_CSS = """
    Area {
        height: 1fr; min-height: 3; border: none; padding: 0 1; background: $boost;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
    }
    Area:focus { border: none; }
    """
    OFFERS: ClassVar[tuple[Command, ...]] = (LEAVE,)
    BINDINGS: ClassVar[list[BindingType]] = [*_KEPT, *bindings("area", OFFERS)]

    def __init__(self, *, id: str | None = None, **options: Any) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id, compact=True, highlight_cursor_line=False, theme="css", **options)

    def action_leave(self) -> None:
        self.post_message(Left())


class ProseArea(Area):
    """A few sentences, wrapped. Enter is done; Ctrl+J begins a new line."""

    OFFERS = (FINISH, NEW_LINE, LEAVE)
    BINDINGS: ClassVar[list[BindingType]] = [*_KEPT, *bindings("prose", OFFERS)]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id, soft_wrap=True)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.action_finish()
        elif event.key == "ctrl+j":
            event.stop()
            event.prevent_default()
            self.action_new_line()

    def action_finish(self) -> None:
        self.post_message(Entered(self.text.strip()))

    def action_new_line(self) -> None:
        self.insert("\n")


class CodeArea(Area):
    """Python: Tab inserts spaces to the next stop, Enter keeps the indentation, Backspace takes a stop back."""

    DEFAULT_CSS = "CodeArea { min-height: 5; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id, soft_wrap=False, show_line_numbers=True, tab_behavior="indent")

    async def _on_key(self, event: events.Key) -> None:
        handled = True
        if event.key == "enter":
            self._new_line()
        elif event.key == "escape":
            self.action_leave()
        elif event.key == "backspace":
            handled = self._took_a_stop_back()
        else:
            handled = False
        if handled:
            event.stop()
            event.prevent_default()

    def _new_line(self) -> None:
        row, column = self.selection.start
        before = self.document[row][:column]
        indent = before[: len(before) - len(before.lstrip(" "))]
        if before.rstrip().endswith(":"):
            indent += " " * INDENT
        self.replace("\n" + indent, *self.selection, maintain_selection_offset=False)

    def _took_a_stop_back(self) -> bool:
        row, column = self.cursor_location
        before = self.document[row][:column]
        if not self.selection.is_empty or not before or before.strip(" "):
            return False
        start = (column - 1) // INDENT * INDENT
        self.delete((row, start), (row, column), maintain_selection_offset=False)
        return True
