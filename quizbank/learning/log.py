"""The review log: an append-only SQLite file that is the truth, and the schedule derived from it.

Every answer is one durable transaction, written when it is given. To bring a card forward to today is an
entry of its own, which leaves what is known of the memory alone, and so is a bookmark, a note, a report.
Undo is an entry that names the one it takes back, by id: it cannot touch what another instance wrote. The
schedule is the replay of the entries; :meth:`ReviewLog.verify` shows it and :meth:`ReviewLog.rebuild` makes it so.
:meth:`ReviewLog.merge` joins the entries of another machine, and :meth:`ReviewLog.back_up` keeps copies.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, tzinfo
from pathlib import Path
from typing import TypeVar

from engine.errors import InputError
from engine.text import Text
from quizbank.database import Database
from quizbank.learning import tables
from quizbank.learning.backup import Backup, Backups, reachable
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.due import due_cards
from quizbank.learning.entry import KINDS, LATEST_MS, RULES, Entry, Kind, Marking, Turn, new_id, replay
from quizbank.learning.log_schema import schema
from quizbank.learning.marks import MARKING, kept_text, marks_in
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.merging import Merged, join
from quizbank.learning.scheduler import Outcome, Scheduler, Settings
from quizbank.learning.verification import Verification, verify

T = TypeVar("T")

FILE_NAME = "reviews.db"
_CHANGED = Text(
    "the settings of the schedule were changed elsewhere: it was derived anew, and the intervals go by them from here on",
    "排期设置已在别处改动：排期已按新设置重新推算，此后的间隔以新设置为准",
)


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


class ReviewLog:
    """The reviews of one person in ``folder``, shared safely by any number of threads and processes.

    ``zone`` is the zone whose 04:00 turns the day; None is that of this machine. ``changed`` gives the settings to
    go by from now on where a person has changed them elsewhere, else None. ``notices`` says what a person should know
    after the opening: a file set aside, a schedule derived anew.

    Raises:
        InputError: the folder or file cannot be used, or a newer version of the program made it.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings | None = None,
        zone: tzinfo | None = None,
        busy_ms: int = 5000,
        changed: Callable[[], Settings | None] = lambda: None,
    ) -> None:
        self.scheduler = Scheduler(settings)
        self._changed = changed
        self.zone = zone
        self.backups = Backups(Path(folder))
        self._notices: list[Text] = []
        self._database = Database(
            Path(folder) / FILE_NAME,
            schema(self._salvage),
            busy_ms,
            self._before_migration,
            self.backups.offer,
        )
        self._derive_where_other_settings_did()
        if not self._database.notices and not self._database.read(tables.length):
            self._notices += self.backups.offer()

    @property
    def path(self) -> Path:
        return self._database.path

    @property
    def notices(self) -> tuple[Text, ...]:
        return (*self._database.notices, *self._notices)

    @property
    def set_aside(self) -> tuple[Path, ...]:
        """Files found damaged or foreign since the opening, under the names they were given."""
        return tuple(self._database.set_aside)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> ReviewLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def day(self, at_ms: int | None = None) -> date:
        """The learner's day at a moment, now where none is given."""
        return local_day(now_ms() if at_ms is None else at_ms, self.zone)

    def follow(self) -> None:
        """Go by the settings of this moment, where they were changed elsewhere.

        Not while a card's buttons are shown: what they say is what is stored.

        Raises:
            InputError: the schedule could not be derived anew.
        """
        found = self._changed()
        if found is not None and found.fingerprint != self.scheduler.settings.fingerprint:
            self._notices.append(_CHANGED)
            self.reschedule(found)

    def preview(self, card: str, at_ms: int | None = None) -> Preview:
        """What each rating of the card would lead to if it were revealed at ``at_ms`` (now).

        Raises:
            InputError: the log cannot be read, or a schedule that goes by other settings not be derived anew.
        """
        self.follow()
        at_ms = now_ms() if at_ms is None else at_ms
        day = local_day(at_ms, self.zone)
        # else the grade would find another state before it, and not store what the buttons say
        self._derive_where_other_settings_did()
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
            self._keep(connection, entry, outcome.after)
            return entry

        return self._write(work)

    def bring_forward(self, cards: Iterable[str], at_ms: int | None = None) -> tuple[Entry, ...]:
        """Ask these cards from today on, whatever their schedule says; each until it is graded.

        A card never seen is asked among the due ones. The schedule itself stays: the grade that follows counts
        the true time since the last one. Returns an entry for each card that was not due already; a suspended
        one stays so.

        Raises:
            InputError: it could not be stored, and nothing was.
        """
        return self._note("forward", cards, at_ms, unless_due=True)

    def bury(self, cards: Iterable[str], at_ms: int | None = None) -> tuple[Entry, ...]:
        """Ask these cards no more today. Returns an entry for each that was not put off already.

        Raises:
            InputError: it could not be stored, and nothing was.
        """
        return self._note("bury", cards, at_ms)

    def suspend(self, cards: Iterable[str], at_ms: int | None = None) -> tuple[Entry, ...]:
        """Ask these cards no more until :meth:`resume`; their schedule runs on. Returns and raises as :meth:`bury`."""
        return self._note("suspend", cards, at_ms)

    def resume(self, cards: Iterable[str], at_ms: int | None = None) -> tuple[Entry, ...]:
        """Ask buried and suspended cards again as their schedule says. Returns and raises as :meth:`bury`."""
        return self._note("resume", cards, at_ms)

    def put_off(self, at_ms: int | None = None) -> set[str]:
        """The ids of the cards buried today or suspended."""
        today = self.day(at_ms)
        return self._database.read(lambda connection: tables.put_off(connection, today))

    def _note(
        self, kind: Kind, cards: Iterable[str], at_ms: int | None, unless_due: bool = False
    ) -> tuple[Entry, ...]:
        """An entry of this kind for each card whose state it changes."""
        at_ms = now_ms() if at_ms is None else at_ms
        day = local_day(at_ms, self.zone)

        def work(connection: sqlite3.Connection) -> tuple[Entry, ...]:
            written = []
            for card in dict.fromkeys(cards):
                before = tables.memory(connection, card)
                if unless_due and (before.suspended or before.is_due(at_ms, day)):
                    continue
                order_ms = tables.next_order_ms(connection, card, at_ms)
                after = RULES[kind](before, Turn(kind, card, None, at_ms, order_ms, day), self.scheduler)
                if after != before:
                    entry = Entry(new_id(at_ms), kind, card, at_ms, order_ms, day)
                    self._keep(connection, entry, after)
                    written.append(entry)
            return tuple(written)

        return self._write(work)

    def mark(
        self, kind: Marking, card: str, text: str = "", edition: str = "", at_ms: int | None = None
    ) -> Entry | None:
        """Bookmark a card or not, put a note on it (an empty one takes it away), report what is wrong with it.

        ``text`` is that of a note or a report, ``edition`` of the card reported on
        (:func:`quizbank.learning.marks.edition`). Returns the entry; None where the card bears this mark already.

        Raises:
            InputError: a report that says nothing, a text too long, or it could not be stored, and nothing was.
        """
        at_ms = now_ms() if at_ms is None else at_ms
        day = local_day(at_ms, self.zone)
        said = kept_text(kind, text) if kind in ("note", "report") else None

        def work(connection: sqlite3.Connection) -> Entry | None:
            order_ms = tables.next_order_ms(connection, card, at_ms)
            entry = Entry(
                new_id(at_ms), kind, card, at_ms, order_ms, day,
                text=said, edition=edition if kind == "report" else None,
            )  # fmt: skip
            before = marks_in(connection, card)
            if MARKING[kind](before, entry) == before:
                return None
            tables.append(connection, entry)
            return entry

        return self._write(work)

    def undo(self, entry_id: str, at_ms: int | None = None) -> Memory:
        """Take an entry back, by its id; the card's state becomes that of what remains.

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
        return self._database.read(lambda connection: tuple(due_cards(connection, at_ms, today)))

    def entries(self, card: str | None = None) -> list[Entry]:
        """Everything the person did, in the order it was written here; of one card, or of all."""
        return self._database.read(lambda connection: list(tables.entries(connection, card)))

    def last_grade(self) -> Entry | None:
        """The latest grade that no undo took back."""
        return self._database.read(lambda connection: tables.last_standing(connection, ("grade",), ""))

    def last_standing(self, beginning: str) -> Entry | None:
        """The latest entry of any kind that no undo took back, of those whose id begins so."""
        kinds = [kind for kind in KINDS if kind != "undo"]
        return self._database.read(lambda connection: tables.last_standing(connection, kinds, beginning))

    def merge(self, incoming: Callable[[], Iterable[tuple[str, Entry]]]) -> Merged:
        """Join the entries of another log by id, all or none; ``incoming()`` gives each with its place, for messages.

        The log then holds the union, and the schedule is its replay: merges in any order, and repeated, lead to
        the same state.

        Raises:
            InputError: one of them has the id of an entry that says something else, or it could not be stored.
        """

        def work(connection: sqlite3.Connection) -> Merged:
            merged = join(connection, incoming())
            for card in merged.cards:
                self._derive(connection, card)
            return merged

        return self._write(work)

    def back_up(self, at_ms: int | None = None, daily: bool = False) -> Backup | None:
        """Keep a copy of the log where none holds it as it is; ``daily``: and only where today has none yet.

        Reviews go on meanwhile, here and in other instances. A copy that cannot be made is a notice.
        Returns the copy; None where none was made.
        """
        at_ms = now_ms() if at_ms is None else at_ms
        try:
            if not self._database.read(tables.length):
                return None
            with reachable(self.path) as source:
                if not (
                    self.backups.is_due(source, at_ms, self.zone) if daily else self.backups.is_new(source)
                ):
                    return None
                return self.backups.make(source, at_ms, self.zone)
        except InputError as error:
            self._notices.append(error.text)
            return None
        except (
            sqlite3.Error
        ) as error:  # the file went away or became unreadable meanwhile, which the next review tells
            self._notices.append(Text("no backup was made: {why}", "未能备份：{why}").filled(why=error))
            return None

    def _before_migration(self, source: sqlite3.Connection) -> None:
        try:
            self.backups.make(source, now_ms(), self.zone)
        except InputError as error:
            self._notices.append(error.text)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` on one consistent state of the log. Raises InputError as :meth:`due`."""
        return self._database.read(work)

    def rebuild(self) -> None:
        """Derive the schedule from the entries again, in one transaction."""
        self._database.write(self._rebuild)

    def reschedule(self, settings: Settings) -> None:
        """Go by other settings from now on: the schedule is derived anew, where nobody has done so yet, and a session
        that is open goes on.

        Raises:
            InputError: settings that cannot be used, or it could not be stored; a later write derives it then.
        """
        self.scheduler = Scheduler(settings)
        self._derive_where_other_settings_did()

    def verify(self) -> Verification:
        """Compare the schedule with the replay of the log, and let SQLite check every page."""
        return self._database.read(lambda connection: verify(connection, self.scheduler))

    def _derive_where_other_settings_did(self) -> None:
        if self._database.read(tables.basis) != self.scheduler.settings.fingerprint:
            self.rebuild()

    def mend(self, found: Verification) -> None:
        """Make anew what :meth:`verify` found wrong and the entries can tell: the indexes, the schedule. The entries
        stay as they are, and a copy of the file is kept first.

        Where a page is damaged the file is set aside whole, and what it yields is taken over; ``notices`` tell.

        Raises:
            InputError: it could not be done, and nothing was; or two entries have one id.
        """
        if not found.rows_are_sound:
            self._database.start_anew()
            return
        if found.faults:
            self.back_up()
            try:
                self._database.write(lambda connection: connection.execute("REINDEX"))
            except sqlite3.IntegrityError as error:
                raise InputError(
                    Text(
                        "the indexes cannot be made anew: {why}; move the file away and run proofdeck log restore",
                        "无法重建索引：{why}；请移走该文件，再运行 proofdeck log restore",
                    ).filled(why=error),
                    where=str(self.path),
                ) from error
        self.rebuild()

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

    def _keep(self, connection: sqlite3.Connection, entry: Entry, after: Memory) -> None:
        """Append the entry and store the card's state, which is ``after`` where it is the last of the replay."""
        tables.append(connection, entry)
        if entry.order_ms < LATEST_MS:
            tables.store(connection, entry.card, after)
        else:
            self._derive(connection, entry.card)

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
