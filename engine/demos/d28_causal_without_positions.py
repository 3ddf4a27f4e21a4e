"""D28: word order without position encodings: a causal mask tells it, from the second layer on.

Tsai et al. 2019, section 3 (the causal mask breaks the symmetry); Haviv et al. 2022 (language models without
position encodings); Kazemnejad et al. 2023, theorem 1 (the counter 1/t).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.attention import MultiHeadWeights, scaled_dot_product_attention, self_attention
from engine.nn.mask import causal_mask
from engine.nn.normalization import layer_norm
from engine.nn.precision import FORMATS, stored
from engine.proof.step import Expr, Step, cited, equal, exhausted, let, ordered, popular_error, unequal
from engine.text import Text, same

WIDTH, HEADS, LAYERS = 16, 2, 3
REPEATS = 7
"""Tokens of the sequence that says one word over and over."""

DIFFERENT = 1e-9
"""Outputs of order one further apart than this differ; rounding through three layers stays below 1e-12."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def counter(t: Expr) -> Expr:
    """What uniform causal attention to a marked first token gives at place t."""
    return 1 / t


def readback_error(t: Expr, epsilon: Expr) -> Expr:
    """How far from t the inverse of a counter that was stored with relative error epsilon lies."""
    return -t * epsilon / (1 + epsilon)


def readable_places(u: Expr) -> Expr:
    """Below this place rounding by the unit roundoff u never moves the inverse by half a place."""
    return (1 - u) / (2 * u)


def derive() -> tuple[Step, ...]:
    return (*_one_layer(), *_two_layers(), *_counter())


