"""The content compiler: what a bank promises, checked as a whole and reported in one run.

The file boundary (:mod:`quizbank.schema`) sees that each card has the right form. Here it is checked
against everything else: the inventory of claims, the bibliography, the demonstrations and what they
compute, the notation, the other language, the grader, the other cards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engine.answers.worker import Judge
from engine.proof.derivation import ProofCache
from quizbank.bank import Bank
from quizbank.check.card_sets import set_faults
from quizbank.check.completeness import completeness_faults
from quizbank.check.drills import drill_faults
from quizbank.check.formulas import formula_faults
from quizbank.check.glossary import glossary_faults, wording_faults
from quizbank.check.languages import language_faults
from quizbank.check.numerals import numeral_faults
from quizbank.check.questions import question_faults
from quizbank.check.references import card_reference_faults, reference_file_faults
from quizbank.check.slots import slot_faults
from quizbank.check.traps import trap_faults
from quizbank.check.view import View
from quizbank.fault import Fault, shown
from quizbank.mending import Mended, mended_cards
from quizbank.slots import Quantities

_OF_PLAIN = (card_reference_faults, slot_faults, formula_faults)
"""Rules for a plain card: it can name what is not there and be written so that it cannot be shown, no more."""
DEADLINE = 10.0
"""Seconds to judge one answer; a drill that takes longer could not be answered by a person either."""


def check_bank(
    bank: Bank,
    quantities: Quantities,
    proofs: ProofCache | None = None,
    files: Collection[str] | None = None,
) -> tuple[Fault, ...]:
    """Every fault of the bank, those found on loading included; only those of ``files`` where given.

    A card whose form is at fault is checked in all the rest (:mod:`quizbank.mending`).

    ``proofs`` is where names of steps are looked up; without it derivations are built again. ``files``
    are named as places begin (:meth:`quizbank.bank.Deck.label`).
    """
    whole, mended = _with_mended(bank)
    with Judge(DEADLINE) as judge:
        view = View(whole, quantities, proofs, judge, mended)
        found = dict.fromkeys([*bank.faults, *filter(view.is_told, _faults(view, files))])
    if files is None:
        return tuple(found)
    return tuple(fault for fault in found if any(_within(fault.where, file) for file in files))


def _with_mended(bank: Bank) -> tuple[Bank, dict[str, Mended]]:
    """The bank with the cards that were refused for their form, as far as they can be mended."""
    mended: dict[str, Mended] = {}
    for deck in bank.decks:
        for file in deck.files:
            label = deck.label(file)
            if any(_within(fault.where, label) for fault in bank.faults):
                refused = (card for card in mended_cards(file, label) if card.card.id not in bank)
                mended |= {card.card.id: card for card in refused}
    if not mended:
        return bank, mended
    cards = (*bank.cards, *(card.card for card in mended.values()))
    return Bank(
        cards,
        bank.faults,
        lambda: bank.bibliography,
        lambda: bank.claims,
        bank.decks,
        lambda: bank.complete,
        lambda: {term.key: term for term in bank.glossary.terms},
        lambda: bank.sets,
    ), mended


def _within(where: str, file: str) -> bool:
    return where == file or where.startswith(f"{file}:")


def _faults(view: View, files: Collection[str] | None) -> Iterator[Fault]:
    for card in view.bank.cards:
        if files is not None and view.file(card) not in files:
            continue
        for rule in (
            card_reference_faults,
            slot_faults,
            formula_faults,
            language_faults,
            wording_faults,
            numeral_faults,
            drill_faults,
        ):
            try:
                if not card.is_plain or rule in _OF_PLAIN:
                    yield from rule(view, card)
            except Exception as error:
                # a demonstration that cannot run takes its card along, not the rest of the bank
                name, reason = type(error).__name__, shown(error, 120)
                en, zh = (
                    f"a demonstration of it failed with {name}: {reason}",
                    f"其演示因 {name} 中断：{reason}",
                )
                yield view.fault(card, (), en, zh)
    yield from question_faults(view)
    yield from completeness_faults(view)
    yield from reference_file_faults(view)
    yield from trap_faults(view)
    yield from glossary_faults(view)
    yield from set_faults(view)
