"""What one's reviews say: a view at a time, with the sentences under it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from tui import messages
from tui.screens import statistics_words as words
from tui.screens.base import Movable, Page
from tui.screens.calibration_words import CALIBRATION_KEY
from tui.widgets.figure import FigureView
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.statistics.summary import Statistics
    from quizbank.statistics.views import View

WIDE = 100
"""Cells from which the list of views stands beside the one that is shown."""


class StatisticsScreen(Page):
    """The figure, and what it says in words; where there is room, the list of views beside it."""

    HEADING = words.HEADING
    ABOUT = words.ABOUT
    OFFERS = (words.NEXT, words.PREVIOUS, words.FIT, words.ZOOM, CALIBRATION_KEY._replace(footer=5))
    AUTO_FOCUS = ""
    CSS = """
    StatisticsScreen #views { width: 26; display: none; }
    StatisticsScreen.-wide #views { display: block; }
    StatisticsScreen FigureView { height: 1fr; min-height: 8; padding: 0 1; }
    StatisticsScreen #said { height: auto; max-height: 40%; }
    StatisticsScreen.-bare FigureView { display: none; }
    StatisticsScreen.-bare #said { height: 1fr; max-height: 100%; }
    StatisticsScreen.-zoom #said { display: none; }
    StatisticsScreen.-zoom.-bare #said { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: Statistics | None = None
        self.views: tuple[View, ...] = ()
        self.place = 0
        self.fit_needs = 0
        self.fault: Exception | None = None

    def body(self) -> ComposeResult:
        with Horizontal():
            yield Menu(id="views")
            with Vertical():
                yield FigureView(id="picture")
                yield Menu(id="said")

    def begin(self) -> None:
        self._arrange()
        self._read()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.found is not None:
            self._read()

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        wide = self.size.width >= WIDE
        self.set_class(wide, "-wide")
        self.query_one("#views" if wide else "#said", Menu).focus()

    def _read(self) -> None:
        workspace = self.proofdeck.workspace

        def read() -> tuple[Statistics, tuple[View, ...], int]:
            from quizbank.fitting.fit import FIT_NEEDS
            from quizbank.statistics.views import views

            found = workspace.statistics()
            return found, views(found), FIT_NEEDS

        self.later(read, self._loaded, failed=self._not_loaded)

    def _not_loaded(self, error: Exception) -> None:
        # stays on the screen: there is nothing else to show
        self.fault = error
        self.show()
        self.frame()

    def _loaded(self, found: tuple[Statistics, tuple[View, ...], int]) -> None:
        self.found, self.views, self.fit_needs = found
        self.fault = None
        self.proofdeck.tell_notices()
        self.show()
        self.frame()
        self.refresh_bindings()

    # What is on screen -------------------------------------------------------------------------

    @property
    def view(self) -> View | None:
        return self.views[self.place] if self.views else None

    @property
    def fit_is_offered(self) -> bool:
        return self.found is not None and (self.found.later >= self.fit_needs or self.found.own_weights)

    def status(self) -> str:
        if self.view is None:
            return "" if self.fault else self.say(messages.LOADING)
        return self.say(words.PLACE, name=self.view.name, n=self.place + 1, of=len(self.views))

    def show(self) -> None:
        view = self.view
        picture = self.query_one(FigureView)
        picture.language = self.language
        self.set_class(view is None or view.figure is None, "-bare")
        if view is not None and view.figure is not None:
            picture.figure = view.figure
        self.query_one("#views", Menu).fill(
            [Item(one.key, self.say(one.name)) for one in self.views], at=view.key if view else None
        )
        self.query_one("#said", Menu).fill(list(self._said()))

    def _said(self) -> Iterator[Item]:
        view = self.view
        if self.fault is not None:
            yield Item("fault", self.fault_line(self.fault), role="text")
            return
        if view is None:
            yield Item("working", self.say(messages.WORKING), role="quiet")
            return
        if view.figure is None:
            yield Item("name", self.say(view.name), role="heading")
        said = [self.say(one) for one in view.said]
        if view.key == "guesses" and view.figure is not None:
            said.append(self.say(words.MORE_GUESSES))
        if view.key in ("overview", "prediction") and self.fit_is_offered:
            said.append(self.say(words.OFFER))
        if view.topics:
            for topic, line in zip(view.topics, said, strict=True):
                yield Item(topic, line)
        else:
            yield Item("said", "\n".join(f"- {line}" for line in said), role="text")

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "turn":
                return len(self.views) > 1
            case "zoom":
                return self.view is not None and self.view.figure is not None
            case "fit":
                return self.fit_is_offered
        return True

    def _go_to(self, place: int) -> None:
        self.place = place % len(self.views)
        self.show()
        self.query_one("#said", Menu).scroll_home(animate=False)
        self.frame()
        self.refresh_bindings()

    def action_turn(self, by: int) -> None:
        self._go_to(self.place + by)

    def moved(self) -> Movable | None:
        """The list that has the focus: of the views, or of what the view says."""
        return self.focused if isinstance(self.focused, Menu) else super().moved()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        """Enter on a view: on to what it says, which may be longer than its place; on a topic: its cards."""
        if event.menu.id == "views":
            self.query_one("#said", Menu).focus()
            self.frame()
        else:
            from tui.screens.browse import BrowseScreen

            self.app.push_screen(BrowseScreen(event.item.id))

    def on_menu_moved(self, event: Menu.Moved) -> None:
        if event.menu.id == "views":
            place = next(n for n, view in enumerate(self.views) if view.key == event.item.id)
            if place != self.place:
                self._go_to(place)

    def action_zoom(self) -> None:
        self.toggle_class("-zoom")
        if not self.has_class("-zoom"):
            # what is hidden loses the focus
            self.call_after_refresh(self._arrange)
        self.frame()

    def action_calibration(self) -> None:
        from tui.screens.calibration import CalibrationScreen

        self.app.push_screen(CalibrationScreen())

    def action_fit(self) -> None:
        from tui.screens.fit import FitScreen

        assert self.found is not None
        self.app.push_screen(FitScreen(self.found.later, self.fit_needs, self.found.own_weights))
