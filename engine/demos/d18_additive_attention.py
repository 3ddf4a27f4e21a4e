"""D18: additive attention, and an audit of a snippet that is copied a lot.

Bahdanau et al. 2015, appendix A.1.2. The snippet: one ``Linear(2H, H)`` on [s; h_j], tanh, a product with v drawn
from U(0, 1), softmax. It neither scales v nor masks the padding.
"""

from __future__ import annotations

import math
from functools import cache

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
from engine.deviation import bernstein_band
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.alignment import Additive, additive_attention, additive_scores, luong_concat
from engine.nn.softmax import softmax_jacobian
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
ALARM = 6e-7


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def projected_variance(H: Expr) -> Expr:
    """Of one weight of Linear(2H, H) as PyTorch draws it, uniform on ±1/√(2H)."""
    return 1 / (6 * H)


def squared_v(H: Expr, scaled: Expr) -> Expr:
    """E[v²] of U(0, 1), divided by H where v is scaled by 1/√H (``scaled`` 1, else 0)."""
    return 1 / (3 * H**scaled)


def score_variance(H: Expr, mean_square: Expr, unit: Expr) -> Expr:
    """Of the scores over j: H independent units of conditional variance ``unit``."""
    return H * mean_square * unit


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Variance

    H = sp.Symbol("H", integer=True, positive=True)
    x, w, tau = sp.symbols("x w tau", positive=True)
    a = sp.Symbol("a", integer=True, positive=True)
    s, h = sp.symbols("s_1:3", real=True), sp.symbols("h_1:3", real=True)
    left = sp.Matrix(2, 2, sp.symbols("w_11 w_12 w_21 w_22", real=True))
    right = sp.Matrix(2, 2, sp.symbols("u_11 u_12 u_21 u_22", real=True))
    edge = 1 / sp.sqrt(2 * H)
    v, t = sp.symbols("v_1:3", real=True), sp.symbols("t_1:3", real=True)
    law = dict.fromkeys(t, (0, tau))
    e_1, e_2 = sp.symbols("e_1 e_2", real=True)
    alpha = sp.exp(e_1) / (sp.exp(e_1) + sp.exp(e_2))
    weight = sp.Symbol("alpha", positive=True)
    return (
        defined(
            "score",
            r"e_j = v^\top \tanh(W_s s + W_h h_j + b)",
            Text("the score of annotation $h_j$ for decoder state $s$", "解码器状态 $s$ 对标注 $h_j$ 的分数"),
        ),
        equal(
            "one-layer-or-two",
            sp.MatMul(sp.ImmutableMatrix(left.row_join(right)), sp.ImmutableMatrix([*s, *h])),
            sp.MatAdd(
                sp.MatMul(sp.ImmutableMatrix(left), sp.ImmutableMatrix(s)),
                sp.MatMul(sp.ImmutableMatrix(right), sp.ImmutableMatrix(h)),
            ),
            Text(
                "one layer on $[s; h_j]$ is two layers added, so $W_h h_j$ can be computed once for all steps",
                "作用在 $[s; h_j]$ 上的一层等于两层相加，所以 $W_h h_j$ 可以预先一次算好",
            ),
            bound="H=2",
        ),
        equal(
            "default-weights",
            sp.Integral(w**2 / (2 * edge), (w, -edge, edge)),
            projected_variance(H),
            Text(
                r"a layer of $2H$ inputs starts with weights of variance $1/(6H)$",
                r"输入为 $2H$ 的层，初始权重的方差为 $1/(6H)$",
            ),
        ),
        equal(
            "raw-v",
            sp.Integral(x**2, (x, 0, 1)),
            squared_v(H, 0),
            Text(
                r"$v$ from $U(0, 1)$ has mean square $1/3$, whatever $H$",
                r"从 $U(0, 1)$ 取的 $v$ 均方为 $1/3$，与 $H$ 无关",
            ),
        ),
        equal(
            "unit-by-unit",
            Variance(v[0] * t[0] + v[1] * t[1], law),
            (v[0] ** 2 + v[1] ** 2) * tau,
            Text(
                "independent units of variance $\\tau$ given $s$: their parts of the score add up",
                "给定 $s$ 时各单元独立、方差为 $\\tau$：对分数的贡献相加",
            ),
            bound="H=2",
        ),
        equal(
            "grows-with-width",
            sp.Sum(squared_v(H, 0) * tau, (a, 1, H)),
            score_variance(H, squared_v(H, 0), tau),
            Text(
                r"so the scores spread like $\sqrt{H}$ and the softmax picks one position at random",
                r"于是分数的标准差随 $\sqrt{H}$ 增大，softmax 会随机锁定某个位置",
            ),
        ),
        equal(
            "scaled-v",
            score_variance(H, sp.UnevaluatedExpr(squared_v(H, 1)), tau),
            tau / 3,
            Text(
                r"with $v / \sqrt{H}$ the spread no longer depends on $H$",
                r"改用 $v / \sqrt{H}$，标准差就与 $H$ 无关",
            ),
        ),
        equal(
            "own-weight",
            sp.Derivative(alpha, e_1),
            alpha * (1 - alpha),
            Text(
                r"and a saturated weight passes no gradient: $\partial\alpha/\partial e = \alpha(1 - \alpha)$",
                r"而饱和的权重不传梯度：$\partial\alpha/\partial e = \alpha(1 - \alpha)$",
            ),
            bound="n=2",
        ),
        popular_error(
            "needs-no-scaling",
            score_variance(H, squared_v(H, 0), tau),
            score_variance(1, squared_v(H, 0), tau),
            Text(
                "‘the tanh keeps additive scores bounded, so no scale is needed’: bounded, but by $\\sum v_a$",
                "“tanh 使加性分数有界，所以不必缩放”：有界，但上界是 $\\sum v_a$",
            ),
        ),
        popular_error(
            "one-hot-is-trainable",
            weight * (1 - weight),
            sp.Rational(1, 4),
            Text(
                "‘a sharp start is as good as any’: the gradient is largest at even weights only",
                "“起点尖锐也无妨”：只有权重均匀时梯度才最大",
            ),
        ),
        cited(
            "dot-product-is-faster",
            r"\text{dot-product} < \text{additive in time}",
            Text(
                "similar in operations, but the dot product is a matrix multiplication and so much faster in practice",
                "运算量相近，但点积就是矩阵乘法，实际快得多",
            ),
            "Vaswani et al. 2017, section 3.2.1",
        ),
    )


