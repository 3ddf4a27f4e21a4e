"""D66: sixteen bits in training: what underflows, what an update leaves, what a sum reaches, and what it costs in bytes and operations.

Micikevicius et al. 2018, sections 3.1 (master weights), 3.2 (loss scaling), 3.3 (sums in 32 bits); IEEE 754-2019, table 3.5;
Rajbhandari et al. 2020, section 3.1 (16 bytes a parameter); Kaplan et al. 2020, section 2.1 (6 N operations a token).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import (
    Array,
    Check,
    Choice,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.deviation import bernstein_band
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points
from engine.nn.counted import Tally, counted
from engine.nn.precision import FORMATS
from engine.proof.step import Expr, Step, defined, equal, popular_error
from engine.text import Text, same

ROUNDING = float(np.finfo(float).eps)
UPDATES, ONES, WEIGHTS = 200, 4096, 1000
LARGEST_EXPONENT = {"float16": 15, "bfloat16": 127}


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def largest(bits: Expr, top: Expr) -> Expr:
    """Largest finite number of a format with so many bits of significand and largest exponent ``top``."""
    return (2 - 2 ** (1 - bits)) * 2**top


def smallest(bits: Expr, least: Expr) -> Expr:
    """Smallest positive number, subnormal; half of it still rounds to zero."""
    return 2 ** (least - bits + 1)


def spacing_at_one(bits: Expr) -> Expr:
    return 2 ** (1 - bits)


def state_bytes(weights: Expr, gradients: Expr, master: Expr, moments: Expr) -> Expr:
    """Bytes a parameter: its copies in training, two moments of Adam."""
    return weights + gradients + master + 2 * moments


def layer_weights(d: Expr) -> Expr:
    """Weights of a Transformer layer: four projections and a feed-forward layer of inner width 4 d."""
    return 4 * d**2 + 2 * d * (4 * d)


def operations(weights: Expr) -> Expr:
    """Operations a token, forward and backward, two for each multiplication and its addition."""
    return 2 * weights + 4 * weights


def attention_operations(d: Expr, n: Expr) -> Expr:
    """The same for scores and weighted sums over n tokens, of which no weight is part."""
    return 3 * 2 * (n * d + n * d)


def derive() -> tuple[Step, ...]:
    import sympy as sp

    p, n, d = sp.symbols("p n d", integer=True, positive=True)
    top = sp.symbols("e", integer=True, positive=True)
    N = sp.Symbol("N", positive=True)
    bits = sp.Symbol("i", integer=True, positive=True)
    keep = sp.UnevaluatedExpr
    return (
        defined(
            "format",
            r"x = \pm\, s \cdot 2^{e - p + 1}, \qquad 0 \le s < 2^p",
            Text(
                "fp16 has $p = 11$ and $e \\le 15$, bf16 has $p = 8$ and the exponents of float32, $e \\le 127$",
                "fp16 有 $p = 11$、$e \\le 15$；bf16 有 $p = 8$，指数与 float32 相同，$e \\le 127$",
            ),
        ),
        equal(
            "largest",
            sp.Sum(2 ** (top - bits), (bits, 0, p - 1)),
            largest(p, top),
            Text("all bits set: the largest number", "各位全为一：最大的数"),
        ),
        equal(
            "fp16-largest",
            largest(keep(sp.Integer(11)), 15),
            sp.Integer(65504),
            Text("that of fp16", "fp16 的最大数"),
            bound="p=11, e=15",
        ),
        equal(
            "fp16-smallest",
            smallest(keep(sp.Integer(11)), -14),
            sp.Rational(1, 2**24),
            Text(
                "its smallest: a gradient below half of it is stored as zero",
                "fp16 的最小正数：小于其一半的梯度存成零",
            ),
            bound="p=11, e=-14",
        ),
        equal(
            "sum-of-ones-stops",
            keep(2**p) * spacing_at_one(p) / 2,
            sp.Integer(1),
            Text(
                "at $2^p$ half the spacing is 1: adding one more rounds back, so a sum of ones stops there",
                "到 $2^p$ 时间距的一半是 1：再加一会舍回去，于是一的累加停在这里",
            ),
        ),
        popular_error(
            "sums-go-on",
            sp.Min(2**p, n),
            n,
            Text(
                "'a sum of $n$ ones is $n$ in any format': beyond $2^p$ it is not",
                "“$n$ 个一的和在任何格式里都是 $n$”：超过 $2^p$ 就不是",
            ),
        ),
        equal(
            "mixed-state",
            state_bytes(2, 2, 4, keep(sp.Integer(4))),
            sp.Integer(16),
            Text(
                "mixed precision with Adam: weights and gradients in 16 bits, master weights and two moments in 32",
                "混合精度加 Adam：权重与梯度 16 位，主权重与两个矩 32 位",
            ),
            bound="d=1",
        ),
        popular_error(
            "mixed-halves-the-state",
            N * state_bytes(2, 2, 4, 4),
            N * state_bytes(4, 4, 0, 4) / 2,
            Text(
                "'mixed precision halves the memory of training': this part stays 16 bytes, as in float32; activations are what halves",
                "“混合精度让训练内存减半”：这部分仍是 16 字节，与 float32 相同；减半的是激活",
            ),
        ),
        equal(
            "layer",
            keep(4 * d**2) + keep(8 * d**2),
            layer_weights(d),
            Text("weights of a Transformer layer", "一层 Transformer 的权重"),
        ),
        equal(
            "six-n",
            keep(2 * N) + keep(2 * (2 * N)),
            operations(N),
            Text(
                "a weight makes one multiplication and one addition per token forward, and twice that backward",
                "每个权重对每个词元前向一次乘法一次加法，反向加倍",
            ),
        ),
        equal(
            "attention-share",
            attention_operations(d, n) / keep(operations(layer_weights(d))),
            n / (6 * d),
            Text(
                r"left out: the products of attention, a share of $n/(6d)$ more (half of it, if a causal mask is made use of)",
                r"没算在内的：注意力的乘积，另占 $n/(6d)$（利用因果掩码则为其一半）",
            ),
        ),
        popular_error(
            "six-n-is-everything",
            operations(layer_weights(d)) + attention_operations(d, n),
            operations(layer_weights(d)),
            Text(
                "'$6N$ counts all operations': those of attention grow with the context",
                "“$6N$ 就是全部运算”：注意力的运算随上下文增长",
            ),
        ),
    )


def normal_share(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def predict(p: Params) -> Results:
    form = FORMATS[p.format]
    tiny, top = (
        smallest(form.significand, form.least_exponent),
        largest(form.significand, LARGEST_EXPONENT[p.format]),
    )
    spacing = spacing_at_one(form.significand)
    middle = p.median + p.scale  # of the scaled gradients, a power of two
    # a number rounds to zero below half the smallest, and to infinity from half a spacing above the largest on
    over = math.log2(top) + math.log2(1 + spacing / 4)
    return {
        "largest": top,
        "smallest": tiny,
        "unscaled_lost": normal_share((math.log2(tiny) - 1 - p.median) / p.spread),
        "lost": normal_share((math.log2(tiny) - 1 - middle) / p.spread),
        "overflowed": normal_share((middle - over) / p.spread),
        "moved": UPDATES * round(p.update / spacing) * spacing,
        "sum_of_ones": float(min(2**form.significand, ONES)),
        "mixed_bytes": state_bytes(2, 2, 4, 4),
        "full_bytes": state_bytes(4, 4, 0, 4),
        "operations": operations(layer_weights(p.d)),
        "attention_operations": attention_operations(p.d, p.n),
    }


def as_half(x: Array, name: str) -> Array:
    """Rounded to the format by other means than its description: NumPy's own float16, or the upper half of a float32."""
    if name == "float16":
        return np.asarray(x, dtype=np.float64).astype(np.float16).astype(np.float64)
    bits: NDArray[np.uint32] = np.asarray(x, dtype=np.float32).view(np.uint32)
    # round to nearest, ties to even, in the upper 16 bits
    upper = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return upper.view(np.float32).astype(np.float64)


