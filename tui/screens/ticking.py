"""The key points of a recall that the person has not ticked yet, after the paper is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens.answering import to_tick
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.drills.graded import Graded

TOGGLE = Command(
    "tick",
    ("space",),
    Text("Tick", "勾选"),
    Text("say whether this point was in your answer", "标记你的回答是否包含这一点"),
    1,
)


class TickingScreen(Page):
    """Space ticks, Enter keeps. The points ticked at first are those the words of the answer suggest."""

    HEADING = messages.TICKING
    ABOUT = messages.TICK
    OFFERS = (TOGGLE,)

    def __init__(self, sitting: str, place: int, graded: Graded, question: Text | None) -> None:
        super().__init__()
        self.sitting = sitting
        self.place = place
        self.graded = graded
        self.question = question
        self.ticked = {point.id for point in graded.ticks if point.proposed}

    def body(self) -> ComposeResult:
        yield Menu(id="points")

    def begin(self) -> None:
        self.query_one(Menu).offer(messages.KEEP, messages.KEEP_HELP, 1)

    def show(self) -> None:
        from quizbank.papers.told import as_typed

        items = [] if self.question is None else [Item("question", self.say(self.question), role="strong")]
        given = as_typed(self.say(self.graded.given)) or self.say(labels.SAID_ALOUD)
        items.append(Item("given", given, role="text"))
        items.append(Item("tick", self.say(to_tick(self.graded.ticks)), role="quiet"))
        items += [
            Item(point.id, self.say(point.text), lead="[x]" if point.id in self.ticked else "[ ]")
            for point in self.graded.ticks
        ]
        self.query_one(Menu).fill(items)

    def action_tick(self) -> None:
        item = self.query_one(Menu).item
        if item is not None:
            self.ticked ^= {item.id}
            self.show()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        workspace, ticked = self.proofdeck.workspace, set(self.ticked)

        def keep() -> None:
            workspace.results.resume(workspace.grader, self.sitting).tick_points(ticked, self.place)

        self.later(keep, lambda _: self.leave())
