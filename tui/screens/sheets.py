"""Export an answer sheet: which cards, in what form, where to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.message import Message

from engine.errors import InputError
from engine.text import LANGUAGES, Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens.base import Pane
from tui.screens.form import FormPage
from tui.widgets.fields import Entry, Picker
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card

GO = Command(
    "go",
    ("enter",),
    Text("Write", "导出"),
    Text("write the sheet to the file named", "把答案册写入所填的文件"),
    1,
)


class Stopped(Exception):  # noqa: N818 (not an error: the person asked for it)
    """The person went back while the sheet was being made."""


class Progressed(Message):
    """So many cards of so many are done."""

    def __init__(self, done: int, cards: int) -> None:
        super().__init__()
        self.done, self.cards = done, cards


class SheetsScreen(FormPage):
    """The same export as the shell's ``sheet`` call. A file that is there is replaced only when Enter is pressed twice."""

    HEADING = messages.SHEETS
    ABOUT = messages.SHEETS_ABOUT
    OFFERS = (GO,)

    def __init__(self, cards: Sequence[str] = ()) -> None:
        super().__init__()
        self.chosen = tuple(cards)
        self.topics: tuple[str, ...] = ()
        self.outcome: Text | None = None
        self.replace = ""
        self.busy = False
        self.stopping = False
        self._suggested: set[str] = set()

    def body(self) -> ComposeResult:
        with Pane(can_focus=False):
            yield Picker(id="cards")
            yield Picker(id="mode")
            yield Picker(id="format")
            yield Picker(id="language")
            yield Entry(id="path")
            yield Menu(id="outcome")

    def begin(self) -> None:
        self.query_one("#outcome", Menu).can_focus = False
        self.picker("language").choose("both")
        self._suggest()
        self.later(lambda: self.proofdeck.workspace.bank.cards, self._with_cards, group="cards")

    def _with_cards(self, cards: Sequence[Card]) -> None:
        self.topics = tuple(dict.fromkeys(card.topic for card in cards))
        self.show()

    def _languages(self) -> list[tuple[str, str]]:
        return [("both", self.say(messages.BOTH)), ("zh", "中文"), ("en", "English")]

    def show(self) -> None:
        chosen = [("chosen", self.count(len(self.chosen), messages.CARDS))] if self.chosen else []
        topics = [(topic, self.say(labels.TOPIC[topic])) for topic in self.topics]
        self.picker("cards").tell(
            self.say(messages.WHICH_CARDS), [*chosen, ("", self.say(messages.ALL_CARDS)), *topics]
        )
        self.picker("mode").tell(
            self.say(messages.MODE), [(mode, self.say(text)) for mode, text in messages.MODES.items()]
        )
        self.picker("format").tell(self.say(messages.FORMAT), [("html", "HTML"), ("md", "Markdown")])
        self.picker("language").tell(self.say(messages.SHEET_LANGUAGE), self._languages())
        self.query_one("#path", Entry).tell(self.say(messages.PATH))
        told = self.outcome or messages.SHEETS_ABOUT
        self.query_one("#outcome", Menu).fill([Item("told", self.say(told), role="text")])

    def on_picker_changed(self, event: Picker.Changed) -> None:
        self.replace = ""
        if event.picker.id in ("cards", "format"):
            self._suggest()

    def _suggest(self) -> None:
        """A file name that says what is in it, unless the person has typed one of their own."""
        field = self.query_one("#path", Entry).input
        stem = self.picker("cards").value or "cards"
        if not field.value or field.value in self._suggested:
            field.value = f"proofdeck-{stem}.{self.picker('format').value}"
            self._suggested.add(field.value)

    def _tell(self, text: Text) -> None:
        self.outcome = text
        self.show()

    def action_go(self) -> None:
        if self.busy:
            return
        typed = self.query_one("#path", Entry).value
        if not typed:
            self._tell(messages.NO_PATH)
            return
        path = Path(typed).expanduser()
        if path.is_file() and self.replace != typed:
            self.replace = typed
            self._tell(messages.REPLACE.filled(path=typed))
            return
        which = self.picker("cards").value
        # what the pickers offer is what the export takes
        mode: Any = self.picker("mode").value
        sheet_format: Any = self.picker("format").value
        language: Any = self.picker("language").value
        workspace = self.proofdeck.workspace

        self.stopping = False

        def progress(done: int, cards: int) -> None:
            if self.stopping:
                raise Stopped
            self.post_message(Progressed(done, cards))

        def write() -> Path:
            from datetime import date

            from quizbank.sheets.export import export

            bank = workspace.bank
            if which == "chosen":
                cards = tuple(bank.card(card) for card in self.chosen)
            else:
                cards = workspace.matching({"topics": (which,) if which else ()})
            return export(
                cards,
                bank,
                workspace.quantities,
                path,
                format=sheet_format,
                language=language,
                mode=mode,
                date=date.today().isoformat(),
                force=self.replace == typed,
                proofs=workspace.proofs,
                progress=progress,
            )

        self.busy = True
        self._tell(messages.WRITING)
        self.later(write, self._written, group="export", failed=self._not_written)

    def on_progressed(self, event: Progressed) -> None:
        if self.busy and not self.stopping:
            self._tell(messages.WRITING_CARD.filled(done=event.done, cards=event.cards))

    def leave(self) -> None:
        """Going back while a sheet is being made stops it; nothing is left behind."""
        if self.busy:
            self.stopping = True
            self._tell(messages.STOPPING)
        else:
            super().leave()

    def _written(self, path: Path) -> None:
        self.busy, self.replace = False, ""
        size = max(1, round(path.stat().st_size / 1024))
        self._tell(messages.WRITTEN.filled(path=str(path.absolute()), size=size))

    def _not_written(self, error: Exception) -> None:
        self.busy = False
        if isinstance(error, Stopped):
            self._tell(messages.NOT_WRITTEN)
            return
        line = {language: self.fault_line(error, language) for language in LANGUAGES}
        self._tell(Text(line["en"], line["zh"]))
        if not isinstance(error, InputError):
            self.complain(error)
