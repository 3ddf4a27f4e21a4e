"""D29: what the sines and cosines of a position encoding do promise, and what they do not.

Vaswani et al. 2017, section 3.5; Yan et al. 2019 (TENER), section 3.2 (the dot product is blind to direction, and a
learned projection does not keep even the distance).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.position import (
    angular_frequencies,
    join_pairs,
    sinusoidal_encoding,
    split_pairs,
)
from engine.proof.step import Expr, Step, cited, defined, equal, ordered, popular_error, unequal
from engine.text import Text, same

LENGTH, FARTHEST = 4096, 500
ROUNDING = float(np.finfo(float).eps)
DIFFERENT = 1e-9
"""Numbers of order one further apart than this differ: rounding stays far below."""


# The formulas, for one pair of angular frequency omega: SymPy proves them, the prediction adds them over the pairs.
def pair_product(cosine: Expr) -> Expr:
    """PE(p)·PE(p + k), given cos(omega k)."""
    return cosine


def pair_distance_squared(half_sine: Expr) -> Expr:
    """|PE(p + k) - PE(p)|², given sin(omega k / 2)."""
    return 4 * half_sine**2


def aligned_form(a: Expr, b: Expr, cosine: Expr, sine: Expr) -> Expr:
    """PE(p)^T (a I + b J) PE(p + k), given cos and sin of omega k; J turns a pair by a quarter."""
    return a * cosine + b * sine


def derive() -> tuple[Step, ...]:
    return (*_frequencies(), *_relative(), *_projected())


def _frequencies() -> tuple[Step, ...]:
    import sympy as sp

    b, d = sp.symbols("b d", positive=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    m = sp.Symbol("m", integer=True, nonnegative=True)
    rate = sp.exp(-2 * i * sp.log(b) / d)
    return (
        defined(
            "encoding",
            r"PE(p)_{2i} = \sin(\omega_i p), \quad PE(p)_{2i+1} = \cos(\omega_i p), \quad \omega_i = b^{-2i/d}",
            Text(
                "pair $i$ turns at the angular frequency $\\omega_i$; $b$ is 10,000 in the paper",
                "第 $i$ 对以角频率 $\\omega_i$ 旋转；论文中 $b$ 取 10,000",
            ),
        ),
        equal(
            "exponential-form",
            sp.log(rate, evaluate=False),
            sp.log(b ** (-2 * i / d), evaluate=False),
            Text(
                "what code computes, $e^{-2i \\ln b / d}$, has the logarithm of $b^{-2i/d}$: one number, two spellings",
                "代码里算的 $e^{-2i \\ln b / d}$ 与 $b^{-2i/d}$ 的对数相同：同一个数的两种写法",
            ),
        ),
        equal(
            "wavelengths",
            (2 * sp.pi * b ** (2 * (i + 1) / d)) / (2 * sp.pi * b ** (2 * i / d)),
            b ** (2 / d),
            Text(
                "wavelengths grow by one and the same ratio, from $2\\pi$ to $2\\pi b^{1-2/d}$: never quite to $2\\pi b$",
                "波长按同一比值递增，从 $2\\pi$ 到 $2\\pi b^{1-2/d}$：到不了 $2\\pi b$",
            ),
        ),
        equal(
            "odd-width",
            sp.Sum(1, (i, 0, m)) - sp.Sum(1, (i, 1, m)),
            sp.Integer(1),
            Text(
                "an odd width $2m + 1$ has sine columns $0 … m$ and one cosine column fewer, and the code in circulation, which "
                "fills both with one array of angles, stops with a shape error",
                "宽度为奇数 $2m + 1$ 时，正弦列是 $0 … m$，余弦列少一列；流行的代码用同一个角度数组填两者，于是报形状错误",
            ),
        ),
    )


def _relative() -> tuple[Step, ...]:
    import sympy as sp

    w, p, k, h = sp.symbols("omega p k h", real=True)

    def pe(angle: Expr) -> Expr:
        return sp.ImmutableMatrix([sp.sin(angle), sp.cos(angle)])

    def turn(angle: Expr) -> Expr:
        return sp.ImmutableMatrix([[sp.cos(angle), sp.sin(angle)], [-sp.sin(angle), sp.cos(angle)]])

    def inner(one: Expr, two: Expr) -> Expr:
        return (one.T * two)[0]

    rates = [sp.Integer(10) ** -j for j in range(4)]

    def whole(at: Expr) -> Expr:
        return sp.ImmutableMatrix([entry for rate in rates for entry in pe(rate * at)])

    blocks = sp.ImmutableMatrix(sp.diag(*(turn(rate * k) for rate in rates)))
    gap = pe(w * (p + 2 * h)) - pe(w * p)
    return (
        equal(
            "norm",
            inner(pe(w * p), pe(w * p)),
            sp.Integer(1),
            Text(
                "each pair has length one, so $|PE(p)|^2 = d/2$ at every position: bounded, which is not extrapolation",
                "每一对的长度都是 1，所以任何位置都有 $|PE(p)|^2 = d/2$：有界，但有界不等于能外推",
            ),
        ),
        equal(
            "shift-is-a-rotation",
            pe(w * (p + k)),
            sp.MatMul(turn(w * k), pe(w * p)),
            Text(
                "a shift by $k$ is a rotation that depends on $k$ alone",
                "平移 $k$ 就是一次只取决于 $k$ 的旋转",
            ),
        ),
        equal(
            "whole-shift",
            whole(p + k),
            sp.MatMul(blocks, whole(p)),
            Text(
                "so for the whole encoding it is one matrix of rotations along the diagonal",
                "于是整个编码的平移是一个分块对角的旋转矩阵",
            ),
            bound="d=8, b=10^4",
        ),
        equal(
            "product",
            inner(pe(w * p), pe(w * (p + k))),
            pair_product(sp.cos(w * k)),
            Text(
                "hence the dot product of two positions knows their distance and not where they stand",
                "因此两个位置的点积只知道距离，不知道它们在哪里",
            ),
        ),
        popular_error(
            "product-knows-direction",
            inner(pe(w * p), pe(w * (p + k))),
            inner(pe(w * p), pe(w * (p - k))),
            Text(
                "'the dot product tells before from after': it is the same for $+k$ and $-k$",
                "“点积能分辨前后”：$+k$ 与 $-k$ 的点积相同",
            ),
            op="!=",
        ),
        equal(
            "distance",
            inner(gap, gap),
            pair_distance_squared(sp.sin(w * h)),
            Text(
                "two positions $2h$ apart coincide in a pair only where $\\sin(\\omega h) = 0$",
                "相距 $2h$ 的两个位置，只有 $\\sin(\\omega h) = 0$ 时才在这一对上重合",
            ),
        ),
        cited(
            "unique",
            r"2\pi m \notin \mathbb{Z} \quad (m = 1, 2, …)",
            Text(
                "in the first pair, $\\omega = 1$, that needs a whole number of turns, and π is irrational: all whole "
                "positions differ already there",
                "第一对的 $\\omega = 1$，重合需要整数圈，而 π 是无理数：仅凭这一对，所有整数位置就已互不相同",
            ),
            "Lambert 1761",
        ),
        ordered(
            "near-miss",
            sp.Abs(710 - 113 * 2 * sp.pi),
            "<",
            sp.Rational(1, 16000),
            Text(
                "but only just: 710 steps are 113 turns and 0.00006 rad; it takes the slower pairs to keep such "
                "positions apart",
                "但只差一点：710 步是 113 圈又 0.00006 弧度；要靠更慢的那些对才能把这样的位置分开",
            ),
        ),
    )


def _projected() -> tuple[Step, ...]:
    import sympy as sp

    w, p, k, a, b = sp.symbols("omega p k a b", real=True)
    m = sp.symbols("m_11 m_12 m_21 m_22", real=True)
    J = sp.ImmutableMatrix([[0, -1], [1, 0]])
    M = sp.ImmutableMatrix(2, 2, m)

    def pe(at: Expr) -> Expr:
        return sp.ImmutableMatrix([sp.sin(w * at), sp.cos(w * at)])

    def form(matrix: Expr, at: Expr) -> Expr:
        return (pe(at).T * matrix * pe(at + k))[0]

    kept = aligned_form((m[0] + m[3]) / 2, (m[2] - m[1]) / 2, sp.cos(w * k), sp.sin(w * k))
    moving = w * (2 * p + k)
    return (
        equal(
            "aligned-projections",
            form(a * sp.eye(2) + b * J, p),
            aligned_form(a, b, sp.cos(w * k), sp.sin(w * k)),
            Text(
                "with $M = W_Q W_K^\\top$ between them: if $M$ is $aI + bJ$ on the pair, with $J$ a quarter turn, the "
                "score still depends on $k$ alone, and $b$ even adds the direction",
                "中间隔着 $M = W_Q W_K^\\top$ 时：若 $M$ 在这一对上是 $aI + bJ$（$J$ 是旋转四分之一圈），分数仍只取决于 $k$，"
                "$b$ 还带来了方向",
            ),
        ),
        equal(
            "any-projection",
            form(M, p),
            kept + (m[3] - m[0]) / 2 * sp.cos(moving) + (m[1] + m[2]) / 2 * sp.sin(moving),
            Text(
                "any other $M$ adds waves in $2p + k$: the score moves with the place",
                "其他任何 $M$ 都会多出关于 $2p + k$ 的波：分数随所处位置而变",
            ),
        ),
        popular_error(
            "relative-after-projection",
            form(M, p),
            form(M, 0),
            Text(
                "'so the score after $W_Q, W_K$ depends on the relative position only': nothing in training forces that",
                "“所以经过 $W_Q, W_K$ 之后分数只取决于相对位置”：训练中没有什么保证这一点",
            ),
        ),
        unequal(
            "direction-after-projection",
            form(J, p),
            (pe(p).T * J * pe(p - k))[0],
            Text(
                "what a projection can do is to tell before from after, which the bare dot product cannot",
                "投影能做到的是分辨前后，裸点积做不到",
            ),
        ),
    )


def predict(p: Params) -> Results:
    rates = angular_frequencies(2 * p.pairs, p.base)
    gaps = np.arange(1, max(p.place, LENGTH - p.place) + 1)
    squares: Array = np.zeros(len(gaps))
    for rate in rates:
        squares += pair_distance_squared(np.sin(rate * gaps / 2))
    quarter = aligned_form(0.0, 1.0, np.cos(rates * p.offset), np.sin(rates * p.offset))
    return {
        "product": float(pair_product(np.cos(rates * p.offset)).sum()),
        "nearest": math.sqrt(squares.min()),
        "quarter_form": float(quarter.sum()),
        "relative": p.projection != "random",
    }


def exponential_table(positions: Array, d: int, base: float) -> Array:
    """The table as most code writes it: frequencies from an exponential, columns filled by strides."""
    table = np.zeros((len(positions), d))
    angles = positions[:, None] * np.exp(np.arange(0, d, 2) * (-math.log(base) / d))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


def odd_width_fails(d: int) -> bool:
    """Whether that code stops at an odd width."""
    try:
        exponential_table(np.arange(4.0), d, 10_000.0)
    except ValueError:
        return True
    return False


def shifted(encoding: Array, angles: Array, layout: str) -> Array:
    """The rotation of each pair by its angle, as the derivation's matrix does it: (d,) to (d,)."""
    matrix = np.zeros((len(encoding), len(encoding)))
    place = np.arange(len(encoding))
    sines, cosines = split_pairs(place, layout)  # type: ignore[arg-type]
    matrix[sines, sines] = matrix[cosines, cosines] = np.cos(angles)
    matrix[sines, cosines], matrix[cosines, sines] = np.sin(angles), -np.sin(angles)
    return matrix @ encoding


