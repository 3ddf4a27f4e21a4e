"""D22: what a mask means: polarity, alignment, the fill, and the format that holds the logits.

Vaswani et al. 2017, section 3.2.3 (-inf in front of the softmax); PyTorch 2 documentation of
``scaled_dot_product_attention`` and ``MultiheadAttention``; IEEE 754-2019, section 4.3.1.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.attention import scaled_dot_product_attention
from engine.nn.mask import Bools, causal_mask, combine_masks, padding_mask
from engine.nn.precision import FORMATS, stored
from engine.nn.softmax import softmax
from engine.proof.step import (
    Expr,
    Step,
    cited,
    defined,
    equal,
    exhausted,
    let,
    ordered,
    popular_error,
)
from engine.text import Text, same

D_K = 16
ROUNDING = 16 * float(np.finfo(float).eps)
FILLS = {"-inf": -math.inf, "-1e9": -1e9, "-1e4": -1e4}
LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895e38,
    "float32": 3.4028e38,
    "float64": float(np.finfo(float).max),
}
"""Largest finite number of each format: IEEE 754-2019, table 3.5."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def causal_count(i: Expr, offset: Expr) -> Expr:
    """How many keys query i = 0, 1, … keeps: those up to position i + offset."""
    return i + offset + 1


def bottom_right_offset(queries: Expr, keys: Expr) -> Expr:
    """The position of the first query when the last query is the last position."""
    return keys - queries


def spacing(exponent: Expr, significand: Expr) -> Expr:
    """Distance of neighbouring numbers from 2^exponent on, in a format of so many significant bits."""
    return 2 ** (exponent - significand + 1)


def rounding_factor(e_delta: Expr) -> Expr:
    """By how much a weight can grow when every logit moves by at most delta; ``e_delta`` is exp(delta)."""
    return e_delta**2


def derive() -> tuple[Step, ...]:
    return (*_kept_rows(), *_empty_rows(), *_formats(), *_conventions())


def _scores() -> tuple[Expr, ...]:
    import sympy as sp

    return tuple(sp.symbols("s_1:4", real=True))


def _kept_rows() -> tuple[Step, ...]:
    from itertools import product

    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    s, kept, added = _scores(), sp.symbols("b_1:4"), sp.symbols("m_1:4")
    c, gap = sp.symbols("c", real=True), sp.Symbol("D", real=True)
    shares = [b * sp.exp(score) for b, score in zip(kept, s, strict=True)]
    masks = [
        {
            symbol: value
            for b, m, bit in zip(kept, added, bits, strict=True)
            for symbol, value in ((b, bit), (m, 0 if bit else -sp.oo))
        }
        for bits in product((0, 1), repeat=3)
        if any(bits)
    ]
    leak = sp.exp(gap + c) / (1 + sp.exp(gap + c))
    return (
        defined(
            "mask",
            r"w = \operatorname{softmax}(s + m), \qquad m_j = 0\ (b_j = 1), \quad m_j = -\infty\ (b_j = 0)",
            Text(
                "$b_j = 1$ where key $j$ is to take part; the mask is added to the scores in front of the softmax",
                "$b_j = 1$ 表示第 $j$ 个 key 参与；掩码在 softmax 之前加到分数上",
            ),
        ),
        exhausted(
            "minus-infinity-removes",
            RowSoftmax(sp.ImmutableMatrix([[a + b for a, b in zip(s, added, strict=True)]])),
            "=",
            sp.ImmutableMatrix([[share / sum(shares) for share in shares]]),
            Text(
                r"with $-\infty$ the softmax is the softmax of the kept keys alone, for every mask that keeps one",
                r"用 $-\infty$ 时，softmax 就是只对保留的 key 做 softmax；只要至少保留一个，任何掩码都如此",
            ),
            over=masks,
            bound="n=3",
        ),
        ordered(
            "finite-fill-leaks",
            leak,
            ">",
            sp.Integer(0),
            Text(
                "a finite $c$ instead leaves a hidden key, $D$ above the kept one, a positive weight",
                "换成有限的 $c$，比保留的 key 高 $D$ 的被遮 key 仍有正的权重",
            ),
            bound="n=2",
        ),
        ordered(
            "leak-bound",
            leak,
            "<",
            sp.exp(gap + c),
            Text(
                "of less than $e^{D + c}$: at $c = -10^4$ already nothing that a float64 can hold",
                "但小于 $e^{D + c}$：$c = -10^4$ 时 float64 已表示不出来，等于零",
            ),
            bound="n=2",
            witness=sp.exp(2 * gap + 2 * c) / (1 + sp.exp(gap + c)),
        ),
    )


