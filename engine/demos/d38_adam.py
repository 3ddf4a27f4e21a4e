"""D38: what Adam does to a gradient: its scale, its first step, its step after silence, and where it goes wrong.

Kingma and Ba 2015, algorithm 1 and section 2.1; Loshchilov and Hutter 2019 (decoupled weight decay); Reddi, Kale and
Kumar 2018, section 3 (a convex problem on which it converges to the worst point); Vaswani et al. 2017, section 5.3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.optimizer import SGD, Adam, AdamState, Floats, descent, moving_average, unbiased
from engine.proof.step import Expr, Step, cited, defined, equal, let, popular_error
from engine.text import Text, same

SILENCE = 10_000
"""Steps without a gradient before the one that comes."""
CONSTANT_STEPS, DECAY_STEPS, DECAY = 40, 20, 0.1
DESCENT_STEPS = 300
CYCLES, LARGE, RATE = 90, 3.0, 0.2
"""The counterexample: cycles of one gradient C and two of -1; its learning rate falls from here with the root of t."""
SCALES = np.geomspace(1e-6, 1e6, 25)
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def first_step(size: Expr, eps: Expr) -> Expr:
    """|first step| over the learning rate, for a gradient of this size."""
    return size / (size + eps)


def spike_step(size: Expr, eps: Expr, weight_1: Expr, root_weight_2: Expr) -> Expr:
    """|step| over the learning rate when a gradient of this size comes after none at all.

    ``weight_1`` is what the newest gradient weighs in the corrected mean, ``root_weight_2`` the root of what its square does.
    """
    return weight_1 * size / (root_weight_2 * size + eps)


def newest_weight(beta: Expr, steps: Expr) -> Expr:
    """Weight of the newest value in a bias-corrected moving average."""
    return (1 - beta) / (1 - beta**steps)


def decoupled_shrinkage(lr: Expr, decay: Expr, steps: Expr) -> Expr:
    """What AdamW's weight decay alone leaves of a parameter."""
    return (1 - lr * decay) ** steps


def descent_rate(condition: Expr) -> Expr:
    """Factor on the error per step of gradient descent at the best fixed learning rate."""
    return (condition - 1) / (condition + 1)


def derive() -> tuple[Step, ...]:
    return (*_averages(), *_scale(), *_what_it_is_not())


