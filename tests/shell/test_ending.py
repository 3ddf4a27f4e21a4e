"""The process ends with the command's own status, whatever its threads are still at."""

from __future__ import annotations

import subprocess
import sys

import pytest

LEFT_BEHIND = """
import atexit, sys, threading
atexit.register(lambda: print("told at the end"))
if {at_work}:
    threading.Thread(target=threading.Event().wait, daemon=True).start()

class Last:
    def __del__(self, say=sys.stderr.write):
        say("taken apart")

last = Last()
sys.argv = ["proofdeck", {argument!r}]
from tui.cli import console
console()
"""


@pytest.mark.parametrize("at_work", [True, False])
@pytest.mark.parametrize(("argument", "status"), [("--version", 0), ("--no-such-option", 2)])
def test_work_left_behind_is_dropped_before_python_takes_itself_apart(
    argument: str, status: int, at_work: bool
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEFT_BEHIND.format(at_work=at_work, argument=argument)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status
    assert done.stdout.endswith("told at the end\n")
    # a thread that asks for the interpreter there can take the process down
    assert ("taken apart" in done.stderr) is not at_work
