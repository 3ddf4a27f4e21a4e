"""D12: the LSTM's equations under the hand, what each gate means, and what happens to weights copied between codes.

Hochreiter and Schmidhuber 1997; Gers, Schmidhuber and Cummins 2000 (forget gate); Greff et al. 2017, section 2.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Rule
from engine.nn.lstm import LSTMTrace, LSTMWeights, lstm_driven, lstm_forward, reorder
from engine.nn.sigmoid import logit, sigmoid
from engine.nn.stacked import parameters, random_layers
from engine.proof.step import Expr, Step, cited, equal, let, ordered, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
REPEATS = 30
"""Equal steps that the one-unit cell is run for."""
STEPS, BATCH = 6, 4
"""Size of the run in which two codes are compared."""
IMAGINARY = 1e-30
"""Size of an imaginary perturbation: its square is lost beside 1, its own digits are not."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def cell_update(f: Expr, c: Expr, i: Expr, g: Expr) -> Expr:
    """c_t from c_{t-1}."""
    return f * c + i * g


def kept_share(f: Expr) -> Expr:
    """dc_t/dc_{t-1}, gates held fixed: the share of the old cell that stays."""
    return f


def written_share(i: Expr) -> Expr:
    """dc_t/dg_t: the share of the candidate that is written."""
    return i


def read_out_slope(o: Expr, squashed: Expr) -> Expr:
    """dh_t/dc_t, with ``squashed`` = tanh(c_t)."""
    return o * (1 - squashed**2)


def repeated(f: Expr, f_power: Expr, c: Expr, written: Expr) -> Expr:
    """The cell after t equal steps from c; ``f_power`` is f^t, ``written`` i g, f other than 1."""
    return f_power * c + written * (1 - f_power) / (1 - f)


def parameter_count(D: Expr, H: Expr, biases: Expr) -> Expr:
    """Four affine maps of state and input, with one or two biases each."""
    return 4 * (H * (H + D) + biases * H)


def derive() -> tuple[Step, ...]:
    return (*_gates(), *_cell(), *_read_out(), *_codes())


def _gates() -> tuple[Step, ...]:
    import sympy as sp

    a = sp.Symbol("a", real=True)
    gate = 1 / (1 + sp.exp(-a))
    state, into = (
        sp.ImmutableMatrix(2, n, sp.symbols(f"{w}_1:{2 * n + 1}")) for w, n in (("u", 2), ("w", 3))
    )
    h, x = (sp.ImmutableMatrix(n, 1, sp.symbols(f"{v}_1:{n + 1}")) for v, n in (("h", 2), ("x", 3)))
    joined = sp.ImmutableMatrix(sp.Matrix(state).row_join(into)), sp.ImmutableMatrix(sp.Matrix(h).col_join(x))
    return (
        equal(
            "concatenation",
            sp.MatMul(*joined, evaluate=False),
            sp.MatAdd(
                sp.MatMul(state, h, evaluate=False), sp.MatMul(into, x, evaluate=False), evaluate=False
            ),
            Text(
                "each gate reads $W [h_{t-1}; x_t] + b$: one matrix on the joined vector, or two matrices, the same map",
                "每个门读取 $W [h_{t-1}; x_t] + b$：拼接后用一个矩阵，或分开用两个矩阵，是同一个映射",
            ),
            bound="H=2, D=3",
        ),
        ordered(
            "gate-above-zero", gate, ">", sp.Integer(0), Text("a gate never shuts wholly", "门不会完全关闭")
        ),
        ordered("gate-below-one", gate, "<", sp.Integer(1), Text("nor opens wholly", "也不会完全打开")),
        ordered(
            "gate-slope",
            sp.Derivative(gate, a),
            "<=",
            sp.Rational(1, 4),
            Text(
                "and lets at most a quarter of a gradient through to its own weights",
                "而且传给自己权重的梯度至多为四分之一",
            ),
            witness=sp.tanh(a / 2) ** 2 / 4,
        ),
    )


