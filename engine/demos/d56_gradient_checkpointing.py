"""D56: gradient checkpointing trades one more forward pass for most of the activation memory.

Chen et al. 2016, section 4; Korthikanti et al. 2023, section 4.1 (equation 2). Bytes are decimal: 1 GB is 10^9 bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.checkpointing import (
    ActivationMemory,
    ChainGradients,
    Size,
    SizedLayer,
    TanhLayer,
    Work,
    backpropagate,
    backpropagate_checkpointed,
)
from engine.nn.saved_activations import transformer_layer
from engine.proof.step import Expr, Step, cited, equal, exhausted, let, ordered, popular_error
from engine.text import Text, same

BATCH, WIDTH = 8, 16
SHORT = 4
"""Layers at the start of the chain that are replayed with masks drawn anew: one would do."""
SMALL = {"s": 7, "b": 2, "a": 3, "h": 24, "4h": 96}
"""Lengths at which a Transformer layer is really run: all different, so that an array's axes can be told apart."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def checkpointed_peak(n: Expr, k: Expr, quotient: Callable[[Any, Any], Any]) -> Expr:
    """Activations held at once, of n layers in segments of k; ``quotient`` divides whole numbers."""
    return quotient(n, k) + k


def relaxed_peak(n: Expr, k: Expr) -> Expr:
    return n / k + k


def best_peak(n: Expr, whole_root: Callable[[Any], Any]) -> Expr:
    """The least that any segment length gives; ``whole_root`` rounds a square root down."""
    return whole_root(4 * n + 1)


def forward_flops(m: Expr, k: Expr, n: Expr) -> Expr:
    return 2 * m * k * n


def backward_flops(m: Expr, k: Expr, n: Expr) -> Expr:
    return 2 * forward_flops(m, k, n)


def overhead(forward: Expr, backward: Expr) -> Expr:
    """Extra work of one more forward pass."""
    return forward / (forward + backward)


def layer_bytes(s: Expr, b: Expr, h: Expr, a: Expr) -> Expr:
    """Kept by one Transformer layer in fp16, attention maps included."""
    return s * b * h * (34 + 5 * a * s / h)


def flash_layer_bytes(s: Expr, b: Expr, h: Expr, a: Expr) -> Expr:
    """The same with FlashAttention: a float32 logsumexp a query and head in place of the maps."""
    return s * b * (34 * h + 4 * a)


def input_bytes(s: Expr, b: Expr, h: Expr) -> Expr:
    """Of one layer's input: a checkpoint."""
    return 2 * s * b * h


def checkpointed_bytes(
    n: Expr, k: Expr, inside: Expr, checkpoint: Expr, quotient: Callable[[Any, Any], Any]
) -> Expr:
    """Most bytes held: a checkpoint a segment, and everything inside the segment that is being replayed."""
    return checkpoint * quotient(n, k) + inside * k


