"""D26: exploding gradients, and what clipping does and does not do.

Pascanu, Mikolov and Bengio 2013, section 2.1 (growth) and algorithm 1 (clipping by norm).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.initialization import recurrent_matrix
from engine.nn.optimizer import (
    TORCH_CLIP_EPSILON,
    Floats,
    clip_by_norm,
    clip_by_value,
    clip_factor,
    total_norm,
)
from engine.nn.recurrent import RNNGradient, RNNWeights, rnn_backward, rnn_forward
from engine.proof.step import Expr, Step, cited, equal, let, ordered, popular_error
from engine.text import Text

HIDDEN, INPUTS = 32, 8
"""Width of the network and of its input."""
SWEEP = (0.6, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
"""Gains at which the gradient is also measured."""
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
# The clipping factor itself is the layer's, engine/nn/optimizer.py.
def growth(gain: Expr, steps: Expr) -> Expr:
    """Factor on a gradient's norm over so many steps of a linear network with orthogonal weights."""
    return gain**steps


def derive() -> tuple[Step, ...]:
    return (*_growth(), *_by_norm(), *_not_by_value())


def _growth() -> tuple[Step, ...]:
    import sympy as sp

    H, T = sp.symbols("H T", integer=True, positive=True)
    gain = sp.Symbol("g", positive=True)
    Q, v = sp.MatrixSymbol("Q", H, H), sp.MatrixSymbol("v", H, 1)
    w, h_0, y = sp.symbols("w h_0 y", positive=True)
    t = sp.Symbol("t", integer=True, positive=True)
    moved = gain * Q * v
    error = w**T * h_0 - y
    return (
        let(
            "orthogonal",
            Q.T,
            Q.I,
            Text(
                r"a linear network with $W = g Q$, $Q$ orthogonal: every step multiplies a gradient by $W^\top$",
                r"线性网络，$W = g Q$，$Q$ 正交：每一步使梯度乘以 $W^\top$",
            ),
        ),
        equal(
            "one-step",
            moved.T * moved,
            gain**2 * v.T * v,
            Text("and so its length by $g$ exactly", "于是长度恰好变为 $g$ 倍"),
            using=((Q.T, Q.I),),
        ),
        equal(
            "exponential-growth",
            sp.Product(gain, (t, 1, T)),
            growth(gain, T),
            Text(
                "over $T$ steps: explosion above one, vanishing below",
                "经过 $T$ 步：大于 1 爆炸，小于 1 消失",
            ),
        ),
        equal(
            "one-unit",
            sp.Derivative(error**2 / 2, w),
            T * w ** (T - 1) * h_0 * error,
            Text(
                "one unit, squared error: the slope of the loss grows like $w^{2T}$, a wall for gradient descent",
                "单个单元、平方误差：损失的斜率按 $w^{2T}$ 增长，对梯度下降而言是一堵墙",
            ),
        ),
    )


def _by_norm() -> tuple[Step, ...]:
    import sympy as sp

    g = sp.symbols("g_1:4", positive=True)
    c, norm, excess, eps = sp.symbols("c s d epsilon", positive=True)
    root = sp.sqrt(sum(x**2 for x in g))
    factor = clip_factor(norm, c)
    return (
        let("norm", norm, root, Text("the norm of a gradient", "梯度的范数")),
        equal(
            "norm-after",
            sp.sqrt(sum((factor * x) ** 2 for x in g)),
            c,
            Text(
                "multiplied by $c/s$ its norm is $c$",
                "乘以 $c/s$ 后范数为 $c$",
            ),
            bound="n=3",
            using=((norm, root),),
        ),
        equal(
            "direction-kept",
            sum(x * factor * x for x in g) / (norm * c),
            sp.Integer(1),
            Text(
                "and its direction is kept: the cosine with the gradient before is one",
                "方向不变：与裁剪前梯度的余弦为 1",
            ),
            bound="n=3",
            using=((norm, root),),
        ),
        ordered(
            "only-shrinks",
            clip_factor(c + excess, c),
            "<",
            sp.Integer(1),
            Text(
                "the factor is below one just where the norm exceeds $c$; elsewhere nothing is done",
                "只有范数超过 $c$ 时因子才小于 1；否则什么也不做",
            ),
            witness=excess / (c + excess),
        ),
        ordered(
            "pytorchs-epsilon",
            clip_factor(norm, c, eps) * norm,
            "<",
            c,
            Text(
                r"PyTorch divides by $s + \epsilon$: the norm after stays a little below $c$",
                r"PyTorch 除以 $s + \epsilon$：裁剪后的范数略小于 $c$",
            ),
            witness=c * eps / (norm + eps),
        ),
        equal(
            "shares-kept",
            sp.UnevaluatedExpr(factor * g[0]) / (factor * g[1]),
            g[0] / g[1],
            Text(
                "all parts shrink alike: what an early step contributes, beside a late one, is as little as before",
                "各部分同比缩小：早期步骤相对后期步骤的贡献，与裁剪前一样小",
            ),
        ),
    )


