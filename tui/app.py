"""The app: one window, one language at a time, screens on a stack.

Importing this module is what loads Textual. Nothing here may import NumPy, SymPy, PyYAML or the
bank: they come after the first paint, in threads.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Textual's kitty-protocol parser loses a committed phrase of five or more Chinese characters, so it
# stays off unless the user asked for it. Textual reads this once, on import.
os.environ.setdefault("TEXTUAL_DISABLE_KITTY_KEY", "1")
# A key is painted at once all the same; what follows it within this frame comes in one picture, not in three. Textual
# lets one to two of these periods pass between pictures: at its own 60 that is up to 33 ms that a moved slider waits.
if "SSH_CONNECTION" in os.environ or "SSH_TTY" in os.environ:
    os.environ.setdefault("TEXTUAL_FPS", "20")
os.environ.setdefault("TEXTUAL_FPS", "90")

from textual import events
from textual.app import App
from textual.color import Color
from textual.dom import DOMNode
from textual.filter import Monochrome, NoColor
from textual.notifications import SeverityLevel
from textual.reactive import reactive
from textual.screen import Screen

from engine.errors import InputError
from engine.text import Language, Text
from tui import messages
from tui.commands import APP_COMMANDS, KEYMAP, Command, binding_keys, bindings
from tui.screens.base import Page
from tui.screens.home import HomeScreen
from tui.workspace import Workspace

if TYPE_CHECKING:
    from quizbank.fault import Fault
    from quizbank.home import Home
    from quizbank.settings import Preferences
    from tui.keymap import Keymap


class LateKey(events.Key):
    """A key on its second way, from the app to what has the focus by now."""


LateKey.handler_name = events.Key.handler_name

NOTICE_WIDTH = 56
MOST_FAULTS = 3
"""As many faults of the keys are told on the screen: a notice must not hide it."""
SWITCH = 0.001
"""Seconds a thread computes before it gives way to another; Python's own are 5 ms, a tenth of a key's time to paint."""
LIGHT_BACKGROUNDS = ("7", "15")
"""What terminals with a white background say in COLORFGBG."""
READABLE: dict[bool, dict[str, str]] = {
    True: {"block-cursor-background": "#005FA8", "text-disabled": "auto 62%"},
    False: {
        "text-accent": "#744600",
        "text-warning": "#744600",
        "text-success": "#1A5730",
        "text-disabled": "auto 68%",
    },
}
"""Where the colours of Textual's dark and light theme stay under a contrast of 4.5 on their own grounds."""
SCROLL_BARS = ("scrollbar", "scrollbar-hover", "scrollbar-active")


