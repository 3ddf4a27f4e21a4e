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
        self.commands = list(below.offers())
        self.typing_below = False
        """Would a letter be text on the screen below? Then its letter keys are no keys."""

    def body(self) -> ComposeResult:
        yield Menu()

    def show(self) -> None:
        below = self.app.screen_stack[-2] if self.app.screen is self else self.app.screen_stack[-1]
        self.typing_below = isinstance(below, Page) and below.typing
        # what has no key of its own here is in the palette
        offered = (
            [command for command in below.offers() if command.shown_keys(self.typing_below)]
            if isinstance(below, Page)
            else []
        )
        moving, everywhere = ({command.action for command in each} for each in (MOVES, APP_COMMANDS))
        about = below.about() if isinstance(below, Page) else ""
        groups = (
            (messages.HELP_HERE, [each for each in offered if each.action not in moving | everywhere]),
            (messages.HELP_MOVING, [each for each in offered if each.action in moving]),
            (messages.HELP_EVERYWHERE, [each for each in offered if each.action in everywhere]),
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
        keys = " ".join(command.shown_keys(self.typing_below))
        name, what = self.say(command.name), self.say(command.help)
        return Item(command.action, self.say(messages.HELP_LINE, name=name, what=what), lead=keys)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        for command in self.commands:
            if command.action == event.item.id:
                self.app.pop_screen()
                self.app.call_next(self.below.perform, command)