def _not_by_value() -> tuple[Step, ...]:
    import sympy as sp

    c, norm = sp.symbols("c s", positive=True)
    g_1, g_2 = sp.symbols("g_1 g_2", positive=True)
    return (
        popular_error(
            "fixes-vanishing-too",
            sp.Min(1, clip_factor(norm, c)) * norm,
            c,
            Text(
                "'after clipping every gradient has norm $c$, so vanishing is mended as well': a small one stays small",
                "“裁剪后梯度范数都是 $c$，所以梯度消失也解决了”：小梯度仍然小",
            ),
        ),
        popular_error(
            "by-value-keeps-direction",
            sp.Min(g_1, c) * g_2,
            sp.Min(g_2, c) * g_1,
            Text(
                "'clipping each entry is the same': the entries no longer stand in the old proportion",
                "“逐元素裁剪也一样”：各元素之间不再保持原来的比例",
            ),
        ),
        cited(
            "remedies",
            r"\text{exploding: clipping} \qquad \text{vanishing: gates, residual paths, initialisation}",
            Text(
                "two ailments, two remedies",
                "两种病，两种药",
            ),
            "Pascanu et al. 2013, sections 3.2 and 3.3; Hochreiter and Schmidhuber 1997",
        ),
    )


def predict(p: Params) -> Results:
    return {"growth": growth(p.gain, p.steps), "log_growth": math.log(growth(p.gain, p.steps))}


def all_parts(gradient: RNNGradient) -> tuple[Array, Array, Array]:
    """The gradients of all weights, which are clipped together."""
    weights = gradient.weights
    return weights.recurrent, weights.inputs, weights.bias


def backpropagate(
    p: Params, rng: np.random.Generator, gain: float
) -> tuple[RNNGradient, tuple[Array, Array, Array]]:
    """The gradient of a loss that reads the last state, and what the first half of the steps gives to the weights'."""
    weights = RNNWeights(
        recurrent_matrix(rng, HIDDEN, gain, "orthogonal"),
        rng.standard_normal((HIDDEN, INPUTS)) / math.sqrt(INPUTS),
        np.zeros(HIDDEN),
    )
    x = rng.standard_normal((p.steps, INPUTS))
    trace = rnn_forward(x, np.zeros(HIDDEN), weights, p.activation)
    direct = np.zeros_like(trace.hidden)
    direct[-1] = rng.standard_normal(HIDDEN) / math.sqrt(HIDDEN)
    whole = rnn_backward(trace, x, weights, direct, p.activation)
    half = p.steps // 2
    # the early half alone, from the gradient that arrives at its end
    early_trace = type(trace)(trace.pre_activations[:half], trace.hidden[: half + 1])
    arriving = np.zeros_like(early_trace.hidden)
    arriving[-1] = whole.hidden[half]
    early = rnn_backward(early_trace, x[:half], weights, arriving, p.activation)
    return whole, all_parts(early)


def cosine(left: tuple[Floats, ...], right: tuple[Floats, ...]) -> float:
    """Of two gradients, all parts together; 1 where one of them is zero."""
    inner = sum(float((a * b).sum()) for a, b in zip(left, right, strict=True))
    norms = total_norm(left) * total_norm(right)
    return inner / norms if norms else 1.0


