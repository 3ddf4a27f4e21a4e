"""The doctor: the terminal asked and given back as it was; files looked at and left as they are."""

from __future__ import annotations

import json
import os
import pty
import re
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from rich.cells import cell_len

from quizbank.learning.log import FILE_NAME
from tui.cli import main
from tui.doctor import asking, files, machine, terminal
from tui.doctor.asking import NO_ANSWER, NO_TERMINAL, Answers, ask

Capture = pytest.CaptureFixture[str]
TEXTS = [text for _, texts in terminal.SAMPLES.values() for text in texts]


class Terminal:
    """The far side of a pseudo-terminal: draws each character ``wide(character)`` cells wide and answers questions."""

    def __init__(self, wide: Callable[[str], int], attributes: str = "62;22;52", mode: str = "2") -> None:
        self.wide, self.attributes, self.mode = wide, attributes, mode
        self.column = 1
        self.heard = b""

    def answers(self, written: bytes) -> bytes:
        """What it says to what was written."""
        self.heard += written
        said = b""
        while self.heard:
            if found := re.match(rb"\x1b\[([?\d$]*)([a-zA-Z])", self.heard):
                if found[2] == b"n":
                    said += b"\x1b[7;%dR" % self.column
                elif found[2] == b"p":
                    said += b"\x1b[?1006;%s$y" % self.mode.encode()
                elif found[2] == b"c":
                    said += b"\x1b[?%sc" % self.attributes.encode()
                self.heard = self.heard[found.end() :]
                continue
            if self.heard[:1] == b"\x1b":
                break
            for length in range(1, 5):
                try:
                    character = self.heard[:length].decode()
                except UnicodeDecodeError:
                    continue
                self.column = 1 if character == "\r" else self.column + self.wide(character)
                self.heard = self.heard[length:]
                break
            else:
                break
        return said


@contextmanager
def attached(far: Terminal | None) -> Iterator[tuple[str, int]]:
    """A pseudo-terminal with ``far`` at its other end, or nobody: its path, and a descriptor to look at it."""
    master, slave = pty.openpty()

    def live() -> None:
        with open(master, "rb", buffering=0, closefd=False) as ear:
            while True:
                try:
                    written = ear.read(1024)
                except OSError:
                    return
                if far is not None and (said := far.answers(written or b"")):
                    os.write(master, said)

    Thread(target=live, daemon=True).start()
    try:
        yield os.ttyname(slave), slave
    finally:
        os.close(slave)


def test_the_terminal_is_asked_how_wide_it_draws_and_given_back_as_it_was() -> None:
    far = Terminal(lambda character: 2 if character in "“”…" else cell_len(character))
    with attached(far) as (path, slave):
        before = termios.tcgetattr(slave)
        answers = ask(TEXTS, path)
        assert termios.tcgetattr(slave) == before
    assert answers.why_not is None
    assert answers.widths == {text: 2 if text in "“”…" else cell_len(text) for text in TEXTS}
    assert (answers.mouse, answers.attributes) == (True, (62, 22, 52))
    found = {one.id: one for one in terminal.findings(answers, (80, 24), {"TERM": "xterm"})}
    assert found["width.quotes"].standing == "bad"
    assert "“ is 2 wide, taken for 1" in found["width.quotes"].said.en
    assert found["width.quotes"].advice is not None
    assert found["width.hanzi"].standing == found["width.braille"].standing == "good"
    assert found["terminal.clipboard"].value is True


def test_a_terminal_that_says_nothing_of_mouse_and_copying_is_no_fault() -> None:
    far = Terminal(cell_len, attributes="1;2", mode="0")
    with attached(far) as (path, _):
        answers = ask(TEXTS, path)
    assert (answers.mouse, answers.attributes) == (False, (1, 2))
    found = list(terminal.findings(answers, (80, 24), {"TERM": "xterm", "COLORTERM": "truecolor"}))
    assert {one.standing for one in found} == {"good", "note"}


def test_one_that_does_not_answer_is_asked_once_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "PATIENCE", 0.05)
    with attached(None) as (path, slave):
        before = termios.tcgetattr(slave)
        assert ask(TEXTS, path) == Answers({}, why_not=NO_ANSWER)
        assert termios.tcgetattr(slave) == before


def test_interrupted_while_it_waits_the_terminal_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking.select, "select", interrupted)
    with attached(None) as (path, slave):
        before = termios.tcgetattr(slave)
        with pytest.raises(KeyboardInterrupt):
            ask(TEXTS, path)
        assert termios.tcgetattr(slave) == before


def test_what_is_no_terminal_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in (tmp_path / "none", tmp_path / "file"):
        assert ask(TEXTS, str(path)) == Answers({}, why_not=NO_TERMINAL)
    assert (tmp_path / "file").read_bytes() == b""
    found = list(terminal.findings(Answers({}, why_not=NO_TERMINAL), None, {"TERM": "xterm"}))
    assert "no terminal" in next(one for one in found if one.id == "width.all").said.en


