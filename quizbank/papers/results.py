"""Self-tests sat so far, and the report of one: score a topic and kind, time a question, answers beside references."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.text import Text
from quizbank.drills.graded import Graded
from quizbank.fault import shown
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.entry import new_id
from quizbank.papers.paper import Paper, Question
from quizbank.papers.sitting import Sitting, left_open
from quizbank.papers.store import FILE_NAME, SCHEMA
from quizbank.store import Store

if TYPE_CHECKING:
    # a report is read and printed without the engine that judged its answers
    from quizbank.drills.grading import Grader

NOTHING_TO_RESUME = Text("there is no self-test to resume", "没有可以继续的自测")
NO_SUCH_SITTING = Text(
    "no self-test has the id {id}; proofdeck results lists those there are",
    "没有编号为 {id} 的自测；proofdeck results 会列出已有的自测",
)
_SHORTEST_ID = 4


@dataclass(frozen=True)
class Score:
    """Points earned of those that count. Questions whose answer was not decided count in neither."""

    earned: float
    possible: int

    @property
    def share(self) -> float | None:
        return self.earned / self.possible if self.possible else None

    def as_json(self) -> dict[str, Any]:
        return {"earned": self.earned, "possible": self.possible, "share": self.share}


@dataclass(frozen=True)
class Line:
    """One question of a report; ``graded`` is None where nothing was answered, which earns nothing."""

    question: Question
    given: str | None
    graded: Graded | None
    flagged: bool
    spent_ms: int

    @property
    def points(self) -> float | None:
        """None where the answer counts for nothing either way."""
        return 0.0 if self.graded is None else self.graded.points

    @property
    def outcome(self) -> str:
        """A key of :data:`quizbank.labels.OUTCOME`."""
        return self.graded.outcome if self.graded else "unanswered"

    @property
    def is_undecided(self) -> bool:
        """Whether the engine left it to the person to say if the answer is right."""
        return self.graded is not None and left_open(self.graded)

    @property
    def is_missed(self) -> bool:
        """Whether the card is worth seeing again: not answered, or not fully right."""
        return self.points is not None and self.points < 1


@dataclass(frozen=True)
class Report:
    """One sitting, over or still open."""

    id: str
    paper: Paper
    started_ms: int
    day: date
    status: str
    limit_ms: int | None
    used_ms: int
    lines: tuple[Line, ...]

    @property
    def score(self) -> Score:
        return _score(self.lines)

    @property
    def by_topic(self) -> dict[str, Score]:
        return _grouped(self.lines, lambda line: line.question.topic)

    @property
    def by_kind(self) -> dict[str, Score]:
        return _grouped(self.lines, lambda line: line.question.variant.kind)

    @property
    def to_tick(self) -> tuple[int, ...]:
        """Positions of recalls whose key points the person has not ticked yet."""
        return tuple(
            at for at, line in enumerate(self.lines) if line.graded and line.graded.outcome == "to-tick"
        )

    @property
    def left_out(self) -> int:
        """How many answers count for nothing either way, besides those still to tick."""
        return sum(line.points is None for line in self.lines) - len(self.to_tick)

    @property
    def missed(self) -> tuple[str, ...]:
        """The cards worth seeing again, in the paper's order, each once."""
        return tuple(dict.fromkeys(line.question.variant.card for line in self.lines if line.is_missed))

    def summary_json(self) -> dict[str, Any]:
        """One line of ``results --json``."""
        return {
            "id": self.id,
            "form": self.paper.form,
            "seed": self.paper.seed,
            "day": self.day.isoformat(),
            "started_ms": self.started_ms,
            "status": self.status,
            "minutes": self.paper.minutes,
            "used_seconds": self.used_ms / 1000,
            "questions": len(self.lines),
            "answered": sum(line.graded is not None for line in self.lines),
            "score": self.score.as_json(),
            "topics": {topic: score.as_json() for topic, score in self.by_topic.items()},
            "kinds": {kind: score.as_json() for kind, score in self.by_kind.items()},
        }

    def as_json(self) -> dict[str, Any]:
        """The whole report, as ``results ID --json`` prints it."""
        return {
            **self.summary_json(),
            "missed": list(self.missed),
            "lines": [
                {
                    **line.question.variant.as_json(),
                    "topic": line.question.topic,
                    "level": line.question.level,
                    "given": line.given,
                    "graded": line.graded and line.graded.as_json(),
                    "flagged": line.flagged,
                    "spent_seconds": line.spent_ms / 1000,
                }
                for line in self.lines
            ],
        }


