"""D24: several heads: what they cost, what they do not, and what a single head cannot do.

Vaswani et al. 2017, section 3.2.2; Bhojanapalli et al. 2020 (the low-rank bottleneck of narrow heads).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.attention import (
    MultiHeadWeights,
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
)
from engine.nn.counted import Tally, counted
from engine.nn.softmax import Floats
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error, unequal
from engine.text import Text, same

ROUNDING = float(np.finfo(float).eps)
DIFFERENT = 1e-9
"""Outputs of order one further apart than this differ: rounding stays far below."""
HEADS = tuple(2**power for power in range(7))
WIDTHS = tuple(2**power for power in range(6, 10))


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def parameters(d: Expr) -> Expr:
    """Entries of the four projections, biases left out."""
    return 4 * d**2


def multiplications(n: Expr, d: Expr) -> Expr:
    """Scalar multiplications of the layer: four projections, scores, weighted sums."""
    return 4 * n * d**2 + 2 * n**2 * d


def weight_count(n: Expr, h: Expr) -> Expr:
    """Attention weights, each an exponential to compute and a number to keep."""
    return h * n**2


def read_error(own: Expr, other: Expr) -> Expr:
    """Least mean squared error of a linear read-out of one of two independent values of variance one from their mix."""
    return 1 - own**2 / (own**2 + other**2)


def derive() -> tuple[Step, ...]:
    return (*_cost(), *_sum_of_heads(), *_one_head())


def _cost() -> tuple[Step, ...]:
    import sympy as sp

    n, d, h = sp.symbols("n d h", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    width = d / h
    return (
        defined(
            "heads",
            r"\operatorname{MultiHead} = [C_1; …; C_h]\, W_O, \quad d_k = d_v = d / h",
            Text(
                "$h$ heads of width $d/h$ each, their contexts $C_i$ side by side, and one projection back; the width is a "
                "convention (T5-11B has 128 heads of 128 for $d = 1024$)",
                "$h$ 个宽度为 $d/h$ 的头，各自的上下文 $C_i$ 并排，再投影回来；这个宽度只是惯例（T5-11B 在 $d = 1024$ 时用 128 个宽 128 的头）",
            ),
        ),
        equal(
            "parameters",
            sp.Sum(3 * d * width, (i, 1, h)) + d**2,
            parameters(d),
            Text(
                "three projections per head and one for all: however many heads, $4d^2$",
                "每个头三个投影，外加一个总的：不管几个头，都是 $4d^2$",
            ),
        ),
        equal(
            "multiplications",
            sp.Sum(3 * n * d * width + 2 * n**2 * width, (i, 1, h)) + n * d**2,
            multiplications(n, d),
            Text(
                "likewise the multiplications: a head's scores and weighted sums cost $n^2 d / h$ each",
                "乘法次数也一样：一个头的分数与加权和各需 $n^2 d / h$ 次",
            ),
        ),
        equal(
            "weights",
            sp.Sum(n**2, (i, 1, h)),
            weight_count(n, h),
            Text(
                "but every head has its own $n^2$ weights: exponentials and score memory grow with $h$",
                "但每个头都有自己的 $n^2$ 个权重：指数运算与分数占用的内存随 $h$ 增长",
            ),
        ),
        popular_error(
            "heads-are-free",
            weight_count(n, h),
            weight_count(n, 1),
            Text(
                "'several heads cost the same as one': in parameters and multiplications, not in weights",
                "“多头与单头开销相同”：参数和乘法次数是，权重不是",
            ),
        ),
    )


def _sum_of_heads() -> tuple[Step, ...]:
    import sympy as sp

    c, w = sp.symbols("c_1:5", real=True), sp.symbols("w_1:5", real=True)
    q, k = sp.symbols("q_1:3", real=True), sp.symbols("k_1:3", real=True)
    first, second = (sp.ImmutableMatrix([[*part]]) for part in (c[:2], c[2:]))
    upper, lower = (sp.ImmutableMatrix([*part]) for part in (w[:2], w[2:]))
    return (
        equal(
            "a-sum-of-writes",
            sp.MatMul(sp.ImmutableMatrix([[*c]]), sp.ImmutableMatrix([*w]), evaluate=False),
            sp.MatAdd(
                sp.MatMul(first, upper, evaluate=False),
                sp.MatMul(second, lower, evaluate=False),
                evaluate=False,
            ),
            Text(
                "concatenation and $W_O$ are a sum: each head writes through its own rows of $W_O$",
                "拼接再乘 $W_O$ 就是求和：每个头通过 $W_O$ 中属于自己的几行写入",
            ),
            bound="h=2, d_v=2",
        ),
        equal(
            "narrow-heads-have-low-rank",
            sp.Determinant(sp.ImmutableMatrix(q) * sp.ImmutableMatrix([[*k]])),
            sp.Integer(0),
            Text(
                "a head's scores have rank $d_k$ at most: with more heads each sees the pairs through fewer numbers",
                "一个头的分数矩阵的秩至多为 $d_k$：头越多，每个头用来比较的数就越少",
            ),
            bound="n=2, d_k=1",
        ),
        cited(
            "specialists-and-idlers",
            r"h = 48 \to 10",
            Text(
                "some trained heads do follow syntax or neighbours; most can be removed: of 48 encoder heads 38, at 0.15 BLEU",
                "训练好的头里，有的确实跟踪句法或相邻词；但大多数可以去掉：48 个编码器头去掉 38 个，只损失 0.15 BLEU",
            ),
            "Voita et al. 2019, sections 5 and 6.2; Clark et al. 2019; Michel et al. 2019",
        ),
    )


def _one_head() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation

    a, b = sp.symbols("a b", positive=True)
    c = sp.Symbol("c", real=True)
    v, w = sp.symbols("v_1 v_2", real=True)
    law = {v: (0, 1), w: (0, 1)}
    error = Expectation((v - c * (a * v + b * w)) ** 2, law)
    best = a / (a**2 + b**2)
    return (
        equal(
            "error-of-a-read-out",
            error,
            1 - 2 * c * a + c**2 * (a**2 + b**2),
            Text(
                "copying two tokens at once: a head that weighs them $a$ and $b$ returns one mixture, and $c$ times it is to "
                "give back the first; the values are independent, of variance one",
                "同时复制两个词元：一个头以 $a$、$b$ 加权，只返回一个混合，用它的 $c$ 倍去还原第一个；两个值相互独立，方差为 1",
            ),
        ),
        equal(
            "best-read-out",
            (1 - 2 * c * a + c**2 * (a**2 + b**2)) - (a**2 + b**2) * (c - best) ** 2,
            read_error(a, b),
            Text(
                "complete the square: the best $c$ leaves this much",
                "配方：最好的 $c$ 也要剩下这么多",
            ),
        ),
        equal(
            "two-targets",
            read_error(a, b) + read_error(b, a),
            sp.Integer(1),
            Text(
                "over both tokens one head leaves an error of one whatever its weights; two heads leave none",
                "两个词元合起来，一个头不论怎样加权都剩误差 1；两个头则没有误差",
            ),
        ),
        unequal(
            "a-curved-read-out-can",
            a * 1 + b * (-1),
            a * (-1) + b * 1,
            Text(
                "the limit is the linear read-out's: where $a \\neq b$ the four mixtures of values $\\pm 1$ are different "
                "numbers, and a feed-forward layer may decode them",
                "这是线性读出的局限：只要 $a \\neq b$，取值 $\\pm 1$ 的四种混合就各不相同，前馈层可以把它们解码出来",
            ),
        ),
    )


def predict(p: Params) -> Results:
    d, h = int(p.d_model), int(p.heads)
    mixtures = 2 if p.share in (0.0, 1.0) else 3 if p.share == 0.5 else 4
    return {
        "parameters": parameters(d),
        "multiplications": multiplications(p.n, d),
        "weight_count": weight_count(p.n, h),
        "weight_ratio": weight_count(p.n, h) / weight_count(p.n, 1),
        "rank": min(p.n, d // h),
        "first_error": read_error(p.share, 1 - p.share),
        "both_errors": 1.0,
        "mixtures": mixtures,
    }


def draw_layer(p: Params, rng: np.random.Generator, heads: int) -> MultiHeadWeights:
    d = int(p.d_model)
    # uniform, as linear layers begin, and drawn in a third of the time of normal ones; variance 1 / d
    drawn = rng.random((4, d, d))
    drawn -= 0.5
    drawn *= math.sqrt(12 / d)
    W_q, W_k, W_v, W_o = drawn
    return MultiHeadWeights(W_q, W_k, W_v, W_o, heads=heads)


def cut_in_place(projected: Floats, heads: int) -> Array:
    """The slip: (n, h·d_k) reshaped to (h, n, d_k) without moving an axis, so that a head gets pieces of many tokens."""
    n, width = projected.shape
    return np.asarray(projected.reshape(heads, n, width // heads), dtype=np.float64)


def mixed_values(share: float) -> tuple[Array, Array]:
    """The four pairs of values ±1, (4, 2), and what one head returns that gives the first this share of its weight: (4,)."""
    values = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    # the logits of these weights, as a mask added to scores of zero
    logits = np.array([[math.log(part) if part > 0 else -math.inf for part in (share, 1 - share)]])
    done = scaled_dot_product_attention(np.zeros((1, 1)), np.zeros((2, 1)), values[..., None], mask=logits)
    return values, np.asarray(done.context[:, 0, 0], dtype=np.float64)


def layer_of_copies(x: Array, weights: MultiHeadWeights) -> tuple[Array, Array]:
    """Outputs (n, d) of the first head alone, and of a layer in which every head is a copy of it and writes its share."""
    heads, width = weights.heads, weights.query.shape[1] // weights.heads
    query, key, value = (part[:, :width] for part in (weights.query, weights.key, weights.value))
    rows = weights.output[:width]
    W_q, W_k, W_v = (np.tile(part, (1, heads)) for part in (query, key, value))
    copies = MultiHeadWeights(W_q, W_k, W_v, np.tile(rows / heads, (heads, 1)), heads=heads)
    alone = scaled_dot_product_attention(x @ query, x @ key, x @ value).context @ rows
    return np.asarray(alone), np.asarray(multi_head_attention(x, x, copies).output)


def linear_errors(features: Array, targets: Array) -> Array:
    """Mean squared error of the best linear read-out of each target, by least squares: (n, f), (n, t) to (t,)."""
    weights = np.linalg.lstsq(features, targets, rcond=None)[0]
    errors: Array = np.square(features @ weights - targets).mean(axis=0)
    return errors


def measure(p: Params, rng: np.random.Generator) -> Results:
    d, h = int(p.d_model), int(p.heads)
    x = rng.standard_normal((p.n, d))
    weights = draw_layer(p, rng, h)
    tally = Tally()
    done = multi_head_attention(counted(x, tally), counted(x, tally), weights)
    output, context = (np.asarray(part, dtype=np.float64) for part in (done.output, done.attended.context))

    blocks = weights.output.reshape(h, d // h, d)
    writes = sum((context[i] @ blocks[i] for i in range(h)), np.zeros((p.n, d)))
    query, key, value = (
        cut_in_place(merge_heads(np.asarray(part, dtype=np.float64)), h)
        for part in (done.query, done.key, done.value)
    )
    slipped = scaled_dot_product_attention(query, key, value).context
    sound = merge_heads(np.asarray(slipped)) @ weights.output

    # the last head alone, from its own columns
    own = slice(d - d // h, d)
    alone = scaled_dot_product_attention(
        x @ weights.query[:, own], x @ weights.key[:, own], x @ weights.value[:, own]
    )

    single, repeated = layer_of_copies(x, weights)

    scores = np.asarray(done.attended.scores, dtype=np.float64)
    singular = np.linalg.svd(scores[0], compute_uv=False)
    values, mixed = mixed_values(p.share)
    errors = linear_errors(mixed[:, None], values)
    # a head for each of the two tokens
    apart = np.stack([mixed_values(share)[1] for share in (1.0, 0.0)], axis=1)

    shares = np.linspace(0, 1, 21)
    by_share = np.array([linear_errors(mixed_values(share)[1][:, None], values) for share in shares])
    return {
        "parameters": sum(part.size for part in (weights.query, weights.key, weights.value, weights.output)),
        "multiplications": tally.in_products,
        "weight_count": done.attended.weights.size,
        "weight_ratio": done.attended.weights.size / p.n**2,
        "writes_difference": float(np.abs(writes - output).max()),
        "slip_difference": float(np.abs(sound - output).max()),
        "columns_difference": float(np.abs(alone.context - context[-1]).max()),
        "copies_difference": float(np.abs(repeated - single).max()),
        "rank": int((singular > 1e-10 * singular[0]).sum()),
        "first_error": float(errors[0]),
        "both_errors": float(errors.sum()),
        "two_heads_error": float(linear_errors(apart, values).sum()),
        "mixtures": len(np.unique(np.round(mixed, 9))),
        "shares": shares,
        "errors_by_share": by_share,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    d, h = int(p.d_model), int(p.heads)
    counts = Text("exact count, on the arrays of the layer that ran", "精确计数：在实际运行的层的数组上清点")
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    sums = 16 * ROUNDING * d * math.sqrt(d)

    def count(name: str, key: str, claim: Text) -> Check:
        return Check(name, claim, predicted[key], results[key], 0.0, counts)

    def identity(name: str, key: str, claim: Text, expected: float, tolerance: float) -> Check:
        return Check(name, claim, expected, results[key], tolerance, exact)

    return (
        count("projection-entries", "parameters", Text("entries of the projections", "投影矩阵的元素数")),
        count(
            "layer-multiplications", "multiplications", Text("multiplications of the layer", "该层的乘法次数")
        ),
        count("attention-weights", "weight_count", Text("attention weights", "注意力权重数")),
        identity(
            "writes-add-up",
            "writes_difference",
            Text("the heads' separate writes added, less the output", "各头分别写入之和与输出之差"),
            0.0,
            sums,
        ),
        identity(
            "head-by-its-columns",
            "columns_difference",
            Text(
                "one head from its own columns alone, less what the layer gives it",
                "只用自己的列算出的一个头与层中该头之差",
            ),
            0.0,
            sums,
        ),
        identity(
            "copies-of-one-head",
            "copies_difference",
            Text(
                "a layer whose heads are all copies of one, less that one: nothing makes heads differ",
                "所有头都是同一个头的副本时，该层输出与单独这个头之差：没有什么强制各头不同",
            ),
            0.0,
            sums,
        ),
        Check(
            "reshape-slip",
            Text(
                "output with heads cut by a bare reshape, less the output",
                "直接 reshape 切头的输出与正确输出之差",
            ),
            predicted=0.0,
            measured=results["slip_difference"],
            tolerance=DIFFERENT if h > 1 else sums,
            law=Text("a difference of order one, beyond rounding", "差别为 1 的量级，远超舍入误差")
            if h > 1
            else exact,
            relation="!=" if h > 1 else "=",
            # all n·d outputs would have to agree to nine digits
            false_alarm=1e-9 if h > 1 else 0.0,
        ),
        Check(
            "rank-of-a-head",
            Text("rank of one head's scores", "一个头的分数矩阵的秩"),
            predicted=predicted["rank"],
            measured=results["rank"],
            tolerance=0.0,
            law=Text(
                "exact count of singular values above 1e-10 of the largest",
                "精确计数：大于最大奇异值 1e-10 倍的奇异值",
            ),
            # the least singular value of a random square matrix is below 1e-10 of the largest that seldom
            false_alarm=1e-7,
        ),
        identity(
            "one-target",
            "first_error",
            Text("error left of the first token by one head", "一个头还原第一个词元剩下的误差"),
            predicted["first_error"],
            64 * ROUNDING,
        ),
        identity(
            "both-targets",
            "both_errors",
            Text("error left of both tokens by one head", "一个头还原两个词元剩下的误差"),
            predicted["both_errors"],
            64 * ROUNDING,
        ),
        identity(
            "two-heads",
            "two_heads_error",
            Text("error left of both tokens by two heads", "两个头还原两个词元剩下的误差"),
            0.0,
            64 * ROUNDING,
        ),
        Check(
            "distinct-mixtures",
            Text("different mixtures of two values ±1", "两个 ±1 值的不同混合数"),
            predicted=predicted["mixtures"],
            measured=results["mixtures"],
            tolerance=0.0,
            law=Text("exact count", "精确计数"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    n, d, h = p.n, int(p.d_model), int(p.heads)
    shares, errors = results["shares"], results["errors_by_share"]
    return (
        Bars(
            Text("Cost against one head of full width", "与单个全宽头的开销之比"),
            Text(
                "parameters and multiplications stay as they are; what is stored and exponentiated grows with the heads",
                "参数与乘法次数不变；要存储、要求指数的量随头数增长",
            ),
            Axis(Text("times", "倍"), low=0.0),
            (
                Bar(Text("parameters", "参数"), results["parameters"] / parameters(d)),
                Bar(Text("multiplications", "乘法次数"), results["multiplications"] / multiplications(n, d)),
                Bar(Text("attention weights", "注意力权重"), results["weight_ratio"]),
                Bar(Text("heads", "头数"), float(h), "context"),
            ),
        ),
        Plot(
            Text("Two tokens through one head", "两个词元经过一个头"),
            Text(
                "moving weight from one token to the other only moves the error: their sum stays one",
                "把权重从一个词元挪到另一个，只是把误差挪过去：两者之和始终为 1",
            ),
            Axis(Text("share of the first token", "第一个词元的权重")),
            Axis(Text("error left", "剩余误差"), low=0.0, high=1.1),
            (
                Line(
                    Text("first, predicted", "第一个，预测"),
                    shares,
                    np.array([read_error(share, 1 - share) for share in shares]),
                    "predicted",
                ),
                Points(Text("first", "第一个"), shares, errors[:, 0], "measured"),
                Points(Text("second", "第二个"), shares, errors[:, 1], "other"),
                Points(Text("both", "合计"), shares, errors.sum(axis=1), "bound"),
                Rule(Text("now", "当前"), float(p.share), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D24",
    name="multi-head",
    title=Text("Several heads", "多头"),
    shows=Text(
        "splitting the width into $h$ heads leaves parameters and multiplications as they are and makes $h$ times as many "
        "attention weights; it buys separate mixtures, which one head cannot give",
        "把宽度分给 $h$ 个头，参数与乘法次数不变，注意力权重变为 $h$ 倍；换来的是各自独立的混合，这是单头给不了的",
    ),
    kills=Text(
        "several heads cost nothing extra; a head learns one relation and heads must specialise",
        "多头没有额外开销；一个头只学一种关系，各头必然分工",
    ),
    parameters=(
        Parameter(
            "d_model",
            "d",
            Text("width of the layer", "层的宽度"),
            "256",
            kind="choice",
            choices=tuple(Choice(str(width), same(str(width))) for width in WIDTHS),
        ),
        Parameter(
            "heads",
            "h",
            Text("heads", "头数"),
            "8",
            kind="choice",
            choices=tuple(Choice(str(heads), same(str(heads))) for heads in HEADS),
        ),
        Parameter("n", "n", Text("tokens", "词元数"), 64, 2, 128, 1.0, "int", "log"),
        Parameter(
            "share",
            "a",
            Text("weight of the first of two tokens", "两个词元中第一个的权重"),
            0.5,
            0.0,
            1.0,
            0.05,
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "weight_ratio",
        Text(
            "attention weights to store, against one head of full width",
            "要存储的注意力权重，与单个全宽头之比",
        ),
        Text("times", "倍"),
        0.1,
        100.0,
        "log",
    ),
)
