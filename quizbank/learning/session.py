"""A study session: which card comes next, and taking back what was just graded. No screen, no card text.

It holds card ids, and what they are to each other, only, so a deck that is edited or loses a card while one studies
cannot end it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Literal

from engine.errors import InputError
from engine.text import Text
from quizbank.learning.daily import met_today
from quizbank.learning.day import now_ms
from quizbank.learning.due import brought_new, due_among, first_due, new_among, steps_soon
from quizbank.learning.entry import Entry
from quizbank.learning.log import Preview, ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.new_cards import order_of_meeting
from quizbank.learning.relations import Company, Relations

LEARN_AHEAD_MS = 20 * 60_000
"""A learning step this near is not waited for when nothing else is left."""

Came = Literal["due", "new", "step"]
Delay = Literal["bury", "suspend"]


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
class PutOff:
    """A card the person asked not to see: until tomorrow (``bury``) or until it is resumed (``suspend``). ``entry``
    is None where it was put off already, and in cram."""

    card: str
    kind: Delay
    entry: Entry | None


@dataclass(frozen=True)
class _Place:
    """Where the session stands; frozen, so undo is going back to an earlier one.

    Of the queue everything before ``position`` was taken or dropped, but for the places ``passed_over``;
    ``steps`` are cards to come again, (due_ms, card); ``last`` was asked before the current one;
    ``off`` are cards the person put off.
    """

    position: int
    passed_over: tuple[int, ...]
    steps: tuple[tuple[int, str], ...]
    current: str | None
    last: str | None = None
    off: frozenset[str] = frozenset()


class StudySession:
    """Due cards first, then new ones in the order to meet them; learning steps come back within the session.

    ``cards`` are the ids to choose from; new ones come in the order given, as far as their ``relations`` allow
    (:func:`quizbank.learning.new_cards.order_of_meeting`). Of siblings, none comes right after the other while
    anything else is there: due, new, or a step within :data:`LEARN_AHEAD_MS`. ``limit`` bounds the cards taken from
    the queue, ``new_limit`` the new ones among them and ``due_limit`` the others; a learning step that comes back
    counts for neither. New cards that were brought forward come before the other new ones, all of them, and leave
    those so many places fewer. With ``cram`` every card is asked in the order given, siblings apart, Again brings it back at
    the end, and nothing is written anywhere.

    ``clock_ms`` is the wall clock (UTC milliseconds), ``stopwatch`` a clock that never goes back (seconds).
    """

    def __init__(
        self,
        log: ReviewLog,
        cards: Sequence[str],
        *,
        relations: Relations | None = None,
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
        self._relations = relations or Relations()
        self._cards = tuple(dict.fromkeys(cards))
        if not cram:
            log.follow()
        self._begun_ms = clock_ms()
        queue, waiting = self._gathered(due_limit, new_limit)
        self._queue = queue[:limit]
        self._left_out = len(queue) - len(self._queue)
        self._came: dict[str, Came] = {**dict(self._queue), **{card: "step" for _, card in waiting}}
        self._place = _Place(0, (), waiting, None)
        self._history: list[tuple[_Place, Graded | PutOff]] = []
        self._dropped: set[str] = set()
        self._preview: Preview | None = None
        self._asked_at = stopwatch()
        self._revealed_at: float | None = None
        self._move_on()
        if not self._queue:
            # told where the session is empty, by a screen that must not wait for it
            self.held_back  # noqa: B018

    def _gathered(
        self, due_limit: int | None, new_limit: int | None
    ) -> tuple[list[tuple[str, Came]], tuple[tuple[int, str], ...]]:
        """The cards to ask, and the learning steps of an earlier session that are due soon: worth asking if all
        else is done. Read as one state of the log."""
        if self.cram:
            return [(card, "due") for card in self._cards], ()
        at_ms, cards = self._begun_ms, frozenset(self._cards)
        today = self._log.day(at_ms)

        def gather(
            connection: sqlite3.Connection,
        ) -> tuple[list[str], list[str], list[str], tuple[tuple[int, str], ...]]:
            soon = steps_soon(connection, at_ms, at_ms + LEARN_AHEAD_MS, today)
            brought = brought_new(connection, today, cards)
            return (
                first_due(connection, at_ms, today, cards.difference(brought), due_limit),
                brought,
                new_among(connection, today, self._cards) if new_limit != 0 else [],
                tuple((due_ms, card) for due_ms, card in soon if card in cards),
            )

        due, brought, new, waiting = self._log.read(gather)
        met = met_today(self._log, at_ms) if brought or new else ()
        first = list(order_of_meeting(brought, self._relations, met))
        left = None if new_limit is None else max(0, new_limit - len(first))
        then = order_of_meeting(new, self._relations, (*met, *first)) if new else iter(())
        queue: list[tuple[str, Came]] = [(card, "due") for card in due]
        queue += [(card, "new") for card in chain(first, islice(then, left))]
        return queue, waiting

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

    @cached_property
    def held_back(self) -> int:
        """Cards that were due or new when the session began and were left out for the limits of the day.

        Raises:
            InputError: the review log cannot be read.
        """
        if self.cram:
            return 0
        today = self._log.day(self._begun_ms)
        there = self._log.read(
            lambda connection: (
                len(due_among(connection, self._begun_ms, today, self._cards))
                + len(new_among(connection, today, self._cards))
            )
        )
        return max(0, there - len(self._queue) - self._left_out)

    @property
    def finished(self) -> bool:
        return self.current is None

    @property
    def can_undo(self) -> bool:
        return bool(self._history)

    @property
    def graded(self) -> tuple[Graded, ...]:
        """The answers that stand, in the order they were given."""
        return tuple(done for _, done in self._history if isinstance(done, Graded))

    @property
    def put_off_cards(self) -> tuple[PutOff, ...]:
        """What was put off and stands, in the order it was done."""
        return tuple(done for _, done in self._history if isinstance(done, PutOff))

    @property
    def next_step_ms(self) -> int | None:
        """When the next learning step falls due after the session ended, if one is pending."""
        return self._place.steps[0][0] if self.finished and self._place.steps else None

    @property
    def progress(self) -> Progress:
        waiting = [came for card, came in self._still_queued() if not self._is_gone(card)]
        steps = len(self._place.steps)
        if self.current is not None:
            came = self.current_came
            waiting += [came] if came in ("due", "new") else []
            steps += came == "step"
        return Progress(len(self.graded), waiting.count("due"), waiting.count("new"), steps)

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
        self._place = replace(self._place, steps=steps)
        self._move_on()
        return done

    def put_off(self, kind: Delay, card: str = "") -> PutOff:
        """Ask a card, the open one where none is named, no more today or until it is resumed; go on to the next.

        In cram it is left out of this round, and nothing is written.

        Raises:
            InputError: no card is open, or it could not be stored; then nothing has changed.
        """
        card = card or self._open_card()
        written: tuple[Entry, ...] = ()
        if not self.cram:
            write = self._log.bury if kind == "bury" else self._log.suspend
            written = write([card], self._clock_ms())
        done = PutOff(card, kind, written[0] if written else None)
        self._history.append((self._place, done))
        steps = tuple(step for step in self._place.steps if step[1] != card)
        self._place = replace(self._place, off=self._place.off | {card}, steps=steps)
        if self.current == card:
            self._move_on()
        return done

    def undo(self) -> Graded | PutOff | None:
        """Take back the latest answer, or what was put off last, and go back to where that was done; None where
        nothing is left to take back.

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
        if self.current in self._dropped:
            self._move_on()
        return done

    def refresh(self) -> None:
        """After the session ended with a step pending: ask it, if its time has come."""
        if self.finished:
            self._move_on()

    def in_sight(self) -> None:
        """Something else stood before the card until now: the time of thinking begins here."""
        if self._revealed_at is None:
            self._asked_at = self._stopwatch()

    def drop(self, card: str) -> None:
        """Ask the card no more in this session: it was removed from the deck."""
        self._dropped.add(card)
        if self.current == card:
            self._move_on()

    def _open_card(self) -> str:
        if self._place.current is None:
            raise InputError(Text("the session is over: no card is open", "本次学习已结束：没有打开的卡片"))
        return self._place.current

    def _still_queued(self) -> Iterator[tuple[str, Came]]:
        place = self._place
        return chain((self._queue[i] for i in place.passed_over), islice(self._queue, place.position, None))

    def _move_on(self) -> None:
        """Choose the next card: a step that is due, the queue, a step that will be soon; of each the first that is
        no sibling of the card just asked, and only where nothing else is there, a sibling."""
        place = self._place
        last = place.current or place.last
        company = Company(self._relations, () if last is None else (last,))
        steps = tuple(step for step in place.steps if step[1] not in self._dropped)
        self._place = replace(place, steps=steps, current=None, last=last)
        if not (self._take(company) or self._take(None)):
            self._place = replace(self._place, position=len(self._queue), passed_over=())
        self._ask()

    def _take(self, company: Company | None) -> bool:
        """Take the first card that does not give away the company (any, where None); False where there is none."""
        at_ms = self._clock_ms()
        return (
            (not self.cram and self._take_step(at_ms, company))
            or self._take_queued(company)
            or self._take_step(at_ms + LEARN_AHEAD_MS, company)
        )

    def _take_step(self, until_ms: int, company: Company | None) -> bool:
        steps = self._place.steps
        for i, (due_ms, card) in enumerate(steps):
            if due_ms > until_ms:
                break
            if company is None or not company.gives_away(card):
                self._place = replace(self._place, steps=steps[:i] + steps[i + 1 :], current=card)
                return True
        return False

    def _take_queued(self, company: Company | None) -> bool:
        """A new card that another new one still queued must come before is no choice: it would be met too early."""
        place = self._place
        passed: list[int] = []
        for i in chain(place.passed_over, range(place.position, len(self._queue))):
            card, came = self._queue[i]
            if company is not None and (company.gives_away(card) or self._is_too_early(card, came, passed)):
                passed.append(i)
            elif self._still_wanted(card, came):
                later = (j for j in place.passed_over if j > i)
                self._place = replace(
                    place,
                    position=max(place.position, i + 1),
                    passed_over=(*passed, *later),
                    current=card,
                )
                return True
        return False

    def _is_too_early(self, card: str, came: Came, passed: Sequence[int]) -> bool:
        if came != "new":
            return False
        waiting = (self._queue[j] for j in passed)
        return any(
            other_came == "new" and self._relations.comes_before(other, card) for other, other_came in waiting
        )

    def _still_wanted(self, card: str, came: Came) -> bool:
        """Not dropped or put off, and not graded by another instance since the queue was made."""
        if self._is_gone(card):
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

    def _is_gone(self, card: str) -> bool:
        return card in self._dropped or card in self._place.off

    def _ask(self) -> None:
        self._asked_at = self._stopwatch()
        self._revealed_at = None
        self._preview = None


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))
