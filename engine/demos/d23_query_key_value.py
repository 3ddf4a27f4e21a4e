"""D23: why three projections Q, K, V instead of comparing the inputs with themselves.

Vaswani et al. 2017, section 3.2; Elhage et al. 2021 for the two products that alone matter, W_Q W_K^T and W_V W_O.
"""

from __future__ import annotations

import math

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
from engine.deviation import ALARM, bernstein_band
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.normalization import rms_norm
from engine.nn.softmax import Floats, softmax
from engine.proof.step import Expr, Step, cited, defined, equal, ordered, popular_error
from engine.text import Text, same

# a score or a singular value too small for a float is 0: the right value, and nothing to warn of
UNDERFLOW_IS_ZERO = np.errstate(under="ignore")


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def self_weight(others: Expr) -> Expr:
    """Softmax weight of a token on itself, where ``others`` is the sum of e^{s_ij - s_ii} over the other tokens."""
    return 1 / (1 + others)


def free_directions(d: Expr, d_k: Expr) -> Expr:
    """Parameters of W_Q and W_K less those of the gauge R: what the scores can tell apart."""
    return 2 * d * d_k - d_k**2


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    n, m, d, d_k, d_v = sp.symbols("n m d d_k d_v", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    X, Y, A = sp.MatrixSymbol("X", n, d), sp.MatrixSymbol("Y", m, d), sp.MatrixSymbol("A", n, n)
    W_Q, W_K, W = (sp.MatrixSymbol(name, d, d_k) for name in ("W_Q", "W_K", "W"))
    W_V, W_O = sp.MatrixSymbol("W_V", d, d_v), sp.MatrixSymbol("W_O", d_v, d)
    R = sp.MatrixSymbol("R", d_k, d_k)

    def product(*factors: Expr) -> Expr:
        """Bracketed as written, so that the step shows what is regrouped."""
        return sp.MatMul(*factors, evaluate=False)

    def turned(matrix: Expr) -> Expr:
        return sp.Transpose(matrix)

    scores = product(product(X, W_Q), turned(product(X, W_K)))
    inner = product(W_Q, W_K.T)
    shared = product(product(X, W), turned(product(X, W)))

    own, *rest = sp.symbols("s_11 s_12 s_13", real=True)
    q, k = (
        sp.Matrix(3, 2, lambda r, c, name=name: sp.Symbol(f"{name}_{r + 1}{c + 1}", real=True))
        for name in "qk"
    )
    x_c, y_c = sp.symbols("x_i y_i", real=True)
    unit = {x_c: (0, 1), y_c: (0, 1)}
    x, y = sp.symbols("x_1:4", real=True), sp.symbols("y_1:4", real=True)
    x_y = sum(a * b for a, b in zip(x, y, strict=True))
    x_x, y_y = sum(a**2 for a in x), sum(b**2 for b in y)
    others = sp.Symbol("y", positive=True)
    power = sp.Symbol("m", integer=True, nonnegative=True)

    return (
        defined(
            "attention",
            r"Q = X W_Q,\quad K = X W_K,\quad V = X W_V,\quad \operatorname{softmax}(Q K^T / \sqrt{d_k})\, V W_O",
            Text(
                "$X$ holds $n$ tokens of width $d$, one per row; one head of width $d_k$",
                "$X$ 每行一个词元，共 $n$ 个，宽度 $d$；一个宽度为 $d_k$ 的头",
            ),
        ),
        equal(
            "bilinear",
            scores,
            product(X, inner, X.T),
            Text(
                "only the product $W_Q W_K^T$ reaches the scores: one bilinear form of rank at most $d_k$",
                "分数只依赖乘积 $W_Q W_K^T$：一个秩不超过 $d_k$ 的双线性型",
            ),
        ),
        equal(
            "cross-attention",
            product(product(Y, W_Q), turned(product(X, W_K))),
            product(Y, inner, X.T),
            Text(
                "in cross-attention the queries come from the $m$ target tokens $Y$, keys and values from the $n$ source "
                "tokens $X$: an $m \\times n$ table; in self-attention all three come from $X$",
                "交叉注意力中 query 来自 $m$ 个目标词元 $Y$，key 与 value 来自 $n$ 个源词元 $X$：得到 $m \\times n$ 的表；"
                "自注意力中三者都来自 $X$",
            ),
        ),
        equal(
            "xxt-is-symmetric",
            turned(product(X, X.T)),
            product(X, X.T),
            Text(
                "inputs compared with themselves: token $i$ asks $j$ exactly as strongly as $j$ asks $i$",
                "让输入直接两两比较：$i$ 看 $j$ 与 $j$ 看 $i$ 必然一样强",
            ),
        ),
        equal(
            "one-projection-is-symmetric",
            turned(shared),
            shared,
            Text(
                "one projection for both roles does not help: still symmetric",
                "两个角色共用一个投影也无济于事：仍然对称",
            ),
        ),
        popular_error(
            "xxt-would-do",
            turned(scores),
            scores,
            Text(
                "'$X X^T$ would do': then every score table would be symmetric; two projections make one that is not",
                "“$X X^T$ 就够了”：那样任何分数表都对称；而两个投影能做出不对称的表",
            ),
        ),
        ordered(
            "diagonal-is-largest",
            x_y,
            "<=",
            sp.Mul(sp.Rational(1, 2), x_x + y_y, evaluate=False),
            Text(
                "no pair of tokens scores above the mean of their self-scores: the largest entry of $X X^T$ is on its "
                "diagonal",
                "任意两个词元的分数不超过它们自身分数的平均：$X X^T$ 的最大元素必在对角线上",
            ),
            witness=sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / 2,
            bound="d=3",
        ),
        equal(
            "self-score",
            sp.Sum(Expectation(x_c**2, unit), (i, 1, d)),
            d,
            Text(
                "centred components of variance one: a token's score with itself is $d$ on average",
                "分量零均值、方差一：词元与自身的分数平均为 $d$",
            ),
        ),
        equal(
            "other-score",
            sp.Sum(Variance(x_c * y_c, unit), (i, 1, d)),
            d,
            Text(
                r"with another token it has mean 0 and deviation $\sqrt{d}$: after division by $\sqrt{d}$ the self-score "
                r"stands $\sqrt{d}$ deviations above the rest",
                r"与其他词元的分数均值为 0、标准差为 $\sqrt{d}$：除以 $\sqrt{d}$ 后，自身分数比其余高出 $\sqrt{d}$ 个标准差",
            ),
        ),
        equal(
            "self-weight",
            sp.exp(own) / (sp.exp(own) + sum(sp.exp(score) for score in rest)),
            self_weight(sum(sp.exp(score - own) for score in rest)),
            Text(
                "a token's softmax weight on itself, by what its other scores are less than its own",
                "词元给自己的 softmax 权重，用其余分数与自身分数之差表示",
            ),
            bound="n=3",
        ),
        ordered(
            "convex",
            sp.Derivative(self_weight(others), (others, 2)),
            ">",
            sp.Integer(0),
            Text(
                r"the self-weight is $1/(1+y)$ with $y = \sum_{j \neq i} e^{s_{ij} - s_{ii}}$, and convex: by Jensen's "
                "inequality its mean is at least its value at the mean of $y$",
                r"自身权重等于 $1/(1+y)$，其中 $y = \sum_{j \neq i} e^{s_{ij} - s_{ii}}$；它是凸函数，由 Jensen 不等式，"
                "其均值不低于在 $y$ 的均值处的取值",
            ),
        ),
        ordered(
            "cosine-moments",
            (2 * power + 1) / (d + 2 * power),
            "<=",
            (2 * power + 1) / d,
            Text(
                r"rows of length $\sqrt{d}$, as a norm layer leaves them: the even moments of the cosine of two random "
                r"directions grow by the left side, those of $N(0, 1/d)$ by the right; so $E e^{s_{ij}} \leq e^{1/2}$ and "
                r"$E y \leq (n-1)\, e^{1/2 - \sqrt{d}}$",
                r"每行长度为 $\sqrt{d}$（归一化层的输出）：两个随机方向夹角余弦的偶数阶矩按左式递增，$N(0, 1/d)$ 的按右式；"
                r"所以 $E e^{s_{ij}} \leq e^{1/2}$，$E y \leq (n-1)\, e^{1/2 - \sqrt{d}}$",
            ),
        ),
        equal(
            "rank",
            sp.Determinant(product(q, k.T)),
            sp.Integer(0),
            Text(
                "three tokens in a head of width two: the score table is singular, its rank is at most $d_k$",
                "三个词元、头宽为二：分数矩阵不可逆，秩不超过 $d_k$",
            ),
            bound="n=3, d_k=2",
        ),
        equal(
            "gauge",
            product(product(W_Q, R), turned(product(W_K, turned(sp.Inverse(R))))),
            inner,
            Text(
                "any invertible $R$ can be moved between the two: queries and keys change, the scores do not",
                "任何可逆矩阵 $R$ 都可以在两者之间挪动：query 与 key 变了，分数不变",
            ),
        ),
        popular_error(
            "three-independent-matrices",
            product(W_Q, R),
            W_Q,
            Text(
                "'$W_Q$, $W_K$, $W_V$ are three independent matrices': the same scores come from another $W_Q$, so the "
                "scores do not even determine it",
                "“$W_Q$、$W_K$、$W_V$ 是三个独立的矩阵”：换一个 $W_Q$ 也能得到同样的分数，可见分数连它都确定不了",
            ),
        ),
        equal(
            "free-directions",
            free_directions(d, d_k),
            d**2 - (d - d_k) ** 2,
            Text(
                "without the $d_k^2$ entries of $R$ the two matrices hold as many free numbers as a $d \\times d$ matrix of "
                "rank $d_k$ has",
                "扣除 $R$ 的 $d_k^2$ 个元素，两个矩阵的自由参数恰好等于秩为 $d_k$ 的 $d \\times d$ 矩阵的自由度",
            ),
        ),
        equal(
            "value-and-output-fold",
            product(A, product(product(X, W_V), W_O)),
            product(A, X, product(W_V, W_O)),
            Text(
                "likewise only $W_V W_O$ reaches the output: what is written is chosen apart from where to look",
                "同样只有 $W_V W_O$ 影响输出：“写出什么”与“看向哪里”是分开决定的",
            ),
        ),
        cited(
            "shared-query-key",
            r"W_Q = W_K, \qquad s_{ii} = -\infty",
            Text(
                "the asymmetry is useful, not indispensable: Reformer shares $W_Q$ and $W_K$ and keeps tokens from "
                "attending to themselves",
                "非对称有用，但并非不可缺：Reformer 让 $W_Q$ 与 $W_K$ 共享，并禁止词元看自己",
            ),
            "Kitaev et al. 2020, Reformer, section 2 and figure 3",
        ),
    )


def predict(p: Params) -> Results:
    return {
        # by symmetry: the direction of a query tells nothing of its own key
        "self_weight_qk": 1 / p.n,
        "self_weight_xx": self_weight((p.n - 1) * math.exp(0.5 - math.sqrt(p.d))),
        "rank": min(p.n, p.d, p.d_k),
        "free_directions": free_directions(p.d, p.d_k) if p.d_k < p.d else p.d**2,
    }


def draw_tokens(sets: int, p: Params, rng: np.random.Generator) -> Array:
    """Random tokens as a norm layer leaves them, each of length sqrt(d): (sets, n, d)."""
    return np.asarray(rms_norm(rng.standard_normal((sets, p.n, p.d)), eps=0.0).y, dtype=np.float64)


def draw_weights(sets: int, p: Params, rng: np.random.Generator) -> tuple[Array, Array]:
    """W_Q and W_K, (sets, d, d_k) each, so that the components of queries and keys have variance one."""
    W_Q, W_K = rng.standard_normal((2, sets, p.d, p.d_k)) / math.sqrt(p.d)
    return W_Q, W_K


def self_scores(x: Array) -> Array:
    """Tokens compared with themselves: X X^T / sqrt(d), (…, n, n)."""
    scores: Array = x @ x.swapaxes(-1, -2) / math.sqrt(x.shape[-1])
    return scores


def projected_scores(x: Array, W_Q: Array, W_K: Array) -> Array:
    """Q K^T / sqrt(d_k), (…, n, n)."""
    scores: Array = (x @ W_Q) @ (x @ W_K).swapaxes(-1, -2) / math.sqrt(W_Q.shape[-1])
    return scores


def mean_diagonal(weights: Floats) -> float:
    return float(np.einsum("sii->si", weights).mean())


def draw_gauge(d_k: int, ratio: float, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """An invertible R with singular values from 1/ratio to ratio, R^{-T}, and what the rounding of R R^{-1} scales with."""
    U, V = (np.linalg.qr(rng.standard_normal((d_k, d_k)))[0] for _ in range(2))
    stretch = ratio ** np.linspace(1.0, -1.0, d_k)
    R, inverse_t = U * stretch @ V.T, U / stretch @ V.T
    size = (np.abs(U) * stretch @ np.abs(V.T)) @ (np.abs(U) / stretch @ np.abs(V.T)).T
    return R, inverse_t, size


@UNDERFLOW_IS_ZERO
def measure(p: Params, rng: np.random.Generator) -> Results:
    sets = max(4, p.samples // (p.d * (p.n + 2 * p.d_k) + 3 * p.n**2))
    tokens = draw_tokens(sets, p, rng)
    W_Q, W_K = draw_weights(sets, p, rng)
    compared, projected = self_scores(tokens), projected_scores(tokens, W_Q, W_K)
    shared = projected_scores(tokens, W_Q, W_Q)

    # one set, looked at closely
    x, w_q, w_k, s = tokens[0], W_Q[0], W_K[0], projected[0]
    w_v, w_o = rng.standard_normal((p.d, p.d_k)), rng.standard_normal((p.d_k, p.d))
    R, R_inverse_t, gauge_size = draw_gauge(p.d_k, p.gauge, rng)
    moved_q, moved_k = w_q @ R, w_k @ R_inverse_t
    weights = softmax(s)
    value, folded = weights @ ((x @ w_v) @ w_o), weights @ x @ (w_v @ w_o)
    return {
        "sets": sets,
        "self_weight_xx": mean_diagonal(softmax(compared)),
        "self_weight_qk": mean_diagonal(softmax(projected)),
        "self_weight_shared": mean_diagonal(softmax(shared)),
        "scores_xx": compared[0],
        "scores_qk": s,
        "asymmetry_xx": float(np.abs(compared[0] - compared[0].T).max()),
        "asymmetry_shared": float(np.abs(shared[0] - shared[0].T).max()),
        "asymmetry_qk": float(np.abs(s - s.T).max()),
        "singular_xx": np.linalg.svd(compared[0], compute_uv=False),
        "singular_qk": np.linalg.svd(s, compute_uv=False),
        "bilinear_gap": float(np.abs(s - x @ (w_q @ w_k.T) @ x.T / math.sqrt(p.d_k)).max()),
        "gauge_gap": float(np.abs(s - projected_scores(x, moved_q, moved_k)).max()),
        "query_change": float(np.linalg.norm(moved_q - w_q) / np.linalg.norm(w_q)),
        "fold_gap": float(np.abs(value - folded).max()),
        # largest entries of the products of absolute values: what rounding is proportional to
        "self_size": _size(x, x.T) / math.sqrt(p.d),
        "shared_size": _size(x, w_q, w_q.T, x.T) / math.sqrt(p.d_k),
        "score_size": _size(x, w_q, w_k.T, x.T) / math.sqrt(p.d_k),
        "gauge_size": _size(x, w_q, gauge_size, w_k.T, x.T) / math.sqrt(p.d_k),
        "fold_size": _size(weights, x, w_v, w_o),
    }


def _size(first: Floats, *factors: Floats) -> float:
    product = np.abs(first)
    for factor in factors:
        product = product @ np.abs(factor)
    return float(product.max())


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    higham = Text(
        "rounding of matrix products: summed inner lengths × eps × product of absolute values",
        "矩阵乘法的舍入误差：内维之和 × eps × 绝对值矩阵的乘积",
    )
    bernstein = Text(
        "Bernstein's inequality over independent sets of tokens; the variance is bounded by the mean",
        "对各组独立词元用伯恩斯坦不等式；方差由均值界定",
    )

    # |fl(AB…) - AB…| <= n u |A||B|… with n the summed inner lengths (Higham 2002, section 3.5); two products each, and a
    # few roundings of scale and softmax
    chain = 2 * p.d + p.d_k + 8
    unit = np.finfo(float).eps / 2

    def vanishing(name: str, result: str, size: str, inner: int, claim: Text) -> Check:
        return Check(
            name,
            claim,
            predicted=0.0,
            measured=results[result],
            tolerance=float(inner * unit * results[size]),
            law=higham,
        )

    # a matrix of n rows has a norm of at most n times its largest entry
    threshold = p.n * chain * unit * results["score_size"]
    rank = int((results["singular_qk"] > threshold).sum())
    floor = predicted["self_weight_xx"]
    # a weight in [0, 1] of mean at least ``floor`` has a variance of at most floor (1 - floor) where floor >= 1/2
    variance = floor * (1 - floor) if floor >= 0.5 else 0.25
    return (
        vanishing(
            "self-scores-are-symmetric",
            "asymmetry_xx",
            "self_size",
            2 * (p.d + 8),
            Text("$X X^T$ equals its transpose", "$X X^T$ 等于自己的转置"),
        ),
        vanishing(
            "shared-scores-are-symmetric",
            "asymmetry_shared",
            "shared_size",
            2 * chain,
            Text("so does $X W (X W)^T$", "$X W (X W)^T$ 也是"),
        ),
        Check(
            "projected-scores-are-not",
            Text("$Q K^T$ differs from its transpose", "$Q K^T$ 不等于自己的转置"),
            predicted=0.0,
            measured=results["asymmetry_qk"],
            tolerance=float(2 * chain * unit * results["score_size"]),
            law=higham,
            relation="!=",
            false_alarm=ALARM,
        ),
        vanishing(
            "only-the-product-matters",
            "bilinear_gap",
            "score_size",
            2 * chain,
            Text("$Q K^T = X (W_Q W_K^T) X^T$", "$Q K^T = X (W_Q W_K^T) X^T$"),
        ),
        vanishing(
            "gauge-keeps-scores",
            "gauge_gap",
            "gauge_size",
            # forming R and its inverse, and Householder's orthogonality: each a few d_k
            2 * chain + 40 * p.d_k,
            Text(
                "the scores under $W_Q R$ and $W_K R^{-T}$ are the same",
                "换成 $W_Q R$ 与 $W_K R^{-T}$，分数不变",
            ),
        ),
        Check(
            "gauge-moves-weights",
            Text("while $W_Q$ itself has moved", "而 $W_Q$ 本身已经变了"),
            predicted=0.0,
            measured=results["query_change"],
            tolerance=1e-6,
            law=Text(
                "a rotation and a stretch that leave $W_Q$ in place to six digits do not occur",
                "恰好使 $W_Q$ 六位数字都不变的旋转与拉伸不会出现",
            ),
            relation="!=",
            false_alarm=ALARM,
        ),
        Check(
            "rank-at-most",
            Text("singular values of $Q K^T$ above rounding", "$Q K^T$ 超过舍入误差的奇异值个数"),
            predicted=predicted["rank"],
            measured=rank,
            tolerance=None,
            law=Text(
                "Weyl: rounding moves no singular value further than its own norm",
                "外尔不等式：奇异值的移动不超过舍入误差矩阵的范数",
            ),
            relation="<=",
        ),
        vanishing(
            "output-folds",
            "fold_gap",
            "fold_size",
            2 * (p.n + p.d + p.d_k + 8),
            Text("$A (X W_V) W_O = A X (W_V W_O)$", "$A (X W_V) W_O = A X (W_V W_O)$"),
        ),
        Check(
            "self-weight-of-projections",
            Text(
                "with $W_Q$ and $W_K$ a token starts with $1/n$ on itself",
                "有 $W_Q$ 与 $W_K$ 时，词元给自己的初始权重平均为 $1/n$",
            ),
            predicted=predicted["self_weight_qk"],
            measured=results["self_weight_qk"],
            tolerance=bernstein_band(1.0, 1 / p.n - 1 / p.n**2, results["sets"]),
            law=bernstein,
            false_alarm=ALARM,
        ),
        Check(
            "self-weight-without",
            Text("without, at least so much of it goes to itself", "没有投影时，至少有这么多权重给了自己"),
            predicted=floor,
            measured=results["self_weight_xx"],
            tolerance=bernstein_band(1.0, variance, results["sets"]),
            law=bernstein,
            relation=">=",
            false_alarm=ALARM,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    order: Array = np.arange(1.0, p.n + 1)
    top = float(results["singular_qk"][0])
    return (
        HeatMap(
            Text("Scores X Xᵀ / √d", "分数 X Xᵀ / √d"),
            Text(
                "a mirror image about its diagonal, and the diagonal outshines everything else",
                "沿对角线左右对称，而且对角线盖过其余一切",
            ),
            results["scores_xx"],
            diverging=True,
        ),
        HeatMap(
            Text("Scores Q Kᵀ / √dₖ", "分数 Q Kᵀ / √dₖ"),
            Text(
                "no mirror image and no bright diagonal: who asks and who answers are told apart",
                "既不对称，对角线也不突出：提问者与被问者区分开了",
            ),
            results["scores_qk"],
            diverging=True,
        ),
        Plot(
            Text("Singular values of both score tables", "两张分数表的奇异值"),
            Text(
                "those of Q Kᵀ drop to rounding after dₖ: one head sees dₖ directions, however many tokens there are",
                "Q Kᵀ 的奇异值在第 dₖ 个之后跌到舍入误差：无论多少词元，一个头只看得见 dₖ 个方向",
            ),
            Axis(Text("order", "序号")),
            Axis(Text("singular value", "奇异值"), "log"),
            (
                Points(same("Q Kᵀ"), order, np.maximum(results["singular_qk"], 1e-20 * top), "measured"),
                Line(same("X Xᵀ"), order, np.maximum(results["singular_xx"], 1e-20 * top), "other"),
                Rule(Text("rank bound", "秩的上界"), predicted["rank"] + 0.5, "x", "bound"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D23",
    name="query-key-value",
    title=Text("Why Q, K and V", "为什么要有 Q、K、V"),
    shows=Text(
        "two projections make scores directed and keep a token from attending mostly to itself; yet only $W_Q W_K^T$ and "
        "$W_V W_O$ can be told from outside",
        "两个投影让分数有了方向，也避免词元只顾看自己；不过从外面能辨认的只有 $W_Q W_K^T$ 与 $W_V W_O$",
    ),
    kills=Text(
        "“X Xᵀ would do”, “the three matrices are independent”",
        "“用 X Xᵀ 就行”“三个矩阵相互独立”",
    ),
    parameters=(
        Parameter("n", "n", Text("number of tokens", "词元个数"), 10, 2, 64, 1.0, "int", "log"),
        Parameter("d", "d", Text("width of a token", "词元的宽度"), 64, 2, 128, 1.0, "int", "log"),
        Parameter("d_k", "d_k", Text("width of the head", "头的宽度"), 8, 1, 64, 1.0, "int", "log"),
        Parameter(
            "gauge",
            "g",
            Text("how far R stretches queries", "R 把 query 拉伸的倍数"),
            10.0,
            2.0,
            1000.0,
            1.0,
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
        "self_weight_xx",
        Text(
            "share of its attention that a token gives itself under X Xᵀ",
            "用 X Xᵀ 时词元给自己的注意力占比",
        ),
        Text("", ""),
        0.0,
        1.0,
    ),
    samples=Samples(rest=400_000, drag=150_000),
)
