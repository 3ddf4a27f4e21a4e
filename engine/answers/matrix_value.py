"""The value of a matrix formula: exactly modulo 2^61 − 1, or as numbers between error bounds.

A value is a tuple of rows; a scalar is 1 × 1. The two kinds of numbers are two fields with the same operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeAlias, TypeVar

from engine.answers import interval as iv
from engine.answers.evaluate import Evaluation, Point, apply
from engine.answers.expression import Node, holds_matrix
from engine.answers.interval import BlurredError, UndefinedError, Value
from engine.answers.modular import PRIME, NotRationalError, residue
from engine.answers.shapes import whole_exponent

T = TypeVar("T")
Rows: TypeAlias = tuple[tuple[T, ...], ...]


class Field(Protocol[T]):
    """The numbers that stand in a matrix."""

    zero: T
    one: T

    def add(self, a: T, b: T) -> T: ...
    def negate(self, a: T) -> T: ...
    def multiply(self, a: T, b: T) -> T: ...
    def inverse(self, a: T) -> T: ...
    def pivot(self, column: list[T]) -> int | None:
        """The place of an entry that is certainly not zero; None where all are zero."""

    def scalar(self, node: Node) -> T:
        """The value of a formula in which no matrix stands."""

    def function(self, node: Node, args: list[T]) -> T: ...


@dataclass
class Bounded:
    """Fractions, and intervals at the precision in force."""

    point: Point
    zero: Value = Fraction(0)
    one: Value = Fraction(1)
    steps: int = 0

    def add(self, a: Value, b: Value) -> Value:
        return iv.add(a, b)

    def negate(self, a: Value) -> Value:
        return iv.negate(a)

    def multiply(self, a: Value, b: Value) -> Value:
        self.steps += 1
        return iv.multiply(a, b)

    def inverse(self, a: Value) -> Value:
        return iv.divide(Fraction(1), a)

    def pivot(self, column: list[Value]) -> int | None:
        blurred = False
        for place, entry in enumerate(column):
            try:
                if iv.sign(entry):
                    return place
            except BlurredError:
                blurred = True
        if blurred:
            raise BlurredError
        return None

    def scalar(self, node: Node) -> Value:
        evaluation = Evaluation(self.point)
        try:
            return evaluation.value(node)
        finally:
            self.steps += evaluation.steps

    def function(self, node: Node, args: list[Value]) -> Value:
        self.steps += 1
        return apply(node, args)


@dataclass
class Residues:
    """Whole numbers modulo 2^61 − 1. Functions that are not rational raise NotRationalError."""

    names: Mapping[str, int]
    whole: Mapping[str, int]
    vectors: Mapping[str, tuple[int, ...]]
    zero: int = 0
    one: int = 1

    def add(self, a: int, b: int) -> int:
        return (a + b) % PRIME

    def negate(self, a: int) -> int:
        return -a % PRIME

    def multiply(self, a: int, b: int) -> int:
        return a * b % PRIME

    def inverse(self, a: int) -> int:
        if a == 0:
            raise NotRationalError
        return pow(a, -1, PRIME)

    def pivot(self, column: list[int]) -> int | None:
        return next((place for place, entry in enumerate(column) if entry), None)

    def scalar(self, node: Node) -> int:
        return residue(node, dict(self.names), self.whole, self.vectors)

    def function(self, node: Node, args: list[int]) -> int:
        exponent = whole_exponent(node.args[1]) if node.op == "^" else None
        if exponent is None or (args[0] == 0 and exponent <= 0):
            raise NotRationalError
        return pow(args[0], exponent, PRIME)


@dataclass
class MatrixEvaluation(Generic[T]):
    """A formula whose shapes fit, at one point.

    Raises:
        UndefinedError, BlurredError, BeyondError: see :mod:`engine.answers.interval`; a singular matrix has no inverse.
        NotRationalError: over residues, where the formula is not rational or has no value.
    """

    field: Field[T]
    matrices: Mapping[str, Rows[T]]
    vectors: Mapping[str, tuple[T, ...]]

    def value(self, node: Node) -> Rows[T]:
        if node.op == "matrix":
            return self.matrices[node.name]
        if node.op == "vector":
            return tuple((entry,) for entry in self.vectors[node.name])
        if not holds_matrix(node):
            return ((self.field.scalar(node),),)
        return self.operation(node, [self.value(arg) for arg in node.args])

    def operation(self, node: Node, args: list[Rows[T]]) -> Rows[T]:
        x, numbers = args[0], self.field
        match node.op:
            case "+":
                for term in args[1:]:
                    x = self.joined(x, term, "add")
                return x
            case "neg":
                return tuple(tuple(map(numbers.negate, row)) for row in x)
            case "*":
                for factor in args[1:]:
                    x = self.product(x, factor)
                return x
            case "∘":
                return self.joined(x, args[1], "multiply")
            case "/":
                return self.scaled(x, numbers.inverse(args[1][0][0]))
            case "transpose":
                return tuple(zip(*x, strict=True))
            case "softmax":
                return tuple(map(self.softmax, x))
            case "tr":
                return ((self.total([row[place] for place, row in enumerate(x)]),),)
            case "det":
                return ((self.determinant(x),),)
            case "inv":
                return self.inverse(x)
            case "diag":
                return self.diagonal(x)
            case "norm":
                squares = [numbers.multiply(entry, entry) for row in x for entry in row]
                return ((numbers.function(_ROOT, [self.total(squares)]),),)
            case "^" if len(x) > 1:
                exponent = whole_exponent(node.args[1])
                assert exponent is not None
                return self.power(x, exponent)
        if len(args) == 1:
            return tuple(tuple(numbers.function(node, [entry]) for entry in row) for row in x)
        return ((numbers.function(node, [arg[0][0] for arg in args]),),)

    def total(self, entries: list[T]) -> T:
        total = self.field.zero
        for entry in entries:
            total = self.field.add(total, entry)
        return total

    def joined(self, a: Rows[T], b: Rows[T], how: str) -> Rows[T]:
        operation = self.field.add if how == "add" else self.field.multiply
        return tuple(tuple(map(operation, row, other)) for row, other in zip(a, b, strict=True))

    def scaled(self, a: Rows[T], factor: T) -> Rows[T]:
        return tuple(tuple(self.field.multiply(entry, factor) for entry in row) for row in a)

    def product(self, a: Rows[T], b: Rows[T]) -> Rows[T]:
        """Sizes of 1 are told from scalars as :func:`engine.answers.shapes.product_shape` does: sizes differ by name."""
        if len(a[0]) != len(b):
            return self.scaled(b, a[0][0]) if len(a) == len(a[0]) == 1 else self.scaled(a, b[0][0])
        columns = list(zip(*b, strict=True))
        multiply = self.field.multiply
        return tuple(tuple(self.total(list(map(multiply, row, column))) for column in columns) for row in a)

    def power(self, x: Rows[T], exponent: int) -> Rows[T]:
        base = self.inverse(x) if exponent < 0 else x
        result = self.identity(len(x))
        for bit in bin(abs(exponent))[2:]:
            result = self.product(result, result)
            if bit == "1":
                result = self.product(result, base)
        return result

    def identity(self, size: int) -> Rows[T]:
        return tuple(
            tuple(self.field.one if i == j else self.field.zero for j in range(size)) for i in range(size)
        )

    def softmax(self, row: tuple[T, ...]) -> tuple[T, ...]:
        """exp(x_j − x_1) / Σ exp(x_k − x_1): the shift cancels."""
        numbers = self.field
        shift = numbers.negate(row[0])
        powers = [numbers.function(_EXP, [numbers.add(entry, shift)]) for entry in row]
        below = numbers.inverse(self.total(powers))
        return tuple(numbers.multiply(power, below) for power in powers)

    def diagonal(self, x: Rows[T]) -> Rows[T]:
        if len(x) > 1 and len(x[0]) > 1:
            return tuple((row[place],) for place, row in enumerate(x))
        entries = [entry for row in x for entry in row]
        return tuple(
            tuple(entry if i == j else self.field.zero for j in range(len(entries)))
            for i, entry in enumerate(entries)
        )

    def determinant(self, x: Rows[T]) -> T:
        """Gaussian elimination; the product of the pivots."""
        rows, numbers = [list(row) for row in x], self.field
        result = numbers.one
        for place in range(len(rows)):
            found = numbers.pivot([row[place] for row in rows[place:]])
            if found is None:
                return numbers.zero
            if found:
                rows[place], rows[place + found] = rows[place + found], rows[place]
                result = numbers.negate(result)
            result = numbers.multiply(result, rows[place][place])
            self.eliminate(rows, place, range(place + 1, len(rows)))
        return result

    def inverse(self, x: Rows[T]) -> Rows[T]:
        """Gauss–Jordan elimination beside the identity."""
        size, numbers = len(x), self.field
        rows = [[*row, *unit] for row, unit in zip(x, self.identity(size), strict=True)]
        for place in range(size):
            found = numbers.pivot([row[place] for row in rows[place:]])
            if found is None:
                raise UndefinedError
            rows[place], rows[place + found] = rows[place + found], rows[place]
            scale = numbers.inverse(rows[place][place])
            rows[place] = [numbers.multiply(entry, scale) for entry in rows[place]]
            self.eliminate(rows, place, [other for other in range(size) if other != place])
        return tuple(tuple(row[size:]) for row in rows)

    def eliminate(self, rows: list[list[T]], place: int, others: list[int] | range) -> None:
        numbers = self.field
        pivot = rows[place]
        below = numbers.inverse(pivot[place])
        for other in others:
            row = rows[other]
            factor = numbers.negate(numbers.multiply(row[place], below))
            rows[other] = [
                numbers.add(entry, numbers.multiply(factor, above))
                for entry, above in zip(row, pivot, strict=True)
            ]


_EXP = Node("exp")
_ROOT = Node("sqrt")
