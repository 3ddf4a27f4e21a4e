"""D03: how far a stack of layers sees, how evenly, and how many layers two distant tokens need.

Vaswani et al. 2017, table 1 and section 4 (path length); Luo et al. 2016, section 2 (effective receptive field); Yu, Koltun 2016
and van den Oord et al. 2016 (dilation); Bai, Kolter, Koltun 2018, section 3 (TCN); Araujo, Norris, Sim 2019 (recurrence).
"""

from __future__ import annotations

import math
from itertools import count
from typing import Any

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.convolution import correlate, correlate_backward
from engine.nn.mask import causal_mask
from engine.nn.pooling import max_pool
from engine.nn.temporal_convolution import TCNWeights, tcn_block, tcn_block_backward
from engine.nn.windows import Floats
from engine.proof.step import Expr, Step, defined, equal, ordered, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
LONGEST_INPUT = 4096
"""Inputs that the measured stack may be given; deeper layers are predicted only."""
MOST_BLOCKS = 6
TCN_STEPS = 1024
SIDE = 24
"""Side of the feature map whose later work is counted; every stride divides it."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers. A layer's taps lie
# b^l inputs apart, with b the growth of the dilation times the stride of a layer.
def linear_field(k: Expr, layers: Expr) -> Expr:
    """Inputs that one output of a stack sees, for b = 1."""
    return 1 + layers * (k - 1)


def geometric_field(k: Expr, b: Expr, layers: Expr) -> Expr:
    """The same for b > 1, from the first input to the last."""
    return 1 + (k - 1) * (b**layers - 1) / (b - 1)


def tcn_field(k: Expr, blocks: Expr) -> Expr:
    """Inputs that a TCN of residual blocks sees: two layers of each dilation 1, 2, 4, …"""
    return 1 + 2 * (k - 1) * (2**blocks - 1)


def linear_depth(n: Expr, k: Expr) -> Expr:
    """Layers after which the field is n, for b = 1, before rounding up."""
    return (n - 1) / (k - 1)


def geometric_depth(n: Expr, k: Expr, b: Expr, log: Any) -> Expr:
    """The same for b > 1."""
    return log((n - 1) * (b - 1) / (k - 1) + 1) / log(b)


def tap_variance(k: Expr) -> Expr:
    """Variance of a place drawn evenly among k in a row."""
    return (k**2 - 1) / 12


def linear_variance(k: Expr, layers: Expr) -> Expr:
    """Variance of the gradient's profile under a stack of averaging layers, for b = 1."""
    return layers * tap_variance(k)


def geometric_variance(k: Expr, b: Expr, layers: Expr) -> Expr:
    """The same for b > 1."""
    return tap_variance(k) * (b ** (2 * layers) - 1) / (b**2 - 1)


def work_share(s: Expr) -> Expr:
    """Work of the next layer after a stride s on both axes, against none."""
    return 1 / s**2


def derive() -> tuple[Step, ...]:
    return (*_field(), *_depth(), *_profile())


