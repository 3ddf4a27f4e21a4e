"""What stands on the screen when a study session has no card left to ask."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

from tui import messages
from tui.marking_messages import PUT_OFF
from tui.screens.study_words import DAY_FULL
from tui.widgets.menu import Item

if TYPE_CHECKING:
    from quizbank.learning.session import StudySession
    from tui.screens.base import Page


def closing_items(page: Page, session: StudySession, matched: int) -> list[Item]:
    """What was done in the session and when the next card comes; where nothing was, why. ``matched`` cards were
    asked for."""
    given, put_off = session.graded, Counter(done.kind for done in session.put_off_cards)
    if not given and not put_off:
        text = messages.SESSION_EMPTY if matched else messages.SESSION_NO_CARD
        if session.held_back:
            text = DAY_FULL.filled(n=session.held_back)
        return [Item("empty", page.say(text), role="text")]
    items = [Item("over", page.say(messages.SESSION_OVER), role="strong")]
    if given:
        counts = Counter(int(done.rating) for done in given)
        names = dict(zip(("again", "hard", "good", "easy"), (counts[n] for n in (1, 2, 3, 4)), strict=True))
        items.append(
            Item("counts", page.say(messages.SESSION_COUNTS, n=len(given), **names), role="text"),
        )
    if put_off:
        said = page.say(PUT_OFF, buried=put_off["bury"], suspended=put_off["suspend"])
        items.append(Item("put off", said, role="text"))
    if session.next_step_ms is not None:
        from quizbank.learning.day import now_ms
        from quizbank.learning.interval import interval_text

        wait = timedelta(minutes=max(1, -(-(session.next_step_ms - now_ms()) // 60_000)))
        items.append(Item("next", page.say(messages.NEXT_STEP, interval=interval_text(wait)), role="text"))
    return [*items, Item("keys", page.say(messages.SESSION_KEYS), role="quiet")]
