"""Arithmetic over demonstration quantities: what slots, answers and slips of number drills are written in.

    expression := term (("+" | "-") term)*
    term       := unary (("*" | "/") unary)*
    unary      := ("-" | "+") unary | power
    power      := atom ("^" unary)?
    atom       := number | variable | quantity | function "(" expression ("," expression)* ")" | "(" expression ")"
    quantity   := demonstration "." ["predicted" "."] name ["(" [argument ("," argument)*] ")"]
    argument   := parameter "=" (word | expression)

A demonstration is its number (``D19``). ``D19.score_variance(d_k=256, scale=none)`` is a measured
result, ``D19.predicted.score_variance(d_k=256)`` what the proved formula says. An argument that is a
single word and no variable is the word itself: one setting of a choice. Functions: sqrt, exp, log
(natural), log2, min, max, ceil, floor.

A deck file is untrusted, so this is a reader of our own with limits on length, depth and magnitude;
nothing here reaches ``eval``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from engine.errors import InputError
from engine.text import Text
from quizbank.fault import shown

LONGEST = 400
"""Characters an expression may have."""
DEEPEST = 30
"""Nested brackets, signs and powers."""
LARGEST = 1e300
"""Magnitude of any intermediate value."""

Number: TypeAlias = int | float


class ExpressionError(InputError):
    """An expression that cannot be read or evaluated; ``offset`` is the character where it goes wrong."""

    def __init__(self, text: Text, offset: int) -> None:
        super().__init__(text)
        self.offset = offset


@dataclass(frozen=True)
class Constant:
    value: Number


@dataclass(frozen=True)
class Variable:
    name: str
    offset: int


@dataclass(frozen=True)
class Quantity:
    """A result of a demonstration; ``arguments`` maps parameters to words or expressions."""

    demo: str
    name: str
    predicted: bool
    arguments: tuple[tuple[str, Expression], ...]
    offset: int


@dataclass(frozen=True)
class Apply:
    """An operator or a function applied to its operands."""

    function: str
    operands: tuple[Expression, ...]
    offset: int


Expression: TypeAlias = Constant | Variable | Quantity | Apply

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>[-+*/^(),.=]))"
)
_DEMO = re.compile(r"D\d{2,3}")
_ARITIES = {"sqrt": 1, "exp": 1, "log": 1, "log2": 1, "ceil": 1, "floor": 1, "min": 0, "max": 0}
"""Number of operands; 0 stands for one or more."""


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    offset: int


def parse(source: str) -> Expression:
    """Read an expression.

    Raises:
        ExpressionError: not in the grammar of this module, or longer or deeper than its limits.
    """
    if len(source) > LONGEST:
        raise ExpressionError(
            Text(f"an expression has at most {LONGEST} characters", f"算式最多 {LONGEST} 个字符"), LONGEST
        )
    return _Reader(_tokens(source), len(source)).whole()


def _tokens(source: str) -> list[_Token]:
    tokens, at, end = [], 0, len(source.rstrip())
    while at < end:
        match = _TOKEN.match(source, at)
        if match is None:
            at += len(source[at:]) - len(source[at:].lstrip())
            raise ExpressionError(
                Text("the character {c} has no meaning in an expression", "算式中不能出现字符 {c}").filled(
                    c=shown(source[at])
                ),
                at,
            )
        kind = match.lastgroup or ""
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        at = match.end()
    return tokens


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, tokens: list[_Token], length: int) -> None:
        self.tokens = tokens
        self.length = length
        self.at = 0
        self.depth = 0

    def whole(self) -> Expression:
        expression = self.expression()
        if self.at < len(self.tokens):
            raise self.unexpected()
        return expression

    def expression(self) -> Expression:
        left = self.term()
        while (sign := self.take("+", "-")) is not None:
            left = Apply(sign.text, (left, self.term()), sign.offset)
        return left

    def term(self) -> Expression:
        left = self.unary()
        while (sign := self.take("*", "/")) is not None:
            left = Apply(sign.text, (left, self.unary()), sign.offset)
        return left

    def unary(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(
                Text(f"nested deeper than {DEEPEST} levels", f"嵌套超过 {DEEPEST} 层"), self.offset()
            )
        sign = self.take("-", "+")
        if sign is None:
            found = self.power()
        else:
            operand = self.unary()
            found = operand if sign.text == "+" else Apply("negate", (operand,), sign.offset)
        self.depth -= 1
        return found

    def power(self) -> Expression:
        base = self.atom()
        sign = self.take("^")
        return base if sign is None else Apply("^", (base, self.unary()), sign.offset)

    def atom(self) -> Expression:
        token = self.next()
        if token.kind == "number":
            return Constant(_number(token))
        if token.kind == "name":
            if _DEMO.fullmatch(token.text):
                return self.quantity(token)
            if token.text in _ARITIES:
                return self.function(token)
            return Variable(token.text, token.offset)
        if token.text == "(":
            inner = self.expression()
            self.expect(")")
            return inner
        self.at -= 1
        raise self.unexpected()

    def function(self, token: _Token) -> Expression:
        self.expect("(")
        operands = [self.expression()]
        while self.take(",") is not None:
            operands.append(self.expression())
        self.expect(")")
        arity = _ARITIES[token.text]
        if arity and len(operands) != arity:
            raise ExpressionError(
                Text("{f} takes one operand", "{f} 只接受一个操作数").filled(f=token.text), token.offset
            )
        return Apply(token.text, tuple(operands), token.offset)

    def quantity(self, demo: _Token) -> Quantity:
        self.expect(".")
        name = self.name()
        predicted = False
        if name == "predicted" and self.take(".") is not None:
            predicted, name = True, self.name()
        arguments: dict[str, Expression] = {}
        if self.take("(") is not None and self.take(")") is None:
            while True:
                offset = self.offset()
                parameter = self.name()
                self.expect("=")
                if parameter in arguments:
                    raise ExpressionError(
                        Text("{p} is given twice", "{p} 给了两次").filled(p=parameter), offset
                    )
                arguments[parameter] = self.expression()
                if self.take(")") is not None:
                    break
                self.expect(",")
        return Quantity(demo.text, name, predicted, tuple(sorted(arguments.items())), demo.offset)

    def name(self) -> str:
        token = self.next()
        if token.kind != "name":
            self.at -= 1
            raise self.unexpected()
        return token.text

    def next(self) -> _Token:
        if self.at >= len(self.tokens):
            raise self.unexpected()
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *signs: str) -> _Token | None:
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "sign" and token.text in signs:
                self.at += 1
                return token
        return None

    def expect(self, sign: str) -> None:
        if self.take(sign) is None:
            raise self.unexpected(sign)

    def offset(self) -> int:
        return self.tokens[self.at].offset if self.at < len(self.tokens) else self.length

    def unexpected(self, wanted: str = "") -> ExpressionError:
        found = self.tokens[self.at].text if self.at < len(self.tokens) else ""
        en = f"unexpected {shown(found)}" if found else "the expression ends too early"
        zh = f"此处不应出现 {shown(found)}" if found else "算式不完整"
        if wanted:
            en, zh = f"{en}; {wanted} is expected here", f"{zh}；此处应为 {wanted}"
        return ExpressionError(Text(en, zh), self.offset())


def _number(token: _Token) -> Number:
    whole = token.text.isdigit()
    value = float(token.text)
    if not value <= LARGEST:
        raise too_large(token.offset)
    return int(token.text) if whole else value


def too_large(offset: int) -> ExpressionError:
    return ExpressionError(Text("the value is larger than 1e300", "数值超过 1e300"), offset)


def parts(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it, arguments of quantities included."""
    yield expression
    match expression:
        case Apply():
            for operand in expression.operands:
                yield from parts(operand)
        case Quantity():
            for _, argument in expression.arguments:
                yield from parts(argument)
        case _:
            return
