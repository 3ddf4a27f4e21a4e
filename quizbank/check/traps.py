"""Cards whose traps the same step refutes lead to one another: one popular error, met from several sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quizbank.card import Card
from quizbank.check.view import View
from quizbank.fault import Fault


def trap_faults(view: View) -> Iterator[Fault]:
    """Traps of the shipped cards that leave another card with the same refutation out of reach."""
    shipped = {deck.label(file) for deck in view.bank.decks if deck.name for file in deck.files}
    yield from unlinked_traps([card for card in view.bank.cards if view.file(card) in shipped], view)


def unlinked_traps(cards: Iterable[Card], view: View) -> Iterator[Fault]:
    refuted: dict[str, list[Card]] = {}
    for card in cards:
        if card.trap.refuted_by:
            refuted.setdefault(card.trap.refuted_by, []).append(card)
    for group in refuted.values():
        first = group[0]
        within = _within_reach(first, group)
        for card in group:
            if card.id not in within:
                yield view.fault(
                    card,
                    ("trap", "refuted_by"),
                    f"{first.id} has the same refutation, and neither leads to the other",
                    f"{first.id} 的误区由同一处反驳，但两张卡片互不相通",
                )


def _within_reach(first: Card, group: list[Card]) -> set[str]:
    """The cards of the group that follow-ups and needs join to the first, whichever way they point."""
    joined = {card.id: {*card.needs, *(follow_up.card for follow_up in card.follow_ups)} for card in group}
    found = {first.id}
    grown = True
    while grown:
        more = {
            card.id
            for card in group
            if card.id not in found
            and (joined[card.id] & found or any(card.id in joined[known] for known in found))
        }
        found |= more
        grown = bool(more)
    return found
