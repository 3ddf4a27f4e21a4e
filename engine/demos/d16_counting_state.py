"""D16: counting: a cell that grows without bound, a state that cannot, and what finite precision leaves of each.

Weiss, Goldberg and Yahav 2018 (LSTMs count, GRUs and plain RNNs of finite precision do not).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.gru import GRUWeights, gru_gated_by_input
from engine.nn.lstm import LSTMWeights, lstm_gated_by_input
from engine.nn.sigmoid import logit
from engine.proof.step import Expr, Step, cited, equal, let, ordered, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def exact_count(steps: Expr, written: Expr) -> Expr:
    """The cell after so many equal symbols, gates at 1."""
    return steps * written


def leaky_count(lost_power: Expr, lost: Expr, written: Expr) -> Expr:
    """The same with a forget gate f below 1: ``lost`` is 1 - f, ``lost_power`` 1 - f^t."""
    return written * lost_power / lost


def bounded_count(kept_power: Expr, candidate: Expr) -> Expr:
    """A GRU's state after t equal symbols from zero; ``kept_power`` is (1 - z)^t."""
    return candidate * (1 - kept_power)


def then_back(state: Expr, lost_power: Expr, limit: Expr) -> Expr:
    """A state that then decays towards ``-limit`` by the factor 1 - ``lost_power``."""
    return state - lost_power * (state + limit)


def derive() -> tuple[Step, ...]:
    return (*_cell(), *_state(), *_evidence())


def _cell() -> tuple[Step, ...]:
    import sympy as sp

    a = sp.Symbol("a", real=True)
    w = sp.Symbol("w", positive=True)
    t, T, n, m = sp.symbols("t T n m", integer=True, positive=True)
    u = sp.Symbol("u", positive=True)
    f = sp.Symbol("f", positive=True)
    gate = 1 / (1 + u)
    power = gate**t
    return (
        equal(
            "counts",
            sp.Sum(sp.tanh(a), (t, 1, T)),
            exact_count(T, sp.tanh(a)),
            Text(
                r"an LSTM's cell with $f = i = 1$ adds $w = \tanh(a)$ for each symbol: it counts, without bound",
                r"$f = i = 1$ 时，LSTM 的细胞每读一个符号就加 $w = \tanh(a)$：它在计数，而且没有上界",
            ),
        ),
        equal(
            "counts-back",
            sp.Sum(w, (t, 1, n)) - sp.Sum(w, (t, 1, m)),
            w * (n - m),
            Text(
                "a second symbol that writes $-w$ counts down, so the cell is zero after $a^n b^m$ exactly if $n = m$",
                "另一个符号写入 $-w$，即倒数；读完 $a^n b^m$ 后，细胞为零当且仅当 $n = m$",
            ),
        ),
        ordered(
            "gates-leak",
            1 / (1 + sp.exp(-a)),
            "<",
            sp.Integer(1),
            Text(
                "but no sigmoid reaches 1: only rounding makes $f = 1$, in float64 from a bias of about 37",
                "但 sigmoid 取不到 1：$f = 1$ 只来自舍入，float64 中偏置约 37 以上才如此",
            ),
        ),
        equal(
            "leaky-step",
            f * leaky_count(1 - f**t, 1 - f, w) + w,
            leaky_count(1 - f ** (t + 1), 1 - f, w),
            Text("with $f < 1$ the count is a geometric sum", "$f < 1$ 时计数成为等比数列之和"),
        ),
        ordered(
            "leaky-bound",
            leaky_count(1 - power, 1 - gate, w),
            "<",
            w / (1 - gate),
            Text(
                "which never passes $w / (1 - f)$, here $f = 1 / (1 + u)$: a leaky cell is bounded like any other state",
                "它永远不超过 $w / (1 - f)$（此处 $f = 1 / (1 + u)$）：会漏的细胞和其他状态一样有界",
            ),
        ),
    )


