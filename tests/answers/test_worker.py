"""Answers judged in a process of its own: the same verdicts, a deadline, and a new worker after a bad one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.answers.judge import Case, case_of, judge
from engine.answers.worker import Judge
from engine.errors import InputError

DATA = Path(__file__).parent.parent / "data"
CASES = [
    case
    for name in ("answers_numeric", "answers_symbolic")
    for case in json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
]
RIGHT = Case("symbolic", "2x", "x+x", {"x": "real"})
WRONG = Case("symbolic", "3x", "x+x", {"x": "real"})


@pytest.fixture(scope="module")
def patient():
    with Judge(deadline=60) as judged:
        yield judged


@pytest.mark.slow
def test_the_worker_says_what_the_engine_says(patient: Judge) -> None:
    for case in CASES[::7]:
        asked = case_of(json.dumps(case))
        assert patient(asked) == judge(asked)


def test_a_late_answer_is_refused_and_never_given_to_the_next_question() -> None:
    with Judge(deadline=0) as judged:
        assert judged(WRONG).verdict == "unsafe"
        assert judged.process is None
        judged.deadline = 60
        assert judged(RIGHT).verdict == "equal"
        assert judged(WRONG).verdict == "different"


def test_a_worker_that_dies_is_replaced() -> None:
    with Judge(deadline=60) as judged:
        assert judged(RIGHT).verdict == "equal"
        first = judged.process
        assert first is not None
        first.kill()
        first.wait()
        assert judged(WRONG).verdict == "different"
        assert judged.process is not first


def test_what_lies_in_the_folder_somebody_works_in_is_no_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with Judge(deadline=60) as judged:
        assert judged(RIGHT).verdict == "equal"


def test_closing_ends_the_worker() -> None:
    with Judge(deadline=60) as judged:
        judged(RIGHT)
        process = judged.process
    assert process is not None
    assert process.poll() is not None


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is kept by the system")
def test_the_worker_cannot_take_more_than_its_memory() -> None:
    script = "from engine.answers.worker import _limit_memory; _limit_memory(); bytearray(520 * 2**20)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "MemoryError" in done.stderr


def test_a_fault_of_the_case_comes_back_as_one(patient: Judge) -> None:
    with pytest.raises(InputError, match="reference"):
        patient(Case("symbolic", "x", "y", {"x": "real"}))


@pytest.mark.parametrize(
    "line",
    ["", "x", "[]", "1", "{}", '{"mode":"symbolic","input":1,"reference":"1"}', "[" * 5000, "{" * 200_000,
     '{"mode":"poetry","input":"1","reference":"1"}', '{"mode":"numeric","input":"1","reference":"1","options":[]}'],
    ids=range(10),
)  # fmt: skip
def test_a_line_that_is_no_case(line: str) -> None:
    with pytest.raises(InputError):
        case_of(line)


def test_a_worker_that_was_ended_starts_no_other() -> None:
    """As where the app ends between somebody's question and the process that would answer it."""
    worker = Judge()
    worker.end()
    with pytest.raises(InputError, match="does not start"):
        worker(Case("symbolic", "x", "x"))
    assert worker.process is None
