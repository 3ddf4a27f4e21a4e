"""Any sequence of answers, undos, buries, edits of the deck, quitting, crams, clock jumps, a second instance and
merges: what a session shows is what the log holds, and the schedule is the replay of the log."""

from __future__ import annotations

import tempfile
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from quizbank.learning.entry import Entry
from quizbank.learning.exchange import export, merge
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.session import Delay, Graded, StudySession
from tests.learning.drawn_ids import DrawnIds, seeds
from tests.learning.related import related

START = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000
CLAIMS = {"sqrt-dk": "x", "softmax-jacobian": "x", "causal-mask": "", "layer-norm": "y", "rms-norm": "y"}
CARDS = tuple(CLAIMS)
RELATIONS = related(CLAIMS, {"rms-norm": ("layer-norm",)})
cards = st.sampled_from(CARDS)
ratings = st.sampled_from(Rating)
EDITION = "0123456789abcdef"
limits = st.one_of(st.none(), st.none(), st.integers(0, 3))


class SessionMachine(RuleBasedStateMachine):
    """One person at a session; ``other`` is a second instance on the same file, ``away`` another machine.

    ``touched`` are cards that something other than the session wrote of since it began, ``since_asked`` since it
    turned to the card it asks; what was written so shows when the card is next asked or revealed.
    """

    @initialize(zone=st.sampled_from(["Asia/Shanghai", "Europe/Berlin", "America/New_York"]), seed=seeds)
    def open(self, zone: str, seed: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.ids = DrawnIds(seed)
        self.ids.start()
        self.home, self.abroad = Path(self.folder.name) / "home", Path(self.folder.name) / "away"
        self.zone, self.now, self.seconds = ZoneInfo(zone), START, 0.0
        self.log, self.other = (ReviewLog(self.home, zone=self.zone) for _ in range(2))
        self.away = ReviewLog(self.abroad, zone=self.zone)
        self.held: dict[str, Entry] = {}
        self.deck = set(CARDS)
        self.begin(False, None, None)

    def begin(self, cram: bool, new: int | None, due: int | None) -> None:
        self.session = StudySession(
            self.log,
            [card for card in CARDS if card in self.deck],
            relations=RELATIONS,
            cram=cram,
            new_limit=new,
            due_limit=due,
            clock_ms=lambda: self.now,
            stopwatch=lambda: self.seconds,
        )
        self.befores: list[tuple[str, Memory, object]] = []
        self.touched: set[str] = set()
        self.undone_elsewhere: set[str] = set()
        self.asked()

    def asked(self) -> None:
        """The session turned to a card: what it says from here on is of the log as it is now."""
        self.revealed = False
        self.since_asked: set[str] = set()

    def wrote_elsewhere(self, card: str) -> None:
        self.touched.add(card)
        self.since_asked.add(card)

    def seen(self) -> tuple[object, ...]:
        return self.session.current, self.session.current_came, self.session.progress

    def keep(self) -> None:
        """What is in the log stays in it."""
        self.held |= {entry.id: entry for entry in self.log.entries()}

    # The person at the session ------------------------------------------------------------------

    @precondition(lambda self: not self.session.finished)
    @rule()
    def reveal(self) -> None:
        card = self.session.current
        if not self.revealed:
            # another instance may have written since the card was asked: the buttons are of now
            self.since_asked.clear()
        shown = self.session.reveal()
        self.revealed = True
        assert (shown is None) == self.session.cram
        if shown is not None and card not in self.since_asked:
            assert (shown.card, shown.before) == (card, self.log.memory(card))

    @rule(given=st.lists(ratings, min_size=1, max_size=4))
    def answer(self, given: list[Rating]) -> None:
        for rating in given:
            if not self.session.finished:
                self.answer_once(rating)

    def answer_once(self, rating: Rating) -> None:
        card, before, seen = self.session.current, self.log.memory(self.session.current), self.seen()
        self.reveal()
        shown = self.session.reveal()
        alone = card not in self.since_asked
        done = self.session.grade(rating)
        assert (done.card, done.rating) == (card, rating)
        if self.session.cram:
            assert done.entry is None
            assert self.log.memory(card) == before
        else:
            assert self.log.entries(card)[-1] == done.entry
            assert (done.entry.before, done.entry.after) == (before, self.log.memory(card))
            assert done.as_shown == (done.entry.after == shown[rating].after)
            assert done.as_shown or not alone
        self.befores.append((card, before, seen))
        self.asked()
        self.keep()

    @precondition(lambda self: not self.session.finished)
    @rule(kind=st.sampled_from(["bury", "suspend"]))
    def put_off(self, kind: Delay) -> None:
        card, before, seen = self.session.current, self.log.memory(self.session.current), self.seen()
        done = self.session.put_off(kind)
        assert done.card == card != self.session.current
        if not self.session.cram:
            assert card in self.log.put_off(self.now)
        self.befores.append((card, before, seen))
        self.asked()
        self.keep()

    @rule(times=st.integers(1, 5))
    def undo(self, times: int) -> None:
        """One key, whatever was done last, as deep as the session."""
        for _ in range(times):
            self.undo_once()

    def undo_once(self) -> None:
        assert self.session.can_undo == bool(self.befores)
        done = self.session.undo()
        assert (done is None) == (not self.befores)
        if done is not None:
            card, before, seen = self.befores.pop()
            assert done.card == card
            if card not in self.touched:
                assert self.log.memory(card) == before
            if card in self.deck:
                assert self.session.current == card
                if self.deck == set(CARDS):
                    assert self.seen() == seen
            self.asked()
        self.keep()

    @rule(cram=st.sampled_from([False, False, False, True]), new=limits, due=limits, reopened=st.booleans())
    def quit_and_begin_again(self, cram: bool, new: int | None, due: int | None, reopened: bool) -> None:
        if reopened:
            before = self.log.memories()
            self.log.close()
            self.log = ReviewLog(self.home, zone=self.zone)
            assert self.log.notices == ()
            assert self.log.memories() == before
        # what was put back into the deck is asked by the next session
        self.deck = set(CARDS)
        self.begin(cram, new, due)
        if not cram:
            progress = self.session.progress
            brought = [
                card
                for card, memory in self.log.memories().items()
                if memory.phase == "new" and memory.wanted_day
            ]
            assert progress.new <= (len(CARDS) if new is None else max(new, len(brought)))
            assert progress.due <= (len(CARDS) if due is None else due)

    # The world around it ------------------------------------------------------------------------

    @rule(card=cards)
    def a_card_vanishes_from_the_deck(self, card: str) -> None:
        self.deck.discard(card)
        before = self.session.current
        self.session.drop(card)
        assert self.session.current == (before if before != card else self.session.current) != card
        if before == card:
            self.asked()

    @rule(card=cards, rating=ratings)
    def graded_in_a_second_instance(self, card: str, rating: Rating) -> None:
        self.other.grade(card, rating, self.now)
        self.wrote_elsewhere(card)
        self.keep()

    @rule(card=cards, what=st.sampled_from(["bury", "suspend", "resume", "bring_forward"]))
    def put_off_or_brought_forward_in_a_second_instance(self, card: str, what: str) -> None:
        if getattr(self.other, what)([card], self.now):
            self.wrote_elsewhere(card)
        self.keep()

    @rule()
    def undone_in_a_second_instance(self) -> None:
        last = self.other.last_grade()
        if last is not None:
            self.other.undo(last.id, self.now)
            self.wrote_elsewhere(last.card)
            self.undone_elsewhere.add(last.id)
        self.keep()

    @rule(card=cards, kind=st.sampled_from(["bookmark", "note", "report"]))
    def marked(self, card: str, kind: str) -> None:
        """What is said of a card changes nothing of when it is asked."""
        before = self.seen(), self.log.memories()
        self.log.mark(kind, card, "" if kind == "bookmark" else "said of it", EDITION, self.now)
        assert (self.seen(), self.log.memories()) == before
        self.keep()

    @rule(card=cards, rating=ratings)
    def studied_and_merged_from_another_machine(self, card: str, rating: Rating) -> None:
        self.away.grade(card, rating, self.now)
        merge(self.log, [self.abroad / FILE_NAME])
        for entry in self.away.entries():
            self.wrote_elsewhere(entry.card)
        self.undone_elsewhere |= {entry.undoes for entry in self.away.entries() if entry.kind == "undo"}
        self.keep()

    @rule(as_lines=st.booleans())
    def merged_into_another_home(self, as_lines: bool) -> None:
        path = self.home / FILE_NAME
        if as_lines:
            path = self.home / "export.jsonl"
            with path.open("w", encoding="utf-8") as file:
                export(self.log, file)
        merge(self.away, [path])
        assert self.away.verify().ok
        theirs = {entry.id: entry for entry in self.away.entries()}
        assert self.held.items() <= theirs.items()
        if len(theirs) == len(self.held):
            assert self.away.memories() == self.log.memories()

    @rule(
        ms=st.one_of(
            st.integers(0, 30 * 60_000), st.integers(-3 * DAY, 3 * DAY), st.integers(-DAY * 99, DAY * 99)
        )
    )
    def the_clock_moves(self, ms: int) -> None:
        self.now = max(DAY, self.now + ms)
        self.seconds += abs(ms) / 1000
        if self.session.finished:
            self.session.refresh()
            self.asked()

    # What holds after every step ----------------------------------------------------------------

    @invariant()
    def nothing_is_lost_and_the_schedule_is_the_replay(self) -> None:
        assert {entry.id: entry for entry in self.log.entries()} == self.held
        found = self.log.verify()
        assert found.ok
        assert found.entries == len(self.held)

    @invariant()
    def what_the_session_shows_is_what_the_log_holds(self) -> None:
        session = self.session
        standing = {entry.undoes for entry in self.held.values() if entry.kind == "undo"}
        done: tuple[Graded, ...] = session.graded
        assert session.progress.done == len(done)
        for one in done:
            assert (one.entry is None) == session.cram
            if one.entry is not None:
                assert self.held[one.entry.id] == one.entry
                assert one.entry.id not in standing or one.entry.id in self.undone_elsewhere
        card = session.current
        assert card is None or card in self.deck
        if card is not None and not session.cram and card not in self.touched:
            memory = self.log.memory(card)
            assert not memory.suspended
            if session.current_came == "new":
                assert memory.phase == "new"
            elif session.current_came == "step":
                assert memory.due_ms is not None

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.ids.stop()
            for log in (self.log, self.other, self.away):
                log.close()
            self.folder.cleanup()


def run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        SessionMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_any_short_course_of_a_session() -> None:
    run(12, 20)


@pytest.mark.slow
def test_any_course_of_a_session() -> None:
    run(40, 50)


@pytest.mark.soak
def test_thousands_of_courses_of_a_session() -> None:
    run(3000, 60)