def _state() -> tuple[Step, ...]:
    import sympy as sp

    a, c = sp.symbols("a c", real=True)
    below, under = sp.symbols("s r", nonnegative=True)
    h, g = sp.symbols("h n", real=True)
    q, n, u = sp.symbols("q n u", positive=True)
    t, T = sp.symbols("t T", integer=True, positive=True)
    z = 1 / (1 + sp.exp(-a))
    state, candidate = (h, 1 - below), (g, 1 - under)
    return (
        let(
            "state-below-one",
            *state,
            Text("suppose the state is at most 1, $s \\geq 0$", "设状态不超过 1，$s \\geq 0$"),
        ),
        let(
            "candidate-below-one",
            *candidate,
            Text("as the candidate is, $r \\geq 0$", "候选值也不超过 1，$r \\geq 0$"),
        ),
        ordered(
            "gru-bounded",
            (1 - z) * h + z * g,
            "<=",
            sp.Integer(1),
            Text(
                "then so is the next: a GRU's state is an average of the two, whatever its weights; likewise from below",
                "那么下一个状态也不超过 1：无论权重如何，GRU 的状态都是两者的加权平均；下界同理",
            ),
            using=(state, candidate),
        ),
        ordered(
            "rnn-bounded",
            sp.tanh(c) ** 2,
            "<",
            sp.Integer(1),
            Text("a plain RNN's state is bounded by its tanh", "普通 RNN 的状态受 tanh 限制"),
            witness=sp.sech(c) ** 2,
        ),
        equal(
            "gru-step",
            q * bounded_count(q**t, n) + (1 - q) * n,
            bounded_count(q ** (t + 1), n),
            Text(
                "the same symbol $t$ times, $q = 1 - z$ kept at each: the state closes in on the candidate",
                "同一符号读 $t$ 次、每步保留 $q = 1 - z$：状态逐渐逼近候选值",
            ),
        ),
        equal(
            "gru-resolution",
            bounded_count(q ** (t + 1), n) - bounded_count(q**t, n),
            n * (1 - q) * q**t,
            Text(
                "so two counts that follow each other differ by less and less, and soon by less than a float resolves",
                "因此相邻两个计数的差越来越小，很快小于浮点数的分辨率",
            ),
        ),
        equal(
            "gru-step-back",
            q * then_back(h, 1 - q**t, n) - (1 - q) * n,
            then_back(h, 1 - q ** (t + 1), n),
            Text("counting down from $h$ likewise", "从 $h$ 倒数也一样"),
        ),
        popular_error(
            "equal-power",
            bounded_count((1 / (1 + u)) ** T, n),
            exact_count(T, n),
            Text(
                "'GRU and LSTM are equally powerful': with the same candidate one counts and the other saturates (here "
                "$q = 1 / (1 + u)$)",
                "“GRU 与 LSTM 表达能力相同”：候选值相同，一个在计数，另一个饱和了（此处 $q = 1 / (1 + u)$）",
            ),
        ),
    )


def _evidence() -> tuple[Step, ...]:
    return (
        cited(
            "finite-precision",
            r"\text{LSTM} \supsetneq \text{GRU} \quad \text{at finite precision}",
            Text(
                "that counting separates them is the one rigorous result; that an RNN of rational weights and unbounded time "
                "computes everything assumes unbounded precision",
                "计数是区分两者的唯一严格结果；“有理权重、无限时间的 RNN 图灵完备”则假设了无限精度",
            ),
            "Weiss, Goldberg and Yahav 2018; Siegelmann and Sontag 1995",
        ),
        cited(
            "benchmarks",
            r"\text{LSTM} \approx \text{GRU}",
            Text(
                "on benchmarks the order changes with the task: comparable; GRU ahead but for language models; LSTM ahead in "
                "translation",
                "在基准测试上，优劣随任务而变：不相上下；除语言模型外 GRU 略好；机器翻译上 LSTM 略好",
            ),
            "Chung et al. 2014; Jozefowicz et al. 2015; Britz et al. 2017",
        ),
    )


def string_halves(p: Params) -> tuple[int, tuple[int, int, int]]:
    """n, and the m of the three strings a^n b^m that fit into the steps: one b short, right, one over."""
    n = (p.steps - 1) // 2
    return n, (n - 1, n, n + 1)


