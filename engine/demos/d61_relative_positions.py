"""D61: positions as distances: Shaw's embeddings, T5's buckets, ALiBi's slopes, Transformer-XL's shift, RoPE on a grid.

Shaw et al. 2018, section 3; Dai et al. 2019, section 3.3 and appendix B; Raffel et al. 2020, section 2.1; Press et al.
2022, section 3; Heo et al. 2024 (axial RoPE).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points
from engine.nn.position import Ints, angular_frequencies, sinusoidal_encoding, split_pairs
from engine.nn.relative import (
    alibi_bias,
    clipped_scores,
    distances,
    relative_buckets,
    relative_shift,
)
from engine.nn.rotary import rotate_on_grid
from engine.nn.softmax import softmax
from engine.proof.step import Expr, Step, cited, defined, equal, exhausted, let, ordered, popular_error
from engine.text import Text

TOKENS, WIDTH, SIDE = 24, 8, 14
"""A short sequence for the matrices, its width, and patches along one side of a grid."""
ROUNDING = 64 * float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def share_beyond(to_distance: Expr, to_length: Expr) -> Expr:
    """Weight ALiBi leaves at distances from D on among n equal scores: x^D and x^n with x = exp(-m)."""
    return (to_distance - to_length) / (1 - to_length)


def bucket_edge(exact: Expr, longest: Expr, part: Expr) -> Expr:
    """Distance at which a share ``part`` of T5's logarithmic buckets is used up."""
    return exact * (longest / exact) ** part


def grid_score(along: Expr, down: Expr) -> Expr:
    """Score on a grid from what the features turned by columns and those turned by rows give."""
    return along + down


def derive() -> tuple[Step, ...]:
    return (*_distance(), *_alibi(), *_buckets(), *_grid())


def _distance() -> tuple[Step, ...]:
    import sympy as sp

    i, j, t, m = sp.symbols("i j t m", real=True)
    d = sp.Symbol("d", integer=True, positive=True)
    x, y, u, v, a, r = (sp.MatrixSymbol(letter, 1, d) for letter in "qkuvar")
    at_query, at_key = sp.symbols("p_i p_j", real=True)
    return (
        defined(
            "score",
            r"s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} + b(i - j)",
            Text(
                "the position enters the score as a function of the distance; tokens and values carry none",
                "位置以距离的函数进入分数；词元与 value 不带位置",
            ),
        ),
        let("query-at", at_query, i + t, Text("counting starts at $t$", "从 $t$ 数起")),
        let("key-at", at_key, j + t, Text("for the key as for the query", "key 与 query 一样")),
        equal(
            "start-cancels",
            -m * sp.Abs(at_query - at_key),
            -m * sp.Abs(i - j),
            Text(
                "where counting starts changes no bias, so each diagonal of the matrix holds one number (shown for ALiBi)",
                "从哪里数起都不改变偏置，所以偏置矩阵的每条对角线上是同一个数（以 ALiBi 为例）",
            ),
            using=((at_query, i + t), (at_key, j + t)),
        ),
        equal(
            "shaw",
            sp.MatMul(x, sp.Transpose(y + a)),
            sp.MatAdd(x * y.T, x * a.T),
            Text(
                "Shaw adds to the key a learned vector $a$ of the clipped distance: a bias that depends on the query too, "
                "and needs only $2k + 1$ products per query",
                "Shaw 给 key 加上按截断距离取的可学习向量 $a$：偏置还取决于 query，每个 query 只需 $2k + 1$ 个点积",
            ),
        ),
        equal(
            "transformer-xl",
            sp.MatAdd(x * y.T, x * r.T, u * y.T, v * r.T),
            sp.MatAdd(sp.MatMul(x + u, sp.Transpose(y)), sp.MatMul(x + v, sp.Transpose(r))),
            Text(
                "Transformer-XL: of the four terms of added positions, the key's position becomes a projected encoding $r$ of "
                "the distance and the query's becomes two learned vectors $u, v$",
                "Transformer-XL：相加位置的四项中，key 的位置换成距离编码的投影 $r$，query 的位置换成两个可学习向量 $u, v$",
            ),
        ),
        exhausted(
            "far-alike",
            sp.Max(-sp.Symbol("k"), sp.Min(sp.Symbol("k"), sp.Symbol("D"))),
            "=",
            sp.Symbol("k"),
            Text(
                "clipping: from the distance $k$ on, all have one embedding",
                "截断：从距离 $k$ 起，所有距离共用一个嵌入",
            ),
            over=[{sp.Symbol("k"): sp.Integer(4), sp.Symbol("D"): sp.Integer(far)} for far in (4, 5, 50)],
            bound="k=4, D=4, 5, 50",
        ),
        popular_error(
            "distances-all-differ",
            sp.Min(4, sp.Symbol("D", integer=True, positive=True)),
            sp.Symbol("D", integer=True, positive=True),
            Text(
                "'relative embeddings know every distance': only up to the clip, here 4",
                "“相对位置嵌入知道每一个距离”：只到截断处为止，这里是 4",
            ),
        ),
    )


