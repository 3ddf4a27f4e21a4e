"""The value of a rational formula modulo a prime, at which two of them can be told apart exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from engine.answers.evaluate import Evaluation, Point
from engine.answers.expression import Node
from engine.answers.interval import BeyondError, BlurredError, UndefinedError

PRIME = 2**61 - 1
_LONGEST_SUM = 50


class NotRationalError(Exception):
    """The formula is not a rational expression of its names."""


def residue(
    node: Node, names: dict[str, int], whole: Mapping[str, int], vectors: Mapping[str, tuple[int, ...]]
) -> int:
    """The value modulo 2^61 − 1. ``whole`` holds the names with a small whole value: sizes and indices.

    Two rational expressions that agree at random residues are the same but for a chance below
    degree / 2^61 (Schwartz and Zippel).

    Raises:
        NotRationalError: another function, an exponent that is not a constant, a zero below a fraction.
    """
    args = node.args
    match node.op:
        case "number":
            number = node.value or Fraction(0)
            return _quotient(number.numerator, number.denominator)
        case "symbol":
            return whole[node.name] % PRIME if node.name in whole else names[node.name]
        case "entry":
            entries, place = vectors[node.name], _small(args[0], whole)
            if not 1 <= place <= len(entries):
                raise NotRationalError
            return entries[place - 1]
        case "delta":
            return int(_small(args[0], whole) == _small(args[1], whole))
        case "sum" | "prod":
            first, last = _small(args[1], whole), _small(args[2], whole)
            if last - first >= _LONGEST_SUM:
                raise NotRationalError
            total = int(node.op == "prod")
            for index in range(first, last + 1):
                term = residue(args[0], names, {**whole, node.name: index}, vectors)
                total = (total + term if node.op == "sum" else total * term) % PRIME
            return total
        case "^":
            base, exponent = residue(args[0], names, whole, vectors), _small(args[1], whole)
            if base == 0 and exponent <= 0:
                raise NotRationalError
            return pow(base, exponent, PRIME)
    if node.op not in ("+", "*", "neg", "/"):
        raise NotRationalError
    values = [residue(arg, names, whole, vectors) for arg in args]
    if node.op == "+":
        return sum(values) % PRIME
    if node.op == "neg":
        return -values[0] % PRIME
    if node.op == "/":
        return _quotient(values[0], values[1])
    total = 1
    for value in values:
        total = total * value % PRIME
    return total


def _quotient(above: int, below: int) -> int:
    if below % PRIME == 0:
        raise NotRationalError
    return above * pow(below, -1, PRIME) % PRIME


def _small(node: Node, whole: Mapping[str, int]) -> int:
    """A whole number made of constants, sizes and indices."""
    try:
        value = Evaluation(Point({name: Fraction(size) for name, size in whole.items()})).value(node)
    except (KeyError, UndefinedError, BlurredError, BeyondError):
        raise NotRationalError from None
    if not isinstance(value, Fraction) or value.denominator != 1 or abs(value) > 10**6:
        raise NotRationalError
    return value.numerator
