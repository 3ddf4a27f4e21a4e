"""The whole bank as an answer sheet, in every format: the clock, the processor and the memory of ``proofdeck sheet``.

Run by hand: ``python -m tests.bench.bench_sheets [--format F]… [--runs 3] [--lang both] [--cold-each] [--home FOLDER]``.
Each sheet is made by a process of its own, as from the shell, and written to disk. The first run of all has nothing
computed before (cold: every demonstration is run and proved); those after it find proofs and numbers in the cache of
this machine (warm). ``--cold-each`` begins every format cold. Warm figures stand against the limits; nothing is
asserted, machines are noisy: on a busy one the processor's time says more than the clock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from quizbank.sheets.formats import FORMATS

SECONDS = {"md": 2.0, "json": 2.0, "html": 5.0, "apkg": 5.0, "pdf": 20.0}
"""What making the whole bank in both languages may take."""
MEGABYTES = 500.0


class Cost(NamedTuple):
    """Of one process: seconds by the clock and of the processor, the most memory held, and the size of the sheet."""

    wall: float
    processor: float
    megabytes: float
    kilobytes: float


def made(sheet_format: str, language: str, home: Path) -> Cost:
    """What one call of ``proofdeck sheet`` over the whole bank costs.

    Raises:
        SystemExit: it did not write the sheet.
    """
    with tempfile.TemporaryDirectory(dir=home) as folder:
        path = Path(folder) / f"sheet{FORMATS[sheet_format].ending}"  # type: ignore[index]
        call = [
            sys.executable,
            "-m",
            "tui",
            "sheet",
            "--format",
            sheet_format,
            "--lang",
            language,
            "-o",
            str(path),
        ]
        environment = {**os.environ, "PROOFDECK_HOME": str(home), "PROOFDECK_LANG": "en"}
        said = home / "said"
        aside = [(os.POSIX_SPAWN_OPEN, 2, str(said), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
        started = time.perf_counter()
        _, status, used = os.wait4(os.posix_spawn(call[0], call, environment, file_actions=aside), 0)
        wall = time.perf_counter() - started
        if status or not path.is_file():
            raise SystemExit(f"{' '.join(call)}: no sheet\n{said.read_text(encoding='utf-8')}")
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    peak = used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Cost(wall, used.ru_utime + used.ru_stime, peak, size / 1024)


def line(name: str, costs: list[Cost], limit: float | None = None) -> None:
    """The medians, against the limit where there is one."""
    wall, processor, megabytes, kilobytes = (statistics.median(column) for column in zip(*costs, strict=True))
    verdict = ""
    if limit is not None:
        kept = wall <= limit and megabytes <= MEGABYTES
        verdict = f"   limit {limit:.0f} s, {MEGABYTES:.0f} MB: {'kept' if kept else 'MISSED'}"
        if not kept and processor <= limit and megabytes <= MEGABYTES:
            verdict += " by the clock, kept by the processor"
    print(
        f"{name:<12} n {len(costs)}   clock {wall:7.2f} s   processor {processor:7.2f} s   "
        f"memory {megabytes:6.1f} MB   on disk {kilobytes:8.0f} kB{verdict}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", action="append", choices=list(FORMATS), help="only these")
    parser.add_argument("--lang", default="both", choices=("zh", "en", "both"))
    parser.add_argument("--runs", type=int, default=3, help="warm runs a format")
    parser.add_argument("--cold-each", action="store_true", help="begin every format with an empty cache")
    parser.add_argument("--home", type=Path, default=None, help="a folder whose cache is used and kept")
    asked = parser.parse_args()
    formats = asked.format or list(FORMATS)
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"the whole bank, --lang {asked.lang}; load of this machine {load} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as first:
        home = asked.home or Path(first)
        home.mkdir(parents=True, exist_ok=True)
        for place, one in enumerate(formats):
            if place == 0 and asked.home is None:
                line(f"{one} cold", [made(one, asked.lang, home)])
            elif asked.cold_each:
                with tempfile.TemporaryDirectory() as empty:
                    line(f"{one} cold", [made(one, asked.lang, Path(empty))])
            line(one, [made(one, asked.lang, home) for _ in range(asked.runs)], SECONDS[one])


if __name__ == "__main__":
    main()
