"""D19: the variance of q·k, and why scores are divided by √d_k.

Vaswani et al. 2017, section 3.2.1, footnote 4: if the components of q and k are independent with
mean 0 and variance 1, q·k has mean 0 and variance d_k.
"""

from __future__ import annotations

import math

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
from engine.deviation import HIGHEST_ORDER, moment_band, variance_band
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error
from engine.text import Text, same


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def product_mean(mu_q: Expr, mu_k: Expr, sigma: Expr, rho: Expr) -> Expr:
    """E[q_i k_i] for components of common variance sigma² and correlation rho."""
    return mu_q * mu_k + rho * sigma**2


def product_variance(mu_q: Expr, mu_k: Expr, sigma: Expr, rho: Expr) -> Expr:
    """Var(q_i k_i); with rho other than 0 for jointly normal q_i, k_i, else for any law."""
    return sigma**4 * (1 + rho**2) + sigma**2 * (mu_q**2 + mu_k**2 + 2 * rho * mu_q * mu_k)


def score_mean(d_k: Expr, mu_q: Expr, mu_k: Expr, sigma: Expr, rho: Expr) -> Expr:
    """E[q·k]: the means of d_k terms add."""
    return d_k * product_mean(mu_q, mu_k, sigma, rho)


def score_variance(d_k: Expr, mu_q: Expr, mu_k: Expr, sigma: Expr, rho: Expr) -> Expr:
    """Var(q·k): the variances of d_k independent terms add."""
    return d_k * product_variance(mu_q, mu_k, sigma, rho)


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    sigma, V = sp.symbols("sigma V", positive=True)
    mu_q, mu_k = sp.symbols("mu_q mu_k", real=True)
    rho = sp.Symbol("rho", real=True)
    d_k = sp.Symbol("d_k", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    root = sp.sqrt(d_k)

    # no distribution is assumed: two moments of each component, and independence
    q_i, k_i, small_q, s = sp.symbols(r"q_i k_i \tilde{q}_i s", real=True)
    centred = {q_i: (0, sigma**2), k_i: (0, sigma**2)}
    u, v = sp.symbols("u_i v_i", real=True)
    unit = {u: (0, 1), v: (0, 1)}
    q, k = sp.symbols("q_1:5", real=True), sp.symbols("k_1:5", real=True)
    four = dict.fromkeys((*q, *k), (0, sigma**2))
    dot = sum(a * b for a, b in zip(q, k, strict=True))

    # a jointly normal pair from independent standard normals: moments 0, 1, 0, 3
    normal = {u: (0, 1, 0, 3), v: (0, 1, 0, 3)}
    correlated = sigma**2 * u * (rho * u + sp.sqrt(1 - rho**2) * v)
    pair = (mu_q + sigma * u) * (mu_k + sigma * (rho * u + sp.sqrt(1 - rho**2) * v))
    half = sp.Rational(1, 2)

    def over_components(term: Expr) -> Expr:
        return sp.Sum(term, (i, 1, d_k))

    return (
        defined(
            "score",
            r"s = q \cdot k = \sum_{i=1}^{d_k} q_i k_i, \qquad \operatorname{Var}(q_i) = \operatorname{Var}(k_i) = \sigma^2",
            Text(
                "the raw score of one query with one key; components are independent and of mean zero until said "
                "otherwise; $u_i, v_i$ are components in units of $\\sigma$: mean zero, variance one",
                "一个 query 与一个 key 的原始分数；各分量相互独立，若无特别说明均值为零；"
                "$u_i, v_i$ 是以 $\\sigma$ 为单位的分量：均值为零、方差为一",
            ),
        ),
        equal(
            "one-term",
            Variance(q_i * k_i, centred),
            product_variance(0, 0, sigma, 0),
            Text(
                "a product of independent centred factors: the variances multiply, whatever the distribution",
                "两个独立的零均值因子相乘：方差相乘，与具体分布无关",
            ),
        ),
        equal(
            "four-terms",
            Variance(dot, four),
            score_variance(4, 0, 0, sigma, 0),
            Text(
                "multiply out the square of the sum; every mixed term holds a factor of mean zero and vanishes",
                "把和的平方展开；每个交叉项都含均值为零的因子，期望为零",
            ),
            bound="d_k=4",
        ),
        equal(
            "one-more",
            Variance(s + q_i * k_i, {s: (0, V), **centred}),
            V + product_variance(0, 0, sigma, 0),
            Text(
                "induction: one more component adds $\\sigma^4$ to the variance $V$ of the sum $s$ so far",
                "归纳：已有部分和 $s$ 的方差为 $V$，每多一个分量，方差就加 $\\sigma^4$",
            ),
        ),
        equal(
            "sum",
            over_components(Variance(q_i * k_i, centred)),
            score_variance(d_k, 0, 0, sigma, 0),
            Text(
                "so the variances of the $d_k$ terms add; with $\\sigma = 1$ the sum is $d_k$",
                "因此 $d_k$ 项的方差相加；$\\sigma = 1$ 时正好等于 $d_k$",
            ),
        ),
        equal(
            "scaled",
            over_components(Variance(q_i * k_i / root, centred)),
            sigma**4,
            Text(
                r"dividing by $\sqrt{d_k}$: each term's variance shrinks by $d_k$, and the width no longer grows",
                r"除以 $\sqrt{d_k}$：每一项的方差变为原来的 $d_k$ 分之一，分数的宽度不再随维度增长",
            ),
        ),
        equal(
            "folded-into-weights",
            over_components(Variance(small_q * k_i, {small_q: (0, sigma**2 / d_k), k_i: centred[k_i]})),
            sigma**4,
            Text(
                r"the same width without any division: initialise $W_Q$ smaller, so that each $\tilde{q}_i$ has "
                r"variance $\sigma^2 / d_k$ (T5 does this)",
                r"不除也能得到同样的宽度：把 $W_Q$ 的初值缩小，使 $\tilde{q}_i$ 的方差为 $\sigma^2 / d_k$（T5 的做法）",
            ),
        ),
        popular_error(
            "divide-by-d",
            over_components(Variance(u * v / d_k, unit)),
            sp.Integer(1),
            Text(
                "'the variance is $d_k$, so divide by $d_k$': dividing a score by $c$ divides its variance by $c^2$, "
                "which leaves $1/d_k$",
                "“方差是 $d_k$，所以除以 $d_k$”：分数除以 $c$，方差除以 $c^2$，结果只剩 $1/d_k$",
            ),
        ),
        equal(
            "means",
            Variance((mu_q + sigma * u) * (mu_k + sigma * v), unit),
            product_variance(mu_q, mu_k, sigma, 0),
            Text(
                r"with means $\mu_q, \mu_k$ two more terms appear, for any distribution",
                r"均值 $\mu_q, \mu_k$ 不为零时多出两项，对任意分布成立",
            ),
        ),
        popular_error(
            "unit-variance-suffices",
            Variance((mu_q + u) * (mu_k + v), unit),
            sp.Integer(1),
            Text(
                "'unit variance alone gives a variance of one per component': false, the means must be zero as well",
                "“只要方差为 1，每个分量就贡献 1”：不对，还需要均值为零",
            ),
        ),
        equal(
            "general",
            Variance(pair, normal),
            product_variance(mu_q, mu_k, sigma, rho),
            Text(
                r"with correlation $\rho$ between $q_i$ and $k_i$ as well (normal components, from independent "
                "standard normal $u_i, v_i$)",
                r"再加上 $q_i$ 与 $k_i$ 的相关系数 $\rho$（正态分量，由独立标准正态的 $u_i, v_i$ 构造）",
            ),
        ),
        equal(
            "correlated-mean",
            Expectation(pair, normal),
            product_mean(mu_q, mu_k, sigma, rho),
            Text(
                "correlation also moves the mean of each term away from zero",
                "相关还会使每一项的均值不再为零",
            ),
        ),
        equal(
            "aligned",
            over_components(Expectation(correlated / root, normal)),
            rho * sigma**2 * root,
            Text(
                r"so for aligned $q$ and $k$ the scaled score still grows, as $\sqrt{d_k}$: the argument is about "
                "initialisation",
                r"所以当 $q$ 与 $k$ 相关时，缩放后的分数仍按 $\sqrt{d_k}$ 增长：这个论证只管初始化时刻",
            ),
        ),
        equal(
            "aligned-over-d",
            over_components(Expectation(correlated / d_k, normal)),
            rho * sigma**2,
            Text(
                "for aligned $q$ and $k$ it is the division by $d_k$ that keeps the score fixed ($\\mu$P scales so)",
                "$q$ 与 $k$ 相关时，除以 $d_k$ 才能让分数不变（$\\mu$P 就这样缩放）",
            ),
        ),
        popular_error(
            "holds-after-training",
            Expectation(correlated.subs(rho, half), normal),
            sp.Integer(0),
            Text(
                r"'the mean stays zero after training': training aligns $q$ with $k$; already $\rho = 1/2$ moves it",
                r"“训练后均值仍为零”：训练会让 $q$ 与 $k$ 对齐；$\rho = 1/2$ 就已偏离零",
            ),
        ),
        equal(
            "heavy-tail",
            Expectation((u * v) ** 4, normal),
            sp.Integer(9),
            Text(
                "one product of two standard normals has kurtosis 9, not 3: at small $d_k$ the scores have heavy tails",
                "两个标准正态之积的峰度是 9 而不是 3：$d_k$ 小时分数是重尾的",
            ),
        ),
        cited(
            "other-scales",
            r"\text{T5}: q \cdot k, \qquad \mu\text{P}: q \cdot k / d_k",
            Text(
                "the scale is a convention that initialisation can absorb: unscaled attention does train",
                "缩放只是一种约定，可以并入初始化：不缩放的注意力照样能训练",
            ),
            "Raffel et al. 2020 (T5 code); Yang et al. 2021, Tensor Programs V, definition 4.1",
        ),
    )


DIVISORS = {"none": 0.0, "sqrt": 0.5, "linear": 1.0}
"""The power of d_k that the score is divided by."""


def predict(p: Params) -> Results:
    law = (p.mu_q, p.mu_k, p.sigma, p.rho)
    divisor = p.d_k ** DIVISORS[p.scale]
    raw = score_variance(p.d_k, *law)
    return {
        "raw_variance": raw,
        "score_variance": raw / divisor**2,
        "score_mean": score_mean(p.d_k, *law) / divisor,
    }


def draw_products(p: Params, rng: np.random.Generator, pairs: int) -> Array:
    """q_i k_i of ``pairs`` pairs of vectors, shape (pairs, d_k)."""
    u = rng.standard_normal((pairs, p.d_k))
    k = rng.standard_normal((pairs, p.d_k))
    # k = mu_k + sigma (rho u + sqrt(1 - rho²) v), in place: the drawing is what a slider waits for
    k *= p.sigma * math.sqrt(1 - p.rho**2)
    u *= p.sigma
    k += p.rho * u
    k += p.mu_k
    # q = mu_q + sigma u
    u += p.mu_q
    return np.multiply(u, k, out=u)  # (pairs, d_k)


def running_scores(p: Params, rng: np.random.Generator, pairs: int, widths: NDArray[np.int64]) -> Array:
    """Raw scores (pairs, len(widths)) of the first w components, w in ``widths``: running sums of the same products."""
    starts = np.concatenate(([0], widths[:-1]))
    rows = max(1, BLOCK // p.d_k)
    blocks = [
        np.add.reduceat(draw_products(p, rng, min(rows, pairs - first)), starts, axis=1)
        for first in range(0, pairs, rows)
    ]
    return np.concatenate(blocks).cumsum(axis=1)


def scale_scores(scores: Array, d_k: NDArray[np.int64], scale: str) -> Array:
    """The scores as the attention layer would use them."""
    if scale == "sqrt":
        return scores / np.sqrt(d_k)
    return scores / d_k if scale == "linear" else scores


BLOCK = 32_768
"""Components drawn at a time: few enough to stay in the processor's cache."""

BINS, WIDTHS = 41, 5
"""The histogram: so many bins over so many standard deviations to either side."""


def measure(p: Params, rng: np.random.Generator) -> Results:
    pairs = max(p.samples // 400, p.samples // p.d_k)
    widths = np.array([width for width in 2 ** np.arange(11) if width < p.d_k] + [p.d_k])
    running = running_scores(p, rng, pairs, widths)
    scores = scale_scores(running, widths, p.scale)
    final = scores[:, -1]
    mean, variance = float(final.mean()), float(final.var(ddof=1))
    reach = WIDTHS * math.sqrt(variance)
    counts, edges = np.histogram(final, bins=BINS, range=(mean - reach, mean + reach))
    return {
        "pairs": pairs,
        "score_mean": mean,
        "score_variance": variance,
        "raw_variance": float(running[:, -1].var(ddof=1)),
        "widths": widths,
        "variances": scores.var(axis=0, ddof=1),
        "centres": (edges[1:] + edges[:-1]) / 2,
        "density": counts / (pairs * (edges[1] - edges[0])),
    }


def score_cumulants(p: Params) -> list[float]:
    """Cumulants of one raw score, orders 1 to 2 HIGHEST_ORDER: a quadratic form in 2 d_k standard normals.

    For x ~ N(0, I): kappa_r(x'Ax + b'x) = 2^{r-1} (r-1)! tr A^r + 2^{r-3} r! b'A^{r-2}b (Mathai, Provost 1992, section 3.2b).
    """
    across = math.sqrt(1 - p.rho**2)
    # q_i k_i = const + b'x + x'Ax with x = (u, v)
    A = p.sigma**2 * np.array([[p.rho, across / 2], [across / 2, 0.0]])
    b = p.sigma * np.array([p.mu_k + p.mu_q * p.rho, p.mu_q * across])
    cumulants, power = [0.0], np.eye(2)  # A^{r-2}
    for r in range(2, 2 * HIGHEST_ORDER + 1):
        linear = 2.0 ** (r - 3) * math.factorial(r) * (b @ power @ b)
        quadratic = 2.0 ** (r - 1) * math.factorial(r - 1) * np.trace(power @ A @ A)
        cumulants.append(float(p.d_k * (linear + quadratic)))
        power = power @ A
    return cumulants


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    cumulants, pairs = score_cumulants(p), results["pairs"]
    divisor = p.d_k ** DIVISORS[p.scale]
    return (
        Check(
            "score-variance",
            Text("the variance of the scores is the predicted one", "分数的方差等于预测值"),
            predicted=predicted["score_variance"],
            measured=results["score_variance"],
            tolerance=variance_band(cumulants, pairs) / divisor**2,
            law=Text(
                "Markov's inequality on the exact moments of a sample variance: valid for heavy tails and any sample size",
                "对样本方差的精确高阶矩用马尔可夫不等式：重尾、任意样本量都成立",
            ),
            false_alarm=2e-7,
        ),
        Check(
            "score-mean",
            Text("the mean of the scores is the predicted one", "分数的均值等于预测值"),
            predicted=predicted["score_mean"],
            measured=results["score_mean"],
            tolerance=moment_band(cumulants, pairs) / divisor,
            law=Text(
                "Markov's inequality on the exact moments of a sample mean",
                "对样本均值的精确高阶矩用马尔可夫不等式",
            ),
            false_alarm=1e-7,
        ),
    )


SCALE_LABELS = {"none": Text("no scale", "不缩放"), "sqrt": same("÷ √dₖ"), "linear": same("÷ dₖ")}


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    centre, width = predicted["score_mean"], math.sqrt(predicted["score_variance"])
    across = centre + width * np.linspace(-WIDTHS, WIDTHS, 161)
    normal = np.exp(-(((across - centre) / width) ** 2) / 2) / (width * math.sqrt(2 * math.pi))
    widths: Array = np.logspace(0, 10, 11, base=2)
    raw = score_variance(widths, p.mu_q, p.mu_k, p.sigma, p.rho)
    return (
        Plot(
            Text("Distribution of the scores", "分数的分布"),
            Text(
                "the measured scores spread as wide as the normal curve of the predicted mean and variance; at small dₖ "
                "their peak is sharper and their tails heavier",
                "实测分数与具有预测均值、方差的正态曲线同宽；dₖ 很小时峰更尖、尾更重",
            ),
            Axis(Text("score", "分数")),
            Axis(Text("density", "密度"), low=0.0),
            (
                Points(Text("measured", "实测"), results["centres"], results["density"], "measured"),
                Line(Text("normal curve", "正态曲线"), across, normal, "predicted"),
                Rule(Text("predicted mean", "预测均值"), centre, "x", "context"),
            ),
        ),
        Plot(
            Text("Variance of the scores against dₖ", "分数方差随 dₖ 的变化"),
            Text(
                "unscaled the variance rises in proportion to dₖ, divided by √dₖ it stays level, divided by dₖ it falls",
                "不缩放时方差与 dₖ 成正比，除以 √dₖ 后保持水平，除以 dₖ 则下降",
            ),
            Axis(same("dₖ"), "log"),
            Axis(Text("variance", "方差"), "log"),
            (
                *(
                    Line(
                        SCALE_LABELS[scale],
                        widths,
                        np.asarray(raw / widths ** (2 * power)),
                        "predicted" if scale == p.scale else "popular" if scale == "linear" else "context",
                    )
                    for scale, power in DIVISORS.items()
                ),
                Points(
                    Text("measured", "实测"),
                    results["widths"].astype(float),
                    results["variances"],
                    "measured",
                ),
                Rule(Text("dₖ now", "当前 dₖ"), float(p.d_k), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D19",
    name="dot-product-variance",
    title=Text("Variance of q·k and the √dₖ scale", "q·k 的方差与 √dₖ 缩放"),
    shows=Text(
        r"the variance of $q \cdot k$ grows like $d_k$; dividing by $\sqrt{d_k}$ keeps it at one",
        r"$q \cdot k$ 的方差随 $d_k$ 增长；除以 $\sqrt{d_k}$ 使它保持为 1",
    ),
    kills=Text(
        "“unit variance alone gives $d_k$”, “divide by $d_k$”, “the argument still holds after training”",
        "“只要方差为 1 就得到 $d_k$”“应该除以 $d_k$”“训练之后论证仍然成立”",
    ),
    parameters=(
        Parameter("d_k", "d_k", Text("width of one head", "单个头的维度"), 64, 1, 1024, 1.0, "int", "log"),
        Parameter(
            "mu_q", r"\mu_q", Text("mean of the query components", "query 分量的均值"), 0.0, -2.0, 2.0, 0.1
        ),
        Parameter(
            "mu_k", r"\mu_k", Text("mean of the key components", "key 分量的均值"), 0.0, -2.0, 2.0, 0.1
        ),
        Parameter(
            "sigma",
            r"\sigma",
            Text("standard deviation of the components", "分量的标准差"),
            1.0,
            0.1,
            3.0,
            0.1,
        ),
        Parameter(
            "rho", r"\rho", Text("correlation of qᵢ and kᵢ", "qᵢ 与 kᵢ 的相关系数"), 0.0, -1.0, 1.0, 0.1
        ),
        Parameter(
            "scale",
            r"\text{scale}",
            Text("what the score is divided by", "分数除以什么"),
            "sqrt",
            kind="choice",
            choices=(
                Choice("none", Text("nothing", "不除")),
                Choice("sqrt", same("√dₖ")),
                Choice("linear", same("dₖ")),
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
    samples=Samples(rest=240_000, drag=80_000),
)
