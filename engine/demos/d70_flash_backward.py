"""D70: attention's gradients without its weights: one number a row is enough to make them again.

Dao et al. 2022 (FlashAttention), section 3.1 and appendix B; Dao 2023 (FlashAttention-2), algorithm 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.attention import (
    AttentionGradient,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
)
from engine.nn.counted import Tally, counted
from engine.nn.flash_backward import Kept, row_dots, tiled_backward, weights_again
from engine.proof.step import Expr, Step, cited, defined, equal, let, ordered, popular_error
from engine.text import Text, same

EPS = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def forward_multiplications(N: Expr, d: Expr) -> Expr:
    """Scores and weighted values: two products of N by N by d."""
    return 2 * N**2 * d


def backward_multiplications(N: Expr, d: Expr) -> Expr:
    """Scores once more, dP, dV, dQ and dK: five products of the same sizes."""
    return 5 * N**2 * d


def kept_multiplications(N: Expr, d: Expr) -> Expr:
    """The same where the weights were kept: four products."""
    return 4 * N**2 * d


def score_gradient(weight: Expr, d_weight: Expr, dot: Expr) -> Expr:
    """Gradient of one score from its weight, the weight's gradient and the row's dot product of dO and O."""
    return weight * (d_weight - dot)


def derive() -> tuple[Step, ...]:
    import sympy as sp

    s = sp.symbols("s_1:4", real=True)
    v = sp.symbols("v_1:4", real=True)
    p = sp.symbols("p_1:4", positive=True)
    g, L = sp.symbols("g L", real=True)
    N, d = sp.symbols("N d", positive=True)
    e = sp.Symbol("e", positive=True)
    total = sum(sp.exp(one) for one in s)
    weight = sp.exp(s[0]) / total
    output = sum(sp.exp(a) * b for a, b in zip(s, v, strict=True)) / total
    saved = (L, sp.log(total))
    a = sp.Matrix(3, 2, sp.symbols("v_11 v_12 v_21 v_22 v_31 v_32", real=True))
    g_1, g_2 = sp.symbols("g_1 g_2", real=True)
    context = [sum(p[j] * a[j, c] for j in range(3)) for c in range(2)]
    long = (N, d + 1 + e)
    i = sp.Symbol("i", integer=True)

    def products(count: int) -> Expr:
        return sp.Sum(N**2 * d, (i, 1, count))

    return (
        defined(
            "kept",
            r"O = P V, \qquad L_i = \log \sum_j e^{S_{ij}}",
            Text(
                "the forward pass leaves the output and one number per row; the $N \\times N$ weights $P$ are dropped",
                "前向只留下输出和每行一个数；$N \\times N$ 的权重 $P$ 丢弃",
            ),
        ),
        let("logsumexp", *saved, Text("that number for a row of three scores", "三个分数的一行，这个数是")),
        equal(
            "weights-again",
            sp.exp(s[0] - L),
            weight,
            Text(
                "a score and its row's number give back the weight: no other score of the row is needed, so a tile suffices",
                "由一个分数和本行的那个数就能得回权重：不需要本行其他分数，所以一块就够",
            ),
            bound="n=3",
            using=[saved],
        ),
        equal(
            "row-dot",
            sum(p[j] * (g_1 * a[j, 0] + g_2 * a[j, 1]) for j in range(3)),
            g_1 * context[0] + g_2 * context[1],
            Text(
                "the softmax's backward pass needs $\\sum_j P_j\\, dP_j$ over the whole row; it equals $dO \\cdot O$, which needs no weights",
                "softmax 的反向需要整行的 $\\sum_j P_j\\, dP_j$；它等于 $dO \\cdot O$，不需要权重",
            ),
            bound="n=3, d=2",
        ),
        equal(
            "score-gradient",
            sp.Derivative(g * output, s[0]),
            score_gradient(weight, g * v[0], g * output),
            Text(
                "so each score's gradient is its weight times what its $dP$ exceeds the row's dot product by",
                "所以每个分数的梯度，是其权重乘以 $dP$ 超出该行点积的部分",
            ),
            bound="n=3, d=1",
        ),
        popular_error(
            "weight-times-gradient",
            sp.Derivative(g * output, s[0]),
            weight * g * v[0],
            Text(
                "'the gradient of a score is $P\\, dP$': that forgets that the row is normalised",
                "“分数的梯度是 $P\\, dP$”：忘了这一行是归一化的",
            ),
            bound="n=3, d=1",
        ),
        equal(
            "four-products",
            products(4),
            kept_multiplications(N, d),
            Text(
                "with the weights kept: the gradients of weights, values, queries and keys, a product each of $N \\times N \\times d$",
                "保存权重时：权重、value、query、key 的梯度，各一次 $N \\times N \\times d$ 的乘积",
            ),
        ),
        equal(
            "five-products",
            products(5),
            backward_multiplications(N, d),
            Text(
                "recomputing costs the scores once more, half of a forward pass",
                "重算的代价是再算一遍分数，即半个前向",
            ),
        ),
        equal(
            "five-halves",
            products(5) / products(2),
            sp.Rational(5, 2),
            Text("five products against the forward pass's two", "五次乘积，而前向是两次"),
        ),
        popular_error(
            "backward-is-twice",
            backward_multiplications(N, d),
            2 * forward_multiplications(N, d),
            Text(
                "'a backward pass costs twice the forward pass': here two and a half times, and it is still faster",
                "“反向的开销是前向的两倍”：这里是两倍半，却仍然更快",
            ),
        ),
        let("long", *long, Text("a length above the width plus one", "长度大于宽度加一")),
        ordered(
            "keeps-less",
            (d + 1) * (d + 1 + e),
            "<",
            (d + 1 + e) ** 2,
            Text(
                "output and numbers take $N (d + 1)$, the weights would take $N^2$",
                "输出与每行的数共 $N (d + 1)$ 个，权重则要 $N^2$ 个",
            ),
            witness=e * (d + 1 + e),
        ),
        cited(
            "faster-nevertheless",
            r"\text{more FLOPs, fewer HBM accesses, less time}",
            Text(
                "reading $N \\times N$ weights back from HBM takes longer than making them again on chip",
                "从 HBM 读回 $N \\times N$ 的权重，比在片上重新算一遍更慢",
            ),
            "Dao et al. 2022, section 3.1 and figure 2",
        ),
    )


def predict(p: Params) -> Results:
    N, d = p.N, p.d
    return {
        "forward": float(forward_multiplications(N, d)),
        "backward": float(backward_multiplications(N, d)),
        "backward_kept": float(kept_multiplications(N, d)),
        "ratio": float(backward_multiplications(N, d) / forward_multiplications(N, d)),
        "kept": float(N * (d + 1)),
        "weights": float(N * N),
    }


class Head(NamedTuple):
    """One head's queries, keys, values and dL/d output, all (N, d), and its scale."""

    q: Array
    k: Array
    v: Array
    d_output: Array
    scale: float


