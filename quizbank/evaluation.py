"""Evaluating an expression of :mod:`quizbank.arithmetic`, within limits of magnitude."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from engine.text import Text
from quizbank.arithmetic import (
    LARGEST,
    Apply,
    Constant,
    Expression,
    ExpressionError,
    Number,
    Quantity,
    Variable,
    too_large,
)
from quizbank.card import Value
from quizbank.fault import shown

Lookup: TypeAlias = Callable[[Quantity, Mapping[str, Value]], Number]
"""Finds a quantity's value at evaluated arguments."""


def evaluate(expression: Expression, variables: Mapping[str, Value], lookup: Lookup) -> Value:
    """The expression's value; a word only where the whole expression is one variable that holds a word.

    Raises:
        ExpressionError: unknown variable, division by zero, root of a negative number, too large.
        InputError: as ``lookup`` raises for a quantity.
    """
    match expression:
        case Constant():
            return expression.value
        case Variable():
            if expression.name not in variables:
                raise ExpressionError(
                    Text("unknown name {n}", "未知的名称 {n}").filled(n=shown(expression.name)),
                    expression.offset,
                )
            return variables[expression.name]
        case Quantity():
            return lookup(expression, arguments_of(expression, variables, lookup))
        case Apply():
            operands = [evaluate(operand, variables, lookup) for operand in expression.operands]
            return _apply(expression, operands)


def arguments_of(quantity: Quantity, variables: Mapping[str, Value], lookup: Lookup) -> dict[str, Value]:
    """The quantity's arguments as values; a lone word that names no variable stands for itself."""
    values: dict[str, Value] = {}
    for parameter, argument in quantity.arguments:
        if isinstance(argument, Variable) and argument.name not in variables:
            values[parameter] = argument.name
        else:
            values[parameter] = evaluate(argument, variables, lookup)
    return values


def _apply(node: Apply, operands: list[Value]) -> Number:
    numbers: list[Number] = []
    for operand in operands:
        if isinstance(operand, str):
            raise ExpressionError(
                Text("{w} is a word, not a number", "{w} 是文字，不是数").filled(w=shown(operand)),
                node.offset,
            )
        numbers.append(operand)
    try:
        value = _compute(node, numbers)
    except OverflowError:
        raise too_large(node.offset) from None
    if isinstance(value, complex) or value != value:
        raise ExpressionError(Text("the value is not a finite number", "结果不是有限的数"), node.offset)
    if abs(value) > LARGEST:
        raise too_large(node.offset)
    return value


def _compute(node: Apply, x: list[Number]) -> Number | complex:
    match node.function:
        case "+":
            return x[0] + x[1]
        case "-":
            return x[0] - x[1]
        case "*":
            return x[0] * x[1]
        case "/":
            if x[1] == 0:
                raise ExpressionError(Text("division by zero", "除数为零"), node.offset)
            return x[0] / x[1]
        case "^":
            return _power(node, x[0], x[1])
        case "negate":
            return -x[0]
        case "exp":
            return math.exp(x[0])
        case "min":
            return min(x)
        case "max":
            return max(x)
        case "ceil":
            return math.ceil(x[0])
        case "floor":
            return math.floor(x[0])
        case "sqrt" if x[0] >= 0:
            return math.sqrt(x[0])
        case "log" if x[0] > 0:
            return math.log(x[0])
        case "log2" if x[0] > 0:
            return math.log2(x[0])
        case _:
            raise ExpressionError(
                Text("{f} of {x} is not defined", "{f} 在 {x} 处无定义").filled(f=node.function, x=x[0]),
                node.offset,
            )


def _power(node: Apply, base: Number, exponent: Number) -> Number | complex:
    if base == 0 and exponent < 0:
        raise ExpressionError(Text("division by zero", "除数为零"), node.offset)
    # bounded before it is computed: an integer power would otherwise fill the memory
    if base != 0 and abs(exponent * math.log(abs(base))) > math.log(LARGEST) + 1 and abs(base) != 1:
        if exponent * math.log(abs(base)) > 0:
            raise too_large(node.offset)
        return 0.0
    power: Number | complex = base**exponent
    return power
