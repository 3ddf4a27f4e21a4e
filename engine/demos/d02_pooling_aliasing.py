"""D02: max-pooling is not invariant to a small shift, and is not always the better detector.

Azulay, Weiss 2019, section 2, and Zhang 2019, section 3 (aliasing, blur before thinning out); Boureau, Ponce, LeCun 2010,
section 3 (maximum against mean: sparsity and cardinality decide).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from engine import tolerance
from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.deviation import ALARM, bernstein_band
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.pooling import average_pool, blur, max_blur_pool, max_pool
from engine.nn.windows import Floats
from engine.proof.step import Expr, Step, cited, defined, equal, let, ordered, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
PERIOD = 20
"""Samples in one period of the slow sine."""
LENGTH = 240
"""Samples of the drawn signals: a multiple of the period and of every window, so that they close to a circle."""
LONG = 1200
"""Samples of the noise that the blur is tried on."""
WIDEST_BLUR = 5
SHOWN = 16
"""Pooled places that the plot shows."""
NORMALS = 80_000
"""Units drawn for the detection trials, with and without a feature each."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def unchanged_share(p: Expr, s: Expr) -> Expr:
    """P(window of p keeps its maximum under a shift by s <= p): the largest of p + s values lies in the overlap."""
    return (p - s) / (p + s)


def square_of_maximum(p: Expr) -> Expr:
    """E[M²] of the largest of p values, uniform on (-1, 1)."""
    return 1 - 4 * p / ((p + 1) * (p + 2))


def square_of_change(p: Expr, s: Expr) -> Expr:
    """E[(M' - M)²] for two windows of p such values, moved by s <= p against each other."""
    return 16 * s / ((p + 1) * (p + 2) * (p + s + 2))


def blurred_overlap(taps: int, s: int) -> Fraction:
    """Autocorrelation at s of a binomial filter, relative to that at 0."""
    b = taps - 1
    return Fraction(math.comb(2 * b, b + s), math.comb(2 * b, b))


def spread_of_mean_difference(c: Expr) -> Expr:
    """Variance of the difference of two means of c unit normals."""
    return 2 / c


def largest_is_noise(t: Expr, c: Expr, below: Expr) -> Expr:
    """Density at t = Φ(x) of the largest of c units of noise, times P(the other patch stays below x)."""
    return c * t ** (c - 1) * below


def derive() -> tuple[Step, ...]:
    return (*_shifts(), *_blur(), *_detection())