def _alibi() -> tuple[Step, ...]:
    import sympy as sp

    x = sp.Symbol("x", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    r = sp.Symbol("r", integer=True, nonnegative=True)
    b, c = sp.symbols("beta gamma", positive=True)
    # x^D and x^{n-D} lie between 0 and 1, whatever D is
    upper, rest = 1 / (1 + b), 1 / (1 + c)
    m, reach = sp.symbols("m D_{1/2}", positive=True)
    return (
        equal(
            "geometric-sum",
            (1 - x) * (1 + x + x**2 + x**3 + x**4),
            1 - x**5,
            Text(
                "with equal contents ALiBi's weights are powers of $x = e^{-m}$, a geometric sum (five keys shown)",
                "内容分数相等时，ALiBi 的权重是 $x = e^{-m}$ 的各次幂，即等比数列（这里写出五个 key）",
            ),
            bound="n=5",
        ),
        equal(
            "beyond",
            (x**2 + x**3 + x**4) / (1 + x + x**2 + x**3 + x**4),
            share_beyond(x**2, x**5),
            Text(
                "so the share at distance $D$ and beyond is $(x^D - x^n)/(1 - x^n)$",
                "所以距离 $D$ 及以外的权重之和为 $(x^D - x^n)/(1 - x^n)$",
            ),
            bound="D=2, n=5",
        ),
        ordered(
            "never-more-than",
            share_beyond(upper, upper * rest),
            "<=",
            upper,
            Text(
                "never more than $x^D = e^{-mD}$ (here $x^D = 1/(1+\\beta)$, $x^{n-D} = 1/(1+\\gamma)$), however long the "
                "sequence grows",
                "序列再长也不超过 $x^D = e^{-mD}$（这里记 $x^D = 1/(1+\\beta)$、$x^{n-D} = 1/(1+\\gamma)$）",
            ),
            witness=b / ((1 + b) * (b + c + b * c)),
        ),
        let(
            "half-distance",
            reach,
            sp.log(2) / m,
            Text("the distance at which the bias alone halves a weight", "仅凭偏置使权重减半的距离"),
        ),
        equal(
            "half-reach",
            sp.exp(-m * reach),
            sp.Rational(1, 2),
            Text(
                "a head's slope is its reach: another such distance, another half",
                "斜率决定这个头看多远：每再远这么一段，权重又减半",
            ),
            using=((reach, sp.log(2) / m),),
        ),
        equal(
            "slope-ratio",
            -8 * (r + 1) / n,
            -8 * r / n - 8 / n,
            Text(
                "slopes of the $n$ heads are geometric, from $2^{-8/n}$ to $2^{-8}$ (exponents of 2 shown): reaches from "
                "about one token to 177",
                "$n$ 个头的斜率成等比数列，从 $2^{-8/n}$ 到 $2^{-8}$（这里写出 2 的指数）：减半距离从一个词元左右到约 177 个",
            ),
        ),
        cited(
            "holds",
            r"L_{\text{test}} > L_{\text{train}}",
            Text(
                "trained language models with ALiBi keep their perplexity on longer inputs, where sinusoidal and rotary ones "
                "lose it",
                "用 ALiBi 训练的语言模型在更长的输入上保持困惑度，正弦与旋转编码则变差",
            ),
            "Press et al. 2022, figure 1",
        ),
    )


def _buckets() -> tuple[Step, ...]:
    import sympy as sp

    e, S, R = sp.symbols("e S R", positive=True)
    j, edge = sp.symbols("j l_j", real=True)
    begins = sp.log(e) + j / S * R
    return (
        defined(
            "bucket",
            r"\beta(r) = \begin{cases} r & r < e \\ e + \left\lfloor S\, \frac{\ln(r/e)}{\ln(L/e)} \right\rfloor & r \geq e "
            r"\end{cases}, \quad \beta \leq e + S - 1",
            Text(
                "T5: one bucket each for the first $e$ distances, then $S$ on a logarithmic scale up to $L$; each bucket "
                "has a learned scalar per head",
                "T5：前 $e$ 个距离各占一桶，其后 $S$ 个桶按对数刻度排到 $L$；每个头每个桶有一个可学习的标量",
            ),
        ),
        let(
            "edge",
            edge,
            begins,
            Text(
                "logarithm of $e (L/e)^{j/S}$, with $R = \\ln(L/e)$",
                "$e (L/e)^{j/S}$ 的对数，其中 $R = \\ln(L/e)$",
            ),
        ),
        equal(
            "edges",
            S * (edge - sp.log(e)) / R,
            j,
            Text("bucket $e + j$ begins there", "第 $e + j$ 桶从这里开始"),
            using=((edge, begins),),
        ),
        exhausted(
            "powers-of-two",
            bucket_edge(sp.Integer(8), sp.Integer(128), j / 8),
            "=",
            8 * sp.sqrt(2) ** j,
            Text(
                "with 32 buckets for both sides and $L = 128$: $e = S = 8$, and two buckets double the distance",
                "两侧共 32 桶、$L = 128$ 时 $e = S = 8$，每两个桶距离翻一倍",
            ),
            over=[{j: sp.Integer(step)} for step in range(8)],
            bound="j=0…7",
        ),
        popular_error(
            "resolves-up-to-the-end",
            bucket_edge(sp.Integer(8), sp.Integer(128), sp.Rational(7, 8)),
            sp.Integer(128),
            Text(
                "'T5 tells distances apart up to 128': the last bucket begins at $8 \\cdot 16^{7/8}$, near 91, and takes "
                "everything beyond",
                "“T5 能区分 128 以内的距离”：最后一个桶从 $8 \\cdot 16^{7/8}$（约 91）开始，以外的全归它",
            ),
        ),
    )


def _grid() -> tuple[Step, ...]:
    import sympy as sp

    q, k = sp.symbols("q_1:5", real=True), sp.symbols("k_1:5", real=True)
    x_q, y_q, x_k, y_k = sp.symbols("x_q y_q x_k y_k", real=True)

    def turn(angle: Expr) -> Expr:
        return sp.ImmutableMatrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])

    def placed(vector: tuple[Expr, ...], column: Expr, row: Expr) -> Expr:
        return sp.MatMul(
            sp.ImmutableMatrix(sp.diag(turn(column), turn(row))), sp.ImmutableMatrix(vector), evaluate=False
        )

    def axis(at: int, angle: Expr) -> Expr:
        return (sp.ImmutableMatrix(q[at : at + 2]).T * turn(angle) * sp.ImmutableMatrix(k[at : at + 2]))[0]

    W = sp.Symbol("W", integer=True, positive=True)
    return (
        equal(
            "two-rotations",
            sp.MatMul(sp.Transpose(placed(q, x_q, y_q)), placed(k, x_k, y_k), evaluate=False),
            sp.ImmutableMatrix([[grid_score(axis(0, x_k - x_q), axis(2, y_k - y_q))]]),
            Text(
                "RoPE on a grid: half of the features turns by the column and half by the row, and the score depends on both "
                "offsets and on nothing else",
                "网格上的 RoPE：一半特征按列号旋转，一半按行号旋转，分数只取决于两个方向的偏移",
            ),
            bound="d=4",
        ),
        equal(
            "line-break",
            sp.Add(0 - (W - 1), W * (1 - 0), evaluate=False),
            sp.Integer(1),
            Text(
                "numbering the patches row by row instead makes the last of one row and the first of the next neighbours, "
                "$W - 1$ columns apart",
                "若逐行编号，一行末尾与下一行开头的图块就成了相邻的，尽管隔着 $W - 1$ 列",
            ),
        ),
        popular_error(
            "one-angle-for-two-axes",
            sp.cos(x_q + W * y_q),
            sp.cos(x_q - W * y_q),
            Text(
                "'one rotation by the running number sees both axes': it sees one number, in which a step down is $W$ steps "
                "along",
                "“按流水号旋转一次就能看到两个方向”：它只看到一个数，向下一步等于横走 $W$ 步",
            ),
        ),
    )


