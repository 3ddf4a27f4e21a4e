"""Two programs open at once on the same log: both keep all of their reviews."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC
from pathlib import Path

from quizbank.learning.log import ReviewLog

ROOT = Path(__file__).parent.parent.parent
CARDS = 12
"""Graded by both of them, at the same time."""
STUDYING = """
import sys
from datetime import UTC
from pathlib import Path
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.session import StudySession

folder, seed = Path(sys.argv[1]), int(sys.argv[2])
with ReviewLog(folder, zone=UTC) as log:
    log.scheduler.advance("", log.memory("a card"), Rating.GOOD, 0, log.day(0))  # the import takes its time
    print("ready", flush=True)
    sys.stdin.readline()
    session = StudySession(log, [f"card {n}" for n in range(int(sys.argv[3]))])
    said = 0
    while session.current is not None and said < 60:
        session.reveal()
        done = session.grade(Rating(1 + (said * seed) % 4))
        print("stored", done.entry.id, flush=True)
        said += 1
        if said % 5 == 0:
            undone = session.undo()
            print("undone", undone.entry.id, flush=True)
        if said % 20 == 0:
            log.back_up()
"""


def test_two_programs_keep_every_review_and_undo_only_their_own(tmp_path: Path) -> None:
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", STUDYING, str(tmp_path), str(seed), str(CARDS)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 3)
    ]
    for program in programs:
        assert program.stdout.readline() == "ready\n"
    for program in programs:
        program.stdin.write("go\n")
        program.stdin.flush()
    said = [program.communicate(timeout=120)[0].split("\n")[:-1] for program in programs]
    assert [program.returncode for program in programs] == [0, 0]
    with ReviewLog(tmp_path, zone=UTC) as log:
        entries = log.entries()
        stored = [line.split()[1] for lines in said for line in lines if line.startswith("stored")]
        undone = [line.split()[1] for lines in said for line in lines if line.startswith("undone")]
        assert len(stored) >= CARDS
        assert {entry.id for entry in entries if entry.kind == "grade"} == set(stored)
        assert sorted(entry.undoes for entry in entries if entry.kind == "undo") == sorted(undone)
        assert log.notices == ()
        assert log.verify().ok
        reps = sum(log.memory(f"card {number}").reps for number in range(CARDS))
        assert reps == len(stored) - len(undone)
