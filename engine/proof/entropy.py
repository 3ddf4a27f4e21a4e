"""Entropies of a joint law of a few discrete variables, printed as H(x | y), evaluated from the law's cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from engine.proof.step import Expr


class Entropy(sp.Expr):
    """``H(of | given)`` in nats, of a joint law; printed as such, evaluated by ``doit``.

    ``law`` maps each outcome (x_1, …, x_n), a tuple of whole numbers, to its positive probability; ``of`` and
    ``given`` are numbers of variables, counted from 1.
    """

    def __new__(cls, law: Mapping[Any, Expr], of: Sequence[int], given: Sequence[int] = ()) -> Entropy:
        cells = sp.Dict({sp.Tuple(*outcome): probability for outcome, probability in law.items()})
        return sp.Expr.__new__(cls, cells, sp.Tuple(*of), sp.Tuple(*given))

    def doit(self, **_hints: object) -> Expr:
        cells, of, given = self.args
        # H(x | y) = -sum p(x, y) log (p(x, y) / p(y))
        joint, condition = _marginal(cells, (*of, *given)), _marginal(cells, given)
        # factored apart, common factors cancel as they meet: half the time of one cancel over both
        factored = {key: sp.factor(probability) for key, probability in condition.items()}
        return -sum(
            probability * sp.log(sp.factor(probability) / factored[key[len(of) :]])
            for key, probability in joint.items()
        )

    def _latex(self, printer: object) -> str:
        _, of, given = self.args
        names = [", ".join(f"x_{{{number}}}" for number in group) for group in (of, given)]
        return rf"H\left({names[0]} \mid {names[1]}\right)" if given else rf"H\left({names[0]}\right)"


def _marginal(cells: Expr, variables: Sequence[Expr]) -> dict[tuple[Expr, ...], Expr]:
    total: dict[tuple[Expr, ...], Expr] = {}
    for outcome, probability in cells.items():
        key = tuple(outcome[number - 1] for number in variables)
        total[key] = total.get(key, sp.Integer(0)) + probability
    return total
