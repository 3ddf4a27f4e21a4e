"""Reading a typed matrix formula: the grammar of formulas, with transposes, ∘ and functions of matrices.

    product   := signed (("*" | "/" | "∘" | nothing) signed)*     left to right: A ∘ B C is (A ∘ B) C
    power     := postfix ("^T" | "^-T" | "^" signed)*
    postfix   := atom ("!" | "%" | "ᵀ" | "'")*
    atom      := … | matrix | vector | "‖" sum "‖"

What is read has its shapes checked by :mod:`engine.answers.shapes`.
"""

from __future__ import annotations

from engine.answers.expression import Node, number
from engine.answers.lexer import ON_MATRICES, lex
from engine.answers.reader import DEEPEST, Reader
from engine.answers.shapes import Shape, shape_of
from engine.answers.symbols import Declared
from engine.answers.verdict import invalid, unsafe

_RENAMED = {"trace": "tr"}


def read_matrix(text: str, declared: Declared) -> tuple[Node, Shape]:
    """Read one line over names declared with :func:`engine.answers.symbols.declare`, and its shape.

    Raises:
        RefusalError: not in the grammar, a name that is not declared, shapes that do not fit, too long or too deep.
    """
    found = lex(text, declared)
    if len(found) == 1:
        raise invalid("nothing was typed", "什么也没有输入")
    node = _MatrixReader(found, declared).whole()
    return node, shape_of(node, declared)


class _MatrixReader(Reader):
    products = ("*", "/", "∘")
    norms = 0

    def starts_factor(self) -> bool:
        return super().starts_factor() or (self.peek().text == "‖" and not self.norms)

    def power(self) -> Node:
        node = self.postfix()
        while self.take("^"):
            transposed = self.transposed(node)
            if transposed is None:
                exponent = self.braced() if self.peek().text == "{" else self.deeper()
                return self.power_after(node, exponent)
            node = transposed
        return node

    def power_after(self, base: Node, exponent: Node) -> Node:
        """A power with the transposes behind it: ``A^{-1}^T`` and ``A^(-1)ᵀ``, where ᵀ is not the exponent's."""
        turns = 0
        while exponent.op == "transpose":
            exponent, turns = exponent.args[0], turns + 1
        node = Node("^", (base, exponent))
        for _ in range(turns):
            node = Node("transpose", (node,))
        while True:
            if self.take("ᵀ"):
                node = Node("transpose", (node,))
            elif self.take("^"):
                transposed = self.transposed(node)
                if transposed is None:
                    raise self.unexpected()
                node = transposed
            else:
                return node

    def transposed(self, node: Node) -> Node | None:
        """``T``, ``-T``, ``{T}`` or ``(-T)`` behind the ^; None where something else stands there."""
        start = self.at
        closing = {"{": "}", "(": ")"}.get(self.take("{", "("), "")
        inverse = bool(self.take("-"))
        if not self.take("T", "ᵀ"):
            self.at = start
            return None
        if closing:
            self.expect(closing)
        node = Node("transpose", (node,))
        return Node("^", (node, Node("neg", (number(1),)))) if inverse else node

    def postfix(self) -> Node:
        node = super().postfix()
        while self.take("ᵀ"):
            node = Node("transpose", (node,))
        return node

    def atom(self) -> Node:
        if self.take("‖"):
            self.norms += 1
            self.depth += 1
            if self.depth > DEEPEST:
                raise unsafe("nested deeper than {n} levels", "嵌套超过 {n} 层", n=DEEPEST)
            inner = self.sum()
            self.depth -= 1
            self.norms -= 1
            self.expect("‖")
            return Node("norm", (inner,), self.take("_F", "_2").removeprefix("_"))
        return super().atom()

    def inside(self, closing: str) -> Node:
        norms, self.norms = self.norms, 0
        node = super().inside(closing)
        self.norms = norms
        return node

    def scalar(self, name: str) -> Node:
        return Node("matrix", name=name) if name in self.declared.matrices else super().scalar(name)

    def entry(self, name: str) -> Node:
        return super().entry(name) if self.peek().text in ("[", "_") else Node("vector", name=name)

    def call(self, function: str) -> Node:
        if function in ON_MATRICES:
            return Node(_RENAMED.get(function, function), (self.argument(function),))
        return super().call(function)
