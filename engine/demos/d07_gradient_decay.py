"""D07: how fast a gradient decays through a recurrent network, and why it is not the spectral radius.

Pascanu, Mikolov and Bengio 2013, section 2. The mean-field rate is that of Poole et al. 2016 and
Schoenholz et al. 2017, section 4, here for one weight matrix used at every step.
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
    Samples,
)
from engine.figure import Axis, Figure, Line, Plot, Points, Role, Rule
from engine.nn import mean_field as theory
from engine.nn.initialization import recurrent_matrix
from engine.nn.recurrent import RNNTrace, hidden_gradients, rnn_driven, state_perturbation
from engine.proof.step import Expr, Step, defined, equal, let, ordered, popular_error
from engine.text import Text

BATCH = 8
"""Sequences that run through each network."""
BURN_IN = 12
"""Steps before the gradient is looked at, so that the states have forgotten their start."""
FAR = 20
"""Lags from here on count as far."""
ROUNDING = float(np.finfo(float).eps)


# The formulas of the transient: the proof checks them with SymPy symbols, the prediction evaluates them.
# Those of the random network are in engine/nn/mean_field.py, for the same two uses.
def jordan_corner(eigenvalue: Expr, coupling: Expr, n: Expr) -> Expr:
    """The upper right entry of [[λ, c], [0, λ]]^n."""
    return n * coupling * eigenvalue ** (n - 1)


def jordan_peak_step(log_eigenvalue: Expr) -> Expr:
    """The real n at which that entry is largest, for 0 < λ < 1."""
    return -1 / log_eigenvalue


def triangular_norm(corner: Expr, root: Expr) -> Expr:
    """Largest singular value of [[a, b], [0, a]], b ≥ 0; ``root`` is √(b² + 4a²)."""
    return (corner + root) / 2


def derive() -> tuple[Step, ...]:
    return (*_one_step(), *_many_steps(), *_random_weights(), *_transient())


def _one_step() -> tuple[Step, ...]:
    import sympy as sp

    a = sp.Symbol("a", real=True)
    h = sp.Matrix(sp.symbols("h_1:3", real=True))
    W = sp.Matrix(2, 2, sp.symbols("w_11 w_12 w_21 w_22", real=True))
    new = (W * h).applyfunc(sp.tanh)
    slopes = sp.ImmutableMatrix(sp.diag(*(1 - s**2 for s in new)))
    pre, y = sp.symbols("a_1:3", real=True), sp.symbols("y_1:3", real=True)
    gated = sum(sp.sech(u) ** 4 * v**2 for u, v in zip(pre, y, strict=True))
    lost = sum(sp.tanh(u) ** 2 * (1 + sp.sech(u) ** 2) * v**2 for u, v in zip(pre, y, strict=True))
    return (
        defined(
            "network",
            r"h_t = \tanh(a_t), \qquad a_t = W h_{t-1} + u_t",
            Text(
                "state $h_t$, pre-activation $a_t$, input drive $u_t$",
                "隐藏状态 $h_t$、预激活 $a_t$、输入驱动 $u_t$",
            ),
        ),
        equal(
            "step-jacobian",
            sp.ImmutableMatrix(2, 2, lambda i, j: sp.Derivative(new[i], h[j])),
            sp.MatMul(slopes, sp.ImmutableMatrix(W)),
            Text(
                r"one step multiplies by $\operatorname{diag}(1 - h_t^2)\,W$ (the drive does not depend on $h_{t-1}$)",
                r"一步的雅可比矩阵是 $\operatorname{diag}(1 - h_t^2)\,W$（驱动项与 $h_{t-1}$ 无关）",
            ),
            bound="H=2",
        ),
        ordered(
            "slope-bound",
            sp.Derivative(sp.tanh(a), a),
            "<=",
            sp.Integer(1),
            Text(
                r"the slope never exceeds one, and reaches one at $a = 0$ alone: it falls short by $\tanh^2 a$",
                r"tanh 的导数不超过 1，且只在 $a = 0$ 处等于 1：差额恰为 $\tanh^2 a$",
            ),
            witness=sp.tanh(a) ** 2,
        ),
        ordered(
            "sigmoid-bound",
            sp.Derivative(1 / (1 + sp.exp(-a)), a),
            "<=",
            sp.Rational(1, 4),
            Text(
                "a sigmoid's slope stays below a quarter: it vanishes faster still",
                "sigmoid 的导数不超过四分之一：衰减更快",
            ),
            witness=sp.tanh(a / 2) ** 2 / 4,
        ),
        ordered(
            "gates-shrink",
            gated,
            "<=",
            sum(v**2 for v in y),
            Text(
                r"so the slopes only shorten a vector, and $n - 1$ steps multiply its length by $\|W\|^{n-1}$ at most",
                r"所以导数因子只会缩短向量，$n - 1$ 步至多把长度乘以 $\|W\|^{n-1}$",
            ),
            witness=lost,
            bound="H=2",
        ),
    )


def _many_steps() -> tuple[Step, ...]:
    import sympy as sp

    lam = sp.Symbol("lambda", positive=True)
    t, n, H = sp.symbols("t n H", integer=True, positive=True)
    J, v = sp.MatrixSymbol("J", H, H), sp.MatrixSymbol("v", H, 1)
    return (
        equal(
            "scalar-chain",
            sp.Product(lam, (t, 2, n)),
            lam ** (n - 1),
            Text(
                r"a scalar linear network attains that bound: exactly $\lambda^{n-1}$",
                r"一维线性网络恰好取到这个上界：$\lambda^{n-1}$",
            ),
        ),
        equal(
            "half-life",
            sp.Pow(lam, -sp.log(2) / sp.log(lam), evaluate=False),
            sp.Rational(1, 2),
            Text(
                r"half is left after $-\ln 2 / \ln\lambda$ steps",
                r"经过 $-\ln 2 / \ln\lambda$ 步剩下一半",
            ),
        ),
        let(
            "orthogonal",
            J.T,
            J.I,
            Text("the other extreme: an orthogonal Jacobian", "另一个极端：雅可比矩阵正交"),
        ),
        equal(
            "isometry",
            (J**n * v).T * (J**n * v),
            v.T * v,
            Text(
                "keeps every length over any number of steps: vanishing is not a law of recurrence",
                "经过任意多步都保持长度：梯度消失并非循环结构的必然",
            ),
            using=((J.T, J.I),),
        ),
    )


def _random_weights() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    size = sp.Integer(2)
    gain, sigma, m, p, fourth, spread, r = sp.symbols("g sigma m_2 p_2 m_4 v r", positive=True)
    xi, x, eps = sp.symbols("xi x epsilon", real=True)
    W = sp.Matrix(2, 2, sp.symbols("w_11 w_12 w_21 w_22", real=True))
    slope, delta, h = (sp.Matrix(sp.symbols(f"{letter}_1:3", real=True)) for letter in ("s", "delta", "h"))
    variance = gain**2 / size
    normal = dict.fromkeys(W, (0, variance, 0, 3 * variance**2))
    gradient = W.T * sp.diag(*slope) * delta
    H = sp.Symbol("H", integer=True, positive=True)
    w, d = sp.symbols("w delta", real=True)
    entry = {w: (0, gain**2 / H, 0, 3 * (gain**2 / H) ** 2)}
    return (
        defined(
            "mean-field",
            r"w_{ij} \sim \mathcal N\!\left(0, g^2/H\right), \qquad s_i = \tanh'(a_i) \text{ independent of } \delta",
            Text(
                "random weights with spectral radius $g$; the gradient meets slopes as if they were drawn afresh "
                "(the mean-field assumption)",
                "随机权重，谱半径为 $g$；假设梯度遇到的导数与梯度本身相互独立（平均场假设）",
            ),
        ),
        equal(
            "forward-variance",
            Variance((W * h)[0] + sigma * xi, normal | dict.fromkeys(h, (0, p)) | {xi: (0, 1)}),
            theory.preactivation_variance(gain, p, sigma),
            Text(
                "variance of a pre-activation: states of mean square $p_2$ and a drive of deviation $\\sigma$",
                "预激活的方差：状态的均方 $p_2$ 加上标准差为 $\\sigma$ 的驱动",
            ),
            bound="H=2",
        ),
        equal(
            "backward-rate",
            Expectation(gradient.dot(gradient), normal | dict.fromkeys(slope, (sp.Symbol("m_1"), m))),
            theory.squared_rate(gain, m) * delta.dot(delta),
            Text(
                r"a step multiplies the squared gradient by $g^2 m_2$, with $m_2 = \mathbb E[\tanh'(a)^2]$",
                r"一步使梯度的平方乘以 $g^2 m_2$，其中 $m_2 = \mathbb E[\tanh'(a)^2]$",
            ),
            bound="H=2",
        ),
        equal(
            "weight-spread",
            H * Variance(w**2, entry) / Expectation(H * w**2, entry) ** 2,
            theory.weight_spread(H),
            Text(
                "at finite $H$ that factor scatters: normal weights add $2/H$ to its relative variance",
                "$H$ 有限时该因子有涨落：正态权重贡献相对方差 $2/H$",
            ),
        ),
        equal(
            "slope-spread",
            H * Expectation((x - m) ** 2 * d**4, {x: (m, fourth), d: (0, 1, 0, 3)}) / (H * m) ** 2,
            theory.slope_spread(H, (fourth - m**2) / m**2),
            Text(
                "and the slopes three times the relative variance of $x = s^2$, over $H$ (normal $\\delta$)",
                "导数再贡献 $x = s^2$ 的相对方差的三倍除以 $H$（$\\delta$ 为正态）",
            ),
        ),
        equal(
            "log-bias",
            Expectation(sp.series(sp.log(1 + eps), eps, 0, 3).removeO(), {eps: (0, spread)}),
            theory.log_bias(spread),
            Text(
                "a logarithm's mean lies below the logarithm of the mean: to second order, by half the variance",
                "对数的均值低于均值的对数：到二阶为方差的一半",
            ),
        ),
        popular_error(
            "rate-is-the-radius",
            theory.squared_rate(gain, 1 / (1 + r)),
            gain**2,
            Text(
                "'the rate is the spectral radius $g$': false as soon as any slope is below one, "
                "$m_2 = 1/(1+r)$, $r > 0$",
                "“衰减率就是谱半径 $g$”：只要有导数小于 1 就不成立，$m_2 = 1/(1+r)$，$r > 0$",
            ),
        ),
    )


def _transient() -> tuple[Step, ...]:
    import sympy as sp

    lam, c, b, a, norm = sp.symbols("lambda c b a s", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    x = sp.Symbol("n", positive=True)
    jordan = sp.ImmutableMatrix([[lam, c], [0, lam]])
    corner = jordan_corner(lam, c, n)
    triangle = sp.ImmutableMatrix([[a, b], [0, a]])
    closed_form = triangular_norm(b, sp.sqrt(b**2 + 4 * a**2))
    peak = jordan_peak_step(sp.log(lam))
    return (
        equal(
            "jordan-power",
            sp.MatPow(jordan, n),
            sp.ImmutableMatrix([[lam**n, corner], [0, lam**n]]),
            Text(
                "a non-normal matrix: all its eigenvalues are $\\lambda$, yet its powers hold $n c \\lambda^{n-1}$",
                "非正规矩阵：特征值全是 $\\lambda$，而它的幂含有 $n c \\lambda^{n-1}$",
            ),
        ),
        equal(
            "jordan-slope",
            sp.Derivative(jordan_corner(lam, c, x), x),
            c * lam ** (x - 1) * sp.log(lam) * (x - peak),
            Text(
                r"for $\lambda < 1$ that entry grows until $n = -1/\ln\lambda$ and only then decays",
                r"当 $\lambda < 1$ 时，该元素先增大，到 $n = -1/\ln\lambda$ 之后才衰减",
            ),
        ),
        let(
            "triangular-norm",
            norm,
            closed_form,
            Text(
                r"the norm of a matrix with $a$ on the diagonal and $b \geq 0$ above it",
                r"对角元为 $a$、右上角为 $b \geq 0$ 的矩阵的范数",
            ),
        ),
        equal(
            "singular-value",
            sp.Determinant(triangle.T * triangle - norm**2 * sp.eye(2)),
            sp.Integer(0),
            Text(
                r"it is a singular value: its square is an eigenvalue of $M^\top M$",
                r"它是奇异值：平方是 $M^\top M$ 的特征值",
            ),
            using=((norm, closed_form),),
        ),
        ordered(
            "larger-singular-value",
            norm,
            ">",
            a**2 / norm,
            Text(
                "and it is the larger one: the two multiply to the determinant $a^2$",
                "而且是较大的一个：两个奇异值之积等于行列式 $a^2$",
            ),
            witness=b,
            using=((norm, closed_form),),
        ),
        popular_error(
            "decays-at-once",
            jordan_corner(sp.Rational(9, 10), c, 2),
            jordan_corner(sp.Rational(9, 10), c, 1),
            Text(
                r"'with $\lambda < 1$ the gradient decays from the first step': at $\lambda = 0.9$ the second is larger",
                r"“$\lambda < 1$ 时梯度从第一步起就衰减”：$\lambda = 0.9$ 时第二步反而更大",
            ),
            op="<=",
        ),
    )


def lag_window(p: Params) -> int:
    """Lags the rate is taken over: up to √H, beyond which one fixed matrix's own spectrum shows."""
    return min(p.steps, math.isqrt(p.hidden))


