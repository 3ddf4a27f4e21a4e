"""D60: a row of attention weights must sum to one: sinks, normalised queries and keys, dropout.

Xiao et al. 2024 (attention sinks); Miller 2023 (one more in the denominator); Henry et al. 2020 (query-key normalisation);
Dehghani et al. 2023, section 2 (QK-norm in ViT-22B); Srivastava et al. 2014, section 10 (dropout scales what it keeps).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.deviation import HIGHEST_ORDER, cumulants_from_moments, moment_band, variance_band
from engine.figure import Axis, Figure, Line, Plot, Points
from engine.nn.softmax import logsumexp, softmax
from engine.proof.step import Expr, Step, cited, defined, equal, let, ordered, popular_error
from engine.text import Text

WIDTH = 16
"""Features of a query."""
ROUNDING = 64 * float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def kept_by_tokens(total: Expr, sink: Expr) -> Expr:
    """What a row gives to real tokens: ``total`` is the sum of their exponentials, ``sink`` the sink's."""
    return total / (total + sink)


def largest_normalised(n: Expr, decay: Expr) -> Expr:
    """Largest weight that unit queries and keys allow at gain g; ``decay`` is exp(-2 g)."""
    return 1 / (1 + (n - 1) * decay)


def dropped_variance(rate: Expr, squares: Expr) -> Expr:
    """Variance of the sum of a row after dropout; ``squares`` is the sum of its squared weights."""
    return rate / (1 - rate) * squares


def derive() -> tuple[Step, ...]:
    return (*_sink(), *_normalised(), *_dropout())


def _sink() -> tuple[Step, ...]:
    import sympy as sp

    total, sink = sp.symbols("S E", positive=True)
    score = sp.symbols("c", real=True)
    return (
        defined(
            "row",
            r"w_j = \frac{e^{s_j}}{\sum_{k=1}^{n} e^{s_k}}, \qquad \sum_{j=1}^{n} w_j = 1",
            Text(
                "a head cannot abstain: whatever the scores, it hands out a whole unit of weight",
                "注意力头不能弃权：无论分数如何，总要分出完整的一份权重",
            ),
        ),
        equal(
            "sink-takes-the-rest",
            kept_by_tokens(total, sink),
            1 - sink / (total + sink),
            Text(
                "one more key with a value near zero, $E = e^c$ beside the sum $S$ of the others: real tokens share what it leaves",
                "多一个 value 接近零的 key，$E = e^c$，其余之和为 $S$：真实词元分享它剩下的部分",
            ),
        ),
        equal(
            "sink-of-score-zero",
            sp.Limit(kept_by_tokens(total, sp.exp(score)), score, 0),
            total / (1 + total),
            Text(
                "a sink of score 0 is the softmax with one more in the denominator",
                "分数为 0 的 sink 就是分母加一的 softmax",
            ),
        ),
        equal(
            "can-abstain",
            sp.Limit(kept_by_tokens(total, sp.exp(score)), score, sp.oo),
            sp.Integer(0),
            Text("so a head with a sink can write nothing", "所以有 sink 的头可以什么都不写"),
        ),
        popular_error(
            "tokens-share-everything",
            kept_by_tokens(total, sink),
            sp.Integer(1),
            Text(
                "'attention weights of the real tokens sum to one': not beside a sink",
                "“真实词元的注意力权重之和为一”：旁边有 sink 时不成立",
            ),
        ),
        cited(
            "first-token",
            r"w_{\text{first}} \gg \frac{1}{n}",
            Text(
                "trained decoders make the first token their sink; streaming that drops it from the cache breaks them",
                "训练好的解码器把首个词元当作 sink；流式推理若把它从缓存中丢掉，模型就会崩坏",
            ),
            "Xiao et al. 2024, section 3.1",
        ),
    )


