"""D63: BatchNorm at work: its gradient, what it cancels, and what breaks between training and inference.

Ioffe, Szegedy 2015, sections 3 and 3.1; Santurkar et al. 2018, theorem 4.1 (the norm of the gradient); Li et al. 2019,
section 3 (dropout shifts the variance). The Jacobian of the normalised batch is that of D33, along the other axis.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.deviation import cumulants_from_moments, moments_from_cumulants, variance_band
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.convolution import correlate
from engine.nn.normalization import (
    Normalized,
    RunningStatistics,
    batch_norm_eval,
    batch_norm_folded,
    batch_norm_train,
)
from engine.proof.step import Expr, Step, cited, defined, equal, exhausted, let, popular_error
from engine.text import Text

EPS = 1e-5
GAMMA, BETA = 1.5, 0.5
SHIFT, SCALE = 3.0, 2.0
"""What is added to the input, and what it is multiplied by, to see what the norm cancels."""
STEP = 1e-5
"""Step of the central differences, in units of the batch's denominator."""
SIDE, CHANNELS = 8, 3
"""Of the feature map that runs through a convolution with a 3 x 3 kernel."""
ORDERS = 24
UNIT = float(np.finfo(float).eps) / 2


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def input_gradient(g: Expr, mean_g: Expr, mean_gh: Expr, h: Expr, gamma: Expr, s: Expr) -> Expr:
    """dL/dx_j from g_j = dL/dy_j, the batch means of g and of g h, and the normalised value h_j."""
    return gamma * (g - mean_g - h * mean_gh) / s


def pooled_variance(mean_of_variances: Expr, variance_of_means: Expr) -> Expr:
    """Variance of all rows of equally large device batches."""
    return mean_of_variances + variance_of_means


def dropped_variance(v: Expr, m: Expr, rate: Expr) -> Expr:
    """Variance in training of a feature of mean m and variance v behind inverted dropout."""
    return (v + rate * m**2) / (1 - rate)


def start_left(momentum: Expr, steps: Expr) -> Expr:
    """Weight of the initial value in a running statistic."""
    return (1 - momentum) ** steps


def derive() -> tuple[Step, ...]:
    return (*_forward(), *_backward(), *_statistics(), *_inference())


def _forward() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    x, x_i = sp.symbols("x x_i", real=True)
    mu, beta, c = sp.symbols("mu beta c", real=True)
    a, v, eps, gamma = sp.symbols("a v epsilon gamma", positive=True)
    row = {x: (mu, v + mu**2)}
    return (
        defined(
            "batch-norm",
            r"y_k = \gamma h_k + \beta, \quad h_k = \frac{x_k - \mu_B}{s}, \quad s = \sqrt{v_B + \epsilon}",
            Text(
                "one feature over the $B$ rows of a training batch; $E$ and $\\operatorname{Var}$ average over the rows",
                "取一个特征，在训练批的 $B$ 行上统计；$E$ 与 $\\operatorname{Var}$ 对行取平均",
            ),
        ),
        let(
            "own-deviation", gamma, sp.sqrt(v + eps), Text("a gain as large as the deviation", "增益取标准差")
        ),
        let("own-mean", beta, mu, Text("and the mean as bias", "偏置取均值")),
        equal(
            "identity-in-reach",
            gamma * (x_i - mu) / sp.sqrt(v + eps) + beta,
            x_i,
            Text(
                "give the input back: nothing that the network could represent is lost",
                "就还原输入：网络原先能表示的东西没有丢失",
            ),
            using=((gamma, sp.sqrt(v + eps)), (beta, mu)),
        ),
        equal(
            "bias-cancelled",
            (x_i + c - Expectation(x + c, row)) / sp.sqrt(Variance(x + c, row) + eps),
            (x_i - mu) / sp.sqrt(v + eps),
            Text(
                r"a bias before the norm is subtracted with the mean, so it has no effect; $\beta$ takes its place",
                r"归一化之前的偏置随均值一起被减掉，不起作用；由 $\beta$ 代替",
            ),
        ),
        popular_error(
            "bias-matters",
            (x_i + c - mu) / sp.sqrt(v + eps),
            (x_i + c - Expectation(x + c, row).doit()) / sp.sqrt(v + eps),
            Text(
                "'the bias of the layer before still shifts the output': only if the mean were not taken anew",
                "“前一层的偏置仍会平移输出”：除非均值不重新计算",
            ),
        ),
        equal(
            "scale-cancelled",
            a * (x_i - mu) / sp.sqrt(Variance(a * x, row) + a**2 * eps),
            (x_i - mu) / sp.sqrt(v + eps),
            Text(
                r"so is the scale of the weights, but for $\epsilon$",
                r"权重的尺度也一样被消去（除去 $\epsilon$ 的影响）",
            ),
        ),
    )


