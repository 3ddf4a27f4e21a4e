"""The panels of a card that are text: answer, follow-ups, sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command, bindings
from tui.screens import workbench_words as words
from tui.screens.card_text import answer_items, spoken_items
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card
    from tui.screens.base import Page
    from tui.screens.marking import MarkingPage


class CardPanel(Menu):
    """A panel that is one page of text."""

    def __init__(self, card: Card, *, id: str) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id, compact=False)
        self.card = card

    @property
    def page_below(self) -> Page:
        return cast("Page", self.screen)

    def say(self, text: Text, **values: object) -> str:
        return self.page_below.say(text, **values)

    def on_mount(self) -> None:
        self.show()

    def show(self) -> None:
        self.fill(self.entries())

    def take_focus(self) -> None:
        self.focus(scroll_visible=False)

    def entries(self) -> list[Item]:
        return []


class FullAnswerPanel(CardPanel):
    def entries(self) -> list[Item]:
        card, language = self.card, self.page_below.language
        marking = cast("MarkingPage", self.screen)
        return [
            Item("topic", marking.topic_line(card), role="quiet"),
            *self._needs(),
            Item("question", self.say(card.question), role="strong"),
            *spoken_items(card, language),
            *answer_items(card, language),
            *marking.note_items(),
            *self._kept(),
        ]

    def _needs(self) -> Iterator[Item]:
        """The questions to know before this one."""
        bank = self.page_below.proofdeck.workspace.bank
        known = [self.say(bank.card(need).question) for need in self.card.needs if need in bank]
        if known:
            listed = "\n".join(f"- {question}" for question in known)
            yield Item("needs", f"{self.say(labels.BUILDS_ON)}\n\n{listed}", role="quiet")

    def _kept(self) -> Iterator[Item]:
        """The derivations that the person kept with the card."""
        from quizbank.workbench import kept_prose
        from tui.screens.card import CardScreen

        page = self.page_below
        kept = page.kept if isinstance(page, CardScreen) else ()
        if kept:
            yield Item("kept", self.say(words.CARD_KEPT), role="heading")
        for one in kept:
            state = self.say(words.COMPLETE if one.complete else words.UNFINISHED)
            yield Item(one.id, f"{one.day.isoformat()} · {state}\n\n{kept_prose(one)}", role="text")


ASK = Command(
    "ask", ("enter", "space"), Text("Show answer", "显示回答"),
    Text("show or hide the answer to this follow-up", "显示或隐藏这个追问的回答"), 1,
)  # fmt: skip
JUMP = Command(
    "jump",
    ("o",),
    Text("Open card", "打开卡片"),
    Text("the card that answers it at length", "详细回答它的那张卡片"),
    2,
)


class FollowUpsPanel(CardPanel):
    """Questions an interviewer asks next; each answer stays hidden until it is asked for."""

    OFFERS = (ASK, JUMP)
    BINDINGS = bindings("follow-ups", OFFERS)

    def __init__(self, card: Card, *, id: str) -> None:  # noqa: A002 (Textual's name)
        super().__init__(card, id=id)
        self.asked: set[str] = set()

    def entries(self) -> list[Item]:
        return [Item("about", self.say(messages.FOLLOW_UPS_ABOUT), role="quiet"), *(
            Item(
                str(number),
                self.say(follow_up.question),
                lead="-" if str(number) in self.asked else "+",
                note=self.say(messages.HAS_CARD) if follow_up.card else "",
                detail=self.say(follow_up.answer) if str(number) in self.asked else "",
            )
            for number, follow_up in enumerate(self.card.follow_ups)
        )]  # fmt: skip

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "jump":
            return self.item is not None and bool(self.card.follow_ups[int(self.item.id)].card)
        return super().check_action(action, parameters)

    def action_ask(self) -> None:
        if self.item is not None:
            self.asked ^= {self.item.id}
            self.show()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        # a click on a question asks it
        event.stop()
        self.action_ask()

    def on_menu_moved(self) -> None:
        self.refresh_bindings()

    def action_jump(self) -> None:
        from tui.screens.card import CardScreen

        assert self.item is not None
        card = self.card.follow_ups[int(self.item.id)].card
        if card in self.page_below.proofdeck.workspace.bank:
            self.app.push_screen(CardScreen(card))
        else:
            self.page_below.proofdeck.notice(self.say(messages.NO_SUCH_CARD, card=card), severity="warning")


class SourcesPanel(CardPanel):
    """Each source as the bibliography has it, and the place in it that carries the claim."""

    def entries(self) -> list[Item]:
        bibliography = self.page_below.proofdeck.workspace.bank.bibliography
        items = []
        for number, ref in enumerate(self.card.sources, 1):
            source = bibliography.get(ref.key)
            if source is None:
                items.append(Item(ref.key, f"{number}. {ref.key}: {self.say(ref.where)}", role="text"))
                continue
            authors = ", ".join(source.authors)
            text = self.say(
                messages.SOURCE, authors=authors, year=source.year, title=source.title, venue=source.venue
            )
            items.append(
                Item(ref.key, f"{number}. {text}\n\n- {self.say(ref.where)}\n- {source.link}", role="text")
            )
        claims = self.say(messages.COMMA).join(self.card.claims)
        if claims:
            items.append(Item("claims", self.say(messages.CLAIMS, claims=claims), role="quiet"))
        return items
