"""How long a typed answer takes to judge: the whole table of cases through a warm worker.

Run ``python -m tests.bench.bench_grade [--slowest N] [FILE …]``; milliseconds of wall time, and of the worker's
own processor time where the machine is shared.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from engine.answers.judge import Case, case_of, judge
from engine.answers.worker import Judge

DATA = Path(__file__).parent.parent / "data"


def cases(files: list[str]) -> list[Case]:
    """The cases of the files, or of every table in the tests' data."""
    paths = [Path(file) for file in files] or sorted(DATA.glob("answers_*.json"))
    return [
        case_of(json.dumps(case)) for path in paths for case in json.loads(path.read_text(encoding="utf-8"))
    ]


def line(name: str, times: list[float]) -> str:
    ordered = sorted(times)
    p50, p95 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return f"{name:<16} n {len(ordered):4d}   p50 {p50:7.2f}   p95 {p95:7.2f}   max {ordered[-1]:7.2f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--slowest", type=int, default=0)
    asked = parser.parse_args()
    table = cases(asked.files)
    wall: list[float] = []
    processor: list[tuple[float, Case]] = []
    with Judge(deadline=30) as judged:
        for case in table[:60]:
            judged(case)
        for case in table:
            start = time.perf_counter()
            judged(case)
            wall.append((time.perf_counter() - start) * 1000)
    for case in table:
        start = time.process_time()
        judge(case)
        processor.append(((time.process_time() - start) * 1000, case))
    print(line("worker, wall", wall))
    print(line("processor", [taken for taken, _ in processor]))
    for mode in sorted({case.mode for case in table}):
        print(line(f"  {mode}", [taken for taken, case in processor if case.mode == mode]))
    for taken, case in sorted(processor, key=lambda pair: -pair[0])[: asked.slowest]:
        print(f"{taken:8.1f}  {case.mode:<10} {case.input[:70]!r}")


if __name__ == "__main__":
    main()
