"""Deciding a relation between SymPy expressions: the cheapest sound method that succeeds.

Every rung that says *proved* is sound for all values the assumptions allow at which both sides are
defined; every rung that says *refuted* holds an exact or interval-enclosed counterexample. Nothing
here calls ``simplify``: its failure means nothing, and it does not finish on LSTM-sized expressions.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from engine.proof.counterexample import (
    assigned_latex,
    certainly_nonzero,
    entry_latex,
    free_symbols,
    negative_at,
    point_latex,
    points,
    unequal_at,
    value_at,
)
from engine.proof.normal_forms import METHODS, carried_out, exponentials_as_symbols, linear_sums, zero_by
from engine.proof.step import Expr, Relates, Status


@dataclass(frozen=True)
class Outcome:
    status: Status
    method: str
    counterexample: str = ""


UNDECIDED = Outcome(Status.UNDECIDED, "none")


def decide(claim: Relates) -> Outcome:
    """Decide ``claim``; ``undecided`` when no rung comes to a decision."""
    if claim.over:
        return _decide_cases(claim)
    try:
        lhs, rhs = _evaluated(claim.lhs, claim), _evaluated(claim.rhs, claim)
        witness = None if claim.witness is None else _evaluated(claim.witness, claim)
    # SymPy's way of saying that it cannot evaluate a limit, a sum, an integral
    except NotImplementedError:
        return UNDECIDED
    if claim.sampled:
        return _sample(lhs, rhs)
    if lhs.has(sp.Float) or rhs.has(sp.Float):
        return Outcome(Status.UNDECIDED, "inexact numbers")
    if lhs.has(sp.nan) or rhs.has(sp.nan):
        return Outcome(Status.UNDECIDED, "undefined")
    if claim.op == "=":
        outcome = _decide_equal(lhs, rhs)
        return _held_against_small_sizes(outcome, claim) if outcome.status is Status.PROVED else outcome
    if claim.op == "!=":
        return _decide_unequal(lhs, rhs)
    return _decide_order(lhs, claim.op, rhs, witness)


def _evaluated(side: Expr, claim: Relates) -> Expr:
    """The side with the lemmas put in and everything carried out.

    The lemmas come first: a derivative of a symbol that is defined as a function would else be
    carried out as that of a constant. They come again for what only the evaluation brings to light.
    """
    value = _with_lemmas(sp.sympify(side), claim)
    value = linear_sums(carried_out(value))
    return carried_out(_with_lemmas(value, claim)) if claim.using else value


def _with_lemmas(value: Expr, claim: Relates) -> Expr:
    for left, right in claim.using:
        value = value.xreplace({left: right})
        # subs also finds the left side inside powers and longer sums; in a derivative it would hold it constant
        if not value.has(sp.Derivative, sp.Subs):
            value = value.subs(left, right)
    return value


# equality


def _decide_equal(lhs: Expr, rhs: Expr) -> Outcome:
    if lhs == rhs:
        return Outcome(Status.PROVED, "structural")
    if _is_matrix(lhs) or _is_matrix(rhs):
        return _decide_equal_matrices(lhs, rhs)
    if not (isinstance(lhs, sp.Expr) and isinstance(rhs, sp.Expr)):
        return UNDECIDED
    method = zero_by(lhs - rhs)
    if method is not None:
        return Outcome(Status.PROVED, method)
    point = unequal_at(lhs, rhs)
    if point is not None:
        return Outcome(Status.REFUTED, "counterexample", point_latex(point, lhs, rhs))
    return UNDECIDED


def _held_against_small_sizes(outcome: Outcome, claim: Relates) -> Outcome:
    """SymPy's closed forms of sums and products with symbolic bounds, tried against plain addition.

    A disagreement means that SymPy's closed form is wrong somewhere: then nothing is decided.
    """
    sides = [sp.sympify(side) for side in (claim.lhs, claim.rhs)]
    bounds = {
        symbol
        for side in sides
        for total in side.atoms(sp.Sum, sp.Product)
        for limits in total.limits
        for end in limits[1:]
        for symbol in end.free_symbols
    }
    if not bounds or claim.using:
        return outcome
    for point in points(free_symbols(*sides), count=3):
        left, right = (value_at(side, point) for side in sides)
        if left is not None and right is not None and certainly_nonzero(left - right):
            return Outcome(Status.UNDECIDED, "closed form disagrees with plain addition")
    return outcome


# matrices


def _is_matrix(value: Expr) -> bool:
    return isinstance(value, sp.MatrixBase | sp.MatrixExpr)


def _decide_equal_matrices(lhs: Expr, rhs: Expr) -> Outcome:
    if not (_is_matrix(lhs) and _is_matrix(rhs)):
        return Outcome(Status.REFUTED, "shape", rf"{_shape(lhs)} \neq {_shape(rhs)}")
    for left, right in zip(lhs.shape, rhs.shape, strict=True):
        sizes = _decide_equal(sp.sympify(left), sp.sympify(right))
        if sizes.status is Status.REFUTED:
            return Outcome(Status.REFUTED, "shape", rf"{_shape(lhs)} \neq {_shape(rhs)}")
        if sizes.status is Status.UNDECIDED:
            return UNDECIDED
    if not (isinstance(lhs, sp.MatrixBase) and isinstance(rhs, sp.MatrixBase)):
        by_algebra = _decide_equal_matrix_expressions(lhs, rhs)
        if by_algebra.status is not Status.UNDECIDED or not all(_has_known_size(side) for side in (lhs, rhs)):
            return by_algebra
        lhs, rhs = lhs.as_explicit(), rhs.as_explicit()
    methods = ["structural"]
    for row in range(lhs.rows):
        for column in range(lhs.cols):
            entry = _decide_equal(lhs[row, column], rhs[row, column])
            if entry.status is not Status.PROVED:
                text = entry_latex(row, column) + entry.counterexample if entry.counterexample else ""
                return Outcome(entry.status, entry.method, text)
            methods.append(entry.method)
    return Outcome(Status.PROVED, max(methods, key=METHODS.index))


def _has_known_size(value: Expr) -> bool:
    return all(sp.sympify(side).is_Integer for side in value.shape)


def _shape(value: Expr) -> str:
    if not _is_matrix(value):
        return r"\mathbb{R}"
    rows, columns = (sp.latex(side) for side in value.shape)
    return rf"\mathbb{{R}}^{{{rows} \times {columns}}}"


def _decide_equal_matrix_expressions(lhs: Expr, rhs: Expr) -> Outcome:
    """Matrix symbols, of general or of given sizes, by the rules of matrix algebra."""
    from engine.proof.matrix_values import unequal_matrices_at

    if lhs.doit() == rhs.doit() or (lhs - rhs).doit().expand().doit().is_ZeroMatrix:
        return Outcome(Status.PROVED, "matrix algebra")
    found = unequal_matrices_at(lhs, rhs)
    return UNDECIDED if found is None else Outcome(Status.REFUTED, "counterexample", found)


# other relations


def _decide_unequal(lhs: Expr, rhs: Expr) -> Outcome:
    equality = _decide_equal(lhs, rhs)
    match equality.status:
        case Status.REFUTED:
            return Outcome(Status.PROVED, "witness", equality.counterexample)
        case Status.PROVED:
            return Outcome(Status.REFUTED, equality.method, rf"{sp.latex(lhs)} \equiv {sp.latex(rhs)}")
        case _:
            return equality


def _decide_order(lhs: Expr, op: str, rhs: Expr, witness: Expr | None) -> Outcome:
    if not (isinstance(lhs, sp.Expr) and isinstance(rhs, sp.Expr)) or _is_matrix(lhs) or _is_matrix(rhs):
        return UNDECIDED
    difference = lhs - rhs if op in (">", ">=") else rhs - lhs
    strict = op in ("<", ">")
    if witness is not None and _signed(witness, strict):
        same = _decide_equal(difference, witness)
        if same.status is Status.PROVED:
            return Outcome(Status.PROVED, f"sign of a witness ({same.method})")
    if _signed(difference, strict):
        return Outcome(Status.PROVED, "sign")
    if not difference.has(*_NO_FRACTION):
        for method, form in _factored_forms(difference):
            if _signed(form, strict):
                return Outcome(Status.PROVED, method)
    found = negative_at(difference, strictly=not strict)
    if found is not None:
        return Outcome(Status.REFUTED, "counterexample", point_latex(found, lhs, rhs, _NEGATED[op]))
    return UNDECIDED


_NEGATED = {"<": r"\geq", "<=": ">", ">": r"\leq", ">=": "<"}
_NO_FRACTION = (sp.Piecewise, sp.Sum, sp.Product, sp.Limit, sp.Integral, sp.zoo, sp.oo, -sp.oo)


def _factored_forms(difference: Expr) -> list[tuple[str, Expr]]:
    """Equal forms of a difference whose sign the assumptions may decide."""
    return [
        ("sign after factoring", sp.factor(difference)),
        # each exp(a) of a real a becomes a positive symbol
        ("sign after factoring exponentials", sp.factor(sp.together(exponentials_as_symbols(difference)))),
    ]


def _signed(form: Expr, strict: bool) -> bool:
    return bool(form.is_positive if strict else form.is_nonnegative)


def _decide_cases(claim: Relates) -> Outcome:
    for case in claim.over:
        lhs, rhs = (sp.sympify(side).subs(case) for side in (claim.lhs, claim.rhs))
        outcome = decide(Relates(lhs, claim.op, rhs, using=claim.using))
        if outcome.status is not Status.PROVED:
            return Outcome(
                outcome.status, outcome.method, assigned_latex(case) + r":\ " + outcome.counterexample
            )
    return Outcome(Status.PROVED, f"{len(claim.over)} cases")


def _sample(lhs: Expr, rhs: Expr) -> Outcome:
    """Agreement to 30 of 40 digits at sampled points; a matrix entry by entry."""
    if isinstance(lhs, sp.MatrixBase) and isinstance(rhs, sp.MatrixBase) and lhs.shape == rhs.shape:
        pairs = list(zip(lhs, rhs, strict=True))
    elif isinstance(lhs, sp.Expr) and isinstance(rhs, sp.Expr) and not (_is_matrix(lhs) or _is_matrix(rhs)):
        pairs = [(lhs, rhs)]
    else:
        return UNDECIDED
    agreed = 0
    for point in points(free_symbols(lhs, rhs)):
        for left, right in pairs:
            gap, scale = (sp.N(side.subs(point), 40) for side in (left - right, left))
            if not (gap.is_number and scale.is_number and gap.is_finite):
                return UNDECIDED
            if abs(gap) > sp.Float("1e-30") * (1 + abs(scale)):
                certain = certainly_nonzero((left - right).subs(point).doit())
                status = Status.REFUTED if certain else Status.UNDECIDED
                return Outcome(status, "counterexample", point_latex(point, left, right) if certain else "")
        agreed += 1
    return Outcome(Status.MEASURED, f"{agreed} points, 40 digits") if agreed else UNDECIDED