def measure(p: Params, rng: np.random.Generator) -> Results:
    gradient, early = backpropagate(p, rng, p.gain)
    parts = all_parts(gradient)
    norms = np.linalg.norm(gradient.hidden, axis=-1)
    clipped = clip_by_norm(parts, p.threshold, epsilon=0.0)
    torch = clip_by_norm(parts, p.threshold)
    by_value = clip_by_value(parts, p.threshold)
    early_clipped = tuple(g * clipped.factor for g in early)
    sweep = np.empty((len(SWEEP), 3))
    for row, gain in zip(sweep, SWEEP, strict=True):
        whole, first_half = backpropagate(p, rng, gain)
        cut = clip_by_norm(all_parts(whole), p.threshold, epsilon=0.0)
        row[:] = cut.norm, total_norm(cut.gradients), total_norm(first_half) * cut.factor
    return {
        "growth": float(norms[0] / norms[-1]),
        "log_growth": math.log(norms[0] / norms[-1]),
        "norms": norms,
        "norm": clipped.norm,
        "clipped_norm": total_norm(clipped.gradients),
        "torch_norm": total_norm(torch.gradients),
        "cosine": cosine(parts, clipped.gradients),
        "cosine_by_value": cosine(parts, by_value),
        "largest_entry": max(float(np.abs(g).max()) for g in parts),
        "largest_entry_by_value": max(float(np.abs(g).max()) for g in by_value),
        "early_share": total_norm(early) / clipped.norm,
        "early_share_clipped": total_norm(early_clipped) / total_norm(clipped.gradients),
        "sweep_norms": sweep[:, 0],
        "sweep_clipped": sweep[:, 1],
        "sweep_early_clipped": sweep[:, 2],
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact relation, up to the rounding of a norm", "精确关系，只容许计算范数的舍入误差")
    size = 16 * HIDDEN * ROUNDING
    after = min(results["norm"], p.threshold)
    with_epsilon = results["norm"] * min(1.0, p.threshold / (results["norm"] + TORCH_CLIP_EPSILON))
    linear = p.activation == "linear"
    checks = [
        Check(
            "log-growth",
            Text(
                "the logarithm of the gradient's growth over all steps",
                "梯度在所有步上增长倍数的对数",
            ),
            predicted=predicted["log_growth"],
            measured=results["log_growth"],
            tolerance=p.steps * size,
            law=Text("exact identity: rounding of T products", "精确恒等式：T 次乘法的舍入误差")
            if linear
            else Text("exact inequality: tanh only shortens", "精确不等式：tanh 只会缩短"),
            relation="=" if linear else "<=",
        ),
        Check(
            "norm-after-clipping",
            Text(
                "after clipping: the threshold, or the norm where it was smaller",
                "裁剪后：等于阈值，原本更小则不变",
            ),
            predicted=after,
            measured=results["clipped_norm"],
            tolerance=size * after,
            law=exact,
        ),
        Check(
            "pytorchs-norm-after-clipping",
            Text("PyTorch's stays a little below", "PyTorch 的略小于阈值"),
            predicted=with_epsilon,
            measured=results["torch_norm"],
            tolerance=size * after,
            law=exact,
        ),
        Check(
            "direction-after-clipping",
            Text("the direction is kept (cosine)", "方向不变（余弦）"),
            predicted=1.0,
            measured=results["cosine"],
            tolerance=size,
            law=exact,
        ),
        Check(
            "early-steps-share",
            Text(
                "the share that the first half of the steps supplies is what it was",
                "前一半步骤所占的份额与裁剪前相同",
            ),
            predicted=results["early_share"],
            measured=results["early_share_clipped"],
            tolerance=size * results["early_share"],
            law=exact,
        ),
        Check(
            "largest-entry-by-value",
            Text("clipped by value, no entry exceeds the threshold", "逐元素裁剪后没有元素超过阈值"),
            predicted=p.threshold,
            measured=results["largest_entry_by_value"],
            tolerance=0.0,
            law=Text("exact inequality", "精确不等式"),
            relation="<=",
        ),
    ]
    if results["largest_entry"] > 2 * p.threshold:
        checks.append(
            Check(
                "direction-by-value",
                Text("clipped by value the direction changes (cosine)", "逐元素裁剪改变方向（余弦）"),
                predicted=1.0,
                measured=results["cosine_by_value"],
                tolerance=1e-9,
                law=Text(
                    "kept only if all entries are cut alike: far above rounding as soon as one is halved",
                    "只有所有元素同比缩小才不变：只要有一个被减半，就远大于舍入误差",
                ),
                relation="!=",
                false_alarm=1e-9,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    lags = np.arange(p.steps + 1.0)
    gains = np.array(SWEEP)
    explodes = Text(
        "a straight line on a log axis: each step multiplies by the same factor",
        "对数轴上是一条直线：每一步乘以相同的倍数",
    )
    saturates = Text(
        "saturated units shorten the gradient, so it stays below the line of the gain",
        "饱和的单元使梯度缩短，所以它在增益的直线之下",
    )
    return (
        Plot(
            Text("Gradient norm against lag", "梯度范数随滞后的变化"),
            explodes if p.activation == "linear" else saturates,
            Axis(Text("lag, steps", "滞后（步）")),
            Axis(Text("norm", "范数"), "log"),
            (
                Line(Text("measured", "实测"), lags, results["norms"][::-1]),
                Line(
                    Text("power of the gain", "增益的幂"),
                    lags,
                    results["norms"][-1] * growth(p.gain, lags),
                    "predicted",
                ),
            ),
        ),
        Plot(
            Text("Weight gradient with and without clipping", "裁剪前后的权重梯度"),
            Text(
                "clipping cuts the exploded gradients at the threshold; below a gain of one the early steps' part stays as "
                "vanished as it was",
                "裁剪把爆炸的梯度截在阈值处；增益小于 1 时，早期步骤的那部分照样消失",
            ),
            Axis(Text("gain g", "增益 g")),
            Axis(Text("norm of the gradient", "梯度范数"), "log"),
            (
                Line(Text("before", "裁剪前"), gains, results["sweep_norms"], "context"),
                Points(Text("after", "裁剪后"), gains, results["sweep_clipped"]),
                Points(
                    Text("after, first half of the steps", "裁剪后，前一半步骤"),
                    gains,
                    results["sweep_early_clipped"],
                    "other",
                ),
                Rule(Text("threshold", "阈值"), p.threshold, "y", "bound"),
                Rule(Text("gain now", "当前增益"), p.gain, "x", "context"),
            ),
        ),
        Bars(
            Text("Direction after clipping", "裁剪后的方向"),
            Text(
                "by norm the direction is kept; by value it turns as soon as entries are cut",
                "按范数裁剪方向不变；逐元素裁剪一旦有元素被截，方向就偏转",
            ),
            Axis(Text("cosine with the gradient", "与原梯度的余弦"), low=0.0, high=1.0),
            (
                Bar(Text("by norm", "按范数"), results["cosine"]),
                Bar(Text("by value", "逐元素"), results["cosine_by_value"], "popular"),
                Bar(
                    Text("share of the early half", "前半步骤的份额"),
                    min(1.0, results["early_share"]),
                    "other",
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D26",
    name="gradient-clipping",
    title=Text("Exploding gradients and clipping", "梯度爆炸与梯度裁剪"),
    shows=Text(
        r"a gradient through $T$ linear steps grows by $g^T$; clipping by norm caps its length at $c$, keeps its "
        "direction, and does nothing for a vanished one",
        r"梯度经过 $T$ 个线性步变为 $g^T$ 倍；按范数裁剪把长度限制在 $c$、方向不变，对已消失的梯度毫无作用",
    ),
    kills=Text(
        "“clipping also fixes vanishing gradients”, “clipping by value and by norm are the same”",
        "“梯度裁剪也能解决梯度消失”“逐元素裁剪和按范数裁剪一样”",
    ),
    parameters=(
        Parameter("gain", "g", Text("factor of a recurrent step", "循环一步的倍数"), 1.2, 0.5, 2.0, 0.05),
        Parameter("steps", "T", Text("steps", "步数"), 50, 10, 100, 1.0, "int"),
        Parameter(
            "threshold",
            "c",
            Text("clipping threshold", "裁剪阈值"),
            1.0,
            0.1,
            10.0,
            0.25,
            scale="log",
        ),
        Parameter(
            "activation",
            r"\phi",
            Text("activation", "激活函数"),
            "linear",
            kind="choice",
            choices=(
                Choice("linear", Text("none (linear)", "无（线性）")),
                Choice("tanh", Text("tanh", "tanh")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "growth",
        Text(
            "gradient at the first state, over that at the last",
            "初始状态处的梯度与末状态处的梯度之比（范数）",
        ),
        Text("times", "倍"),
        1e-3,
        1e6,
        "log",
    ),
)
