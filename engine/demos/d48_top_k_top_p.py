"""D48: top-k and top-p: what each fixes, what each lets float, and why the order of the warpers matters.

Fan et al. 2018, section 5.4 (top-k); Holtzman et al. 2020, section 3.1 (the nucleus).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import (
    Array,
    Check,
    Choice,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.decoding import WarperName, sample, top_k, top_p, warp
from engine.nn.softmax import softmax
from engine.proof.step import Expr, Step, defined, equal, exhausted, let, ordered, popular_error
from engine.text import Text, same
from engine.tolerance import FALSE_ALARM, proportion

EPS = float(np.finfo(float).eps)

ORDERS: dict[str, tuple[WarperName, ...]] = {
    "T-k-p": ("temperature", "top_k", "top_p"),
    "T-p-k": ("temperature", "top_p", "top_k"),
    "k-p-T": ("top_k", "top_p", "temperature"),
}


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def prefix_mass(r: Expr, m: Expr) -> Expr:
    """Mass of the m most probable tokens of an endless geometric law of ratio r."""
    return 1 - r**m


def share_of_kept(mass: Expr, whole: Expr) -> Expr:
    """Mass of a prefix after everything outside ``whole`` was removed and the rest normalised again."""
    return mass / whole


def overshoot(last: Expr, missing: Expr) -> Expr:
    """How far the nucleus exceeds p, when its last token found ``missing`` still to come."""
    return last - missing


def derive() -> tuple[Step, ...]:
    import sympy as sp

    gaps = sp.symbols("g_1:6", nonnegative=True)
    p = [sum(gaps[i:]) for i in range(5)]  # p_1 >= p_2 >= …, any such law
    inside = sp.symbols("b_1:6", integer=True, nonnegative=True)
    size = sp.Symbol("m", integer=True, nonnegative=True)
    subset = sum(b * one for b, one in zip(inside, p, strict=True))
    best = sp.Piecewise(*((sum(p[:m], sp.Integer(0)), sp.Eq(size, m)) for m in range(5)), (sum(p), True))
    choices = [
        {**{b: sp.Integer(code >> i & 1) for i, b in enumerate(inside)}, size: sp.Integer(code.bit_count())}
        for code in range(32)
    ]
    mass, whole, others, gain = sp.symbols("C M_k S g", positive=True)
    p_a, p_b, last, missing, threshold = sp.symbols("p_a p_b p_m e p", positive=True)
    r, T = sp.symbols("r T", positive=True)
    m, i, K = sp.symbols("m i K", integer=True, positive=True)
    x = sp.symbols("x_1:4", positive=True)
    head = (x[0] + x[1]) / sum(x)
    d, a = sp.symbols("d a", positive=True)
    tempered = (1 + sp.exp(-d / T)) / (1 + sp.exp(-d / T) + sp.exp(-(d + a) / T))
    witness = sp.exp(-(d + a) / T) * ((d + a) + a * sp.exp(-d / T)) / T**2
    witness /= (1 + sp.exp(-d / T) + sp.exp(-(d + a) / T)) ** 2
    half = sp.Rational(1, 2)
    bar = (sp.Symbol("M", positive=True), sp.log(1 - threshold) / sp.log(r))
    q_a, q_b = sp.symbols("q_a q_b", positive=True)
    kept_a, kept_b = (q_a, p_a / whole), (q_b, p_b / whole)
    nine = sp.Rational(9, 10)
    return (
        defined(
            "nucleus",
            r"p_1 \geq p_2 \geq \dots \geq p_n, \qquad N(p) = \min \{ m : p_1 + \dots + p_m \geq p \}",
            Text(
                "top-k keeps the first $k$ tokens; top-p keeps the first $N(p)$, the token that crosses $p$ included",
                "top-k 保留前 $k$ 个词元；top-p 保留前 $N(p)$ 个，跨过 $p$ 的那个词元也在内",
            ),
        ),
        let(
            "exchange-pair",
            p_b,
            p_a + gain,
            Text(
                "a set holds token $a$ and lacks a more probable token $b$",
                "某个集合含有词元 $a$，却不含概率更大的词元 $b$",
            ),
        ),
        ordered(
            "exchange",
            others + p_b,
            ">",
            others + p_a,
            Text(
                "putting $b$ in the place of $a$ raises the mass at the same size: of all sets of one size, "
                "the most probable tokens weigh most",
                "用 $b$ 换掉 $a$，个数不变而总概率变大：同样大小的集合中，最可能的那些词元总概率最大",
            ),
            using=[(p_b, p_a + gain)],
        ),
        exhausted(
            "shortest-set",
            best,
            ">=",
            subset,
            Text(
                "so no set of $m$ tokens outweighs the first $m$, and the nucleus is a smallest set of mass $p$: every "
                "subset, any decreasing law (gaps $g_i \\geq 0$, membership $b_i$)",
                "所以任何 $m$ 个词元的总概率都不超过前 $m$ 个，核就是总概率达到 $p$ 的最小集合："
                "逐一检查所有子集，对任意递减分布成立（间隔 $g_i \\geq 0$，成员标记 $b_i$）",
            ),
            over=choices,
            bound="n=5",
        ),
        ordered(
            "overshoots-by-less-than-its-last",
            overshoot(last, missing),
            "<",
            last,
            Text(
                "the last token came in while a mass $e > 0$ was missing: the nucleus exceeds $p$ by less than that token's probability",
                "最后一个词元加入时还差 $e > 0$：核的总概率超出 $p$ 的部分小于这个词元的概率",
            ),
        ),
        equal(
            "geometric-prefix",
            sp.Sum((1 - r) * r ** (i - 1), (i, 1, m)),
            prefix_mass(r, m),
            Text(
                "a geometric law of ratio $r$: the first $m$ tokens weigh this much",
                "公比为 $r$ 的几何分布：前 $m$ 个词元的总概率",
            ),
        ),
        let(
            "geometric-bar",
            *bar,
            Text(
                "where, as a real number of tokens, that mass meets the bar",
                "把词元数当作实数，总概率正好达到门槛之处",
            ),
        ),
        equal(
            "geometric-size",
            prefix_mass(r, bar[0]),
            threshold,
            Text(
                "there it is $p$: the nucleus has the next whole number of tokens",
                "那里的总概率就是 $p$：核的大小是向上取整",
            ),
            using=[bar],
        ),
        popular_error(
            "fixed-number",
            sp.ceiling(sp.log(1 - nine) / sp.log(half), evaluate=False),
            sp.ceiling(sp.log(1 - nine) / sp.log(sp.Rational(99, 100)), evaluate=False),
            Text(
                "'top-p fixes the number of tokens': it fixes the mass; at $p = 9/10$ it keeps 4 tokens of a steep law "
                "($r = 1/2$) and 230 of a flat one ($r = 99/100$)",
                "“top-p 固定词元个数”：它固定的是总概率；$p = 9/10$ 时陡峭的分布（$r = 1/2$）留 4 个，"
                "平缓的分布（$r = 99/100$）留 230 个",
            ),
        ),
        let("kept-a", *kept_a, Text("a kept token, normalised again", "留下的词元，重新归一化")),
        let("kept-b", *kept_b, Text("and another", "另一个")),
        equal(
            "kept-odds",
            q_a / q_b,
            p_a / p_b,
            Text(
                "what stays is divided by one common mass: the odds among kept tokens do not change",
                "留下的词元除以同一个总概率：它们之间的概率之比不变",
            ),
            using=[kept_a, kept_b],
        ),
        equal(
            "k-before-p",
            share_of_kept(mass, whole) - threshold,
            (mass - threshold * whole) / whole,
            Text(
                "after top-k of mass $M_k$ a prefix of mass $C$ reaches $p$ as soon as $C \\geq p M_k$: a lower bar, a smaller nucleus",
                "top-k 之后（保留的总概率为 $M_k$），总概率为 $C$ 的前缀只要 $C \\geq p M_k$ 就算达到 $p$：门槛变低，核变小",
            ),
        ),
        popular_error(
            "order-is-irrelevant",
            share_of_kept(prefix_mass(half, m), prefix_mass(half, m + K)),
            prefix_mass(half, m),
            Text(
                "'the order of the filters is irrelevant': after top-k top-p reads another mass for the same $m$ of $m + K$ tokens (here $r = 1/2$)",
                "“过滤器的先后无所谓”：做过 top-k 之后，在留下的 $m + K$ 个里，同样 $m$ 个词元的总概率已经不同（此处 $r = 1/2$）",
            ),
        ),
        ordered(
            "heat-widens",
            sp.Derivative(tempered, T),
            "<",
            sp.Integer(0),
            Text(
                "a higher temperature takes mass from the two best of three tokens ($d$ apart, the third $a$ behind): "
                "taken after it, the nucleus can only widen",
                "温度升高时，三个词元中前两个（相差 $d$，第三个再落后 $a$）的总概率下降：先升温再取核，核只会变大",
            ),
            witness=witness,
            bound="n=3",
        ),
        popular_error(
            "temperature-commutes",
            head,
            (x[0] ** 2 + x[1] ** 2) / sum(one**2 for one in x),
            Text(
                "'temperature may come after top-p': at $T = 1/2$ the two best hold another mass than at $T = 1$",
                "“温度放在 top-p 之后也一样”：$T = 1/2$ 时前两个词元的总概率与 $T = 1$ 时不同",
            ),
        ),
    )


SUMMED = 1e-11
"""How far the sum of up to 20,000 rounded probabilities may be off."""


def nucleus_size(r: float, p: float, limit: int) -> tuple[int, int]:
    """Size of the nucleus of a geometric law of ratio r cut to ``limit`` tokens, and by how many tokens rounding may change it."""
    if p >= 1:
        return limit, 0
    # (1 - r^m) / (1 - r^limit) >= p
    left = 1 - p * prefix_mass(r, limit)
    exact = p * limit if r >= 1 else math.log(left) / math.log(r)
    # mass of the token at the bar
    token = 1 / limit if r >= 1 else -left * math.log(r)
    close = abs(exact - round(exact)) * token < SUMMED
    return max(1, min(limit, math.ceil(exact - 1e-12))), math.ceil(SUMMED / token) if close else 0


def predict(p: Params) -> Results:
    cut = min(p.k, p.V)
    tempered = p.r ** (1 / p.T)
    if p.order == "T-k-p":
        size, doubt = nucleus_size(tempered, p.p, cut)
    elif p.order == "T-p-k":
        size, doubt = nucleus_size(tempered, p.p, p.V)
        size = min(size, cut)
    else:
        size, doubt = nucleus_size(p.r, p.p, cut)
    alone, _ = nucleus_size(p.r, p.p, p.V)
    top = 1 / size if p.r == 1 else (1 - tempered) / prefix_mass(tempered, size)
    return {"size": size, "top_k_size": cut, "top_p_size": alone, "top_share": top, "doubt": doubt}


def logits_of(r: float, V: int) -> Array:
    """Logits of a geometric law, the most probable token first."""
    return np.asarray(np.arange(V) * math.log(r), dtype=np.float64)


@cache
def subsets(n: int) -> NDArray[np.bool_]:
    """Every subset of n tokens: (2^n, n)."""
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


LAWS, TOKENS = 100, 8


def nucleus_against_enumeration(p: float, rng: np.random.Generator) -> tuple[int, float, float]:
    """Of LAWS random laws of TOKENS tokens: how many nuclei are not a smallest set of mass p, found by trying every subset;
    the least mass above p; and the greatest mass of a nucleus without its least member, less p."""
    z = rng.standard_normal((LAWS, TOKENS)) * rng.uniform(0.2, 3.0, (LAWS, 1))
    law = softmax(z)
    kept = top_p(z, p) > -np.inf  # (LAWS, TOKENS)
    sets = subsets(TOKENS)
    # a set that reaches p but for rounding counts as one: at p = 1 no sum is exact
    reaches = law @ sets.T.astype(float) >= p - 8 * EPS  # (LAWS, 2^TOKENS)
    smallest = np.where(reaches, sets.sum(axis=1), TOKENS + 1).min(axis=1)
    mass = np.where(kept, law, 0.0).sum(axis=1)
    least = np.where(kept, law, 1.0).min(axis=1)
    return int((smallest != kept.sum(axis=1)).sum()), float((mass - p).min()), float((mass - least - p).max())


@np.errstate(under="ignore")
def measure(p: Params, rng: np.random.Generator) -> Results:
    z = logits_of(p.r, p.V)[rng.permutation(p.V)]
    warped = warp(z, temperature=p.T, k=p.k, p=p.p, order=ORDERS[p.order])
    law = softmax(warped)
    drawn = sample(law, rng, p.samples)
    kept = warped > -np.inf
    leader = int(z.argmax())
    wrong, above, below = nucleus_against_enumeration(p.p, rng)
    raw = np.sort(softmax(z))[::-1]
    return {
        "size": int(kept.sum()),
        "top_k_size": int((top_k(z, p.k) > -np.inf).sum()),
        "top_p_size": int((top_p(z, p.p) > -np.inf).sum()),
        "outside": int((~kept[drawn]).sum()),
        "better_left_out": int((z[~kept] > z[kept].min()).sum()),
        "top_share": float((drawn == leader).mean()),
        "draws": p.samples,
        "not_smallest": wrong,
        "least_above": above,
        "most_below": below,
        "raw": raw,
        "kept": np.sort(law)[::-1],
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact count", "精确计数")
    summed = Text("rounding of a sum of probabilities", "概率求和的舍入误差")
    # equally probable tokens: which of them stay depends on their numbers
    even = p.r == 1 and predicted["size"] < p.V
    checks = [
        Check(
            "size-of-the-support",
            Text("tokens left by all three warpers", "三个步骤之后剩下的词元数"),
            predicted["size"],
            results["size"],
            predicted["doubt"],
            Text(
                "exact count; one token more or less where $p$ equals the mass of a prefix",
                "精确计数；$p$ 恰好等于某个前缀的总概率时允许差一个",
            ),
        ),
        Check(
            "top-k-size",
            Text("top-k alone keeps the smaller of $k$ and $V$", "单用 top-k 时保留 $k$ 与 $V$ 中较小的一个"),
            predicted["top_k_size"],
            results["top_k_size"],
            None,
            exact,
        ),
        Check(
            "no-draw-from-outside",
            Text("draws of a removed token", "抽到已删除词元的次数"),
            0.0,
            results["outside"],
            None,
            exact,
        ),
        Check(
            "best-are-kept",
            Text("removed tokens more probable than a kept one", "比留下的更可能、却被删除的词元数"),
            0.0,
            results["better_left_out"],
            None,
            exact,
        ),
        Check(
            "smallest-set",
            Text(
                "random laws whose nucleus is not a smallest set of mass $p$ among all subsets",
                "在全部子集中，核不是总概率达到 $p$ 的最小集合的随机分布个数",
            ),
            0.0,
            results["not_smallest"],
            None,
            exact,
        ),
        Check(
            "mass-reaches-p",
            Text("least mass of a nucleus, less $p$", "核的最小总概率减去 $p$"),
            0.0,
            results["least_above"],
            TOKENS * 2 * EPS,
            summed,
            relation=">=",
        ),
        Check(
            "last-one-was-needed",
            Text("mass without the least member, less $p$", "去掉最小成员后的总概率减去 $p$"),
            0.0,
            results["most_below"],
            TOKENS * 2 * EPS,
            summed,
            relation="<=",
        ),
    ]
    if not even and not predicted["doubt"]:
        checks.append(
            Check(
                "top-share",
                Text("how often the best token is drawn", "最优词元被抽到的频率"),
                predicted["top_share"],
                results["top_share"],
                proportion(predicted["top_share"], results["draws"]) + 1e-10,
                Text("binomial law of a count", "计数的二项分布"),
                false_alarm=FALSE_ALARM,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    shown = min(p.V, 400)
    rank: Array = np.arange(1.0, shown + 1)
    flat: Array = 1 - np.geomspace(0.5, 1e-5, 40)
    sizes = np.array([nucleus_size(float(r), p.p, p.V)[0] for r in flat], dtype=float)
    positive = np.maximum(results["raw"][:shown], 1e-30)
    warped = np.where(results["kept"][:shown] > 0, results["kept"][:shown], np.nan)
    return (
        Plot(
            Text("Probabilities before and after the warpers", "过滤前后的概率"),
            Text(
                "the kept head rises because the cut tail's mass is shared out; top-k and top-p cut at different ranks",
                "被切掉的尾部概率分给了留下的头部；top-k 与 top-p 切在不同的名次上",
            ),
            Axis(Text("rank of the token", "词元的名次")),
            Axis(Text("probability", "概率"), "log"),
            (
                Line(Text("model", "模型"), rank, positive, "context"),
                Points(Text("after the warpers", "过滤之后"), rank, warped, "measured"),
                Rule(same("k"), float(min(p.k, shown)), "x", "bound"),
                Rule(
                    Text("nucleus of the model", "模型分布的核"),
                    float(min(results["top_p_size"], shown)),
                    "x",
                    "other",
                ),
            ),
        ),
        Plot(
            Text("Tokens kept against the flatness of the law", "保留的词元数随分布平缓程度的变化"),
            Text(
                "the flatter the law, the more tokens top-p keeps, over orders of magnitude; top-k keeps the same number always",
                "分布越平缓，top-p 留得越多，跨越数个量级；top-k 的个数始终不变",
            ),
            Axis(Text("probability of the best token", "最优词元的概率"), "log"),
            Axis(Text("tokens kept", "保留的词元数"), "log"),
            (
                Line(same("top-p"), 1 - flat, sizes, "predicted"),
                Rule(same("top-k"), float(predicted["top_k_size"]), "y", "bound"),
                Points(
                    Text("measured now", "当前实测"),
                    np.array([max(results["raw"][0], 1e-5)]),
                    np.array([float(results["top_p_size"])]),
                    "measured",
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D48",
    name="top-k-top-p",
    title=Text("Top-k and top-p", "top-k 与 top-p"),
    shows=Text(
        "top-k fixes the number of tokens and lets the mass float, top-p fixes the mass and lets the number float; "
        "a nucleus taken after top-k is not the nucleus of the model",
        "top-k 固定个数、总概率浮动，top-p 固定总概率、个数浮动；做过 top-k 再取的核已不是模型分布的核",
    ),
    kills=Text(
        "“top-p fixes the number of tokens”, “the order of the filters is irrelevant”",
        "“top-p 固定词元个数”“过滤器的先后无所谓”",
    ),
    parameters=(
        Parameter("p", "p", Text("mass of the nucleus", "核的总概率"), 0.95, 0.05, 1.0, 0.05),
        Parameter(
            "k", "k", Text("tokens that top-k keeps", "top-k 保留的个数"), 50, 1, 2000, 1.0, "int", "log"
        ),
        Parameter("T", "T", Text("temperature", "温度"), 1.0, 0.1, 5.0, 0.1, "float", "log"),
        Parameter(
            "r",
            "r",
            Text("ratio of neighbouring probabilities", "相邻名次的概率之比"),
            0.99,
            0.3,
            1.0,
            0.01,
        ),
        Parameter("V", "V", Text("vocabulary", "词表大小"), 5000, 2, 20000, 1.0, "int", "log"),
        Parameter(
            "order",
            r"\text{order}",
            Text("order of the warpers", "各步骤的先后"),
            "T-k-p",
            kind="choice",
            choices=(
                Choice("T-k-p", Text("T, top-k, top-p", "T、top-k、top-p")),
                Choice("T-p-k", Text("T, top-p, top-k", "T、top-p、top-k")),
                Choice("k-p-T", Text("top-k, top-p, T", "top-k、top-p、T")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "size",
        Text("tokens left after the warpers", "过滤之后剩下的词元数"),
        Text("tokens", "个词元"),
        1.0,
        20000.0,
        "log",
    ),
    samples=Samples(rest=40_000, drag=10_000),
)
