"""A list that is narrowed by typing words: the field above it, its keys, and the way between the two."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Input

from tui.screens.base import Page
from tui.screens.browse_words import CLEAR as ALL
from tui.screens.browse_words import FIND, OPEN_FOUND
from tui.screens.glossary_words import CLEAR_HELP
from tui.widgets.menu import Menu

CLEAR = ALL._replace(help=CLEAR_HELP, footer=2)


class FindingPage(Page):
    """The list follows every key. A subclass fills its menu in :meth:`narrow`, from what :attr:`typed` leaves."""

    OFFERS = (FIND, CLEAR, OPEN_FOUND)
    CSS = """
    #words { height: 1; padding: 0 1; }
    """

    def body(self) -> ComposeResult:
        yield self.field_of_words()
        yield Menu()

    def field_of_words(self) -> Input:
        return Input(id="words", select_on_focus=False, compact=True)

    @property
    def typed(self) -> str:
        """What the list is narrowed by. The key that finds, out of habit pressed in the field, is no part of it."""
        return self.query_one("#words", Input).value.lstrip("/、")

    def narrow(self, from_top: bool = False) -> None:
        """Fill the list with what is left; ``from_top``: the cursor on the first of it."""
        raise NotImplementedError

    def holds(self, *texts: str) -> bool:
        """Do the texts, together, hold every word that is typed?"""
        from quizbank.search import folded

        whole = folded("\n".join(texts))
        return all(word in whole for word in folded(self.typed).split())

    def on_input_changed(self) -> None:
        self.narrow(from_top=True)
        self.frame()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ("clear", "open_found"):
            return True
        # asked of a screen that is going, there is no field any more
        field = next(iter(self.query("#words").results(Input)), None)
        if field is None or action == "clear":
            return field is not None and bool(field.value)
        # the list's own Enter is offered while the list has the focus
        return field.has_focus and self.query_one(Menu).item is not None

    def action_find(self) -> None:
        # at once: what is typed right behind the key is meant for the field
        self.set_focus(self.query_one("#words", Input))
        self.frame()

    def action_clear(self) -> None:
        self.query_one("#words", Input).value = ""

    def on_input_submitted(self) -> None:
        self.action_open_found()

    def action_open_found(self) -> None:
        menu = self.query_one(Menu)
        # who comes back goes on in the list, and its keys are letters
        menu.focus()
        menu.action_choose()

    def leave(self) -> None:
        """From the words back to the list, from the list back to where one came from."""
        if self.query_one("#words", Input).has_focus:
            self.query_one(Menu).focus()
            self.frame()
        else:
            super().leave()
