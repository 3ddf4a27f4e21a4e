"""A file or folder that cannot be used: set aside or refused in words, and nothing lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import UTC
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.text import Text
from quizbank.database import Database, Schema
from quizbank.learning.exchange import merge
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.log_schema import schema
from quizbank.learning.marks import all_marks
from quizbank.learning.memory import Rating

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC


def raw(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / FILE_NAME, isolation_level=None)


def written(folder: Path, count: int) -> Path:
    with ReviewLog(folder) as log:
        for number in range(count):
            log.grade(f"card {number % 40}", Rating.GOOD, NOON + number * 60_000)
    return folder / FILE_NAME


def set_aside(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if ".damaged-" in path.name)


@pytest.mark.parametrize(
    "content",
    [b"not a database\n" * 100, b"\x00" * 4096, b"SQLite format 3\x00" + b"\xff" * 4080],
    ids=["text", "zeros", "broken header"],
)
def test_a_file_that_cannot_be_read_is_set_aside_whole(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with ReviewLog(tmp_path) as log:
        assert len(log.notices) == 1
        notice = log.notices[0]
        kept = set_aside(tmp_path)
        assert [path.read_bytes() for path in kept] == [content]
        assert kept[0].name in notice.en
        assert kept[0].name in notice.zh
        log.grade("card", Rating.GOOD, NOON)
        assert log.verify().ok
    with ReviewLog(tmp_path) as log:
        assert log.notices == ()
        assert len(log.entries()) == 1


def test_an_empty_file_is_a_new_log(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    with ReviewLog(tmp_path) as log:
        assert log.notices == ()
        log.grade("card", Rating.GOOD, NOON)


def test_an_emptied_file_is_set_aside_and_the_copy_there_is_offered(tmp_path: Path) -> None:
    path = written(tmp_path, 5)
    with ReviewLog(tmp_path) as log:
        held = log.entries()
        backup = log.back_up(NOON)
    path.write_bytes(b"")
    os.utime(path, (0, 0))
    with ReviewLog(tmp_path) as log:
        lost, offered = log.notices
        assert [kept.stat().st_size for kept in set_aside(tmp_path)] == [0]
        assert set_aside(tmp_path)[0].name in lost.zh
        assert "5 entries: proofdeck log restore" in offered.en
        assert backup is not None
        merge(log, [backup.path])
        assert log.entries() == held


def test_what_stands_in_the_log_beside_an_emptied_file_is_taken_over(tmp_path: Path) -> None:
    emptied = tmp_path / "emptied"
    emptied.mkdir()
    with ReviewLog(tmp_path / "whole") as log:
        for number in range(3):
            log.grade(f"card {number}", Rating.GOOD, NOON + number)
        held = log.entries()
        ahead = f"{FILE_NAME}-wal"
        (emptied / ahead).write_bytes((tmp_path / "whole" / ahead).read_bytes())
    (emptied / FILE_NAME).touch()
    with ReviewLog(emptied) as log:
        assert "3 entries could be taken over" in log.notices[0].en
        assert log.entries() == held
        assert log.verify().ok
    assert len(set_aside(emptied)) == 2


def test_a_database_of_another_program_is_set_aside(tmp_path: Path) -> None:
    with raw(tmp_path) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
        other.execute("INSERT INTO bookmarks VALUES ('kept')")
    other.close()
    with ReviewLog(tmp_path) as log:
        assert "another program" in log.notices[0].en
        log.grade("card", Rating.GOOD, NOON)
    kept = sqlite3.connect(set_aside(tmp_path)[0])
    assert kept.execute("SELECT url FROM bookmarks").fetchall() == [("kept",)]
    kept.close()


def test_what_a_damaged_log_still_yields_is_taken_over(tmp_path: Path) -> None:
    """The page that holds the schedule is overwritten: every review is still in the file."""
    path = written(tmp_path, 200)
    with ReviewLog(tmp_path) as log:
        expected, memories = log.entries(), log.memories()
    connection = raw(tmp_path)
    root, size = connection.execute(
        "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'schedule'"
    ).fetchone()
    connection.close()
    damaged = bytearray(path.read_bytes())
    damaged[(root - 1) * size : root * size] = os.urandom(size)
    path.write_bytes(damaged)
    with ReviewLog(tmp_path) as log:
        assert "200" in log.notices[0].en
        assert log.entries() == expected
        assert log.memories() == memories
        assert log.verify().ok
    assert set_aside(tmp_path)[0].read_bytes() == bytes(damaged)


def test_a_truncated_log_yields_what_is_left(tmp_path: Path) -> None:
    path = written(tmp_path, 400)
    with ReviewLog(tmp_path) as log:
        expected = log.entries()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with ReviewLog(tmp_path) as log:
        taken = log.entries()
        assert len(taken) > 100
        assert taken == [entry for entry in expected if entry in taken]
        assert f"{len(taken)} entries" in log.notices[0].en
        log.grade("card", Rating.GOOD, NOON)
        assert log.verify().ok
    assert set_aside(tmp_path)[0].read_bytes() == whole[: len(whole) // 2]


@pytest.mark.parametrize(
    ("found", "instead"),
    [
        (b'"phase":"learning"', b'"phase"}"learning"'),
        (b'"lapses"', b'"l\x01pses"'),
        (b'"lapses"', b'"l4pses"'),
        (b'"last_day":"2026-01', b'"last_day":"2026-91'),
    ],
)
def test_a_text_changed_by_the_disk_is_damage_and_what_else_is_there_is_kept(
    tmp_path: Path, found: bytes, instead: bytes
) -> None:
    path = written(tmp_path, 40)
    with closing(raw(tmp_path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    assert found in content
    path.write_bytes(content.replace(found, instead, 1))
    with ReviewLog(tmp_path, zone=UTC) as log:
        held = log.entries()
        all_marks(log)
        log.grade("another", Rating.GOOD, NOON)
        assert len(held) >= 39
        assert log.verify().ok
    assert len(set_aside(tmp_path)) == 1


def test_a_name_of_a_table_changed_by_the_disk_is_damage(tmp_path: Path) -> None:
    path = written(tmp_path, 5)
    with closing(raw(tmp_path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(path.read_bytes().replace(b"CREATE INDEX entry_of", b"CREATE INDEX \xda\x90try_of", 1))
    with ReviewLog(tmp_path, zone=UTC) as log:
        log.grade("another", Rating.GOOD, NOON)
        assert log.verify().ok
    assert len(set_aside(tmp_path)) == 1


def test_damage_found_while_studying_loses_no_answer(tmp_path: Path) -> None:
    written(tmp_path, 200)
    with ReviewLog(tmp_path) as log:
        log.grade("before", Rating.GOOD, NOON)
        other = raw(tmp_path)
        other.execute(
            "UPDATE derived SET value = value"
        )  # another process wrote: cached pages are read again
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        path = tmp_path / FILE_NAME
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(os.urandom(path.stat().st_size - 4096))
        stored = log.grade("after", Rating.GOOD, NOON)
        assert stored in log.entries()
        assert log.verify().ok
        assert len(log.notices) == 1
    other.close()
    assert set_aside(tmp_path)


def test_a_file_removed_while_studying_is_made_again(tmp_path: Path) -> None:
    with ReviewLog(tmp_path) as log:
        log.grade("lost with the file", Rating.GOOD, NOON)
        for path in tmp_path.iterdir():
            path.unlink()
        stored = log.grade("card", Rating.GOOD, NOON)
        assert "removed" in log.notices[0].en
    with ReviewLog(tmp_path) as log:
        assert log.entries() == [stored]


def test_a_log_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path, 3)
    with raw(tmp_path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="newer version"):
        ReviewLog(tmp_path)
    assert path.read_bytes() == before
    assert not set_aside(tmp_path)


def test_a_folder_in_place_of_the_file_or_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(InputError) as found:
        ReviewLog(tmp_path)
    assert found.value.where.endswith(FILE_NAME)
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InputError, match="data folder"):
        ReviewLog(tmp_path / "taken" / "deeper")


def test_a_lock_held_too_long_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    with ReviewLog(tmp_path, busy_ms=30) as log:
        log.grade("card", Rating.GOOD, NOON)
        other = raw(tmp_path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match="locked"):
            log.grade("card", Rating.GOOD, NOON + 1)
        assert len(log.entries()) == 1
        other.execute("ROLLBACK")
        other.close()
        log.grade("card", Rating.GOOD, NOON + 1)
        assert len(log.entries()) == 2
        assert log.verify().ok


def test_a_full_disk_is_said_and_what_was_stored_is_safe(tmp_path: Path) -> None:
    with ReviewLog(tmp_path) as log:
        log.grade("card", Rating.GOOD, NOON)

        def no_room(connection: sqlite3.Connection) -> None:
            connection.execute("PRAGMA max_page_count = 1")

        log._database.read(no_room)
        stored = 1
        with pytest.raises(InputError, match="disk is full"):  # noqa: PT012
            for number in range(1000):
                log.grade(f"card {number}", Rating.GOOD, NOON)
                stored += 1
        assert len(log.entries()) == stored
        assert log.verify().ok


READ_ONLY = """
import os, sys
from pathlib import Path
import fsrs
from engine.errors import InputError
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
if os.geteuid() == 0:
    os.setuid(65534)  # permissions do not bind root
