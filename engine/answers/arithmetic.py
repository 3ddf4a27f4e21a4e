"""Reading a typed number: arithmetic with functions, units and suffixes, evaluated as it is read.

    sum       := product (("+" | "-") product)*
    product   := signed (("*" | "/" | nothing) signed)*        left to right: 1/2(3) is 1.5
    signed    := ("-" | "+") signed | power
    power     := postfix ("^" signed)?
    postfix   := atom ("!" | "%" | suffix)*
    atom      := number | unit | constant | function argument | "(" sum ")" | "|" sum "|" | \\frac{sum}{sum}

A unit after a number multiplies it. Each reading is also LaTeX, so that it can be laid out while one types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from engine.answers import exact
from engine.answers.exact import Number
from engine.answers.tokens import Token, grouped, tokens, vulgar_parts
from engine.answers.units import NONE, Dimensions, UnitTable, combined, described, raised
from engine.answers.verdict import RefusalError, invalid, unsafe
from engine.text import Text

DEEPEST = 20
"""Nested brackets, signs, powers and functions: what is read can also be laid out."""

_LARGEST_UNIT_POWER = 9

_SUM, _PRODUCT, _POWER, _ATOM = range(4)

Function = Callable[[Number], Number]
_FUNCTIONS: dict[str, tuple[Function, str]] = {
    "sqrt": (lambda x: exact.root(x, 2), r"\sqrt{{{0}}}"),
    "cbrt": (lambda x: exact.root(x, 3), r"\sqrt[3]{{{0}}}"),
    "exp": (exact.exponential, r"\exp\left({0}\right)"),
    "ln": (exact.logarithm, r"\ln\left({0}\right)"),
    "log": (exact.logarithm, r"\ln\left({0}\right)"),
    "log2": (lambda x: exact.logarithm_to(x, 2), r"\log_{{2}}\left({0}\right)"),
    "log10": (lambda x: exact.logarithm_to(x, 10), r"\log_{{10}}\left({0}\right)"),
    "lg": (lambda x: exact.logarithm_to(x, 10), r"\log_{{10}}\left({0}\right)"),
    "abs": (exact.absolute, r"\left|{0}\right|"),
    "floor": (lambda x: exact.whole_part(x, up=False), r"\lfloor {0} \rfloor"),
    "ceil": (lambda x: exact.whole_part(x, up=True), r"\lceil {0} \rceil"),
    "factorial": (exact.factorial, r"\left({0}\right)!"),
    "sigmoid": (exact.sigmoid, r"\sigma\left({0}\right)"),
    "tanh": (exact.tanh, r"\tanh\left({0}\right)"),
    "relu": (lambda x: x if exact.sign(x) > 0 else Fraction(0), r"\operatorname{{relu}}\left({0}\right)"),
}
_CONSTANTS: dict[str, tuple[Number, str]] = {"pi": (exact.PI, r"\pi"), "e": (exact.E_NUMBER, "e")}
_LEADING = ("=", "≈")


@dataclass(frozen=True)
class Quantity:
    """A number of base units: bytes and seconds, or those a card declares."""

    number: Number
    dimensions: Dimensions = NONE


@dataclass(frozen=True)
class Reading:
    """How a line was read: the line itself, its value and its LaTeX.

    ``figures`` is the count of significant figures typed, None unless the line is one decimal number (a
    sign, a unit, a suffix or % may stand by it: ``is_literal``); ``units`` the unit words typed.
    """

    text: str
    value: Quantity
    latex: str
    figures: int | None
    is_literal: bool
    units: tuple[str, ...]


@dataclass(frozen=True)
class _Term:
    value: Quantity
    latex: str
    level: int = _ATOM
    unit: bool = False


def read(text: str, words: Iterable[str] = (), bytes_meant: bool = False) -> Reading:
    """Read one line.

    Raises:
        RefusalError: not in the grammar, without a value (division by zero), or too costly to compute.
    """
    stripped = text.strip()
    for mark in _LEADING:
        stripped = stripped.removeprefix(mark).strip()
    found = tokens(stripped)
    if len(found) == 1:
        raise invalid("nothing was typed", "什么也没有输入")
    return _Reader(stripped, found, UnitTable(words, bytes_meant)).whole()


class _Reader:
    def __init__(self, text: str, found: list[Token], table: UnitTable) -> None:
        self.text = text
        self.tokens = found
        self.table = table
        self.at = 0
        self.depth = 0

    def whole(self) -> Reading:
        term = self.sum()
        if self.peek().kind != "end":
            raise self.unexpected()
        numbers = [token for token in self.tokens if token.kind == "number"]
        others = {token.text for token in self.tokens if token.kind == "sign"}
        words = [token.text for token in self.tokens if token.kind == "word"]
        units = tuple(word for word in words if word in self.table.units)
        is_literal = (
            len(numbers) == 1
            and others <= {"-", "+", "%"}
            and all(word in self.table.units or word in self.table.suffixes for word in words)
        )
        figures = numbers[0].figures if is_literal else None
        return Reading(self.text, term.value, term.latex, figures, is_literal, units)

    def sum(self) -> _Term:
        left = self.product()
        while sign := self.take("+", "-"):
            right = self.product()
            kinds = [described(term.value.dimensions) for term in (left, right)]
            if kinds[0] != kinds[1]:
                raise RefusalError(
                    "invalid",
                    Text(
                        f"{kinds[0].en} and {kinds[1].en} cannot be added",
                        f"{kinds[0].zh}与{kinds[1].zh}不能相加减",
                    ),
                )
            number = right.value.number if sign == "+" else exact.negate(right.value.number)
            left = _Term(
                Quantity(exact.add(left.value.number, number), left.value.dimensions),
                f"{left.latex} {sign} {_bracketed(right, _PRODUCT)}",
                _SUM,
            )
        return left

    def product(self) -> _Term:
        left = self.signed()
        unit_would_split = False
        while True:
            sign = self.take("*", "/")
            if not sign and not self.starts_factor():
                return left
            right = self.signed() if sign else self.power()
            if not sign and right.unit and unit_would_split:
                raise invalid(
                    "with units on both sides of / write brackets: 100 GB/(10 s)",
                    "除号两边都有单位时请加括号：100 GB/(10 s)",
                )
            unit_would_split = (
                sign == "/" and left.value.dimensions != NONE and right.value.dimensions == NONE
            )
            left = _quotient(left, right) if sign == "/" else _product(left, right)

    def starts_factor(self) -> bool:
        """Whether what follows multiplies by standing next to it. Two numbers side by side are refused."""
        token = self.peek()
        if token.kind == "number":
            raise invalid(
                "two numbers stand side by side before “{n}”: write a sign between them",
                "“{n}”前面两个数挨在一起：请在中间写出运算符",
                n=token.text,
            )
        return token.kind == "word" or token.text in ("(", "frac")

    def signed(self) -> _Term:
        sign = self.take("-", "+")
        if not sign:
            return self.power()
        operand = self.deeper(self.signed)
        if sign == "+":
            return operand
        value = Quantity(exact.negate(operand.value.number), operand.value.dimensions)
        return _Term(value, f"-{_bracketed(operand, _PRODUCT)}", _SUM)

    def power(self) -> _Term:
        base = self.postfix()
        if not self.take("^"):
            return base
        exponent = self.group() if self.peek().text == "{" else self.deeper(self.signed)
        number = _plain(exponent.value, Text("an exponent", "指数"))
        dimensions = base.value.dimensions
        if dimensions != NONE:
            if (
                not isinstance(number, Fraction)
                or number.denominator != 1
                or abs(number) > _LARGEST_UNIT_POWER
            ):
                raise invalid("a unit takes a small whole power", "单位只能取不大的整数次幂")
            dimensions = raised(dimensions, int(number))
        return _Term(
            Quantity(exact.power(base.value.number, number), dimensions),
            f"{_bracketed(base, _ATOM)}^{{{exponent.latex}}}",
            _POWER,
        )

    def postfix(self) -> _Term:
        term = self.atom()
        while True:
            token = self.peek()
            if token.text == "!" and token.kind == "sign":
                self.at += 1
                if self.peek().text == "!":
                    raise invalid(
                        "two ! may be a factorial of a factorial or a double one: write brackets",
                        "两个 ! 可能是阶乘的阶乘，也可能是双阶乘：请加括号",
                    )
                number = exact.factorial(_plain(term.value, Text("a factorial", "阶乘")))
                term = _Term(Quantity(number), f"{_bracketed(term, _ATOM)}!")
            elif token.text == "%" and token.kind == "sign":
                self.at += 1
                if self.peek().kind == "number":
                    raise invalid(
                        "% divides by 100 here; it is no remainder", "这里的 % 表示除以 100，不是取余"
                    )
                term = _scaled(term, Fraction(1, 100), rf"{_bracketed(term, _PRODUCT)}\%", NONE)
            elif token.kind == "word" and token.text in self.table.suffixes and not term.unit:
                self.at += 1
                if self.tokens[self.at - 2].text in self.table.suffixes:
                    raise invalid("two suffixes in a row: {s}", "后缀连写了两个：{s}", s=token.text)
                suffix = self.table.suffixes[token.text]
                latex = rf"{_bracketed(term, _PRODUCT)}\,{suffix.latex}"
                term = _scaled(term, suffix.factor, latex, NONE)
            else:
                return term

    def atom(self) -> _Term:
        token = self.peek()
        self.at += 1
        if token.kind == "number":
            assert token.value is not None
            return _number(token)
        if token.kind == "word":
            return self.word(token.text)
        if token.text in ("(", "{"):
            inner = self.deeper(self.sum)
            self.expect(")" if token.text == "(" else "}")
            return replace(inner, unit=False)
        if token.text == "|":
            inner = self.deeper(self.sum)
            self.expect("|")
            value = Quantity(exact.absolute(inner.value.number), inner.value.dimensions)
            return _Term(value, rf"\left|{inner.latex}\right|")
        if token.text == "frac":
            above, below = self.group(), self.group()
            return _quotient(above, below)
        self.at -= 1
        raise self.unexpected()

    def word(self, word: str) -> _Term:
        if word in self.table.units:
            unit = self.table.units[word]
            return _Term(Quantity(unit.factor, unit.dimensions), unit.latex, unit=True)
        if word in _CONSTANTS:
            number, latex = _CONSTANTS[word]
            return _Term(Quantity(number), latex)
        if word not in _FUNCTIONS:
            raise self.table.unknown(word)
        function, latex = _FUNCTIONS[word]
        if word == "sqrt" and self.take("["):
            if self.next().text not in ("2", "3") or not self.take("]"):
                raise invalid("roots are square or cube here", "这里只支持平方根与立方根")
            if self.tokens[self.at - 2].text == "3":
                function, latex = _FUNCTIONS["cbrt"]
        if self.peek().kind == "end":
            raise invalid("{f} needs a number: {f}(8)", "{f} 后面缺少数：如 {f}(8)", f=word)
        if self.peek().text in ("(", "{"):
            opening = self.next().text
            argument = self.deeper(self.sum)
            self.expect(")" if opening == "(" else "}")
        else:
            argument = self.deeper(self.power)
        number = function(_plain(argument.value, Text(f"the argument of {word}", f"{word} 的自变量")))
        return _Term(Quantity(number), latex.format(argument.latex))

    def group(self) -> _Term:
        """A LaTeX group in braces."""
        if not self.take("{"):
            raise invalid(r"write \frac with braces: \frac{1}{2}", r"\frac 的分子分母请加花括号：\frac{1}{2}")
        inner = self.deeper(self.sum)
        self.expect("}")
        return inner

    def deeper(self, part: Callable[[], _Term]) -> _Term:
        self.depth += 1
        if self.depth > DEEPEST:
            raise unsafe("nested deeper than {n} levels", "嵌套超过 {n} 层", n=DEEPEST)
        term = part()
        self.depth -= 1
        return term

    def peek(self) -> Token:
        return self.tokens[self.at]

    def next(self) -> Token:
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def take(self, *signs: str) -> str:
        token = self.peek()
        if token.kind == "sign" and token.text in signs:
            self.at += 1
            return token.text
        return ""

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise self.unexpected(sign)

    def unexpected(self, wanted: str = "") -> RefusalError:
        token = self.peek()
        if token.kind == "end":
            if wanted:
                return invalid("a {w} is missing at the end", "末尾缺少 {w}", w=wanted)
            return invalid("the line ends too early", "这一行没有写完")
        if wanted:
            return invalid("“{t}” stands where {w} is missing", "“{t}”处缺少 {w}", t=token.text, w=wanted)
        return invalid("“{t}” is not expected here", "这里不该出现“{t}”", t=token.text)


def _number(token: Token) -> _Term:
    assert token.value is not None
    vulgar = vulgar_parts(token.text)
    if vulgar:
        whole, above, below = vulgar
        latex = rf"\frac{{{above}}}{{{below}}}"
        return (
            _Term(Quantity(token.value), f"{whole} + {latex}", _SUM)
            if whole
            else _Term(Quantity(token.value), latex, _POWER)
        )
    mantissa, _, exponent = token.text.lower().partition("e")
    shown = grouped(mantissa)
    if exponent:
        return _Term(Quantity(token.value), rf"{shown} \times 10^{{{int(exponent)}}}", _PRODUCT)
    return _Term(Quantity(token.value), shown)


def _product(left: _Term, right: _Term) -> _Term:
    value = Quantity(
        exact.multiply(left.value.number, right.value.number),
        combined(left.value.dimensions, right.value.dimensions),
    )
    between = r"\," if right.unit else r" \cdot "
    return _Term(value, f"{_bracketed(left, _PRODUCT)}{between}{_bracketed(right, _PRODUCT)}", _PRODUCT)


def _quotient(above: _Term, below: _Term) -> _Term:
    value = Quantity(
        exact.divide(above.value.number, below.value.number),
        combined(above.value.dimensions, below.value.dimensions, -1),
    )
    if above.unit and below.unit:
        return _Term(value, f"{above.latex}/{below.latex}", _PRODUCT, unit=True)
    return _Term(value, rf"\frac{{{above.latex}}}{{{below.latex}}}", _POWER)


def _scaled(term: _Term, factor: Fraction, latex: str, dimensions: Dimensions) -> _Term:
    value = Quantity(exact.multiply(term.value.number, factor), combined(term.value.dimensions, dimensions))
    return _Term(value, latex, _PRODUCT)


def _bracketed(term: _Term, level: int) -> str:
    return term.latex if term.level >= level else rf"\left({term.latex}\right)"


def _plain(quantity: Quantity, what: Text) -> Number:
    if quantity.dimensions != NONE:
        raise RefusalError("invalid", Text(f"{what.en} has no unit", f"{what.zh}不带单位"))
    return quantity.number
