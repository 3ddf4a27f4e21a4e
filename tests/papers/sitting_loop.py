"""Sits a paper without end, saying each thing once it is stored; killed by the test that started it.

python -m tests.papers.sitting_loop FOLDER
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

from quizbank.papers.results import Results
from tests.papers.bank import grader


def say(**said: object) -> None:
    print(json.dumps(said), flush=True)


def main(folder: str) -> None:
    with Results(Path(folder)) as results:
        sitting = results.resume(grader())
        say(did="resumed", at=sitting.position, used=sitting.used_ms, draft=sitting.draft)
        for count in itertools.count():
            sitting.tick()
            # what is stored of the time is at least what had passed before the action
            at, used = sitting.position, sitting.used_ms
            sitting.keep_draft(f"draft {count}")
            say(did="drafted", at=at, draft=f"draft {count}", used=used)
            given = {"choice": "a", "number": str(count)}.get(sitting.question.variant.kind, f"said {count}")
            used = sitting.used_ms
            sitting.answer(given)
            say(did="answered", at=at, given=given, used=used)
            used = sitting.used_ms
            if not sitting.next():
                sitting.go_to(0)
            say(did="moved", at=sitting.position, used=used)


if __name__ == "__main__":
    main(sys.argv[1])
