"""The whole bank as an answer sheet, in every format: the clock, the processor and the memory of ``proofdeck sheet``.

Run by hand: ``python -m tests.bench.bench_sheets [--format F]… [--runs 3] [--lang both] [--cold-each] [--home FOLDER]``.
Each sheet is made by a process of its own, as from the shell, and written to disk. The first run of all has nothing
computed before (cold: every demonstration is run and proved); those after it find in the cache of this machine what
it found out (warm): proofs, numbers, drawings, texts as Markdown, formulas as Typst, and of a PDF the parts that were
compiled. ``pdf anew`` finds all that but no compiled part: every page is set. ``--cold-each`` begins every format cold. Warm figures stand against the limits; nothing is
asserted, machines are noisy: on a busy one the processor's time says more than the clock. The processor's time counts
the compilers of a PDF, which are processes of their own; memory is the most that all of them held at one moment, where
the system tells (Linux: proportional set size, looked at ten times a second), else that of the largest.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from quizbank.sheets.formats import FORMATS

SECONDS = {"md": 2.0, "json": 2.0, "html": 5.0, "apkg": 5.0, "pdf": 20.0}
"""What making the whole bank in both languages may take."""
MEGABYTES = 500.0


class Cost(NamedTuple):
    """Of one call with its children: seconds by the clock and of the processor, the most memory held, and the size of the sheet."""

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
        child = os.posix_spawn(call[0], call, environment, file_actions=aside)
        with _Watch(child) as watch:
            _, status, used = os.wait4(child, 0)
        wall = time.perf_counter() - started
        if status or not path.is_file():
            raise SystemExit(f"{' '.join(call)}: no sheet\n{said.read_text(encoding='utf-8')}")
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    peak = watch.most or used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Cost(wall, used.ru_utime + used.ru_stime, peak, size / 1024)


class _Watch:
    """The most memory, in MB, that a process and all below it held at one moment; 0 where the system does not tell."""

    def __init__(self, process: int) -> None:
        self.most = 0.0
        self._process = process
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.1):
            self.most = max(self.most, sum(map(_held, _family(self._process))))


def _family(process: int) -> Iterator[int]:
    yield process
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _family(int(child))


def _held(process: int) -> float:
    with suppress(OSError):
        for row in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if row.startswith("Pss:"):
                return int(row.split()[1]) / 1024
    return 0.0


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
            if one == "pdf":
                shutil.rmtree(home / "cache" / "pdf", ignore_errors=True)
                line("pdf anew", [made(one, asked.lang, home)], SECONDS[one])
            line(one, [made(one, asked.lang, home) for _ in range(asked.runs)], SECONDS[one])


if __name__ == "__main__":
    main()