def _empty_rows() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    s, c = _scores(), sp.Symbol("c", real=True)
    n, j = sp.symbols("n j", integer=True, positive=True)
    row, third = sp.ImmutableMatrix([s]), sp.Rational(1, 3)
    pushed = RowSoftmax(sp.ImmutableMatrix([[score + c for score in s]]))
    filled = RowSoftmax(sp.ImmutableMatrix([[c, c, c]]))
    return (
        equal(
            "added-to-all",
            pushed,
            RowSoftmax(row),
            Text(
                "where every key is hidden, adding a finite $c$ hides none: the softmax does not see a common shift, "
                "and the row is the unmasked one",
                "所有 key 都被遮时，加上有限的 $c$ 等于一个也没遮：softmax 看不见公共平移，这一行与不加掩码时相同",
            ),
            bound="n=3",
        ),
        equal(
            "replaced-by-c",
            sp.exp(c) / sp.Sum(sp.exp(c), (j, 1, n)),
            1 / n,
            Text(
                "putting $c$ in place of the scores (masked_fill) spreads the row evenly over its hidden keys",
                "用 $c$ 替换分数（masked_fill），权重就均分给这些被遮的 key",
            ),
        ),
        popular_error(
            "minus-1e9-is-minus-infinity",
            filled,
            sp.zeros(1, 3),
            Text(
                "'-1e9 masks like -inf': not where all keys are hidden; there the weights still sum to one",
                "“-1e9 等同于 -inf”：全部被遮时就不是，权重之和仍为 1",
            ),
            bound="n=3",
        ),
        popular_error(
            "empty-row-always-uniform",
            pushed,
            sp.ImmutableMatrix([[third, third, third]]),
            Text(
                "'with -1e9 such a row is uniform': in exact arithmetic only if the scores are replaced, not if it is added",
                "“用 -1e9 时这种行是均匀的”：精确算术下，替换分数才均匀，相加并不均匀",
            ),
            bound="n=3",
        ),
    )


def _formats() -> tuple[Step, ...]:
    import sympy as sp

    x, y = sp.symbols("x y", positive=True)
    h, k, m = sp.symbols("h k m", nonnegative=True)
    # logits moved by delta - ln(1 + k) and -delta + ln(1 + m), with exp(delta) = 1 + h
    up, down = (1 + h) / (1 + k), (1 + m) / (1 + h)
    billion = sp.Integer(10) ** 9
    e = sp.Symbol("e", integer=True)
    exponent = (e, sp.floor(sp.log(billion, 2)))
    return (
        let(
            "exponent",
            *exponent,
            Text(
                r"$10^9$ lies between $2^e$ and $2^{e+1}$; a format of $p$ significant bits has numbers $2^{e-p+1}$ apart there",
                r"$10^9$ 介于 $2^e$ 与 $2^{e+1}$ 之间；有效位为 $p$ 的格式在这里的间距是 $2^{e-p+1}$",
            ),
        ),
        equal(
            "spacing-float32",
            spacing(e, 24),
            sp.Integer(64),
            Text(
                "in float32 the numbers around $10^9$ lie 64 apart: a score below 32 added to $-10^9$ is rounded away, "
                "and only so does such a row become uniform",
                "float32 在 $10^9$ 附近的间距是 64：小于 32 的分数加到 $-10^9$ 上会被舍入掉，这种行因此才变均匀",
            ),
            using=[exponent],
        ),
        equal(
            "spacing-float64",
            spacing(e, 53),
            sp.Pow(2, -23, evaluate=False),
            Text(
                r"in float64 they lie $2^{-23}$ apart: the scores survive, and the hidden row is read as if unmasked",
                r"float64 的间距是 $2^{-23}$：分数保留了下来，整行被遮的行就像没有掩码一样",
            ),
            using=[exponent],
        ),
        ordered(
            "rounding-moves-a-weight",
            x * up / (x * up + y * down),
            "<=",
            rounding_factor(1 + h) * x / (x + y),
            Text(
                r"logits that move by at most $\delta$, $e^{\delta} = 1 + h$, multiply a weight by at most $e^{2\delta}$",
                r"每个 logit 至多移动 $\delta$（$e^{\delta} = 1 + h$），权重至多乘以 $e^{2\delta}$",
            ),
            bound="n=2",
        ),
        ordered(
            "float16-overflow",
            -billion,
            "<",
            -sp.Integer(65504),
            Text(
                r"float16 ends at $-65504$: cast to it, $-10^9$ becomes $-\infty$ (PyTorch's masked_fill refuses it)",
                r"float16 只到 $-65504$：转换时 $-10^9$ 变成 $-\infty$（PyTorch 的 masked_fill 会直接报错）",
            ),
        ),
    )