def derive() -> tuple[Step, ...]:
    import sympy as sp
    from sympy.tensor.array.array_derivatives import ArrayDerivative

    n, k, f, r = sp.symbols("n k f r", integer=True, positive=True)
    e = sp.Symbol("e", integer=True, nonnegative=True)
    m, w, i, j, l = sp.symbols("m w i j l", integer=True, positive=True)
    A, c, F, W, q, x = sp.symbols("A c F W q x", positive=True)
    s, b, h, a = sp.symbols("s b h a", positive=True)
    X, weight, G = sp.MatrixSymbol("X", m, k), sp.MatrixSymbol("W", k, w), sp.MatrixSymbol("G", m, w)
    loss = sp.Trace(G.T * X * weight)

    def quotient(number: Expr, by: Expr) -> Expr:
        return sp.floor(number / by)

    class LeastPeak(sp.Function):
        """The least peak over all segment lengths, by trying them."""

        @classmethod
        def eval(cls, layers: Expr) -> Expr | None:
            if not layers.is_Integer:
                return None
            number = int(layers)
            return sp.Integer(
                min(checkpointed_peak(number, by, int.__floordiv__) for by in range(1, number + 1))
            )

        def _latex(self, printer: Any) -> str:
            layers = printer._print(self.args[0])
            return (
                rf"\min_{{1 \leq k \leq {layers}}} \left(\left\lfloor {layers} / k \right\rfloor + k\right)"
            )

    def unevaluated_sum(*terms: Expr) -> Expr:
        return sp.Add(*terms, evaluate=False)

    with_replay, without = unevaluated_sum(F, F, 2 * F), unevaluated_sum(F, 2 * F)
    token = s * b * h

    return (
        let(
            "case-even",
            n,
            k * f,
            Text(
                "first case: $f$ segments of $k$ layers each. Held in the backward pass: the inputs of all segments not yet "
                "done, and the $k$ activations of the one being replayed",
                "情形一：恰好分成 $f$ 段、每段 $k$ 层。反向传播时要保留尚未处理的各段的输入，"
                "再加上正在重算的那一段的 $k$ 个激活",
            ),
        ),
        equal(
            "peak-even",
            checkpointed_peak(n, k, quotient),
            f + k,
            Text(
                "most are held at the last segment: $f$ inputs and $k$ activations",
                "处理最后一段时最多：$f$ 个输入加 $k$ 个激活",
            ),
            using=((n, k * f),),
        ),
        let(
            "case-ragged",
            k,
            r + 1 + e,
            Text(
                "second case: $f$ segments of $k$ and a last one of $r < k$ layers, that is $k = r + 1 + e$ with $e$ = 0, 1, …",
                "情形二：$f$ 段各 $k$ 层，最后一段只有 $r < k$ 层，即 $k = r + 1 + e$，$e$ = 0、1、……",
            ),
        ),
        equal(
            "peak-ragged",
            sp.Max(f + 1 + r, f + k, evaluate=False),
            f + k,
            Text(
                r"the short segment holds $f + 1 + r$, the one before it $f + k$: the peak is $\lfloor n/k \rfloor + k$ in either "
                r"case, not $\lceil n/k \rceil + k$",
                r"最后一段要 $f + 1 + r$ 个，前一段要 $f + k$ 个：两种情形的峰值都是 $\lfloor n/k \rfloor + k$，"
                r"而不是 $\lceil n/k \rceil + k$",
            ),
            using=((k, r + 1 + e),),
        ),
        ordered(
            "square-root",
            relaxed_peak(n, x),
            ">=",
            2 * sp.sqrt(n),
            Text(
                r"the difference is the square of $\sqrt{n/k} - \sqrt{k}$ (here $k = x$, any length): never negative",
                r"两边之差是 $\sqrt{n/k} - \sqrt{k}$ 的平方（此处 $k = x$，可取任意长度），不会为负",
            ),
            witness=(sp.sqrt(n / x) - sp.sqrt(x)) ** 2,
        ),
        equal(
            "optimum",
            sp.Subs(sp.Derivative(relaxed_peak(n, x), x), x, sp.sqrt(n)),
            sp.Integer(0),
            Text(
                r"so the best segment length is $k = \sqrt{n}$, and memory grows like $2\sqrt{n}$",
                r"所以最优段长为 $k = \sqrt{n}$，显存按 $2\sqrt{n}$ 增长",
            ),
        ),
        exhausted(
            "whole-optimum",
            LeastPeak(n),
            "=",
            best_peak(n, lambda number: sp.floor(sp.sqrt(number))),
            Text(
                "for whole numbers, by trying every segment length: 17 for 80 layers, at $k = 9$",
                "对整数逐一尝试每个段长：80 层时为 17，在 $k = 9$ 处取得",
            ),
            over=[{n: sp.Integer(layers)} for layers in range(1, 129)],
            bound="n=1…128",
        ),
        equal(
            "factor",
            sp.Mul(n, sp.Pow(2 * sp.sqrt(n), -1, evaluate=False), evaluate=False),
            sp.sqrt(n) / 2,
            Text(
                r"memory falls by the factor $\sqrt{n}/2$: 3 at 36 layers, 4.5 at 80, 5 at 100, 16 at 1000",
                r"显存减少到 $\sqrt{n}/2$ 分之一：36 层时为 3，80 层时为 4.5，100 层时为 5，1000 层时为 16",
            ),
        ),
        popular_error(
            "always-three-to-five",
            sp.sqrt(n) / 2,
            sp.Integer(3),
            Text(
                "'it always saves a factor of 3 to 5': that is the formula between 36 and 100 layers, no law",
                "“总能省 3–5 倍”：那只是 36 到 100 层之间的取值，并非定律",
            ),
            op=">=",
        ),
        equal(
            "gradient-by-input",
            ArrayDerivative(loss, X),
            G * weight.T,
            Text(
                "a layer's matrix product $XW$, with gradient $G$ coming from above: the gradient by its input",
                "一层的矩阵乘法 $XW$，上游梯度为 $G$：对输入的梯度",
            ),
        ),
        equal(
            "gradient-by-weight",
            ArrayDerivative(loss, weight),
            X.T * G,
            Text(
                "and by its weight, for which the input $X$ must be there: this is why activations are kept",
                "对权重的梯度，需要用到输入 $X$：这就是要保存激活的原因",
            ),
        ),
        equal(
            "backward-is-twice",
            sp.Add(
                sp.Sum(2, (i, 1, m), (j, 1, w), (l, 1, k)),
                sp.Sum(2, (i, 1, k), (j, 1, m), (l, 1, w)),
                evaluate=False,
            ),
            backward_flops(m, k, w),
            Text(
                "two products of the same three sizes, 2 FLOPs per multiply-add: twice the forward pass",
                "两个矩阵乘法，三个尺寸相同，每次乘加计 2 FLOPs：是前向的两倍",
            ),
        ),
        equal(
            "overhead",
            sp.Mul(with_replay, sp.Pow(without, -1, evaluate=False), evaluate=False) - 1,
            overhead(F, 2 * F),
            Text(
                "one more forward pass on top of one forward and a backward worth two: a third more work",
                "在一次前向、一次相当于两倍的反向之上，再加一次前向：计算量多三分之一",
            ),
        ),
        popular_error(
            "weights-shrink-too",
            W + A / q,
            (W + A) / q,
            Text(
                "'checkpointing divides the memory by $q$': it divides the activations $A$; weights and optimizer states $W$ "
                "stay as they are",
                "“检查点把显存除以 $q$”：它只减少激活 $A$；权重与优化器状态 $W$ 原样不动",
            ),
        ),
        equal(
            "layer-bytes",
            unevaluated_sum(
                unevaluated_sum(2, 4, 2, 2, 1) * token,
                unevaluated_sum(2, 1, 2) * a * s**2 * b,
                unevaluated_sum(2, 8, 8, 1) * token,
                unevaluated_sum(2, 2) * token,
            ),
            layer_bytes(s, b, h, a),
            Text(
                "one Transformer layer in fp16, masks 1 byte. Attention: input, Q and K, V, projection input, mask; maps: "
                "softmax, mask, dropped maps. MLP: two inputs, GELU, mask. Two LayerNorm inputs",
                "一层 Transformer，fp16，掩码每元素 1 字节。注意力：输入、Q 与 K、V、投影输入、掩码；"
                "注意力图：softmax、掩码、dropout 后的图。MLP：输入、GELU 输入、第二层输入、掩码。两个 LayerNorm 的输入",
            ),
        ),
        popular_error(
            "length-times-width",
            layer_bytes(s, b, h, a),
            2 * s * b * h,
            Text(
                "'a layer keeps length times width numbers': that is its input alone, $2\\,s\\,b\\,h$ bytes in fp16",
                "“一层保存的数是长度乘宽度”：那只是它的输入，fp16 下 $2\\,s\\,b\\,h$ 字节",
            ),
        ),
        equal(
            "maps-vanish",
            layer_bytes(s, b, h, a) - flash_layer_bytes(s, b, h, a),
            5 * a * s**2 * b - 4 * a * s * b,
            Text(
                "FlashAttention keeps a logsumexp of 4 bytes per query and head in place of the maps: the term in $s^2$ is gone",
                "FlashAttention 不存注意力图，每个 query 每个头只留一个 4 字节的 logsumexp：$s^2$ 项消失",
            ),
        ),
        popular_error(
            "hundreds-of-gigabytes",
            sp.Mul(80, 34, 131072, 8192, evaluate=False),
            sp.Mul(1000, sp.Pow(10, 9, evaluate=False), evaluate=False),
            Text(
                "'hundreds of GB' for a 70B model at 128K tokens: $34\\,s\\,b\\,h$ per layer, 80 layers, are 2.92 TB for one "
                "sequence without the maps, and 443 TB with them",
                "70B 模型、128K 词元“需要几百 GB”：每层 $34\\,s\\,b\\,h$、共 80 层，单条序列不计注意力图就是 2.92 TB，"
                "计入则为 443 TB",
            ),
            op="<=",
        ),
        ordered(
            "unequal-sizes",
            c * n / x + A * x,
            ">=",
            2 * sp.sqrt(c * A * n),
            Text(
                r"a checkpoint of $c$ bytes, $A$ inside a layer: the best segment is $\sqrt{cn/A}$ layers. In a Transformer $A$ "
                r"is at least $17c$, so one or two layers per segment are best, not $\sqrt{n}$",
                r"检查点占 $c$ 字节，层内激活占 $A$ 字节：最优段长为 $\sqrt{cn/A}$ 层。Transformer 中 $A$ 至少是 $c$ 的 17 倍，"
                r"所以每段一两层最好，而不是 $\sqrt{n}$ 层",
            ),
            witness=(sp.sqrt(c * n / x) - sp.sqrt(A * x)) ** 2,
        ),
        ordered(
            "block-factor",
            layer_bytes(s, b, h, a) / input_bytes(s, b, h),
            ">=",
            sp.Integer(17),
            Text(
                "everything a layer keeps, over its input alone: what a checkpoint per layer saves",
                "一层保存的全部激活与只存输入之比，即每层设一个检查点能省的倍数",
            ),
            witness=5 * a * s / (2 * h),
        ),
        cited(
            "measured-by-chen",
            r"48\,\text{GB} \to 7\,\text{GB}, \quad +30\,\%\ \text{time}",
            Text(
                "a residual network of 1000 layers on ImageNet; the replay's third is an upper bound where other work takes "
                "time too",
                "1000 层残差网络，ImageNet；实际耗时里还有其他开销，所以略低于三分之一",
            ),
            "Chen et al. 2016, abstract",
        ),
        cited(
            "logarithmic",
            r"O(\log n) \text{ memory at } O(n \log n) \text{ work}",
            Text(
                "segments within segments go further still, at the price of more replays",
                "段内再分段还能更省，代价是更多次重算",
            ),
            "Chen et al. 2016, section 4; Griewank & Walther 2000",
        ),
    )


