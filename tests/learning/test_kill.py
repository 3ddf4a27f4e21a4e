"""`kill -9` between and during answers loses none that was given."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Rating

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


def killed_while_grading(folder: Path, after_answers: int, delay: float) -> list[tuple[str, str]]:
    """What a grading process had said was stored when it was killed, at some moment after some answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.learning.grading_loop", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    said: list[str] = []
    enough = threading.Event()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if len(said) >= after_answers:
                enough.set()
        enough.set()

    listener = threading.Thread(target=listen)
    listener.start()
    assert enough.wait(60)
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    listener.join()
    assert process.stdout is not None
    process.stdout.close()
    return [(kind, id_) for kind, id_ in (line.split() for line in said if line.endswith("\n"))]


def stored(log: ReviewLog) -> list[tuple[str, str]]:
    return [
        ("grade", entry.id) if entry.kind == "grade" else ("undo", str(entry.undoes))
        for entry in log.entries()
    ]


def kill_and_look(folder: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)
    acknowledged: list[tuple[str, str]] = []
    for _ in range(times):
        acknowledged += killed_while_grading(folder, chance.randint(1, 60), chance.uniform(0, 0.01))
        with ReviewLog(folder) as log:
            found = stored(log)
            # the answer under way may have been stored and not yet said
            in_flight = len(found) - len(acknowledged)
            assert in_flight in (0, 1)
            assert found[: len(acknowledged)] == acknowledged
            assert log.verify().ok
            assert log.notices == ()
            acknowledged = found


def test_killed_while_grading_every_answer_given_is_there(tmp_path: Path) -> None:
    kill_and_look(tmp_path, times=3, seed=int.from_bytes(os.urandom(4)))


@pytest.mark.slow
def test_killed_twenty_times_every_answer_given_is_there(tmp_path: Path) -> None:
    kill_and_look(tmp_path, times=20, seed=int.from_bytes(os.urandom(4)))


@pytest.mark.soak
def test_killed_a_thousand_times_every_answer_given_is_there(tmp_path: Path) -> None:
    kill_and_look(tmp_path, times=1000, seed=int.from_bytes(os.urandom(4)))


def test_what_is_on_disk_after_an_answer_is_enough(tmp_path: Path) -> None:
    """A power cut: what the disk holds the moment an answer was given, without the shared memory beside it."""
    folder = tmp_path / "log"
    with ReviewLog(folder) as log:
        for number in range(12):
            log.grade(f"card {number % 5}", Rating(1 + number % 4))
            cut = tmp_path / f"cut {number}"
            cut.mkdir()
            for suffix in ("", "-wal"):
                shutil.copyfile(folder / (FILE_NAME + suffix), cut / (FILE_NAME + suffix))
            with ReviewLog(cut) as after:
                assert after.entries() == log.entries()
                assert after.verify().ok
