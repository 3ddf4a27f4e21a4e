"""D31: rotary position embedding: turned by absolute positions, the score knows the distance only.

Su et al. 2021 (RoFormer), section 3.2, equations 12 to 16 and 34; Black et al. 2022 (GPT-NeoX), section 2.1.1 (partial
rotation).
"""

from __future__ import annotations

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points
from engine.nn.position import Layout, angular_frequencies, join_pairs, split_pairs
from engine.nn.precision import FORMATS, stored
from engine.nn.rotary import rotary_angles, rotate
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error, unequal
from engine.text import Text, same

LONGEST = 60_000
"""Positions stay below the largest float16 number."""
SHIFTS, NEAR, SIDE = 65, 16, 12
"""Places that the pair slides to; distances at which layouts are compared; side of the heat map."""
ROUNDING = float(np.finfo(float).eps)
DIFFERENT = 1e-9
"""Scores of order one further apart than this differ: rounding stays far below."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def pair_score(dot: Expr, cross: Expr, cosine: Expr, sine: Expr) -> Expr:
    """One pair's part of the score: dot = q·k and cross = q_2 k_1 - q_1 k_2, angle (n - m) theta."""
    return dot * cosine + cross * sine


def angle_error(angle: Expr, u: Expr) -> Expr:
    """How far an angle m theta strays whose two factors and whose product are each rounded by at most u."""
    return angle * ((1 + u) ** 3 - 1)


def derive() -> tuple[Step, ...]:
    return (*_relative(), *_popular(), *_practice())


def _turn(angle: Expr) -> Expr:
    import sympy as sp

    return sp.ImmutableMatrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])


def _product(*factors: Expr) -> Expr:
    import sympy as sp

    return sp.MatMul(*factors, evaluate=False)


def _relative() -> tuple[Step, ...]:
    import sympy as sp

    m, n, t = sp.symbols("m n theta", real=True)
    q_1, q_2, k_1, k_2 = sp.symbols("q_1 q_2 k_1 k_2", real=True)
    q, k = sp.ImmutableMatrix([q_1, q_2]), sp.ImmutableMatrix([k_1, k_2])
    turned_q, turned_k = _product(_turn(m * t), q), _product(_turn(n * t), k)
    apart = (n - m) * t
    z = (q_1 + sp.I * q_2) * (k_1 - sp.I * k_2) * sp.exp(sp.I * (m - n) * t)
    return (
        defined(
            "rotation",
            r"q_m = R_{m\theta}\, q, \quad k_n = R_{n\theta}\, k, \quad \theta_i = b^{-2i/d}",
            Text(
                "each pair of features of a query at position $m$ and of a key at $n$ is turned; values are left alone",
                "位置 $m$ 的 query 与位置 $n$ 的 key 的每对特征各自旋转；value 不动",
            ),
        ),
        equal(
            "rotations-compose",
            _product(sp.Transpose(_turn(m * t)), _turn(n * t)),
            _turn(apart),
            Text(
                "one rotation undone by another leaves the difference of the angles",
                "一个旋转抵消另一个，只剩角度之差",
            ),
        ),
        equal(
            "relative-score",
            _product(sp.Transpose(turned_q), turned_k),
            _product(sp.Transpose(q), _turn(apart), k),
            Text(
                "so the score of two turned vectors depends on $n - m$ alone: absolute in form, relative in effect",
                "所以两个旋转后的向量，其分数只取决于 $n - m$：形式上绝对，效果上相对",
            ),
        ),
        equal(
            "pair-score",
            (q.T * _turn(apart) * k)[0],
            pair_score(q_1 * k_1 + q_2 * k_2, q_2 * k_1 - q_1 * k_2, sp.cos(apart), sp.sin(apart)),
            Text(
                "multiplied out: a cosine that knows the distance, and a sine that knows its sign wherever $q$ and $k$ "
                "are not parallel",
                "展开：余弦项知道距离；只要 $q$ 与 $k$ 不平行，正弦项还知道方向",
            ),
        ),
        equal(
            "complex-form",
            sp.re(z, evaluate=False),
            (q.T * _turn(apart) * k)[0],
            Text(
                "the same with the pair as one complex number, the real part of $q e^{im\\theta}$ times the conjugate of "
                "$k e^{in\\theta}$: how the first LLaMA code computes it",
                "把一对看成一个复数，取 $q e^{im\\theta}$ 与 $k e^{in\\theta}$ 的共轭之积的实部，结果相同：最早的 LLaMA 代码就这么算",
            ),
        ),
        equal(
            "length-kept",
            _product(sp.Transpose(turned_q), turned_q),
            sp.ImmutableMatrix([[q_1**2 + q_2**2]]),
            Text(
                "lengths are kept, and the transpose turns back: the gradient is the same rotation by $-m$",
                "长度不变，转置即转回：梯度就是按 $-m$ 做同样的旋转",
            ),
        ),
    )


