"""D15: the shapes of a stacked bidirectional network, and what its output at the last position has read.

Schuster and Paliwal 1997; the layout is that of torch.nn.RNN, LSTM and GRU.
"""

from __future__ import annotations

import numpy as np

from engine import tolerance
from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, HeatMap
from engine.nn.stacked import (
    Dropout,
    Layers,
    StackTrace,
    random_layers,
    stack_backward,
    stack_forward,
    state_index,
)
from engine.proof.step import Expr, Step, cited, defined, equal, exhausted, popular_error
from engine.text import Text, same

ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def features(directions: Expr, hidden: Expr) -> Expr:
    """Width of the output: the directions side by side."""
    return directions * hidden


def states(layers: Expr, directions: Expr) -> Expr:
    """First dimension of h_n and c_n."""
    return layers * directions


def state_place(layer: Expr, direction: Expr, directions: Expr) -> Expr:
    """Index in h_n of a layer and direction, both from 0."""
    return directions * layer + direction


def dropped_variance(rate: Expr, h: Expr) -> Expr:
    """Variance that inverted dropout adds to a feature of value h."""
    return h**2 * rate / (1 - rate)


def tokens_read_at_the_end(steps: int, layers: int, directions: int) -> int:
    """Tokens that the last H features of the output at the last position depend on."""
    return 1 if directions == 2 and layers == 1 else steps


def derive() -> tuple[Step, ...]:
    return (*_shapes(), *_reach(), *_padding_and_dropout())


def _shapes() -> tuple[Step, ...]:
    import sympy as sp

    layer, k = sp.symbols("l k", integer=True, nonnegative=True)
    K, H = sp.symbols("K H", integer=True, positive=True)
    cases = [{layer: a, k: b} for a in range(3) for b in range(2)]
    place = state_place(layer, k, 2)
    return (
        defined(
            "shapes",
            r"\text{output}: (B, T, K H), \qquad h_n, c_n: (L K, B, H)",
            Text(
                "$B$ sequences of $T$ positions, $L$ layers, $K$ directions, width $H$; batch_first turns input and output, "
                "never the states",
                "$B$ 个长为 $T$ 的序列，$L$ 层，$K$ 个方向，宽度 $H$；batch_first 只调换输入与输出，不影响状态",
            ),
        ),
        exhausted(
            "layer-of-a-state",
            sp.floor(place / 2),
            "=",
            layer,
            Text(
                "states stand layer by layer, and within a layer forward ($k = 0$) before backward: view(L, K, B, H) gives "
                "back the layer",
                "状态先按层排，层内先正向（$k = 0$）后反向：view(L, K, B, H) 还原出层号",
            ),
            over=cases,
            bound="L=3, K=2",
        ),
        exhausted(
            "direction-of-a-state",
            sp.Mod(place, 2),
            "=",
            k,
            Text("and the direction", "以及方向"),
            over=cases,
            bound="L=3, K=2",
        ),
        equal(
            "upper-layer-input",
            sp.Sum(H, (k, 1, K)),
            features(K, H),
            Text(
                "every layer but the first reads the directions of the layer below side by side, $K H$ features",
                "除第一层外，每层读入下层各方向拼接的 $K H$ 个特征",
            ),
        ),
    )


