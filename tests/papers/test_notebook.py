"""Kept derivations: nothing written is changed, a card keeps its own, a damaged file is set aside."""

from __future__ import annotations

import sqlite3
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.text import same
from quizbank.card import DerivationDrill, Milestone
from quizbank.notebook import FILE_NAME, LONGEST, Notebook

DRILL = DerivationDrill(
    "derive-sum", same("?"), "a+a", "2*a", {"a": "real"}, (Milestone("3*a-a", same("hint")),), where={}
)  # fmt: skip
LINES = ("= 3a - a", "?= 3*a-a", "= 2a")
EVENING = int(datetime(2026, 3, 1, 23, 30, tzinfo=UTC).timestamp() * 1000)


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    with Notebook(tmp_path, UTC) as notebook:
        first = notebook.keep(DRILL, LINES, True, "card", lambda: EVENING)
        own = notebook.keep(DRILL, LINES[:1], False, clock_ms=lambda: EVENING + 5 * 3_600_000)
    with Notebook(tmp_path, UTC) as notebook:
        assert notebook.kept() == (own, first)
        assert notebook.kept("card") == (first,)
        assert notebook.kept("") == (own,)
        assert notebook.kept("another") == ()
    assert (first.key, own.key) == ("card/derive-sum", "")
    assert first.lines == LINES
    assert (first.start, first.goal, first.symbols, first.mode) == ("a+a", "2*a", {"a": "real"}, "symbolic")
    # half past four in the morning is the next day, half past eleven is not
    assert (first.day, own.day) == (date(2026, 3, 1), date(2026, 3, 2))
    assert (first.complete, own.complete) == (True, False)


def test_the_same_lines_are_kept_once(tmp_path: Path) -> None:
    with Notebook(tmp_path, UTC) as notebook:
        first = notebook.keep(DRILL, LINES, True, "card")
        assert notebook.keep(DRILL, [*LINES, " "], True, "card") == first
        notebook.keep(DRILL, LINES[:2], False, "card")
        notebook.keep(DRILL, LINES, True)
        assert len(notebook.kept()) == 3


def test_taking_one_out_changes_nothing_else(tmp_path: Path) -> None:
    with Notebook(tmp_path) as notebook:
        first, second = (notebook.keep(DRILL, LINES[: n + 1], False, "card") for n in range(2))
        notebook.remove(first.id)
        assert notebook.kept() == (second,)
        with pytest.raises(InputError):
            notebook.remove(first.id)
        with pytest.raises(InputError):
            notebook.remove("no such id")
        # it may be kept again, as another
        assert notebook.keep(DRILL, LINES[:1], False, "card").id != first.id
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        assert connection.execute("SELECT count(*) FROM derivation").fetchone() == (3,)
    connection.close()


@pytest.mark.parametrize(
    "statement", ["UPDATE derivation SET lines = '= 0'", "DELETE FROM derivation", "DELETE FROM removal"]
)
def test_the_file_refuses_changes(tmp_path: Path, statement: str) -> None:
    with Notebook(tmp_path) as notebook:
        notebook.remove(notebook.keep(DRILL, LINES, True).id)
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


def test_nothing_and_too_much_are_not_kept(tmp_path: Path) -> None:
    with Notebook(tmp_path) as notebook:
        for lines in ((), ("  ",), ("= " + "a" * LONGEST,)):
            with pytest.raises(InputError):
                notebook.keep(DRILL, lines, False)
        assert notebook.kept() == ()


def test_a_damaged_file_is_set_aside_and_what_it_holds_taken_over(tmp_path: Path) -> None:
    with Notebook(tmp_path) as notebook:
        kept = [notebook.keep(DRILL, [f"= {n}a"], False, "card") for n in range(400)]
        notebook.remove(kept[0].id)
    path = tmp_path / FILE_NAME
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with Notebook(tmp_path) as notebook:
        found = notebook.kept()
        assert notebook.notices
        assert {one.id for one in found} <= {one.id for one in kept}
        assert found
        assert kept[0].id not in {one.id for one in found}
    assert list(tmp_path.glob("derivations.damaged-*.db"))
