"""A card's demonstrations at the setting that makes its point."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Vertical

from engine.text import Text
from tui import messages
from tui.commands import Command, bindings
from tui.screens.base import Page
from tui.screens.lab_view import LabView
from tui.widgets.prose import ProseView

if TYPE_CHECKING:
    from engine.demonstration import Demonstration
    from quizbank.card import DemoRef

NEXT_DEMO = Command(
    "next_demo",
    ("m",),
    Text("Next demo", "下一个演示"),
    Text("the card's next demonstration", "这张卡的下一个演示"),
    25,
)


class DemoPanel(Vertical):
    """A panel over a card's demonstrations, one at a time."""

    DEFAULT_CSS = """
    DemoPanel { height: 1fr; }
    DemoPanel > .demo--title { padding: 0 1; color: $text-muted; }
    """
    OFFERS = (NEXT_DEMO,)
    BINDINGS = bindings("demo-panel", OFFERS)

    def __init__(self, demos: tuple[DemoRef, ...], *, id: str) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.demos = demos
        self.place = 0
        self.demo: Demonstration | None = None

    @property
    def page_below(self) -> Page:
        return cast(Page, self.screen)

    def compose(self) -> ComposeResult:
        yield ProseView(classes="demo--title")
        yield Vertical(classes="demo--body")

    def on_mount(self) -> None:
        self._load()

    def on_resize(self) -> None:
        # on a short screen the row goes to the figure
        self.query_one(ProseView).display = len(self.demos) > 1 or self.size.height > 20 or not self.demos

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return len(self.demos) > 1 if action == "next_demo" else True

    def action_next_demo(self) -> None:
        self.place = (self.place + 1) % len(self.demos)
        self._load()

    def _load(self) -> None:
        if not self.demos:
            self.query_one(ProseView).text = self.page_below.say(messages.NO_DEMO)
            return
        self.prepare()
        ref = self.demos[self.place]

        def load_one() -> Demonstration:
            from engine.demos import load

            return load(ref.id)

        self.page_below.later(load_one, self._loaded, group=f"load {self.id}", failed=self.not_loaded)

    async def _loaded(self, demo: Demonstration) -> None:
        self.demo = demo
        await self.fill(demo, self.demos[self.place])
        self.show()
        self.page_below.frame()

    def prepare(self) -> None:
        """A demonstration is about to be loaded."""

    def not_loaded(self, error: Exception) -> None:
        self.page_below.complain(error)

    async def fill(self, demo: Demonstration, ref: DemoRef) -> None:
        """Show what the panel shows of a demonstration."""

    def show(self) -> None:
        if self.demo is not None:
            count = f" ({self.place + 1}/{len(self.demos)})" if len(self.demos) > 1 else ""
            self.query_one(ProseView).text = f"{self.demo.id}{count} · {self.page_below.say(self.demo.title)}"


class LabPanel(DemoPanel):
    async def fill(self, demo: Demonstration, ref: DemoRef) -> None:
        body = self.query_one(".demo--body")
        await body.remove_children()
        await body.mount(LabView(demo, ref.set))

    def show(self) -> None:
        super().show()
        for view in self.query(LabView):
            view.show()

    def take_focus(self) -> None:
        for view in self.query(LabView):
            view.take_focus()