def _conventions() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    s = _scores()
    i, o = sp.symbols("i o", integer=True, nonnegative=True)
    L, S = sp.symbols("L S", integer=True, positive=True)
    shift = (o, bottom_right_offset(L, S))
    j = sp.Symbol("j", integer=True)
    return (
        popular_error(
            "polarity-is-universal",
            RowSoftmax(sp.ImmutableMatrix([[s[0], s[1], -sp.oo]])),
            RowSoftmax(sp.ImmutableMatrix([[-sp.oo, -sp.oo, s[2]]])),
            Text(
                "'a boolean mask means the same everywhere': read with the other polarity it keeps exactly the hidden keys",
                "“布尔掩码处处含义相同”：换一种极性去读，留下的恰好是该遮的 key",
            ),
            bound="n=3",
        ),
        equal(
            "causal-keys",
            sp.Sum(1, (j, 0, i + o)),
            causal_count(i, o),
            Text(
                "under a causal mask query $i = 0, 1, …$ keeps the keys up to position $i + o$",
                "因果掩码下，query $i = 0, 1, …$ 保留位置 $i + o$ 及以前的 key",
            ),
        ),
        let(
            "bottom-right",
            *shift,
            Text(
                "aligned bottom-right, the first of $L$ queries stands at position $S - L$",
                "右下对齐时，$L$ 个 query 中的第一个位于 $S - L$",
            ),
        ),
        equal(
            "bottom-right-last",
            causal_count(L - 1, o),
            S,
            Text(
                "so the newest query keeps all $S$ keys, as a KV cache needs",
                "于是最新的 query 保留全部 $S$ 个 key，正合 KV 缓存所需",
            ),
            using=[shift],
        ),
        popular_error(
            "is-causal-with-a-cache",
            causal_count(0, 0),
            causal_count(0, bottom_right_offset(L, S)),
            Text(
                "'is_causal=True works with a cache': aligned top-left ($o = 0$), its first query keeps one key where "
                "$S - L + 1$ are due",
                "“有 KV 缓存时也能用 is_causal=True”：它是左上对齐（$o = 0$），第一个 query 只留一个 key，"
                "而本该留 $S - L + 1$ 个",
            ),
        ),
        cited(
            "frameworks",
            r"\text{SDPA: True = keep}, \qquad \text{MultiheadAttention: True = block}",
            Text(
                "two functions of one library disagree; is_causal is documented as a top-left triangle",
                "同一个库的两个函数约定相反；is_causal 的文档写明是左上对齐的三角形",
            ),
            "PyTorch 2 documentation, scaled_dot_product_attention and MultiheadAttention",
        ),
    )


def fill_stays_finite(p: Params) -> bool:
    return -FILLS[p.fill] <= LARGEST[p.format]


def keys_seen(p: Params, offset: int) -> list[set[int]]:
    """The keys that each query may see when the first query stands at ``offset``: intervals, by counting."""
    pads = min(p.padding, p.keys) if p.mask != "causal" else 0
    counts = [causal_count(i, offset) if p.mask != "padding" else p.keys for i in range(p.queries)]
    return [set(range(pads, min(count, p.keys))) for count in counts]


def predict(p: Params) -> Results:
    offset = bottom_right_offset(p.queries, p.keys)
    everything = set(range(p.keys))
    finite = fill_stays_finite(p)
    wrong, given_weight = 0, np.zeros((p.queries, p.keys), dtype=bool)
    pairs = zip(keys_seen(p, offset), keys_seen(p, 0 if p.alignment == "top-left" else offset), strict=True)
    for i, (intended, kept) in enumerate(pairs):
        seen = kept if p.polarity == "keep" else everything - kept
        broken = not seen and not finite and p.empty == "nan"
        # a row of hidden keys under a finite fill gives every one of them weight
        weighted = everything if finite and not seen else seen
        wrong += broken or weighted != intended
        given_weight[i, list(weighted)] = True
    form, constant = FORMATS[p.format], FILLS[p.fill]
    apart = spacing(math.floor(math.log2(-constant)), form.significand) if finite else math.inf
    return {
        "wrong_queries": wrong,
        "given_weight": given_weight,
        "empty_nan": 0 if finite or p.empty == "zero" else p.keys,
        "spacing": apart,
        "empty_bound": shift_bound(apart) if p.application == "add" else 1.0,
    }


