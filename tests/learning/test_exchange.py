"""Export, import and merge: the same entries make the same log, and nothing is taken on trust."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.learning.day import local_day
from quizbank.learning.entry import LATEST_MS, Entry, replay, standing, standing_entries
from quizbank.learning.entry_json import KEYS, entry_of_line, line_of
from quizbank.learning.exchange import FaultsError, export, merge
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.marks import MARKING, all_marks, folded
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000
FIXTURES = Path(__file__).parent.parent / "data"


def exported(log: ReviewLog) -> str:
    file = io.StringIO()
    export(log, file)
    return file.getvalue()


def written(folder: Path, count: int, first: int = 0) -> Path:
    """A log with a bit of everything."""
    with ReviewLog(folder, zone=UTC) as log:
        for number in range(first, first + count):
            at_ms = NOON + number * DAY // 3
            entry = log.grade(f"card {number % 5}", Rating(1 + number % 4), at_ms, 5_000 + number, 700)
            if number % 4 == 1:
                log.undo(entry.id, at_ms + 1)
            if number % 5 == 2:
                log.bring_forward(["card 1", "never seen"], at_ms + 2)
                log.suspend(["card 4"], at_ms + 3)
                log.bury(["card 2"], at_ms + 4)
    return folder / FILE_NAME


def universe() -> list[Entry]:
    """What a person might have done on three machines: grades, one undone elsewhere, wishes, suspensions."""
    scheduler = Scheduler()
    made: list[Entry] = []
    for number in range(9):
        at_ms = NOON + number * DAY // 2
        day = local_day(at_ms, UTC)
        before = Memory()
        outcome = scheduler.advance("a", before, Rating(1 + number % 4), at_ms, day)
        made.append(
            Entry(
                str(UUID(int=number + 1)), "grade", "abc"[number % 3], at_ms, at_ms, day, outcome.rating,
                4_000, 600, before, outcome.after, outcome.interval,
            )
        )  # fmt: skip
    for number, (kind, card, of) in enumerate(
        (("undo", "b", 4), ("undo", "a", 0), ("forward", "a", None), ("suspend", "c", None), ("resume", "c", None),
         ("bury", "d", None), ("undo", "c", 2))
    ):  # fmt: skip
        at_ms = NOON + 20 * DAY + number
        undoes = None if of is None else made[of].id
        made.append(
            Entry(
                str(UUID(int=100 + number)),
                kind,
                card,
                at_ms,
                at_ms,
                local_day(at_ms, UTC),
                undoes=undoes,
            )
        )
    # two machines mark the same card, one of them twice in a millisecond
    for number, (kind, text) in enumerate(
        (("bookmark", None), ("unbookmark", None), ("bookmark", None), ("note", "first"), ("note", "第二条\n$n^2$"),
         ("report", "the sign"), ("report", "the sign"), ("undo", None))
    ):  # fmt: skip
        at_ms = NOON + 30 * DAY + number // 2
        made.append(
            Entry(
                str(UUID(int=300 - number)),
                kind,
                "ab"[number % 2] if kind == "report" else "a",
                at_ms,
                at_ms,
                local_day(at_ms, UTC),
                undoes=made[-1].id if kind == "undo" else None,
                text=text,
                edition="0123456789abcdef" if kind == "report" else None,
            )
        )
    return made


UNIVERSE = universe()
parts = st.lists(st.sampled_from(UNIVERSE), unique_by=lambda entry: entry.id, max_size=len(UNIVERSE))


@pytest.mark.slow
@settings(max_examples=25)
@given(machines=st.lists(parts, min_size=2, max_size=3), data=st.data())
def test_merges_in_any_order_and_repeated_lead_to_the_same_state(
    tmp_path_factory, machines: list[list[Entry]], data: st.DataObject
) -> None:
    """Commutative, associative, idempotent: every order, with repeats and in groups, exports the same bytes."""
    folder = tmp_path_factory.mktemp("merge")
    paths = []
    for number, entries in enumerate(machines):
        path = folder / f"{number}.jsonl"
        path.write_text("".join(line_of(entry) + "\n" for entry in entries), encoding="utf-8")
        paths.append(path)
    order = data.draw(st.permutations(range(len(machines))), label="order")
    repeats = data.draw(st.lists(st.sampled_from(order), max_size=3), label="repeats")
    union = {entry.id: entry for entries in machines for entry in entries}
    states = []
    with ReviewLog(folder / "one", zone=UTC) as log:
        assert merge(log, paths).new == len(union)
        states.append((exported(log), log.memories(), all_marks(log)))
    with ReviewLog(folder / "two", zone=UTC) as log:
        for number in [*order, *repeats]:
            merge(log, [paths[number]])
        states.append((exported(log), log.memories(), all_marks(log)))
    with ReviewLog(folder / "left", zone=UTC) as left, ReviewLog(folder / "right", zone=UTC) as right:
        # (first + second) + rest against first + (second + rest)
        merge(left, paths[:2])
        merge(right, paths[1:])
        merge(left, paths[2:])
        merge(right, [paths[0]])
        states += [(exported(log), log.memories(), all_marks(log)) for log in (left, right)]
        assert left.verify().ok
        assert right.verify().ok
    assert all(state == states[0] for state in states)
    replayed = dict(replay(standing(union.values()), Scheduler()))
    assert states[0][1] == {card: memory for card, memory in replayed.items() if memory != Memory()}
    assert states[0][2] == folded(standing_entries(union.values(), MARKING))


def test_two_machines_join_their_logs_as_files_of_either_form(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one", 15), written(tmp_path / "two", 12, first=100)
    with ReviewLog(one.parent, zone=UTC) as here, ReviewLog(two.parent, zone=UTC) as there:
        lines = tmp_path / "there.jsonl"
        lines.write_text(exported(there), encoding="utf-8")
        before = exported(here)
        merged = merge(here, [two])
        assert (merged.new, merged.known) == (len(there.entries()), 0)
        again = merge(here, [lines])
        assert (again.new, again.known) == (0, len(there.entries()))
        # one's own file is as good as any
        assert merge(here, [one]).new == 0
        merge(there, [one])
        assert exported(here) == exported(there)
        assert here.memories() == there.memories()
        assert here.verify().ok
        # what was there before a merge is kept
        assert here.backups.all()[-1].entries == len(before.splitlines())


def test_an_undo_that_comes_before_its_grade_takes_it_back_all_the_same(tmp_path: Path) -> None:
    grade, undo = UNIVERSE[4], UNIVERSE[9]
    assert undo.undoes == grade.id
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        for entry in (undo, grade):
            path = tmp_path / f"{entry.kind}.jsonl"
            path.write_text(line_of(entry), encoding="utf-8")
            merge(log, [path])
        assert log.memory("b") == Memory()
        assert log.verify().ok


def test_an_undo_filed_under_another_card_reaches_the_grade_it_names(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        grade = log.grade("card", Rating.GOOD, NOON)
        path.write_text(line_of(replace(UNIVERSE[9], undoes=grade.id)), encoding="utf-8")
        merge(log, [path])
        assert log.memory("card") == Memory()
        assert log.verify().ok


@given(entry=st.sampled_from(UNIVERSE))
def test_a_line_gives_back_its_entry(entry: Entry) -> None:
    line = line_of(entry)
    assert entry_of_line(line) == entry
    assert line_of(entry_of_line(line)) == line
    assert "\n" not in line
    assert [key for key in KEYS if key in json.loads(line)] == list(json.loads(line))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_log_of_an_earlier_version_is_merged_and_left_as_it_is(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FIXTURES / f"reviews_v{version}.sql").read_text(encoding="utf-8"))
    held = path.read_bytes()
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        assert merge(log, [path]).new == {1: 5, 2: 7, 3: 11}[version]
        # told otherwise but the same entry: earlier versions knew no wish to see a card
        assert merge(log, [path]).new == 0
        assert log.memory("sqrt-dk").reps == 2
        assert log.verify().ok
    assert path.read_bytes() == held


GRADE = json.loads(line_of(UNIVERSE[0]))
NOTE, REPORT = (
    json.loads(line_of(next(e for e in UNIVERSE if e.kind == kind))) for kind in ("note", "report")
)
UNDO = json.loads(line_of(UNIVERSE[9]))
AFTER = GRADE["after"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nonsense", "no JSON"),
        ("[1]", "no JSON"),
        ("[" * 5000, "no JSON"),
        ('{"id": 1, "id": 2}', "no JSON"),
        (json.dumps(GRADE).replace("4000", "NaN"), "no JSON"),
        (json.dumps(GRADE).replace("4000", "9" * 5000), "no JSON"),
        (json.dumps({**GRADE, "note": 1}), "no note"),
        (json.dumps({key: GRADE[key] for key in GRADE if key != "day"}), "day is missing"),
        (json.dumps({key: GRADE[key] for key in GRADE if key != "before"}), "before is missing"),
        (json.dumps({**GRADE, "kind": "praise"}), "unknown"),
        (json.dumps({**GRADE, "kind": "undo", "undoes": GRADE["id"]}), "has no rating"),
        (json.dumps({**UNDO, "undoes": "x"}), "undoes cannot"),
        (json.dumps({key: UNDO[key] for key in UNDO if key != "undoes"}), "undoes is missing"),
        (json.dumps({**GRADE, "undoes": GRADE["id"]}), "has no undoes"),
        (json.dumps({**GRADE, "id": GRADE["id"].upper()[:-1] + "G"}), "id cannot"),
        (json.dumps({**GRADE, "text": "x"}), "has no text"),
        (json.dumps({key: NOTE[key] for key in NOTE if key != "text"}), "text is missing"),
        (json.dumps({**NOTE, "edition": "0123456789abcdef"}), "has no edition"),
        (json.dumps({**NOTE, "text": 3}), "text cannot"),
        (json.dumps({**NOTE, "text": "x" * 4001}), "text cannot"),
        (json.dumps({**NOTE, "text": "\0"}), "text cannot"),
        (json.dumps({**NOTE, "text": "\ud800"}), "text cannot"),
        (json.dumps({**REPORT, "edition": "\x1b[2J"}), "edition cannot"),
        (json.dumps({key: REPORT[key] for key in REPORT if key != "edition"}), "edition is missing"),
        (json.dumps({**GRADE, "rating": 5}), "rating cannot"),
        (json.dumps({**GRADE, "rating": True}), "rating cannot"),
        (json.dumps({**GRADE, "rating": 3.0}), "rating cannot"),
        (json.dumps({**GRADE, "at_ms": -1}), "at_ms cannot"),
        (json.dumps({**GRADE, "at_ms": LATEST_MS, "order_ms": LATEST_MS}), "at_ms cannot"),
        (json.dumps({**GRADE, "order_ms": 2**63}), "order_ms cannot"),
        (json.dumps({**GRADE, "order_ms": GRADE["at_ms"] - 1}), "before at_ms"),
        (json.dumps({**GRADE, "day": "2026-02-30"}), "day cannot"),
        (json.dumps({**GRADE, "day": "9999-12-31"}), "no place on Earth"),
        (json.dumps({**GRADE, "card": ""}), "card cannot"),
        (json.dumps({**GRADE, "card": "\x1b]52;c;x\x07"}), "card cannot"),
        (json.dumps({**GRADE, "card": "\ud800"}), "card cannot"),
        (json.dumps({**GRADE, "interval_ms": 0}), "interval_ms cannot"),
        (json.dumps({**GRADE, "after": {**AFTER, "stability": 0}}), "after.stability cannot"),
        (json.dumps({**GRADE, "after": {**AFTER, "stability": 10**400}}), "after.stability cannot"),
        (json.dumps({**GRADE, "after": {**AFTER, "phase": "asleep"}}), "after.phase cannot"),
        (json.dumps({**GRADE, "after": {**AFTER, "mood": 1}}), "after cannot"),
        (json.dumps({**GRADE, "after": "{}"}), "after cannot"),
        (json.dumps({**GRADE, "card": "x" * 70_000}), "too long"),
    ],
)
def test_a_line_that_is_not_as_it_must_be_is_named_and_nothing_is_taken(
    tmp_path: Path, line: str, says: str
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(f"{line_of(UNIVERSE[1])}\n\n{line}\n{line_of(UNIVERSE[2])}\n", encoding="utf-8")
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        with pytest.raises(FaultsError) as raised:
            merge(log, [path])
        (fault,) = raised.value.faults
        assert fault.where == f"{path}:3"
        assert says in fault.what.en
        assert fault.what.zh
        assert fault.line("zh").isprintable()
        assert log.entries() == []


@pytest.mark.parametrize("end", [LATEST_MS, LATEST_MS - 1])
def test_an_entry_at_the_end_of_the_order_keeps_no_later_one_from_being_taken_elsewhere(
    tmp_path: Path, end: int
) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(line_of(replace(UNIVERSE[0], order_ms=end)), encoding="utf-8")
    card = UNIVERSE[0].card
    with ReviewLog(tmp_path / "one", zone=UTC) as one, ReviewLog(tmp_path / "two", zone=UTC) as two:
        merge(one, [path])
        one.grade(card, Rating.AGAIN, NOON + 20 * DAY)
        one.suspend([card], NOON + 21 * DAY)
        one.undo(one.grade(card, Rating.EASY, NOON + 22 * DAY).id, NOON + 22 * DAY)
        one.mark("note", card, "still kept", at_ms=NOON + 23 * DAY)
        # and one that an earlier clock and so an earlier id made
        one.grade(card, Rating.HARD, NOON - 400 * DAY)
        assert one.verify().ok
        path.write_text(exported(one), encoding="utf-8")
        merge(two, [path])
        assert exported(two) == exported(one)
        assert two.memories() == one.memories()


def test_what_has_no_end_or_is_read_but_once_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        for path in (Path("/dev/zero"), tmp_path / "pipe"):
            with pytest.raises(InputError, match="no ordinary file"):
                merge(log, [path])


def test_every_fault_of_every_file_is_named(tmp_path: Path) -> None:
    good, bad, huge = (tmp_path / name for name in ("good.jsonl", "bad.jsonl", "huge.jsonl"))
    good.write_text(line_of(UNIVERSE[1]), encoding="utf-8-sig")
    bad.write_bytes(b"\xff\xfe\nx\n" + line_of(UNIVERSE[2]).encode() + b"\r\n{}\n")
    huge.write_bytes(b"x" * 3_000_000 + b"\n{}\n")
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        with pytest.raises(FaultsError) as raised:
            merge(log, [good, bad, huge])
        assert [(fault.where.rpartition("/")[2], fault.what.en.split(";")[0]) for fault in raised.value.faults] == [
            ("bad.jsonl:1", "is not UTF-8"),
            ("bad.jsonl:2", "is no JSON object"),
            ("bad.jsonl:4", "id is missing"),
            ("huge.jsonl:1", "the line is too long for an entry"),
            ("huge.jsonl:2", "id is missing"),
        ]  # fmt: skip
        assert log.entries() == []
        assert merge(log, [good]).new == 1


def test_an_entry_that_says_something_else_than_here_stops_the_whole_merge(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        path.write_text(line_of(UNIVERSE[0]), encoding="utf-8")
        merge(log, [path])
        path.write_text(
            f"{line_of(UNIVERSE[1])}\n{line_of(replace(UNIVERSE[0], rating=Rating.EASY))}\n", encoding="utf-8"
        )
        with pytest.raises(InputError, match="something else") as raised:
            merge(log, [path])
        assert raised.value.where == f"{path}:2"
        assert log.entries() == [UNIVERSE[0]]
        # the same within what comes in
        with ReviewLog(tmp_path / "fresh", zone=UTC) as fresh:
            path.write_text(
                f"{line_of(UNIVERSE[0])}\n{line_of(replace(UNIVERSE[0], rating=Rating.EASY))}\n",
                encoding="utf-8",
            )
            with pytest.raises(InputError, match="something else"):
                merge(fresh, [path])
            assert fresh.entries() == []


def test_databases_that_are_not_sound_logs_are_refused_in_words(tmp_path: Path) -> None:
    path = written(tmp_path / "away", 200)
    foreign, newer, view, damaged, empty = (
        tmp_path / f"{name}.db" for name in ("foreign", "newer", "view", "damaged", "empty")
    )
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE entry (id TEXT)")
    for copy in (newer, view, damaged):
        shutil.copyfile(path, copy)
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with closing(sqlite3.connect(view)) as connection:
        connection.execute("ALTER TABLE entry RENAME TO hidden")
        connection.execute("CREATE VIEW entry AS SELECT * FROM hidden")
        connection.commit()
    content = bytearray(damaged.read_bytes())
    content[8192:] = bytes(len(content) - 8192)
    damaged.write_bytes(content)
    empty.touch()
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        for given_path, says in (
            (foreign, "no review log"), (newer, "newer version"), (view, "no review log"), (damaged, "damaged"),
            (tmp_path / "none.db", "cannot be read"), (tmp_path, "cannot be read"),
        ):  # fmt: skip
            with pytest.raises(InputError, match=says) as raised:
                merge(log, [given_path])
            assert str(given_path) in str(raised.value.where)
        with pytest.raises(InputError, match="log merge"):
            merge(log, [path], lines_only=True)
        assert merge(log, [empty]).new == 0
        assert log.entries() == []


def test_a_row_made_by_hand_is_judged_like_a_line(tmp_path: Path) -> None:
    path = written(tmp_path / "away", 3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO entry (id, kind, card, at_ms, order_ms, day) VALUES (?, 'forward', 'card', 0, 0, '9999-12-31')",
            (str(UUID(int=5)),),
        )
        connection.commit()
    with ReviewLog(tmp_path / "log", zone=UTC) as log:
        with pytest.raises(FaultsError, match="no place on Earth") as raised:
            merge(log, [path])
        assert raised.value.where.startswith(f"{path}: entry ")
        assert log.entries() == []


def test_what_another_program_is_writing_at_this_moment_is_taken_whole(tmp_path: Path) -> None:
    """The newest entries stand in the write-ahead log beside the file; nobody has closed it yet."""
    with ReviewLog(tmp_path / "away", zone=UTC) as away, ReviewLog(tmp_path / "log", zone=UTC) as log:
        for number in range(20):
            away.grade(f"card {number}", Rating.GOOD, NOON + number)
        assert merge(log, [away.path]).new == 20
        away.grade("card", Rating.GOOD, NOON + DAY)
        assert merge(log, [away.path]).new == 1


def test_a_log_in_use_in_a_folder_that_may_not_be_written_is_read_with_what_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quizbank.learning import exchange

    def refused(*_: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    with ReviewLog(tmp_path / "away", zone=UTC) as away, ReviewLog(tmp_path / "log", zone=UTC) as log:
        for number in range(20):
            away.grade(f"card {number}", Rating.GOOD, NOON + number)
        monkeypatch.setattr(exchange, "copy", refused)
        assert merge(log, [away.path]).new == 20


def test_a_disk_that_is_full_or_a_lock_stops_the_whole_merge(tmp_path: Path) -> None:
    path = written(tmp_path / "away", 60)
    with ReviewLog(tmp_path / "log", zone=UTC, busy_ms=50) as log:
        kept = log.grade("card", Rating.GOOD, NOON)
        log.read(lambda connection: connection.execute("PRAGMA max_page_count = 1"))
        with pytest.raises(InputError, match="disk is full"):
            merge(log, [path])
        assert log.entries() == [kept]
        log.read(lambda connection: connection.execute("PRAGMA max_page_count = 1000000"))
        with closing(sqlite3.connect(log.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(InputError, match="locked"):
                merge(log, [path])
        assert log.entries() == [kept]
        assert merge(log, [path]).new > 60
        assert log.verify().ok
