"""A card that is forgotten again and again: what may help more than one more review."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from tui import marking_messages as words
from tui import messages
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card

CHOICES = {
    "lab": words.LEECH_LAB,
    "derivation": words.LEECH_PROOF,
    "answer": words.LEECH_CARD,
    "note": words.LEECH_NOTE,
    "suspend": words.LEECH_SUSPEND,
    "": words.LEECH_ON,
}
NEEDS_DEMO = ("lab", "derivation")


class LeechScreen(Page):
    """``then`` gets what was picked: a panel of the card, ``note``, ``suspend``, or nothing."""

    HEADING = words.LEECH
    ABOUT = words.LEECH_ABOUT

    def __init__(self, card: Card, lapses: int, then: Callable[[str], Awaitable[None]]) -> None:
        super().__init__()
        self.card, self.lapses, self.then = card, lapses, then

    def body(self) -> ComposeResult:
        yield Menu()

    def show(self) -> None:
        menu = self.query_one(Menu)
        menu.offer(messages.DO_IT, messages.DO_IT_HELP)
        menu.fill(
            [
                Item("said", self.say(words.LEECH_SAID, n=self.lapses), role="text"),
                Item("question", self.say(self.card.question), role="strong"),
                *(
                    Item(choice, self.say(text))
                    for choice, text in CHOICES.items()
                    if self.card.demos or choice not in NEEDS_DEMO
                ),
            ]
        )

    async def on_menu_chosen(self, event: Menu.Chosen) -> None:
        self.app.pop_screen()
        await self.then(event.item.id)
