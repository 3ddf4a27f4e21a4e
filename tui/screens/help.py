"""Every key that works on the screen below, in full."""

from __future__ import annotations

from textual.app import ComposeResult

from tui import messages
from tui.commands import APP_COMMANDS, MOVES, Command
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu


class HelpScreen(Page):
    """The commands of the screen it was called on, made from the same objects as its keys."""

    HEADING = messages.HELP

    def __init__(self, below: Page) -> None:
        super().__init__()
        self.below = below
        self.commands = list(dict.fromkeys(below.offers()))

    def body(self) -> ComposeResult:
        yield Menu()

    def show(self) -> None:
        below = self.app.screen_stack[-2] if self.app.screen is self else self.app.screen_stack[-1]
        offered = list(dict.fromkeys(below.offers())) if isinstance(below, Page) else []
        moves = [self.proofdeck.with_keys(command, self) for command in MOVES]
        own = [command for command in offered if command not in moves]
        everywhere = [self.proofdeck.with_keys(command, self.app) for command in APP_COMMANDS]
        about = below.say(below.ABOUT) if isinstance(below, Page) else ""
        groups = (
            (messages.HELP_HERE, [command for command in own if command not in everywhere]),
            (messages.HELP_MOVING, moves),
            (messages.HELP_EVERYWHERE, [command for command in everywhere if command in own]),
        )
        items = [Item("about", about, role="text")] if about else []
        for heading, commands in groups:
            if commands:
                items.append(Item(heading.en, self.say(heading), role="heading"))
                items.extend(self._line(command) for command in commands)
        menu = self.query_one(Menu)
        menu.offer(messages.DO_IT, messages.DO_IT_HELP)
        menu.fill(items)

    def _line(self, command: Command) -> Item:
        keys = " ".join(command.shown_keys())
        name, what = self.say(command.name), self.say(command.help)
        return Item(command.action, self.say(messages.HELP_LINE, name=name, what=what), lead=keys)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        for command in self.commands:
            if command.action == event.item.id:
                self.app.pop_screen()
                self.app.call_next(self.below.perform, command)
