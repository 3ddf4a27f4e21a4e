"""How an interview went: a verdict a level, and the cards to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.text import Text
from quizbank.interview.verdict import to_review, verdicts
from tui import interview_told, messages
from tui.commands import Command
from tui.screens import interview_words as words
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.interview.verdict import LevelVerdict, Mark
    from quizbank.learning.entry import Entry

ADD = Command(
    "add", ("a",), Text("Add to today", "加入今日"),
    Text("add the cards to look at to today's study", "把值得再看的卡片加入今天的学习"), 1,
)  # fmt: skip
TAKE_BACK = Command(
    "take_back", ("u",), Text("Undo", "撤销"),
    Text("take the cards out of today's study again", "把这些卡片再从今天的学习中撤下"), 1,
)  # fmt: skip
AGAIN = Command(
    "again", ("n",), Text("Another", "再来一场"),
    Text("another interview, from a card the interviewer picks", "再面试一场，由面试官另选一张卡片"), 2,
)  # fmt: skip


class VerdictScreen(Page):
    """Enter on a level opens the card of its weakest answer, Enter on a card that card."""

    HEADING = words.VERDICT
    ABOUT = words.VERDICT_ABOUT
    OFFERS = (ADD, TAKE_BACK, AGAIN)

    def __init__(self, opening: str, seed: int, marks: Sequence[Mark]) -> None:
        super().__init__()
        self.opening = opening
        self.seed = seed
        self.verdicts = verdicts(marks)
        self.review = to_review(marks)
        self.cards: Mapping[str, Card] = {}
        self.brought: tuple[Entry, ...] = ()

    def body(self) -> ComposeResult:
        yield Menu(id="verdict", compact=False)

    def heading(self) -> str:
        return f"{self.say(words.INTERVIEW)} · {self.say(self.HEADING)}"

    def begin(self) -> None:
        workspace = self.proofdeck.workspace
        self.later(lambda: workspace.bank.by_id, self._read)

    def _read(self, cards: Mapping[str, Card]) -> None:
        self.cards = cards
        self.show()
        self.frame()
        self.call_after_refresh(self.query_one(Menu).scroll_home, animate=False)

    def show(self) -> None:
        self.query_one(Menu).fill(list(self._items()))

    def _items(self) -> Iterator[Item]:
        for verdict in self.verdicts:
            yield self._level(verdict)
        yield Item("look at", self.say(words.LOOK_AT), role="heading")
        if not self.review:
            yield Item("nothing", self.say(words.NOTHING_TO_MEND), role="text")
        for card in self.review:
            yield Item(f"card:{card}", self.say(self.cards[card].question) if card in self.cards else card)
        call = interview_told.call(self.opening, self.seed)
        yield Item("call", self.say(words.SEED_LINE, call=call), role="quiet")

    def _level(self, verdict: LevelVerdict) -> Item:
        """The verdict in a word; beneath it what it rests on, answer by answer, and what to do about it."""
        sign, word = words.STANDING[verdict.standing]
        lines = (f"- {self.say(interview_told.answer(mark))}" for mark in verdict.marks)
        return Item(
            f"level:{verdict.weakest.turn.card}:{verdict.level}",
            self.say(words.LEVEL, n=verdict.level),
            note=f"{sign} {self.say(word)}",
            detail="\n".join(
                (self.say(interview_told.facts(verdict)), "", *lines, "", self.say(verdict.advice))
            ),
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "add":
                return not self.brought and any(card in self.cards for card in self.review)
            case "take_back":
                return bool(self.brought)
        return True

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.card import CardScreen

        card = event.item.id.split(":")[1]
        if card in self.cards:
            self.app.push_screen(CardScreen(card))
        else:
            self.proofdeck.notice(self.say(messages.NO_SUCH_CARD, card=card), severity="warning")

    def action_add(self) -> None:
        workspace, cards = self.proofdeck.workspace, [card for card in self.review if card in self.cards]

        def added(brought: tuple[Entry, ...]) -> None:
            self.brought = brought
            n, told = (
                (len(brought), messages.ADDED_TO_TODAY)
                if brought
                else (len(cards), messages.DUE_TODAY_ALREADY)
            )
            self.proofdeck.notice(self.say(told, n=n))
            self.frame()

        self.later(lambda: workspace.log.bring_forward(cards), added, group="add")

    def action_take_back(self) -> None:
        workspace, brought = self.proofdeck.workspace, self.brought

        def take_back() -> int:
            for entry in brought:
                workspace.log.undo(entry.id)
            return len(brought)

        def taken_back(n: int) -> None:
            self.brought = ()
            self.proofdeck.notice(self.say(messages.TAKEN_BACK, n=n))
            self.frame()

        self.later(take_back, taken_back, group="add")

    def action_again(self) -> None:
        from tui.screens.interview import InterviewScreen

        self.app.switch_screen(InterviewScreen())