def _segment(p: Params) -> int:
    return min(p.k, p.L)


def predict(p: Params) -> Results:
    kept = layer_bytes if p.attention == "maps" else flash_layer_bytes
    inside, checkpoint = kept(p.s, p.b, p.h, p.a), input_bytes(p.s, p.b, p.h)
    segment, activation, mask = _segment(p), BATCH * WIDTH * 8, BATCH * WIDTH if p.dropout != "0" else 0
    peak = checkpointed_peak(p.L, segment, int.__floordiv__)
    forward = p.L * forward_flops(BATCH, WIDTH, WIDTH)
    backward = p.L * backward_flops(BATCH, WIDTH, WIDTH)
    return {
        "peak": peak,
        "full_peak": p.L + 1,
        "peak_bytes": peak * activation + segment * mask,
        "best_peak": best_peak(p.L, math.isqrt),
        "forward_flops": forward,
        "backward_flops": backward,
        "overhead": overhead(forward, backward),
        "layer_bytes": inside,
        "layer_bytes_maps": layer_bytes(p.s, p.b, p.h, p.a),
        "layer_bytes_flash": flash_layer_bytes(p.s, p.b, p.h, p.a),
        "checkpoint_bytes": p.L * checkpoint,
        "full_bytes": checkpoint + p.L * inside,
        "full_bytes_maps": p.L * layer_bytes(p.s, p.b, p.h, p.a),
        "full_bytes_flash": p.L * flash_layer_bytes(p.s, p.b, p.h, p.a),
        "segment_bytes": checkpointed_bytes(p.L, segment, inside, checkpoint, int.__floordiv__),
        "block_bytes": checkpointed_bytes(p.L, 1, inside, checkpoint, int.__floordiv__),
    }


