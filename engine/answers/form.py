"""The form of a formula: what is left of it once trivial rewriting is taken away.

Every line of a true derivation equals the goal, so equality cannot tell whether the derivation has arrived;
its form can. Two formulas have one form where they differ only in the order of terms and factors, brackets,
numbers not yet worked out, a common numeric factor, the name of a running index, an even or odd function of a
negative, or the way a quotient, a root or a power is written. Like terms are *not* collected, factors not
cancelled, brackets not multiplied out and exponentials not joined: that is what derivations are made of.

Nothing is evaluated but small rational numbers, so a form is safe to take of anything that could be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine.answers.expression import Node
from engine.answers.reader import read_formula
from engine.answers.reduction import IN_ANY_ORDER, Base, Product, Reduction, bases, parts


@dataclass(frozen=True)
class Form:
    """A formula up to trivial rewriting; equal forms compare equal.

    ``order`` tells more apart: two formulas share it only where they differ in the order of terms and factors
    and in brackets, with no number worked out.
    """

    product: Product
    order: str = field(default="", compare=False)

    @cached_property
    def size(self) -> int:
        """How many names, numbers and functions it takes to write it; signs, brackets and reciprocals are free."""
        return max(1, _size(self.product))

    @cached_property
    def words(self) -> frozenset[str]:
        """The names and functions in it, ``sum`` and ``prod`` among them."""
        return frozenset(_words(self.product))

    @cached_property
    def is_loose(self) -> bool:
        """Whether like terms in it could be collected, or a factor cancelled."""
        return any(
            _twice(repr(term.factors) for term in base[1]) for base in bases(self.product) if base[0] == "+"
        ) or any(
            _twice(repr(base) for base, exponent in part.factors if exponent.as_number is not None)
            for part in parts(self.product)
            if isinstance(part, Product)
        )


def form_of(text: str, symbols: Mapping[str, str], mode: str = "symbolic") -> Form:
    """The form of a line in the mode ``symbolic`` or ``matrix``.

    Raises:
        RefusalError: the line cannot be read.
        InputError: the declarations are at fault.
    """
    if mode == "matrix":
        from engine.answers.matrix_reader import read_matrix
        from engine.answers.symbols import declare

        node, _ = read_matrix(text, declare(symbols, True))
        return Form(Reduction(ordered=True).product(node), _order(node, ordered=True))
    node = read_formula(text, symbols)
    return Form(Reduction().product(node), _order(node))


def _order(node: Node, ordered: bool = False) -> str:
    """The formula written out with its terms and factors in a fixed order."""
    args = list(_flat(node, node.op))
    inner = [_order(arg, ordered) for arg in args]
    if node.op in IN_ANY_ORDER | {"+"} or (node.op == "*" and not ordered):
        inner.sort()
    return f"{node.op} {node.name} {node.value}({', '.join(inner)})"


def _flat(node: Node, op: str) -> Iterator[Node]:
    """The arguments, those of the same operation inside a sum or a product among them."""
    for arg in node.args:
        if op in ("+", "*") and arg.op == op:
            yield from _flat(arg, op)
        else:
            yield arg


# What is read off a form -----------------------------------------------------------------------


def _twice(shown: Iterable[str]) -> bool:
    """Whether something is there twice."""
    found = list(shown)
    return len(set(found)) < len(found)


def _words(product: Product) -> Iterator[str]:
    """Names as they are, functions with a bracket behind them."""
    for base in bases(product):
        if base[0] in ("name", "entry", "matrix", "vector", "logsumexp") and not base[1].startswith("#"):
            yield base[1]
        if base[0] == "logsumexp":
            yield "logsumexp("
        if base[0] == "call":
            yield f"{base[1]}("


def _size(product: Product) -> int:
    size = 0 if abs(product.number) == 1 and product.factors else 1
    for base, exponent in product.factors:
        size += _size_of(base)
        size += 0 if exponent.as_number in (1, -1) else _size(exponent)
    return size


def _size_of(base: Base) -> int:
    match base[0]:
        case "+":
            return sum(map(_size, base[1]))
        case "product":
            return _size(base[1])
        case "entry":
            # an index that is one name comes with the entry
            return max(map(_size, base[2:]))
        case "call" if base[1] != "delta":
            return 1 + sum(map(_size, base[2:]))
    return 1
