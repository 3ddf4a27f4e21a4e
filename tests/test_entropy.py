"""Entropies evaluate to what the cells of the law say."""

from __future__ import annotations

import sympy as sp

from engine.proof.entropy import Entropy
from engine.proof.ladder import decide
from engine.proof.step import Relates, Status

FAIR = {(i, j): sp.Rational(1, 4) for i in (0, 1) for j in (0, 1)}
COPIED = {(0, 0): sp.Rational(1, 2), (1, 1): sp.Rational(1, 2)}


def test_two_coins_have_two_bits_and_a_copy_tells_everything() -> None:
    assert Entropy(FAIR, (1, 2)).doit().equals(2 * sp.log(2))
    assert Entropy(FAIR, (2,), (1,)).doit().equals(sp.log(2))
    assert Entropy(COPIED, (2,), (1,)).doit() == 0
    assert Entropy(COPIED, (1, 2)).doit().equals(sp.log(2))


def test_the_chain_rule_of_entropy_holds_for_any_law_and_a_wrong_one_is_refuted() -> None:
    cells = {(i, j): sp.Symbol(f"p_{i}{j}", positive=True) for i in (0, 1) for j in (0, 1)}
    law = {outcome: cell / sum(cells.values()) for outcome, cell in cells.items()}
    both, first = Entropy(law, (1, 2)), Entropy(law, (1,))
    assert decide(Relates(both, "=", first + Entropy(law, (2,), (1,)))).status is Status.PROVED
    assert decide(Relates(both, "=", first + Entropy(law, (2,)))).status is Status.REFUTED


def test_it_prints_as_the_field_writes_it() -> None:
    assert sp.latex(Entropy(FAIR, (2,), (1,))) == r"H\left(x_{2} \mid x_{1}\right)"
    assert sp.latex(Entropy(FAIR, (1, 2))) == r"H\left(x_{1}, x_{2}\right)"
