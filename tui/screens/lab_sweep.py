"""A sweep of one slider in the lab, run by run beside the event loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from textual.message import Message

from engine.text import Text
from tui.screens import lab_words as words

if TYPE_CHECKING:
    from engine.demonstration import Demonstration, Run, Value
    from engine.figure import Figure
    from tui.screens.base import Page
    from tui.screens.lab_view import LabView

Given = tuple[Mapping[str, "Value"], int]
"""Values of the sliders, and the seed."""


class Swept(Message):
    """The runs of a sweep so far."""

    def __init__(self, sweep: Sweep, runs: tuple[Run, ...]) -> None:
        super().__init__()
        self.sweep, self.runs = sweep, runs


@dataclass(eq=False)
class Sweep:
    """One parameter carried through its range; ``given`` is what the others and the seed were when it began."""

    demo: Demonstration
    name: str
    given: Given
    places: int
    runs: tuple[Run, ...] = ()
    ended: bool = False

    def is_of(self, given: Given) -> bool:
        """Are the other values and the seed still those of the sweep?"""
        return self._others(given) == self._others(self.given)

    def _others(self, given: Given) -> Given:
        values, seed = given
        return {name: value for name, value in values.items() if name != self.name}, seed

    def work(self, post: Callable[[Swept], object]) -> int:
        """Run at every place until :attr:`ended`; ``post`` is given the runs so far. Returns how many came out."""
        from engine.sweep import sweep

        values, seed = self.given
        runs: tuple[Run, ...] = ()
        # with whole samples: the shell call beside it gives the same numbers, and so does the slider at rest
        for run in sweep(self.demo, self.name, values, seed):
            if self.ended:
                break
            runs = (*runs, run)
            post(Swept(self, runs))
        return len(runs)

    def figure(self, now: Value) -> Figure | None:
        from engine.sweep import swept_figure

        return swept_figure(self.demo, self.name, self.runs, now) if self.runs else None

    @property
    def done(self) -> bool:
        return len(self.runs) >= self.places

    @property
    def meaning(self) -> Text:
        """What the parameter is called."""
        return next(one.meaning for one in self.demo.parameters if one.name == self.name)


def leave_zoom_or_sweep(page: Page) -> bool:
    """Back from the zoom of a lab on this screen, else from its sweep to the figure, and say so if that was still
    running; False where there is neither."""
    for view in cast("list[LabView]", page.query("LabView")):
        sweep = view.sweep
        if view.zoomed:
            view.action_zoom()
            return True
        if sweep is not None:
            view.action_sweep()
            if not sweep.done:
                said = page.say(
                    words.SWEEP_STOPPED, name=sweep.meaning, done=len(sweep.runs), all=sweep.places
                )
                page.proofdeck.notice(said)
            return True
    return False
