"""Works on a review log without end, saying each thing once it is stored; killed by the test that started it.

python -m tests.learning.grading_loop FOLDER SEED

Every start opens the log, which may be of an earlier version and is then migrated; then come grades, undos, buries,
notes, backups and merges in an order of chance.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from quizbank.learning.day import now_ms
from quizbank.learning.entry import Entry
from quizbank.learning.exchange import export, merge, written_whole
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating


def say(what: str, entry: Entry) -> None:
    print(what, entry.id, flush=True)


def main(folder: str, seed: str) -> None:
    chance = random.Random(int(seed))
    away = Path(folder) / "away"
    print("started", "-", flush=True)
    with ReviewLog(Path(folder)) as log, ReviewLog(away) as other:
        while True:
            card = f"card {chance.randrange(17)}"
            entry = log.grade(card, chance.choice(list(Rating)))
            say("stored", entry)
            match chance.randrange(13):
                case 0 | 1:
                    log.undo(entry.id)
                    say("undone", entry)
                case 2:
                    for put_off in log.bury([card]) + log.resume([card]):
                        say("stored", put_off)
                case 3:
                    log.back_up(now_ms())
                case 4:
                    for marked in (log.mark("note", card, entry.id), log.mark("unbookmark", card)):
                        if marked is not None:
                            say("stored", marked)
                case 5:
                    theirs = other.grade(card, Rating.GOOD)
                    lines = away / "export.jsonl"
                    with written_whole(lines) as file:
                        export(other, file)
                    merge(log, [chance.choice([other.path, lines])])
                    say("stored", theirs)


if __name__ == "__main__":
    main(*sys.argv[1:])