def _backward() -> tuple[Step, ...]:
    import sympy as sp

    B, j = sp.symbols("B j", integer=True, positive=True)
    y_1, y_2 = sp.symbols("x_1 x_2", real=True)
    m_g, m_gh, h_j, g_j = sp.symbols("a b h_j g_j", real=True)
    gamma, s, s_0, eps, scale = sp.symbols("gamma s s_0 epsilon lambda", positive=True)
    half = (y_1 - y_2) / 2
    root = sp.sqrt(half**2 + eps)
    g, h = sp.IndexedBase("g", real=True), sp.IndexedBase("h", real=True)
    sum_g = (sp.Sum(g[j], (j, 1, B)), B * m_g)
    sum_gh = (sp.Sum(g[j] * h[j], (j, 1, B)), B * m_gh)
    sum_h = (sp.Sum(h[j], (j, 1, B)), sp.Integer(0))
    sum_hh = (sp.Sum(h[j] ** 2, (j, 1, B)), B)
    return (
        equal(
            "slope-of-two",
            sp.Derivative(half / root, y_1),
            (1 - sp.Rational(1, 2) - (half / root) ** 2 / 2) / root,
            Text(
                "the smallest batch: the slope carries $-1/B$ from the mean and $-h^2/B$ from the variance",
                "最小的批：导数里 $-1/B$ 来自均值，$-h^2/B$ 来自方差",
            ),
            bound="B=2",
        ),
        popular_error(
            "statistics-held-constant",
            sp.Derivative(half / root, y_1),
            1 / root,
            Text(
                r"'the gradient is $\gamma g / s$': that holds the mean and the variance constant, which is inference, not training",
                r"“梯度就是 $\gamma g / s$”：那是把均值和方差当常数，属于推理而不是训练",
            ),
        ),
        let("mean-gradient", *sum_g, Text("the mean of $g_k = dL/dy_k$ over the batch", "$g_k = dL/dy_k$ 在批上的均值")),
        let("mean-product", *sum_gh, Text("and of $g_k h_k$", "以及 $g_k h_k$ 的均值")),
        let("mean-of-h", *sum_h, Text("the normalised values have mean zero", "归一化后的值均值为零")),
        let("squares-of-h", *sum_hh, Text(r"and variance one ($\epsilon = 0$)", r"方差为一（$\epsilon = 0$）")),
        equal(
            "input-gradient",
            gamma * (g_j + sp.Sum(g[j] * (-1 / B - h[j] * h_j / B), (j, 1, B))) / s,
            input_gradient(g_j, m_g, m_gh, h_j, gamma, s),
            Text(
                "summed over the batch: the upstream gradient less its mean and less its part along $h$",
                "对整批求和：上游梯度减去它的均值，再减去它沿 $h$ 的分量",
            ),
            using=[sum_g, sum_gh],
        ),
        equal(
            "gradient-sums-to-zero",
            sp.Sum(g[j] - m_g - h[j] * m_gh, (j, 1, B)),
            sp.Integer(0),
            Text(
                "it sums to zero over the batch: a common shift of the batch changes nothing",
                "整批之和为零：批整体平移不改变任何输出",
            ),
            using=[sum_g, sum_h],
        ),
        equal(
            "gradient-norm",
            sp.Sum((g[j] - m_g - m_gh * h[j]) ** 2, (j, 1, B)),
            sp.Sum(g[j] ** 2, (j, 1, B)) - B * m_g**2 - B * m_gh**2,
            Text(
                r"times $\gamma^2 / s^2$ this is the squared norm: BatchNorm can only take away from the gradient's own length",
                r"乘以 $\gamma^2 / s^2$ 就是范数的平方：对梯度本身的长度，BatchNorm 只减不增",
            ),
            using=[sum_g, sum_gh, sum_h, sum_hh],
        ),
        let("wider", s, scale * s_0, Text(r"inputs $\lambda$ times as large", r"输入放大 $\lambda$ 倍")),
        equal(
            "larger-weights-smaller-gradient",
            input_gradient(g_j, m_g, m_gh, h_j, gamma, s),
            input_gradient(g_j, m_g, m_gh, h_j, gamma, s_0) / scale,
            Text(
                r"have the same output and a gradient $\lambda$ times smaller",
                r"输出不变，梯度缩小 $\lambda$ 倍",
            ),
            using=((s, scale * s_0),),
        ),
        cited(
            "why-it-works",
            r"\text{covariate shift, smoothness, decoupled length}",
            Text(
                "which of these effects explains the faster training is contested",
                "究竟哪一种效应解释了训练加速，尚有争议",
            ),
            "Ioffe & Szegedy 2015; Santurkar et al. 2018; Kohler et al. 2019",
        ),
    )  # fmt: skip


