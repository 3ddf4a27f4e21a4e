"""All cards, by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card

STUDY = Command(
    "study",
    ("s",),
    Text("Study these", "学习这些"),
    Text("review what is due of these cards, then new ones", "复习其中到期的，再学新卡"),
    2,
)


class BrowseScreen(Page):
    """The cards of one topic, those that a demonstration backs, or all."""

    HEADING = messages.BROWSE
    ABOUT = messages.BROWSE_ABOUT
    OFFERS = (STUDY,)

    def __init__(self, topic: str = "", demo: str = "") -> None:
        super().__init__()
        self.topic = topic
        self.demo = demo
        self.cards: tuple[Card, ...] | None = None

    def body(self) -> ComposeResult:
        yield Menu(id="cards")

    def heading(self) -> str:
        if self.demo:
            return self.say(messages.BROWSE_DEMO, demo=self.demo)
        return self.say(labels.TOPIC[self.topic]) if self.topic else self.say(self.HEADING)

    def begin(self) -> None:
        wanted = {"topics": (self.topic,) if self.topic else (), "demo": self.demo}
        self.later(lambda: self.proofdeck.workspace.matching(wanted), self._loaded)

    def _loaded(self, cards: tuple[Card, ...]) -> None:
        self.cards = cards
        self.show()
        self.frame()

    def show(self) -> None:
        if self.cards is None:
            self.query_one(Menu).fill([Item("loading", self.say(messages.LOADING), role="quiet")])
            return
        items: list[Item] = []
        topic = ""
        for card in self.cards:
            if card.topic != topic and not self.topic:
                items.append(Item(f"topic:{card.topic}", self.say(labels.TOPIC[card.topic]), role="heading"))
            topic = card.topic
            items.append(Item(card.id, self.say(card.question), note=self.say(labels.LEVEL[card.level])))
        self.query_one(Menu).fill(items or [Item("none", self.say(messages.SESSION_NO_CARD), role="text")])

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.card import CardScreen

        self.app.push_screen(CardScreen(event.item.id))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self.cards) if action == "study" else True

    def action_study(self) -> None:
        from tui.screens.study import StudyScreen

        self.app.push_screen(StudyScreen({"cards": tuple(card.id for card in self.cards or ())}))
