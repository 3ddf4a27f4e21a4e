"""D20: the softmax Jacobian, and how far large scores saturate it.

Vaswani et al. 2017, section 3.2.1: "we suspect that for large values of d_k, the dot products grow large in magnitude,
pushing the softmax function into regions where it has extremely small gradients".
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

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
from engine.deviation import ALARM, bernstein_band
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.softmax import softmax, softmax_jacobian
from engine.proof.step import Expr, Step, defined, equal, exhausted, let, ordered, popular_error
from engine.text import Text, same

# a squared weight too small for a float is 0: the right value, and nothing to warn of
UNDERFLOW_IS_ZERO = np.errstate(under="ignore")


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def pair_slope(cosh_half_gap: Expr) -> Expr:
    """p (1 - p) of two keys whose logits lie D apart: sech²(D/2) / 4."""
    return 1 / (2 * cosh_half_gap) ** 2


def own_slope(p_i: Expr) -> Expr:
    """dp_i/dz_i."""
    return p_i * (1 - p_i)


def cross_slope(p_i: Expr, p_j: Expr) -> Expr:
    """dp_i/dz_j, j other than i."""
    return -p_i * p_j


def jacobian_trace(sum_of_squares: Expr) -> Expr:
    """tr J: the sum of the slopes of each probability by its own logit."""
    return 1 - sum_of_squares


def derive() -> tuple[Step, ...]:
    import sympy as sp

    z_i, z_j = sp.symbols("z_i z_j", real=True)
    rest = sp.Symbol("R", nonnegative=True)
    total = sp.exp(z_i) + sp.exp(z_j) + rest
    p_i, p_j = sp.symbols("p_i p_j", positive=True)
    weight_i, weight_j = (p_i, sp.exp(z_i) / total), (p_j, sp.exp(z_j) / total)

    n, i, j, m = sp.symbols("n i j m", integer=True, positive=True)
    p = sp.IndexedBase("p", positive=True)
    z, S = sp.IndexedBase("z", real=True), sp.Symbol("S", positive=True)
    weight, whole = (p[j], sp.exp(z[j]) / S), (sp.Sum(sp.exp(z[j]), (j, 1, n)), S)
    ones = sp.Sum(p[j], (j, 1, n))
    squares = sp.Sum(p[j] ** 2, (j, 1, n))

    three, v = sp.symbols("p_1:4", positive=True), sp.symbols("v_1:4", real=True)
    column = sp.Matrix(three)
    pairs = [(0, 1), (0, 2), (1, 2)]
    arranged = sp.Matrix(
        3, 3, lambda r, c: own_slope(three[r]) if r == c else cross_slope(three[r], three[c])
    )
    last = (three[2], 1 - three[0] - three[1])
    spread = sum(a * b**2 for a, b in zip(three, v, strict=True)) - (
        sum(a * b for a, b in zip(three, v, strict=True)) ** 2
    )
    between = sum(three[a] * three[b] * (v[a] - v[b]) ** 2 for a, b in pairs)

    D = sp.Symbol("D", positive=True)
    slope = pair_slope(sp.cosh(D / 2))
    first = 1 / (1 + sp.exp(-D))

    t, a, b, w = sp.symbols("t a b w", positive=True)
    plain = w * sp.exp(-t * a) + (1 - w) * sp.exp(-t * b)
    squared = w * a**2 * sp.exp(-t * a) + (1 - w) * b**2 * sp.exp(-t * b)
    outcomes = sp.Sum(
        sp.binomial(n, m)
        * w**m
        * (1 - w) ** (n - m)
        * (m * a**2 + (n - m) * b**2)
        * sp.exp(-t * (m * a + (n - m) * b)),
        (m, 0, n),
    )

    return (
        defined(
            "softmax",
            r"p_i = \frac{e^{z_i}}{\sum_{j=1}^{n} e^{z_j}}, \qquad J_{ij} = \frac{\partial p_i}{\partial z_j}",
            Text(
                "the weight of key $i$ among $n$ keys with logits $z$, and the Jacobian through which every gradient "
                "of the scores passes",
                "$n$ 个 key 的 logit 为 $z$，$p_i$ 是第 $i$ 个 key 的权重；分数的全部梯度都要经过雅可比矩阵 $J$",
            ),
        ),
        let(
            "weight-i",
            *weight_i,
            Text(
                "two keys of any number: $R$ holds the rest of the sum",
                "任意多个 key 中的两个：$R$ 是其余各项之和",
            ),
        ),
        let("weight-j", *weight_j, Text("and the other one", "另一个")),
        equal(
            "own-logit",
            sp.Derivative(p_i, z_i),
            own_slope(p_i),
            Text(
                "quotient rule: a weight's slope by its own logit",
                "商的求导法则：权重对自己的 logit 求导",
            ),
            using=[weight_i],
        ),
        equal(
            "other-logit",
            sp.Derivative(p_i, z_j),
            cross_slope(p_i, p_j),
            Text(
                "and by another key's logit: the keys compete",
                "对另一个 key 的 logit 求导：key 之间此消彼长",
            ),
            using=[weight_i, weight_j],
        ),
        equal(
            "jacobian",
            arranged,
            sp.MatAdd(sp.diag(*three), sp.MatMul(-1, column, column.T), evaluate=False),
            Text(
                "arranged as a matrix: $J = \\operatorname{diag}(p) - p\\, p^T$",
                "排成矩阵：$J = \\operatorname{diag}(p) - p\\, p^T$",
            ),
            bound="n=3",
        ),
        let(
            "weights",
            *weight,
            Text("all $n$ weights, over a common sum $S$", "全部 $n$ 个权重，分母是公共的和 $S$"),
        ),
        let("sum", *whole, Text("the sum", "公共的和")),
        equal(
            "normalised",
            ones,
            sp.Integer(1),
            Text("the weights sum to one", "权重之和为 1"),
            using=[weight, whole],
        ),
        equal(
            "rows-sum-to-zero",
            p[i] - sp.Sum(-cross_slope(p[i], p[j]), (j, 1, n)),
            sp.Integer(0),
            Text(
                "each row of $J$ sums to zero, for any $n$: raising all logits together changes nothing",
                "$J$ 的每一行之和为零，对任意 $n$ 成立：所有 logit 一起加一个常数，结果不变",
            ),
            using=[(ones, sp.Integer(1))],
        ),
        equal(
            "trace",
            sp.Sum(own_slope(p[j]), (j, 1, n)),
            jacobian_trace(squares),
            Text(
                "the trace, a measure of how much gradient passes, for any $n$: near 1 for even weights, 0 for a single one",
                "迹衡量能通过多少梯度，对任意 $n$ 成立：权重均匀时接近 1，集中于一个 key 时为 0",
            ),
            using=[(ones, sp.Integer(1))],
        ),
        let("last", *last, Text("the same for three keys", "三个 key 的情形")),
        equal(
            "variance",
            spread,
            between,
            Text(
                "$v^T J v$ is the variance of $v$ under $p$: a weighted sum of squared differences",
                "$v^T J v$ 就是 $v$ 在分布 $p$ 下的方差：差的平方的加权和",
            ),
            bound="n=3",
            using=[last],
        ),
        ordered(
            "semidefinite",
            between,
            ">=",
            sp.Integer(0),
            Text(
                "so $J$ is positive semidefinite: no squared difference is negative",
                "所以 $J$ 半正定：差的平方不会是负数",
            ),
            bound="n=3",
        ),
        equal(
            "two-keys",
            own_slope(first),
            slope,
            Text(
                "two keys whose logits lie $D$ apart",
                "只有两个 key、logit 相差 $D$ 时",
            ),
        ),
        ordered(
            "below-exponential",
            slope,
            "<",
            sp.exp(-D),
            Text(
                "a wide gap kills the gradient exponentially",
                "差距大时梯度按指数衰减",
            ),
        ),
        equal(
            "tail",
            sp.Limit(slope * sp.exp(D), D, sp.oo),
            sp.Integer(1),
            Text("and no faster: the bound is reached in the limit", "也不会更快：极限处达到该上界"),
        ),
        ordered(
            "never-zero",
            slope,
            ">",
            sp.Integer(0),
            Text("yet it is positive at every finite gap", "但只要差距有限，它就是正的"),
        ),
        popular_error(
            "gradient-becomes-zero",
            slope,
            sp.Integer(0),
            Text(
                "'without the scale the gradients are zero': they are small, and not zero at any gap",
                "“不缩放梯度就变成零”：只是变小，任何差距下都不为零",
            ),
        ),
        equal(
            "area",
            sp.Derivative(sp.tanh(D / 2), D),
            2 * slope,
            Text(
                "the trace of two keys, as a function of their gap, has the area $\\tanh(\\infty) = 1$ under it: only "
                "queries whose two best scores lie within about one of each other pass gradient; spread the scores $c$ "
                "times wider and $1/c$ as many do, so the mean falls as $1/\\sqrt{d_k}$, not exponentially",
                "两个 key 的迹作为差距的函数，曲线下面积为 $\\tanh(\\infty) = 1$：只有最高两个分数相差约 1 以内的 query "
                "才有梯度通过；分数展宽 $c$ 倍，这样的 query 只剩 $1/c$，所以平均梯度按 $1/\\sqrt{d_k}$ 下降，而不是指数下降",
            ),
        ),
        equal(
            "inverse-square",
            sp.Integral(t * sp.exp(-t * S), (t, 0, sp.oo)),
            1 / S**2,
            Text(
                "for the exact mean of $\\sum p_i^2$: the squared denominator $S = \\sum e^{z_j}$ as an integral",
                "为了精确求 $\\sum p_i^2$ 的均值：把分母 $S = \\sum e^{z_j}$ 的平方写成积分",
            ),
        ),
        exhausted(
            "factorises",
            outcomes,
            "=",
            n * squared * plain ** (n - 1),
            Text(
                "under that integral independent logits factorise: $E[\\sum e^{2 z_i} e^{-tS}] = n M_2 M_0^{n-1}$ with "
                "$M_a(t) = E[e^{a z} e^{-t e^z}]$; so the mean trace is $1 - n \\int t M_2 M_0^{n-1} dt$",
                "在积分号下，独立的 logit 可以分解：$E[\\sum e^{2 z_i} e^{-tS}] = n M_2 M_0^{n-1}$，其中 "
                "$M_a(t) = E[e^{a z} e^{-t e^z}]$；于是平均迹等于 $1 - n \\int t M_2 M_0^{n-1} dt$",
            ),
            over=tuple({n: sp.Integer(size)} for size in (1, 2, 3)),
            bound=r"n=1…3, e^z ∈ {a, b}",
        ),
    )


class Kernels(NamedTuple):
    """t^a M_a(t) for a = 0, 2 and 4 on one even grid of tau = -log t, with its ``step``."""

    step: float
    M0: Array
    M2: Array
    M4: Array


@lru_cache(maxsize=64)
@UNDERFLOW_IS_ZERO
def kernels_of(spread: float) -> Kernels:
    """Of logits N(0, spread²): with t = e^{-tau}, the logits' density convolved with the kernel e^{a x - e^x}.

    They know nothing of n: all numbers of keys share them.
    """
    h = min(0.25, spread / 4)
    z = np.arange(-math.ceil(9 * spread / h), math.ceil(9 * spread / h) + 1) * h
    density = np.exp(-((z / spread) ** 2) / 2)
    density /= density.sum()
    x = np.arange(-40.0, 4.0, h)
    kernels = {a: np.exp(a * x - np.exp(x))[::-1] for a in (0, 2, 4)}
    M0, M2, M4 = (np.convolve(density, kernels[a]) for a in (0, 2, 4))
    # left of the kernel's reach e^{-e^x} is 1
    beyond = np.concatenate((np.zeros(len(x)), density.cumsum()[:-1]))
    return Kernels(h, M0 + beyond[: len(M0)], M2, M4)


@UNDERFLOW_IS_ZERO
def trace_moments(n: int, spread: float) -> tuple[float, float]:
    """Mean of tr J and of its square, for n independent logits N(0, spread²).

    By the last two steps of the derivation, and their like for the fourth power. Sums over an even grid converge
    exponentially here.
    """
    h, M0, M2, M4 = kernels_of(spread)
    all_but_two = M0 ** (n - 2)
    others = all_but_two * M0
    # E sum p² = n ∫ t² M2 M0^{n-1} dtau
    squares = h * float((n * M2 * others).sum())
    # E (sum p²)² = ∫ t⁴ (n M4 M0^{n-1} + n (n - 1) M2² M0^{n-2}) dtau / 6
    fourth = h / 6 * float((n * M4 * others + n * (n - 1) * M2**2 * all_but_two).sum())
    return jacobian_trace(squares), 1 - 2 * squares + fourth


SPREADS = (0.1, 56.0)
"""Standard deviations of the logits that the parameters can reach."""


@lru_cache(maxsize=64)
def trace_series(n: int) -> Array:
    """:func:`trace_moments` as two Chebyshev series in log spread over SPREADS, good to 1e-7: (terms, 2)."""
    degree = 48
    nodes = chebyshev.chebpts1(degree + 1)
    low, high = (math.log(edge) for edge in SPREADS)
    values = [trace_moments(n, math.exp((low + high + (high - low) * node) / 2)) for node in nodes]
    series: Array = chebyshev.chebfit(nodes, np.array(values), degree)
    return series


@lru_cache(maxsize=64)
def query_lengths(d_k: int, points: int = 32) -> tuple[Array, Array]:
    """Nodes |q| and weights of the law of a standard normal query's length: |q|² / 2 ~ Gamma(d_k / 2).

    Generalised Gauss-Laguerre rule by the eigenvalues of its Jacobi matrix (Golub, Welsch 1969).
    """
    shape = d_k / 2 - 1
    k = np.arange(points)
    off = np.sqrt(k[1:] * (k[1:] + shape))
    values, vectors = np.linalg.eigh(np.diag(2 * k + 1 + shape) + np.diag(off, 1) + np.diag(off, -1))
    return np.sqrt(2 * values), vectors[0] ** 2


def mean_traces(n: int, widths: ArrayLike, scale: str) -> tuple[Array, Array]:
    """Mean and variance of tr J at each width, over independent standard normal components of queries and keys."""
    rules = [query_lengths(int(width)) for width in np.atleast_1d(widths)]
    lengths, weights = (np.array(part) for part in zip(*rules, strict=True))  # (widths, points)
    divisor = np.sqrt(np.atleast_1d(widths))[:, None] if scale == "sqrt" else 1.0
    low, high = (math.log(edge) for edge in SPREADS)
    at = np.log(lengths / divisor)
    first, second = (chebyshev.chebval((2 * at - low - high) / (high - low), trace_series(n)) * weights).sum(
        axis=-1
    )
    return first, second - first**2


def predict(p: Params) -> Results:
    (unscaled,), (unscaled_variance,) = mean_traces(p.n, p.d_k, "none")
    (scaled,), (scaled_variance,) = mean_traces(p.n, p.d_k, "sqrt")
    return {
        "trace_unscaled": unscaled,
        "trace_scaled": scaled,
        "trace": scaled if p.scale == "sqrt" else unscaled,
        "trace_ratio": scaled / unscaled,
        "trace_unscaled_variance": unscaled_variance,
        "trace_scaled_variance": scaled_variance,
        "pair_slope": float(pair_slope(math.cosh(p.gap / 2))),
    }


QUADRATURE = 1e-5
"""Error of the rules behind :func:`mean_traces`, at most: 5e-6 at n = 2, d_k = 1, below 1e-7 from d_k = 8 on."""

H = 1e-5
"""Step of the central differences."""


def difference_jacobian(z: Array) -> Array:
    """dp_i/dz_j of the softmax layer by central differences, (n, n); the step is the one that rounding left."""
    steps = H * np.eye(len(z))
    up, down = z + steps, z - steps  # row j moves z_j
    slopes: Array = (softmax(up) - softmax(down)) / (np.diagonal(up) - np.diagonal(down))[:, None]
    return slopes.T


def difference_pair_slopes(gaps: Array) -> Array:
    """-dp_2/dD of two keys with logits D and 0, by central differences of the smaller weight, for each gap D."""
    up, down = gaps + H, gaps - H
    smaller = [softmax(np.stack((moved, np.zeros_like(moved)), axis=-1))[:, 1] for moved in (down, up)]
    slopes: Array = (smaller[0] - smaller[1]) / (up - down)
    return slopes


def logits_of(lengths: Array, projections: Array, d_k: ArrayLike, scale: str) -> Array:
    """Scores of each query: its length times the keys' projections on its direction, (rows, n)."""
    scores: Array = lengths[:, None] * projections
    return scores / np.sqrt(d_k) if scale == "sqrt" else scores


