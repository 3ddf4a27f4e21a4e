"""Expectations of polynomials in independent random variables, by their moments alone.

No distribution is assumed: E[x^a y^b] = E[x^a] E[y^b] for independent x, y, and each power's
expectation is a given moment. This decides in milliseconds what ``sympy.stats`` needs seconds for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from engine.proof.step import Expr


class Expectation(sp.Expr):
    """``E[polynomial]``; printed as such, evaluated by ``doit``.

    ``moments`` maps each random symbol to its first, second, … raw moments. Symbols not listed are
    constants. The listed ones are independent.

    Raises (from ``doit``):
        ValueError: not a polynomial in the random symbols, or a power whose moment is not given.
    """

    is_commutative = True

    def __new__(cls, polynomial: Expr, moments: Mapping[Expr, Sequence[Expr]]) -> Expectation:
        law = sp.Dict({symbol: sp.Tuple(*row) for symbol, row in moments.items()})
        return sp.Expr.__new__(cls, sp.sympify(polynomial), law)

    @property
    def bound_symbols(self) -> list[Expr]:
        """The random symbols: averaged over, so not free."""
        return sorted(self.args[1].keys(), key=sp.default_sort_key)

    @property
    def free_symbols(self) -> set[Expr]:
        polynomial, law = self.args
        moments = set().union(*(row.free_symbols for row in law.values()))
        return (polynomial.free_symbols - set(law.keys())) | moments

    def _eval_subs(self, old: Expr, new: Expr) -> Expr | None:
        """A random symbol has no value to put in its place."""
        return self if old in self.args[1] else None

    def doit(self, **_hints: object) -> Expr:
        polynomial, law = self.args[0].doit(), self.args[1]
        variables = sorted(polynomial.free_symbols & set(law.keys()), key=str)
        if not variables:
            return polynomial
        total = sp.Integer(0)
        try:
            terms = sp.Poly(sp.expand(polynomial), *variables).terms()
        except sp.PolynomialError as error:
            raise ValueError(f"moments decide polynomials only: {error}") from error
        for powers, coefficient in terms:
            term = coefficient
            for variable, power in zip(variables, powers, strict=True):
                if power > len(law[variable]):
                    raise ValueError(f"no moment of order {power} is given for {variable}")
                if power:
                    term *= law[variable][power - 1]
            total += term
        return sp.expand(total)

    def _latex(self, printer: object) -> str:
        return rf"\mathbb{{E}}\left[{printer._print(self.args[0])}\right]"  # type: ignore[attr-defined]


class Variance(Expectation):
    """``Var(polynomial) = E[polynomial²] - E[polynomial]²`` under the same law."""

    def doit(self, **_hints: object) -> Expr:
        polynomial, law = self.args[0].doit(), self.args[1]
        return sp.expand(Expectation(polynomial**2, law).doit() - Expectation(polynomial, law).doit() ** 2)

    def _latex(self, printer: object) -> str:
        return rf"\operatorname{{Var}}\left({printer._print(self.args[0])}\right)"  # type: ignore[attr-defined]
