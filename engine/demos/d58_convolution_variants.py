"""D58: what grouped, depthwise separable and bottleneck convolutions save, and why time does not follow the operations.

Krizhevsky, Sutskever, Hinton 2012, section 3.2 (groups); Howard et al. 2017, section 3.1 (depthwise separable); He et al. 2016,
section 4.1 (bottleneck); Chellapilla, Puri, Simard 2006 (convolution as a matrix product); Williams, Waterman, Patterson 2009
(roofline); Ma et al. 2018, section 2 (operations against speed).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.convolution import correlate, unfold
from engine.nn.counted import Tally, counted
from engine.nn.grouped_convolution import block_diagonal, grouped_correlate, separable_correlate
from engine.nn.windows import Floats
from engine.proof.step import Expr, Step, defined, equal, ordered, popular_error, unequal
from engine.text import Text, same

ROUNDING = float(np.finfo(float).eps)
BYTES = 4
"""Of one number in single precision."""
RUN_SIDE = 4
"""Side of the map on which the layers run with all their channels; every place costs the same."""
FEW = 8
"""Channels of the layers whose outputs are compared entry by entry."""
LOOP_SIDE, LOOP_CHANNELS = 4, 2
CROP, IMAGE, CROP_CHANNELS, CLASSES = (4, 5), (6, 8), 3, 2


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers. P is the number of
# places, the same before and after; g the number of groups, C_in for a depthwise layer.
def weights(k: Expr, c_in: Expr, c_out: Expr, g: Expr) -> Expr:
    return k**2 * c_in * c_out / g


def multiplications(places: Expr, k: Expr, c_in: Expr, c_out: Expr, g: Expr) -> Expr:
    return places * k**2 * c_in * c_out / g


def words(places: Expr, k: Expr, c_in: Expr, c_out: Expr, g: Expr) -> Expr:
    """Numbers that pass between memory and chip at least: input, output and weights, each once."""
    return places * (c_in + c_out) + weights(k, c_in, c_out, g)


def separable_share(k: Expr, c_out: Expr) -> Expr:
    """Multiplications, and weights, of a depthwise separable layer against the full one."""
    return 1 / c_out + 1 / k**2


def bottleneck_weights(k: Expr, c: Expr, r: Expr) -> Expr:
    """Down to c / r channels, a k x k layer there, and back up."""
    return 2 * c**2 / r + k**2 * c**2 / r**2


def unfolded_share(k: Expr) -> Expr:
    """Entries of the unfolded input against those of the input, at stride 1 with padding that keeps the size."""
    return k**2


def derive() -> tuple[Step, ...]:
    return (*_counts(), *_channels(), *_memory())


def _counts() -> tuple[Step, ...]:
    import sympy as sp

    k, c_in, c_out, g, P = sp.symbols("k C_in C_out g P", integer=True, positive=True)
    C, r, d = sp.symbols("C r d", integer=True, positive=True)
    one = sp.Integer(1)
    p, o, c, m, n = sp.symbols("p o c m n", integer=True, positive=True)

    def over(numerator: Expr, denominator: Expr) -> Expr:
        return sp.Mul(numerator, sp.Pow(denominator, -1, evaluate=False), evaluate=False)

    full = multiplications(P, k, c_in, c_out, one)
    separable = multiplications(P, k, c_in, c_in, c_in) + multiplications(P, 1, c_in, c_out, one)
    return (
        defined(
            "grouped-layer",
            r"y_{o,i} = \sum_{c \in \text{group of } o} \sum_{m} w_{o,c,m}\, x_{c,i+m}",
            Text(
                "an output channel sees the input channels of its group; one group is the usual layer, as many groups as channels "
                "the depthwise one",
                "输出通道只看本组的输入通道；一个组就是普通卷积，组数等于通道数就是深度卷积",
            ),
        ),
        equal(
            "full-count",
            sp.Sum(1, (p, 1, P), (o, 1, c_out), (c, 1, c_in), (m, 1, k), (n, 1, k)),
            full,
            Text(
                "one multiplication for each place, output channel, input channel and tap",
                "每个位置、输出通道、输入通道和抽头各一次乘法",
            ),
        ),
        equal(
            "grouped-share",
            over(multiplications(P, k, c_in, c_out, g), full),
            1 / g,
            Text("$g$ groups cost a $g$-th", "分成 $g$ 组，开销是 $g$ 分之一"),
        ),
        equal(
            "separable-share",
            over(separable, full),
            separable_share(k, c_out),
            Text(
                "a filter for each channel, then a mixture of channels at each place: space and channels apart",
                "每个通道一个滤波器，再在每个位置混合通道：空间与通道分开处理",
            ),
        ),
        equal(
            "bottleneck",
            sp.Subs(weights(1, C, d, one) + weights(k, d, d, one) + weights(1, d, C, one), d, C / r),
            bottleneck_weights(k, C, r),
            Text(
                "a bottleneck: the $k × k$ layer works on an $r$-th of the channels, so its cost falls with $r^2$",
                "瓶颈结构：$k × k$ 的层只在 $r$ 分之一的通道上工作，开销按 $r^2$ 下降",
            ),
        ),
    )


def _channels() -> tuple[Step, ...]:
    import sympy as sp

    a, b = sp.symbols("a_1:9", real=True), sp.symbols("b_1:9", real=True)
    first, second = (
        sp.ImmutableMatrix([[s[0], s[1], 0, 0], [s[2], s[3], 0, 0], [0, 0, s[4], s[5]], [0, 0, s[6], s[7]]])
        for s in (a, b)
    )
    x, y = sp.symbols("x y", real=True)
    shuffle = sp.ImmutableMatrix(4, 4, lambda i, j: int(j == [0, 2, 1, 3][i]))
    upper = sp.ImmutableMatrix([[1, 0, 0, 0], [0, 1, 0, 0]])
    lower = sp.ImmutableMatrix([[0, 0], [0, 0], [1, 0], [0, 1]])
    mix = sp.ImmutableMatrix([[a[0], a[1]], [a[2], a[3]]])
    pixel = sp.ImmutableMatrix([[x], [y]])
    return (
        equal(
            "groups-never-meet",
            sp.MatMul(upper, second, first, lower),
            sp.zeros(2, 2),
            Text(
                "two grouped layers on top of each other: no output of the first group sees an input of the second",
                "两层分组卷积叠在一起：第一组的输出始终看不到第二组的输入",
            ),
            bound="C=4, g=2, k=1",
        ),
        unequal(
            "shuffled-groups-meet",
            sp.MatMul(upper, second, shuffle, first, lower),
            sp.zeros(2, 2),
            Text(
                "with a shuffle of the channels in between they do",
                "中间打乱一次通道，就看得到了",
            ),
            bound="C=4, g=2, k=1",
        ),
        popular_error(
            "depth-joins-the-groups",
            sp.MatMul(second, first),
            sp.MatMul(second, shuffle, first),
            Text(
                "'grouped layers mix all channels once they are stacked': a shuffle would then change nothing of note; it does",
                "“分组卷积叠起来自然会混合所有通道”：那样打乱与否就没有差别；其实有",
            ),
            bound="C=4, g=2, k=1",
        ),
        popular_error(
            "pointwise-only-rescales",
            sp.MatMul(mix, pixel),
            sp.ImmutableMatrix([[a[0] * x], [a[3] * y]]),
            Text(
                "'a kernel of one pixel can only rescale': at every place it is a fully connected layer over the channels",
                "“1 × 1 的核只能缩放”：在每个位置上，它是对通道的全连接层",
            ),
            bound="C=2",
        ),
    )


def _memory() -> tuple[Step, ...]:
    import sympy as sp

    k, C, P, c_out = sp.symbols("k C P C_out", integer=True, positive=True)
    x = sp.symbols("x_1:10", real=True)
    w = sp.symbols("w_1:5", real=True)
    image = sp.ImmutableMatrix(3, 3, x)
    corners = [(0, 0), (0, 1), (1, 0), (1, 1)]
    unfolded = sp.ImmutableMatrix(
        4, 4, lambda i, j: image[corners[i][0] + corners[j][0], corners[i][1] + corners[j][1]]
    )
    banded = sp.ImmutableMatrix(
        4,
        9,
        lambda i, j: sum(
            w[t] for t, (m, n) in enumerate(corners) if 3 * (corners[i][0] + m) + corners[i][1] + n == j
        ),
    )
    depthwise, moved = multiplications(P, k, C, C, C), words(P, k, C, C, C)
    one = sp.Integer(1)
    return (
        equal(
            "unfold",
            sp.MatMul(unfolded, sp.ImmutableMatrix(w)),
            sp.MatMul(banded, sp.ImmutableMatrix(x)),
            Text(
                "im2col: every window becomes a row, and the layer one matrix product; the multiplications stay the same",
                "im2col：每个窗口成为一行，整层变成一次矩阵乘法；乘法次数不变",
            ),
            bound="3×3, k=2",
        ),
        equal(
            "unfolded-size",
            sp.Mul(P * C * k**2, sp.Pow(P * C, -1, evaluate=False), evaluate=False),
            unfolded_share(k),
            Text(
                "the price is memory: each input stands in so many rows",
                "代价是内存：每个输入出现在这么多行里",
            ),
        ),
        ordered(
            "few-operations-a-word",
            depthwise / moved,
            "<",
            k**2 / 2,
            Text(
                "a depthwise layer does fewer than $k^2 / 2$ multiplications for each number moved, however many channels it has",
                "深度卷积每搬运一个数，乘法不到 $k^2 / 2$ 次，通道再多也是如此",
            ),
            witness=k**4 / (2 * (2 * P + k**2)),
        ),
        popular_error(
            "time-follows-operations",
            sp.Mul(
                words(P, k, C, C, C) + words(P, one, C, c_out, one),
                sp.Pow(words(P, k, C, c_out, one), -1, evaluate=False),
                evaluate=False,
            ),
            separable_share(k, c_out),
            Text(
                "'a ninth of the operations takes a ninth of the time': what is moved does not shrink in that proportion, and a layer "
                "that waits for memory is as slow as its traffic",
                "“运算量降到九分之一，时间也就降到九分之一”：搬运量并不按这个比例减少，而等待内存的层，快慢取决于搬运量",
            ),
        ),
    )


class Cost(NamedTuple):
    """Of one layer: scalar multiplications, weights, and numbers moved at least."""

    products: float
    weights: float
    words: float


def predicted_cost(places: int, k: int, c_in: int, c_out: int, g: int) -> Cost:
    return Cost(
        multiplications(places, k, c_in, c_out, g),
        weights(k, c_in, c_out, g),
        words(places, k, c_in, c_out, g),
    )


def least_time(costs: list[Cost], balance: float) -> float:
    """Time of layers one after the other, in operations of the chip: each is held up by its arithmetic or by its traffic."""
    return sum(max(2 * cost.products, balance * BYTES * cost.words) for cost in costs)


def intensity(cost: Cost) -> float:
    """Operations a byte, an addition and a multiplication each being one."""
    return 2 * cost.products / (BYTES * cost.words)


def shapes(p: Params) -> dict[str, list[tuple[int, int, int, int]]]:
    """(k, C_in, C_out, g) of the layers of each block."""
    k, c_in, c_out = int(p.k), int(p.c_in), int(p.c_out)
    inner = c_in // int(p.reduction)
    return {
        "full": [(k, c_in, c_out, 1)],
        "grouped": [(k, c_in, c_out, int(p.groups))],
        "separable": [(k, c_in, c_in, c_in), (1, c_in, c_out, 1)],
        "bottleneck": [(1, c_in, inner, 1), (k, inner, inner, 1), (1, inner, c_in, 1)],
    }


def totals(costs: dict[str, list[Cost]], balance: float) -> Results:
    """The named quantities, from the costs of each block's layers, predicted or counted."""
    full, depthwise = costs["full"][0], costs["separable"][0]
    products = {name: sum(cost.products for cost in layers) for name, layers in costs.items()}
    return {
        **{f"{name}_multiplications": count for name, count in products.items()},
        **{f"{name}_weights": sum(cost.weights for cost in layers) for name, layers in costs.items()},
        "saving": products["full"] / products["separable"],
        "intensity_full": intensity(full),
        "intensity_depthwise": intensity(depthwise),
        "intensity_pointwise": intensity(costs["separable"][1]),
        "intensity_grouped": intensity(costs["grouped"][0]),
        "speedup": least_time([full], balance) / least_time(costs["separable"], balance),
    }