def _shifts() -> tuple[Step, ...]:
    import sympy as sp

    p, s = sp.symbols("p s", integer=True, positive=True)
    t, u, v = sp.symbols("t u v", positive=True)
    x = sp.symbols("x_1:5", real=True)
    square, mixed, mean = sp.symbols("E_2 E_11 E_1", positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    both = 1 - 2 / (p + 1) + 2 / ((p + 1) * (p + s + 2))

    def pooled(signal: tuple[Expr, ...]) -> Expr:
        return sp.ImmutableMatrix([[sp.Max(*signal[:2]), sp.Max(*signal[2:])]])

    moments = ((square, p / (p + 2)), (mixed, both), (mean, p / (p + 1)))
    return (
        popular_error(
            "small-shifts-do-nothing",
            pooled((x[3], *x[:3])),
            pooled(x),
            Text(
                "'a small shift of the input leaves the pooled output unchanged': shift four samples by one on a circle",
                "“输入的小平移不改变池化输出”：把四个样本循环平移一步即可看出",
            ),
            bound="n=4, p=2",
        ),
        equal(
            "whole-windows",
            pooled((x[2], x[3], x[0], x[1])),
            sp.MatMul(pooled(x), sp.ImmutableMatrix([[0, 1], [1, 0]])),
            Text(
                "only a shift by whole windows is harmless: it moves the pooled map by one",
                "只有平移整数个窗口才无妨：池化后的特征图恰好移动一步",
            ),
            bound="n=4, p=2",
        ),
        equal(
            "unchanged",
            sp.Sum(1 / (p + s), (i, 1, p - s)),
            unchanged_share(p, s),
            Text(
                "for independent values of any continuous law: two windows moved by $s$ hold $p + s$ of them, each the largest "
                "with the same chance, and share their maximum if it is one of the $p - s$ in both; with $p = 2$, $s = 1$ a third",
                "对任意连续分布的独立取值：相距 $s$ 的两个窗口共含 $p + s$ 个值，每个成为最大值的机会相等；"
                "只有它落在二者共有的 $p - s$ 个之中，最大值才不变；$p = 2$、$s = 1$ 时为三分之一",
            ),
        ),
        equal(
            "second-moment",
            sp.Derivative(p / (p + 2) * t ** (p + 2), t),
            t**2 * p * t ** (p - 1),
            Text(
                "the largest of $p$ values uniform on $(0, 1)$ has density $p t^{p-1}$; from 0 to 1 its square averages $p / (p + 2)$",
                "$(0, 1)$ 上 $p$ 个均匀取值的最大值，密度为 $p t^{p-1}$；从 0 积到 1，其平方的均值为 $p / (p + 2)$",
            ),
        ),
        equal(
            "first-moment",
            sp.Derivative(p / (p + 1) * t ** (p + 1), t),
            t * p * t ** (p - 1),
            Text("and itself $p / (p + 1)$", "其自身的均值为 $p / (p + 1)$"),
        ),
        equal(
            "inner",
            sp.Derivative(v**s * u ** (p + 1) / (p + 1), u),
            v**s * u**p,
            Text(
                "both maxima stay below $u < v$ with probability $u^s v^s u^{p-s}$: first over $u$ up to $v$",
                "两个最大值分别不超过 $u < v$ 的概率为 $u^s v^s u^{p-s}$：先对 $u$ 积到 $v$",
            ),
        ),
        equal(
            "mixed-moment",
            sp.Derivative(2 / ((p + 1) * (p + s + 2)) * v ** (p + s + 2), v),
            2 * v**s * v ** (p + 1) / (p + 1),
            Text(
                r"then over $v$, twice, for either order; with $E[M M'] = \int\int P(M > u, M' > v)$ that gives the mean product",
                r"再对 $v$ 积分，两种次序共两份；由 $E[M M'] = \int\int P(M > u, M' > v)$ 便得乘积的均值",
            ),
        ),
        *(
            let(f"moment-{index}", symbol, value, Text("these three by name", "给以上三者命名"))
            for index, (symbol, value) in enumerate(moments)
        ),
        equal(
            "square-of-maximum",
            4 * square - 4 * mean + 1,
            square_of_maximum(p),
            Text("stretched to $(-1, 1)$, as in the experiment", "像实验那样拉伸到 $(-1, 1)$"),
            using=moments,
        ),
        equal(
            "square-of-change",
            4 * (2 * square - 2 * mixed),
            square_of_change(p, s),
            Text(
                "so the pooled map changes by this much: with $p = 2$, $s = 1$ by 0.89 of its own size",
                "因此池化后的特征图变化这么多：$p = 2$、$s = 1$ 时为自身大小的 0.89 倍",
            ),
            using=moments,
        ),
    )


def _blur() -> tuple[Step, ...]:
    import sympy as sp

    theta, psi = sp.symbols("theta psi", real=True)
    z = sp.Symbol("z", positive=True)

    def autocorrelation(b: int) -> Expr:
        lags = range(-b, b + 1)
        return sum(math.comb(2 * b, b) * sp.Rational(blurred_overlap(b + 1, abs(s))) * z**s for s in lags)

    return (
        equal(
            "frequency-response",
            (2 + 2 * sp.cos(2 * theta)) / 4,
            sp.cos(theta) ** 2,
            Text(
                r"thinning out folds fast oscillations onto slow ones; the blur $[1, 2, 1] / 4$ weakens a wave of frequency "
                r"$2\theta$ by $\cos^2 \theta$ and removes the fastest",
                r"抽取会把快的振荡混叠成慢的；模糊核 $[1, 2, 1] / 4$ 把频率为 $2\theta$ 的波衰减为 $\cos^2 \theta$ 倍，并完全去掉最快的",
            ),
        ),
        equal(
            "sine",
            sp.sin(theta) - sp.sin(theta - 2 * psi),
            2 * sp.sin(psi) * sp.cos(theta - psi),
            Text(
                r"a slow wave needs no blur: shifted by the phase $2\psi$ it changes by $2 |\sin \psi|$ of its size, thinned out or not",
                r"缓慢的波不需要模糊：相位移动 $2\psi$ 时，无论是否抽取，变化都是自身大小的 $2 |\sin \psi|$ 倍",
            ),
        ),
        equal(
            "blurred-noise",
            sp.ImmutableMatrix([[((1 + z) * (1 + 1 / z)) ** b for b in range(1, WIDEST_BLUR)]]),
            sp.ImmutableMatrix([[autocorrelation(b) for b in range(1, WIDEST_BLUR)]]),
            Text(
                r"for white noise the change is $\sqrt{2(1 - \rho_s)}$, with $\rho_s$ the overlap of the blur with itself: the "
                "coefficient of $z^s$ over that of 1, for $b + 1$ taps; it grows with the blur's width",
                r"白噪声的变化为 $\sqrt{2(1 - \rho_s)}$，其中 $\rho_s$ 是模糊核与自身平移后的重叠：对 $b + 1$ 项的核，是 $z^s$ 的系数与常数项之比；"
                "它随模糊宽度增大",
            ),
            bound="1≤b≤4",
        ),
        cited(
            "anti-aliasing",
            r"\operatorname{MaxPool}_{p,p} \to \operatorname{Subsample}_{p} \circ \operatorname{Blur} \circ \operatorname{Max}_{p,1}",
            Text(
                "the cure: take the maximum at every place, blur, then thin out; consistency rises, at little cost",
                "解决办法：逐位置取最大值，先模糊再抽取；平移一致性提高，代价很小",
            ),
            "Zhang 2019, section 3.2",
        ),
    )


def _detection() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Variance

    c, i = sp.symbols("c i", integer=True, positive=True)
    t = sp.Symbol("t", positive=True)
    a, b = sp.symbols("a_i b_i", real=True)
    deviation = 1 / sp.sqrt(1 - 1 / sp.pi)
    return (
        defined(
            "detection",
            r"a_i = n_i + h\,[i = 1] \ \text{ or } \ a_i = n_i + \delta, \qquad b_i = n'_i, \qquad n_i, n'_i \sim N(0, 1)",
            Text(
                "a patch of $c$ units with a feature, in one unit or in all, against one of noise; the larger pooled value "
                "is taken for the feature",
                "一个含特征的区域（特征在一个单元或在全部 $c$ 个单元里）与一个纯噪声区域相比；池化值大的判为含特征",
            ),
        ),
        equal(
            "mean-spread",
            sp.Sum(Variance((a - b) / c, {a: (0, 1), b: (0, 1)}), (i, 1, c)),
            spread_of_mean_difference(c),
            Text(
                "means: a spike leads by $h / c$, a feature in all units by $\\delta$, over this variance",
                "平均池化：单个尖峰领先 $h / c$，遍布全部单元的特征领先 $\\delta$，方差如此",
            ),
        ),
        equal(
            "coin-toss",
            sp.Derivative(t**c - t ** (2 * c) / 2, t),
            largest_is_noise(t, c, 1 - t**c),
            Text(
                "maxima: without a feature the patch wins with probability $1 - 1/2$; with one, $t^c$ becomes the law of its own largest unit",
                "最大池化：没有特征时胜率为 $1 - 1/2$；有特征时，把 $t^c$ 换成该区域自身最大值的分布即可",
            ),
        ),
        equal(
            "mean-of-two",
            sp.Derivative(-sp.exp(-(t**2) / 4) / sp.sqrt(sp.pi), t),
            t * sp.exp(-(t**2) / 4) / sp.sqrt(4 * sp.pi),
            Text(
                r"the larger of two unit normals has mean $1 / \sqrt{\pi}$, half of $E|a - b|$ with $a - b$ of variance 2, and mean square 1, so variance $1 - 1/\pi$",
                r"两个标准正态中较大者的均值为 $1 / \sqrt{\pi}$，即 $E|a - b|$ 的一半（$a - b$ 的方差为 2）；平方的均值为 1，所以方差为 $1 - 1/\pi$",
            ),
        ),
        ordered(
            "dense-feature",
            deviation,
            "<",
            sp.sqrt(2),
            Text(
                "a shift of both units stands out less in their maximum, in units of its deviation, than in their mean",
                "两个单元同时抬高时，以各自的标准差为单位，最大值的领先不如均值的领先明显",
            ),
            bound="c=2",
        ),
        popular_error(
            "maximum-is-always-better",
            deviation,
            sp.sqrt(2),
            Text(
                "'max-pooling detects features better': a sparse one, yes; one that is in all units, no",
                "“最大池化更善于检测特征”：特征稀疏时如此；特征遍布所有单元时则不然",
            ),
            op=">=",
            bound="c=2",
        ),
    )


def normal_cdf(x: Floats) -> Floats:
    """Φ of each x (n,), to rounding."""
    return np.array([math.erfc(-value / math.sqrt(2)) / 2 for value in x])


def maximum_wins(c: int, spike: float, everywhere: float) -> float:
    """P(the patch with the feature has the larger maximum), by the trapezoid rule, which is exact to rounding here."""
    x, width = np.linspace(-9, 9, 361, retstep=True)
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    # far out a power of Φ is zero to any precision
    with np.errstate(under="ignore"):
        quiet, raised = normal_cdf(x), normal_cdf(x - everywhere - spike)
        others = quiet if everywhere == 0 else normal_cdf(x - everywhere)
        own = others ** (c - 1) * raised
        return float((largest_is_noise(quiet, c, 1 - own) * density).sum() * width)


def predict(p: Params) -> Results:
    c, size = int(p.units), int(p.pool)
    step = min(int(p.shift), size)
    square = square_of_change(size, step)
    spread = math.sqrt(spread_of_mean_difference(c))
    # zeros and ones in turn, a window each: a shift within a window turns every maximum to 1
    whole, rest = divmod(int(p.shift), size)
    pulses = 1.0 if rest else math.sqrt(2) * (whole % 2)
    return {
        "unchanged_share": unchanged_share(size, step),
        "square_of_change": square,
        "square_of_maximum": square_of_maximum(size),
        "noise_change": math.sqrt(square / square_of_maximum(size)),
        "pulse_change": pulses,
        "sine_change": 2 * math.sin(math.pi * p.shift / PERIOD),
        "blurred_change": [_change(taps, int(p.shift)) for taps in range(1, WIDEST_BLUR + 1)],
        "equivariant": rest == 0,
        "sparse_maximum": maximum_wins(c, p.spike, 0.0),
        "sparse_mean": float(normal_cdf(np.array([p.spike / c / spread]))[0]),
        "dense_maximum": maximum_wins(c, 0.0, p.everywhere),
        "dense_mean": float(normal_cdf(np.array([p.everywhere / spread]))[0]),
    }


def _change(taps: int, s: int) -> float:
    return math.sqrt(2 * (1 - blurred_overlap(taps, s)))


def draw_signal(p: Params, rng: np.random.Generator) -> Floats:
    """One circle of the chosen signal."""
    place = np.arange(LENGTH)
    match p.signal:
        case "sine":
            wave: Floats = np.sin(2 * np.pi * place / PERIOD)
            return wave
        case "pulses":
            return (place // p.pool % 2).astype(float)
    return rng.uniform(-1, 1, LONG)


def relative(change: Floats, of: Floats) -> float:
    return float(np.linalg.norm(change) / np.linalg.norm(of))


def measure(p: Params, rng: np.random.Generator) -> Results:
    size, s = int(p.pool), int(p.shift)
    # two windows moved by s in each of many separate stretches, so that no two stretches share a value
    stretches = rng.uniform(-1, 1, (p.samples, size + s))
    windows = max_pool(stretches, (size,), stride=(max(s, 1),)).y
    before, after = windows[:, 0], windows[:, -1]

    signal = draw_signal(p, rng)
    shifted = np.roll(signal, s)
    both = np.stack([signal, shifted])  # (2, n)
    pooled, pooled_shifted = max_pool(both, (size,)).y
    widths = range(1, WIDEST_BLUR + 1)
    blurred = [max_blur_pool(both, size, taps, circular=True) for taps in widths]
    impulses = np.eye(2 * PERIOD + 8)
    both_impulses = np.stack([impulses, np.roll(impulses, s, -1)])  # (2, n, n)
    white = [blur(both_impulses, taps, stride=size, fill="circular") for taps in widths]

    trials = NORMALS // p.units
    noise, other = rng.standard_normal((2, trials, p.units))
    patches = {"noise": other, "sparse": noise.copy(), "dense": noise + p.everywhere}
    patches["sparse"][:, 0] += p.spike
    largest = {name: max_pool(x, (p.units,)).y for name, x in patches.items()}
    mean = {name: average_pool(x, (p.units,)) for name, x in patches.items()}

    taps = int(p.blur) - 1
    return {
        "unchanged_share": float((before == after).mean()),
        "square_of_change": float(((after - before) ** 2).mean()),
        "square_of_maximum": float((before**2).mean()),
        "before": blurred[taps][0][:SHOWN],
        "after": blurred[taps][1][:SHOWN],
        "relative_change": relative(blurred[taps][1] - blurred[taps][0], blurred[taps][0]),
        "max_pool_change": relative(pooled_shifted - pooled, pooled),
        "change_by_blur": np.array([relative(two - one, one) for one, two in blurred]),
        "white_change": np.array([relative(two - one, one) for one, two in white]),
        "plain_change": relative((shifted - signal)[::size], signal[::size]),
        "whole_window_gap": float(np.abs(pooled_shifted - np.roll(pooled, s // size)).max()),
        "trials": trials,
        "sparse_maximum": float((largest["sparse"] > largest["noise"]).mean()),
        "sparse_mean": float((mean["sparse"] > mean["noise"]).mean()),
        "dense_maximum": float((largest["dense"] > largest["noise"]).mean()),
        "dense_mean": float((mean["dense"] > mean["noise"]).mean()),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    binomial = Text("exact binomial law of a proportion", "比例的精确二项分布")
    bernstein = Text("Bernstein's inequality for bounded values", "有界变量的 Bernstein 不等式")
    # squares of differences lie in (0, 4), those of maxima in (0, 1)
    spans = {"square_of_change": 4.0, "square_of_maximum": 1.0}
    checks = [
        Check(
            "unchanged-windows",
            Text("the share of windows that keep their maximum", "最大值不变的窗口所占比例"),
            predicted["unchanged_share"],
            results["unchanged_share"],
            tolerance.proportion(predicted["unchanged_share"], p.samples),
            binomial,
            false_alarm=tolerance.FALSE_ALARM,
        ),
        *(
            Check(
                name.replace("_", "-") + "-measured",
                claim,
                predicted[name],
                results[name],
                # E[X²] <= span · E[X] bounds the variance
                bernstein_band(spans[name], spans[name] * predicted[name], p.samples)
                if predicted[name]
                else 0.0,
                bernstein,
                false_alarm=ALARM,
            )
            for name, claim in (
                ("square_of_change", Text("the mean square by which a maximum changes", "最大值变化的均方")),
                ("square_of_maximum", Text("the mean square of a maximum", "最大值的均方")),
            )
        ),
        Check(
            "blurred-white-noise",
            Text(
                "change of blurred and thinned white noise, largest difference over all blurs",
                "白噪声先模糊后抽取的变化，对各种模糊宽度取最大偏差",
            ),
            0.0,
            float(np.abs(results["white_change"] - predicted["blurred_change"]).max()),
            64 * ROUNDING,
            exact,
        ),
        *(
            Check(
                name.replace("_", "-"),
                claim,
                predicted[name],
                results[name],
                tolerance.proportion(predicted[name], results["trials"]),
                binomial,
                false_alarm=tolerance.FALSE_ALARM,
            )
            for name, claim in (
                ("sparse_maximum", Text("a spike found by the maximum", "用最大值找出尖峰的比例")),
                ("sparse_mean", Text("a spike found by the mean", "用均值找出尖峰的比例")),
                (
                    "dense_maximum",
                    Text("a feature of all units found by the maximum", "用最大值找出遍布特征的比例"),
                ),
                ("dense_mean", Text("a feature of all units found by the mean", "用均值找出遍布特征的比例")),
            )
        ),
    ]
    if predicted["equivariant"]:
        claim = Text(
            "a shift by whole windows moves the pooled map, nothing else",
            "平移整数个窗口只移动池化后的特征图，别无变化",
        )
        checks.append(Check("whole-window-shift", claim, 0.0, results["whole_window_gap"], 0.0, exact))
    if p.signal == "sine":
        claim = Text(
            "relative change of the thinned sine, without pooling", "正弦波只抽取、不池化时的相对变化"
        )
        checks.append(
            Check(
                "sine-change",
                claim,
                predicted["sine_change"],
                results["plain_change"],
                1000 * ROUNDING,
                exact,
            )
        )
    if p.signal == "pulses":
        claim = Text("relative change of the pooled pulses", "脉冲串池化后的相对变化")
        checks.append(
            Check(
                "pulse-change",
                claim,
                predicted["pulse_change"],
                results["max_pool_change"],
                8 * ROUNDING,
                exact,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    place = np.arange(float(len(results["before"])))
    widths = np.arange(1.0, WIDEST_BLUR + 1)
    wins = (
        ("sparse_maximum", Text("spike, maximum", "尖峰，最大值"), "measured"),
        ("sparse_mean", Text("spike, mean", "尖峰，均值"), "other"),
        ("dense_maximum", Text("all units, maximum", "全部单元，最大值"), "measured"),
        ("dense_mean", Text("all units, mean", "全部单元，均值"), "other"),
    )
    spike_wins = results["sparse_maximum"] > results["sparse_mean"]
    dense_wins = results["dense_maximum"] > results["dense_mean"]
    verdicts = {
        (True, False): Text(
            "the maximum finds the spike more often, the mean finds the feature that is everywhere: neither is better",
            "最大值更常找出尖峰，均值更常找出遍布的特征：谁也不总是更好",
        ),
        (True, True): Text("here the maximum is ahead on both", "在这组参数下，最大值在两种特征上都领先"),
        (False, False): Text("here the mean is ahead on both", "在这组参数下，均值在两种特征上都领先"),
        (False, True): Text(
            "here the mean finds the spike and the maximum the feature that is everywhere",
            "在这组参数下，均值更常找出尖峰，最大值更常找出遍布的特征",
        ),
    }
    falling = Text(
        "a wider blur leaves less of the change in white noise, as the curve of the formula says; the points are this signal",
        "模糊越宽，白噪声的变化越小，公式的曲线如此；各点是本信号",
    )
    still = Text("without a shift nothing changes, whatever the blur", "不平移则无论怎样模糊都没有变化")
    return (
        Plot(
            Text("Pooled, before and after the shift", "平移前后的池化结果"),
            Text(
                "one input, shifted a little: if pooling were invariant, the points would lie on the line",
                "同一个输入稍作平移：若池化真的不变，各点应落在折线上",
            ),
            Axis(Text("pooled place", "池化后的位置")),
            Axis(Text("value", "取值")),
            (
                Line(Text("before", "平移前"), place, results["before"], "other"),
                Points(Text("after", "平移后"), place, results["after"], "measured"),
            ),
        ),
        Plot(
            Text("A blur before thinning out", "抽取之前先模糊"),
            falling if p.shift else still,
            Axis(Text("taps of the blur", "模糊核的项数")),
            Axis(Text("relative change", "相对变化"), low=0.0),
            (
                Line(
                    Text("white noise, no maximum", "白噪声，不取最大值"),
                    widths,
                    np.array(predicted["blurred_change"]),
                    "predicted",
                ),
                Points(
                    Text("this signal, max-blur-pool", "本信号，最大值加模糊池化"),
                    widths,
                    results["change_by_blur"],
                ),
                Rule(Text("your blur", "当前模糊"), float(p.blur), "x", "context"),
            ),
        ),
        Bars(
            Text("Which pooling finds the feature", "哪种池化能找出特征"),
            verdicts[spike_wins, dense_wins],
            Axis(Text("share of right decisions", "判断正确的比例"), low=0.0, high=1.0),
            tuple(
                Bar(label, results[name], "measured" if role == "measured" else "other")
                for name, label, role in wins
            ),
        ),
    )


DEMO = Demonstration(
    id="D02",
    name="pooling-aliasing",
    title=Text(
        "Max-pooling aliases: a small shift changes its output", "最大池化会混叠：小小的平移就改变输出"
    ),
    shows=Text(
        "a shift by one sample changes two thirds of the outputs of max-pooling by 2 on independent values; a blur before "
        "thinning out reduces the change; whether maximum or mean detects better depends on how sparse the feature is",
        "对独立取值，平移一个样本就会改变窗口为 2 的最大池化输出中的三分之二；抽取前先模糊可减小变化；"
        "最大值与均值谁更善于检测，取决于特征有多稀疏",
    ),
    kills=Text(
        "a small shift of the input leaves the pooled output unchanged; max-pooling is the better detector",
        "输入的小平移不改变池化输出；最大池化总是更善于检测特征",
    ),
    parameters=(
        Parameter(
            "signal",
            "x",
            Text("the signal", "信号"),
            "noise",
            kind="choice",
            choices=(
                Choice("noise", Text("independent values, uniform on (−1, 1)", "(−1, 1) 上均匀的独立取值")),
                Choice("sine", Text("a slow sine, 20 samples per period", "缓慢的正弦波，每周期 20 个样本")),
                Choice("pulses", Text("windows of zeros and of ones in turn", "全零与全一的窗口交替")),
            ),
        ),
        Parameter(
            "pool", "p", Text("window and stride of the pooling", "池化的窗口与步幅"), 2, 2, 4, 1.0, "int"
        ),
        Parameter("shift", "s", Text("shift of the input", "输入平移的步数"), 1, 0, 3, 1.0, "int"),
        Parameter(
            "blur",
            "b",
            Text("taps of the blur; 1 is none", "模糊核的项数；1 表示不模糊"),
            1,
            1,
            WIDEST_BLUR,
            1.0,
            "int",
        ),
        Parameter(
            "spike", "h", Text("height of the spike in one unit", "单个单元里尖峰的高度"), 3.0, 0.0, 5.0, 0.25
        ),
        Parameter(
            "everywhere",
            r"\delta",
            Text("shift of all units together", "全部单元一起抬高的量"),
            0.5,
            0.0,
            2.0,
            0.1,
        ),
        Parameter("units", "c", Text("units in a patch", "一个区域的单元数"), 16, 4, 64, 1.0, "int", "log"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "unchanged_share",
        Text("share of windows whose maximum survives the shift", "平移后最大值不变的窗口所占比例"),
        Text("", ""),
        0.0,
        1.0,
    ),
    samples=Samples(rest=30_000),
)