def draw_projection(p: Params, rng: np.random.Generator) -> Array:
    """M = W_Q W_K^T between two encodings, (d, d)."""
    d = 2 * p.pairs
    if p.projection == "random":
        return rng.standard_normal((d, d)) / math.sqrt(d)
    a, b = rng.standard_normal((2, p.pairs)) if p.projection == "aligned" else (np.ones(p.pairs), 0.0)
    return quarter_turns(a, b, p.layout)


def quarter_turns(a: Array, b: Array | float, layout: str) -> Array:
    """The matrix with a I + b J on each pair, (d, d)."""
    place = np.arange(2 * len(a))
    sines, cosines = split_pairs(place, layout)  # type: ignore[arg-type]
    matrix = np.zeros((len(place), len(place)))
    matrix[sines, sines] = matrix[cosines, cosines] = a
    matrix[sines, cosines], matrix[cosines, sines] = -np.asarray(b), b
    return matrix


STRIDE = 8
"""Every so manieth position is asked for its projected score: enough to see it move."""
ROWS = 12
COLUMNS = 56
REACH = 64
"""The figures: positions and features of the heat map, distances of the curve."""


def measure(p: Params, rng: np.random.Generator) -> Results:
    d = 2 * p.pairs

    def encoded(positions: Array) -> Array:
        return np.asarray(sinusoidal_encoding(positions, d, base=p.base, layout=p.layout), dtype=np.float64)

    table = encoded(np.arange(LENGTH + 1.0))
    here, there = encoded(np.array([p.place, p.place + p.offset]))
    others = table - here
    distances = np.sqrt(np.einsum("nd,nd->n", others, others))
    distances[p.place] = math.inf

    few = np.arange(0, LENGTH - FARTHEST, STRIDE)
    projection = draw_projection(p, rng)
    scores = np.einsum("nd,nd->n", table[few] @ projection, table[few + p.offset])

    sample = np.linspace(0, LENGTH, 33).round()
    code = exponential_table(sample, d, p.base)
    if p.layout == "halves":
        code = np.asarray(join_pairs(*split_pairs(code, "interleaved"), "halves"), dtype=np.float64)

    offsets = np.arange(-REACH, REACH + 1.0)
    around = encoded(p.place + offsets)
    J = quarter_turns(np.zeros(p.pairs), np.ones(p.pairs), p.layout)
    return {
        "table": table[:ROWS, :COLUMNS],
        "norm_difference": float(np.abs(np.einsum("nd,nd->n", table, table) - p.pairs).max()),
        "table_difference": float(np.abs(table[sample.astype(int)] - code).max()),
        "shift_difference": float(
            np.abs(shifted(here, p.offset * angular_frequencies(d, p.base), p.layout) - there).max()
        ),
        "product": float(here @ there),
        "direction_difference": float(here @ there - here @ encoded(np.array(p.place - p.offset))),
        "quarter_form": float(here @ J @ there),
        "nearest": float(distances.min()),
        "nearest_gap": int(abs(int(distances.argmin()) - p.place)),
        "score_spread": float(scores.std()),
        "projection_size": float(np.abs(projection).max()),
        "odd_width_fails": odd_width_fails(d + 1),
        "offsets": offsets,
        "products": around @ here,
        "quarter_forms": around @ (here @ J),
    }