@cache
def unit_variance() -> float:
    """E_u Var(tanh(u + w) | u) for independent u, w of variance 1/6, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    deviation = math.sqrt(6) ** -1
    values = np.tanh(deviation * (nodes[:, None] + nodes[None, :]))
    means = values @ weights
    return float(weights @ (values**2 @ weights - means**2))


def mean_square(p: Params) -> float:
    return {"raw": squared_v(p.H, 0), "scaled": squared_v(p.H, 1), "zeros": 0.0}[p.v]


def predict(p: Params) -> Results:
    unit = unit_variance()
    return {
        "unit_variance": unit,
        "per_unit": mean_square(p) * unit,
        "score_deviation": math.sqrt(score_variance(p.H, mean_square(p), unit)),
        "entropy_bound": math.log(min(p.n, p.H)),
    }


def draw_v(p: Params, rng: np.random.Generator) -> Array:
    v: Array = rng.random(p.H) if p.v != "zeros" else np.zeros(p.H)
    return v / math.sqrt(p.H) if p.v == "scaled" else v


def draw_weights(p: Params, rng: np.random.Generator) -> Additive:
    """Normal weights of the variance PyTorch's uniform ones have: exact for every width."""
    deviation = math.sqrt(1 / (6 * p.H))
    W_s, W_h = deviation * rng.standard_normal((2, p.H, p.H))
    return Additive(W_s, W_h, np.zeros(p.H), draw_v(p, rng))


def orthogonal_annotations(p: Params, rng: np.random.Generator) -> Array:
    """Orthogonal annotations of length √H, shape (n, H): their projections are then independent."""
    n = min(p.n, p.H)
    h: Array = np.zeros((n, p.H))
    h[np.arange(n), rng.permutation(p.H)[:n]] = math.sqrt(p.H) * (1.0 - 2.0 * rng.integers(0, 2, n))
    return h