def _cell() -> tuple[Step, ...]:
    import sympy as sp

    c_t, c, f, i, g, w = sp.symbols("c_t c f_t i_t g_t w", real=True)
    t = sp.Symbol("t", integer=True, positive=True)
    kept = sp.Symbol("f", positive=True)
    new = (c_t, cell_update(f, c, i, g))
    return (
        let(
            "cell",
            *new,
            Text(
                "the new cell, $c$ the old one; $i_t$ scales the candidate, not the raw input",
                "新的细胞状态，$c$ 为旧状态；$i_t$ 缩放的是候选值，而不是原始输入",
            ),
        ),
        equal(
            "forget-gate-keeps",
            sp.Derivative(c_t, c),
            kept_share(f),
            Text(
                "$f_t$ is the share that is kept: 1 keeps all, 0 erases",
                "$f_t$ 是保留的比例：1 全部保留，0 全部清除",
            ),
            using=(new,),
        ),
        popular_error(
            "forget-gate-forgets",
            cell_update(f, c, 0, g),
            (1 - f) * c,
            Text(
                "'the forget gate says how much is forgotten': the other way round, its name misleads",
                "“遗忘门表示遗忘多少”：方向反了，名字有误导性",
            ),
        ),
        equal(
            "input-gate-writes",
            sp.Derivative(c_t, g),
            written_share(i),
            Text("$i_t$ is the share of the candidate that is written", "$i_t$ 是候选值写入的比例"),
            using=(new,),
        ),
        equal(
            "repeated-step",
            cell_update(kept, repeated(kept, kept**t, c, w), 1, w),
            repeated(kept, kept ** (t + 1), c, w),
            Text(
                "equal steps, $w = i g$ written in each: if the sum holds after $t$ it holds after $t + 1$",
                "各步相同、每步写入 $w = i g$：若 $t$ 步后公式成立，则 $t + 1$ 步后也成立",
            ),
        ),
        equal(
            "no-forget-gate",
            cell_update(1, c + t * w, 1, w),
            c + (t + 1) * w,
            Text(
                "the cell of 1997 has $f = 1$: what is written piles up, $c + t w$, and never leaves",
                "1997 年的细胞相当于 $f = 1$：写入的内容不断累积为 $c + t w$，从不离开",
            ),
        ),
    )


def _read_out() -> tuple[Step, ...]:
    import sympy as sp

    c = sp.Symbol("c", real=True)
    o, b = sp.Symbol("o_t", positive=True), sp.Symbol("b", real=True)
    opened = 1 / (1 + sp.exp(-b))
    hidden = o * sp.tanh(c)
    return (
        equal(
            "read-out-slope",
            sp.Derivative(hidden, c),
            read_out_slope(o, sp.tanh(c)),
            Text(
                "the hidden state shows $o_t$ of the squashed cell",
                "隐藏状态只展示压缩后细胞状态的 $o_t$ 部分",
            ),
        ),
        ordered(
            "read-out-saturates",
            read_out_slope(o, sp.tanh(c)),
            "<",
            4 * o * sp.exp(-2 * c),
            Text(
                "a full cell is read out flat, exponentially so: its own gradient may be intact while that of $h_t$ is gone",
                "细胞值很大时读出已饱和，导数按指数衰减：细胞自身的梯度可以完好，而 $h_t$ 的梯度已消失",
            ),
        ),
        ordered(
            "hidden-below-gate",
            hidden**2,
            "<",
            o**2,
            Text("so $|h_t| < o_t$, however large the cell", "所以无论细胞多大，都有 $|h_t| < o_t$"),
            witness=o**2 * sp.sech(c) ** 2,
        ),
        ordered(
            "hidden-below-one",
            opened,
            "<",
            sp.Integer(1),
            Text("and $o_t < 1$: $h_t$ is bounded, $c_t$ is not", "又因 $o_t < 1$：$h_t$ 有界，$c_t$ 则没有"),
        ),
    )