def predict(p: Params) -> Results:
    field = theory.mean_field(p.gain, p.drive, p.activation)
    normal = p.weights == "normal"
    spread = theory.slope_spread(p.hidden, field.slope_variance) + (
        theory.weight_spread(p.hidden) if normal else 0.0
    )
    log_rate = math.log(field.rate) + theory.log_bias(spread) / 2
    n = np.arange(1, p.steps + 1)
    corner = jordan_corner(p.eigenvalue, p.coupling, n)
    norms = triangular_norm(corner, np.sqrt(corner**2 + 4 * p.eigenvalue ** (2.0 * n)))
    peak = jordan_peak_step(math.log(p.eigenvalue)) if p.eigenvalue < 1 else math.inf
    return {
        "rate": math.exp(log_rate),
        "wide_rate": field.rate,
        "spread": spread,
        "memory": field.memory,
        "transient_norms": norms,
        "transient_peak": float(norms.max()),
        "transient_step": float(min(max(peak, 1.0), p.steps)),
    }


def settled_states(
    p: Params, recurrent: Array, steps: int, rng: np.random.Generator
) -> tuple[RNNTrace, Array]:
    """States over ``steps`` after the burn-in, with ``BATCH`` sequences, and the drive that made them."""
    drive = p.drive * rng.standard_normal((BURN_IN + steps, BATCH, p.hidden))
    trace = rnn_driven(drive, np.zeros((BATCH, p.hidden)), recurrent, p.activation)
    return RNNTrace(trace.pre_activations[BURN_IN:], trace.hidden[BURN_IN:]), drive[BURN_IN:]


