"""D59: the adjoint of a convolution: the backward pass, the transposed layer, its checkerboard, and what pooling sends back.

Dumoulin, Visin 2016, chapter 4 (transposed convolution); Goodfellow, Bengio, Courville 2016, section 9.5 (gradients of a convolution
with stride); Odena, Dumoulin, Olah 2016 (checkerboard); Boureau, Ponce, LeCun 2010 (pooling).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Rule
from engine.nn.convolution import convolve, correlate, correlate_backward
from engine.nn.pooling import average_pool, average_pool_backward, max_pool, max_pool_backward
from engine.nn.transposed_convolution import transposed_correlate
from engine.nn.windows import Floats
from engine.proof.step import Expr, Step, defined, equal, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
STEP = 2.0**-20
"""Of a finite difference; a linear layer is differentiated exactly but for rounding, which this divides."""
APART = 1e-3
"""Matrices further apart than this are different ones: taps and sums of their squares lie further from each other and from 1."""
WINDOWS = 16
"""Windows of the pooled signal."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def forward_length(n: Expr, k: Expr, s: Expr, p: Expr) -> Expr:
    """Outputs of a convolution of n inputs, where the division leaves no rest."""
    return (n + 2 * p - k) / s + 1


def transposed_length(n: Expr, k: Expr, s: Expr, p: Expr) -> Expr:
    """Outputs of the transposed layer for n inputs."""
    return (n - 1) * s + k - 2 * p


def most_copies(k: int, s: int) -> int:
    """Copies of the kernel that meet at the places that get the most."""
    return math.ceil(k / s)


def fewest_copies(k: int, s: int) -> int:
    """The same for the least, away from the ends."""
    return k // s


def winners(p: Expr) -> Expr:
    """Share of the inputs that get a gradient from max-pooling in windows of p that do not overlap."""
    return 1 / p


def derive() -> tuple[Step, ...]:
    return (*_adjoint(), *_gradients(), *_copies(), *_pooling())


def _adjoint() -> tuple[Step, ...]:
    import sympy as sp

    w = sp.symbols("w_0:3", real=True)
    n, k, s, p = sp.symbols("n k s p", integer=True, positive=True)
    layer = sp.ImmutableMatrix(2, 5, lambda i, j: w[j - 2 * i] if 0 <= j - 2 * i < 3 else 0)
    copies = sp.ImmutableMatrix(5, 2, lambda j, i: sum(w[m] for m in range(3) if 2 * i + m == j))
    return (
        defined(
            "two-layers",
            r"y_i = \sum_m w_m x_{s i + m}, \qquad z_j = \sum_{i,\, m:\; s i + m = j} w_m\, y_i",
            Text(
                "the convolution gathers a window for each output; the transposed one lays down a copy of the kernel for each input",
                "卷积为每个输出收集一个窗口；转置卷积为每个输入铺下一份核",
            ),
        ),
        equal(
            "transpose",
            copies,
            sp.Transpose(layer),
            Text(
                "as matrices, one is the transpose of the other: that is all the name says",
                "写成矩阵，一个是另一个的转置：名字的含义仅此而已",
            ),
            bound="n=5, k=3, s=2",
        ),
        popular_error(
            "deconvolution-undoes",
            sp.MatMul(layer, copies),
            sp.eye(2),
            Text(
                "'it undoes the convolution': a transpose is not an inverse; shapes come back, values do not",
                "“它是卷积的逆”：转置不是逆；恢复的是形状，不是数值",
            ),
            bound="n=5, k=3, s=2",
        ),
        equal(
            "length",
            sp.Subs(forward_length(n, k, s, p), n, transposed_length(n, k, s, p)),
            n,
            Text(
                "the transposed layer's output is as long as an input from which the convolution makes $n$",
                "转置卷积的输出长度，正是卷积能从中得到 $n$ 个输出的输入长度",
            ),
        ),
    )