def angle_error(p: Params) -> float:
    """Bound on the sum over the pairs of an angle's error: two rounded products and one power, at the largest position."""
    rates = angular_frequencies(2 * p.pairs, p.base)
    # a power or an exponential of x is off by (|x| + 2) units of rounding
    per_pair = rates * (np.abs(np.log(rates)) + 4)
    return float((LENGTH + FARTHEST) * ROUNDING * per_pair.sum())


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to the rounding of the angles", "精确恒等式，只容许角度的舍入误差")
    angles, sums = angle_error(p), 8 * ROUNDING * p.pairs
    identity = 4 * angles + sums
    # on each pair |a| and |b| times the error of a product
    forms = 2 * results["projection_size"] * identity

    def zero(name: str, claim: Text, key: str, tolerance: float) -> Check:
        return Check(name, claim, predicted=0.0, measured=results[key], tolerance=tolerance, law=exact)

    moving = Text("a difference beyond rounding", "超出舍入误差的差别")
    return (
        zero(
            "both-forms",
            Text("the table by powers and the table by exponentials", "按幂计算的表与按指数计算的表之差"),
            "table_difference",
            2 * angles + sums,
        ),
        zero(
            "norm-everywhere",
            Text("$|PE(p)|^2$ against $d/2$, over all positions", "所有位置上 $|PE(p)|^2$ 与 $d/2$ 之差"),
            "norm_difference",
            sums,
        ),
        zero(
            "rotated-encoding",
            Text(
                "the encoding at $p$, rotated by $k$, against that at $p + k$",
                "把 $p$ 处的编码旋转 $k$，与 $p + k$ 处的编码之差",
            ),
            "shift_difference",
            2 * angles + sums,
        ),
        Check(
            "dot-product",
            Text("dot product of the encodings at $p$ and $p + k$", "$p$ 与 $p + k$ 处编码的点积"),
            predicted=predicted["product"],
            measured=results["product"],
            tolerance=identity,
            law=exact,
        ),
        zero(
            "direction-unseen",
            Text("the dot product at $+k$ less that at $-k$", "$+k$ 与 $-k$ 的点积之差"),
            "direction_difference",
            2 * identity,
        ),
        Check(
            "quarter-turn",
            Text(
                "the score through a quarter turn, which knows the direction",
                "隔着四分之一圈旋转的分数，它知道方向",
            ),
            predicted=predicted["quarter_form"],
            measured=results["quarter_form"],
            tolerance=identity,
            law=exact,
        ),
        Check(
            "nearest-position",
            Text("distance of the encoding most like that at $p$", "与 $p$ 处编码最相近者的距离"),
            predicted=predicted["nearest"],
            measured=results["nearest"],
            tolerance=identity,
            law=exact,
        ),
        Check(
            "projected-score",
            Text(
                "how much the score at distance $k$ varies along the sequence",
                "距离为 $k$ 的分数沿序列的波动",
            ),
            predicted=0.0,
            measured=results["score_spread"],
            tolerance=forms if predicted["relative"] else DIFFERENT,
            law=exact if predicted["relative"] else moving,
            relation="=" if predicted["relative"] else "!=",
            # a random M would have to hit aI + bJ on all pairs to nine digits
            false_alarm=0.0 if predicted["relative"] else 1e-9,
        ),
        Check(
            "odd-width-refused",
            Text("the usual code stops at the next odd width", "流行的代码在下一个奇数宽度处报错"),
            predicted=1.0,
            measured=float(results["odd_width_fails"]),
            tolerance=0.0,
            law=Text("exact: the shapes fit or they do not", "精确：形状要么相符，要么不符"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    offsets = results["offsets"]
    rates = angular_frequencies(2 * p.pairs, p.base)
    angles = np.outer(offsets, rates)
    products = pair_product(np.cos(angles)).sum(axis=1)
    quarters = aligned_form(0.0, 1.0, np.cos(angles), np.sin(angles)).sum(axis=1)
    return (
        HeatMap(
            Text("The encoding", "编码"),
            Text(
                "rows are positions, columns features: each pair changes more slowly than the one before it",
                "行是位置，列是特征：每一对都比前一对变得慢",
            ),
            results["table"],
            low=-1.0,
            high=1.0,
            diverging=True,
        ),
        Plot(
            Text("Score against the offset", "分数随偏移的变化"),
            Text(
                "the dot product is the same ahead and behind; through a quarter turn the sign tells which",
                "点积前后对称；隔着四分之一圈旋转，符号分出前后",
            ),
            Axis(Text("offset k", "偏移 k")),
            Axis(Text("score", "分数")),
            (
                Line(Text("sum of cos ω k", "cos ω k 之和"), offsets, np.asarray(products), "predicted"),
                Points(Text("dot product", "点积"), offsets, results["products"], "measured"),
                Line(Text("sum of sin ω k", "sin ω k 之和"), offsets, np.asarray(quarters), "context"),
                Points(
                    Text("through a quarter turn", "隔四分之一圈"), offsets, results["quarter_forms"], "other"
                ),
                *(
                    (Rule(Text("k now", "当前 k"), float(p.offset), "x", "context"),)
                    if p.offset <= REACH
                    else ()
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D29",
    name="sinusoidal-encoding",
    title=Text("Sinusoidal position encoding", "正弦位置编码"),
    shows=Text(
        "every position has its own encoding and a shift is a rotation; the dot product knows the distance and not the "
        "direction, and a learned projection keeps neither unless it has the form $aI + bJ$",
        "每个位置的编码都不同，平移就是旋转；点积知道距离而不知道方向，经过学到的投影，除非其形式为 $aI + bJ$，连距离也保不住",
    ),
    kills=Text(
        "the model sees relative positions because the encoding is sinusoidal; its dot product knows direction",
        "因为编码是正弦的，模型就看得到相对位置；编码的点积知道方向",
    ),
    parameters=(
        Parameter("pairs", r"d/2", Text("pairs of features", "特征的对数"), 32, 1, 64, 1.0, "int", "log"),
        Parameter("place", "p", Text("position", "位置"), 100, 0, LENGTH, 1.0, "int"),
        Parameter("offset", "k", Text("offset", "偏移"), 5, 0, FARTHEST, 1.0, "int"),
        Parameter(
            "base", "b", Text("base of the wavelengths", "波长的底数"), 1e4, 10.0, 1e6, 1.0, scale="log"
        ),
        Parameter(
            "projection",
            "M",
            Text("what stands between the two encodings", "两个编码之间隔着什么"),
            "random",
            kind="choice",
            choices=(
                Choice("identity", Text("nothing: the dot product", "什么也没有：点积")),
                Choice("aligned", same("aI + bJ")),
                Choice("random", Text("a random matrix", "随机矩阵")),
            ),
        ),
        Parameter(
            "layout",
            r"\text{layout}",
            Text("order of the features", "特征的排列"),
            "interleaved",
            kind="choice",
            choices=(
                Choice("interleaved", Text("sine, cosine, sine, cosine …", "正弦、余弦交错")),
                Choice("halves", Text("all sines, then all cosines", "先全部正弦，后全部余弦")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "nearest",
        Text(
            "distance of the most similar of 4097 encodings (each of length √(d/2))",
            "4097 个编码中最相近者的距离（每个编码长 √(d/2)）",
        ),
        Text("", ""),
        0.0,
        10.0,
    ),
)
