"""One card in full: answer, derivation, lab, follow-ups, sources, each under one key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from engine.errors import InputError
from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens.lab_sweep import leave_zoom_or_sweep
from tui.screens.marking import MarkingPage
from tui.screens.marking_words import MARKING
from tui.screens.sheets_words import SHEET_KEY
from tui.screens.workbench_words import WORKBENCH_KEY
from tui.widgets.menu import Item, Menu
from tui.widgets.tabs import Tab, TabStrip

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.notebook import Kept
    from quizbank.renewal import Renewal

ANSWER = Command(
    "panel('answer')",
    ("a",),
    Text("Answer", "完整回答"),
    Text("spoken and full answer, the trap", "口述与完整回答、常见误区"),
)
DERIVATION = Command(
    "panel('derivation')",
    ("d",),
    Text("Derivation", "推导"),
    Text("the proof, one key per step", "证明，一键一步"),
)
LAB = Command(
    "panel('lab')",
    ("l",),
    Text("Lab", "实验室"),
    Text("sliders, plot, predicted against measured", "滑块、图形、预测与实测"),
)
FOLLOW_UPS = Command(
    "panel('follow-ups')",
    ("f",),
    Text("Follow-ups", "追问"),
    Text("what an interviewer asks next", "面试官接下来会问什么"),
)
SOURCES = Command(
    "panel('sources')",
    ("s",),
    Text("Sources", "参考来源"),
    Text("where it is written, down to the section", "出处，精确到章节"),
)
EXPORT = SHEET_KEY._replace(
    help=Text("export this card as an answer sheet", "把这张卡片导出为答案册"), footer=48
)
INTERVIEW = Command(
    "interview",
    ("i",),
    Text("Interview", "模拟面试"),
    Text("an interview that starts from this card", "从这张卡片开始一场模拟面试"),
    49,
)
PANELS = {
    "answer": ANSWER,
    "derivation": DERIVATION,
    "lab": LAB,
    "follow-ups": FOLLOW_UPS,
    "sources": SOURCES,
}


class Panel(Protocol):
    """What a panel must do: show itself in the language of the moment; take the focus."""

    def show(self) -> None: ...

    def take_focus(self) -> None: ...


class CardScreen(MarkingPage):
    """The panels are made when they are first opened: the lab alone needs NumPy, the derivation SymPy."""

    ABOUT = messages.CARD_ABOUT
    OFFERS = (*PANELS.values(), WORKBENCH_KEY._replace(footer=47), EXPORT, INTERVIEW, *MARKING)
    AUTO_FOCUS = ""

    def __init__(self, card: str, panel: str = "answer") -> None:
        super().__init__()
        self.card_id = card
        self.open_panel = panel
        self.card: Card | None = None
        self.has_derivations = False
        self.kept: tuple[Kept, ...] = ()

    def body(self) -> ComposeResult:
        yield TabStrip()
        with Vertical(id="panel"):
            yield Menu(id="working")

    def heading(self) -> str:
        if self.card is None:
            return self.say(messages.CARD)
        from engine.notation.page import inline

        try:
            return inline(self.say(self.card.question))
        except InputError:
            return self.card.id

    def status(self) -> str:
        return self.title_mark()

    def about(self) -> str:
        views = self.query("#lab LabView") if self.open_panel == "lab" else ()
        return "\n\n".join([super().about(), *(view.legend for view in views)])  # type: ignore[attr-defined]

    def leave(self) -> None:
        """Out of the zoom or a sweep in its lab first, then back to where one came from."""
        if self.open_panel != "lab" or not leave_zoom_or_sweep(self):
            super().leave()

    @property
    def card_in_sight(self) -> Card | None:
        return self.card

    async def renewed(self, found: Renewal) -> None:
        if self.card is None or self.card_id not in found.bank:
            # what it said can still be read
            return
        # the panels hold the card as it was
        for child in self.query_one("#panel").children:
            if child.id != "working":
                await child.remove()
        self.card = None
        self.begin()

    def begin(self) -> None:
        workspace = self.proofdeck.workspace

        def fill() -> Card:
            card = workspace.bank.card(self.card_id)
            _ = workspace.bank.bibliography  # read here, so that the sources open at once
            self.has_derivations = any(drill.kind == "derivation" for drill in card.drills)
            self.kept = self._kept()
            return workspace.filled(card)

        self.later(fill, self._is_filled, failed=self._not_filled)

    def _kept(self) -> tuple[Kept, ...]:
        try:
            return self.proofdeck.workspace.notebook.kept(self.card_id)
        except InputError:
            # the workbench says what is wrong with the notebook; the card can be read without it
            return ()

    def on_screen_resume(self) -> None:
        if self.card is not None:
            self.later(self._kept, self._kept_again, group="kept")
            self.read_marks()

    def _kept_again(self, kept: tuple[Kept, ...]) -> None:
        if kept != self.kept:
            self.kept = kept
            self.show()

    def has_panel(self, name: object) -> bool:
        """A plain card has an answer, and a proof and a lab where it names a demonstration."""
        if self.card is None or not self.card.is_plain or name == "answer":
            return True
        return name in ("derivation", "lab") and bool(self.card.demos)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "workbench":
                return self.has_derivations or bool(self.kept)
            case "panel":
                return self.has_panel(parameters[0])
            case "interview":
                return self.card is None or not self.card.is_plain
        return self.can_mark(action) is not False

    def _not_filled(self, error: Exception) -> None:
        # a number that cannot be computed leaves its slot in sight; the rest of the card can be read
        self.complain(error)
        self._is_filled(self.proofdeck.workspace.bank.card(self.card_id))

    def _is_filled(self, card: Card) -> None:
        self.card = card
        self.read_marks()
        self.action_panel(self.open_panel)

    def show(self) -> None:
        names = {"answer": labels.ANSWER, "derivation": labels.DERIVATION, "lab": messages.LAB,
                 "follow-ups": labels.FOLLOW_UPS, "sources": labels.SOURCES}  # fmt: skip
        tabs = [
            Tab(name, self.key_of(command), self.say(names[name]))
            for name, command in PANELS.items()
            if self.has_panel(name)
        ]
        self.query_one(TabStrip).tell(tabs, self.open_panel)
        if self.card is None:
            self.query_one("#working", Menu).fill([Item("working", self.say(messages.WORKING), role="quiet")])
            return
        for panel in self.query_one("#panel").children:
            if panel.id != "working":
                cast(Panel, panel).show()

    def on_tab_strip_picked(self, event: TabStrip.Picked) -> None:
        self.action_panel(event.tab)

    def action_panel(self, name: str) -> None:
        """Open a panel; the others keep where they were."""
        self.open_panel = name
        if self.card is None:
            # it opens as soon as the card's numbers are there
            self.show()
            return
        holder = self.query_one("#panel")
        found = None
        for child in holder.children:
            child.display = child.id == name
            if child.id == name:
                found = child
        if found is None:
            found = self._made(name)
            holder.mount(found)
        self.call_after_refresh(self._opened, found)

    def action_interview(self) -> None:
        from tui.screens.interview import InterviewScreen

        self.app.push_screen(InterviewScreen({"card": self.card_id}))

    def action_export(self) -> None:
        from tui.screens.sheets import SheetsScreen
        from tui.sheet_selection import Selection

        self.app.push_screen(SheetsScreen(Selection(cards=(self.card_id,))))

    def action_workbench(self) -> None:
        from tui.screens.workbench import WorkbenchScreen

        self.app.push_screen(WorkbenchScreen(self.card_id))

    def _opened(self, panel: Widget) -> None:
        self.show()
        target = (
            panel if panel.focusable else next((child for child in panel.query("*") if child.focusable), None)
        )
        if target is not None:
            target.focus(scroll_visible=False)
        self.frame()

    def _made(self, name: str) -> Widget:
        card = self.card
        assert card is not None
        match name:
            case "derivation":
                from tui.screens.card_proof import DerivationPanel

                return DerivationPanel(card.demos, id=name)
            case "lab":
                from tui.screens.card_lab import LabPanel

                return LabPanel(card.demos, id=name)
            case "follow-ups":
                from tui.screens.card_panels import FollowUpsPanel

                return FollowUpsPanel(card, id=name)
            case "sources":
                from tui.screens.card_panels import SourcesPanel

                return SourcesPanel(card, id=name)
            case _:
                from tui.screens.card_panels import FullAnswerPanel

                return FullAnswerPanel(card, id=name)
