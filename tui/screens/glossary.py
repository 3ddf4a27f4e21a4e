"""The terms of the field in both languages, found as one types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from engine.text import LANGUAGES
from tui import messages
from tui.screens import glossary_words as words
from tui.screens.finding import FindingPage
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.glossary import Glossary, Term


class GlossaryScreen(FindingPage):
    """The terms that match; the list and the count follow every key."""

    HEADING = words.GLOSSARY
    ABOUT = words.ABOUT
    AUTO_FOCUS = "Input"

    def __init__(self) -> None:
        super().__init__()
        self.glossary: Glossary | None = None
        self.terms: list[Term] = []

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
        self.narrow()

    def narrow(self, from_top: bool = False) -> None:
        menu = self.query_one(Menu)
        if self.glossary is None:
            menu.fill([Item("loading", self.say(messages.LOADING), role="quiet")])
            return
        self.terms = self.glossary.found(self.typed, self.language)
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

    # What a person does -------------------------------------------------------------------------

    def action_open_found(self) -> None:
        # one term after the other is looked up: the words keep the keys
        self.query_one(Menu).action_choose()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        term = next(term for term in self.terms if term.key == event.item.id)
        if term.card and term.card in self.proofdeck.workspace.bank:
            from tui.screens.card import CardScreen

            self.app.push_screen(CardScreen(term.card))
        else:
            self.proofdeck.notice(self.say(words.NO_CARD, term=term.name))