def predict(p: Params) -> Results:
    written = math.tanh(p.drive)
    n, halves = string_halves(p)
    # 1 - f as float64 has it; from a bias of 37 on it is 0
    f = 1 / (1 + math.exp(-p.bias))
    lost, written_each = 1 - f, f * written
    steps = np.arange(p.steps + 1.0)
    up, down = np.array(float(n)), np.array(halves, dtype=float)
    if lost == 0:
        counts, ends = exact_count(steps, written_each), exact_count(up - down, written_each)
    else:
        shrink = math.log1p(-lost)

        def lost_power(t: Array) -> Array:
            return np.asarray(-np.expm1(t * shrink))

        counts = leaky_count(lost_power(steps), lost, written_each)
        peak = leaky_count(lost_power(up), lost, written_each)
        # counting down is decay towards minus the leaky limit
        ends = then_back(peak, lost_power(down), written_each / lost)
    kept = np.power(1 - p.z, steps)
    return {
        "cell_after": float(counts[-1]),
        "cells": counts,
        "string_cells": ends,
        "states": bounded_count(kept, written),
        "string_states": then_back(bounded_count((1 - p.z) ** n, written), 1 - (1 - p.z) ** down, written),
        "accepted": np.abs(ends) < written / 2,
        "most_counts": most_counts(p.z),
    }


def most_counts(z: float) -> float:
    """No more different states than this follow each other in a GRU of float64 that reads one symbol.

    The rounded step is monotone, so the state climbs. Off its limit by d it is next off by (1 - z) d + 3/2 eps at most;
    from d = 3 eps / z on, each further step that moves at all moves by one float, which is eps / 4 or more where the
    limit is 1/4 or more.
    """
    near = 3 * ROUNDING / z
    closing_in = math.log(near) / math.log1p(-z) if z < 1 else 1.0
    return closing_in + 12 / z + 4


def counting_lstm(p: Params) -> LSTMWeights:
    """One unit over the alphabet (a, b): all gates held open by their bias, a writes and b erases (i, f, g, o)."""
    inputs = np.zeros((4, 2))
    inputs[2] = [p.drive, -p.drive]
    return LSTMWeights(np.zeros((4, 1)), inputs, np.array([p.bias, p.bias, 0.0, p.bias]))


def counting_gru(p: Params) -> GRUWeights:
    """The same for a GRU (r, z, n) whose update gate is held at z."""
    inputs = np.zeros((3, 2))
    inputs[2] = [p.drive, -p.drive]
    # a z of 1 is one that float64 rounds to 1
    return GRUWeights(np.zeros((3, 1)), inputs, np.array([0.0, logit(p.z) if p.z < 1 else 100.0, 0.0]))


def strings(p: Params) -> Array:
    """Four strings one-hot, (T, 4, 2): a^T, and a^n b^m for the three m, filled up with symbols that write nothing."""
    x = np.zeros((p.steps, 4, 2))
    n, halves = string_halves(p)
    x[:, 0, 0] = 1.0
    x[:n, 1:, 0] = 1.0
    for row, m in enumerate(halves, start=1):
        x[n : n + m, row, 1] = 1.0
    return x


def after_last_symbol(states: Array, p: Params) -> Array:
    """The states of the three strings a^n b^m after their last b, (3,)."""
    n, halves = string_halves(p)
    return np.array([states[n + m, row, 0] for row, m in enumerate(halves, start=1)])