def _gradients() -> tuple[Step, ...]:
    import sympy as sp

    w, x, g = sp.symbols("w_0:2", real=True), sp.symbols("x_0:4", real=True), sp.symbols("g_0:3", real=True)
    z = sp.Symbol("z", positive=True)
    loss = sum(g[i] * sum(w[m] * x[i + m] for m in range(2)) for i in range(3))
    signal = sum(g[i] * z**i for i in range(3))
    kernel = sum(w[m] * z**m for m in range(2))
    return (
        equal(
            "input-gradient",
            sp.Add(*(sp.Derivative(loss, x[j]) * z**j for j in range(4)), evaluate=False),
            sp.Mul(signal, kernel, evaluate=False),
            Text(
                "dL/dx as a polynomial is dL/dy times the kernel: a full convolution, the transposed layer",
                "dL/dx 写成多项式，等于 dL/dy 乘以核：一次完整的卷积，也就是转置卷积",
            ),
            bound="n=4, k=2, s=1",
        ),
        equal(
            "weight-gradient",
            sp.Derivative(loss, w[1]),
            sum(g[i] * x[i + 1] for i in range(3)),
            Text(
                "dL/dw correlates the input with dL/dy, which plays the kernel",
                "dL/dw 是输入与 dL/dy 的互相关，由 dL/dy 充当核",
            ),
            bound="n=4, k=2, s=1",
        ),
        popular_error(
            "backward-correlates-again",
            sp.Add(*(sp.Derivative(loss, x[j]) * z**j for j in range(4)), evaluate=False),
            sp.Mul(signal, sum(w[1 - m] * z**m for m in range(2)), evaluate=False),
            Text(
                "'the backward pass slides the same kernel over the gradient': a sliding kernel is a correlation, and the kernel of that "
                "one would have to be flipped",
                "“反向就是用同一个核在梯度上滑动”：滑动是互相关，核须先翻转",
            ),
            bound="n=4, k=2, s=1",
        ),
    )


def _copies() -> tuple[Step, ...]:
    import sympy as sp

    z = sp.Symbol("z", positive=True)
    inputs = sum(z ** (2 * i) for i in range(4))
    three, four = sum(z**m for m in range(3)), sum(z**m for m in range(4))
    return (
        equal(
            "checkerboard",
            sp.Mul(inputs, three, evaluate=False),
            1 + z + 2 * z**2 + z**3 + 2 * z**4 + z**5 + 2 * z**6 + z**7 + z**8,
            Text(
                "how many copies meet at each place, as coefficients: two and one in turn, a checkerboard in the plane",
                "各位置重叠的份数（系数）：二与一交替，在平面上就是棋盘格",
            ),
            bound="k=3, s=2",
        ),
        popular_error(
            "copies-meet-evenly",
            sp.Mul(inputs, three, evaluate=False),
            sp.Mul(sp.Rational(3, 2), inputs, 1 + z, evaluate=False),
            Text(
                "'every output gets its share alike'",
                "“每个输出得到的份数相同”",
            ),
            bound="k=3, s=2",
        ),
        equal(
            "even-when-divisible",
            sp.Mul(inputs, four, evaluate=False),
            sp.Mul(sum(z**i for i in range(8)), 1 + z**2, evaluate=False),
            Text(
                "if the stride divides the kernel, the copies fit together without a pattern but for the ends",
                "步幅整除核宽时，各份拼合均匀，只有两端例外",
            ),
            bound="k=4, s=2",
        ),
    )


def _pooling() -> tuple[Step, ...]:
    import sympy as sp

    t, h = sp.symbols("t h", positive=True)
    a, b, c = sp.symbols("a b c", real=True)
    p, q = sp.symbols("p q", integer=True, positive=True)

    def maximum(one: Expr, two: Expr) -> Expr:
        return sp.Max(one, two, evaluate=False)

    return (
        equal(
            "winner-takes-all",
            maximum(a + t + h, a) - maximum(a + t, a),
            h,
            Text(
                "an input that leads its window by $t$ moves the maximum one to one",
                "在窗口里领先 $t$ 的输入，每增加多少，最大值就增加多少",
            ),
            bound="p=2",
        ),
        equal(
            "loser-gets-nothing",
            maximum(a + t + h, a + h) - maximum(a + t + h, a),
            sp.Integer(0),
            Text(
                "one that stays behind does not move it at all: its gradient is 0",
                "落后的输入怎么动都不影响最大值：梯度为 0",
            ),
            bound="p=2",
        ),
        popular_error(
            "window-shares-the-gradient",
            maximum(a + t + h, a) - maximum(a + t, a),
            h / 2,
            Text(
                "'every unit of the window gets its share': that is average pooling",
                "“窗口里每个单元分到一份”：那是平均池化",
            ),
            bound="p=2",
        ),
        equal(
            "shared-by-the-mean",
            sp.Derivative((a + b + c) / 3, b),
            sp.Rational(1, 3),
            Text("average pooling shares it equally", "平均池化则均分"),
            bound="p=3",
        ),
        equal(
            "one-in-p",
            sp.Mul(q, sp.Pow(p * q, -1, evaluate=False), evaluate=False),
            winners(p),
            Text(
                "$q$ windows of $p$ that do not overlap have $q$ winners among $p q$ inputs",
                "$q$ 个不重叠的宽 $p$ 窗口，$p q$ 个输入中有 $q$ 个胜出者",
            ),
        ),
    )


