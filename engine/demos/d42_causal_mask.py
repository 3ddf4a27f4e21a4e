"""D42: a causal mask makes one parallel pass equal to decoding token by token.

Vaswani et al. 2017, section 3.2.3 (masking, and attention over the encoder); Raffel et al. 2020,
section 3.2.1 (prefix mask); Shazeer 2019, section 2.4 (decoding with cached keys and values).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Rule
from engine.nn.attention import (
    MultiHeadWeights,
    cross_attention,
    decode_step,
    empty_cache,
    self_attention,
)
from engine.nn.initialization import recurrent_matrix
from engine.nn.mask import Bools, causal_mask, prefix_mask
from engine.proof.step import Expr, Step, equal, exhausted, let, popular_error, unequal
from engine.text import Text

HEADS = 2
ROUNDING = float(np.finfo(float).eps)
UNMOVED = 1e-13
"""An output that moves less than this, of numbers of order one, has not moved."""
DIFFERENT = 1e-6
"""Outputs further apart than this are different ones."""
BLOCK = 4
"""Sequences computed together: the scores of more would not stay in a processor's cache."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def causal_share(n: Expr) -> Expr:
    """Share of the n² pairs (output i, token j) with j ≤ i."""
    return (n + 1) / (2 * n)


def prefix_share(n: Expr, prefix: Expr) -> Expr:
    """The same where every output also sees the first ``prefix`` tokens."""
    return (n * (n + 1) + prefix * (prefix - 1)) / (2 * n**2)


def derive() -> tuple[Step, ...]:
    return (*_one_row(), *_one_layer(), *_deeper_and_wider())


def _row(letter: str, length: int) -> Expr:
    import sympy as sp

    return sp.ImmutableMatrix(1, length, sp.symbols(f"{letter}_1:{length + 1}", real=True))


def _one_row() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    s, v = _row("s", 3), _row("v", 3).T
    first_alone = sp.ImmutableMatrix([[s[0], -sp.oo, -sp.oo]])
    two = sp.exp(s[0]) + sp.exp(s[1])
    return (
        equal(
            "masked-softmax",
            RowSoftmax(sp.ImmutableMatrix([[s[0], s[1], -sp.oo]])),
            sp.ImmutableMatrix([[sp.exp(s[0]) / two, sp.exp(s[1]) / two, 0]]),
            Text(
                r"a score of $-\infty$ takes no weight: the others share it as if the key were not there",
                r"分数为 $-\infty$ 的 key 不占权重：其余的 key 照它不存在那样分配",
            ),
            bound="n=3",
        ),
        equal(
            "top-left",
            sp.MatMul(RowSoftmax(first_alone), v),
            sp.ImmutableMatrix([[v[0]]]),
            Text(
                "a causal mask aligned top-left lets a single query see the first key alone",
                "左上对齐的因果掩码只让单个 query 看到第一个 key",
            ),
            bound="L=1, S=3",
        ),
        popular_error(
            "is-causal-with-a-cache",
            sp.MatMul(RowSoftmax(first_alone), v),
            sp.MatMul(RowSoftmax(s), v),
            Text(
                "'is_causal=True is right for decoding too': the newest query must see all cached keys",
                "“解码时也用 is_causal=True 就对了”：最新的 query 必须看到缓存中的全部 key",
            ),
            bound="L=1, S=3",
        ),
    )


