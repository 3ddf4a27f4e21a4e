"""D49: greedy decoding and beam search are heuristics: how often they miss, and why longer sequences lose.

Stahlberg, Byrne 2019, section 3 (search errors and the empty translation); Murray, Chiang 2018 (length bias); Wu et al.
2016, section 7 (length normalisation).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import (
    Array,
    Check,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.beam import Tokens, beam_search, beam_search_trees, optimum_of_trees
from engine.proof.step import Expr, Step, cited, defined, equal, ordered, popular_error
from engine.text import Text
from engine.tolerance import FALSE_ALARM, proportion

EPS = float(np.finfo(float).eps)

FIRST = ("2/5", "7/20", "1/4")
BEST_NEXT = ("1/2", "3/5", "19/20")
"""The tree: three first tokens A, B, C, and the most probable continuation of each."""

DEEP_FIRST = ("1/2", "9/20", "1/20")
DEEP_SECOND = (("2/5", "3/10", "3/10"), ("1/2", "1/2", "0/1"), ("1/3", "1/3", "1/3"))
"""A deeper tree, on which width 2 does worse than width 1: third tokens follow A's best surely, all others evenly."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def miss_density(t: Expr) -> Expr:
    """Density, over the odds t of the first two tokens, of greedy missing the optimum of a random binary tree of depth 2."""
    return (t - 2) ** 2 / (t * (1 + t) ** 2)


def miss_share(logs: tuple[Expr, Expr]) -> Expr:
    """Share of random binary trees of depth 2 whose optimum greedy decoding misses, from log 2 and log 3/2."""
    log_2, log_three_halves = logs
    return (8 * log_2 - 6 * log_three_halves - 3) / 2


def chain_score(n: Expr, log_q: Expr, log_e: Expr, length_factor: Expr) -> Expr:
    """Score of n tokens of log probability log q each and an end token of log e."""
    return (n * log_q + log_e) / length_factor


def path_products(width: int, first: tuple[Expr, ...], following: tuple[Expr, ...]) -> list[Expr]:
    """P(first token) P(best next) of the ``width`` most probable first tokens: what a beam of a depth-2 tree compares."""
    kept = sorted(range(len(first)), key=lambda i: -first[i])[:width]
    return [first[i] * following[i] for i in kept]