class ProofdeckApp(App[int]):
    """Proofdeck in a terminal."""

    TITLE = "Proofdeck"
    CSS_PATH = Path(__file__).with_name("app.tcss")
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = bindings("app", APP_COMMANDS)

    language: reactive[Language] = reactive("en", init=False)

    def __init__(
        self,
        home: Home,
        decks: tuple[Path, ...] = (),
        language: Language = "en",
        start: str = "home",
        options: Mapping[str, Any] | None = None,
        settings: tuple[Preferences, tuple[Fault, ...]] | None = None,
    ) -> None:
        super().__init__()
        # an empty NO_COLOR asks for nothing (no-color.org), though Textual takes it for a wish
        self.no_color = bool(os.environ.get("NO_COLOR"))
        self._filters = [each for each in self._filters if not isinstance(each, Monochrome | NoColor)]
        if self.no_color:
            from tui.monochrome import WithoutColour

            self._filters.append(WithoutColour(lambda: Color.parse(self.theme_variables["background"])))
        self.workspace = Workspace(home, decks, *(settings or ()))
        self.set_reactive(ProofdeckApp.language, language)
        self.start = start
        self.options = dict(options or {})
        self.own_keys: dict[str, tuple[str, ...]] = {}

    def get_default_screen(self) -> Screen[Any]:
        return HomeScreen()

    def first_painted(self) -> None:
        """The first screen stands: now the slow things may begin."""
        # the loop waits this long for a busy thread to give way, and waits at each of the turns that follow a key
        sys.setswitchinterval(SWITCH)
        # the shell holds collection back until here: collecting while thousands of lasting objects are
        # made costs a tenth of the start; what stands now is left out of later passes, but for what is garbage by now
        gc.collect()
        gc.freeze()
        gc.enable()
        if self.start == "study":
            from tui.screens.study import StudyScreen

            self.push_screen(StudyScreen(self.options))
        elif self.start == "test":
            from tui.screens.self_test import open_test

            self.push_screen(open_test(self.options))
        elif self.start == "interview":
            from tui.screens.interviews import open_interview

            self.push_screen(open_interview(self.options))
        elif self.start == "derive":
            from tui.screens.workbench import open_workbench

            self.push_screen(open_workbench(self.options))
        home = self.screen_stack[0]
        if isinstance(home, HomeScreen):
            home.refresh_counts()
            if (self.workspace.home.config / KEYMAP).exists():
                home.later(self._own_keys, self._take_keys, group="keys")

    def on_mount(self) -> None:
        self.take_theme()
        self.app_resume_signal.subscribe(self, self._paint_anew)
        if not self.is_headless:
            loop = asyncio.get_running_loop()
            for name in ("SIGTERM", "SIGHUP"):
                # ended from outside, the app still gives the terminal back as it was
                if (number := getattr(signal, name, None)) is not None:
                    with suppress(NotImplementedError):
                        loop.add_signal_handler(number, self.exit, None, 128 + number)

    def _paint_anew(self, _: object) -> None:
        """After Ctrl+Z and `fg` the terminal is empty, and Textual believes that all still stands there."""
        self.refresh(layout=True)

    def on_unmount(self) -> None:
        # a process of ours must not outlive the app, however it ends
        self.workspace.end_processes()
        gc.unfreeze()

    def take_theme(self) -> None:
        """The theme of the settings, else the one that goes with the terminal."""
        chosen = self.workspace.preferences.theme
        background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
        light = chosen == "light" or (chosen == "auto" and background in LIGHT_BACKGROUNDS)
        self.theme = "textual-light" if light else "textual-dark"

    # Language, theme ---------------------------------------------------------------------------

    def watch_language(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Page):
                screen.language_changed()

    def action_toggle_language(self) -> None:
        self.language = "en" if self.language == "zh" else "zh"
        self.keep("language", lambda: self.language)

    def keep(self, name: str, value: Callable[[], object]) -> None:
        """Write what a setting is when its turn comes; the newest of several is what stays."""
        from tui.background import in_thread

        async def write() -> None:
            try:
                await in_thread(lambda: self.workspace.keep(name, value))
            except InputError as error:
                self.notice(error.line(self.language), severity="warning")

        self.run_worker(write(), group="settings")

    def get_css_variables(self) -> dict[str, str]:
        variables = {**super().get_css_variables(), **READABLE[self.current_theme.dark]}
        if self.no_color:
            # what is no text has nothing but its ground to be seen by
            variables |= dict.fromkeys(SCROLL_BARS, variables["foreground"])
        return variables

    def action_toggle_theme(self) -> None:
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"
        self.keep("theme", lambda: "dark" if self.current_theme.dark else "light")

    def _own_keys(self) -> Keymap:
        from tui.keymap import read_keymap

        return read_keymap(self.workspace.home.config)

    def _take_keys(self, keymap: Keymap) -> None:
        self.use_keys(keymap.keys)
        for screen in self.screen_stack:
            if isinstance(screen, Page):
                # keys stand in lists and tabs too
                screen.language_changed()
        told = [fault.line(self.language) for fault in keymap.faults[:MOST_FAULTS]]
        if left := len(keymap.faults) - len(told):
            told.append(self.say(messages.MORE_FAULTS.filled(n=left)))
        if told:
            self.notice("\n".join(told), severity="warning")

    def use_keys(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        """A person's own keys from now on, by the id of what they do (:meth:`tui.commands.Command.id`)."""
        self.own_keys = dict(keys)
        self.set_keymap({name: binding_keys(keys) for name, keys in self.own_keys.items()})

    def with_keys(self, command: Command, node: DOMNode) -> Command:
        """The command of a screen or a widget, with the keys that work here."""
        if self.own_keys:
            for each in (one for cls in type(node).__mro__ for one in vars(cls).get("BINDINGS", ())):
                if each.action == command.action and each.id in self.own_keys:
                    return command._replace(keys=self.own_keys[each.id])
        return command

    # The way through ---------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """A key that nobody took. Where it came together with one that led into a field, it is meant for the field."""
        focused = self.focused
        if (
            focused is not None
            and not isinstance(event, LateKey)
            and focused.check_consume_key(event.key, event.character)
        ):
            focused._forward_event(LateKey(event.key, event.character))
            # the app's own handler would look for a command of this name
            event.prevent_default()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back":
            return len(self.screen_stack) > 1
        return super().check_action(action, parameters)

    async def action_back(self) -> None:
        if isinstance(self.screen, Page):
            self.screen.leave()

    def action_help(self) -> None:
        from tui.screens.help import HelpScreen

        if isinstance(self.screen, Page) and not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_palette(self) -> None:
        from tui.screens.palette import PaletteScreen

        if isinstance(self.screen, Page) and not isinstance(self.screen, PaletteScreen):
            self.push_screen(PaletteScreen(self.screen))

    async def action_quit(self) -> None:
        self.exit(0)

    def action_help_quit(self) -> None:
        """Ctrl+C with nothing selected: say how to leave instead of leaving by accident."""
        if isinstance(self.screen, Page):
            self.notice(self.screen.say(messages.HOW_TO_QUIT))

    def _fatal_error(self) -> None:
        # Textual's own prints hundreds of lines, with the values of all variables
        from rich.text import Text as Plain

        from tui.fault_report import report

        error = sys.exc_info()[1] or self._exception
        if error is None or "debug" in self.features:
            super()._fatal_error()
            return
        self.bell()
        said = report(error, self.workspace.home, self.language)
        self._exit_renderables.append(Plain(said, overflow="fold"))
        self._close_messages_no_wait()

    # Notices -----------------------------------------------------------------------------------

    def notice(self, message: str, *, title: str = "", severity: SeverityLevel = "information") -> None:
        """A toast that shows what it is given, brackets and all, wrapped by the rules of its language."""
        from engine.notation.wrap import wrap

        width = max(16, min(NOTICE_WIDTH, self.size.width - 6))
        lines = [line for paragraph in message.splitlines() for line in wrap(paragraph, width)]
        text = "\n".join(lines)
        for shown in [one for one in self._notifications if (one.message, one.title) == (text, title)]:
            # said again, it stands once, and as long as if it were new
            self._unnotify(shown, refresh=False)
        self.notify(text, title=title, severity=severity, markup=False)

    def tell_notices(self) -> None:
        """What a person should know about files opened since: set aside, taken over; each once."""
        for notice in self.workspace.untold():
            self.notice(self.say(notice), severity="warning")

    def say(self, text: Text) -> str:
        return text.of(self.language)


def run(
    start: str,
    home: Home,
    decks: tuple[Path, ...] = (),
    language: Language = "en",
    options: Mapping[str, Any] | None = None,
    settings: tuple[Preferences, tuple[Fault, ...]] | None = None,
) -> int:
    """Open the app at a screen (``home``, ``study``, ``test``, ``derive`` …) and return its exit status."""
    from tui.pasting import filter_pastes

    app = ProofdeckApp(home, decks, language, start, options, settings)
    filter_pastes(app.driver_class)
    try:
        status = app.run()
    finally:
        app.workspace.close()
    return app.return_code or status or 0