def _statistics() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    m_1, m_2, m = sp.symbols("m_1 m_2 m", real=True)
    v, v_1, v_2, q, r, rho, start = sp.symbols("v v_1 v_2 q r rho r_0", positive=True)
    x, bit = sp.symbols("x t", real=True)
    T, t = sp.symbols("T t", integer=True, positive=True)
    mean = (m_1 + m_2) / 2
    kept = {bit: (q, q), x: (m, v + m**2)}
    return (
        equal(
            "pooled-variance",
            (v_1 + m_1**2 + v_2 + m_2**2) / 2 - mean**2,
            pooled_variance((v_1 + v_2) / 2, ((m_1 - mean) ** 2 + (m_2 - mean) ** 2) / 2),
            Text(
                "two devices: the variance of all rows is the mean of the variances plus the variance of the means",
                "两台设备：全部行的方差等于各方差的均值加上各均值的方差",
            ),
        ),
        popular_error(
            "average-the-variances",
            pooled_variance((v_1 + v_2) / 2, ((m_1 - mean) ** 2 + (m_2 - mean) ** 2) / 2),
            (v_1 + v_2) / 2,
            Text(
                "'SyncBN averages the variances of the devices': that forgets how far their means are apart",
                "“SyncBN 把各设备的方差取平均”：这漏掉了均值之间的差异",
            ),
        ),
        let("kept-share", q, 1 - r, Text("inverted dropout keeps with probability $q$ and divides by it", "inverted dropout 以概率 $q$ 保留，并除以 $q$")),
        equal("dropped-mean", Expectation(bit * x / q, kept), m, Text("the mean stays", "均值不变")),
        equal(
            "dropped-variance",
            Variance(bit * x / q, kept),
            dropped_variance(v, m, r),
            Text(
                "the variance grows in training, and is back at $v$ at inference: what BatchNorm has stored no longer fits",
                "训练时方差变大，推理时又回到 $v$：BatchNorm 存下的统计量就对不上了",
            ),
            using=((q, 1 - r),),
        ),
        popular_error(
            "dropout-keeps-the-variance",
            dropped_variance(v, m, r),
            v,
            Text("'dividing by $q$ keeps the statistics': it keeps the mean only", "“除以 $q$ 就保持了统计量”：只保持均值"),
        ),
        equal(
            "start-fades",
            start * start_left(rho, T) + sp.Sum(rho * (1 - rho) ** (T - t), (t, 1, T)) * m,
            m + (start - m) * start_left(rho, T),
            Text(
                r"a running statistic after $T$ batches of mean $m$ still holds the share $(1 - \rho)^T$ of its start $r_0$",
                r"经过 $T$ 个均值为 $m$ 的批，滑动统计量仍含有初值 $r_0$ 的 $(1 - \rho)^T$",
            ),
        ),
    )  # fmt: skip


