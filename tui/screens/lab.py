"""The lab: all demonstrations, and one of them in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens import lab_words as words
from tui.screens.base import Page
from tui.screens.calibration import CalibrationScreen
from tui.screens.calibration_words import CALIBRATION_KEY
from tui.screens.finding import FindingPage
from tui.screens.lab_sweep import leave_zoom_or_sweep
from tui.widgets.chrome import SECONDARY
from tui.widgets.menu import Item, Menu
from tui.widgets.prose import ProseView

if TYPE_CHECKING:
    from engine.demonstration import Demonstration


class LabListScreen(FindingPage):
    """What can be demonstrated, and the popular error each refutes."""

    HEADING = messages.LAB
    ABOUT = messages.LAB_LIST_ABOUT
    OFFERS = (*FindingPage.OFFERS, CALIBRATION_KEY)

    def __init__(self) -> None:
        super().__init__()
        self.demos: list[Demonstration] = []

    def body(self) -> ComposeResult:
        yield self.field_of_words()
        menu = Menu()
        menu.compact = False
        yield menu

    def status(self) -> str:
        found = len(self._found)
        return self.say(words.FOUND, n=found, of=len(self.demos)) if found < len(self.demos) else ""

    def begin(self) -> None:
        def load_all() -> list[Demonstration]:
            from engine.demos import catalogue, load

            return [load(entry.id) for entry in catalogue()]

        self.later(load_all, self._loaded)

    def _loaded(self, demos: list[Demonstration]) -> None:
        self.demos = demos
        self.show()
        self.frame()

    def show(self) -> None:
        self.query_one("#words", Input).placeholder = self.say(messages.BROWSE_HINT)
        self.narrow()

    @property
    def _found(self) -> list[Demonstration]:
        return [
            demo
            for demo in self.demos
            if self.holds(demo.id, demo.name, *demo.title, *demo.kills, *demo.shows, *demo.headline.meaning)
        ]

    def narrow(self, from_top: bool = False) -> None:
        menu = self.query_one(Menu)
        if not self.demos:
            menu.fill([Item("loading", self.say(messages.WORKING), role="quiet")])
            return
        items = [
            Item(
                demo.id,
                self.say(demo.title),
                lead=demo.id,
                detail=self.say(messages.AGAINST, error=demo.kills),
            )
            for demo in self._found
        ]
        menu.fill(
            items or [Item("none", self.say(words.NONE_FOUND), role="text")],
            at=items[0].id if items and from_top else None,
        )

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        self.app.push_screen(LabScreen(event.item.id))

    def action_calibration(self) -> None:
        self.app.push_screen(CalibrationScreen())


DERIVE = Command(
    "derive",
    ("d",),
    Text("Derivation", "推导"),
    Text("the proof behind it, one key per step", "背后的证明，一键一步"),
    26,
)


CARDS = Command(
    "cards", ("c",), Text("Cards", "卡片"), Text("the cards it stands behind", "它所支撑的卡片"), 27
)


class LabScreen(Page):
    """One demonstration."""

    HEADING = messages.LAB
    ABOUT = messages.LAB_ABOUT
    OFFERS = (DERIVE, CARDS, CALIBRATION_KEY._replace(footer=SECONDARY))
    AUTO_FOCUS = ""

    def __init__(self, demo: str) -> None:
        super().__init__()
        self.demo_id = demo
        self.demo: Demonstration | None = None

    def body(self) -> ComposeResult:
        with Vertical(id="lab"):
            yield ProseView(id="loading")

    def heading(self) -> str:
        return f"{self.demo.id} · {self.say(self.demo.title)}" if self.demo else self.say(self.HEADING)

    def about(self) -> str:
        return "\n\n".join([super().about(), *(view.legend for view in self.query("LabView"))])  # type: ignore[attr-defined]

    def begin(self) -> None:
        def load_one() -> Demonstration:
            # beside the event loop, which needs them next
            import tui.drawing.plot
            import tui.screens.lab_view  # noqa: F401
            from engine.demos import load

            return load(self.demo_id)

        self.later(load_one, self._loaded)

    async def _loaded(self, demo: Demonstration) -> None:
        from tui.screens.lab_view import LabView

        self.demo = demo
        await self.query_one("#loading").remove()
        await self.query_one("#lab").mount(LabView(demo))
        self.frame()

    def show(self) -> None:
        if self.demo is None:
            self.query_one("#loading", ProseView).text = self.say(messages.WORKING)
        for view in self.query("LabView"):
            view.show()  # type: ignore[attr-defined]

    def leave(self) -> None:
        """Out of the zoom or a sweep first, then back to where one came from."""
        if not leave_zoom_or_sweep(self):
            super().leave()

    def action_cards(self) -> None:
        from tui.screens.browse import BrowseScreen

        self.app.push_screen(BrowseScreen(demo=self.demo_id))

    def action_calibration(self) -> None:
        self.app.push_screen(CalibrationScreen())

    def action_derive(self) -> None:
        self.app.push_screen(DerivationScreen(self.demo_id))


class DerivationScreen(Page):
    """The derivation of one demonstration."""

    HEADING = labels.DERIVATION
    ABOUT = messages.DERIVATION_ABOUT
    AUTO_FOCUS = ""

    def __init__(self, demo: str) -> None:
        super().__init__()
        self.demo_id = demo

    def body(self) -> ComposeResult:
        from quizbank.card import DemoRef
        from tui.screens.card_proof import DerivationPanel

        yield DerivationPanel((DemoRef(self.demo_id),), id="derivation")

    def show(self) -> None:
        from tui.screens.card_proof import DerivationPanel

        self.query_one(DerivationPanel).show()
