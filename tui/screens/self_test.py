"""Set up a self-test, or go on with one that was left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from quizbank.card import KINDS, LEVELS
from tui import messages
from tui.commands import Command
from tui.screens.base import Page, Pane
from tui.screens.form import FormPage
from tui.screens.sheets_words import SHEET_KEY
from tui.screens.sitting import SittingScreen
from tui.widgets.fields import Entry, Picker
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.papers.paper import Paper

GO = Command(
    "go", ("enter",), Text("Start", "开始"), Text("draw the paper and start the clock", "组卷并开始计时"), 1
)
DRAW = GO._replace(
    name=Text("Draw", "组卷"), help=Text("draw the paper and go back with it", "组卷并带着试卷返回")
)
RESUME = Command(
    "resume",
    ("r",),
    Text("Resume", "继续"),
    Text("go on with the self-test that was left", "继续上次未完成的自测"),
    2,
)
PAST = Command(
    "past", ("p",), Text("Results", "成绩"), Text("the self-tests sat so far", "查看以往的自测成绩"), 3
)

SHEET = SHEET_KEY._replace(
    help=Text("draw the paper to print it, without sitting it", "组卷后打印，不作答"), footer=4
)

COUNTS = (5, 10, 15, 20, 30)
MINUTES = (0, 5, 10, 15, 20, 30, 60)


class SelfTestScreen(FormPage):
    """Topic, level, kind, number of questions, minutes, whether weak topics get more, seed."""

    HEADING = messages.TEST
    ABOUT = messages.TEST_ABOUT
    OFFERS = (GO, SHEET, RESUME, PAST)

    def __init__(self, then: Callable[[Paper], None] | None = None) -> None:
        """``then`` gets the paper where one is wanted that is not to be sat here."""
        super().__init__()
        self.then = then
        if then is not None:
            self.OFFERS = (DRAW,)  # type: ignore[misc]
        self.topics: tuple[str, ...] = ()
        self.left_open = False
        self.sat = 0
        self.told: Text | None = None

    def body(self) -> ComposeResult:
        with Pane(can_focus=False):
            yield Picker(id="topic")
            yield Picker(id="level")
            yield Picker(id="kind")
            yield Picker(id="count")
            yield Picker(id="minutes")
            yield Picker(id="weak")
            yield Entry(id="seed")
            yield Menu(id="outcome")

    def begin(self) -> None:
        self.query_one("#outcome", Menu).can_focus = False
        self.picker("count").choose("10")
        self.picker("minutes").choose("10")
        self._look()

    def on_screen_resume(self) -> None:
        if self.topics:
            self._look()

    def _look(self) -> None:
        workspace = self.proofdeck.workspace

        def look() -> tuple[tuple[str, ...], bool, int]:
            topics = tuple(dict.fromkeys(card.topic for card in workspace.bank.cards.full if card.drills))
            history = workspace.results.history()
            return topics, any(report.status == "open" for report in history), len(history)

        self.later(look, self._looked)

    def _looked(self, found: tuple[tuple[str, ...], bool, int]) -> None:
        self.topics, self.left_open, self.sat = found
        self.proofdeck.tell_notices()
        self.show()
        self.frame()

    def show(self) -> None:
        every = ("", self.say(messages.ALL_CARDS))
        self.picker("topic").tell(
            self.say(messages.TOPIC),
            [every, *((topic, self.say(labels.TOPIC[topic])) for topic in self.topics)],
        )
        self.picker("level").tell(
            self.say(messages.LEVEL), [every, *((level, self.say(labels.LEVEL[level])) for level in LEVELS)]
        )
        self.picker("kind").tell(
            self.say(messages.KIND), [every, *((kind, self.say(labels.KIND[kind])) for kind in KINDS)]
        )
        self.picker("weak").tell(
            self.say(messages.WEAK),
            [("", self.say(messages.EVENLY)), ("weak", self.say(messages.TO_THE_WEAK))],
        )
        self.picker("count").tell(self.say(messages.COUNT), [(str(n), str(n)) for n in COUNTS])
        self.picker("minutes").tell(
            self.say(messages.MINUTES),
            [(str(n), self.say(messages.NO_LIMIT) if n == 0 else str(n)) for n in MINUTES],
        )
        self.query_one("#seed", Entry).tell(self.say(messages.SEED), self.say(messages.SEED_HINT))
        told = [self.told] if self.told else []
        if self.left_open and self.then is None:
            told.append(messages.LEFT_OPEN)
        if self.then is None:
            told.append(messages.TEST_ABOUT)
        self.query_one("#outcome", Menu).fill(
            [Item(str(n), self.say(text), role="text") for n, text in enumerate(told)]
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "resume":
                return self.left_open and self.then is None
            case "past":
                return self.sat > 0 and self.then is None
            case "export":
                return self.then is None
        return True

    def action_go(self) -> None:
        if self.then is not None:
            self._draw(self.then)
        elif (options := self._options()) is not None:
            self.app.push_screen(SittingScreen(options))

    def action_export(self) -> None:
        from tui.screens.sheets import SheetsScreen
        from tui.sheet_selection import Selection

        def drawn(paper: Paper) -> None:
            self.app.push_screen(SheetsScreen(Selection(paper=paper)))

        self._draw(drawn)

    def _draw(self, then: Callable[[Paper], None]) -> None:
        options, workspace = self._options(), self.proofdeck.workspace
        if options is not None:
            self.later(lambda: workspace.paper(options), then, group="draw")

    def _options(self) -> dict[str, Any] | None:
        """What the fields ask for; None where the seed is none, which is said then."""
        typed = self.query_one("#seed", Entry).value
        if typed and not (typed.isascii() and typed.isdigit() and len(typed) < 16):
            self.told = messages.SEED_FAULT
            self.show()
            return None
        self.told = None
        topic, level, kind = (self.picker(name).value for name in ("topic", "level", "kind"))
        return {
            "topics": (topic,) if topic else (),
            "levels": (level,) if level else (),
            "kinds": (kind,) if kind else (),
            "count": int(self.picker("count").value),
            "minutes": int(self.picker("minutes").value) or None,
            "seed": int(typed) if typed else None,
            "weak": bool(self.picker("weak").value),
        }

    def action_resume(self) -> None:
        self.app.push_screen(SittingScreen({"resume": True}))

    def action_past(self) -> None:
        from tui.screens.results import PastScreen

        self.app.push_screen(PastScreen())


def open_test(options: Mapping[str, Any]) -> Page:
    """Where ``proofdeck test`` opens: at the questions if anything was asked for, else at the form."""
    wished = any(value not in (None, (), False) for value in options.values())
    return SittingScreen(options) if wished else SelfTestScreen()