def _field() -> tuple[Step, ...]:
    import sympy as sp

    k, b, s = sp.symbols("k b s", positive=True)
    L, l = sp.symbols("L l", integer=True, nonnegative=True)
    H, W, C = sp.symbols("H W C", positive=True)
    return (
        defined(
            "recurrence",
            r"r_l = r_{l-1} + (k_l - 1)\, d_l \prod_{i<l} s_i, \qquad r_0 = 1",
            Text(
                "a layer adds $k - 1$ taps to what one output sees, each as far apart as its dilation and the strides before it say",
                "一层给一个输出的视野加上 $k - 1$ 个抽头，间距由本层的扩张率与此前各层的步幅决定",
            ),
        ),
        equal(
            "stacked",
            1 + sp.Sum(k - 1, (l, 1, L)),
            linear_field(k, L),
            Text(
                "stacked layers without stride or dilation: linear in depth",
                "不带步幅与扩张的堆叠：随深度线性增长",
            ),
        ),
        equal(
            "no-layer",
            sp.Subs(geometric_field(k, b, L), L, 0),
            sp.Integer(1),
            Text(
                "if each layer's taps lie $b$ times as far apart as those of the one before: start with no layer",
                "若每层抽头的间距是上一层的 $b$ 倍：从零层开始",
            ),
        ),
        equal(
            "one-more-layer",
            geometric_field(k, b, L) + (k - 1) * b**L,
            geometric_field(k, b, L + 1),
            Text("and add one more: geometric in depth, by induction", "再加一层：由归纳法，随深度几何增长"),
        ),
        equal(
            "doubling",
            1 + (k - 1) * sp.Sum(2**l, (l, 0, L - 1)),
            geometric_field(k, 2, L),
            Text("dilations 1, 2, 4, …, the kernel no wider", "扩张率依次为 1、2、4、…，核并不加宽"),
        ),
        equal(
            "powers-of-k",
            sp.Subs(geometric_field(k, b, L), b, k),
            k**L,
            Text(
                "dilations $1, k, k^2, …$: each input is reached by exactly one path, as digits in base $k$",
                "扩张率依次为 $1, k, k^2, …$：每个输入恰有一条路径可达，如同 $k$ 进制的各位数字",
            ),
        ),
        equal(
            "tcn",
            1 + 2 * (k - 1) * sp.Sum(2**l, (l, 0, L - 1)),
            tcn_field(k, L),
            Text("a TCN has two convolutions of each dilation", "TCN 的每个扩张率有两个卷积"),
        ),
        equal(
            "pooling-between",
            sp.Add(1, sp.Integer(3 - 1), sp.Integer(2 - 1), sp.Mul(3 - 1, 2, evaluate=False), evaluate=False),
            sp.Integer(8),
            Text(
                "two layers of width 3 with pooling by 2 between: the window adds 1, its stride doubles what comes after",
                "两个宽 3 的卷积层之间夹一个窗口为 2 的池化：窗口本身加 1，步幅使其后的增量翻倍",
            ),
        ),
        equal(
            "less-work",
            sp.Mul(
                (H / s) * (W / s) * k**2 * C**2,
                sp.Pow(H * W * k**2 * C**2, -1, evaluate=False),
                evaluate=False,
            ),
            work_share(s),
            Text(
                "a stride, of pooling or of convolution, divides the places and so the work of the next layer",
                "无论是池化还是卷积，步幅都会减少位置数，从而减少下一层的计算量",
            ),
        ),
    )


def _depth() -> tuple[Step, ...]:
    import sympy as sp

    n, k, b, L = sp.symbols("n k b L", positive=True)
    tokens, stride = sp.symbols("n s", integer=True, positive=True)
    scores = sp.symbols("s_1:4", real=True)
    return (
        equal(
            "depth-stacked",
            sp.Subs(linear_field(k, L), L, linear_depth(n, k)),
            n,
            Text(
                "layers until the field is $n$: $O(n / k)$ when stacked",
                "视野达到 $n$ 所需的层数：堆叠时为 $O(n / k)$",
            ),
        ),
        equal(
            "depth-geometric",
            sp.Subs(geometric_field(k, b, L), L, geometric_depth(n, k, b, sp.log)),
            n,
            Text(
                r"and logarithmic when the spacing grows; $\log_k n$ for dilations $k^l$",
                r"间距逐层增长时为对数；扩张率取 $k^l$ 时为 $\log_k n$",
            ),
        ),
        popular_error(
            "length-over-stride",
            geometric_depth(tokens, sp.Integer(3), stride, sp.log),
            tokens / stride,
            Text(
                "'in a CNN the path costs sequence length over stride': the wrong variable, $k$, and the wrong rate, a logarithm "
                "as soon as the stride exceeds 1",
                "“CNN 的路径长度是序列长度除以步幅”：变量错了，该是 $k$；阶也错了，步幅大于 1 时就是对数",
            ),
            bound="k=3",
        ),
        ordered(
            "attention",
            sp.exp(scores[0]) / sum(sp.exp(score) for score in scores),
            ">",
            sp.Integer(0),
            Text(
                "self-attention gives every token a positive weight at once: one layer, at the price of $n^2$ scores; a recurrent "
                "network takes $n - 1$ steps",
                "自注意力一层就给每个词元正的权重，代价是 $n^2$ 个分数；循环网络则需要 $n - 1$ 步",
            ),
            bound="n=3",
        ),
    )


