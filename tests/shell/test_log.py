"""`proofdeck log` as a person and a script meet it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from quizbank.learning.entry import Entry
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Rating
from tests.shell.test_calls import Capture, call
from tui.shell.log import _MENDED

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000


def reviewed(folder: Path, count: int = 8, first: int = 0) -> list[Entry]:
    with ReviewLog(folder) as log:
        for number in range(first, first + count):
            log.grade(f"card-{number % 3}", Rating(1 + number % 4), NOON + number * DAY)
        return log.entries()


def held(folder: Path) -> list[Entry]:
    with ReviewLog(folder) as log:
        return log.entries()


def test_without_a_log_nothing_is_made(capsys: Capture, home: Path) -> None:
    status, out, err = call(capsys, "log", "check")
    assert (status, out) == (0, "")
    assert "no reviews" in err
    assert json.loads(call(capsys, "log", "check", "--json")[1])["ok"] is True
    assert call(capsys, "log", "export")[:2] == (0, "")
    assert call(capsys, "log", "undo")[0] == 2
    assert call(capsys, "log", "restore", "--list")[:2] == (0, "")
    assert call(capsys, "log", "restore")[0] == 2
    assert not list(home.glob("*.db"))


AS_NOBODY = """
import os, sys
import urllib.parse  # of what nobody may not read, what pathlib asks for late
from tui.cli import main
main(["log", "export", "--force", "-o", sys.argv[2]])  # imports what nobody may not read
os.environ["PROOFDECK_HOME"] = sys.argv[1]
if os.geteuid() == 0:
    os.setuid(65534)  # permissions do not bind root
