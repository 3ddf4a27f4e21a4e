"""A deck edited while it is studied: the bank read again, and what that does to the cards there were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quizbank.bank import Bank
from quizbank.card import Outline
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
    missing = [card_id for card_id in old.cards.ids if card_id not in new]
    faulty = {card for card in missing if any(_of_file(fault, old.outlines[card]) for fault in new.faults)}
    hidden = old.cards.chosen(card for card in missing if card in faulty)
    gone = old.cards.chosen(card for card in missing if card not in faulty)
    fresh = new.cards.chosen(card for card in new.cards.ids if card not in old)
    asked = {card.question: card.id for card in fresh} if gone else {}
    bank = new if not hidden else new.with_cards(new.cards.joined(hidden))
    return Renewal(
        bank,
        tuple(hidden.ids),
        tuple(gone.ids),
        tuple((card.id, asked[card.question]) for card in gone if card.question in asked),
        tuple(fault for fault in new.faults if fault not in old.faults),
    )


def _of_file(fault: Fault, card: Outline) -> bool:
    """Whether a fault is in the file that the card stood in: places are ``file:line:column``."""
    return fault.where == card.file or fault.where.startswith(f"{card.file}:")