def _reach() -> tuple[Step, ...]:
    import sympy as sp

    x_1, x_2 = sp.symbols("x_1 x_2", real=True)
    w, u, v, p, q = sp.symbols("w u v p q", real=True)
    # two tokens: the forward pass reads 1 then 2, the backward pass 2 then 1
    ahead = sp.tanh(w * x_1)
    last = sp.tanh(w * x_2 + u * ahead)
    back = sp.tanh(v * x_2)
    f = sp.Function("f", real=True)(x_1)
    b = sp.Symbol("b", real=True)
    return (
        equal(
            "forward-half-at-the-end",
            sp.Derivative(last, x_1),
            u * w * (1 - ahead**2) * (1 - last**2),
            Text(
                "one layer, two tokens: at the last position the forward half has read both",
                "一层、两个词元：最后位置的正向半边两个都读过",
            ),
            bound="T=2",
        ),
        equal(
            "backward-half-at-the-end",
            sp.Derivative(back, x_1),
            sp.Integer(0),
            Text(
                "the backward half has read the last token alone: it began there",
                "反向半边只读过最后一个词元：它正是从那里开始的",
            ),
            bound="T=2",
        ),
        equal(
            "backward-half-at-the-start",
            sp.Derivative(sp.tanh(v * x_1 + u * back), x_2),
            u * v * (1 - back**2) * (1 - sp.tanh(v * x_1 + u * back) ** 2),
            Text(
                "the backward state that has read both stands at the first position, and in h_n",
                "两个都读过的反向状态在第一个位置，也在 h_n 里",
            ),
            bound="T=2",
        ),
        popular_error(
            "last-output-summarises",
            v * x_2,
            v * x_1 + u * back,
            Text(
                "'output[:, -1] is the final state of both directions': its second half is the backward pass after one step, "
                "not after all (their pre-activations)",
                "“output[:, -1] 就是两个方向的最终状态”：它的后一半是反向走了一步的状态，而不是走完的（此处比较预激活）",
            ),
        ),
        equal(
            "two-layers",
            sp.Derivative(sp.tanh(p * f + q * b), x_1),
            p * (1 - sp.tanh(p * f + q * b) ** 2) * sp.Derivative(f, x_1),
            Text(
                "from two layers on, the top backward half still takes one step at the end, but what it reads holds the "
                "forward half $f$ of the layer below, and through it all tokens",
                "两层及以上时，顶层反向半边在末端仍只走一步，但它读入的内容含有下层的正向半边 $f$，于是间接读到全部词元",
            ),
        ),
    )


def _padding_and_dropout() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    h, u, b = sp.symbols("h u b", real=True)
    kept = sp.Symbol("m", real=True)
    rate = sp.Symbol("p", positive=True)
    law = {kept: (1 - rate, 1 - rate)}
    return (
        popular_error(
            "zero-padding-is-harmless",
            sp.tanh(u * h + b),
            h,
            Text(
                "'padding with zeros leaves the state alone': an input of zero still moves it, so pass the lengths",
                "“用零填充不影响状态”：输入为零时状态照样变化，所以要传入长度",
            ),
        ),
        equal(
            "dropout-mean",
            Expectation(kept * h / (1 - rate), law),
            h,
            Text(
                "dropout between layers keeps the mean of a feature ($m$ is 1 with probability $1 - p$, else 0)",
                "层间 dropout 保持特征的均值（$m$ 以概率 $1 - p$ 取 1，否则取 0）",
            ),
        ),
        equal(
            "dropout-variance",
            Variance(kept * h / (1 - rate), law),
            dropped_variance(rate, h),
            Text("and adds variance", "但增加方差"),
        ),
        cited(
            "where-dropout-falls",
            r"\text{layer } l \to \text{layer } l + 1, \quad l < L",
            Text(
                "the argument of PyTorch's modules drops between layers only: not after the last, not from step to step; "
                "one mask for all steps of the recurrence is another method",
                "PyTorch 模块的 dropout 参数只作用在层与层之间：最后一层之后没有，时间步之间也没有；"
                "对循环连接使用同一掩码是另一种方法",
            ),
            "torch.nn.LSTM; Gal and Ghahramani 2016",
        ),
    )


def predict(p: Params) -> Results:
    K = 2 if p.directions == "both" else 1
    return {
        "features": features(K, p.hidden),
        "states": states(p.layers, K),
        "batch_of_states": p.batch,
        "tokens_read": tokens_read_at_the_end(p.steps, p.layers, K),
        "dropped_share": p.dropout if p.layers > 1 else 0.0,
    }


def half(trace: StackTrace, p: Params, position: int, direction: int) -> Array:
    """One direction's part of the output at a position, (B, H)."""
    out: Array = trace.output[position, :, direction * p.hidden : (direction + 1) * p.hidden]
    return out