sys.exit(main(["log", "export", "--lang", "en"]))
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folder permissions are those of POSIX")
def test_a_log_in_a_read_only_folder_is_exported_with_its_latest_entries() -> None:
    with tempfile.TemporaryDirectory() as name:
        there = Path(name) / "there"
        there.mkdir()
        with ReviewLog(Path(name) / "here") as log:
            log.grade("card", Rating.GOOD, NOON)
            # as on a disk taken out of a machine that stopped: the reviews stand in the write-ahead log still
            for suffix in ("", "-wal"):
                shutil.copyfile(f"{log.path}{suffix}", there / f"{FILE_NAME}{suffix}")
        before = {path.name: path.read_bytes() for path in there.iterdir()}

        def exported() -> tuple[int, list[str], str]:
            done = subprocess.run(
                [sys.executable, "-c", AS_NOBODY, str(there), f"{name}/out.jsonl"],
                env={**os.environ, "PROOFDECK_HOME": str(Path(name) / "here")},
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout.splitlines(), done.stderr

        Path(name).chmod(0o755)
        there.chmod(0o555)
        status, lines, told = exported()
        assert (status, [json.loads(line)["card"] for line in lines]) == (0, ["card"]), told
        assert "may not be written here" in told
        assert {path.name: path.read_bytes() for path in there.iterdir()} == before
        # what cannot be read is said
        there.chmod(0o755)
        (there / f"{FILE_NAME}-wal").unlink()
        (there / FILE_NAME).write_bytes(b"not a database" * 99)
        there.chmod(0o555)
        status, lines, told = exported()
        assert (status, lines) == (2, [])
        assert FILE_NAME in told
        assert "Traceback" not in told
        there.chmod(0o755)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_check_says_whether_the_schedule_is_the_replay(capsys: Capture, home: Path, language: str) -> None:
    reviewed(home)
    status, out, err = call(capsys, "log", "check", "--lang", language)
    assert (status, err) == (0, "")
    assert "8" in out
    with closing(sqlite3.connect(home / FILE_NAME)) as connection:
        connection.execute("UPDATE schedule SET stability = stability * 2 WHERE card = 'card-1'")
        connection.commit()
    status, out, _ = call(capsys, "log", "check", "--lang", language)
    assert status == 1
    assert out.startswith("card-1")
    assert len(out.splitlines()) == 1
    status, out, _ = call(capsys, "log", "check", "--json")
    document = json.loads(out)
    assert status == 1
    assert (document["ok"], document["entries"], document["cards"]) == (False, 8, 3)
    (difference,) = document["differences"]
    assert difference["scheduled"]["stability"] == 2 * difference["replayed"]["stability"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_check_mends_a_schedule_and_an_index_that_do_not_fit_the_entries(
    capsys: Capture, home: Path, language: str
) -> None:
    reviewed(home)
    index = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'entry_of_card'"
    with closing(sqlite3.connect(home / FILE_NAME, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(index, ("id)", "id) WHERE 0"))
    # what is written now does not reach the index
    reviewed(home, 3, first=8)
    with closing(sqlite3.connect(home / FILE_NAME, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(index, ("id) WHERE 0", "id)"))
        connection.execute("UPDATE schedule SET stability = stability * 2 WHERE card = 'card-1'")
    entries = held(home)
    status, out, err = call(capsys, "log", "check", "--lang", language)
    assert status == 1
    assert "missing from index entry_of_card" in out
    assert "log check --mend" in err
    status, out, err = call(capsys, "log", "check", "--mend", "--lang", language)
    assert status == 0
    assert "11" in out
    assert err.splitlines() == [_MENDED.of(language)]  # type: ignore[arg-type]
    assert call(capsys, "log", "check", "--lang", language)[::2] == (0, "")
    assert held(home) == entries
    with ReviewLog(home) as log:
        assert [backup.entries for backup in log.backups.all()] == [11]


def test_what_a_file_with_a_damaged_page_yields_is_taken_over_on_demand(
    capsys: Capture, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as of a file too long to be checked whole at every opening
    monkeypatch.setattr("quizbank.database.CHECKED_AT_OPENING", 0)
    entries = reviewed(home)
    with closing(sqlite3.connect(home / FILE_NAME)) as connection:
        root, size = connection.execute(
            "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'entry_marks'"
        ).fetchone()
    with (home / FILE_NAME).open("r+b") as file:
        # the count of stray bytes in the page's header: no query stumbles over it
        file.seek((root - 1) * size + 7)
        file.write(b"\x05")
    status, out, err = call(capsys, "log", "check")
    assert status == 1
    assert "the file is damaged" in out
    assert "log check --mend" in err
    status, out, err = call(capsys, "log", "check", "--mend")
    assert "8 entries could be taken over" in err
    assert "set aside" in out
    assert call(capsys, "log", "check")[0] == 0
    assert held(home) == entries


def test_check_of_a_damaged_file_is_a_failure_that_names_what_was_kept(capsys: Capture, home: Path) -> None:
    reviewed(home)
    with ReviewLog(home) as log:
        log.back_up(NOON)
    (home / FILE_NAME).write_bytes(b"no database\n" * 50)
    status, out, err = call(capsys, "log", "check")
    assert status == 1
    assert ".damaged-" in out
    assert "proofdeck log restore" in err
    assert call(capsys, "log", "check")[0] == 0
    status, out, err = call(capsys, "log", "restore")
    assert (status, out) == (0, "")
    assert "8 entries added" in err
    assert len(held(home)) == 8
    assert call(capsys, "log", "check")[0] == 0


def test_an_export_is_imported_elsewhere_and_again(
    capsys: Capture, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = reviewed(home)
    status, out, err = call(capsys, "log", "export")
    assert status == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == sorted(entry.id for entry in entries)
    assert "8 entries" in err
    path = tmp_path / "reviews.jsonl"
    assert call(capsys, "log", "export", "-o", str(path))[0] == 0
    assert path.read_text(encoding="utf-8") == out
    assert call(capsys, "log", "export", "-o", str(path))[0] == 2
    assert call(capsys, "log", "export", "-o", str(path), "--force")[0] == 0
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["reviews.jsonl"]
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path / "elsewhere"))
    assert "8 entries added, 0 were" in call(capsys, "log", "import", str(path))[2]
    assert "0 entries added, 8 were" in call(capsys, "log", "import", str(path))[2]
    assert call(capsys, "log", "export")[1] == out


def test_a_faulty_import_names_every_line_and_takes_nothing(
    capsys: Capture, home: Path, tmp_path: Path
) -> None:
    reviewed(home)
    lines = call(capsys, "log", "export")[1].splitlines()
    path = tmp_path / "in.jsonl"
    fresh = lines[1].replace(json.loads(lines[1])["id"], "00000000-0000-7000-8000-000000000000")
    path.write_text("\n".join((lines[0], "{}", fresh, "\x1b[2J")), encoding="utf-8")
    for language in ("en", "zh"):
        status, out, err = call(capsys, "log", "import", str(path), "--lang", language)
        assert (status, out) == (2, "")
        assert [line.split(": ")[0].partition("：")[0] for line in err.splitlines()[:2]] == [
            f"{path}:2", f"{path}:4",
        ]  # fmt: skip
        assert "\x1b" not in err
        # a file taken by mistake is told of once
        status, _, err = call(capsys, "log", "merge", __file__, "--lang", language)
        said, _ = err.splitlines()
        assert status == 2
        assert said.startswith(f"{__file__}:1")
        assert {"en": "no export of a review log", "zh": "不是复习记录的导出文件"}[language] in said
    assert len(held(home)) == 8


def test_two_machines_merge_into_the_same(
    capsys: Capture, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = tmp_path / "laptop"
    reviewed(home)
    reviewed(laptop, first=100)
    assert "8 entries added" in call(capsys, "log", "merge", str(laptop / FILE_NAME))[2]
    here = call(capsys, "log", "export")[1]
    monkeypatch.setenv("PROOFDECK_HOME", str(laptop))
    assert "8 entries added" in call(capsys, "log", "merge", str(home / FILE_NAME))[2]
    assert call(capsys, "log", "export")[1] == here
    assert call(capsys, "log", "check")[0] == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_undo_takes_back_the_latest_review_and_then_the_one_before(
    capsys: Capture, home: Path, language: str
) -> None:
    entries = reviewed(home)
    for expected in reversed(entries[-3:]):
        status, out, err = call(capsys, "log", "undo", "--lang", language)
        assert (status, err) == (0, "")
        assert expected.id in out
        assert expected.card in out
    status, out, _ = call(capsys, "log", "undo", entries[0].id[:20])
    assert entries[0].id in out
    assert [entry.undoes for entry in held(home)[8:]] == [
        entry.id for entry in (*reversed(entries[-3:]), entries[0])
    ]
    # it was taken back already
    assert call(capsys, "log", "undo", entries[0].id)[0] == 2
    assert call(capsys, "log", "undo", "%")[0] == 2
    assert call(capsys, "log", "undo", "%%%%")[0] == 2
    assert call(capsys, "log", "check")[0] == 0


def test_a_backup_is_restored_by_its_name_or_path(capsys: Capture, home: Path) -> None:
    reviewed(home)
    with ReviewLog(home) as log:
        made = log.back_up(NOON)
        fresh = log.grade("fresh", Rating.GOOD, NOON + 40 * DAY)
    listed = call(capsys, "log", "restore", "--list")[1]
    assert listed.startswith(str(made.path))
    assert "2026-01-05 08:00 UTC" in listed
    for name in (made.path.name, str(made.path)):
        assert call(capsys, "log", "restore", name)[0] == 0
        # what came after the backup stays
        assert fresh in held(home)
    assert call(capsys, "log", "restore", "no-such.db")[0] == 2


def test_every_call_explains_itself_in_both_languages(capsys: Capture) -> None:
    for language in ("en", "zh"):
        _, listed, _ = call(capsys, "log", "--help", "--lang", language)
        for name in ("check", "export", "import", "merge", "undo", "restore"):
            assert f"  {name} " in listed
            assert call(capsys, "log", name, "--help", "--lang", language)[0] == 0
    assert call(capsys, "log", "no-such-call")[0] == 2
