"""D10: a widely copied recurrent classifier reads out the old state.

The cell of an early PyTorch tutorial on classifying names, copied into many repositories: ``combined = cat(x, h)``,
``hidden = tanh(i2h(combined))``, ``logits = i2o(combined)``. The model meant is Elman 1990: logits from the new state.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Role
from engine.nn.recurrent import TINY
from engine.nn.simple_rnn import ReadOut, SimpleRNNWeights, simple_rnn, simple_rnn_backward
from engine.proof.step import Expr, Step, defined, equal, let, popular_error, unequal
from engine.text import Text, same

CLASSES = 3
ROUNDING = float(np.finfo(float).eps)
READ_OUTS: tuple[ReadOut, ReadOut] = ("combined", "state")


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def copied_logit(x: Expr, h_before: Expr, a_x: Expr, a_h: Expr, c: Expr) -> Expr:
    """What the copied cell reads out: an affine map of what enters the step."""
    return a_x * x + a_h * h_before + c


def updates_read(steps: Expr, lag: Expr) -> Expr:
    """State updates that reach the last logits, when the read-out comes ``lag`` updates late."""
    return steps - lag


def derive() -> tuple[Step, ...]:
    return (*_one_step(), *_several_steps())


def _one_step() -> tuple[Step, ...]:
    import sympy as sp

    x, h, w, u, b, a_x, a_h, v, c = sp.symbols("x h' w u b a_x a_h v c", real=True)
    D, H, C = sp.symbols("D H C", integer=True, positive=True)
    A_x, A_h = sp.MatrixSymbol("A_x", C, D), sp.MatrixSymbol("A_h", C, H)
    x_1, x_2 = sp.MatrixSymbol("x_1", D, 1), sp.MatrixSymbol("x_2", D, 1)
    old, bias = sp.MatrixSymbol("h'", H, 1), sp.MatrixSymbol("c", C, 1)
    zero = sp.ZeroMatrix(D, 1)
    first, second = sp.symbols("x_1 x_2", real=True)
    a_1, a_2 = sp.symbols("a_1 a_2", real=True)
    xor = {(i, j): a_1 * i + a_2 * j + c for i in (0, 1) for j in (0, 1)}
    new = sp.tanh(w * h + u * x + b)
    copied = copied_logit(x, h, a_x, a_h, c)

    def logits(value: Expr) -> Expr:
        return copied_logit(value, old, A_x, A_h, bias)

    return (
        defined(
            "copied-cell",
            r"h_t = \tanh(w h_{t-1} + u x_t + b), \qquad \text{logits}_t = a_x x_t + a_h h_{t-1} + c",
            Text(
                "the copied cell: the read-out takes what enters the step, so the old state $h_{t-1}$; "
                "a prime marks it below",
                "被广泛照抄的单元：输出层接的是进入这一步的量，也就是旧状态 $h_{t-1}$；下面用撇号表示",
            ),
        ),
        popular_error(
            "reads-the-new-state",
            copied,
            v * new + c,
            Text(
                "'the tutorial's RNN reads out $h_t$': no choice of $v$ makes it so",
                "“教程里的 RNN 输出的是 $h_t$”：无论 $v$ 取什么都不是",
            ),
        ),
        equal(
            "affine-in-the-input",
            logits(x_1 + x_2) + logits(zero),
            logits(x_1) + logits(x_2),
            Text(
                "its logits are affine in the input, at any width: with one step it is a linear classifier",
                "任何宽度下 logits 对输入都是仿射的：只有一步时，它就是线性分类器",
            ),
        ),
        equal(
            "no-xor",
            sp.UnevaluatedExpr(xor[0, 1]) + sp.UnevaluatedExpr(xor[1, 0]),
            sp.UnevaluatedExpr(xor[0, 0]) + sp.UnevaluatedExpr(xor[1, 1]),
            Text(
                "so it cannot tell $01$ and $10$ from $00$ and $11$, which a hidden layer is there for",
                "所以它分不开 $01$、$10$ 与 $00$、$11$，而隐藏层正是为此而设",
            ),
        ),
        popular_error(
            "elman-is-affine-too",
            v * sp.tanh(first + second) + v * sp.tanh(0),
            v * sp.tanh(first) + v * sp.tanh(second),
            Text(
                "the textbook read-out of the new state is not affine",
                "教科书的输出取新状态，不是仿射的",
            ),
        ),
        equal(
            "no-gradient",
            sp.Derivative(copied, w),
            sp.Integer(0),
            Text(
                "at one step no recurrent weight is in the logits: its gradient is not small, it is absent (PyTorch "
                "leaves None)",
                "只有一步时 logits 里根本没有循环权重：梯度不是很小，而是不存在（PyTorch 中为 None）",
            ),
        ),
        equal(
            "elman-gradient",
            sp.Derivative(v * new + c, w),
            v * (1 - new**2) * h,
            Text(
                "read out of the new state, the same weight gets a gradient at once",
                "从新状态输出，同一个权重立刻就有梯度",
            ),
        ),
        unequal(
            "elman-gradient-is-there",
            v * (1 - new**2) * h,
            sp.Integer(0),
            Text(
                "and it is not zero, unless the state before was",
                "而且不为零，除非之前的状态为零",
            ),
        ),
    )


def _several_steps() -> tuple[Step, ...]:
    import sympy as sp

    x_1, x_2, h_0, u, b, a_x, a_h, c = sp.symbols("x_1 x_2 h_0 u b a_x a_h c", real=True)
    w_1, w_2, h_1, h_2, y = sp.symbols("w_1 w_2 h_1 h_2 y_2", real=True)
    T = sp.Symbol("T", integer=True, positive=True)
    states = (
        (y, copied_logit(x_2, h_1, a_x, a_h, c)),
        (h_2, sp.tanh(w_2 * h_1 + u * x_2 + b)),
        (h_1, sp.tanh(w_1 * h_0 + u * x_1 + b)),
    )
    return (
        *(
            let(
                f"two-steps-{index + 1}",
                *states[index],
                Text(
                    "two steps; the shared weight is written once for each, to follow it",
                    "两步；共享的权重每步各写一个，以便跟踪",
                ),
            )
            for index in range(3)
        ),
        equal(
            "first-update-counts",
            sp.Derivative(y, w_1),
            a_h * (1 - h_1**2) * h_0,
            Text("the first update reaches the second logits", "第一次更新到达第二步的 logits"),
            bound="T=2",
            using=states,
        ),
        equal(
            "last-update-is-thrown-away",
            sp.Derivative(y, w_2),
            sp.Integer(0),
            Text(
                "the last one never does: $h_T$ is computed and thrown away",
                "最后一次更新永远到不了：$h_T$ 算出来就被丢弃",
            ),
            bound="T=2",
            using=states,
        ),
        equal(
            "updates-read",
            sp.Sum(1, (sp.Symbol("s", integer=True), 1, T - 1)),
            updates_read(T, 1),
            Text(
                "updates before the last step: what the last logits know of the recurrence",
                "最后一步之前的更新次数：末步 logits 对循环的全部了解",
            ),
        ),
    )


def predict(p: Params) -> Results:
    return {"updates_read": updates_read(p.steps, 1 if p.read_out == "combined" else 0)}


def draw_weights(p: Params, rng: np.random.Generator, read_out: ReadOut) -> SimpleRNNWeights:
    """As ``torch.nn.Linear`` draws them: uniform below 1/√fan_in, biases too."""
    entering = p.inputs + p.hidden
    read = entering if read_out == "combined" else p.hidden

    def uniform(fan_in: int, *shape: int) -> Array:
        return rng.uniform(-1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in), shape)

    return SimpleRNNWeights(
        uniform(entering, p.hidden, entering),
        uniform(entering, p.hidden),
        uniform(read, CLASSES, read),
        uniform(read, CLASSES),
    )


def update_effects(x: Array, h_0: Array, weights: SimpleRNNWeights, read_out: ReadOut) -> Array:
    """How the logits of every step move as i2h grows by a factor at one step alone: (step of the logits, step of the update, C)."""
    steps = len(x)
    grown = SimpleRNNWeights(
        weights.i2h * (1 + 1j * TINY), weights.i2h_bias + 0j, weights.i2o + 0j, weights.i2o_bias + 0j
    )
    effects = np.zeros((steps, steps, CLASSES))
    for s in range(steps):
        before = simple_rnn(x[:s], h_0, weights, read_out).hidden[-1] if s else h_0
        moved = simple_rnn(x[s : s + 1], before + 0j, grown, read_out)
        effects[s, s] = moved.logits[0].imag / TINY
        if s + 1 < steps:
            rest = simple_rnn(x[s + 1 :] + 0j, moved.hidden[-1], weights, read_out)
            effects[s + 1 :, s] = rest.logits.imag / TINY
    return effects


def bend(x: Array, h_0: Array, weights: SimpleRNNWeights, read_out: ReadOut) -> float:
    """|f(x_1 + x_2) + f(0) - f(x_1) - f(x_2)| of the first step's logits, x_1 and x_2 being halves of ``x``."""
    x_1, x_2 = x
    inputs = np.stack([x_1 + x_2, np.zeros_like(x_1), x_1, x_2])
    states = np.broadcast_to(h_0, (4, h_0.shape[-1]))
    f = simple_rnn(inputs[None], states, weights, read_out).logits[0]
    return float(np.abs(f[0] + f[1] - f[2] - f[3]).max())