def _popular() -> tuple[Step, ...]:
    import sympy as sp

    m, n, s, t = sp.symbols("m n s theta", real=True)
    dot, cross = sp.symbols("a b", real=True)
    q = sp.ImmutableMatrix(sp.symbols("q_1:3", real=True))
    other = sp.ImmutableMatrix(sp.symbols(r"q'_1:3", real=True))
    k = sp.ImmutableMatrix(sp.symbols("k_1:3", real=True))

    def score(at_query: Expr, at_key: Expr) -> Expr:
        return _product(sp.Transpose(_product(_turn(at_query * t), q)), _turn(at_key * t), k)

    return (
        popular_error(
            "adds-a-vector",
            _turn(m * t) * q - q,
            _turn(m * t) * other - other,
            Text(
                "'RoPE adds a position vector': what it adds to $q$ differs from what it adds to another query $q'$",
                "“RoPE 加上一个位置向量”：它给 $q$ 加的和给另一个 query $q'$ 加的不同",
            ),
        ),
        popular_error(
            "absolute-positions-count",
            score(m, n),
            score(m + s, n + s),
            Text(
                "'with RoPE the score depends on the absolute positions': slide both by $s$ and nothing changes",
                "“用了 RoPE，分数取决于绝对位置”：两者同时平移 $s$，什么也不变",
            ),
            op="!=",
        ),
        popular_error(
            "nearest-scores-highest",
            dot,
            pair_score(dot, cross, sp.cos(n * t), sp.sin(n * t)),
            Text(
                "'scores fall with the distance': a query that is not parallel to the key may score highest at a distance",
                "“分数随距离下降”：query 与 key 不平行时，最高分可能在某个距离之外",
            ),
            op=">=",
        ),
        popular_error(
            "scores-only-decay",
            score(0, n),
            score(0, -n),
            Text(
                "'the score depends on how far, not on which side': in general it differs ahead and behind",
                "“分数只看多远，不看前后”：一般来说前后不同",
            ),
        ),
    )