def padding_of(p: Params) -> int:
    """As asked, but never so much that outputs at the ends would see padding alone."""
    return min(int(p.padding), (int(p.k) - 1) // 2)


def predict(p: Params) -> Results:
    n, k, s, pad = int(p.n), int(p.k), int(p.stride), padding_of(p)
    length = transposed_length(n, k, s, pad)
    return {
        "output_length": length,
        "forward_length": forward_length(length, k, s, pad),
        "most_copies": most_copies(k, s),
        "fewest_copies": fewest_copies(k, s),
        "uneven": k % s != 0,
        "winners_share": winners(int(p.pool)),
        "mean_share": 1 / int(p.pool),
    }


def matrix_of(layer: object, length: int) -> Floats:
    """The layer's matrix, (outputs, inputs), an impulse at a time."""
    response: Floats = layer(np.eye(length)[:, None])[:, 0].T  # type: ignore[operator]
    return response


def with_gaps(y: Floats, s: int) -> Floats:
    """``s`` - 1 zeros between neighbours on the last axis."""
    wide = np.zeros((*y.shape[:-1], (y.shape[-1] - 1) * s + 1))
    wide[..., ::s] = y
    return wide


def copies_in_the_middle(k: int, s: int) -> Floats:
    """How many copies of a kernel of ones meet at each of the places that no end is near to."""
    inputs = 2 * k + 2
    counts = transposed_correlate(np.ones((1, 1, inputs)), np.ones((1, 1, k)), stride=s)[0, 0]
    return counts[k * s : -k * s]


def draw_kernel(k: int, rng: np.random.Generator) -> Floats:
    """Taps (1, 1, k) that rise from above 1.5 to below 2.5: no two alike, and no sum of their squares near 1."""
    kernel: Floats = 1.5 + (np.arange(k) + rng.uniform(0, 0.5, k)) / k
    return kernel[None, None]


def back_and_forth(layer: Floats, transposed: Floats) -> Floats:
    """The convolution's matrix after the transposed layer's: the identity, if one undid the other."""
    return layer @ transposed


def measure(p: Params, rng: np.random.Generator) -> Results:
    n, k, s, pad, pool = int(p.n), int(p.k), int(p.stride), padding_of(p), int(p.pool)
    kernel = draw_kernel(k, rng)
    y = rng.standard_normal((1, 1, n))
    z = transposed_correlate(y, kernel, stride=s, padding=pad)
    length = z.shape[-1]
    x = rng.standard_normal((1, 1, length))
    forward = correlate(x, kernel, stride=s, padding=pad)

    layer = matrix_of(lambda at: correlate(at, kernel, stride=s, padding=pad), length)
    transposed = matrix_of(lambda at: transposed_correlate(at, kernel, stride=s, padding=pad), n)
    gradient = correlate_backward(x, kernel, y, stride=s, padding=pad)
    # dL/dx from its definition, with L = <y, layer(x)>
    nudged = x + STEP * np.eye(length)[:, None]
    slopes = ((correlate(nudged, kernel, stride=s, padding=pad) - forward) * y).sum(axis=(1, 2)) / STEP
    # dL/dy, spread out again by the stride, plays the kernel
    as_kernel = correlate(np.pad(x, ((0, 0), (0, 0), (pad, pad))), y, dilation=s)
    # a full convolution: zeros between the entries of dL/dy, then the kernel turned round
    full = convolve(with_gaps(y, s), kernel, padding=k - 1)[..., pad : pad + length]
    unflipped = matrix_of(
        lambda at: correlate(with_gaps(at, s), kernel, padding=k - 1)[..., pad : pad + length], n
    )

    signal = rng.standard_normal((1, WINDOWS * pool))
    d_pooled = rng.uniform(1.0, 2.0, (1, WINDOWS))
    pooled = max_pool(signal, (pool,))
    to_winners = max_pool_backward(pooled, d_pooled, (signal.shape[-1],), (pool,))
    to_all = average_pool_backward(d_pooled, (signal.shape[-1],), (pool,))
    moved = signal + STEP * to_winners
    middle = copies_in_the_middle(k, s)
    return {
        "output_length": length,
        "forward_length": forward.shape[-1],
        "adjoint_gap": float(abs((forward * y).sum() - (x * z).sum())),
        "matrix_gap": float(np.abs(layer.T - transposed).max()),
        "round_trip_gap": float(np.abs(back_and_forth(layer, transposed) - np.eye(n)).max()),
        "input_gradient_gap": float(np.abs(gradient.x - z).max()),
        "slope_gap": float(np.abs(slopes - gradient.x[0, 0]).max()),
        "weight_gradient_gap": float(np.abs(gradient.weight - as_kernel).max()),
        "full_convolution_gap": float(np.abs(full - z).max()),
        "unflipped_gap": float(np.abs(unflipped - transposed).max()),
        "most_copies": float(middle.max()),
        "fewest_copies": float(middle.min()),
        "uneven": bool(middle.max() != middle.min()),
        "copies": middle[: 4 * s],
        "winners_share": float((to_winners != 0).mean()),
        "mean_share": float((to_all / np.repeat(d_pooled, pool, axis=-1)).mean()),
        "passed_on_gap": float(abs(to_winners.sum() - d_pooled.sum()) + abs(to_all.sum() - d_pooled.sum())),
        "pool_slope_gap": float(np.abs((max_pool(moved, (pool,)).y - pooled.y) / STEP - d_pooled).max()),
        "mean_slope_gap": float(
            np.abs(
                (average_pool(moved, (pool,)) - average_pool(signal, (pool,))) / STEP - d_pooled / pool
            ).max()
        ),
        "signal": signal[0, : 3 * pool],
        "to_winners": to_winners[0, : 3 * pool],
        "to_all": to_all[0, : 3 * pool],
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("exact count", "精确计数")
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    broken = Text(
        "not an identity: the taps keep the matrices apart",
        "并非恒等：两个矩阵之差由核的取值决定，远超舍入误差",
    )
    # sums of at most n k products of normal numbers
    slack = 64 * ROUNDING * int(p.n) * int(p.k)
    counts = {
        "output_length": Text("outputs of the transposed layer", "转置卷积的输出长度"),
        "forward_length": Text("outputs of the convolution of those", "再做卷积得到的长度"),
        "most_copies": Text("most copies that meet", "重叠份数的最大值"),
        "fewest_copies": Text("fewest copies that meet", "重叠份数的最小值"),
        "winners_share": Text("inputs that get a gradient from max-pooling", "最大池化中得到梯度的输入占比"),
    }
    gaps = {
        "adjoint_gap": Text("⟨Ax, y⟩ against ⟨x, Aᵀy⟩", "⟨Ax, y⟩ 与 ⟨x, Aᵀy⟩ 之差"),
        "matrix_gap": Text(
            "matrix of the transposed layer, and the transpose", "转置卷积的矩阵与矩阵的转置之差"
        ),
        "input_gradient_gap": Text(
            "dL/dx against the transposed layer of dL/dy", "dL/dx 与对 dL/dy 做转置卷积之差"
        ),
        "weight_gradient_gap": Text(
            "dL/dw against x correlated with dL/dy", "dL/dw 与 x、dL/dy 的互相关之差"
        ),
        "full_convolution_gap": Text(
            "transposed layer against zeros in between and a full convolution",
            "转置卷积与“补零再做完整卷积”之差",
        ),
        "passed_on_gap": Text("gradient that pooling loses", "池化反向时丢失的梯度"),
    }
    slopes = {
        "slope_gap": Text("dL/dx against finite differences", "dL/dx 与差分之差"),
        "pool_slope_gap": Text(
            "gradient of max-pooling against finite differences", "最大池化的梯度与差分之差"
        ),
        "mean_slope_gap": Text(
            "gradient of average pooling against finite differences", "平均池化的梯度与差分之差"
        ),
    }
    checks = [
        *(
            Check(key.replace("_", "-"), claim, predicted[key], results[key], 0.0, counted)
            for key, claim in counts.items()
        ),
        *(
            Check(
                f"{key.removesuffix('_gap').replace('_', '-')}-measured",
                claim,
                0.0,
                results[key],
                slack,
                exact,
            )
            for key, claim in gaps.items()
        ),
        *(
            Check(
                key.removesuffix("_gap").replace("_", "-"),
                claim,
                0.0,
                results[key],
                slack / STEP,
                Text("rounding over the step of the difference", "舍入误差除以差分步长"),
            )
            for key, claim in slopes.items()
        ),
        Check(
            "mean-share",
            Text("share of each input under average pooling", "平均池化中每个输入分到的份额"),
            predicted["mean_share"],
            results["mean_share"],
            8 * ROUNDING,
            exact,
        ),
        Check(
            "deconvolution",
            Text(
                "convolution after the transposed layer, against nothing done",
                "先转置卷积再卷积，与原信号之差",
            ),
            0.0,
            results["round_trip_gap"],
            APART,
            broken,
            "!=",
        ),
    ]
    if int(p.k) > 1:
        checks.append(
            Check(
                "unflipped",
                Text("the transposed layer with the kernel not turned round", "不翻转核时与转置卷积之差"),
                0.0,
                results["unflipped_gap"],
                APART,
                broken,
                "!=",
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    copies = results["copies"]
    shown = np.arange(len(results["signal"]))
    return (
        Bars(
            Text("Copies of the kernel that meet at each place", "各位置重叠的核的份数"),
            Text(
                "level if the stride divides the kernel width; else a pattern with the period of the stride",
                "步幅整除核宽时齐平；否则出现以步幅为周期的花纹",
            ),
            Axis(Text("copies", "份数"), low=0.0),
            tuple(Bar(Text(f"place {i}", f"位置 {i}"), float(count)) for i, count in enumerate(copies)),
        ),
        Plot(
            Text("What pooling sends back", "池化传回什么"),
            Text(
                "the maximum gives all of a window's gradient to one input, the mean the same part to each",
                "取最大把窗口的梯度全给一个输入，取平均则各得一份",
            ),
            Axis(Text("input", "输入")),
            Axis(Text("gradient", "梯度"), low=0.0),
            (
                Line(Text("maximum", "最大"), shown.astype(float), results["to_winners"], "measured"),
                Line(Text("mean", "平均"), shown.astype(float), results["to_all"], "other"),
                *(
                    Rule(Text("window", "窗口"), at - 0.5, "x", "context")
                    for at in range(int(p.pool), len(shown), int(p.pool))
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D59",
    name="transposed-convolution",
    title=Text("The convolution read backwards", "反过来读的卷积"),
    shows=Text(
        "the gradient of a convolution with respect to its input is a transposed convolution, which is its adjoint and not its inverse; "
        "where the stride does not divide the kernel width its copies meet unevenly; max-pooling sends the gradient to the winner",
        "卷积对输入的梯度是转置卷积，它是伴随而不是逆；步幅不整除核宽时，各份核的重叠不均匀；最大池化把梯度全给胜出者",
    ),
    kills=Text(
        "deconvolution undoes a convolution; the backward pass correlates with the same kernel; pooling shares its gradient",
        "反卷积是卷积的逆；反向传播用同一个核再滑一遍；池化把梯度均分",
    ),
    parameters=(
        Parameter(
            "n", "n", Text("inputs of the transposed layer", "转置卷积的输入长度"), 8, 2, 32, 1.0, "int"
        ),
        Parameter("k", "k", Text("kernel width", "核宽"), 3, 1, 7, 1.0, "int"),
        Parameter("stride", "s", Text("stride", "步幅"), 2, 1, 4, 1.0, "int"),
        Parameter(
            "padding",
            "p",
            Text("padding, at most half of the kernel", "填充，至多为核宽的一半"),
            0,
            0,
            3,
            1.0,
            "int",
        ),
        Parameter("pool", "q", Text("window of the pooling", "池化窗口"), 2, 2, 4, 1.0, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "output_length",
        Text("outputs of the transposed layer", "转置卷积的输出长度"),
        Text("", ""),
        1.0,
        140.0,
    ),
)
