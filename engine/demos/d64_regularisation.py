"""D64: what regularisers do to a weight, a unit and a loss: dropout, L1 and L2, early stopping, and the price of a parameter.

Srivastava et al. 2014, section 9.1 (dropout in a linear model is a penalty); Tibshirani 1996, section 2.2 (soft threshold);
Goodfellow, Bengio, Courville 2016, sections 7.1 (L1, L2) and 7.8 (early stopping as L2); Hastie, Tibshirani, Friedman 2009, section 7.4
(training error below the error on new labels).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.deviation import (
    HIGHEST_ORDER,
    chi_square_band,
    cumulants_from_moments,
    moment_band,
    variance_band,
)
from engine.figure import Axis, Figure, Line, Plot, Points
from engine.nn.optimizer import SGD
from engine.proof.step import Expr, Step, defined, equal, let, ordered, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
RESIDUAL = 1.0
"""Label minus output of the unit without dropout."""
TARGETS, REACH = 201, 3.0
"""Best weights without a penalty: so many, from -REACH to REACH."""
TARGET_WEIGHTS = np.linspace(-REACH, REACH, TARGETS)
MOST_FEATURES, REPEATS = 16, 400
CURVATURES = np.geomspace(0.01, 1.0, 21)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def dropped_variance(rate: Expr, squares: Expr) -> Expr:
    """Variance of a sum of contributions under inverted dropout; ``squares`` is the sum of their squares."""
    return rate / (1 - rate) * squares


def shrunk(target: Expr, penalty: Expr) -> Expr:
    """The weight that minimises (w - target)²/2 + penalty w²/2."""
    return target / (1 + penalty)


def threshold(size: Expr, penalty: Expr) -> Expr:
    """Size of the weight that minimises (w - target)²/2 + penalty |w|, for a target of at least the penalty."""
    return size - penalty


def stopped(rest: Expr, steps: Expr) -> Expr:
    """Share of the optimum reached by descent from zero; ``rest`` = 1 - lr · curvature is left of the error each step."""
    return 1 - rest**steps


def matching_penalty(curvature: Expr, rest: Expr, steps: Expr) -> Expr:
    """The L2 penalty whose minimum lies where descent from zero stands."""
    return curvature * rest**steps / (1 - rest**steps)


def optimism(features: Expr, points: Expr) -> Expr:
    """What least squares gains on its own labels and loses on new ones, over the noise variance."""
    return features / points


def derive() -> tuple[Step, ...]:
    return (*_dropout(), *_penalties(), *_stopping())


def _dropout() -> tuple[Step, ...]:
    import sympy as sp

    r, q = sp.symbols("r q", positive=True)
    a, b, y, x = sp.symbols("a b y x", real=True)
    masks = [(i, j) for i in (0, 1) for j in (0, 1)]

    def expected(value: Expr) -> Expr:
        return sp.Add(
            *(q ** (i + j) * r ** (2 - i - j) * value(i / q, j / q) for i, j in masks), evaluate=False
        )

    keep = ((r, 1 - q),)
    return (
        let(
            "kept-share",
            r,
            1 - q,
            Text(
                "inverted dropout: zero with probability $r$, divided by $q = 1 - r$ otherwise",
                "inverted dropout：以概率 $r$ 置零，否则除以 $q = 1 - r$",
            ),
        ),
        equal(
            "unbiased",
            expected(lambda i, j: i * a + j * b),
            a + b,
            Text(
                "the mean of a sum of contributions is what it is without dropout: nothing to scale at test time",
                "各项之和的均值与没有 dropout 时相同：测试时无需再缩放",
            ),
            bound="n=2",
            using=keep,
        ),
        equal(
            "training-loss",
            expected(lambda i, j: (y - i * a - j * b) ** 2),
            (y - a - b) ** 2 + dropped_variance(1 - q, a**2 + b**2),
            Text(
                "the mean squared error while training is that at test time plus a penalty on the contributions",
                "训练时的均方误差等于测试时的误差加上对各项贡献的惩罚",
            ),
            bound="n=2",
            using=keep,
        ),
        popular_error(
            "training-and-test-loss-agree",
            (y - a - b) ** 2 + dropped_variance(1 - q, a**2 + b**2),
            (y - a - b) ** 2,
            Text(
                "'with dropout a validation loss below the training loss means a leak': the training loss carries the penalty",
                "“用了 dropout，验证损失低于训练损失就是泄漏”：训练损失里带着惩罚项",
            ),
        ),
        popular_error(
            "mean-survives-the-activation",
            q * sp.Max(0, x / q - 1) + (1 - q) * sp.Max(0, -1 + 0 * x),
            sp.Max(0, x - 1),
            Text(
                "'the mean is kept, so test time is the average of all masked networks': not past a nonlinearity",
                "“均值不变，所以测试等于所有掩码网络的平均”：过了非线性就不成立",
            ),
        ),
    )


def _penalties() -> tuple[Step, ...]:
    import sympy as sp

    w, a = sp.symbols("w a", real=True)
    lam, s, u = sp.symbols("lambda s u", positive=True)
    return (
        defined(
            "objective",
            r"\frac{1}{2}(w - a)^2 + \lambda R(w), \qquad R = \frac{1}{2} w^2 \ \text{or}\ |w|",
            Text("one weight, best at $a$ without a penalty", "一个权重，没有惩罚时最优值为 $a$"),
        ),
        equal(
            "l2-minimum",
            sp.Subs(sp.Derivative((w - a) ** 2 / 2 + lam * w**2 / 2, w), w, shrunk(a, lam)),
            sp.Integer(0),
            Text("L2 divides every weight by the same number", "L2 把每个权重除以同一个数"),
        ),
        equal(
            "l1-minimum",
            sp.Subs(sp.Derivative((u - (lam + s)) ** 2 / 2 + lam * u, u), u, threshold(lam + s, lam)),
            sp.Integer(0),
            Text(
                r"L1 takes the same amount off every weight whose target $a = \lambda + s$ exceeds it",
                r"L1 从每个目标 $a = \lambda + s$ 超过它的权重减去同样的量",
            ),
        ),
        ordered(
            "l1-zero",
            (u - (lam - s)) ** 2 / 2 + lam * u,
            ">",
            (lam - s) ** 2 / 2,
            Text(
                r"and where the target $a = \lambda - s$ is below, any $u > 0$ is worse than exactly zero",
                r"目标 $a = \lambda - s$ 小于它时，任何 $u > 0$ 都不如恰好为零",
            ),
            witness=u**2 / 2 + s * u,
        ),
        popular_error(
            "l2-makes-zeros",
            shrunk(lam + s, lam),
            sp.Integer(0),
            Text(
                "'L2 drives small weights to exactly zero': it never does",
                "“L2 会把小权重变成恰好为零”：从不",
            ),
        ),
    )


def _stopping() -> tuple[Step, ...]:
    import sympy as sp

    c, a = sp.symbols("c a", positive=True)
    rest = sp.symbols("rho", positive=True)
    t = sp.symbols("t", integer=True, positive=True)
    x = sp.symbols("x_1:4", positive=True)
    column = sp.ImmutableMatrix(x)
    return (
        equal(
            "one-more-step",
            a * stopped(rest, t) + (1 - rest) * (a - a * stopped(rest, t)),
            a * stopped(rest, t + 1),
            Text(
                r"descent from zero, $\rho = 1 - \eta c$ at curvature $c$: after $t$ steps the share $1 - \rho^t$ of the way is done (one more step)",
                r"从零开始下降，曲率 $c$ 处 $\rho = 1 - \eta c$：$t$ 步后走完 $1 - \rho^t$（归纳一步）",
            ),
        ),
        equal(
            "early-stopping-is-a-penalty",
            c / (c + matching_penalty(c, rest, t)),
            stopped(rest, t),
            Text(
                "stopping there is an L2 penalty, one of its own for each curvature: flat directions are shrunk, steep ones are not",
                "停在这里相当于一个 L2 惩罚，每个曲率各有一个：平坦方向被压缩，陡峭方向不受影响",
            ),
        ),
        equal(
            "trace-counts-parameters",
            sp.Trace(column * column.T / (column.T * column)[0]),
            sp.Integer(1),
            Text(
                "the projection onto the features has as trace their number: so much of the noise a fit absorbs",
                "到特征空间的投影，迹等于特征个数：拟合会吸收这么多噪声",
            ),
            bound="n=3, p=1",
        ),
    )


def kept(rng: np.random.Generator, rate: float, shape: tuple[int, ...]) -> Array:
    """Masks of inverted dropout: 0, or one over the kept share."""
    return np.asarray((rng.random(shape) >= rate) / (1 - rate))


def bisected(slope: Callable[[Array], Array], shape: tuple[int, ...], reach: float = 2 * REACH) -> Array:
    """Where an increasing function of weights of this shape changes its sign, each by itself."""
    low, high = np.full(shape, -reach), np.full(shape, reach)
    for _ in range(60):
        middle = (low + high) / 2
        rising = slope(middle) > 0
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    return np.asarray((low + high) / 2)


def l1_slope(w: Array, penalty: float) -> Array:
    return np.asarray(w - TARGET_WEIGHTS + penalty * np.sign(w))


def l2_slope(w: Array, penalty: float) -> Array:
    return np.asarray(w - TARGET_WEIGHTS + penalty * w)


def squared_errors(p: Params, rng: np.random.Generator) -> tuple[Array, Array]:
    """Mean squared error of least squares on its labels and on new ones, for 1 … MOST_FEATURES features, noise of variance 1."""
    features, _ = np.linalg.qr(rng.standard_normal((p.points, MOST_FEATURES)))
    noise, fresh = rng.standard_normal((2, REPEATS, p.points))
    shares, fitted = noise @ features, np.zeros_like(noise)  # (REPEATS, MOST_FEATURES), (REPEATS, points)
    own, new = [], []
    for share, feature in zip(shares.T, features.T, strict=True):
        # the features are orthonormal: one more adds its own projection
        fitted += share[:, None] * feature
        own.append(np.square(noise - fitted).mean())
        new.append(np.square(fresh - fitted).mean())
    return np.array(own), np.array(new)


def predict(p: Params) -> Results:
    rest = 1 - p.lr * CURVATURES
    return {
        "variance": dropped_variance(p.rate, 1.0),
        "l2_factor": shrunk(1.0, p.penalty),
        "reached": stopped(rest, p.steps),
        "slow_share": float(stopped(1 - p.lr * CURVATURES[0], p.steps)),
        "penalty_of_stopping": float(matching_penalty(CURVATURES[0], rest[0], p.steps)),
        "own_error": 1 - optimism(p.features, p.points),
        "new_error": 1 + optimism(p.features, p.points),
    }


def measure(p: Params, rng: np.random.Generator) -> Results:
    parts = rng.uniform(0.5, 1.5, p.units)
    parts /= np.sqrt((parts**2).sum())
    outputs = kept(rng, p.rate, (p.samples, p.units)) @ parts
    label = parts.sum() + RESIDUAL
    lasso, ridge = bisected(
        lambda w: np.stack([l1_slope(w[0], p.penalty), l2_slope(w[1], p.penalty)]), (2, TARGETS)
    )
    x, optimizer = np.zeros(len(CURVATURES)), SGD(p.lr)
    for _ in range(p.steps):
        x = np.asarray(optimizer.step(x, CURVATURES * (x - 1))[0])
    own, new = squared_errors(p, rng)
    return {
        "samples": p.samples,
        "parts": parts,
        "clean": float(parts.sum()),
        "mean_output": float(outputs.mean()),
        "variance": float(outputs.var(ddof=1)),
        "training_loss": float(((label - outputs) ** 2).mean()),
        "test_loss": float((label - parts.sum()) ** 2),
        "lasso": lasso,
        "ridge": ridge,
        "lasso_zeros": float((np.abs(lasso) < 1e-9).mean()),
        "ridge_zeros": float((np.abs(ridge[TARGET_WEIGHTS != 0]) < 1e-9).mean()),
        "reached": x,
        "slow_share": float(x[0]),
        "own_errors": own,
        "new_errors": new,
        "own_error": float(own[p.features - 1]),
        "new_error": float(new[p.features - 1]),
    }


def soft(a: Array, penalty: float) -> Array:
    return np.asarray(np.sign(a) * np.maximum(threshold(np.abs(a), penalty), 0.0))


def sum_cumulants(rate: float, parts: Array) -> list[float]:
    """Cumulants of a sum of contributions under inverted dropout: those of a scaled coin, added up."""
    coin = cumulants_from_moments([(1 - rate) ** (1 - m) for m in range(1, HIGHEST_ORDER + 1)])
    return [c * float((parts**m).sum()) for m, c in enumerate(coin, 1)]


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    bisection = Text("bisection on the slope, to rounding", "对斜率做二分，只差舍入误差")
    markov = Text(
        "Markov's inequality on the moments, from the cumulants of a scaled coin",
        "由缩放硬币的累积量，对各阶矩用马尔可夫不等式",
    )
    chi = Text("chi-square law of sums of squared normal residuals", "正态残差平方和的卡方分布")
    n, dropping = results["samples"], p.rate > 0
    cumulants = sum_cumulants(p.rate, results["parts"])
    mean_band = (moment_band(cumulants, n) if dropping else 0.0) + ROUNDING * 64 * p.units
    spread_band = (variance_band(cumulants, n) if dropping else 0.0) + ROUNDING * 64 * p.units
    alarm = 1e-7 if dropping else 0.0
    a = TARGET_WEIGHTS
    small, rest = REPEATS * p.features, REPEATS * (p.points - p.features)
    share = p.features / p.points
    own_band = (1 - share) * chi_square_band(rest, 1e-8)
    new_band = own_band + 2 * share * chi_square_band(small, 1e-8)
    return (
        Check(
            "mean-kept",
            Text("mean output with dropout", "dropout 下输出的均值"),
            results["clean"], results["mean_output"], mean_band, markov, false_alarm=alarm,
        ),
        Check(
            "variance-added",
            Text("variance of the output with dropout", "dropout 下输出的方差"),
            predicted["variance"], results["variance"], spread_band, markov, false_alarm=2 * alarm,
        ),
        Check(
            "training-loss-excess",
            Text("training loss minus test loss of the same weights", "同一组权重的训练损失减测试损失"),
            predicted["variance"], results["training_loss"] - results["test_loss"],
            spread_band + 2 * RESIDUAL * mean_band, markov, false_alarm=3 * alarm,
        ),
        Check(
            "soft-threshold",
            Text("largest gap between L1 minima and the soft threshold", "L1 最小点与软阈值的最大差距"),
            0.0, float(np.abs(results["lasso"] - soft(a, p.penalty)).max()), 64 * ROUNDING * REACH, bisection,
        ),
        Check(
            "l1-zeros",
            Text("share of weights that L1 makes zero", "L1 变为零的权重占比"),
            float((np.abs(a) <= p.penalty + ROUNDING).mean()), results["lasso_zeros"], 1.5 / TARGETS,
            Text("exact count, up to the two targets at the edge", "精确计数，只差边界上的两个目标"),
        ),
        Check(
            "l2-shrinks",
            Text("largest gap between L2 minima and the shrunk target", "L2 最小点与缩小后目标的最大差距"),
            0.0, float(np.abs(results["ridge"] - shrunk(a, p.penalty)).max()), 64 * ROUNDING * REACH, bisection,
        ),
        Check(
            "l2-zeros",
            Text("share of weights that L2 makes zero", "L2 变为零的权重占比"),
            0.0, results["ridge_zeros"], 0.0, Text("exact count", "精确计数"),
        ),
        Check(
            "share-reached",
            Text("largest gap between descent and its formula over all curvatures", "各曲率上下降与公式的最大差距"),
            0.0, float(np.abs(results["reached"] - predicted["reached"]).max()), 4 * ROUNDING * (p.steps + 4), exact,
        ),
        Check(
            "error-on-own-labels",
            Text("error of the fit on its own labels", "拟合在自身标签上的误差"),
            predicted["own_error"], results["own_error"], own_band, chi, false_alarm=1e-8,
        ),
        Check(
            "error-on-new-labels",
            Text("error of the fit on new labels at the same points", "拟合在同样点的新标签上的误差"),
            predicted["new_error"], results["new_error"], new_band, chi, false_alarm=2e-8,
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    a, counts = TARGET_WEIGHTS, np.arange(1.0, MOST_FEATURES + 1)
    return (
        Plot(
            Text("What a penalty leaves of a weight", "惩罚之后权重还剩多少"),
            Text(
                "L1 cuts a flat piece at zero, L2 only tilts the line",
                "L1 在零处切出一段平台，L2 只让直线变斜",
            ),
            Axis(Text("best weight without a penalty", "无惩罚时的最优权重")),
            Axis(Text("weight", "权重")),
            (
                Line(Text("L1, soft threshold", "L1，软阈值"), a, soft(a, p.penalty), "predicted"),
                Line(Text("L2", "L2"), a, shrunk(a, p.penalty), "other"),
                Points(Text("L1, found", "L1，实测"), a[::10], results["lasso"][::10], "measured"),
            ),
        ),
        Plot(
            Text("Error of a fit to pure noise", "对纯噪声做拟合的误差"),
            Text(
                "each feature lowers the error on the fitted labels and raises it on new ones",
                "每多一个特征，已拟合标签上的误差下降，新标签上的误差上升",
            ),
            Axis(Text("features", "特征个数")),
            Axis(Text("error over noise variance", "误差与噪声方差之比")),
            (
                Line(
                    Text("own, predicted", "自身，预测"), counts, 1 - optimism(counts, p.points), "predicted"
                ),
                Line(
                    Text("new, predicted", "新的，预测"), counts, 1 + optimism(counts, p.points), "predicted"
                ),
                Points(Text("own", "自身"), counts, results["own_errors"], "measured"),
                Points(Text("new", "新的"), counts, results["new_errors"], "other"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D64",
    name="regularisation",
    title=Text("Dropout, L1, L2 and early stopping", "dropout、L1、L2 与早停"),
    shows=Text(
        "inverted dropout keeps the mean and adds a penalty to the training loss; L1 makes zeros and L2 does not; stopping early is an L2 "
        "penalty that depends on the curvature; a fit gains on its own labels what it loses on new ones",
        "inverted dropout 保持均值，并给训练损失加上惩罚；L1 产生零，L2 不会；早停相当于随曲率而变的 L2；拟合在自身标签上赚到的，"
        "正是在新标签上亏掉的",
    ),
    kills=Text(
        "“a validation loss below the training loss means a leak”, “L2 makes weights zero”, “dropout averages the masked networks exactly”",
        "“验证损失低于训练损失就是泄漏”、“L2 让权重为零”、“dropout 精确地平均了各掩码网络”",
    ),
    parameters=(
        Parameter("rate", "r", Text("dropout rate", "dropout 比率"), 0.5, 0.0, 0.9, 0.05),
        Parameter(
            "units", "n", Text("contributions to a unit", "一个单元的输入项数"), 16, 2, 64, 1.0, "int", "log"
        ),
        Parameter("penalty", r"\lambda", Text("strength of the penalty", "惩罚强度"), 0.5, 0.0, 2.0, 0.05),
        Parameter("lr", r"\eta", Text("learning rate", "学习率"), 0.5, 0.01, 1.0, 0.01),
        Parameter("steps", "t", Text("steps before stopping", "停止前的步数"), 20, 1, 400, 1.0, "int", "log"),
        Parameter("points", "N", Text("data points", "数据点"), 64, 32, 256, 1.0, "int", "log"),
        Parameter(
            "features", "p", Text("features of the fit", "拟合的特征个数"), 8, 1, MOST_FEATURES, 1, "int"
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    samples=Samples(rest=8000, drag=2000),
    headline=Headline(
        "training_loss",
        Text(
            "training loss under dropout of a unit whose test loss is 1",
            "测试损失为 1 的单元，dropout 下的训练损失",
        ),
        Text("", ""),
        0.5,
        12.0,
        "log",
    ),
)
