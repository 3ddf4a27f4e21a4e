"""How far off one's guesses tend to be: a picture, and what it adds up to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens import calibration_words as words
from tui.screens.base import Page
from tui.widgets.figure import FigureView
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from engine.figure import Figure
    from quizbank.calibration.summary import Calibration, Group, Spread

FIGURE = Command("figure", ("v",), Text("Figure", "图"), Text("the next figure", "下一幅图"), 1)
ZOOM = Command(
    "zoom", ("z",), Text("Zoom", "放大"),
    Text("the figure alone on the screen, and back", "让图占满屏幕，再按一次还原"), 2,
)  # fmt: skip
LAB = Command("lab", ("l",), Text("Lab", "实验室"), Text("guess some more", "去实验室接着猜"), 3)


_FEWEST_HALVED = 4
"""Guesses from which the middle half of them is worth saying."""


class CalibrationScreen(Page):
    """The figure above, the sums beneath, the lab and the self-tests apart. Enter opens what the cursor is on."""

    HEADING = words.CALIBRATION
    ABOUT = words.ABOUT
    OFFERS = (FIGURE, ZOOM, LAB)
    CSS = """
    CalibrationScreen FigureView { height: 1fr; min-height: 8; padding: 0 1; }
    CalibrationScreen Menu { height: 1fr; }
    CalibrationScreen.-zoom Menu { display: none; }
    CalibrationScreen.-bare FigureView { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: Calibration | None = None
        self.figures: tuple[Figure, ...] = ()
        self.titles: dict[str, Text] = {}
        self.place = 0
        self.fault: Exception | None = None

    def body(self) -> ComposeResult:
        yield FigureView(id="picture")
        yield Menu(id="calibration")

    def begin(self) -> None:
        self._read()

    def on_screen_resume(self) -> None:
        if self.found is not None:
            self._read()

    def _read(self) -> None:
        workspace = self.proofdeck.workspace

        def read() -> tuple[Calibration, tuple[Figure, ...], dict[str, Text]]:
            from engine.demos import catalogue, load
            from quizbank.calibration.picture import pictures

            found = workspace.calibration()
            there = {entry.id for entry in catalogue()} & {group.name for group in found.by_demo}
            return found, pictures(found), {demo: load(demo).title for demo in there}

        self.later(read, self._loaded, failed=self._not_loaded)

    def _not_loaded(self, error: Exception) -> None:
        # stays on the screen: there is nothing else to show
        self.fault = error
        self.show()
        self.frame()

    def _loaded(self, found: tuple[Calibration, tuple[Figure, ...], dict[str, Text]]) -> None:
        self.found, self.figures, self.titles = found
        self.fault = None
        self.proofdeck.tell_notices()
        self.show()
        self.frame()
        # the sentences first, not the first entry
        self.call_after_refresh(self.query_one(Menu).scroll_home, animate=False)

    def status(self) -> str:
        if self.found is None:
            return "" if self.fault else self.say(messages.LOADING)
        return self.say(words.GUESSES, n=len(self.found.guesses))

    def show(self) -> None:
        picture = self.query_one(FigureView)
        picture.language = self.language
        self.set_class(not self.figures, "-bare")
        if self.figures:
            picture.figure = self.figures[self.place % len(self.figures)]
        self.query_one(Menu).fill(list(self._items()))

    def _items(self) -> Iterator[Item]:
        found = self.found
        if self.fault is not None:
            yield Item("fault", self.fault_line(self.fault), role="text")
            return
        if found is None:
            yield Item("working", self.say(messages.WORKING), role="quiet")
            return
        if not found.guesses:
            yield Item("none", self.say(words.NONE_YET), role="text")
        source = ""
        for place, group in enumerate(found.overall):
            if group.source != source:
                source = group.source
                yield Item(source, self.say(words.SOURCES[source]), role="heading")
            of_factor = group.spread.measure == "factor"
            measure = self.say(words.FACTOR_MEASURE if of_factor else words.RANGE_MEASURE)
            count = self.say(words.GUESSES, n=group.spread.count)
            yield Item(f"figure {place}", measure, note=count, detail=self._sentences(group.spread))
        if found.again or found.no_factor:
            left = self.say(words.LEFT_OUT, again=found.again, none=found.no_factor)
            yield Item("left out", left, role="quiet")
        if found.by_topic:
            yield Item("topics", self.say(words.BY_TOPIC), role="heading")
        for group in found.by_topic:
            topic = self.say(labels.TOPIC[group.name])
            yield Item(
                f"topic {group.name} {group.source} {group.spread.measure}", topic, note=self._short(group)
            )
        if found.by_demo:
            yield Item("demos", self.say(words.BY_DEMO), role="heading")
        for group in found.by_demo:
            yield Item(
                f"demo {group.name} {group.source} {group.spread.measure}",
                self.say(self.titles[group.name]) if group.name in self.titles else group.name,
                lead=group.name,
                note=self._short(group),
            )

    def _sentences(self, spread: Spread) -> str:
        """What the guesses of one source and measure add up to, a line each."""
        of_factor = spread.measure == "factor"
        _, low, _, high, _ = (self._extent(error, spread, signed=True) for error in spread.quantiles)
        typical = self._extent(spread.typical, spread)
        bias = self._extent(spread.bias, spread, signed=True)
        direction = self.say(words.BIAS_FACTOR if of_factor else words.BIAS_RANGE, x=bias)
        lines = [
            self.say(words.TYPICAL_FACTOR if of_factor else words.TYPICAL_RANGE, x=typical),
            self.say(words.DIRECTION, high=spread.too_high, low=spread.too_low, bias=direction),
            self.say(words.WITHIN_FACTOR if of_factor else words.WITHIN_RANGE, near=spread.near,
                     two=spread.within_two, n=spread.count),
        ]  # fmt: skip
        if spread.count >= _FEWEST_HALVED:
            middle = words.MIDDLE_FACTOR if of_factor else words.MIDDLE_RANGE
            lines.insert(1, self.say(middle, low=low, high=high))
        if spread.halves is not None:
            before, after = (self._amount(half, spread) for half in spread.halves)
            lines.append(self.say(words.TREND, before=before, after=after))
        return "\n".join(f"- {line}" for line in lines)

    def _extent(self, error: float, spread: Spread, signed: bool = False) -> str:
        """An error as a person says it: a factor, or a share of the range."""
        from quizbank.slot_grammar import rounded

        if spread.measure == "factor":
            return rounded(10**error, 3)
        return f"{error:+.0%}".replace("-", "−") if signed else f"{error:.0%}"

    def _amount(self, error: float, spread: Spread) -> str:
        """The size of an error with its sign of measure: ×2.4, 12% of the range."""
        short = words.SHORT_FACTOR if spread.measure == "factor" else words.SHORT_RANGE
        return self.say(short, x=self._extent(error, spread))

    def _short(self, group: Group) -> str:
        """Where from, how far off, how often, in a few words."""
        spread = group.spread
        said = self._amount(spread.typical, spread)
        return " · ".join(
            (self.say(words.SHORT_SOURCES[group.source]), said, self.say(words.GUESSES, n=spread.count))
        )

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "figure":
                return len(self.figures) > 1
            case "zoom":
                return bool(self.figures)
        return True

    def action_figure(self) -> None:
        self.place += 1
        self.show()

    def action_zoom(self) -> None:
        self.toggle_class("-zoom")
        if not self.has_class("-zoom"):
            # what is hidden loses the focus
            self.call_after_refresh(self.query_one(Menu).focus)
        self.frame()

    def action_lab(self) -> None:
        from tui.screens.lab import LabListScreen

        self.app.push_screen(LabListScreen())

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        """A sum's own figure, a topic's cards, a demonstration's lab."""
        kind, name, *_ = event.item.id.split()
        if kind == "figure":
            self.place = int(name)
            self.show()
        elif kind == "topic":
            from tui.screens.browse import BrowseScreen

            self.app.push_screen(BrowseScreen(name))
        else:
            from tui.screens.lab import LabScreen

            self.app.push_screen(LabScreen(name))
