"""Explicit matrices put for matrix symbols, to find where two matrix expressions differ."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product

import sympy as sp

from engine.proof.counterexample import Point, assigned_latex, certainly_nonzero, entry_latex, points
from engine.proof.step import Expr

ATTEMPTS = 8


def unequal_matrices_at(lhs: Expr, rhs: Expr) -> str | None:
    """Where an entry of the two certainly differs, as LaTeX, at small integer matrices and rational scalars.

    Sizes that are symbols are all 2 in the first half of the attempts, for easy reading, then 2, 3 and 4 in turn. None if nothing was found.
    """
    symbols = sorted(lhs.atoms(sp.MatrixSymbol) | rhs.atoms(sp.MatrixSymbol), key=str)
    sides = [sp.sympify(side) for value in (lhs, rhs, *symbols) for side in value.shape]
    sizes = sorted({symbol for side in sides for symbol in side.free_symbols}, key=str)
    scalars = sorted(
        {s for s in lhs.free_symbols | rhs.free_symbols if isinstance(s, sp.Symbol)} - set(sizes),
        key=sp.default_sort_key,
    )
    chance = random.Random(1)
    scalar_points = list(points(scalars, ATTEMPTS)) if scalars else [{}] * ATTEMPTS
    for attempt, scalar_point in enumerate(scalar_points):
        known: Point = {
            size: sp.Integer(2 if attempt < ATTEMPTS // 2 else 2 + (i + attempt) % 3)
            for i, size in enumerate(sizes)
        } | scalar_point
        shown: Point = dict(scalar_point)
        for symbol in symbols:
            rows, columns = (int(sp.sympify(side).subs(known)) for side in symbol.shape)
            shown[symbol] = sp.ImmutableMatrix(rows, columns, lambda *_: chance.randint(-3, 3))
        try:
            left, right = (_explicit(side, shown, known) for side in (lhs, rhs))
        # a singular matrix where an inverse is asked for, or an operation not listed below
        except (ValueError, TypeError, NotImplementedError):
            continue
        if left.shape != right.shape:
            continue
        for row, column in product(range(left.rows), range(left.cols)):
            here, there = left[row, column], right[row, column]
            if certainly_nonzero(here - there):
                return rf"{assigned_latex(shown)}:\ {entry_latex(row, column)}{sp.latex(here)} \neq {sp.latex(there)}"
    return None


def _explicit(side: Expr, values: Mapping[Expr, Expr], scalars: Mapping[Expr, Expr]) -> Expr:
    """The side's value, every operation carried out on explicit matrices.

    Raises:
        NotImplementedError: an operation that is none of these.
    """
    if isinstance(side, sp.MatrixSymbol):
        return values[side]
    if isinstance(side, sp.MatrixBase):
        return side.subs(scalars)
    if isinstance(side, sp.Identity):
        return sp.eye(int(sp.sympify(side.shape[0]).subs(scalars)))
    if isinstance(side, sp.ZeroMatrix):
        return sp.zeros(*(int(sp.sympify(n).subs(scalars)) for n in side.shape))
    if not side.has(sp.MatrixExpr):
        return side.subs(scalars).doit()
    parts = [_explicit(part, values, scalars) for part in side.args]
    match side:
        case sp.Transpose():
            return parts[0].T
        case sp.Inverse():
            return parts[0].inv()
        case sp.Trace():
            return parts[0].trace()
        case sp.Determinant():
            return parts[0].det()
        case sp.MatAdd() | sp.Add():
            return sum(parts[1:], parts[0])
        case sp.MatMul() | sp.Mul():
            product = parts[0]
            for part in parts[1:]:
                product = product * part
            return product
        case sp.MatPow() | sp.Pow():
            return parts[0] ** parts[1]
    raise NotImplementedError(type(side).__name__)
