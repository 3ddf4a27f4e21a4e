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

    def prepare(self) -> None:
        body = self.query_one(".demo--body")
        body.remove_children()
        # there before its steps are: a key pressed right after the one that opened the panel is meant for it
        self._view = DerivationView()
        body.mount(self._view)
        self._view.action_next_step()
        self.show()
        self.take_focus()

    def not_loaded(self, error: Exception) -> None:
        self._view.finish()
        super().not_loaded(error)

    async def fill(self, demo: Demonstration, ref: DemoRef) -> None:
        self.run_worker(
            partial(decide, self.page_below, demo, self._view), group="derivation", exclusive=True
        )

    def show(self) -> None:
        super().show()
        for view in self.query(DerivationView):
            view.language = self.page_below.language
            view.next_key = self.page_below.key_called("derivation.next-step")

    def take_focus(self) -> None:
        for view in self.query(DerivationView):
            view.focus(scroll_visible=False)
