"""Deciding a demonstration's steps while the first is already on screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui.background import in_thread

if TYPE_CHECKING:
    from engine.demonstration import Demonstration
    from engine.proof.step import Decided
    from tui.screens.base import Page
    from tui.widgets.derivation import DerivationView


async def decide(page: Page, demo: Demonstration, view: DerivationView) -> None:
    """Fill ``view``: kept proofs are read; others are decided one at a time, in a thread, and kept for the next time."""
    proofs = page.proofdeck.workspace.proofs
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
        page.complain(error)


def _steps(demo: Demonstration) -> Iterator[Decided]:
    from engine.proof.derivation import decide_all

    return decide_all(demo.derive)
