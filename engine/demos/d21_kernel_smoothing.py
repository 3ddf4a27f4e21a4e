"""D21: attention is kernel smoothing: an average of the values, never outside of them, and not unique in its weights.

Nadaraya 1964, Watson 1964 (kernel regression); Bahdanau et al. 2015, section 3.1 (a weighted average of
annotations); Vaswani et al. 2017, equation 1; Jain & Wallace 2019 and Wiegreffe & Pinter 2019 (do weights explain?).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.attention import scaled_dot_product_attention
from engine.proof.step import Expr, Step, cited, defined, equal, let, ordered, popular_error
from engine.text import Text, same

D_K = 16
CASES = 200
"""Random queries that look for a way out of the values."""

ROUNDING = 64 * float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def top_weight(n: Expr, decay: Expr) -> Expr:
    """Weight of the matching key among n unit keys of one mutual cosine rho; ``decay`` is exp(-beta (1 - rho))."""
    return 1 / (1 + (n - 1) * decay)


def other_weight(n: Expr, decay: Expr) -> Expr:
    """Weight of each of the n - 1 other keys."""
    return decay / (1 + (n - 1) * decay)


def free_directions(n: Expr, d_v: Expr) -> Expr:
    """Ways to change n weights with their sum and the d_v coordinates of the output fixed."""
    return n - d_v - 1


def least_change(epsilon: Expr, smallest: Expr) -> Expr:
    """How far some weight can move at least, at a share epsilon of the way to a negative weight."""
    return epsilon * smallest


def derive() -> tuple[Step, ...]:
    return (*_kernel(), *_average(), *_lookup(), *_not_unique())


def _kernel() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    s, v = (sp.symbols(f"{letter}_1:4", real=True) for letter in "sv")
    row, values = sp.ImmutableMatrix([s]), sp.ImmutableMatrix(v)
    powers = [sp.exp(score) for score in s]
    # two coordinates of one query and two keys
    q, k, x = (sp.symbols(f"{letter}_1:3", real=True) for letter in "qkx")

    def dot(a: tuple[Expr, ...], b: tuple[Expr, ...]) -> Expr:
        return sum(left * right for left, right in zip(a, b, strict=True))

    def gaussian(key: tuple[Expr, ...]) -> Expr:
        return sp.exp(-sum((a - b) ** 2 for a, b in zip(q, key, strict=True)) / 2)

    def share(first: Expr, second: Expr) -> Expr:
        return first / (first + second)

    size_k, size_x = (sp.exp(dot(key, key) / 2) for key in (k, x))
    return (
        defined(
            "attention",
            r"c = \sum_j w_j v_j, \qquad w = \operatorname{softmax}(s), \quad s_j = \beta\, q \cdot k_j",
            Text(
                r"one query over $n$ keys and values; $\beta$ holds the scale ($1/\sqrt{d_k}$ or none)",
                r"一个 query 面对 $n$ 个 key 与 value；$\beta$ 是缩放系数（$1/\sqrt{d_k}$ 或不缩放）",
            ),
        ),
        equal(
            "nadaraya-watson",
            sp.MatMul(RowSoftmax(row), values),
            sp.ImmutableMatrix([[sum(e * y for e, y in zip(powers, v, strict=True)) / sum(powers)]]),
            Text(
                "this is the Nadaraya-Watson estimate of a function from samples $(k_j, v_j)$, with the kernel $e^{s_j}$",
                "这就是由样本 $(k_j, v_j)$ 估计函数的 Nadaraya-Watson 核回归，核为 $e^{s_j}$",
            ),
            bound="n=3",
        ),
        equal(
            "gaussian-kernel",
            share(sp.exp(dot(q, k)), sp.exp(dot(q, x))),
            share(size_k * gaussian(k), size_x * gaussian(x)),
            Text(
                "the kernel is a Gaussian in the distance from query to key, times a factor for the key's length; "
                "between keys $k$ and $x$ of equal length the factor cancels",
                "这个核是 query 到 key 距离的高斯函数，再乘一个由 key 的长度决定的因子；$k$ 与 $x$ 等长时因子约去",
            ),
            bound="n=2, d_k=2",
        ),
        popular_error(
            "distance-alone",
            share(sp.exp(dot(q, k)), sp.exp(dot(q, x))),
            share(gaussian(k), gaussian(x)),
            Text(
                "'the weight falls with the distance alone': a longer key gets more than its distance earns",
                "“权重只随距离下降”：更长的 key 得到的比按距离应得的多",
            ),
            bound="n=2, d_k=2",
        ),
    )


def _average() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    s, c = sp.symbols("s_1:4", real=True), sp.Symbol("c", real=True)
    row = sp.ImmutableMatrix([s])
    n, j = sp.symbols("n j", integer=True, positive=True)
    S, low, spare = (
        sp.Symbol("S", positive=True),
        sp.Symbol("m", real=True),
        sp.symbols("r_1:4", nonnegative=True),
    )
    w, score = sp.IndexedBase("w", positive=True), sp.IndexedBase("s", real=True)
    weight, whole = (w[j], sp.exp(score[j]) / S), (sp.Sum(sp.exp(score[j]), (j, 1, n)), S)
    three = sp.symbols("w_1:4", nonnegative=True)
    last = (sum(three), sp.Integer(1))
    table = sp.ImmutableMatrix(2, 2, sp.symbols("s_(1:3)(1:3)", real=True))
    ones = sp.ones(1, 2)
    return (
        let("weight", *weight, Text("the weights of $n$ keys", "$n$ 个 key 的权重")),
        let("sum", *whole, Text("over a common sum $S$", "分母是公共的和 $S$")),
        equal(
            "weights-sum-to-one",
            sp.Sum(w[j], (j, 1, n)),
            sp.Integer(1),
            Text(
                "positive and of sum one for each query: a probability over keys, for any $n$",
                "对每个 query 都为正且和为 1：key 上的概率分布，对任意 $n$ 成立",
            ),
            using=[weight, whole],
        ),
        popular_error(
            "columns-sum-to-one",
            sp.MatMul(ones, RowSoftmax(table)),
            ones,
            Text(
                "'columns sum to one as well': a key may be read by every query, or by none",
                "“列和也是 1”：一个 key 可以被所有 query 读取，也可以无人读取",
            ),
            bound="n=2",
        ),
        equal(
            "shift",
            RowSoftmax(sp.ImmutableMatrix([[score + c for score in s]])),
            RowSoftmax(row),
            Text(
                "a constant added to all scores of a query changes nothing",
                "一个 query 的全部分数加同一个常数，结果不变",
            ),
            bound="n=3",
        ),
        let(
            "convex",
            *last,
            Text("weights of three keys", "三个 key 的权重"),
        ),
        equal(
            "excess",
            sum(a * (low + r) for a, r in zip(three, spare, strict=True)),
            low * sum(three) + sum(a * r for a, r in zip(three, spare, strict=True)),
            Text(
                r"write each coordinate as $v_j = m + r_j$ with $m$ the smallest and $r_j \geq 0$",
                r"把每个坐标写成 $v_j = m + r_j$，$m$ 为最小值，$r_j \geq 0$",
            ),
            bound="n=3",
        ),
        ordered(
            "inside-the-values",
            low * sum(three) + sum(a * r for a, r in zip(three, spare, strict=True)),
            ">=",
            low,
            Text(
                "no coordinate of the output falls below the smallest value (with signs turned: none above the largest)",
                "输出的每个坐标都不小于 value 的最小值（变号后：也不大于最大值）",
            ),
            bound="n=3",
            using=[last],
        ),
    )


def _lookup() -> tuple[Step, ...]:
    import sympy as sp

    n = sp.Symbol("n", integer=True, positive=True)
    beta, gap = sp.symbols(r"\beta g", positive=True)
    decay = sp.exp(-beta * gap)
    more = sp.Symbol("b", integer=True, positive=True)
    v, y = sp.symbols("v_1 y", real=True)
    match, rest = sp.exp(beta), sp.exp(beta - beta * gap)
    return (
        equal(
            "top-weight",
            match / (match + (n - 1) * rest),
            top_weight(n, decay),
            Text(
                r"unit keys of mutual cosine $\rho = 1 - g$, the query equal to the first: its score is $\beta$, the others' $\beta\rho$",
                r"单位长度的 key 两两余弦为 $\rho = 1 - g$，query 等于第一个 key：它的分数是 $\beta$，其余是 $\beta\rho$",
            ),
        ),
        equal(
            "all-weights",
            top_weight(n, decay) + (n - 1) * other_weight(n, decay),
            sp.Integer(1),
            Text(
                "the other keys share the rest equally",
                "其余的 key 平分剩下的权重",
            ),
        ),
        equal(
            "no-preference",
            sp.Limit(top_weight(n, decay), beta, 0),
            1 / n,
            Text(
                r"at $\beta = 0$ attention is the plain mean of the values",
                r"$\beta = 0$ 时注意力就是 value 的算术平均",
            ),
        ),
        equal(
            "hard-lookup",
            sp.Limit(top_weight(n, decay), beta, sp.oo),
            sp.Integer(1),
            Text(
                r"only as $\beta \to \infty$ does it become a lookup of one value",
                r"只有 $\beta \to \infty$ 时才变成查出一个 value",
            ),
        ),
        ordered(
            "never-one-book",
            top_weight(more + 1, decay),
            "<",
            sp.Integer(1),
            Text(
                r"at every finite $\beta$ the other $b = n - 1$ keys keep some weight",
                r"$\beta$ 有限时，其余 $b = n - 1$ 个 key 总占一些权重",
            ),
        ),
        popular_error(
            "lookup-returns-one-book",
            top_weight(2, decay) * v + other_weight(2, decay) * y,
            v,
            Text(
                "'the lookup returns the matching book': it returns a blend of the whole shelf, here $v_1$ with $y$",
                "“查询返回匹配的那一本书”：返回的是整个书架的混合，这里是 $v_1$ 与 $y$ 的混合",
            ),
            bound="n=2",
        ),
    )


def _not_unique() -> tuple[Step, ...]:
    import sympy as sp

    n, d = sp.symbols("n d_v", integer=True, positive=True)
    w, z = sp.MatrixSymbol("w", 1, n), sp.MatrixSymbol("z", 1, n)
    V, t = sp.MatrixSymbol("V", n, d), sp.Symbol("t", real=True)
    hidden = (z * V, sp.ZeroMatrix(1, d))
    u, x, y = sp.symbols("u x y", real=True)
    a, r, k, h = sp.symbols("a r k h", nonnegative=True)
    epsilon = 1 / (1 + k)
    shifted, plain = sp.ImmutableMatrix([[x, y, u]]), sp.ImmutableMatrix([[1, -2, 1]])
    ramp = sp.ImmutableMatrix([[1, 0], [1, 1], [1, 2]])
    return (
        let(
            "null-direction",
            *hidden,
            Text(
                "let $z$ be orthogonal to every column of $V$ (and to the column of ones, so that weights still sum to one)",
                "设 $z$ 与 $V$ 的每一列正交（也与全 1 列正交，这样权重之和仍为 1）",
            ),
        ),
        equal(
            "same-output",
            sp.MatAdd(w * V, t * hidden[0]),
            w * V,
            Text(
                "then the weights $w + t z$ give the same output as $w$, for any $n$ and $d_v$",
                "那么权重 $w + t z$ 与 $w$ 给出相同的输出，对任意 $n$、$d_v$ 成立",
            ),
            using=[hidden],
        ),
        equal(
            "an-example",
            sp.MatMul(shifted + t * plain, ramp),
            sp.MatMul(shifted, ramp),
            Text(
                "three keys with values 0, 1, 2 and a column of ones: moving $2t$ from the middle to both ends changes "
                "neither the sum of the weights nor the output",
                "三个 key 的 value 是 0、1、2，外加全 1 列：从中间取走 $2t$ 分给两端，权重之和与输出都不变",
            ),
            bound="n=3, d_v=1",
        ),
        ordered(
            "still-weights",
            (a + r) + least_change(epsilon, a) * (h - 1),
            ">=",
            sp.Integer(0),
            Text(
                r"with $z_j = h - 1 \geq -1$ and $w_j = a + r$, $a$ the smallest weight, a step of $\epsilon a$, "
                r"$\epsilon = 1/(1 + k) \leq 1$, leaves no weight negative",
                r"设 $z_j = h - 1 \geq -1$，$w_j = a + r$，$a$ 为最小权重：走 $\epsilon a$（$\epsilon = 1/(1 + k) \leq 1$）不会使权重变负",
            ),
        ),
        popular_error(
            "weights-explain-output",
            shifted + t * plain,
            shifted,
            Text(
                "'one output, one set of weights': the output above does not tell which weights made it",
                "“一个输出对应一组权重”：从上面的输出看不出是哪一组权重",
            ),
            bound="n=3, d_v=1",
        ),
        cited(
            "explanation-debate",
            r"\text{Jain, Wallace 2019} \quad \text{vs.} \quad \text{Wiegreffe, Pinter 2019}",
            Text(
                "whether weights explain a decision is disputed: not unique does not mean without information",
                "权重能否解释决策仍有争议：不唯一不等于没有信息",
            ),
            "Jain & Wallace 2019, Attention is not Explanation; Wiegreffe & Pinter 2019, Attention is not not Explanation",
        ),
    )


def predict(p: Params) -> Results:
    decay = math.exp(-p.beta * (1 - p.rho))
    smallest = other_weight(p.n, decay)
    free = max(0, free_directions(p.n, p.d_v))
    return {
        "top_weight": top_weight(p.n, decay),
        "free_directions": free,
        "least_change": least_change(p.epsilon, smallest) if free else 0.0,
    }


def draw_keys(p: Params, rng: np.random.Generator) -> Array:
    """n unit vectors (n, d_k) in a random position, each two at cosine rho."""
    frame, _ = np.linalg.qr(rng.standard_normal((D_K, D_K)))
    # K K^T = (1 - rho) I + rho 1 1^T
    gram = (1 - p.rho) * np.eye(p.n) + p.rho
    keys: Array = np.linalg.cholesky(gram) @ frame[: p.n]
    return keys


def attend(query: Array, key: Array, value: Array, beta: float) -> tuple[Array, Array]:
    """Weights (L, n) and outputs (L, d_v) with the scale ``beta`` in place of 1/√d_k."""
    attended = scaled_dot_product_attention(query, key, value, scale=beta)
    return np.asarray(attended.weights, dtype=float), np.asarray(attended.context, dtype=float)


def smooth(query: Array, key: Array, value: Array, beta: float) -> Array:
    """Nadaraya-Watson regression at the queries with a Gaussian of variance 1/beta: distances, no dot product."""
    estimates = np.empty((len(query), value.shape[1]))
    for row, at in enumerate(query):
        squares = ((key - at) ** 2).sum(axis=1)
        kernel = np.exp(-beta * (squares - squares.min()) / 2)
        estimates[row] = (kernel[:, None] * value).sum(axis=0) / kernel.sum()
    return estimates


def other_weights(weights: Array, value: Array, epsilon: float) -> tuple[Array, int]:
    """Weights (n,) of the same sum and output, a share ``epsilon`` of the way to the first zero; free directions."""
    constraints = np.column_stack([value, np.ones(len(value))])
    left, singular, _ = np.linalg.svd(constraints)
    rank = int((singular > 1e-9 * singular[0]).sum())
    free = left[:, rank:]
    if not free.shape[1]:
        return weights, 0
    z = free[:, 0] / np.abs(free[:, 0]).max()
    with np.errstate(divide="ignore"):
        step = np.where(z < 0, weights / np.maximum(-z, 0), np.inf).min()
    return weights + epsilon * step * z, free.shape[1]


BETAS: Array = np.linspace(0.0, 20.0, 41)


def measure(p: Params, rng: np.random.Generator) -> Results:
    key = draw_keys(p, rng)
    value = rng.standard_normal((p.n, p.d_v))
    weights, output = attend(key[:1], key, value, p.beta)
    other, free = other_weights(weights[0], value, p.epsilon)

    queries = 3 * rng.standard_normal((CASES, D_K))
    many, outputs = attend(queries, key, value, p.beta)
    below, above = value.min(axis=0) - outputs, outputs - value.max(axis=0)
    _, mean = attend(key[:1], key, value, 0.0)
    shelf = [attend(key[:1], key, value, beta) for beta in BETAS]
    return {
        "value": value,
        "weights": weights[0],
        "output": output[0],
        "other_weights": other,
        "top_weight": float(weights[0, 0]),
        "free_directions": free,
        "weight_change": float(np.abs(other - weights[0]).max()),
        "smallest_other": float(other.min()),
        "other_output_gap": float(np.abs(other @ value - output[0]).max()),
        "other_sum": float(other.sum()),
        "smoothing_gap": float(np.abs(smooth(queries[:20], key, value, p.beta) - outputs[:20]).max()),
        "outside": float(max(below.max(), above.max())),
        "row_sum_gap": float(np.abs(many.sum(axis=1) - 1).max()),
        "mean_gap": float(np.abs(mean[0] - value.sum(axis=0) / p.n).max()),
        "top_weights": np.array([row[0, 0] for row, _ in shelf]),
        "path": np.array([at[0] for _, at in shelf]),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    count = Text("exact count", "精确计数")
    size = float(np.abs(results["value"]).max())
    # logits of up to beta |q| |k| are rounded before they are exponentiated
    smoothing = ROUNDING * (1 + p.beta * 40) * size

    def zero(name: str, claim: Text, measured: float, tolerance: float) -> Check:
        return Check(name, claim, 0.0, measured, tolerance, exact)

    return (
        Check(
            "matching-weight",
            Text("weight of the matching key", "匹配的 key 的权重"),
            predicted=predicted["top_weight"],
            measured=results["top_weight"],
            tolerance=ROUNDING * (1 + p.beta),
            law=exact,
        ),
        zero(
            "kernel-regression",
            Text(
                "attention against Gaussian kernel regression on distances (keys of equal length)",
                "注意力与按距离的高斯核回归之差（key 等长）",
            ),
            results["smoothing_gap"],
            smoothing,
        ),
        Check(
            "inside-the-box",
            Text(
                "how far any of 200 outputs lies outside the range of the values",
                "200 个输出中最多超出 value 范围多少",
            ),
            predicted=0.0,
            measured=results["outside"],
            tolerance=ROUNDING * size,
            law=exact,
            relation="<=",
        ),
        zero(
            "rows-sum-to-one",
            Text("row sums of the weights against one", "权重的行和与 1 之差"),
            results["row_sum_gap"],
            ROUNDING,
        ),
        zero(
            "mean-at-zero",
            Text("the output at β = 0 against the mean of the values", "β = 0 时输出与 value 均值之差"),
            results["mean_gap"],
            ROUNDING * size,
        ),
        Check(
            "free-directions",
            Text(
                "directions in which the weights can change unseen",
                "权重可以变化而输出看不出的方向数",
            ),
            predicted=predicted["free_directions"],
            measured=results["free_directions"],
            tolerance=0.0,
            law=count,
            # a square Gaussian matrix with singular values 10^9 apart
            false_alarm=1e-7,
        ),
        zero(
            "same-output-other-weights",
            Text("the output under the other weights", "换一组权重后输出的变化"),
            results["other_output_gap"],
            ROUNDING * size,
        ),
        zero(
            "other-weights-sum-to-one",
            Text("the sum of the other weights against one", "另一组权重之和与 1 之差"),
            results["other_sum"] - 1,
            ROUNDING,
        ),
        Check(
            "other-weights-nonnegative",
            Text("the smallest of the other weights", "另一组权重中最小的一个"),
            predicted=0.0,
            measured=results["smallest_other"],
            tolerance=float(np.finfo(float).eps),
            law=exact,
            relation=">=",
        ),
        Check(
            "weights-did-change",
            Text("how far the weights moved", "权重变化了多少"),
            predicted=predicted["least_change"],
            measured=results["weight_change"],
            tolerance=float(np.finfo(float).eps),
            law=Text("at least the share ε of the smallest weight", "至少是最小权重的 ε 倍"),
            relation=">=",
        ),
    )


def hull(points: Array) -> NDArray[np.intp]:
    """Indices of the convex hull's corners, closed: Andrew's monotone chain (Andrew 1979)."""
    order = np.lexsort((points[:, 1], points[:, 0]))

    def chain(indices: NDArray[np.intp]) -> list[int]:
        kept: list[int] = []
        for index in indices:
            while len(kept) > 1:
                first, last = points[kept[-1]] - points[kept[-2]], points[index] - points[kept[-2]]
                if first[0] * last[1] - first[1] * last[0] > 0:
                    break
                kept.pop()
            kept.append(int(index))
        return kept

    return np.array([*chain(order)[:-1], *chain(order[::-1])])


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    def plane(rows: Array) -> Array:
        """The first two coordinates; a single one lies on a line."""
        return rows[:, :2] if p.d_v > 1 else np.column_stack([rows, np.zeros(len(rows))])

    value, path, now = plane(results["value"]), plane(results["path"]), plane(results["output"][None])
    corners = value[hull(value)]
    curve = np.array([top_weight(p.n, math.exp(-beta * (1 - p.rho))) for beta in BETAS])
    keys = tuple(same(f"k{j + 1}") for j in range(p.n))
    return (
        Plot(
            Text("Values and outputs, first two coordinates", "value 与输出的前两个坐标"),
            Text(
                "with growing β the output walks from the mean of the values towards the matching one, and never leaves their hull",
                "β 增大时，输出从 value 的均值走向匹配的那个 value，始终在它们的凸包之内",
            ),
            Axis(Text("coordinate 1", "坐标 1")),
            Axis(Text("coordinate 2", "坐标 2")),
            (
                Line(Text("convex hull", "凸包"), corners[:, 0], corners[:, 1], "bound"),
                Line(Text("output, β from 0 to 20", "输出，β 从 0 到 20"), path[:, 0], path[:, 1], "other"),
                Points(Text("values", "value"), value[:, 0], value[:, 1], "context"),
                Points(Text("matching value", "匹配的 value"), value[:1, 0], value[:1, 1], "predicted"),
                Points(Text("output now", "当前输出"), now[:, 0], now[:, 1], "measured"),
            ),
        ),
        HeatMap(
            Text("Two sets of weights, one output", "两组权重，同一个输出"),
            Text(
                "the rows differ, the outputs do not"
                if predicted["free_directions"]
                else "with so few keys for so many coordinates the weights are unique",
                "两行不同，输出却相同" if predicted["free_directions"] else "key 少而坐标多时，权重是唯一的",
            ),
            np.stack([results["weights"], results["other_weights"]]),
            (Text("attention", "注意力"), Text("other", "另一组")),
            keys,
            low=0.0,
            high=1.0,
        ),
        Plot(
            Text("Weight of the matching key", "匹配的 key 的权重"),
            Text(
                "a lookup of one value is only the limit; keys that resemble each other need a larger β",
                "只查一个 value 只是极限情形；key 越相似，需要的 β 越大",
            ),
            Axis(same("β")),
            Axis(Text("weight", "权重"), low=0.0, high=1.0),
            (
                Line(Text("predicted", "预测"), BETAS, curve, "predicted"),
                Points(Text("measured", "实测"), BETAS, results["top_weights"], "measured"),
                Rule(Text("β now", "当前 β"), float(p.beta), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D21",
    name="kernel-smoothing",
    title=Text("Attention as kernel smoothing", "注意力是核平滑"),
    shows=Text(
        r"attention is kernel regression: its output is an average inside the values, a lookup only as $\beta \to \infty$, "
        r"and with $n > d_v + 1$ other weights give the same output",
        r"注意力就是核回归：输出是 value 的加权平均，不会越出其范围；只有 $\beta \to \infty$ 才是查表；"
        r"$n > d_v + 1$ 时另有别的权重给出相同的输出",
    ),
    kills=Text(
        "“attention weights explain the output”, “the lookup returns one book”, “the columns sum to one as well”",
        "“注意力权重解释了输出”“查询返回一本书”“列和也等于 1”",
    ),
    parameters=(
        Parameter("n", "n", Text("keys", "key 数"), 6, 2, 16, 1.0, "int"),
        Parameter("d_v", "d_v", Text("coordinates of a value", "value 的维度"), 3, 1, 8, 1.0, "int"),
        Parameter("beta", r"\beta", Text("scale of the scores", "分数的缩放系数"), 1.0, 0.0, 20.0, 0.5),
        Parameter("rho", r"\rho", Text("cosine between two keys", "两个 key 之间的余弦"), 0.0, 0.0, 0.9, 0.1),
        Parameter(
            "epsilon",
            r"\epsilon",
            Text("how far to the other weights, as a share of the way", "向另一组权重走多远（占全程的比例）"),
            0.8,
            0.0,
            1.0,
            0.1,
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "top_weight",
        Text("weight of the key that matches the query", "与 query 匹配的 key 的权重"),
        Text("", ""),
        0.0,
        1.0,
    ),
)