def chain(p: Params, rng: np.random.Generator) -> tuple[list[TanhLayer], np.ndarray, np.ndarray]:
    """L layers of width 16 with random weights, an input of 8 rows, and a gradient coming from above."""
    weights = 1.1 / math.sqrt(WIDTH) * rng.standard_normal((p.L, WIDTH, WIDTH))
    x, d_output = rng.standard_normal((2, BATCH, WIDTH))
    return [TanhLayer(weight, float(p.dropout)) for weight in weights], x, d_output


def replayed(
    layers: list[TanhLayer],
    x: np.ndarray,
    d_output: np.ndarray,
    seed: int,
    segment: int,
    preserve_rng_state: bool,
) -> tuple[ChainGradients, ActivationMemory, Work]:
    """Forward and backward with checkpoints; the seed is that of the dropout masks."""
    memory, work, rng = ActivationMemory(), Work(), np.random.default_rng(seed)
    gradients = backpropagate_checkpointed(
        layers, x, d_output, rng, memory, work, segment=segment, preserve_rng_state=preserve_rng_state
    )
    return gradients, memory, work


def largest_gap(one: ChainGradients, other: ChainGradients) -> float:
    """The largest difference of two gradients, over the largest gradient: 0 only where every bit agrees."""
    gaps, sizes = [], []
    for left, right in ((one.d_input, other.d_input), (np.stack(one.d_weights), np.stack(other.d_weights))):
        gaps.append(float(np.abs(left - right).max()))
        sizes.append(float(np.abs(left).max()))
    return max(gaps) / max(sizes)