def derive() -> tuple[Step, ...]:
    import sympy as sp

    first, following = (tuple(sp.Rational(one) for one in row) for row in (FIRST, BEST_NEXT))

    def beam(width: int) -> Expr:
        kept = sorted(range(3), key=lambda i: -first[i])[:width]
        terms = [sp.Mul(first[i], following[i], evaluate=False) for i in kept]
        return sp.Max(*terms, evaluate=False) if width > 1 else terms[0]

    def found(width: int) -> Expr:
        return sp.Max(*path_products(width, first, following))

    # width 2 keeps the two continuations of B at 9/40 each, and drops A's best at 1/5
    deep_narrow, deep_wide = (
        sp.Mul(sp.Rational(DEEP_FIRST[i]), sp.Rational(DEEP_SECOND[i][0]), third, evaluate=False)
        for i, third in ((0, sp.Integer(1)), (1, sp.Rational(1, 3)))
    )

    t, m, s, w = sp.symbols("t m s w", positive=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)
    four = sp.Integer(4)
    inner = sp.Integral(four * (1 - t * m), (m, sp.Rational(1, 2), 1 / t))
    logs = (sp.log(2), sp.log(sp.Rational(3, 2)))
    log_q, log_e = -s, -w
    return (
        defined(
            "beam",
            r"P(y_1 \dots y_T) = \prod_{t=1}^{T} p(y_t \mid y_1 \dots y_{t-1})",
            Text(
                "a beam of width $k$ keeps the $k$ most probable prefixes of each length; width 1 is greedy decoding. The "
                "tree here: A, B, C with $2/5$, $7/20$, $1/4$, best continuations $1/2$, $3/5$, $19/20$",
                "宽度为 $k$ 的束在每个长度上只留 $k$ 个最可能的前缀；宽度 1 就是贪心解码。这里的树："
                "A、B、C 的概率为 $2/5$、$7/20$、$1/4$，各自最好的后续为 $1/2$、$3/5$、$19/20$",
            ),
        ),
        equal(
            "width-1",
            beam(1),
            sp.Rational(1, 5),
            Text("greedy takes A, the best first token", "贪心选 A，即最好的首个词元"),
        ),
        equal(
            "width-2",
            beam(2),
            sp.Rational(21, 100),
            Text("width 2 also keeps B, and finds better", "宽度 2 还留着 B，找到更好的"),
        ),
        equal(
            "width-3",
            beam(3),
            sp.Rational(19, 80),
            Text(
                "only width 3 sees C, whose sure continuation makes the optimum",
                "只有宽度 3 才看得到 C，它几乎确定的后续才是最优",
            ),
        ),
        popular_error(
            "greedy-is-optimal",
            found(1),
            found(3),
            Text(
                "'the most probable token at each step gives the most probable sequence'",
                "“每一步取最可能的词元，就得到最可能的序列”",
            ),
        ),
        popular_error(
            "beam-is-optimal",
            found(2),
            found(3),
            Text(
                "'beam search returns the optimal sequence': only a width as large as the number of prefixes is sure to",
                "“束搜索返回最优序列”：只有宽度不小于前缀总数时才有保证",
            ),
        ),
        popular_error(
            "wider-is-never-worse",
            deep_wide,
            deep_narrow,
            Text(
                "'a wider beam never finds a worse sequence': on a tree of depth 3, two prefixes at $9/40$ push out the one at "
                "$1/5$ whose continuation is sure; theirs has $1/3$",
                "“束更宽，结果不会更差”：在一棵深度 3 的树上，两个 $9/40$ 的前缀挤掉了 $1/5$ 的前缀，"
                "而后者的后续是确定的；它们的后续只有 $1/3$",
            ),
            op=">=",
        ),
        equal(
            "second-beats-first",
            inner,
            2 / t - 2 + t / 2,
            Text(
                "how often greedy misses: a binary tree with all splits uniform. Best continuations $m$ are then uniform on "
                "$[1/2, 1]$; the second token's is $t$ times the first's with this probability",
                "贪心多久错一次：二叉树，各处的分配均匀随机。此时最好的后续 $m$ 在 $[1/2, 1]$ 上均匀；"
                "第二个词元的后续达到第一个的 $t$ 倍，概率如此",
            ),
        ),
        equal(
            "odds",
            sp.Derivative(t / (1 + t), t) * 2 * (2 / t - 2 + t / 2),
            miss_density(t),
            Text(
                "the first token $p = t / (1 + t)$ is uniform on $[1/2, 1]$: weighted by its density over the odds $t$",
                "首个词元的概率 $p = t / (1 + t)$ 在 $[1/2, 1]$ 上均匀：乘以它关于比值 $t$ 的密度",
            ),
        ),
        equal(
            "greedy-misses",
            sp.Integral(miss_density(t), (t, 1, 2)),
            miss_share(logs),
            Text(
                "summed over the odds from 1 to 2: greedy misses the optimum of 5.6 % of these trees, the smallest there are",
                "对比值从 1 到 2 积分：即便是这种最小的树，贪心也会在 5.6 % 的树上错过最优",
            ),
        ),
        defined(
            "chain",
            r"\log P(n \text{ tokens, end}) = -n s - w",
            Text(
                "length: each step continues with probability $e^{-s}$ or ends with probability $e^{-w}$",
                "长度：每一步以概率 $e^{-s}$ 继续，以概率 $e^{-w}$ 结束",
            ),
        ),
        ordered(
            "longer-is-less-probable",
            chain_score(n + 1, log_q, log_e, 1),
            "<",
            chain_score(n, log_q, log_e, 1),
            Text(
                "each further token multiplies by a probability below one: the empty sequence is the most probable",
                "每多一个词元就再乘一个小于 1 的概率：空序列最可能",
            ),
        ),
        equal(
            "normalised",
            chain_score(n + 1, log_q, log_e, n + 2) - chain_score(n, log_q, log_e, n + 1),
            (w - s) / ((n + 1) * (n + 2)),
            Text(
                "divided by the length, end token included, the score rises with each token as long as going on is likelier than "
                "ending ($w > s$): now the longest wins",
                "除以长度（含结束符）后，只要继续比结束更可能（$w > s$），每多一个词元分数就更高：变成最长的胜出",
            ),
        ),
        cited(
            "in-translation",
            r"\text{beam } 100: \text{the global optimum is the empty translation for } > 50\,\%",
            Text(
                "a trained translation model: exact search finds the empty translation best for more than half of the sentences; "
                "the beam's misses hid it",
                "训练好的翻译模型：精确搜索发现，半数以上句子的最优译文是空串；束搜索的漏检掩盖了这一点",
            ),
            "Stahlberg, Byrne 2019, section 3, table 1",
        ),
    )