def layout_of(p: Params) -> tuple[int, int]:
    """Exact and logarithmic buckets of one side."""
    side = p.buckets // 2
    return side // 2, side - side // 2


def predict(p: Params) -> Results:
    exact, logarithmic = layout_of(p)
    reached = min(p.beyond, p.n)
    return {
        "alibi_share": share_beyond(math.exp(-p.slope * reached), math.exp(-p.slope * p.n)),
        "alibi_bound": math.exp(-p.slope * p.beyond),
        "half_reach": math.log(2) / p.slope,
        "exact_buckets": exact,
        "last_bucket": bucket_edge(exact, p.longest, (logarithmic - 1) / logarithmic),
        "shaw_rows": 2 * p.reach + 1,
        "flat_offset": p.dx + SIDE * p.dy,
    }


def misplaced(buckets: Ints, p: Params) -> int:
    """How many distances lie in another bucket than counting the edges below them in whole numbers says."""
    exact, logarithmic = layout_of(p)
    # r >= e (L/e)^{j/S} in whole numbers: r^S e^j >= L^j e^S
    scale = [exact**j for j in range(1, logarithmic)]
    edges = [p.longest**j * exact**logarithmic for j in range(1, logarithmic)]
    wrong = 0
    for distance, bucket in enumerate(buckets):
        power = distance**logarithmic
        gaps = [power * factor - edge for factor, edge in zip(scale, edges, strict=True)]
        # on an edge itself the rounding of two logarithms decides
        if 0 not in gaps:
            wrong += int(bucket != min(distance, exact) + sum(gap > 0 for gap in gaps))
    return wrong