def _inference() -> tuple[Step, ...]:
    import sympy as sp

    k, K = sp.symbols("k K", integer=True, positive=True)
    w, x = sp.IndexedBase("w", real=True), sp.IndexedBase("x", real=True)
    c, mu, beta, z = sp.symbols("c mu beta z", real=True)
    gamma, v, eps = sp.symbols("gamma v epsilon", positive=True)
    s = sp.sqrt(v + eps)
    a, b = sp.symbols("a b", positive=True)
    return (
        equal(
            "folded-convolution",
            gamma * (sp.Sum(w[k] * x[k], (k, 1, K)) + c - mu) / s + beta,
            sp.Sum(gamma / s * w[k] * x[k], (k, 1, K)) + (beta + gamma * (c - mu) / s),
            Text(
                r"a window of $K$ inputs: with stored statistics the norm scales the kernel by $\gamma / s$ and shifts the bias",
                r"一个含 $K$ 个输入的窗口：统计量固定时，归一化只是把卷积核乘以 $\gamma / s$ 并平移偏置",
            ),
        ),
        exhausted(
            "half-is-left",
            sp.Max(0, z),
            "=",
            (z + sp.Abs(z)) / 2,
            Text(
                "a ReLU after the norm: of values with mean zero it leaves half their mean absolute value as the new mean",
                "归一化之后接 ReLU：均值为零的值，留下的均值是平均绝对值的一半",
            ),
            over=({z: a}, {z: -a}),
            bound="z > 0, z < 0",
        ),
        popular_error(
            "order-does-not-matter",
            sp.Max(0, (-b - (a - b) / 2) / ((a + b) / 2)),
            (0 - a / 2) / (a / 2),
            Text(
                "'before or after the ReLU is the same': of two values $a > 0 > -b$ the second ends at 0 or at $-1$",
                "“放在 ReLU 之前之后都一样”：两个值 $a > 0 > -b$，第二个一种得 0，另一种得 $-1$",
            ),
        ),
    )


def predict(p: Params) -> Results:
    return {
        "train_variance": dropped_variance(1.0, p.m, p.rate),
        "variance_ratio": 1 / dropped_variance(1.0, p.m, p.rate),
        "start_left": start_left(p.momentum, p.steps),
        "scale_ratio": 1 / SCALE,
    }


def normalised(x: Array) -> Normalized:
    """One feature over the rows of (B, …): BatchNorm in training with the demonstration's gain and bias."""
    width = x.shape[-1]
    return batch_norm_train(x, np.full(width, GAMMA), np.full(width, BETA), EPS)


def slopes(x: Array, g: Array) -> Array:
    """dL/dx (B,) of L = sum g y by central differences through the layer: column j holds the batch with x_j moved."""
    step = STEP * float(normalised(x[:, None]).denominator.item()) * np.eye(len(x))
    up, down = x[:, None] + step, x[:, None] - step  # (B, B)
    change = g @ (normalised(up).y - normalised(down).y)
    return np.asarray(change / (np.diagonal(up) - np.diagonal(down)))


