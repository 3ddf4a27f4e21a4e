"""D33: LayerNorm, BatchNorm and RMSNorm: which axis, what couples, what is invariant.

Ba et al. 2016, sections 3 and 5.1; Ioffe, Szegedy 2015, algorithms 1 and 2; Zhang, Sennrich 2019.
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
from engine.deviation import ALARM, chi_square_band
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.normalization import (
    RunningStatistics,
    batch_norm_eval,
    batch_norm_folded,
    batch_norm_train,
    layer_norm,
    rms_norm,
)
from engine.proof.step import (
    Expr,
    Step,
    cited,
    defined,
    equal,
    exhausted,
    let,
    popular_error,
    unequal,
)
from engine.text import Text, same

UNIT = float(np.finfo(float).eps) / 2


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def jacobian_entry(own: Expr, h_i: Expr, h_j: Expr, s: Expr, d: Expr) -> Expr:
    """d h_i / d x_j of h = (x - mean) / s; ``own`` is 1 where i = j, else 0."""
    return (own - 1 / d - h_i * h_j / d) / s


def normalised_variance(v: Expr, eps: Expr) -> Expr:
    """Variance of the normalised features."""
    return v / (v + eps)


def radial_slope(v: Expr, eps: Expr, s: Expr) -> Expr:
    """Eigenvalue of the Jacobian along h itself."""
    return eps / ((v + eps) * s)


def padded_mean(m: Expr, pad: Expr) -> Expr:
    """Mean over all positions where a share ``pad`` holds zeros."""
    return (1 - pad) * m


def padded_variance(m: Expr, v: Expr, pad: Expr) -> Expr:
    return (1 - pad) * (v + pad * m**2)


def batch_mean_variance(v: Expr, B: Expr) -> Expr:
    return v / B


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    d, B, j, k = sp.symbols("d B j k", integer=True, positive=True)
    mu, b, beta, c, w = sp.symbols("mu b beta c w", real=True)
    a, v, eps, gamma, r = sp.symbols("a v epsilon gamma r", positive=True)

    # statistics of one row: x stands for a feature drawn evenly from the d features
    x, x_i, x_j = sp.symbols("x x_i x_j", real=True)
    row = {x: (mu, v + mu**2)}
    s, h_i, h_j, mean, var = sp.symbols("s h_i h_j m V", real=True)
    R, Q = sp.symbols("R Q", real=True)
    root = (s, sp.sqrt(v + eps))
    # the row seen from two of its features: R and Q are the sum and the sum of squares of the others
    lets = (
        (h_i, (x_i - mean) / s),
        (h_j, (x_j - mean) / s),
        (s, sp.sqrt(var + eps)),
        (var, (x_i**2 + x_j**2 + Q) / d - mean**2),
        (mean, (x_i + x_j + R) / d),
    )
    h = sp.IndexedBase("h", real=True)
    total, squares = sp.Sum(h[j], (j, 1, d)), sp.Sum(h[j] ** 2, (j, 1, d))
    centred, spread = (total, sp.Integer(0)), (squares, d * normalised_variance(v, eps))
    column = sp.IndexedBase("x", real=True)
    feature = (h[j], (column[j] - mu) / s)
    sum_of_x = (sp.Sum(column[j], (j, 1, d)), d * mu)
    sum_of_squares = (sp.Sum(column[j] ** 2, (j, 1, d)), d * (v + mu**2))
    across = jacobian_entry(0, h_i, h[j], s, d) * s

    batch = sp.IndexedBase("x", real=True)
    y_1, y_2 = sp.symbols("y_1 y_2", real=True)
    half_gap = (y_1 - y_2) / 2
    bit, pad = sp.symbols("t p", positive=True)
    padding = {bit: (1 - pad, 1 - pad), x: (mu, v + mu**2)}
    other_mu, other_v = sp.Symbol("mu_2", real=True), sp.Symbol("v_2", positive=True)
    sequence_mean = (mu + other_mu) / 2
    sequence_var = (v + other_v) / 2 + (mu - other_mu) ** 2 / 4

    return (
        defined(
            "layer-norm",
            r"h_i = \frac{x_i - \mu}{\sqrt{v + \epsilon}}, \quad \mu = \frac{1}{d}\sum_{i=1}^{d} x_i, \quad "
            r"v = \frac{1}{d}\sum_{i=1}^{d} (x_i - \mu)^2",
            Text(
                "LayerNorm, before gain and bias: one token, statistics over its $d$ features; $E$ and "
                r"$\operatorname{Var}$ below average over the features",
                r"LayerNorm（增益与偏置之前）：取一个词元，统计量在它的 $d$ 个特征上算；下面的 $E$ 与 $\operatorname{Var}$ "
                "都是对特征取平均",
            ),
        ),
        defined(
            "batch-norm",
            r"\hat{x}_k = \frac{x_k - \mu_B}{\sqrt{v_B + \epsilon}}, \quad \mu_B = \frac{1}{B}\sum_{k=1}^{B} x_k",
            Text(
                "BatchNorm in training: one feature, statistics over the $B$ rows of the batch (and over the positions)",
                "训练时的 BatchNorm：取一个特征，统计量在批内 $B$ 行（以及各位置）上算",
            ),
        ),
        let("root", *root, Text("the denominator", "分母")),
        let("mean", *sum_of_x, Text(r"the mean $\mu$, summed", r"均值 $\mu$，写成求和")),
        let("variance", *sum_of_squares, Text("and the variance $v$", "以及方差 $v$")),
        let("features", *feature, Text("each normalised feature", "每个归一化后的特征")),
        equal(
            "mean-zero",
            total,
            sp.Integer(0),
            Text(
                "the normalised features have mean zero, for any $d$",
                "归一化后的特征均值为零，对任意 $d$ 成立",
            ),
            using=[feature, sum_of_x],
        ),
        equal(
            "variance-one",
            squares,
            d * normalised_variance(v, eps),
            Text(
                r"and variance one, but for $\epsilon$: $|h|^2 = d$",
                r"方差为一（除去 $\epsilon$ 的影响）：$|h|^2 = d$",
            ),
            using=[feature, sum_of_x, sum_of_squares, root],
        ),
        equal(
            "scale-and-shift",
            (a * x_i + b - Expectation(a * x + b, row)) / sp.sqrt(Variance(a * x + b, row) + a**2 * eps),
            (x_i - mu) / sp.sqrt(v + eps),
            Text(
                r"$\operatorname{LN}(a x + b) = \operatorname{LN}(x)$ for $a > 0$: exactly with $\epsilon = 0$, else with "
                r"$\epsilon$ scaled along",
                r"$a > 0$ 时 $\operatorname{LN}(a x + b) = \operatorname{LN}(x)$：$\epsilon = 0$ 时严格成立，否则要让 "
                r"$\epsilon$ 同步缩放",
            ),
        ),
        *(
            let(
                f"seen-{name}",
                left,
                right,
                Text("the row seen from two of its features", "从两个特征看这一行"),
            )
            for name, (left, right) in zip(("h_i", "h_j", "s", "V", "m"), lets, strict=True)
        ),
        equal(
            "own-feature",
            sp.Derivative(h_i, x_i),
            jacobian_entry(1, h_i, h_i, s, d),
            Text(
                "quotient rule; $R$ and $Q$ hold the other features, however many",
                "商的求导法则；$R$ 与 $Q$ 是其余特征的和与平方和，个数任意",
            ),
            using=lets,
        ),
        equal(
            "other-feature",
            sp.Derivative(h_i, x_j),
            jacobian_entry(0, h_i, h_j, s, d),
            Text(
                r"together $J = (I - \frac{1}{d} 1 1^T - \frac{1}{d} h h^T) / s$; the same holds for BatchNorm along the batch",
                r"合起来 $J = (I - \frac{1}{d} 1 1^T - \frac{1}{d} h h^T) / s$；BatchNorm 沿批维也是同一公式",
            ),
            using=lets,
        ),
        equal(
            "no-gradient-along-ones",
            (1 + sp.Sum(across, (j, 1, d))) / s,
            sp.Integer(0),
            Text(
                "$J 1 = 0$: raising all features together changes nothing, for any $d$",
                "$J 1 = 0$：所有特征一起平移不影响输出，对任意 $d$ 成立",
            ),
            using=[centred],
        ),
        equal(
            "no-gradient-along-x",
            (h_i + sp.Sum(across * h[j], (j, 1, d))) / s,
            radial_slope(v, eps, s) * h_i,
            Text(
                r"$J h = 0$ but for $\epsilon$: stretching the token changes nothing",
                r"除去 $\epsilon$，$J h = 0$：拉伸整个词元不影响输出",
            ),
            using=[centred, spread],
        ),
        unequal(
            "batch-couples",
            sp.Derivative(half_gap / sp.sqrt(half_gap**2 + eps), y_2),
            sp.Integer(0),
            Text(
                "a batch of two, one feature: the value $y_2$ of the other sequence moves the output of $y_1$; in LayerNorm "
                "no term holds another token",
                "批内两个样本、一个特征：另一个样本的取值 $y_2$ 会改变 $y_1$ 的输出；LayerNorm 中没有含其他词元的项",
            ),
            bound="B=2",
        ),
        exhausted(
            "batch-of-one",
            batch[1] - sp.Sum(batch[k], (k, 1, B)) / B,
            "=",
            sp.Integer(0),
            Text(
                "training on one value per feature: it is its own mean, and BatchNorm returns its bias whatever came in",
                "训练时每个特征只有一个值：它就是自己的均值，BatchNorm 无论输入什么都只输出偏置",
            ),
            over=({B: sp.Integer(1)},),
            bound="B=1",
        ),
        equal(
            "fold",
            gamma * (w * x + c - mu) / sp.sqrt(r + eps) + beta,
            (gamma * w / sp.sqrt(r + eps)) * x + (gamma * (c - mu) / sp.sqrt(r + eps) + beta),
            Text(
                r"at inference mean $\mu$ and variance $r$ are stored numbers: BatchNorm is an affine map that folds into the "
                "linear layer $w x + c$ before it",
                r"推理时均值 $\mu$ 与方差 $r$ 是存好的数：BatchNorm 只是仿射变换，可折叠进前面的线性层 $w x + c$",
            ),
        ),
        popular_error(
            "inference-needs-a-batch",
            gamma * (x - mu) / sp.sqrt(r + eps) + beta,
            beta,
            Text(
                "'BatchNorm cannot run at batch size 1': true of training only; with stored statistics one row gives its "
                "proper output",
                "“BatchNorm 不能在批量为 1 时运行”：只在训练时如此；推理用存好的统计量，一行也能得到应有的输出",
            ),
        ),
        popular_error(
            "layer-norm-is-per-sequence",
            (x_i - sequence_mean) / sp.sqrt(sequence_var + eps),
            (x_i - mu) / sp.sqrt(v + eps),
            Text(
                r"'LayerNorm normalises the sequence': statistics over two tokens ($\mu, v$ and $\mu_2, v_2$) give another "
                "output; in a Transformer it is each token by itself",
                r"“LayerNorm 对整个序列做归一化”：把两个词元（$\mu, v$ 与 $\mu_2, v_2$）放在一起统计，输出就变了；"
                "Transformer 里是每个词元各归各的",
            ),
        ),
        equal(
            "batch-noise",
            sp.Sum(Variance(x / B, row), (k, 1, B)),
            batch_mean_variance(v, B),
            Text(
                r"the mean of $B$ independent rows keeps a variance of $v / B$: small batches normalise by noise",
                r"$B$ 个独立样本的均值仍有方差 $v / B$：批越小，归一化所用的统计量噪声越大",
            ),
        ),
        equal(
            "padding-mean",
            Expectation(bit * x, padding),
            padded_mean(mu, pad),
            Text(
                "a share $p$ of zero padding ($t = 0$) pulls the batch mean towards zero",
                "占比 $p$ 的零填充（$t = 0$）把批均值拉向零",
            ),
        ),
        equal(
            "padding-variance",
            Variance(bit * x, padding),
            padded_variance(mu, v, pad),
            Text(
                "and distorts the variance; leaving padding out of the statistics undoes both",
                "方差也随之失真；统计时把填充排除即可避免",
            ),
        ),
        equal(
            "rms-scale",
            a * x_i / sp.sqrt(Expectation((a * x) ** 2, row) + a**2 * eps),
            x_i / sp.sqrt(Expectation(x**2, row) + eps),
            Text(
                "RMSNorm, which does not centre, still ignores the scale",
                "RMSNorm 不减均值，但仍对缩放不变",
            ),
        ),
        popular_error(
            "rms-ignores-shift",
            (x_i + b) / sp.sqrt(Expectation((x + b) ** 2, row) + eps),
            x_i / sp.sqrt(Expectation(x**2, row) + eps),
            Text(
                "'RMSNorm is LayerNorm without the cost': a shift of all features does change its output",
                "“RMSNorm 就是更省的 LayerNorm”：所有特征平移一个常数，它的输出会变",
            ),
        ),
        cited(
            "why-layer-norm",
            r"\mu_B \neq \mu, \qquad v_B \neq r",
            Text(
                "small batches are not the documented reason: the batch statistics of language data stray far from the "
                "stored ones, so training and inference disagree; with care BatchNorm does work",
                "有据可查的原因不是“批太小”：语言数据的批统计量与存下来的相差很大，训练与推理不一致；处理得当 BatchNorm 也能用",
            ),
            "Shen et al. 2020, PowerNorm, sections 1 and 3; Yao et al. 2021 for BatchNorm in vision Transformers",
        ),
    )


LENGTH = 20
"""Positions of each padded sequence."""


def real_positions(pad: float) -> int:
    """How many positions of a sequence hold a token, at least one."""
    return max(1, LENGTH - round(pad * LENGTH))


def predict(p: Params) -> Results:
    pad = 1 - real_positions(p.pad) / LENGTH
    return {
        "ln_row_change": 0.0,
        "bn_single_output": 0.0,
        "batch_mean_std": math.sqrt(batch_mean_variance(1.0, p.B)),
        "padded_mean_ratio": padded_mean(1.0, pad),
        "pad": pad,
    }


def draw_tokens(rng: np.random.Generator, *shape: int) -> Array:
    """Features of mean 2 and deviation 1."""
    return 2 + rng.standard_normal(shape)


def normalise_batch(x: Array, mode: str, running: RunningStatistics, eps: float) -> Array:
    """BatchNorm's output in this mode, (B, d)."""
    if mode == "train":
        return np.asarray(batch_norm_train(x, eps=eps).y)
    return np.asarray(batch_norm_eval(x, running, eps=eps))


