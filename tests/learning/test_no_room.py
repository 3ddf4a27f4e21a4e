"""A disk that takes no more: said in one line, what was stored stays, and there is a way on once there is room."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC
from pathlib import Path

import pytest

from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Rating
from quizbank.sqlite_faults import words_for

ROOT = Path(__file__).parent.parent.parent
resource = pytest.importorskip("resource", reason="this system bounds no file's size")

# no file may grow beyond so many bytes: to SQLite this is a write that fails in its middle
AT_THE_LIMIT = """
import resource, shutil, sys
from pathlib import Path
import fsrs
from engine.errors import InputError
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating

folder, limit, free = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
if free >= 0:
    shutil.disk_usage = lambda folder: shutil._ntuple_diskusage(10**9, 10**9 - free, free)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    with ReviewLog(folder) as log:
        for number in range(4000):
            print("stored", log.grade(f"card {number % 40}", Rating.GOOD).id, flush=True)
except InputError as error:
    sys.exit(error.line("en"))
"""


def at_the_limit(folder: Path, limit: int, free: int = -1) -> tuple[list[str], str]:
    """The ids said to be stored, and the line it ended with."""
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_LIMIT, str(folder), str(limit), str(free)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    (line,) = done.stderr.splitlines()
    return [said.split()[1] for said in done.stdout.splitlines()], line


def test_a_write_that_fails_in_its_middle_takes_back_nothing_that_was_said_to_be_stored(
    tmp_path: Path,
) -> None:
    said, line = at_the_limit(tmp_path, 400_000)
    assert len(said) > 5
    assert f"{tmp_path / FILE_NAME}: the disk reports a fault on the review log" in line
    with ReviewLog(tmp_path, zone=UTC) as log:
        assert log.notices == ()
        assert [entry.id for entry in log.entries()][: len(said)] == said
        assert len(log.entries()) <= len(said) + 1
        assert log.verify().ok
        log.grade("with room again", Rating.GOOD)
        assert log.verify().ok


def test_a_disk_so_full_that_the_log_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, zone=UTC) as log:
        stored = log.grade("card", Rating.GOOD)
    held = (tmp_path / FILE_NAME).read_bytes()
    said, line = at_the_limit(tmp_path, 0, free=0)
    assert said == []
    assert "the disk is full" in line
    assert "make room" in line
    assert (tmp_path / FILE_NAME).read_bytes() == held
    with ReviewLog(tmp_path, zone=UTC) as log:
        assert log.notices == ()
        assert log.entries() == [stored]


@pytest.mark.parametrize(("free", "full"), [(0, True), (32_768, True), (10**9, False)])
def test_a_fault_of_the_disk_is_not_called_full_where_there_is_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, full: bool
) -> None:
    found = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: found._replace(free=free))
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR | 19 << 8
    said = words_for(error, tmp_path)
    assert ("the disk is full" in said.en) is full
    assert ("磁盘已满" in said.zh) is full
