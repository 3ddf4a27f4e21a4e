"""The statistics at scale: what they cost over 100,000 cards and 1,000,000 entries, in time and in memory.

Run by hand: ``python -m tests.bench.bench_statistics [--cards 100000] [--reviews 10] [--home FOLDER]``. ``--home`` names
the folder of a log that :mod:`tests.bench.bench_log` has made, or makes one there. Each line runs in a process of its
own, so that its memory is counted alone: the first reading of the log, a later one from the columns that were kept,
one after some hundred new answers, and one over the whole log instead of a year. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from datetime import UTC
from pathlib import Path

from quizbank.learning import tables
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.statistics.summary import MOST_DAYS, statistics
from tests.bench.bench_log import NOW_MS, fill, line, peak_mb, took
from tests.papers.bank import CARDS

ANSWERS = 200


def measure(folder: Path, cache: Path, name: str, days: int | None, times: int) -> None:
    with ReviewLog(folder, zone=UTC) as log:
        found = []

        def read() -> None:
            found[:] = [statistics(log, CARDS, days=days, at_ms=NOW_MS, cache=cache)]

        before = peak_mb()
        line(
            name,
            took(read, times),
            f"{found[0].reviews} reviews, {before:.0f} MB before, {peak_mb():.0f} MB at most",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100_000)
    parser.add_argument("--reviews", type=int, default=10, help="entries a card")
    parser.add_argument("--home", type=Path, default=None)
    parser.add_argument(
        "--measure", nargs=5, metavar=("FOLDER", "CACHE", "NAME", "DAYS", "TIMES"), help=argparse.SUPPRESS
    )
    asked = parser.parse_args()
    if asked.measure:
        folder, cache, name, days, times = asked.measure
        measure(Path(folder), Path(cache), name, int(days) or None, int(times))
        return
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as cache:
        folder = asked.home or Path(made)
        with ReviewLog(folder, zone=UTC) as log:
            if not log.read(tables.length):
                fill(log, asked.cards, asked.reviews)
            print(f"{log.read(tables.length)} entries", flush=True)

        def apart(name: str, days: int = 0, times: int = 5) -> None:
            given = (str(folder), cache, name, str(days), str(times))
            subprocess.run(
                [sys.executable, "-m", "tests.bench.bench_statistics", "--measure", *given], check=True
            )

        apart("first reading", times=1)
        apart("a year, from kept columns")
        with ReviewLog(folder, zone=UTC) as log:
            for number in range(ANSWERS):
                log.grade(f"card-{number:06d}", Rating.GOOD, NOW_MS - number * 1000, 5_000, 700)
        apart(f"after {ANSWERS} more answers", times=1)
        apart("the whole log", days=MOST_DAYS)


if __name__ == "__main__":
    main()
