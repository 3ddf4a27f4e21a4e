"""D19: the variance of q·k, and why scores are divided by √d_k.

Vaswani et al. 2017, section 3.2.1, footnote 4: if the components of q and k are independent with
mean 0 and variance 1, q·k has mean 0 and variance d_k.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import (
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
from engine.proof.step import Expr, Step, defined, equal, popular_error
from engine.text import Text, same


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def product_variance(mu_q: Expr, mu_k: Expr, sigma: Expr, rho: Expr) -> Expr:
    """Var(q_i k_i) for jointly normal q_i, k_i of common variance sigma² and correlation rho."""
    return sigma**4 * (1 + rho**2) + sigma**2 * (mu_q**2 + mu_k**2 + 2 * rho * mu_q * mu_k)


def score_variance(d_k: Expr, mu_q: Expr, mu_k: Expr, sigma: Expr, rho: Expr) -> Expr:
    """Var(q·k): d_k independent terms."""
    return d_k * product_variance(mu_q, mu_k, sigma, rho)


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    sigma = sp.Symbol("sigma", positive=True)
    mu_q, mu_k = sp.symbols("mu_q mu_k", real=True)
    rho = sp.Symbol("rho", real=True)
    d_k = sp.Symbol("d_k", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)

    sizes = 4
    q, k = sp.symbols(f"q_1:{sizes + 1}"), sp.symbols(f"k_1:{sizes + 1}")
    zero_mean = dict.fromkeys((*q, *k), (0, sigma**2))
    dot = sum(a * b for a, b in zip(q, k, strict=True))

    # jointly normal pair from independent standard normals u, v: moments 0, 1, 0, 3
    u, v = sp.symbols("u v", real=True)
    normal = {u: (0, 1, 0, 3), v: (0, 1, 0, 3)}
    root = sp.sqrt(1 - rho**2)
    pair = (mu_q + sigma * u) * (mu_k + sigma * (rho * u + root * v))

    return (
        defined(
            "score",
            r"s = q \cdot k = \sum_{i=1}^{d_k} q_i k_i",
            Text(
                "the raw attention score of one query with one key", "一个 query 与一个 key 的原始注意力分数"
            ),
        ),
        equal(
            "four-terms",
            Variance(dot, zero_mean),
            score_variance(sizes, 0, 0, sigma, 0),
            Text(
                "multiply out the square; every mixed term holds a factor of mean zero and vanishes",
                "把平方展开；每个交叉项都含均值为零的因子，期望为零",
            ),
            bound="d_k=4",
        ),
        equal(
            "sum",
            sp.Sum(product_variance(0, 0, sigma, 0), (i, 1, d_k)),
            score_variance(d_k, 0, 0, sigma, 0),
            Text(
                "variances of independent terms add, for any $d_k$",
                "独立项的方差相加，对任意 $d_k$ 成立",
            ),
        ),
        equal(
            "scaled",
            score_variance(d_k, 0, 0, sigma, 0) / sp.sqrt(d_k) ** 2,
            sigma**4,
            Text(
                r"dividing the score by $\sqrt{d_k}$ divides its variance by $d_k$: the width no longer grows",
                r"分数除以 $\sqrt{d_k}$，方差就除以 $d_k$：分布宽度不再随维度增长",
            ),
        ),
        equal(
            "general",
            Variance(pair, normal),
            product_variance(mu_q, mu_k, sigma, rho),
            Text(
                r"without the assumptions: means $\mu_q, \mu_k$ and correlation $\rho$ add terms (normal entries)",
                r"去掉这些假设：均值 $\mu_q, \mu_k$ 与相关系数 $\rho$ 都会带来附加项（正态分量）",
            ),
        ),
        equal(
            "correlated-mean",
            Expectation(pair.subs({mu_q: 0, mu_k: 0}), normal),
            rho * sigma**2,
            Text(
                "correlated entries also move the mean, which then grows like $d_k$, not its root",
                r"分量相关时均值也不为零，且随 $d_k$ 线性增长，而不是随 $\sqrt{d_k}$",
            ),
        ),
        popular_error(
            "unit-variance-suffices",
            Variance(pair.subs(sigma, 1), normal),
            sp.Integer(1),
            Text(
                "'unit variance alone gives $d_k$': false, zero mean and independence are needed too",
                "“只要方差为 1 就得到 $d_k$”：不对，还需要零均值与独立",
            ),
        ),
    )


def predict(p: Params) -> Results:
    variance = score_variance(p.d_k, p.mu_q, p.mu_k, p.sigma, p.rho)
    divisor = {"none": 1.0, "sqrt": math.sqrt(p.d_k), "linear": float(p.d_k)}[p.scale]
    return {"raw_variance": variance, "score_variance": variance / divisor**2}


def draw_scores(p: Params, rng: np.random.Generator, pairs: int) -> np.ndarray:
    """``pairs`` raw scores q·k, shape (pairs,)."""
    u = rng.standard_normal((pairs, p.d_k))
    v = rng.standard_normal((pairs, p.d_k))
    q = p.mu_q + p.sigma * u
    k = p.mu_k + p.sigma * (p.rho * u + math.sqrt(1 - p.rho**2) * v)
    return np.einsum("nd,nd->n", q, k)


def scale_scores(scores: np.ndarray, p: Params) -> np.ndarray:
    """The scores as the attention layer would use them."""
    if p.scale == "sqrt":
        return scores / math.sqrt(p.d_k)
    return scores / p.d_k if p.scale == "linear" else scores


def measure(p: Params, rng: np.random.Generator) -> Results:
    pairs = max(1_000, p.samples // p.d_k)
    scores = scale_scores(draw_scores(p, rng, pairs), p)
    return {"scores": scores, "pairs": pairs, "mean": scores.mean(), "score_variance": scores.var(ddof=1)}


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    # excess kurtosis of one product of centred normals is at most 6, and shrinks as 1/d_k in the sum
    kurtosis = 3 + 6 / p.d_k
    spread = math.sqrt((kurtosis - 1) / results["pairs"])
    return (
        Check(
            "score-variance",
            Text("the variance of the scores is the predicted one", "分数的方差等于预测值"),
            predicted=predicted["score_variance"],
            measured=results["score_variance"],
            tolerance=5 * spread * predicted["score_variance"],
            law=Text("5 standard errors of a sample variance", "样本方差的 5 个标准误"),
            false_alarm=6e-7,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    counts, edges = np.histogram(results["scores"], bins=41, density=True)
    centres = (edges[1:] + edges[:-1]) / 2
    width = math.sqrt(predicted["score_variance"])
    mean = float(results["mean"])
    normal = np.exp(-(((centres - mean) / width) ** 2) / 2) / (width * math.sqrt(2 * math.pi))
    return (
        Plot(
            Text("Distribution of the scores", "分数的分布"),
            Text(
                "the scores spread as wide as the predicted normal curve; unscaled, the width grows with d_k",
                "分数的分布与预测的正态曲线同宽；不缩放时，宽度随 d_k 增长",
            ),
            Axis(Text("score", "分数")),
            Axis(Text("density", "密度"), low=0.0),
            (
                Points(Text("measured", "实测"), centres, counts, "measured"),
                Line(Text("predicted", "预测"), centres, normal, "predicted"),
                Rule(Text("mean", "均值"), mean, "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D19",
    name="dot-product-variance",
    title=Text("Variance of q·k and the √d_k scale", "q·k 的方差与 √d_k 缩放"),
    shows=Text(
        r"the variance of $q \cdot k$ grows like $d_k$; dividing by $\sqrt{d_k}$ keeps it at one",
        r"$q \cdot k$ 的方差随 $d_k$ 增长；除以 $\sqrt{d_k}$ 使它保持为 1",
    ),
    kills=Text("unit variance alone gives a score variance of d_k", "只要各分量方差为 1，分数方差就是 d_k"),
    parameters=(
        Parameter("d_k", "d_k", Text("width of one head", "单个头的维度"), 64, 1, 1024, 1.0, "int", "log"),
        Parameter(
            "mu_q", r"\mu_q", Text("mean of the query entries", "query 分量的均值"), 0.0, -2.0, 2.0, 0.1
        ),
        Parameter("mu_k", r"\mu_k", Text("mean of the key entries", "key 分量的均值"), 0.0, -2.0, 2.0, 0.1),
        Parameter(
            "sigma", r"\sigma", Text("standard deviation of the entries", "分量的标准差"), 1.0, 0.1, 3.0, 0.1
        ),
        Parameter(
            "rho", r"\rho", Text("correlation of q_i and k_i", "q_i 与 k_i 的相关系数"), 0.0, -1.0, 1.0, 0.1
        ),
        Parameter(
            "scale",
            r"\text{scale}",
            Text("what the score is divided by", "分数除以什么"),
            "sqrt",
            kind="choice",
            choices=(
                Choice("none", Text("nothing", "不缩放")),
                Choice("sqrt", same("√d_k")),
                Choice("linear", same("d_k")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "score_variance", Text("variance of the scores", "分数的方差"), Text("", ""), 1e-3, 1e4, "log"
    ),
    samples=Samples(rest=640_000, drag=200_000),
)
