"""Find a command by typing: the same commands as the keys and the help."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.fuzzy import Matcher
from textual.widgets import Input

from engine.text import LANGUAGES
from tui import messages
from tui.commands import Command
from tui.screens.base import Page
from tui.widgets.menu import OPEN, Item, Menu

RUN = Command("run", ("enter",), messages.DO_IT, messages.DO_IT_HELP, footer=1, palette=False)


class PaletteScreen(Page):
    """What can be done on the screen below, filtered by what is typed in either language."""

    HEADING = messages.PALETTE
    ABOUT = messages.PALETTE_ABOUT
    OFFERS = (RUN,)

    def __init__(self, below: Page) -> None:
        super().__init__()
        self.below = below
        self.commands = [c for c in below.offers() if c.palette and c.action != OPEN.action]

    def body(self) -> ComposeResult:
        yield Input(select_on_focus=False, compact=True)
        yield Menu()

    def show(self) -> None:
        field = self.query_one(Input)
        field.placeholder = self.say(messages.PALETTE_HINT)
        field.focus()
        self._filter(field.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._filter(event.value)

    def _filter(self, typed: str) -> None:
        found = sorted(((self._score(command, typed), n, command) for n, command in enumerate(self.commands)),
                       key=lambda entry: (-entry[0], entry[1]))  # fmt: skip
        menu = self.query_one(Menu)
        items = [
            Item(
                command.action,
                self.say(messages.HELP_LINE, name=self.say(command.name), what=self.say(command.help)),
                note=" ".join(command.shown_keys(self.below.typing)[:1]),
            )
            for score, _, command in found
            if score > 0
        ]
        menu.fill(items or [Item("none", self.say(messages.PALETTE_NONE), role="text")],
                  at=items[0].id if items else None)  # fmt: skip

    def _score(self, command: Command, typed: str) -> float:
        if not typed.strip():
            return 1.0
        matcher = Matcher(typed.strip())
        return max(
            max(matcher.match(command.name.of(language)) * 2, matcher.match(command.help.of(language)))
            for language in LANGUAGES
        )

    def on_input_submitted(self) -> None:
        self.action_run()

    def action_run(self) -> None:
        self.query_one(Menu).action_choose()

    async def on_menu_chosen(self, event: Menu.Chosen) -> None:
        for command in self.commands:
            if command.action == event.item.id:
                self.app.pop_screen()
                # the command runs on the screen it belongs to, as if its key had been pressed there
                self.app.call_next(self.below.perform, command)