def measure(p: Params, rng: np.random.Generator) -> Results:
    trials = int(min(200, max(6, p.samples // (2 * p.H * p.H))))
    drawn = [(orthogonal_annotations(p, rng), draw_weights(p, rng)) for _ in range(trials)]
    s, h = np.ones((trials, p.H)), np.stack([annotations for annotations, _ in drawn])  # (trials, n, H)
    # a trial is a sequence with weights of its own
    weights = Additive(*(np.stack(part) for part in zip(*(each for _, each in drawn), strict=True)))
    done = additive_attention(s, h, weights)
    last = drawn[-1][1]
    joined = luong_concat(s[-1:], h[-1:], np.concatenate([last.W_s, last.W_h], axis=1), last.v)
    gap = float(np.abs(joined - additive_scores(s[-1:], h[-1:], last)[0]).max())
    parts = float(np.abs(softmax_jacobian(done.weights[-1]).sum(axis=1)).max())
    return {
        "trials": trials,
        "per_unit": float((np.square(weights.v) * done.tanh.var(axis=1, ddof=1)).mean()),
        "score_deviation": math.sqrt(float(done.scores.var(axis=1, ddof=1).mean())),
        "largest_weight": float(done.weights.max(axis=1).mean()),
        "even_weight": 1 / min(p.n, p.H),
        "snippet_gap": gap,
        "row_sum": parts,
        "scores": done.scores[-1],
        "weights": done.weights[-1],
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    units = results["trials"] * p.H
    top = 2.0 / (p.H if p.v == "scaled" else 1)
    # v² s² lies in [0, top]: its mean square is at most top times its mean
    band = bernstein_band(top, top * predicted["per_unit"], units, ALARM)
    return (
        Check(
            "variance-per-unit",
            Text("what one unit adds to the variance of the scores", "一个单元对分数方差的贡献"),
            predicted["per_unit"],
            results["per_unit"],
            band if p.v != "zeros" else 0.0,
            Text("Bernstein's inequality for independent bounded units", "独立有界单元的 Bernstein 不等式"),
            false_alarm=ALARM,
        ),
        Check(
            "snippet-is-the-formula",
            Text("one layer on the joined vectors against two layers added", "拼接后的一层与相加的两层之差"),
            0.0,
            results["snippet_gap"],
            64 * p.H * ROUNDING * max(1.0, predicted["score_deviation"]),
            Text("rounding of sums of 2H terms", "2H 项求和的舍入误差"),
        ),
        Check(
            "weights-sum-to-one",
            Text("row sums of the softmax Jacobian", "softmax 雅可比矩阵的行和"),
            0.0,
            results["row_sum"],
            64 * ROUNDING,
            Text("rounding", "舍入误差"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    widths = np.array([16.0, 32, 64, 128, 256, 512, 1024])
    unit = predicted["unit_variance"]
    order = np.argsort(results["weights"])[::-1][:8]
    return (
        Plot(
            Text("Spread of the scores", "分数的离散程度"),
            Text("raw v: the spread grows like √H; scaled v: it stays", "不缩放的 v：离散程度随 √H 增大；缩放后保持不变"),
            Axis(Text("width H", "宽度 H"), "log"),
            Axis(Text("standard deviation over j", "对 j 的标准差"), low=0.0),
            (
                Line(Text("v from U(0, 1)", "v 取自 U(0, 1)"), widths, np.sqrt(score_variance(widths, squared_v(widths, 0), unit)), "popular"),
                Line(Text("v / √H", "v / √H"), widths, np.sqrt(score_variance(widths, squared_v(widths, 1), unit)), "predicted"),
                Points(Text("measured", "实测"), np.array([float(p.H)]), np.array([results["score_deviation"]])),
            ),
        ),
        Bars(
            Text("Weights of one draw, largest first", "一次抽样的权重，从大到小"),
            Text(
                "before any training the raw scores already single out a position that means nothing",
                "还没有训练，未缩放的分数就已锁定一个毫无意义的位置",
            ),
            Axis(Text("weight", "权重"), low=0.0, high=1.0),
            tuple(Bar(Text(f"j = {j + 1}", f"j = {j + 1}"), float(results["weights"][j])) for j in order),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D18",
    name="additive-attention",
    title=Text("Additive attention and a copied snippet", "加性注意力与一段常被照抄的代码"),
    shows=Text(
        r"with $v$ from $U(0, 1)$ additive scores spread like $\sqrt{H}$ and saturate the softmax before training begins",
        r"$v$ 取自 $U(0, 1)$ 时，加性分数的标准差随 $\sqrt{H}$ 增大，训练尚未开始 softmax 就已饱和",
    ),
    kills=Text("“additive attention needs no scaling”, “that snippet is ready to use”", "“加性注意力不需要缩放”“那段代码拿来就能用”"),
    parameters=(
        Parameter("H", "H", Text("width of the states", "状态的宽度"), 64, 16, 256, 1.0, "int", "log"),
        Parameter("n", "n", Text("annotations (at most H)", "标注数（至多 H）"), 20, 2, 64, 1, "int"),
        Parameter(
            "v", "v", Text("how v is drawn", "v 的取法"), "raw", kind="choice",
            choices=(
                Choice("raw", Text("U(0, 1)", "U(0, 1)")),
                Choice("scaled", Text("U(0, 1) / √H", "U(0, 1) / √H")),
                Choice("zeros", Text("zeros", "全零")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline("score_deviation", Text("standard deviation of the scores", "分数的标准差"), Text("", ""), 0.0, 10.0),
    samples=Samples(rest=360_000, drag=45_000),
)  # fmt: skip