def _normalised() -> tuple[Step, ...]:
    import sympy as sp

    q_1, q_2, k_1, k_2 = sp.symbols("q_1 q_2 k_1 k_2", real=True)
    n, g = sp.symbols("n g", positive=True)
    top, low = sp.exp(g), sp.exp(-g)
    return (
        ordered(
            "cauchy-schwarz",
            (q_1 * k_1 + q_2 * k_2) ** 2,
            "<=",
            (q_1**2 + q_2**2) * (k_1**2 + k_2**2),
            Text(
                "with queries and keys of length one no dot product leaves $[-1, 1]$, whatever training does to them",
                "query 与 key 的长度为一时，无论训练怎样改变它们，点积都在 $[-1, 1]$ 内",
            ),
            witness=(q_1 * k_2 - q_2 * k_1) ** 2,
            bound="d_k=2",
        ),
        equal(
            "largest-weight",
            top / (top + (n - 1) * low),
            largest_normalised(n, sp.exp(-2 * g)),
            Text(
                "scores in $[-g, g]$: the sharpest row has one key at $g$ and the others at $-g$",
                "分数在 $[-g, g]$ 内：最尖锐的一行，一个 key 在 $g$，其余在 $-g$",
            ),
        ),
        equal(
            "diluted",
            sp.Limit(largest_normalised(n, sp.exp(-2 * g)), n, sp.oo),
            sp.Integer(0),
            Text(
                "at a fixed gain even that weight goes to zero with the number of keys, so the gain must be learnt or grow",
                "增益固定时，这个权重也随 key 的个数趋于零，所以增益要么可学，要么随长度增大",
            ),
        ),
        popular_error(
            "any-sharpness",
            largest_normalised(n, sp.exp(-2 * g)),
            sp.Integer(1),
            Text(
                "'normalisation changes the scale only, a row can be as sharp as before': it is capped",
                "“归一化只改变尺度，行仍可任意尖锐”：它有上限",
            ),
        ),
    )


def _dropout() -> tuple[Step, ...]:
    import sympy as sp

    p, r = sp.symbols("p r", positive=True)
    keep = sp.symbols("q", positive=True)
    mean = sp.Mul(keep, p / keep, evaluate=False)
    second = keep * (p / keep) ** 2
    return (
        let(
            "kept-share",
            keep,
            1 - r,
            Text(
                "dropout sets each weight to zero with probability $r$ and divides the others by $q = 1 - r$",
                "dropout 以概率 $r$ 把每个权重置零，其余除以 $q = 1 - r$",
            ),
        ),
        equal("unbiased", mean, p, Text("on average each weight stays as it is", "平均而言每个权重不变")),
        equal(
            "variance-of-a-weight",
            second - p**2,
            dropped_variance(r, p**2),
            Text(
                "its variance; the weights are dropped independently, so a row adds them up",
                "它的方差；各权重独立丢弃，所以整行的方差是相加",
            ),
            using=((keep, 1 - r),),
        ),
        popular_error(
            "row-still-sums-to-one",
            (p + (1 - p)) / (1 - r),
            sp.Integer(1),
            Text(
                "'a row still sums to one after dropout': with two keys and none dropped it sums to $1/(1-r)$; only the mean is one",
                "“dropout 之后一行之和仍为一”：两个 key 都没丢时，和是 $1/(1-r)$；只有均值为一",
            ),
        ),
    )


def row_of(p: Params, rng: np.random.Generator) -> Array:
    """Scores of one query with n keys: (n,)."""
    query, keys = rng.standard_normal(WIDTH), rng.standard_normal((p.n, WIDTH))
    return np.asarray(p.spread * (keys @ query) / math.sqrt(WIDTH))


def unit(x: Array) -> Array:
    """Vectors (…, d) scaled to length one."""
    return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))


def predict(p: Params) -> Results:
    return {
        "largest_allowed": largest_normalised(p.n, math.exp(-2 * p.gain)),
        "row_mean": 1.0,
    }


