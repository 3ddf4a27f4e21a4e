"""D36: softmax cross-entropy, and what an epsilon inside the logarithm does to its worst mistakes.

Bridle 1990 (softmax and the gradient p - y); Szegedy et al. 2016, section 7 (label smoothing).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.epsilon_loss import epsilon_loss, epsilon_loss_backward
from engine.nn.loss import cross_entropy, cross_entropy_backward
from engine.nn.optimizer import SGD
from engine.nn.recurrent import TINY
from engine.nn.softmax import softmax
from engine.proof.step import Expr, Step, defined, equal, let, ordered, popular_error
from engine.text import Text, same

TARGET, RIVAL = 0, 1
"""The right class and the wrong one that leads it."""
DESCENT_STEPS = 60
RIVALS_TRIED = 64
"""Random logits whose smoothed loss is held against the smallest."""
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def target_probability(power: Expr, classes: Expr) -> Expr:
    """p of the target when one rival leads it by a gap, ``power`` = e^gap, and the others tie with it."""
    return 1 / (power + classes - 1)


def exact_loss(power: Expr, classes: Expr) -> Expr:
    """e^loss of that mistake."""
    return power + classes - 1


def exact_slope(p: Expr) -> Expr:
    """|dL/dz| of the target's logit for L = -log p."""
    return 1 - p


def epsilon_slope(p: Expr, eps: Expr) -> Expr:
    """|dL/dz| of the target's logit for L = -log(p + eps)."""
    return p * (1 - p) / (p + eps)


def smoothed_target(share: Expr, classes: Expr) -> tuple[Expr, Expr]:
    """Target probability of the right class and of each other one under label smoothing."""
    return 1 - share + share / classes, share / classes


def derive() -> tuple[Step, ...]:
    return (*_cross_entropy(), *_epsilon(), *_smoothing())


def _cross_entropy() -> tuple[Step, ...]:
    import sympy as sp

    z, y = sp.symbols("z_1:4", real=True), sp.symbols("y_1:4", nonnegative=True)
    p, v = sp.symbols("p_1:4", positive=True), sp.symbols("v_1:4", real=True)
    c = sp.Symbol("c", real=True)
    total = sum(map(sp.exp, z))
    shares = [sp.exp(x) / total for x in z]
    lemmas = tuple(zip(p, shares, strict=True))
    loss = -sum(a * (b - sp.log(total)) for a, b in zip(y, z, strict=True))
    shifted = sum(sp.exp(x + c) for x in z)
    H = sp.ImmutableMatrix(3, 3, lambda i, j: p[i] * (int(i == j) - p[j]))
    column = sp.ImmutableMatrix(v)
    spread = sum(p[i] * p[j] * (v[i] - v[j]) ** 2 for i in range(3) for j in range(i))
    return (
        defined(
            "loss",
            r"L = -\sum_i y_i \log p_i, \qquad p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}",
            Text(
                "cross-entropy of the target distribution $y$ with the softmax of the logits $z$; below, $n = 3$ classes",
                "目标分布 $y$ 与 logits $z$ 的 softmax 之间的交叉熵；下面取 $n = 3$ 类",
            ),
        ),
        *(let(f"p-{i + 1}", p[i], shares[i], Text(f"class {i + 1}", f"第 {i + 1} 类")) for i in range(3)),
        equal(
            "gradient",
            sp.Derivative(loss, z[0]),
            p[0] * sum(y) - y[0],
            Text(
                r"the gradient by a logit; with $\sum y = 1$ it is $p - y$: bounded, and never divided by $p$",
                r"对一个 logit 的梯度；$\sum y = 1$ 时就是 $p - y$：有界，且从不除以 $p$",
            ),
            bound="n=3",
            using=lemmas,
        ),
        equal(
            "hessian",
            sp.ImmutableMatrix(3, 3, lambda i, j: sp.Derivative(sp.log(total), z[i], z[j], evaluate=False)),
            H,
            Text(
                r"the second derivatives: $\operatorname{diag}(p) - p p^\top$",
                r"二阶导数：$\operatorname{diag}(p) - p p^\top$",
            ),
            bound="n=3",
            using=lemmas,
        ),
        equal(
            "convex",
            (column.T * H * column)[0],
            spread + (1 - sum(p)) * sum(p[i] * v[i] ** 2 for i in range(3)),
            Text(
                r"along any $v$ a sum of squares (the last term is zero, as $\sum p = 1$): the loss is convex in the logits",
                r"沿任意方向 $v$ 都是平方和（由 $\sum p = 1$，最后一项为零）：损失对 logits 是凸的",
            ),
            bound="n=3",
        ),
        equal(
            "shift",
            sp.ImmutableMatrix([[sp.exp(x + c) / shifted for x in z]]),
            sp.ImmutableMatrix([shares]),
            Text(
                "adding a constant to all logits changes nothing, so their maximum may be subtracted before $e^z$ overflows",
                "所有 logits 加同一常数不变，所以可以先减去最大值，免得 $e^z$ 溢出",
            ),
            bound="n=3",
        ),
    )


