"""Steps of a derivation: what is stated, by which rule, how it is to be decided, and how it came out.

Importing this module costs nothing: SymPy is touched only when a step is decided or printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from engine.text import Text

Expr: TypeAlias = Any
"""A SymPy expression or matrix; SymPy ships no types."""


class Status(StrEnum):
    """What was truly done to a step, and nothing more."""

    PROVED = "proved"
    """Decided by algebra, for all values the assumptions allow."""
    PROVED_BOUNDED = "proved_bounded"
    """Decided by algebra for the sizes named in ``bound``."""
    MEASURED = "measured"
    """Agreed numerically at sampled points; never a proof."""
    DEFINED = "defined"
    """A definition or an assumption."""
    CITED = "cited"
    """Taken from a source, unchecked here."""
    REFUTED = "refuted"
    """False: a counterexample is shown."""
    UNDECIDED = "undecided"
    """No method came to a decision. Never a refutation, never hidden."""


Operator = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Relates:
    """``lhs`` *op* ``rhs``, for all values that the symbols' assumptions allow.

    Unevaluated objects (``Sum``, ``Limit``, ``Derivative``, ``Integral``, ``MatMul``) print as they
    stand and are evaluated by ``.doit()`` when decided, so what is printed is what is checked.

    ``!=`` states that the two are *not identically* equal; a witness proves it.

    ``using``: earlier steps' equations as (left, right) pairs, substituted left to right before
    deciding. Each must be the ``(lhs, rhs)`` of a step of the same derivation that is proved or defined.

    ``witness``: for an inequality, an expression equal to ``greater - smaller`` whose sign SymPy's
    assumptions decide (a sum of squares, ``sech(x)**2``); the equality is itself decided by algebra.

    ``over``: substitutions that make up all the cases; each is decided exactly and the step is
    then ``proved_bounded``.

    ``sampled``: do not try to prove, only sample (status ``measured``).
    """

    lhs: Expr
    op: Operator
    rhs: Expr
    using: tuple[tuple[Expr, Expr], ...] = ()
    witness: Expr | None = None
    over: tuple[Mapping[Expr, Expr], ...] = ()
    sampled: bool = False


@dataclass(frozen=True)
class Typed:
    """A statement that nothing decides: a definition, or a source's word. The only typed LaTeX."""

    latex: str


Claim: TypeAlias = Relates | Typed


@dataclass(frozen=True)
class Step:
    """One line of a derivation.

    ``expected`` is the status the author claims; the step holds when the decided status is that
    one. ``bound`` names the sizes for which it was decided (``n=4, d=2``), empty for all.
    ``source`` names what a cited step rests on (author, year, section or equation).
    """

    name: str
    rule: Text
    claim: Claim
    expected: Status
    bound: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        unchecked = self.expected in (Status.DEFINED, Status.CITED)
        if isinstance(self.claim, Typed) and not unchecked:
            raise ValueError(f"step {self.name}: typed LaTeX can only be defined or cited")


@dataclass(frozen=True)
class Decided:
    """A step after it was decided, in plain data that can be kept and shown without SymPy."""

    name: str
    statement: str
    rule: Text
    status: Status
    expected: Status
    method: str
    bound: str
    source: str
    counterexample: str
    ms: float

    @property
    def ok(self) -> bool:
        return self.status == self.expected


def equal(
    name: str,
    lhs: Expr,
    rhs: Expr,
    rule: Text,
    *,
    bound: str = "",
    using: Iterable[tuple[Expr, Expr]] = (),
) -> Step:
    """``lhs = rhs``, expected to be proved (``proved_bounded`` where ``bound`` names sizes)."""
    expected = Status.PROVED_BOUNDED if bound else Status.PROVED
    return Step(name, rule, Relates(lhs, "=", rhs, using=tuple(using)), expected, bound)


def unequal(name: str, lhs: Expr, rhs: Expr, rule: Text, *, bound: str = "") -> Step:
    """``lhs ≠ rhs`` as functions, expected to be proved by an exact witness."""
    expected = Status.PROVED_BOUNDED if bound else Status.PROVED
    return Step(name, rule, Relates(lhs, "!=", rhs), expected, bound)


def ordered(
    name: str,
    lhs: Expr,
    op: Operator,
    rhs: Expr,
    rule: Text,
    *,
    witness: Expr | None = None,
    bound: str = "",
    using: Iterable[tuple[Expr, Expr]] = (),
) -> Step:
    """An inequality, expected to be proved by an assumption query (see :class:`Relates`)."""
    expected = Status.PROVED_BOUNDED if bound else Status.PROVED
    return Step(name, rule, Relates(lhs, op, rhs, using=tuple(using), witness=witness), expected, bound)


def exhausted(
    name: str,
    lhs: Expr,
    op: Operator,
    rhs: Expr,
    rule: Text,
    *,
    over: Iterable[Mapping[Expr, Expr]],
    bound: str,
    using: Iterable[tuple[Expr, Expr]] = (),
) -> Step:
    """A relation decided exactly in each of finitely many cases."""
    claim = Relates(lhs, op, rhs, using=tuple(using), over=tuple(over))
    return Step(name, rule, claim, Status.PROVED_BOUNDED, bound)


def popular_error(
    name: str, lhs: Expr, rhs: Expr, rule: Text, *, op: Operator = "=", bound: str = ""
) -> Step:
    """What many say, expected to be refuted by a counterexample."""
    return Step(name, rule, Relates(lhs, op, rhs), Status.REFUTED, bound)


def sampled(name: str, lhs: Expr, rhs: Expr, rule: Text, *, bound: str = "") -> Step:
    """``lhs = rhs`` at sampled points to 40 digits: ``measured``, never proved."""
    return Step(name, rule, Relates(lhs, "=", rhs, sampled=True), Status.MEASURED, bound)


def defined(name: str, latex: str, rule: Text) -> Step:
    """A definition or an assumption, in typed LaTeX."""
    return Step(name, rule, Typed(latex), Status.DEFINED)


def let(name: str, lhs: Expr, rhs: Expr, rule: Text) -> Step:
    """A definition as a SymPy equation, so that later steps may be decided ``using`` it."""
    return Step(name, rule, Relates(lhs, "=", rhs), Status.DEFINED)


def cited(name: str, latex: str, rule: Text, source: str) -> Step:
    """A source's statement that nothing here checks."""
    return Step(name, rule, Typed(latex), Status.CITED, source=source)
