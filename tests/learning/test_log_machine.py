"""Any sequence of grade, undo, quit, clock jumps and travel leaves a schedule that is the replay of the log."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from quizbank.learning.entry import Entry, replay, standing
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler

START = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000
CARDS = ("sqrt-dk", "causal-mask", "layer-norm")
ZONES = ("Asia/Shanghai", "Europe/Berlin", "America/New_York")

cards = st.sampled_from(CARDS)
ratings = st.sampled_from(Rating)


class LogMachine(RuleBasedStateMachine):
    """The log beside a list of what was done; the second instance shares the file."""

    @initialize(zone=st.sampled_from(ZONES))
    def open(self, zone: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.zone = ZoneInfo(zone)
        self.now = START
        self.done: list[Entry] = []
        self.brought: list[Entry] = []
        self.undone: set[str] = set()
        self.log = self.opened()
        self.other = self.opened()

    def opened(self) -> ReviewLog:
        return ReviewLog(Path(self.folder.name), zone=self.zone)

    @rule(card=cards, rating=ratings, second=st.booleans())
    def grade(self, card: str, rating: Rating, second: bool) -> None:
        log = self.other if second else self.log
        preview = log.preview(card, self.now)
        entry = log.grade(card, rating, self.now)
        assert (entry.after, entry.interval) == (preview[rating].after, preview[rating].interval)
        self.done.append(entry)

    @rule(wanted=st.lists(cards, max_size=3), second=st.booleans())
    def bring_forward(self, wanted: list[str], second: bool) -> None:
        log = self.other if second else self.log
        brought = log.bring_forward(wanted, self.now)
        assert set(wanted) <= set(log.due(self.now))
        self.brought += brought

    @precondition(lambda self: self.brought)
    @rule(back=st.integers(0, 3))
    def take_back_a_forward(self, back: int) -> None:
        entry = self.brought[-1 - back % len(self.brought)]
        self.log.undo(entry.id, self.now)
        self.undone.add(entry.id)

    @precondition(lambda self: self.done)
    @rule(back=st.integers(0, 5), second=st.booleans())
    def undo(self, back: int, second: bool) -> None:
        entry = self.done[-1 - back % len(self.done)]
        (self.other if second else self.log).undo(entry.id, self.now)
        self.undone.add(entry.id)

    @precondition(lambda self: self.done and self.done[-1].id not in self.undone)
    @rule()
    def undo_what_was_just_done(self) -> None:
        last = self.done[-1]
        # it may have been brought forward since, which stands
        found = self.log.undo(last.id, self.now)
        assert replace(found, wanted_day=None) == replace(last.before, wanted_day=None)
        self.undone.add(last.id)

    @rule(passed=st.one_of(st.integers(0, 20 * 60_000), st.integers(-400 * DAY, 400 * DAY)))
    def let_time_pass(self, passed: int) -> None:
        self.now = max(DAY, self.now + passed)

    @rule(zone=st.sampled_from(ZONES))
    def travel_and_open_again(self, zone: str) -> None:
        self.log.close()
        self.zone = ZoneInfo(zone)
        self.log = self.opened()
        assert self.log.notices == ()

    @rule()
    def rebuild(self) -> None:
        before = self.log.memories()
        self.other.rebuild()
        assert self.log.memories() == before

    @invariant()
    def nothing_is_lost(self) -> None:
        stored = [entry for entry in self.log.entries() if entry.kind == "grade"]
        assert stored == self.done
        assert [entry for entry in self.log.entries() if entry.kind == "forward"] == self.brought
        assert {entry.undoes for entry in self.log.entries() if entry.kind == "undo"} == self.undone

    @invariant()
    def the_schedule_is_the_replay(self) -> None:
        expected = dict(replay(standing(self.log.entries()), Scheduler()))
        assert self.log.memories() == self.other.memories() == expected
        kept = [entry for entry in self.done if entry.id not in self.undone]
        for card in CARDS:
            memory = Memory()
            for entry in kept:
                if entry.card == card:
                    memory = Scheduler().advance(card, memory, entry.rating, entry.at_ms, entry.day).after
            # bringing forward changes nothing of the memory
            assert replace(self.log.memory(card), wanted_day=None) == memory
        assert self.log.verify().ok

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.log.close()
            self.other.close()
            self.folder.cleanup()


LogMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestLogMachine = LogMachine.TestCase
