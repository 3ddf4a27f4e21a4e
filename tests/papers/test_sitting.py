"""Sitting a paper: nothing given is lost, time is kept, and a crash goes on where it was."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.errors import InputError
from quizbank.learning.log import FILE_NAME as REVIEWS
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.papers.draw import draw
from quizbank.papers.paper import Paper
from quizbank.papers.results import Results
from quizbank.papers.sitting import TICK_MS, Sitting
from quizbank.papers.store import FILE_NAME
from tests.papers.bank import CARDS, grader

ROOT = Path(__file__).parent.parent.parent
START = 1_767_600_000_000  # 2026-01-05 08:00 UTC
MINUTE = 60_000


class Clock:
    """A wall clock and a stopwatch; the stopwatch of another process starts anywhere."""

    def __init__(self, stopwatch: float = 1000.0) -> None:
        self.at_ms = START
        self.stopwatch = stopwatch

    def ms(self) -> int:
        return self.at_ms

    def seconds(self) -> float:
        return self.stopwatch

    def tick(self, ms: int) -> None:
        self.at_ms += ms
        self.stopwatch += ms / 1000


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def results(tmp_path: Path):
    with Results(tmp_path) as results:
        yield results


def paper(**options: object) -> Paper:
    return draw(CARDS, **{"count": 6, "seed": 11, **options})


def begin(results: Results, clock: Clock, **options: object) -> Sitting:
    return results.begin(paper(**options), grader(), clock.ms, clock.seconds)


def resume(results: Results, clock: Clock, id_: str | None = None) -> Sitting:
    return results.resume(grader(), id_, clock.ms, clock.seconds)


def right(sitting: Sitting) -> str:
    """The right answer to the question being looked at."""
    variant = sitting.question.variant
    if variant.kind == "number":
        return str(variant.variables["d_k"] * 3)
    return "b" if variant.kind == "choice" else "the variance is proportional to d_k"


def test_an_answer_is_stored_with_its_grading_when_it_is_given(
    results: Results, clock: Clock, tmp_path: Path
) -> None:
    sitting = begin(results, clock)
    clock.tick(9_000)
    graded = sitting.answer(right(sitting))
    with Results(tmp_path) as other:
        line = other.report(sitting.id).lines[0]
        assert line.graded == graded
        assert line.given == right(sitting)
        assert line.spent_ms == 9_000
        assert other.report(sitting.id).status == "open"


def test_back_skip_and_flag_find_every_question(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock)
    assert not sitting.back()
    sitting.flag(True)
    sitting.skip()
    sitting.answer(right(sitting))
    assert sitting.position == 1
    sitting.skip()
    sitting.skip()
    assert sitting.position == 3
    assert sitting.back()
    assert sitting.back()
    assert (sitting.position, sitting.answers[1].graded is not None) == (1, True)
    sitting.go_to(5)
    assert not sitting.next()
    sitting.skip()
    assert sitting.position == 0
    assert [answer.flagged for answer in sitting.answers] == [True, False, False, False, False, False]
    assert sitting.unanswered == (0, 2, 3, 4, 5)
    sitting.flag(False)
    assert not sitting.answers[0].flagged
    with pytest.raises(InputError):
        sitting.go_to(6)


def test_an_answer_can_be_changed_until_the_end(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, kinds=["number"], count=2)
    sitting.answer("1")
    sitting.answer(right(sitting))
    assert sitting.answers[0].graded.outcome == "right"
    sitting.hand_in()
    with pytest.raises(InputError, match="handed in"):
        sitting.answer("1")
    assert results.report(sitting.id).lines[0].graded.outcome == "right"


def test_time_is_kept_for_the_paper_and_for_each_question(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, minutes=10)
    assert sitting.remaining_ms == 10 * MINUTE
    clock.tick(20_000)
    sitting.next()
    clock.tick(5_000)
    sitting.answer(right(sitting))
    clock.tick(3_000)
    sitting.back()
    clock.tick(2_000)
    assert sitting.remaining_ms == 10 * MINUTE - 30_000
    sitting.hand_in()
    report = results.report(sitting.id)
    assert [line.spent_ms for line in report.lines[:3]] == [22_000, 8_000, 0]
    assert report.used_ms == 30_000 == sum(line.spent_ms for line in report.lines)
    clock.tick(60_000)
    assert sitting.used_ms == 30_000


def test_a_pause_stops_the_clock(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, minutes=1)
    clock.tick(10_000)
    sitting.pause()
    assert sitting.paused
    clock.tick(60 * MINUTE)
    assert sitting.remaining_ms == 50_000
    with pytest.raises(InputError, match="paused"):
        sitting.answer("b")
    sitting.go_on()
    clock.tick(1_000)
    assert sitting.remaining_ms == 49_000
    assert sitting.tick()


def test_the_wall_clock_decides_nothing(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, minutes=1)
    clock.at_ms -= 400 * 24 * 60 * MINUTE
    clock.stopwatch += 15
    assert sitting.remaining_ms == 45_000
    clock.at_ms += 900 * 24 * 60 * MINUTE
    assert sitting.tick()
    assert sitting.remaining_ms == 45_000


def test_when_time_is_up_what_was_answered_counts(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, minutes=1, kinds=["choice", "number"])
    sitting.answer(right(sitting))
    clock.tick(61_000)
    with pytest.raises(InputError, match="time is up"):
        sitting.answer(right(sitting))
    assert not sitting.running
    assert not sitting.tick()
    assert sitting.remaining_ms == 0
    report = results.report(sitting.id)
    assert report.status == "timed out"
    assert report.used_ms == MINUTE
    assert (report.score.earned, report.score.possible) == (1.0, 6)


def test_the_tick_of_the_screen_ends_a_paper_whose_time_is_up(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, minutes=1)
    ticks = 0
    while sitting.tick():
        clock.tick(TICK_MS)
        ticks += 1
    assert ticks == 60
    assert results.report(sitting.id).status == "timed out"


def test_a_paper_without_a_limit_has_no_end(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock)
    clock.tick(90 * 24 * 60 * MINUTE)
    assert sitting.remaining_ms is None
    assert sitting.tick()
    sitting.answer(right(sitting))


def test_a_crash_goes_on_at_the_same_question_with_the_same_time_left(tmp_path: Path, clock: Clock) -> None:
    results = Results(tmp_path)
    sitting = begin(results, clock, minutes=5)
    sitting.answer(right(sitting))
    sitting.flag(True)
    sitting.skip()
    for _ in range(30):
        clock.tick(TICK_MS)
        sitting.tick()
    before = (sitting.position, sitting.remaining_ms, sitting.answers, sitting.paper)
    results.close()  # the process is gone: its stopwatch with it

    later = Clock(stopwatch=3.5)
    with Results(tmp_path) as again:
        resumed = resume(again, later)
        assert (resumed.position, resumed.remaining_ms, resumed.answers, resumed.paper) == before
        resumed.answer(right(resumed))
        assert again.report(resumed.id).lines[resumed.position].spent_ms == 30_000


def test_two_windows_cannot_sit_the_same_paper(results: Results, clock: Clock, tmp_path: Path) -> None:
    first = begin(results, clock)
    with Results(tmp_path) as other:
        second = resume(other, clock)
        second.answer(right(second))
        with pytest.raises(InputError, match="another window"):
            first.answer("a" if first.question.variant.kind == "choice" else "1")
        assert second.answers[0].graded.points != 0
        assert other.report(second.id).lines[0].given == right(second)


def test_there_is_nothing_to_resume(results: Results, clock: Clock) -> None:
    with pytest.raises(InputError, match="no self-test to resume"):
        resume(results, clock)
    begin(results, clock).hand_in()
    with pytest.raises(InputError, match="no self-test to resume"):
        resume(results, clock)


def test_a_recall_is_ticked_by_the_person_before_or_after_the_end(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, kinds=["recall"], count=2)
    sitting.answer("the variance is proportional to d_k")
    sitting.next()
    sitting.answer("梯度消失")
    with pytest.raises(InputError, match="key point"):
        sitting.tick_points(["no such"])
    sitting.hand_in()
    assert results.report(sitting.id).to_tick == (0, 1)
    assert results.report(sitting.id).score.possible == 0
    sitting.tick_points(["variance-grows"], 0)
    again = resume(results, clock, sitting.id)
    again.tick_points(["variance-grows", "saturation", "premises"], 1)
    report = results.report(sitting.id)
    assert report.to_tick == ()
    assert report.score.earned == pytest.approx(4 / 3)
    assert report.missed == (report.lines[0].question.variant.card,)


def test_ticking_where_there_is_nothing_to_tick(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, kinds=["choice"])
    with pytest.raises(InputError, match="tick"):
        sitting.tick_points([])
    sitting.answer("b")
    with pytest.raises(InputError, match="tick"):
        sitting.tick_points([])


def test_the_report_scores_by_topic_and_kind(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, count=12)
    wrong_card = ""
    for position in range(12):
        sitting.go_to(position)
        clock.tick(1_000)
        kind = sitting.question.variant.kind
        if kind == "number" and not wrong_card:
            wrong_card = sitting.question.variant.card
            sitting.answer("1")
        elif kind == "recall":
            sitting.answer("x")
            sitting.tick_points(["variance-grows", "saturation", "premises"])
        else:
            sitting.answer(right(sitting))
    sitting.hand_in()
    report = results.report(sitting.id)
    assert (report.score.earned, report.score.possible) == (11.0, 12)
    assert report.missed == (wrong_card,)
    assert sum(score.possible for score in report.by_topic.values()) == 12
    assert sum(score.earned for score in report.by_kind.values()) == 11.0
    assert report.by_kind["choice"].share == 1.0
    assert report.by_kind["number"].earned == report.by_kind["number"].possible - 1
    document = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert document["score"] == {"earned": 11.0, "possible": 12, "share": 11 / 12}
    assert document["used_seconds"] == 12.0
    assert [line["spent_seconds"] for line in document["lines"]] == [1.0] * 12
    slip = next(line["graded"] for line in document["lines"] if line["graded"]["outcome"] == "wrong")
    assert slip["reference"]["en"]
    assert slip["verdict"]["counterexample"]["input"] == 1


def test_what_is_not_understood_costs_nothing_and_an_empty_question_does(
    results: Results, clock: Clock
) -> None:
    sitting = begin(results, clock, kinds=["number"], count=2)
    sitting.answer("seven hundred")
    sitting.hand_in()
    report = results.report(sitting.id)
    assert (report.score.earned, report.score.possible) == (0.0, 1)
    assert report.missed == (report.lines[1].question.variant.card,)


def test_the_history_has_the_latest_first_and_finds_by_the_beginning_of_an_id(
    results: Results, clock: Clock
) -> None:
    ids = []
    for _ in range(3):
        ids.append(begin(results, clock, count=2).id)
        clock.tick(24 * 60 * MINUTE)
    assert [report.id for report in results.history()] == ids[::-1]
    assert results.report(ids[1][:13]).id == ids[1]
    for wrong in ("", "no-such-id", ids[0][:3]):
        with pytest.raises(InputError, match="no self-test"):
            results.report(wrong)
    with pytest.raises(InputError, match=f"several self-tests begin with {ids[0][:4]}"):
        results.report(ids[0][:4])
    assert [report.summary_json()["day"] for report in results.history()] == [
        report.day.isoformat() for report in results.history()
    ]


def test_a_result_can_be_read_when_its_cards_are_gone(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, kinds=["choice"], count=2)
    sitting.answer("a")
    resumed = results.resume(grader(()), sitting.id, clock.ms, clock.seconds)
    with pytest.raises(InputError, match="no longer in the bank"):
        resumed.answer("b")
    assert resumed.next()
    resumed.hand_in()
    assert results.report(sitting.id).lines[0].graded.feedback[0].en == "because a"


def test_sitting_never_touches_the_review_log(tmp_path: Path, clock: Clock) -> None:
    with ReviewLog(tmp_path) as log:
        log.grade(CARDS[0].id, Rating.GOOD, START)
        before = (log.entries(), log.memories())
        with Results(tmp_path) as results:
            sitting = begin(results, clock)
            while True:
                sitting.answer(right(sitting))
                if not sitting.next():
                    break
            sitting.hand_in()
        assert (log.entries(), log.memories()) == before
    assert {FILE_NAME, REVIEWS} <= {path.name for path in tmp_path.iterdir()}


def test_a_lock_leaves_the_answer_to_be_given_again(clock: Clock, tmp_path: Path) -> None:
    with Results(tmp_path, busy_ms=20) as results:
        sitting = begin(results, clock, kinds=["choice"], count=2)
        other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        clock.tick(4_000)
        with pytest.raises(InputError, match="locked"):
            sitting.answer("b")
        assert sitting.unanswered == (0, 1)
        other.execute("ROLLBACK")
        other.close()
        sitting.answer("b")
        assert sitting.answers[0].spent_ms == 4_000


def test_a_damaged_file_is_set_aside(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database" * 400)
    with Results(tmp_path) as results:
        assert "set aside" in results.notices[0].en
        begin(results, clock)
        assert len(results.history()) == 1


def test_an_empty_paper_cannot_be_sat(results: Results, clock: Clock) -> None:
    empty = Paper(1, 5, None, (), (), (), ())
    with pytest.raises(InputError, match="no questions"):
        results.begin(empty, grader(), clock.ms, clock.seconds)


def test_a_draft_survives_a_crash_and_counts_for_nothing(tmp_path: Path, clock: Clock) -> None:
    first = Results(tmp_path)
    sitting = begin(first, clock, kinds=["recall"], count=2)
    lines = "Var(q·k) = d_k\n方差随 d_k 增长"
    clock.tick(7_000)
    sitting.keep_draft(lines)
    sitting.next()
    sitting.keep_draft("gone again")
    sitting.keep_draft("")
    sitting.back()
    assert sitting.draft == lines
    first.close()
    with Results(tmp_path) as again:
        resumed = resume(again, Clock(stopwatch=2.0))
        assert (resumed.draft, resumed.unanswered, resumed.used_ms) == (lines, (0, 1), 7_000)
        assert resumed.answers[1].draft is None
        assert again.report(resumed.id).score.earned == 0
        resumed.answer("the variance is proportional to d_k")
        assert resumed.draft is None
        assert resume(again, clock).draft is None


def test_a_draft_is_kept_beside_an_answer_given_before(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, kinds=["recall"], count=1)
    sitting.answer("one")
    sitting.keep_draft("one and two")
    again = resume(results, clock)
    assert (again.answers[0].given, again.draft) == ("one", "one and two")


def test_no_draft_once_time_is_up_nor_a_book(results: Results, clock: Clock) -> None:
    sitting = begin(results, clock, minutes=1)
    with pytest.raises(InputError, match="100000"):
        sitting.keep_draft("x" * 100_001)
    sitting.pause()
    with pytest.raises(InputError, match="paused"):
        sitting.keep_draft("x")
    sitting.go_on()
    clock.tick(61_000)
    with pytest.raises(InputError, match="time is up"):
        sitting.keep_draft("x")
    assert sitting.draft is None


def test_a_tick_that_comes_a_little_early_is_stored_all_the_same(
    results: Results, clock: Clock, tmp_path: Path
) -> None:
    sitting = begin(results, clock)
    with Results(tmp_path) as other:
        for ticks in range(1, 5):
            clock.tick(TICK_MS - 30)
            sitting.tick()
            assert other.report(sitting.id).used_ms == ticks * (TICK_MS - 30)


FIXTURES = Path(__file__).parent.parent / "data"


@pytest.mark.parametrize("version", [1])
def test_a_file_of_every_version_opens_with_its_results(tmp_path: Path, clock: Clock, version: int) -> None:
    connection = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    connection.executescript((FIXTURES / f"results_v{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    with Results(tmp_path) as results:
        assert results.notices == ()
        unfinished, sat = results.history()
        assert (sat.status, sat.score.earned, sat.score.possible) == ("handed in", pytest.approx(5 / 3), 4)
        assert [line.spent_ms for line in sat.lines] == [5_000, 6_000, 7_000, 8_000]
        resumed = resume(results, clock)
        assert (resumed.id, resumed.position, resumed.used_ms, resumed.draft) == (
            unfinished.id,
            1,
            5_000,
            None,
        )
        assert resumed.answers[0].flagged
        resumed.keep_draft("half a sentence")
        assert resume(results, clock).draft == "half a sentence"


def kill_and_resume(folder: Path, times: int) -> None:
    """Sit in a process of its own, killed at a random point; it goes on where it was with all it had said."""
    chance = random.Random(os.urandom(8))
    with Results(folder) as results:
        begun = results.begin(draw(CARDS, count=9, minutes=600, seed=5), grader())
    given: dict[int, str] = {}
    last = {"did": "resumed", "at": 0, "used": 0, "draft": None}
    for _ in range(times):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.papers.sitting_loop", str(folder)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        wanted, said, enough = chance.randint(2, 60), [], threading.Event()

        def listen(process=process, said=said, wanted=wanted, enough=enough) -> None:
            for line in process.stdout:
                said.append(line)
                if len(said) >= wanted:
                    enough.set()
            enough.set()

        listener = threading.Thread(target=listen)
        listener.start()
        assert enough.wait(60)
        time.sleep(chance.uniform(0, 0.01))
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        listener.join()
        process.stdout.close()
        events = [json.loads(line) for line in said if line.endswith("\n")]
        resumed = events[0]
        assert resumed["used"] >= last["used"]
        # the action under way may have been stored and not yet said
        at = last["at"]
        assert resumed["at"] in ({at, (at + 1) % 9} if last["did"] == "answered" else {at})
        if last["did"] == "drafted" and resumed["draft"] != last["draft"]:
            with Results(folder) as results:
                # then it was handed in, which drops it
                assert results.report(begun.id).lines[at].given is not None
            assert resumed["draft"] is None
        for event in events:
            if event["did"] == "answered":
                given[event["at"]] = event["given"]
        last = events[-1]
        with Results(folder) as results:
            report = results.report(begun.id)
            assert report.status == "open"
            assert report.paper == begun.paper
            assert report.used_ms >= last["used"]
            lost = {at for at, text in given.items() if report.lines[at].given != text}
            assert lost <= ({last["at"]} if last["did"] == "drafted" else set())
            given.update({at: report.lines[at].given for at in lost})
            for line in report.lines:
                assert (line.given is None) == (line.graded is None)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_while_sitting_every_answer_given_is_there(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, 4)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_twenty_times_every_answer_given_is_there(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, 20)