def gradient_norms(p: Params, trace: RNNTrace, recurrent: Array, last: Array) -> tuple[Array, Array]:
    """ln ‖dL/dh‖ by lag (steps+1, BATCH) for a loss whose gradient at the last state is ``last``, and dL/dh."""
    direct = np.zeros_like(trace.hidden)
    direct[-1] = last
    gradients = hidden_gradients(trace, recurrent, direct, p.activation)
    return np.log(np.linalg.norm(gradients, axis=-1))[::-1], gradients


def unit_vectors(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    raw = rng.standard_normal(shape)
    unit: Array = raw / np.linalg.norm(raw, axis=-1, keepdims=True)
    return unit


def measure(p: Params, rng: np.random.Generator) -> Results:
    networks = min(8, max(1, p.samples // p.hidden**2))
    window = lag_window(p)
    rates = np.empty(networks)
    for index in range(1, networks):
        recurrent = recurrent_matrix(rng, p.hidden, p.gain, p.weights)
        trace, _ = settled_states(p, recurrent, window, rng)
        last = unit_vectors(rng, (BATCH, p.hidden))
        logs, _ = gradient_norms(p, trace, recurrent, last)
        rates[index] = (logs[window] - logs[0]).mean() / window

    # the first network is followed over all steps, backward and forward
    recurrent = recurrent_matrix(rng, p.hidden, p.gain, p.weights)
    trace, drive = settled_states(p, recurrent, p.steps, rng)
    last = unit_vectors(rng, (BATCH, p.hidden))
    logs, gradients = gradient_norms(p, trace, recurrent, last)
    rates[0] = (logs[window] - logs[0]).mean() / window
    direction = unit_vectors(rng, (p.hidden,))
    moves = state_perturbation(drive[:, 0], trace.hidden[0, 0], recurrent, direction, p.activation)
    moved_norms = np.linalg.norm(moves, axis=-1)
    first = gradients[0, 0]
    readings = (float(last[0] @ moves[-1]), float(first @ direction))
    norms = np.exp(logs)

    powers = np.empty((p.steps, 2, 2))
    jordan = np.array([[p.eigenvalue, p.coupling], [0.0, p.eigenvalue]])
    power = np.eye(2)
    for n in range(p.steps):
        power = power @ jordan
        powers[n] = power
    transient = np.linalg.norm(powers, ord=2, axis=(-2, -1))
    return {
        "rate": float(np.exp(rates.mean())),
        "networks": networks,
        "window": window,
        "log_norms": logs.mean(axis=1),
        "worst_log_norms": logs.max(axis=1),
        "gradient_left": float(np.exp(logs[-1].mean())),
        "far_share": float(norms[FAR:].sum() / norms.sum()),
        "forward_norms": moved_norms,
        "forward_reading": readings[0] / float(np.linalg.norm(first)),
        "backward_reading": readings[1] / float(np.linalg.norm(first)),
        "largest_growth": float(max(1.0, moved_norms.max())),
        "spectral_norm": float(np.linalg.norm(recurrent, ord=2)),
        "transient_norms": transient,
        "transient_peak": float(transient.max()),
        "transient_step": int(powers[:, 0, 1].argmax()) + 1,
    }


def rate_deviation(p: Params, predicted: Results, results: Results) -> float:
    """Standard deviation of ln(rate), over gradients and networks.

    One step of one gradient scatters by its spread. Gradients through one normal matrix are not
    independent: two whose cosine is ρ share 2ρ²/H, and ρ² starts at 1/H, gains 1/H a step, and keeps
    ``memory``² of itself.
    """
    window, networks = results["window"], results["networks"]
    single = window * predicted["spread"] / BATCH
    shared = 0.0
    if p.weights == "normal":
        joint = np.minimum.outer(np.arange(window), np.arange(window))
        overlap = np.cumsum(predicted["memory"] ** (2.0 * np.arange(window)))
        shared = 2 / p.hidden**2 * float(overlap[joint].sum())
    return math.sqrt((single + shared) / networks) / (2 * window)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    steps = np.arange(p.steps + 1)
    rounding = p.steps * p.hidden * ROUNDING
    exact = p.weights == "orthogonal" and p.activation == "linear"
    allowance = rounding if exact else 1 / p.hidden
    excess = results["worst_log_norms"] - steps * math.log(results["spectral_norm"])
    checks = [
        Check(
            "mean-field-rate",
            Text(
                "the gradient's logarithm falls by the mean-field rate per step",
                "梯度的对数每步按平均场速率下降",
            ),
            predicted=math.log(predicted["rate"]),
            measured=math.log(results["rate"]),
            tolerance=5 * rate_deviation(p, predicted, results) + allowance,
            law=Text(
                "5 standard errors over gradients and networks, and 1/H for finite-size terms beyond the first",
                "对梯度与网络求平均的 5 个标准误，另加 1/H 以容纳一阶以外的有限尺寸项",
            ),
            false_alarm=6e-7,
        ),
        Check(
            "norm-bound",
            Text(
                "no gradient exceeds the bound at any lag (largest excess of logarithms)",
                "任何滞后处梯度都不超过上界（对数的最大超出量）",
            ),
            predicted=0.0,
            measured=float(excess.max()),
            tolerance=rounding,
            law=Text("exact inequality, up to rounding", "精确不等式，只容许舍入误差"),
            relation="<=",
        ),
        Check(
            "one-product-two-readings",
            Text(
                "moving the first state forward and sending the gradient back give one number",
                "把初始状态的扰动向前推，与把梯度向后传，得到同一个数",
            ),
            predicted=results["forward_reading"],
            measured=results["backward_reading"],
            tolerance=rounding * results["largest_growth"],
            law=Text(
                "rounding of T·H operations, times the growth of a perturbation",
                "T·H 次运算的舍入误差，乘以扰动的放大倍数",
            ),
        ),
        Check(
            "transient-peak",
            Text("the largest norm among the powers of the Jordan block", "若尔当块各次幂的最大范数"),
            predicted=predicted["transient_peak"],
            measured=results["transient_peak"],
            tolerance=4 * p.steps * ROUNDING * predicted["transient_peak"],
            law=Text("exact identity: rounding of T products", "精确恒等式：T 次乘法的舍入误差"),
        ),
    ]
    if p.coupling > 0:
        checks.append(
            Check(
                "transient-step",
                Text("the step at which the off-diagonal entry peaks", "非对角元素达到峰值的步数"),
                predicted=predicted["transient_step"],
                measured=results["transient_step"],
                tolerance=1.0,
                law=Text(
                    "a whole step nearest a real peak of a curve with one maximum",
                    "单峰曲线的实数峰值附近的整数步",
                ),
            )
        )
    if exact:
        checks.append(
            Check(
                "isometry",
                Text(
                    "an orthogonal linear network keeps the norm, times the gain",
                    "正交线性网络保持范数，只乘以增益",
                ),
                predicted=0.0,
                measured=float(np.abs(results["log_norms"] - steps * math.log(p.gain)).max()),
                tolerance=rounding,
                law=Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差"),
            )
        )
        weights = p.gain**steps
        checks.append(
            Check(
                "far-lags-share",
                Text(
                    f"so lags from {FAR} on keep their share of the gradient's norms, all of which truncation cuts off",
                    f"所以 {FAR} 步及更长的滞后在梯度范数中占足份额，截断会把它全部丢掉",
                ),
                predicted=float(weights[FAR:].sum() / weights.sum()),
                measured=results["far_share"],
                tolerance=2 * rounding,
                law=Text(
                    "a quotient of sums of exact norms, up to rounding", "精确范数之和的比值，只容许舍入误差"
                ),
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    return _decay(p, predicted, results), _powers(p, predicted, results)


def _decay(p: Params, predicted: Results, results: Results) -> Plot:
    lag = np.arange(p.steps + 1.0)
    gradient = np.exp(results["log_norms"])
    top = 10 * max(gradient.max(), results["forward_norms"].max())

    def line(name: Text, rate: float, role: Role) -> Line:
        powers = np.exp(lag * math.log(rate))
        return Line(name, lag, np.where(powers <= top, powers, np.nan), role)

    linear = Text(
        "without tanh every step multiplies by the gain alone, so the gradient follows the spectral radius",
        "没有 tanh 时每步只乘以增益，梯度于是跟随谱半径",
    )
    tanh = Text(
        "gradient and forward perturbation fall along the mean-field line, faster than the power of the spectral radius",
        "梯度与前向扰动都沿平均场直线下降，比谱半径的幂更快",
    )
    return Plot(
        Text("Gradient norm against lag", "梯度范数随滞后的变化"),
        linear if p.activation == "linear" else tanh,
        Axis(Text("lag, steps", "滞后（步）")),
        Axis(Text("norm", "范数"), "log", high=top),
        (
            Line(Text("gradient, backward", "梯度（反向）"), lag, gradient, "measured"),
            Line(Text("perturbation, forward", "扰动（前向）"), lag, results["forward_norms"], "other"),
            line(Text("mean field", "平均场"), predicted["rate"], "predicted"),
            line(Text("spectral radius", "谱半径"), p.gain, "popular"),
            line(Text("norm bound", "范数上界"), results["spectral_norm"], "bound"),
        ),
    )


def _powers(p: Params, predicted: Results, results: Results) -> Plot:
    n = np.arange(1.0, p.steps + 1)
    rises = Text(
        "the norm first rises, though every eigenvalue is the same, and only past its peak does it fall "
        "towards the eigenvalue's power",
        "尽管特征值都相同，范数仍先上升，越过峰值后才向特征值的幂回落",
    )
    normal = Text("uncoupled, the norm is the eigenvalue's power", "没有耦合时，范数就是特征值的幂")
    return Plot(
        Text("Powers of a Jordan block", "若尔当块的幂"),
        rises if p.coupling > 0 else normal,
        Axis(Text("power n", "幂次 n")),
        Axis(Text("norm", "范数"), "log"),
        (
            Points(Text("measured", "实测"), n, results["transient_norms"], "measured"),
            Line(Text("closed form", "闭式"), n, predicted["transient_norms"], "predicted"),
            Line(Text("eigenvalue's power", "特征值的幂"), n, p.eigenvalue**n, "popular"),
            Rule(Text("peak", "峰值"), predicted["transient_step"], "x", "context"),
        ),
    )


DEMO = Demonstration(
    id="D07",
    name="gradient-decay",
    title=Text("How a gradient decays through time", "梯度如何随时间衰减"),
    shows=Text(
        r"the gradient through a random tanh network falls by $g\sqrt{\mathbb E[\tanh'(a)^2]}$ per step, "
        r"not by the spectral radius $g$; a non-normal Jacobian first lets it grow",
        r"随机 tanh 网络中梯度每步乘以 $g\sqrt{\mathbb E[\tanh'(a)^2]}$，而不是谱半径 $g$；"
        r"非正规的雅可比矩阵会让它先增大",
    ),
    kills=Text(
        "a spectral radius above one means explosion, and gradients decay at the spectral radius from the first step",
        "谱半径大于 1 就会爆炸，梯度从第一步起就按谱半径衰减",
    ),
    parameters=(
        Parameter(
            "gain",
            "g",
            Text("spectral radius of the recurrent matrix (as H grows)", "循环矩阵的谱半径（H 很大时）"),
            1.0,
            0.2,
            1.8,
            0.1,
        ),
        Parameter(
            "drive",
            r"\sigma",
            Text("standard deviation of the input drive", "输入驱动的标准差"),
            0.8,
            0.6,
            2.0,
            0.1,
        ),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 128, 64, 256, 1.0, "int", "log"),
        Parameter("steps", "T", Text("steps followed", "跟踪的步数"), 60, 10, 100, 1.0, "int"),
        Parameter(
            "weights",
            r"\text{weights}",
            Text("recurrent matrix", "循环矩阵"),
            "normal",
            kind="choice",
            choices=(
                Choice("normal", Text("independent normal entries", "独立正态元素")),
                Choice("orthogonal", Text("orthogonal", "正交")),
            ),
        ),
        Parameter(
            "activation",
            r"\phi",
            Text("activation", "激活函数"),
            "tanh",
            kind="choice",
            choices=(
                Choice("tanh", Text("tanh", "tanh")),
                Choice("linear", Text("none (linear)", "无（线性）")),
            ),
        ),
        Parameter(
            "eigenvalue",
            r"\lambda",
            Text("eigenvalue of the Jordan block", "若尔当块的特征值"),
            0.9,
            0.5,
            1.1,
            0.01,
        ),
        Parameter(
            "coupling", "c", Text("its off-diagonal entry", "若尔当块的非对角元素"), 2.0, 0.0, 5.0, 0.1
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "rate",
        Text("factor by which the gradient's norm changes per step", "梯度范数乘以的倍数"),
        Text("per step", "每步"),
        0.0,
        2.0,
    ),
    samples=Samples(rest=65_536),
)
