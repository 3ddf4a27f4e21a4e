"""Copies of the log: taken while one studies, thinned out, offered after a loss, and never in the way."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import threading
import time
from collections import namedtuple
from contextlib import closing
from datetime import UTC, date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizbank.learning.backup import DAYS, FOLDER_NAME, LATEST, MONTHS, WEEKS, Backup, kept, moment, reachable
from quizbank.learning.exchange import merge
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Rating

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000


@pytest.fixture
def log(tmp_path: Path):
    with ReviewLog(tmp_path, zone=UTC) as log:
        yield log


def ids(log: ReviewLog) -> set[str]:
    return {entry.id for entry in log.entries()}


def test_one_copy_a_day_where_something_was_done(log: ReviewLog) -> None:
    assert log.back_up(NOON, daily=True) is None
    assert not log.backups.folder.exists()
    log.grade("card", Rating.GOOD, NOON)
    first = log.back_up(NOON, daily=True)
    assert first == log.backups.newest_good()
    assert first.path.name == "reviews-20260105T080000Z-1.db"
    log.grade("card", Rating.GOOD, NOON + 60_000)
    assert log.back_up(NOON + DAY // 2, daily=True) is None
    second = log.back_up(NOON + DAY, daily=True)
    assert second.entries == 2
    # nothing was done since
    assert log.back_up(NOON + 2 * DAY, daily=True) is None
    assert log.back_up(NOON + 2 * DAY) is None
    assert log.notices == ()


def test_a_copy_is_the_whole_log_in_one_sound_file(log: ReviewLog, tmp_path: Path) -> None:
    for number in range(30):
        log.grade(f"card {number % 7}", Rating(1 + number % 4), NOON + number * 60_000)
    made = log.back_up(NOON + DAY)
    assert [path.name for path in log.backups.folder.iterdir()] == [made.path.name]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copyfile(made.path, elsewhere / FILE_NAME)
    with ReviewLog(elsewhere, zone=UTC) as copied:
        assert copied.entries() == log.entries()
        assert copied.memories() == log.memories()
        assert copied.verify().ok


def test_a_copy_taken_under_a_wrong_clock_does_not_stop_those_that_follow(log: ReviewLog) -> None:
    log.grade("card", Rating.GOOD, NOON)
    log.back_up(NOON + 900 * DAY)
    log.grade("card", Rating.GOOD, NOON + DAY)
    assert log.back_up(NOON + DAY, daily=True) is not None


moments = st.lists(st.integers(0, 800 * DAY), max_size=60, unique=True)


@given(moments=moments, entries=st.data())
def test_copies_are_thinned_out_as_they_age(moments: list[int], entries: st.DataObject) -> None:
    found = [
        Backup(Path(f"{at}"), NOON + at, entries.draw(st.integers(1, 9)))
        for at in sorted(moments)
    ]  # fmt: skip

    def day_of(backup: Backup) -> date:
        return date(2026, 1, 5) + timedelta(days=(backup.at_ms - NOON) // DAY)

    needed = kept(found, day_of)
    assert len(needed) <= LATEST + DAYS + WEEKS + MONTHS + 1
    assert needed <= set(found)
    if found:
        # the newest stays, and so does what a log begun anew would push out
        assert set(found[-LATEST:]) <= needed
        assert max(backup.entries for backup in found) == max(backup.entries for backup in needed)
    days = sorted({day_of(backup) for backup in found})[-DAYS:]
    assert {day_of(backup) for backup in needed} >= set(days)
    for period, count in (
        (lambda day: day.isocalendar()[:2], WEEKS),
        (lambda day: (day.year, day.month), MONTHS),
    ):
        latest = sorted({period(day_of(backup)) for backup in found})[-count:]
        assert {period(day_of(backup)) for backup in needed} >= set(latest)
    # thinning out is done once: what is kept is kept again
    assert kept(needed, day_of) == needed


def test_a_year_of_days_keeps_days_weeks_and_months(log: ReviewLog) -> None:
    for day in range(60):
        log.grade("card", Rating.GOOD, NOON + day * DAY)
        log.back_up(NOON + day * DAY, daily=True)
    dates = [moment(backup.at_ms)[:10] for backup in log.backups.all()]
    assert dates == [
        "2026-03-05", "2026-03-04", "2026-03-03", "2026-03-02", "2026-03-01", "2026-02-28", "2026-02-27",
        "2026-02-22", "2026-02-15", "2026-01-31",
    ]  # fmt: skip


def test_a_damaged_log_is_offered_its_newest_good_copy_and_loses_nothing_more(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, zone=UTC) as log:
        for number in range(40):
            log.grade(f"card {number % 9}", Rating.GOOD, NOON + number * 60_000)
        good = log.back_up(NOON)
        copied = ids(log)
        log.grade("later", Rating.GOOD, NOON + DAY)
        bad = log.back_up(NOON + DAY)
        memories = log.memories()
    bad.path.write_bytes(bad.path.read_bytes()[:5000] + os.urandom(3000))
    (tmp_path / FILE_NAME).write_bytes(b"not a database\n" * 100)
    with ReviewLog(tmp_path, zone=UTC) as log:
        assert len(log.notices) == 2
        assert "proofdeck log restore" in log.notices[1].en
        assert "proofdeck log restore" in log.notices[1].zh
        assert "40" in log.notices[1].en
        fresh = log.grade("card 3", Rating.HARD, NOON + 2 * DAY)
        assert log.backups.newest_good() == good
        assert merge(log, [good.path]).new == 40
        assert ids(log) == {fresh.id} | copied
        assert log.memory("card 4") == memories["card 4"]
        assert log.verify().ok
    assert (tmp_path / FOLDER_NAME / bad.path.name).exists()


def test_a_log_that_is_gone_is_offered_its_copy(tmp_path: Path) -> None:
    with ReviewLog(tmp_path) as log:
        log.grade("card", Rating.GOOD, NOON)
        log.back_up(NOON)
    for path in tmp_path.glob(FILE_NAME + "*"):
        path.unlink()
    with ReviewLog(tmp_path) as log:
        assert ["proofdeck log restore" in notice.en for notice in log.notices] == [True]


def test_a_copy_of_nothing_is_not_offered(tmp_path: Path) -> None:
    with ReviewLog(tmp_path) as log, reachable(log.path) as source:
        # as a migration makes one before it changes an empty log
        log.backups.make(source, NOON)
    with ReviewLog(tmp_path) as log:
        assert log.backups.all()
        assert log.notices == ()


def test_damage_is_never_copied_over_good_copies(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, zone=UTC) as log:
        for number in range(400):
            log.grade(f"card {number}", Rating.GOOD, NOON + number)
        good = log.back_up(NOON)
        log.grade("card", Rating.GOOD, NOON + DAY)
    path = tmp_path / FILE_NAME
    with closing(sqlite3.connect(path)) as connection:
        root, size = connection.execute(
            "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'entry_of_card'"
        ).fetchone()
    damaged = bytearray(path.read_bytes())
    damaged[(root - 1) * size : root * size] = bytes(size)
    with ReviewLog(tmp_path, zone=UTC) as log:
        path.write_bytes(damaged)
        assert log.back_up(NOON + DAY) is None
        assert "no backup" in log.notices[-1].en
        assert log.backups.all() == (good,)
        assert [path.name for path in log.backups.folder.iterdir()] == [good.path.name]


def test_reviews_go_on_while_a_copy_is_taken(log: ReviewLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copier that holds its state of the log for as long as it likes; the review does not wait for it."""
    log.grade("card", Rating.GOOD, NOON)
    from quizbank.learning import backup

    copying, graded = threading.Event(), threading.Event()
    usual = backup.copy

    def slow(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM entry").fetchone()
        copying.set()
        assert graded.wait(30)
        usual(source, target)
        source.execute("COMMIT")

    monkeypatch.setattr(backup, "copy", slow)
    copier = threading.Thread(target=log.back_up, args=(NOON,))
    copier.start()
    assert copying.wait(30)
    log.grade("card", Rating.GOOD, NOON + 60_000)
    graded.set()
    copier.join()
    assert log.notices == ()
    # the state it began with
    assert [one.entries for one in log.backups.all()] == [1]


def test_no_room_for_a_copy_is_a_notice_and_reviews_go_on(
    log: ReviewLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.grade("card", Rating.GOOD, NOON)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9, 10**6))
    assert log.back_up(NOON) is None
    assert "disk is nearly full" in log.notices[0].en
    assert list(log.backups.folder.iterdir()) == []
    log.grade("card", Rating.GOOD, NOON + 1)
    assert log.verify().ok


