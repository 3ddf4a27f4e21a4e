"""What every call over cards starts from: the person's folders, the bank, the computed values."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.text import Language
from quizbank.bank import Bank, load_bank
from quizbank.card import Card
from quizbank.home import Home
from quizbank.search import Wanted
from quizbank.settings import check_settings
from quizbank.slots import Quantities


@dataclass(frozen=True)
class Deck:
    home: Home
    bank: Bank
    quantities: Quantities


def open_deck(decks: Sequence[Path], language: Language, lenient: bool = False) -> Deck:
    """The shipped bank, the decks of the settings and these; their faults are told on stderr.

    Raises:
        InputError: a fault in the settings, a deck that is not there, a damaged shipped bank (unless ``lenient``).
    """
    home = Home.from_environment()
    own = check_settings(home.config).decks
    bank = load_bank(home, tuple(dict.fromkeys((*own, *decks))), lenient)
    if not lenient:
        for fault in bank.faults:
            print(fault.line(language), file=sys.stderr)
    return Deck(home, bank, Quantities(home.cache / "quantities"))


def matching(
    bank: Bank,
    topics: Sequence[str] = (),
    level: str | None = None,
    verdict: str | None = None,
    demo: str | None = None,
) -> Iterator[Card]:
    """The cards of the bank that match everything asked for, in the bank's order."""
    wanted = Wanted(tuple(topics), level or "", verdict or "", demo or "")
    yield from bank.cards.chosen(
        card_id for card_id, card in bank.cards.outlines() if wanted.admits(card_id, card)
    )
