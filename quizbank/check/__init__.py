"""The content compiler: what a bank promises, checked as a whole and reported in one run.

The file boundary (:mod:`quizbank.schema`) sees that each card has the right form. Here it is checked
against everything else: the inventory of claims, the bibliography, the demonstrations and what they
compute, the notation, the other language.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.proof.derivation import ProofCache
from quizbank.bank import Bank
from quizbank.check.drills import drill_faults
from quizbank.check.formulas import formula_faults
from quizbank.check.languages import language_faults
from quizbank.check.numerals import numeral_faults
from quizbank.check.references import card_reference_faults, reference_file_faults
from quizbank.check.slots import slot_faults
from quizbank.check.view import View
from quizbank.fault import Fault, shown
from quizbank.slots import Quantities


def check_bank(bank: Bank, quantities: Quantities, proofs: ProofCache | None = None) -> tuple[Fault, ...]:
    """Every fault of the bank, those found on loading included.

    ``proofs`` is where names of steps are looked up; without it derivations are built again.
    """
    return tuple(dict.fromkeys(_faults(View(bank, quantities, proofs))))


def _faults(view: View) -> Iterator[Fault]:
    yield from view.bank.faults
    for card in view.bank.cards:
        for rule in (
            card_reference_faults,
            slot_faults,
            formula_faults,
            language_faults,
            numeral_faults,
            drill_faults,
        ):
            try:
                yield from rule(view, card)
            except Exception as error:
                # a demonstration that cannot run takes its card along, not the rest of the bank
                name, reason = type(error).__name__, shown(error, 120)
                en, zh = (
                    f"a demonstration of it failed with {name}: {reason}",
                    f"其演示因 {name} 中断：{reason}",
                )
                yield view.fault(card, (), en, zh)
    yield from reference_file_faults(view)
