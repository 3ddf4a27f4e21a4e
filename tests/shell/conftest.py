"""The shipped cards are read once for all calls of a run, as they are on a person's machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quizbank.bank import load_bank
from quizbank.home import Home


@pytest.fixture(scope="session")
def read_before(computed: Home) -> Path:
    """The folder in which cards are kept once they were read."""
    load_bank(computed, lenient=True)
    return computed.cache / "cards"


@pytest.fixture(autouse=True)
def _cards_read_before(home: Path, read_before: Path) -> None:
    cards = Home.in_folder(home).cache / "cards"
    cards.mkdir(parents=True)
    # another worker may be about to keep one more
    for kept in read_before.glob("*.json"):
        shutil.copy(kept, cards)