def _one_layer() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    S = sp.ImmutableMatrix(3, 3, sp.symbols("s_(1:4)(1:4)", real=True))
    v = _row("v", 3).T
    masked = sp.ImmutableMatrix(3, 3, lambda i, j: S[i, j] if j <= i else -sp.oo)
    first, last = sp.ImmutableMatrix([[1, 0, 0]]), sp.ImmutableMatrix([[0, 0, 1]])

    def decoded(t: int) -> Expr:
        """What a decoder with a cache of t keys computes for position t."""
        powers = [sp.exp(S[t - 1, j]) for j in range(t)]
        return sum(power * v[j] for j, power in enumerate(powers)) / sum(powers)

    w = sp.Symbol("w", positive=True)
    x = sp.symbols("x_1:4", real=True)

    def output(i: int, keys: int) -> Expr:
        """Output i of a layer of width one, scores w·x_i·x_j, over the first ``keys`` tokens."""
        powers = [sp.exp(w * x[i] * x[j]) for j in range(keys)]
        return sum(power * x[j] for j, power in enumerate(powers)) / sum(powers)

    later = [(0, 1), (0, 2), (1, 2)]
    return (
        equal(
            "decoding-is-the-masked-pass",
            sp.MatMul(RowSoftmax(masked), v),
            sp.ImmutableMatrix([decoded(t) for t in (1, 2, 3)]),
            Text(
                "row $t$ of the masked pass is what step $t$ of the decoder computes from its $t$ cached keys",
                "带掩码的整体计算的第 $t$ 行，就是解码器第 $t$ 步用 $t$ 个缓存 key 算出的结果",
            ),
            bound="n=3",
        ),
        equal(
            "no-peeking",
            sp.ImmutableMatrix([[sp.Derivative(output(i, i + 1), x[j]) for i, j in later]]),
            sp.zeros(1, 3),
            Text(
                r"under the mask $\partial o_1/\partial x_2$, $\partial o_1/\partial x_3$ and $\partial o_2/\partial x_3$ vanish",
                r"有掩码时 $\partial o_1/\partial x_2$、$\partial o_1/\partial x_3$、$\partial o_2/\partial x_3$ 全为零",
            ),
            bound="n=3, d=1",
        ),
        unequal(
            "both-ways-without-it",
            sp.Derivative(output(0, 2), x[1]),
            sp.Integer(0),
            Text(
                "without the mask the first output does depend on the second token",
                "没有掩码时，第一个输出确实依赖第二个词元",
            ),
            bound="n=2, d=1",
        ),
        equal(
            "last-row-in-one-layer",
            sp.MatMul(last, RowSoftmax(masked)),
            sp.MatMul(last, RowSoftmax(S)),
            Text(
                "in one layer the last position sees the same with and without the mask",
                "只有一层时，最后一个位置有无掩码看到的都一样",
            ),
            bound="n=3",
        ),
        popular_error(
            "only-for-training",
            sp.MatMul(first, RowSoftmax(masked), v),
            sp.MatMul(first, RowSoftmax(S), v),
            Text(
                "'the mask only matters in training': a prefill without it gives other hidden states, which the cache keeps",
                "“掩码只在训练时有用”：预填充时不加掩码，得到的隐藏状态就不同，而缓存会一直保留它",
            ),
            bound="n=3",
        ),
    )


def _deeper_and_wider() -> tuple[Step, ...]:
    from itertools import permutations

    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    def lower(letter: str) -> Expr:
        return sp.ImmutableMatrix(3, 3, lambda i, j: sp.Symbol(f"{letter}_{i + 1}{j + 1}") if j <= i else 0)

    above = sp.ImmutableMatrix(3, 3, lambda i, j: 1 if j > i else 0)
    P, scores, v = sp.MatrixSymbol("P", 3, 3), sp.MatrixSymbol("s", 1, 3), sp.MatrixSymbol("V", 3, 1)
    source = ((scores, _row("s", 3)), (v, _row("v", 3).T))
    orders = [
        sp.ImmutableMatrix(3, 3, lambda i, j, order=order: int(order[i] == j))
        for order in permutations(range(3))
    ]
    n, p, i = sp.symbols("n p i", integer=True, positive=True)
    return (
        equal(
            "depth",
            sp.HadamardProduct(sp.MatMul(lower("a"), lower("b")), above),
            sp.zeros(3, 3),
            Text(
                "stacked layers multiply their Jacobians, and lower triangles stay lower triangles",
                "多层叠加时雅可比矩阵相乘，下三角乘下三角仍是下三角",
            ),
            bound="n=3",
        ),
        *(
            let(
                f"source-{symbol}",
                symbol,
                value,
                Text("one query over a source of three", "一个 query 面对三个源词元"),
            )
            for symbol, value in source
        ),
        exhausted(
            "source-order",
            sp.MatMul(RowSoftmax(scores * sp.Transpose(P)), P, v),
            "=",
            sp.MatMul(RowSoftmax(scores), v),
            Text(
                "cross-attention needs no causal mask: shuffling the source's keys and values together changes nothing",
                "交叉注意力不需要因果掩码：源端的 key 与 value 一起打乱，结果不变",
            ),
            over=[{P: order} for order in orders],
            bound="n=3",
            using=source,
        ),
        equal(
            "causal-pairs",
            sp.Sum(i, (i, 1, n)) / n**2,
            causal_share(n),
            Text("output $i$ depends on $i$ tokens", "输出 $i$ 依赖 $i$ 个词元"),
        ),
        equal(
            "prefix-pairs",
            (sp.Sum(p, (i, 1, p)) + sp.Sum(i, (i, p + 1, n))) / n**2,
            prefix_share(n, p),
            Text(
                "with a prefix of $p$ tokens seen by all, the first $p$ outputs depend on $p$",
                "若前 $p$ 个词元对所有位置可见，则前 $p$ 个输出各依赖 $p$ 个",
            ),
        ),
    )