def _practice() -> tuple[Step, ...]:
    import sympy as sp

    a, b, h = sp.symbols("alpha beta h", real=True)
    u, angle = sp.symbols("u phi", positive=True)
    q = sp.ImmutableMatrix(sp.symbols("q_1:3", real=True))
    adjacent = sp.ImmutableMatrix(sp.diag(_turn(a), _turn(b)))
    reorder = sp.ImmutableMatrix([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    c_a, s_a, c_b, s_b = sp.cos(a), sp.sin(a), sp.cos(b), sp.sin(b)
    halves = sp.ImmutableMatrix([[c_a, 0, -s_a, 0], [0, c_b, 0, -s_b], [s_a, 0, c_a, 0], [0, s_b, 0, c_b]])
    moved = _turn(2 * h) * q - q
    return (
        equal(
            "two-layouts",
            _product(reorder, adjacent, sp.Transpose(reorder)),
            halves,
            Text(
                "pairs of neighbours (Su et al., first LLaMA code) and pairs across halves (GPT-NeoX, Hugging Face) are one "
                "rotation of reordered features",
                "相邻成对（Su 等人、最早的 LLaMA 代码）与前后两半成对（GPT-NeoX、Hugging Face）是同一个旋转，只是特征次序不同",
            ),
            bound="d=4",
        ),
        unequal(
            "layouts-do-not-mix",
            adjacent,
            halves,
            Text(
                "but weights trained with one are wrong with the other, until the columns of $W_Q$ and $W_K$ are reordered",
                "但用一种训练的权重，配另一种就是错的，必须重排 $W_Q$ 与 $W_K$ 的列",
            ),
            bound="d=4",
        ),
        equal(
            "rounded-angle",
            angle * (1 + u) * (1 + u) * (1 + u) - angle,
            angle_error(angle, u),
            Text(
                "the identity is algebra; a computed angle $\\phi = m\\theta$ carries three roundings by $u$, an error that "
                "grows with the position",
                "恒等式是代数；实际算出的角度 $\\phi = m\\theta$ 带有三次幅度为 $u$ 的舍入，误差随位置增长",
            ),
        ),
        equal(
            "wrong-by-the-angle",
            (moved.T * moved)[0],
            4 * sp.sin(h) ** 2 * (q.T * q)[0],
            Text(
                "an angle wrong by $2h$ moves the vector by $2 \\sin h$ of its length, at most twice it",
                "角度错 $2h$，向量就移动其长度的 $2 \\sin h$ 倍，最多两倍",
            ),
        ),
        cited(
            "in-use",
            r"\theta_i = b^{-2i/d}, \quad b = 10^4 \text{ or larger}",
            Text(
                "LLaMA and GPT-NeoX (a quarter of the features) rotate; BLOOM and MPT use ALiBi, T5 buckets; that scores must "
                "decay with distance is disputed",
                "LLaMA 与 GPT-NeoX（四分之一的特征）使用旋转；BLOOM、MPT 用 ALiBi，T5 用分桶；“分数必随距离衰减”之说有争议",
            ),
            "Black et al. 2022, section 2.1.1; Touvron et al. 2023, section 2.2; Barbero et al. 2025",
        ),
    )


def rotated_pairs(p: Params) -> int:
    return round(p.fraction * p.pairs)


def pair_parts(query: Array, key: Array, pairs: int) -> tuple[Array, Array, float]:
    """dot and cross of each rotated pair (interleaved), and the plain product of the features left alone."""
    q_1, q_2 = split_pairs(query[: 2 * pairs], "interleaved")
    k_1, k_2 = split_pairs(key[: 2 * pairs], "interleaved")
    rest = query[2 * pairs :] @ key[2 * pairs :]
    return np.asarray(q_1 * k_1 + q_2 * k_2), np.asarray(q_2 * k_1 - q_1 * k_2), float(rest)


def rates_of(p: Params) -> Array:
    pairs = rotated_pairs(p)
    rates = angular_frequencies(2 * pairs, p.base) if pairs else np.zeros(0)
    return np.asarray(rates, dtype=np.float64)


def relative_score(p: Params, query: Array, key: Array, distance: float) -> float:
    """The score of a pair ``distance`` = n - m apart, by the formula."""
    dot, cross, rest = pair_parts(query, key, rotated_pairs(p))
    angles = rates_of(p) * distance
    return float(pair_score(dot, cross, np.cos(angles), np.sin(angles)).sum() + rest)


def predict(p: Params) -> Results:
    form, rates = FORMATS[p.form], rates_of(p)
    u, underflow = form.unit_roundoff, form.underflow
    # below the normal numbers the rounding of a factor and of the product is absolute
    stray = angle_error(LONGEST * rates, u) + underflow * (LONGEST * (1 + u) ** 2 + 1)
    return {
        "rotated_pairs": rotated_pairs(p),
        "distance": p.n - p.m,
        # the query's angle and the key's
        "stray": np.minimum(2.0, 2 * stray),
        "layouts_differ": rotated_pairs(p) >= 2,
    }


def stored_angles(p: Params, positions: Array, form: str) -> Array:
    """Angles (n, pairs) as a program computes them that keeps positions, rates and products in this format."""
    pairs = rotated_pairs(p)
    if not pairs:
        return np.zeros((len(positions), 0))
    if form == "float64":
        return np.asarray(rotary_angles(positions, 2 * pairs, p.base), dtype=np.float64)
    rates = rotary_angles(np.ones(1), 2 * pairs, p.base)[0]
    kept, turning = (stored(np.asarray(part), FORMATS[form]) for part in (positions, rates))
    return stored(np.outer(kept, turning), FORMATS[form])


def turned(p: Params, x: Array, positions: Array, form: str, layout: Layout) -> Array:
    """One vector (d,) at each of these positions: (n, d)."""
    return np.asarray(rotate(x[None, :], stored_angles(p, positions, form), layout), dtype=np.float64)


def scores_at(
    p: Params,
    query: Array,
    key: Array,
    m: Array,
    n: Array,
    form: str = "float64",
    layout: Layout = "interleaved",
) -> Array:
    """Scores of the query at each m with the key at the n beside it: (len(m),)."""
    return np.einsum("sd,sd->s", turned(p, query, m, form, layout), turned(p, key, n, form, layout))


def halved(x: Array, pairs: int) -> Array:
    """Interleaved features reordered for the layout in halves; what is not rotated stays."""
    ordered = join_pairs(*split_pairs(x[: 2 * pairs], "interleaved"), "halves")
    return np.concatenate((ordered, x[2 * pairs :]))


def measure(p: Params, rng: np.random.Generator) -> Results:
    query, key = rng.standard_normal((2, 2 * p.pairs))
    pairs = rotated_pairs(p)
    m, n = np.array([float(p.m)]), np.array([float(p.n)])
    shifts = np.unique(np.linspace(-min(p.m, p.n), LONGEST - max(p.m, p.n), SHIFTS).round())
    slid = scores_at(p, query, key, p.m + shifts, p.n + shifts, p.form)
    exact = float(scores_at(p, query, key, m, n)[0])
    lengths = np.linalg.norm(turned(p, query, p.m + shifts, p.form, "interleaved"), axis=1)

    start, near = np.zeros(NEAR), np.arange(1.0, NEAR + 1)
    right = scores_at(p, query, key, start, near)
    mixed = scores_at(p, query, key, start, near, layout="halves")
    reordered = scores_at(p, halved(query, pairs), halved(key, pairs), start, near, layout="halves")

    side = np.arange(float(SIDE))
    at_query, at_key = (turned(p, x, side, "float64", "interleaved") for x in (query, key))
    return {
        "query": query,
        "key": key,
        "score": exact,
        "mirrored": float(scores_at(p, query, key, n, m)[0]),
        "shifts": shifts,
        "slid": slid,
        "drift": float(np.abs(slid - exact).max()),
        "length_difference": float(np.abs(lengths - np.linalg.norm(query)).max()),
        "reordered_difference": float(np.abs(reordered - right).max()),
        "mixed_difference": float(np.abs(mixed - right).max()),
        "grid": at_query @ at_key.T,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    query, key = results["query"], results["key"]
    dot, cross, _ = pair_parts(query, key, rotated_pairs(p))
    # |q_i| |k_i| of each pair
    sizes, rates = np.hypot(dot, cross), rates_of(p)
    sums = 16 * ROUNDING * p.pairs * (1 + float(np.abs(query) @ np.abs(key)))

    def angles(reach: float) -> float:
        """What float64 angles up to positions ``reach`` can do to a score."""
        return float(4 * ROUNDING * reach * (sizes @ rates)) + sums

    exact = Text("exact identity, up to the rounding of the angles", "精确恒等式，只容许角度的舍入误差")
    differ = predicted["layouts_differ"]
    distance = predicted["distance"]
    return (
        Check(
            "score-by-distance",
            Text("the score at $m$ and $n$ from $n - m$ alone", "仅由 $n - m$ 得出的 $m$、$n$ 处分数"),
            predicted=relative_score(p, query, key, distance),
            measured=results["score"],
            tolerance=angles(p.m + p.n),
            law=exact,
        ),
        Check(
            "roles-exchanged",
            Text("the score with the two positions exchanged", "两个位置对调后的分数"),
            predicted=relative_score(p, query, key, -distance),
            measured=results["mirrored"],
            tolerance=angles(p.m + p.n),
            law=exact,
        ),
        Check(
            "drift",
            Text(
                "largest change of the score while both positions slide", "两个位置同时平移时分数的最大变化"
            ),
            predicted=float(sizes @ predicted["stray"]),
            measured=results["drift"],
            tolerance=angles(2 * LONGEST),
            law=Text(
                "bound: the three roundings of each angle, times the lengths of the pairs",
                "上界：每个角度的三次舍入，乘以各对的长度",
            ),
            relation="<=",
        ),
        Check(
            "lengths",
            Text("the rotated query's length less the query's", "旋转后 query 的长度与原长之差"),
            predicted=0.0,
            measured=results["length_difference"],
            tolerance=sums,
            law=Text("exact identity at any angle, up to rounding", "对任意角度的精确恒等式，只容许舍入误差"),
        ),
        Check(
            "reordered-layout",
            Text("scores in the other layout with features reordered", "重排特征后另一种排列下的分数之差"),
            predicted=0.0,
            measured=results["reordered_difference"],
            tolerance=sums,
            law=exact,
        ),
        Check(
            "mixed-layout",
            Text("scores in the other layout without reordering", "不重排特征时另一种排列下的分数之差"),
            predicted=0.0,
            measured=results["mixed_difference"],
            tolerance=DIFFERENT if differ else sums,
            law=Text("a difference beyond rounding", "超出舍入误差的差别") if differ else exact,
            relation="!=" if differ else "=",
            # scores at sixteen distances would have to agree to nine digits
            false_alarm=1e-9 if differ else 0.0,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    shifts = results["shifts"]
    level = relative_score(p, results["query"], results["key"], predicted["distance"])
    return (
        Plot(
            Text("The score while both positions slide", "两个位置同时平移时的分数"),
            Text(
                "by the algebra a level line; in a short format the angles of far positions lose their digits and the score "
                "wanders",
                "按代数应是一条水平线；用短格式时，远处位置的角度丢了位数，分数开始游走",
            ),
            Axis(Text("both moved by", "共同平移")),
            Axis(Text("score", "分数")),
            (
                Line(Text("exact", "精确值"), shifts, np.full(len(shifts), level), "predicted"),
                Points(Text("measured", "实测"), shifts, results["slid"], "measured"),
            ),
        ),
        HeatMap(
            Text("Scores of one query and one key at all places", "同一对 query 与 key 在各处的分数"),
            Text(
                "rows are the query's position, columns the key's: the same along every diagonal",
                "行是 query 的位置，列是 key 的位置：每条对角线上都相同",
            ),
            results["grid"],
            diverging=True,
        ),
    )


DEMO = Demonstration(
    id="D31",
    name="rotary-embedding",
    title=Text("Rotary position embedding", "旋转位置编码"),
    shows=Text(
        "RoPE turns queries and keys by their absolute positions; their dot product depends on the distance alone, as long "
        "as the angles are computed with enough digits",
        "RoPE 按绝对位置旋转 query 与 key；只要角度的精度足够，点积就只取决于距离",
    ),
    kills=Text(
        "RoPE adds a vector to the embeddings; RoPE makes scores depend on absolute positions",
        "RoPE 给嵌入加上一个向量；RoPE 让分数取决于绝对位置",
    ),
    parameters=(
        Parameter(
            "pairs",
            r"d_k/2",
            Text("pairs of features of a head", "单个头的特征对数"),
            32,
            1,
            64,
            1.0,
            "int",
            "log",
        ),
        Parameter("m", "m", Text("position of the query", "query 的位置"), 100, 0, LONGEST, 1.0, "int"),
        Parameter("n", "n", Text("position of the key", "key 的位置"), 90, 0, LONGEST, 1.0, "int"),
        Parameter(
            "base", "b", Text("base of the wavelengths", "波长的底数"), 1e4, 10.0, 1e6, 1.0, scale="log"
        ),
        Parameter(
            "fraction",
            "r",
            Text("share of the features that is rotated", "参与旋转的特征比例"),
            1.0,
            0.0,
            1.0,
            0.25,
        ),
        Parameter(
            "form",
            r"\text{format}",
            Text("number format of the angles", "角度的数值格式"),
            "float32",
            kind="choice",
            choices=tuple(Choice(name, same(name)) for name in FORMATS),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "drift",
        Text(
            "how much the score changes while both tokens slide to position 60,000",
            "两个词元一起滑到位置 60,000，分数最多变多少",
        ),
        Text("", ""),
        1e-16,
        1e2,
        "log",
    ),
)
