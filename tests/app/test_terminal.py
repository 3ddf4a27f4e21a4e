"""The real app on a real terminal, from the first start to an exported sheet, by keys alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quizbank.home import Home
from quizbank.learning.log import ReviewLog

PATIENCE = 120
"""Seconds to wait for something to stand on the screen: a busy machine is slow, not wrong."""


PROGRAM = f"exec {sys.executable} -m tui"


class Terminal:
    """A tmux of its own, 80 by 24."""

    def __init__(self, folder: Path, home: Path, language: str, program: str = PROGRAM) -> None:
        self._call = ["tmux", "-S", str(folder / "tmux"), "-f", os.devnull]
        environment = [f"PROOFDECK_HOME={home}", f"PROOFDECK_LANG={language}"]
        settings = [part for pair in environment for part in ("-e", pair)]
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", "-c", str(folder), *settings, program)

    def tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._call, *arguments], capture_output=True, text=True, check=False, timeout=60
        )
        return done.stdout

    @property
    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def wait(self, *wanted: str) -> str:
        """The screen once all of this stands on it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            screen = self.screen
            if all(text in screen for text in wanted):
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{wanted} never came up:\n{self.screen}")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    @property
    def runs(self) -> bool:
        return bool(self.tmux("list-sessions"))


@pytest.fixture
def terminal(tmp_path: Path, home: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    assert shutil.which("tmux"), "this test needs tmux"
    opened = Terminal(tmp_path, home, request.param)
    yield opened
    opened.tmux("kill-server")


WORDS = {
    "en": {
        "home": "20 new", "question": "Say it aloud", "spoken": "In thirty seconds", "good": "Good", "step": "defined",
        "guess": "Your guess", "form": "form ",
    },
    "zh": {
        "home": "20 张新卡", "question": "把答案说出来", "spoken": "三十秒作答", "good": "良好", "step": "定义",
        "guess": "你的猜测", "form": "卷号 ",
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("terminal", "language"), [("en", "en"), ("zh", "zh")], indirect=["terminal"])
def test_from_the_first_start_to_a_sheet(
    terminal: Terminal, language: str, home: Path, tmp_path: Path
) -> None:
    words = WORDS[language]
    terminal.wait("Proofdeck", words["home"])
    # two cards graded, the third looked at to its proof
    terminal.press("s")
    for done in range(2):
        terminal.wait(words["question"], str(done))
        terminal.press("Space")
        terminal.wait(words["spoken"], words["good"])
        terminal.press("3")
    terminal.wait(words["question"])
    terminal.press("Space")
    terminal.wait(words["spoken"])
    terminal.press("p")
    terminal.wait(words["step"])
    # from there to a sheet of this card, previewed and written
    terminal.press("e")
    terminal.wait(".html", words["form"])
    terminal.press("Enter")
    terminal.wait(" kB")
    (sheet,) = tmp_path.glob("*.html")
    assert words["spoken"] in sheet.read_text(encoding="utf-8")
    for _ in range(3):
        terminal.press("Escape")
        time.sleep(0.5)
    # the lab: a guess waived, the figure stands
    terminal.wait(words["home"].replace("20", "18"))
    terminal.press("l")
    terminal.wait("D01", "D02")
    terminal.press("Enter")
    terminal.wait(words["guess"])
    terminal.press("Enter")
    terminal.wait("⢸")
    terminal.press("q")
    until = time.monotonic() + PATIENCE
    while terminal.runs and time.monotonic() < until:
        time.sleep(0.1)
    assert not terminal.runs
    with ReviewLog(Home.in_folder(home).data) as log:
        assert [entry.rating for entry in log.entries()] == [3, 3]
        assert log.verify().ok


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="a shell with jobs sets it aside")
def test_set_aside_and_brought_back_all_stands_there_again(tmp_path: Path, home: Path) -> None:
    terminal = Terminal(tmp_path, home, "en", "exec bash --norc --noprofile")
    try:
        terminal.press(f"{sys.executable} -m tui", "Enter")
        terminal.wait("Proofdeck ", "20 new", "Quit")
        terminal.press("C-z")
        terminal.wait("Stopped")
        terminal.press("fg", "Enter")
        terminal.wait("Proofdeck ", "20 new", "Quit")
    finally:
        terminal.tmux("kill-server")
