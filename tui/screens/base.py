"""What every screen of the app shares: title, keys, scrolling, language, slow work and faults."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget

from engine.errors import InputError
from engine.text import Language, Text, fill
from tui import messages
from tui.background import in_thread
from tui.commands import APP_COMMANDS, KNOWN, MOVES, Command, bindings, in_footer, keys_named
from tui.widgets.chrome import KeyBar, TitleBar
from tui.widgets.menu import Scrolled

if TYPE_CHECKING:
    from tui.app import ProofdeckApp

T = TypeVar("T")


@runtime_checkable
class Movable(Protocol):
    """What scrolls or has a cursor, and can say how much lies above and below what is on screen."""

    def move(self, by: int) -> None: ...

    def page(self, direction: int) -> None: ...

    def edge(self, direction: int) -> None: ...

    def scroll_hint(self) -> tuple[int, int]: ...


def scope_of(page: type) -> str:
    """What a keymap file calls a screen: ``home``, ``sheets``."""
    return page.__name__.lower().removesuffix("screen")


class Pane(VerticalScroll, can_focus=True, inherit_bindings=False):
    """A page of text that scrolls and says so."""

    DEFAULT_CSS = """
    Pane { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """

    def move(self, by: int) -> None:
        self.scroll_relative(y=by, animate=False)

    def page(self, direction: int) -> None:
        self.scroll_relative(y=direction * max(1, self.size.height - 1), animate=False)

    def edge(self, direction: int) -> None:
        self.scroll_to(y=0 if direction < 0 else self.max_scroll_y, animate=False)

    def scroll_hint(self) -> tuple[int, int]:
        above = round(self.scroll_offset.y)
        return above, max(0, round(self.max_scroll_y) - above)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._tell_scroll()

    def watch_virtual_size(self) -> None:
        self._tell_scroll()

    def on_resize(self) -> None:
        self._tell_scroll()

    def _tell_scroll(self) -> None:
        if self.is_attached:
            self.post_message(Scrolled())


class Page(Screen[None]):
    """A screen with one title, one footer of its real keys, and one thing that scrolls.

    A subclass lists its commands in ``OFFERS``, yields its widgets in :meth:`body`, and says in
    :meth:`show` what they hold; ``show`` runs on mount and whenever the language changes, so it
    takes everything from the screen's state. Slow things are asked for in :meth:`begin`.
    """

    OFFERS: ClassVar[tuple[Command, ...]] = ()
    HEADING: ClassVar[Text]
    ABOUT: ClassVar[Text] = messages.NOTHING
    AUTO_FOCUS = "Menu"

    def __init_subclass__(cls, **options: bool) -> None:
        cls.BINDINGS = [*bindings(scope_of(cls), cls.OFFERS), *bindings("page", MOVES)]
        super().__init_subclass__(**options)

    @property
    def proofdeck(self) -> ProofdeckApp:
        return cast("ProofdeckApp", self.app)

    @property
    def language(self) -> Language:
        return self.proofdeck.language

    def say(self, text: Text, **values: object) -> str:
        """A text in the language of the moment, its placeholders filled; a value may be a text itself.

        ``<key:NAME>`` in it is the key of a command (:meth:`key_called`).
        """
        filled = {
            name: self.say(value) if isinstance(value, Text) else value for name, value in values.items()
        }
        line = keys_named(text.of(self.language), self.key_called)
        return fill(line, filled) if filled else line

    # Composition -------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield from self.body()
        yield KeyBar()

    def body(self) -> ComposeResult:
        yield from ()

    def begin(self) -> None:
        """Ask for what the screen needs, once its widgets stand."""

    def show(self) -> None:
        """Put the state into the widgets, in the language of the moment."""

    def heading(self) -> str:
        return self.say(self.HEADING)

    def status(self) -> str:
        return ""

    def about(self) -> str:
        """What the help says of the screen before it lists the keys."""
        return self.say(self.ABOUT)

    def on_mount(self) -> None:
        # Textual calls the handler of every class along the line, so subclasses have a hook of their own
        self.show()
        self.frame()
        self.bindings_updated_signal.subscribe(self, lambda _: self.frame())
        self.begin()

    def on_screen_resume(self) -> None:
        self.frame()

    def language_changed(self) -> None:
        self.show()
        self.frame()

    @property
    def typing(self) -> bool:
        """Does a letter go into a text just now?"""
        return self.focused is not None and self.focused.check_consume_key("a", "a")

    def frame(self) -> None:
        """Bring the title and the keys up to date."""
        if not self.is_mounted:
            return
        title = self.heading()
        self.query_one(TitleBar).tell(
            title if title == messages.NAME else f"{messages.NAME} · {title}", self.status()
        )
        self.query_one(KeyBar).offer(in_footer(self.offers(), self.language, self.typing))
        self._hint()

    def offers(self) -> Iterator[Command]:
        """Every command that works here just now: the focused widget's, the screen's, the app's.

        A name and a key belong to the command nearest to the focus; one left without keys can still be picked.
        """
        actions: set[str] = set()
        keys: set[str] = set()
        for command, node in self._commands():
            if command.action in actions or not node.check_action(*command.parts):
                continue
            command = self.proofdeck.with_keys(command, node)
            if not command.everywhere:
                command = command._replace(keys=tuple(key for key in command.keys if key not in keys))
            actions.add(command.action)
            keys.update(command.keys)
            yield command

    def _commands(self) -> Iterator[tuple[Command, Widget | Page | ProofdeckApp]]:
        """The commands of all that the focus lies in, from the inside out, with what offers them."""
        nodes: list[Widget | Page] = [*(self.focused.ancestors_with_self if self.focused else ())]
        if self not in nodes:
            nodes.append(self)
        for node in nodes:
            for command in (*getattr(node, "OFFERS", ()), *(MOVES if node is self else ())):
                yield command, node
        for command in APP_COMMANDS:
            yield command, self.proofdeck

    def key_of(self, command: Command) -> str:
        """The key of a command of this screen, as it stands on the keyboard: for lists that name it."""
        return self.proofdeck.with_keys(command, self).shown_keys()[0]

    def key_called(self, name: str) -> str | None:
        """The key of a command by what a keymap file calls it, as it stands on the keyboard; None for no command.

        ``undo`` is this screen's, else that of every screen; ``lab.pin`` names whose it is. While something is
        typed the key is one that is not text, where the command has one.
        """
        scopes = [scope_of(cls) for cls in type(self).__mro__ if issubclass(cls, Page)]
        ids = [name] if "." in name else [f"{scope}.{name}" for scope in (*scopes, "page", "app")]
        if not any(one in KNOWN for one in ids):
            # of a widget that comes later
            from tui.keymap import commands

            commands()
        id_ = next((one for one in ids if one in KNOWN), None)
        if id_ is None:
            return None
        command = KNOWN[id_]
        command = command._replace(keys=self.proofdeck.own_keys.get(id_, command.keys))
        return (command.shown_keys(self.typing) or command.shown_keys())[0]

    async def perform(self, command: Command) -> None:
        """Run a command as its key would: on the widget or screen that offers it."""
        chain = [*(self.focused.ancestors_with_self if self.focused else ()), self, self.app]
        for node in chain:
            offered = (*getattr(node, "OFFERS", ()), *(APP_COMMANDS if node is self.app else ()))
            # by its action: its keys may be a person's own
            if any(command.action == one.action for one in offered) and node.check_action(*command.parts):
                await self.app.run_action(command.action, node)
                return

    # Moving ------------------------------------------------------------------------------------

    def moved(self) -> Movable | None:
        """What the moving keys move: the first list or page of this screen that is shown."""
        for widget in self.query("*"):
            if isinstance(widget, Movable) and all(
                node.display for node in widget.ancestors_with_self if isinstance(node, Widget)
            ):
                return widget
        return None

    def action_move(self, by: int) -> None:
        if (target := self.moved()) is not None:
            target.move(by)

    def action_page(self, direction: int) -> None:
        if (target := self.moved()) is not None:
            target.page(direction)

    def action_edge(self, direction: int) -> None:
        if (target := self.moved()) is not None:
            target.edge(direction)

    def on_scrolled(self) -> None:
        self._hint()

    def _hint(self) -> None:
        target = self.moved()
        above, below = target.scroll_hint() if target is not None else (0, 0)
        hint = {(False, False): "", (True, False): "↑", (False, True): "↓", (True, True): "↑↓"}[
            above > 0, below > 0
        ]
        self.query_one(TitleBar).hint(f"{hint} {self.say(messages.MORE)}" if hint else "")

    def leave(self) -> None:
        """What going back does here."""
        self.app.pop_screen()

    # Slow work ---------------------------------------------------------------------------------

    def later(
        self,
        work: Callable[[], T],
        then: Callable[[T], Awaitable[None] | None],
        *,
        group: str = "work",
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Run ``work`` beside the event loop, then ``then`` with what it gave.

        Newer work of a group replaces older; leaving the screen drops it. An exception goes to
        ``failed``, else it becomes a notice: it never ends the app.
        """

        async def run() -> None:
            try:
                result = await in_thread(work)
            except Exception as error:
                (failed or self.complain)(error)
            else:
                try:
                    if (following := then(result)) is not None:
                        await following
                except NoMatches:
                    # the person went back meanwhile, and the widgets are gone
                    if self in self.app.screen_stack:
                        raise

        # the function, not its coroutine: work that is replaced before it began would be one never awaited
        self.run_worker(run, group=group, exclusive=True, exit_on_error=True)

    def complain(self, error: Exception) -> None:
        """A notice of what went wrong."""
        self.proofdeck.notice(self.fault_line(error), severity="error")

    def fault_line(self, error: Exception, language: Language | None = None) -> str:
        """An exception as a person should read it: the message of an input error, the place of any other."""
        language = language or self.language
        if isinstance(error, InputError):
            return error.line(language)
        from tui.fault_report import what_and_where

        what, where = what_and_where(error)
        return messages.FAULT.of(language).format(what=what, where=where)
