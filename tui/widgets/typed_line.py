"""One line to type, a number or a formula, with how it is read beneath it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from engine.text import Text
from tui.commands import Command, bindings
from tui.widgets.fields import Entry
from tui.widgets.reading import Read, ReadingView

if TYPE_CHECKING:
    from tui.screens.base import Page


GIVE = Command(
    "give", ("enter",), Text("Answer", "作答"), Text("give this for the answer", "以此作答"), 1, palette=False
)


class Entered(Message):
    """The person is done with the answer as it stands."""

    def __init__(self, answer: str) -> None:
        super().__init__()
        self.answer = answer


class Edited(Message):
    """What stands there is no longer what was given."""


class TypedLine(Vertical):
    """``label`` and ``hint`` stand before and in the field; ``read`` as for :class:`ReadingView`."""

    DEFAULT_CSS = "TypedLine { height: auto; }"
    OFFERS = (GIVE,)
    BINDINGS = bindings("typed", OFFERS)

    def __init__(self, label: Text, hint: Text, read: Read | None, unit: str = "") -> None:
        super().__init__()
        self._label = label
        self._hint = hint
        self._unit = unit
        self._read = read
        self._first = ""

    def compose(self) -> ComposeResult:
        yield Entry(self._first, id="typed")
        yield ReadingView(self._read)

    def on_mount(self) -> None:
        self.show()
        self.query_one(ReadingView).follow(self.answer)

    def show(self) -> None:
        page = cast("Page", self.screen)
        unit = f" ({self._unit})" if self._unit else ""
        self.query_one(Entry).tell(page.say(self._label) + unit, page.say(self._hint))
        self.query_one(ReadingView).tell(page.language)

    @property
    def input(self) -> Input:
        return self.query_one(Entry).input

    @property
    def answer(self) -> str:
        return self.input.value.strip() if self.query(Input) else self._first

    def load(self, answer: str) -> None:
        """Put an answer in place of what stands there."""
        self._first = answer
        if self.query(Input):
            self.input.value = answer
            self.input.cursor_position = len(answer)

    def take_focus(self) -> None:
        self.input.focus()

    async def action_give(self) -> None:
        await self.input.action_submit()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(ReadingView).follow(event.value)
        self.post_message(Edited())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(Entered(event.value.strip()))
