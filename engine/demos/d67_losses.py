"""D67: cross-entropy and its relatives: KL divergence, perplexity, focal loss, class weights, and the mean over micro-batches.

Goodfellow, Bengio, Courville 2016, section 3.13 (KL, cross-entropy); Jelinek et al. 1977 (perplexity); Lin et al. 2017, section 3
and appendix A (focal loss and its gradient); Elkan 2001, section 3 (probabilities under another base rate).
"""

from __future__ import annotations

import cmath
import math
from itertools import pairwise

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.deviation import bernstein_band
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.loss import cross_entropy, cross_entropy_backward
from engine.nn.softmax import log_softmax, softmax
from engine.proof.step import Expr, Step, defined, equal, let, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
TOKENS, FEATURES = 40, 3
"""Tokens of the sequence whose perplexity is measured; inputs of the model whose gradient is accumulated."""
COMPLEX_STEP = 1e-40
GRID, FINER = 129, 10
"""Points of a grid in which a change of sign is looked for, and how often the grid is made finer: 60 / 128^10 < 1e-19."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def focal_slope(p: Expr, gamma: Expr, log_p: Expr) -> Expr:
    """dL/dz of -(1 - p)^gamma ln p for p = sigmoid(z); ``log_p`` is ln p."""
    return (1 - p) ** gamma * (gamma * p * log_p - (1 - p))


def weighted_optimum(rate: Expr, weight: Expr) -> Expr:
    """The probability that minimises cross-entropy where the rare class counts ``weight`` times."""
    return weight * rate / (weight * rate + 1 - rate)


def mean_of_all(sums: tuple[Expr, ...], counts: tuple[Expr, ...]) -> Expr:
    """Mean over all tokens, from sums and counts of the micro-batches."""
    return sum(sums) / sum(counts)


def mean_of_means(sums: tuple[Expr, ...], counts: tuple[Expr, ...]) -> Expr:
    return sum(s / n for s, n in zip(sums, counts, strict=True)) / len(sums)


def cross_entropy_of(q: tuple[Expr, ...], p: tuple[Expr, ...], log: object) -> Expr:
    return -sum(a * log(b) for a, b in zip(q, p, strict=True))  # type: ignore[operator]


def divergence(q: tuple[Expr, ...], p: tuple[Expr, ...], log: object) -> Expr:
    """KL(q, p)."""
    return sum(a * log(a / b) for a, b in zip(q, p, strict=True))  # type: ignore[operator]


def derive() -> tuple[Step, ...]:
    return (*_divergence(), *_perplexity(), *_imbalance(), *_accumulation())


def _divergence() -> tuple[Step, ...]:
    import sympy as sp

    q, p = sp.symbols("q_1:4", positive=True), sp.symbols("p_1:4", positive=True)
    entropy = cross_entropy_of(q, q, sp.log)
    return (
        equal(
            "decomposition",
            cross_entropy_of(q, p, sp.log),
            entropy + sp.expand_log(divergence(q, p, sp.log)),
            Text(
                "cross-entropy is the entropy of the target plus the KL divergence; only the second depends on the model",
                "交叉熵等于目标的熵加 KL 散度；只有后者取决于模型",
            ),
            bound="n=3",
        ),
        equal(
            "same-gradient",
            sp.Derivative(cross_entropy_of(q, p, sp.log), p[0]),
            sp.Derivative(sp.expand_log(divergence(q, p, sp.log)), p[0]),
            Text(
                "so with fixed targets both have the same gradient",
                "所以目标固定时两者梯度相同",
            ),
            bound="n=3",
        ),
        popular_error(
            "same-number",
            cross_entropy_of(q, p, sp.log),
            divergence(q, p, sp.log),
            Text(
                "'cross-entropy is the KL divergence': they differ by the entropy, which is 0 for one-hot targets only",
                "“交叉熵就是 KL 散度”：相差一个熵，只有 one-hot 目标时熵为 0",
            ),
            bound="n=3",
        ),
        popular_error(
            "symmetric",
            divergence(q[:2], p[:2], sp.log),
            divergence(p[:2], q[:2], sp.log),
            Text("'KL is a distance': it is not symmetric", "“KL 是距离”：它不对称"),
            bound="n=2",
        ),
    )


def _perplexity() -> tuple[Step, ...]:
    import sympy as sp

    p = sp.symbols("p_1:4", positive=True)
    V, words, tokens = sp.symbols("V W T", positive=True)
    loss = sp.Symbol("L", positive=True)
    mean = -sum(map(sp.log, p)) / 3
    return (
        equal(
            "geometric-mean",
            sp.exp(3 * sp.UnevaluatedExpr(mean)),
            1 / (p[0] * p[1] * p[2]),
            Text(
                "perplexity, $e$ to the mean loss, is the geometric mean of $1/p$ (here to the power of 3 tokens)",
                "困惑度即 $e$ 的平均损失次幂，是 $1/p$ 的几何平均（式中取 3 个词元，两边取 3 次幂）",
            ),
            bound="T=3",
        ),
        equal(
            "uniform",
            sp.exp(-sp.UnevaluatedExpr(sp.log(sp.UnevaluatedExpr(1 / V)))),
            V,
            Text(
                "guessing evenly among $V$ tokens has perplexity $V$", "在 $V$ 个词元中均匀猜测，困惑度为 $V$"
            ),
        ),
        equal(
            "per-word",
            sp.exp(tokens / words * sp.UnevaluatedExpr(loss / tokens)),
            sp.exp(loss / words),
            Text(
                "the same total loss over fewer units is a larger perplexity: compare per word or per byte",
                "总损失相同而单位更少，困惑度就更大：要按词或按字节比较",
            ),
        ),
        popular_error(
            "arithmetic-mean",
            (1 / p[0] + 1 / p[1]) ** 2 / 4,
            1 / (p[0] * p[1]),
            Text("'it is the average of $1/p$': of the logarithms", "“它是 $1/p$ 的平均”：平均的是对数"),
            bound="T=2",
        ),
        popular_error(
            "tokeniser-does-not-matter",
            sp.exp(loss / tokens),
            sp.exp(loss / words),
            Text(
                "'a lower perplexity is a better model whatever the tokeniser'",
                "“无论用什么分词器，困惑度低的模型就好”",
            ),
        ),
    )


def _imbalance() -> tuple[Step, ...]:
    import sympy as sp

    z = sp.Symbol("z", real=True)
    p, rate, alpha, x = sp.symbols("p pi alpha x", positive=True)
    odds = sp.symbols("o", positive=True)
    sigmoid = 1 / (1 + sp.exp(-z))
    lemma = let("p", p, sigmoid, Text("the probability of the label", "标签的概率"))
    weighted = weighted_optimum(rate, alpha)
    return (
        defined(
            "focal",
            r"\operatorname{FL} = -(1 - p)^{\gamma} \ln p",
            Text("well-classified samples count less", "分得好的样本权重更小"),
        ),
        lemma,
        equal(
            "focal-slope",
            sp.Derivative(-((1 - sigmoid) ** 2) * sp.log(sigmoid), z),
            focal_slope(sigmoid, 2, sp.log(sigmoid)),
            Text(
                r"its gradient by the logit, here for $\gamma = 2$; at $\gamma = 0$ it is $p - 1$",
                r"对 logit 的梯度，这里取 $\gamma = 2$；$\gamma = 0$ 时是 $p - 1$",
            ),
            bound=r"γ=2",
        ),
        popular_error(
            "factor-only",
            focal_slope(p, 2, sp.log(p)),
            (1 - p) ** 2 * (p - 1),
            Text(
                r"'it multiplies the gradient by $(1-p)^\gamma$': the factor is differentiated too",
                r"“它把梯度乘以 $(1-p)^\gamma$”：这个因子自己也要求导",
            ),
            bound=r"γ=2",
        ),
        equal(
            "weighted-optimum",
            sp.Subs(
                sp.Derivative(-alpha * rate * sp.log(x) - (1 - rate) * sp.log(1 - x), x), x, weighted
            ),
            sp.Integer(0),
            Text(
                "with a class weight the best prediction is no longer the true rate $\\pi$",
                "加了类别权重，最优预测就不再是真实比例 $\\pi$",
            ),
        ),
        equal(
            "odds-multiplied",
            weighted_optimum(odds / (1 + odds), alpha) / (1 - weighted_optimum(odds / (1 + odds), alpha)),
            alpha * odds,
            Text(
                "its odds are multiplied by the weight: a shift of the logit, as moving the threshold would do",
                "赔率乘以权重：logit 平移一个常数，与移动阈值的效果相同",
            ),
        ),
        popular_error(
            "weights-keep-probabilities",
            weighted,
            rate,
            Text(
                "'class weights leave the probabilities calibrated'",
                "“加类别权重之后概率仍是校准的”",
            ),
        ),
    )  # fmt: skip


def _accumulation() -> tuple[Step, ...]:
    import sympy as sp

    sums = sp.symbols("s_1 s_2", real=True)
    counts = sp.symbols("n_1 n_2", positive=True)
    n = sp.symbols("n", positive=True)
    return (
        equal(
            "equal-counts",
            mean_of_means(sums, (n, n)),
            mean_of_all(sums, (n, n)),
            Text(
                "accumulating the means of micro-batches gives the mean over all tokens if their counts are equal",
                "各小批的词元数相等时，累积各自的均值就得到全部词元的均值",
            ),
        ),
        popular_error(
            "mean-of-means",
            mean_of_means(sums, counts),
            mean_of_all(sums, counts),
            Text(
                "'accumulation is exactly a larger batch': not if each micro-batch divides by its own count",
                "“梯度累积精确等价于大批次”：每个小批次除以自己的词元数时就不是",
            ),
        ),
    )


def sigmoid(z: float) -> float:
    return math.exp(-float(np.logaddexp(0.0, -z)))


def predict(p: Params) -> Results:
    probability, log_p = sigmoid(p.logit), -float(np.logaddexp(0.0, -p.logit))
    slopes = focal_slope(sigmoid(p.logit), p.gamma, log_p)
    return {
        "focal_slope": slopes,
        "plain_slope": probability - 1,
        "focal_ratio": slopes / (probability - 1),
        "weighted": weighted_optimum(p.rate, p.weight),
        "uniform_perplexity": float(p.vocabulary),
    }


def focal(z: complex, gamma: float) -> complex:
    """-(1 - p)^gamma ln p for a logit that may be complex."""
    log_p, log_rest = -cmath.log(1 + cmath.exp(-z)), -cmath.log(1 + cmath.exp(z))
    return -cmath.exp(gamma * log_rest) * log_p


def balanced_logit(rate: float, weight: float) -> float:
    """Where the slope of the weighted loss, from the library's gradient of each class, changes its sign, by ever finer
    grids."""
    low, high = -30.0, 30.0
    labels = np.array([[0], [1]]).repeat(GRID, axis=1)  # (2, GRID)
    for _ in range(FINER):
        grid = np.linspace(low, high, GRID)
        logits = np.stack([np.zeros(GRID), grid], axis=-1)  # (GRID, 2)
        both = cross_entropy(np.stack([logits, logits]), labels, reduction="none")
        absent, present = cross_entropy_backward(both)[..., 1]  # (GRID,) each
        rising = (1 - rate) * absent + weight * rate * present > 0
        first = int(rising.argmax())
        low, high = float(grid[first - 1]), float(grid[first])
    return (low + high) / 2


def gradient(x: Array, w: Array, labels: Array, reduction: str) -> Array:
    """dL/dW (FEATURES, classes) of softmax cross-entropy of x W."""
    forward = cross_entropy(x @ w, labels.astype(int), reduction=reduction)  # type: ignore[arg-type]
    return np.asarray(x.T @ cross_entropy_backward(forward))


def measure(p: Params, rng: np.random.Generator) -> Results:
    target, model = softmax(rng.standard_normal((2, p.classes)))
    draws = rng.choice(p.classes, size=p.samples, p=target)
    losses = -np.log(model)[draws]

    logits, labels = rng.standard_normal((TOKENS, p.vocabulary)), rng.integers(0, p.vocabulary, TOKENS)
    chosen = np.exp(log_softmax(logits)[np.arange(TOKENS), labels])

    edges = (0, p.short, p.short + p.long)
    x, w = rng.standard_normal((edges[-1], FEATURES)), rng.standard_normal((FEATURES, p.classes))
    y = rng.integers(0, p.classes, edges[-1]).astype(float)
    whole = gradient(x, w, y, "mean")
    parts = [slice(a, b) for a, b in pairwise(edges)]
    summed = sum(gradient(x[s], w, y[s], "sum") for s in parts) / edges[-1]
    averaged = sum(gradient(x[s], w, y[s], "mean") for s in parts) / len(parts)
    gammas = np.linspace(0.0, 5.0, 11)
    return {
        "samples": p.samples,
        "target": target,
        "model": model,
        "sampled_loss": float(losses.mean()),
        "entropy": float(-(target * np.log(target)).sum()),
        "chosen": chosen,
        "perplexity": float(np.exp(cross_entropy(logits, labels).loss)),
        "uniform_perplexity": float(np.exp(cross_entropy(np.zeros_like(logits), labels).loss)),
        "focal_slope": focal(complex(p.logit, COMPLEX_STEP), p.gamma).imag / COMPLEX_STEP,
        "gammas": gammas,
        "focal_slopes": np.array(
            [-focal(complex(p.logit, COMPLEX_STEP), g).imag / COMPLEX_STEP for g in gammas]
        ),
        "weighted": sigmoid(balanced_logit(p.rate, p.weight)),
        "sum_gap": float(np.abs(summed - whole).max()),
        "means_gap": float(np.abs(averaged - whole).max()),
        "gradient_size": float(np.abs(whole).max()),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    target, model = tuple(results["target"]), tuple(results["model"])
    loss = cross_entropy_of(target, target, np.log) + divergence(target, model, np.log)
    spread = float(np.ptp(np.log(model)))
    variance = float((results["target"] * (-np.log(results["model"]) - loss) ** 2).sum())
    log_loss = -np.log(results["chosen"])
    unequal = p.short != p.long
    return (
        Check(
            "sampled-cross-entropy",
            Text("mean loss of labels drawn from the target", "按目标分布抽取标签的平均损失"),
            loss, results["sampled_loss"], bernstein_band(spread, variance, results["samples"]),
            Text("Bernstein's inequality on the mean of bounded losses", "有界损失均值的 Bernstein 不等式"),
            false_alarm=1e-7,
        ),
        Check(
            "loss-above-entropy",
            Text("that loss at least the entropy of the target", "该损失不小于目标的熵"),
            results["entropy"], float(loss), ROUNDING * p.classes,
            Text("Gibbs' inequality: KL is not negative", "Gibbs 不等式：KL 非负"), relation=">=",
        ),
        Check(
            "perplexity",
            Text("perplexity of a sequence", "一个序列的困惑度"),
            float(np.prod(results["chosen"] ** (-1 / TOKENS))), results["perplexity"],
            64 * ROUNDING * results["perplexity"] * (1 + float(log_loss.mean())), rounding,
        ),
        Check(
            "uniform-perplexity",
            Text("perplexity of even guessing", "均匀猜测的困惑度"),
            predicted["uniform_perplexity"], results["uniform_perplexity"], 64 * ROUNDING * p.vocabulary * 8, rounding,
        ),
        Check(
            "focal-gradient",
            Text("gradient of the focal loss by the logit", "focal loss 对 logit 的梯度"),
            predicted["focal_slope"], results["focal_slope"], 64 * ROUNDING * (1 + p.gamma) * (1 + abs(p.logit)),
            Text("complex-step derivative: no difference is taken", "复数步求导：不取差分"),
        ),
        Check(
            "weighted-prediction",
            Text("best probability with a class weight", "有类别权重时的最优概率"),
            predicted["weighted"], results["weighted"], 64 * ROUNDING, rounding,
        ),
        Check(
            "sums-accumulated",
            Text("gap of accumulated sums from the whole batch", "累积总和与整批梯度的差距"),
            0.0, results["sum_gap"], 64 * ROUNDING * (p.short + p.long), rounding,
        ),
        Check(
            "means-accumulated",
            Text("gap of accumulated means from the whole batch", "累积均值与整批梯度的差距"),
            0.0, results["means_gap"], 1e-6 if unequal else 64 * ROUNDING * (p.short + p.long),
            Text(
                "not equal unless the counts are: the gap is of the order of the gradient",
                "词元数不等就不相等：差距与梯度同量级",
            ) if unequal else rounding,
            relation="!=" if unequal else "=",
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    fine, z = np.linspace(0.0, 5.0, 51), p.logit
    log_p = -float(np.logaddexp(0.0, -z))
    return (
        Plot(
            Text("Pull of the focal loss on the label's logit", "focal loss 对标签 logit 的拉力"),
            Text(
                r"a well-classified sample (logit above zero) hardly pulls once $\gamma$ grows",
                r"分得好的样本（logit 大于零），$\gamma$ 一大就几乎没有拉力",
            ),
            Axis(Text(r"focusing parameter", "聚焦参数")),
            Axis(Text("size of the gradient", "梯度的大小"), low=0.0),
            (
                Line(Text("predicted", "预测"), fine, -focal_slope(sigmoid(z), fine, log_p), "predicted"),
                Points(Text("measured", "实测"), results["gammas"], results["focal_slopes"], "measured"),
            ),
        ),
        Bars(
            Text("Gap of the accumulated gradient from the whole batch", "累积梯度与整批梯度的差距"),
            Text(
                "dividing each micro-batch by its own count weights its tokens wrongly, unless the counts are equal",
                "每个小批次除以自己的词元数，除非词元数相等，其中词元的权重就错了",
            ),
            Axis(Text("largest gap", "最大差距"), low=0.0),
            (
                Bar(Text("sums over the total count", "总和除以总数"), results["sum_gap"], "measured"),
                Bar(Text("mean of means", "均值的均值"), results["means_gap"], "other"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D67",
    name="losses",
    title=Text("Cross-entropy and its relatives", "交叉熵及其同类"),
    shows=Text(
        "cross-entropy is entropy plus KL; perplexity is a geometric mean and depends on the tokeniser; focal loss differentiates its own "
        "factor; class weights multiply the odds; accumulated means are not the mean",
        "交叉熵等于熵加 KL；困惑度是几何平均，且取决于分词器；focal loss 的因子也要求导；类别权重使赔率成倍变化；累积的均值不等于总均值",
    ),
    kills=Text(
        "“cross-entropy is KL”, “class weights keep probabilities calibrated”, “gradient accumulation is exactly a larger batch”",
        "“交叉熵就是 KL”、“类别权重不影响概率校准”、“梯度累积精确等价于大批次”",
    ),
    parameters=(
        Parameter("classes", "C", Text("classes", "类别数"), 5, 2, 50, 1.0, "int", "log"),
        Parameter("vocabulary", "V", Text("vocabulary size", "词表大小"), 100, 2, 1000, 1.0, "int", "log"),
        Parameter("gamma", r"\gamma", Text("focusing parameter", "聚焦参数"), 2.0, 0.0, 5.0, 0.25),
        Parameter("logit", "z", Text("logit of the label", "标签的 logit"), 2.2, -6.0, 6.0, 0.1),
        Parameter("rate", r"\pi", Text("share of the rare class", "稀有类的比例"), 0.05, 0.01, 0.5, 0.01),
        Parameter("weight", r"\alpha", Text("weight of the rare class", "稀有类的权重"), 19.0, 1.0, 100.0, 1.0),
        Parameter("short", "n_1", Text("tokens of the short micro-batch", "短小批次的词元数"), 4, 1, 64, 1.0, "int", "log"),
        Parameter("long", "n_2", Text("tokens of the long one", "长小批次的词元数"), 60, 1, 256, 1.0, "int", "log"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    samples=Samples(rest=10000),
    headline=Headline(
        "weighted",
        Text("best probability for the rare class with its weight", "稀有类加权后的最优预测概率"),
        Text("", ""),
        0.0,
        1.0,
    ),
)  # fmt: skip
