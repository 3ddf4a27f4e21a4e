"""The review log: an append-only SQLite file that is the truth, and the schedule derived from it.

Every answer is one durable transaction, written when it is given. To bring a card forward to today is an
entry of its own, which leaves what is known of the memory alone. Undo is an entry that names the one it
takes back, by id: it cannot touch what another instance wrote. The schedule is the replay of the
entries; :meth:`ReviewLog.verify` shows it and :meth:`ReviewLog.rebuild` makes it so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from pathlib import Path
from typing import TypeVar

from engine.errors import InputError
from engine.text import Text
from quizbank.database import Database
from quizbank.learning import tables
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.entry import Entry, new_id, replay
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Outcome, Scheduler, Settings

T = TypeVar("T")

FILE_NAME = "reviews.db"


@dataclass(frozen=True)
class Preview:
    """A card's four buttons at one moment: what each rating leads to, exactly as :meth:`ReviewLog.grade` stores it."""

    card: str
    at_ms: int
    day: date
    before: Memory
    outcomes: Mapping[Rating, Outcome]

    def __getitem__(self, rating: Rating) -> Outcome:
        return self.outcomes[rating]


@dataclass(frozen=True)
class Difference:
    """A card whose scheduled state is not what the log says."""

    card: str
    scheduled: Memory
    replayed: Memory


@dataclass(frozen=True)
class Verification:
    """What :meth:`ReviewLog.verify` found; ``faults`` are damaged pages as SQLite reports them."""

    entries: int
    cards: int
    differences: tuple[Difference, ...]
    faults: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.differences and not self.faults


