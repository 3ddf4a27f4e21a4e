"""The slip behind a wrong matrix formula, where it is one of the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from engine.answers import interval as iv
from engine.answers.expression import Node, latex, name_latex, nodes, number
from engine.answers.interval import BlurredError, UndefinedError, Value
from engine.answers.matrix_compare import Known, MatrixCompared, MatrixComparison
from engine.answers.matrix_points import MatrixPoint, MatrixSampler
from engine.answers.shapes import Shape, shape_of
from engine.answers.slips import number_words
from engine.answers.symbols import Declared
from engine.answers.verdict import RefusalError
from engine.notation.line import one_line
from engine.text import Text

_MOST_CANDIDATES = 60
_MOST_STEPS = 8_000
_MOST_POINTS = 3
Candidate = tuple[Text, Node]


def shape_slip(answer: Node, expected: Node, shape: Shape, wanted: Shape, declared: Declared) -> Text:
    """What to say of a formula of another shape."""
    words = Text(f"the shape is {shape}, not {wanted}", f"形状是 {shape}，而应为 {wanted}")
    if shape.transposed != wanted:
        return words
    sampler = MatrixSampler(declared, (answer, expected))
    points = list(sampler.points())[:_MOST_POINTS]
    if _right(Node("transpose", (answer,)), expected, points)[0]:
        return Text(f"{words.en}: it is the transpose of the answer", f"{words.zh}：写成了答案的转置")
    return words


def matrix_slip(
    answer: Node,
    expected: Node,
    compared: list[MatrixCompared],
    declared: Declared,
    sampler: MatrixSampler,
) -> Text | None:
    """A constant factor, a sign, a transpose, an order, a misplaced scale, the wrong softmax axis, or a special case."""
    iv.set_digits(60)
    if not sampler.is_constant and (found := _factor(compared)) is not None:
        return found
    usable = [one.at for one in compared if one.outcome in ("agree", "differ")]
    # whole entries are quick to compute with and refuse most candidates; a generic point must agree as well
    points = [*usable[: _MOST_POINTS - 1], *usable[_MOST_POINTS - 1 :][-1:]]
    known: Known = {}
    wanted = shape_of(expected, declared)
    spent = 0
    for place, (words, candidate) in enumerate(_candidates(answer, declared, sampler)):
        if place >= _MOST_CANDIDATES or spent > _MOST_STEPS or len(points) < _MOST_POINTS:
            break
        try:
            if shape_of(candidate, declared) != wanted:
                continue
        except RefusalError:
            continue
        right, steps = _right(candidate, expected, points, known)
        spent += steps
        if right:
            return words
    return _special(answer, expected, points, declared)


def _right(
    candidate: Node, expected: Node, points: list[MatrixPoint], known: Known | None = None
) -> tuple[bool, int]:
    """Whether the candidate agrees at all points, and the work it took."""
    comparison = MatrixComparison(candidate, expected, known)
    right = all(comparison.at(point).outcome == "agree" for point in points)
    return right, comparison.steps


def _factor(compared: list[MatrixCompared]) -> Text | None:
    """Whether all elements at all matrices keep one ratio."""
    first: Value | None = None
    counted = 0
    for one in compared:
        answer, reference = one.sides
        if one.outcome not in ("agree", "differ") or answer is None or reference is None:
            continue
        for a, b in zip(sum(answer, ()), sum(reference, ()), strict=True):
            if a == b == Fraction(0):
                continue
            try:
                ratio = iv.divide(a, b)
            except (UndefinedError, BlurredError):
                return None
            first = ratio if first is None else first
            if not _same(first, ratio):
                return None
            counted += 1
    if first is None or first == Fraction(0) or counted < _MOST_POINTS:
        return None
    if first == Fraction(-1):
        return Text("the sign is wrong", "符号反了")
    words = number_words(first)
    if words == "-1":
        return Text("the sign is wrong", "符号反了")
    return Text(f"off by a constant factor: {words} times the answer", f"差一个常数因子：是答案的 {words} 倍")


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    gap = iv.interval(iv.add(a, iv.negate(b)))
    return iv.nearest(gap) == 0 and iv.width(gap) <= iv.scaled(iv.size(a), -12)


def _candidates(answer: Node, declared: Declared, sampler: MatrixSampler) -> Iterator[Candidate]:
    """What the answer would be without the slip, the likelier slips first."""
    yield Text("the result is transposed", "结果写成了转置"), Node("transpose", (answer,))
    yield from _changed(answer, _transposes)
    yield from _changed(answer, _orders)
    yield from _changed(answer, _axes)
    yield from _changed(answer, _products)
    for name in sampler.values:
        yield from _scales(answer, Node("symbol", name=name))
    for name, kind in sampler.kinds.items():
        if kind in ("pos", "posint", "prob", "real", "dim"):
            yield from _scales(answer, Node("symbol", name=name))


def _changed(node: Node, change: Callable[[Node], Iterator[Candidate]]) -> Iterator[Candidate]:
    """The tree with one node changed, at every place in turn."""
    yield from change(node)
    for place, arg in enumerate(node.args):
        for words, changed in _changed(arg, change):
            yield words, replace(node, args=(*node.args[:place], changed, *node.args[place + 1 :]))


def _shown(node: Node) -> str:
    return one_line(latex(node))


def _transposes(node: Node) -> Iterator[Candidate]:
    if node.op == "transpose":
        inner = node.args[0]
        yield (
            Text(f"{_shown(inner)} should not be transposed", f"{_shown(inner)} 不应转置"),
            inner,
        )
    elif node.op in ("matrix", "vector", "inv") or (node.op == "^" and node.args[0].op == "matrix"):
        yield (
            Text(f"{_shown(node)} should be transposed", f"{_shown(node)} 缺少转置"),
            Node("transpose", (node,)),
        )


def _orders(node: Node) -> Iterator[Candidate]:
    """Two neighbouring factors exchanged."""
    if node.op != "*":
        return
    for place in range(len(node.args) - 1):
        first, second = node.args[place : place + 2]
        if first == second or not all(map(_stands_for_matrix, (first, second))):
            continue
        yield (
            Text(
                f"{_shown(first)} and {_shown(second)} stand in the wrong order",
                f"{_shown(first)} 与 {_shown(second)} 的次序反了",
            ),
            replace(node, args=(*node.args[:place], second, first, *node.args[place + 2 :])),
        )


def _stands_for_matrix(node: Node) -> bool:
    return any(one.op in ("matrix", "vector") for one in nodes(node))


def _axes(node: Node) -> Iterator[Candidate]:
    if node.op == "softmax":
        turned = Node("softmax", (Node("transpose", node.args),))
        yield (
            Text(
                "the softmax runs over the wrong axis: here it normalises each row",
                "softmax 的方向不对：这里按行归一化",
            ),
            Node("transpose", (turned,)),
        )


def _products(node: Node) -> Iterator[Candidate]:
    if node.op == "∘":
        words = Text(
            "an elementwise product stands where the matrix product is meant",
            "应为矩阵乘积，写成了逐元素乘积",
        )
        yield words, Node("*", node.args)
    if node.op == "*":
        for place in range(len(node.args) - 1):
            if not all(map(_stands_for_matrix, node.args[place : place + 2])):
                continue
            joined = Node("∘", node.args[place : place + 2])
            rest = (*node.args[:place], joined, *node.args[place + 2 :])
            words = Text(
                "a matrix product stands where the elementwise product is meant",
                "应为逐元素乘积，写成了矩阵乘积",
            )
            yield words, joined if len(rest) == 1 else replace(node, args=rest)


def _scales(answer: Node, scale: Node) -> Iterator[Candidate]:
    """A factor s, 1/s, √s or 1/√s that is missing, or stands outside a softmax instead of inside."""
    root = Node("sqrt", (scale,))
    shown = one_line(name_latex(scale.name))
    for factor, words in ((root, f"√{shown}"), (scale, shown)):
        under, over = Node("/", (number(1), factor)), factor
        for inserted, named, undone in ((under, f"1/{words}", over), (over, words, under)):
            yield (
                Text(f"the factor {named} is missing", f"缺少因子 {named}"),
                Node("*", (inserted, answer)),
            )
            for _, inside in _changed(answer, lambda node, by=inserted: _inside(node, by)):  # type: ignore[misc]
                yield (
                    Text(f"the factor {named} is missing inside the softmax", f"softmax 内缺少因子 {named}"),
                    inside,
                )
                yield (
                    Text(
                        f"the factor {named} stands outside the softmax: it belongs inside",
                        f"因子 {named} 写在了 softmax 外面：应在里面",
                    ),
                    Node("*", (undone, inside)),
                )


def _inside(node: Node, factor: Node) -> Iterator[Candidate]:
    if node.op == "softmax":
        yield Text("", ""), Node("softmax", (Node("*", (factor, *node.args)),))


def _special(answer: Node, expected: Node, points: list[MatrixPoint], declared: Declared) -> Text | None:
    """Whether the answer is right where one square matrix is symmetric."""
    for name, matrix in declared.matrices.items():
        if matrix.rows != matrix.columns or matrix.special:
            continue
        pinned = [_symmetric(point, name) for point in points if name in point.matrices]
        if len(pinned) == _MOST_POINTS and _right(answer, expected, pinned)[0]:
            return Text(f"right for symmetric {name}, but not in general", f"{name} 对称时成立，但一般不成立")
    return None


def _symmetric(point: MatrixPoint, name: str) -> MatrixPoint:
    rows = point.matrices[name]
    mirrored = tuple(tuple(rows[min(i, j)][max(i, j)] for j in range(len(rows))) for i in range(len(rows)))
    return replace(point, matrices={**point.matrices, name: mirrored})
