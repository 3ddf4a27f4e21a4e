"""Every limit of speed, one line each: what the other benchmarks print as they go, and all their verdicts at the end.

    python -m tests.bench.limits [paint drawing keys fresh steps slider sliders]

Each piece is a process of its own (``keys`` also starts some), and prints as it measures. Clock times mean something on
a calm machine only. ``slider`` drags the first slider of each demonstration; ``sliders``, which is run when it is named
only, drags every one; so does ``fresh``, which opens each screen in a process where nothing is loaded yet. Nothing is
asserted; the exit status is 1 where a limit was missed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from tests.bench.watching import HOLDS, MISSED

PIECES: dict[str, tuple[str, ...]] = {
    "paint": ("tests.bench.first_paint",),
    "drawing": ("tests.bench.bench_drawing",),
    "keys": ("tests.bench.bench_keys",),
    "steps": ("tests.bench.bench_steps",),
    "slider": ("tests.bench.bench_slider",),
    "fresh": ("tests.bench.bench_keys", "--fresh"),
    "sliders": ("tests.bench.bench_slider", "--every"),
}
WISHED = ("fresh", "sliders")
"""Pieces that are run when they are named only."""


def run(piece: str) -> list[str]:
    """Run a piece, its output passed on line by line; the lines that are verdicts."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", *PIECES[piece]], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as child:
        assert child.stdout is not None
        verdicts = []
        for line in child.stdout:
            print(line, end="", flush=True)
            if f": {HOLDS}" in line or f": {MISSED}" in line:
                verdicts.append(line.rstrip())
    print(f"{piece}: {time.perf_counter() - began:.0f} s\n", flush=True)
    if child.returncode:
        verdicts.append(f"{piece}: {MISSED} (it ended with status {child.returncode})")
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pieces", nargs="*", metavar="PIECE", help=" ".join(PIECES))
    asked = parser.parse_args().pieces
    if unknown := set(asked) - set(PIECES):
        parser.error(f"no such piece: {', '.join(sorted(unknown))}")
    verdicts = [line for piece in asked or [p for p in PIECES if p not in WISHED] for line in run(piece)]
    print(*verdicts, sep="\n")
    return any(f": {MISSED}" in line for line in verdicts)


if __name__ == "__main__":
    sys.exit(main())