def as_half_number(x: float, name: str) -> float:
    return float(as_half(np.array(x), name))


def training_state(halves: bool) -> int:
    """Bytes of the arrays that training with Adam keeps for WEIGHTS parameters."""
    low = np.float16 if halves else np.float32
    arrays = [np.zeros(WEIGHTS, low), np.zeros(WEIGHTS, low)]
    arrays += [np.zeros(WEIGHTS, np.float32) for _ in range(3 if halves else 2)]
    return sum(a.nbytes for a in arrays)


def counted_layer(d: int, n: int) -> tuple[int, int]:
    """Operations of a layer on n tokens, forward and backward: (in products with weights, in products within attention)."""
    weights, attention = Tally(), Tally()
    for rows, columns in [(d, d)] * 4 + [(d, 4 * d), (4 * d, d)]:
        x, w, dy = (counted(np.ones(shape), weights) for shape in ((n, rows), (rows, columns), (n, columns)))
        _ = (x @ w, dy @ w.T, x.T @ dy)
    for left, right in (((n, d), (d, n)), ((n, n), (n, d))):
        a, b, dc = (counted(np.ones(shape), attention) for shape in (left, right, (left[0], right[1])))
        _ = (a @ b, dc @ b.T, a.T @ dc)
    return 2 * weights.in_products, 2 * attention.in_products