def _profile() -> tuple[Step, ...]:
    import sympy as sp

    k = sp.Symbol("k", integer=True, positive=True)
    b, z = sp.symbols("b z", positive=True)
    L = sp.Symbol("L", integer=True, positive=True)
    m = sp.Symbol("m", integer=True, nonnegative=True)
    three = 1 + z + z**2
    return (
        equal(
            "box",
            sp.Sum((m - (k - 1) / 2) ** 2, (m, 0, k - 1)) / k,
            tap_variance(k),
            Text(
                "the gradient of an averaging layer spreads evenly over $k$ places; this is their variance",
                "平均层的梯度均匀分到 $k$ 个位置，这是位置的方差",
            ),
        ),
        equal(
            "boxes-add",
            linear_variance(k, L) + tap_variance(k),
            linear_variance(k, L + 1),
            Text(
                "backwards through a stack the places add like independent draws, so the variances add",
                "反向穿过各层时，位移像独立抽样那样相加，方差也就相加",
            ),
        ),
        equal(
            "growing-boxes-add",
            geometric_variance(k, b, L) + b ** (2 * L) * tap_variance(k),
            geometric_variance(k, b, L + 1),
            Text(
                "a layer whose taps lie $b^L$ apart adds $b^{2L}$ as much",
                "抽头间距为 $b^L$ 的层，贡献 $b^{2L}$ 倍",
            ),
        ),
        equal(
            "shrinking-share",
            sp.Limit(sp.sqrt(linear_variance(sp.Integer(3), L)) / linear_field(3, L), L, sp.oo),
            sp.Integer(0),
            Text(
                r"in a deep stack the gradient comes from a width of order $\sqrt{L}$ in a field of order $L$",
                r"堆叠很深时，视野是 $L$ 阶，而梯度集中在 $\sqrt{L}$ 阶的宽度内",
            ),
            bound="k=3",
        ),
        popular_error(
            "all-inputs-alike",
            three**2 / 9,
            sum(z**i for i in range(5)) / 5,
            Text(
                "'what is in the receptive field counts': two layers of width 3 weigh their five inputs 1, 2, 3, 2, 1",
                "“感受野里的输入都同样起作用”：两个宽 3 的层给五个输入的权重是 1、2、3、2、1",
            ),
            bound="k=3, L=2",
        ),
    )


def spacing(p: Params) -> int:
    """b: how many times as far apart the taps of a layer lie as those of the layer before."""
    return dilation_base(p) * int(p.stride)


def dilation_base(p: Params) -> int:
    return {"none": 1, "doubling": 2, "powers": int(p.k)}[p.dilation]


def layers_needed(n: int, k: int, b: int) -> int:
    """Smallest depth whose field is at least n."""
    if b == 1:
        return math.ceil(linear_depth(n, k))
    return next(layers for layers in count() if geometric_field(k, b, layers) >= n)


def measured_layers(p: Params) -> list[tuple[int, int]]:
    """(dilation, stride) of each layer of the stack, as deep as asked and as the longest input allows."""
    layers: list[tuple[int, int]] = []
    for level in range(int(p.layers)):
        deeper = [*layers, (dilation_base(p) ** level, int(p.stride))]
        if input_length(deeper, int(p.k), 3) > LONGEST_INPUT:
            break
        layers = deeper
    return layers


