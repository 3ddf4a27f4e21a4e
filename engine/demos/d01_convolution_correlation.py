"""D01: what a convolution layer computes, and what a shift of its input does to it.

Goodfellow, Bengio, Courville 2016, section 9.1 (correlation, equations 9.4 and 9.6) and 9.2 (equivariance); Lin, Chen, Yan
2014, section 3.2 (global average pooling); Azulay, Weiss 2019, section 2 (what breaks under strides).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points
from engine.nn.convolution import convolve, correlate
from engine.nn.pooling import global_average_pool
from engine.nn.windows import Floats
from engine.proof.step import Expr, Step, defined, equal, let, popular_error, unequal
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
APART = 0.01
"""Two maps of impulses that differ do so by a tap, and no tap is below 1; two means by a tap over n."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers. The kernel is a
# ramp: w_m from (k+1)/2 for all m at a = 0 to 1, 2, …, k at a = 1.
def tap(m: Expr, k: Expr, a: Expr) -> Expr:
    return (k + 1) / 2 + a * (m - (k - 1) / 2)


def partial_sum(first: Expr, last: Expr, k: Expr, a: Expr) -> Expr:
    """Sum of the taps from ``first`` to ``last``."""
    return (last - first + 1) * tap((first + last) / 2, k, a)


def overlap(s: Expr, k: Expr, a: Expr) -> Expr:
    """Sum of w_m w_{m+s}, for 0 <= s <= k: the kernel's autocorrelation; at s = 0 its energy."""
    return (k - s) * ((k + 1) ** 2 / 4 + a**2 * (((k - s) ** 2 - 1) / 12 - s**2 / 4))


def mirror_energy(k: Expr, a: Expr) -> Expr:
    """Sum of (w_m - w_{k-1-m})²: how far the kernel is from its mirror image."""
    return a**2 * k * (k**2 - 1) / 3


def derive() -> tuple[Step, ...]:
    return (*_two_operations(), *_shifts(), *_what_breaks_it())


def _two_operations() -> tuple[Step, ...]:
    import sympy as sp

    z, a = sp.symbols("z a", positive=True)
    k = sp.Symbol("k", integer=True, positive=True)
    m, s = sp.symbols("m s", integer=True, nonnegative=True)
    w = sp.symbols("w_0:3", real=True)

    u, c = sp.symbols("u c", real=True)
    j = sp.Symbol("j", integer=True, positive=True)
    places, squares = (sp.Sum((m - (j - 1) / 2) ** power, (m, 0, j - 1)) for power in (1, 2))
    ramp = ((u, (k + 1) / 2), (c, m - (k - 1 - s) / 2))
    forwards = sum(w[i] * z**i for i in range(3))
    backwards = sum(w[i] / z**i for i in range(3))
    mirrored = sum(w[2 - i] * z**i for i in range(3))
    return (
        defined(
            "two-operations",
            r"(w \star x)_i = \sum_{m} w_m x_{i+m}, \qquad (w * x)_i = \sum_{m} w_m x_{i-m}",
            Text(
                "cross-correlation, which every framework computes under the name of convolution, and convolution; an "
                "image has two such sums, one more over channels, and a bias",
                "前者是互相关，各框架的“卷积”层算的都是它；后者才是数学上的卷积；图像是两重求和，再对通道求和并加偏置",
            ),
        ),
        equal(
            "flip",
            sp.Mul(z**2, backwards, evaluate=False),
            mirrored,
            Text(
                "with $x$ and $w$ as polynomials in $z$, convolution multiplies by $w(z)$ and correlation by $w(1/z)$: "
                "but for a shift, that is convolution with the flipped kernel",
                "把 $x$ 与 $w$ 写成 $z$ 的多项式，卷积是乘以 $w(z)$，互相关是乘以 $w(1/z)$："
                "除了一个平移，它就是用翻转后的核做卷积",
            ),
            bound="k=3",
        ),
        popular_error(
            "convolution-by-name",
            sp.Mul(z**2, backwards, evaluate=False),
            forwards,
            Text(
                "'a convolution layer convolves': only if the kernel is its own mirror image; harmless, since it is learned",
                "“卷积层做的就是卷积”：只有核左右对称时才对；不过核是学出来的，所以无妨",
            ),
            bound="k=3",
        ),
        equal(
            "centred",
            squares,
            j * (j**2 - 1) / 12,
            Text(
                "squares of $j$ equally spaced places, counted from their middle",
                "$j$ 个等距位置到其中点的距离的平方和",
            ),
        ),
        equal(
            "balanced",
            places,
            sp.Integer(0),
            Text("to both sides of the middle they cancel", "中点两侧的位置互相抵消"),
        ),
        let("mean-tap", u, ramp[0][1], Text("the mean tap", "核各项的均值")),
        let(
            "middle",
            c,
            ramp[1][1],
            Text("a place counted from the middle of its pair", "从这一对的中点算起的位置"),
        ),
        equal(
            "two-taps",
            tap(m, k, a) * tap(m + s, k, a),
            u**2 + 2 * u * a * c + a**2 * c**2 - a**2 * s**2 / 4,
            Text(
                "the kernel of this demonstration is a ramp, from flat at $a = 0$ to $1, 2, …, k$ at $a = 1$; the product of two "
                "taps $s$ apart, with $u$ the mean tap and $c$ the place of the pair, counted from its middle",
                "本演示的核是一条斜坡：$a = 0$ 时各项相等，$a = 1$ 时为 $1, 2, …, k$；相距 $s$ 的两项之积，"
                "其中 $u$ 为各项的均值，$c$ 为这一对从中点算起的位置",
            ),
            using=ramp,
        ),
        let("pairs", j, k - s, Text("there are so many pairs", "这样的对数")),
        equal(
            "overlap",
            j * u**2 + 2 * u * a * places + a**2 * squares - j * a**2 * s**2 / 4,
            overlap(s, k, a),
            Text(
                "summed over these pairs: the kernel times itself, moved by $s$; at $s = 0$ its energy",
                "对这些对求和：核与自身平移 $s$ 后的内积；$s = 0$ 时就是核的能量",
            ),
            using=((squares, j * (j**2 - 1) / 12), (places, sp.Integer(0)), ramp[0], (j, k - s)),
        ),
        equal(
            "against-its-mirror",
            tap(m, j, a) - tap(j - 1 - m, j, a),
            2 * a * (m - (j - 1) / 2),
            Text("a tap less its mirror image, in a kernel of $j$ taps", "在 $j$ 项的核里，一项减去它的镜像"),
        ),
        equal(
            "mirror",
            (2 * a) ** 2 * squares,
            mirror_energy(j, a),
            Text(
                "so the kernel is this far from the flipped one: zero only for a palindrome",
                "所以核与翻转后的核相距这么多：只有回文核才为零",
            ),
            using=((squares, j * (j**2 - 1) / 12),),
        ),
    )