def influence(
    trace: StackTrace, layers: Layers, p: Params, direction: int, rng: np.random.Generator
) -> Array:
    """Size of the gradient of one direction's part of the output at the last position, by token, (T,)."""
    d_output = np.zeros_like(trace.output)
    width = slice(direction * p.hidden, (direction + 1) * p.hidden)
    d_output[-1, :, width] = rng.standard_normal((p.batch, p.hidden))
    gradient = stack_backward(trace, layers, d_output).x
    sizes: Array = np.abs(gradient).sum(axis=(1, 2))
    return sizes


def measure(p: Params, rng: np.random.Generator) -> Results:
    K = 2 if p.directions == "both" else 1
    layers = random_layers(p.kind, p.inputs, p.hidden, p.layers, K, rng)
    x = rng.standard_normal((p.steps, p.batch, p.inputs))
    trace = stack_forward(x, layers)
    turned = stack_forward(x.swapaxes(0, 1), layers, batch_first=True)

    # other tokens everywhere but at the end
    others = rng.standard_normal(x.shape)
    others[-1] = x[-1]
    replaced = stack_forward(others, layers)
    alone = stack_forward(x[-1:], layers)
    influences = [influence(trace, layers, p, k, rng) for k in range(K)]

    padded = min(p.padding, p.steps - 1)
    lengths = np.full(p.batch, p.steps - padded)
    filled = x.copy()
    filled[p.steps - padded :] = 0.0
    short = stack_forward(x[: p.steps - padded], layers)
    told, untold = stack_forward(filled, layers, lengths), stack_forward(filled, layers)

    dropped = stack_forward(x, layers, dropout=Dropout(p.dropout, rng))
    masks = [mask for mask in dropped.dropped if mask is not None]
    top, last = p.layers - 1, K - 1
    return {
        "output_shape": np.array(turned.output.shape),
        "features": turned.output.shape[2],
        "states": turned.h_n.shape[0],
        "batch_of_states": turned.h_n.shape[1],
        "forward_state_gap": gap(trace.h_n[state_index(top, 0, K)], half(trace, p, -1, 0)),
        "last_state_gap": gap(
            trace.h_n[state_index(top, last, K)], half(trace, p, 0 if K == 2 else -1, last)
        ),
        "last_position_gap": gap(trace.h_n[state_index(top, last, K)], half(trace, p, -1, last)),
        "tokens_read": int((influences[last] > 0).sum()),
        "influences": np.stack(influences),
        "moved_forward": gap(half(replaced, p, -1, 0), half(trace, p, -1, 0)),
        "moved_last": gap(half(replaced, p, -1, last), half(trace, p, -1, last)),
        "one_step_gap": gap(half(alone, p, -1, last), half(trace, p, -1, last)),
        "told_gap": gap(told.h_n, short.h_n),
        "untold_gap": gap(untold.h_n, short.h_n),
        "padding_output": float(np.abs(told.output[p.steps - padded :]).sum()),
        "dropped_share": float(np.mean([mask == 0 for mask in masks])) if masks else 0.0,
        "droppable": sum(mask.size for mask in masks),
        "dropped_recurrence_gap": gap(dropped.passes[0][0].trace.hidden, trace.passes[0][0].trace.hidden),
        "zeros_in_output": int((dropped.output == 0).sum()),
        "dropped_output_gap": gap(dropped.output, trace.output),
    }


