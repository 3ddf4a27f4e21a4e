"""Any sequence of grade, undo, bury, suspend, edit, quit, backup, merge, clock jumps and travel leaves a schedule
that is the replay of the log."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from quizbank.learning.entry import MARKING_KINDS, Entry, Marking, replay, standing, standing_entries
from quizbank.learning.exchange import export, merge
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.marks import MARKING, all_marks, folded
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler
from quizbank.learning.session import StudySession
from tests.learning.drawn_ids import DrawnIds, seeds

START = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000
CARDS = ("sqrt-dk", "causal-mask", "layer-norm")
ZONES = ("Asia/Shanghai", "Europe/Berlin", "America/New_York")

cards = st.sampled_from(CARDS)
some_cards = st.lists(cards, max_size=3)
ratings = st.sampled_from(Rating)


def of_the_memory_alone(memory: Memory) -> Memory:
    """Without what says only when to ask."""
    return replace(memory, wanted_day=None, buried_day=None, suspended=False)


class LogMachine(RuleBasedStateMachine):
    """The log beside a table of what was done; ``other`` shares its file, ``away`` is on another machine."""

    @initialize(zone=st.sampled_from(ZONES), seed=seeds)
    def open(self, zone: str, seed: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.ids = DrawnIds(seed)
        self.ids.start()
        self.home, self.abroad = Path(self.folder.name) / "home", Path(self.folder.name) / "away"
        self.zone = ZoneInfo(zone)
        self.now = START
        self.deck = list(CARDS)
        self.held: dict[str, Entry] = {}
        self.held_away: dict[str, Entry] = {}
        self.undone: set[str] = set()
        self.known_before: dict[str, set[str]] = {}
        self.log = self.opened()
        self.other = self.opened()
        self.away = ReviewLog(self.abroad, zone=self.zone)

    def opened(self) -> ReviewLog:
        return ReviewLog(self.home, zone=self.zone)

    def note(self, entries: Iterable[Entry]) -> None:
        self.held |= {entry.id: entry for entry in entries}

    @rule(card=cards, rating=ratings, second=st.booleans())
    def grade(self, card: str, rating: Rating, second: bool) -> None:
        log = self.other if second else self.log
        preview = log.preview(card, self.now)
        entry = log.grade(card, rating, self.now)
        assert (entry.after, entry.interval) == (preview[rating].after, preview[rating].interval)
        self.known_before[entry.id] = set(self.held)
        self.note([entry])

    @rule(wanted=some_cards, second=st.booleans())
    def bring_forward(self, wanted: list[str], second: bool) -> None:
        log = self.other if second else self.log
        self.note(log.bring_forward(wanted, self.now))
        suspended = {card for card in CARDS if log.memory(card).suspended}
        assert set(wanted) - suspended <= set(log.due(self.now))

    @rule(chosen=some_cards, second=st.booleans())
    def bury(self, chosen: list[str], second: bool) -> None:
        log = self.other if second else self.log
        self.note(log.bury(chosen, self.now))
        assert set(chosen) <= log.put_off(self.now)
        assert not set(chosen) & set(log.due(self.now))

    @rule(chosen=some_cards)
    def suspend(self, chosen: list[str]) -> None:
        self.note(self.log.suspend(chosen, self.now))
        assert not set(chosen) & set(self.log.due(self.now + 300 * DAY))

    @rule(chosen=some_cards)
    def resume(self, chosen: list[str]) -> None:
        self.note(self.log.resume(chosen, self.now))
        assert not set(chosen) & self.log.put_off(self.now)

    @rule(
        card=cards,
        kind=st.sampled_from(MARKING_KINDS),
        text=st.sampled_from(["the sign", "符号"]),
        second=st.booleans(),
    )
    def mark(self, card: str, kind: Marking, text: str, second: bool) -> None:
        log = self.other if second else self.log
        before = log.memories()
        entry = log.mark(kind, card, text, "0123456789abcdef", self.now)
        self.note([entry] if entry is not None else [])
        assert log.memories() == before

    @precondition(lambda self: self.held)
    @rule(back=st.integers(0, 5), second=st.booleans())
    def undo(self, back: int, second: bool) -> None:
        turns = [entry for entry in self.held.values() if entry.kind != "undo"]
        entry = turns[-1 - back % len(turns)]
        log = self.other if second else self.log
        before = set(self.held)
        log.undo(entry.id, self.now)
        written = [undo for undo in log.entries(entry.card) if undo.id not in before]
        assert [undo.undoes for undo in written] == ([] if entry.id in self.undone else [entry.id])
        self.note(written)
        self.undone.add(entry.id)

    @precondition(lambda self: self.log.last_grade() is not None)
    @rule()
    def undo_the_last_grade(self) -> None:
        last = self.log.last_grade()
        known = {*self.known_before.get(last.id, ()), last.id}
        since = [entry for entry in self.log.entries(last.card) if entry.id not in known]
        found = self.log.undo(last.id, self.now)
        if last.id in self.known_before and not any(entry.kind in ("grade", "undo") for entry in since):
            # what was said since of when to ask it stands
            assert of_the_memory_alone(found) == of_the_memory_alone(last.before)
        self.note(undo for undo in self.log.entries(last.card) if undo.undoes == last.id)
        self.undone.add(last.id)

    @rule(deck=st.lists(cards, unique=True), answers=st.integers(0, 3), rating=ratings)
    def edit_the_deck_and_study(self, deck: list[str], answers: int, rating: Rating) -> None:
        """Cards leave the deck and come back; a session asks those it holds, and drops one that goes meanwhile."""
        session = StudySession(self.log, deck, clock_ms=lambda: self.now, stopwatch=lambda: 0.0)
        for _ in range(answers):
            if session.current is None:
                break
            assert session.current in deck
            assert session.current not in self.log.put_off(self.now)
            session.reveal()
            graded = session.grade(rating)
            self.known_before[graded.entry.id] = set(self.held)
            self.note([graded.entry])
        if deck:
            session.drop(deck[0])
            assert session.current != deck[0]

    @rule(card=cards, rating=ratings)
    def study_away(self, card: str, rating: Rating) -> None:
        entry = self.away.grade(card, rating, self.now + 7)
        self.held_away[entry.id] = entry

    @rule(as_lines=st.booleans(), twice=st.booleans())
    def merge_what_was_done_away(self, as_lines: bool, twice: bool) -> None:
        path = self.abroad / FILE_NAME
        if as_lines:
            path = self.abroad / "export.jsonl"
            with path.open("w", encoding="utf-8") as file:
                assert export(self.away, file) == len(self.held_away)
        new = len(set(self.held_away) - set(self.held))
        assert merge(self.log, [path]).new == new
        if twice:
            assert merge(self.other, [path]).new == 0
        self.held |= self.held_away

    @rule()
    def take_all_away(self) -> None:
        merge(self.away, [self.home / FILE_NAME])
        self.held_away |= self.held
        assert {entry.id: entry for entry in self.away.entries()} == self.held_away

    @rule()
    def back_up_and_restore(self) -> None:
        made = self.log.back_up(self.now)
        assert self.log.notices == ()
        if self.held:
            newest = self.log.backups.newest_good()
            held = next(one for one in self.log.backups.all() if one.entries == len(self.held))
            assert made in (None, held)
            assert merge(self.log, [newest.path, held.path]).new == 0

    @rule(passed=st.one_of(st.integers(0, 20 * 60_000), st.integers(-400 * DAY, 400 * DAY)))
    def let_time_pass(self, passed: int) -> None:
        self.now = max(DAY, self.now + passed)

    @rule(zone=st.sampled_from(ZONES))
    def travel_and_open_again(self, zone: str) -> None:
        self.log.close()
        self.zone = ZoneInfo(zone)
        self.log = self.opened()
        assert self.log.set_aside == ()

    @rule()
    def rebuild(self) -> None:
        before = self.log.memories()
        self.other.rebuild()
        assert self.log.memories() == before

    @invariant()
    def nothing_is_lost(self) -> None:
        assert {entry.id: entry for entry in self.log.entries()} == self.held

    @invariant()
    def the_schedule_is_the_replay(self) -> None:
        replayed = dict(replay(standing(self.log.entries()), Scheduler()))
        expected = {card: memory for card, memory in replayed.items() if memory != Memory()}
        assert self.log.memories() == self.other.memories() == expected
        undone = {entry.undoes for entry in self.held.values() if entry.kind == "undo"}
        kept = [entry for entry in self.held.values() if entry.kind == "grade" and entry.id not in undone]
        kept.sort(key=lambda entry: (entry.order_ms, entry.id))
        for card in CARDS:
            memory = Memory()
            for entry in kept:
                if entry.card == card:
                    memory = Scheduler().advance(card, memory, entry.rating, entry.at_ms, entry.day).after
            # to bring a card forward or put it off changes nothing of the memory
            assert of_the_memory_alone(self.log.memory(card)) == memory
        assert self.log.verify().ok

    @invariant()
    def the_marks_are_those_of_the_entries_that_stand(self) -> None:
        expected = folded(standing_entries(self.held.values(), MARKING))
        assert all_marks(self.log) == all_marks(self.other) == expected

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.ids.stop()
            for log in (self.log, self.other, self.away):
                log.close()
            self.folder.cleanup()


LogMachine.TestCase.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
TestLogMachine = LogMachine.TestCase


@pytest.mark.slow
def test_longer_courses_of_the_log() -> None:
    run_state_machine_as_test(
        LogMachine, settings=settings(max_examples=20, stateful_step_count=50, deadline=None)
    )


@pytest.mark.soak
def test_thousands_of_courses_of_the_log() -> None:
    run_state_machine_as_test(
        LogMachine, settings=settings(max_examples=3000, stateful_step_count=60, deadline=None)
    )
