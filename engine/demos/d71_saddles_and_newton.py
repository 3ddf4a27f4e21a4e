"""D71: curvature: how descent leaves a saddle, where Newton's step goes, and how rare minima are among random curvatures.

Dauphin et al. 2014, sections 2 and 4 (saddles, absolute curvature); Dean and Majumdar 2006 (signs of random curvatures);
Nocedal and Wright 2006, section 2.2 (Newton's direction, scaling).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.deviation import bernstein_band
from engine.figure import Axis, Figure, Line, Plot, Points
from engine.nn.optimizer import SGD
from engine.proof.step import Expr, Step, cited, equal, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
STEEP = 1.0
"""Curvature of the direction that goes up."""
MOST_STEPS = 6000


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def growth(lr: Expr, down: Expr) -> Expr:
    """Factor a step on the distance from a saddle along a direction of curvature -down."""
    return 1 + lr * down


def newton(x: Expr, slope: Expr, curvature: Expr) -> Expr:
    """One step of Newton's method in one direction."""
    return x - slope / curvature


def saddle_free(x: Expr, slope: Expr, size: Expr) -> Expr:
    """The same with the curvature's absolute value ``size``."""
    return x - slope / size


def share_of_minima(n: int) -> float:
    """Chance that a random symmetric matrix (independent normal entries, twice the variance on the diagonal) is positive definite."""
    return {1: 1 / 2, 2: (2 - math.sqrt(2)) / 4, 3: 1 / 4 - math.sqrt(2) / (2 * math.pi)}[n]


def derive() -> tuple[Step, ...]:
    import sympy as sp

    x, start = sp.symbols("x x_0", real=True)
    lr, b, c, delta = sp.symbols("eta b c delta", positive=True)
    t = sp.symbols("t", integer=True, positive=True)
    h = sp.symbols("h", real=True, nonzero=True)
    g = sp.Symbol("g", real=True)
    left = delta * growth(lr, b) ** t
    return (
        equal(
            "descent-leaves",
            left - lr * (-b) * left,
            delta * growth(lr, b) ** (t + 1),
            Text(
                r"along curvature $-b$ the distance from a saddle grows by $1 + \eta b$ per step (one more step)",
                r"沿曲率 $-b$ 的方向，到鞍点的距离每步乘以 $1 + \eta b$（归纳一步）",
            ),
        ),
        popular_error(
            "descent-is-stuck",
            delta * growth(lr, b) ** t,
            delta,
            Text(
                "'gradient descent gets stuck at saddles': only if it starts exactly on the ridge",
                "“梯度下降会卡在鞍点”：只有恰好从脊线出发才会",
            ),
        ),
        equal(
            "newton-lands",
            newton(x, sp.UnevaluatedExpr(h * (x - start)), h),
            start,
            Text(
                "Newton's step lands on the stationary point of a quadratic at once, whatever its curvatures",
                "牛顿步一步就到二次函数的驻点，与各曲率无关",
            ),
        ),
        popular_error(
            "newton-descends",
            newton(x, sp.UnevaluatedExpr(-b * (x - start)), -b) - start,
            2 * (x - start),
            Text(
                "'Newton leaves a saddle faster': along negative curvature it goes to the saddle, not away",
                "“牛顿法更快离开鞍点”：沿负曲率它走向鞍点，而不是离开",
            ),
        ),
        equal(
            "absolute-curvature-leaves",
            saddle_free(x, sp.UnevaluatedExpr(-b * (x - start)), b) - start,
            2 * (x - start),
            Text(
                "with the absolute value of the curvature the distance doubles at each step instead",
                "换成曲率的绝对值，距离就每步加倍",
            ),
        ),
        equal(
            "newton-ignores-units",
            c * newton(x / c, sp.UnevaluatedExpr(c * g), sp.UnevaluatedExpr(c**2 * h)),
            newton(x, g, h),
            Text(
                "a parameter measured in other units, $x = c \\phi$: Newton's step is the same step",
                "参数换个单位，$x = c \\phi$：牛顿步不变",
            ),
        ),
        popular_error(
            "descent-ignores-units",
            c * (x / c - lr * (c * g)),
            x - lr * g,
            Text(
                r"'so is that of gradient descent': it is multiplied by $c^2$",
                r"“梯度下降也一样”：它的步长乘以 $c^2$",
            ),
        ),
        cited(
            "minima-are-rare",
            r"P(H \succ 0) \approx e^{-\frac{\ln 3}{4} n^2}",
            Text(
                "random symmetric curvatures are all positive with a chance that falls like this: high up, stationary points are saddles",
                "随机对称的曲率全为正的概率这样下降：在高处，驻点几乎都是鞍点",
            ),
            "Dean and Majumdar 2006, abstract",
        ),
    )


def predict(p: Params) -> Results:
    factor = growth(p.lr, p.down)
    return {
        "steps": math.ceil(-p.offset * math.log(10) / math.log(factor)),
        "share": share_of_minima(p.n),
        "growth": factor,
    }


def descend(p: Params) -> tuple[Array, int]:
    """Distances from the saddle along the way down, (steps + 1,), until they exceed 1; and the number of steps."""
    optimizer, curve = SGD(p.lr), np.array([STEEP, -p.down])
    x, path = np.array([1.0, 10.0**p.offset]), [10.0**p.offset]
    while path[-1] < 1 and len(path) <= MOST_STEPS:
        x = np.asarray(optimizer.step(x, curve * x)[0], dtype=float)
        path.append(float(x[1]))
    return np.array(path), len(path) - 1