def input_length(layers: list[tuple[int, int]], k: int, outputs: int) -> int:
    """Inputs from which these layers, without padding, make so many outputs."""
    length = outputs
    for dilation, stride in reversed(layers):
        length = (length - 1) * stride + (k - 1) * dilation + 1
    return length


ARCHITECTURES = ("stacked", "doubling", "powers")


def predict(p: Params) -> Results:
    n, k, b = int(p.n), int(p.k), spacing(p)
    depth, blocks = len(measured_layers(p)), min(int(p.layers), MOST_BLOCKS)
    field = linear_field(k, depth) if b == 1 else geometric_field(k, b, depth)
    variance = linear_variance(k, depth) if b == 1 else geometric_variance(k, b, depth)
    return {
        "layers_needed": layers_needed(n, k, b),
        "field": field,
        "field_as_asked": linear_field(k, int(p.layers)) if b == 1 else geometric_field(k, b, int(p.layers)),
        # taps further apart than they are many leave holes: k^L inputs, one path each
        "touched": min(k**depth, field),
        "profile_deviation": math.sqrt(variance),
        "tcn_field": tcn_field(k, blocks),
        "work_share": work_share(int(p.stride)),
        **{
            f"layers_{name}": layers_needed(n, k, base)
            for name, base in zip(ARCHITECTURES, (1, 2, k), strict=True)
        },
        "layers_attention": 1,
        "layers_recurrent": n - 1,
    }


def layers_until_reached(n: int, k: int, b: int) -> int:
    """Layers until the last of n tokens depends on the first, found by following the connections of each layer."""
    # bit i: a token i places back is connected to the last one
    reached, layers, apart = 1, 0, 1
    while reached < 1 << n - 1:
        before = reached
        for tap in range(1, k):
            reached |= before << tap * apart
        layers, apart = layers + 1, apart * b
    return layers


def gradient_profile(layers: list[tuple[int, int]], k: int, rng: np.random.Generator) -> Floats:
    """d output / d input of a stack of averaging layers, for the middle one of three outputs."""
    kernel = np.full((1, 1, k), 1 / k)
    activations: list[Floats] = [rng.standard_normal((1, 1, input_length(layers, k, 3)))]
    for dilation, stride in layers:
        activations.append(correlate(activations[-1], kernel, dilation=dilation, stride=stride))
    gradient = np.zeros_like(activations[-1])
    gradient[..., 1] = 1.0
    for (dilation, stride), x in zip(reversed(layers), reversed(activations[:-1]), strict=True):
        gradient = correlate_backward(x, kernel, gradient, dilation=dilation, stride=stride).x
    return gradient[0, 0]


def tcn_footprint(blocks: int, k: int) -> int:
    """Inputs with a gradient from the last output of a TCN with positive weights, whose ReLUs all pass."""
    one, zero = np.ones((1, 1, k)) / k, np.zeros(1)
    weights = TCNWeights(one, zero, one, zero)
    x: Floats = np.ones((1, 1, TCN_STEPS))
    inputs, outputs = [], []
    for level in range(blocks):
        inputs.append(x)
        outputs.append(tcn_block(x, weights, 2**level))
        x = outputs[-1].y
    gradient = np.zeros_like(x)
    gradient[..., -1] = 1.0
    for level in reversed(range(blocks)):
        gradient = tcn_block_backward(outputs[level], inputs[level], weights, 2**level, gradient).x
    return int(np.count_nonzero(gradient))


def next_layer_places(stride: int, k: int, rng: np.random.Generator) -> int:
    """Places at which the next layer's kernel is applied after max-pooling by ``stride``."""
    pooled = max_pool(rng.standard_normal((1, 1, SIDE, SIDE)), (stride, stride)).y
    return correlate(pooled, np.ones((1, 1, k, k)), padding="same").size