def shift_bound(apart: float) -> float:
    """How far a weight can move when logits are rounded to multiples of ``apart``."""
    return min(1.0, rounding_factor(math.exp(apart / 2)) - 1) if apart < 1 else 1.0


def into_format(x: Array, name: str) -> Array:
    """The nearest numbers of the format, as float64; what lies beyond its largest becomes infinite."""
    form = FORMATS[name]
    finite = np.isfinite(x)
    rounded = np.where(finite, stored(np.where(finite, x, 0.0), form), x)
    return np.where(np.abs(rounded) > LARGEST[name], np.copysign(np.inf, rounded), rounded)


def read_as_keep(mask: Bools, polarity: str) -> Bools:
    """What a layer of this polarity lets take part."""
    return mask if polarity == "keep" else ~mask


def masked_logits(scores: Array, keep: Bools, fill: float | Array, application: str, name: str) -> Array:
    """Scores (…, S) of the format with ``fill`` added to, or put in place of, those of the hidden keys."""
    constant = into_format(np.asarray(fill), name)
    hidden = into_format(scores + constant, name) if application == "add" else constant
    return np.where(keep, scores, hidden)


def build_mask(p: Params, alignment: str) -> Bools:
    """True = keep, (L, S); padding stands on the left, as in batched decoding."""
    causal = causal_mask(
        p.queries, p.keys, alignment="top-left" if alignment == "top-left" else "bottom-right"
    )
    tokens = padding_mask([max(p.keys - p.padding, 0)], p.keys, side="left")[0]
    match p.mask:
        case "causal":
            return causal
        case "padding":
            return np.broadcast_to(tokens, causal.shape)
    return combine_masks(causal, tokens)


FILL_SIZES: Array = np.logspace(0, 9, 37)