def _one_layer() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    s, v = sp.symbols("s_1:4", real=True), sp.symbols("v_1:4", real=True)
    c = sp.Symbol("c", real=True)

    def last_row(order: tuple[int, ...], values: tuple[Expr, ...]) -> Expr:
        scores = sp.ImmutableMatrix([[s[j] for j in order]])
        return sp.MatMul(RowSoftmax(scores), sp.ImmutableMatrix([values[j] for j in order]), evaluate=False)

    P, X = sp.MatrixSymbol("P", 3, 3), sp.MatrixSymbol("X", 3, 1)
    tokens = sp.ImmutableMatrix(sp.symbols("x_1:4", real=True))
    swap = sp.ImmutableMatrix([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    last = sp.ImmutableMatrix([[0, 0, 1]])

    def attention(x: Expr) -> Expr:
        return sp.MatMul(RowSoftmax(sp.MatMul(x, sp.Transpose(x))), x)

    return (
        equal(
            "one-layer-sees-a-set",
            last_row((0, 1, 2), v),
            last_row((1, 0, 2), v),
            Text(
                "one layer, last token: its score with a token belongs to that token, so swapping the tokens before it "
                "changes the order of a sum; a causal mask does not matter, the last row sees everything",
                "一层、最后一个词元：它对某个词元的分数跟着那个词元走，交换前面的词元只改变求和次序；"
                "这与因果掩码无关，最后一行本来就能看到全部",
            ),
            bound="n=3",
        ),
        let(
            "three-tokens",
            X,
            tokens,
            Text("three tokens of width one, all free", "三个宽度为 1 的词元，取值自由"),
        ),
        exhausted(
            "no-mask-no-order",
            sp.MatMul(last, attention(P * X)),
            "=",
            sp.MatMul(last, attention(X)),
            Text(
                "without a mask every row moves with its token, so this repeats at each further layer: a bidirectional "
                "stack of any depth gives the last token the same output",
                "没有掩码时每一行都随词元移动，于是每加一层都重复同样的结论：双向的堆叠不管多深，最后一个词元的输出都一样",
            ),
            over=[{P: swap}],
            bound="n=3, d=1",
            using=((X, tokens),),
        ),
        popular_error(
            "mask-alone-numbers-places",
            last_row((0, 1), (c, c, c)),
            last_row((0, 1, 2), (c, c, c)),
            Text(
                "'a causal mask by itself numbers the places': not for one word repeated, weights that sum to one return "
                "that word at the second place and at the third alike",
                "“因果掩码本身就给位置编了号”：若同一个词不断重复就不行，和为 1 的权重在第二个位置和第三个位置都只能返回这个词",
            ),
            op="!=",
            bound="n=2, 3",
        ),
    )


def _two_layers() -> tuple[Step, ...]:
    import sympy as sp

    n, j = sp.symbols("n j", integer=True, positive=True)
    U = sp.ImmutableMatrix(3, 3, lambda t, i: sp.Rational(1, t + 1) if i <= t else 0)
    swap = sp.ImmutableMatrix([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    last = sp.ImmutableMatrix([[0, 0, 1]])
    X = sp.ImmutableMatrix(sp.symbols("x_1:4", real=True))
    tail = sp.IndexedBase("T")

    return (
        equal(
            "two-layers-weigh-places",
            sp.MatMul(last, U, U, evaluate=False),
            sp.ImmutableMatrix([[sp.Rational(11, 18), sp.Rational(5, 18), sp.Rational(2, 18)]]),
            Text(
                "two layers of the plainest causal attention, equal weights: the first word counts most, because every "
                "later row has already averaged it in",
                "两层最简单的因果注意力，权重相等：最早的词占比最大，因为后面每一行都已经把它平均进去了",
            ),
            bound="n=3",
        ),
        let(
            "tail-sum",
            tail[j],
            1 / j + tail[j + 1],
            Text(
                "for any length $n$ place $j$ gets the weight $T_j / n$ with $T_j = 1/j + 1/(j+1) + … + 1/n$",
                "对任意长度 $n$，第 $j$ 个位置的权重是 $T_j / n$，其中 $T_j = 1/j + 1/(j+1) + … + 1/n$",
            ),
        ),
        equal(
            "each-place-its-weight",
            tail[j] / n - tail[j + 1] / n,
            1 / (n * j),
            Text(
                "neighbouring places never weigh the same, so an exchange of two different words shows",
                "相邻位置的权重永远不同，所以交换两个不同的词就看得出来",
            ),
            using=((tail[j], 1 / j + tail[j + 1]),),
        ),
        popular_error(
            "only-encodings-give-order",
            sp.MatMul(last, U, U, X, evaluate=False),
            sp.MatMul(last, U, U, swap, X, evaluate=False),
            Text(
                "'position encodings are the only source of order': two causal layers tell the first two words apart",
                "“位置编码是词序的唯一来源”：两层因果注意力就能区分前两个词的次序",
            ),
            bound="n=3",
        ),
        unequal(
            "rows-inside-differ",
            sp.MatMul(U, X, evaluate=False),
            sp.MatMul(U, swap, X, evaluate=False),
            Text(
                "the reason: after one causal layer the rows inside already hold prefixes, and the second layer reads them",
                "原因：经过一层因果注意力，中间各行已经是前缀的汇总，第二层读到的正是它们",
            ),
            bound="n=3",
        ),
    )


def _counter() -> tuple[Step, ...]:
    import sympy as sp

    t, j = sp.symbols("t j", integer=True, positive=True)
    epsilon = sp.Symbol("epsilon", real=True)
    u = sp.Symbol("u", positive=True)
    return (
        equal(
            "counter",
            sp.Sum(sp.KroneckerDelta(j, 1) / t, (j, 1, t)),
            counter(t),
            Text(
                "mark the first token (BOS) with a one, attend to all alike: place $t$ receives $1/t$",
                "给第一个词元（BOS）标 1，均匀地注意所有词元：第 $t$ 个位置得到 $1/t$",
            ),
        ),
        ordered(
            "counter-falls",
            counter(t),
            ">",
            counter(t + 1),
            Text("so every place has a number of its own", "于是每个位置都有自己的编号"),
            witness=1 / (t * (t + 1)),
        ),
        equal(
            "readback",
            1 / (counter(t) * (1 + epsilon)) - t,
            readback_error(t, epsilon),
            Text(
                "a counter stored with relative error $ε$ reads back wrong by an amount that grows with $t$",
                "计数器若以相对误差 $ε$ 存储，读回的误差随 $t$ 增长",
            ),
        ),
        equal(
            "readable",
            readback_error(readable_places(u), -u),
            sp.Rational(1, 2),
            Text(
                "at unit roundoff $u$ the worst case reaches half a place at $(1 - u) / (2u)$: 127 places in bfloat16",
                "单位舍入误差为 $u$ 时，最坏情形在 $(1 - u) / (2u)$ 处差半个位置：bfloat16 只到 127",
            ),
        ),
        cited(
            "trained-models",
            r"\text{NoPE}",
            Text(
                "causal language models trained without any position encoding do learn positions, and stay close in "
                "perplexity; a masked language model trained so does not",
                "完全不用位置编码训练的因果语言模型确实学到了位置，困惑度也相近；这样训练的掩码语言模型则不行",
            ),
            "Haviv et al. 2022; Kazemnejad et al. 2023",
        ),
    )


def orders_told_apart(prefix: int, layers: int, mask: str) -> int:
    """Of the prefix! orders of distinct words, how many the last token can tell apart."""
    return math.factorial(prefix) if mask == "causal" and layers >= 2 else 1


def predict(p: Params) -> Results:
    form = FORMATS[p.form]
    return {
        "orders": orders_told_apart(p.prefix, p.layers, p.mask),
        "all_orders": math.factorial(p.prefix),
        "counter": counter(p.place),
        "readable": readable_places(form.unit_roundoff),
        "readback_bound": readback_error(p.place, -form.unit_roundoff),
        "repeats_differ": p.mask == "causal",
    }


Layer = tuple[MultiHeadWeights, Array, Array]


def draw_layer(rng: np.random.Generator) -> Layer:
    """Projections, and the two matrices of the feed-forward network, at a scale that keeps rows of order one."""
    W_q, W_k, W_v, W_o = rng.standard_normal((4, WIDTH, WIDTH)) / math.sqrt(WIDTH)
    up = rng.standard_normal((WIDTH, 2 * WIDTH)) / math.sqrt(WIDTH)
    down = rng.standard_normal((2 * WIDTH, WIDTH)) / math.sqrt(2 * WIDTH)
    return MultiHeadWeights(W_q, W_k, W_v, W_o, heads=HEADS), up, down


def visible(tokens: int, mask: str) -> NDArray[np.bool_] | None:
    return causal_mask(tokens, tokens) if mask == "causal" else None


def depths(x: Array, layers: tuple[Layer, ...], mask: str) -> list[Array]:
    """Hidden states (…, n, d) after each pre-LN layer without any position encoding."""
    states = []
    for weights, up, down in layers:
        attended = self_attention(layer_norm(x).y, weights, mask=visible(x.shape[-2], mask))
        x = x + attended.output
        x = x + np.maximum(layer_norm(x).y @ up, 0) @ down
        states.append(x)
    return states


def distinct(outputs: Array) -> int:
    """How many of the rows (m, d) differ from one another."""
    order = np.argsort(outputs.sum(axis=-1))
    gaps = np.abs(np.diff(outputs[order], axis=0)).max(axis=-1)
    return 1 + int((gaps > DIFFERENT).sum())


ALL_UP_TO = 256
"""Every place this far is counted in one pass; further ones by single queries."""


def counted(places: Array) -> Array:
    """1/t as the attention layer gives it: queries without content, t visible keys, the first value marked."""
    n = min(ALL_UP_TO, int(places.max()))
    near = attended_mark(n, n)
    far = [attended_mark(1, int(t))[0] for t in places[places > n]]
    return np.append(near[places[places <= n].astype(int) - 1], far)


def attended_mark(queries: int, keys: int) -> Array:
    """What the last ``queries`` places of ``keys`` receive from the mark at the first one: (queries,)."""
    mark = np.zeros((keys, 1))
    mark[0] = 1
    mask = causal_mask(queries, keys)
    done = scaled_dot_product_attention(np.zeros((queries, 1)), np.ones((keys, 1)), mark, mask=mask)
    return np.asarray(done.context[:, 0], dtype=np.float64)


def measure(p: Params, rng: np.random.Generator) -> Results:
    layers = tuple(draw_layer(rng) for _ in range(LAYERS))
    words = rng.standard_normal((p.prefix + 1, WIDTH))
    orders = np.array(list(itertools.permutations(range(p.prefix))))
    texts = np.concatenate((orders, np.full((len(orders), 1), p.prefix)), axis=1)  # (prefix!, n)
    by_depth = {
        mask: np.array([distinct(state[:, -1]) for state in depths(words[texts], layers, mask)])
        for mask in ("causal", "none")
    }

    repeated = np.tile(words[0], (REPEATS, 1))
    marked = np.concatenate((words[1:2], repeated))
    alone, after_mark = (
        depths(x, layers, p.mask)[p.layers - 1][-REPEATS:] for x in (repeated, marked)
    )  # (REPEATS, d)

    near = np.arange(1.0, min(ALL_UP_TO, p.place) + 1)
    places = np.union1d(near, np.round(np.geomspace(1, p.place, 32)))
    kept = stored(counted(places), FORMATS[p.form])
    return {
        "orders": int(by_depth[p.mask][p.layers - 1]),
        "orders_by_depth_causal": by_depth["causal"],
        "orders_by_depth_none": by_depth["none"],
        "spread_of_repeats": float(np.ptp(alone, axis=0).max()),
        "spread_after_mark": float(np.ptp(after_mark, axis=0).max()),
        "counter": float(counted(np.array([p.place]))[0]),
        "places": places,
        "read_back": 1 / kept,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = float(np.finfo(float).eps)
    places, read_back = results["places"], results["read_back"]
    safe = places < predicted["readable"]
    exact = Text(
        "exact identity; three layers lose fewer digits than this", "精确恒等式；三层累积的舍入远小于此"
    )
    differ = Text("a difference of order one, beyond rounding", "差别为 1 的量级，远超舍入误差")
    return (
        Check(
            "orders-told-apart",
            Text("orders of the prefix that the last token tells apart", "最后一个词元能区分的前缀次序数"),
            predicted=predicted["orders"],
            measured=results["orders"],
            tolerance=0.0,
            law=Text(
                "exact count; outputs count as different beyond 1e-9", "精确计数；输出相差超过 1e-9 才算不同"
            ),
            # two orders would have to agree to nine digits in all 16 features
            false_alarm=1e-9,
        ),
        Check(
            "one-word-repeated",
            Text("one word repeated: its outputs are the same everywhere", "同一个词不断重复：各处输出相同"),
            predicted=0.0,
            measured=results["spread_of_repeats"],
            tolerance=DIFFERENT,
            law=exact,
        ),
        Check(
            "first-token-marked",
            Text("the same after one different first token", "在前面放一个不同的首词元之后"),
            predicted=0.0,
            measured=results["spread_after_mark"],
            tolerance=DIFFERENT,
            law=differ if predicted["repeats_differ"] else exact,
            relation="!=" if predicted["repeats_differ"] else "=",
            false_alarm=1e-9 if predicted["repeats_differ"] else 0.0,
        ),
        Check(
            "counter-value",
            Text("the counter of the attention layer at place $t$", "注意力层在第 $t$ 个位置给出的计数"),
            predicted=predicted["counter"],
            measured=results["counter"],
            # t equal weights: e^0 and their sum are exact, one division rounds
            tolerance=2 * rounding * predicted["counter"],
            law=Text("one rounded division", "一次除法的舍入"),
        ),
        Check(
            "places-misread",
            Text("places below the limit that read back wrong", "界限以下读错的位置数"),
            predicted=0,
            measured=int((np.round(read_back[safe]) != places[safe]).sum()),
            tolerance=0.0,
            law=Text("exact count", "精确计数"),
        ),
        Check(
            "readback-error",
            Text("the stored counter at place $t$, read back", "把存下来的第 $t$ 个位置的计数读回来"),
            predicted=predicted["readback_bound"],
            measured=float(abs(read_back[-1] - p.place)),
            tolerance=2 * rounding * p.place,
            law=Text("bound by the unit roundoff of the format", "由该格式的单位舍入误差得到的上界"),
            relation="<=",
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    places = results["places"]
    worst = readback_error(places, -FORMATS[p.form].unit_roundoff)
    depth_bars = tuple(
        Bar(
            Text(f"{english}, {depth} layer{'s' * (depth > 1)}", f"{chinese}，{depth} 层"),
            float(results[f"orders_by_depth_{mask}"][depth - 1]),
            "measured" if (mask, depth) == (p.mask, p.layers) else "other",
        )
        for mask, english, chinese in (("causal", "causal", "因果"), ("none", "no mask", "无掩码"))
        for depth in range(1, LAYERS + 1)
    )
    return (
        Bars(
            Text("Orders of the prefix told apart", "能区分的前缀次序数"),
            Text(
                "one causal layer sees a set; two tell all orders apart; without a mask no depth tells any",
                "一层因果注意力只看到集合；两层就能区分所有次序；没有掩码则多深都不行",
            ),
            Axis(Text("orders", "次序数"), "log", low=0.5),
            (
                *depth_bars,
                Bar(Text("all there are", "全部次序"), float(predicted["all_orders"]), "predicted"),
            ),
        ),
        Plot(
            Text("Error of the position read back from 1/t", "由 1/t 读回位置的误差"),
            Text(
                "exact up to the limit of the format; beyond it the error may pass half a place and grows with t",
                "在格式的界限以内没有误差；越过界限，误差可能超过半个位置，并随 t 增长",
            ),
            Axis(Text("place t", "位置 t"), "log"),
            Axis(Text("read back − t", "读回值 − t")),
            (
                Points(Text("measured", "实测"), places, results["read_back"] - places, "measured"),
                Line(Text("worst case", "最坏情形"), places, worst, "bound"),
                Line(Text("worst case, other sign", "另一侧的最坏情形"), places, -worst, "bound"),
                Rule(Text("half a place", "半个位置"), 0.5, "y", "context"),
                *(
                    (Rule(Text("limit of the format", "格式的界限"), predicted["readable"], "x", "context"),)
                    if predicted["readable"] < p.place
                    else ()
                ),
            ),
        ),
    )


DEMO = Demonstration(
    id="D28",
    name="causal-without-positions",
    title=Text("Order without position encodings", "没有位置编码的词序"),
    shows=Text(
        "without any position encoding a causal stack of two layers or more tells all orders of the words before the last "
        "apart; one layer, or any depth without a mask, tells none",
        "完全没有位置编码时，两层以上的因果堆叠能区分末词之前所有的词序；只有一层，或者没有掩码而不论多深，则一种也区分不了",
    ),
    kills=Text(
        "position encodings are the only source of order in a Transformer",
        "位置编码是 Transformer 中词序的唯一来源",
    ),
    parameters=(
        Parameter("layers", r"\ell", Text("layers", "层数"), 2, 1, LAYERS, 1.0, "int"),
        Parameter(
            "prefix",
            "m",
            Text("different words before the last", "末词之前互不相同的词数"),
            4,
            2,
            5,
            1.0,
            "int",
        ),
        Parameter(
            "mask",
            r"\text{mask}",
            Text("mask", "掩码"),
            "causal",
            kind="choice",
            choices=(Choice("causal", Text("causal", "因果掩码")), Choice("none", Text("none", "无"))),
        ),
        Parameter(
            "place",
            "t",
            Text("place that counts itself", "给自己计数的位置"),
            1000,
            1,
            16384,
            1.0,
            "int",
            "log",
        ),
        Parameter(
            "form",
            r"\text{format}",
            Text("number format of the counter", "计数器的数值格式"),
            "bfloat16",
            kind="choice",
            choices=tuple(Choice(name, same(name)) for name in FORMATS),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "orders",
        Text(
            "orders of the words before the last that the last token tells apart",
            "末词之前的词序，最后一个词元能区分几种",
        ),
        Text("orders", "种"),
        1.0,
        1000.0,
        "log",
    ),
)
