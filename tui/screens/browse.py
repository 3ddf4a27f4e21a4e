"""All cards: found by topic, level, verdict, demonstration and words, as one types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from quizbank import labels
from quizbank.card import LEVELS, TOPICS, VERDICTS
from quizbank.card_list import NO_CARDS, CardList
from quizbank.search import SearchIndex, Wanted
from tui import messages
from tui.screens.browse_words import BROWSING, FURTHER, NAMES
from tui.screens.marking import MarkingPage
from tui.screens.marking_words import MARKING
from tui.widgets.chrome import clipped
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from engine.text import Text
    from quizbank.bank import Bank
    from quizbank.card import Card
    from quizbank.card_set import CardSet
    from quizbank.renewal import Renewal

ANY = "*"
"""The value of a filter that filters nothing; no topic, level, verdict or demonstration is called so."""

AT_ONCE = 2_000
"""Cards that are searched within a frame, and all listed; more are searched beside the event loop."""
SHOWN = 100
"""Of more cards, those listed at first, and how many follow whenever the cursor nears the end of the list."""
NEAR_END = 20


def titles(demos: Iterable[str]) -> dict[str, Text]:
    from engine.demos import load

    return {demo: load(demo).title for demo in demos}


class BrowseScreen(MarkingPage):
    """The cards that match; the list and the count follow every key."""

    HEADING = messages.BROWSE
    ABOUT = messages.BROWSE_ABOUT
    OFFERS = (*BROWSING, *MARKING)
    CSS = """
    BrowseScreen #words { height: 1; margin: 0; padding: 0 1; border: none; }
    BrowseScreen #filters { height: 1; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, topic: str = "", demo: str = "", card_set: str = "") -> None:
        super().__init__()
        self.wanted = Wanted((topic,) if topic else (), demo=demo)
        self.card_set = card_set
        self.sets: Mapping[str, CardSet] = {}
        self.titles: Mapping[str, Text] = {}
        """Of the demonstrations, once they are asked for: reading them loads their code."""
        self.mark_wanted = ""
        self.marked: Mapping[str, tuple[str, ...]] = {}
        self.bank: Bank | None = None
        self.index: SearchIndex | None = None
        self.all = self.cards = NO_CARDS
        self.shown = SHOWN
        self._searching = False
        self._from_top = False

    def body(self) -> ComposeResult:
        yield Input(id="words", select_on_focus=False, compact=True)
        yield Static(id="filters", markup=False)
        yield Menu(id="cards")

    def status(self) -> str:
        if self.index is None:
            return ""
        return self.say(messages.BROWSE_COUNT, n=len(self.cards), of=len(self.all))

    def begin(self) -> None:
        workspace = self.proofdeck.workspace

        def opened() -> Bank:
            import engine.notation.page  # noqa: F401 (what lays out questions is loaded beside the loop)

            _ = workspace.bank.index, workspace.bank.sets  # read here, so that the list stands at once
            if self.wanted.demo:
                self.titles = titles([self.wanted.demo])
            return workspace.bank

        self.later(opened, self._loaded)
        self.read_marks()

    def _loaded(self, bank: Bank) -> None:
        self._take(bank)
        if self.card_set:
            self.wanted = self.with_value("set", self.card_set)
        self._search()
        # the folded texts, before the first word is typed
        self.later(bank.index.ready, lambda _: None, group="index")

    def _take(self, bank: Bank) -> None:
        self.bank, self.all, self.index, self.sets = bank, bank.cards, bank.index, bank.sets

    # Marks --------------------------------------------------------------------------------------

    @property
    def card_in_sight(self) -> Card | None:
        if self.bank is None:
            return None
        item = self.query_one(Menu).item
        return self.bank.card(item.id) if item is not None and item.id in self.bank else None

    def read_marks(self) -> None:
        from quizbank.learning.marked import marked

        workspace = self.proofdeck.workspace
        self.later(
            lambda: marked(workspace.log, workspace.preferences.leech_lapses),
            self._marked_are,
            group="marks",
            failed=lambda _: None,
        )

    def _marked_are(self, found: Mapping[str, tuple[str, ...]]) -> None:
        if found != self.marked:
            self.marked = found
            if self.mark_wanted:
                self.wanted = self.with_value("mark", self.mark_wanted)
            self._search()

    def on_screen_resume(self) -> None:
        if self.index is not None:
            self.read_marks()

    async def renewed(self, found: Renewal) -> None:
        if self.index is not None:
            self._take(found.bank)
            self._search()

    # What is asked for --------------------------------------------------------------------------

    def value(self, name: str) -> str:
        """What a filter is set to, empty where it filters nothing."""
        if name == "topic":
            return self.wanted.topics[0] if self.wanted.topics else ""
        if name == "set":
            return self.card_set if self.wanted.cards else ""
        if name == "mark":
            return self.mark_wanted if self.wanted.among is not None else ""
        return str(getattr(self.wanted, name))

    def with_value(self, name: str, value: str) -> Wanted:
        """What is asked for, with one filter set to another value."""
        value = "" if value == ANY else value
        match name:
            case "topic":
                return replace(self.wanted, topics=(value,) if value else ())
            case "level":
                return replace(self.wanted, level=value)
            case "verdict":
                return replace(self.wanted, verdict=value)
            case "set":
                return replace(self.wanted, cards=self.sets[value].cards if value else ())
            case "mark":
                having = frozenset(card for card, words in self.marked.items() if value in words)
                return replace(self.wanted, among=having if value else None)
            case _:
                return replace(self.wanted, demo=value)

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value != self.wanted.text:
            self.wanted = replace(self.wanted, text=event.value)
            self._search(from_top=True)

    def _search(self, from_top: bool = False) -> None:
        self._from_top |= from_top
        if self.index is None:
            self._show_found(NO_CARDS)
        elif not self.is_large:
            self._show_found(self.index.select(self.wanted))
        elif not self._searching:
            self._searching = True
            self._search_beside(self.index, self.wanted)

    def _search_beside(self, index: SearchIndex, wanted: Wanted) -> None:
        def found(cards: CardList) -> None:
            if self.index is not None and (index, wanted) != (self.index, self.wanted):
                # asked for something else meanwhile: the newest is what counts
                self._search_beside(self.index, self.wanted)
            else:
                self._searching = False
                self._show_found(cards)

        def failed(error: Exception) -> None:
            self._searching = False
            self.complain(error)

        self.later(lambda: index.select(wanted), found, group="search", failed=failed)

    def _show_found(self, cards: CardList) -> None:
        self.cards = cards
        from_top, self._from_top = self._from_top, False
        if from_top:
            self.shown = SHOWN
        self.show(from_top)
        self.frame()
        self.refresh_bindings()

    @property
    def is_large(self) -> bool:
        return len(self.all) > AT_ONCE

    @property
    def listed(self) -> CardList:
        """The cards found that stand in the list."""
        return self.cards[: self.shown] if self.is_large else self.cards

    def on_menu_moved(self, event: Menu.Moved) -> None:
        if len(self.listed) < len(self.cards) and event.menu.cursor > self.shown - NEAR_END:
            self.shown += SHOWN
            self.show()

    # What is shown ------------------------------------------------------------------------------

    def show(self, from_top: bool = False) -> None:
        self.query_one("#words", Input).placeholder = self.say(messages.BROWSE_HINT)
        filters = [
            f"{self.say(NAMES[name])} {self.word(name, self.value(name))}"
            for name in NAMES
            if self.value(name)
        ]
        line = self.query_one("#filters", Static)
        line.display = bool(filters)
        line.update(Content(clipped(" · ".join(filters), max(10, self.size.width - 2))))
        menu = self.query_one(Menu)
        if self.index is None:
            menu.fill([Item("loading", self.say(messages.LOADING), role="quiet")])
            return
        items = self._items()
        menu.fill(
            items or [Item("none", self.say(messages.BROWSE_NONE), role="text")],
            at=next((item.id for item in items if item.role == "entry"), None) if from_top else None,
        )

    def _items(self) -> list[Item]:
        items: list[Item] = []
        grouped = not self.wanted.topics and not self.wanted.text.strip() and not self.wanted.cards
        topic = ""
        for card in self.listed:
            if grouped and card.topic != topic:
                topic = card.topic
                items.append(Item(f"topic:{topic}", self.word("topic", topic), role="heading"))
            note = f"{self.word('level', card.level)} · {self.word('verdict', card.verdict)}"
            marks = " · ".join(self.word("mark", word) for word in self.marked.get(card.id, ()))
            items.append(Item(card.id, self.say(card.question), note=note, detail=marks))
        if more := len(self.cards) - len(self.listed):
            items.append(Item("more", self.say(FURTHER, n=more), role="quiet"))
        return items

    def word(self, name: str, value: str) -> str:
        """What a value of a filter is called."""
        if name == "demo":
            from engine.demos import find

            return f"{value} {self.say(self.titles[value]) if value in self.titles else find(value).name}"
        if name == "set" and value in self.sets:
            return self.say(self.sets[value].name)
        known = {
            "topic": labels.TOPIC,
            "level": labels.LEVEL,
            "verdict": labels.VERDICT_WORD,
            "mark": labels.MARK,
        }.get(name, {})
        return self.say(known[value]) if value in known else value

    # What a person does -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("study", "export"):
            return bool(self.cards)
        if action == "pick" and parameters == ("set",):
            return bool(self.sets)
        if action == "pick" and parameters == ("mark",):
            return bool(self.marked)
        if action == "clear":
            return self.wanted != Wanted()
        if action == "open_found":
            # the list's own Enter is offered while the list has the focus
            return self.query_one("#words").has_focus and self.query_one(Menu).item is not None
        return self.index is not None if action == "pick" else self.can_mark(action) is not False

    def action_find(self) -> None:
        # at once: what is typed right behind the key is meant for the field
        self.set_focus(self.query_one("#words", Input))
        self.frame()

    def action_clear(self) -> None:
        self.wanted, self.mark_wanted = Wanted(), ""
        self.query_one("#words", Input).value = ""
        self._search()

    def action_pick(self, name: str) -> None:
        def left() -> dict[str, int]:
            found = self._left(name)
            if name == "demo":
                self.titles = titles([demo for demo in found if demo != ANY])
            return found

        if name != "demo" and not self.is_large:
            self._choose(name, left())
        else:
            self.later(left, lambda found: self._choose(name, found), group="pick")

    def _choose(self, name: str, left: Mapping[str, int]) -> None:
        from tui.screens.choose import ChooseScreen

        def then(value: str) -> None:
            self.wanted = self.with_value(name, value)
            if name == "set":
                self.card_set = value
            elif name == "mark":
                self.mark_wanted = "" if value == ANY else value
            self._search()

        self.app.push_screen(
            ChooseScreen(NAMES[name], self._values(name, left), self.value(name) or ANY, then)
        )

    def _left(self, name: str) -> dict[str, int]:
        """How many cards each value of a filter would leave, and how many no value."""
        assert self.index is not None
        rest = self.index.select(self.with_value(name, ANY))
        values: Sequence[str] = {"topic": TOPICS, "level": LEVELS, "verdict": VERDICTS}.get(name, ())
        if name == "set":
            values, ids = tuple(self.sets), frozenset(rest.ids)
            having = Counter({value: len(ids.intersection(self.sets[value].cards)) for value in values})
        elif name == "mark":
            values, marked = tuple(labels.MARK), self.marked
            having = Counter(word for card in rest.ids for word in set(marked.get(card, ())))
        elif name == "demo":
            values = sorted(
                {demo.id for _, card in self.all.outlines() for demo in card.demos},
                key=lambda key: int(key[1:]),
            )
            having = Counter(demo for _, card in rest.outlines() for demo in {demo.id for demo in card.demos})
        else:
            having = Counter(getattr(card, name) for _, card in rest.outlines())
        return {ANY: len(rest), **{value: having[value] for value in values}}

    def _values(self, name: str, left: Mapping[str, int]) -> Callable[[], Sequence[Item]]:
        """The values of a filter, each with how many cards it would leave."""

        def items() -> list[Item]:
            words = {value: self.word(name, value) for value in left if value != ANY}
            words[ANY] = self.say(messages.BROWSE_ANY)
            return [
                Item(value, words[value], note=str(count))
                for value, count in left.items()
                if count or value in (ANY, self.value(name))
            ]

        return items

    def leave(self) -> None:
        """From the words back to the list, from the list back to where one came from."""
        words = self.query_one("#words", Input)
        if words.has_focus:
            self.query_one(Menu).focus()
            self.frame()
        else:
            super().leave()

    def on_input_submitted(self) -> None:
        self.action_open_found()

    def action_open_found(self) -> None:
        menu = self.query_one(Menu)
        # who comes back goes on in the list, and its keys are letters
        menu.focus()
        menu.action_choose()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.card import CardScreen

        self.app.push_screen(CardScreen(event.item.id))

    def action_study(self) -> None:
        from tui.screens.study import StudyScreen

        options = {"cards": tuple(self.cards.ids), "set": self.value("set")}
        self.app.push_screen(StudyScreen(options))

    def action_export(self) -> None:
        from tui.screens.sheets import SheetsScreen
        from tui.sheet_selection import Selection

        if self.wanted == Wanted(topics=self.wanted.topics):
            listed = Selection(topics=self.wanted.topics)
        elif self.wanted == Wanted(cards=self.wanted.cards):
            listed = Selection(card_set=self.card_set)
        else:
            listed = Selection(cards=tuple(self.cards.ids))
        self.app.push_screen(SheetsScreen(listed))

    def action_glossary(self) -> None:
        from tui.screens.glossary import GlossaryScreen

        self.app.push_screen(GlossaryScreen())
