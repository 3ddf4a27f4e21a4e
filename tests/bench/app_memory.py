"""Memory of the real app on a pseudo-terminal: the first screen, a card being studied, the cards being browsed.

Run by hand: ``python -m tests.bench.app_memory [--home FOLDER] [--deck FOLDER]``. Prints what the process holds on
each screen and the most it held (Linux); nothing is asserted.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from quizbank.home import Home
from quizbank.settings import write_setting

QUIET_SECONDS = 4.0
AT_REST = 0.05
"""An app that took no more than this share of a processor for so long has come to rest. A cursor that blinks in a
field is drawn for ever, so what is drawn says nothing of it; and on a machine that is busy with other things, an app
that draws nothing may only be waiting for its turn."""
PATIENCE_SECONDS = 300.0
SCREENS = (
    ("the first screen", b""),
    ("a card asked", b"s"),
    ("its answer shown", b"  "),
    ("three answers given", b"3  3  3"),
    ("the cards browsed", b"\x1bb"),
    ("words looked for", b"/layer"),
)


class Watched:
    """A process on a terminal of its own, 80 by 24."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.written = b""

    def rest(self) -> None:
        """Read what it draws until it does nothing any more.

        Raises:
            TimeoutError: it has not come to rest.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            before, quiet = self.used_seconds(), time.monotonic() + QUIET_SECONDS
            while (left := quiet - time.monotonic()) > 0:
                if select.select([self.terminal], [], [], left)[0]:
                    self.written = (self.written + os.read(self.terminal, 65536))[-1_000_000:]
            if self.used_seconds() - before <= AT_REST * QUIET_SECONDS:
                return
        raise TimeoutError("never at rest")

    def used_seconds(self) -> float:
        """The processor time it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def await_text(self, marker: bytes) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while marker not in self.written:
            if time.monotonic() > until or not select.select([self.terminal], [], [], PATIENCE_SECONDS)[0]:
                raise TimeoutError(f"never drawn: {marker!r}")
            self.written += os.read(self.terminal, 65536)

    def press(self, keys: bytes) -> None:
        for key in keys:
            os.write(self.terminal, bytes([key]))
            # a key that follows Escape at once is read as one with Alt
            time.sleep(1.0)

    def held_mb(self) -> tuple[float, float]:
        """What it holds now, and the most it held."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        rows = dict(row.split(":", 1) for row in status.splitlines())
        now, most = (int(rows[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
        return now, most

    def end(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=None, help="a folder of data, as PROOFDECK_HOME")
    parser.add_argument("--deck", type=Path, default=None, help="a folder of cards beside the bank")
    asked = parser.parse_args()
    if not Path("/proc/self/status").exists():
        sys.exit("needs /proc")
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PROOFDECK_HOME": str(asked.home or folder),
            "PROOFDECK_LANG": "en",
            "TERM": "xterm-256color",
        }
        home = Home.from_environment(environment)
        if asked.deck:
            write_setting(home.config_folder(), "decks", [str(asked.deck)])
        app = Watched([str(Path(sys.executable).with_name("proofdeck"))], environment)
        try:
            app.await_text(b"cards")
            for name, keys in SCREENS:
                app.press(keys)
                app.rest()
                now, most = app.held_mb()
                print(f"memory of the app: {name:<24} {now:7.1f} MB   at most {most:7.1f} MB", flush=True)
        finally:
            app.end()
            if asked.deck:
                write_setting(home.config_folder(), "decks", [])


if __name__ == "__main__":
    main()