def gap(a: Array, b: Array) -> float:
    """Largest difference."""
    return float(np.abs(a - b).max())


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    K = 2 if p.directions == "both" else 1
    count = Text("a count: no tolerance", "计数：不容许误差")
    same_numbers = Text("the same numbers, copied: no rounding differs", "同一组数的复制：没有舍入差异")
    other_order = Text("rounding of inner products over all layers and steps", "各层各步内积的舍入误差")
    generic = Text(
        "random weights at which it vanishes do not occur; a dependence may shrink, and is above rounding",
        "恰好使它为零的随机权重不会出现；依赖可能变弱，但仍高于舍入误差",
    )
    slack = 8 * p.layers * p.steps * (p.inputs + 3 * p.hidden + 16) * ROUNDING

    def counts(name: str, result: str, claim: Text) -> Check:
        return Check(name, claim, float(predicted[result]), float(results[result]), 0.0, count)

    def vanishes(name: str, result: str, claim: Text, allowed: float = 0.0) -> Check:
        return Check(
            name, claim, 0.0, float(results[result]), allowed, other_order if allowed else same_numbers
        )

    def moves(name: str, result: str, claim: Text, least: float) -> Check:
        return Check(name, claim, 0.0, float(results[result]), least, generic, "!=", 1e-7)

    last = Text(
        "last H features at the last position: how far they move when every token but the last changes",
        "最后位置的后 H 个特征：除最后一个词元外全部替换时的变化",
    )
    checks = [
        counts("output-features", "features", Text("features of the output", "输出的特征数")),
        counts("number-of-states", "states", Text("first dimension of the final states", "最终状态的第一维")),
        counts(
            "batch-first-leaves-the-states",
            "batch_of_states",
            Text("their second dimension, batch first or not", "最终状态的第二维，与 batch_first 无关"),
        ),
        vanishes(
            "forward-state-at-the-end",
            "forward_state_gap",
            Text(
                "forward state of the top layer in h_n, less the output's at the last position",
                "h_n 中顶层正向状态与最后位置输出之差",
            ),
        ),
        vanishes(
            "last-state-where-it-ended",
            "last_state_gap",
            Text(
                "last state in h_n, less the output's where that direction ended",
                "h_n 中最后一个状态与该方向结束处输出之差",
            ),
        ),
        counts(
            "tokens-read",
            "tokens_read",
            Text(
                "tokens with a gradient on the last H features at the last position",
                "对最后位置的后 H 个特征有梯度的词元数",
            ),
        ),
        vanishes(
            "lengths-ignore-padding",
            "told_gap",
            Text(
                "states of padded sequences with their lengths given, less those of the bare ones",
                "给出长度时，填充序列与原序列的最终状态之差",
            ),
            slack,
        ),
        vanishes(
            "padding-gives-zeros",
            "padding_output",
            Text("sum of the output at padded positions", "填充位置输出的绝对值之和"),
        ),
        Check(
            "dropped-between-layers",
            Text("share of features dropped between layers", "层与层之间被丢弃的特征比例"),
            predicted=predicted["dropped_share"],
            measured=results["dropped_share"],
            tolerance=tolerance.proportion(p.dropout, results["droppable"]) if results["droppable"] else 0.0,
            law=Text(
                "5 standard errors of a binomial share, with the skewness term",
                "二项比例的 5 个标准误，含偏度项",
            ),
            false_alarm=tolerance.FALSE_ALARM,
        ),
        vanishes(
            "not-within-the-recurrence",
            "dropped_recurrence_gap",
            Text(
                "states of the first layer with dropout on, less those with it off",
                "开启与关闭 dropout 时，第一层各步状态之差",
            ),
        ),
        Check(
            "not-after-the-last-layer",
            Text("zeros in the output with dropout on", "开启 dropout 时输出中零的个数"),
            predicted=0.0,
            measured=results["zeros_in_output"],
            tolerance=0.0,
            law=count,
        ),
    ]
    if p.steps - min(p.padding, p.steps - 1) < p.steps:
        checks.append(
            moves(
                "padding-read-unless-told",
                "untold_gap",
                Text("the same without lengths: the padding was read", "不给长度时的差：填充也被读入了"),
                slack,
            )
        )
    if K == 2:
        checks.append(
            moves(
                "last-position-is-not-the-last-state",
                "last_position_gap",
                Text(
                    "backward state in h_n, less the output's backward half at the last position",
                    "h_n 中的反向状态，与最后位置输出的反向半边之差",
                ),
                slack,
            )
        )
    if K == 2 and p.layers == 1:
        checks += [
            vanishes("backward-half-does-not-move", "moved_last", last),
            vanishes(
                "one-step-from-zero",
                "one_step_gap",
                Text(
                    "the same features, less those of the last token run alone",
                    "同样的特征，减去单独运行最后一个词元的结果",
                ),
                slack,
            ),
        ]
    else:
        checks.append(moves("last-features-move", "moved_last", last, slack))
    if p.layers == 1:
        checks.append(
            vanishes(
                "one-layer-drops-nothing",
                "dropped_output_gap",
                Text(
                    "output of a single layer with dropout on, less that with it off",
                    "单层网络开启与关闭 dropout 时输出之差",
                ),
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    K = 2 if p.directions == "both" else 1
    rows = (Text("forward half", "正向半边"), Text("backward half", "反向半边"))[:K]
    sizes = results["influences"]
    strength = np.log10(np.maximum(sizes / sizes.max(), 1e-8))
    trap = Text(
        "the backward half at the last position has read the last token alone; the rest of its row is empty",
        "最后位置的反向半边只读过最后一个词元；该行其余位置为空",
    )
    through = Text(
        "with more layers the backward half reaches all tokens, but only through the forward half of the layer below",
        "层数更多时反向半边也能影响到全部词元，但只是经由下层的正向半边",
    )
    plain = Text("one direction: the last position has read every token", "单向：最后位置已读完全部词元")
    return (
        HeatMap(
            Text(
                "What output[:, -1] depends on (log10 of gradient)",
                "output[:, -1] 依赖哪些词元（梯度的 log10）",
            ),
            plain if K == 1 else trap if p.layers == 1 else through,
            strength,
            rows=rows,
            columns=tuple(same(str(t + 1)) for t in range(p.steps)),
            low=-8.0,
            high=0.0,
        ),
        Bars(
            Text(
                "How far the last position moves when all earlier tokens change",
                "替换所有较早的词元时最后位置的变化",
            ),
            Text(
                "a summary of the sequence would move; what has not read it cannot",
                "如果它概括了序列就应当变化；没有读过的部分不会动",
            ),
            Axis(Text("largest change", "最大变化")),
            (
                Bar(Text("first H features", "前 H 个特征"), results["moved_forward"], "other"),
                Bar(Text("last H features", "后 H 个特征"), results["moved_last"], "measured"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D15",
    name="bidirectional-last-step",
    title=Text("The last position of a bidirectional network", "双向网络的最后一个位置"),
    shows=Text(
        "at the last position the backward half of a bidirectional layer has taken one step; the state that read everything "
        "is in h_n, or at the first position",
        "在最后位置，双向层的反向半边只走了一步；读完全部的状态在 h_n 里，或在第一个位置",
    ),
    kills=Text(
        "output[:, -1] summarises the sequence in both directions",
        "output[:, -1] 概括了两个方向的整个序列",
    ),
    parameters=(
        Parameter(
            "kind",
            r"\text{cell}",
            Text("cell", "单元"),
            "lstm",
            kind="choice",
            choices=(Choice("lstm", same("LSTM")), Choice("gru", same("GRU")), Choice("rnn", same("RNN"))),
        ),
        Parameter("layers", "L", Text("layers", "层数"), 1, 1, 3, 1.0, "int"),
        Parameter(
            "directions",
            "K",
            Text("directions", "方向"),
            "both",
            kind="choice",
            choices=(
                Choice("both", Text("bidirectional", "双向")),
                Choice("forward", Text("forward", "单向")),
            ),
        ),
        Parameter("steps", "T", Text("positions", "位置数"), 10, 2, 16, 1.0, "int"),
        Parameter(
            "padding", "P", Text("positions that are padding", "其中填充的位置数"), 3, 0, 8, 1.0, "int"
        ),
        Parameter("batch", "B", Text("sequences in the batch", "批内序列数"), 3, 1, 8, 1.0, "int", "log"),
        Parameter("inputs", "D", Text("input width", "输入维度"), 4, 1, 32, 1.0, "int", "log"),
        Parameter("hidden", "H", Text("hidden width", "隐藏层宽度"), 8, 1, 32, 1.0, "int", "log"),
        Parameter("dropout", "p", Text("dropout between layers", "层间 dropout 比例"), 0.3, 0.0, 0.9, 0.1),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "tokens_read",
        Text(
            "tokens that the last H features of output[:, -1] depend on",
            "output[:, -1] 的后 H 个特征依赖的词元个数",
        ),
        Text("", ""),
        0.0,
        16.0,
    ),
)
