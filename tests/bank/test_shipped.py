"""The bank that ships keeps every promise the compiler knows of."""

from __future__ import annotations

import pytest

from quizbank.bank import load_bank
from quizbank.card import ChoiceDrill
from quizbank.check import check_bank
from quizbank.home import Home
from quizbank.slots import Quantities


def test_no_choice_is_called_what_its_answer_is_called(computed: Home) -> None:
    # a drawn paper names its questions, and whoever sits it may read the file
    telling = [
        f"{card.id}/{drill.id}"
        for card in load_bank(computed).cards
        for drill in card.drills
        if isinstance(drill, ChoiceDrill)
        for option in drill.options
        if option.right and {word[:5] for word in option.id.split("-")} & {w[:5] for w in drill.id.split("-")}
    ]
    assert telling == []


@pytest.mark.slow
def test_the_shipped_bank_has_no_fault(computed: Home) -> None:
    faults = check_bank(load_bank(computed, lenient=True), Quantities(computed.cache / "quantities"))
    assert [fault.line("en") for fault in faults] == []
