"""D25: what distance does to attention, what length does to it, and what both do to an RNN.

Vaswani et al. 2017, table 1 (path length); Veličković et al. 2024, section 3 (softmax disperses);
Press et al. 2022, section 3 (a linear bias on distance).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn import mean_field as theory
from engine.nn.attention import scaled_dot_product_attention, scaled_dot_product_attention_backward
from engine.nn.initialization import recurrent_matrix
from engine.nn.recurrent import RNNTrace, hidden_gradients, rnn_driven
from engine.nn.softmax import softmax
from engine.proof.step import Expr, Step, defined, equal, let, ordered, popular_error
from engine.text import Text

SEQUENCES = 16
"""Sequences that attention is measured on."""
RNN_HIDDEN, RNN_BATCH, RNN_DRIVE, BURN_IN = 128, 8, 0.8, 12
"""The recurrent network beside it: width, sequences, deviation of its input, steps before it is looked at."""
LARGEST_CROWD = 2**16
"""Keys in the randomly scored crowd and in the measured curve; the closed form runs further."""
ROUNDING = float(np.finfo(float).eps)
ROOT = 1e-13
"""Log-odds at which the search for half of the weight stops."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def best_weight(power: Expr, keys: Expr) -> Expr:
    """Softmax weight of one key whose score leads the others' by D, with ``power`` = e^D."""
    return power / (power + keys - 1)


def power_for_half(keys: Expr) -> Expr:
    """e^D at which that weight is one half."""
    return keys - 1


def log_weight_slope(bias: Expr) -> Expr:
    """Change of ln(weight) per step of distance under a score bias of -``bias`` per step."""
    return -bias


