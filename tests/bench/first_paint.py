"""First paint of the app against a bare Textual app, on a pseudo-terminal, interleaved.

Run by hand: ``python -m tests.bench.first_paint [--runs 15] [--home FOLDER]``, with somebody's data or none. Prints the medians and the median
of the paired ratios; nothing is asserted, machines are noisy.
"""

from __future__ import annotations

import argparse
import fcntl
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

BARE = """
from textual.app import App
from textual.widgets import Static

class Hello(App):
    def compose(self):
        yield Static("hello, terminal")

Hello().run()
"""


def first_paint(command: list[str], environment: dict[str, str], marker: bytes) -> float:
    """Seconds from spawning ``command`` until ``marker`` stands in what it wrote to its terminal."""
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
        return time.perf_counter() - started
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


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
        for command, marker in pair:
            first_paint(command, environment, marker)
        times = [[first_paint(command, environment, marker) for command, marker in pair] for _ in range(runs)]
    bare_times, own_times = zip(*times, strict=True)
    ratios = [own / bare for bare, own in times]
    print(f"bare Textual app   median {statistics.median(bare_times) * 1000:7.1f} ms")
    print(f"proofdeck          median {statistics.median(own_times) * 1000:7.1f} ms")
    print(
        f"ratio              median {statistics.median(ratios):7.3f}   min {min(ratios):.3f}   max {max(ratios):.3f}"
    )


if __name__ == "__main__":
    main()
