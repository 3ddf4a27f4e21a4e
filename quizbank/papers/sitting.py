"""Sitting a paper: every answer stored as it is given, time kept by a clock that never goes back.

Time used is stored at each action and each :meth:`Sitting.tick`, so after a crash the sitting goes on at the
same question with the time left that the last of them saw. Time while paused or not running is not counted;
neither is time asleep, where the system's monotonic clock stands still in it (Linux, macOS). What is being
written is stored as a draft before it is handed in.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from engine.errors import InputError
from engine.text import Text
from quizbank.database import Database
from quizbank.drills.graded import Graded
from quizbank.learning.day import now_ms
from quizbank.learning.entry import new_id
from quizbank.papers.paper import Paper, Question

if TYPE_CHECKING:
    from quizbank.drills.grading import Grader

T = TypeVar("T")

TICK_MS = 1000
"""A screen calls :meth:`Sitting.tick` this often, and each call stores the time used."""
_STORED_FROM_MS = TICK_MS // 2
"""Two ticks nearer than this, as when several screens tick, are stored once."""
LONGEST_DRAFT = 100_000
"""Characters of a draft."""


@dataclass(frozen=True)
class Answer:
    """What stands of one question: the answer as given and graded (None: none yet), its flag, its time.

    ``draft`` is what was being written and is not handed in.
    """

    given: str | None
    graded: Graded | None
    flagged: bool
    spent_ms: int
    draft: str | None = None


class Sitting:
    """One paper being sat. Made by :meth:`quizbank.papers.results.Results.begin` and ``resume``.

    Whoever resumed it last holds it: an older holder is told so at its next action, so two terminals cannot
    sit the same paper at once.
    """

    def __init__(
        self,
        database: Database,
        id_: str,
        paper: Paper,
        grader: Grader,
        clock_ms: Callable[[], int] = now_ms,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self.id = id_
        self.paper = paper
        self._database = database
        self._grader = grader
        self._clock_ms = clock_ms
        self._stopwatch = stopwatch
        self._holder = new_id(clock_ms())
        self._answers: list[Answer] = []
        self.limit_ms: int | None = None
        self._used_ms = 0
        self.position = 0
        self.status = "open"
        self._since: float | None = None
        self._take()

    def _take(self) -> None:
        """Become the holder, and read where the sitting stands."""

        def work(connection: sqlite3.Connection) -> None:
            row = connection.execute(
                "SELECT limit_ms, used_ms, position, status FROM sitting WHERE id = ?", (self.id,)
            ).fetchone()
            self.limit_ms, self._used_ms, self.position, self.status = row
            connection.execute("UPDATE sitting SET holder = ? WHERE id = ?", (self._holder, self.id))
            self._answers = [Answer(None, None, False, 0)] * len(self.paper.questions)
            for number, spent_ms, flagged, given, graded, draft in connection.execute(
                "SELECT number, spent_ms, flagged, given, graded, draft FROM response WHERE sitting = ?",
                (self.id,),
            ):
                if number < len(self._answers):
                    found = graded and Graded.from_json(json.loads(graded))
                    self._answers[number] = Answer(given, found, bool(flagged), spent_ms, draft)

        self._database.write(work)
        if self.running:
            self._since = self._stopwatch()

    @property
    def running(self) -> bool:
        """Whether questions may still be answered."""
        return self.status == "open"

    @property
    def paused(self) -> bool:
        return self.running and self._since is None

    @property
    def question(self) -> Question:
        """The question being looked at."""
        return self.paper.questions[self.position]

    @property
    def answers(self) -> tuple[Answer, ...]:
        """One for each question of the paper."""
        return tuple(self._answers)

    @property
    def draft(self) -> str | None:
        """What was being written for the question being looked at; None where nothing is kept."""
        return self._answers[self.position].draft

    @property
    def unanswered(self) -> tuple[int, ...]:
        """Positions without an answer."""
        return tuple(at for at, answer in enumerate(self._answers) if answer.given is None)

    @property
    def used_ms(self) -> int:
        """Time used so far; never more than the limit."""
        used = self._used_ms + self._running_ms()
        return used if self.limit_ms is None else min(used, self.limit_ms)

    @property
    def remaining_ms(self) -> int | None:
        """Time left; None for a paper without a limit."""
        return None if self.limit_ms is None else self.limit_ms - self.used_ms

    def answer(self, given: str) -> Graded:
        """Store and grade an answer to the question being looked at; it may be given again until the end.

        ``given`` is the id of the option chosen, the number as typed, or the text as written. A recall comes
        back with proposed ticks; :meth:`tick_points` stores what the person says.

        Raises:
            InputError: time is up, the sitting is over, paused or held elsewhere, the drill is gone, or
                it could not be stored.
        """
        graded = self._grader.grade(self.question.variant, given)
        at_ms = self._clock_ms()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE response SET given = ?, graded = ?, answered_ms = ?, draft = NULL "
                "WHERE sitting = ? AND number = ?",
                (given, _dumped(graded), at_ms, self.id, self.position),
            )

        self._act(work)
        self._replace(self.position, given=given, graded=graded, draft=None)
        return graded

    def keep_draft(self, text: str) -> None:
        """Store what is being written for the question being looked at, so that a crash does not lose it.

        It counts for nothing until it is handed in by :meth:`answer`, which drops the draft; the empty text
        drops it too. Storing what is stored already costs nothing, so it can be called at every tick.

        Raises:
            InputError: as :meth:`answer`, or longer than :data:`LONGEST_DRAFT` characters.
        """
        draft = text or None
        if draft == self.draft:
            return
        if len(text) > LONGEST_DRAFT:
            raise InputError(
                Text("this is longer than {most} characters", "超过了 {most} 个字符").filled(
                    most=LONGEST_DRAFT
                )
            )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE response SET draft = ? WHERE sitting = ? AND number = ?",
                (draft, self.id, self.position),
            )

        self._act(work)
        self._replace(self.position, draft=draft)

    def tick_points(self, ticked: Collection[str], position: int | None = None) -> Graded:
        """Store which key points of a recall the person says were there; at the end of the paper too.

        Raises:
            InputError: the question has no key points to tick, or no such one; or it could not be stored.
        """
        at = self.position if position is None else position
        answer = self._answers[at]
        if answer.graded is None or not answer.graded.ticks:
            raise InputError(Text("there are no key points to tick here", "这道题没有可勾选的要点"))
        from quizbank.drills.grading import tick

        return self._regrade(at, tick(answer.graded, ticked))

    def settle(self, right: bool, position: int | None = None) -> Graded:
        """Store what the person says of an answer that the engine could not decide; at the end of the paper too.

        Raises:
            InputError: the answer was decided, or there is none; or it could not be stored.
        """
        at = self.position if position is None else position
        graded = self._answers[at].graded
        if graded is None or not left_open(graded):
            raise InputError(Text("there is nothing left undecided here", "这道题没有待定的判定"))
        return self._regrade(
            at, replace(graded, outcome="right" if right else "wrong", points=1.0 if right else 0.0)
        )

    def _regrade(self, at: int, graded: Graded) -> Graded:
        def work(connection: sqlite3.Connection) -> None:
            self._check_held(connection)
            connection.execute(
                "UPDATE response SET graded = ? WHERE sitting = ? AND number = ?",
                (_dumped(graded), self.id, at),
            )

        self._database.write(work)
        self._replace(at, graded=graded)
        return graded

    def go_to(self, position: int) -> None:
        """Look at another question. Raises InputError as :meth:`answer`, or where there is no such question."""
        if not 0 <= position < len(self.paper.questions):
            raise InputError(Text("there is no such question", "没有这道题"))
        self._act(lambda connection: None, position=position)

    def skip(self) -> None:
        """On to the next question without an answer, past the end round to the first; stays if it is the only one."""
        later = [at for at in self.unanswered if at > self.position]
        earlier = [at for at in self.unanswered if at < self.position]
        self.go_to((later + earlier + [self.position])[0])

    def next(self) -> bool:
        """On to the next question; False at the last."""
        if self.position + 1 == len(self.paper.questions):
            return False
        self.go_to(self.position + 1)
        return True

    def back(self) -> bool:
        """Back to the previous question; False at the first."""
        if self.position == 0:
            return False
        self.go_to(self.position - 1)
        return True

    def flag(self, on: bool) -> None:
        """Mark the question to come back to, or take the mark away."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE response SET flagged = ? WHERE sitting = ? AND number = ?",
                (int(on), self.id, self.position),
            )

        self._act(work)
        self._replace(self.position, flagged=on)

    def pause(self) -> None:
        """Stop the clock."""
        if not self.paused:
            self._act(lambda connection: None)
            self._since = None

    def go_on(self) -> None:
        """Start the clock again after :meth:`pause`."""
        if self.paused:
            self._since = self._stopwatch()

    def tick(self) -> bool:
        """Call about once a second: stores the time used, and ends the sitting when it is up. False once it is over."""
        if self.running and (self._time_is_up or self._running_ms() >= _STORED_FROM_MS):
            self._account()
        return self.running

    def hand_in(self) -> None:
        """End the sitting; what was answered counts."""
        if self.running:
            self._account(ending="handed in")

    @property
    def _time_is_up(self) -> bool:
        return self.limit_ms is not None and self._used_ms + self._running_ms() >= self.limit_ms

    def _running_ms(self) -> int:
        return 0 if self._since is None else max(0, round((self._stopwatch() - self._since) * 1000))

    def _act(self, work: Callable[[sqlite3.Connection], None], position: int | None = None) -> None:
        """An action of the person: only while time is left, stored with the time used, in one transaction."""
        if self.paused:
            raise InputError(Text("the self-test is paused: go on first", "自测已暂停：请先继续"))
        if self.running and self._time_is_up:
            self._account()
        if not self.running:
            words = {
                "timed out": Text("time is up: the self-test is over", "时间到，自测已结束"),
                "handed in": Text("this self-test was handed in", "这份自测已经交卷"),
            }
            raise InputError(words[self.status])
        self._account(work, position)

    def _account(
        self,
        work: Callable[[sqlite3.Connection], None] | None = None,
        position: int | None = None,
        ending: str | None = None,
    ) -> None:
        now = self._stopwatch()
        used_ms = self._used_ms + self._running_ms()
        if self.limit_ms is not None and used_ms >= self.limit_ms:
            used_ms, ending = self.limit_ms, ending or "timed out"
        spent_ms = used_ms - self._used_ms
        at = self.position if position is None else position

        def whole(connection: sqlite3.Connection) -> None:
            self._check_held(connection)
            connection.execute(
                "INSERT INTO response (sitting, number, spent_ms) VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET spent_ms = spent_ms + excluded.spent_ms",
                (self.id, self.position, spent_ms),
            )
            if work is not None:
                work(connection)
            connection.execute(
                "UPDATE sitting SET used_ms = ?, position = ?, status = ?, ended_ms = ? WHERE id = ?",
                (used_ms, at, ending or "open", self._clock_ms() if ending else None, self.id),
            )

        self._database.write(whole)
        self._replace(self.position, spent_ms=self._answers[self.position].spent_ms + spent_ms)
        self._used_ms, self.position = used_ms, at
        if self._since is not None:
            self._since = now
        if ending:
            self.status, self._since = ending, None

    def _check_held(self, connection: sqlite3.Connection) -> None:
        row = connection.execute("SELECT holder FROM sitting WHERE id = ?", (self.id,)).fetchone()
        if row is None or row[0] != self._holder:
            raise InputError(
                Text(
                    "this self-test was resumed in another window; go on there",
                    "这份自测已在另一个窗口中继续，请到那里作答",
                )
            )

    def _replace(self, at: int, **changes: Any) -> None:
        self._answers[at] = replace(self._answers[at], **changes)


def left_open(graded: Graded) -> bool:
    """Whether the engine left it to the person to say if the answer is right."""
    verdict = graded.verdict.verdict if graded.verdict is not None else graded.outcome
    return "undecided" in (verdict, graded.outcome)


def _dumped(graded: Graded) -> str:
    return json.dumps(graded.as_json(), ensure_ascii=False, allow_nan=False)
