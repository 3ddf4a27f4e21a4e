"""A page with a card in sight, which can be marked, put off, written on and opened in an editor there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Text
from quizbank import labels
from tui import marking_messages as words
from tui import messages
from tui.background import in_thread
from tui.screens.base import Page
from tui.screens.marking_words import MARKING
from tui.widgets.menu import Item

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.learning.marked import Mark
    from quizbank.learning.marks import Marks
    from quizbank.learning.session import Delay
    from quizbank.renewal import Renewal

ACTIONS = frozenset(command.parts[0] for command in MARKING)


class MarkingPage(Page):
    """A subclass lists :data:`~tui.screens.marking_words.MARKING` among its commands, says in :attr:`card_in_sight`
    which card they are about, and asks :meth:`read_marks` for its marks where another comes into sight.

    What a key turns over is decided by the log, not by what the screen shows: another window may have written.
    """

    marks_card = ""
    """The card whose marks these are; that of another one is not to be shown."""
    mark_words: tuple[Mark, ...] = ()
    marks: Marks | None = None

    @property
    def card_in_sight(self) -> Card | None:
        return None

    def asks(self, card: Card) -> bool:
        """Whether the page is waiting for an answer to this card, so that to put it off is a matter of the page."""
        return False

    def marks_read(self) -> None:
        """The marks of the card in sight are there, or have changed."""
        self.show()
        self.frame()

    def can_mark(self, action: str) -> bool | None:
        """Whether a command of these works just now; None for one that is none of these."""
        return None if action not in ACTIONS else self.card_in_sight is not None

    def read_marks(self) -> None:
        card = self.card_in_sight
        if card is None:
            return
        from quizbank.learning.marked import words_and_marks

        workspace = self.proofdeck.workspace

        def read() -> tuple[str, tuple[tuple[Mark, ...], Marks]]:
            threshold = workspace.preferences.leech_lapses
            return card.id, words_and_marks(workspace.log, card.id, threshold)

        # a log that cannot be read is told where an answer or a mark is to be written
        self.later(read, self._marks_are, group="marks", failed=lambda _: None)

    def _marks_are(self, read: tuple[str, tuple[tuple[Mark, ...], Marks]]) -> None:
        card = self.card_in_sight
        if card is not None and card.id == read[0]:
            before = self.words_in_sight(), self.note_items()
            self.marks_card, (self.mark_words, self.marks) = read
            if (self.words_in_sight(), self.note_items()) != before:
                self.marks_read()

    def words_in_sight(self) -> tuple[Mark, ...]:
        """The words that hold of the card in sight, as far as they have been read."""
        card = self.card_in_sight
        return self.mark_words if card is not None and card.id == self.marks_card else ()

    def title_mark(self) -> str:
        """The bookmark of the card in sight, for the title."""
        return self.say(labels.MARK["bookmarked"]) if "bookmarked" in self.words_in_sight() else ""

    def topic_line(self, card: Card) -> str:
        """Topic and level of the card in sight, and all that holds of it but the bookmark, which stands in the title."""
        marks = (labels.MARK[word] for word in self.words_in_sight() if word != "bookmarked")
        facts = (labels.TOPIC[card.topic], labels.LEVEL[card.level], *marks)
        return " · ".join(map(self.say, facts))

    def note_items(self) -> list[Item]:
        """The person's note on the card in sight, to stand under its answer."""
        card = self.card_in_sight
        if card is None or card.id != self.marks_card or self.marks is None or not self.marks.note:
            return []
        return [
            Item("note", self.say(words.YOUR_NOTE), role="heading"),
            Item("note text", self.marks.note, role="text"),
        ]

    # What a person does ------------------------------------------------------------------------

    async def mark(self, work: Callable[[], Text | None]) -> None:
        """Write to the log beside the event loop; tell what came of it, and show the marks as they are now."""
        try:
            said = await in_thread(work)
        except InputError as error:
            self.complain(error)
            return
        if said is not None:
            self.proofdeck.notice(self.say(said))
        self.read_marks()

    async def put_off(self, kind: Delay) -> None:
        """Bury the card in sight, or suspend it; one that is suspended is resumed."""
        card = self.card_in_sight
        assert card is not None
        workspace = self.proofdeck.workspace
        for page in self.app.screen_stack:
            if isinstance(page, MarkingPage) and page.asks(card):
                # the session below goes on to its next card, and its undo takes this back
                await page.put_off(kind)
                self.read_marks()
                return

        def work() -> Text:
            log = workspace.log
            if kind == "bury":
                log.bury([card.id])
                return of_card(words.BURIED, card)
            if log.memory(card.id).suspended:
                log.resume([card.id])
                return of_card(words.RESUMED, card)
            log.suspend([card.id])
            return of_card(words.SUSPENDED, card)

        await self.mark(work)

    async def action_bury(self) -> None:
        await self.put_off("bury")

    async def action_suspend_card(self) -> None:
        await self.put_off("suspend")

    async def action_bookmark(self) -> None:
        card = self.card_in_sight
        assert card is not None
        workspace = self.proofdeck.workspace

        def work() -> Text:
            log = workspace.log
            entry = log.mark("bookmark", card.id) or log.mark("unbookmark", card.id)
            return words.BOOKMARKED if entry is not None and entry.kind == "bookmark" else words.UNBOOKMARKED

        await self.mark(work)

    async def action_note(self) -> None:
        card = self.card_in_sight
        assert card is not None
        await self.write_note(card)

    async def write_note(self, card: Card) -> None:
        """Open the note of a card, this one or another."""
        from quizbank.learning.marks import marks_of
        from tui.screens.writing import NoteScreen

        workspace = self.proofdeck.workspace
        try:
            note = (await in_thread(lambda: marks_of(workspace.log, card.id))).note
        except InputError as error:
            self.complain(error)
            return
        self.app.push_screen(NoteScreen(card, note, self.read_marks))

    def action_report_card(self) -> None:
        from tui.screens.writing import ReportScreen

        card = self.card_in_sight
        assert card is not None
        self.app.push_screen(ReportScreen(card, self.read_marks))

    async def action_edit_card(self) -> None:
        from quizbank.card_source import source_of, to_open
        from tui.outside_editor import opened_outside

        card = self.card_in_sight
        assert card is not None
        workspace = self.proofdeck.workspace
        try:
            source = await in_thread(lambda: source_of(card, workspace.bank))
            path = await in_thread(lambda: to_open(source, workspace.home))
            opened_outside(self.proofdeck, path, source.line)
        except InputError as error:
            self.complain(error)
            return
        if source.own:
            self.look_at_decks()
        else:
            self.proofdeck.notice(self.say(words.SHIPPED))

    # A deck that is edited meanwhile -----------------------------------------------------------

    def look_at_decks(self) -> None:
        """Read the person's own decks again where a file of theirs has changed."""
        self.later(self.proofdeck.workspace.renew, self._decks_read, group="decks")

    async def _decks_read(self, found: Renewal | None) -> None:
        if found is None:
            return
        self._tell_renewed(found)
        for screen in self.app.screen_stack:
            if isinstance(screen, MarkingPage):
                await screen.renewed(found)

    async def renewed(self, found: Renewal) -> None:
        """The bank was read again: take the cards from there."""

    def _tell_renewed(self, found: Renewal) -> None:
        parts = [fault.line(self.language) for fault in found.faults[:1]]
        if found.kept:
            parts.append(self.say(messages.CARDS_KEPT, ids=", ".join(found.kept[:5])))
        parts += [self.say(messages.ID_CHANGED, old=old, new=new) for old, new in found.renamed[:3]]
        renamed = {old for old, _ in found.renamed}
        if lost := [card for card in found.lost if card not in renamed]:
            parts.append(self.say(messages.CARDS_LOST, ids=", ".join(lost[:5])))
        text = "\n".join(parts) or self.say(messages.DECK_RENEWED)
        self.proofdeck.notice(text, severity="warning" if parts else "information")


_LONGEST_NAME = 40
"""Cells of a question in a notice."""


def of_card(said: Text, card: Card) -> Text:
    """A notice about a card, named by its question: an id says nothing to a person."""
    from engine.notation.page import inline
    from tui.drawing.rows import shorten

    def name(question: str) -> str:
        try:
            return shorten(inline(question), _LONGEST_NAME)
        except InputError:
            return card.id

    return Text(said.en.format(card=name(card.question.en)), said.zh.format(card=name(card.question.zh)))
