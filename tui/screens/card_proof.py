"""The derivation behind a card, decided step by step while the first is already on screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui.background import in_thread
from tui.screens.card_lab import DemoPanel
from tui.widgets.derivation import DerivationView

if TYPE_CHECKING:
    from engine.demonstration import Demonstration
    from engine.proof.step import Decided
    from quizbank.card import DemoRef


class DerivationPanel(DemoPanel):
    """Kept proofs are read; others are decided one step at a time, in a thread, and kept for the next time."""

    async def fill(self, demo: Demonstration, ref: DemoRef) -> None:
        view = DerivationView()
        await self.query_one(".demo--body").mount(view)
        view.action_next_step()
        self.run_worker(self._decide(demo, view), group="derivation", exclusive=True)
        self.call_after_refresh(self.take_focus)

    async def _decide(self, demo: Demonstration, view: DerivationView) -> None:
        proofs = self.page_below.proofdeck.workspace.proofs
        try:
            kept = await in_thread(lambda: proofs.get(demo.id))
            if kept is not None:
                view.show(kept, revealed=max(1, view.revealed))
                return
            steps: list[Decided] = []
            deciding = await in_thread(lambda: _steps(demo))
            while (step := await in_thread(lambda: next(deciding, None))) is not None:
                steps.append(step)
                view.add(step)
            view.finish()
            await in_thread(lambda: proofs.put(demo.id, tuple(steps)))
        except Exception as error:
            # a fault in one demonstration: said where the steps would stand, and the app lives on
            view.finish()
            self.page_below.complain(error)

    def show(self) -> None:
        super().show()
        for view in self.query(DerivationView):
            view.language = self.page_below.language

    def take_focus(self) -> None:
        for view in self.query(DerivationView):
            view.focus(scroll_visible=False)


def _steps(demo: Demonstration) -> Iterator[Decided]:
    from engine.proof.derivation import decide_all

    return decide_all(demo.derive)