class ReviewLog:
    """The reviews of one person in ``folder``, shared safely by any number of threads and processes.

    ``zone`` is the zone whose 04:00 turns the day; None is that of this machine. ``notices`` says what a
    person should know after the opening: a file set aside, a schedule derived anew.

    Raises:
        InputError: the folder or file cannot be used, or a newer version of the program made it.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings | None = None,
        zone: tzinfo | None = None,
        busy_ms: int = 5000,
    ) -> None:
        self.scheduler = Scheduler(settings)
        self.zone = zone
        self._database = Database(Path(folder) / FILE_NAME, tables.schema(self._salvage), busy_ms)
        if self._database.read(tables.basis) != self.scheduler.settings.fingerprint:
            self.rebuild()

    @property
    def path(self) -> Path:
        return self._database.path

    @property
    def notices(self) -> tuple[Text, ...]:
        return tuple(self._database.notices)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> ReviewLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def day(self, at_ms: int | None = None) -> date:
        """The learner's day at a moment, now where none is given."""
        return local_day(now_ms() if at_ms is None else at_ms, self.zone)

    def preview(self, card: str, at_ms: int | None = None) -> Preview:
        """What each rating of the card would lead to if it were revealed at ``at_ms`` (now)."""
        at_ms = now_ms() if at_ms is None else at_ms
        day = local_day(at_ms, self.zone)
        before = self.memory(card)
        return Preview(card, at_ms, day, before, self.scheduler.outcomes(card, before, at_ms, day))

    def grade(
        self,
        card: str,
        rating: Rating,
        at_ms: int | None = None,
        thinking_ms: int = 0,
        grading_ms: int = 0,
    ) -> Entry:
        """Store a review; when this returns it survives ``kill -9`` and a power cut.

        ``at_ms`` is the moment of the preview whose button was pressed: then the interval stored is the
        one that was shown, unless another instance graded the card in between (compare ``Entry.after``).

        Raises:
            InputError: it could not be stored, and nothing was.
        """
        rating = Rating(rating)
        at_ms = now_ms() if at_ms is None else at_ms
        day = local_day(at_ms, self.zone)

        def work(connection: sqlite3.Connection) -> Entry:
            before = tables.memory(connection, card)
            outcome = self.scheduler.advance(card, before, rating, at_ms, day)
            entry = Entry(
                id=new_id(at_ms),
                kind="grade",
                card=card,
                at_ms=at_ms,
                order_ms=tables.next_order_ms(connection, card, at_ms),
                day=day,
                rating=rating,
                thinking_ms=max(0, thinking_ms),
                grading_ms=max(0, grading_ms),
                before=before,
                after=outcome.after,
                interval=outcome.interval,
            )
            tables.append(connection, entry)
            tables.store(connection, card, outcome.after)
            return entry

        return self._write(work)

    def bring_forward(self, cards: Iterable[str], at_ms: int | None = None) -> tuple[Entry, ...]:
        """Ask these cards from today on, whatever their schedule says; each until it is graded.

        A card never seen is asked among the due ones. The schedule itself stays: the grade that follows counts
        the true time since the last one. Returns an entry for each card that was not due already.

        Raises:
            InputError: it could not be stored, and nothing was.
        """
        at_ms = now_ms() if at_ms is None else at_ms
        day = local_day(at_ms, self.zone)

        def work(connection: sqlite3.Connection) -> tuple[Entry, ...]:
            brought = []
            for card in dict.fromkeys(cards):
                before = tables.memory(connection, card)
                if before.is_due(at_ms, day):
                    continue
                order_ms = tables.next_order_ms(connection, card, at_ms)
                entry = Entry(new_id(at_ms), "forward", card, at_ms, order_ms, day)
                tables.append(connection, entry)
                tables.store(connection, card, replace(before, wanted_day=day))
                brought.append(entry)
            return tuple(brought)

        return self._write(work)

    def undo(self, entry_id: str, at_ms: int | None = None) -> Memory:
        """Take a grade or a forward back, by its id; the card's state becomes that of what remains.

        Taking back twice is taking back once.

        Raises:
            InputError: no such entry, or it could not be stored.
        """
        at_ms = now_ms() if at_ms is None else at_ms
        day = local_day(at_ms, self.zone)

        def work(connection: sqlite3.Connection) -> Memory:
            taken_back = tables.entry(connection, entry_id)
            if taken_back is None or taken_back.kind == "undo":
                raise InputError(
                    Text("the review log holds no review {id}", "复习记录中没有编号为 {id} 的复习").filled(
                        id=entry_id[:40]
                    )
                )
            card = taken_back.card
            if not tables.is_undone(connection, entry_id):
                order_ms = tables.next_order_ms(connection, card, at_ms)
                tables.append(
                    connection, Entry(new_id(at_ms), "undo", card, at_ms, order_ms, day, undoes=entry_id)
                )
                self._derive(connection, card)
            return tables.memory(connection, card)

        return self._write(work)

    def memory(self, card: str) -> Memory:
        """The card's state; that of a card never seen where there is none."""
        return self._database.read(lambda connection: tables.memory(connection, card))

    def memories(self) -> dict[str, Memory]:
        """The state of every card ever graded or brought forward, whether or not it still stands in the bank."""
        return self._database.read(lambda connection: dict(tables.memories(connection)))

    def seen(self) -> set[str]:
        """The ids of every card ever graded or brought forward: the others are new."""
        return self._database.read(tables.seen)

    def due(self, at_ms: int | None = None) -> tuple[str, ...]:
        """The cards to be asked at a moment (now), in order: learning steps, what the person brought forward,
        then the longest overdue."""
        at_ms = now_ms() if at_ms is None else at_ms
        today = local_day(at_ms, self.zone)
        return self._database.read(lambda connection: tables.due(connection, at_ms, today))

    def entries(self, card: str | None = None) -> list[Entry]:
        """Everything the person did, in the order it was written here; of one card, or of all."""
        return self._database.read(lambda connection: list(tables.entries(connection, card)))

    def rebuild(self) -> None:
        """Derive the schedule from the entries again, in one transaction."""
        self._database.write(self._rebuild)

    def verify(self) -> Verification:
        """Compare the schedule with the replay of the log, and let SQLite check every page."""

        def work(connection: sqlite3.Connection) -> Verification:
            faults = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            scheduled = dict(tables.memories(connection))
            differences = []
            for card, replayed in replay(tables.standing_turns(connection), self.scheduler):
                found = scheduled.pop(card, Memory())
                if found != replayed:
                    differences.append(Difference(card, found, replayed))
            differences += [Difference(card, found, Memory()) for card, found in scheduled.items()]
            entries, cards = connection.execute("SELECT count(*), count(DISTINCT card) FROM entry").fetchone()
            return Verification(entries, cards, tuple(differences), tuple(faults))

        return self._database.read(work)

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def on_current_schedule(connection: sqlite3.Connection) -> T:
            # another instance may run with other settings
            if tables.basis(connection) != self.scheduler.settings.fingerprint:
                self._rebuild(connection)
            return work(connection)

        return self._database.write(on_current_schedule)

    def _rebuild(self, connection: sqlite3.Connection) -> None:
        tables.clear_schedule(connection, self.scheduler.settings.fingerprint)
        for card, state in self._replay(connection):
            tables.store(connection, card, state)

    def _derive(self, connection: sqlite3.Connection, card: str) -> None:
        state = Memory()
        for _, replayed in self._replay(connection, card):
            state = replayed
        tables.store(connection, card, state)

    def _replay(
        self, connection: sqlite3.Connection, card: str | None = None
    ) -> Iterator[tuple[str, Memory]]:
        return replay(tables.standing_turns(connection, card), self.scheduler)

    def _salvage(self, old: sqlite3.Connection, new: sqlite3.Connection) -> int:
        taken = tables.salvage_entries(old, new)
        self._rebuild(new)
        return taken
