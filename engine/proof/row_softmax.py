"""The softmax of each row of a matrix, as an object that prints as such and is evaluated when decided."""

from __future__ import annotations

import sympy as sp

from engine.proof.step import Expr


class RowSoftmax(sp.MatrixExpr):
    """``softmax(scores)``, row by row; an entry -oo gets exactly zero.

    ``doit`` writes the entries out once the scores are an explicit matrix; before, it stays as it is.

    Raises (from ``doit``):
        ValueError: a row of nothing but -oo.
    """

    def __new__(cls, scores: Expr) -> RowSoftmax:
        return sp.MatrixExpr.__new__(cls, sp.sympify(scores))

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.args[0].shape

    def doit(self, **hints: object) -> Expr:
        scores = self.args[0].doit(**hints)
        if not isinstance(scores, sp.MatrixBase):
            return RowSoftmax(scores)
        rows = [[sp.exp(score) for score in scores.row(i)] for i in range(scores.rows)]
        if any(all(power == 0 for power in row) for row in rows):
            raise ValueError("a row with every score -oo has no softmax")
        return sp.ImmutableMatrix([[power / sum(row) for power in row] for row in rows])

    def _latex(self, printer: object) -> str:
        return rf"\operatorname{{softmax}}\left({printer._print(self.args[0])}\right)"  # type: ignore[attr-defined]