def measure(p: Params, rng: np.random.Generator) -> Results:
    scores = row_of(p, rng)
    plain = softmax(scores)
    beside = softmax(np.append(scores, p.sink))
    heights = np.linspace(-5.0, 15.0, 41)
    left = np.array([1 - softmax(np.append(scores, height))[-1] for height in heights])

    query, keys = rng.standard_normal(WIDTH), rng.standard_normal((p.n, WIDTH))
    towards = unit(query)
    normalised = softmax(p.gain * (unit(keys) @ towards))
    opposed = np.concatenate((towards[None], np.tile(-towards, (p.n - 1, 1))))
    sharpest = softmax(p.gain * (opposed @ towards))

    masks = rng.random((p.samples, p.n)) >= p.rate
    sums = (masks * (plain / (1 - p.rate))).sum(axis=1)
    return {
        "scores": scores,
        "weights": plain,
        "tokens_keep": float(beside[:-1].sum()),
        "sink_weight": float(beside[-1]),
        "heights": heights,
        "left": left,
        "largest_plain": float(plain.max()),
        "largest_normalised": float(normalised.max()),
        "sharpest": float(sharpest[0]),
        "samples": p.samples,
        "sums": sums,
        "row_mean": float(sums.mean()),
        "row_variance": float(sums.var(ddof=1)),
        "squares": float((plain**2).sum()),
        "no_drop_sum": float((plain / (1 - p.rate)).sum()),
    }


