"""A small bank for the tests of sheets: the sample deck, with what its cards refer to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.text import same
from quizbank.bank import Bank, load_bank
from quizbank.card import Card
from quizbank.home import Home
from quizbank.sheets.document import Document
from quizbank.sheets.export import drawing
from quizbank.sheets.formats import FORMATS, Options
from quizbank.slots import Quantities

SAMPLE = Path(__file__).parent.parent / "data" / "sample_cards.yaml"

HOSTILE = (
    "<script>alert(1)</script> ]]> $$ {{c1::x}} \x1b]52;c;eA==\x07 \u202eevil &amp; *star* _under_ `tick "
    "[MASK] h[t-1] | # 1. - > ![x](http://example.invalid/x.png)"
)


@pytest.fixture(scope="session")
def shipped(computed: Home) -> Bank:
    """The whole bank."""
    return load_bank(computed)


@pytest.fixture(scope="session")
def whole(computed: Home, shipped: Bank) -> Document:
    """The sheet of the whole bank, in both languages, with all that backs it. For slow tests."""
    quantities = Quantities(computed.cache / "quantities")
    made = drawing(shipped.cards, shipped, quantities, FORMATS["html"], Options(), cache=computed.cache)
    assert isinstance(made, Document)
    return made


@pytest.fixture(scope="session")
def bank(computed: Home) -> Bank:
    return load_bank(computed, [SAMPLE])


@pytest.fixture(scope="session")
def card(bank: Bank) -> Card:
    return bank.card("sample-attention-scale")


@pytest.fixture(scope="session")
def quantities(computed: Home) -> Quantities:
    return Quantities(computed.cache / "quantities")


@pytest.fixture(scope="session")
def hostile_card(card: Card) -> Card:
    """The sample card with hostile text wherever plain text may stand."""
    text = same(HOSTILE.replace("$$", "\\$\\$").replace("`", ""))
    return replace(
        card,
        question=text,
        spoken=text,
        answer=text,
        key_points=tuple(replace(point, text=text) for point in card.key_points),
        trap=replace(card.trap, popular=text, correction=text, refuted_by=HOSTILE),
        follow_ups=tuple(replace(each, question=text, answer=text) for each in card.follow_ups),
        sources=tuple(replace(source, where=same(HOSTILE)) for source in card.sources),
    )
