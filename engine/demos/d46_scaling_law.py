"""D46: how a fixed budget of compute is best split between model size and data.

Hoffmann et al. 2022, section 3.3 and appendix D.3: L(N, D) = E + A N^-alpha + B D^-beta, with C = 6 N D.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.proof.step import Expr, Step, cited, defined, equal, exhausted, ordered, popular_error
from engine.text import Text
from engine.tolerance import FALSE_ALARM

E_LOSS, A_SIZE, B_DATA = 1.69, 406.4, 410.7
"""Hoffmann et al. 2022, equation 10: the loss that remains, and the scales of the two reducible parts."""
BUDGETS = np.logspace(17, 26, 10)
POINTS = 40
"""Noisy models from which the exponent is read back."""


# The formulas, in logarithms: the proof checks them with SymPy symbols, the prediction evaluates them.
def log_best_size(log_ratio: Expr, log_tokens: Expr, alpha: Expr, beta: Expr) -> Expr:
    """ln N of the optimum; ``log_ratio`` is ln(alpha A / (beta B)), ``log_tokens`` is ln(C / 6)."""
    return (log_ratio + beta * log_tokens) / (alpha + beta)


def size_exponent(alpha: Expr, beta: Expr) -> Expr:
    """The best N grows like C to this power."""
    return beta / (alpha + beta)


def loss(log_size: Expr, log_tokens: Expr, A: Expr, B: Expr, alpha: Expr, beta: Expr, m: Any = np) -> Expr:
    """The reducible loss at ln N, when D = C / (6 N)."""
    return A * m.exp(-alpha * log_size) + B * m.exp(-beta * (log_tokens - log_size))


def derive() -> tuple[Step, ...]:
    import sympy as sp

    A, B, alpha, beta = sp.symbols("A B alpha beta", positive=True)
    t, c, ratio = sp.symbols("t c r", real=True)
    best = log_best_size(ratio, c, alpha, beta)
    curve = loss(t, c, A, B, alpha, beta, sp)
    return (
        defined(
            "law",
            r"L = E + A N^{-\alpha} + B D^{-\beta}, \qquad C = 6 N D",
            Text(
                r"the fitted law; with $t = \ln N$ and $c = \ln(C/6)$ the number of tokens is $e^{c - t}$",
                r"拟合的规律；令 $t = \ln N$、$c = \ln(C/6)$，则词元数为 $e^{c - t}$",
            ),
        ),
        equal(
            "slope",
            sp.Derivative(curve, t),
            beta * B * sp.exp(-beta * (c - t)) - alpha * A * sp.exp(-alpha * t),
            Text(
                r"at fixed compute a larger model lowers one term and, with fewer tokens, raises the other",
                r"算力固定时，模型变大使一项下降，而词元变少使另一项上升",
            ),
        ),
        equal(
            "balance",
            ratio - alpha * best,
            -beta * (c - best),
            Text(
                r"the two balance where $\ln(\alpha A) - \alpha t = \ln(\beta B) - \beta (c - t)$, $r = \ln\frac{\alpha A}{\beta B}$: at this $t$",
                r"两者在 $\ln(\alpha A) - \alpha t = \ln(\beta B) - \beta (c - t)$ 处平衡，$r = \ln\frac{\alpha A}{\beta B}$：即此 $t$",
            ),
        ),
        ordered(
            "only-one",
            sp.Derivative(curve, (t, 2)),
            ">",
            sp.Integer(0),
            Text(r"the curve is convex in $\ln N$, so the balance is the minimum", r"曲线对 $\ln N$ 是凸的，所以平衡点就是最小值"),
        ),
        equal(
            "size-exponent",
            sp.Derivative(best, c),
            size_exponent(alpha, beta),
            Text(
                r"the best size grows like $C^{\beta/(\alpha + \beta)}$",
                r"最佳规模按 $C^{\beta/(\alpha + \beta)}$ 增长",
            ),
        ),
        equal(
            "data-exponent",
            sp.Derivative(c - best, c),
            1 - size_exponent(alpha, beta),
            Text(r"and the best number of tokens with the rest of the exponent", r"最佳词元数取余下的指数"),
        ),
        exhausted(
            "chinchilla",
            size_exponent(alpha, beta),
            "=",
            sp.Rational(14, 31),
            Text(
                r"with the published $\alpha = 0.34$, $\beta = 0.28$: nearly one half each",
                r"代入论文的 $\alpha = 0.34$、$\beta = 0.28$：接近各一半",
            ),
            over=({alpha: sp.Rational(34, 100), beta: sp.Rational(28, 100)},),
            bound="α=0.34, β=0.28",
        ),
        popular_error(
            "bigger-is-always-better",
            sp.Derivative(loss(t, c, 1, 1, 1, 1, sp), t),
            sp.Integer(0),
            Text(
                "‘for the same compute the bigger model is always better’: past the optimum the loss rises",
                "“同样的算力，模型越大越好”：越过最优点损失就上升",
            ),
            op="<",
        ),
        cited(
            "fitted",
            r"\alpha = 0.34, \quad \beta = 0.28, \quad E = 1.69",
            Text(
                "fitted to 400 models; a later re-analysis finds other values and wider intervals",
                "由 400 多个模型拟合；后来的再分析得到不同的数值和更宽的区间",
            ),
            "Hoffmann et al. 2022, appendix D.3; Besiroglu et al. 2024",
        ),
    )  # fmt: skip


def predict(p: Params) -> Results:
    ratio = math.log(p.alpha * A_SIZE / (p.beta * B_DATA))
    log_tokens = np.log(BUDGETS / 6)
    chosen = math.log(10.0**p.budget / 6)
    size = log_best_size(ratio, chosen, p.alpha, p.beta)
    return {
        "exponent": size_exponent(p.alpha, p.beta),
        "best_sizes": np.exp(log_best_size(ratio, log_tokens, p.alpha, p.beta)),
        "best_size": math.exp(size),
        "best_tokens": math.exp(chosen - size),
        "tokens_per_parameter": math.exp(chosen - 2 * size),
        "alpha": p.alpha,
    }


def lowest(log_tokens: float, p: Params, rounds: int = 70) -> float:
    """ln N of the lowest loss, by golden-section search: the loss is looked at, never its formula."""
    low, high = math.log(1e-3), math.log(1e30)
    step = (math.sqrt(5) - 1) / 2
    a, b = high - step * (high - low), low + step * (high - low)
    fa, fb = (train(x, log_tokens, p) for x in (a, b))
    for _ in range(rounds):
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - step * (high - low)
            fa = train(a, log_tokens, p)
        else:
            low, a, fa = a, b, fb
            b = low + step * (high - low)
            fb = train(b, log_tokens, p)
    return (low + high) / 2


def train(log_size: float, log_tokens: float, p: Params) -> float:
    """The loss a model of this size reaches with the tokens that the budget leaves: our stand-in for training it."""
    size, tokens = math.exp(log_size), math.exp(log_tokens - log_size)
    return A_SIZE / size**p.alpha + B_DATA / tokens**p.beta


def measure(p: Params, rng: np.random.Generator) -> Results:
    found = np.array([lowest(math.log(budget / 6), p) for budget in BUDGETS])
    exponent = np.polyfit(np.log(BUDGETS), found, 1)[0]
    chosen = math.log(10.0**p.budget / 6)
    size = lowest(chosen, p)
    # models trained on unlimited data, their reducible loss measured with relative noise
    x = np.linspace(math.log(1e7), math.log(1e11), POINTS)
    noisy = math.log(A_SIZE) - p.alpha * x + p.noise * rng.standard_normal(POINTS)
    centred = x - x.mean()
    fitted = -float(centred @ noisy / (centred @ centred))
    return {
        "exponent": float(exponent),
        "best_sizes": np.exp(found),
        "best_size": math.exp(size),
        "best_tokens": math.exp(chosen - size),
        "tokens_per_parameter": math.exp(chosen - 2 * size),
        "alpha": fitted,
        "alpha_deviation": p.noise / math.sqrt(float(centred @ centred)),
        "models": np.exp(x),
        "losses": np.exp(noisy),
    }


def search_error(p: Params) -> float:
    """How near a search by values comes to ln N: a minimum is flat, so to the root of the rounding only."""
    return math.sqrt(64 * float(np.finfo(float).eps) / min(p.alpha, p.beta) ** 2)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    flat = Text("root of rounding: a minimum is flat", "舍入误差的平方根：极小值处平坦")
    return (
        Check("best-size", Text("the logarithm of the best size found by search", "搜索得到的最佳规模（取对数）"), math.log(predicted["best_size"]), math.log(results["best_size"]), search_error(p), flat),
        Check("size-exponent-found", Text("the power of compute with which the best size grows", "最佳规模随算力增长的指数"), predicted["exponent"], results["exponent"], search_error(p), flat),
        Check(
            "alpha-read-back",
            Text("the exponent fitted to noisy models", "由含噪声的模型拟合出的指数"),
            predicted["alpha"],
            results["alpha"],
            5 * results["alpha_deviation"] + 1e-12,
            Text("5 standard errors of a least-squares slope, normal noise", "最小二乘斜率的 5 个标准误，正态噪声"),
            false_alarm=FALSE_ALARM,
        ),
    )  # fmt: skip


def frontier(p: Params, budget: float, sizes: Array) -> Array:
    """The whole loss along one budget."""
    reducible = loss(np.log(sizes), math.log(budget / 6), A_SIZE, B_DATA, p.alpha, p.beta)
    curve: Array = E_LOSS + reducible
    return curve


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    budget = 10.0**p.budget
    sizes = results["best_size"] * np.logspace(-2, 2, 81)
    return (
        Plot(
            Text("Loss at fixed compute", "算力固定时的损失"),
            Text("too small a model and too little data both cost: one minimum between", "模型太小或数据太少都有代价：中间只有一个最低点"),
            Axis(Text("parameters N", "参数量 N"), "log"),
            Axis(Text("loss", "损失")),
            (
                Line(Text("loss at this compute", "该算力下的损失"), sizes, frontier(p, budget, sizes), "predicted"),
                Line(Text("ten times the compute", "十倍算力"), sizes, frontier(p, 10 * budget, sizes), "context"),
                Rule(Text("best size found", "搜索到的最佳规模"), results["best_size"], "x", "measured"),
            ),
        ),
        Plot(
            Text("Best size against compute", "最佳规模随算力的变化"),
            Text("a straight line on logarithmic axes: a power law", "双对数坐标下是直线：幂律"),
            Axis(Text("compute C, FLOP", "算力 C，FLOP"), "log"),
            Axis(Text("parameters N", "参数量 N"), "log"),
            (
                Line(Text("predicted", "预测"), BUDGETS, predicted["best_sizes"], "predicted"),
                Points(Text("found by search", "搜索得到"), BUDGETS, results["best_sizes"], "measured"),
            ),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D46",
    name="scaling-law",
    title=Text("Scaling law: size against data", "规模定律：模型规模与数据量"),
    shows=Text(
        r"for $C = 6ND$ the best size grows like $C^{\beta/(\alpha+\beta)}$: compute belongs to data as much as to size",
        r"$C = 6ND$ 时最佳规模按 $C^{\beta/(\alpha+\beta)}$ 增长：算力要同样分给数据",
    ),
    kills=Text("“a bigger model is always the best use of compute”", "“模型越大，算力用得越值”"),
    parameters=(
        Parameter("budget", r"\log_{10} C", Text("compute, power of ten", "算力，10 的幂次"), 23.0, 17.0, 26.0, 0.5),
        Parameter("alpha", r"\alpha", Text("exponent of the size", "规模的指数"), 0.34, 0.1, 0.6, 0.02),
        Parameter("beta", r"\beta", Text("exponent of the data", "数据的指数"), 0.28, 0.1, 0.6, 0.02),
        Parameter("noise", r"\sigma", Text("relative noise of a measured loss", "实测损失的相对噪声"), 0.05, 0.0, 0.5, 0.01),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline("exponent", Text("power of compute with which the best size grows", "最佳规模随算力增长的指数"), Text("", ""), 0.0, 1.0),
)  # fmt: skip
