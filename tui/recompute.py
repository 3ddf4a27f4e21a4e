"""Recomputing while a slider moves: the latest values win.

An exclusive worker a change would starve while a slider is dragged: every event cancels the work
before it ends. Here one thread computes at a time; when it is done it takes the newest values, and
stops when there are none newer. While values keep coming it computes the quick way (``dragging``);
once they have been quiet for a moment, it computes the newest once more in full. An outcome that is
still waiting to be painted holds back the next, so that no queue of them forms before a slow screen.

When a hand comes to rest, what is seen last counts: then older values are passed over, the newest wait
for no picture, and where computing them in full is fast enough, it is done at once. Where a computation
can be interrupted, older values are not computed to their end then, and neither are values in full once
the hand moves on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from textual.message import Message

from tui.background import StoppedError

Given = TypeVar("Given")
Result = TypeVar("Result")

QUIET = 0.045
"""Seconds after its last change from which a slider counts as resting: a held key repeats sooner."""

STILL = 0.02
"""Seconds after which it may already rest, if its last two changes came as fast as a mouse's do."""

SLACK = 1.2
"""It rests once so many times the time between its last two changes has passed: not before STILL, at QUIET at the latest."""

SOON = 0.06
"""Seconds within which a full computation is no detour: at rest the quick one before it is left out."""

LONGEST = 0.15
"""Seconds after the last outcome from which none is passed over any more: whatever the hand does, pictures come."""

JUST_BEGUN = 1 / 3
"""Share of what the last quick computation took, within which the next one makes way: once before each outcome."""

PAINTING = 0.25
"""Seconds after which an outcome counts as painted: a screen beneath another one paints nothing."""


@dataclass(frozen=True)
class Outcome(Generic[Given, Result]):
    """What came of one computation: its result, or the exception that ended it."""

    given: Given
    dragging: bool
    result: Result | None = None
    error: Exception | None = None


class Recomputed(Message):
    """An outcome on its way to the screen that asked for it."""

    def __init__(self, outcome: Outcome[Any, Any]) -> None:
        super().__init__()
        self.outcome = outcome


class Interrupter(Protocol):
    """Ends a computation that is under way: then it raises :class:`StoppedError`."""

    @property
    def can_interrupt(self) -> bool: ...

    def interrupt(self) -> None:
        """May come too late, and then does nothing."""


