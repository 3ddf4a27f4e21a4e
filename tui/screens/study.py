"""Review: question, thought, spoken answer, full answer, proof, grade."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from engine.errors import InputError
from quizbank import labels
from tui import answer_messages as words
from tui import marking_messages, messages
from tui.background import in_thread
from tui.screens import study_words
from tui.screens.card_text import answer_items, spoken_items
from tui.screens.drill import DrillScreen, can_be_asked, first_asked
from tui.screens.marking import MarkingPage, of_card
from tui.screens.marking_words import MARKING
from tui.screens.study_end import closing_items
from tui.widgets.grades import GradeBar
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.drills.graded import Graded
    from quizbank.learning.log import Preview
    from quizbank.learning.session import Delay, StudySession
    from quizbank.learning.session import Graded as Done
    from quizbank.renewal import Renewal

LOOK_EVERY = 2.0
"""Seconds between two looks at whether one's own decks have changed."""
PROPOSED = {"right": 3, "partial": 2, "wrong": 1}
"""The rating that an outcome proposes; what the engine did not decide proposes none."""


class StudyScreen(MarkingPage):
    """A study session. Every grade is in the log before the next question is asked."""

    HEADING = messages.STUDY
    ABOUT = messages.STUDY_ABOUT
    OFFERS = (*study_words.STUDYING, *MARKING)

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.options = dict(options or {})
        self.session: StudySession | None = None
        self.fault: Exception | None = None
        self.matched = 0
        self.card: Card | None = None
        self.filled: Card | None = None
        self.preview: Preview | None = None
        self.revealed = 0
        self.verdict: Graded | None = None
        self.answers = 0
        """How many answers to the card's questions were judged; the first verdict stands."""
        self.drafts: dict[str, str] = {}
        self.covered = False
        """Whether something else was shown before the card, so that thinking begins when it comes into sight."""
        self._turn = asyncio.Lock()

    def body(self) -> ComposeResult:
        yield Menu(id="study")
        yield GradeBar()

    def begin(self) -> None:
        def open_session() -> tuple[StudySession, int]:
            workspace = self.proofdeck.workspace
            return workspace.session(self.options), len(workspace.matching(self.options))

        self.later(open_session, self._begun, group="session", failed=self._not_begun)

    # A deck that is edited meanwhile -----------------------------------------------------------

    def on_mount(self) -> None:
        if self.proofdeck.workspace.decks:
            self.set_interval(LOOK_EVERY, self.look_at_decks)

    def look_at_decks(self) -> None:
        if self.session is not None:
            super().look_at_decks()

    async def renewed(self, found: Renewal) -> None:
        session = self.session
        if session is None:
            return
        async with self._turn:
            asked = session.current
            for card in found.lost:
                await in_thread(lambda card=card: session.drop(card))
            if session.current != asked:
                self._ask()
            elif asked is not None:
                # the same place: what was revealed stays revealed, and the buttons say what they said
                card = self.card = found.bank.card(asked)
                workspace = self.proofdeck.workspace
                self.later(
                    lambda: workspace.filled(card), self._is_filled, group="fill", failed=self._not_filled
                )

    def _not_begun(self, error: Exception) -> None:
        # a notice would go away and leave an empty screen that never fills
        self.fault = error
        self.show()
        self.frame()

    def _begun(self, begun: tuple[StudySession, int]) -> None:
        self.session, self.matched = begun
        self._ask()

    def _ask(self) -> None:
        """Turn to the session's current card."""
        assert self.session is not None
        self.proofdeck.tell_notices()
        self.card = self.filled = self.preview = self.verdict = None
        self.revealed = self.answers = 0
        self.covered = False
        workspace = self.proofdeck.workspace
        if self.session.current is not None:
            card = self.card = workspace.bank.card(self.session.current)
            self.later(lambda: workspace.filled(card), self._is_filled, group="fill", failed=self._not_filled)
        self.read_marks()
        self.show()
        self.frame()
        self.query_one(Menu).scroll_home(animate=False)

    def _is_filled(self, card: Card) -> None:
        self.filled = card
        self.show()

    def _not_filled(self, error: Exception) -> None:
        # a number that cannot be computed leaves its slot in sight; the card can still be studied
        self.complain(error)
        self.filled = self.card
        self.show()

    @property
    def card_in_sight(self) -> Card | None:
        return self.filled or self.card

    @property
    def far(self) -> int:
        """How far the card can be revealed: 1 the spoken answer, 2 the full one; a plain card has no first."""
        return 1 if self.card is not None and self.card.is_plain else 2

    # What is on screen -------------------------------------------------------------------------

    def status(self) -> str:
        session = self.session
        if session is None:
            return "" if self.fault else self.say(messages.LOADING)
        parts = [self.say(messages.CRAM)] if session.cram else []
        came = session.current_came
        if came and not session.cram:
            # of a plan some cards were never seen, so none is called due
            planned = self.options.get("planned") and came != "step"
            parts.append(self.say(messages.PLANNED if planned else messages.CAME[came]))
        progress = session.progress
        if bookmark := self.title_mark():
            parts.append(bookmark)
        left = progress.due + progress.new + progress.learning
        return "  ".join((*parts, self.say(messages.PROGRESS, done=progress.done, left=left)))

    def show(self) -> None:
        bar = self.query_one(GradeBar)
        bar.display = self.revealed > 0
        if self.revealed:
            buttons = [(self.say(name), self._interval(number)) for number, name in messages.RATINGS.items()]
            bar.tell(buttons, self.proposed)
        self.query_one(Menu).fill(self._items())

    def _interval(self, number: int) -> str:
        from quizbank.learning.interval import interval_text
        from quizbank.learning.memory import Rating

        return (
            self.say(interval_text(self.preview[Rating(number)].interval)) if self.preview is not None else ""
        )

    def _items(self) -> list[Item]:
        if self.fault is not None:
            return [
                Item("fault", self.fault_line(self.fault), role="text"),
                Item("way-out", self.say(messages.STUDY_CLOSED), role="quiet"),
            ]
        if self.session is None:
            return []
        if self.card is None:
            return closing_items(self, self.session, self.matched)
        card = self.filled or self.card
        items = [
            Item("topic", self.topic_line(card), role="quiet"),
            Item("question", self.say(card.question), role="strong"),
        ]
        if self.verdict is not None:
            items.append(Item("verdict", self._said_of(self.verdict), role="text"))
        if not self.revealed:
            if self.verdict is None and can_be_asked(self.card):
                return [
                    *items,
                    Item(
                        "think", f"{self.say(messages.THINK)}\n\n{self.say(words.CAN_ANSWER)}", role="quiet"
                    ),
                ]
            return [*items, Item("think", self.say(messages.THINK), role="quiet")]
        if self.filled is None:
            return [*items, Item("working", self.say(messages.WORKING), role="quiet")]
        items += spoken_items(card, self.language)
        if self.revealed < self.far:
            return [*items, Item("more", self.say(messages.MORE_BELOW), role="quiet")]
        return items + answer_items(card, self.language) + self.note_items()

    @property
    def proposed(self) -> int | None:
        """The rating that the verdict on the card's question speaks for."""
        return PROPOSED.get(self.verdict.outcome) if self.verdict is not None else None

    def _said_of(self, verdict: Graded) -> str:
        sign, outcome = labels.OUTCOME[verdict.outcome]
        if self.proposed is None:
            told = words.NOT_PROPOSED if self.answers == 1 else words.NOT_PROPOSED_BY_FIRST
            return self.say(told, sign=sign, outcome=outcome)
        rating = messages.RATINGS[self.proposed]
        told = words.PROPOSED if self.answers == 1 else words.PROPOSED_BY_FIRST
        return self.say(told, sign=sign, outcome=outcome, rating=rating)

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        session = self.session
        match action:
            case "reveal":
                return self.card is not None and self.revealed < self.far
            case "answer":
                return self.card is not None and not self.revealed and bool(can_be_asked(self.card))
            case "grade":
                return self.card is not None and self.revealed > 0
            case "proof" | "lab":
                return self.card is not None and self.revealed > 0 and bool(self.card.demos)
            case "card":
                return self.card is not None and self.revealed > 0
            case "undo":
                return session is not None and session.can_undo
            case "cram":
                return session is not None and self.card is None and self.matched > 0
            case "bury" | "suspend_card":
                return self.card is not None and session is not None and not session.cram
        return self.can_mark(action) is not False

    async def action_reveal(self) -> None:
        session = self.session
        assert session is not None
        async with self._turn:
            if self.revealed == 0:
                try:
                    self.preview = await in_thread(session.reveal)
                except InputError as error:
                    self.complain(error)
                    return
            self.revealed += 1
        self.show()
        self.frame()
        if self.revealed == self.far:
            self.query_one(Menu).scroll_to_item("answer")

    def action_answer(self) -> None:
        from quizbank.learning.day import local_day, now_ms

        card = self.card
        assert card is not None
        # another question, in another variant, on another day
        today = local_day(now_ms()).toordinal()
        self.app.push_screen(DrillScreen(card, first_asked(card, today), today, self._is_judged, self.drafts))

    def _is_judged(self, graded: Graded) -> None:
        # the first verdict proposes: another try says less about what was known
        if self.verdict is None:
            self.verdict = graded
        self.answers += 1
        self.show()

    async def action_grade(self, number: int) -> None:
        from quizbank.learning.interval import interval_text
        from quizbank.learning.memory import Rating

        session = self.session
        assert session is not None
        async with self._turn:
            if self.card is None or not self.revealed:
                return
            try:
                done = await in_thread(lambda: session.grade(Rating(number)))
            except InputError as error:
                # it was not stored: the card stays, and the same key tries again
                self.complain(error)
                return
            graded = self.filled or self.card
            if not done.as_shown and done.entry is not None and done.entry.interval is not None:
                text = self.say(messages.NOT_AS_SHOWN, interval=interval_text(done.entry.interval))
                self.proofdeck.notice(text, severity="warning")
            self._ask()
        self._notice_leech(graded, done)

    def _notice_leech(self, card: Card, done: Done) -> None:
        """A card that is forgotten again and again: offer what is behind it, before the next is thought about."""
        from quizbank.learning.marked import noticed

        entry = done.entry
        if entry is None or not noticed(entry, self.proofdeck.workspace.preferences.leech_lapses):
            return
        assert entry.after is not None
        from tui.screens.leech import LeechScreen

        async def then(choice: str) -> None:
            if choice == "suspend":
                await self.put_off("suspend", card)
            elif choice == "note":
                await self.write_note(card)
            elif choice:
                self._open(choice, card)

        self.covered = True
        self.app.push_screen(LeechScreen(card, entry.after.lapses, then))

    def asks(self, card: Card) -> bool:
        session = self.session
        return session is not None and not session.cram and session.current == card.id

    def on_screen_resume(self) -> None:
        if self.session is not None:
            if self.covered:
                self.session.in_sight()
            self.read_marks()

    async def put_off(self, kind: Delay, card: Card | None = None) -> None:
        """As an action of the session, which its undo takes back; another card than the open one where named."""
        session = self.session
        assert session is not None
        async with self._turn:
            put_off, asked = card or self.card, session.current
            if put_off is None:
                return
            try:
                await in_thread(lambda: session.put_off(kind, put_off.id))
            except InputError as error:
                self.complain(error)
                return
            said = marking_messages.BURIED if kind == "bury" else marking_messages.SUSPENDED
            self.proofdeck.notice(self.say(of_card(said, put_off)))
            if session.current != asked:
                self._ask()
            else:
                self.show()
                self.frame()

    async def on_grade_bar_pressed(self, event: GradeBar.Pressed) -> None:
        await self.action_grade(event.number)

    async def action_undo(self) -> None:
        session = self.session
        assert session is not None
        async with self._turn:
            try:
                done = await in_thread(session.undo)
            except InputError as error:
                self.complain(error)
                return
            if done is None:
                said = messages.NOTHING_TO_UNDO
            elif done.card == session.current:
                said = messages.UNDONE
            else:
                said = marking_messages.TAKEN_BACK.filled(card=done.card)
            self.proofdeck.notice(self.say(said))
            self._ask()

    def action_cram(self) -> None:
        self.options = {**self.options, "cram": True}
        self.begin()

    def action_proof(self) -> None:
        self._open("derivation")

    def action_lab(self) -> None:
        self._open("lab")

    def action_card(self) -> None:
        self._open("answer")

    def _open(self, panel: str, card: Card | None = None) -> None:
        from tui.screens.card import CardScreen

        card = card or self.card
        assert card is not None
        self.app.push_screen(CardScreen(card.id, panel))