@pytest.mark.parametrize(
    ("environ", "size", "finding_id", "standing", "words"),
    [
        ({"TERM": "dumb"}, (80, 24), "terminal.kind", "bad", "--plain"),
        ({"TERM": "linux"}, (80, 24), "terminal.kind", "note", "braille"),
        ({"TERM": "xterm"}, (50, 24), "terminal.size", "bad", "60 × 20"),
        ({"TERM": "xterm"}, (70, 22), "terminal.size", "note", "80 × 24"),
        ({"TERM": "xterm-256color"}, (80, 24), "terminal.colours", "note", "COLORTERM"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, (80, 24), "terminal.colours", "good", "NO_COLOR"),
        ({"TERM": "tmux-256color", "TMUX": "x"}, (80, 24), "terminal.between", "note", "set-clipboard"),
        ({"TERM": "screen", "STY": "x"}, (80, 24), "terminal.between", "note", "OSC 52"),
        ({"TERM": "xterm", "SSH_CONNECTION": "x"}, (80, 24), "terminal.between", "good", "ssh"),
    ],
)
def test_what_the_environment_tells(
    environ: dict[str, str], size: tuple[int, int], finding_id: str, standing: str, words: str
) -> None:
    found = {one.id: one for one in terminal.findings(Answers({}), size, environ)}[finding_id]
    assert found.standing == standing
    assert words in f"{found.said.en} {found.advice.en if found.advice else ''}"


def call(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    status = main(["doctor", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's folder, not yet there; whatever terminal the tests run in is left alone."""
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path / "mine"))
    monkeypatch.setattr(asking, "TERMINAL", "/no/terminal")
    monkeypatch.setattr("tui.shell.doctor._size", lambda: None)
    monkeypatch.setenv("TERM", "xterm-256color")
    return tmp_path / "mine"


@pytest.mark.parametrize(("lang", "words"), [("en", "Nothing is in the way"), ("zh", "一切正常")])
def test_where_nothing_is_wrong_the_status_is_0_and_nothing_is_made(
    mine: Path, capsys: Capture, lang: str, words: str
) -> None:
    status, out, err = call(capsys, "--lang", lang)
    assert status == 0, out
    assert words in err
    assert "✗" not in out
    assert max(map(cell_len, out.splitlines())) <= 80
    assert not mine.exists()


def test_what_is_wrong_is_said_with_its_line_and_the_status_is_1(mine: Path, capsys: Capture) -> None:
    mine.mkdir()
    (mine / "settings.toml").write_text("\nnew_per_days = 3\n", encoding="utf-8")
    status, out, err = call(capsys, "--json")
    document = json.loads(out)
    assert (status, document["ok"]) == (1, False)
    wrong = [one for one in document["findings"] if one["standing"] == "bad"]
    assert [one["id"] for one in wrong] == ["files.settings"]
    assert "settings.toml:2" in wrong[0]["said"]["en"]
    assert wrong[0]["advice"]["zh"]
    assert err == ""
    # true of both: the app goes on, a call of the shell does not
    assert "the app goes on without what it sets" in wrong[0]["advice"]["en"]
    assert main(["list"]) == 2


def test_a_damaged_log_is_told_and_left_as_it_is(mine: Path, capsys: Capture) -> None:
    mine.mkdir()
    (mine / FILE_NAME).write_bytes(b"SQLite format 3\x00" + b"no database " * 500)
    before = (mine / FILE_NAME).read_bytes()
    status, out, _ = call(capsys)
    assert status == 1
    assert "proofdeck log restore" in " ".join(out.split())
    assert (mine / FILE_NAME).read_bytes() == before
    assert [path.name for path in mine.iterdir()] == [FILE_NAME]


def test_a_sound_log_is_compared_with_its_replay_unless_it_is_long(
    mine: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.shell.test_log import reviewed

    mine.mkdir()
    reviewed(mine, 5)
    assert "5 entries; the schedule is their replay" in " ".join(call(capsys)[1].split())
    monkeypatch.setattr(files, "CHECKED_ENTRIES", 4)
    assert "proofdeck log check" in " ".join(call(capsys)[1].split())


def test_extras_are_read_from_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = [
        "click>=8.4",
        "no-such-package>=1",
        'typst<0.16,>=0.15; extra == "pdf"',
        'no-such-server>=1; extra == "serve"',
        'fsrs[optimizer]==6.3.2; extra == "fit"',
        'pytest>=8; extra == "test"',
    ]
    monkeypatch.setattr(machine, "requires", lambda _: declared)
    versions = {"click": "8.5", "typst": "0.15.2", "fsrs": "6.3.2", "proofdeck": "0.1.0"}
    monkeypatch.setattr(machine, "_installed", lambda name: versions.get(name, ""))
    found = {one.id: one for one in machine.findings("en", {})}
    assert found["machine.packages"].standing == "bad"
    assert "no-such-package: not installed" in found["machine.packages"].said.en
    assert found["machine.extra-pdf"].said.en == "typst 0.15.2"
    advice = found["machine.extra-serve"].advice
    assert advice is not None
    assert "pip install 'proofdeck[serve]'" in advice.zh
    # its optimizer needs torch, which is not there
    assert found["machine.extra-fit"].standing == "note"
    assert "machine.extra-test" not in found