class Recompute(Generic[Given, Result]):
    """Runs ``compute(given, dragging)`` in a thread and hands each outcome to ``deliver``, in order.

    ``deliver`` is called in that thread, where a widget's ``post_message`` is safe::

        Recompute(compute, lambda outcome: self.post_message(Recomputed(outcome)))

    No exception of ``compute`` leaves the thread except as an outcome; after a ``StoppedError`` the newest values are
    computed, be they the same ones. ``settles=False``: the quick way is the full way, so nothing is computed again
    at rest. ``painting``: seconds within which :meth:`painted` will be called once an outcome is on the
    screen; until then nothing newer is computed. ``interrupter``: what can end ``compute``, if anything;
    :meth:`come_to_rest` is to be called then, ``still`` seconds after the last change.
    """

    def __init__(
        self,
        compute: Callable[[Given, bool], Result],
        deliver: Callable[[Outcome[Given, Result]], object],
        quiet: float = QUIET,
        settles: bool = True,
        painting: float = 0.0,
        interrupter: Interrupter | None = None,
    ) -> None:
        self._compute = compute
        self._deliver = deliver
        self._quiet = quiet
        self._settles = settles
        self._painting = painting
        self._unpainted = False
        self._changed = threading.Condition()
        self._newest: tuple[Given, bool] | None = None
        self._asked_at = 0.0
        self._full_took = 0.0
        self._quick_took = 0.0
        self._interrupter = interrupter
        self._computing: bool | None = None
        """Whether what is computed is computed the quick way; None: nothing is."""
        self._begun_at = 0.0
        self._made_way = False
        self._delivered_at = 0.0
        self.still = STILL
        self._running = False
        self._closed = False

    def ask(self, given: Given, dragging: bool = True) -> None:
        """Compute with these values, and with no older ones that are still waiting.

        ``dragging=False`` computes in full at once: for a value that is typed, or the first run.
        """
        with self._changed:
            if self._closed:
                return
            now = time.monotonic()
            self.still = min(max(STILL, SLACK * (now - self._asked_at)), QUIET)
            self._newest, self._asked_at = (given, dragging), now
            # by a hand that moves, for then a quick one is next: full ones that end each other would give no picture
            if dragging and (self._computing is False or self._makes_way(now)):
                self._interrupt()
            self._changed.notify()
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, daemon=True, name="recompute").start()

    def come_to_rest(self) -> None:
        """The last change was ``still`` seconds ago: what is computed for older values is interrupted."""
        with self._changed:
            if self._newest is not None and self._may_pass_over():
                self._interrupt()

    def painted(self) -> None:
        """What was delivered last is on the screen."""
        with self._changed:
            self._unpainted = False
            self._changed.notify()

    def close(self) -> None:
        """Ask for nothing more and deliver nothing more; a computation under way ends unheard."""
        with self._changed:
            self._closed = True
            self._newest = None
            self._interrupt()
            self._changed.notify()

    def _run(self) -> None:
        unsettled: Given | None = None
        while True:
            with self._changed:
                self._wait_for_painting(unsettled is not None)
                if unsettled is not None:
                    # computing and painting the quick way is part of the quiet
                    quiet = self._rests_at() - time.monotonic()
                    self._changed.wait_for(lambda: self._newest is not None or self._closed, max(0.0, quiet))
                following = self._following(unsettled)
                if following is None:
                    self._running = False
                    return
                given, dragging = following
                self._computing, self._begun_at = dragging, time.monotonic()
            unsettled = given if dragging and self._settles else None
            outcome = self._outcome(given, dragging)
            with self._changed:
                self._computing = None
                if self._closed:
                    self._running = False
                    return
                interrupted = isinstance(outcome.error, StoppedError)
                if interrupted and self._newest is None:
                    # it was for somebody else
                    self._newest = (given, dragging)
                if interrupted or (self._newest is not None and self._may_pass_over()):
                    continue
                self._unpainted = self._painting > 0
                self._delivered_at = time.monotonic()
                self._made_way = False
            with suppress(RuntimeError):  # the event loop is closed: the app has ended meanwhile
                self._deliver(outcome)

    def _makes_way(self, now: float) -> bool:
        """Whether what is computed the quick way has only just begun. At most once, or no picture would ever come."""
        new = now - self._begun_at < JUST_BEGUN * self._quick_took
        if not self._computing or self._made_way or not new:
            return False
        self._made_way = True
        return True

    def _interrupt(self) -> None:
        if self._computing is not None and self._interrupter is not None and self._interrupter.can_interrupt:
            self._interrupter.interrupt()

    def _rests_at(self) -> float:
        """When values are computed in full: the sooner where that does not hold up those that may follow."""
        can_interrupt = self._interrupter is not None and self._interrupter.can_interrupt
        return self._asked_at + (min(STILL, self._quiet) if can_interrupt else self._quiet)

    def _following(self, unsettled: Given | None) -> tuple[Given, bool] | None:
        """What to compute next, and whether the quick way."""
        if self._closed:
            return None
        if self._newest is None:
            return None if unsettled is None else (unsettled, False)
        (given, dragging), self._newest = self._newest, None
        at_once = self._settles and self._full_took <= SOON and self._is_still()
        return given, dragging and not at_once

    def _wait_for_painting(self, unsettled: bool) -> None:
        """Until what was delivered is on the screen, or the values have been still for so long that no queue forms."""
        latest = time.monotonic() + self._painting
        while self._unpainted and not self._closed:
            until = latest
            if self._newest is not None:
                until = min(latest, self._asked_at + self.still)
            elif unsettled:
                until = min(latest, self._rests_at())
            left = until - time.monotonic()
            if left <= 0:
                return
            self._changed.wait(left)

    def _may_pass_over(self) -> bool:
        return self._is_still() and time.monotonic() < self._delivered_at + LONGEST

    def _is_still(self) -> bool:
        return time.monotonic() >= self._asked_at + self.still

    def _outcome(self, given: Given, dragging: bool) -> Outcome[Given, Result]:
        began = time.monotonic()
        try:
            result = self._compute(given, dragging)
            took = time.monotonic() - began
            if dragging:
                self._quick_took = took
            else:
                self._full_took = took
            return Outcome(given, dragging, result=result)
        except Exception as error:  # whatever it was belongs to the one who asked
            return Outcome(given, dragging, error=error)