def test_a_disk_that_fills_up_while_copying_leaves_nothing_behind(
    log: ReviewLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.grade("card", Rating.GOOD, NOON)
    from quizbank.learning import backup

    def full(_source: sqlite3.Connection, target: sqlite3.Connection) -> None:
        target.execute("CREATE TABLE half (way INTEGER)")
        target.execute("PRAGMA max_page_count = 2")
        target.execute("INSERT INTO half SELECT value FROM json_each(?)", ("[" + "1," * 9999 + "1]",))

    monkeypatch.setattr(backup, "copy", full)
    assert log.back_up(NOON) is None
    assert "full" in log.notices[0].en
    assert list(log.backups.folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_notice(log: ReviewLog) -> None:
    log.grade("card", Rating.GOOD, NOON)
    log.backups.folder.write_text("a file in its place", encoding="utf-8")
    assert log.back_up(NOON, daily=True) is None
    assert "no backup" in log.notices[0].en
    assert log.backups.all() == ()
    log.grade("card", Rating.GOOD, NOON + 1)


def test_what_a_killed_program_left_is_swept_away_in_time(log: ReviewLog) -> None:
    log.grade("card", Rating.GOOD, NOON)
    log.backups.folder.mkdir()
    old, young, foreign = (
        log.backups.folder / name for name in (".reviews-1-a.partial", ".reviews-2-b.partial", "notes.txt")
    )
    for path in (old, young, foreign):
        path.touch()
    os.utime(old, (0, time.time() - 7200))
    made = log.back_up(NOON)
    assert set(log.backups.folder.iterdir()) == {young, foreign, made.path}


def study(folder: str, name: str, count: int) -> None:
    with ReviewLog(Path(folder), busy_ms=30_000) as log:
        for number in range(count):
            log.grade("shared" if number % 3 else f"{name} {number}", Rating.GOOD)
            if number % 10 == 5:
                log.back_up()


def test_two_processes_at_once_keep_all_reviews(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=study, args=(str(tmp_path), name, 30)) for name in ("one", "two")]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    with ReviewLog(tmp_path) as log:
        assert len(log.entries()) == 60
        assert log.memory("shared").reps == 40
        assert log.verify().ok
        assert log.backups.newest_good() is not None
