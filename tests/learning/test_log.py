"""The review log keeps what was done, whatever happens to the file."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.learning.entry import Entry, new_id, replay, standing
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler, Settings

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
MINUTE = 60_000
DAY = 86_400_000


@pytest.fixture
def log(tmp_path: Path):
    with ReviewLog(tmp_path) as log:
        yield log


def raw(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / FILE_NAME, isolation_level=None)


def test_an_answer_is_stored_with_all_that_is_known(log: ReviewLog) -> None:
    log.grade("sqrt-dk", Rating.GOOD, NOON, thinking_ms=8_000, grading_ms=1_500)
    second = log.grade("sqrt-dk", Rating.GOOD, NOON + 10 * MINUTE, thinking_ms=4_000, grading_ms=700)
    first, stored = log.entries("sqrt-dk")
    assert stored == second
    assert (stored.kind, stored.card, stored.rating) == ("grade", "sqrt-dk", Rating.GOOD)
    assert (stored.at_ms, stored.day) == (NOON + 10 * MINUTE, log.day(NOON))
    assert (stored.thinking_ms, stored.grading_ms) == (4_000, 700)
    assert first.before == Memory()
    assert stored.before == first.after
    assert stored.after == log.memory("sqrt-dk")
    assert stored.interval == timedelta(days=2)
    assert UUID(stored.id).version == 7
    assert first.id < stored.id


@settings(max_examples=40)
@given(
    ratings=st.lists(st.sampled_from(Rating), max_size=8),
    gaps=st.lists(st.integers(0, 90 * DAY), min_size=9, max_size=9),
    pressed=st.sampled_from(Rating),
)
def test_what_the_button_shows_is_what_is_stored(tmp_path_factory, ratings, gaps, pressed: Rating) -> None:
    with ReviewLog(tmp_path_factory.mktemp("log")) as log:
        at_ms = NOON
        for rating, gap in zip([*ratings, pressed], gaps, strict=False):
            at_ms += gap
            preview = log.preview("card", at_ms)
            assert preview.before == log.memory("card")
            stored = log.grade("card", rating, at_ms)
            shown = preview[rating]
            assert (stored.after, stored.interval) == (shown.after, shown.interval)
            assert log.memory("card") == shown.after
        assert log.verify().ok


def test_undo_gives_back_the_state_before_and_keeps_both_entries(log: ReviewLog) -> None:
    log.grade("card", Rating.GOOD, NOON)
    before = log.memory("card")
    mistake = log.grade("card", Rating.AGAIN, NOON + 10 * MINUTE)
    assert log.undo(mistake.id, NOON + 11 * MINUTE) == before
    assert [entry.kind for entry in log.entries()] == ["grade", "grade", "undo"]
    assert log.entries()[-1].undoes == mistake.id
    assert log.undo(mistake.id) == before
    assert len(log.entries()) == 3
    assert log.verify().ok


def test_undoing_the_only_grade_makes_the_card_new_again(log: ReviewLog) -> None:
    only = log.grade("card", Rating.EASY, NOON)
    assert log.undo(only.id) == Memory()
    assert log.memories() == {}
    assert log.seen() == set()


def test_undo_takes_back_the_named_grade_and_no_later_one(log: ReviewLog) -> None:
    """Another instance graded the card afterwards: its review stands."""
    mine = log.grade("card", Rating.AGAIN, NOON)
    theirs = log.grade("card", Rating.GOOD, NOON + MINUTE)
    log.undo(mine.id)
    assert (
        log.memory("card")
        == Scheduler().advance("card", Memory(), Rating.GOOD, theirs.at_ms, theirs.day).after
    )
    assert log.verify().ok


def test_undoing_what_is_not_there_is_an_error(log: ReviewLog) -> None:
    undo = log.grade("card", Rating.GOOD, NOON)
    log.undo(undo.id)
    for id_ in ("no such id", log.entries()[-1].id):
        with pytest.raises(InputError, match="no review"):
            log.undo(id_)


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE entry SET rating = 4",
        "DELETE FROM entry",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry",
        "REPLACE INTO entry SELECT seq, id, kind, 'other', at_ms, order_ms, day, rating, thinking_ms, grading_ms, "
        "before, after, interval_ms, undoes, text, edition FROM entry",
        "INSERT INTO entry (id, kind, card, at_ms, order_ms, day) VALUES (hex(randomblob(18)), 'grade', 'c', 0, 0, '2026-01-05')",
        "INSERT INTO entry (id, kind, card, at_ms, order_ms, day) VALUES (hex(randomblob(18)), 'undo', 'c', 0, 0, '2026-01-05')",
    ],
)
def test_no_program_can_rewrite_the_log(log: ReviewLog, tmp_path: Path, attack: str) -> None:
    log.grade("card", Rating.GOOD, NOON)
    held = log.entries()
    with raw(tmp_path) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(attack)
    connection.close()
    assert log.entries() == held


def test_tables_are_strict(log: ReviewLog, tmp_path: Path) -> None:
    connection = raw(tmp_path)
    tables = connection.execute(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    )
    assert {name: strict for name, strict in tables if not name.startswith("sqlite_")} == {
        "entry": 1,
        "schedule": 1,
        "derived": 1,
        "wanted": 1,
        "put_off": 1,
    }
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_clock_set_back_reorders_nothing(log: ReviewLog) -> None:
    log.grade("card", Rating.GOOD, NOON + 300 * DAY)
    preview = log.preview("card", NOON)
    stored = log.grade("card", Rating.GOOD, NOON)
    assert stored.after == preview[Rating.GOOD].after
    assert stored.order_ms == NOON + 300 * DAY + 1
    assert stored.at_ms == NOON
    assert log.memory("card").due_day == log.day(NOON) + stored.interval
    assert log.verify().ok


def test_due_is_what_each_memory_says(log: ReviewLog) -> None:
    for number in range(60):
        for review in range(1 + number % 4):
            log.grade(
                f"card {number}", Rating(1 + (number + review) % 4), NOON + number * DAY // 3 + review * DAY
            )
    log.grade("wrong clock", Rating.EASY, NOON + 900 * DAY)
    log.bring_forward([f"card {number}" for number in range(5, 60, 7)] + ["never seen"], NOON + 20 * DAY)
    log.bring_forward(["never seen either"], NOON + 800 * DAY)
    for days in (0, 3, 5, 19, 21, 40):
        at_ms = NOON + days * DAY
        by_hand = {card for card, memory in log.memories().items() if memory.is_due(at_ms, log.day(at_ms))}
        found = log.due(at_ms)
        assert set(found) == by_hand
        assert len(found) == len(by_hand)
        assert "never seen either" in found
        in_time = [
            memory
            for memory in map(log.memory, found)
            if memory.wanted_day is None and memory.last_ms <= at_ms
        ]
        order = [
            (memory.due_ms is None, memory.due_ms or 0, memory.due_day or date.min) for memory in in_time
        ]
        assert order == sorted(order)
    assert "wrong clock" in found


def test_verify_sees_a_schedule_that_is_not_the_replay_and_rebuild_mends_it(
    log: ReviewLog, tmp_path: Path
) -> None:
    for card in "abc":
        log.grade(card, Rating.GOOD, NOON)
    good = log.memories()
    connection = raw(tmp_path)
    connection.execute("UPDATE schedule SET stability = stability * 2 WHERE card = 'a'")
    connection.execute("DELETE FROM schedule WHERE card = 'b'")
    connection.execute(
        "INSERT INTO schedule SELECT 'ghost', phase, step, stability, difficulty, last_ms, last_day, due_ms, due_day, "
        "reps, lapses FROM schedule WHERE card = 'c'"
    )
    connection.close()
    found = log.verify()
    assert not found.ok
    assert {difference.card for difference in found.differences} == {"a", "b", "ghost"}
    log.rebuild()
    assert log.verify().ok
    assert log.memories() == good


def test_other_settings_derive_the_schedule_anew(log: ReviewLog, tmp_path: Path) -> None:
    for day in (0, 1, 4):
        log.grade("card", Rating.GOOD, NOON + day * DAY)
    usual = log.memory("card")
    with ReviewLog(tmp_path, Settings(desired_retention=0.97)) as strict:
        assert strict.memory("card").due_day < usual.due_day
        assert strict.verify().ok
        log.grade("other", Rating.GOOD, NOON)
        assert log.verify().ok
        assert log.memory("card") == usual
        strict.grade("other", Rating.GOOD, NOON + MINUTE)
        assert strict.verify().ok


def test_a_card_brought_forward_is_due_today_and_its_memory_untouched(log: ReviewLog) -> None:
    log.grade("known", Rating.EASY, NOON)
    before = log.memory("known")
    assert log.due(NOON + DAY) == ()
    entries = log.bring_forward(["known", "never seen", "known"], NOON + DAY)
    assert [(entry.kind, entry.card, entry.day) for entry in entries] == [
        ("forward", "known", log.day(NOON + DAY)),
        ("forward", "never seen", log.day(NOON + DAY)),
    ]
    assert set(log.due(NOON + DAY)) == set(log.due(NOON + 2 * DAY)) == {"known", "never seen"}
    assert log.seen() == {"known", "never seen"}
    assert replace(log.memory("known"), wanted_day=None) == before
    # a second time, nothing is left to bring forward
    assert log.bring_forward(["known", "never seen"], NOON + DAY) == ()
    # the review that follows counts the time since the last one, as if it had fallen due by itself
    graded = log.grade("known", Rating.GOOD, NOON + 3 * DAY)
    assert graded.after == Scheduler().advance("known", before, Rating.GOOD, NOON + 3 * DAY, graded.day).after
    assert log.due(NOON + 3 * DAY) == ("never seen",)
    assert log.verify().ok


def test_what_is_brought_forward_comes_before_what_is_overdue(log: ReviewLog) -> None:
    log.grade("overdue", Rating.EASY, NOON)
    log.grade("step", Rating.AGAIN, NOON + 39 * DAY)
    log.bring_forward(["mine"], NOON + 40 * DAY)
    assert log.due(NOON + 40 * DAY) == ("step", "mine", "overdue")
    # what is due already stays where it is
    assert log.bring_forward(["overdue", "step"], NOON + 40 * DAY) == ()


def test_bringing_forward_is_taken_back(log: ReviewLog) -> None:
    log.grade("known", Rating.EASY, NOON)
    before = log.memories()
    entries = log.bring_forward(["known", "never seen"], NOON + DAY)
    for entry in entries:
        log.undo(entry.id, NOON + DAY)
    assert log.memories() == before
    assert log.due(NOON + DAY) == ()
    assert [entry.kind for entry in log.entries()] == ["grade", "forward", "forward", "undo", "undo"]
    # a grade taken back leaves the wish that came before it
    log.bring_forward(["known"], NOON + 2 * DAY)
    grade = log.grade("known", Rating.GOOD, NOON + 2 * DAY)
    log.undo(grade.id, NOON + 2 * DAY)
    assert log.due(NOON + 2 * DAY) == ("known",)
    log.rebuild()
    assert log.due(NOON + 2 * DAY) == ("known",)
    assert log.verify().ok


def test_an_undo_cannot_be_taken_back(log: ReviewLog) -> None:
    (entry,) = log.bring_forward(["card"], NOON)
    log.undo(entry.id, NOON)
    undo = log.entries()[-1]
    with pytest.raises(InputError, match="no review"):
        log.undo(undo.id, NOON)


def written_on_two_machines() -> list[Entry]:
    """Twelve grades of three cards, and an undo on one machine of a grade from the other."""
    grades = [
        Entry(
            id=str(UUID(int=number + 1)),
            kind="grade",
            card="abc"[number % 3],
            at_ms=NOON + number * DAY // 2,
            order_ms=NOON + number * DAY // 2,
            day=date(2026, 1, 5) + timedelta(days=number // 2),
            rating=Rating(1 + number % 4),
        )
        for number in range(12)
    ]
    undone = grades[4]
    moment = NOON + 20 * DAY
    forwards = [
        Entry(str(UUID(int=200 + n)), "forward", card, at, at, date(2026, 1, 5))
        for n, (card, at) in enumerate((("a", moment), ("b", NOON), ("d", moment)))
    ]
    undo = Entry(str(UUID(int=99)), "undo", undone.card, moment, moment, date(2026, 1, 25), undoes=undone.id)
    return [*grades, *forwards, undo]


@given(given_order=st.permutations(written_on_two_machines()))
def test_replay_depends_on_the_set_of_entries_alone(given_order: list[Entry]) -> None:
    expected = dict(replay(standing(written_on_two_machines()), Scheduler()))
    assert dict(replay(standing(given_order), Scheduler())) == expected
    assert expected["b"].reps == 3
    assert [card for card, memory in expected.items() if memory.wanted_day] == ["a", "d"]


def test_ids_sort_by_time_and_never_repeat() -> None:
    ids = [new_id(NOON + number // 100) for number in range(2000)]
    assert len(set(ids)) == 2000
    assert [id_[:13] for id_ in ids] == sorted(id_[:13] for id_ in ids)
    assert all(UUID(id_).version == 7 and UUID(id_).variant == "specified in RFC 4122" for id_ in ids)


def test_two_instances_keep_all_reviews_and_undo_only_their_own(tmp_path: Path) -> None:
    with ReviewLog(tmp_path) as first, ReviewLog(tmp_path) as second:
        stored: dict[ReviewLog, list[str]] = {first: [], second: []}

        def study(log: ReviewLog, name: str) -> None:
            for number in range(40):
                card = "shared" if number % 4 == 0 else f"{name} {number}"
                entry = log.grade(card, Rating(1 + number % 4), NOON + number * MINUTE)
                stored[log].append(entry.id)
                if number % 10 == 9:
                    log.undo(entry.id)

        threads = [threading.Thread(target=study, args=pair) for pair in ((first, "one"), (second, "two"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        grades = {entry.id for entry in first.entries() if entry.kind == "grade"}
        assert grades == set(stored[first]) | set(stored[second])
        assert len(grades) == 80
        assert sum(entry.kind == "undo" for entry in second.entries()) == 8
        assert first.memory("shared").reps == 20
        assert first.memories() == second.memories()
        assert first.verify().ok
