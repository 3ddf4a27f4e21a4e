"""What the tests of PDF sheets share."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from quizbank.sheets.pdf import children


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The compilers that were started."""
    found: list[subprocess.Popen[bytes]] = []

    class Kept(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            found.append(self)

    monkeypatch.setattr(children.subprocess, "Popen", Kept)
    return found
