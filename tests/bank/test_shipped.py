"""The bank that ships keeps every promise the compiler knows of."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizbank.bank import load_bank
from quizbank.check import check_bank
from quizbank.home import Home
from quizbank.slots import Quantities


@pytest.mark.slow
def test_the_shipped_bank_has_no_fault(tmp_path: Path) -> None:
    home = Home.in_folder(tmp_path)
    faults = check_bank(load_bank(home, lenient=True), Quantities(home.cache / "quantities"))
    assert [fault.line("en") for fault in faults] == []
