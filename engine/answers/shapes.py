"""The shape of a matrix formula, in the names of its dimensions; shapes that do not fit are refused by name."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answers.expression import Node, holds_matrix, latex
from engine.answers.symbols import Declared
from engine.answers.verdict import RefusalError, invalid
from engine.notation.line import one_line

LENGTH = "len"
"""The dimension of the vectors where no size is declared."""
ELEMENTWISE = frozenset(
    ("exp", "ln", "log2", "log10", "sigmoid", "tanh", "relu", "softplus", "erf", "sign", "sin", "cos")
)
"""Functions that a matrix takes element by element."""


@dataclass(frozen=True)
class Shape:
    """Rows and columns; the names of two dimensions are two sizes. A scalar is 1 × 1."""

    rows: str
    columns: str

    def __str__(self) -> str:
        return f"{self.rows}×{self.columns}"

    @property
    def is_scalar(self) -> bool:
        return self == SCALAR

    @property
    def is_vector(self) -> bool:
        return "1" in (self.rows, self.columns)

    @property
    def transposed(self) -> Shape:
        return Shape(self.columns, self.rows)


SCALAR = Shape("1", "1")


def vector_length(declared: Declared) -> str:
    """The dimension of all vectors: the first size that is declared, if there is one."""
    return next((name for name, kind in declared.kinds.items() if kind == "dim"), LENGTH)


def shape_of(node: Node, declared: Declared) -> Shape:
    """The shape of a formula.

    Raises:
        RefusalError: shapes that do not fit; the reason names both.
    """
    if node.op == "matrix":
        matrix = declared.matrices[node.name]
        return Shape(matrix.rows, matrix.columns)
    if node.op == "vector":
        return Shape(vector_length(declared), "1")
    args = [shape_of(arg, declared) for arg in node.args]
    match node.op:
        case "+":
            return _sum(node, args)
        case "neg":
            return args[0]
        case "*":
            return _product(node, args)
        case "∘":
            if args[0] != args[1]:
                raise _misfit(
                    "∘ needs equal shapes", "∘ 要求形状相同", (node.args[0], node.args[1]), (args[0], args[1])
                )
            return args[0]
        case "/":
            if not args[1].is_scalar:
                raise invalid(
                    "only a number can divide, and this is {s}: write inv( ) or ^-1",
                    "只有数才能作除数，而这里是 {s}：请写 inv( ) 或 ^-1",
                    s=args[1],
                )
            return args[0]
        case "^":
            return _power(node, args)
        case "transpose":
            return args[0].transposed
        case "softmax":
            return args[0]
        case "tr" | "det" | "inv":
            if args[0].rows != args[0].columns:
                raise invalid(
                    "{f} needs a square matrix, and this one is {s}",
                    "{f} 只用于方阵，而这里是 {s}",
                    f=node.op, s=args[0],
                )  # fmt: skip
            return args[0] if node.op == "inv" else SCALAR
        case "diag":
            return _diagonal(args[0])
        case "norm":
            if node.name == "2" and not args[0].is_vector:
                raise invalid(
                    "the 2-norm is for vectors here, and this is {s}: ‖ ‖_F is the Frobenius norm",
                    "2-范数在这里只用于向量，而这里是 {s}：‖ ‖_F 是 Frobenius 范数",
                    s=args[0],
                )
            return SCALAR
    if node.op in ELEMENTWISE:
        return args[0]
    if node.op in ("sum", "prod") and holds_matrix(node):
        raise invalid(
            "sums and products run over numbers, not over matrices", "求和与连乘只用于数，不用于矩阵"
        )
    for shape in args:
        if not shape.is_scalar:
            raise invalid(
                "{f} takes a number, and this is {s}",
                "{f} 的自变量应是数，而这里是 {s}",
                f="| |" if node.op == "abs" else node.op, s=shape,
            )  # fmt: skip
    return SCALAR


def _sum(node: Node, args: list[Shape]) -> Shape:
    for term, shape in zip(node.args[1:], args[1:], strict=True):
        if shape != args[0]:
            term = term.args[0] if term.op == "neg" else term
            raise _misfit("these cannot be added", "两者不能相加", (node.args[0], term), (args[0], shape))
    return args[0]


def _product(node: Node, args: list[Shape]) -> Shape:
    """From the left: what stands before a factor is one matrix."""
    shape = args[0]
    for place in range(1, len(args)):
        together = product_shape(shape, args[place])
        if together is None:
            before = node.args[0] if place == 1 else Node("*", node.args[:place])
            raise _misfit(
                "these cannot be multiplied",
                "两者不能相乘",
                (before, node.args[place]),
                (shape, args[place]),
            )
        shape = together
    return shape


def product_shape(left: Shape, right: Shape) -> Shape | None:
    """The shape of a product; where the inner dimensions do not fit, a 1 × 1 side is a scalar factor."""
    if left.columns == right.rows:
        return Shape(left.rows, right.columns)
    if left.is_scalar:
        return right
    if right.is_scalar:
        return left
    return None


def _power(node: Node, args: list[Shape]) -> Shape:
    base, exponent = args
    if not exponent.is_scalar:
        raise invalid("an exponent is a number, and this is {s}", "指数应是数，而这里是 {s}", s=exponent)
    if base.is_scalar:
        return base
    if whole_exponent(node.args[1]) is None:
        raise invalid("a matrix is raised to whole powers only", "矩阵只能取整数次幂")
    if base.rows != base.columns:
        raise invalid(
            "only a square matrix has powers, and this one is {s}", "只有方阵才有幂，而这里是 {s}", s=base
        )
    return base


def whole_exponent(node: Node) -> int | None:
    """The value of an exponent that is a whole number of at most two figures."""
    if node.op == "neg":
        inner = whole_exponent(node.args[0])
        return None if inner is None else -inner
    if node.value is None or node.value.denominator != 1 or abs(node.value) > 99:
        return None
    return node.value.numerator


def _diagonal(shape: Shape) -> Shape:
    if shape.is_vector:
        size = shape.rows if shape.columns == "1" else shape.columns
        return Shape(size, size)
    if shape.rows != shape.columns:
        raise invalid(
            "diag takes a vector or a square matrix, and this one is {s}",
            "diag 只用于向量或方阵，而这里是 {s}",
            s=shape,
        )
    return Shape(shape.rows, "1")


def _misfit(
    english: str, chinese: str, sides: tuple[Node, Node], shapes: tuple[Shape, Shape]
) -> RefusalError:
    left, right = (one_line(latex(side)) for side in sides)
    return invalid(
        "{a} is {l} and {b} is {r}: " + english,
        "{a} 是 {l}，{b} 是 {r}：" + chinese,
        a=left, b=right, l=shapes[0], r=shapes[1],
    )  # fmt: skip