def length_factor(tokens: int, alpha: float) -> float:
    """|Y|^alpha, the end token counted."""
    return tokens**alpha


def best_length(q: float, alpha: float, longest: int) -> tuple[int, float]:
    """Number of tokens of the best-scored chain, end token included, and by how much it leads."""
    scores = [
        chain_score(n, math.log(q), math.log1p(-q), length_factor(n + 1, alpha)) for n in range(longest)
    ]
    # cut off at the longest: no end token
    scores.append(longest * math.log(q) / length_factor(longest, alpha))
    ranked = sorted(scores, reverse=True)
    place = scores.index(ranked[0])
    return min(place + 1, longest), ranked[0] - ranked[1]


LONGEST = 12


def predict(p: Params) -> Results:
    tree = path_products(
        p.k, tuple(_fraction(one) for one in FIRST), tuple(_fraction(one) for one in BEST_NEXT)
    )
    length, lead = best_length(p.q, p.alpha, LONGEST)
    return {
        "tree_probability": max(tree),
        "deep_narrow": _fraction(DEEP_FIRST[0]) * _fraction(DEEP_SECOND[0][0]),
        "deep_wide": _fraction(DEEP_FIRST[1]) * _fraction(DEEP_SECOND[1][0]) / 3,
        "greedy_miss": float(miss_share((math.log(2), math.log(1.5)))),
        "best_length": length,
        "lead": lead,
    }


def _fraction(text: str) -> float:
    above, below = text.split("/")
    return int(above) / int(below)


def small_tree(tokens: Tokens) -> Array:
    """log p(next | prefix) of the bundled tree: best continuations first, the rest shared by two others."""
    if not tokens:
        return np.log([_fraction(one) for one in FIRST])
    best = _fraction(BEST_NEXT[tokens[0]])
    return np.log([best, (1 - best) / 2, (1 - best) / 2])


def deep_tree(tokens: Tokens) -> Array:
    """log p(next | prefix) of the deeper tree."""
    match tokens:
        case ():
            row = [_fraction(one) for one in DEEP_FIRST]
        case (first,):
            row = [_fraction(one) for one in DEEP_SECOND[first]]
        case (0, 0):
            row = [1.0, 0.0, 0.0]
        case _:
            row = [1 / 3] * 3
    with np.errstate(divide="ignore"):
        return np.log(row)


def random_trees(trees: int, vocabulary: int, depth: int, rng: np.random.Generator) -> list[Array]:
    """log p of every node, levels (trees, V^t, V): each node's law uniform on the simplex (Dirichlet of ones)."""
    levels = []
    for t in range(depth):
        weights = rng.standard_exponential((trees, vocabulary**t, vocabulary))
        levels.append(np.log(weights / weights.sum(axis=-1, keepdims=True)))
    return levels