def predict(p: Params) -> Results:
    places, k = int(p.side) ** 2, int(p.k)
    costs = {name: [predicted_cost(places, *shape) for shape in layers] for name, layers in shapes(p).items()}
    found = totals(costs, float(p.balance))
    inner = int(p.reduction)
    found["bottleneck_weights"] = bottleneck_weights(k, int(p.c_in), inner)
    found["saving"] = 1 / separable_share(k, int(p.c_out))
    loop = multiplications(LOOP_SIDE**2, k, LOOP_CHANNELS, LOOP_CHANNELS, 1)
    return {**found, "im2col_expansion": unfolded_share(k), "loop_multiplications": loop}


def unfolded_layer(x: Floats, weight: Floats, groups: int, tally: Tally) -> Floats:
    """The layer as matrix products that count: x (C_in, n, n), weight (C_out, C_in / groups, k, k), y (C_out, n, n)."""
    c_in, side, _ = x.shape
    c_out, _, k, _ = weight.shape
    rows = unfold(
        x.reshape(groups, c_in // groups, side, side), (k, k), padding="same"
    )  # (g, n, n, C_in / g k²)
    flat = np.ascontiguousarray(rows.reshape(groups, side * side, -1))  # (g, P, C_in / g k²)
    kernels = weight.reshape(groups, c_out // groups, -1).swapaxes(1, 2)  # (g, C_in / g k², C_out / g)
    y = np.asarray(counted(flat, tally) @ kernels)  # (g, P, C_out / g)
    return y.swapaxes(1, 2).reshape(c_out, side, side)


def counted_cost(p: Params, shape: tuple[int, int, int, int], rng: np.random.Generator) -> Cost:
    """Of a layer that runs with all its channels on a small map; its places are those of the large one."""
    k, c_in, c_out, g = shape
    weight = rng.random((c_out, c_in // g, k, k), dtype=np.float32)
    tally = Tally()
    y = unfolded_layer(np.ones((c_in, RUN_SIDE, RUN_SIDE), np.float32), weight, g, tally)
    places = unfold(np.zeros((1, p.side, p.side)), (k, k), padding="same")[..., 0].size
    moved = places * (c_in + y.shape[0]) + weight.size
    return Cost(tally.in_products / y[0].size * places, weight.size, moved)


def loop_over_taps(x: Floats, weight: Floats, tally: Tally) -> Floats:
    """The layer without unfolding: one product of arrays for each tap and pair of channels."""
    c_out, c_in, k, _ = weight.shape
    side = x.shape[-1]
    before = (k - 1) // 2
    padded = np.pad(x, ((0, 0), (before, k - 1 - before), (before, k - 1 - before)))
    y = np.zeros((c_out, side, side))
    for o, c, m, n in np.ndindex(c_out, c_in, k, k):
        # y[o, i, j] += w[o, c, m, n] x[c, i + m, j + n]
        y[o] += np.asarray(counted(padded[c, m : m + side, n : n + side], tally) * weight[o, c, m, n])
    return y


def agreements(p: Params, rng: np.random.Generator) -> Results:
    """Largest differences between two ways to the same outputs."""
    k = int(p.k)
    g = min(int(p.groups), FEW)
    x = rng.standard_normal((FEW, RUN_SIDE, RUN_SIDE))
    weight = rng.standard_normal((FEW, FEW // g, k, k))
    full = block_diagonal(weight, g)
    by_channel, mixture = rng.standard_normal((FEW, 1, k, k)), rng.standard_normal((FEW, FEW, 1, 1))
    whole = correlate(x, full, padding="same")
    separable = separable_correlate(x, by_channel, mixture, padding="same")

    small = rng.standard_normal((LOOP_CHANNELS, LOOP_SIDE, LOOP_SIDE))
    kernel = rng.standard_normal((LOOP_CHANNELS, LOOP_CHANNELS, k, k))
    looped, unfolded = Tally(), Tally()
    loop_gap = loop_over_taps(small, kernel, looped) - unfolded_layer(small, kernel, 1, unfolded)

    # a head that was trained on crops, as a matrix and as a kernel
    head = rng.standard_normal((CLASSES, CROP_CHANNELS, *CROP))
    image = rng.standard_normal((CROP_CHANNELS, *IMAGE))
    scores = correlate(image, head)  # (classes, places)
    crops = [
        head.reshape(CLASSES, -1) @ image[:, i : i + CROP[0], j : j + CROP[1]].reshape(-1)
        for i, j in np.ndindex(*scores.shape[1:])
    ]
    return {
        "im2col_gap": float(np.abs(unfolded_layer(x, full, 1, Tally()) - whole).max()),
        "grouped_gap": float(np.abs(grouped_correlate(x, weight, groups=g, padding="same") - whole).max()),
        "separable_gap": float(
            np.abs(separable - correlate(x, mixture * by_channel[:, 0], padding="same")).max()
        ),
        "loop_gap": float(np.abs(loop_gap).max()),
        "loop_multiplications": looped.between_entries,
        "unfolded_multiplications": unfolded.in_products,
        "im2col_expansion": unfold(x, (k, k), padding="same").size / x.size,
        "head_gap": float(np.abs(scores.reshape(CLASSES, -1) - np.array(crops).T).max()),
        "head_places": len(crops),
    }


def measure(p: Params, rng: np.random.Generator) -> Results:
    costs = {name: [counted_cost(p, shape, rng) for shape in layers] for name, layers in shapes(p).items()}
    return {**totals(costs, float(p.balance)), **agreements(p, rng)}


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counting = Text("exact count", "精确计数")
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    names = {
        "full": Text("full layer", "普通卷积"),
        "grouped": Text("grouped layer", "分组卷积"),
        "separable": Text("depthwise separable layer", "深度可分离卷积"),
        "bottleneck": Text("bottleneck", "瓶颈结构"),
    }
    counts = {"multiplications": Text("multiplications", "乘法次数"), "weights": Text("weights", "权重数")}
    # sums of at most FEW k² products of normal numbers
    slack = 64 * ROUNDING * FEW * int(p.k) ** 2
    ratio = 64 * ROUNDING
    return (
        *(
            Check(
                f"{block}-{what}",
                Text(f"{of.en}: {name.en}", f"{name.zh}：{of.zh}"),
                predicted[f"{block}_{what}"],
                results[f"{block}_{what}"],
                0.0,
                counting,
            )
            for block, name in names.items()
            for what, of in counts.items()
        ),
        *(
            Check(name, claim, predicted[key], results[key], ratio * abs(predicted[key]), exact)
            for name, key, claim in (
                (
                    "saving",
                    "saving",
                    Text("full against separable multiplications", "普通与可分离的乘法次数之比"),
                ),
                (
                    "intensity-full",
                    "intensity_full",
                    Text("operations per byte, full", "普通卷积每字节的运算数"),
                ),
                (
                    "intensity-depthwise",
                    "intensity_depthwise",
                    Text("operations per byte, depthwise", "深度卷积每字节的运算数"),
                ),
                ("speedup", "speedup", Text("ratio of the least times", "最短时间之比")),
            )
        ),
        Check(
            "im2col-expansion",
            Text("entries of the unfolded input against the input", "展开后的元素数与输入之比"),
            predicted["im2col_expansion"],
            results["im2col_expansion"],
            0.0,
            counting,
        ),
        Check(
            "im2col-saves-nothing",
            Text("multiplications of the loop, and of the matrix product", "逐抽头循环与矩阵乘法的乘法次数"),
            results["loop_multiplications"],
            results["unfolded_multiplications"],
            0.0,
            counting,
        ),
        Check(
            "loop-multiplications",
            Text("multiplications of the loop", "逐抽头循环的乘法次数"),
            predicted["loop_multiplications"],
            results["loop_multiplications"],
            0.0,
            counting,
        ),
        *(
            Check(name, claim, 0.0, results[key], slack, exact)
            for name, key, claim in (
                ("im2col", "im2col_gap", Text("matrix product against convolution", "矩阵乘法与卷积之差")),
                ("loop", "loop_gap", Text("loop against matrix product", "循环与矩阵乘法之差")),
                ("grouped", "grouped_gap", Text("grouped against block-diagonal", "分组与块对角卷积之差")),
                (
                    "separable",
                    "separable_gap",
                    Text(
                        "separable against a full layer with factored weights",
                        "可分离与权重可分解的普通卷积之差",
                    ),
                ),
                (
                    "head-slides",
                    "head_gap",
                    Text("head as a kernel against head on each crop", "分类头作为核滑动与逐个裁块计算之差"),
                ),
            )
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    balance = float(p.balance)
    x = np.geomspace(0.25, 512, 60)
    marks = ("intensity_full", "intensity_grouped", "intensity_pointwise", "intensity_depthwise")
    at = np.array([results[name] for name in marks])
    return (
        Bars(
            Text("Multiplications of one block", "一个模块的乘法次数"),
            Text(
                "groups save in proportion to their number; with many channels the separable layer saves nearly the area of the kernel",
                "分组卷积按组数成比例地省；通道多时，可分离卷积省下的倍数接近核的面积",
            ),
            Axis(Text("multiplications", "乘法次数"), "log"),
            tuple(
                Bar(label, float(results[f"{name}_multiplications"]))
                for name, label in (
                    ("full", Text("full", "普通")),
                    ("grouped", Text("grouped", "分组")),
                    ("separable", Text("separable", "可分离")),
                    ("bottleneck", Text("bottleneck", "瓶颈")),
                )
            ),
        ),
        Plot(
            Text("Roofline", "屋顶线模型"),
            Text(
                "left of the ridge a layer waits for memory and gets only a part of the chip's speed; the depthwise layer stands leftmost",
                "脊点左侧的层在等内存，只能用到芯片的一部分算力；深度卷积在最左边",
            ),
            Axis(Text("operations per byte", "每字节运算数"), "log"),
            Axis(Text("share of the chip's speed", "可用算力占比"), "log"),
            (
                Line(Text("attainable", "上限"), x, np.minimum(1.0, x / balance), "predicted"),
                Points(
                    Text("full, grouped, pointwise, depthwise", "普通、分组、逐点、深度"),
                    at,
                    np.minimum(1.0, at / balance),
                ),
                Rule(Text("balance of the chip", "芯片的平衡点"), balance, "x", "context"),
            ),
        ),
    )


def _sizes(values: tuple[int, ...]) -> tuple[Choice, ...]:
    return tuple(Choice(str(value), same(str(value))) for value in values)


DEMO = Demonstration(
    id="D58",
    name="convolution-variants",
    title=Text("Cheaper convolutions, in operations and in time", "更省的卷积：省了多少运算，省了多少时间"),
    shows=Text(
        "a depthwise separable layer does $1/C_{\\text{out}} + 1/k^2$ of the multiplications of a full one, a grouped one $1/g$; but a "
        "depthwise layer does fewer than $k^2/2$ multiplications for each number it moves, so it waits for memory",
        "深度可分离卷积的乘法次数是普通卷积的 $1/C_{\\text{out}} + 1/k^2$，分组卷积是 $1/g$；但深度卷积每搬运一个数，乘法不到 "
        "$k^2/2$ 次，所以总在等内存",
    ),
    kills=Text(
        "a ninth of the operations takes a ninth of the time; im2col saves operations; a 1 by 1 convolution only rescales",
        "运算量降到九分之一，时间就降到九分之一；im2col 节省运算；1 乘 1 卷积只是缩放",
    ),
    parameters=(
        Parameter(
            "side", "H", Text("side of the square map", "方形特征图的边长"), 14, 4, 112, 1.0, "int", "log"
        ),
        Parameter(
            "c_in",
            r"C_{\text{in}}",
            Text("channels in", "输入通道数"),
            "128",
            kind="choice",
            choices=_sizes((16, 32, 64, 128, 256)),
        ),
        Parameter(
            "c_out",
            r"C_{\text{out}}",
            Text("channels out", "输出通道数"),
            "128",
            kind="choice",
            choices=_sizes((16, 32, 64, 128, 256)),
        ),
        Parameter("k", "k", Text("kernel width", "核宽"), 3, 1, 5, 1.0, "int"),
        Parameter(
            "groups", "g", Text("groups", "组数"), "8", kind="choice", choices=_sizes((1, 2, 4, 8, 16))
        ),
        Parameter(
            "reduction",
            "r",
            Text("reduction of the bottleneck", "瓶颈的通道压缩倍数"),
            "4",
            kind="choice",
            choices=_sizes((2, 4, 8)),
        ),
        Parameter(
            "balance",
            "B",
            Text("operations the chip does while it moves a byte", "芯片搬运一个字节的时间里能做的运算数"),
            16.0,
            1.0,
            256.0,
            1.0,
            scale="log",
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "speedup",
        Text(
            "how many times shorter the least time of the separable layer is, each layer bounded by arithmetic or memory",
            "可分离卷积快多少倍（各层受运算或内存限制的最短时间之比）",
        ),
        Text("times", "倍"),
        0.1,
        50.0,
        "log",
    ),
)
