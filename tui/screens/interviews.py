"""Where an interview starts: the core cards, or none in particular; and the interviews held so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.widgets import Input

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens import interview_words as words
from tui.screens.base import Page
from tui.screens.finding import FindingPage
from tui.screens.interview import InterviewScreen
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.interview.store import Past

DRAW = Command(
    "draw", ("d",), Text("Draw", "抽一张"), Text("start from a core card the interviewer picks", "由面试官选一张基础卡片开场"), 1
)  # fmt: skip
PAST = Command(
    "past", ("h",), Text("History", "以往面试"), Text("the interviews held so far", "以往的模拟面试"), 2
)


class InterviewsScreen(FindingPage):
    """The core cards by topic, each with how the last interview from it went."""

    HEADING = words.INTERVIEW
    ABOUT = words.PICK_ABOUT
    OFFERS = (DRAW, PAST, *FindingPage.OFFERS)

    def __init__(self) -> None:
        super().__init__()
        self.cards: tuple[Card, ...] | None = None
        self.history: Sequence[Past] = ()

    def body(self) -> ComposeResult:
        yield self.field_of_words()
        yield Menu(id="interviews")

    def begin(self) -> None:
        self._read()

    def on_screen_resume(self) -> None:
        if self.cards is not None:
            self._read()

    def _read(self) -> None:
        workspace = self.proofdeck.workspace

        def read() -> tuple[tuple[Card, ...], Sequence[Past]]:
            core = workspace.matching({"level": "core"})
            return tuple(core.full), workspace.interviews.history()

        self.later(read, self._loaded)

    def _loaded(self, found: tuple[tuple[Card, ...], Sequence[Past]]) -> None:
        self.cards, self.history = found
        self.proofdeck.tell_notices()
        self.show()
        self.frame()

    def show(self) -> None:
        self.query_one("#words", Input).placeholder = self.say(messages.BROWSE_HINT)
        self.narrow()

    def narrow(self, from_top: bool = False) -> None:
        menu = self.query_one(Menu)
        if self.cards is None:
            menu.fill([Item("loading", self.say(messages.LOADING), role="quiet")])
            return
        items = [
            Item("about", self.say(words.PICK_ABOUT), role="quiet"),
            Item("draw", self.say(words.DRAW_LINE), lead=self.key_of(DRAW)),
            Item(
                "past",
                self.say(words.PAST_LINE),
                lead=self.key_of(PAST),
                note=self.say(words.HELD, n=len(self.history)),
            ),
        ]
        last = {past.card: past for past in reversed(self.history)}
        topic = ""
        for card in sorted(self.cards, key=lambda card: list(labels.TOPIC).index(card.topic)):
            if not self.holds(card.id, *card.question, *labels.TOPIC[card.topic]):
                continue
            if card.topic != topic:
                topic = card.topic
                items.append(Item(f"topic {topic}", self.say(labels.TOPIC[topic]), role="heading"))
            note = standings(self, last[card.id]) if card.id in last else ""
            items.append(Item(f"card:{card.id}", self.say(card.question), note=note))
        if not topic:
            items.append(Item("none", self.say(messages.SESSION_NO_CARD), role="text"))
        first = next((item.id for item in items if item.id.startswith("card:")), None)
        menu.fill(items, at=first if from_top and self.typed else None)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        name, _, card = event.item.id.partition(":")
        if name == "card":
            self.app.push_screen(InterviewScreen({"card": card}))
        else:
            getattr(self, f"action_{name}")()

    def action_draw(self) -> None:
        self.app.push_screen(InterviewScreen())

    def action_past(self) -> None:
        self.app.push_screen(PastInterviewsScreen())


class PastInterviewsScreen(Page):
    """Date, card, verdict a level; the latest first."""

    HEADING = words.PAST
    ABOUT = words.PAST_ABOUT

    def __init__(self) -> None:
        super().__init__()
        self.history: Sequence[Past] | None = None
        self.cards: Mapping[str, Card] = {}

    def body(self) -> ComposeResult:
        yield Menu(id="past")

    def begin(self) -> None:
        workspace = self.proofdeck.workspace

        def read() -> tuple[Sequence[Past], Mapping[str, Card]]:
            return workspace.interviews.history(), workspace.bank.by_id

        self.later(read, self._read)

    def _read(self, found: tuple[Sequence[Past], Mapping[str, Card]]) -> None:
        self.history, self.cards = found
        self.show()
        self.frame()

    def show(self) -> None:
        if self.history is None:
            items = [Item("working", self.say(messages.WORKING), role="quiet")]
        elif not self.history:
            items = [Item("none", self.say(words.NONE_YET), role="text")]
        else:
            items = [self._line(past) for past in self.history]
        self.query_one(Menu).fill(items)

    def _line(self, past: Past) -> Item:
        card = self.cards.get(past.card)
        question = self.say(card.question) if card else past.card
        detail = [] if past.is_whole else [self.say(words.BROKEN_OFF)]
        return Item(
            past.id,
            question,
            lead=past.day.isoformat(),
            note=standings(self, past),
            detail=" · ".join(detail),
        )

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.interview_verdict import VerdictScreen

        past = next(past for past in self.history or () if past.id == event.item.id)
        self.app.push_screen(VerdictScreen(past.card, past.seed, past.marks))


def standings(page: Page, past: Past) -> str:
    """The verdict on each level in a sign: ``1✓ 2◐ 3✗``."""
    return " ".join(f"{verdict.level}{words.STANDING[verdict.standing][0]}" for verdict in past.verdicts)


def open_interview(options: Mapping[str, Any]) -> Page:
    """Where ``proofdeck interview`` opens: at the question if anything was asked for, else at the choice of a card."""
    wished = any(value not in (None, (), "") for value in options.values())
    return InterviewScreen(options) if wished else InterviewsScreen()