class Results(Store):
    """The self-tests of one person, in ``folder``.

    Raises:
        InputError: the folder or file cannot be used, or a newer version of the program made it.
    """

    file_name = FILE_NAME
    schema = SCHEMA

    def begin(
        self,
        paper: Paper,
        grader: Grader,
        clock_ms: Callable[[], int] = now_ms,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> Sitting:
        """Start sitting a paper; its clock starts now.

        Raises:
            InputError: the paper has no questions, or it could not be stored.
        """
        if not paper.questions:
            raise InputError(Text("this paper has no questions", "这份试卷没有题目"))
        at_ms = clock_ms()
        id_ = new_id(at_ms)
        day = local_day(at_ms, self.zone)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO sitting (id, form, paper, started_ms, day, limit_ms, status, holder) "
                "VALUES (?, ?, ?, ?, ?, ?, 'open', '')",
                (
                    id_,
                    paper.form,
                    json.dumps(paper.as_json(), ensure_ascii=False),
                    at_ms,
                    day.isoformat(),
                    None if paper.minutes is None else paper.minutes * 60_000,
                ),
            )

        self._database.write(work)
        return Sitting(self._database, id_, paper, grader, clock_ms, stopwatch)

    def resume(
        self,
        grader: Grader,
        id_: str | None = None,
        clock_ms: Callable[[], int] = now_ms,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> Sitting:
        """Go on with a sitting, the latest open one where none is named, at its question with its time left.

        One that is over can be named too: its recalls may still be ticked.

        Raises:
            InputError: there is none to go on with.
        """
        open_ones = [report for report in self.history() if report.status == "open"]
        if id_ is not None:
            found = self.report(id_)
        elif open_ones:
            found = open_ones[0]
        else:
            raise InputError(NOTHING_TO_RESUME)
        return Sitting(self._database, found.id, found.paper, grader, clock_ms, stopwatch)

    def history(self) -> tuple[Report, ...]:
        """Every sitting, the latest first."""

        def work(connection: sqlite3.Connection) -> list[Report]:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM sitting ORDER BY started_ms DESC, id DESC")
            return [_report(connection, row) for row in rows.fetchall()]

        return tuple(self._database.read(work))

    def report(self, id_: str) -> Report:
        """One sitting, by its id or the beginning of it (4 characters or more).

        Raises:
            InputError: there is none, or more than one begins so.
        """

        def work(connection: sqlite3.Connection) -> list[Report]:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM sitting WHERE id = ? OR (length(?) >= ? AND substr(id, 1, length(?)) = ?)",
                (id_, id_, _SHORTEST_ID, id_, id_),
            )
            return [_report(connection, row) for row in rows.fetchall()]

        found = self._database.read(work)
        if len(found) != 1:
            words = (
                NO_SUCH_SITTING
                if not found
                else Text(
                    "several self-tests begin with {id}; give more of the id (proofdeck results lists them)",
                    "有多份自测的编号以 {id} 开头；请多写几位（proofdeck results 会列出编号）",
                )
            )
            raise InputError(words.filled(id=shown(id_)))
        return found[0]


_COLUMNS = "id, paper, started_ms, day, status, limit_ms, used_ms"


def _report(connection: sqlite3.Connection, row: tuple[Any, ...]) -> Report:
    id_, paper_text, started_ms, day, status, limit_ms, used_ms = row
    paper = Paper.from_json(json.loads(paper_text))
    stored = {
        number: (given, graded and Graded.from_json(json.loads(graded)), bool(flagged), spent_ms)
        for number, given, graded, flagged, spent_ms in connection.execute(
            "SELECT number, given, graded, flagged, spent_ms FROM response WHERE sitting = ?", (id_,)
        )
    }
    lines = tuple(
        Line(question, *stored.get(number, (None, None, False, 0)))
        for number, question in enumerate(paper.questions)
    )
    return Report(id_, paper, started_ms, date.fromisoformat(day), status, limit_ms, used_ms, lines)


def _score(lines: Iterable[Line]) -> Score:
    counted = [line.points for line in lines if line.points is not None]
    return Score(sum(counted), len(counted))


def _grouped(lines: Iterable[Line], name: Callable[[Line], str]) -> dict[str, Score]:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(name(line), []).append(line)
    return {group: _score(of_group) for group, of_group in sorted(groups.items())}