def measure(p: Params, rng: np.random.Generator) -> Results:
    x, g = 1 + rng.standard_normal(p.B), rng.standard_normal(p.B)
    forward = normalised(x[:, None])
    gradient = slopes(x, g)
    shifted = normalised(x[:, None] + SHIFT)
    rectified = np.maximum(forward.x_hat, 0)
    other_order = normalised(np.maximum(x[:, None], 0)).x_hat

    rows = p.spread * np.arange(p.devices)[:, None] + rng.standard_normal((p.devices, p.B))
    alone = batch_norm_train(rows.T, eps=EPS)  # each device is a column of its own
    together = batch_norm_train(rows.reshape(-1, 1), eps=EPS)
    running = RunningStatistics(np.array([0.0]), np.array([1.0]))
    for _ in range(p.steps):
        running = running.updated(together, p.momentum)

    values = p.m + rng.standard_normal(p.samples)
    masks = rng.random(p.samples) >= p.rate
    return {
        "h": forward.x_hat[:, 0],
        "s": float(forward.denominator.item()),
        "x": x,
        "g": g,
        "gradient": gradient,
        "frozen_gradient": GAMMA * g / float(forward.denominator.item()),
        "gradient_norm": float(np.linalg.norm(gradient)),
        "frozen_norm": float(np.linalg.norm(GAMMA * g / float(forward.denominator.item()))),
        "gradient_sum": float(gradient.sum()),
        "scale_ratio": float(np.linalg.norm(slopes(SCALE * x, g)) / np.linalg.norm(gradient)),
        "bias_gap": float(np.abs(shifted.y - forward.y).max()),
        "order_gap": float(np.abs(rectified - other_order).max()),
        "rectified_mean": float(rectified.mean()),
        "pooled_variance": float(together.var.item()),
        "device_variances": alone.var.ravel(),
        "device_means": alone.mean.ravel(),
        "mean_device_variance": float(alone.var.mean()),
        "pooled_mean": float(together.mean.item()),
        "running_mean": float(running.mean.item()),
        "samples": p.samples,
        "train_variance": float((masks * values / (1 - p.rate)).var(ddof=1)),
        "test_variance": float(values.var(ddof=1)),
        **folded(rng),
    }


def folded(rng: np.random.Generator) -> Results:
    """A convolution with zero padding and a norm after it, or before it, each against one convolution with other weights."""
    image = 2 + rng.standard_normal((1, CHANNELS, SIDE, SIDE))
    weight, bias = rng.standard_normal((CHANNELS, CHANNELS, 3, 3)), rng.standard_normal(CHANNELS)
    gamma, beta = 1 + 0.1 * rng.standard_normal(CHANNELS), rng.standard_normal(CHANNELS)
    running = RunningStatistics(2 + rng.standard_normal(CHANNELS), 1 + rng.random(CHANNELS))
    scale, shift = batch_norm_folded(running, gamma, beta, EPS)
    after = batch_norm_eval(correlate(image, weight, bias, padding=1), running, gamma, beta, EPS, 1)
    one = correlate(image, weight * scale[:, None, None, None], bias * scale + shift, padding=1)
    before = correlate(batch_norm_eval(image, running, gamma, beta, EPS, 1), weight, bias, padding=1)
    # inside, the shift of each channel passes through all taps of the kernel
    through = bias + (weight * shift[:, None, None]).sum(axis=(1, 2, 3))
    other = np.abs(before - correlate(image, weight * scale[:, None, None], through, padding=1))
    return {
        "fold_gap": float(np.abs(after - one).max()),
        "fold_size": float(
            correlate(np.abs(image) + np.abs(running.mean).max(), np.abs(weight), np.abs(bias) + 1, padding=1).max()
            * np.abs(scale).max()
            + np.abs(shift).max() * np.abs(weight).sum()
        ),
        "inner_gap": float(other[..., 1:-1, 1:-1].max()),
        "border_gap": float(other.max()),
    }  # fmt: skip