def _averages() -> tuple[Step, ...]:
    import sympy as sp

    g, size, eps, a, b = sp.symbols("g s epsilon a b", positive=True)
    beta, beta_1, beta_2 = sp.symbols("beta beta_1 beta_2", positive=True)
    t = sp.Symbol("t", integer=True, positive=True)
    m, v = sp.symbols("m v")
    spike = ((m, moving_average(0, size, beta_1)), (v, moving_average(0, size**2, beta_2)))
    mean, square = unbiased(m, beta_1, 1), unbiased(v, beta_2, 1)
    late_mean, late_square = unbiased(m, beta_1, t), unbiased(v, beta_2, t)
    return (
        defined(
            "adam",
            r"\theta_t = \theta_{t-1} - \eta \frac{\hat m_t}{\sqrt{\hat v_t} + \epsilon}, \qquad "
            r"m_t = \beta_1 m_{t-1} + (1 - \beta_1) g_t, \quad v_t = \beta_2 v_{t-1} + (1 - \beta_2) g_t^2",
            Text(
                "moving averages of the gradient and of its square, each corrected for its start at zero",
                "梯度及其平方的滑动平均，各自对零初值做偏差修正",
            ),
        ),
        equal(
            "short-of-the-mean",
            moving_average((1 - beta**t) * g, g, beta),
            (1 - beta ** (t + 1)) * g,
            Text(
                r"a constant gradient: after $t$ steps an average from zero holds $1 - \beta^t$ of it (one more step)",
                r"梯度恒定时，从零开始的平均在 $t$ 步后只有它的 $1 - \beta^t$（归纳一步）",
            ),
        ),
        equal(
            "bias-corrected",
            unbiased(sp.UnevaluatedExpr((1 - beta**t) * g), beta, t),
            g,
            Text(
                r"dividing by $1 - \beta^t$ gives it in full, from the first step on",
                r"除以 $1 - \beta^t$，从第一步起就得到完整的值",
            ),
        ),
        *(
            let(
                f"first-{name}",
                *average,
                Text(
                    "an average that starts at zero, after the one gradient $s$",
                    "从零开始的平均，遇到唯一一个梯度 $s$ 之后",
                ),
            )
            for name, average in zip(("mean", "square"), spike, strict=True)
        ),
        equal(
            "first-step",
            mean / (sp.sqrt(square) + eps),
            first_step(size, eps),
            Text(
                "so the first step is the learning rate times almost the sign of the gradient, whatever its size $s$",
                "所以第一步约等于学习率乘以梯度的符号，与梯度大小 $s$ 几乎无关",
            ),
            using=spike,
        ),
        equal(
            "after-silence",
            late_mean / (sp.sqrt(late_square) + eps),
            spike_step(size, eps, newest_weight(beta_1, t), sp.sqrt(newest_weight(beta_2, t))),
            Text(
                "a gradient after $t - 1$ steps of none: it weighs more in the mean than in the root of the square",
                "前面 $t - 1$ 步都没有梯度，突然来一个：它在均值中的权重大于在均方根中的权重",
            ),
            using=spike,
        ),
        popular_error(
            "step-below-the-learning-rate",
            (1 - 1 / (1 + a)) ** 2,
            1 - 1 / (1 + b),
            Text(
                r"'no step exceeds the learning rate': it does where $1 - \beta_1 > \sqrt{1 - \beta_2}$, as with the usual 0.9 and "
                r"0.999 (squares compared, $\beta_1 = 1/(1+a)$, $\beta_2 = 1/(1+b)$)",
                r"“每一步都不超过学习率”：$1 - \beta_1 > \sqrt{1 - \beta_2}$ 时就会超过，常用的 0.9 与 0.999 "
                r"正是如此（式中比较平方，$\beta_1 = 1/(1+a)$，$\beta_2 = 1/(1+b)$）",
            ),
            op="<=",
        ),
    )


def _scale() -> tuple[Step, ...]:
    import sympy as sp

    g, m, v, c, eps, beta = sp.symbols("g m v c epsilon beta", positive=True)
    return (
        equal(
            "mean-scales",
            moving_average(c * m, c * g, beta),
            c * moving_average(m, g, beta),
            Text(
                "a loss multiplied by $c$: the mean of its gradients too",
                "损失乘以 $c$：梯度的均值也乘以 $c$",
            ),
        ),
        equal(
            "square-scales",
            moving_average(c**2 * v, (c * g) ** 2, beta),
            c**2 * moving_average(v, g**2, beta),
            Text("and that of their squares by $c^2$", "平方的均值乘以 $c^2$"),
        ),
        equal(
            "scale-invariant",
            sp.UnevaluatedExpr(c * m) / sp.sqrt(sp.UnevaluatedExpr(c**2 * v)),
            m / sp.sqrt(v),
            Text(
                r"so with $\epsilon = 0$ every step is what it was: the scale of the loss does not matter",
                r"所以 $\epsilon = 0$ 时每一步都不变：损失的尺度无关紧要",
            ),
        ),
        popular_error(
            "invariant-with-epsilon",
            c * m / (sp.sqrt(c**2 * v) + eps),
            m / (sp.sqrt(v) + eps),
            Text(
                r"'with $\epsilon$ as well': not for gradients of its size",
                r"“有 $\epsilon$ 也一样”：梯度与它同量级时就不是",
            ),
        ),
    )


