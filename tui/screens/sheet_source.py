"""Choosing what goes on a sheet: everything, topics, a set, a paper drawn for it, a self-test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens import sheets_words as words
from tui.screens.base import Page
from tui.sheet_selection import WHOLE_BANK, Selection
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card_set import CardSet
    from quizbank.papers.paper import Paper
    from quizbank.papers.results import Report

TICK = Command(
    "tick",
    ("space",),
    Text("Tick", "勾选"),
    Text("several topics on one sheet", "把多个主题放在同一份答案册里"),
    1,
)


class Offered(NamedTuple):
    """What the deck and the self-tests sat so far can put on a sheet."""

    topics: Mapping[str, int]
    sets: Mapping[str, CardSet]
    reports: tuple[Report, ...]


class SheetSourceScreen(Page):
    """``given`` is what another screen came with; ``then`` gets what was picked."""

    HEADING = words.CHOOSE
    ABOUT = words.CHOOSE_ABOUT
    OFFERS = (TICK,)

    def __init__(self, chosen: Selection, given: Selection, then: Callable[[Selection], None]) -> None:
        super().__init__()
        self.given = given
        self.then = then
        self.ticked = list(chosen.topics)
        self.at = _id_of(chosen, given)
        self.offered: Offered | None = None

    def body(self) -> ComposeResult:
        yield Menu(id="sources")

    def begin(self) -> None:
        workspace = self.proofdeck.workspace

        def look() -> Offered:
            bank = workspace.bank
            return Offered(Counter(card.topic for card in bank.cards), bank.sets, workspace.results.history())

        self.later(look, self._looked)

    def _looked(self, offered: Offered) -> None:
        self.offered = offered
        self.proofdeck.tell_notices()
        self.show()
        self.frame()

    def show(self) -> None:
        menu = self.query_one(Menu)
        menu.offer(words.PICK, words.PICK_HELP)
        menu.fill(list(self._items()), at=menu.item.id if menu.item else self.at)

    def _items(self) -> Iterator[Item]:
        offered = self.offered
        if offered is None:
            yield Item("loading", self.say(messages.LOADING), role="quiet")
            return
        if self.given != WHOLE_BANK:
            yield Item("given", self.say(selection_name(self.given, offered.sets)))
        yield Item("all", self.say(words.ALL_CARDS), note=self._cards(sum(offered.topics.values())))
        yield Item("papers", self.say(words.PAPERS), role="heading")
        yield Item("draw", self.say(words.DRAW))
        for report in offered.reports:
            if report.status == "open":
                note = self.say(words.UNFINISHED)
                yield Item(f"paper:{report.id}", self.say(selection_name(of_report(report), {})), note=note)
        if finished := [report for report in offered.reports if report.status != "open"]:
            yield Item("sessions", self.say(words.SESSIONS), role="heading")
            for report in finished:
                note = f"{report.score.earned:.3g} / {report.score.possible}"
                yield Item(f"session:{report.id}", self.say(selection_name(of_report(report), {})), note=note)
        yield Item("sets", self.say(words.SETS), role="heading")
        for one in offered.sets.values():
            yield Item(f"set:{one.id}", self.say(one.name), note=self._cards(len(one.cards)))
        yield Item("topics", self.say(words.TOPICS), role="heading")
        for topic, n in offered.topics.items():
            mark = "[x]" if topic in self.ticked else "[ ]"
            yield Item(f"topic:{topic}", f"{mark} {self.say(labels.TOPIC[topic])}", note=self._cards(n))

    def _cards(self, n: int) -> str:
        return self.say(words.CARDS, n=n)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "tick":
            item = self.query_one(Menu).item
            return item is not None and item.id.startswith("topic:")
        return True

    def on_menu_moved(self) -> None:
        self.refresh_bindings()
        self.frame()

    def action_tick(self) -> None:
        item = self.query_one(Menu).item
        assert item is not None
        topic = item.id.partition(":")[2]
        if topic in self.ticked:
            self.ticked.remove(topic)
        else:
            self.ticked.append(topic)
        self.show()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        if event.item.id == "draw":
            from tui.screens.self_test import SelfTestScreen

            self.app.push_screen(SelfTestScreen(self._drawn))
            return
        self.app.pop_screen()
        self.then(self._picked(event.item.id))

    def _drawn(self, paper: Paper) -> None:
        self.app.pop_screen()
        self.app.pop_screen()
        self.then(Selection(paper=paper))

    def _picked(self, item_id: str) -> Selection:
        kind, _, which = item_id.partition(":")
        offered = self.offered
        assert offered is not None
        match kind:
            case "given":
                return self.given
            case "set":
                return Selection(card_set=which)
            case "topic":
                wanted = {*self.ticked, which} if not self.ticked else set(self.ticked)
                return Selection(topics=tuple(topic for topic in offered.topics if topic in wanted))
            case "paper" | "session":
                report = next(report for report in offered.reports if report.id == which)
                return of_report(report)
            case _:
                return WHOLE_BANK


def of_report(report: Report) -> Selection:
    """A self-test as it was answered; of one that is not handed in yet the questions alone, or its key would be told."""
    if report.status == "open":
        return Selection(paper=report.paper, session=report.id, unfinished=True)
    return Selection(paper=report.paper, session=report.id, day=report.day.isoformat())


def selection_name(selection: Selection, sets: Mapping[str, CardSet]) -> Text:
    """What a selection is called."""
    if selection.paper is not None:
        form = selection.paper.form
        if selection.session and not selection.unfinished:
            return words.SESSION_NAME.filled(form=form, day=selection.day)
        return words.PAPER_NAME.filled(form=form)
    if selection.cards:
        n = len(selection.cards)
        return words.CARDS.filled(n=n)
    if selection.topics:
        names = [labels.TOPIC[topic] for topic in selection.topics]
        return Text(", ".join(name.en for name in names), "、".join(name.zh for name in names))
    if selection.card_set in sets:
        return sets[selection.card_set].name
    return words.ALL_CARDS


def _id_of(chosen: Selection, given: Selection) -> str:
    """Where the cursor stands at first."""
    if chosen == given and given != WHOLE_BANK:
        return "given"
    if chosen.session:
        return f"{'paper' if chosen.unfinished else 'session'}:{chosen.session}"
    if chosen.topics:
        return f"topic:{chosen.topics[0]}"
    return f"set:{chosen.card_set}" if chosen.card_set else "all"