def _shifts() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Variance

    n = sp.Symbol("n", integer=True, positive=True)
    w_0, w_1, w_2 = w = sp.symbols("w_0:3", real=True)
    x = sp.symbols("x_0:4", real=True)
    S = sp.MatrixSymbol("S", n, n)
    layer = w_0 * sp.Identity(n) + w_1 * S + w_2 * S**2
    white = dict.fromkeys(x, (0, 1))
    here = sum(w[m] * x[m] for m in range(3))
    there = sum(w[m] * x[m + 1] for m in range(3))
    shift = sp.ImmutableMatrix(4, 4, lambda i, j: int(i == (j + 1) % 4))
    circulant = sp.ImmutableMatrix(4, 4, lambda i, j: [w_1, w_2, 0, w_0][(j - i) % 4])
    return (
        equal(
            "powers-of-a-shift",
            circulant,
            sp.MatAdd(
                sp.MatMul(w_0, shift, evaluate=False),
                sp.MatMul(w_1, sp.eye(4), evaluate=False),
                sp.MatMul(w_2, shift.T, evaluate=False),
                evaluate=False,
            ),
            Text(
                "with circular padding a layer is the same few weights on shifted copies of the input: weight sharing",
                "循环填充时，一层就是用同样几个权重加权输入的平移副本：这就是权重共享",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "equivariance",
            layer * S,
            S * layer,
            Text(
                "so it commutes with a shift $S$, for every length $n$: the map moves with the input; each power of $S$ "
                "follows by repeating",
                "因此它与平移 $S$ 可交换，对任意长度 $n$ 成立：特征图随输入一起移动；平移多步只需重复",
            ),
            bound="k=3",
        ),
        popular_error(
            "sharing-is-invariance",
            sp.MatMul(circulant, shift),
            circulant,
            Text(
                "'weight sharing gives translation invariance': a moved input gives another map",
                "“权重共享带来平移不变性”：输入移动后，特征图就变了",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "how-much-it-changes",
            Variance(here - there, white),
            2 * (w_0**2 + w_1**2 + w_2**2) - 2 * (w_0 * w_1 + w_1 * w_2),
            Text(
                "for a white signal the squared change is twice the kernel's energy less twice its overlap with itself, "
                r"so relative to the map it is $\sqrt{2(1 - \rho_s)}$",
                r"对白噪声信号，变化的平方等于核能量的两倍减去自身重叠的两倍，所以相对变化为 $\sqrt{2(1 - \rho_s)}$",
            ),
            bound="k=3, s=1",
        ),
        equal(
            "pooled",
            sp.MatMul(sp.ones(1, 4), circulant),
            sp.MatMul(w_0 + w_1 + w_2, sp.ones(1, 4), evaluate=False),
            Text(
                "every input enters the sum of the map with the sum of the taps: what is invariant is global average pooling",
                "每个输入都以核各项之和的权重进入特征图的总和：真正不变的是全局平均池化",
            ),
            bound="n=4, k=3",
        ),
    )


def _what_breaks_it() -> tuple[Step, ...]:
    import sympy as sp

    w_0, w_1, w_2 = sp.symbols("w_0:3", real=True)
    a = sp.Symbol("a", positive=True)
    height, width, channels, classes, k = sp.symbols("h w C K k", integer=True, positive=True)
    first, last, m = sp.symbols("p q m", integer=True, nonnegative=True)
    shift = sp.ImmutableMatrix(4, 4, lambda i, j: int(i == (j + 1) % 4))
    swap = sp.ImmutableMatrix([[0, 1], [1, 0]])
    circulant = sp.ImmutableMatrix(4, 4, lambda i, j: [w_1, w_2, 0, w_0][(j - i) % 4])
    banded = sp.ImmutableMatrix(4, 4, lambda i, j: {0: w_1, 1: w_2, -1: w_0}.get(j - i, 0))
    every_second = sp.ImmutableMatrix(2, 4, lambda i, j: int(j == 2 * i))
    ones = sp.ones(1, 4)
    return (
        unequal(
            "zero-padding",
            sp.MatMul(banded, shift),
            sp.MatMul(shift, banded),
            Text(
                "zero padding breaks it at the ends: a shift and the layer no longer commute",
                "零填充在两端打破等变性：平移与卷积层不再可交换",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "boundary-terms",
            sp.MatMul(ones, banded, shift - sp.eye(4)),
            sp.ImmutableMatrix([[w_2, 0, -w_0, w_0 - w_2]]),
            Text(
                "and the mean with it: what a shift by one changes in the sum are boundary terms, the taps that fall outside",
                "均值也随之改变：平移一步时，和的变化只剩边界项，即落在外面的那些核元素",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "taps-that-count",
            sp.Sum(tap(m, k, a), (m, first, last)),
            partial_sum(first, last, k, a),
            Text(
                "a sample near an end enters the mean with the taps $p$ to $q$ that reach it, elsewhere with all of them",
                "靠近两端的样本只通过够得着它的第 $p$ 到 $q$ 项进入均值，其他位置则是全部各项",
            ),
        ),
        unequal(
            "stride",
            sp.MatMul(every_second, circulant, shift),
            sp.MatMul(swap, every_second, circulant),
            Text(
                "a stride of two breaks it for a shift by one, padding or not",
                "步幅为 2 时，平移一步就打破等变性，与填充方式无关",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "stride-keeps",
            sp.MatMul(every_second, circulant, shift, shift),
            sp.MatMul(swap, every_second, circulant),
            Text(
                "and keeps it for a shift by two, which moves the thinned map by one",
                "平移两步则保持：稀疏后的特征图恰好移动一步",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "head",
            sp.Mul(
                height * width * channels * classes,
                sp.Pow(channels * classes, -1, evaluate=False),
                evaluate=False,
            ),
            height * width,
            Text(
                "a fully connected head has one weight for each place of the map, global average pooling none: for "
                "$7 × 7$ maps the head shrinks 49 times",
                "全连接分类头对特征图的每个位置各有一份权重，全局平均池化则不需要：$7 × 7$ 的特征图可省到 49 分之一",
            ),
        ),
    )


def front(k: int) -> int:
    """Places of padding before the signal."""
    return (k - 1) // 2


def predict(p: Params) -> Results:
    n, k, a = int(p.n), int(p.k), float(p.asymmetry)
    s = int(p.shift) % n
    # on a circle a shift by s is also one by n - s the other way
    moved = sum(overlap(lag, k, a) for lag in (s, n - s) if lag < k) if s else overlap(0, k, a)
    places = np.arange(n)
    first, last = np.zeros(n), np.full(n, k - 1.0)
    if p.padding == "zero":
        first = np.maximum(0, places + front(k) - n + 1)
        last = np.minimum(k - 1, places + front(k))
    zero_ends = p.padding == "zero" and k > 1
    return {
        "feature_change": math.sqrt(2 * max(0.0, 1 - moved / overlap(0, k, a))),
        "mirror_gap": math.sqrt(mirror_energy(k, a) / overlap(0, k, a)),
        "weight_in_mean": partial_sum(first, last, k, a) / n,
        "equivariant": not (zero_ends and s),
        "mean_invariant": not (zero_ends and s),
    }


def draw_kernel(p: Params) -> Floats:
    """A ramp (1, 1, k) of mean (k + 1) / 2."""
    middle = (p.k - 1) / 2
    ramp: Floats = (p.k + 1) / 2 + p.asymmetry * (np.arange(p.k) - middle)
    return ramp[None, None]


def shift(x: Floats, s: int) -> Floats:
    return np.roll(x, s, axis=-1)


def feature_map(x: Floats, kernel: Floats, padding: str) -> Floats:
    """The layer, as long as its input: x (batch, 1, n)."""
    return correlate(x, kernel, padding="same", fill="circular" if padding == "circular" else "zero")


def convolution_by_fourier(x: Floats, kernel: Floats, places: NDArray[np.intp], length: int) -> Floats:
    """``places`` of the true convolution of x (n,) and kernel (k,) on a circle of ``length``: a product of spectra."""
    spectrum = np.fft.rfft(x, length) * np.fft.rfft(kernel, length)
    convolved: Floats = np.fft.irfft(spectrum, length)[places]
    return convolved


def measure(p: Params, rng: np.random.Generator) -> Results:
    n, k, s = int(p.n), int(p.k), int(p.shift) % int(p.n)
    kernel = draw_kernel(p)
    x = rng.standard_normal((1, 1, n))
    mapped = feature_map(x, kernel, p.padding)
    # one impulse at each place: together they say what the layer does to a white signal, exactly
    impulses = np.eye(n)[:, None]
    still, moved = (feature_map(signal, kernel, p.padding) for signal in (impulses, shift(impulses, s)))
    # windows that lie wholly inside
    inside = slice(front(k), n - k + 1 + front(k))
    energy = (still[..., inside] ** 2).sum()
    true_convolution = convolve(
        impulses, kernel, padding="same", fill="circular" if p.padding == "circular" else "zero"
    )
    length = n if p.padding == "circular" else n + k - 1
    places = (np.arange(n) + k - 1 - front(k)) % length
    by_fourier = convolution_by_fourier(x[0, 0], kernel[0, 0, ::-1], places, length)
    means = [global_average_pool(signal) for signal in (still, moved)]
    return {
        "signal": x[0, 0],
        "map": mapped[0, 0],
        "map_of_shifted": feature_map(shift(x, s), kernel, p.padding)[0, 0],
        "shifted_map": shift(mapped, s)[0, 0],
        "flip_gap": float(np.abs(by_fourier - mapped[0, 0]).max()),
        "mirror_gap": float(np.sqrt(((true_convolution - still)[..., inside] ** 2).sum() / energy)),
        "feature_change": float(np.sqrt(((moved - still)[..., inside] ** 2).sum() / energy)),
        "equivariance_gap": float(np.abs(moved - shift(still, s)).max()),
        "weight_in_mean": means[0][:, 0],
        "mean_gap": float(np.abs(means[1] - means[0]).max()),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    taps = 8 * ROUNDING * p.k**2
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    broken = Text(
        "not an identity: impulses differ by whole taps", "并非恒等：各脉冲响应相差整个核元素，远超舍入误差"
    )

    def kept(name: str, claim: Text, measured: float, holds: bool) -> Check:
        if holds:
            return Check(name, claim, 0.0, measured, taps, exact)
        return Check(name, claim, 0.0, measured, APART, broken, "!=")

    edges = np.abs(results["weight_in_mean"] - predicted["weight_in_mean"])
    return (
        Check(
            "flipped-kernel",
            Text(
                "the layer against a convolution with the flipped kernel, by Fourier transform",
                "卷积层的输出，与用翻转核经傅里叶变换算出的卷积之差",
            ),
            0.0,
            results["flip_gap"],
            # a transform of n terms and back
            taps * math.log2(p.n) * 8,
            exact,
        ),
        Check(
            "convolution-against-correlation",
            Text(
                "relative difference of convolution and correlation with the same kernel",
                "用同一个核做卷积与互相关，结果的相对差",
            ),
            predicted["mirror_gap"],
            results["mirror_gap"],
            # a square root of the rounding where the two agree exactly
            taps if p.asymmetry else math.sqrt(taps),
            exact,
        ),
        kept(
            "map-of-the-shifted",
            Text(
                "the map of the shifted input against the shifted map of the input",
                "平移后输入的特征图，与输入的特征图平移后之差",
            ),
            results["equivariance_gap"],
            predicted["equivariant"],
        ),
        Check(
            "change-under-a-shift",
            Text("relative change of the map when the input is shifted", "输入平移后，特征图的相对变化"),
            predicted["feature_change"],
            results["feature_change"],
            math.sqrt(taps) if predicted["feature_change"] < 1e-6 else taps / predicted["feature_change"],
            exact,
        ),
        Check(
            "weights-in-the-mean",
            Text(
                "the weight of each sample in the mean of the map, largest difference",
                "每个样本在特征图均值中的权重，最大偏差",
            ),
            0.0,
            float(edges.max()),
            taps,
            exact,
        ),
        kept(
            "mean-of-the-map",
            Text("global average pooling before and after the shift", "平移前后全局平均池化之差"),
            results["mean_gap"],
            predicted["mean_invariant"],
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    place = np.arange(float(p.n))
    together = Text(
        "both ways give the same map: shift then layer, layer then shift; neither is the map of the unshifted input",
        "先平移再过卷积层，与先过卷积层再平移，结果重合；但都不同于未平移输入的特征图",
    )
    apart = Text(
        "the two agree inside and part near the ends, where the zeros of the padding stay while the input moves",
        "两者在内部重合，在两端分开：输入移动了，填充的零却留在原处",
    )
    level = Text(
        "flat: every sample has the same weight in the mean, so a shift cannot change it",
        "一条平线：每个样本在均值中的权重相同，平移改变不了均值",
    )
    drop = Text(
        "lower at the ends: part of the taps that should see these samples fell on no output",
        "两端下降：本该看到这些样本的核元素，有一部分落在输出范围之外",
    )
    top = float(np.max(predicted["weight_in_mean"])) * 1.2
    return (
        Plot(
            Text("Shift the input, or shift its map", "平移输入，还是平移特征图"),
            together if predicted["equivariant"] else apart,
            Axis(Text("place", "位置")),
            Axis(Text("feature map", "特征图")),
            (
                Line(Text("map, input not shifted", "输入未平移"), place, results["map"], "context"),
                Line(Text("layer, then shift", "先卷积后平移"), place, results["shifted_map"], "predicted"),
                Points(
                    Text("shift, then layer", "先平移后卷积"), place, results["map_of_shifted"], "measured"
                ),
            ),
        ),
        Plot(
            Text("Weight of each sample in the mean of the map", "每个样本在特征图均值中的权重"),
            level if p.padding == "circular" or p.k == 1 else drop,
            Axis(Text("place", "位置")),
            Axis(Text("weight", "权重"), low=0.0, high=top),
            (
                Line(Text("predicted", "预测"), place, predicted["weight_in_mean"], "predicted"),
                Points(
                    Text("measured with impulses", "用脉冲测得"), place, results["weight_in_mean"], "measured"
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D01",
    name="convolution-correlation",
    title=Text(
        "A convolution layer correlates; its map moves with the input", "卷积层算的是互相关；特征图随输入移动"
    ),
    shows=Text(
        "a convolution layer computes a cross-correlation, and sharing its weights makes the map equivariant: it moves with the "
        "input; pooling over all of it makes the result invariant, zero padding and strides break both",
        "卷积层计算的是互相关；权重共享使特征图等变，即随输入一起移动；对整张特征图池化才得到不变，零填充与步幅会打破这两点",
    ),
    kills=Text(
        "weight sharing gives translation invariance; the convolution of deep learning is that of mathematics",
        "权重共享带来平移不变性；深度学习里的卷积就是数学上的卷积",
    ),
    parameters=(
        Parameter("n", "n", Text("length of the signal", "信号长度"), 16, 8, 64, 1.0, "int"),
        Parameter("k", "k", Text("kernel width", "核宽"), 3, 1, 7, 1.0, "int"),
        Parameter(
            "asymmetry",
            "a",
            Text("asymmetry of the kernel: flat at 0, a ramp at 1", "核的不对称程度：0 为平，1 为斜坡"),
            1.0,
            0.0,
            1.0,
            0.1,
        ),
        Parameter("shift", "s", Text("shift, on a circle", "循环平移的步数"), 1, 0, 63, 1.0, "int"),
        Parameter(
            "padding",
            r"\text{padding}",
            Text("padding", "填充"),
            "circular",
            kind="choice",
            choices=(
                Choice("circular", Text("circular", "循环填充")),
                Choice("zero", Text("zeros", "零填充")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "feature_change",
        Text("relative change of the feature map when the input is shifted", "输入平移后，特征图的相对变化"),
        Text("", ""),
        0.0,
        2.0,
    ),
)
