"""The derivation behind a card."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.screens.card_lab import DemoPanel
from tui.screens.deciding import decide
from tui.widgets.derivation import DerivationView

if TYPE_CHECKING:
    from engine.demonstration import Demonstration
    from quizbank.card import DemoRef


class DerivationPanel(DemoPanel):
    """Step by step, each with its badge."""

    async def fill(self, demo: Demonstration, ref: DemoRef) -> None:
        view = DerivationView()
        await self.query_one(".demo--body").mount(view)
        view.action_next_step()
        self.run_worker(partial(decide, self.page_below, demo, view), group="derivation", exclusive=True)
        self.call_after_refresh(self.take_focus)

    def show(self) -> None:
        super().show()
        for view in self.query(DerivationView):
            view.language = self.page_below.language
            view.next_key = self.page_below.key_called("derivation.next-step")

    def take_focus(self) -> None:
        for view in self.query(DerivationView):
            view.focus(scroll_visible=False)
