"""An interview being held: one question at a time, spoken against a clock, marked by the person, stored at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping

from engine.errors import InputError
from engine.text import Text
from quizbank.card import Card
from quizbank.interview.plan import LIMIT_MS, Turn, plan
from quizbank.interview.question import Posed
from quizbank.interview.store import Interviews
from quizbank.interview.verdict import SELF_MARKS, LevelVerdict, Mark, to_review, verdicts


class Stopwatch:
    """Time spoken, on a clock that never goes back; it can be stopped and started."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._before = 0.0
        self._since: float | None = None

    @property
    def runs(self) -> bool:
        return self._since is not None

    @property
    def used_ms(self) -> int:
        running = 0.0 if self._since is None else self._clock() - self._since
        return round((self._before + max(0.0, running)) * 1000)

    def start(self) -> None:
        if self._since is None:
            self._since = self._clock()

    def stop(self) -> None:
        if self._since is not None:
            self._before += max(0.0, self._clock() - self._since)
            self._since = None


class Interview:
    """The questions of one plan, in their order.

    The clock of a question starts when the question is read (:meth:`listen`), and stops when its answer is
    revealed. Nothing is stored before the first answer is marked.
    """

    def __init__(
        self,
        cards: Mapping[str, Card],
        opening: str,
        seed: int,
        store: Interviews,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises InputError as :func:`quizbank.interview.plan.plan`."""
        self.opening = opening
        self.seed = seed
        self.turns = plan(cards, opening, seed)
        self.marks: list[Mark] = []
        self.revealed = False
        self.stopwatch = Stopwatch(clock)
        self._clock = clock
        self._store = store
        self._id: str | None = None

    @property
    def turn(self) -> Turn | None:
        """The question at hand; None when all are answered."""
        return self.turns[len(self.marks)] if len(self.marks) < len(self.turns) else None

    @property
    def left_ms(self) -> int:
        """What is left of the thirty seconds; negative once they are over."""
        return LIMIT_MS - self.stopwatch.used_ms

    @property
    def verdicts(self) -> tuple[LevelVerdict, ...]:
        return verdicts(self.marks)

    @property
    def to_review(self) -> tuple[str, ...]:
        return to_review(self.marks)

    def listen(self) -> None:
        """Start the clock, or go on with it; a revealed answer has no clock."""
        if self.turn is not None and not self.revealed:
            self.stopwatch.start()

    def pause(self) -> None:
        self.stopwatch.stop()

    def reveal(self) -> None:
        self.stopwatch.stop()
        self.revealed = True

    def tick(self, posed: Posed, ticked: Collection[str]) -> Mark:
        """Mark the answer by the key points that were in it, and go on.

        Raises:
            InputError: nothing to tick here, a point that is none of them, or it could not be stored.
        """
        known = [point.id for point in posed.points]
        if not known or not set(ticked) <= set(known):
            raise InputError(Text("this question has no such key point", "这个问题没有这样的要点"))
        return self._mark(Mark(posed.turn, float(len(set(ticked))), len(known), self.stopwatch.used_ms))

    def judge(self, posed: Posed, mark: str) -> Mark:
        """Mark the answer as a whole: ``said``, ``partly`` or ``not``. Raises InputError as :meth:`tick`."""
        if mark not in SELF_MARKS:
            raise InputError(Text("an answer is said, partly or not", "只能选“说到了”“部分”或“没有”"))
        return self._mark(Mark(posed.turn, SELF_MARKS[mark], 1, self.stopwatch.used_ms))

    def _mark(self, mark: Mark) -> Mark:
        if mark.turn != self.turn or not self.revealed:
            raise InputError(Text("this question is not at hand", "当前并不是这个问题"))
        if self._id is None:
            self._id = self._store.begin(self.opening, self.seed, len(self.turns))
        self._store.add(self._id, len(self.marks), mark)
        # only what is stored counts as answered
        self.marks.append(mark)
        self.revealed = False
        self.stopwatch = Stopwatch(self._clock)
        return mark