def drawn(p: Params, rng: np.random.Generator) -> Head:
    q, k, v, d_output = (rng.standard_normal((p.N, p.d)) for _ in range(4))
    return Head(p.spread * q, k, v, d_output, 1 / math.sqrt(p.d))


def kept_of(head: Head) -> Kept:
    """The forward pass, which then forgets its weights."""
    scores = head.q @ head.k.T * head.scale  # (N, N)
    top = scores.max(axis=-1, keepdims=True)  # (N, 1)
    # L = m + log sum_j e^{S - m}
    total = top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True))
    return Kept(np.exp(scores - total) @ head.v, total)


def gap(one: AttentionGradient, other: AttentionGradient) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(one, other, strict=True))


def without_dots(head: Head, kept: Kept, block: int) -> AttentionGradient:
    """The gradients if the row's dot product is left out."""
    bare = Kept(np.zeros_like(kept.output), kept.logsumexp)
    return tiled_backward(head.q, head.k, head.v, bare, head.d_output, head.scale, block, block)


def measure(p: Params, rng: np.random.Generator) -> Results:
    head = drawn(p, rng)
    kept = kept_of(head)
    tally, ordinary_tally, forward_tally = Tally(), Tally(), Tally()
    q, k, v, d_output = (counted(one, tally) for one in head[:4])
    tiled = tiled_backward(q, k, v, kept, d_output, head.scale, p.block, p.block)
    tiled = AttentionGradient(*(np.asarray(one).view(np.ndarray) for one in tiled))
    scaled_dot_product_attention(*(counted(one, forward_tally) for one in head[:3]))
    attended = scaled_dot_product_attention(head.q, head.k, head.v)
    ordinary = scaled_dot_product_attention_backward(attended, head.q, head.k, head.v, head.d_output)
    a, b, c, up = (counted(one, ordinary_tally) for one in head[:4])
    scaled_dot_product_attention_backward(attended, a, b, c, up)
    again = weights_again(head.q, head.k, kept.logsumexp, head.scale)
    spread_of_row = np.abs(again * (head.d_output @ head.v.T)).sum(axis=-1, keepdims=True)
    dots = row_dots(kept.output, head.d_output)
    reach = float(np.abs(attended.scores).max())
    # sums of magnitudes: what rounding errors are relative to
    magnitude = attended.weights * (np.abs(head.d_output) @ np.abs(head.v).T + spread_of_row + np.abs(dots))
    size = max(
        float((magnitude @ np.abs(head.k)).max() * head.scale),
        float((magnitude.T @ np.abs(head.q)).max() * head.scale),
        float((attended.weights.T @ np.abs(head.d_output)).max()),
    )
    wrong = without_dots(head, kept, p.block)
    return {
        "gap": gap(tiled, ordinary),
        "size": size,
        "reach": reach,
        "weights_gap": float(np.abs(again - attended.weights).max()),
        "dots_gap": float(
            np.abs(dots - (attended.weights * (head.d_output @ head.v.T)).sum(-1, keepdims=True)).max()
        ),
        "dots_size": float(spread_of_row.max()),
        "wrong_gap": gap(wrong, ordinary) / max(float(np.abs(one).max()) for one in ordinary),
        "forward": float(forward_tally.in_products),
        "backward": float(tally.in_products),
        "backward_kept": float(ordinary_tally.in_products),
        "ratio": tally.in_products / forward_tally.in_products,
        "kept": float(sum(one.size for one in kept)),
        "weights": float(attended.weights.size),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    law = Text(
        "rounding of sums of $N$ and $d$ terms and of the exponents", "$N$ 项与 $d$ 项之和及指数的舍入误差"
    )
    exact = Text("exact count", "精确计数")
    unit = 8 * EPS * (p.N + p.d + 8 + results["reach"])

    def counts(name: str, claim: Text, quantity: str) -> Check:
        return Check(name, claim, predicted[quantity], results[quantity], None, exact)

    return (
        Check(
            "gradients-equal",
            Text("tiled gradients against those with the weights kept", "分块梯度与保存权重时的梯度之差"),
            0.0,
            results["gap"],
            unit * results["size"],
            law,
        ),
        Check(
            "weights-made-again",
            Text(
                "weights from the logsumexp against those of the softmax",
                "由 logsumexp 重得的权重与 softmax 的权重之差",
            ),
            0.0,
            results["weights_gap"],
            unit,
            law,
        ),
        Check(
            "row-dots",
            Text(
                "$dO \\cdot O$ against $\\sum_j P_j\\, dP_j$", "$dO \\cdot O$ 与 $\\sum_j P_j\\, dP_j$ 之差"
            ),
            0.0,
            results["dots_gap"],
            unit * (1 + results["dots_size"]),
            law,
        ),
        counts("counted-forward", Text("multiplications of the forward pass", "前向的乘法次数"), "forward"),
        counts(
            "counted-backward",
            Text("multiplications of the tiled backward pass", "分块反向的乘法次数"),
            "backward",
        ),
        counts(
            "counted-backward-kept",
            Text("multiplications of the backward pass with weights kept", "保存权重时反向的乘法次数"),
            "backward_kept",
        ),
        counts("numbers-kept", Text("numbers kept for the backward pass", "为反向保存的数的个数"), "kept"),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    lengths: Array = np.geomspace(8, 4096, 40)
    return (
        Bars(
            Text("Multiplications in matrix products", "矩阵乘积中的乘法次数"),
            Text(
                "dropping the weights costs one product more in the backward pass, five instead of four",
                "丢弃权重，反向只多一次乘积：五次而不是四次",
            ),
            Axis(Text("multiplications", "乘法次数"), low=0.0),
            (
                Bar(Text("forward", "前向"), results["forward"]),
                Bar(Text("backward, weights kept", "反向，保存权重"), results["backward_kept"]),
                Bar(Text("backward, in tiles", "反向，分块"), results["backward"]),
            ),
        ),
        Plot(
            Text("Numbers kept for the backward pass", "为反向保存的数的个数"),
            Text(
                "with the weights it grows as the square of the length, without them along a line",
                "保存权重时随长度平方增长，不保存则是一条直线",
            ),
            Axis(same("N"), "log"),
            Axis(Text("numbers", "个数"), "log"),
            (
                Line(Text("weights", "权重"), lengths, lengths**2, "context"),
                Line(
                    Text("output and logsumexp", "输出与 logsumexp"),
                    lengths,
                    lengths * (p.d + 1),
                    "predicted",
                ),
                Points(
                    Text("measured", "实测"), np.array([float(p.N)]), np.array([results["kept"]]), "measured"
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D70",
    name="flash-backward",
    title=Text("FlashAttention's backward pass", "FlashAttention 的反向传播"),
    shows=Text(
        "output and one number per row give the exact gradients of attention, tile by tile, for one matrix product more",
        "有输出和每行一个数，就能逐块得到注意力的精确梯度，只多一次矩阵乘积",
    ),
    kills=Text(
        "“the backward pass needs the attention matrix”, “a score's gradient is P dP”, “backward is always twice forward”",
        "“反向传播需要注意力矩阵”“分数的梯度是 P dP”“反向总是前向的两倍”",
    ),
    parameters=(
        Parameter("N", "N", Text("tokens", "词元数"), 64, 2, 128, 1.0, "int", "log"),
        Parameter("d", "d", Text("width of the head", "头的宽度"), 16, 1, 64, 1.0, "int", "log"),
        Parameter(
            "block",
            "B",
            Text("rows and columns of a tile", "分块的行数与列数"),
            16,
            16,
            64,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "spread", r"\sigma", Text("standard deviation of the scores", "分数的标准差"), 1.0, 0.1, 10.0, 0.1
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "ratio",
        Text("multiplications backward over forward", "反向与前向的乘法次数之比"),
        Text("times", "倍"),
        1.0,
        5.0,
    ),
)
