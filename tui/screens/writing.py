"""A few words on a card: one's own note, or what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult

from engine.text import Text
from tui import marking_messages as words
from tui.screens.base import Page
from tui.screens.marking_words import KEEP, REPORT
from tui.widgets.menu import Item, Menu
from tui.widgets.text_areas import LEAVE, Left, ProseArea

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.learning.entry import Entry


class WritingScreen(Page):
    """The card's question above, a text below. ``written`` is called once the text is in the log."""

    OFFERS = (KEEP,)
    BACK: ClassVar[Text]
    """What Esc does here."""
    BACK_HELP: ClassVar[Text]
    AUTO_FOCUS = "ProseArea"
    CSS = """
    #card { height: auto; max-height: 50%; }
    ProseArea { margin: 1 0 0 0; }
    """

    def __init__(self, card: Card, text: str, written: Callable[[], None]) -> None:
        super().__init__()
        self.card = card
        self.text = text
        self.written = written

    def body(self) -> ComposeResult:
        yield Menu(id="card")
        yield ProseArea(id="text")

    def begin(self) -> None:
        self.query_one(Menu).can_focus = False
        area = self.query_one(ProseArea)
        area.OFFERS = (LEAVE._replace(name=self.BACK, help=self.BACK_HELP),)  # type: ignore[misc]
        area.text = self.text
        area.move_cursor(area.document.end)
        area.focus()

    def show(self) -> None:
        self.query_one(Menu).fill(
            [
                Item("question", self.say(self.card.question), role="strong"),
                Item("about", self.say(self.ABOUT), role="quiet"),
            ]
        )

    def on_left(self, event: Left) -> None:
        event.stop()
        self.leave()

    def action_keep(self) -> None:
        """Write the text to the log and go back; where it cannot be written, it stays on the screen."""
        text = self.query_one(ProseArea).text
        self.later(lambda: self.store(text), self._is_stored)

    def store(self, text: str) -> Entry | None:
        raise NotImplementedError

    def told(self, text: str) -> Text:
        raise NotImplementedError

    def _is_stored(self, entry: Entry | None) -> None:
        if entry is not None:
            self.proofdeck.notice(self.say(self.told(entry.text or "")))
        self.app.pop_screen()
        self.written()


class NoteScreen(WritingScreen):
    """Enter and Esc both keep the note: nothing written is lost."""

    HEADING = words.YOUR_NOTE
    BACK = words.NOTE_BACK
    BACK_HELP = words.NOTE_BACK_HELP
    ABOUT = words.NOTE_ABOUT

    def store(self, text: str) -> Entry | None:
        return self.proofdeck.workspace.log.mark("note", self.card.id, text)

    def told(self, text: str) -> Text:
        return words.NOTE_KEPT if text else words.NOTE_GONE

    def leave(self) -> None:
        self.action_keep()


class ReportScreen(WritingScreen):
    """Enter keeps the report; Esc leaves, and asks again where something is written."""

    HEADING = REPORT.name
    BACK = words.REPORT_BACK
    BACK_HELP = words.REPORT_BACK_HELP
    ABOUT = words.REPORT_ABOUT

    def __init__(self, card: Card, written: Callable[[], None]) -> None:
        super().__init__(card, "", written)
        self._asked = ""

    def store(self, text: str) -> Entry | None:
        from quizbank.learning.marks import edition

        workspace = self.proofdeck.workspace
        # of the card as it is written, not with its numbers filled in
        reported = edition(workspace.bank.card(self.card.id))
        return workspace.log.mark("report", self.card.id, text, reported)

    def told(self, text: str) -> Text:
        return words.REPORTED

    def leave(self) -> None:
        text = self.query_one(ProseArea).text.strip()
        if text and text != self._asked:
            self._asked = text
            self.proofdeck.notice(self.say(words.DROP_REPORT))
            return
        super().leave()
