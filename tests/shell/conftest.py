"""The shipped cards are read once for all calls of a run, as they are on a person's machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quizbank.bank import load_bank
from quizbank.home import Home


@pytest.fixture(scope="session")
def read_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of a home in which the cards were read."""
    home = Home.in_folder(tmp_path_factory.mktemp("read-before"))
    load_bank(home, lenient=True)
    return home.cache


@pytest.fixture(autouse=True)
def _cards_read_before(home: Path, read_before: Path) -> None:
    shutil.copytree(read_before, Home.in_folder(home).cache, dirs_exist_ok=True)