def measure(p: Params, rng: np.random.Generator) -> Results:
    x, zero = strings(p), np.zeros((4, 1))
    # neither reads its state but to count, so their gates are formed at once
    lstm = lstm_gated_by_input(x, zero, zero, counting_lstm(p))
    gru = gru_gated_by_input(x, zero, counting_gru(p), update="write")
    ends, states = after_last_symbol(lstm.cell, p), after_last_symbol(gru.hidden, p)
    written = lstm.candidate[0, 0, 0]
    return {
        "cell_after": float(lstm.cell[-1, 0, 0]),
        "cells": lstm.cell[:, 0, 0],
        "states": gru.hidden[:, 0, 0],
        "string_cells": ends,
        "string_states": states,
        "cell_paths": lstm.cell[:, 1:, 0],
        "state_paths": gru.hidden[:, 1:, 0],
        "accepted": np.abs(ends) < written / 2,
        "gru_gap": float(abs(states[2] - states[1])),
        "largest_state": float(np.abs(gru.hidden).max()),
        "largest_hidden": float(np.abs(lstm.hidden).max()),
        "lstm_counts": int(np.unique(lstm.cell[:, 0, 0]).size),
        "gru_counts": int(np.unique(gru.hidden[:, 0, 0]).size),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    # each step rounds a few numbers no larger than the largest cell
    of_cell = 4 * p.steps * ROUNDING * (1 + float(np.abs(results["cells"]).max()))
    of_state = 4 * p.steps * ROUNDING
    steps = Text("rounding of T steps, times the largest state", "T 步的舍入误差，乘以最大的状态")
    inequality = Text("exact inequality", "精确不等式")

    def agrees(name: str, result: str, slack: float, claim: Text) -> Check:
        gap = float(np.abs(results[result] - predicted[result]).max())
        return Check(name, claim, 0.0, gap, slack, steps)

    checks = [
        Check(
            "cell-after",
            Text("the cell after T equal symbols", "读完 T 个相同符号后的细胞"),
            predicted["cell_after"],
            results["cell_after"],
            of_cell,
            steps,
        ),
        agrees(
            "cell-at-every-step",
            "cells",
            of_cell,
            Text("the cell at every step (largest gap)", "每一步的细胞（最大差）"),
        ),
        agrees(
            "cell-after-strings",
            "string_cells",
            of_cell,
            Text("the cell after three strings (largest gap)", "读完三个串后的细胞（最大差）"),
        ),
        agrees(
            "state-at-every-step",
            "states",
            of_state,
            Text("the GRU's state at every step (largest gap)", "每一步的 GRU 状态（最大差）"),
        ),
        agrees(
            "state-after-strings",
            "string_states",
            of_state,
            Text("the GRU's state after three strings (largest gap)", "读完三个串后的 GRU 状态（最大差）"),
        ),
        Check(
            "state-bounded",
            Text("largest GRU state", "GRU 状态的最大绝对值"),
            1.0,
            results["largest_state"],
            None,
            inequality,
            "<=",
        ),
        Check(
            "hidden-bounded",
            Text("largest hidden state of the LSTM", "LSTM 隐藏状态的最大绝对值"),
            1.0,
            results["largest_hidden"],
            None,
            inequality,
            "<=",
        ),
        Check(
            "states-run-out",
            Text("different GRU states over T equal symbols", "读 T 个相同符号时 GRU 的不同状态数"),
            predicted["most_counts"],
            results["gru_counts"],
            None,
            Text(
                "the rounded step is monotone; near its fixed point it moves a float at a time",
                "带舍入的一步是单调的；接近不动点时每步至多移动一个浮点数",
            ),
            "<=",
        ),
    ]
    if p.bias >= SATURATED:
        checks += [
            Check(
                "every-count-its-own-cell",
                Text("different cells over T equal symbols", "读 T 个相同符号时细胞的不同取值数"),
                p.steps + 1,
                results["lstm_counts"],
                0.0,
                Text("a count: no tolerance", "计数：不容许误差"),
            ),
            Check(
                "accepts-equal-counts-alone",
                Text(
                    "strings of three judged rightly: one b short, right, one over",
                    "三个串中判断正确的个数：少一个 b、相等、多一个 b",
                ),
                3,
                int((results["accepted"] == np.array([False, True, False])).sum()),
                0.0,
                Text(
                    "the cell misses a half by far more than rounding", "细胞值与判定界的距离远大于舍入误差"
                ),
            ),
        ]
    return tuple(checks)


SATURATED = 38.0
"""A gate of this bias is 1 in float64."""


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    t = np.arange(p.steps + 1.0)
    saturated = Text(
        "the cell counts on; the GRU's state is at its ceiling after a few steps and tells no more",
        "细胞一直在计数；GRU 的状态几步之后就到顶，再也分不出多少",
    )
    leaky = Text(
        "a gate below one leaks: the cell too has a ceiling, only a higher one",
        "门小于 1 就会漏：细胞同样有上限，只是更高",
    )
    counted = Text(
        "the cell comes back to zero only where the counts agree; the GRU's state comes to the same place however "
        "many were read",
        "只有个数相等时细胞才回到零；GRU 的状态无论读了多少都到同一处",
    )
    drained = Text(
        "what has leaked of the a's is missing at the end: the lower the bias, the further the cell misses zero where "
        "the counts agree",
        "到末尾时 a 的计数已漏掉一部分：偏置越小，个数相等时细胞离零越远",
    )
    positive = t[1:]
    n, _ = string_halves(p)
    # the last few symbols of the three strings, where they part
    end = slice(max(0, 2 * n - 6), min(p.steps, 2 * n + 1) + 1)
    cells, states = results["cell_paths"][end], results["state_paths"][end]
    return (
        Plot(
            Text("State after the same symbol again and again", "反复读入同一符号时的状态"),
            saturated if p.bias >= SATURATED else leaky,
            Axis(Text("symbols read", "已读符号数")),
            Axis(Text("state", "状态"), "log"),
            (
                Line(Text("LSTM cell", "LSTM 细胞"), positive, results["cells"][1:], "measured"),
                Line(Text("LSTM, closed form", "LSTM 闭式"), positive, predicted["cells"][1:], "predicted"),
                Line(Text("GRU state", "GRU 状态"), positive, results["states"][1:], "other"),
                Rule(Text("bound of a GRU", "GRU 的上界"), 1.0, "y", "bound"),
            ),
        ),
        Plot(
            Text("The end of a…ab…b", "a…ab…b 的末尾"),
            counted if p.bias >= SATURATED else drained,
            Axis(Text("symbols read", "已读符号数")),
            Axis(Text("state", "状态")),
            (
                Line(Text("LSTM, counts equal", "LSTM，个数相等"), t[end], cells[:, 1], "measured"),
                Line(Text("LSTM, one b short", "LSTM，少一个 b"), t[end], cells[:, 0], "context"),
                Line(Text("LSTM, one b over", "LSTM，多一个 b"), t[end], cells[:, 2], "other"),
                Points(Text("GRU, one b short", "GRU，少一个 b"), t[end], states[:, 0], "popular"),
                Line(Text("GRU, one b over", "GRU，多一个 b"), t[end], states[:, 2], "popular"),
                Rule(Text("zero", "零"), 0.0, "y", "bound"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D16",
    name="counting-state",
    title=Text("Counting: LSTM cell against GRU state", "计数：LSTM 的细胞与 GRU 的状态"),
    shows=Text(
        "an LSTM's cell can count without bound, as far as its gates round to one; a GRU's state is an average and holds a "
        "few hundred counts at most",
        "LSTM 的细胞可以一直计数，只要门被舍入为 1；GRU 的状态是加权平均，至多分辨几百个计数",
    ),
    kills=Text(
        "GRU and LSTM are equally powerful, and recurrent networks handle any length",
        "GRU 与 LSTM 能力相同，循环网络能处理任意长度",
    ),
    parameters=(
        Parameter("steps", "T", Text("symbols read", "读入的符号数"), 500, 3, 1600, 1.0, "int"),
        Parameter(
            "z",
            "z",
            Text("the GRU's update gate (share written)", "GRU 的更新门（写入的比例）"),
            0.1,
            0.01,
            1.0,
            0.01,
        ),
        Parameter(
            "bias",
            "b",
            Text("bias that holds the LSTM's gates open", "使 LSTM 各门打开的偏置"),
            40.0,
            1.0,
            60.0,
            1.0,
        ),
        Parameter(
            "drive", "a", Text("pre-activation of the candidate", "候选值的预激活"), 5.0, 0.5, 8.0, 0.5
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "cell_after",
        Text("the cell after T equal symbols", "读完 T 个相同符号后的细胞"),
        Text("", ""),
        0.0,
        2000.0,
    ),
)
