"""Sits a paper without end, saying each answer once it is stored; killed by the test that started it.

python -m tests.papers.sitting_loop FOLDER
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

from quizbank.papers.results import Results
from tests.papers.bank import grader


def main(folder: str) -> None:
    with Results(Path(folder)) as results:
        sitting = results.resume(grader())
        print(json.dumps({"at": sitting.position, "used": sitting.used_ms}), flush=True)
        for count in itertools.count():
            sitting.tick()
            given = {"choice": "a", "number": str(count)}.get(sitting.question.variant.kind, f"said {count}")
            position, used = sitting.position, sitting.used_ms
            sitting.answer(given)
            print(json.dumps({"at": position, "given": given, "used": used}), flush=True)
            if not sitting.next():
                sitting.go_to(0)


if __name__ == "__main__":
    main(sys.argv[1])
