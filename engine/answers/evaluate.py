"""The value of a formula at a point, between bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from engine.answers import interval as iv
from engine.answers.expression import Node
from engine.answers.interval import BeyondError, BlurredError, UndefinedError, Value

LONGEST_SUM = 1000
_MOST_STEPS = 4000
_LARGEST_FACTORIAL = 1000


@dataclass
class Point:
    """Values of the scalars and of the entries of the vectors (numbered from 1)."""

    scalars: Mapping[str, Fraction]
    vectors: Mapping[str, tuple[Fraction, ...]] = field(default_factory=dict)


class Evaluation:
    """One formula at one point at the precision in force. Sums cost steps, and steps are counted.

    Raises:
        UndefinedError, BlurredError, BeyondError: see :mod:`engine.answers.interval`.
    """

    def __init__(self, point: Point) -> None:
        self.names = dict(point.scalars)
        self.vectors = point.vectors
        self.steps = 0

    def value(self, node: Node) -> Value:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise BeyondError
        match node.op:
            case "number":
                return node.value or Fraction(0)
            case "symbol":
                return self.names[node.name]
            case "constant":
                return iv.constant(node.name)
            case "entry":
                return self.vectors[node.name][self.whole(node.args[0], 1, len(self.vectors[node.name])) - 1]
            case "sum" | "prod":
                return self.running(node)
            case "logsumexp":
                total: Value = Fraction(0)
                for entry in self.vectors[node.name]:
                    total = iv.add(total, iv.exponential(entry))
                return iv.logarithm(total)
        return apply(node, [self.value(arg) for arg in node.args])

    def whole(self, node: Node, low: int, high: int) -> int:
        value = self.value(node)
        if not isinstance(value, Fraction) or value.denominator != 1 or not low <= value <= high:
            raise UndefinedError
        return value.numerator

    def running(self, node: Node) -> Value:
        first, last = self.whole(node.args[1], -(10**12), 10**12), self.whole(node.args[2], -(10**12), 10**12)
        if last - first >= LONGEST_SUM:
            raise BeyondError
        before = self.names.get(node.name)
        total: Value = Fraction(node.op == "prod")
        for index in range(first, last + 1):
            self.names[node.name] = Fraction(index)
            term = self.value(node.args[0])
            total = iv.add(total, term) if node.op == "sum" else iv.multiply(total, term)
        if before is None:
            self.names.pop(node.name, None)
        else:
            self.names[node.name] = before
        return total


def apply(node: Node, args: list[Value]) -> Value:
    """An operation on values."""
    x = args[0]
    context = iv.context
    match node.op:
        case "+" | "*" | "max" | "min":
            for arg in args[1:]:
                x = _JOINED[node.op](x, arg)
            return x
        case "neg":
            return iv.negate(x)
        case "/":
            return iv.divide(x, args[1])
        case "^":
            return iv.power(x, args[1])
        case "sqrt":
            return iv.square_root(x)
        case "cbrt":
            return iv.cube_root(x)
        case "abs":
            return iv.absolute(x)
        case "floor" | "ceil":
            return iv.whole_part(x, node.op == "ceil")
        case "sign":
            return Fraction(iv.sign(x))
        case "relu":
            return iv.larger(x, Fraction(0))
        case "ln":
            return iv.logarithm(x)
        case "log2" | "log10":
            return iv.divide(iv.logarithm(x), iv.logarithm(Fraction(2 if node.op == "log2" else 10)))
        case "exp":
            return iv.exponential(x)
        case "sigmoid":
            return iv.sigmoid(x)
        case "softplus":
            return iv.softplus(x)
        case "factorial":
            return _factorial(x)
        case "binomial":
            return _binomial(x, args[1])
        case "delta":
            return Fraction(_compared(x, args[1]) == 0)
        case "ind":
            return Fraction(_HOLDS[node.name](_compared(x, args[1])))
        case "gamma":
            return _gamma(x)
        case "sin" | "cos":
            if x == Fraction(0):
                return Fraction(node.op == "cos")
            return iv.wavering(getattr(context, node.op), 1, x)
        case "tan":
            return iv.divide(iv.wavering(context.sin, 1, x), iv.wavering(context.cos, 1, x))
        case "cosh":
            return iv.rising(context.cosh, iv.absolute(x), 1_000_000)
        case "tanh":
            return iv.tanh(x)
        case "sinh" | "asinh" | "atan" | "erf":
            return Fraction(0) if x == Fraction(0) else iv.rising(getattr(context, node.op), x, 1_000_000)
        case "asin" | "acos" | "atanh" | "acosh":
            return _inverse(node.op, x)
    raise BeyondError


_JOINED = {
    "+": iv.add,
    "*": iv.multiply,
    "max": iv.larger,
    "min": lambda a, b: iv.negate(iv.larger(iv.negate(a), iv.negate(b))),
}
_HOLDS = {
    "<": lambda side: side < 0, "<=": lambda side: side <= 0, ">": lambda side: side > 0, ">=": lambda side: side >= 0,
    "=": lambda side: side == 0, "!=": lambda side: side != 0,
}  # fmt: skip


def _compared(a: Value, b: Value) -> int:
    return iv.sign(iv.add(a, iv.negate(b)))


def _inverse(function: str, x: Value) -> Value:
    """asin, acos, atanh, acosh on their domains."""
    context = iv.context
    if function == "acosh":
        if _compared(x, Fraction(1)) < 0:
            raise UndefinedError
        return iv.rising(context.acosh, x)
    border = _compared(iv.absolute(x), Fraction(1))
    if border > 0 or (border == 0 and function == "atanh"):
        raise UndefinedError
    if function == "acos":
        return iv.negate(iv.rising(lambda t: -context.acos(t), x))
    return Fraction(0) if x == Fraction(0) else iv.rising(getattr(context, function), x)


def _factorial(x: Value) -> Value:
    if not isinstance(x, Fraction):
        raise BlurredError
    if x.denominator != 1 or x < 0:
        raise UndefinedError
    if x > _LARGEST_FACTORIAL:
        raise BeyondError
    return iv.factorial(x.numerator)


def _binomial(n: Value, k: Value) -> Value:
    """Zero where k > n, as in counting."""
    if not isinstance(n, Fraction) or not isinstance(k, Fraction):
        raise BlurredError
    if n.denominator != 1 or k.denominator != 1 or n < 0 or k < 0:
        raise UndefinedError
    if n > _LARGEST_FACTORIAL:
        raise BeyondError
    return Fraction(math.comb(n.numerator, k.numerator))


def _gamma(x: Value) -> Value:
    if isinstance(x, Fraction) and x.denominator == 1:
        if x <= 0:
            raise UndefinedError
        return _factorial(x - 1)
    if iv.sign(x) < 0:
        # Γ(x) = π / (sin(πx) Γ(1 − x))
        pi = iv.constant("pi")
        below = iv.multiply(
            iv.wavering(iv.context.sin, 1, iv.multiply(pi, x)), _gamma(iv.add(Fraction(1), iv.negate(x)))
        )
        return iv.divide(pi, below)
    if _compared(x, Fraction(2)) < 0:
        return iv.divide(_gamma(iv.add(x, Fraction(1))), x)
    return iv.rising(iv.context.gamma, x, 1000)
