"""A fault that ends the app: a few lines for the person, the whole of it in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text import Language
from tests.app.driving import make_app
from tui.fault_report import FILE_NAME
from tui.screens.home import HomeScreen


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("a fault of its own: ", "start it again", "attach")), ("zh", ("自身故障", "重新启动", "附上"))],
)
def test_a_fault_of_the_app_is_told_in_a_few_lines_and_written_in_full(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    language: Language,
    words: tuple[str, ...],
) -> None:
    def begin(_: HomeScreen) -> None:
        kept_back = "what a person typed"
        raise ValueError(f"no such [bold]thing[/]\x1b[2J {len(kept_back)}")

    monkeypatch.setattr(HomeScreen, "begin", begin)
    monkeypatch.setenv("COLUMNS", "80")
    app = make_app(home, language)
    app.run(headless=True)
    assert app.return_code == 1
    told = capsys.readouterr().err
    assert len(told.splitlines()) < 10
    assert "\x1b[2J" not in told
    joined = told.replace("\n", "").replace(" ", "")
    for word in (*words, "ValueError: no such [bold]thing[/]", "test_fault.py:", str(home / FILE_NAME)):
        assert word.replace(" ", "") in joined
    written = (home / FILE_NAME).read_text(encoding="utf-8")
    assert "Traceback" in written
    assert "raise ValueError" in written
    assert "textual " in written
    assert "what a person typed" not in written.replace('kept_back = "what a person typed"', "")


def test_a_folder_that_cannot_be_written_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def begin(_: HomeScreen) -> None:
        (home / FILE_NAME).mkdir(parents=True)
        raise ValueError("again")

    monkeypatch.setattr(HomeScreen, "begin", begin)
    app = make_app(home, "en")
    app.run(headless=True)
    assert app.return_code == 1
    assert "could not be written (" in capsys.readouterr().err.replace("\n", " ")