def derive() -> tuple[Step, ...]:
    import sympy as sp

    D, Z, m, excess = sp.symbols("D Z m epsilon", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    j, t, k = sp.symbols("j t k", integer=True, positive=True)
    lam, rate = sp.symbols("lambda r", positive=True)
    lead = sp.Symbol("D", real=True)
    s, v = sp.symbols("s_1:4", real=True), sp.symbols("v_1:4", real=True)
    score, alpha, c = sp.symbols("s alpha_2 c", real=True)
    total = sum(sp.exp(x) for x in s)
    context = sum(sp.exp(x) * y for x, y in zip(s, v, strict=True)) / total
    return (
        defined(
            "context",
            r"c = \sum_{j} \alpha_j v_j, \qquad \alpha = \operatorname{softmax}(s)",
            Text("one query's context over all keys", "一个 query 对所有 key 的上下文向量"),
        ),
        equal(
            "no-distance",
            sp.log(sp.exp(s[0]) / Z) - sp.log(sp.exp(s[1]) / Z),
            s[0] - s[1],
            Text(
                "two weights differ by their scores alone, whatever the normaliser $Z$: no distance enters",
                "无论归一化常数 $Z$ 是多少，两个权重只因分数而不同：公式里没有距离",
            ),
        ),
        let(
            "one-weight",
            alpha,
            sp.exp(s[1]) / total,
            Text("one weight among three", "三个 key 中的一个权重"),
        ),
        let(
            "one-context",
            c,
            context,
            Text("and their context", "以及它们的上下文"),
        ),
        equal(
            "direct-path",
            sp.Derivative(context, v[1]),
            alpha,
            Text(
                r"each value reaches the context in one step, with factor $\alpha_j$",
                r"每个 value 一步就到达上下文，系数为 $\alpha_j$",
            ),
            bound="n=3",
            using=((alpha, sp.exp(s[1]) / total),),
        ),
        equal(
            "score-path",
            sp.Derivative(context, s[1]),
            alpha * (v[1] - c),
            Text(
                r"and each score with $\alpha_j (v_j - c)$: the weight multiplies both paths",
                r"每个分数的系数是 $\alpha_j (v_j - c)$：两条路径都乘以该权重",
            ),
            bound="n=3",
            using=((alpha, sp.exp(s[1]) / total), (c, context)),
        ),
        equal(
            "recurrent-path",
            sp.Product(lam, (t, j + 1, j + k)),
            lam**k,
            Text(
                "a recurrent network needs $k$ steps for a distance $k$, each with its factor",
                "循环网络跨越距离 $k$ 需要 $k$ 步，每步乘一个因子",
            ),
        ),
        equal(
            "recurrent-limit",
            sp.Limit(sp.exp(-rate * k), k, sp.oo),
            sp.Integer(0),
            Text(
                r"with $\lambda = e^{-r}$ below one it dies out exponentially",
                r"当 $\lambda = e^{-r}$ 小于 1 时按指数消失",
            ),
        ),
        equal(
            "best-weight",
            sp.exp(D) / (sp.exp(D) + sp.Sum(sp.exp(0, evaluate=False), (j, 2, n))),
            best_weight(sp.exp(D), n),
            Text(
                "but length does: one key leads by $D$, the other $n - 1$ share the rest",
                "但长度有影响：一个 key 领先 $D$，其余 $n - 1$ 个分走剩下的权重",
            ),
        ),
        ordered(
            "no-better",
            sp.exp(D) / (sp.exp(D) + k + excess),
            "<",
            best_weight(sp.exp(D), k + 1),
            Text(
                r"if any of the $k$ others scores above 0 it takes more: $\epsilon = \sum_j (e^{s_j} - 1) > 0$",
                r"其余 $k$ 个 key 只要有分数高于 0，就会拿走更多：$\epsilon = \sum_j (e^{s_j} - 1) > 0$",
            ),
        ),
        equal(
            "dispersion",
            sp.Limit(best_weight(sp.exp(D), n), n, sp.oo),
            sp.Integer(0),
            Text(
                "with a bounded lead even the best weight tends to zero as the sequence grows",
                "领先幅度有界时，序列变长，最大权重也趋于零",
            ),
        ),
        let(
            "lead",
            lead,
            sp.log(power_for_half(n)),
            Text(
                "so the lead must grow with the logarithm of the length", "所以领先幅度必须随长度的对数增长"
            ),
        ),
        equal(
            "half",
            best_weight(sp.exp(lead), n),
            sp.Rational(1, 2),
            Text("to hold half of the weight", "才能保住一半的权重"),
            using=((lead, sp.log(power_for_half(n))),),
        ),
        equal(
            "distance-bias",
            sp.log(sp.exp(score - m * (k + 1)) / Z) - sp.log(sp.exp(score - m * k) / Z),
            log_weight_slope(m),
            Text(
                "a position bias of $-m$ per step brings distance back: the weight's logarithm falls by $m$ per step",
                "每步 $-m$ 的位置偏置把距离带了回来：权重的对数每步下降 $m$",
            ),
        ),
        popular_error(
            "length-does-not-matter",
            best_weight(sp.exp(D), n),
            best_weight(sp.exp(D), 2 * n),
            Text(
                "'attention is unaffected by how far and how much': twice the keys, a smaller weight",
                "“注意力不受距离与长度影响”：key 多一倍，权重就变小",
            ),
        ),
    )


def predict(p: Params) -> Results:
    field = theory.mean_field(p.gain, RNN_DRIVE, "tanh")
    spread = theory.slope_spread(RNN_HIDDEN, field.slope_variance)
    sizes = 2.0 ** np.arange(1, 21)
    return {
        "best_weight": best_weight(math.exp(p.lead), p.keys),
        "lead_for_half": math.log(power_for_half(p.keys)),
        "curve_sizes": sizes,
        "curve": best_weight(math.exp(p.lead), sizes),
        "weight_slope": log_weight_slope(p.bias),
        "rnn_slope": math.log(field.rate) + theory.log_bias(spread) / 2,
        "rnn_spread": spread,
    }


def weight_of_the_leader(keys: int, lead: float, rng: np.random.Generator) -> float:
    """The weight that softmax gives to one key among ``keys`` whose score leads by ``lead``."""
    scores = np.zeros(keys)
    place = rng.integers(keys)
    scores[place] = lead
    return float(softmax(scores)[place])


def lead_for_half(keys: int, rng: np.random.Generator) -> float:
    """The lead at which softmax gives the leader half of the weight, found by trying; NaN where it fails."""
    lead = 0.0
    for _ in range(8):
        weight = weight_of_the_leader(keys, lead, rng)
        if not 0 < weight < 1:
            return math.nan
        odds = math.log(weight / (1 - weight))
        lead -= odds
        if abs(odds) < ROOT:
            break
    return lead


DIFFERENCE = 1e-5
"""Step of the central differences."""


class Reach(NamedTuple):
    """ln(weight) and ln ‖∂(u·c)/∂x_j‖ of the last token's attention, both (sequence, distance 1 … reach); by how much
    the slope along a direction of the keys and the loss along the values miss what the gradients say, and the bounds on
    that."""

    log_weights: Array
    log_norms: Array
    key_gap: float
    key_bound: float
    value_gap: float
    value_bound: float


def attention_reach(p: Params, rng: np.random.Generator) -> Reach:
    """The attention of the last of ``reach`` + 1 random tokens, and how its loss moves with the tokens before it."""
    d, tokens = p.d_k, p.reach + 1
    x = rng.standard_normal((SEQUENCES, tokens, d))
    W_q, W_k, W_v = rng.standard_normal((3, d, d)) / math.sqrt(d)
    query, key, value = x[:, -1:] @ W_q, x @ W_k, x @ W_v
    bias = -p.bias * np.arange(p.reach, -1.0, -1.0)
    done = scaled_dot_product_attention(query, key, value, mask=bias)
    upstream = rng.standard_normal((SEQUENCES, 1, d))
    back = scaled_dot_product_attention_backward(done, query, key, value, upstream)
    # the token itself is left out: it is its own query too
    gradients = (back.key @ W_k.T + back.value @ W_v.T)[:, :-1]
    log_norms = np.log(np.linalg.norm(gradients, axis=-1))

    # the first sequence, its keys moved along one direction
    direction = rng.spawn(1)[0].standard_normal(key[0].shape)
    payoff = value[0] @ upstream[0, 0]  # u · v_j
    moved = [
        float(
            scaled_dot_product_attention(
                query[0], key[0] + sign * DIFFERENCE * direction, value[0], mask=bias
            ).weights[0]
            @ payoff
        )
        for sign in (1, -1)
    ]
    key_gap = (moved[0] - moved[1]) / (2 * DIFFERENCE) - float((back.key[0] * direction).sum())
    # a mean under tilted weights: its third derivative, a joint cumulant, is at most 4 ranges of u·v times a range³ of the tilt
    tilt = direction @ query[0, 0] / math.sqrt(d)
    bent = 4 * float(np.ptp(payoff) * np.ptp(tilt) ** 3) * DIFFERENCE**2 / 6
    rough = 8 * (tokens + d) * ROUNDING * float(np.abs(payoff).max()) / DIFFERENCE
    # the context is linear in the values, so their gradient along themselves is the loss itself
    value_gap = float((back.value * value).sum() - (upstream * done.context).sum())
    size = float((np.abs(upstream) * (done.weights @ np.abs(value))).sum())
    return Reach(
        np.log(done.weights[:, 0, :-1])[:, ::-1],
        log_norms[:, ::-1],
        abs(key_gap),
        bent + rough,
        abs(value_gap),
        4 * (tokens + d + SEQUENCES) * ROUNDING * size,
    )


def rnn_reach(p: Params, rng: np.random.Generator) -> Array:
    """ln ‖∂L/∂h‖ (distance 0 … reach, sequence) through a random orthogonal tanh network."""
    recurrent = recurrent_matrix(rng, RNN_HIDDEN, p.gain, "orthogonal")
    drive = RNN_DRIVE * rng.standard_normal((BURN_IN + p.reach, RNN_BATCH, RNN_HIDDEN))
    trace = rnn_driven(drive, np.zeros((RNN_BATCH, RNN_HIDDEN)), recurrent)
    settled = RNNTrace(trace.pre_activations[BURN_IN:], trace.hidden[BURN_IN:])
    direct = np.zeros_like(settled.hidden)
    last = rng.standard_normal((RNN_BATCH, RNN_HIDDEN))
    direct[-1] = last / np.linalg.norm(last, axis=-1, keepdims=True)
    log_norms: Array = np.log(np.linalg.norm(hidden_gradients(settled, recurrent, direct), axis=-1))
    return log_norms[::-1]


def slope_and_deviation(values: Array) -> tuple[float, float]:
    """Least-squares slope of ``values`` (sequence, distance) over distance, and its permutation deviation.

    If what is left of a sequence beside a common slope is exchangeable, every order of it is equally
    likely, and over those orders the slope has exactly this variance: theirs, over the distances' spread.
    """
    distance = np.arange(values.shape[1]) - (values.shape[1] - 1) / 2
    spread = float(distance @ distance)
    slope = float((values @ distance).mean() / spread)
    variances = (values - slope * distance).var(axis=1, ddof=1) / spread
    return slope, math.sqrt(float(variances.mean()) / len(values))


def measure(p: Params, rng: np.random.Generator) -> Results:
    reach = attention_reach(p, rng)
    log_norms = reach.log_norms
    weight_slope, weight_deviation = slope_and_deviation(reach.log_weights)
    gradient_slope, gradient_deviation = slope_and_deviation(log_norms)
    rnn = rnn_reach(p, rng)

    crowd = min(p.keys, LARGEST_CROWD)
    scores = rng.uniform(0.0, min(1.0, p.lead), crowd)
    scores[0] = p.lead
    sizes = 2 ** np.arange(1, crowd.bit_length())
    return {
        "best_weight": weight_of_the_leader(p.keys, p.lead, rng),
        "lead_for_half": lead_for_half(p.keys, rng),
        "crowd": crowd,
        "crowd_weight": float(softmax(scores)[0]),
        "curve_sizes": sizes.astype(float),
        "curve": np.array([weight_of_the_leader(int(size), p.lead, rng) for size in sizes]),
        "weight_slope": weight_slope,
        "weight_deviation": weight_deviation,
        "gradient_slope": gradient_slope,
        "gradient_deviation": gradient_deviation,
        "key_gap": reach.key_gap,
        "key_bound": reach.key_bound,
        "value_gap": reach.value_gap,
        "value_bound": reach.value_bound,
        "gradient_norms": np.exp(log_norms.mean(axis=0)),
        "rnn_slope": float((rnn[-1] - rnn[0]).mean() / p.reach),
        "rnn_norms": np.exp(rnn.mean(axis=1)),
        "reach_ratio": float(np.exp(log_norms[:, -1].mean() - rnn[-1].mean())),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    permuted = Text(
        "5 standard deviations of a slope over all orders of the measured values",
        "实测值所有排列下斜率的 5 个标准差",
    )
    checks = [
        Check(
            "leader-weight",
            Text("the weight of the leading key among n", "n 个 key 中领先者的权重"),
            predicted=predicted["best_weight"],
            measured=results["best_weight"],
            tolerance=64 * ROUNDING * predicted["best_weight"],
            law=exact,
        ),
        Check(
            "lead-for-half",
            Text("the lead it needs to hold half of the weight", "它保住一半权重所需的领先幅度"),
            predicted=predicted["lead_for_half"],
            measured=results["lead_for_half"],
            tolerance=10 * ROOT,
            law=Text("a root found to 1e-13", "求根精度 1e-13"),
        ),
        Check(
            "crowd-takes-more",
            Text(
                "where the others' scores scatter within D below the leader's, it gets no more",
                "其余 key 的分数散布在领先者之下 D 以内时，它得不到更多",
            ),
            predicted=best_weight(math.exp(p.lead), results["crowd"]),
            measured=results["crowd_weight"],
            tolerance=64 * ROUNDING,
            law=Text("exact inequality, up to rounding", "精确不等式，只容许舍入误差"),
            relation="<=",
        ),
        Check(
            "weight-against-distance",
            Text(
                "the slope of ln(weight) over distance is minus the position bias, zero without one",
                "ln(权重) 对距离的斜率等于负的位置偏置；没有偏置时为零",
            ),
            predicted=predicted["weight_slope"],
            measured=results["weight_slope"],
            tolerance=5 * results["weight_deviation"],
            law=permuted,
            false_alarm=6e-7,
        ),
        Check(
            "gradient-of-the-keys",
            Text(
                "the loss moves along a direction of the keys as their gradient says",
                "沿 key 的一个方向移动，损失的变化与其梯度所说的一致",
            ),
            predicted=0.0,
            measured=results["key_gap"],
            tolerance=results["key_bound"],
            law=Text(
                "central differences: a third derivative bounded by the ranges, and rounding",
                "中心差分：三阶导数由取值范围界定，加上舍入误差",
            ),
        ),
        Check(
            "gradient-of-the-values",
            Text(
                "the loss is linear in the values: their gradient along themselves is the loss",
                "损失关于 value 是线性的：value 的梯度沿其自身就等于损失",
            ),
            predicted=0.0,
            measured=results["value_gap"],
            tolerance=results["value_bound"],
            law=exact,
        ),
        Check(
            "rnn-against-distance",
            Text(
                "through the recurrent network the gradient's logarithm falls by the mean-field rate per step",
                "经过循环网络，梯度的对数每步按平均场速率下降",
            ),
            predicted=predicted["rnn_slope"],
            measured=results["rnn_slope"],
            tolerance=5 * math.sqrt(predicted["rnn_spread"] / (RNN_BATCH * p.reach)) / 2 + 1 / RNN_HIDDEN,
            law=Text(
                "5 standard errors over steps and sequences, and 1/H for finite-size terms beyond the first",
                "对步数与序列求平均的 5 个标准误，另加 1/H 以容纳一阶以外的有限尺寸项",
            ),
            false_alarm=6e-7,
        ),
    ]
    if p.bias == 0:
        checks.append(
            Check(
                "gradient-against-distance",
                Text(
                    "without positions the whole gradient has no slope over distance",
                    "没有位置信息时，完整梯度对距离没有斜率",
                ),
                predicted=0.0,
                measured=results["gradient_slope"],
                tolerance=5 * results["gradient_deviation"],
                law=permuted,
                false_alarm=6e-7,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    return _reach(p, predicted, results), _dispersion(p, predicted, results)


def _reach(p: Params, predicted: Results, results: Results) -> Plot:
    distance = np.arange(p.reach + 1.0)
    flat = Text(
        "attention's gradient is low, shared among all tokens, but level; the recurrent one starts higher and dies",
        "注意力的梯度由所有词元分摊，数值不高但处处持平；循环网络的梯度起点更高，随后消失",
    )
    biased = Text(
        "with a position bias attention's gradient falls with distance too, by the bias per step",
        "加上位置偏置后，注意力的梯度也随距离下降，每步下降偏置那么多",
    )
    first = float(results["gradient_norms"].mean()) if p.bias == 0 else float(results["gradient_norms"][0])
    expected = first * np.exp(predicted["weight_slope"] * (distance[1:] - 1))
    return Plot(
        Text("Gradient against distance", "梯度随距离的变化"),
        flat if p.bias == 0 else biased,
        Axis(Text("distance, tokens", "距离（词元）")),
        Axis(Text("gradient norm", "梯度范数"), "log"),
        (
            Line(Text("attention", "注意力"), distance[1:], results["gradient_norms"], "measured"),
            Line(Text("its predicted slope", "预测的斜率"), distance[1:], expected, "predicted"),
            Line(Text("recurrent network", "循环网络"), distance, results["rnn_norms"], "other"),
            Line(
                Text("mean-field rate", "平均场速率"),
                distance,
                np.exp(predicted["rnn_slope"] * distance),
                "predicted",
            ),
        ),
    )


def _dispersion(p: Params, predicted: Results, results: Results) -> Plot:
    sizes = predicted["curve_sizes"]
    return Plot(
        Text("Weight of the leading key against length", "领先 key 的权重随序列长度的变化"),
        Text(
            "a fixed lead holds the weight only up to about eᴰ keys; beyond, it falls like 1/n",
            "固定的领先幅度只能在约 eᴰ 个 key 以内保住权重；再长就按 1/n 下降",
        ),
        Axis(Text("keys n", "key 的个数 n"), "log"),
        Axis(Text("weight", "权重"), "log"),
        (
            Points(Text("measured", "实测"), results["curve_sizes"], results["curve"], "measured"),
            Line(Text("closed form", "闭式"), sizes, predicted["curve"], "predicted"),
            Line(
                Text("unaffected", "不受影响"), sizes, np.full_like(sizes, predicted["curve"][0]), "popular"
            ),
            Rule(Text("half", "一半"), 0.5, "y", "context"),
            Rule(Text("here", "当前"), float(p.keys), "x", "context"),
        ),
    )


DEMO = Demonstration(
    id="D25",
    name="distance-dispersion",
    title=Text("Distance, length and the reach of a gradient", "距离、长度与梯度所及"),
    shows=Text(
        "attention reaches every token in one step, so distance alone costs nothing, while a recurrent gradient dies "
        "with it; but a bounded lead is diluted by every further key",
        "注意力一步到达每个词元，距离本身没有代价，而循环网络的梯度随距离消失；"
        "但有界的领先幅度会被每个新增的 key 稀释",
    ),
    kills=Text("attention is unaffected by distance and by length", "注意力不受距离影响，也不受序列长度影响"),
    parameters=(
        Parameter("keys", "n", Text("keys", "key 的个数"), 4096, 2, 2**20, 1.0, "int", "log"),
        Parameter("lead", "D", Text("lead of the best score", "最高分的领先幅度"), 8.0, 0.0, 20.0, 0.5),
        Parameter("d_k", "d_k", Text("width of the head", "头的维度"), 32, 8, 64, 1.0, "int", "log"),
        Parameter(
            "reach", "L", Text("largest distance looked at", "考察的最大距离"), 64, 16, 128, 1.0, "int", "log"
        ),
        Parameter(
            "bias",
            "m",
            Text("position bias per step (ALiBi)", "每步的位置偏置（ALiBi）"),
            0.0,
            0.0,
            0.2,
            0.01,
        ),
        Parameter("gain", "g", Text("gain of the recurrent network", "循环网络的增益"), 1.0, 0.2, 1.5, 0.1),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "best_weight",
        Text("attention weight of the one key that leads", "唯一领先的 key 得到的注意力权重"),
        Text("", ""),
        1e-7,
        1.0,
        "log",
    ),
)