# what is too large for a format is infinite in it, and what is too small is 0: that is what is measured
@np.errstate(over="ignore", under="ignore")
def measure(p: Params, rng: np.random.Generator) -> Results:
    exponents = p.median + p.spread * rng.standard_normal(p.samples)
    plain, scaled = as_half(2.0**exponents, p.format), as_half(2.0 ** (exponents + p.scale), p.format)
    low, master = 1.0, 1.0
    for _ in range(UPDATES):
        low = as_half_number(low + p.update, p.format)
        master += p.update
    # a sum of ones stands at the first whole number that one more does not raise
    whole = np.arange(ONES + 0.0)
    stands = as_half(whole + 1.0, p.format) <= whole
    in_weights, in_attention = counted_layer(p.d, p.n)
    scales = np.arange(0.0, 33.0, 2.0)
    shifted = as_half(2.0 ** (exponents[:2000] + scales[:, None]), p.format)  # (scales, draws)
    return {
        "largest_kept": as_half_number(largest_by_doubling(p.format), p.format),
        "smallest_kept": smallest_by_halving(p.format),
        "unscaled_lost": float((plain == 0).mean()),
        "lost": float((scaled == 0).mean()),
        "overflowed": float(np.isinf(scaled).mean()),
        "moved": low - 1.0,
        "moved_master": as_half_number(master, p.format) - 1.0,
        "sum_of_ones": float(whole[stands.argmax()]) if stands.any() else float(ONES),
        "mixed_bytes": training_state(True) / WEIGHTS,
        "full_bytes": training_state(False) / WEIGHTS,
        "operations": in_weights / p.n,
        "attention_operations": in_attention / p.n,
        "scales": scales,
        "lost_by_scale": (shifted == 0).mean(axis=1),
        "samples": p.samples,
    }


def largest_by_doubling(name: str) -> float:
    """Largest finite number, found by adding ever smaller powers of two as long as nothing overflows."""
    total, power = 0.0, 1.0
    while math.isfinite(as_half_number(2 * power, name)):
        power *= 2
    while power >= 1.0:
        more = as_half_number(total + power, name)
        if math.isfinite(more) and more > total:
            total = more
        power /= 2
    return total