def measure(p: Params, rng: np.random.Generator) -> Results:
    n, k = int(p.n), int(p.k)
    layers = measured_layers(p)
    profile = gradient_profile(layers, k, rng)
    seen = np.flatnonzero(profile)
    place = np.arange(len(profile), dtype=float)
    middle = (place * profile).sum()
    needed = {base: layers_until_reached(n, k, base) for base in {1, 2, k, spacing(p)}}
    return {
        "layers_needed": needed[spacing(p)],
        "depth": len(layers),
        "profile": profile,
        "field": int(seen[-1] - seen[0] + 1),
        "touched": len(seen),
        "profile_deviation": float(np.sqrt((profile * (place - middle) ** 2).sum())),
        "tcn_field": tcn_footprint(min(int(p.layers), MOST_BLOCKS), k),
        "work_share": next_layer_places(int(p.stride), k, rng) / next_layer_places(1, k, rng),
        **{f"layers_{name}": needed[base] for name, base in zip(ARCHITECTURES, (1, 2, k), strict=True)},
        # one layer links the last token to as many as its row of the mask lets through
        "layers_attention": 1 if causal_mask(1, n).sum() == n else math.inf,
        # each step looks one state back
        "layers_recurrent": layers_until_reached(n, 2, 1),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("exact count", "精确计数")
    claims = {
        "layers_needed": Text(
            "layers until the last token sees the first", "最后一个词元看到第一个所需的层数"
        ),
        "field": Text(
            "inputs from the first to the last with a gradient", "有梯度的首个输入到末个输入的跨度"
        ),
        "touched": Text("inputs with a gradient", "有梯度的输入个数"),
        "tcn_field": Text(
            "inputs with a gradient from a TCN's last output", "TCN 最后一个输出对其有梯度的输入个数"
        ),
        "work_share": Text("the next layer's work after the stride", "加步幅后下一层的计算量之比"),
        "layers_stacked": Text("layers of a plain stack", "普通堆叠所需的层数"),
        "layers_doubling": Text("layers with dilations that double", "扩张率逐层翻倍所需的层数"),
        "layers_powers": Text("layers with dilations that are powers of $k$", "扩张率取 $k$ 的幂所需的层数"),
        "layers_attention": Text("layers of self-attention", "自注意力所需的层数"),
        "layers_recurrent": Text("steps of a recurrent network", "循环网络所需的步数"),
    }
    return (
        *(
            Check(name.replace("_", "-"), claim, predicted[name], results[name], 0.0, counted)
            for name, claim in claims.items()
        ),
        Check(
            "profile-deviation",
            Text("standard deviation of the gradient over the inputs", "梯度在输入上分布的标准差"),
            predicted["profile_deviation"],
            results["profile_deviation"],
            # a sum over at most LONGEST_INPUT places, each off by its own rounding
            8 * ROUNDING * len(results["profile"]),
            Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差"),
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    k, n = int(p.k), int(p.n)
    lengths = np.unique(np.geomspace(8, 100_000, 49).astype(int))
    lines = (
        ("stacked", Text("stacked", "堆叠"), 1, "predicted"),
        ("doubling", Text("dilation doubling", "扩张率翻倍"), 2, "predicted"),
        ("powers", Text("dilation kˡ", "扩张率 kˡ"), k, "predicted"),
    )
    curves = [
        Line(
            label,
            lengths.astype(float),
            np.array([float(layers_needed(int(m), k, b)) for m in lengths]),
            "predicted",
        )
        for _, label, b, _ in lines
    ]
    measured = [results[f"layers_{name}"] for name in (*ARCHITECTURES, "attention", "recurrent")]
    profile = results["profile"]
    place = np.arange(len(profile), dtype=float) - (len(profile) - 1) / 2
    deviation = predicted["profile_deviation"]
    narrow = Text(
        "the field ends where the curve ends, but most of the gradient comes from between the two marks",
        "感受野到曲线的尽头为止，但大部分梯度来自两条竖线之间",
    )
    even = Text(
        "with dilations $k^l$ every input is reached by one path: the gradient is even over the whole field",
        "扩张率取 $k^l$ 时每个输入恰有一条路径：梯度在整个感受野内均匀",
    )
    holes = Text(
        "taps further apart than the kernel is wide leave holes: inputs inside the field that the output never sees",
        "抽头间距大过核宽就会留下空洞：感受野之内也有输出看不到的输入",
    )
    see = holes if results["touched"] < results["field"] else even if spacing(p) == k else narrow
    return (
        Plot(
            Text("Layers until the last token sees the first", "最后一个词元看到第一个所需的层数"),
            Text(
                "a plain stack needs layers in proportion to the length, dilation a handful, attention one",
                "普通堆叠的层数与长度成正比，扩张卷积只需几层，自注意力只需一层",
            ),
            Axis(Text("tokens n", "词元数 n"), "log"),
            Axis(Text("layers", "层数"), "log", low=0.8),
            (
                Line(
                    Text("recurrent, n − 1", "循环网络，n − 1"),
                    lengths.astype(float),
                    lengths - 1.0,
                    "context",
                ),
                *curves,
                Line(
                    Text("attention, 1", "自注意力，1"), lengths.astype(float), np.ones(len(lengths)), "other"
                ),
                Points(
                    Text("measured", "实测"),
                    np.full(5, float(n)),
                    np.array(measured, dtype=float),
                    "measured",
                ),
            ),
        ),
        Plot(
            Text("Where the gradient of one output goes", "一个输出的梯度去了哪里"),
            see,
            Axis(Text("input, from the middle", "输入（以中心为零）")),
            Axis(Text("gradient", "梯度"), low=0.0),
            (
                Line(Text("gradient", "梯度"), place, profile, "measured"),
                Rule(Text("one deviation to the left", "左侧一个标准差"), -deviation, "x", "predicted"),
                Rule(Text("and to the right", "右侧一个标准差"), deviation, "x", "predicted"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D03",
    name="receptive-field",
    title=Text("How far a convolution sees, and how evenly", "卷积看得多远，看得多匀"),
    shows=Text(
        "the field of a stack grows linearly with depth, geometrically with dilation or stride, so distant tokens are $O(n / k)$ or "
        r"$O(\log_k n)$ layers apart; the gradient fills only about $\sqrt{L}$ of a plain stack's field",
        r"堆叠的感受野随深度线性增长，有扩张或步幅时几何增长，所以远处的词元相隔 $O(n / k)$ 或 $O(\log_k n)$ 层；"
        r"普通堆叠的梯度只集中在感受野中约 $\sqrt{L}$ 宽的范围",
    ),
    kills=Text(
        "a CNN's path length is sequence length over stride; CNNs must be as deep as the sequence is long; everything in the "
        "receptive field counts",
        "CNN 的路径长度是序列长度除以步幅；序列多长 CNN 就得多深；感受野内的输入都起作用",
    ),
    parameters=(
        Parameter("n", "n", Text("tokens", "词元数"), 1000, 8, 2048, 1.0, "int", "log"),
        Parameter("k", "k", Text("kernel width", "核宽"), 3, 2, 9, 1.0, "int"),
        Parameter("layers", "L", Text("layers", "层数"), 20, 1, 20, 1.0, "int"),
        Parameter(
            "dilation",
            r"\text{dilation}",
            Text("dilation of the layers", "各层的扩张率"),
            "none",
            kind="choice",
            choices=(
                Choice("none", Text("none", "不扩张")),
                Choice("doubling", Text("1, 2, 4, 8, …", "1、2、4、8、…")),
                Choice("powers", Text("powers of the kernel width", "核宽的幂")),
            ),
        ),
        Parameter("stride", "s", Text("stride of every layer", "每层的步幅"), 1, 1, 4, 1.0, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "layers_needed",
        Text("layers until the last token sees the first", "最后一个词元看到第一个所需的层数"),
        Text("layers", "层"),
        1.0,
        2047.0,
        "log",
    ),
)
