"""Reading a typed formula against the declared names: recursive descent, nothing evaluated as code.

    sum       := product (("+" | "-") product)*
    product   := signed (("*" | "/" | nothing) signed)*        left to right: 1/2x is x/2
    signed    := ("-" | "+") signed | power
    power     := postfix ("^" signed)?                         right to left
    postfix   := atom ("!" | "%")*
    atom      := number | name | entry | constant | call | "(" sum ")" | "|" sum "|" | \\frac{sum}{sum}

An entry of a vector is ``p[i]``, ``p_i`` or ``p_{i+1}``.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.answers.expression import RELATIONS, Node, height, number
from engine.answers.lexer import TWO_ARGUMENTS, Token, lex
from engine.answers.symbols import Declared, declare
from engine.answers.verdict import RefusalError, invalid, undeclared, unsafe

DEEPEST = 20
"""Nested brackets, signs, powers and functions: what is read can also be laid out."""

HIGHEST = 25
"""Operations within operations."""

_RENAMED = {"log": "ln", "lg": "log10", "arcsin": "asin", "arccos": "acos", "arctan": "atan"}
_CLOSING = {"(": ")", "[": "]", "{": "}", "lfloor": "rfloor", "lceil": "rceil"}


def read_formula(text: str, symbols: Mapping[str, str] | Declared) -> Node:
    """Read one line.

    Raises:
        RefusalError: not in the grammar, a name that is not declared, too long or too deep.
        InputError: the declarations are at fault.
    """
    declared = symbols if isinstance(symbols, Declared) else declare(symbols)
    found = lex(text, declared)
    if len(found) == 1:
        raise invalid("nothing was typed", "什么也没有输入")
    return Reader(found, declared).whole()


class Reader:
    """The grammar of formulas. The matrix mode adds to it."""

    products: tuple[str, ...] = ("*", "/")

    def __init__(self, found: list[Token], declared: Declared) -> None:
        self.tokens = found
        self.declared = declared
        self.at = 0
        self.depth = 0
        self.bars = 0

    def whole(self) -> Node:
        """The whole line. A refusal says where reading stopped."""
        try:
            node = self.sum()
            if self.peek().kind != "end":
                raise self.unexpected()
            # x/x/x/… nests without a bracket
            if height(node) > HIGHEST:
                raise unsafe("nested deeper than {n} levels", "嵌套超过 {n} 层", n=HIGHEST)
        except RefusalError as refusal:
            if refusal.at is None:
                refusal.at = self.tokens[min(self.at, len(self.tokens) - 1)].at
            raise
        return node

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise unsafe("nested deeper than {n} levels", "嵌套超过 {n} 层", n=DEEPEST)
        terms = [self.product()]
        while sign := self.take("+", "-"):
            term = self.product()
            terms.append(term if sign == "+" else Node("neg", (term,)))
        self.depth -= 1
        return terms[0] if len(terms) == 1 else Node("+", tuple(terms))

    def product(self) -> Node:
        left = self.signed()
        # -x*y is shown as -(x*y), which is the same value
        negative = left.op == "neg"
        left = left.args[0] if negative else left
        while True:
            sign = self.take(*self.products)
            if not sign and not self.starts_factor():
                return Node("neg", (left,)) if negative else left
            right = self.signed() if sign else self.power()
            if sign in ("/", "∘"):
                left = Node(sign, (left, right))
            else:
                left = Node("*", (*left.args, right) if left.op == "*" else (left, right))

    def starts_factor(self) -> bool:
        """Whether what follows multiplies by standing next to it. A number never does."""
        token = self.peek()
        if token.kind == "number":
            raise invalid(
                "the number {n} follows without a sign: write * or ^ before it",
                "数 {n} 前面没有运算符：请写 * 或 ^",
                n=token.text or str(token.value),
            )
        if token.kind in ("symbol", "function", "constant"):
            return True
        return token.text in ("(", "frac", "lfloor", "lceil") or (token.text == "|" and not self.bars)

    def signed(self) -> Node:
        sign = self.take("-", "+")
        if not sign:
            return self.power()
        operand = self.deeper()
        return operand if sign == "+" else Node("neg", (operand,))

    def deeper(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise unsafe("nested deeper than {n} levels", "嵌套超过 {n} 层", n=DEEPEST)
        node = self.signed()
        self.depth -= 1
        return node

    def power(self) -> Node:
        base = self.postfix()
        if not self.take("^"):
            return base
        return Node("^", (base, self.braced() if self.peek().text == "{" else self.deeper()))

    def postfix(self) -> Node:
        node = self.atom()
        while sign := self.take("!", "%"):
            if sign == "!" and self.peek().text == "!":
                raise invalid(
                    "two ! may be a factorial of a factorial or a double one: write brackets",
                    "两个 ! 可能是阶乘的阶乘，也可能是双阶乘：请加括号",
                )
            if sign == "%" and self.peek().kind in ("number", "symbol"):
                raise invalid("% divides by 100 here; it is no remainder", "这里的 % 表示除以 100，不是取余")
            node = Node("factorial", (node,)) if sign == "!" else Node("/", (node, number(100)))
        return node

    def atom(self) -> Node:
        token = self.peek()
        self.at += 1
        if token.kind == "number":
            assert token.value is not None
            return number(token.value, _decimal(token))
        if token.kind == "constant":
            return Node("constant", name=token.text)
        if token.kind == "symbol":
            return self.entry(token.text) if self.declared.is_vector(token.text) else self.scalar(token.text)
        if token.kind == "function":
            return self.call(token.text)
        if token.text in _CLOSING and token.text != "[":
            inner = self.inside(_CLOSING[token.text])
            if token.text.startswith("l"):
                return Node(token.text[1:], (inner,))
            return inner
        if token.text == "|":
            self.bars += 1
            inner = self.sum()
            self.expect("|")
            self.bars -= 1
            return Node("abs", (inner,))
        if token.text == "frac":
            above, below = self.group(), self.group()
            return Node("/", (above, below))
        self.at -= 1
        raise self.unexpected()

    def scalar(self, name: str) -> Node:
        if self.peek().text in ("_", "["):
            raise undeclared(
                "{n} has no entries here: a name with that subscript is not declared",
                "{n} 没有分量：没有声明带这个下标的名称",
                n=name,
            )
        return Node("symbol", name=name)

    def entry(self, name: str) -> Node:
        if self.take("["):
            return Node("entry", (self.inside("]"),), name)
        if not self.take("_"):
            raise invalid(
                "{n} is a vector: write an entry, {n}[i] or {n}_i",
                "{n} 是向量：请写分量 {n}[i] 或 {n}_i",
                n=name,
            )
        if self.peek().text == "{":
            return Node("entry", (self.braced(),), name)
        token = self.next()
        if token.kind == "number" and token.value is not None:
            return Node("entry", (number(token.value, token.text),), name)
        if token.kind != "symbol" or self.declared.is_vector(token.text):
            self.at -= 1
            raise self.unexpected()
        return Node("entry", (Node("symbol", name=token.text),), name)

    def call(self, function: str) -> Node:
        """A function with its argument: in brackets, or the one factor after it."""
        if function in ("sum", "prod"):
            return self.running(function)
        if function in TWO_ARGUMENTS or function in ("max", "min"):
            return self.many(function)
        if function == "logsumexp":
            self.expect("(")
            token = self.next()
            if token.kind != "symbol" or not self.declared.is_vector(token.text):
                raise invalid("logsumexp takes a vector", "logsumexp 的自变量是向量")
            self.expect(")")
            return Node("logsumexp", name=token.text)
        if function == "ind":
            self.expect("(")
            left, relation = self.sum(), self.next().text
            if relation not in RELATIONS:
                self.at -= 1
                raise self.unexpected()
            right = self.sum()
            self.expect(")")
            return Node("ind", (left, right), relation)
        exponent = None
        if function == "sqrt" and self.take("["):
            degree = self.inside("]")
            if degree.value not in (2, 3):
                raise invalid("roots are square or cube here", "这里只支持平方根与立方根")
            function = "cbrt" if degree.value == 3 else "sqrt"
        elif self.peek().text == "^":
            self.at += 1
            exponent = self.braced() if self.peek().text == "{" else self.atom()
            if exponent.value is None or exponent.value < 1 or self.peek().kind == "end":
                raise invalid(
                    "{f}^ takes a whole number and then the argument: {f}^2(x)",
                    "{f}^ 后面应是正整数再接自变量：{f}^2(x)",
                    f=function,
                )
        node = Node(_RENAMED.get(function, function), (self.argument(function),))
        return node if exponent is None else Node("^", (node, exponent))

    def argument(self, function: str) -> Node:
        token = self.peek()
        if token.text in ("(", "{") and token.kind == "sign":
            self.at += 1
            return self.inside(_CLOSING[token.text])
        if token.kind == "end" or (
            token.kind == "sign" and token.text not in ("|", "frac", "lfloor", "lceil")
        ):
            raise invalid(
                "{f} is a function and needs its argument: {f}(x)",
                "{f} 是函数，缺少自变量：{f}(x)",
                f=function,
            )
        self.depth += 1
        if self.depth > DEEPEST:
            raise unsafe("nested deeper than {n} levels", "嵌套超过 {n} 层", n=DEEPEST)
        argument = self.postfix() if function in ("sqrt", "cbrt") else self.power()
        self.depth -= 1
        if function not in ("sqrt", "cbrt") and self.peek().kind in ("symbol", "constant"):
            raise invalid(
                "where the argument of {f} ends is not clear: write {f}( )",
                "{f} 的自变量到哪里为止不清楚：请写 {f}( )",
                f=function,
            )
        return argument

    def many(self, function: str) -> Node:
        if function == "binomial" and self.peek().text == "{":
            return Node("binomial", (self.group(), self.group()))
        if function == "delta" and self.take("_"):
            if self.peek().text != "{":
                return Node("delta", (self.atom(), self.atom()))
            self.expect("{")
            first = self.sum() if self.peek().kind != "symbol" else self.power()
            second = self.sum() if self.take(",") else self.power()
            self.expect("}")
            return Node("delta", (first, second))
        self.expect("(", function)
        args = [self.sum()]
        while self.take(","):
            args.append(self.sum())
        self.expect(")")
        if function in TWO_ARGUMENTS and len(args) != 2:
            raise invalid("{f} takes two arguments", "{f} 有两个自变量", f=function)
        return Node(function, tuple(args)) if len(args) > 1 else args[0]

    def running(self, function: str) -> Node:
        r"""``sum(term, i, 1, n)`` or ``\sum_{i=1}^{n} term``."""
        if self.take("_"):
            self.expect("{")
            variable = self.variable()
            self.expect("=")
            first = self.sum()
            self.expect("}")
            self.expect("^")
            last = self.braced() if self.peek().text == "{" else self.atom()
            self.depth += 1
            if self.depth > DEEPEST:
                raise unsafe("nested deeper than {n} levels", "嵌套超过 {n} 层", n=DEEPEST)
            term = self.product()
            self.depth -= 1
            return Node(function, (term, first, last), variable)
        self.expect("(", function)
        term = self.sum()
        self.expect(",")
        variable = self.variable()
        self.expect(",")
        first = self.sum()
        self.expect(",")
        last = self.sum()
        self.expect(")")
        return Node(function, (term, first, last), variable)

    def variable(self) -> str:
        token = self.next()
        if token.kind != "symbol" or self.declared.is_vector(token.text):
            self.at -= 1
            raise invalid("a sum runs over a declared name", "求和变量应是声明过的名称")
        return token.text

    def inside(self, closing: str) -> Node:
        """A sum up to the closing sign; bars inside are their own."""
        bars, self.bars = self.bars, 0
        node = self.sum()
        self.expect(closing)
        self.bars = bars
        return node

    def group(self) -> Node:
        r"""An argument of a LaTeX command: braces, or one digit or name (\frac12)."""
        if self.peek().text == "{":
            return self.braced()
        token = self.peek()
        if token.kind == "number" and token.text.isdigit():
            if len(token.text) > 1:
                rest = token.text[1:]
                self.tokens[self.at] = Token("number", rest, number(int(rest)).value)
            else:
                self.at += 1
            return number(int(token.text[0]), token.text[0])
        return self.atom()

    def braced(self) -> Node:
        self.expect("{")
        return self.inside("}")

    def peek(self) -> Token:
        return self.tokens[self.at]

    def next(self) -> Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def take(self, *signs: str) -> str:
        token = self.peek()
        if token.kind == "sign" and token.text in signs:
            self.at += 1
            return token.text
        return ""

    def expect(self, sign: str, function: str = "") -> None:
        if self.take(sign):
            return
        if function:
            raise invalid(
                "{f} is a function and needs its arguments in brackets",
                "{f} 是函数，自变量须写在括号里",
                f=function,
            )
        if self.peek().kind == "end":
            raise invalid("a “{s}” is missing at the end", "结尾缺少“{s}”", s=sign)
        raise invalid(
            "“{s}” was expected before “{t}”", "“{t}”之前应有“{s}”", s=sign, t=self.peek().text or "½"
        )

    def unexpected(self) -> RefusalError:
        token = self.peek()
        if token.kind == "end":
            return invalid("the formula ends too early", "公式没有写完")
        return invalid("“{t}” cannot stand here", "“{t}”不能出现在这里", t=token.text or "½")


def _decimal(token: Token) -> str:
    """How the number is shown, where it is not simply its value."""
    if "e" in token.text or "E" in token.text:
        mantissa, _, exponent = token.text.lower().partition("e")
        return rf"{mantissa} \times 10^{{{int(exponent)}}}"
    return token.text.replace(",", "{,}") if "." in token.text or "," in token.text else ""