def _epsilon() -> tuple[Step, ...]:
    import sympy as sp

    (z,) = sp.symbols("z_y,", real=True)
    rest, eps, E = sp.symbols("R epsilon E", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    p = sp.Symbol("p", positive=True)
    share = sp.exp(z) / (sp.exp(z) + rest)
    mistake = target_probability(E, n + 1)
    i = sp.Symbol("i", integer=True, positive=True)
    return (
        let(
            "target",
            p,
            share,
            Text(
                "the target's probability; $R$ holds the other classes",
                "目标类的概率；$R$ 是其余各类之和",
            ),
        ),
        equal(
            "exact-slope",
            -sp.Derivative(-sp.log(share), z),
            exact_slope(p),
            Text("what the exact loss pulls the target's logit up by", "精确损失把目标 logit 往上拉的力度"),
            using=((p, share),),
        ),
        equal(
            "epsilon-slope",
            -sp.Derivative(-sp.log(share + eps), z),
            epsilon_slope(p, eps),
            Text(
                r"and with $\epsilon$ in the logarithm",
                r"对数里加了 $\epsilon$ 之后",
            ),
            using=((p, share),),
        ),
        equal(
            "mistake-probability",
            1 / (E + sp.Sum(1, (i, 1, n))),
            mistake,
            Text(
                "a rival leads by a gap $D$, $E = e^D$, over $n + 1$ classes in all: the target's probability",
                "一个错误类领先 $D$，$E = e^D$，共 $n + 1$ 类：目标类的概率",
            ),
        ),
        equal(
            "exact-limit",
            sp.Limit(exact_slope(mistake), E, sp.oo),
            sp.Integer(1),
            Text(
                "the worse the mistake, the nearer the exact slope comes to one",
                "错得越离谱，精确的斜率越接近 1",
            ),
        ),
        equal(
            "epsilon-limit",
            sp.Limit(epsilon_slope(mistake, eps), E, sp.oo),
            sp.Integer(0),
            Text(
                "while with the epsilon it vanishes: the worst mistakes are never corrected",
                "加了 epsilon 却趋于零：最严重的错误永远得不到纠正",
            ),
        ),
        equal(
            "cap",
            sp.Limit(-sp.log(mistake + eps), E, sp.oo),
            -sp.log(eps),
            Text(
                r"and the loss is capped: 23.03 for $\epsilon = 10^{-10}$",
                r"而且损失被封顶：$\epsilon = 10^{-10}$ 时为 23.03",
            ),
        ),
        equal(
            "half",
            sp.Limit(epsilon_slope(p, eps), p, eps),
            exact_slope(eps) / 2,
            Text(
                r"half of the slope is gone where $p = \epsilon$",
                r"$p = \epsilon$ 处斜率已经少了一半",
            ),
        ),
        ordered(
            "below-zero",
            -sp.log(1 + eps),
            "<",
            sp.Integer(0),
            Text("a sure hit gets a loss below zero", "完全正确时损失小于零"),
        ),
        popular_error(
            "harmless",
            epsilon_slope(p, eps),
            exact_slope(p),
            Text(
                r"'adding $10^{-10}$ is harmless': not where the model is sure and wrong",
                r"“加上 $10^{-10}$ 无伤大雅”：在模型自信却错误之处并非如此",
            ),
        ),
    )


def _smoothing() -> tuple[Step, ...]:
    import sympy as sp

    s = sp.Symbol("s", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    right, other = smoothed_target(s, n)
    return (
        equal(
            "smoothed-sums-to-one",
            right + (n - 1) * other,
            sp.Integer(1),
            Text(
                "label smoothing: the right class and $n - 1$ others; a distribution still",
                "标签平滑：正确类与其余 $n - 1$ 类；仍是概率分布",
            ),
        ),
        equal(
            "smoothed-gap",
            sp.exp(sp.log(right) - sp.log(other)),
            1 + n * (1 - s) / s,
            Text(
                r"the gradient $p - y$ is zero at a finite gap: this is $e^D$ there, and the loss is the entropy of $y$",
                r"梯度 $p - y$ 在有限的差距处为零：此处的 $e^D$ 为此值，损失等于 $y$ 的熵",
            ),
        ),
        popular_error(
            "goes-to-zero",
            right,
            sp.Integer(1),
            Text(
                "'the loss can reach zero': with $s > 0$ the best target probability is below one",
                "“损失可以降到零”：$s > 0$ 时最优的目标概率小于 1",
            ),
        ),
    )


def predict(p: Params) -> Results:
    hit = target_probability(math.exp(p.gap), p.classes)
    right, other = smoothed_target(p.smoothing, p.classes)
    return {
        "exact_loss": math.log(exact_loss(math.exp(p.gap), p.classes)),
        "epsilon_loss": -math.log(hit + p.epsilon),
        "exact_slope": exact_slope(hit),
        "epsilon_slope": epsilon_slope(hit, p.epsilon),
        "cap": -math.log(p.epsilon),
        "smoothed_minimum": -sum(
            count * q * math.log(q) for count, q in ((1, right), (p.classes - 1, other)) if q
        ),
        "overflow": math.log(np.finfo(float).max),
    }


def mistake(gap: float, classes: int) -> Array:
    """Logits of a sure mistake: the rival leads the target by ``gap``, the others tie with the target."""
    z = np.zeros(classes)
    z[RIVAL] = gap
    return z


def slope_by_complex_step(z: Array, epsilon: float) -> float:
    """-dL/dz of the target's logit, L = -log(p + epsilon), from the forward pass alone."""
    moved = z.astype(complex)
    moved[TARGET] += 1j * TINY
    shifted = moved - z.max()
    log_normaliser = np.log(np.exp(shifted).sum())
    if epsilon:
        loss = -np.log(np.exp(shifted[TARGET] - log_normaliser) + epsilon)
    else:
        loss = log_normaliser - shifted[TARGET]
    return -float(loss.imag) / TINY


def gaps_by_descent(p: Params) -> Array:
    """The rival's lead over DESCENT_STEPS steps of gradient descent on one example, learning rate 1.

    (DESCENT_STEPS + 1, 2): on the exact loss, which is the one with an epsilon of 0, and on the one with the epsilon; the
    two descents go side by side.
    """
    z, optimizer = np.stack([mistake(p.gap, p.classes)] * 2), SGD(1.0)
    targets, epsilons, ones = np.array([TARGET, TARGET]), np.array([0.0, p.epsilon]), np.ones(2)
    gaps = np.empty((DESCENT_STEPS + 1, 2))
    for step in range(DESCENT_STEPS + 1):
        gaps[step] = z[:, RIVAL] - z[:, TARGET]
        gradient = epsilon_loss_backward(z, targets, epsilons, ones)
        z = np.asarray(optimizer.step(z, gradient)[0], dtype=float)
    return gaps


def overflows_at() -> int:
    """The first whole logit whose exponential is no float any more."""
    with np.errstate(over="ignore"):
        powers = np.exp(np.arange(0.0, 1000.0))
    return int(np.argmin(np.isfinite(powers)))


def measure(p: Params, rng: np.random.Generator) -> Results:
    z, target = mistake(p.gap, p.classes), np.array([TARGET])
    exact = cross_entropy(z[None], target)
    exact_gradient = cross_entropy_backward(exact)[0]
    with_epsilon = epsilon_loss(z[None], target, p.epsilon)
    epsilon_gradient = epsilon_loss_backward(z[None], target, p.epsilon, np.ones(1))[0]
    sure = -mistake(1000.0, p.classes)
    sure[2:] = -1000.0

    # the smoothed loss where its gradient is zero, and at random logits around there
    right_class = cross_entropy(np.zeros((1, p.classes)), target, p.smoothing).q[0]
    best = np.log(right_class, where=right_class > 0, out=np.full(p.classes, -1000.0))
    at_best = cross_entropy(best[None], target, p.smoothing)
    tried = best + rng.standard_normal((RIVALS_TRIED, p.classes))
    at_tried = cross_entropy(tried, np.full(RIVALS_TRIED, TARGET), p.smoothing, reduction="none")

    shift = 100 * rng.standard_normal()
    gaps = np.linspace(0, 60, 61)
    stack = np.stack([mistake(gap, p.classes) for gap in gaps])
    targets = np.full(len(gaps), TARGET)
    swept = cross_entropy(stack, targets, reduction="none")
    descents = gaps_by_descent(p)
    return {
        "exact_loss": float(exact.loss),
        "epsilon_loss": float(with_epsilon[0]),
        "exact_slope": slope_by_complex_step(z, 0.0),
        "epsilon_slope": slope_by_complex_step(z, p.epsilon),
        "exact_slope_backward": -float(exact_gradient[TARGET]),
        "epsilon_slope_backward": -float(epsilon_gradient[TARGET]),
        "sure_hit_loss": float(epsilon_loss(sure[None], target, p.epsilon)[0]),
        "smoothed_minimum": float(at_best.loss),
        "smoothed_gradient": float(np.abs(cross_entropy_backward(at_best)).max()),
        "smoothed_elsewhere": float(np.asarray(at_tried.loss).min()),
        "shift_gap": float(np.abs(softmax(z + shift) - softmax(z)).max()),
        "shift": shift,
        "overflow": overflows_at(),
        "gaps": gaps,
        "exact_losses": np.asarray(swept.loss),
        "epsilon_losses": epsilon_loss(stack, targets, p.epsilon),
        "exact_slopes": -cross_entropy_backward(swept)[:, TARGET],
        "epsilon_slopes": -epsilon_loss_backward(stack, targets, p.epsilon, np.ones(len(gaps)))[:, TARGET],
        "exact_descent": descents[:, 0],
        "epsilon_descent": descents[:, 1],
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text("rounding of an exponential and a logarithm", "一次指数与一次对数的舍入误差")
    size = 64 * ROUNDING

    def agrees(name: str, key: str, claim: Text, measured: str = "") -> Check:
        value = predicted[key]
        return Check(name, claim, value, results[measured or key], size * max(1.0, abs(value)), rounding)

    checks = [
        agrees("exact-loss", "exact_loss", Text("the exact loss of the mistake", "这个错误的精确损失")),
        agrees("capped-loss", "epsilon_loss", Text("the loss with the epsilon", "加了 epsilon 的损失")),
        agrees(
            "exact-pull",
            "exact_slope",
            Text("slope by the target's logit, by moving it", "移动目标 logit 得到的斜率"),
        ),
        agrees(
            "epsilon-pull",
            "epsilon_slope",
            Text("the same with the epsilon", "加了 epsilon 后的斜率"),
        ),
        agrees(
            "exact-backward",
            "exact_slope",
            Text("and by the backward pass", "反向传播得到的斜率"),
            "exact_slope_backward",
        ),
        agrees(
            "epsilon-backward",
            "epsilon_slope",
            Text("and by the backward pass with the epsilon", "加了 epsilon 后反向传播得到的斜率"),
            "epsilon_slope_backward",
        ),
        agrees(
            "smoothed-minimum",
            "smoothed_minimum",
            Text(
                "where its gradient is zero, the smoothed loss is the target's entropy",
                "梯度为零处，平滑损失等于目标分布的熵",
            ),
        ),
        Check(
            "smoothed-gradient",
            Text("and the gradient is zero there (largest entry)", "该处梯度为零（最大分量）"),
            0.0,
            results["smoothed_gradient"],
            size,
            rounding,
        ),
        Check(
            "smoothed-elsewhere",
            Text("no other logits tried give less", "尝试过的其他 logits 都不更小"),
            predicted["smoothed_minimum"],
            results["smoothed_elsewhere"],
            size,
            Text("exact inequality, up to rounding", "精确不等式，只容许舍入误差"),
            relation=">=",
        ),
        Check(
            "loss-below-the-cap",
            Text("the loss with the epsilon never passes its cap", "加了 epsilon 的损失不超过封顶值"),
            predicted["cap"],
            float(results["epsilon_losses"].max()),
            size * predicted["cap"],
            Text("exact inequality, up to rounding", "精确不等式，只容许舍入误差"),
            relation="<=",
        ),
        Check(
            "sure-hit",
            Text("a sure hit has a loss below zero", "完全正确时损失小于零"),
            -math.log1p(p.epsilon),
            results["sure_hit_loss"],
            2 * ROUNDING,
            Text("rounding of one plus epsilon", "1 加 epsilon 的舍入误差"),
        ),
        Check(
            "shift-invariance",
            Text("a common shift of the logits changes no probability", "logits 的公共平移不改变概率"),
            0.0,
            results["shift_gap"],
            2 * (abs(results["shift"]) + p.gap) * ROUNDING,
            Text("rounding of the shifted logits", "平移后 logits 的舍入误差"),
        ),
        Check(
            "overflow",
            Text(
                "without the shift the exponential overflows at the first whole logit past this",
                "不做平移时，超过此值的第一个整数 logit 就使指数溢出",
            ),
            predicted["overflow"],
            results["overflow"],
            1.0,
            Text("the next whole number", "下一个整数"),
        ),
    ]
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    gaps = results["gaps"]
    lead = Axis(Text("lead of the wrong class", "错误类的领先幅度"))
    now = Rule(Text("gap now", "当前差距"), p.gap, "x", "context")
    exact, spoilt = Text("exact", "精确"), same("-log(p + ε)")
    steps = np.arange(DESCENT_STEPS + 1.0)
    return (
        Plot(
            Text("Loss of a sure mistake", "自信的错误的损失"),
            Text(
                "the exact loss grows with the lead, the other one stops at its cap",
                "精确损失随领先幅度增长，另一条到封顶值就停住",
            ),
            lead,
            Axis(Text("loss, nats", "损失（nat）"), low=0.0),
            (
                Line(exact, gaps, results["exact_losses"]),
                Line(spoilt, gaps, results["epsilon_losses"], "popular"),
                Rule(Text("cap, -log ε", "封顶 -log ε"), predicted["cap"]),
                now,
            ),
        ),
        Plot(
            Text("Gradient of a sure mistake", "自信的错误的梯度"),
            Text(
                "past the cap the gradient with the epsilon dies, just where the exact one is largest",
                "越过封顶处，加了 epsilon 的梯度趋于零，而精确梯度正在那里最大",
            ),
            lead,
            Axis(Text("slope by the target's logit", "对目标 logit 的斜率"), low=0.0, high=1.0),
            (
                Line(exact, gaps, results["exact_slopes"]),
                Line(spoilt, gaps, results["epsilon_slopes"], "popular"),
                Points(
                    Text("predicted", "预测"),
                    np.array([p.gap, p.gap]),
                    np.array([predicted["exact_slope"], predicted["epsilon_slope"]]),
                    "predicted",
                ),
                now,
            ),
        ),
        Plot(
            Text("Gradient descent out of the mistake", "用梯度下降走出错误"),
            Text(
                "the exact loss takes the lead down at a steady pace; with the epsilon a large lead hardly moves",
                "精确损失匀速缩小领先幅度；加了 epsilon，领先幅度大时几乎不动",
            ),
            Axis(Text("step", "步")),
            Axis(Text("lead of the wrong class", "错误类的领先幅度")),
            (
                Line(exact, steps, results["exact_descent"]),
                Line(spoilt, steps, results["epsilon_descent"], "popular"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D36",
    name="cross-entropy-epsilon",
    title=Text("Cross-entropy and the epsilon bug", "交叉熵与 epsilon 陷阱"),
    shows=Text(
        r"the gradient of softmax cross-entropy is $p - y$; with $-\log(p + \epsilon)$ it becomes "
        r"$p(1-p)/(p+\epsilon)$ and vanishes for confident mistakes, whose loss is capped at $-\log \epsilon$",
        r"softmax 交叉熵的梯度是 $p - y$；写成 $-\log(p + \epsilon)$ 后变为 $p(1-p)/(p+\epsilon)$，"
        r"对自信的错误趋于零，损失也封顶在 $-\log \epsilon$",
    ),
    kills=Text("“adding 1e-10 inside the logarithm is harmless”", "“在对数里加 1e-10 无伤大雅”"),
    parameters=(
        Parameter(
            "gap",
            "D",
            Text("lead of the wrong class's logit", "错误类的 logit 领先多少"),
            25.0,
            0.0,
            60.0,
            1.0,
        ),
        Parameter(
            "epsilon",
            r"\epsilon",
            Text("added to the probability", "加在概率上的数"),
            1e-10,
            1e-15,
            1e-3,
            9.0,
            scale="log",
        ),
        Parameter("classes", "n", Text("classes", "类别数"), 2, 2, 10, 1.0, "int"),
        Parameter("smoothing", "s", Text("label smoothing", "标签平滑"), 0.1, 0.0, 0.3, 0.05),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "epsilon_slope",
        Text(
            "gradient that the loss with the epsilon leaves on the target's logit",
            "加了 epsilon 的损失在目标 logit 上剩下的梯度",
        ),
        Text("", ""),
        0.0,
        1.0,
    ),
)