def _what_it_is_not() -> tuple[Step, ...]:
    import sympy as sp

    theta, decay, eta, more = sp.symbols("theta lambda eta d", positive=True)
    t = sp.Symbol("t", integer=True, positive=True)
    kappa, eps = sp.symbols("kappa epsilon", positive=True)
    left = decoupled_shrinkage(eta, decay, t) * theta
    best = 2 / (1 + kappa)
    return (
        equal(
            "decoupled-decay",
            descent(left, decay * left, eta),
            decoupled_shrinkage(eta, decay, t + 1) * theta,
            Text(
                r"AdamW without gradients: each step takes the share $\eta\lambda$ off a parameter",
                r"没有梯度时的 AdamW：每一步让参数减少 $\eta\lambda$ 的比例",
            ),
        ),
        equal(
            "coupled-decay",
            sp.Limit(first_step(decay * theta, eps), eps, 0),
            sp.Limit(first_step((decay + more) * theta, eps), eps, 0),
            Text(
                r"while a decay that joins the gradient is normalised with it: its strength $\lambda$ cancels in the first step",
                r"而并入梯度的权重衰减会一起被归一化：第一步里强度 $\lambda$ 被约掉",
            ),
        ),
        popular_error(
            "decay-is-decay",
            descent(theta, first_step(decay * theta, 0), eta),
            descent(theta, decay * theta, eta),
            Text(
                "'L2 in the gradient and weight decay are the same': for plain gradient descent only",
                "“梯度里的 L2 正则就是权重衰减”：只对普通梯度下降成立",
            ),
        ),
        equal(
            "plain-descent",
            1 - best,
            descent_rate(kappa),
            Text(
                r"plain descent on curvatures $1$ and $\kappa$ at its best rate $2/(1 + \kappa)$: the flat mode's factor",
                r"曲率为 $1$ 与 $\kappa$ 时，普通梯度下降取最优学习率 $2/(1 + \kappa)$：平坦模态的收缩因子",
            ),
        ),
        equal(
            "plain-descent-steep",
            1 - best * kappa,
            -descent_rate(kappa),
            Text("and the steep one's, of the same size", "陡峭模态的收缩因子大小相同"),
        ),
        cited(
            "not-always-convergent",
            r"f_t(x) = C x \ (t \equiv 1 \bmod 3), \quad -x \ \text{else}, \qquad x \in [-1, 1],\ C > 2",
            Text(
                r"the best point is $-1$; Adam with $\beta_1 = 0$, $\beta_2 = 1/(1 + C^2)$ goes to $+1$ (run below)",
                r"最优点是 $-1$；$\beta_1 = 0$、$\beta_2 = 1/(1 + C^2)$ 的 Adam 走向 $+1$（下面实际运行）",
            ),
            "Reddi, Kale and Kumar 2018, theorem 1",
        ),
    )


def adam(p: Params, epsilon: float | None = None) -> Adam:
    return Adam(p.lr, p.beta_1, p.beta_2, p.epsilon if epsilon is None else epsilon)


def predict(p: Params) -> Results:
    weight_1 = newest_weight(p.beta_1, SILENCE + 1)
    root_weight_2 = math.sqrt(newest_weight(p.beta_2, SILENCE + 1))
    return {
        "first_step": first_step(p.scale, p.epsilon),
        "spike_step": spike_step(p.scale, p.epsilon, weight_1, root_weight_2),
        "constant_travel": CONSTANT_STEPS * first_step(p.scale, p.epsilon),
        "decoupled": decoupled_shrinkage(p.lr, DECAY, DECAY_STEPS),
        "coupled_step": first_step(DECAY * p.scale, p.epsilon),
        "descent_rate": descent_rate(p.condition),
        "steps_by_scale": first_step(SCALES, p.epsilon),
        "counterexample": 1.0,
    }


def run_adam(optimizer: Adam, curve: Array, start: Array, scales: Array) -> Array:
    """Points (DESCENT_STEPS+1, runs, 2) on the losses scale · x^T curve x / 2, one run a scale, all from ``start`` (2,)."""
    x = np.tile(start, (len(scales), 1))
    state = optimizer.start(x)
    path = np.empty((DESCENT_STEPS + 1, *x.shape))
    path[0] = x
    for step in range(1, DESCENT_STEPS + 1):
        moved, state = optimizer.step(x, scales[:, None] * (x @ curve), state)
        path[step] = x = np.asarray(moved, dtype=float)
    return path