IMAGINARY = 1e-30
"""Size of an imaginary perturbation: its square is lost beside 1, its own digits are not."""


def slope_gap(
    layers: list[TanhLayer],
    x: np.ndarray,
    d_output: np.ndarray,
    gradients: ChainGradients,
    seed: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """By how much the loss's slope along one random direction misses what the gradients say, and the bound on that.

    Input and weights are moved by an imaginary amount and the chain is run: the imaginary part of the loss is the slope,
    with no difference of nearly equal numbers in it (Squire and Trapp 1998).
    """
    along_x = rng.standard_normal(x.shape)
    along = rng.standard_normal((len(layers), WIDTH, WIDTH))
    masks = np.random.default_rng(seed)
    y = x + 1j * IMAGINARY * along_x
    for layer, moved in zip(layers, 1j * IMAGINARY * along, strict=True):
        y = TanhLayer(layer.weight + moved, layer.dropout).forward(y, masks).output
    slope = float((d_output * y).sum().imag) / IMAGINARY
    pairs = ((gradients.d_input[None], along_x[None]), (np.stack(gradients.d_weights), along))
    told = sum(float((gradient * direction).sum()) for gradient, direction in pairs)
    size = sum(
        float((np.linalg.norm(gradient, axis=(1, 2)) * np.linalg.norm(direction, axis=(1, 2))).sum())
        for gradient, direction in pairs
    )
    # each layer adds the rounding of its two products, of WIDTH or BATCH terms, and what is there already goes on as the
    # gradient itself does
    return abs(slope - told), 8 * (len(layers) + 1) * (WIDTH + BATCH) * float(np.finfo(float).eps) * size


def kept_bytes(p: Params, flash: bool, rng: np.random.Generator) -> tuple[int, int]:
    """Bytes that a layer keeps, and bytes of its input: the arrays of a small layer that ran, each axis scaled up."""
    x = rng.standard_normal((SMALL["s"], SMALL["b"], SMALL["h"])).astype(np.float32)
    _, tape = transformer_layer(x, SMALL["a"], rng, flash=flash)
    true_length = {SMALL["s"]: p.s, SMALL["b"]: p.b, SMALL["a"]: p.a, SMALL["h"]: p.h, SMALL["4h"]: 4 * p.h}

    def scaled(array: np.ndarray) -> int:
        return int(array.itemsize * math.prod(true_length[length] for length in array.shape))

    return sum(scaled(array) for array in tape.saved.values()), scaled(tape.saved["norm 1 input"])


def held(p: Params, segment: int | None, output: int = 1, inside: int = 0) -> ActivationMemory:
    """The memory after the same loops over L layers of these sizes, without arithmetic; None keeps everything."""
    layers = [SizedLayer(Size(output), Size(inside))] * p.L
    memory, work, rng = ActivationMemory(), Work(), np.random.default_rng(0)
    if segment is None:
        backpropagate(layers, Size(output), Size(output), rng, memory, work)
    else:
        backpropagate_checkpointed(
            layers, Size(output), Size(output), rng, memory, work, segment=segment, preserve_rng_state=False
        )
    return memory


def tried_segments(layers: int) -> list[int]:
    """Segment lengths to try: those within 2 of the square root, where the best one lies, and others."""
    root = math.sqrt(layers)
    near = (k for k in range(1, layers + 1) if abs(k - root) <= 2)
    far = (round(layers**power) for power in (0.0, 0.2, 0.8, 1.0))
    return sorted({*near, *far})


def measure(p: Params, rng: np.random.Generator) -> Results:
    layers, x, d_output = chain(p, rng)
    seed = int(rng.integers(2**31))
    full_memory, full_work = ActivationMemory(), Work()
    full = backpropagate(layers, x, d_output, np.random.default_rng(seed), full_memory, full_work)
    again, memory, work = replayed(layers, x, d_output, seed, _segment(p), preserve_rng_state=True)
    short = layers[:SHORT]
    same_masks, fresh_masks = (
        replayed(short, x, d_output, seed, _segment(p), preserve_rng_state=kept)[0] for kept in (True, False)
    )

    maps, checkpoint = kept_bytes(p, False, rng)
    flash, _ = kept_bytes(p, True, rng)
    inside = (maps if p.attention == "maps" else flash) - checkpoint
    gap, gap_bound = slope_gap(layers, x, d_output, again, seed, rng)
    segments = tried_segments(p.L)
    by_length = {k: held(p, k, checkpoint, inside) for k in {*segments, _segment(p)}}
    memories = [by_length[segment] for segment in segments]
    return {
        "peak": memory.peak,
        "full_peak": full_memory.peak,
        "saved_factor": full_memory.peak / memory.peak,
        "peak_bytes": memory.peak_bytes,
        "left_over": len(memory.held) + memory.bytes,
        "segments": np.array(segments),
        "peaks": np.array([tried.peak for tried in memories]),
        "best_peak": min(tried.peak for tried in memories),
        "best_segment": segments[int(np.argmin([tried.peak for tried in memories]))],
        "gradient_gap": largest_gap(full, again),
        "slope_gap": gap,
        "slope_bound": gap_bound,
        "gap_with_fresh_masks": largest_gap(same_masks, fresh_masks),
        "forward_flops": work.forward_flops,
        "backward_flops": work.backward_flops,
        "replayed_layers": work.replayed,
        "overhead": work.replayed_flops / (full_work.forward_flops + full_work.backward_flops),
        "layer_bytes_maps": maps,
        "layer_bytes_flash": flash,
        "full_bytes": held(p, None, checkpoint, inside).peak_bytes,
        "segment_bytes": by_length[_segment(p)].peak_bytes,
        "block_bytes": by_length[1].peak_bytes,
        "best_bytes": min(tried.peak_bytes for tried in memories),
        "best_bytes_segment": segments[int(np.argmin([tried.peak_bytes for tried in memories]))],
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("a count: exact", "计数：精确相等")
    double = Text("rounding of the formula in float64", "仅公式在 float64 下的舍入误差")

    def count(name: str, result: str, claim: Text) -> Check:
        return Check(name, claim, float(predicted[result]), float(results[result]), 0.0, exact)

    def size(name: str, result: str, claim: Text) -> Check:
        expected = float(predicted[result])
        return Check(
            name, claim, expected, float(results[result]), 8 * np.finfo(float).eps * expected, double
        )

    checks = [
        count(
            "peak-checkpointed",
            "peak",
            Text("activations held at once with checkpointing", "使用检查点时同时保留的激活数"),
        ),
        count(
            "peak-full",
            "full_peak",
            Text(
                "activations held at once without, the input included",
                "不用检查点时同时保留的激活数（含输入）",
            ),
        ),
        count(
            "peak-bytes",
            "peak_bytes",
            Text("bytes of these activations and their dropout masks", "这些激活及其 dropout 掩码的字节数"),
        ),
        count(
            "peak-best",
            "best_peak",
            Text("the least peak that any segment length gives", "所有段长中最小的峰值"),
        ),
        Check(
            "nothing-left",
            Text("after the backward pass nothing is held", "反向传播结束后没有残留"),
            predicted=0.0,
            measured=float(results["left_over"]),
            tolerance=0.0,
            law=exact,
        ),
        Check(
            "gradients-equal",
            Text(
                "the gradients with and without checkpointing, bit by bit", "用与不用检查点的梯度，逐位比较"
            ),
            predicted=0.0,
            measured=results["gradient_gap"],
            tolerance=0.0,
            law=Text("the same operations on the same numbers: equal bits", "同样的数做同样的运算：逐位相等"),
        ),
        Check(
            "gradients-are-the-slope",
            Text(
                "along one random direction of input and weights the loss has the slope that these gradients say",
                "沿输入与权重的一个随机方向，损失的斜率与这些梯度所说的一致",
            ),
            predicted=0.0,
            measured=results["slope_gap"],
            tolerance=results["slope_bound"],
            law=Text(
                "rounding of every layer's products, times the sizes of gradient and direction",
                "每层矩阵乘法的舍入误差，乘以梯度与方向的大小",
            ),
        ),
        count(
            "flops-forward",
            "forward_flops",
            Text("FLOPs of the forward pass", "前向的 FLOPs"),
        ),
        count(
            "flops-backward",
            "backward_flops",
            Text("FLOPs of the backward pass", "反向的 FLOPs"),
        ),
        size("work-overhead", "overhead", Text("extra work of the replay", "重算带来的额外计算量")),
        size(
            "kept-with-maps",
            "layer_bytes_maps",
            Text(
                "bytes one Transformer layer keeps, attention maps included",
                "一层 Transformer 保存的字节数，含注意力图",
            ),
        ),
        size(
            "kept-with-flash",
            "layer_bytes_flash",
            Text(
                "bytes one Transformer layer keeps with FlashAttention",
                "使用 FlashAttention 时一层保存的字节数",
            ),
        ),
        size(
            "bytes-full",
            "full_bytes",
            Text("bytes held at once, everything kept", "全部保留时同时占用的字节数"),
        ),
        size(
            "bytes-segments",
            "segment_bytes",
            Text("bytes held at once, with this segment length", "取此段长时同时占用的字节数"),
        ),
        size(
            "bytes-blocks",
            "block_bytes",
            Text("bytes held at once, each layer a segment", "每层一段时同时占用的字节数"),
        ),
    ]
    if p.dropout != "0":
        checks.append(
            Check(
                "replay-needs-the-masks",
                Text(
                    "replayed with fresh dropout masks, the gradients are wrong",
                    "重算时若重新抽取 dropout 掩码，梯度就是错的",
                ),
                predicted=0.0,
                measured=results["gap_with_fresh_masks"],
                tolerance=1e-6,
                law=Text(
                    "two draws of 128 mask entries or more agree with probability below 1e-11",
                    "两次抽取至少 128 个掩码元素而完全相同的概率低于 1e-11",
                ),
                relation="!=",
                false_alarm=1e-11,
            )
        )
    return tuple(checks)


def _size(count: float) -> str:
    """Bytes in the largest decimal unit that leaves a whole digit."""
    for unit, name in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count / 1e3:.3g} kB"


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    every = np.arange(1, p.L + 1, dtype=float)
    tb = 1e12
    measured = (
        (Text("all kept, by the loop", "全部保留，循环实测"), "full_bytes"),
        (Text(f"segments of {_segment(p)}", f"每段 {_segment(p)} 层"), "segment_bytes"),
        (Text("each layer a segment", "每层一段"), "block_bytes"),
    )
    return (
        Plot(
            Text("Activations held at once", "同时保留的激活数"),
            Text(
                f"of {p.L + 1} activations {results['best_peak']} suffice, near the square root; shorter segments keep too many "
                "checkpoints, longer ones replay too much at once",
                f"{p.L + 1} 个激活里只需同时保留 {results['best_peak']} 个，最优段长在平方根附近；"
                "段太短则检查点太多，段太长则一次重算太多",
            ),
            Axis(Text("segment length k", "段长 k"), "log"),
            Axis(Text("activations", "激活数"), low=0.0),
            (
                Line(
                    Text("predicted", "预测"),
                    every,
                    np.asarray(checkpointed_peak(p.L, every, np.floor_divide), dtype=float),
                    "predicted",
                ),
                Points(
                    Text("held by the loop", "循环实际保留"),
                    results["segments"].astype(float),
                    results["peaks"].astype(float),
                    "measured",
                ),
                Rule(Text("square root of n", "√n"), math.sqrt(p.L), "x", "context"),
            ),
        ),
        Bars(
            Text("Activation memory of a Transformer", "Transformer 的激活显存"),
            Text(
                f"s = {p.s:,}, b = {p.b}, h = {p.h:,}, {p.L} layers: with a checkpoint per layer, {_size(results['block_bytes'])} "
                f"are held at once instead of {_size(results['full_bytes'])}",
                f"s = {p.s:,}，b = {p.b}，h = {p.h:,}，{p.L} 层：每层设一个检查点，"
                f"同时占用由 {_size(results['full_bytes'])} 降为 {_size(results['block_bytes'])}",
            ),
            Axis(Text("terabytes", "TB"), "log"),
            (
                Bar(
                    Text("all kept, with attention maps", "全部保留，含注意力图"),
                    predicted["full_bytes_maps"] / tb,
                    "predicted",
                ),
                Bar(
                    Text("all kept, FlashAttention", "全部保留，FlashAttention"),
                    predicted["full_bytes_flash"] / tb,
                    "predicted",
                ),
                *(Bar(label, results[name] / tb, "measured") for label, name in measured),
            ),
        ),
    )


DEMO = Demonstration(
    id="D56",
    name="gradient-checkpointing",
    title=Text("Activation memory and gradient checkpointing", "激活显存与梯度检查点"),
    shows=Text(
        r"keeping one activation per segment and computing the rest again holds about $2\sqrt{n}$ of $n$ activations, for one "
        "more forward pass, with the very same gradients",
        r"每段只留一个激活、其余重算，同时只需保留约 $2\sqrt{n}$ 个激活（原为 $n$ 个），代价是多一次前向，梯度逐位相同",
    ),
    kills=Text(
        "it always saves 3 to 5 times; a 70B model at 128K tokens needs hundreds of GB of activations; it shrinks the weights",
        "总能省 3–5 倍；70B 模型在 128K 词元下激活要几百 GB；它能减小权重占用",
    ),
    parameters=(
        Parameter("L", "n", Text("layers", "层数"), 80, 1, 96, 1.0, "int"),
        Parameter(
            "k",
            "k",
            Text("layers in a segment (at most all)", "每段层数（不超过总层数）"),
            9,
            1,
            200,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "dropout",
            "p",
            Text("dropout in the chain that is run", "实际运行的链中的 dropout"),
            "0.1",
            kind="choice",
            choices=(Choice("0", same("0")), Choice("0.1", same("0.1")), Choice("0.5", same("0.5"))),
        ),
        Parameter(
            "s", "s", Text("tokens in a sequence", "序列长度"), 131072, 128, 1_048_576, 1.0, "int", "log"
        ),
        Parameter("b", "b", Text("sequences in a batch", "批量"), 1, 1, 1024, 1.0, "int", "log"),
        Parameter("h", "h", Text("width of the model", "模型宽度"), 8192, 64, 32768, 1.0, "int", "log"),
        Parameter("a", "a", Text("attention heads", "注意力头数"), 64, 1, 256, 1.0, "int", "log"),
        Parameter(
            "attention",
            r"\text{attention}",
            Text("what attention keeps", "注意力保存什么"),
            "flash",
            kind="choice",
            choices=(
                Choice("maps", Text("its maps", "注意力图")),
                Choice("flash", Text("a logsumexp (FlashAttention)", "logsumexp（FlashAttention）")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "peak",
        Text("activations held at once with checkpointing", "使用检查点时同时保留的激活数"),
        Text("activations", "个激活"),
        1.0,
        201.0,
    ),
)