def _codes() -> tuple[Step, ...]:
    import sympy as sp

    a = {gate: sp.Symbol(f"a_{gate}", real=True) for gate in "ifgo"}
    c = sp.Symbol("c", real=True)
    D, H = sp.symbols("D H", integer=True, positive=True)

    def cell_of(order: str, read_as: str) -> Expr:
        """c_t where blocks stacked as ``order`` are taken for ``read_as``."""
        taken = {gate: a[order[read_as.index(gate)]] for gate in "ifgo"}
        sigma = {gate: 1 / (1 + sp.exp(-value)) for gate, value in taken.items()}
        return cell_update(sigma["f"], c, sigma["i"], sp.tanh(taken["g"]))

    return (
        equal(
            "four-maps",
            sum((H * H + H * D + H for _ in "ifgo"), sp.Integer(0)),
            parameter_count(D, H, 1),
            Text("four affine maps: three gates and the candidate", "四个仿射映射：三个门加候选值"),
        ),
        equal(
            "second-bias",
            parameter_count(D, H, 2),
            parameter_count(D, H, 1) + sp.UnevaluatedExpr(4 * H),
            Text(
                "PyTorch keeps a bias for the input and one for the state: $4H$ more, though only their sum acts",
                "PyTorch 为输入和状态各设一个偏置：多出 $4H$ 个，而起作用的只是两者之和",
            ),
        ),
        popular_error(
            "copied-as-they-are",
            cell_of("ifgo", "ifog"),
            cell_of("ifgo", "ifgo"),
            Text(
                "'weights can be copied from one LSTM to another': blocks stacked i, f, g, o read as i, f, o, g put the "
                "output gate's map in the candidate",
                "“LSTM 之间可以直接复制权重”：按 i, f, g, o 堆叠的权重若按 i, f, o, g 读取，输出门的映射就成了候选值",
            ),
        ),
        cited(
            "peepholes",
            r"a_f = W_f [h_{t-1}; x_t] + p_f \odot c_{t-1} + b_f",
            Text(
                "a variant, absent here and in PyTorch: peepholes let the gates read the cell itself; without them "
                "they see $h_{t-1}$ alone",
                "一种变体（此处与 PyTorch 均不含）：peephole 让门直接读取细胞；没有它，门只看得见 $h_{t-1}$",
            ),
            "Gers and Schmidhuber 2000",
        ),
    )


def predict(p: Params) -> Results:
    cell = cell_update(p.f, p.cell, p.i, p.g)
    t = np.arange(REPEATS + 1.0)
    return {
        "cell_after": cell,
        "hidden_after": p.o * math.tanh(cell),
        "kept": kept_share(p.f),
        "written": written_share(p.i),
        "read_out": read_out_slope(p.o, math.tanh(cell)),
        "cells": repeated(p.f, p.f**t, p.cell, p.i * p.g),
        "parameters": parameter_count(p.inputs, p.hidden, 1),
        "parameters_pytorch": parameter_count(p.inputs, p.hidden, 2),
    }


def set_gates(p: Params, forget: float, steps: int) -> Array:
    """Pre-activations (steps, 1, 4) whose gates are those of the sliders; a forget gate of 1 is one that float64
    rounds to 1."""
    bias = 100.0 if forget == 1 else logit(forget)
    one = np.array([logit(p.i), bias, math.atanh(p.g), logit(p.o)])
    return np.tile(one, (steps, 1, 1))


def run_one(drive: Array, cell: complex, hidden: float = 0.0) -> LSTMTrace:
    """One unit on these pre-activations, without recurrent weights."""
    return lstm_driven(drive, np.full((1, 1), hidden), np.full((1, 1), cell), np.zeros((4, 1)))


def copied_cell(x: Array, h: Array, c: Array, W: Array, b: Array, order: str) -> tuple[Array, Array]:
    """A cell as it is often written by hand: one linear map of [x, h], split into four chunks named by ``order``."""
    chunks = np.split(np.concatenate([x, h], axis=-1) @ W.T + b, 4, axis=-1)
    named = dict(zip(order, chunks, strict=True))
    cell = sigmoid(named["f"]) * c + sigmoid(named["i"]) * np.tanh(named["g"])
    return np.asarray(sigmoid(named["o"]) * np.tanh(cell)), np.asarray(cell)


