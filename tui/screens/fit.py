"""The scheduler fitted to one's own reviews: started, compared and applied here, computed in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.errors import InputError
from engine.text import Text, same
from tui.screens import statistics_words as words
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.fitting.fit import Fit

SETTING = "fsrs_weights"


class FitScreen(Page):
    """Says what a fit would do, runs it, shows before and after; a key applies it, another goes back to the usual weights.

    ``later`` reviews can be learned from, of ``needed``. Leaving the screen ends a fit that runs.
    """

    HEADING = words.FIT_HEADING
    ABOUT = words.FIT_ABOUT
    OFFERS = (words.START, words.APPLY, words.RESET)

    def __init__(self, later: int, needed: int, own_weights: bool) -> None:
        super().__init__()
        self.reviews_later = later
        self.needed = needed
        self.own_weights = own_weights
        self.missing: str | None = None
        self.fit: Fit | None = None
        self.process: subprocess.Popen[str] | None = None
        self.outcome: Text | None = None

    def body(self) -> ComposeResult:
        yield Menu(id="fit")

    def begin(self) -> None:
        def look() -> str:
            from quizbank.fitting.optimizer import INSTALL_LINE, is_installed

            return "" if is_installed() else INSTALL_LINE

        self.later(look, self._looked)

    def _looked(self, missing: str) -> None:
        self.missing = missing
        self._changed()

    def _changed(self) -> None:
        self.show()
        self.frame()
        self.refresh_bindings()

    # What is on screen -------------------------------------------------------------------------

    def show(self) -> None:
        self.query_one(Menu).fill(list(self._items()))

    def _items(self) -> Iterator[Item]:
        if self.outcome is not None:
            yield Item("outcome", self.say(self.outcome), role="strong")
        yield Item("now", self.say(words.OWN if self.own_weights else words.USUAL), role="text")
        if self.fit is not None:
            yield from self._found(self.fit)
        elif self.process is not None:
            yield Item("running", self.say(words.RUNNING), role="quiet")
        elif self.missing:
            yield Item("missing", self.say(words.MISSING, line=self.missing), role="text")
        elif self.reviews_later < self.needed:
            yield Item("few", self.say(words.TOO_FEW, n=self.reviews_later, needed=self.needed), role="text")
        elif self.missing is not None:
            yield Item("ready", self.say(words.READY, n=self.reviews_later), role="text")

    def _found(self, fit: Fit) -> Iterator[Item]:
        from quizbank.fitting.told import table, told

        yield Item("table", "```\n" + "\n".join(table(fit, self.language)) + "\n```", role="text")
        for number, said in enumerate(told(fit)):
            yield Item(f"told {number}", self.say(said), role="text")

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        idle = self.process is None
        match action:
            case "start":
                return self.missing == "" and self.reviews_later >= self.needed and idle and self.fit is None
            case "apply":
                return self.fit is not None and self.fit.is_better
            case "reset":
                return self.own_weights and idle
        return True

    def action_start(self) -> None:
        # -P: never a module that happens to lie in the folder the app was started in
        call = [sys.executable, "-P", "-m", "tui", "fit", "--json", "--lang", self.language]
        self.process = subprocess.Popen(
            call,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        process = self.process

        def wait() -> Fit:
            from quizbank.fitting.fit import Fit

            out, err = process.communicate()
            if process.returncode:
                lines = [line.removeprefix("proofdeck: ") for line in err.splitlines() if line.strip()]
                why = lines[-1] if lines else str(process.returncode)
                raise InputError(same(why) if process.returncode == 2 else words.CUT_SHORT.filled(why=why))
            return Fit.from_json(json.loads(out))

        self.later(wait, self._fitted, group="fit", failed=self._failed)
        self._changed()

    def _fitted(self, fit: Fit) -> None:
        self.process, self.fit = None, fit
        self._changed()

    def _failed(self, error: Exception) -> None:
        self.process = None
        self.outcome = Text(self.fault_line(error, "en"), self.fault_line(error, "zh"))
        self._changed()

    def on_unmount(self) -> None:
        # the thread that waits for it ends with it
        if self.process is not None:
            self.process.kill()

    def action_apply(self) -> None:
        assert self.fit is not None
        weights = list(self.fit.after.weights)
        self._keep(weights, words.APPLIED)

    def action_reset(self) -> None:
        self._keep([], words.WAS_RESET)

    def _keep(self, weights: list[float], said: Text) -> None:
        workspace = self.proofdeck.workspace

        def keep() -> None:
            workspace.keep(SETTING, lambda: weights)
            # opening derives the schedule anew
            _ = workspace.log

        def kept(_: None) -> None:
            self.own_weights, self.outcome = bool(weights), said
            self._changed()

        self.later(keep, kept, group="keep")