def smallest_by_halving(name: str) -> float:
    x = 1.0
    while as_half_number(x / 2, name) > 0:
        x /= 2
    return x


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact, powers of two", "精确，均为二的幂")
    count = Text("exact count", "精确计数")
    bernstein = Text(
        "Bernstein's inequality on a share of independent draws", "独立抽样占比的 Bernstein 不等式"
    )

    def share(name: str, claim: Text) -> Check:
        s = predicted[name]
        band = bernstein_band(1.0, s * (1 - s), results["samples"])
        return Check(name.replace("_", "-"), claim, s, results[name], band, bernstein, false_alarm=1e-7)

    def same_number(name: str, key: str, claim: Text, law: Text, tolerance: float = 0.0) -> Check:
        return Check(
            name, claim, float(predicted[key]), float(results[name.replace("-", "_")]), tolerance, law
        )

    return (
        same_number("largest-kept", "largest", Text("largest number kept", "能存的最大数"), exact),
        same_number("smallest-kept", "smallest", Text("smallest number kept", "能存的最小正数"), exact),
        share("unscaled_lost", Text("gradients stored as zero, loss not scaled", "损失未缩放时存成零的梯度占比")),
        share("lost", Text("gradients stored as zero, loss scaled", "损失缩放后存成零的梯度占比")),
        share("overflowed", Text("gradients stored as infinity, loss scaled", "损失缩放后存成无穷的梯度占比")),
        same_number("moved", "moved", Text("what the updates moved a stored weight of 1", "大小为 1 的权重被更新移动的量"), exact),
        Check(
            "moved-master",
            Text("what they moved a weight with a master copy", "有主权重时移动的量"),
            UPDATES * p.update,
            results["moved_master"],
            spacing_at_one(FORMATS[p.format].significand) / 2 + ROUNDING * UPDATES,
            Text("half a spacing, from the one rounding at the end", "半个间距，来自末尾的一次舍入"),
        ),
        same_number("sum-of-ones", "sum_of_ones", Text("where a sum of ones stops", "一的累加停在哪里"), count),
        same_number("mixed-bytes", "mixed_bytes", Text("bytes per parameter, mixed precision", "混合精度每个参数的字节数"), count),
        same_number("full-bytes", "full_bytes", Text("bytes per parameter, float32", "float32 每个参数的字节数"), count),
        same_number("operations", "operations", Text("operations per token with the layer's weights", "每个词元与本层权重的运算数"), count),
        same_number(
            "attention-operations", "attention_operations",
            Text("operations per token within attention", "每个词元在注意力内部的运算数"), count,
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    scales = results["scales"]
    fine = np.linspace(0.0, 32.0, 65)
    edge = math.log2(predicted["smallest"]) - 1
    curve = np.array([normal_share((edge - p.median - s) / p.spread) for s in fine])
    return (
        Plot(
            Text("Gradients stored as zero, by loss scale", "存成零的梯度占比与损失缩放"),
            Text(
                "a scale moves gradients up into the range of the format and changes nothing else",
                "缩放把梯度移进格式的范围，别的都不变",
            ),
            Axis(Text("loss scale, power of two", "损失缩放，二的幂次")),
            Axis(Text("share lost", "丢失占比"), low=0.0, high=1.0),
            (
                Line(Text("predicted", "预测"), fine, curve, "predicted"),
                Points(Text("measured", "实测"), scales, results["lost_by_scale"], "measured"),
            ),
        ),
        Bars(
            Text("Bytes per parameter in training with Adam", "用 Adam 训练，每个参数的字节数"),
            Text(
                "the state is as large in mixed precision as in float32; activations halve",
                "混合精度的状态与 float32 一样大；减半的是激活",
            ),
            Axis(Text("bytes", "字节"), low=0.0),
            (
                Bar(Text("mixed precision", "混合精度"), results["mixed_bytes"], "measured"),
                Bar(Text("float32", "float32"), results["full_bytes"], "other"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D66",
    name="mixed-precision",
    title=Text("Mixed precision: underflow, swallowed updates, bytes and operations", "混合精度：下溢、被吞掉的更新、字节与运算"),
    shows=Text(
        "a loss scale moves gradients into the range of fp16; an update below half a spacing is swallowed unless a master copy collects it; "
        "with Adam the state is 16 bytes per parameter with or without; a weight takes 6 operations per token",
        "损失缩放把梯度移进 fp16 的范围；小于半个间距的更新会被吞掉，除非有主权重；用 Adam 时状态都是每个参数 16 字节；每个权重对每个词元 6 次运算",
    ),
    kills=Text(
        "“mixed precision halves the memory of training”, “6N counts all operations”, “a sum of n ones is n”",
        "“混合精度让训练内存减半”、“6N 就是全部运算”、“n 个一的和是 n”",
    ),
    parameters=(
        Parameter(
            "format",
            r"\text{format}",
            Text("16-bit format", "16 位格式"),
            "float16",
            kind="choice",
            choices=(Choice("float16", same("fp16")), Choice("bfloat16", same("bf16"))),
        ),
        Parameter("median", "m", Text("median gradient, power of two", "梯度的中位数，二的幂次"), -22.0, -40.0, 0.0, 1.0),
        Parameter("spread", "s", Text("spread of the exponents", "指数的散布"), 4.0, 1.0, 8.0, 0.5),
        Parameter("scale", "k", Text("loss scale, power of two", "损失缩放，二的幂次"), 12, 0, 32, 1, "int"),
        Parameter("update", "u", Text("update of a weight of 1", "大小为 1 的权重的更新量"), 1e-4, 1e-6, 2e-3, 0.5, scale="log"),
        Parameter("d", "d", Text("width of the model", "模型宽度"), 32, 16, 64, 1.0, "int", "log"),
        Parameter("n", "n", Text("tokens in the context", "上下文词元数"), 64, 8, 256, 1.0, "int", "log"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    samples=Samples(rest=12000),
    headline=Headline(
        "unscaled_lost",
        Text("share of gradients stored as zero without loss scaling", "不做损失缩放时存成零的梯度占比"),
        Text("", ""),
        0.0,
        1.0,
    ),
)  # fmt: skip
