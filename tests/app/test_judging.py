"""The shared worker: warm, one case at a time, replaced when it is killed, gone with the app."""

from __future__ import annotations

import threading
import time

import pytest

from engine.answers.judge import Case
from engine.errors import InputError
from tui.judging import SharedJudge

SYMBOLS = {"x": "real"}


def case(typed: str) -> Case:
    return Case("symbolic", typed, "2*x", SYMBOLS)


def test_several_threads_may_ask_and_each_gets_its_own_verdict() -> None:
    judge = SharedJudge(deadline=60)
    verdicts: dict[str, str] = {}

    def ask(typed: str) -> None:
        verdicts[typed] = judge(case(typed)).verdict

    threads = [threading.Thread(target=ask, args=(typed,)) for typed in ("x+x", "x^2", "q", "3x-x", "x")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    judge.close()
    assert verdicts == {"x+x": "equal", "x^2": "different", "q": "invalid", "3x-x": "equal", "x": "different"}


def test_a_worker_that_was_killed_is_replaced() -> None:
    judge = SharedJudge(deadline=60)
    try:
        assert judge(case("x+x")).verdict == "equal"
        worker = judge._worker
        assert worker is not None
        assert worker.process is not None
        worker.process.kill()
        worker.process.wait()
        assert judge(case("x+x")).verdict in ("unsafe", "equal")
        assert judge(case("x+x")).verdict == "equal"
    finally:
        judge.close()


def test_closing_ends_the_process_and_whoever_waits_for_it() -> None:
    judge = SharedJudge(deadline=600)
    judge(case("x"))
    worker = judge._worker
    assert worker is not None
    process = worker.process
    assert process is not None
    process.send_signal(19)  # SIGSTOP: a case that never comes back
    heard: list[str] = []

    def ask() -> None:
        try:
            heard.append(judge(case("x+x")).verdict)
        except InputError:
            heard.append("refused")

    waiting = threading.Thread(target=ask)
    waiting.start()
    while not judge._turn.locked():
        time.sleep(0.01)
    judge.close()
    waiting.join(60)
    assert heard in (["unsafe"], ["refused"])
    assert process.poll() is not None
    with pytest.raises(InputError, match="ending"):
        judge(case("x"))


def test_closing_what_was_never_used_starts_nothing() -> None:
    judge = SharedJudge()
    judge.close()
    assert judge._worker is None