def sum_cumulants(rate: float, weights: Array) -> list[float]:
    """Cumulants of the sum of a row after dropout: those of a scaled coin, added up over the weights."""
    # a coin that shows 1 / (1 - r) with probability 1 - r has moments (1 - r)^(1 - m)
    coin = cumulants_from_moments([(1 - rate) ** (1 - m) for m in range(1, HIGHEST_ORDER + 1)])
    return [c * float((weights**m).sum()) for m, c in enumerate(coin, 1)]


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    scores = results["scores"]
    # the sum of the exponentials and the sink's, both over the largest of them
    top = max(float(scores.max()), p.sink)
    total = math.exp(float(logsumexp(scores)) - top)
    cumulants = sum_cumulants(p.rate, results["weights"])
    dropping = p.rate > 0
    n = results["samples"]
    return (
        Check(
            "kept-by-tokens",
            Text("weight of the real tokens beside the sink", "有 sink 时真实词元的权重之和"),
            predicted=kept_by_tokens(total, math.exp(p.sink - top)),
            measured=results["tokens_keep"],
            tolerance=ROUNDING * p.n,
            law=exact,
        ),
        Check(
            "sharpest-row",
            Text("weight of the matching key, all others opposed", "匹配 key 的权重，其余全部反向"),
            predicted=predicted["largest_allowed"],
            measured=results["sharpest"],
            tolerance=ROUNDING * (p.n + p.gain),
            law=exact,
        ),
        Check(
            "normalised-is-capped",
            Text("largest weight of random unit queries and keys", "随机单位 query 与 key 的最大权重"),
            predicted=predicted["largest_allowed"],
            measured=results["largest_normalised"],
            tolerance=ROUNDING * (p.n + p.gain),
            law=Text("bound: no cosine exceeds one", "上界：余弦不超过一"),
            relation="<=",
        ),
        Check(
            "mean-row-sum",
            Text("mean sum of a row after dropout", "dropout 之后行和的均值"),
            predicted=predicted["row_mean"],
            measured=results["row_mean"],
            tolerance=(moment_band(cumulants, n) if dropping else 0.0) + ROUNDING * p.n,
            law=Text(
                "Markov's inequality on the moments of the mean, from the cumulants of the dropped weights",
                "由被丢弃权重的累积量，对均值的各阶矩用马尔可夫不等式",
            ),
            false_alarm=1e-7 if dropping else 0.0,
        ),
        Check(
            "variance-of-row-sum",
            Text("variance of the sum of a row after dropout", "dropout 之后行和的方差"),
            predicted=dropped_variance(p.rate, results["squares"]),
            measured=results["row_variance"],
            tolerance=(variance_band(cumulants, n) if dropping else 0.0) + ROUNDING * p.n,
            law=Text(
                "Markov's inequality on the moments of the sample variance",
                "对样本方差的各阶矩用马尔可夫不等式",
            ),
            false_alarm=2e-7 if dropping else 0.0,
        ),
        Check(
            "nothing-dropped",
            Text("sum of a row of which nothing was dropped", "一个也没丢时的行和"),
            predicted=1 / (1 - p.rate),
            measured=results["no_drop_sum"],
            tolerance=ROUNDING * p.n / (1 - p.rate),
            law=exact,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    heights = results["heights"]
    total = math.exp(float(logsumexp(results["scores"])))
    keys = np.unique(np.geomspace(2, 256, 24).round())
    return (
        Plot(
            Text("What a sink leaves to the tokens", "sink 给词元留下多少"),
            Text(
                "a sink with a high score takes nearly the whole row: the head abstains",
                "sink 的分数一高，几乎占去整行：这个头弃权了",
            ),
            Axis(Text("score of the sink", "sink 的分数")),
            Axis(Text("weight of the tokens", "词元的权重之和"), low=0.0),
            (
                Line(
                    Text("predicted", "预测"),
                    heights,
                    np.array([kept_by_tokens(total, math.exp(height)) for height in heights]),
                    "predicted",
                ),
                Points(Text("measured", "实测"), heights, results["left"], "measured"),
            ),
        ),
        Plot(
            Text("The sharpest row that QK-norm allows", "QK-norm 允许的最尖锐的一行"),
            Text(
                "at a fixed gain the cap falls with the number of keys",
                "增益固定时，上限随 key 的个数下降",
            ),
            Axis(Text("keys", "key 的个数"), scale="log"),
            Axis(Text("largest weight", "最大权重"), low=0.0),
            (
                Line(
                    Text("allowed", "上限"),
                    keys,
                    largest_normalised(keys, math.exp(-2 * p.gain)),
                    "predicted",
                ),
                Points(
                    Text("random, normalised", "随机，已归一化"),
                    np.array([float(p.n)]),
                    np.array([results["largest_normalised"]]),
                    "measured",
                ),
                Points(
                    Text("without QK-norm", "没有 QK-norm"),
                    np.array([float(p.n)]),
                    np.array([results["largest_plain"]]),
                    "other",
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D60",
    name="attention-row-budget",
    title=Text("A row of attention must spend one unit", "注意力的一行必须花掉一份权重"),
    shows=Text(
        "a sink lets a head abstain, unit queries and keys cap how sharp a row can be, and dropout keeps a row's sum only on average",
        "sink 让注意力头可以弃权；query 与 key 归一化给行的尖锐程度封顶；dropout 只在平均意义上保持行和",
    ),
    kills=Text(
        "“the weights of real tokens sum to one”, “QK-norm only changes the scale”, “a row still sums to one after dropout”",
        "“真实词元的权重之和为一”、“QK-norm 只改变尺度”、“dropout 之后一行之和仍为一”",
    ),
    parameters=(
        Parameter("n", "n", Text("keys", "key 的个数"), 32, 2, 256, 1.0, "int", "log"),
        Parameter("spread", r"\sigma", Text("spread of the scores", "分数的散布"), 1.0, 0.1, 4.0, 0.1),
        Parameter("sink", "c", Text("score of the sink", "sink 的分数"), 4.0, -5.0, 15.0, 0.5),
        Parameter(
            "gain", "g", Text("gain on normalised dot products", "归一化点积的增益"), 2.0, 0.5, 30.0, 0.5
        ),
        Parameter("rate", "r", Text("dropout rate", "dropout 比率"), 0.1, 0.0, 0.9, 0.05),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    samples=Samples(rest=4000, drag=600),
    headline=Headline(
        "tokens_keep",
        Text("weight left to the real tokens beside the sink", "有 sink 时留给真实词元的权重"),
        Text("", ""),
        0.0,
        1.0,
    ),
)