def measure(p: Params, rng: np.random.Generator) -> Results:
    x, h_0 = rng.standard_normal((p.steps, p.inputs)), np.tanh(rng.standard_normal(p.hidden))
    pair = rng.standard_normal((2, p.inputs))
    d_logits = rng.standard_normal((p.steps, CLASSES))
    results: Results = {}
    for read_out in READ_OUTS:
        weights = draw_weights(p, rng, read_out)
        effects = update_effects(x, h_0, weights, read_out)
        trace = simple_rnn(x, h_0, weights, read_out)
        gradient = simple_rnn_backward(trace, weights, d_logits, read_out)
        sizes = np.linalg.norm(effects, axis=-1)
        results |= {
            f"{read_out}_effects": sizes,
            f"{read_out}_updates_read": int(np.count_nonzero(sizes[-1])),
            f"{read_out}_own_update": sizes.diagonal().copy(),
            f"{read_out}_bend": bend(pair, h_0, weights, read_out),
            f"{read_out}_forward": float((effects.sum(axis=1) * d_logits).sum()),
            f"{read_out}_backward": float((gradient.i2h * weights.i2h).sum()),
            f"{read_out}_gradient": float(np.linalg.norm(gradient.i2h)),
        }
    return results | {"updates_read": results[f"{p.read_out}_updates_read"]}


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    terms = p.steps * (p.inputs + p.hidden) * CLASSES
    rounding = 64 * terms * ROUNDING
    exact = Text("not in the expression at all: exactly zero", "表达式里根本没有它：恰为零")
    sums = Text("rounding of sums of T·(D+H) terms of order one", "T·(D+H) 个量级为 1 的项求和的舍入误差")
    generic = Text(
        "zero only for weights or states of measure zero: far above rounding",
        "只有零测度的权重或状态才为零：远大于舍入误差",
    )
    checks = [
        Check(
            "updates-that-reach-the-last-logits",
            Text("state updates that move the last logits", "能改变末步 logits 的状态更新次数"),
            predicted=predicted["updates_read"],
            measured=results["updates_read"],
            tolerance=0.0,
            law=Text("whole numbers, counted", "整数，逐个计数"),
        ),
        Check(
            "copied-cell-ignores-its-own-update",
            Text(
                "in the copied cell no step's update moves that step's logits (largest effect)",
                "在照抄的单元里，任何一步的更新都不影响该步的 logits（最大影响）",
            ),
            predicted=0.0,
            measured=float(results["combined_own_update"].max()),
            tolerance=0.0,
            law=exact,
        ),
        Check(
            "elman-uses-its-own-update",
            Text(
                "in the textbook's every step's update does (smallest effect)",
                "在教科书的模型里，每一步的更新都影响（最小影响）",
            ),
            predicted=0.0,
            measured=float(results["state_own_update"].min()),
            tolerance=1e-12,
            law=generic,
            relation="!=",
            false_alarm=1e-9,
        ),
        Check(
            "copied-cell-is-affine",
            Text("the copied cell's logits do not bend with the input", "照抄单元的 logits 对输入没有弯曲"),
            predicted=0.0,
            measured=results["combined_bend"],
            tolerance=rounding,
            law=sums,
        ),
        Check(
            "elman-bends",
            Text("the textbook's do", "教科书模型的有弯曲"),
            predicted=0.0,
            measured=results["state_bend"],
            tolerance=1e-12,
            law=generic,
            relation="!=",
            false_alarm=1e-9,
        ),
        *(
            Check(
                f"backward-pass-{read_out}",
                Text(
                    "the backward pass finds what moving the weights finds",
                    "反向传播的结果等于直接改动权重的结果",
                ),
                predicted=results[f"{read_out}_forward"],
                measured=results[f"{read_out}_backward"],
                tolerance=rounding,
                law=sums,
            )
            for read_out in READ_OUTS
        ),
    ]
    if p.steps == 1:
        checks.append(
            Check(
                "no-gradient-at-one-step",
                Text(
                    "at one step the copied cell's recurrent weights get no gradient (its norm)",
                    "只有一步时，照抄单元的循环权重没有梯度（其范数）",
                ),
                predicted=0.0,
                measured=results["combined_gradient"],
                tolerance=0.0,
                law=exact,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    top = max(float(results["combined_effects"].max()), float(results["state_effects"].max()))

    def paths(read_out: ReadOut, title: Text, see: Text) -> HeatMap:
        return HeatMap(
            title,
            see,
            results[f"{read_out}_effects"],
            tuple(same(f"logits {t + 1}") for t in range(p.steps)),
            tuple(same(f"h {t + 1}") for t in range(p.steps)),
            low=0.0,
            high=top,
        )

    cells: tuple[tuple[ReadOut, Text, Role], ...] = (
        ("combined", Text("copied", "照抄"), "popular"),
        ("state", Text("textbook", "教科书"), "measured"),
    )
    bars = tuple(
        Bar(
            Text(f"{name.en}, update {t + 1}", f"{name.zh}，第 {t + 1} 次更新"),
            float(results[f"{read_out}_effects"][-1, t]),
            role,
        )
        for read_out, name, role in cells
        for t in range(p.steps)
    )
    return (
        Bars(
            Text("What moves the last logits", "什么能改变末步 logits"),
            Text(
                "in the copied cell the last update has no bar: nothing reads the state it makes",
                "照抄单元的最后一次更新没有条形：没有任何东西读取它产生的状态",
            ),
            Axis(Text("effect of the update's weights", "该次更新的权重的影响"), low=0.0),
            bars,
        ),
        paths(
            "combined",
            Text("Copied cell: updates that reach the logits", "照抄的单元：哪些更新到达 logits"),
            Text(
                "the diagonal is empty: no step's logits see that step's state",
                "对角线为空：每一步的 logits 都看不到当步的状态",
            ),
        ),
        paths(
            "state",
            Text("Textbook cell: updates that reach the logits", "教科书单元：哪些更新到达 logits"),
            Text(
                "the diagonal is filled, and mostly the strongest: a step's own state moves its logits first",
                "对角线非空，且通常最强：logits 首先受当步状态影响",
            ),
        ),
    )


DEMO = Demonstration(
    id="D10",
    name="simple-rnn-audit",
    title=Text("A copied SimpleRNN, audited", "审查一个被广泛照抄的 SimpleRNN"),
    shows=Text(
        r"a widely copied cell takes its logits from $[x_t, h_{t-1}]$: they are affine in the input, the last state is "
        "never read, and at $T = 1$ the recurrent weights get no gradient at all",
        r"被广泛照抄的单元从 $[x_t, h_{t-1}]$ 取 logits：它对输入是仿射的，最后的状态从不被读取，$T = 1$ 时循环权重完全没有梯度",
    ),
    kills=Text("“the tutorial's RNN reads out the new state”", "“教程里的 RNN 输出的是新状态”"),
    parameters=(
        Parameter("inputs", "D", Text("input width", "输入宽度"), 4, 1, 8, 1.0, "int"),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 6, 1, 16, 1.0, "int"),
        Parameter("steps", "T", Text("steps", "步数"), 3, 1, 5, 1.0, "int"),
        Parameter(
            "read_out",
            r"\text{read-out}",
            Text("where the logits come from", "logits 从哪里来"),
            "combined",
            kind="choice",
            choices=(
                Choice("combined", Text("input and old state (copied)", "输入与旧状态（照抄版）")),
                Choice("state", Text("new state (textbook)", "新状态（教科书）")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "updates_read",
        Text("state updates that reach the last logits", "能到达末步 logits 的状态更新次数"),
        Text("updates", "次"),
        0.0,
        5.0,
    ),
)
