"""While a slider moves the latest values win, and at rest the newest are computed in full."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.widgets.host import Host
from tui.background import StoppedError
from tui.recompute import JUST_BEGUN, LONGEST, QUIET, SOON, STILL, Outcome, Recompute, Recomputed

PATIENCE = 20.0


def until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.001)
    return true()


def test_frames_come_while_the_values_change_and_the_last_is_of_the_last_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # a machine that stalls is no hand at rest
    monkeypatch.setattr(Recompute, "_is_still", lambda self: False)
    heard: list[Outcome[int, int]] = []

    def compute(given: int, dragging: bool) -> int:
        time.sleep(0.003)
        return given * 10

    runner = Recompute(compute, heard.append, quiet=0.05)
    asked = 0

    def enough() -> bool:
        nonlocal asked
        asked += 1
        runner.ask(asked)
        return len(heard) >= 20

    # changes that never pause starve nothing
    assert until(enough)
    assert until(lambda: heard[-1].given == asked and not heard[-1].dragging)
    assert heard[-1].result == asked * 10
    moving = [outcome.given for outcome in heard if outcome.dragging]
    # none of them twice, none out of order
    assert moving == sorted(set(moving))
    assert moving[-1] == asked
    # in full only what has just been drawn the quick way
    settled = [(before, after) for before, after in itertools.pairwise(heard) if not after.dragging]
    assert all(before.dragging and before.given == after.given for before, after in settled)


def test_one_computation_at_a_time() -> None:
    inside = threading.Semaphore(1)
    overlaps: list[int] = []
    heard: list[Outcome[int, int]] = []

    def compute(given: int, dragging: bool) -> int:
        if not inside.acquire(blocking=False):
            overlaps.append(given)
            return given
        time.sleep(0.002)
        inside.release()
        return given

    runner = Recompute(compute, heard.append, quiet=0.0)
    for value in range(50):
        runner.ask(value)
        time.sleep(0.001)
    assert until(lambda: bool(heard) and heard[-1].given == 49 and not heard[-1].dragging)
    assert overlaps == []


def test_an_exception_is_an_outcome_and_the_next_values_are_computed() -> None:
    heard: list[Outcome[int, int]] = []
    runner = Recompute(lambda given, dragging: 1 // given, heard.append, settles=False)
    runner.ask(0)
    assert until(lambda: len(heard) == 1)
    assert isinstance(heard[0].error, ZeroDivisionError)
    runner.ask(1)
    assert until(lambda: len(heard) == 2)
    assert heard[1].result == 1


def test_a_typed_value_is_computed_in_full_at_once_and_once() -> None:
    heard: list[Outcome[int, int]] = []
    runner = Recompute(lambda given, dragging: given, heard.append, quiet=0.02)
    runner.ask(5, dragging=False)
    assert until(lambda: len(heard) == 1)
    time.sleep(0.1)
    assert [(outcome.given, outcome.dragging) for outcome in heard] == [(5, False)]


def test_nothing_comes_after_closing() -> None:
    heard: list[Outcome[int, int]] = []
    begun, go_on = threading.Event(), threading.Event()

    def compute(given: int, dragging: bool) -> int:
        begun.set()
        go_on.wait(PATIENCE)
        return given

    runner = Recompute(compute, heard.append)
    runner.ask(1)
    assert begun.wait(PATIENCE)
    runner.close()
    go_on.set()
    runner.ask(2)
    assert until(lambda: not any(thread.name == "recompute" for thread in threading.enumerate()))
    assert heard == []


def test_no_second_outcome_before_the_first_is_painted_and_then_only_the_newest() -> None:
    heard: list[Outcome[int, int]] = []
    runner = Recompute(lambda given, dragging: given, heard.append, settles=False, painting=PATIENCE)
    runner.ask(0)
    assert until(lambda: len(heard) == 1)
    for value in range(1, 20):
        runner.ask(value)
    runner.painted()
    assert until(lambda: len(heard) == 2)
    assert [outcome.given for outcome in heard] == [0, 19]
    runner.close()


def test_a_screen_that_paints_nothing_does_not_hold_up_the_values_for_ever() -> None:
    heard: list[Outcome[int, int]] = []
    runner = Recompute(lambda given, dragging: given, heard.append, settles=False, painting=0.01)
    for value in range(3):
        runner.ask(value)
        assert until(lambda wanted=value: bool(heard) and heard[-1].given == wanted)


async def test_outcomes_reach_a_running_app_as_messages() -> None:
    class Screen(Host):
        def on_recomputed(self, event: Recomputed) -> None:
            self.heard.append((event.outcome.given, event.outcome.dragging, event.outcome.result))

    app = Screen()
    async with app.run_test() as pilot:
        runner: Recompute[int, int] = Recompute(
            lambda given, dragging: given + 1,
            lambda outcome: app.post_message(Recomputed(outcome)),
            quiet=0.01,
        )
        for value in range(30):
            runner.ask(value)
        for _ in range(200):
            await pilot.pause(0.01)
            if app.heard and app.heard[-1] == (29, False, 30):
                break
        assert app.heard[-1] == (29, False, 30)
        runner.close()


def test_what_computing_the_quick_way_took_counts_as_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("tui.recompute.time", SimpleNamespace(monotonic=lambda: now[0]))
    heard: list[bool] = []

    def compute(given: int, dragging: bool) -> int:
        now[0] += 3600
        return given

    runner = Recompute(compute, lambda outcome: heard.append(outcome.dragging), quiet=3600)
    runner.ask(1)
    assert until(lambda: heard == [True, False])


class Hand:
    """Values that are computed when the test says so, on a clock of its own."""

    can_interrupt = True

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
        self.interrupted = False
        self.now = 0.0
        monkeypatch.setattr("tui.recompute.time", SimpleNamespace(monotonic=lambda: self.now))
        self.heard: list[tuple[int, bool]] = []
        self.begun: list[tuple[int, bool]] = []
        self.go_on = threading.Semaphore(0)
        self.runner: Recompute[int, int] = Recompute(self.compute, self.hear, **given)

    def compute(self, given: int, dragging: bool) -> int:
        self.begun.append((given, dragging))
        self.go_on.acquire(timeout=PATIENCE)
        if self.interrupted:
            self.interrupted = False
            raise StoppedError
        return given

    def interrupt(self) -> None:
        self.interrupted = True
        self.go_on.release()

    def hear(self, outcome: Outcome[int, int]) -> None:
        self.heard.append((outcome.given, outcome.dragging))

    def computes(self, *begun: tuple[int, bool]) -> None:
        assert until(lambda: len(self.begun) >= len(begun))
        assert self.begun == list(begun)


def test_at_rest_older_values_are_passed_over_but_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Hand(monkeypatch, settles=False)
    hand.runner.ask(1)
    hand.computes((1, True))
    hand.go_on.release()
    assert until(lambda: hand.heard == [(1, True)])
    hand.runner.ask(2)
    for value, passes in ((3, STILL / 2), (4, QUIET), (5, LONGEST), (6, QUIET)):
        hand.computes(*((one, True) for one in range(1, value)))
        hand.runner.ask(value)
        hand.now += passes
        hand.go_on.release()
    hand.computes(*((one, True) for one in range(1, 7)))
    hand.go_on.release()
    assert until(lambda: hand.heard[-1:] == [(6, True)])
    # 2 while the hand moved; 4 after so long that a picture must come; 3 and 5 were passed over
    assert [given for given, _ in hand.heard] == [1, 2, 4, 6]


@pytest.mark.parametrize(("took", "quick"), [((SOON - QUIET) / 2, False), (SOON, True)])
def test_at_rest_the_full_run_is_the_first_where_it_is_known_to_be_fast(
    monkeypatch: pytest.MonkeyPatch, took: float, quick: bool
) -> None:
    hand = Hand(monkeypatch, quiet=0.0)
    hand.runner.ask(1, dragging=False)
    hand.computes((1, False))
    hand.now += took
    hand.runner.ask(2)
    hand.now += QUIET
    hand.go_on.release()
    hand.computes((1, False), (2, quick))
    hand.go_on.release(3)
    assert until(lambda: hand.heard[-1:] == [(2, False)])


def test_a_hand_at_rest_waits_for_no_picture_of_older_values(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Hand(monkeypatch, settles=False, painting=PATIENCE)
    hand.go_on.release(2)
    hand.runner.ask(1)
    assert until(lambda: len(hand.heard) == 1)
    hand.runner.ask(2)
    time.sleep(2 * QUIET)
    # by its own clock the hand still moves
    hand.computes((1, True))
    hand.now += QUIET
    hand.computes((1, True), (2, True))
    hand.runner.close()


def interruptible(monkeypatch: pytest.MonkeyPatch, **given: Any) -> Hand:
    hand = Hand(monkeypatch, **given)
    hand.runner._interrupter = hand
    return hand


def test_at_rest_older_values_are_not_computed_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = interruptible(monkeypatch, settles=False)
    hand.runner.ask(1)
    hand.computes((1, True))
    hand.runner.come_to_rest()
    assert not hand.interrupted
    hand.now += STILL / 2
    hand.runner.ask(2)
    assert hand.runner.still == STILL
    hand.runner.come_to_rest()
    # not yet
    assert not hand.interrupted
    hand.now += hand.runner.still
    hand.runner.come_to_rest()
    hand.computes((1, True), (2, True))
    # nothing has been shown for long, so something must be
    hand.runner.ask(3)
    hand.now += LONGEST
    hand.runner.come_to_rest()
    assert not hand.interrupted
    hand.go_on.release(2)
    assert until(lambda: hand.heard == [(2, True), (3, True)])


def test_a_computation_that_has_just_begun_makes_way_once_before_each_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand = interruptible(monkeypatch, settles=False)
    hand.runner.ask(1)
    hand.computes((1, True))
    # how long it takes is not known yet
    hand.runner.ask(2)
    assert not hand.interrupted
    took = STILL / 2
    hand.now += took
    hand.go_on.release()
    begun = [(1, True), (2, True)]
    hand.computes(*begun)
    assert hand.heard == [(1, True)]
    hand.now += took * JUST_BEGUN / 2
    hand.runner.ask(3)
    begun.append((3, True))
    hand.computes(*begun)
    # it made way for them: they do not, or no picture would come from a hand that is fast enough
    hand.runner.ask(4)
    assert not hand.interrupted
    hand.go_on.release()
    begun.append((4, True))
    hand.computes(*begun)
    assert hand.heard == [(1, True), (3, True)]
    # begun too long ago
    hand.now += took
    hand.runner.ask(5)
    assert not hand.interrupted
    hand.go_on.release(2)
    assert until(lambda: hand.heard == [(1, True), (3, True), (4, True), (5, True)])


def test_a_hand_that_moves_on_ends_what_is_computed_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = interruptible(monkeypatch)
    hand.go_on.release()
    hand.runner.ask(1)
    assert until(lambda: hand.heard == [(1, True)])
    hand.now += QUIET
    hand.computes((1, True), (1, False))
    hand.runner.ask(2)
    hand.computes((1, True), (1, False), (2, True))
    hand.go_on.release(2)
    hand.now += QUIET
    assert until(lambda: hand.heard == [(1, True), (2, True), (2, False)])


def test_values_in_full_do_not_end_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """As while the key for a new sample is held down: each run would be ended by the next."""
    hand = interruptible(monkeypatch)
    hand.runner.ask(1, dragging=False)
    hand.computes((1, False))
    hand.runner.ask(2, dragging=False)
    hand.runner.ask(3, dragging=False)
    assert not hand.interrupted
    hand.go_on.release(2)
    assert until(lambda: hand.heard == [(1, False), (3, False)])


def test_where_a_full_run_can_be_ended_it_begins_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    for can_interrupt, begun in ((True, [(1, True), (1, False)]), (False, [(1, True)])):
        hand = interruptible(monkeypatch, quiet=PATIENCE)
        hand.can_interrupt = can_interrupt
        # as from a mouse: the last two changes lie close together
        hand.runner._asked_at = -STILL / 2
        hand.go_on.release()
        hand.runner.ask(1)
        assert until(lambda hand=hand: hand.heard == [(1, True)])
        time.sleep(2 * QUIET)
        assert hand.begun == begun
        hand.runner.close()
        hand.go_on.release()


def test_an_interruption_for_somebody_else_is_made_good(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = interruptible(monkeypatch, settles=False)
    hand.runner.ask(1)
    hand.computes((1, True))
    hand.interrupt()
    hand.computes((1, True), (1, True))
    hand.go_on.release()
    assert until(lambda: hand.heard == [(1, True)])


def test_closing_ends_the_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = interruptible(monkeypatch)
    hand.runner.ask(1)
    hand.computes((1, True))
    hand.runner.close()
    assert until(lambda: not any(thread.name == "recompute" for thread in threading.enumerate()))
    assert hand.heard == []