STEP = 1e-5
"""Step of the central differences, in units of the row's denominator."""


def difference_jacobian(row: Array, eps: float) -> tuple[Array, Array, float]:
    """s · dh_i/dx_j of the LayerNorm layer by central differences, (d, d), with h (d,) and s."""
    forward = layer_norm(row, eps=eps)
    s = float(forward.denominator[0])
    steps = STEP * s * np.eye(len(row))
    up, down = row + steps, row - steps  # row j moves x_j
    slopes = (layer_norm(up, eps=eps).x_hat - layer_norm(down, eps=eps).x_hat) / (
        np.diagonal(up) - np.diagonal(down)
    )[:, None]
    return np.asarray(s * slopes.T), np.asarray(forward.x_hat), s


def measure(p: Params, rng: np.random.Generator) -> Results:
    tokens = draw_tokens(rng, p.B, p.d)  # one decoding step of B sequences
    neighbours = tokens.copy()
    neighbours[1:] = draw_tokens(rng, p.B - 1, p.d)
    batch = draw_tokens(rng, 256, p.d)
    seen = batch_norm_train(batch)
    running = RunningStatistics.initial(p.d).updated(seen, momentum=1.0)
    layered = layer_norm(tokens, eps=p.eps)
    batched = normalise_batch(tokens, p.mode, running, p.eps)

    scaled = p.a * tokens + p.b
    slopes, h, s = difference_jacobian(tokens[0], p.eps)

    weight, bias = rng.standard_normal((p.d, p.d)), rng.standard_normal(p.d)
    gamma, beta = 1 + 0.1 * rng.standard_normal(p.d), rng.standard_normal(p.d)
    scale, shift = batch_norm_folded(running, gamma, beta, p.eps)
    apart = batch_norm_eval(tokens @ weight + bias, running, gamma, beta, p.eps)
    folded = tokens @ (weight * scale) + (bias * scale + shift)
    trained = batch_norm_train(batch, gamma, beta, p.eps)
    own = RunningStatistics(trained.mean.ravel(), trained.var.ravel())
    evaluated = batch_norm_eval(batch, own, gamma, beta, p.eps)
    root_mean_square = np.sqrt((tokens**2).mean(axis=-1, keepdims=True) + p.eps)

    sequences = draw_tokens(rng, p.B, LENGTH, p.d)
    real = real_positions(p.pad)
    sequences[:, real:] = 0.0
    with_padding = batch_norm_train(sequences, eps=p.eps)
    without = batch_norm_train(sequences[:, :real], eps=p.eps)

    sizes = np.array(sorted({1, 2, 4, 8, 16, 32, 64, p.B}))
    means = (
        rng.standard_normal((p.samples, sizes[-1])).cumsum(axis=1)[:, sizes - 1] / sizes
    )  # (draws, len(sizes))
    deviations = means.std(axis=0, ddof=1)
    return {
        "ln_row_change": float(np.abs(layer_norm(neighbours, eps=p.eps).y[0] - layered.y[0]).max()),
        "bn_row_change": float(
            np.abs(normalise_batch(neighbours, p.mode, running, p.eps)[0] - batched[0]).max()
        ),
        "bn_single_output": float(np.abs(batch_norm_train(tokens[:1], eps=p.eps).y).max()),
        "bn_eval_alone_change": float(
            np.abs(
                batch_norm_eval(tokens[:1], running, eps=p.eps)
                - batch_norm_eval(tokens, running, eps=p.eps)[:1]
            ).max()
        ),
        "ln_output": layered.y,
        "bn_output": batched,
        "ln_mean": float(np.abs(layered.y.mean(axis=-1)).max()),
        "ln_scale_shift_gap": float(np.abs(layer_norm(scaled, eps=p.a**2 * p.eps).y - layered.y).max()),
        "ln_scale_shift_gap_fixed_eps": float(np.abs(layer_norm(scaled, eps=p.eps).y - layered.y).max()),
        "rms_scale_gap": float(
            np.abs(rms_norm(p.a * tokens, eps=p.a**2 * p.eps).y - rms_norm(tokens, eps=p.eps).y).max()
        ),
        "rms_shift_change": float(
            np.abs(rms_norm(tokens + p.b, eps=p.eps).y - rms_norm(tokens, eps=p.eps).y).max()
        ),
        "rms_back_gap": float(np.abs(rms_norm(tokens, eps=p.eps).y * root_mean_square - tokens).max()),
        "same_map_gap": float(np.abs(evaluated - trained.y).max()),
        "same_map_size": float(
            (
                np.abs(gamma) * (np.abs(batch).max(axis=0) + np.abs(own.mean)) / trained.denominator.ravel()
            ).max()
            + np.abs(beta).max()
        ),
        "stored_variance_gap": float(np.abs(running.var - batch.var(axis=0, ddof=1)).max()),
        "stored_size": float((batch**2).max()),
        "denominators": layered.denominator[:, 0],
        "largest": float(np.abs(tokens).max()),
        "largest_scaled": float(np.abs(scaled).max()),
        "jacobian": slopes,
        "h": h,
        "s": s,
        "row": tokens[0],
        "fold_gap": float(np.abs(apart - folded).max()),
        "fold_size": float(
            (
                (np.abs(tokens) @ np.abs(weight) + np.abs(bias) + np.abs(running.mean)) * np.abs(scale)
                + np.abs(beta)
            ).max()
        ),
        "padded_mean_ratio": float(with_padding.mean.ravel()[0] / without.mean.ravel()[0]),
        "padded_variance": float(with_padding.var.ravel()[0]),
        "real_mean": float(without.mean.ravel()[0]),
        "real_variance": float(without.var.ravel()[0]),
        "pad_condition": float(np.abs(sequences[..., 0]).sum() / abs(sequences[..., 0].sum())),
        "sizes": sizes,
        "deviations": deviations,
        "batch_mean_std": float(deviations[list(sizes).index(p.B)]),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("the same operations on the same numbers", "对同样的数做同样的运算")
    rounding = Text("rounding, with the conditioning of the row", "舍入误差，含该行的条件数")
    differences = Text(
        "central differences: a third derivative of at most $40/d$ in units of $s$, and rounding",
        "中心差分：以 $s$ 为单位的三阶导数不超过 $40/d$，加上舍入误差",
    )
    narrowest = float(results["denominators"].min())
    # a mean and a difference are good to (d + 8) units of the largest entry, a quotient by the denominator magnifies them
    row_error = 2 * (p.d + 8) * UNIT * (1 + math.sqrt(p.d))
    error = row_error * results["largest"] / narrowest
    scaled_error = error + row_error * results["largest_scaled"] / (p.a * narrowest)
    rms_error = 4 * (p.d + 8) * UNIT * math.sqrt(p.d)

    row, h, s, slopes = results["row"], results["h"], results["s"], results["jacobian"]
    formula = s * jacobian_entry(np.eye(p.d), h[:, None], h[None, :], s, p.d)
    slope_error = 6.7 * STEP**2 / p.d + row_error * float(np.abs(row).max()) / s / STEP
    row_variance = s**2 - p.eps
    along = s * radial_slope(row_variance, p.eps, s) * h

    coupled = p.mode == "train" and p.B > 1
    # a smaller shift than this may drown in rounding
    visible = abs(p.b) > 1e-6
    shift_check = (
        (
            Check(
                "rms-norm-shift",
                Text("RMSNorm of $x + b$ against that of $x$", "$x + b$ 与 $x$ 的 RMSNorm 之差"),
                predicted=0.0,
                measured=results["rms_shift_change"],
                tolerance=2 * rms_error,
                law=rounding,
                relation="!=",
                false_alarm=ALARM,
            ),
        )
        if visible
        else ()
    )
    pad = predicted["pad"]
    pad_error = 2 * (p.B * LENGTH + 8) * UNIT * results["pad_condition"]
    draws = p.samples
    return (
        Check(
            "layer-norm-ignores-the-batch",
            Text("LayerNorm of row 0 with other neighbours", "换掉同批其他行后，第 0 行的 LayerNorm 输出"),
            predicted=predicted["ln_row_change"],
            measured=results["ln_row_change"],
            tolerance=0.0,
            law=exact,
        ),
        Check(
            "batch-norm-sees-the-batch",
            Text(
                "BatchNorm of row 0 with other neighbours: moved in training, not at inference",
                "换掉同批其他行后，第 0 行的 BatchNorm 输出：训练时会变，推理时不变",
            ),
            predicted=0.0,
            measured=results["bn_row_change"],
            tolerance=0.0,
            law=Text(
                "other rows that give the same statistics to the last digit do not occur",
                "恰好给出每位数字都相同的统计量的其他行不会出现",
            )
            if coupled
            else exact,
            relation="!=" if coupled else "=",
            false_alarm=ALARM if coupled else 0.0,
        ),
        Check(
            "training-on-one-row",
            Text("BatchNorm in training on a single row", "只有一行时 BatchNorm 的训练输出"),
            predicted=predicted["bn_single_output"],
            measured=results["bn_single_output"],
            tolerance=0.0,
            law=exact,
        ),
        Check(
            "inference-on-one-row",
            Text(
                "BatchNorm at inference: row 0 alone and in its batch",
                "BatchNorm 推理：第 0 行单独与在批中相比",
            ),
            predicted=0.0,
            measured=results["bn_eval_alone_change"],
            tolerance=0.0,
            law=exact,
        ),
        Check(
            "layer-norm-rows-centred",
            Text("the rows after LayerNorm have mean zero", "LayerNorm 之后各行均值为零"),
            predicted=0.0,
            measured=results["ln_mean"],
            tolerance=error,
            law=rounding,
        ),
        Check(
            "layer-norm-invariance",
            Text(
                r"$\operatorname{LN}(a x + b) = \operatorname{LN}(x)$, $\epsilon$ scaled by $a^2$",
                r"$\operatorname{LN}(a x + b) = \operatorname{LN}(x)$，$\epsilon$ 乘以 $a^2$",
            ),
            predicted=0.0,
            measured=results["ln_scale_shift_gap"],
            tolerance=scaled_error,
            law=rounding,
        ),
        Check(
            "rms-norm-scale",
            Text(
                r"$\operatorname{RMS}(a x) = \operatorname{RMS}(x)$, $\epsilon$ scaled by $a^2$",
                r"$\operatorname{RMS}(a x) = \operatorname{RMS}(x)$，$\epsilon$ 乘以 $a^2$",
            ),
            predicted=0.0,
            measured=results["rms_scale_gap"],
            tolerance=rms_error,
            law=rounding,
        ),
        *shift_check,
        Check(
            "jacobian-entries",
            Text(
                r"every slope of the layer is that of $(I - \frac{1}{d} 1 1^T - \frac{1}{d} h h^T) / s$",
                r"层的每个导数都等于 $(I - \frac{1}{d} 1 1^T - \frac{1}{d} h h^T) / s$ 的对应元素",
            ),
            predicted=0.0,
            measured=float(np.abs(slopes - formula).max()),
            tolerance=slope_error,
            law=differences,
        ),
        Check(
            "jacobian-along-ones",
            Text("$J 1 = 0$", "$J 1 = 0$"),
            predicted=0.0,
            measured=float(np.abs(slopes.sum(axis=1)).max()),
            tolerance=p.d * slope_error,
            law=differences,
        ),
        Check(
            "jacobian-along-x",
            Text(r"$J h = 0$ but for $\epsilon$", r"除去 $\epsilon$，$J h = 0$"),
            predicted=0.0,
            measured=float(np.abs(slopes @ h - along).max()),
            tolerance=(float(np.abs(h).sum()) + 1) * slope_error,
            law=differences,
        ),
        Check(
            "rms-norm-gives-back",
            Text(
                r"RMSNorm of $x$ times the root mean square of $x$ is $x$: nothing was subtracted",
                r"$x$ 的 RMSNorm 乘以 $x$ 的均方根得回 $x$：没有减去任何东西",
            ),
            predicted=0.0,
            measured=results["rms_back_gap"],
            tolerance=2 * (p.d + 8) * UNIT * results["largest"],
            law=rounding,
        ),
        Check(
            "same-map-at-inference",
            Text(
                "given a batch's own statistics, BatchNorm at inference does what it does in training",
                "代入该批次自己的统计量，推理时的 BatchNorm 与训练时的输出相同",
            ),
            predicted=0.0,
            measured=results["same_map_gap"],
            tolerance=16 * UNIT * results["same_map_size"],
            law=rounding,
        ),
        Check(
            "stored-variance",
            Text(
                "the variance that is stored is the unbiased one, $n - 1$ in the denominator",
                "保存的方差是无偏的，分母为 $n - 1$",
            ),
            predicted=0.0,
            measured=results["stored_variance_gap"],
            tolerance=2 * (256 + 8) * UNIT * results["stored_size"],
            law=rounding,
        ),
        Check(
            "folded-layer",
            Text("BatchNorm at inference folded into the layer before it", "推理时的 BatchNorm 折叠进前一层"),
            predicted=0.0,
            measured=results["fold_gap"],
            tolerance=2 * (p.d + 8) * UNIT * results["fold_size"],
            law=rounding,
        ),
        Check(
            "batch-mean-noise",
            Text("deviation of the batch mean over many batches", "大量批次中批均值的标准差"),
            predicted=predicted["batch_mean_std"],
            measured=results["batch_mean_std"],
            # sqrt(1 + t) - 1 <= 1 - sqrt(1 - t)
            tolerance=predicted["batch_mean_std"] * (1 - math.sqrt(1 - chi_square_band(draws - 1))),
            law=Text(
                "chi-square law of a normal sample variance (Laurent and Massart)",
                "正态样本方差服从卡方分布（Laurent 与 Massart 不等式）",
            ),
            false_alarm=ALARM,
        ),
        Check(
            "padded-mean",
            Text("batch mean with padding over that without", "含填充与不含填充的批均值之比"),
            predicted=predicted["padded_mean_ratio"],
            measured=results["padded_mean_ratio"],
            tolerance=pad_error,
            law=rounding,
        ),
        Check(
            "padded-variance",
            Text("batch variance with padding", "含填充时的批方差"),
            predicted=padded_variance(results["real_mean"], results["real_variance"], pad),
            measured=results["padded_variance"],
            tolerance=pad_error * (results["real_variance"] + results["real_mean"] ** 2),
            law=rounding,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    sizes: Array = np.logspace(0, 6, 49, base=2)
    edge = float(max(np.abs(results["ln_output"]).max(), np.abs(results["bn_output"]).max(), 1.0))
    return (
        HeatMap(
            Text("LayerNorm: one row at a time", "LayerNorm：逐行归一化"),
            Text(
                "tokens in rows, features in columns; the framed row is normalised by itself and knows no other row",
                "行为词元，列为特征；框出的一行只用自己的统计量，与其他行无关",
            ),
            results["ln_output"],
            low=-edge,
            high=edge,
            diverging=True,
            outline=tuple((0, column) for column in range(p.d)),
        ),
        HeatMap(
            Text("BatchNorm: one column at a time", "BatchNorm：逐列归一化"),
            Text(
                "the framed column is normalised over the batch in training: replace a row, and every other row moves",
                "训练时框出的一列在整个批上归一化：换掉一行，其余各行都跟着变",
            ),
            results["bn_output"],
            low=-edge,
            high=edge,
            diverging=True,
            outline=tuple((row, 0) for row in range(p.B)),
        ),
        Plot(
            Text("Noise of the batch mean against the batch size", "批均值的噪声随批量的变化"),
            Text(
                "the deviation of the batch mean falls only as 1/√B: four times the batch for half the noise",
                "批均值的标准差只按 1/√B 下降：噪声减半，批要扩大到四倍",
            ),
            Axis(Text("batch size B", "批量 B"), "log"),
            Axis(Text("deviation of the batch mean", "批均值的标准差"), "log"),
            (
                Line(same("1/√B"), sizes, np.asarray(np.sqrt(batch_mean_variance(1.0, sizes))), "predicted"),
                Points(
                    Text("measured", "实测"),
                    results["sizes"].astype(float),
                    results["deviations"],
                    "measured",
                ),
                Rule(Text("B now", "当前 B"), float(p.B), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D33",
    name="layernorm-batchnorm",
    title=Text("LayerNorm, BatchNorm, RMSNorm", "LayerNorm、BatchNorm 与 RMSNorm"),
    shows=Text(
        "LayerNorm of a token depends on that token alone; BatchNorm couples the batch in training and is a fixed affine map "
        "at inference; RMSNorm keeps scale invariance and gives up the shift",
        "LayerNorm 的输出只取决于该词元自己；BatchNorm 训练时让批内样本相互影响，推理时只是固定的仿射变换；"
        "RMSNorm 保留缩放不变性，放弃平移不变性",
    ),
    kills=Text(
        "“BatchNorm cannot run at batch size 1 at inference”, “LayerNorm is per sequence”, “LayerNorm was chosen because "
        "batches are small”",
        "“BatchNorm 推理时批量不能为 1”“LayerNorm 是对整个序列做的”“选 LayerNorm 是因为批太小”",
    ),
    parameters=(
        Parameter("B", "B", Text("rows in the batch", "批内行数"), 8, 1, 64, 1.0, "int", "log"),
        Parameter("d", "d", Text("features of a token", "词元的特征数"), 16, 2, 64, 1.0, "int", "log"),
        Parameter("pad", "p", Text("share of padding", "填充占比"), 0.25, 0.0, 0.9, 0.05),
        Parameter(
            "mode",
            r"\text{mode}",
            Text("BatchNorm in training or at inference", "BatchNorm 处于训练还是推理"),
            "train",
            kind="choice",
            choices=(Choice("train", Text("training", "训练")), Choice("eval", Text("inference", "推理"))),
        ),
        Parameter(
            "a", "a", Text("factor on the input", "输入的缩放倍数"), 3.0, 0.1, 10.0, 0.25, "float", "log"
        ),
        Parameter("b", "b", Text("shift of the input", "输入的平移量"), 5.0, -10.0, 10.0, 0.5),
        Parameter(
            "eps",
            r"\epsilon",
            Text("added to the variance", "加在方差上的小量"),
            1e-5,
            1e-8,
            0.1,
            9.0,
            "float",
            "log",
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "bn_row_change",
        Text(
            "how far BatchNorm moves row 0 when the other rows of its batch are replaced",
            "换掉同批其他行后，BatchNorm 让第 0 行的输出移动多少",
        ),
        Text("standard deviations", "个标准差"),
        0.0,
        5.0,
    ),
    samples=Samples(rest=4_000, drag=1_000),
)