def copied_states(x: Array, weights: LSTMWeights, order: str) -> Array:
    """Hidden states (T, B, H) of :func:`copied_cell` with these weights, from zero."""
    W = np.concatenate([weights.inputs, weights.recurrent], axis=1)
    h = c = np.zeros((x.shape[1], weights.recurrent.shape[1]))
    states = []
    for x_t in x:
        h, c = copied_cell(x_t, h, c, W, weights.bias.sum(axis=0), order)
        states.append(h)
    return np.stack(states)


def measure(p: Params, rng: np.random.Generator) -> Results:
    drive = set_gates(p, p.f, REPEATS)
    real = run_one(drive, p.cell)
    old = run_one(drive[:1].astype(complex), p.cell + 1j * IMAGINARY)
    nudged = drive[:1].astype(complex)
    nudged[..., 2] += 1j * IMAGINARY
    content = run_one(nudged, p.cell)

    weights = random_layers("lstm", p.inputs, p.hidden, 1, 1, rng)[0][0]
    assert isinstance(weights, LSTMWeights)
    x = rng.standard_normal((STEPS, BATCH, p.inputs))
    zero = np.zeros((BATCH, p.hidden))
    reference = lstm_forward(x, zero, zero, weights)
    carried = LSTMWeights(
        reorder(weights.recurrent, "ifgo", p.order),
        reorder(weights.inputs, "ifgo", p.order),
        reorder(weights.bias, "ifgo", p.order, axis=1),
    )
    naive = np.abs(copied_states(x, weights, p.order) - reference.hidden[1:])
    remapped = np.abs(copied_states(x, carried, p.order) - reference.hidden[1:])
    # the same step from another cell behind the same hidden state
    moved = lstm_forward(x[1:2], reference.hidden[1], reference.cell[1] + 1.0, weights)
    gates = np.stack([reference.input_gate, reference.forget_gate, reference.output_gate])
    one_bias = LSTMWeights(weights.recurrent, weights.inputs, weights.bias.sum(axis=0))
    return {
        "cell_after": float(real.cell[1, 0, 0]),
        "hidden_after": float(real.hidden[1, 0, 0]),
        "kept": float(old.cell[1, 0, 0].imag / IMAGINARY),
        "written": float(content.cell[1, 0, 0].imag / content.candidate[0, 0, 0].imag),
        "read_out": float(content.hidden[1, 0, 0].imag / content.cell[1, 0, 0].imag),
        "cells": real.cell[:, 0, 0],
        "hiddens": real.hidden[:, 0, 0],
        "cells_1997": run_one(set_gates(p, 1.0, REPEATS), p.cell).cell[:, 0, 0],
        "copy_error": float(naive.max()),
        "remapped_error": float(remapped.max()),
        "copy_errors": naive.max(axis=(1, 2)),
        "gates_moved_by_cell": float(np.abs(moved.pre_activations - reference.pre_activations[1]).max()),
        "cell_moved_by_cell": float(
            np.abs(moved.cell[1] - reference.cell[2] - reference.forget_gate[1]).max()
        ),
        "gate_low": float(gates.min()),
        "gate_high": float(gates.max()),
        "hidden_over_gate": float((np.abs(reference.hidden[1:]) - reference.output_gate).max()),
        "parameters": parameters(((one_bias,),)),
        "parameters_pytorch": parameters(((weights,),)),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text("rounding of a dozen operations", "十余次运算的舍入误差")
    size = 16 * ROUNDING * (1 + abs(p.cell))

    def same_number(name: str, result: str, slack: float, claim: Text, law: Text = rounding) -> Check:
        return Check(name, claim, float(predicted[result]), float(results[result]), slack, law)

    checks = [
        same_number("cell-after", "cell_after", size, Text("the cell after one step", "一步之后的细胞状态")),
        same_number("hidden-after", "hidden_after", size, Text("what is shown of it", "读出的隐藏状态")),
        same_number(
            "forget-gate-is-what-is-kept",
            "kept",
            size,
            Text("how far the new cell moves with the old", "新细胞随旧细胞变化的比例"),
        ),
        same_number(
            "input-gate-is-what-is-written",
            "written",
            size,
            Text("how far it moves with the candidate", "新细胞随候选值变化的比例"),
        ),
        same_number(
            "read-out-slope-measured",
            "read_out",
            size,
            Text("how far the hidden state moves with the cell", "隐藏状态随细胞变化的比例"),
        ),
        Check(
            "repeated-steps",
            Text("the cell over equal steps (largest gap)", "各步相同时的细胞状态（最大差）"),
            predicted=0.0,
            measured=float(np.abs(results["cells"] - predicted["cells"]).max()),
            tolerance=REPEATS * size / (1 - p.f),
            law=Text(
                "rounding of each step, and of f in a quotient by 1 - f",
                "每步的舍入误差，以及除以 1 - f 的放大",
            ),
        ),
        Check(
            "remapped-weights-agree",
            Text(
                "hidden states of the hand-written cell, blocks put in its order (largest gap)",
                "手写单元换成自己的门顺序后，隐藏状态与参考实现的最大差",
            ),
            predicted=0.0,
            measured=results["remapped_error"],
            tolerance=4 * STEPS * (p.inputs + p.hidden + 16) * ROUNDING,
            law=Text("rounding of inner products over all steps", "各步内积的舍入误差"),
        ),
        Check(
            "gates-read-h-alone",
            Text(
                "how far the next gates move with the cell, at the same hidden state",
                "隐藏状态不变、只改变细胞时，下一步各门的变化",
            ),
            predicted=0.0,
            measured=results["gates_moved_by_cell"],
            tolerance=0.0,
            law=Text(
                "the same numbers in the same order: no rounding differs",
                "相同的数按相同顺序计算：舍入也相同",
            ),
        ),
        Check(
            "cell-feeds-the-cell",
            Text(
                "the next cell moves by the forget gate times that (largest gap)",
                "而下一步细胞的变化等于遗忘门乘以该改变量（最大差）",
            ),
            predicted=0.0,
            measured=results["cell_moved_by_cell"],
            tolerance=32 * ROUNDING,
            law=rounding,
        ),
        Check(
            "hidden-within-its-gate",
            Text("largest excess of $|h_t|$ over $o_t$", "$|h_t|$ 超出 $o_t$ 的最大值"),
            predicted=0.0,
            measured=results["hidden_over_gate"],
            tolerance=None,
            law=Text("exact inequality", "精确不等式"),
            relation="<=",
        ),
        same_number(
            "parameters-one-bias",
            "parameters",
            0.0,
            Text("entries of the arrays, one bias per map", "每个映射一个偏置时的参数个数"),
            Text("a count", "计数"),
        ),
        same_number(
            "parameters-two-biases",
            "parameters_pytorch",
            0.0,
            Text("entries of the arrays as PyTorch keeps them", "按 PyTorch 存放方式的参数个数"),
            Text("a count", "计数"),
        ),
    ]
    if p.order != "ifgo":
        checks.append(
            Check(
                "copied-weights-differ",
                Text(
                    "hidden states with the weights copied as they are (largest gap)",
                    "直接复制权重时，隐藏状态的最大差",
                ),
                predicted=0.0,
                measured=results["copy_error"],
                tolerance=1e-6,
                law=Text(
                    "random weights whose blocks agree to six digits do not occur",
                    "随机权重的各块恰好在六位数字上相同，不会出现",
                ),
                relation="!=",
                false_alarm=1e-7,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    t = np.arange(REPEATS + 1.0)
    cell = Axis(Text("value", "数值"))
    return (
        Bars(
            Text("One step of the cell", "细胞的一步更新"),
            Text(
                "the new cell is what is kept of the old plus what is written; only a squashed, gated part of it is shown",
                "新细胞 = 旧细胞保留的部分 + 写入的部分；读出的只是它经压缩和门控后的一部分",
            ),
            cell,
            (
                Bar(Text("old cell", "旧细胞"), p.cell, "context"),
                Bar(Text("kept: f × old", "保留：f × 旧细胞"), p.f * p.cell, "predicted"),
                Bar(Text("written: i × candidate", "写入：i × 候选值"), p.i * p.g, "predicted"),
                Bar(Text("new cell", "新细胞"), results["cell_after"], "measured"),
                Bar(Text("shown: hidden state", "读出：隐藏状态"), results["hidden_after"], "other"),
            ),
        ),
        Plot(
            Text("The same step again and again", "同样的一步反复进行"),
            Text(
                "with a forget gate the cell settles; without one, as in 1997, what is written piles up; the hidden state "
                "stays below one either way",
                "有遗忘门时细胞趋于稳定；没有遗忘门（1997 年版本）则不断累积；两种情形下隐藏状态都小于 1",
            ),
            Axis(Text("steps", "步数")),
            cell,
            (
                Line(Text("cell", "细胞"), t, results["cells"], "measured"),
                Line(Text("closed form", "闭式"), t, predicted["cells"], "predicted"),
                Line(Text("cell without forget gate", "无遗忘门的细胞"), t, results["cells_1997"], "popular"),
                Line(Text("hidden state", "隐藏状态"), t, results["hiddens"], "other"),
                Rule(Text("where it settles", "稳定值"), p.i * p.g / (1 - p.f), "y", "context"),
            ),
        ),
    )


def _gate(name: str, symbol: str, meaning: Text, default: float) -> Parameter:
    return Parameter(name, symbol, meaning, default, 0.01, 0.99, 0.01)


DEMO = Demonstration(
    id="D12",
    name="lstm-gates",
    title=Text("What each gate of an LSTM does", "LSTM 的每个门在做什么"),
    shows=Text(
        "the forget gate is the share kept, the input gate the share written, the output gate the share shown; and weights "
        "move between codes only with their blocks reordered",
        "遗忘门是保留的比例，输入门是写入的比例，输出门是读出的比例；在不同实现之间搬权重，必须重排各块的顺序",
    ),
    kills=Text(
        "the forget gate says how much is forgotten; LSTM weights can be copied as they are",
        "遗忘门表示遗忘多少；LSTM 的权重可以原样复制",
    ),
    parameters=(
        _gate("f", "f", Text("forget gate", "遗忘门"), 0.9),
        _gate("i", "i", Text("input gate", "输入门"), 0.5),
        _gate("o", "o", Text("output gate", "输出门"), 0.8),
        Parameter("g", "g", Text("candidate", "候选值"), 0.8, -0.99, 0.99, 0.01),
        Parameter("cell", "c", Text("the old cell", "旧的细胞状态"), -2.0, -10.0, 10.0, 0.1),
        Parameter(
            "order",
            r"\text{order}",
            Text("order of the blocks in the hand-written cell", "手写单元中各块的顺序"),
            "ifog",
            kind="choice",
            choices=(
                Choice("ifog", Text("i, f, o, g: many hand-written cells", "i, f, o, g：许多手写实现")),
                Choice("igfo", Text("i, g, f, o: TensorFlow 1", "i, g, f, o：TensorFlow 1")),
                Choice("iofg", Text("i, o, f, g: ONNX", "i, o, f, g：ONNX")),
                Choice("ifgo", Text("i, f, g, o: PyTorch, Keras", "i, f, g, o：PyTorch、Keras")),
            ),
        ),
        Parameter("inputs", "D", Text("input width", "输入维度"), 5, 1, 16, 1.0, "int"),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 7, 1, 16, 1.0, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "copy_error",
        Text(
            "largest error of the hidden state when PyTorch's weights are copied as they are",
            "直接复制 PyTorch 权重时隐藏状态的最大误差",
        ),
        Text("", ""),
        0.0,
        2.0,
    ),
)
