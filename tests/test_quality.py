"""The standing checks: lint, format, types, and the one direction of imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sys.executable).parent


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "-m", "ruff", "check", "."], id="ruff-check"),
        pytest.param([sys.executable, "-m", "ruff", "format", "--check", "."], id="ruff-format"),
        pytest.param([sys.executable, "-m", "mypy"], id="mypy"),
        pytest.param([str(SCRIPTS / "lint-imports"), "--no-cache"], id="import-linter"),
    ],
)
def test_standing_check(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
