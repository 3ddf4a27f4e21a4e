"""Bookmarks, notes and reports: entries of the log like any other, which say nothing of when a card is asked."""

from __future__ import annotations

from datetime import UTC, date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.learning.entry import KINDS, RULES, Entry, standing_entries
from quizbank.learning.exchange import merge
from quizbank.learning.log import FILE_NAME, ReviewLog
from quizbank.learning.marks import MARKING, NONE, Marks, all_marks, folded, marks_of
from quizbank.learning.memory import Rating

NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC
EDITION = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def log(tmp_path: Path):
    with ReviewLog(tmp_path, zone=UTC) as log:
        yield log


def test_every_kind_of_entry_has_one_rule() -> None:
    assert sorted([*RULES, *MARKING, "undo"]) == sorted(KINDS)


def test_marks_stand_until_the_person_says_otherwise(log: ReviewLog) -> None:
    log.mark("bookmark", "one", at_ms=NOON)
    log.mark("note", "one", "  what I always forget\n", at_ms=NOON + 1)
    assert marks_of(log, "one") == Marks(True, "what I always forget")
    log.mark("note", "one", "said better", at_ms=NOON + 2)
    log.mark("unbookmark", "one", at_ms=NOON + 3)
    assert marks_of(log, "one") == Marks(False, "said better")
    log.mark("note", "one", "", at_ms=NOON + 4)
    assert marks_of(log, "one") == NONE
    assert all_marks(log) == {}


def test_saying_it_again_writes_nothing(log: ReviewLog) -> None:
    assert log.mark("unbookmark", "one") is None
    assert log.mark("note", "one", " ") is None
    log.mark("note", "one", "said")
    assert log.mark("note", "one", "said\n") is None
    assert len(log.entries()) == 1
    # two reports are two, though they say the same
    assert log.mark("report", "one", "the sign", EDITION) != log.mark("report", "one", "the sign", EDITION)
    assert [report.text for report in marks_of(log, "one").reports] == ["the sign"] * 2


def test_marks_change_nothing_of_the_schedule(log: ReviewLog) -> None:
    log.grade("one", Rating.GOOD, NOON)
    before, due = log.memories(), log.due(NOON + 10**9)
    log.mark("bookmark", "one", at_ms=NOON + 1)
    log.mark("note", "never seen", "later", at_ms=NOON + 2)
    log.mark("report", "never seen", "a slip", EDITION, at_ms=NOON + 3)
    assert (log.memories(), log.due(NOON + 10**9)) == (before, due)
    assert log.seen() == {"one"}
    log.rebuild()
    assert log.memories() == before
    assert log.verify().ok


def test_an_undo_takes_back_the_mark_it_names(log: ReviewLog) -> None:
    log.mark("note", "one", "first", at_ms=NOON)
    second = log.mark("note", "one", "second", at_ms=NOON + 1)
    report = log.mark("report", "one", "mistaken", EDITION, at_ms=NOON + 2)
    log.mark("bookmark", "one", at_ms=NOON + 3)
    log.undo(second.id, NOON + 4)
    log.undo(report.id, NOON + 5)
    assert marks_of(log, "one") == Marks(True, "first")
    assert len(log.entries()) == 6
    assert log.verify().ok


def test_a_text_is_kept_without_what_could_command_a_terminal(log: ReviewLog) -> None:
    log.mark("note", "one", "\x1b]52;c;aGk=\x07safe\x1b[2J\r\n\u202e第二行\x00")
    assert marks_of(log, "one").note == "safe\n第二行"
    with pytest.raises(InputError, match="4001 characters"):
        log.mark("note", "one", "x" * 4001)
    with pytest.raises(InputError, match="say what is wrong"):
        log.mark("report", "one", " \x1b[2J ", EDITION)
    assert len(log.entries()) == 1


def test_a_clock_set_back_does_not_bring_an_old_note_back(log: ReviewLog) -> None:
    log.mark("note", "one", "old", at_ms=NOON)
    log.mark("note", "one", "new", at_ms=NOON - 86_400_000)
    assert marks_of(log, "one").note == "new"


actions = st.tuples(
    st.integers(0, 2),
    st.sampled_from(["bookmark", "unbookmark", "note", "report", "undo"]),
    st.sampled_from(["a", "b"]),
    st.sampled_from(["", "left", "right"]),
    st.integers(0, 3),
)


@given(order=st.permutations(range(8)))
def test_marks_do_not_depend_on_the_order_in_which_entries_came(order: list[int]) -> None:
    made = [
        Entry(f"{number}", kind, card, NOON, NOON + number // 3, date(2026, 1, 5), text=text, undoes=undoes)
        for number, (kind, card, text, undoes) in enumerate(
            (("bookmark", "a", None, None), ("unbookmark", "a", None, None), ("bookmark", "a", None, None),
             ("note", "a", "first", None), ("note", "a", "second", None), ("report", "b", "one", None),
             ("report", "b", "two", None), ("undo", "a", None, "4"))
        )
    ]  # fmt: skip
    found = folded(standing_entries([made[place] for place in order], MARKING))
    assert found["a"] == Marks(True, "first")
    assert [report.text for report in found["b"].reports] == ["one", "two"]


def test_a_note_written_on_two_machines_is_the_later_one_on_both(tmp_path: Path) -> None:
    with ReviewLog(tmp_path / "one", zone=UTC) as one, ReviewLog(tmp_path / "two", zone=UTC) as two:
        one.mark("note", "card", "earlier", at_ms=NOON)
        one.mark("bookmark", "card", at_ms=NOON)
        two.mark("note", "card", "later", at_ms=NOON + 1)
        two.mark("report", "card", "the sign", EDITION, at_ms=NOON)
        merge(one, [two.path])
        merge(two, [one.path])
        marks = marks_of(one, "card")
        assert (marks.bookmarked, marks.note, len(marks.reports)) == (True, "later", 1)
        assert all_marks(two) == {"card": marks}


@pytest.mark.slow
@settings(max_examples=12)
@given(done=st.lists(actions, max_size=12), order=st.permutations(range(3)))
def test_machines_that_hold_the_same_entries_show_the_same_marks(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[int, str, str, str, int]], order: list[int]
) -> None:
    """Marked on three machines, some within a millisecond, then merged in any order."""
    folder = tmp_path_factory.mktemp("marks")
    logs = [ReviewLog(folder / str(number), zone=UTC) for number in range(3)]
    for machine, kind, card, text, at in done:
        log = logs[machine]
        if kind == "undo":
            held = [entry for entry in log.entries(card) if entry.kind != "undo"]
            if held:
                log.undo(held[at % len(held)].id, NOON + at)
        elif kind != "report" or text:
            log.mark(kind, card, text, EDITION, NOON + at)
    paths = [folder / str(number) / FILE_NAME for number in range(3)]
    merge(logs[0], paths[1:])
    for number in order:
        merge(logs[1], [paths[number]])
    held: list[Entry] = logs[0].entries()
    assert all_marks(logs[0]) == all_marks(logs[1]) == folded(standing_entries(held, MARKING))
    assert logs[0].verify().ok
    for log in logs:
        log.close()


def test_marks_are_found_by_an_index_of_their_own(log: ReviewLog) -> None:
    from quizbank.learning import tables

    queries: list[str] = []

    def plan(connection) -> str:
        connection.set_trace_callback(queries.append)
        list(tables.standing_marks(connection))
        connection.set_trace_callback(None)
        return " ".join(row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {queries[-1]}"))

    found = log.read(plan)
    assert "entry_marks" in found
    assert "TEMP B-TREE" not in found
