"""Bringing a formula to its form: a number times powers, in a fixed order, with nothing rewritten but trivially.

What counts as trivial stands at the head of :mod:`engine.answers.form`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from engine.answers.expression import Node

Base: TypeAlias = tuple[Any, ...]
"""What is no product: its kind (``name``, ``entry``, ``+``, ``call`` …), then strings and the products in it."""

_MOST_BITS = 2048
"""Numbers are worked out up to this size."""
_EVEN = frozenset(("abs", "cos", "cosh"))
_ODD = frozenset(("sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "erf", "sign"))
IN_ANY_ORDER = frozenset(("max", "min", "delta", "∘"))
_SWAPPED = {">": "<", ">=": "<="}


@dataclass(frozen=True)
class Product:
    """A number times powers of things that are no products: ``(base, exponent)``, in a fixed order."""

    number: Fraction
    factors: tuple[tuple[Base, Product], ...] = ()

    @property
    def as_number(self) -> Fraction | None:
        return None if self.factors else self.number


_ONE = Product(Fraction(1))


class Reduction:
    """Brings a tree to its form. In an ``ordered`` one, factors with a matrix in them keep their order."""

    def __init__(self, ordered: bool = False) -> None:
        self.ordered = ordered
        self.running: list[str] = []

    def product(self, node: Node) -> Product:
        args = node.args
        match node.op:
            case "number":
                return Product(node.value or Fraction(0))
            case "symbol":
                return _of(("name", self.name(node.name)))
            case "+":
                return self.sum([self.product(arg) for arg in args])
            case "neg":
                return self.times([_number(-1), self.product(args[0])])
            case "*":
                return self.times([self.product(arg) for arg in args])
            case "/":
                return self.times([self.product(args[0]), self.power(self.product(args[1]), _number(-1))])
            case "^":
                if args[0].op == "constant" and args[0].name == "e":
                    return _exponential(self.product(args[1]))
                return self.power(self.product(args[0]), self.product(args[1]))
            case "sqrt" | "cbrt":
                degree = 2 if node.op == "sqrt" else 3
                return self.power(self.product(args[0]), Product(Fraction(1, degree)))
            case "exp":
                return _exponential(self.product(args[0]))
            case "constant":
                return _exponential(_ONE) if node.name == "e" else _of(("name", node.name))
            case "sum" | "prod":
                return self.over(node)
            case "ind":
                return self.indicator(node)
        return self.call(node)

    def name(self, name: str) -> str:
        """A running index by how far in its sum stands, so that what it is called does not matter."""
        for place in reversed(range(len(self.running))):
            if self.running[place] == name:
                return f"#{place}"
        return name

    def over(self, node: Node) -> Product:
        limits = [self.product(arg) for arg in node.args[1:]]
        self.running.append(node.name)
        term = self.product(node.args[0])
        self.running.pop()
        return _of(("call", node.op, term, *limits))

    def indicator(self, node: Node) -> Product:
        sides = [self.product(arg) for arg in node.args]
        relation = _SWAPPED.get(node.name, node.name)
        if relation != node.name:
            sides.reverse()
        elif relation in ("=", "!="):
            sides.sort(key=repr)
        return _of(("call", f"ind {relation}", *sides))

    def call(self, node: Node) -> Product:
        given = [self.product(arg) for arg in node.args]
        negative = node.op in _EVEN | _ODD and given[0].number < 0
        if negative:
            given = [Product(-given[0].number, given[0].factors)]
        if node.op in IN_ANY_ORDER:
            given = sorted((inner for one in given for inner in _joined(node.op, one)), key=repr)
        if node.op in ("entry", "matrix", "vector", "logsumexp"):
            return _of((node.op, node.name, *given))
        found = _of(("call", f"{node.op} {node.name}".rstrip(), *given))
        return Product(Fraction(-1), found.factors) if negative and node.op in _ODD else found

    def sum(self, terms: Iterable[Product]) -> Product:
        number = Fraction(0)
        flat: list[Product] = []
        for term in terms:
            for part in _terms(term):
                if part.as_number is not None:
                    number += part.number
                elif part.number:
                    flat.append(part)
        if number:
            flat.append(Product(number))
        if len(flat) < 2:
            return flat[0] if flat else _number(0)
        flat.sort(key=_by_factors)
        content = abs(flat[0].number)
        # of the sum and its negative, the one that comes first stands in the form
        ways = [
            tuple(
                sorted(
                    (Product(part.number / sign / content, part.factors) for part in flat), key=_by_factors
                )
            )
            for sign in (1, -1)
        ]
        parts = min(ways, key=repr)
        return Product(content if parts == ways[0] else -content, ((("+", parts), _ONE),))

    def times(self, given: Iterable[Product]) -> Product:
        number = Fraction(1)
        scalars: list[tuple[Base, Product]] = []
        matrices: list[tuple[Base, Product]] = []
        for one in given:
            number *= one.number
            for base, exponent in one.factors:
                if self.ordered and has_matrix(base):
                    _join(matrices, base, exponent, len(matrices) - 1)
                else:
                    _join(scalars, base, exponent)
        if not number:
            return _number(0)
        product = _settled(number, scalars)
        return Product(product.number, (*sorted(product.factors, key=repr), *matrices))

    def power(self, base: Product, exponent: Product) -> Product:
        raised = exponent.as_number
        if raised == 1:
            return base
        if raised is None or (self.ordered and any(has_matrix(inner) for inner, _ in base.factors)):
            return _of(_whole(base), exponent)
        if raised == 0 or (not base.number and raised <= 0):
            return _ONE if base.number else _of(_whole(base), exponent)
        number = _raised(base.number, raised)
        kept: list[tuple[Base, Product]] = [] if number is not None else [(("number", base.number), exponent)]
        for inner, inner_exponent in base.factors:
            if inner[0] == "call" and inner[1] == "exp":
                # e^u to a number is e to that number times u; several e^u stay as many
                argument = Product(inner[2].number * raised, inner[2].factors)
                kept.append((("call", "exp", argument), inner_exponent))
                continue
            own = inner_exponent.as_number
            if own is not None and own % 2 == 0 and raised.denominator % 2 == 0:
                # the root of a square is an absolute value
                kept.append((_whole(Product(Fraction(1), ((inner, inner_exponent),))), exponent))
            else:
                kept.append((inner, Product(inner_exponent.number * raised, inner_exponent.factors)))
        return self.times(
            [Product(_ONE.number if number is None else number), Product(Fraction(1), tuple(kept))]
        )


def _number(value: int) -> Product:
    return Product(Fraction(value))


def _of(base: Base, exponent: Product = _ONE) -> Product:
    return Product(Fraction(1), ((base, exponent),))


def _whole(product: Product) -> Base:
    """A product as the base of a power."""
    if product.number == 1 and len(product.factors) == 1 and product.factors[0][1] == _ONE:
        return product.factors[0][0]
    return ("product", product)


def _exponential(argument: Product) -> Product:
    return _ONE if argument.as_number == 0 else _of(("call", "exp", argument))


def _by_factors(product: Product) -> tuple[str, Fraction, Fraction]:
    return repr(product.factors), abs(product.number), product.number


def _terms(product: Product) -> Iterator[Product]:
    """The terms of a sum, a number before it multiplied in; else the product itself."""
    if len(product.factors) == 1:
        base, exponent = product.factors[0]
        if base[0] == "+" and exponent == _ONE:
            for part in base[1]:
                yield Product(part.number * product.number, part.factors)
            return
    yield product


def _joined(function: str, product: Product) -> Iterator[Product]:
    """The arguments of a maximum inside a maximum."""
    inner = _whole(product)
    if function in ("max", "min") and inner[:2] == ("call", function):
        yield from inner[2:]
    else:
        yield product


def _join(factors: list[tuple[Base, Product]], base: Base, exponent: Product, first: int = 0) -> None:
    """Put a factor to one of its base from the place ``first`` on, where both exponents are numbers of one sign."""
    for place in range(max(0, first), len(factors)) if exponent.as_number is not None else ():
        there = factors[place][1]
        if factors[place][0] == base and there.as_number is not None and there.number * exponent.number > 0:
            factors[place] = base, Product(there.number + exponent.number)
            return
    factors.append((base, exponent))


def _raised(number: Fraction, exponent: Fraction) -> Fraction | None:
    """A power where it is rational and of moderate size."""
    if number == 1 or exponent == 1:
        return number
    if exponent.denominator == 1:
        bits = max(number.numerator.bit_length(), number.denominator.bit_length())
        return number**exponent.numerator if bits * abs(exponent) <= _MOST_BITS else None
    if number < 0 or exponent.denominator > 3:
        return None
    roots = [_root(part, exponent.denominator) for part in (number.numerator, number.denominator)]
    if roots[0] is None or roots[1] is None:
        return None
    return _raised(Fraction(roots[0], roots[1]), Fraction(exponent.numerator))


def _root(number: int, degree: int) -> int | None:
    if number.bit_length() > _MOST_BITS:
        return None
    if degree == 2:
        root = math.isqrt(number)
    else:
        root = 1 << -(-number.bit_length() // 3)
        while (better := (2 * root + number // root**2) // 3) < root:
            root = better
    return root if root**degree == number else None


def _settled(number: Fraction, factors: list[tuple[Base, Product]]) -> Product:
    """Powers of numbers with an exponent between 0 and 1, the whole part worked out: 2^(-1/2) is ½·2^(1/2)."""
    kept: list[tuple[Base, Product]] = []
    for base, exponent in factors:
        if base[0] == "number" and exponent.as_number is not None:
            whole = math.floor(exponent.number)
            worked_out = _raised(base[1], Fraction(whole))
            if worked_out is not None:
                number *= worked_out
                if exponent.number != whole:
                    kept.append((base, Product(exponent.number - whole)))
                continue
        kept.append((base, exponent))
    return Product(number, tuple(kept))


def parts(thing: object) -> Iterator[object]:
    """Everything inside a product or a base, itself included."""
    yield thing
    if isinstance(thing, Product):
        for base, exponent in thing.factors:
            yield from parts(base)
            yield from parts(exponent)
    elif isinstance(thing, tuple):
        for part in thing:
            yield from parts(part)


def bases(thing: object) -> Iterator[Base]:
    for part in parts(thing):
        if isinstance(part, tuple) and part and isinstance(part[0], str):
            yield part


def has_matrix(base: Base) -> bool:
    return any(part[0] in ("matrix", "vector") for part in bases(base))
