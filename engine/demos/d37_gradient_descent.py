"""D37: gradient descent on a quadratic, mode by mode: how fast, how far, and from which learning rate on not at all.

The tutorial audited: y = 2x + 1 at x = 1 … 5, mean squared error, from zero, learning rate 0.01, 500 epochs.
Sources: Cauchy 1847; LeCun et al. 1998 (Efficient BackProp), sections 4.4 and 5.1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.optimizer import descent
from engine.proof.step import Expr, Step, defined, equal, ordered, popular_error
from engine.text import Text

SLOPE, INTERCEPT = 2.0, 1.0
"""The line that the data lie on."""
BLOWN_UP = 1e6
"""Distance at which a run is given up as diverged."""
RATES = np.geomspace(0.01, 1.5, 48)
"""Learning rates tried in turn; between the last that holds and the first that does not, FINER more are."""
FINER, TRIED_EPOCHS = 40, 300
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def curvature(mean_square: Expr, mean: Expr) -> tuple[Expr, Expr, Expr]:
    """Second derivatives (ww, wb, bb) of the mean of (w x + b - y)²."""
    return 2 * mean_square, 2 * mean, 2 * mean**0


def mean_of_places(n: Expr) -> Expr:
    """Mean of 1 … n."""
    return (n + 1) / 2


def mean_square_of_places(n: Expr) -> Expr:
    """Mean of 1², …, n²."""
    return (n + 1) * (2 * n + 1) / 6


def eigenvalue(half_trace: Expr, root: Expr, sign: int) -> Expr:
    """Of a symmetric 2 × 2 matrix; ``root`` is √(half_trace² - det)."""
    return half_trace + sign * root


def contraction(lr: Expr, curve: Expr) -> Expr:
    """What one step multiplies the error along an eigenvector by."""
    return 1 - lr * curve


def derive() -> tuple[Step, ...]:
    return (*_quadratic(), *_modes(), *_learning_rate(), *_around())


def _quadratic() -> tuple[Step, ...]:
    import sympy as sp

    w, b = sp.symbols("w b", real=True)
    n = sp.Symbol("n", integer=True, positive=True)
    k = sp.Symbol("k", integer=True, positive=True)
    loss = sum((w * x + b - (2 * x + 1)) ** 2 for x in range(1, 6)) / sp.Integer(5)
    H = _hessian()
    ww, wb, _ = curvature(mean_square_of_places(n), mean_of_places(n))
    return (
        defined(
            "loss",
            r"L(w, b) = \frac{1}{n} \sum_{k=1}^{n} (w x_k + b - y_k)^2, \qquad y_k = 2 x_k + 1, \quad x_k = k",
            Text(
                "a line fitted by mean squared error; the tutorial takes $n = 5$",
                "用均方误差拟合一条直线；教程取 $n = 5$",
            ),
        ),
        equal(
            "gradient",
            sp.ImmutableMatrix([sp.Derivative(loss, w), sp.Derivative(loss, b)]),
            sp.MatMul(H, sp.ImmutableMatrix([w - 2, b - 1])),
            Text(
                "the gradient is a fixed matrix times the error",
                "梯度等于一个固定的矩阵乘以误差",
            ),
            bound="n=5",
        ),
        equal(
            "curvature-slope",
            sp.Sum(k**2, (k, 1, n)) * 2 / n,
            ww,
            Text("its first entry at any $n$", "任意 $n$ 时它的第一个元素"),
        ),
        equal(
            "curvature-mixed",
            sp.Sum(k, (k, 1, n)) * 2 / n,
            wb,
            Text(
                "and the mixed one: not zero, for the inputs are not centred",
                "以及混合元素：不为零，因为输入没有中心化",
            ),
        ),
    )


def _hessian() -> Any:
    import sympy as sp

    five = sp.Integer(5)
    ww, wb, bb = curvature(mean_square_of_places(five), mean_of_places(five))
    return sp.ImmutableMatrix([[ww, wb], [wb, bb]])


def _modes() -> tuple[Step, ...]:
    import sympy as sp
    from sympy.matrices.expressions.matexpr import MatrixElement

    H, eta = _hessian(), sp.Symbol("eta", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    steps: list[Step] = []
    for name, sign, zh in (("fast", 1, "快"), ("slow", -1, "慢")):
        lam = eigenvalue(sp.Integer(12), 2 * sp.sqrt(34), sign)
        v = sp.ImmutableMatrix([6, lam - 22])
        steps += [
            equal(
                f"{name}-mode",
                sp.MatMul(H, v),
                lam * v,
                Text(f"the {name} mode: an eigenvector and its eigenvalue", f"{zh}模态：特征向量与特征值"),
                bound="n=5",
            ),
            equal(
                f"{name}-mode-shrinks",
                sp.MatMul(sp.eye(2) - eta * H, contraction(eta, lam) ** n * v),
                contraction(eta, lam) ** (n + 1) * v,
                Text(
                    r"one step multiplies the error along it by $1 - \eta\lambda$, so $n$ steps by the $n$-th power",
                    r"每一步使沿它的误差乘以 $1 - \eta\lambda$，$n$ 步就是 $n$ 次幂",
                ),
                bound="n=5",
            ),
        ]
    iterate = sp.MatPow(sp.eye(2) - H / 100, 500)
    slope = sp.MatMul(sp.ImmutableMatrix([[1, 0]]), iterate, sp.ImmutableMatrix([-2, -1]))
    return (
        *steps,
        ordered(
            "not-converged",
            MatrixElement(slope, 0, 0),
            ">",
            sp.Rational(1, 50),
            Text(
                "the tutorial's slope after 500 epochs, in exact rationals: still more than 0.02 too large",
                "教程 500 轮之后的斜率，用精确有理数计算：仍偏大 0.02 以上",
            ),
            # evaluated, two numbers of 773 digits: not to be printed
            witness=slope.as_explicit()[0, 0] - sp.Rational(1, 50),
        ),
    )


def _learning_rate() -> tuple[Step, ...]:
    import sympy as sp

    lam, eta, d = sp.symbols("lambda eta d", positive=True)
    fast = eigenvalue(sp.Integer(12), 2 * sp.sqrt(34), 1)
    lam_1, lam_2 = sp.symbols("lambda_1:3", positive=True)
    best = 2 / (lam_1 + lam_2)
    return (
        ordered(
            "stable-below-the-edge",
            contraction(2 / (lam + d), lam) ** 2,
            "<",
            sp.Integer(1),
            Text(
                r"any learning rate below $2/\lambda$, written $2/(\lambda + d)$, shrinks the mode",
                r"任何小于 $2/\lambda$ 的学习率，写成 $2/(\lambda + d)$，都使该模态收缩",
            ),
            witness=4 * lam * d / (lam + d) ** 2,
        ),
        ordered(
            "unstable-above-it",
            contraction(2 / lam + d, lam) ** 2,
            ">",
            sp.Integer(1),
            Text("and any above it makes it grow", "大于它则使该模态增大"),
            witness=2 * d * lam + d**2 * lam**2,
        ),
        ordered(
            "edge-above",
            2 / fast,
            ">",
            sp.Rational(845, 10000),
            Text("the tutorial's edge lies above 0.0845", "教程的稳定边界高于 0.0845"),
        ),
        ordered(
            "edge-below",
            2 / fast,
            "<",
            sp.Rational(846, 10000),
            Text("and below 0.0846", "且低于 0.0846"),
        ),
        equal(
            "best-rate",
            contraction(best, lam_1),
            -contraction(best, lam_2),
            Text(
                r"the best fixed rate, $2/(\lambda_1 + \lambda_2)$, makes both modes equally fast",
                r"最优的固定学习率 $2/(\lambda_1 + \lambda_2)$ 使两个模态同样快",
            ),
        ),
        popular_error(
            "bigger-is-faster",
            contraction(eta + d, lam) ** 2,
            contraction(eta, lam) ** 2,
            Text(
                r"'a bigger learning rate is just faster': past $1/\lambda$ the mode overshoots more and more",
                r"“学习率越大越快”：超过 $1/\lambda$ 之后，该模态越冲越过头",
            ),
            op="<=",
        ),
    )


def _around() -> tuple[Step, ...]:
    import sympy as sp

    g, u = sp.symbols("g_1:4", real=True), sp.symbols("u_1:4", real=True)
    cross = sum((g[i] * u[j] - g[j] * u[i]) ** 2 for i in range(3) for j in range(i))
    D, H, C = sp.symbols("D H C", integer=True, positive=True)
    W_1, W_2 = sp.MatrixSymbol("W_1", H, D), sp.MatrixSymbol("W_2", C, H)
    b_1, b_2, x = sp.MatrixSymbol("b_1", H, 1), sp.MatrixSymbol("b_2", C, 1), sp.MatrixSymbol("x", D, 1)
    theta, gradient, eta = sp.symbols("theta g eta", real=True)
    return (
        equal(
            "update",
            sp.Derivative(descent(theta, gradient, eta), eta),
            -gradient,
            Text(
                "the update, for each unit of the learning rate: against the gradient",
                "更新：学习率每增加一个单位，就沿梯度的反方向多走一个梯度",
            ),
        ),
        ordered(
            "steepest",
            sum(a * b for a, b in zip(g, u, strict=True)) ** 2,
            "<=",
            sum(a**2 for a in g) * sum(b**2 for b in u),
            Text(
                "no direction $u$ of a given length climbs faster than the gradient's own (Cauchy-Schwarz; equality along $g$)",
                "给定长度的方向 $u$ 中，没有比梯度方向上升更快的（Cauchy-Schwarz；沿 $g$ 取等号）",
            ),
            witness=cross,
            bound="n=3",
        ),
        equal(
            "affine-layers-collapse",
            W_2 * (W_1 * x + b_1) + b_2,
            (W_2 * W_1) * x + (W_2 * b_1 + b_2),
            Text(
                "and why a network needs more than such layers: two affine ones are one",
                "网络不能只有这样的层：两个仿射层合起来还是一个仿射层",
            ),
        ),
    )


def inputs(p: Params) -> Array:
    """x_1 … x_n, centred where asked."""
    x = np.arange(1.0, p.points + 1)
    return x - x.mean() if p.inputs == "centred" else x


def predict(p: Params) -> Results:
    centred = p.inputs == "centred"
    mean = mean_of_places(p.points)
    moments = (
        (mean_square_of_places(p.points) - mean**2, 0.0)
        if centred
        else (mean_square_of_places(p.points), mean)
    )
    ww, wb, bb = curvature(*moments)
    half_trace = (ww + bb) / 2
    root = math.sqrt(half_trace**2 - (ww * bb - wb**2))
    fast, slow = (eigenvalue(half_trace, root, sign) for sign in (1, -1))
    optimum = np.array([SLOPE, INTERCEPT + (SLOPE * mean if centred else 0.0)])
    # orthonormal eigenvectors by the angle of the symmetric matrix
    angle = math.atan2(2 * wb, ww - bb) / 2
    vectors = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    return {
        "optimum": optimum,
        "eigenvalues": np.array([fast, slow]),
        "eigenvectors": vectors,
        "edge": 2 / fast,
        "condition": fast / slow,
        "start": vectors @ -optimum,
    }


def error_after(predicted: Results, lr: float, epochs: Array) -> Array:
    """Errors along both eigenvectors after so many epochs: (…, 2)."""
    factors = contraction(lr, predicted["eigenvalues"])
    # the power of a factor below one may be too small for a float: 0, rightly
    with np.errstate(under="ignore"):
        errors: Array = predicted["start"] * factors ** np.asarray(epochs, dtype=float)[..., None]
    return errors


def design_matrix(x: Array) -> Array:
    """Rows (x_k, 1): (n, 2)."""
    return np.stack([x, np.ones_like(x)], axis=1)


def mse_gradient(parameters: Array, design: Array, y: Array) -> Array:
    """dL/d(w, b) (…, 2) of the mean squared error at ``parameters`` (…, 2)."""
    # r_k = w x_k + b - y_k
    residual = parameters @ design.T - y  # (…, n)
    # dL/dw = 2/n sum r_k x_k, dL/db = 2/n sum r_k
    gradient: Array = 2 / len(y) * (residual @ design)  # (…, 2)
    return gradient


def descend(rates: Array, epochs: int, design: Array, y: Array) -> Array:
    """Parameters (epochs+1, …, 2) from zero on, one run for each of the learning rates (…), all of them side by side.

    A run that has blown up goes on into overflow: see :func:`given_up`.
    """
    path, each = np.zeros((epochs + 1, *rates.shape, 2)), rates[..., None]
    parameters = path[0]  # (…, 2)
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(1, epochs + 1):
            path[epoch] = parameters = descent(parameters, mse_gradient(parameters, design, y), each)
    return path


def given_up(path: Array) -> NDArray[np.int_]:
    """The epoch (…) at which each run of a path (epochs+1, …, 2) ends: the first that has blown up, else the last."""
    blown_up = (np.abs(path) > BLOWN_UP).any(axis=-1)  # (epochs+1, …)
    return np.where(blown_up.any(axis=0), blown_up.argmax(axis=0), len(path) - 1)


def train(p: Params, design: Array, y: Array) -> Array:
    """Parameters (epochs+1, 2) from zero on; given up where the run has blown up."""
    path = descend(np.array(p.lr), p.epochs, design, y)
    return path[: given_up(path) + 1]


def distances_by_rate(rates: Array, design: Array, y: Array, optimum: Array) -> Array:
    """Distance from the optimum after TRIED_EPOCHS, or where the run has blown up, over that at the start, for each rate."""
    path = descend(rates, TRIED_EPOCHS, design, y)
    ends = path[given_up(path), np.arange(len(rates))]  # (rates, 2)
    distances: Array = np.linalg.norm(ends - optimum, axis=1) / np.linalg.norm(optimum)
    return distances


def measure(p: Params, rng: np.random.Generator) -> Results:
    x = inputs(p)
    y = SLOPE * np.arange(1.0, p.points + 1) + INTERCEPT
    design = design_matrix(x)
    path = train(p, design, y)
    # the optimum by least squares, with no descent in it
    optimum: Array = np.asarray(np.linalg.lstsq(design, y, rcond=None)[0], dtype=float)
    distances = distances_by_rate(RATES, design, y, optimum)
    first = int(np.argmax(distances > 1))
    finer = np.geomspace(RATES[first - 1], RATES[first], FINER)
    lost = distances_by_rate(finer, design, y, optimum) > 1
    return {
        "slope": float(path[-1, 0]),
        "intercept": float(path[-1, 1] - path[-1, 0] * (mean_shift(p) if p.inputs == "centred" else 0.0)),
        "epochs_run": len(path) - 1,
        "path": path,
        "largest": float(np.abs(path).max()),
        "optimum": optimum,
        "edge": float(finer[max(0, int(np.argmax(lost)) - 1)]),
        "distances": distances,
        "gradient_at_optimum": float(np.abs(mse_gradient(optimum, design, y)).max()),
    }


def mean_shift(p: Params) -> float:
    """What centring took off the inputs."""
    return float(np.arange(1.0, p.points + 1).mean())


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    epochs = results["epochs_run"]
    error = error_after(predicted, p.lr, np.array(epochs)) @ predicted["eigenvectors"]
    final = predicted["optimum"] + error
    scale = max(results["largest"], float(np.abs(predicted["optimum"]).max()))
    rounding = 64 * p.points**2 * (epochs + 1) * ROUNDING * scale
    law = Text(
        "rounding of every epoch, on parameters of the largest size met",
        "每一轮的舍入误差，乘以参数达到过的最大值",
    )
    return (
        Check(
            "slope-after-the-epochs",
            Text("the slope is that of the closed form", "斜率等于闭式解"),
            float(final[0]),
            float(results["path"][-1, 0]),
            rounding,
            law,
        ),
        Check(
            "offset-after-the-epochs",
            Text("and so is the offset", "偏置也等于闭式解"),
            float(final[1]),
            float(results["path"][-1, 1]),
            rounding,
            law,
        ),
        Check(
            "edge-of-stability",
            Text(
                "the largest learning rate tried that does not lead away",
                "尝试过的学习率中，不会越走越远的最大者",
            ),
            predicted["edge"],
            results["edge"],
            0.01 * predicted["edge"],
            Text(
                "rates tried are 0.3 % apart, and 300 epochs tell growth from decay 0.5 % beyond the edge",
                "尝试的学习率相隔 0.3 %，300 轮足以在超出边界 0.5 % 处分辨增长与衰减",
            ),
        ),
        Check(
            "least-squares",
            Text(
                "least squares finds the same optimum (distance)",
                "最小二乘得到同一个最优点（距离）",
            ),
            0.0,
            float(np.abs(results["optimum"] - predicted["optimum"]).max()),
            64 * p.points**2 * predicted["condition"] * ROUNDING * scale,
            Text("rounding, times the condition number", "舍入误差乘以条件数"),
        ),
        Check(
            "gradient-at-the-optimum",
            Text("where the gradient is zero (largest entry)", "该处梯度为零（最大分量）"),
            0.0,
            results["gradient_at_optimum"],
            64 * p.points**3 * predicted["condition"] * ROUNDING * scale,
            Text("rounding, times the condition number", "舍入误差乘以条件数"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    return _modes_figure(p, predicted, results), _path(p, predicted, results), _rates(p, predicted, results)


def _modes_figure(p: Params, predicted: Results, results: Results) -> Plot:
    epochs = results["epochs_run"]
    shown = np.unique(np.linspace(0, epochs, min(epochs + 1, 160)).astype(int))
    measured = np.abs((results["path"][shown] - predicted["optimum"]) @ predicted["eigenvectors"].T)
    expected = np.abs(error_after(predicted, p.lr, shown))
    floor = max(1e-14, float(measured.max()) * 1e-14)
    clean = np.where(measured > floor, measured, np.nan)
    line = np.where(expected > floor, expected, np.nan)
    axis = shown.astype(float)
    return Plot(
        Text("Error along the two eigenvectors", "沿两个特征向量的误差"),
        Text(
            "each mode is a straight line of its own slope: the steep one is done early, the other sets the time",
            "每个模态都是一条直线，斜率各不相同：陡的早早结束，另一个决定所需时间",
        ),
        Axis(Text("epoch", "轮")),
        Axis(Text("error", "误差"), "log"),
        (
            Line(Text("slow mode", "慢模态"), axis, clean[:, 1]),
            Line(Text("fast mode", "快模态"), axis, clean[:, 0], "other"),
            Line(Text("closed form", "闭式解"), axis, line[:, 1], "predicted"),
            Line(Text("closed form, fast", "闭式解，快"), axis, line[:, 0], "context"),
        ),
    )


def _path(p: Params, predicted: Results, results: Results) -> Plot:
    path = results["path"][:400]
    angle = np.linspace(0, 2 * math.pi, 65)
    optimum, vectors = predicted["optimum"], predicted["eigenvectors"]
    # the level line of the loss through the start: an ellipse with half axes over the roots of the eigenvalues
    level = math.sqrt(float(predicted["eigenvalues"] @ predicted["start"] ** 2))
    axes = level / np.sqrt(predicted["eigenvalues"])
    ellipse = optimum + (np.stack([np.cos(angle), np.sin(angle)], axis=1) * axes) @ vectors
    reach = np.abs(ellipse - optimum).max(axis=0) * 1.2
    inside = (np.abs(path - optimum) <= reach).all(axis=1)
    return Plot(
        Text("Path over the level line of the start", "起点等高线上的路径"),
        Text(
            "the valley is long and narrow: the path drops into it at once and then creeps along it",
            "谷又长又窄：路径立刻落入谷底，然后沿谷底慢慢爬行",
        )
        if p.lr < predicted["edge"]
        else Text(
            "above the edge every step jumps further across the valley",
            "超过稳定边界，每一步都更远地跳过谷底",
        ),
        Axis(Text("slope w", "斜率 w")),
        Axis(Text("offset b", "偏置 b")),
        (
            Line(Text("level of the start", "起点的等高线"), ellipse[:, 0], ellipse[:, 1], "context"),
            Line(Text("path", "路径"), path[inside, 0], path[inside, 1]),
            Points(Text("optimum", "最优点"), optimum[:1], optimum[1:], "predicted"),
        ),
    )


def _rates(p: Params, predicted: Results, results: Results) -> Plot:
    floor = 1e-12
    return Plot(
        Text(f"Distance left after {TRIED_EPOCHS} epochs", f"{TRIED_EPOCHS} 轮后剩下的距离"),
        Text(
            "a bigger learning rate helps up to a point near the edge, and past the edge nothing converges",
            "学习率增大在接近边界之前有帮助，越过边界就不再收敛",
        ),
        Axis(Text("learning rate", "学习率"), "log"),
        Axis(Text("distance over that at the start", "与起点距离之比"), "log", high=10.0),
        (
            Line(
                Text("measured", "实测"),
                RATES,
                np.where(results["distances"] > floor, np.minimum(results["distances"], 10.0), floor),
            ),
            Rule(Text("edge, 2/λ", "边界 2/λ"), predicted["edge"], "x", "bound"),
            Rule(Text("learning rate now", "当前学习率"), p.lr, "x", "context"),
        ),
    )


DEMO = Demonstration(
    id="D37",
    name="gradient-descent",
    title=Text("Gradient descent on a quadratic", "二次函数上的梯度下降"),
    shows=Text(
        r"along each eigenvector the error shrinks by $1 - \eta\lambda$ per step: stable for $\eta < 2/\lambda_{max}$, as "
        "slow as the smallest eigenvalue; the tutorial's 500 epochs end at $w = 2.021$",
        r"沿每个特征向量，误差每步乘以 $1 - \eta\lambda$：$\eta < 2/\lambda_{max}$ 时稳定，快慢由最小特征值决定；"
        "教程的 500 轮停在 $w = 2.021$",
    ),
    kills=Text(
        "“500 epochs, so it has converged”, “a bigger learning rate is just faster”",
        "“跑了 500 轮就收敛了”“学习率越大越快”",
    ),
    parameters=(
        Parameter("lr", r"\eta", Text("learning rate", "学习率"), 0.01, 0.001, 0.1, 0.02, scale="log"),
        Parameter("epochs", "N", Text("epochs", "轮数"), 500, 1, 2500, 1.0, "int", "log"),
        Parameter("points", "n", Text("data points x = 1 … n", "数据点 x = 1 … n"), 5, 2, 10, 1.0, "int"),
        Parameter(
            "inputs",
            r"\text{inputs}",
            Text("inputs", "输入"),
            "raw",
            kind="choice",
            choices=(
                Choice("raw", Text("as they are", "原样")),
                Choice("centred", Text("centred", "中心化")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "slope",
        Text("slope w after the epochs (the data's is 2)", "训练结束时的斜率 w（数据的斜率为 2）"),
        Text("", ""),
        1.0,
        3.0,
    ),
)
