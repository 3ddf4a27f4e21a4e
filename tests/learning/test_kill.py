"""`kill -9` at any moment, of reviews, undos, backups, merges and migrations, loses nothing that was said to be stored."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Rating

ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "tests" / "data"

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


def killed_at_work(folder: Path, after: int, delay: float, seed: int) -> list[tuple[str, str]]:
    """What a process had said was stored when it was killed, some moment after it had said so many things."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.learning.grading_loop", str(folder), str(seed)],
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
            if len(said) > after:
                enough.set()
        enough.set()

    listener = threading.Thread(target=listen)
    listener.start()
    assert enough.wait(60)
    time.sleep(delay)
    os.kill(process.pid, signal.SIGKILL)
    # before the kill it can only have ended by a fault
    assert process.wait() == -signal.SIGKILL
    listener.join()
    assert process.stdout is not None
    process.stdout.close()
    return [(kind, id_) for kind, id_ in (line.split() for line in said[1:] if line.endswith("\n"))]


def log_of_version(folder: Path, version: int) -> set[str]:
    """An earlier version's file in place of the log: the next opening migrates it. Returns its ids."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.executescript((FIXTURES / f"reviews_v{version}.sql").read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
        return {id_ for (id_,) in connection.execute("SELECT id FROM entry WHERE kind <> 'undo'")}


def kill_and_look(tmp_path: Path, times: int, seed: int) -> None:
    """Kill ``times`` processes, looking after each; every tenth meets a log of an earlier version.

    With ``after = 0`` the kill falls into the opening: the migration and the backup before it.
    """
    chance = random.Random(seed)
    stored: set[str] = set()
    undone: set[str] = set()
    folder = tmp_path
    for number in range(times):
        if number % 10 == 0:
            folder = tmp_path / str(number)
            stored, undone = log_of_version(folder, chance.randint(1, 4)), set()
        # the opening, or any moment of the work
        early = number % 10 == 0 or chance.random() < 0.1
        after = 0 if early else chance.randint(1, 40)
        said = killed_at_work(
            folder, after, chance.uniform(0, 0.35 if early else 0.01), chance.getrandbits(32)
        )
        stored |= {id_ for kind, id_ in said if kind == "stored"}
        undone |= {id_ for kind, id_ in said if kind == "undone"}
        with ReviewLog(folder) as log:
            held = log.entries()
            # what was under way may have been stored and not yet said
            assert stored <= {entry.id for entry in held if entry.kind != "undo"}
            assert undone <= {entry.undoes for entry in held if entry.kind == "undo"}
            assert log.verify().ok, f"seed {seed}"
            assert log.notices == ()
            good = log.backups.newest_good()
            assert good == next(iter(log.backups.all()), None)
            unsaid = {entry.id for entry in held if entry.kind != "undo"} - stored
            # two under way at most, and a merge brings what those killed before had not come to say
            assert len(unsaid) <= 2 + 10
            stored |= unsaid


def test_killed_at_work_everything_said_to_be_stored_is_there(tmp_path: Path) -> None:
    kill_and_look(tmp_path, times=5, seed=int.from_bytes(os.urandom(4)))


@pytest.mark.slow
def test_killed_a_hundred_times_everything_said_to_be_stored_is_there(tmp_path: Path) -> None:
    kill_and_look(tmp_path, times=100, seed=int.from_bytes(os.urandom(4)))


@pytest.mark.soak
def test_killed_a_thousand_times_everything_said_to_be_stored_is_there(tmp_path: Path) -> None:
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