def prefix_length(p: Params) -> int:
    """Half of the sequence, and at least two: one token is a causal mask again."""
    return max(2, int(p.tokens) // 2)


def predict(p: Params) -> Results:
    shares = {
        "causal": causal_share(p.tokens),
        "prefix": prefix_share(p.tokens, prefix_length(p)),
        "none": 1.0,
    }
    return {
        "influence_share": shares[p.mask],
        "prefix_share": shares["prefix"],
        "decoding_agrees": p.mask == "causal" and p.decoding != "top-left",
        "later_tokens_count": p.mask != "causal",
        "last_position_agrees": p.layers == 1,
    }


def draw_layer(p: Params, rng: np.random.Generator) -> MultiHeadWeights:
    """Rotations, so that with rows of length √d no score leaves ±d/√d_k and no weight becomes negligible."""
    query, key, value, output = (recurrent_matrix(rng, HEADS * p.d_k, 1.0, "orthogonal") for _ in "QKVO")
    return MultiHeadWeights(query, key, value, output, heads=HEADS)


def normalised(x: Array) -> Array:
    """Each token at length √d: the RMS norm in front of a layer."""
    rows: Array = x * math.sqrt(x.shape[-1]) / np.linalg.norm(x, axis=-1, keepdims=True)
    return rows


def mask_of(p: Params) -> Bools | None:
    match p.mask:
        case "causal":
            return causal_mask(p.tokens, p.tokens)
        case "prefix":
            return prefix_mask(p.tokens, prefix_length(p))
    return None


def parallel_pass(x: Array, layers: list[MultiHeadWeights], mask: Bools | None) -> Array:
    """All positions at once: x (…, n, d) through residual self-attention layers."""
    for weights in layers:
        x = x + self_attention(normalised(x), weights, mask=mask).output
    return x


def token_by_token(p: Params, x: Array, layers: list[MultiHeadWeights]) -> Array:
    """Position after position (n, d), each layer with its own cache of keys and values."""
    caches = [empty_cache(weights) for weights in layers]
    out = np.empty_like(x)
    for t in range(len(x)):
        h = x[t : t + 1]
        mask = None if p.decoding == "none" else causal_mask(1, t + 1, alignment=p.decoding)
        for index, weights in enumerate(layers):
            step, caches[index] = decode_step(normalised(h), weights, caches[index], mask=mask)
            h = h + step.output
        out[t] = h[0]
    return out


def influence(
    x: Array, layers: list[MultiHeadWeights], mask: Bools | None, rng: np.random.Generator
) -> Array:
    """[i, j]: how far output i moves when token j is replaced by another one; (n, n)."""
    n = len(x)
    replaced = np.repeat(x[None], n, axis=0)
    replaced[np.arange(n), np.arange(n)] = rng.standard_normal(x.shape)
    blocks = [parallel_pass(replaced[at : at + BLOCK], layers, mask) for at in range(0, n, BLOCK)]
    moved = np.concatenate(blocks) - parallel_pass(x, layers, mask)  # (n, n, d)
    distance: Array = np.linalg.norm(moved, axis=-1).T
    return distance


def measure(p: Params, rng: np.random.Generator) -> Results:
    layers = [draw_layer(p, rng) for _ in range(p.layers)]
    width = HEADS * p.d_k
    x = rng.standard_normal((p.tokens, width))
    mask = mask_of(p)
    moves = influence(x, layers, mask, rng)
    full = parallel_pass(x, layers, mask)
    decoded = token_by_token(p, x, layers)
    last_masked = parallel_pass(x, layers, causal_mask(p.tokens, p.tokens))[-1]
    last_unmasked = parallel_pass(x, layers, None)[-1]

    memory = rng.standard_normal((p.source, width))
    order = rng.permutation(p.source)
    queries = normalised(x)
    attended = cross_attention(queries, normalised(memory), layers[0])
    shuffled = cross_attention(queries, normalised(memory[order]), layers[0])
    difference = np.abs(decoded - full).max(axis=-1)
    # whatever mask is looked at, the third kind is counted too
    prefix = prefix_mask(p.tokens, prefix_length(p))
    under_prefix = moves if p.mask == "prefix" else influence(x, layers[:1], prefix, rng)
    return {
        "influence": moves,
        "influence_share": float((moves > UNMOVED).mean()),
        "prefix_share": float((under_prefix > UNMOVED).mean()),
        "peeking": float(np.triu(moves, 1).max()),
        "decode_difference": difference,
        "decode_gap": float(difference.max()),
        "last_position_gap": float(np.abs(last_masked - last_unmasked).max()),
        "source_gap": float(np.abs(shuffled.output - attended.output).max()),
        "cross_weights_shape": np.array(attended.attended.weights.shape[-2:]),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    width = HEADS * p.d_k
    # a few sums of width and n terms of order √width in every layer
    rounding = 8 * ROUNDING * p.layers * math.sqrt(width) * (width + p.tokens)
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    plain = Text(
        "not an identity: a difference of order one, far beyond rounding",
        "并非恒等：差别接近 1 的量级，远超舍入误差",
    )

    def gap(name: str, claim: Text, measured: float, holds: bool) -> Check:
        if holds:
            return Check(name, claim, 0.0, measured, rounding, exact)
        # smaller only if all of at least 8 coordinates agree by chance
        return Check(name, claim, 0.0, measured, DIFFERENT, plain, "!=", false_alarm=1e-9)

    return (
        Check(
            "influence-share",
            Text(
                "the share of pairs in which a token moves an output",
                "词元能影响输出的（输出，词元）对所占比例",
            ),
            predicted=predicted["influence_share"],
            measured=results["influence_share"],
            tolerance=ROUNDING,
            law=Text("exact count", "精确计数"),
            false_alarm=1e-9,
        ),
        Check(
            "prefix-share",
            Text(
                "the same share where the first half is a prefix that all see",
                "前一半作为人人可见的前缀时的同一比例",
            ),
            predicted=predicted["prefix_share"],
            measured=results["prefix_share"],
            tolerance=ROUNDING,
            law=Text("exact count", "精确计数"),
            false_alarm=1e-9,
        ),
        gap(
            "peeking",
            Text("how far an output moves with a later token", "更靠后的词元能使输出移动多少"),
            results["peeking"],
            not predicted["later_tokens_count"],
        ),
        gap(
            "decoding-agrees",
            Text("token-by-token decoding against the parallel pass", "逐词元解码与并行计算之差"),
            results["decode_gap"],
            predicted["decoding_agrees"],
        ),
        gap(
            "last-position",
            Text("the last position with and without a causal mask", "最后一个位置，有无因果掩码之差"),
            results["last_position_gap"],
            predicted["last_position_agrees"],
        ),
        gap(
            "source-order-free",
            Text("cross-attention before and after shuffling the source", "打乱源序列前后的交叉注意力之差"),
            results["source_gap"],
            True,
        ),
    )


FLOOR = 1e-17
"""What the plot shows for an exact zero."""


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    pattern = {
        "causal": Text(
            "nothing above the diagonal: no output moves when a later token is replaced",
            "对角线以上一片空白：替换靠后的词元，输出纹丝不动",
        ),
        "prefix": Text(
            "a full block for the prefix, a triangle after it",
            "前缀部分是完整的方块，其后是三角形",
        ),
        "none": Text("no cell is empty: every token moves every output", "没有空格：每个词元都影响每个输出"),
    }[p.mask]
    position = np.arange(1.0, p.tokens + 1)
    agreement = Text(
        "decoding one token at a time and the masked parallel pass agree at every position, to rounding",
        "逐词元解码与带掩码的并行计算在每个位置都一致，只差舍入误差",
    )
    disagreement = Text(
        "this decoder does not compute what the parallel pass computed: the two differ far beyond rounding",
        "这样的解码算出的不是并行计算的结果：两者之差远超舍入误差",
    )
    return (
        HeatMap(
            Text("How far output i moves with token j (log₁₀)", "替换词元 j 时输出 i 移动多少（log₁₀）"),
            pattern,
            np.log10(np.maximum(results["influence"], 1e-4)),
            low=-4.0,
            high=float(np.log10(max(results["influence"].max(), 1.0))),
        ),
        Plot(
            Text("Decoding against the parallel pass", "解码与并行计算之差"),
            agreement if predicted["decoding_agrees"] else disagreement,
            Axis(Text("position", "位置")),
            Axis(Text("largest difference", "最大差值"), "log", low=FLOOR, high=10.0),
            (
                Line(
                    Text("difference", "差值"),
                    position,
                    np.maximum(results["decode_difference"], FLOOR),
                    "measured",
                ),
                Rule(Text("rounding of one operation", "单次运算的舍入误差"), ROUNDING, "y", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D42",
    name="causal-mask",
    title=Text("A causal mask is sequential inference in parallel", "因果掩码：并行完成的逐步推理"),
    shows=Text(
        "under a causal mask no output depends on a later token, in any depth, so one parallel pass and token-by-token "
        "decoding with a cache give the same states",
        "有因果掩码时，无论多少层，输出都不依赖更靠后的词元，因此一次并行计算与带缓存的逐词元解码得到相同的状态",
    ),
    kills=Text(
        "the mask only matters in training; at inference the future does not exist anyway",
        "掩码只在训练时有用；推理时未来的词本来就不存在",
    ),
    parameters=(
        Parameter("tokens", "n", Text("tokens", "词元数"), 16, 3, 40, 1.0, "int"),
        Parameter(
            "d_k", "d_k", Text("width of each of two heads", "两个头各自的维度"), 16, 4, 32, 1.0, "int", "log"
        ),
        Parameter("layers", "N", Text("layers", "层数"), 2, 1, 3, 1.0, "int"),
        Parameter(
            "mask",
            r"\text{mask}",
            Text("mask of the parallel pass", "并行计算所用的掩码"),
            "causal",
            kind="choice",
            choices=(
                Choice("causal", Text("causal (GPT)", "因果掩码（GPT）")),
                Choice("none", Text("none (BERT)", "无掩码（BERT）")),
                Choice("prefix", Text("causal with a prefix (prefix LM)", "带前缀的因果掩码（prefix LM）")),
            ),
        ),
        Parameter(
            "decoding",
            r"\text{decoding}",
            Text("mask of a decoding step over the cache", "解码步对缓存所用的掩码"),
            "none",
            kind="choice",
            choices=(
                Choice("none", Text("none: the future is not there", "无：未来尚不存在")),
                Choice("bottom-right", Text("causal, aligned bottom-right", "因果，右下对齐")),
                Choice(
                    "top-left",
                    Text("causal, aligned top-left (is_causal=True)", "因果，左上对齐（is_causal=True）"),
                ),
            ),
        ),
        Parameter("source", "m", Text("tokens of the source", "源序列的词元数"), 12, 1, 64, 1.0, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "influence_share",
        Text(
            "share of pairs (output, token) in which the token can move the output",
            "词元能影响输出的（输出，词元）对所占比例",
        ),
        Text("", ""),
        0.0,
        1.0,
    ),
)
