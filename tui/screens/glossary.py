"""The terms of the field in both languages, found as one types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widgets import Input

from engine.text import LANGUAGES
from tui import messages
from tui.screens import glossary_words as words
from tui.screens.base import Page
from tui.screens.browse_words import CLEAR as ALL
from tui.screens.browse_words import FIND, OPEN_FOUND
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.glossary import Glossary, Term

CLEAR = ALL._replace(help=words.CLEAR_HELP, footer=2)


class GlossaryScreen(Page):
    """The terms that match; the list and the count follow every key."""

    HEADING = words.GLOSSARY
    ABOUT = words.ABOUT
    OFFERS = (FIND, CLEAR, OPEN_FOUND)
    AUTO_FOCUS = "Input"
    CSS = """
    GlossaryScreen #words { height: 1; margin: 0; padding: 0 1; border: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.glossary: Glossary | None = None
        self.terms: list[Term] = []

    def body(self) -> ComposeResult:
        yield Input(id="words", select_on_focus=False, compact=True)
        yield Menu(id="terms")

    def status(self) -> str:
        if self.glossary is None:
            return ""
        return self.say(words.COUNT, n=len(self.terms), of=len(self.glossary.terms))

    def begin(self) -> None:
        self.later(lambda: self.proofdeck.workspace.bank.glossary, self._loaded)

    def _loaded(self, glossary: Glossary) -> None:
        self.glossary = glossary
        self.show()
        self.frame()

    def show(self) -> None:
        self.query_one("#words", Input).placeholder = self.say(words.HINT)
        self._search()

    def _search(self, from_top: bool = False) -> None:
        menu = self.query_one(Menu)
        if self.glossary is None:
            menu.fill([Item("loading", self.say(messages.LOADING), role="quiet")])
            return
        self.terms = self.glossary.found(self.query_one("#words", Input).value, self.language)
        items = [self._item(term) for term in self.terms]
        menu.fill(
            items or [Item("none", self.say(words.NONE), role="text")],
            at=items[0].id if items and from_top else None,
        )

    def _item(self, term: Term) -> Item:
        own = self.language
        other = next(language for language in LANGUAGES if language != own)
        names = dict.fromkeys((term.name.of(own), term.name.of(other), *term.also))
        return Item(
            term.key,
            " · ".join(names),
            note=self.say(messages.HAS_CARD) if term.card else "",
            detail=term.means.of(own),
        )

    def on_input_changed(self) -> None:
        self._search(from_top=True)
        self.frame()
        self.refresh_bindings()

    # What a person does -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        field = self.query_one("#words", Input)
        if action == "clear":
            return bool(field.value)
        if action == "open_found":
            # the list's own Enter is offered while the list has the focus
            return field.has_focus and self.query_one(Menu).item is not None
        return True

    def action_find(self) -> None:
        self.query_one("#words", Input).focus()
        self.frame()

    def action_clear(self) -> None:
        self.query_one("#words", Input).value = ""

    def on_input_submitted(self) -> None:
        self.action_open_found()

    def action_open_found(self) -> None:
        self.query_one(Menu).action_choose()

    def leave(self) -> None:
        """From the words back to the list, from the list back to where one came from."""
        if self.query_one("#words", Input).has_focus:
            self.query_one(Menu).focus()
            self.frame()
        else:
            super().leave()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        term = next(term for term in self.terms if term.key == event.item.id)
        if term.card and term.card in self.proofdeck.workspace.bank:
            from tui.screens.card import CardScreen

            self.app.push_screen(CardScreen(term.card))
        else:
            self.proofdeck.notice(self.say(words.NO_CARD, term=term.name))
