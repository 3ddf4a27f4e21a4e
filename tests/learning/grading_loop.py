"""Grades and undoes without end, saying each answer once it is stored; killed by the test that started it.

python -m tests.learning.grading_loop FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating

START = 1_767_600_000_000


def main(folder: str) -> None:
    with ReviewLog(Path(folder)) as log:
        number = 0
        while True:
            number += 1
            entry = log.grade(f"card {number % 17}", Rating(1 + number % 4), START + number * 3_600_000)
            print("grade", entry.id, flush=True)
            if number % 5 == 0:
                log.undo(entry.id, START + number * 3_600_000 + 1)
                print("undo", entry.id, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
