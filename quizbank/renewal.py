"""A deck edited while it is studied: the bank read again, and what that does to the cards there were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.fault import Fault


def deck_state(decks: Sequence[Path]) -> tuple[tuple[str, int, int], ...]:
    """Path, size and time of change (ns) of every file of these decks; another value once anything has changed."""
    found = []
    for deck in decks:
        try:
            files = sorted(deck.iterdir()) if deck.is_dir() else [deck]
        except OSError:
            continue
        for file in files:
            if file.suffix in (".yaml", ".yml"):
                try:
                    status = file.stat()
                except OSError:
                    continue
                found.append((str(file), status.st_size, status.st_mtime_ns))
    return tuple(found)


@dataclass(frozen=True)
class Renewal:
    """``bank`` as it is now: read anew, with the cards of ``kept``, which a fault in their file hides, as they were.

    ``lost`` are ids that no file holds any more; ``renamed`` are (old id, new id) of cards that ask the same.
    ``faults`` are those that were not there before.
    """

    bank: Bank
    kept: tuple[str, ...]
    lost: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    faults: tuple[Fault, ...]


def renewal(old: Bank, new: Bank) -> Renewal:
    """What became of the cards of ``old`` in ``new``, which was read from the same decks later."""
    missing = [card for card in old.cards if card.id not in new]
    hidden = [card for card in missing if any(_of_file(fault, card) for fault in new.faults)]
    gone = [card for card in missing if card not in hidden]
    asked = {card.question: card.id for card in new.cards if card.id not in old}
    bank = new if not hidden else new.with_cards((*new.cards, *hidden))
    return Renewal(
        bank,
        tuple(card.id for card in hidden),
        tuple(card.id for card in gone),
        tuple((card.id, asked[card.question]) for card in gone if card.question in asked),
        tuple(fault for fault in new.faults if fault not in old.faults),
    )


def _of_file(fault: Fault, card: Card) -> bool:
    """Whether a fault is in the file that the card stood in: places are ``file:line:column``."""
    file = card.place.rsplit(":", 2)[0]
    return fault.where == file or fault.where.startswith(f"{file}:")
