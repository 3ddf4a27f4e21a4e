"""A study session: which card comes next, and taking back what was just graded. No screen, no card text.

It holds card ids only, so a deck that is edited or loses a card while one studies cannot end it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.errors import InputError
from engine.text import Text
from quizbank.learning.day import now_ms
from quizbank.learning.entry import Entry
from quizbank.learning.log import Preview, ReviewLog
from quizbank.learning.memory import Rating

LEARN_AHEAD_MS = 20 * 60_000
"""A learning step this near is not waited for when nothing else is left."""

Came = Literal["due", "new", "step"]


@dataclass(frozen=True)
class Progress:
    """``done`` answers given; cards still to come as reviews, as new cards, as learning steps."""

    done: int
    due: int
    new: int
    learning: int


@dataclass(frozen=True)
class Graded:
    """An answer as it was stored. ``as_shown`` is False where another instance graded the card meanwhile,
    so that the stored interval is not the one on the button. ``entry`` is None in cram."""

    card: str
    rating: Rating
    entry: Entry | None
    as_shown: bool = True


@dataclass(frozen=True)
class _Place:
    """Where the session stands; frozen, so undo is going back to an earlier one.

    ``position`` counts what was taken from the queue; ``steps`` are cards to come again, (due_ms, card).
    """

    position: int
    steps: tuple[tuple[int, str], ...]
    current: str | None


class StudySession:
    """Due cards first, then new ones in the order given; learning steps come back within the session.

    ``cards`` are the ids to choose from, new ones in the order they should be met. ``limit`` bounds the
    cards taken from the queue, ``new_limit`` the new ones among them and ``due_limit`` the others; a learning
    step that comes back counts for neither. With ``cram`` every card is asked in
    the order given, Again brings it back at the end, and nothing is written anywhere.

    ``clock_ms`` is the wall clock (UTC milliseconds), ``stopwatch`` a clock that never goes back (seconds).
    """

    def __init__(
        self,
        log: ReviewLog,
        cards: Sequence[str],
        *,
        limit: int | None = None,
        new_limit: int | None = None,
        due_limit: int | None = None,
        cram: bool = False,
        clock_ms: Callable[[], int] = now_ms,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._clock_ms = clock_ms
        self._stopwatch = stopwatch
        self.cram = cram
        queue, self._held_back = _queue(
            log, list(dict.fromkeys(cards)), clock_ms(), (due_limit, new_limit), cram
        )
        self._queue = queue[:limit]
        waiting = () if cram else _waiting(log, set(cards), clock_ms())
        self._came: dict[str, Came] = {**dict(self._queue), **{card: "step" for _, card in waiting}}
        self._place = _Place(0, waiting, None)
        self._history: list[tuple[_Place, Graded]] = []
        self._dropped: set[str] = set()
        self._preview: Preview | None = None
        self._asked_at = stopwatch()
        self._revealed_at: float | None = None
        self._move_on()

    @property
    def current(self) -> str | None:
        """The card to ask; None when the session is over."""
        return self._place.current

    @property
    def current_came(self) -> Came | None:
        """Whether the card came as due, as new, or again after a learning step."""
        if self.current is None:
            return None
        return (
            "step"
            if any(done.card == self.current for _, done in self._history)
            else self._came[self.current]
        )

    @property
    def held_back(self) -> int:
        """Cards that are due or new and were left out for the limits of the day."""
        return self._held_back

    @property
    def finished(self) -> bool:
        return self.current is None

    @property
    def can_undo(self) -> bool:
        return bool(self._history)

    @property
    def graded(self) -> tuple[Graded, ...]:
        """The answers that stand, in the order they were given."""
        return tuple(done for _, done in self._history)

    @property
    def next_step_ms(self) -> int | None:
        """When the next learning step falls due after the session ended, if one is pending."""
        return self._place.steps[0][0] if self.finished and self._place.steps else None

    @property
    def progress(self) -> Progress:
        waiting = [came for card, came in self._queue[self._place.position :] if card not in self._dropped]
        steps = len(self._place.steps)
        if self.current is not None:
            came = self.current_came
            waiting += [came] if came in ("due", "new") else []
            steps += came == "step"
        return Progress(len(self._history), waiting.count("due"), waiting.count("new"), steps)

    def reveal(self) -> Preview | None:
        """The answer is shown: note the time and fix what each button will store. None in cram.

        A second call for the same showing returns the same buttons.

        Raises:
            InputError: no card is open, or the review log cannot be read.
        """
        card = self._open_card()
        if self._revealed_at is None:
            if not self.cram:
                self._preview = self._log.preview(card, self._clock_ms())
            self._revealed_at = self._stopwatch()
        return self._preview

    def grade(self, rating: Rating) -> Graded:
        """Store the answer and move on. Where it cannot be stored the session stays at the card.

        Raises:
            InputError: no card is open, it was not revealed, or it could not be stored.
        """
        card = self._open_card()
        rating = Rating(rating)
        if self._revealed_at is None:
            raise InputError(Text("reveal the answer before grading it", "请先显示答案，再评分"))
        entry, again_ms, as_shown = None, None, True
        if self._preview is not None:
            entry = self._log.grade(
                card,
                rating,
                at_ms=self._preview.at_ms,
                thinking_ms=_milliseconds(self._revealed_at - self._asked_at),
                grading_ms=_milliseconds(self._stopwatch() - self._revealed_at),
            )
            assert entry.after is not None
            again_ms = entry.after.due_ms
            as_shown = entry.after == self._preview[rating].after
        elif rating == Rating.AGAIN:
            again_ms = self._clock_ms()
        done = Graded(card, rating, entry, as_shown)
        self._history.append((self._place, done))
        steps = self._place.steps
        if again_ms is not None:
            steps = tuple(sorted((*steps, (again_ms, card)), key=lambda step: step[0]))
        self._place = replace(self._place, steps=steps, current=None)
        self._move_on()
        return done

    def undo(self) -> Graded | None:
        """Take back the latest answer and ask its card again; None where nothing is left to take back.

        One action, as deep as the session, after its last card too.

        Raises:
            InputError: the undo could not be stored; then nothing has changed.
        """
        if not self._history:
            return None
        place, done = self._history[-1]
        if done.entry is not None:
            self._log.undo(done.entry.id, self._clock_ms())
        self._history.pop()
        self._place = place
        self._ask()
        if done.card in self._dropped:
            self._move_on()
        return done

    def refresh(self) -> None:
        """After the session ended with a step pending: ask it, if its time has come."""
        if self.finished:
            self._move_on()

    def drop(self, card: str) -> None:
        """Ask the card no more in this session: it was removed from the deck, buried or suspended."""
        self._dropped.add(card)
        if self.current == card:
            self._move_on()

    def _open_card(self) -> str:
        if self._place.current is None:
            raise InputError(Text("the session is over: no card is open", "本次学习已结束：没有打开的卡片"))
        return self._place.current

    def _move_on(self) -> None:
        """Choose the next card: a step that is due, the queue, a step that will be soon."""
        at_ms = self._clock_ms()
        position = self._place.position
        steps = tuple(step for step in self._place.steps if step[1] not in self._dropped)
        while position < len(self._queue) and not self._still_wanted(*self._queue[position]):
            position += 1
        queue_left = position < len(self._queue)
        current: str | None = None
        if steps and not (self.cram and queue_left):
            due_ms = steps[0][0]
            if due_ms <= at_ms or (not queue_left and due_ms <= at_ms + LEARN_AHEAD_MS):
                current, steps = steps[0][1], steps[1:]
        if current is None and queue_left:
            current = self._queue[position][0]
            position += 1
        self._place = _Place(position, steps, current)
        self._ask()

    def _still_wanted(self, card: str, came: Came) -> bool:
        """Not dropped, and not graded by another instance since the queue was made."""
        if card in self._dropped:
            return False
        if self.cram:
            return True
        try:
            memory = self._log.memory(card)
        except InputError:
            return True  # the fault is met, and told, where the card is revealed
        at_ms = self._clock_ms()
        today = self._log.day(at_ms)
        if came == "new":
            return memory.phase == "new" and not memory.is_put_off(today)
        return memory.is_due(at_ms, today)

    def _ask(self) -> None:
        self._asked_at = self._stopwatch()
        self._revealed_at = None
        self._preview = None


def _queue(
    log: ReviewLog, cards: Sequence[str], at_ms: int, limits: tuple[int | None, int | None], cram: bool
) -> tuple[list[tuple[str, Came]], int]:
    """The cards to ask, and how many more there would be without limits."""
    if cram:
        return [(card, "due") for card in cards], 0
    wanted = set(cards)
    seen = log.seen() | log.put_off(at_ms)
    due: list[tuple[str, Came]] = [(card, "due") for card in log.due(at_ms) if card in wanted]
    new: list[tuple[str, Came]] = [(card, "new") for card in cards if card not in seen]
    due_limit, new_limit = limits
    queue = due[:due_limit] + new[:new_limit]
    return queue, len(due) + len(new) - len(queue)


def _waiting(log: ReviewLog, wanted: set[str], at_ms: int) -> tuple[tuple[int, str], ...]:
    """Learning steps of an earlier session that are due soon, as (due_ms, card): worth asking if all else is done."""
    now = set(log.due(at_ms))
    soon = (card for card in log.due(at_ms + LEARN_AHEAD_MS) if card in wanted and card not in now)
    steps = ((log.memory(card).due_ms, card) for card in soon)
    return tuple(sorted((due_ms, card) for due_ms, card in steps if due_ms is not None))


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))