def measure(p: Params, rng: np.random.Generator) -> Results:
    query, key = rng.standard_normal((p.queries, D_K)), rng.standard_normal((p.keys, D_K))
    value = rng.standard_normal((p.keys, D_K))
    raw = scaled_dot_product_attention(query, key, value).scores * p.spread  # (L, S)
    scores = into_format(raw, p.format)
    intended = build_mask(p, "bottom-right")
    keep = read_as_keep(build_mask(p, p.alignment), p.polarity)
    logits = masked_logits(scores, keep, FILLS[p.fill], p.application, p.format)
    weights = softmax(logits, empty=p.empty)
    gaps = [
        np.abs(weights[i] @ value - softmax(scores[i, keep[i]]) @ value[keep[i]]).max()
        for i in range(p.queries)
        if keep[i].any()
    ]
    # NaN is seen nowhere and everywhere: such a query counts as wrong whatever was intended
    wrong = ((weights > 0) != intended).any(axis=1) | np.isnan(weights).any(axis=1)

    row, nothing = scores[-1], np.zeros(p.keys, dtype=bool)
    unmasked = softmax(row)
    empty = softmax(masked_logits(row, nothing, FILLS[p.fill], p.application, p.format), empty=p.empty)
    swept = softmax(masked_logits(row, nothing, -FILL_SIZES[:, None], p.application, p.format))  # (fills, S)
    sweep = np.abs(swept - unmasked).max(axis=-1)
    return {
        "weights": weights,
        "intended": intended,
        "wrong_queries": int(wrong.sum()),
        "kept_gap": float(max(gaps, default=0.0)),
        "empty_nan": int(np.isnan(empty).sum()),
        "empty_from_unmasked": float(np.nan_to_num(np.abs(empty - unmasked)).max()),
        "empty_from_uniform": float(np.nan_to_num(np.abs(empty - 1 / p.keys)).max()),
        "empty_sum": float(np.nan_to_num(empty).sum()),
        "largest_score": float(np.abs(row).max()),
        "uniform_gap": float(np.abs(1 / p.keys - unmasked).max()),
        "sweep": sweep,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    count = Text("exact count", "精确计数")
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    checks = [
        Check(
            "wrong-queries",
            Text("queries that see other keys than they should", "看到的 key 与应看到的不符的 query 数"),
            predicted=predicted["wrong_queries"],
            measured=results["wrong_queries"],
            tolerance=0.0,
            law=count,
        ),
        Check(
            "keys-seen",
            Text(
                "pairs of a query and a key in which weight is given or withheld against the count of kept keys",
                "（query，key）对中，有无权重与计数所得不符的个数",
            ),
            predicted=0,
            measured=float(((results["weights"] > 0) != predicted["given_weight"]).sum()),
            tolerance=0.0,
            law=count,
        ),
        Check(
            "kept-rows-exact",
            Text(
                "where a key is kept, the output against attention over the kept keys alone",
                "至少保留一个 key 时，输出与只对保留的 key 做注意力之差",
            ),
            predicted=0.0,
            measured=results["kept_gap"],
            tolerance=ROUNDING * 8,
            law=exact,
        ),
        Check(
            "empty-row-nan",
            Text("NaN weights in a row of hidden keys", "整行被遮时 NaN 权重的个数"),
            predicted=predicted["empty_nan"],
            measured=results["empty_nan"],
            tolerance=0.0,
            law=count,
        ),
    ]
    if not fill_stays_finite(p):
        return tuple(checks)
    if p.application == "add":
        checks.append(
            Check(
                "empty-row-unmasked",
                Text(
                    "a row of hidden keys against the unmasked row, within the rounding of the logits",
                    "整行被遮的行与不加掩码的行之差，不超过 logit 舍入所致",
                ),
                predicted=predicted["empty_bound"],
                measured=results["empty_from_unmasked"],
                tolerance=ROUNDING,
                law=Text(
                    "each logit is rounded once, by at most half the spacing at the fill",
                    "每个 logit 只舍入一次，误差至多为填充值处间距的一半",
                ),
                relation="<=",
            )
        )
    if p.application == "replace" or predicted["spacing"] / 2 > results["largest_score"]:
        checks.append(
            Check(
                "empty-row-uniform",
                Text(
                    "a row of hidden keys whose scores are gone against equal weights",
                    "分数已丢失的整行被遮的行与均匀权重之差",
                ),
                predicted=0.0,
                measured=results["empty_from_uniform"],
                tolerance=ROUNDING,
                law=exact,
            )
        )
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    floor = 1e-17
    # the sums that are rounded reach a little further than the fill itself
    exponents = np.floor(np.log2(FILL_SIZES + results["largest_score"]))
    apart = np.array([spacing(e, FORMATS[p.format].significand) for e in exponents])
    bound = np.array([shift_bound(step) for step in apart])
    reachable = LARGEST[p.format] >= FILL_SIZES
    marks: list[Line | Points | Rule] = [
        Points(
            Text("measured", "实测"),
            FILL_SIZES,
            np.where(reachable, np.maximum(results["sweep"], floor), np.nan),
            "measured",
        ),
        Rule(Text("equal weights", "均匀权重"), max(results["uniform_gap"], floor), "y", "context"),
    ]
    if p.application == "add":
        marks.insert(
            0,
            Line(
                Text("bound by rounding", "舍入误差上界"),
                FILL_SIZES,
                np.where(reachable, bound, np.nan),
                "bound",
            ),
        )
    return (
        HeatMap(
            Text(
                "Weights; outlined: the keys each query should see", "权重；框出的是每个 query 应看到的 key"
            ),
            Text(
                "weight outside the outline, or an outlined cell without any, is a mask misread; a row of NaN is drawn as −1",
                "框外有权重、框内没有权重，都是掩码用错了；NaN 的行画成 −1",
            ),
            np.nan_to_num(results["weights"], nan=-1.0),
            tuple(same(f"q{i}") for i in range(p.queries)),
            tuple(same(f"k{j}") for j in range(p.keys)),
            low=-1.0,
            high=1.0,
            diverging=True,
            outline=tuple((int(i), int(j)) for i, j in np.argwhere(results["intended"])),
        ),
        Plot(
            Text("A row of hidden keys against the unmasked row", "整行被遮的行与不加掩码的行之差"),
            Text(
                "a small fill that is added hides nothing; a larger one loses the scores to rounding and ends at equal "
                "weights; a fill that replaces is there at once; beyond the format there is only NaN",
                "相加的填充值小时什么也没遮住，变大后分数被舍入掉，最终权重均匀；替换则一开始就均匀；"
                "超出格式范围只剩 NaN",
            ),
            Axis(Text("size of the fill", "填充值的绝对值"), "log"),
            Axis(Text("largest difference of a weight", "权重的最大差值"), "log", low=floor, high=10.0),
            tuple(marks),
        ),
    )


DEMO = Demonstration(
    id="D22",
    name="mask-conventions",
    title=Text("Mask conventions and precision", "掩码的约定与精度"),
    shows=Text(
        "the same boolean array hides other keys under another polarity or alignment, and -1e9 equals -inf only in rows "
        "that keep a key",
        "同一个布尔数组，换一种极性或对齐方式，遮住的就是别的 key；而 -1e9 只在至少保留一个 key 的行里等同于 -inf",
    ),
    kills=Text(
        "“-1e9 is the same as -inf”, “boolean masks mean the same everywhere”, “is_causal works with a KV cache”",
        "“-1e9 与 -inf 一样”“布尔掩码处处含义相同”“is_causal 可以配合 KV 缓存使用”",
    ),
    parameters=(
        Parameter("queries", "L", Text("queries", "query 数"), 3, 1, 8, 1.0, "int"),
        Parameter("keys", "S", Text("keys", "key 数"), 6, 1, 8, 1.0, "int"),
        Parameter(
            "mask",
            r"\text{mask}",
            Text("what is hidden", "遮住什么"),
            "causal",
            kind="choice",
            choices=(
                Choice("causal", Text("later keys", "靠后的 key（因果）")),
                Choice("padding", Text("padding on the left", "左侧的填充")),
                Choice("both", Text("later keys and padding", "靠后的 key 与填充")),
            ),
        ),
        Parameter("padding", r"\text{pads}", Text("padded keys", "填充的 key 数"), 2, 0, 8, 1.0, "int"),
        Parameter(
            "alignment",
            r"\text{alignment}",
            Text("where the causal triangle sits", "因果三角形的对齐方式"),
            "top-left",
            kind="choice",
            choices=(
                Choice("top-left", Text("top-left (is_causal=True)", "左上（is_causal=True）")),
                Choice("bottom-right", Text("bottom-right (KV cache)", "右下（KV 缓存）")),
            ),
        ),
        Parameter(
            "polarity",
            r"\text{polarity}",
            Text(
                "how the layer reads True; the mask was built with True = keep",
                "层如何解读 True；掩码按 True = 保留构造",
            ),
            "keep",
            kind="choice",
            choices=(
                Choice("keep", Text("True = keep (SDPA)", "True = 保留（SDPA）")),
                Choice(
                    "block", Text("True = block (MultiheadAttention)", "True = 遮住（MultiheadAttention）")
                ),
            ),
        ),
        Parameter(
            "fill",
            "c",
            Text("what stands for 'hidden'", "用什么表示“遮住”"),
            "-1e9",
            kind="choice",
            choices=(
                Choice("-inf", same("-inf")),
                Choice("-1e9", same("-1e9")),
                Choice("-1e4", same("-1e4")),
            ),
        ),
        Parameter(
            "application",
            r"\text{use}",
            Text("how the fill is applied", "填充值怎样施加"),
            "add",
            kind="choice",
            choices=(
                Choice("add", Text("added to the score", "加到分数上")),
                Choice("replace", Text("in place of the score", "替换分数")),
            ),
        ),
        Parameter(
            "format",
            r"\text{format}",
            Text("format of the logits", "logit 的浮点格式"),
            "float32",
            kind="choice",
            choices=tuple(Choice(name, same(name)) for name in FORMATS),
        ),
        Parameter(
            "empty",
            r"\text{empty}",
            Text("what -inf throughout gives", "整行 -inf 得到什么"),
            "nan",
            kind="choice",
            choices=(
                Choice("nan", Text("NaN (softmax)", "NaN（softmax）")),
                Choice("zero", Text("zeros (SDPA from 2.5 on)", "全零（2.5 起的 SDPA）")),
            ),
        ),
        Parameter("spread", r"\sigma", Text("spread of the scores", "分数的标准差"), 1.0, 0.1, 3.0, 0.1),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "wrong_queries",
        Text("queries that see other keys than they should", "看到的 key 与应看到的不符的 query 数"),
        Text("queries", "个"),
        0.0,
        8.0,
    ),
)
