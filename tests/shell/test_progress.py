"""A long call says how far it has come, to a terminal alone, and leaves a clean line."""

from __future__ import annotations

import io
import sys

import pytest

from tui.shell.progress import WRITING, shown_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("language", "said"), [("en", "writing: 50%"), ("zh", "正在写出：50%")])
def test_a_terminal_is_told_and_its_line_is_left_clean(
    monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with shown_progress(WRITING, language) as told:
        for share in (0.5, 0.501, 1.0):
            told(share)
        written = sys.stderr.getvalue()
        # once, though it was told twice
        assert written.count(said) == 1
    last = sys.stderr.getvalue().split("\r")
    assert last[-2].strip() == last[-1] == ""
    assert len(last[-2]) >= len(said)


def test_a_file_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with shown_progress(WRITING, "en") as told:
        told(0.5)
    assert sys.stderr.getvalue() == ""