def run_descent(lr: float, curve: Array, start: Array) -> Array:
    """The same for plain gradient descent on x^T curve x / 2."""
    optimizer, x = SGD(lr), start
    path = np.empty((DESCENT_STEPS + 1, 2))
    path[0] = x
    # a well conditioned error becomes too small for a float: 0, rightly
    with np.errstate(under="ignore"):
        for step in range(1, DESCENT_STEPS + 1):
            x = np.asarray(optimizer.step(x, curve @ x)[0], dtype=float)
            path[step] = x
    return path


def losses(path: Array, curve: Array) -> Array:
    with np.errstate(under="ignore"):
        values: Array = ((path @ curve) * path).sum(axis=1) / 2
    return values


def counterexample(plain: bool) -> Array:
    """x after each step of the cycle of gradients C, -1, -1 on [-1, 1], learning rates falling with the root of t."""
    # plain numbers, which an optimizer steps like arrays: an array of one costs many times their arithmetic
    x: Any = 0.0
    points = np.zeros(3 * CYCLES + 1)
    state: AdamState | None = None
    for t in range(1, 3 * CYCLES + 1):
        gradient: Any = LARGE if t % 3 == 1 else -1.0
        lr = RATE / math.sqrt(t)
        if plain:
            moved: Any = descent(x, gradient, lr)
        else:
            optimizer = Adam(lr, 0.0, 1 / (1 + LARGE**2), 1e-12)
            moved, state = optimizer.step(x, gradient, state or AdamState(x, x, 0))
        x = points[t] = min(max(moved, -1.0), 1.0)
    return points


