"""First paint and memory of the app against a bare Textual app, on a pseudo-terminal, interleaved.

Run by hand: ``python -m tests.bench.first_paint [--runs 15] [--home FOLDER]``, with somebody's data or none. Prints
the medians and the median of the paired ratios; nothing is asserted, machines are noisy. Memory is what is resident
once the first screen has its counts, before any demonstration is opened.
"""

from __future__ import annotations

import argparse
import fcntl
import math
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from tests.bench.watching import verdict

BARE = """
from textual.app import App
from textual.widgets import Static

class Hello(App):
    def compose(self):
        yield Static("hello, terminal")

Hello().run()
"""


PAINT, MEMORY = 1.15, 1.4
"""The limits of both ratios."""

SETTLED = 4.0
"""Seconds after the first paint when the memory is read."""


def first_paint(
    command: list[str], environment: dict[str, str], marker: bytes, settled: float = 0.0
) -> tuple[float, float]:
    """Seconds from spawning ``command`` until ``marker`` stands in what it wrote to its terminal, and MB resident
    ``settled`` seconds later."""
    started = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, environment)
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        written = b""
        while marker not in written:
            ready, _, _ = select.select([terminal], [], [], 30)
            if not ready:
                raise TimeoutError(f"{command} never painted {marker!r}; it wrote {written[-400:]!r}")
            written += os.read(terminal, 65536)
        took = time.perf_counter() - started
        until = time.perf_counter() + settled
        while (left := until - time.perf_counter()) > 0:
            if select.select([terminal], [], [], left)[0]:
                os.read(terminal, 65536)
        return took, resident(pid)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def resident(pid: int) -> float:
    """MB of a process that are in memory (Linux; NaN elsewhere)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return math.nan
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--home", default=None, help="a folder of data to open, as PROOFDECK_HOME")
    asked = parser.parse_args()
    runs = asked.runs
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE, encoding="utf-8")
        environment = {
            **os.environ,
            "PROOFDECK_HOME": asked.home or folder,
            "PROOFDECK_LANG": "en",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }
        script = str(Path(sys.executable).with_name("proofdeck"))
        pair = (
            ([sys.executable, str(bare)], b"hello, terminal"),
            ([script], b"Proofdeck"),
        )
        # the first run fills the caches and reads the cards; the memory is that of the next
        for command, marker in pair:
            first_paint(command, environment, marker, SETTLED)
        bare_mb, own_mb = (first_paint(command, environment, marker, SETTLED)[1] for command, marker in pair)
        times = [
            [first_paint(command, environment, marker)[0] for command, marker in pair] for _ in range(runs)
        ]
    bare_times, own_times = zip(*times, strict=True)
    ratios = [own / bare for bare, own in times]
    print(f"bare Textual app   median {statistics.median(bare_times) * 1000:7.1f} ms")
    print(f"proofdeck          median {statistics.median(own_times) * 1000:7.1f} ms")
    print(
        f"ratio              median {statistics.median(ratios):7.3f}   min {min(ratios):.3f}   max {max(ratios):.3f}"
    )
    print(f"memory             {own_mb:.0f} MB against {bare_mb:.0f} MB, ratio {own_mb / bare_mb:.2f}")
    verdict("first paint, against a bare app", statistics.median(ratios), PAINT, unit="")
    verdict("memory before the first demonstration, against a bare app", own_mb / bare_mb, MEMORY, unit="")


if __name__ == "__main__":
    main()