@UNDERFLOW_IS_ZERO
def measure(p: Params, rng: np.random.Generator) -> Results:
    rows = max(p.samples // 250, p.samples // (p.d_k + p.n))
    queries = rng.standard_normal((rows, p.d_k))
    # turned so that q lies on the first axis, standard normal keys keep their law, and one coordinate of each meets q
    projections = rng.standard_normal((rows, p.n))
    # |q| at widths 1, 2, 4, … from one and the same query
    widths = np.array([width for width in 2 ** np.arange(11) if width < p.d_k] + [p.d_k])
    starts = np.concatenate(([0], widths[:-1]))
    lengths = np.sqrt(
        np.add.reduceat(queries * queries, starts, axis=1).cumsum(axis=1)
    )  # (rows, len(widths))

    found: Results = {"rows": rows, "widths": widths}
    for name, scale in (("unscaled", "none"), ("scaled", "sqrt")):
        weights = softmax(logits_of(lengths[:, -1], projections, p.d_k, scale))  # (rows, n)
        found[f"trace_{name}"] = float(1 - np.einsum("rn,rn->r", weights, weights).mean())
        found[f"largest_weight_{name}"] = float(weights.max(axis=1).mean())
        log_weights = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
        found[f"entropy_{name}"] = float(-np.einsum("rn,rn->r", weights, log_weights).mean())  # nats
        few = slice(0, max(1, min(rows, p.samples // (8 * p.n * len(widths)))))
        by_width = [
            softmax(logits_of(lengths[few, c], projections[few], width, scale))
            for c, width in enumerate(widths)
        ]
        found[f"traces_{name}"] = np.array([1 - (at**2).sum(axis=1).mean() for at in by_width])
        found[f"largest_weights_{name}"] = np.array([at.max(axis=1).mean() for at in by_width])
    found["trace"] = found["trace_scaled"] if p.scale == "sqrt" else found["trace_unscaled"]
    found["trace_ratio"] = (
        found["trace_scaled"] / found["trace_unscaled"] if found["trace_unscaled"] else math.inf
    )

    z = logits_of(lengths[:1, -1], projections[:1], p.d_k, p.scale)[0]  # (n,)
    found["logits"] = z
    found["jacobian"] = difference_jacobian(z)  # (n, n)
    found["direction"] = rng.standard_normal(p.n)
    found["gaps"] = np.linspace(0.0, 20.0, 21)
    found["pair_slopes"] = difference_pair_slopes(found["gaps"])
    found["pair_slope"] = float(difference_pair_slopes(np.array([p.gap]))[0])
    return found


def difference_error(z: Array) -> float:
    """Bound on an entry of :func:`difference_jacobian`.

    By one logit each weight is logistic, |p'''| <= 1/8, so the truncation is at most H²/48; a weight is computed to
    (range + n + 8) units of rounding, which the difference divides by 2H, twice.
    """
    rounding = np.finfo(float).eps * (np.ptp(z) + len(z) + 8)
    return float(H**2 / 48 + rounding / H)


@UNDERFLOW_IS_ZERO
def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    z, slopes, v = results["logits"], results["jacobian"], results["direction"]
    weights = softmax(z)
    error = difference_error(z)
    differences = Text(
        "central differences: a third derivative of at most 1/8, and rounding",
        "中心差分：三阶导数不超过 1/8，加上舍入误差",
    )
    bernstein = Text(
        "Bernstein's inequality with the exact variance of the trace",
        "伯恩斯坦不等式，用迹的精确方差",
    )
    # the smaller weight f has f/|f'| <= 2 and |f'''| <= |f'|
    pair_error = H**2 / 6 + 4 * np.finfo(float).eps * (p.gap + 8) / H

    def mean_check(name: str, key: str, claim: Text) -> Check:
        return Check(
            name,
            claim,
            predicted=predicted[key],
            measured=results[key],
            tolerance=bernstein_band(1.0, max(predicted[f"{key}_variance"], 0.0), results["rows"])
            + QUADRATURE,
            law=bernstein,
            false_alarm=ALARM,
        )

    return (
        Check(
            "jacobian-entries",
            Text(
                "every slope of the layer is that of $\\operatorname{diag}(p) - p\\, p^T$",
                "层的每个导数都等于 $\\operatorname{diag}(p) - p\\, p^T$ 的对应元素",
            ),
            predicted=0.0,
            measured=float(np.abs(slopes - softmax_jacobian(weights)).max()),
            tolerance=error,
            law=differences,
        ),
        Check(
            "row-sums",
            Text("the rows of the measured Jacobian sum to zero", "实测雅可比矩阵的每行之和为零"),
            predicted=0.0,
            measured=float(np.abs(slopes.sum(axis=1)).max()),
            tolerance=p.n * error,
            law=differences,
        ),
        Check(
            "quadratic-form",
            Text("$v^T J v$ is the variance of $v$ under $p$", "$v^T J v$ 等于 $v$ 在 $p$ 下的方差"),
            predicted=float(weights @ (v - weights @ v) ** 2),
            measured=float(v @ slopes @ v),
            tolerance=float(np.abs(v).sum() ** 2 * error),
            law=differences,
        ),
        Check(
            "pair-slope",
            Text("slope of two keys at gap $D$", "两个 key 差距为 $D$ 时的导数"),
            predicted=predicted["pair_slope"],
            measured=results["pair_slope"],
            tolerance=predicted["pair_slope"] * pair_error,
            law=Text(
                "central differences: $|f'''| \\leq |f'|$, and rounding",
                "中心差分：$|f'''| \\leq |f'|$，加上舍入误差",
            ),
        ),
        mean_check(
            "mean-trace-unscaled",
            "trace_unscaled",
            Text("mean trace without the scale", "不缩放时的平均迹"),
        ),
        mean_check(
            "mean-trace-scaled",
            "trace_scaled",
            Text("mean trace with scores divided by √dₖ", "分数除以 √dₖ 时的平均迹"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    widths = 2 ** np.arange(11)
    curves = {scale: mean_traces(p.n, widths, scale)[0] for scale in ("none", "sqrt")}
    measured_at = results["widths"].astype(float)
    gaps: Array = np.linspace(0.0, 20.0, 81)
    return (
        Plot(
            Text("Trace of the softmax Jacobian against dₖ", "softmax 雅可比矩阵的迹随 dₖ 的变化"),
            Text(
                "divided by √dₖ the trace stays near 1; without it, it falls by half for each fourfold dₖ and never to zero",
                "除以 √dₖ 时迹保持在 1 附近；不缩放时 dₖ 每增至 4 倍，迹约减半，但不会到零",
            ),
            Axis(same("dₖ"), "log"),
            Axis(Text("mean trace", "平均迹"), low=0.0, high=1.0),
            (
                Line(
                    Text("scaled, exact", "缩放，精确值"), widths.astype(float), curves["sqrt"], "predicted"
                ),
                Line(
                    Text("unscaled, exact", "不缩放，精确值"), widths.astype(float), curves["none"], "popular"
                ),
                Points(
                    Text("scaled, measured", "缩放，实测"), measured_at, results["traces_scaled"], "measured"
                ),
                Points(
                    Text("unscaled, measured", "不缩放，实测"),
                    measured_at,
                    results["traces_unscaled"],
                    "other",
                ),
                Rule(Text("dₖ now", "当前 dₖ"), float(p.d_k), "x", "context"),
            ),
        ),
        Plot(
            Text("Largest weight of a query against dₖ", "最大注意力权重随 dₖ 的变化"),
            Text(
                "unscaled, one key takes nearly everything as dₖ grows; divided by √dₖ the largest weight does not depend on it",
                "不缩放时，dₖ 越大，越接近一个 key 独占全部权重；除以 √dₖ 后，最大权重与 dₖ 无关",
            ),
            Axis(same("dₖ"), "log"),
            Axis(Text("largest weight", "最大权重"), low=0.0, high=1.0),
            (
                Points(Text("scaled", "缩放"), measured_at, results["largest_weights_scaled"], "measured"),
                Points(Text("unscaled", "不缩放"), measured_at, results["largest_weights_unscaled"], "other"),
                Rule(Text("even weights", "均匀权重"), 1 / p.n, "y", "bound"),
            ),
        ),
        Plot(
            Text("Slope of two keys against the gap of their logits", "两个 key 的导数随 logit 差距的变化"),
            Text(
                "on a log axis the slope runs along e⁻ᴰ: exponentially small, and still a straight line, not zero",
                "对数轴上导数贴着 e⁻ᴰ 走：指数级地小，但始终是一条直线，不是零",
            ),
            Axis(Text("gap D", "差距 D")),
            Axis(same("p (1 - p)"), "log"),
            (
                Line(
                    same("sech²(D/2) / 4"),
                    gaps,
                    np.asarray(pair_slope(np.cosh(gaps / 2)), dtype=float),
                    "predicted",
                ),
                Points(Text("measured", "实测"), results["gaps"], results["pair_slopes"], "measured"),
                Line(same("e⁻ᴰ"), gaps, np.exp(-gaps), "bound"),
                Rule(Text("D now", "当前 D"), float(p.gap), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D20",
    name="softmax-saturation",
    title=Text("Softmax Jacobian and saturation", "softmax 的雅可比矩阵与饱和"),
    shows=Text(
        r"unscaled scores make the softmax gradient smaller by a factor that grows like $\sqrt{d_k}$: about 3 at "
        "$d_k = 64$, 13 at 1024",
        r"不缩放会让 softmax 的梯度变小，倍数按 $\sqrt{d_k}$ 增长：$d_k = 64$ 时约 3 倍，1024 时约 13 倍",
    ),
    kills=Text("“without the scale the gradients become zero”", "“不缩放，梯度就变成零”"),
    parameters=(
        Parameter("n", "n", Text("number of keys", "key 的个数"), 64, 2, 256, 1.0, "int", "log"),
        Parameter("d_k", "d_k", Text("width of one head", "单个头的维度"), 64, 1, 1024, 1.0, "int", "log"),
        Parameter(
            "scale",
            r"\text{scale}",
            Text("what the scores are divided by", "分数除以什么"),
            "none",
            kind="choice",
            choices=(Choice("none", Text("nothing", "不除")), Choice("sqrt", same("√dₖ"))),
        ),
        Parameter(
            "gap",
            "D",
            Text("gap between the logits of two keys", "两个 key 的 logit 之差"),
            4.0,
            0.0,
            20.0,
            0.5,
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "trace_ratio",
        Text(
            "how many times smaller the softmax gradient is without the scale",
            "不缩放时 softmax 梯度小多少倍",
        ),
        Text("times", "倍"),
        1.0,
        1e6,
        "log",
    ),
    samples=Samples(rest=200_000, drag=80_000),
)
