"""The row softmax of proofs: written out only when its scores are, exact where they are masked."""

from __future__ import annotations

import pytest
import sympy as sp

from engine.proof.row_softmax import RowSoftmax

X = sp.MatrixSymbol("X", 2, 2)


def test_it_waits_for_explicit_scores_and_then_sums_to_one() -> None:
    waiting = RowSoftmax(X * X.T).doit()
    assert isinstance(waiting, RowSoftmax)
    assert waiting.shape == (2, 2)
    a, b = sp.symbols("a b", real=True)
    done = waiting.subs(X, sp.ImmutableMatrix([[a, b], [b, a]])).doit()
    assert isinstance(done, sp.ImmutableMatrix)
    assert all(sp.cancel(sum(done.row(i))) == 1 for i in range(2))
    assert done[0, 0] == sp.exp(a**2 + b**2) / (sp.exp(a**2 + b**2) + sp.exp(2 * a * b))


def test_a_masked_score_gets_exactly_zero() -> None:
    s = sp.Symbol("s", real=True)
    assert RowSoftmax(sp.ImmutableMatrix([[s, -sp.oo]])).doit() == sp.ImmutableMatrix([[1, 0]])


def test_a_row_with_everything_masked_is_refused() -> None:
    with pytest.raises(ValueError, match="every score -oo"):
        RowSoftmax(sp.ImmutableMatrix([[-sp.oo, -sp.oo]])).doit()


def test_it_prints_what_it_is() -> None:
    assert sp.latex(RowSoftmax(X)) == r"\operatorname{softmax}\left(X\right)"