def curvature(rng: np.random.Generator, d: int, condition: float) -> Array:
    """A symmetric matrix (d, d) of mixed signs whose curvatures span the condition number."""
    rotation, _ = np.linalg.qr(rng.standard_normal((d, d)))
    values = np.geomspace(1.0, condition, d) * np.where(np.arange(d) % 2, -1.0, 1.0)
    return np.asarray(rotation * values @ rotation.T)


def definite(rng: np.random.Generator, n: int, draws: int) -> Array:
    """Whether each of so many random symmetric matrices has positive curvatures only."""
    a = rng.standard_normal((draws, n, n))
    return np.asarray(np.linalg.eigvalsh(a + a.transpose(0, 2, 1))[:, 0] > 0)


def measure(p: Params, rng: np.random.Generator) -> Results:
    path, steps = descend(p)
    h = curvature(rng, p.d, p.condition)
    target, x = rng.standard_normal((2, p.d))
    slope = h @ (x - target)
    landed = x - np.linalg.solve(h, slope)
    values, axes = np.linalg.eigh(h)
    freed = x - axes @ ((axes.T @ slope) / np.abs(values))
    along = axes[:, values < 0].T
    return {
        "draws": p.samples,
        "path": path,
        "steps": steps,
        "newton_gap": float(np.abs(landed - target).max()),
        "freed_ratio": float(np.linalg.norm(along @ (freed - target)) / np.linalg.norm(along @ (x - target))),
        "share": float(definite(rng, p.n, p.samples).mean()),
        "entries": float(h.size),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    path = results["path"]
    expected = path[0] * predicted["growth"] ** np.arange(len(path))
    share = predicted["share"]
    solved = 64 * ROUNDING * p.d * p.condition
    return (
        Check(
            "distance-from-saddle",
            Text("largest relative gap of the distance from its formula", "距离与公式的最大相对差距"),
            0.0,
            float(np.abs(path / expected - 1).max()),
            4 * ROUNDING * (len(path) + 1),
            Text("one rounding or two per step", "每步一两次舍入"),
        ),
        Check(
            "steps-to-leave",
            Text("steps until the distance exceeds 1", "距离超过 1 所需的步数"),
            float(predicted["steps"]),
            float(results["steps"]),
            1.0,
            Text("rounding where a whole number of steps ends at 1", "恰好整数步到 1 时的舍入"),
        ),
        Check(
            "newton-lands-on-the-saddle",
            Text("distance from the saddle after one Newton step", "一步牛顿之后到鞍点的距离"),
            0.0,
            results["newton_gap"],
            solved,
            Text("condition number times rounding", "条件数乘以舍入误差"),
        ),
        Check(
            "absolute-curvature-doubles",
            Text("growth of the distance along negative curvature", "沿负曲率方向距离的增长"),
            2.0,
            results["freed_ratio"],
            solved,
            Text("condition number times rounding", "条件数乘以舍入误差"),
        ),
        Check(
            "share-of-minima",
            Text("share of random curvatures that are all positive", "随机曲率全为正的占比"),
            share,
            results["share"],
            bernstein_band(1.0, share * (1 - share), results["draws"]),
            Text("Bernstein's inequality on a share", "占比的 Bernstein 不等式"),
            false_alarm=1e-7,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    path = results["path"]
    steps = np.arange(len(path), dtype=float)
    shown = np.unique(np.linspace(0, len(path) - 1, 40).round()).astype(int)
    return (
        Plot(
            Text("Leaving a saddle", "离开鞍点"),
            Text(
                "a plateau in the loss is the time this line takes to come up from a small start",
                "损失的平台期，就是这条线从很小的起点爬上来的时间",
            ),
            Axis(Text("step", "步")),
            Axis(Text("distance from the saddle", "到鞍点的距离"), scale="log"),
            (
                Line(Text("predicted", "预测"), steps, path[0] * predicted["growth"] ** steps, "predicted"),
                Points(Text("measured", "实测"), steps[shown], path[shown], "measured"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D71",
    name="saddles-and-newton",
    title=Text("Saddles and Newton's step", "鞍点与牛顿步"),
    shows=Text(
        "descent leaves a saddle geometrically, Newton's step goes right to it; Newton ignores units and conditioning; random curvatures "
        "are hardly ever all positive",
        "梯度下降按几何级数离开鞍点，牛顿步正好走到鞍点上；牛顿法与单位和条件数无关；随机曲率几乎不会全为正",
    ),
    kills=Text(
        "“gradient descent gets stuck at saddles”, “Newton's method always goes downhill”",
        "“梯度下降会卡在鞍点”、“牛顿法总是往下走”",
    ),
    parameters=(
        Parameter("lr", r"\eta", Text("learning rate", "学习率"), 0.1, 0.05, 1.0, 0.5, scale="log"),
        Parameter("down", "b", Text("negative curvature, its size", "负曲率的大小"), 0.2, 0.1, 1.0, 0.05),
        Parameter(
            "offset",
            r"\log_{10} \delta",
            Text("first distance, power of ten", "起始距离，十的幂次"),
            -6,
            -10,
            -1,
            1,
            "int",
        ),
        Parameter("d", "d", Text("parameters of the quadratic", "二次函数的参数个数"), 20, 2, 60, 1, "int"),
        Parameter(
            "condition", r"\kappa", Text("condition number", "条件数"), 1000.0, 1.0, 1e6, 9.0, scale="log"
        ),
        Parameter("n", "n", Text("size of the random curvature", "随机曲率的维数"), 2, 1, 3, 1, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    samples=Samples(rest=8000, drag=2000),
    headline=Headline(
        "steps",
        Text("steps to leave a saddle from the first distance", "从起始距离离开鞍点所需的步数"),
        Text("steps", "步"),
        10.0,
        5000.0,
        "log",
    ),
)