def measure(p: Params, rng: np.random.Generator) -> Results:
    optimizer, zero = adam(p), np.zeros(1)
    gradient = np.array([p.scale])
    first, _ = optimizer.step(zero, gradient, optimizer.start(zero))
    # zero gradients leave both averages at zero: only the count of steps goes on
    quiet = AdamState(zero, zero, SILENCE)
    spike, _ = optimizer.step(zero, gradient, quiet)
    x: Floats = zero
    state = optimizer.start(zero)
    for _ in range(CONSTANT_STEPS):
        x, state = optimizer.step(x, gradient, state)

    decoupled = Adam(p.lr, p.beta_1, p.beta_2, p.epsilon, DECAY, decoupled=True)
    theta: Floats = np.array([p.scale])
    state = decoupled.start(zero)
    for _ in range(DECAY_STEPS):
        theta, state = decoupled.step(theta, zero, state)
    coupled = Adam(p.lr, p.beta_1, p.beta_2, p.epsilon, DECAY)
    started = np.array([p.scale])
    decayed, _ = coupled.step(started, zero, coupled.start(started))

    angle = math.radians(p.rotation)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    curve = turn @ np.diag([1.0, p.condition]) @ turn.T
    start = turn @ rng.choice([-1.0, 1.0], 2)
    # a power of two scales every product exactly
    power = 2.0 ** round(math.log2(p.scale))
    invariant = Adam(p.lr, p.beta_1, p.beta_2, 0.0)
    both = run_adam(invariant, curve, start, np.array([1.0, power]))
    path = run_adam(optimizer, curve, start, np.array([p.scale]))[:, 0]
    descended = run_descent(2 / (1 + p.condition), curve, start)
    by_scale = [optimizer.step(zero, np.array([scale]), optimizer.start(zero))[0][0] for scale in SCALES]
    adam_points, plain_points = counterexample(plain=False), counterexample(plain=True)
    return {
        "first_step": -float(first[0]) / p.lr,
        "spike_step": -float(spike[0]) / p.lr,
        "constant_travel": -float(x[0]) / p.lr,
        "decoupled": float(theta[0]) / p.scale,
        "coupled_step": float((started - decayed)[0]) / p.lr,
        "rescaled_gap": float(np.abs(both[:, 1] - both[:, 0]).max()),
        "adam_losses": losses(path, curve),
        "descent_losses": losses(descended, curve),
        "descent_error": float(np.linalg.norm(descended[-1]) / np.linalg.norm(start)),
        "steps_by_scale": -np.array(by_scale) / p.lr,
        "counterexample": float(adam_points[-1]),
        "counterexample_plain": float(plain_points[-1]),
        "adam_points": adam_points,
        "plain_points": plain_points,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text("rounding of a few operations", "几次运算的舍入误差")

    def agrees(name: str, key: str, claim: Text, steps: int = 1, lost: float = 0.0) -> Check:
        """``lost``: digits that a difference of nearly equal numbers gives up."""
        value = predicted[key]
        tolerance = 64 * steps * ROUNDING * abs(value) + lost
        return Check(name, claim, value, results[key], tolerance, rounding)

    # the first step of the last cycle, its largest
    last_step = RATE / math.sqrt(3 * CYCLES - 2)
    return (
        agrees(
            "first-step-taken",
            "first_step",
            Text("the first step, over the learning rate", "第一步除以学习率"),
        ),
        agrees(
            "spike-step",
            "spike_step",
            Text(
                "the step after a long silence, over the learning rate",
                "长时间没有梯度之后的一步，除以学习率",
            ),
        ),
        agrees(
            "constant-gradient",
            "constant_travel",
            Text(
                "a constant gradient: all steps are the first one, thanks to the bias correction",
                "恒定梯度：有了偏差修正，每一步都与第一步相同",
            ),
            CONSTANT_STEPS,
        ),
        agrees(
            "decoupled-shrinkage",
            "decoupled",
            Text(
                "what AdamW's decay leaves of a parameter without gradients",
                "没有梯度时 AdamW 的衰减给参数留下的比例",
            ),
            DECAY_STEPS,
        ),
        agrees(
            "coupled-step",
            "coupled_step",
            Text(
                "decay inside the gradient: the first step is the learning rate's, not the decay's",
                "衰减并入梯度：第一步的大小由学习率决定，而不是衰减系数",
            ),
            lost=4 * ROUNDING * p.scale / p.lr,
        ),
        Check(
            "rescaled-loss",
            Text(
                "a loss multiplied by a power of two takes the same path when epsilon is zero (largest gap)",
                "epsilon 为零时，损失乘以二的幂，路径不变（最大差）",
            ),
            0.0,
            results["rescaled_gap"],
            0.0,
            Text("a power of two scales every product exactly", "二的幂使每个乘积精确缩放"),
        ),
        Check(
            "descent-error",
            Text(
                "plain descent at its best rate contracts the error by its factor every step",
                "普通梯度下降在最优学习率下，每步按该因子收缩误差",
            ),
            predicted["descent_rate"] ** DESCENT_STEPS,
            results["descent_error"],
            64
            * DESCENT_STEPS
            * p.condition
            * ROUNDING
            * max(predicted["descent_rate"] ** DESCENT_STEPS, ROUNDING),
            Text("rounding of every step, times the condition number", "每步的舍入误差乘以条件数"),
        ),
        Check(
            "adam-ends-at-the-worst-point",
            Text(
                "on the counterexample Adam ends at the worst point",
                "在反例上 Adam 停在最差点",
            ),
            predicted["counterexample"],
            results["counterexample"],
            last_step,
            Text("within one step of the limit that the theorem gives", "与定理给出的极限相差不超过一步"),
        ),
        Check(
            "descent-ends-at-the-best",
            Text("and plain descent at the best one", "普通梯度下降停在最优点"),
            -1.0,
            results["counterexample_plain"],
            2 * last_step,
            Text("the cycle's two backward steps", "一个周期里的两步回退"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    steps = np.arange(DESCENT_STEPS + 1.0)
    floor = 1e-16
    cycle = np.arange(3 * CYCLES + 1.0)
    return (
        Plot(
            Text("Loss on an ill-conditioned quadratic", "病态二次函数上的损失"),
            Text(
                "with the valley along an axis Adam rescales it away; turned by 45 degrees it cannot",
                "谷沿坐标轴时 Adam 能靠逐坐标缩放化解；转过 45 度就做不到",
            ),
            Axis(Text("step", "步")),
            Axis(Text("loss", "损失"), "log"),
            (
                Line(Text("Adam", "Adam"), steps, np.maximum(results["adam_losses"], floor)),
                Line(
                    Text("gradient descent, best rate", "梯度下降，最优学习率"),
                    steps,
                    np.maximum(results["descent_losses"], floor),
                    "other",
                ),
            ),
        ),
        Plot(
            Text("First step against the size of the gradient", "第一步随梯度大小的变化"),
            Text(
                "Adam's step is the learning rate for any gradient well above epsilon; plain descent's follows the gradient",
                "只要梯度远大于 epsilon，Adam 的步长就等于学习率；普通梯度下降的步长随梯度而变",
            ),
            Axis(Text("size of the gradient", "梯度大小"), "log"),
            Axis(Text("step over the learning rate", "步长除以学习率"), "log"),
            (
                Points(Text("Adam", "Adam"), SCALES, results["steps_by_scale"]),
                Line(Text("s / (s + ε)", "s / (s + ε)"), SCALES, predicted["steps_by_scale"], "predicted"),
                Line(Text("gradient descent", "梯度下降"), SCALES, SCALES, "context"),
                Rule(Text("epsilon", "epsilon"), p.epsilon, "x", "bound"),
            ),
        ),
        Plot(
            Text("A convex problem that Adam gets wrong", "Adam 会走错的凸问题"),
            Text(
                "the rare large gradient is divided by its own size, so the frequent small ones win: Adam climbs to the worst "
                "point",
                "罕见的大梯度被自身大小除掉，频繁的小梯度占了上风：Adam 爬到最差点",
            ),
            Axis(Text("step", "步")),
            Axis(same("x"), low=-1.0, high=1.0),
            (
                Line(Text("Adam", "Adam"), cycle, results["adam_points"]),
                Line(Text("gradient descent", "梯度下降"), cycle, results["plain_points"], "other"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D38",
    name="adam",
    title=Text("Adam mechanics", "Adam 的机理"),
    shows=Text(
        r"Adam's first step is $\eta\, g/(|g| + \epsilon)$ and no scale of the loss changes a step; after silence a step "
        r"exceeds $\eta$; decay inside the gradient is not weight decay; and a convex problem sends it to the worst point",
        r"Adam 的第一步是 $\eta\, g/(|g| + \epsilon)$，损失的尺度不影响步长；沉寂之后的一步会超过 $\eta$；"
        "并入梯度的衰减不是权重衰减；有的凸问题会把它引向最差点",
    ),
    kills=Text(
        "“Adam always converges stably without warm-up”, “its steps never exceed the learning rate”",
        "“Adam 不用 warm-up 也总能稳定收敛”“它的步长从不超过学习率”",
    ),
    parameters=(
        Parameter("lr", r"\eta", Text("learning rate", "学习率"), 0.01, 1e-4, 0.1, 1.0, scale="log"),
        Parameter("beta_1", r"\beta_1", Text("decay of the mean", "均值的衰减率"), 0.9, 0.0, 0.95, 0.05),
        Parameter(
            "beta_2", r"\beta_2", Text("decay of the square", "平方均值的衰减率"), 0.999, 0.9, 0.999, 0.001
        ),
        Parameter(
            "epsilon",
            r"\epsilon",
            Text("added to the root", "加在根号上的数"),
            1e-8,
            1e-10,
            1e-2,
            9.0,
            scale="log",
        ),
        Parameter("scale", "s", Text("size of the gradient", "梯度的大小"), 1.0, 1e-3, 1e3, 1.0, scale="log"),
        Parameter(
            "condition",
            r"\kappa",
            Text("condition number of the quadratic", "二次函数的条件数"),
            100.0,
            1.0,
            1e4,
            1.0,
            scale="log",
        ),
        Parameter(
            "rotation",
            r"\alpha",
            Text("angle of its axes", "主轴的转角"),
            0.0,
            0.0,
            45.0,
            5.0,
            unit=Text("degrees", "度"),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "spike_step",
        Text(
            "step after a long silence, over the learning rate",
            "长时间没有梯度之后的一步，除以学习率",
        ),
        Text("times", "倍"),
        0.0,
        10.0,
    ),
)
