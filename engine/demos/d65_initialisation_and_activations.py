"""D65: what the first weights and the activation do to a signal: variance by depth, symmetry, dead units, gates.

Glorot, Bengio 2010, section 4.2.1, equations 8 to 12; He, Zhang, Ren, Sun 2015, section 2.2, equations 9 and 10;
Shazeer 2020, section 2 (gated feed-forward layers).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import (
    Array,
    Check,
    Choice,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
)
from engine.deviation import (
    HIGHEST_ORDER,
    bernstein_band,
    cumulants_from_moments,
    moment_band,
)
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.optimizer import descent
from engine.proof.step import Expr, Step, equal, ordered, popular_error
from engine.text import Text, same

ROUNDING = float(np.finfo(float).eps)
NETWORKS = 4
SMALL = 0.01
"""Standard deviation of the weights where no rule is followed."""
UNITS, EXAMPLES, SETS = 64, 64, 16
"""Units of the layer with a negative bias, inputs it sees, and how many such sets of inputs are tried."""
HIDDEN, TRAINING_STEPS, TRAINING_RATE = 8, 20, 0.02


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def layer_factor(width: Expr, weight_variance: Expr, passed: Expr) -> Expr:
    """E|h|² after a layer over E|h|² before; ``passed`` is E[phi(a)²] / Var(a)."""
    return width * weight_variance * passed


def he_variance(width: Expr) -> Expr:
    return 2 / width


def glorot_variance(inputs: Expr, outputs: Expr) -> Expr:
    return 2 / (inputs + outputs)


def dead_share(below: Expr, examples: Expr) -> Expr:
    """Chance that a unit is off at every example; ``below`` is the chance that it is off at one."""
    return below**examples


def gated_width(d: Expr, ratio: Expr) -> Expr:
    """Hidden width of a gated layer with as many weights as a plain one of width ratio · d."""
    return 2 * ratio * d / 3


def derive() -> tuple[Step, ...]:
    return (*_variance(), *_symmetry(), *_activations())


def _variance() -> tuple[Step, ...]:
    import sympy as sp

    a = sp.Symbol("a", real=True)
    n, m, depth = sp.symbols("n m L", integer=True, positive=True)
    density = sp.exp(-(a**2) / 2) / sp.sqrt(2 * sp.pi)
    half = sp.Rational(1, 2)
    return (
        equal(
            "relu-passes-half",
            sp.Integral(a**2 * density, (a, 0, sp.oo)),
            half,
            Text(
                "a ReLU passes half of the mean square of a normal pre-activation",
                "ReLU 让正态预激活的均方值通过一半",
            ),
        ),
        equal(
            "he",
            layer_factor(n, sp.UnevaluatedExpr(he_variance(n)), half),
            sp.Integer(1),
            Text(
                "so weights of variance $2/n$ keep the mean square from layer to layer",
                "所以方差为 $2/n$ 的权重让均方值逐层不变",
            ),
        ),
        equal(
            "glorot-linear",
            layer_factor(n, glorot_variance(n, m), 1) + layer_factor(m, glorot_variance(n, m), 1),
            sp.Integer(2),
            Text(
                "Glorot's $2/(n + m)$ is a compromise: factors forward and backward are one on average, and both only where $n = m$",
                "Glorot 的 $2/(n + m)$ 是折中：前向与反向的因子平均为一，只有 $n = m$ 时都为一",
            ),
        ),
        popular_error(
            "glorot-suits-relu",
            layer_factor(n, glorot_variance(n, n), half) ** depth,
            sp.Integer(1),
            Text(
                "'Xavier keeps the signal with any activation': with ReLU it halves at each layer",
                "“Xavier 对任何激活都保持信号”：用 ReLU 时每层减半",
            ),
        ),
    )


def _symmetry() -> tuple[Step, ...]:
    import sympy as sp

    x, w, v, b, c = sp.symbols("x w v b c", real=True)
    one, two, out_1, out_2, y = sp.symbols("w_1 w_2 v_1 v_2 y", real=True)
    loss = (out_1 * sp.tanh(one * x) + out_2 * sp.tanh(two * x) - y) ** 2 / 2

    def at(symbol: Expr, start: tuple[Expr, Expr]) -> Expr:
        return sp.Subs(
            sp.Derivative(loss, symbol), (one, two, out_1, out_2), (start[0], start[0], start[1], start[1])
        )

    affine = [v * (w * t + b) + c for t in (-1, 0, 1)]
    return (
        equal(
            "equal-units-get-equal-gradients",
            at(one, (w, v)),
            at(two, (w, v)),
            Text(
                "units that start alike get the same gradient, so they stay alike: the layer is one unit wide",
                "初值相同的单元梯度也相同，所以始终相同：这一层只有一个单元宽",
            ),
            bound="h=2",
        ),
        equal(
            "zero-start-does-not-move",
            at(one, (sp.Integer(0), sp.Integer(0))) ** 2 + at(out_1, (sp.Integer(0), sp.Integer(0))) ** 2,
            sp.Integer(0),
            Text(
                "from all zeros nothing moves: each layer's gradient carries the other's weights",
                "全零初值时完全不动：每一层的梯度都乘着另一层的权重",
            ),
            bound="h=2",
        ),
        popular_error(
            "linear-stack-bends",
            affine[2] - 2 * affine[1] + affine[0],
            sp.Abs(sp.Integer(1)) - 2 * sp.Abs(sp.Integer(0)) + sp.Abs(sp.Integer(-1)),
            Text(
                "'enough affine layers make $|x|$': their second difference is 0 whatever the weights, that of $|x|$ is 2",
                "“仿射层够多就能得到 $|x|$”：无论权重如何，其二阶差分为 0，而 $|x|$ 的是 2",
            ),
        ),
        equal(
            "two-relus-bend",
            sp.Add((x + sp.Abs(x)) / 2, (sp.Abs(-x, evaluate=False) - x) / 2, evaluate=False),
            sp.Abs(x),
            Text(
                "two ReLUs, each $(x + |x|)/2$ of its input, do",
                "两个 ReLU 就能得到，每个是其输入的 $(x + |x|)/2$",
            ),
        ),
    )


def _activations() -> tuple[Step, ...]:
    import sympy as sp

    s, h, alpha, z = sp.symbols("s h alpha z", positive=True)
    x = sp.Symbol("x", real=True)
    d, ratio = sp.symbols("d r", positive=True)
    sigmoid = 1 / (1 + sp.exp(-x))
    share = z / (1 + z)
    return (
        equal(
            "off-unit-gets-no-gradient",
            sp.Derivative(sp.Max(0, -s * sp.exp(h)), h),
            sp.Integer(0),
            Text(
                "a ReLU that is off at every example gets no gradient at all and cannot come back by itself",
                "对所有样本都关闭的 ReLU 没有梯度，自己回不来",
            ),
        ),
        equal(
            "leaky-gets-some",
            sp.Derivative(sp.Max(-alpha * h, -h), h).subs(alpha, sp.Rational(1, 10)),
            -sp.Rational(1, 10),
            Text(
                r"a leaky one of slope $\alpha = 1/10$ does",
                r"斜率 $\alpha = 1/10$ 的 leaky ReLU 就有",
            ),
        ),
        ordered(
            "sigmoid-slope",
            share * (1 - share),
            "<=",
            sp.Rational(1, 4),
            Text(
                r"a sigmoid's slope is at most $1/4$ ($z = e^x$), so a deep stack of them shrinks gradients",
                r"sigmoid 的斜率至多 $1/4$（$z = e^x$），所以叠深了梯度会缩小",
            ),
            witness=(sp.Rational(1, 2) - share) ** 2,
        ),
        equal(
            "silu-slope",
            sp.Derivative(x * sigmoid, x),
            sigmoid * (1 + x * (1 - sigmoid)),
            Text(
                r"the slope of SiLU, $x\,\sigma(x)$: smooth, and not zero for negative inputs",
                r"SiLU，即 $x\,\sigma(x)$ 的斜率：光滑，负输入处也不为零",
            ),
        ),
        equal(
            "gated-weights",
            3 * d * sp.UnevaluatedExpr(gated_width(d, ratio)),
            2 * d * (ratio * d),
            Text(
                "a gated layer has three matrices; at two thirds of the width it has as many weights as a plain one",
                "门控层有三个矩阵；宽度取三分之二时，权重数与普通层相同",
            ),
        ),
        popular_error(
            "gate-is-free",
            3 * d * (ratio * d),
            2 * d * (ratio * d),
            Text(
                "'SwiGLU only swaps the activation': at the same width it has half as many weights again",
                "“SwiGLU 只是换个激活函数”：宽度不变时，权重多出一半",
            ),
        ),
    )


def weight_variance(p: Params) -> float:
    match p.scheme:
        case "he":
            return float(he_variance(p.width))
        case "glorot":
            return float(glorot_variance(p.width, p.width))
    return SMALL**2


def passed(p: Params) -> float:
    return 0.5 if p.activation == "relu" else 1.0


def below(p: Params) -> float:
    """Chance that a normal pre-activation of variance one stays below the shift."""
    return 0.5 * math.erfc(-p.shift / math.sqrt(2))


def predict(p: Params) -> Results:
    factor = layer_factor(p.width, weight_variance(p), passed(p))
    return {
        "factor": factor,
        "signal": factor**p.depth,
        "dead_share": dead_share(below(p), EXAMPLES),
        "gated_width": gated_width(p.width, 4.0),
        "curve": factor ** np.arange(p.depth + 1.0),
    }


def relu(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0.0))


def drawn_weights(rng: np.random.Generator, p: Params) -> Array:
    """One layer of every network, (NETWORKS, width, width)."""
    deviation = {
        "he": math.sqrt(2 / p.width),
        "glorot": math.sqrt(1 / p.width),
        "small": SMALL,
    }[p.scheme]
    return np.asarray(deviation * rng.standard_normal((NETWORKS, p.width, p.width)))


def trained_apart(start: Array, rng: np.random.Generator) -> tuple[float, float]:
    """Largest gap between hidden units of a small ReLU network, and how far it moved, after training from ``start``."""
    x, y = rng.standard_normal((16, 3)), rng.standard_normal(16)
    first, second = start[:, :3].copy(), start[:, 3].copy()  # (HIDDEN, 3), (HIDDEN,)
    for _ in range(TRAINING_STEPS):
        a = np.einsum("ni,hi->nh", x, first)
        error = (relu(a) * second).sum(axis=1) - y
        back = error[:, None] * second * (a > 0) / len(x)
        d_second = np.einsum("n,nh->h", error, relu(a)) / len(x)
        d_first = np.einsum("nh,ni->hi", back, x)
        first, second = (
            descent(first, d_first, TRAINING_RATE),
            descent(second, d_second, TRAINING_RATE),
        )
    end = np.concatenate((first, second[:, None]), axis=1)
    return float(np.abs(end - end[0]).max()), float(np.abs(end - start).max())


def measure(p: Params, rng: np.random.Generator) -> Results:
    h = rng.standard_normal((NETWORKS, p.width))
    start = (h**2).sum(axis=1)
    curve = np.ones((p.depth + 1, NETWORKS))
    for layer in range(p.depth):
        a = (drawn_weights(rng, p) @ h[..., None])[..., 0]
        h = relu(a) if p.activation == "relu" else a
        curve[layer + 1] = (h**2).sum(axis=1) / start

    # orthonormal weights on normal inputs: pre-activations are independent normal numbers of variance one
    rows, _ = np.linalg.qr(rng.standard_normal((UNITS, UNITS)))
    on = relu(rng.standard_normal((SETS, EXAMPLES, UNITS)) @ rows.T - p.shift) > 0

    row = 0.3 * rng.standard_normal(4)
    alike, moved = trained_apart(np.tile(row, (HIDDEN, 1)), rng)
    apart, _ = trained_apart(0.3 * rng.standard_normal((HIDDEN, 4)), rng)
    _, still = trained_apart(np.zeros((HIDDEN, 4)), rng)
    return {
        "factor": float((curve[1:] / curve[:-1]).mean()),
        "signal": float(curve[-1].mean()),
        "curve": curve.mean(axis=1),
        "dead_share": float((~on.any(axis=1)).mean()),
        "on_share": float(on.mean()),
        "gap_from_equal_start": alike,
        "moved_from_equal_start": moved,
        "gap_from_random_start": apart,
        "moved_from_zero_start": still,
    }


def ratio_cumulants(p: Params) -> list[float]:
    """Cumulants of one layer's ratio over its mean: an average over the units of φ(z)², z normal."""
    double_factorials = np.cumprod(np.arange(1, 2 * HIGHEST_ORDER, 2, dtype=float))  # E[z²], E[z⁴], …
    # relu(z)^2k has half the mean of z^2k
    unit = cumulants_from_moments(
        [float(m) * passed(p) ** (1 - k) for k, m in enumerate(double_factorials, 1)]
    )
    return [c / p.width ** (k - 1) for k, c in enumerate(unit, 1)]


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    dead = predicted["dead_share"]
    return (
        Check(
            "factor-of-a-layer",
            Text(
                "factor on the mean square, averaged over layers and networks",
                "均方值的因子，对层与网络取平均",
            ),
            predicted["factor"],
            results["factor"],
            predicted["factor"]
            * (moment_band(ratio_cumulants(p), NETWORKS * p.depth) + ROUNDING * 64 * p.width),
            Text(
                "Markov's inequality on the moments of the mean: by rotation invariance all ratios are independent",
                "对均值的各阶矩用马尔可夫不等式：由旋转不变性，各比值独立",
            ),
            false_alarm=1e-7,
        ),
        Check(
            "dead-units",
            Text("share of ReLUs that are off at every example", "对所有样本都关闭的 ReLU 占比"),
            dead,
            results["dead_share"],
            bernstein_band(1.0, dead * (1 - dead), SETS * UNITS),
            Text("Bernstein's inequality, independent units and sets", "Bernstein 不等式，各单元独立"),
            false_alarm=1e-7,
        ),
        Check(
            "equal-units-stay-equal",
            Text("gap between units that started alike, after training", "初值相同的单元训练之后的差距"),
            0.0,
            results["gap_from_equal_start"],
            ROUNDING * 64 * TRAINING_STEPS,
            rounding,
        ),
        Check(
            "random-units-differ",
            Text("gap between units that started at random", "随机初值的单元训练之后的差距"),
            0.0,
            results["gap_from_random_start"],
            1e-3,
            Text("the start keeps them apart", "初值使它们不同"),
            relation="!=",
        ),
        Check(
            "zero-start-stays",
            Text("how far a network of zeros moved", "全零网络移动了多少"),
            0.0,
            results["moved_from_zero_start"],
            0.0,
            Text("exactly zero: products with zero", "恰为零：都是与零的乘积"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    layers = np.arange(p.depth + 1.0)
    return (
        Plot(
            Text("Signal by depth", "信号随深度的变化"),
            Text(
                "a straight line on this scale: each layer multiplies by the same factor",
                "在这个刻度上是直线：每层乘以同一个因子",
            ),
            Axis(Text("layer", "层")),
            Axis(Text("mean square over that of the input", "与输入的均方值之比"), scale="log"),
            (
                Line(Text("predicted", "预测"), layers, predicted["curve"], "predicted"),
                Points(Text("measured", "实测"), layers, results["curve"], "measured"),
            ),
        ),
        Bars(
            Text("Gap between hidden units after training", "训练之后隐藏单元之间的差距"),
            Text("units that start alike stay alike", "初值相同的单元始终相同"),
            Axis(Text("largest gap", "最大差距"), low=0.0),
            (
                Bar(Text("equal", "相同"), results["gap_from_equal_start"], "measured"),
                Bar(Text("random", "随机"), results["gap_from_random_start"], "measured"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D65",
    name="initialisation-and-activations",
    title=Text("Initial weights and activations", "初始化与激活函数"),
    shows=Text(
        "a layer multiplies the mean square of its input by width, weight variance and what the activation passes; units that start "
        "alike stay alike; a ReLU that is off everywhere gets no gradient",
        "每层把输入的均方值乘以宽度、权重方差与激活通过的比例；初值相同的单元始终相同；处处关闭的 ReLU 没有梯度",
    ),
    kills=Text(
        "“Xavier suits any activation”, “training breaks the symmetry of equal weights”, “SwiGLU only swaps the activation”",
        "“Xavier 适合任何激活”、“训练会打破相同权重的对称”、“SwiGLU 只是换个激活函数”",
    ),
    parameters=(
        Parameter(
            "scheme",
            r"\operatorname{Var} w",
            Text("initial weights", "初始权重"),
            "he",
            kind="choice",
            choices=(
                Choice("he", Text("He, 2/n", "He，2/n")),
                Choice("glorot", Text("Glorot, 2/(n + m)", "Glorot，2/(n + m)")),
                Choice("small", Text("standard deviation 0.01", "标准差 0.01")),
            ),
        ),
        Parameter(
            "activation",
            r"\phi",
            Text("activation", "激活函数"),
            "relu",
            kind="choice",
            choices=(Choice("relu", same("ReLU")), Choice("linear", Text("none", "无"))),
        ),
        Parameter("depth", "L", Text("layers", "层数"), 10, 1, 20, 1, "int"),
        Parameter("width", "n", Text("width", "宽度"), 64, 32, 128, 1.0, "int", "log"),
        Parameter("shift", "b", Text("how negative the bias is", "偏置取负多少"), 2.0, 0.0, 4.0, 0.1),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "signal",
        Text("mean square after the last layer over that of the input", "末层与输入的均方值之比"),
        Text("", ""),
        1e-6,
        1e3,
        "log",
    ),
)
