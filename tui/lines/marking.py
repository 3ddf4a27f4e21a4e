"""Marking the card that was just shown: a bookmark, a note, what is wrong with it; and a leech told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import InputError
from quizbank.learning.marked import noticed
from quizbank.learning.marks import edition, marks_of
from quizbank.plain import demo_line
from tui import marking_messages
from tui.lines import words
from tui.lines.talk import Talk

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.learning.session import Graded
    from tui.workspace import Workspace


def mark(workspace: Workspace, card: Card, typed: str, talk: Talk) -> bool:
    """Do what ``m``, ``n TEXT`` or ``w TEXT`` asks for; False where it is none of these.

    Raises:
        InputError: the log cannot be written.
    """
    letter, _, text = typed.partition(" ")
    if letter not in ("m", "n", "w") or (letter == "m" and text):
        return False
    log = workspace.log
    try:
        match letter:
            case "m":
                entry = log.mark("bookmark", card.id) or log.mark("unbookmark", card.id)
                added = entry is not None and entry.kind == "bookmark"
                talk.say(marking_messages.BOOKMARKED if added else marking_messages.UNBOOKMARKED)
            case "n":
                log.mark("note", card.id, text)
                talk.say(marking_messages.NOTE_KEPT if text.strip() else marking_messages.NOTE_GONE)
            case "w":
                log.mark("report", card.id, text, edition(workspace.bank.card(card.id)))
                talk.say(marking_messages.REPORTED)
    except InputError as error:
        print(error.line(talk.language))
    return True


def tell_note(workspace: Workspace, card: Card, talk: Talk) -> None:
    """The person's own note, under the answer."""
    note = marks_of(workspace.log, card.id).note
    if note:
        talk.say(marking_messages.YOUR_NOTE)
        talk.tell(note)


def tell_leech(workspace: Workspace, card: Card, done: Graded, talk: Talk) -> None:
    """Where the grade makes the card a leech: the calls that show what stands behind it."""
    if done.entry is None or not noticed(done.entry, workspace.preferences.leech_lapses):
        return
    assert done.entry.after is not None
    talk.say(marking_messages.LEECH_SAID, n=done.entry.after.lapses)
    for reference in card.demos:
        talk.say(words.RUN_IT, call=demo_line(reference))
    talk.say(words.SUSPEND_IT, card=card.id)