def grid_part(query: Array, key: Array, offset: int) -> float:
    """Score of features turned along one axis, by the pair formula: dot and cross of each pair."""
    q_1, q_2 = split_pairs(query, "interleaved")
    k_1, k_2 = split_pairs(key, "interleaved")
    angles = angular_frequencies(len(query), 100.0) * offset
    return float(((q_1 * k_1 + q_2 * k_2) * np.cos(angles) + (q_2 * k_1 - q_1 * k_2) * np.sin(angles)).sum())


def causal_softmax(scores: Array) -> Array:
    """Weights of a causal row each: (L, L)."""
    return np.asarray(softmax(np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)))


def measure(p: Params, rng: np.random.Generator) -> Results:
    # the last query of a sequence of n tokens, nearest key first; 8 heads with slopes 1/2 … 1/256 stand for any slope
    unit = np.asarray(alibi_bias(8, 1, p.n)[0, 0, ::-1]) * 2.0
    bias = p.slope * unit
    contents = rng.uniform(-1.0, 1.0, p.n)
    even, uneven = softmax(bias), softmax(contents + bias)

    line = np.arange(p.longest + 2)
    buckets = relative_buckets(line, buckets=p.buckets, max_distance=p.longest)

    query, key = rng.standard_normal((2, TOKENS, WIDTH))
    table = rng.standard_normal((2 * p.reach + 1, WIDTH))
    shaw = np.asarray(clipped_scores(query, key, table))
    naive = np.array(
        [
            [
                row @ (col + table[int(np.clip(j - i, -p.reach, p.reach)) + p.reach])
                for j, col in enumerate(key)
            ]
            for i, row in enumerate(query)
        ]
    )

    encodings = np.asarray(sinusoidal_encoding(np.arange(TOKENS)[::-1], WIDTH))
    by_distance = query @ encodings.T
    shifted = np.tril(np.asarray(relative_shift(by_distance)))
    picked = np.tril(
        np.array(
            [[query[i] @ encodings[TOKENS - 1 - abs(i - j)] for j in range(TOKENS)] for i in range(TOKENS)]
        )
    )

    relative = causal_softmax(query @ key.T - p.slope * distances(TOKENS, TOKENS))
    moved = np.arange(p.start, p.start + TOKENS)
    again = causal_softmax(query @ key.T - p.slope * (moved[:, None] - moved[None, :]))
    added = [
        causal_softmax((query + pe) @ (key + pe).T)
        for pe in (np.asarray(sinusoidal_encoding(at, WIDTH)) for at in (np.arange(TOKENS), moved))
    ]

    q, k = rng.standard_normal((2, 4 * WIDTH))
    columns, rows = np.meshgrid(np.arange(SIDE), np.arange(SIDE))
    at_query = np.asarray(rotate_on_grid(np.tile(q, (SIDE, SIDE, 1)), rows, columns))
    at_key = np.asarray(rotate_on_grid(np.tile(k, (SIDE, SIDE, 1)), rows + p.dy, columns + p.dx))
    scores = (at_query * at_key).sum(axis=-1)
    return {
        "distance": np.arange(p.n),
        "even": even,
        "uneven": uneven,
        "alibi_share": float(even[p.beyond :].sum()),
        "uneven_share": float(uneven[p.beyond :].sum()),
        "contents_spread": float(np.ptp(contents)),
        "buckets": buckets,
        "misplaced": misplaced(buckets, p),
        "last_bucket": int(np.argmax(buckets == buckets[-1])),
        "shaw_difference": float(np.abs(shaw - naive).max()),
        "shaw_rows": len({*np.clip(distances(4 * p.reach, 4 * p.reach), -p.reach, p.reach).ravel().tolist()}),
        "shift_difference": float(np.abs(shifted - picked).max()),
        "start_difference": float(np.abs(again - relative).max()),
        "added_difference": float(np.abs(added[1] - added[0]).max()),
        "grid_spread": float(np.ptp(scores)),
        "grid_score": float(scores[0, 0]),
        "grid_query": q,
        "grid_key": k,
        "size": float(np.linalg.norm(q) * np.linalg.norm(k)),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    counted = Text("exact count", "精确计数")
    half = len(results["grid_query"]) // 2
    # scores grow with the positions that enter the bias, and rounding with them
    reach = p.slope * (p.start + TOKENS) + 64.0
    return (
        Check(
            "share-beyond",
            Text(
                "ALiBi's weight at distance D and beyond, equal contents",
                "ALiBi 在距离 D 及以外的权重，内容分数相等",
            ),
            predicted=predicted["alibi_share"],
            measured=results["alibi_share"],
            tolerance=ROUNDING * p.n,
            law=exact,
        ),
        Check(
            "contents-cannot-outweigh",
            Text("the same with random contents", "内容分数随机时的同一权重"),
            predicted=math.exp(results["contents_spread"]) * predicted["alibi_bound"],
            measured=results["uneven_share"],
            tolerance=ROUNDING * p.n,
            law=Text(
                "bound: contents that differ by at most $c$ change the ratio by at most $e^c$",
                "上界：内容分数相差至多 $c$，比值至多变 $e^c$ 倍",
            ),
            relation="<=",
        ),
        Check(
            "distances-misplaced",
            Text(
                "distances whose bucket is not the one counted from the edges", "桶号与按边界计数不符的距离数"
            ),
            predicted=0.0,
            measured=float(results["misplaced"]),
            tolerance=0.0,
            law=counted,
        ),
        Check(
            "last-bucket",
            Text("first distance in T5's last bucket", "T5 最后一个桶的首个距离"),
            predicted=predicted["last_bucket"],
            measured=float(results["last_bucket"]),
            # the first whole number at or after the edge
            tolerance=1.0,
            law=Text("rounding up to a whole distance", "向上取整到整数距离"),
        ),
        Check(
            "offsets-told-apart",
            Text("offsets that Shaw's clipping tells apart", "Shaw 的截断能区分的偏移数"),
            predicted=float(predicted["shaw_rows"]),
            measured=float(results["shaw_rows"]),
            tolerance=0.0,
            law=counted,
        ),
        Check(
            "shaw-two-ways",
            Text(
                "keys with embeddings added, against products with the table",
                "把嵌入加到 key 上，与先乘嵌入表再取，两者之差",
            ),
            predicted=0.0,
            measured=results["shaw_difference"],
            tolerance=ROUNDING * 64,
            law=exact,
        ),
        Check(
            "shift-two-ways",
            Text(
                "the padded reshape against picking each distance", "补列再 reshape，与逐个取距离，两者之差"
            ),
            predicted=0.0,
            measured=results["shift_difference"],
            tolerance=ROUNDING * 64,
            law=exact,
        ),
        Check(
            "start-does-not-matter",
            Text(
                "change of the weights when counting starts elsewhere, biases by distance",
                "换个起点计数时权重的变化，按距离的偏置",
            ),
            predicted=0.0,
            measured=results["start_difference"],
            tolerance=ROUNDING * reach,
            law=exact,
        ),
        Check(
            "start-matters-when-added",
            Text("the same with encodings added to queries and keys", "同上，但编码加到 query 与 key 上"),
            predicted=0.0,
            measured=results["added_difference"],
            tolerance=ROUNDING * reach,
            law=Text("beyond rounding", "超出舍入误差"),
            relation="!=",
        ),
        Check(
            "same-everywhere-on-the-grid",
            Text(
                "spread of a score over all places of the grid at one offset",
                "同一偏移下，分数在网格各处的极差",
            ),
            predicted=0.0,
            measured=results["grid_spread"],
            # angles up to 30 rad, each rounded
            tolerance=ROUNDING * results["size"] * 64,
            law=exact,
        ),
        Check(
            "grid-score",
            Text("score of two patches dx and dy apart", "相隔 dx、dy 的两个图块的分数"),
            predicted=grid_score(
                grid_part(results["grid_query"][:half], results["grid_key"][:half], p.dx),
                grid_part(results["grid_query"][half:], results["grid_key"][half:], p.dy),
            ),
            measured=results["grid_score"],
            tolerance=ROUNDING * results["size"] * 64,
            law=exact,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    distance = results["distance"]
    shown = distance[: min(p.n, 128)]
    line = np.arange(1.0, len(results["buckets"]))
    return (
        Plot(
            Text("Weight by distance under ALiBi", "ALiBi 下各距离的权重"),
            Text(
                "the slope decides how far a head looks; contents move single weights, not the decay",
                "斜率决定这个头看多远；内容只改变个别权重，改不了衰减",
            ),
            Axis(Text("distance", "距离")),
            Axis(Text("weight", "权重"), low=0.0),
            (
                Line(Text("equal contents", "内容相等"), shown, results["even"][: len(shown)], "predicted"),
                Points(
                    Text("random contents", "内容随机"), shown, results["uneven"][: len(shown)], "measured"
                ),
            ),
        ),
        Plot(
            Text("T5's buckets", "T5 的分桶"),
            Text(
                "one bucket a distance while near, then logarithmic; the last takes all the rest",
                "近处一个距离一个桶，之后按对数刻度；最后一个桶收下其余全部",
            ),
            Axis(Text("distance", "距离"), scale="log"),
            Axis(Text("bucket", "桶号"), low=0.0),
            (Line(Text("bucket", "桶号"), line, results["buckets"][1:], "measured"),),
        ),
    )


DEMO = Demonstration(
    id="D61",
    name="relative-positions",
    title=Text("Positions as distances", "以距离表示位置"),
    shows=Text(
        "a bias that depends on the distance alone does not care where counting starts; clipping, buckets and slopes each "
        "decide which distances a head can tell apart or reach; on a grid RoPE sees both offsets",
        "只取决于距离的偏置不在乎从哪里数起；截断、分桶、斜率各自决定一个头能区分、能看到哪些距离；网格上的 RoPE 能看到两个方向的偏移",
    ),
    kills=Text(
        "“relative embeddings know every distance”, “T5 tells distances apart up to 128”, “patches may be numbered row by row for RoPE”",
        "“相对位置嵌入知道每一个距离”、“T5 能区分 128 以内的距离”、“图块逐行编号就能用 RoPE”",
    ),
    parameters=(
        Parameter(
            "n",
            "n",
            Text("keys of the last query", "最后一个 query 的 key 数"),
            256,
            8,
            1024,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "slope",
            "m",
            Text("ALiBi slope of the head", "该头的 ALiBi 斜率"),
            0.0625,
            0.00390625,
            0.75,
            1.0,
            "float",
            "log",
        ),
        Parameter(
            "beyond", "D", Text("distance looked beyond", "所看的距离界限"), 64, 1, 512, 1.0, "int", "log"
        ),
        Parameter(
            "buckets", "B", Text("T5 buckets, both sides", "T5 桶数（两侧合计）"), 32, 8, 64, 4.0, "int"
        ),
        Parameter(
            "longest", "L", Text("T5 largest distance", "T5 的最大距离"), 128, 32, 512, 1.0, "int", "log"
        ),
        Parameter("reach", "k", Text("Shaw's clip", "Shaw 的截断距离"), 16, 1, 64, 1.0, "int"),
        Parameter(
            "start",
            "p_0",
            Text("position at which counting starts", "计数的起点"),
            100,
            1,
            10000,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "dx", r"\Delta x", Text("columns between two patches", "两图块相隔的列数"), 3, -16, 16, 1.0, "int"
        ),
        Parameter(
            "dy", r"\Delta y", Text("rows between two patches", "两图块相隔的行数"), 2, -16, 16, 1.0, "int"
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "alibi_share",
        Text("weight that ALiBi leaves at distance D and beyond", "ALiBi 在距离 D 及以外留下的权重"),
        Text("", ""),
        0.0,
        1.0,
    ),
)
