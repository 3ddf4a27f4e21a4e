"""D53: linear attention: what is exact in it, what is an approximation, and what only shares the name.

Katharopoulos et al. 2020 (linear transformers); Choromanski et al. 2021 (Performer, FAVOR+); Lee-Thorp et al. 2022 (FNet);
Peng et al. 2023 (RWKV).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from engine.demonstration import (
    Array,
    Check,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.deviation import ALARM
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.attention import scaled_dot_product_attention
from engine.nn.linear_attention import (
    causal_linear_attention,
    elu_plus_one,
    empty_state,
    fourier_mixing,
    linear_attention,
    linear_attention_step,
    positive_random_features,
    wkv,
    wkv_parallel,
)
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error, unequal
from engine.text import Text
from engine.tolerance import FALSE_ALARM, proportion

EPS = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def squared_length(norm: Expr, cosine: Expr) -> Expr:
    """|q + k|² of two vectors of one length."""
    return 2 * norm**2 * (1 + cosine)


def relative_variance(length: Expr, m: Expr, exp: Expr) -> Expr:
    """Variance of the m-feature estimate of e^{q·k} over its square, from |q + k|²."""
    return (exp(length) - 1) / m


def state_size(m: Expr, d_v: Expr) -> Expr:
    """Numbers that a linear attention head keeps, whatever the length."""
    return m * (d_v + 1)


def derive() -> tuple[Step, ...]:
    return (*_reordered(), *_estimated(), *_relatives())


def _reordered() -> tuple[Step, ...]:
    import sympy as sp

    L, S, m, d = sp.symbols("L S m d_v", integer=True, positive=True)
    Q, K, V = sp.MatrixSymbol("Q", L, m), sp.MatrixSymbol("K", S, m), sp.MatrixSymbol("V", S, d)
    a, b = sp.symbols("a b", real=True)
    n = 3
    phi_q = sp.ImmutableMatrix(n, 2, sp.symbols("q_(1:4)(1:3)", positive=True))
    phi_k = sp.ImmutableMatrix(n, 2, sp.symbols("k_(1:4)(1:3)", positive=True))
    v = sp.ImmutableMatrix(n, 1, sp.symbols("v_1:4", real=True))
    whole = phi_q * phi_k.T
    lower = sp.ImmutableMatrix(n, n, lambda i, j: whole[i, j] if j <= i else 0)
    state, rows = sp.zeros(2, 1), []
    for t in range(n):
        state = state + phi_k[t, :].T * v[t]
        rows.append((phi_q[t, :] * state)[0])
    return (
        defined(
            "linear",
            r"c_i = \frac{\varphi(q_i)^T \sum_j \varphi(k_j) v_j^T}{\varphi(q_i)^T \sum_j \varphi(k_j)}",
            Text(
                r"the softmax's kernel $e^{q \cdot k}$ is replaced by a product of features $\varphi$",
                r"用特征 $\varphi$ 的内积代替 softmax 的核 $e^{q \cdot k}$",
            ),
        ),
        equal(
            "associative",
            sp.MatMul(sp.MatMul(Q, K.T), V),
            sp.MatMul(Q, sp.MatMul(K.T, V)),
            Text(
                "the products may be regrouped: no $L \\times S$ matrix is formed, and the cost is linear in the length, for any sizes",
                "乘法可以重新结合：不必形成 $L \\times S$ 的矩阵，代价与长度成线性，对任意尺寸成立",
            ),
        ),
        popular_error(
            "exp-splits",
            sp.exp(a * b),
            sp.exp(a) * sp.exp(b),
            Text(
                "'softmax attention regroups the same way': the exponential of a product is no product of exponentials",
                "“softmax 注意力也能这样重新结合”：乘积的指数不是指数的乘积",
            ),
        ),
        equal(
            "recursion",
            sp.ImmutableMatrix(rows),
            sp.MatMul(lower, v),
            Text(
                r"causal: the state $S_t = S_{t-1} + \varphi(k_t) v_t^T$ gives the rows of the masked matrix one after the other: an RNN",
                r"因果形式：状态 $S_t = S_{t-1} + \varphi(k_t) v_t^T$ 逐行给出带掩码矩阵的结果，它就是一个 RNN",
            ),
            bound="n=3, m=2",
        ),
    )


def _estimated() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Variance

    w, a, b = sp.symbols("w a b", real=True)
    draws, mu = sp.symbols("X_1:4", real=True), sp.Symbol("mu", positive=True)
    m = sp.Symbol("m", integer=True, positive=True)
    r, rho = sp.symbols("r rho", real=True)
    length = sp.Symbol("s", positive=True)
    q, k, u = (sp.symbols(f"{name}_1:4", real=True) for name in "qku")

    def density(x: Expr) -> Expr:
        return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)

    def feature(x: Expr) -> Expr:
        return sp.exp(w * x - x**2 / 2)

    joint = [sp.exp(x * y - y**2 / 2) for x, y in zip(u, q, strict=True)]
    joint += [sp.exp(x * y - y**2 / 2) for x, y in zip(u, k, strict=True)]
    cosine = sp.ImmutableMatrix([[r, 0]]), sp.ImmutableMatrix([[r * sp.cos(rho), r * sp.sin(rho)]])
    both = cosine[0] + cosine[1]
    return (
        equal(
            "unbiased",
            feature(a) * feature(b) * density(w),
            sp.exp(a * b) * density(w - a - b),
            Text(
                "Performer: complete the square. Under a standard normal $w$ the two features make $e^{ab}$ times a shifted density",
                "Performer：配方。$w$ 服从标准正态时，两个特征之积等于 $e^{ab}$ 乘以平移后的密度",
            ),
        ),
        equal(
            "density-sums-to-one",
            sp.Integral(density(w), (w, -sp.oo, sp.oo)),
            sp.Integer(1),
            Text(
                "which integrates to one wherever it is shifted: the estimate is unbiased",
                "密度无论平移到哪里积分都是 1：估计无偏",
            ),
        ),
        equal(
            "second-moment",
            (feature(a) * feature(b)) ** 2 * density(w),
            sp.exp(2 * a * b) * sp.exp((a + b) ** 2) * density(w - 2 * (a + b)),
            Text(
                "the square in the same way: its mean is $e^{(a + b)^2}$ times the mean squared",
                "平方同理：二阶矩是均值平方的 $e^{(a + b)^2}$ 倍",
            ),
        ),
        equal(
            "more-dimensions",
            sp.prod(joint),
            sp.exp(
                sum(x * (y + z) for x, y, z in zip(u, q, k, strict=True))
                - sum(y**2 + z**2 for y, z in zip(q, k, strict=True)) / 2
            ),
            Text(
                "in $d$ dimensions the components multiply, so $(a + b)^2$ becomes $|q + k|^2$",
                "在 $d$ 维中各分量相乘，于是 $(a + b)^2$ 变成 $|q + k|^2$",
            ),
            bound="d=3",
        ),
        equal(
            "length-of-the-sum",
            (both * both.T)[0],
            squared_length(r, sp.cos(rho)),
            Text(
                r"two vectors of length $r$ at an angle $\rho$ make this sum, squared",
                r"两个长 $r$、夹角 $\rho$ 的向量，和的长度平方如此",
            ),
        ),
        equal(
            "mean-of-m",
            Variance(sum(draws) / 3, dict.fromkeys(draws, (mu, mu**2 * sp.exp(length)))) / mu**2,
            relative_variance(length, 3, sp.exp),
            Text(
                r"the mean of three independent products $X_i$ of mean $\mu$: their variance over $\mu^2$, with $s = |q + k|^2$; "
                "with $m$ of them it is one $m$-th of a single one's",
                r"三个独立的特征之积 $X_i$（均值 $\mu$）取平均：方差除以 $\mu^2$，其中 $s = |q + k|^2$；$m$ 个时是单个的 $m$ 分之一",
            ),
            bound="m=3",
        ),
        popular_error(
            "approximates-for-free",
            relative_variance(2 * length, m, sp.exp),
            relative_variance(length, m, sp.exp),
            Text(
                "'$m$ features approximate softmax well, whatever the vectors': the number needed grows exponentially with $|q + k|^2$",
                "“$m$ 个特征总能很好地逼近 softmax”：所需个数随 $|q + k|^2$ 指数增长",
            ),
            op="<=",
        ),
    )


def _relatives() -> tuple[Step, ...]:
    import sympy as sp

    x = sp.symbols("x_1:5", positive=True)
    tokens, omega = sp.IndexedBase("x"), sp.Symbol("omega")
    j, t = sp.symbols("j t", integer=True)
    x_1, x_2 = x[0], x[1]
    weight = x_1 * x_2 / (x_1 * x_1 + x_1 * x_2)
    w, u = sp.symbols("w u", real=True)
    key, value = sp.symbols("k_1:4", real=True), sp.symbols("v_1:4", real=True)
    a: Expr = sp.Integer(0)
    for k_t, v_t in zip(key[:2], value[:2], strict=True):
        a = sp.exp(-w) * a + sp.exp(k_t) * v_t
    recursion = a + sp.exp(u + key[2]) * value[2]
    direct = sum(sp.exp(-(1 - i) * w + key[i]) * value[i] for i in range(2)) + sp.exp(u + key[2]) * value[2]
    return (
        equal(
            "fourier-is-constant",
            sp.Derivative(sp.Sum(omega ** (j * t) * tokens[t], (t, 0, 3)), tokens[2]),
            omega ** (2 * j),
            Text(
                r"FNet: the share of a token in output $j$, here of token 2, is an entry of the Fourier matrix ($\omega$ a root of one), "
                "whatever the tokens are",
                r"FNet：一个词元（此处第 2 个）在输出 $j$ 中的份额是傅里叶矩阵的一个元素（$\omega$ 为单位根），与词元内容无关",
            ),
            bound="n=4",
        ),
        unequal(
            "attention-depends",
            sp.Derivative(weight, x_2),
            sp.Integer(0),
            Text(
                "linear attention of two tokens: the weight of the second changes with the second",
                "两个词元的线性注意力：第二个的权重随其内容变化",
            ),
        ),
        popular_error(
            "fnet-is-attention",
            weight,
            sp.Rational(1, 2),
            Text(
                "'FNet is linear attention': its weights are fixed beforehand, here $1/2$; attention computes them from the tokens",
                "“FNet 是线性注意力”：它的权重事先固定，此处是 $1/2$；注意力的权重由词元算出",
            ),
        ),
        equal(
            "wkv",
            recursion,
            direct,
            Text(
                "RWKV: the recursion $a_t = e^{-w} a_{t-1} + e^{k_t} v_t$ is a sum with weights that decay with distance; the "
                "newest token has the bonus $u$. No query appears",
                "RWKV：递推 $a_t = e^{-w} a_{t-1} + e^{k_t} v_t$ 就是权重随距离衰减的求和；最新词元另加 $u$。其中没有 query",
            ),
            bound="T=3",
        ),
        cited(
            "recall",
            r"\text{state } m (d_v + 1) \text{ numbers, for any length}",
            Text(
                "the price of a fixed state: recall of many earlier items is limited by its size",
                "状态大小固定的代价：能回忆的先前内容受其大小限制",
            ),
            "Arora et al. 2024 (Simple linear attention language models), section 3",
        ),
    )


def predict(p: Params) -> Results:
    length = squared_length(p.norm, p.cosine)
    variance = relative_variance(length, p.m, math.exp)
    return {
        "relative_sd": math.sqrt(variance),
        "squared_length": length,
        "single_variance": relative_variance(length, 1, math.exp),
        "kernel": math.exp(p.norm**2 * p.cosine),
        # the logarithm of one product is normal with variance s, mean s/2 below that of its mean
        "below": (1 + math.erf(math.sqrt(length) / 2 / math.sqrt(2))) / 2,
        "state_size": state_size(p.m, p.d),
    }


@lru_cache(maxsize=1)
def normal_rule(points: int = 64) -> tuple[Array, Array]:
    """Nodes and weights of the mean under N(0, 1), exact for polynomials of degree 127."""
    with np.errstate(under="ignore"):
        nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    return nodes, weights / weights.sum()


def pair_of_vectors(p: Params, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """q and k (d,) of the given length and angle in random directions, and a unit vector along q + k (or any, where that is 0)."""
    width = max(2, p.d)
    basis = np.linalg.qr(rng.standard_normal((width, 2)))[0]  # (d, 2)
    sine = math.sqrt(max(0.0, 1 - p.cosine**2))
    q, k = p.norm * basis[:, 0], p.norm * (p.cosine * basis[:, 0] + sine * basis[:, 1])
    both = q + k
    size = float(np.linalg.norm(both))
    return q, k, both / size if size > 1e-9 else basis[:, 0]


@np.errstate(under="ignore")
def products(q: Array, k: Array, directions: Array) -> Array:
    """phi_i(q) phi_i(k) of each direction (m,), as the layer makes them, one feature at a time."""
    m = len(directions)
    found: Array = positive_random_features(q, directions) * positive_random_features(k, directions) * m
    return found


COUNTS = 2 ** np.arange(3, 11)
"""Numbers of features along the curve."""


@np.errstate(under="ignore")
def output_errors(p: Params, rng: np.random.Generator) -> tuple[Array, float]:
    """Relative error of attention's output by random features of each count, and by elu + 1, on n tokens of length ``norm``."""
    width = max(2, p.d)
    query, key = rng.standard_normal((2, p.n, width))
    query, key = (p.norm * x / np.linalg.norm(x, axis=1, keepdims=True) for x in (query, key))
    value = rng.standard_normal((p.n, width))
    exact = scaled_dot_product_attention(query, key, value, scale=1.0).context
    size = float(np.linalg.norm(exact))
    directions = rng.standard_normal((int(COUNTS[-1]), width))
    phi_q, phi_k = (positive_random_features(x, directions) for x in (query, key))
    errors = [
        float(np.linalg.norm(linear_attention(phi_q[:, :m], phi_k[:, :m], value) - exact)) / size
        for m in COUNTS
    ]
    replaced = linear_attention(elu_plus_one(query), elu_plus_one(key), value)
    return np.array(errors), float(np.linalg.norm(replaced - exact)) / size