try:
    with ReviewLog(Path(sys.argv[1])) as log:
        log.grade("card", Rating.GOOD)
except InputError as error:
    print(error.line("en"))
    sys.exit(2)
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folder permissions are those of POSIX")
@pytest.mark.parametrize("made_before", [True, False], ids=["file there", "no file"])
def test_a_read_only_folder_is_said_in_one_line(made_before: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        folder.mkdir()
        if made_before:
            written(folder, 2)
            (folder / FILE_NAME).chmod(0o444)
        held = {path.name: path.read_bytes() for path in folder.iterdir()}
        Path(name).chmod(0o755)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(folder)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2, done.stderr
        assert done.stderr == ""
        assert len(done.stdout.splitlines()) == 1
        assert "review log" in done.stdout or "data folder" in done.stdout
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == held
        folder.chmod(0o755)


def migrations(count: int) -> tuple[tuple[str, ...], ...]:
    first = ("CREATE TABLE note (text TEXT NOT NULL) STRICT", "INSERT INTO note VALUES ('kept')")
    later = [
        (f"ALTER TABLE note ADD COLUMN c{number} TEXT NOT NULL DEFAULT ''",) for number in range(1, count)
    ]
    return (first, *later)


NAME = Text("notebook", "笔记")


def test_a_file_migrates_version_by_version_and_keeps_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    for count in (1, 2, 4):
        with Database(path, Schema(77, NAME, migrations(count))) as database:
            row = database.read(lambda connection: connection.execute("SELECT * FROM note").fetchall())
            assert row == [("kept", *[""] * (count - 1))]


def test_a_migration_that_fails_leaves_the_old_version(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    with Database(path, Schema(77, NAME, migrations(2))):
        pass
    broken = (*migrations(3), ("ALTER TABLE note ADD COLUMN c9 TEXT", "this is no SQL"))
    with pytest.raises(InputError, match="notebook"):
        Database(path, Schema(77, NAME, broken))
    with Database(path, Schema(77, NAME, migrations(2))) as database:
        columns = database.read(lambda connection: connection.execute("SELECT * FROM note").fetchone())
        assert columns == ("kept", "")


FIXTURES = Path(__file__).parent.parent / "data"


PRESENT = schema().version


@pytest.mark.parametrize("version", range(1, PRESENT + 1))
def test_a_log_of_every_version_opens_with_its_reviews(tmp_path: Path, version: int) -> None:
    connection = raw(tmp_path)
    connection.executescript((FIXTURES / f"reviews_v{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    with ReviewLog(tmp_path, zone=UTC) as log:
        assert log.notices == ()
        held = log.entries()
        graded = {entry.id for entry in held if entry.kind == "grade"}
        grades = [entry.card for entry in held if graded & {entry.id, entry.undoes}]
        assert grades == ["sqrt-dk", "causal-mask", "sqrt-dk", "causal-mask", "causal-mask"]
        brought = {"causal-mask", "never-studied"} if version >= 2 else set()
        assert {card for card, memory in log.memories().items() if memory.wanted_day} == brought
        put_off = {"causal-mask", "sqrt-dk"} if version >= 3 else set()
        assert log.put_off(NOON + 86_400_000) == put_off
        marks = all_marks(log)
        assert set(marks) == ({"sqrt-dk", "causal-mask"} if version >= 4 else set())
        if version >= 4:
            assert marks["sqrt-dk"].bookmarked
            assert marks["sqrt-dk"].note == "方差是 d_k，不是 √d_k。\nSay it with a number."
            assert [report.text for report in marks["causal-mask"].reports] == [
                "The figure shows row 3, the text row 4."
            ]
        if version < PRESENT:
            # as it was before its tables changed
            (backup,) = log.backups.all()
            assert backup.entries == len(log.entries())
            with closing(sqlite3.connect(backup.path)) as copied:
                assert copied.execute("PRAGMA user_version").fetchone() == (version,)
        else:
            assert log.backups.all() == ()
        assert log.memory("sqrt-dk").reps == 2
        assert log.memory("causal-mask").reps == 1
        log.grade("sqrt-dk", Rating.GOOD, NOON + 3 * 86_400_000)
        assert log.verify().ok


def test_a_damaged_log_of_an_earlier_version_yields_what_is_left(tmp_path: Path) -> None:
    """Its table cannot be given the columns of today, as not every row can be read."""
    path = tmp_path / FILE_NAME
    connection = raw(tmp_path)
    connection.executescript((FIXTURES / "reviews_v3.sql").read_text(encoding="utf-8"))
    connection.execute(
        """
        WITH RECURSIVE number(n) AS (VALUES (100) UNION ALL SELECT n + 1 FROM number WHERE n < 1099)
        INSERT INTO entry SELECT n, printf('019b9254-a720-7168-a7d5-%012d', n), kind, 'card ' || n, at_ms, order_ms, day,
            rating, thinking_ms, grading_ms, before, after, interval_ms, undoes FROM entry, number WHERE seq = 1
        """
    )
    connection.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with ReviewLog(tmp_path, zone=UTC) as log:
        taken = log.entries()
        assert 100 < len(taken) < 1011
        assert f"{len(taken)} entries" in log.notices[0].en
        assert {entry.text for entry in taken} == {None}
        log.mark("note", "card 100", "still there")
        assert log.verify().ok