def dropped_cumulants(rate: float, m: float) -> list[float]:
    """Cumulants of a normal value of mean m and variance 1 behind inverted dropout."""
    normal = moments_from_cumulants([m, 1.0, *([0.0] * (ORDERS - 2))])
    return cumulants_from_moments([(1 - rate) ** (1 - k) * normal[k - 1] for k in range(1, ORDERS + 1)])


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text("rounding only", "仅有舍入误差")
    differences = Text("error of the central differences and rounding", "中心差分的误差与舍入")
    distinct = Text("draws that agree to the last digit do not occur", "每位数字都相同的抽样不会出现")
    h, s, x, g = results["h"], results["s"], results["x"], results["g"]
    largest = float(np.abs(x).max())
    row_error = 2 * (p.B + 8) * UNIT * (1 + math.sqrt(p.B))
    slope_error = (
        GAMMA / s * float(np.abs(g).sum()) * (6.7 * STEP**2 / p.B + row_error * (largest + 1) / s / STEP)
    )
    formula = input_gradient(g, g.mean(), (g * h).mean(), h, GAMMA, s)
    length = math.sqrt(max(0.0, float((g**2).sum() - p.B * (g.mean() ** 2 + (g * h).mean() ** 2))))
    means = results["device_means"]
    size = float(np.abs(means).max()) + 10
    return (
        Check(
            "gradient-entries",
            Text("the slopes of the loss are those of the formula", "损失对各输入的导数与公式一致"),
            0.0,
            float(np.abs(results["gradient"] - formula).max()),
            slope_error,
            differences,
        ),
        Check(
            "gradient-sum",
            Text("they sum to zero over the batch", "它们在整批上之和为零"),
            0.0,
            results["gradient_sum"],
            p.B * slope_error,
            differences,
        ),
        Check(
            "gradient-length",
            Text(r"norm of the gradient is at most $\gamma / s$ times what the two projections leave", r"梯度范数不超过 $\gamma / s$ 乘以两次投影之后的长度"),
            GAMMA / s * length,
            results["gradient_norm"],
            # the part along h is not taken away whole: eps leaves the share eps / s² of it
            math.sqrt(p.B) * slope_error + GAMMA / s * EPS / s**2 * float(np.linalg.norm(g)),
            differences,
            "<=",
        ),
        Check(
            "frozen-is-longer",
            Text("gradient with the statistics held constant is longer", "把统计量当常数得到的梯度更长"),
            results["frozen_norm"],
            results["gradient_norm"],
            math.sqrt(p.B) * slope_error,
            Text("a projection does not lengthen", "投影不会变长"),
            "<=",
        ),
        Check(
            "scaled-input",
            Text("gradient at twice the input, relative", "输入放大一倍时的梯度之比"),
            predicted["scale_ratio"],
            results["scale_ratio"],
            2 * math.sqrt(p.B) * slope_error / results["gradient_norm"] + 2 * EPS / s**2 * float(np.linalg.norm(results["frozen_gradient"])) / results["gradient_norm"],
            differences,
        ),
        Check(
            "bias-cancelled-by-mean",
            Text("output after a bias of 3 was added to the input", "输入加上偏置 3 之后输出的变化"),
            0.0,
            results["bias_gap"],
            4 * GAMMA * row_error * (largest + SHIFT) / s,
            rounding,
        ),
        Check(
            "relu-order",
            Text("ReLU after the norm against norm after the ReLU", "先归一化后 ReLU 与先 ReLU 后归一化之差"),
            0.0,
            results["order_gap"],
            1e-9,
            distinct,
            "!=",
            1e-7,
        ),
        Check(
            "mean-after-relu",
            Text("mean behind the ReLU is half the mean absolute value", "ReLU 之后的均值是平均绝对值的一半"),
            float(np.abs(h).mean() / 2),
            results["rectified_mean"],
            (p.B + 8) * row_error * (largest + 1) / s,
            rounding,
        ),
        Check(
            "variance-over-devices",
            Text("variance of all rows from the devices' means and variances", "由各设备的均值与方差合成的总方差"),
            pooled_variance(results["mean_device_variance"], float(((means - means.mean()) ** 2).mean())),
            results["pooled_variance"],
            8 * (p.B * p.devices + 8) * UNIT * size**2,
            rounding,
        ),
        Check(
            "start-left-over",
            Text("running mean after the batches, from 0", "从 0 出发，若干批之后的滑动平均"),
            results["pooled_mean"] * (1 - predicted["start_left"]),
            results["running_mean"],
            8 * (p.steps + 2) * UNIT * (abs(results["pooled_mean"]) + 1),
            rounding,
        ),
        Check(
            "variance-behind-dropout",
            Text("variance of a feature behind dropout, in training", "训练时 dropout 之后的特征方差"),
            predicted["train_variance"],
            results["train_variance"],
            variance_band(dropped_cumulants(p.rate, p.m), results["samples"]),
            Text("Markov's inequality on the moments of the sample variance", "对样本方差的各阶矩用马尔可夫不等式"),
            false_alarm=2e-7,
        ),
        Check(
            "fold-into-convolution",
            Text("convolution and norm against one convolution", "卷积加归一化与单个卷积之差"),
            0.0,
            results["fold_gap"],
            64 * 9 * CHANNELS * UNIT * results["fold_size"],
            rounding,
        ),
        Check(
            "fold-before-inside",
            Text("norm before the convolution, folded: inside the border", "归一化在卷积之前时折叠：边界以内"),
            0.0,
            results["inner_gap"],
            64 * 9 * CHANNELS * UNIT * results["fold_size"],
            rounding,
        ),
        Check(
            "fold-before-border",
            Text("and at the zero-padded border", "以及零填充的边界"),
            0.0,
            results["border_gap"],
            1e-9,
            distinct,
            "!=",
            1e-7,
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    rates = np.linspace(0.0, 0.8, 33)
    return (
        Bars(
            Text(
                "Gradient by row, and with the statistics held constant",
                "各行的梯度，以及把统计量当常数时的梯度",
            ),
            Text(
                "the true gradient sums to zero and is shorter; treating mean and variance as numbers gives another one",
                "真实的梯度之和为零且更短；把均值和方差当常数，得到的是另一个梯度",
            ),
            Axis(Text("norm of the gradient", "梯度的范数"), low=0.0),
            (
                Bar(Text("measured", "实测"), results["gradient_norm"], "measured"),
                Bar(Text("held constant", "当作常数"), results["frozen_norm"], "popular"),
            ),
        ),
        Plot(
            Text("Variance of a feature behind dropout", "dropout 之后特征的方差"),
            Text(
                "in training it grows with the rate, at inference it is 1: BatchNorm stores the first and meets the second",
                "训练时随丢弃率增大，推理时为 1：BatchNorm 存的是前者，遇到的是后者",
            ),
            Axis(Text("dropout rate", "dropout 比率")),
            Axis(Text("variance", "方差"), low=0.0),
            (
                Line(
                    Text("training, predicted", "训练，预测"),
                    rates,
                    dropped_variance(1.0, p.m, rates),
                    "predicted",
                ),
                Points(
                    Text("training, measured", "训练，实测"),
                    np.array([p.rate]),
                    np.array([results["train_variance"]]),
                    "measured",
                ),
                Points(
                    Text("inference, measured", "推理，实测"),
                    np.array([p.rate]),
                    np.array([results["test_variance"]]),
                    "other",
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D63",
    name="batch-norm-training",
    title=Text("BatchNorm in training and at inference", "训练与推理中的 BatchNorm"),
    shows=Text(
        "the gradient loses its mean and its part along the output, a bias before the norm does nothing, and dropout before it shifts the stored variance",
        "梯度会失去均值和沿输出方向的分量；归一化之前的偏置不起作用；之前若有 dropout，存下的方差就会偏移",
    ),
    kills=Text(
        "“the gradient of BatchNorm is $\\gamma g / s$”, “SyncBN averages the variances”, “inverted dropout keeps the statistics”",
        "“BatchNorm 的梯度是 $\\gamma g / s$”、“SyncBN 把方差取平均”、“inverted dropout 保持统计量”",
    ),
    parameters=(
        Parameter("B", "B", Text("rows per device", "每台设备的行数"), 16, 4, 64, 1.0, "int", "log"),
        Parameter("devices", "K", Text("devices", "设备数"), 4, 2, 8, 1.0, "int"),
        Parameter("spread", r"\delta", Text("distance of the devices' means", "相邻设备均值之差"), 1.0, 0.0, 3.0, 0.1),
        Parameter("rate", "r", Text("dropout rate", "dropout 比率"), 0.5, 0.0, 0.8, 0.05),
        Parameter("m", "m", Text("mean of the dropped feature", "被丢弃特征的均值"), 0.0, 0.0, 2.0, 0.1),
        Parameter("momentum", r"\rho", Text("weight of the new batch in the running statistics", "滑动统计量中新批次的权重"), 0.1, 0.01, 1.0, 0.01),
        Parameter("steps", "T", Text("batches seen", "已见的批次数"), 20, 1, 100, 1.0, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    samples=Samples(rest=20000),
    headline=Headline(
        "train_variance",
        Text("variance in training of a feature of variance 1 behind dropout", "方差为 1 的特征经 dropout 后在训练中的方差"),
        Text("", ""),
        0.5,
        20.0,
        "log",
    ),
)  # fmt: skip