def recursion_gap(p: Params, rng: np.random.Generator) -> tuple[float, int]:
    """Greatest difference of the recursion from the masked matrix, and the numbers its state holds."""
    m, width = min(p.m, 64), 4
    phi_q, phi_k = elu_plus_one(rng.standard_normal((2, p.n, m)))
    value = rng.standard_normal((p.n, width))
    parallel = causal_linear_attention(phi_q, phi_k, value)
    state, gap = empty_state(m, width), 0.0
    for t in range(p.n):
        context, state = linear_attention_step(phi_q[t], phi_k[t], value[t], state)
        gap = max(gap, float(np.abs(context - parallel[t]).max()))
    return gap, empty_state(p.m, p.d).size


def influence_gap(mix: object, n: int, rng: np.random.Generator) -> float:
    """How far the response of ``mix`` to one and the same change differs between two inputs (n, 4)."""
    change = rng.standard_normal((n, 4))
    one, two = rng.standard_normal((2, n, 4))
    responses = [mix(x + change) - mix(x) for x in (one, two)]  # type: ignore[operator]
    return float(np.abs(responses[0] - responses[1]).max() / np.abs(responses[0]).max())


def measure(p: Params, rng: np.random.Generator) -> Results:
    q, k, along = pair_of_vectors(p, rng)
    nodes, weights = normal_rule()
    exact = products(q, k, nodes[:, None] * along)
    mean = float(weights @ exact)
    drawn = products(q, k, rng.standard_normal((p.samples, len(q))))
    gap, size = recursion_gap(p, rng)
    errors, replaced = output_errors(p, rng)
    decay, bonus = np.full(4, p.decay), rng.standard_normal(4)
    key, value = rng.standard_normal((2, p.n, 4))
    return {
        "kernel": mean,
        "single_variance": float(weights @ exact**2) / mean**2 - 1,
        "relative_sd": math.sqrt(max(0.0, float(weights @ exact**2) / mean**2 - 1) / p.m),
        "drawn_mean": float(drawn.mean()),
        "below": float((drawn < mean).mean()),
        "draws": p.samples,
        "recursion_gap": gap,
        "state_size": size,
        "wkv_gap": float(
            np.abs(wkv(decay, bonus, key, value) - wkv_parallel(decay, bonus, key, value)).max()
        ),
        "fourier_gap": influence_gap(fourier_mixing, p.n, rng),
        "attention_gap": influence_gap(
            lambda x: linear_attention(elu_plus_one(x), elu_plus_one(x), x), p.n, rng
        ),
        "errors": errors,
        "replaced": replaced,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    length, kernel = predicted["squared_length"], predicted["kernel"]
    rule = Text(
        "Gauss-Hermite rule of 64 points, exact here to rounding",
        "64 点 Gauss-Hermite 求积，此处精确到舍入误差",
    )
    rounding = Text("rounding of sums of numbers of order one", "一阶大小的数求和的舍入误差")
    # a feature's exponent reaches 15 |q + k| and is rounded relative to its size
    slack = 1e-11 * (1 + length)
    # nonnegative draws: P(mean <= E - t) <= exp(-n t² / (2 E[X²])) (Maurer 2003)
    second = kernel**2 * (predicted["single_variance"] + 1)
    lower = math.sqrt(2 * second * math.log(1 / ALARM) / results["draws"])
    checks = [
        Check(
            "features-average-to-the-kernel",
            Text("mean of the product of features", "特征之积的均值"),
            kernel,
            results["kernel"],
            slack * kernel,
            rule,
        ),
        Check(
            "relative-variance",
            Text("relative variance of one product of features", "单个特征之积的相对方差"),
            predicted["single_variance"],
            results["single_variance"],
            slack * (predicted["single_variance"] + 1),
            rule,
        ),
        Check(
            "sample-not-far-below",
            Text("mean of the drawn products does not fall far below", "抽样均值不会低出太多"),
            kernel - lower,
            results["drawn_mean"],
            None,
            Text(
                "lower tail of a mean of non-negative numbers, from the second moment",
                "非负随机变量均值的下尾界，由二阶矩得出",
            ),
            relation=">=",
            false_alarm=ALARM,
        ),
        Check(
            "recursion-equals-matrix",
            Text("recursion against the masked matrix", "递推与带掩码矩阵之差"),
            0.0,
            results["recursion_gap"],
            1e-12 * p.n,
            rounding,
        ),
        Check(
            "state",
            Text("numbers in the state, whatever the length", "状态中数的个数，与长度无关"),
            predicted["state_size"],
            results["state_size"],
            None,
            Text("exact count", "精确计数"),
        ),
        Check(
            "wkv-forms",
            Text("RWKV's recursion against its sum", "RWKV 的递推与求和之差"),
            0.0,
            results["wkv_gap"],
            1e-12 * p.n,
            rounding,
        ),
        Check(
            "fourier-ignores-content",
            Text(
                "response of FNet's mixing to one change, on two inputs: relative difference",
                "FNet 混合对同一改动的响应，在两个输入上的相对差别",
            ),
            0.0,
            results["fourier_gap"],
            1e-12 * p.n,
            rounding,
        ),
        Check(
            "attention-does-not",
            Text("the same of linear attention", "线性注意力的同一差别"),
            1e-6,
            results["attention_gap"],
            None,
            Text("well above rounding", "远大于舍入误差"),
            relation=">=",
        ),
    ]
    if length > 1e-6:
        checks.append(
            Check(
                "most-draws-lie-below",
                Text("share of the products below their mean", "低于均值的特征之积所占比例"),
                predicted["below"],
                results["below"],
                proportion(predicted["below"], results["draws"]) + 1e-9,
                Text(
                    "binomial law; the logarithm of a product is normal",
                    "二项分布；特征之积的对数服从正态分布",
                ),
                false_alarm=FALSE_ALARM,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    counts: Array = COUNTS.astype(float)
    sd = np.sqrt(predicted["single_variance"] / counts)
    cache = 2.0 * p.n * max(2, p.d)
    return (
        Plot(
            Text("Error against the number of random features", "误差随随机特征个数的变化"),
            Text(
                "Performer's error falls as one over the square root of m; elu + 1 is another kernel, and no number of tokens or "
                "features brings it to softmax",
                "Performer 的误差按 m 的平方根反比下降；elu + 1 是另一种核，多少词元、多少特征都不会趋近 softmax",
            ),
            Axis(Text("features m", "特征个数 m"), "log"),
            Axis(Text("relative error", "相对误差"), "log"),
            (
                Line(Text("one kernel value, exact", "单个核值，精确"), counts, sd + 1e-12, "predicted"),
                Points(
                    Text("attention output, measured", "注意力输出，实测"),
                    counts,
                    results["errors"],
                    "measured",
                ),
                Rule(
                    Text("elu + 1 for softmax", "以 elu + 1 代替 softmax"),
                    results["replaced"],
                    "y",
                    "popular",
                ),
                Rule(Text("m now", "当前 m"), float(p.m), "x", "context"),
            ),
        ),
        Bars(
            Text("Numbers kept while decoding, one head", "解码时单个头保存的数的个数"),
            Text(
                "the state of linear attention does not grow with the tokens; a KV cache does, and starts out smaller",
                "线性注意力的状态不随词元增长；KV 缓存会增长，但一开始更小",
            ),
            Axis(Text("numbers", "个数"), low=0.0),
            (
                Bar(Text("linear attention's state", "线性注意力的状态"), float(results["state_size"])),
                Bar(Text(f"KV cache at n = {p.n}", f"KV 缓存，n = {p.n}"), cache, "other"),
                Bar(Text(f"KV cache at n = {64 * p.n}", f"KV 缓存，n = {64 * p.n}"), 64 * cache, "other"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D53",
    name="linear-attention",
    title=Text("Linear attention, Performer, FNet, RWKV", "线性注意力、Performer、FNet 与 RWKV"),
    shows=Text(
        "regrouping is exact and linear in the length; approximating softmax with it needs a number of features exponential in "
        "$|q + k|^2$; FNet's weights do not depend on the tokens at all",
        "重新结合是精确的，代价与长度成线性；但用它逼近 softmax 需要的特征个数随 $|q + k|^2$ 指数增长；FNet 的权重与词元无关",
    ),
    kills=Text(
        "“FNet is linear attention”, “linear attention approximates softmax well for free”",
        "“FNet 是线性注意力”“线性注意力不费代价就能逼近 softmax”",
    ),
    parameters=(
        Parameter("m", "m", Text("random features", "随机特征个数"), 256, 8, 4096, 1.0, "int", "log"),
        Parameter("norm", "r", Text("length of q and of k", "q 与 k 的长度"), 1.0, 0.1, 2.0, 0.1),
        Parameter(
            "cosine",
            r"\cos",
            Text("cosine of the angle between q and k", "q 与 k 夹角的余弦"),
            0.0,
            -1.0,
            1.0,
            0.1,
        ),
        Parameter("d", "d", Text("width of q and k", "q 与 k 的维度"), 16, 2, 64, 1.0, "int", "log"),
        Parameter("n", "n", Text("tokens", "词元数"), 24, 2, 64, 1.0, "int", "log"),
        Parameter("decay", "w", Text("decay of RWKV", "RWKV 的衰减率"), 0.5, 0.0, 5.0, 0.1),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "relative_sd",
        Text(
            "relative standard deviation of the estimate of one kernel value",
            "单个核值估计的相对标准差",
        ),
        Text("", ""),
        1e-9,
        1e4,
        "log",
    ),
    samples=Samples(rest=4_000),
)