def missed(levels: list[Array], width: int) -> tuple[float, float, float]:
    """Share of trees whose optimum the beam misses, the mean log probability lost, and the most it gains (rounding only)."""
    found, optimum = beam_search_trees(levels, width).log_probability, optimum_of_trees(levels)
    lost = optimum - found
    return float((lost > 1e-12).mean()), float(lost.mean()), float(-lost.min())


WIDTHS = (1, 2, 3, 4, 5, 6, 8)


def measure(p: Params, rng: np.random.Generator) -> Results:
    binary = random_trees(p.samples, 2, 2, rng)
    greedy_miss, _, _ = missed(binary, 1)
    trees = max(20, min(p.samples // 8, 2 * p.samples // sum(p.V**t for t in range(1, p.depth + 1))))
    levels = random_trees(trees, p.V, p.depth, rng)
    by_width = [missed(levels, width) for width in WIDTHS]
    now = missed(levels, p.k)
    whole = missed(levels, p.V ** (p.depth - 1))
    chain = np.log([1 - p.q, p.q])
    best = beam_search(lambda _: chain, 2, LONGEST, end=0, alpha=p.alpha)[0]
    return {
        "tree_probability": math.exp(beam_search(small_tree, p.k, 2)[0].log_probability),
        "deep_narrow": math.exp(beam_search(deep_tree, 1, 3)[0].log_probability),
        "deep_wide": math.exp(beam_search(deep_tree, 2, 3)[0].log_probability),
        "greedy_miss": greedy_miss,
        "binary_trees": p.samples,
        "trees": trees,
        "miss": now[0],
        "lost": now[1],
        "beyond": max(one[2] for one in (*by_width, now, whole)),
        "miss_whole": whole[0],
        "misses": np.array([one[0] for one in by_width]),
        "best_length": len(best.tokens),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact count", "精确计数")
    rounding = Text("rounding of sums of logarithms", "对数求和的舍入误差")
    return (
        Check(
            "tree",
            Text("probability found in the bundled tree", "在示例树上找到的概率"),
            predicted["tree_probability"],
            results["tree_probability"],
            8 * EPS,
            rounding,
        ),
        *(
            Check(
                name,
                claim,
                predicted[key],
                results[key],
                8 * EPS,
                rounding,
            )
            for name, key, claim in (
                (
                    "deep-tree-width-1",
                    "deep_narrow",
                    Text("width 1 on the deeper tree", "更深的树上宽度 1 的结果"),
                ),
                (
                    "deep-tree-width-2",
                    "deep_wide",
                    Text("width 2 there: worse", "同一棵树上宽度 2 的结果：更差"),
                ),
            )
        ),
        Check(
            "greedy-miss",
            Text(
                "share of random binary trees of depth 2 on which greedy misses",
                "贪心错过最优的深度 2 随机二叉树所占比例",
            ),
            predicted["greedy_miss"],
            results["greedy_miss"],
            proportion(predicted["greedy_miss"], results["binary_trees"]),
            Text("binomial law of a count", "计数的二项分布"),
            false_alarm=FALSE_ALARM,
        ),
        Check(
            "never-beyond-the-optimum",
            Text("most by which a beam exceeds the optimum", "束搜索超出最优的最大值"),
            0.0,
            results["beyond"],
            64 * EPS * p.depth,
            rounding,
            relation="<=",
        ),
        Check(
            "full-width-is-exact",
            Text("misses of a beam as wide as all prefixes", "束宽等于全部前缀数时错过最优的比例"),
            0.0,
            results["miss_whole"],
            None,
            exact,
        ),
        Check(
            "length",
            Text(
                "length of the best-scored chain of tokens, end included",
                "分数最高的词元链的长度（含结束符）",
            ),
            predicted["best_length"],
            results["best_length"],
            # where two lengths score the same, rounding decides
            float(LONGEST) if predicted["lead"] < 1e-12 else None,
            Text("exact count, unless two lengths tie", "精确计数；两种长度同分时除外"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    tree = [
        max(path_products(k, tuple(map(_fraction, FIRST)), tuple(map(_fraction, BEST_NEXT))))
        for k in (1, 2, 3)
    ]
    alphas: Array = np.linspace(0, 2, 41)
    lengths = np.array([float(best_length(p.q, float(alpha), LONGEST)[0]) for alpha in alphas])
    return (
        Plot(
            Text("How often the beam misses the optimum", "束搜索错过最优的比例"),
            Text(
                "a wider beam misses less, and never stops missing until it holds every prefix",
                "束越宽漏得越少，但在装下全部前缀之前总会漏",
            ),
            Axis(Text("width of the beam", "束宽")),
            Axis(Text("share of random trees", "随机树的比例"), low=0.0, high=1.0),
            (
                Line(Text("measured", "实测"), np.array(WIDTHS, dtype=float), results["misses"], "measured"),
                Points(Text("now", "当前"), np.array([float(p.k)]), np.array([results["miss"]]), "other"),
            ),
        ),
        Bars(
            Text("Probability found in the tree A, B, C", "在树 A、B、C 上找到的概率"),
            Text(
                "greedy takes the best first token and ends with the worst sequence of the three",
                "贪心选了最好的首个词元，三者中得到的序列却最差",
            ),
            Axis(Text("probability", "概率"), low=0.0, high=0.25),
            (
                *(Bar(Text(f"width {k}", f"宽度 {k}"), one, "predicted") for k, one in enumerate(tree, 1)),
                Bar(Text(f"width {p.k}, measured", f"宽度 {p.k}，实测"), results["tree_probability"]),
            ),
        ),
        Plot(
            Text("Length of the best sequence against the length penalty", "最优序列长度随长度惩罚的变化"),
            Text(
                "without a penalty the empty sequence wins; as the exponent grows the winner lengthens, up to the longest allowed",
                "不加惩罚时空序列胜出；指数增大，胜出的序列越来越长，直到允许的最大长度",
            ),
            Axis(Text("exponent of the length", "长度的指数")),
            Axis(Text("tokens", "词元数"), low=0.0, high=float(LONGEST + 1)),
            (
                Line(Text("predicted", "预测"), alphas, lengths, "predicted"),
                Points(
                    Text("measured", "实测"),
                    np.array([float(p.alpha)]),
                    np.array([float(results["best_length"])]),
                    "measured",
                ),
                Rule(Text("longest allowed", "允许的最大长度"), float(LONGEST), "y", "bound"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D49",
    name="beam-search",
    title=Text("Greedy and beam search are not optimal", "贪心与束搜索都不保证最优"),
    shows=Text(
        "keeping $k$ prefixes can drop the one that leads to the best sequence, and plain log probability prefers the shortest",
        "只留 $k$ 个前缀，可能丢掉通往最优序列的那个；而单看对数概率，总是偏爱最短的",
    ),
    kills=Text(
        "“beam search returns the optimal sequence”, “a wider beam never does worse”",
        "“束搜索返回最优序列”“束更宽不会更差”",
    ),
    parameters=(
        Parameter("k", "k", Text("width of the beam", "束宽"), 2, 1, 8, 1.0, "int"),
        Parameter("V", "V", Text("tokens of a random tree", "随机树的词表大小"), 5, 2, 6, 1.0, "int"),
        Parameter("depth", r"\text{depth}", Text("tokens of a sequence", "序列长度"), 3, 1, 4, 1.0, "int"),
        Parameter(
            "alpha", r"\alpha", Text("exponent of the length penalty", "长度惩罚的指数"), 0.0, 0.0, 2.0, 0.1
        ),
        Parameter("q", "q", Text("probability of going on", "继续生成的概率"), 0.7, 0.05, 0.95, 0.05),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "miss",
        Text("share of random trees whose optimum the beam misses", "束搜索错过最优的随机树所占比例"),
        Text("", ""),
        0.0,
        1.0,
    ),
    samples=Samples(rest=8_000),
)
