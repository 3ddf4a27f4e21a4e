"""How long each demonstration takes: at its defaults, at the corners of its range, and its derivation.

    python -m tests.bench.bench_demos [D19 ...]

Milliseconds of wall time, and in brackets of processor time, which other work on the machine disturbs less. A run
is what a frame costs: predict, measure, check and the figures. The derivation is decided in a process that has
already used SymPy, without the cache. A mark stands beside what exceeds 33 ms, 150 ms or 1 s of processor time.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping

from engine.demonstration import Demonstration
from engine.demos import catalogue, load
from engine.proof.derivation import decide_all
from tests.test_demos import corners

REPEATS = 9
CORNERS = 32
DEFAULT_MS, CORNER_MS, DERIVATION_MS = 33.0, 150.0, 1000.0


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor time of one call, in ms."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)


def frame(demo: Demonstration, given: Mapping[str, object]) -> tuple[float, float]:
    return timed(lambda: demo.run(given).figures())


def median(demo: Demonstration) -> tuple[float, float]:
    frame(demo, {})
    times = [frame(demo, {}) for _ in range(REPEATS)]
    return statistics.median(wall for wall, _ in times), statistics.median(cpu for _, cpu in times)


def worst_corner(demo: Demonstration) -> tuple[float, float, dict[str, object]]:
    """The slowest corner by processor time, each taken twice and counted at its better one."""
    found = []
    for given in corners(demo, CORNERS):
        wall, cpu = min((frame(demo, given) for _ in range(2)), key=lambda pair: pair[1])
        found.append((wall, cpu, given))
    return max(found, key=lambda entry: entry[1])


def cell(wall: float, cpu: float, limit: float) -> str:
    return f"{wall:7.1f} ({cpu:6.1f}){'!' if cpu > limit else ' '}"


def main(wanted: list[str]) -> None:
    list(decide_all(load("D19").derive))
    print("id     default ms        worst corner ms   derivation ms     the worst corner")
    for entry in catalogue():
        if wanted and entry.id not in wanted:
            continue
        demo = load(entry.id)
        wall, cpu, given = worst_corner(demo)
        columns = (
            cell(*median(demo), DEFAULT_MS),
            cell(wall, cpu, CORNER_MS),
            cell(*timed(lambda demo=demo: list(decide_all(demo.derive))), DERIVATION_MS),  # type: ignore[misc]
        )
        settings = " ".join(f"{name}={value}" for name, value in given.items())
        print(entry.id, *columns, settings, sep="  ", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
