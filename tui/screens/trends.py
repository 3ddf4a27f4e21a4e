"""How each topic went from one self-test to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from quizbank import labels
from tui import messages
from tui.drawing.sparkline import sparkline
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.papers.trend import Trend


class TrendsScreen(Page):
    """A row of bars a topic, the latest self-test last. Enter on a topic shows its cards."""

    HEADING = messages.TRENDS
    ABOUT = messages.TRENDS_ABOUT

    def __init__(self) -> None:
        super().__init__()
        self.trends: tuple[Trend, ...] | None = None

    def body(self) -> ComposeResult:
        yield Menu(id="trends")

    def begin(self) -> None:
        workspace = self.proofdeck.workspace

        def read() -> tuple[Trend, ...]:
            from quizbank.papers.trend import trends

            return trends(workspace.results.history())

        self.later(read, self._read)

    def _read(self, trends: tuple[Trend, ...]) -> None:
        self.trends = trends
        self.show()
        self.frame()

    def show(self) -> None:
        if self.trends is None:
            items = [Item("working", self.say(messages.WORKING), role="quiet")]
        elif not self.trends:
            items = [Item("none", self.say(messages.NO_TRENDS), role="text")]
        else:
            items = [Item("about", self.say(messages.TRENDS_READ), role="quiet")]
            points = [f"{trend.score.earned:.3g} / {trend.score.possible}" for trend in self.trends]
            wide = max(map(len, points))
            items += [
                Item(
                    trend.topic,
                    self.say(labels.TOPIC[trend.topic]),
                    note=f"{sparkline(trend.shares)} {trend.shares[-1]:>4.0%}  {of_topic:>{wide}}",
                )
                for trend, of_topic in zip(self.trends, points, strict=True)
            ]
        self.query_one(Menu).fill(items)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.browse import BrowseScreen

        self.app.push_screen(BrowseScreen(event.item.id))
