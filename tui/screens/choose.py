"""One of several values, picked from a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult

from engine.text import Text
from tui import messages
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

PICK = Text("Pick", "选定")
PICK_HELP = Text("take this value and go back", "采用此值并返回")


class ChooseScreen(Page):
    """``items`` gives the entries in the language of the moment; ``then`` gets the id of the one picked."""

    ABOUT = messages.CHOOSE_ABOUT

    def __init__(
        self, heading: Text, items: Callable[[], Sequence[Item]], at: str, then: Callable[[str], None]
    ) -> None:
        super().__init__()
        self.HEADING = heading  # type: ignore[misc]
        self.items = items
        self.at = at
        self.then = then

    def body(self) -> ComposeResult:
        yield Menu(id="values")

    def show(self) -> None:
        menu = self.query_one(Menu)
        menu.offer(PICK, PICK_HELP)
        menu.fill(self.items(), at=menu.item.id if menu.item else self.at)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        self.app.pop_screen()
        self.then(event.item.id)
