"""D27: what shuffling the tokens does to self-attention: its results move with them.

Lee et al. 2019, section 3 (equivariance and invariance); Yun et al. 2020, claim 1; Vaswani et al.
2017, section 3.5 (why positions are added).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array, Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Figure, HeatMap
from engine.nn.attention import Attention, scaled_dot_product_attention
from engine.nn.initialization import recurrent_matrix
from engine.nn.mask import causal_mask
from engine.proof.step import Expr, Step, equal, exhausted, let, ordered, popular_error, unequal
from engine.text import Text, same

DIFFERENT = 1e-9
"""Numbers of order one further apart than this differ: rounding stays far below."""
ROUNDING = float(np.finfo(float).eps)


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def changed_share(n: Expr, unmoved: Expr) -> Expr:
    """Share of the n² scores that differ after a shuffle that leaves ``unmoved`` tokens in place."""
    return 1 - unmoved**2 / n**2


def causal_share(n: Expr) -> Expr:
    """Share of the n² weights that a causal mask leaves above zero."""
    return (n + 1) / (2 * n)


def derive() -> tuple[Step, ...]:
    return (*_any_size(), *_small_sizes(), *_what_breaks_it())


def _any_size() -> tuple[Step, ...]:
    import sympy as sp

    n, d, k = sp.symbols("n d d_k", integer=True, positive=True)
    P, A = sp.MatrixSymbol("P", n, n), sp.MatrixSymbol("A", n, n)
    X, C = sp.MatrixSymbol("X", n, d), sp.MatrixSymbol("C", n, k)
    W_q, W_k, W_v = (sp.MatrixSymbol(f"W_{letter}", d, k) for letter in "QKV")
    ones = sp.MatrixSymbol(r"\mathbf{1}", n, 1)
    moved = P * X
    return (
        equal(
            "scores-move",
            sp.MatMul(moved * W_q, sp.Transpose(moved * W_k)),
            sp.MatMul(P, sp.MatMul(X * W_q, sp.Transpose(X * W_k)), sp.Transpose(P)),
            Text(
                r"shuffle the rows, $X \to PX$: the scores' rows and columns move, for any size and any weights",
                r"打乱行，$X \to PX$：分数矩阵的行与列随之移动，对任意大小与任意权重成立",
            ),
        ),
        let(
            "permutation",
            P.T,
            P.I,
            Text("$P$ is a permutation, so its transpose undoes it", "$P$ 是置换矩阵，转置就是它的逆"),
        ),
        equal(
            "outputs-move",
            sp.MatMul(sp.MatMul(P, A, sp.Transpose(P)), sp.MatMul(P, X, W_v)),
            sp.MatMul(P, A, X, W_v),
            Text(
                r"weights that move likewise, $PAP^\top$, meet values that moved: each output row goes with its token",
                r"权重同样变为 $PAP^\top$，再乘以移动后的 value：每行输出都跟着自己的词元",
            ),
            using=((P.T, P.I),),
        ),
        let(
            "one-a-column",
            ones.T * P,
            ones.T,
            Text("a permutation has a single one in each column", "置换矩阵每列恰有一个 1"),
        ),
        equal(
            "pooling",
            ones.T * P * C,
            ones.T * C,
            Text(
                "so a sum over tokens no longer sees the shuffle: equivariance plus pooling is invariance",
                "所以对词元求和就看不见打乱：等变加池化才是不变",
            ),
            using=((ones.T * P, ones.T),),
        ),
    )


def _small_sizes() -> tuple[Step, ...]:
    from itertools import permutations

    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    def matrix(letter: str, rows: int, columns: int) -> Expr:
        entry = f"{letter}_{{}}{{}}"
        return sp.ImmutableMatrix(
            rows, columns, lambda i, j: sp.Symbol(entry.format(i + 1, j + 1), real=True)
        )

    def permutation(order: tuple[int, ...]) -> Expr:
        return sp.ImmutableMatrix(len(order), len(order), lambda i, j: int(order[i] == j))

    generators = [permutation((1, 0, 2, 3)), permutation((1, 2, 3, 0))]
    P_4, S = sp.MatrixSymbol("P", 4, 4), sp.MatrixSymbol("S", 4, 4)
    P, X = sp.MatrixSymbol("P", 3, 3), sp.MatrixSymbol("X", 3, 2)
    W, W_v = sp.MatrixSymbol("W", 2, 2), sp.MatrixSymbol("W_V", 2, 2)
    entries = tuple(
        (symbol, matrix(letter, *symbol.shape)) for symbol, letter in ((X, "x"), (W, "w"), (W_v, "v"))
    )

    def attention(tokens: Expr) -> Expr:
        return sp.MatMul(RowSoftmax(sp.MatMul(tokens, W, sp.Transpose(tokens))), tokens, W_v)

    n = sp.Symbol("n", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    s = sp.symbols("s_1:4", real=True)
    named = Text(
        r"three tokens and all weights, every entry free; $W = W_Q W_K^\top$",
        r"三个词元与全部权重，每个元素都自由；$W = W_Q W_K^\top$",
    )
    return (
        let(
            "four-scores",
            S,
            matrix("s", 4, 4),
            Text("four tokens' scores, all free", "四个词元的分数，全部自由"),
        ),
        exhausted(
            "softmax-moves",
            RowSoftmax(P_4 * S * sp.Transpose(P_4)),
            "=",
            P_4 * RowSoftmax(S) * sp.Transpose(P_4),
            Text(
                "softmax moves along, because a row's normaliser is a sum; a swap and a cycle generate all 24 shuffles",
                "softmax 也随之移动，因为每行的归一化是求和；一个对换与一个轮换生成全部 24 种打乱",
            ),
            over=[{P_4: generator} for generator in generators],
            bound="n=4",
            using=((S, matrix("s", 4, 4)),),
        ),
        *(let(f"entries-{symbol}", symbol, value, named) for symbol, value in entries),
        exhausted(
            "attention-moves",
            attention(P * X),
            "=",
            sp.MatMul(P, attention(X)),
            Text(
                "the whole layer at once: permutation equivariance, not invariance",
                "整层一起看：这是置换等变，不是置换不变",
            ),
            over=[{P: permutation(order)} for order in ((1, 0, 2), (1, 2, 0))],
            bound="n=3, d=2",
            using=entries,
        ),
        exhausted(
            "unmoved-scores",
            changed_share(sp.Integer(3), sp.Trace(P)),
            "=",
            1 - sp.Trace(sp.KroneckerProduct(P, P)) / 9,
            Text(
                r"a score stays where both its tokens stay: the shuffle acts on the $n^2$ scores as $P \otimes P$",
                r"只有两个词元都不动的分数才留在原处：打乱对 $n^2$ 个分数的作用是 $P \otimes P$",
            ),
            over=[{P: permutation(order)} for order in permutations(range(3))],
            bound="n=3",
        ),
        ordered(
            "every-weight",
            sp.exp(s[0]) / sum(sp.exp(score) for score in s),
            ">",
            sp.Integer(0),
            Text(
                "without a mask every token attends to every token: an exponential is never zero",
                "没有掩码时每个词元都关注所有词元：指数恒为正",
            ),
            bound="n=3",
        ),
        equal(
            "causal-count",
            sp.Sum(i, (i, 1, n)) / n**2,
            causal_share(n),
            Text(
                "under a causal mask the $i$-th row keeps $i$ weights",
                "因果掩码下第 $i$ 行保留 $i$ 个权重",
            ),
        ),
    )


def _what_breaks_it() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    swap = sp.ImmutableMatrix([[0, 1], [1, 0]])
    S = sp.ImmutableMatrix(2, 2, sp.symbols("s_11 s_12 s_21 s_22", real=True))
    C = sp.ImmutableMatrix(2, 2, sp.symbols("c_11 c_12 c_21 c_22", real=True))
    X = sp.ImmutableMatrix(sp.symbols("x_1 x_2", real=True))
    E = sp.ImmutableMatrix(sp.symbols("e_1 e_2", real=True))

    def causal(scores: Expr) -> Expr:
        return sp.ImmutableMatrix(2, 2, lambda i, j: scores[i, j] if j <= i else -sp.oo)

    return (
        popular_error(
            "scores-unchanged",
            sp.MatMul(swap, S, swap),
            S,
            Text(
                "'shuffling leaves the scores unchanged': only the score of a given pair of tokens is",
                "“打乱后分数不变”：不变的只是同一对词元之间的分数",
            ),
            bound="n=2",
        ),
        popular_error(
            "outputs-unchanged",
            sp.MatMul(swap, C),
            C,
            Text(
                "'self-attention is permutation invariant': its rows $C$ move",
                "“自注意力是置换不变的”：输出 $C$ 的行会移动",
            ),
            bound="n=2",
        ),
        unequal(
            "causal-mask-breaks-it",
            RowSoftmax(causal(swap * S * swap)),
            sp.MatMul(swap, RowSoftmax(causal(S)), swap),
            Text(
                "a causal mask belongs to places, not to tokens: the symmetry is gone",
                "因果掩码属于位置而不属于词元：对称性不复存在",
            ),
            bound="n=2",
        ),
        unequal(
            "positions-break-it",
            swap * X + E,
            sp.MatMul(swap, X + E),
            Text(
                "and so do positions added to the tokens, which is what they are for",
                "加到词元上的位置编码也打破它，这正是它的用途",
            ),
            bound="n=2",
        ),
    )


def predict(p: Params) -> Results:
    unmoved = {"swap": p.tokens - 2, "reverse": p.tokens % 2}.get(p.shuffle, 0)
    equivariant = p.mask == "none" and p.positions == "none"
    return {
        "changed_share": changed_share(p.tokens, unmoved),
        "equivariant": equivariant,
        "pairs_keep_their_score": p.positions == "none",
        "attended_share": causal_share(p.tokens) if p.mask == "causal" else 1.0,
    }


def draw_order(p: Params, rng: np.random.Generator) -> NDArray[np.intp]:
    """``order[i]`` is the token that stands at place i after the shuffle."""
    places = np.arange(p.tokens)
    match p.shuffle:
        case "swap":
            places[[0, -1]] = places[[-1, 0]]
            return places
        case "reverse":
            return places[::-1].copy()
        case "rotate":
            return np.roll(places, 1)
    # one cycle through all places in random order: nothing stays
    cycle = rng.permutation(p.tokens)
    places[cycle] = np.roll(cycle, 1)
    return places


def normalised(x: Array) -> Array:
    """Each row at length √d, as after a LayerNorm."""
    rows: Array = x * math.sqrt(x.shape[-1]) / np.linalg.norm(x, axis=-1, keepdims=True)
    return rows


def attend(p: Params, x: Array, projections: tuple[Array, Array, Array]) -> Attention:
    mask = causal_mask(p.tokens, p.tokens) if p.mask == "causal" else None
    W_q, W_k, W_v = projections
    return scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v, mask=mask)


def largest(difference: Array) -> float:
    return float(np.abs(difference).max())


def measure(p: Params, rng: np.random.Generator) -> Results:
    tokens = rng.standard_normal((p.tokens, p.width))
    positions = rng.standard_normal((p.tokens, p.width)) if p.positions == "added" else 0.0
    # rotations keep |q| = |k| = √d, so that no score leaves ±√d and no weight becomes negligible
    W_q, W_k, W_v = (recurrent_matrix(rng, p.width, 1.0, "orthogonal") for _ in "QKV")
    order = draw_order(p, rng)
    before = attend(p, normalised(tokens + positions), (W_q, W_k, W_v))
    after = attend(p, normalised(tokens[order] + positions), (W_q, W_k, W_v))
    return {
        "order": order,
        "scores_before": before.scores,
        "scores_after": after.scores,
        "changed_share": float((np.abs(after.scores - before.scores) > DIFFERENT).mean()),
        "pair_difference": largest(after.scores - before.scores[order][:, order]),
        "output_difference": largest(after.context - before.context[order]),
        "pooled_difference": largest(after.context.mean(axis=0) - before.context.mean(axis=0)),
        "in_place_difference": largest(after.context - before.context),
        "attended_share": float((after.weights > 0).mean()),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    # sums of d products of order one, a softmax of scores up to √d, sums of n values of order √d
    rounding = 8 * ROUNDING * p.width * (p.width + p.tokens)
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    counted = Text("exact count", "精确计数")

    def kept(name: str, claim: Text, measured: float, holds: bool) -> Check:
        """A difference that is nothing but rounding where the symmetry ``holds``, and plain where it does not."""
        if holds:
            return Check(name, claim, 0.0, measured, rounding, exact)
        broken = Text(
            "the symmetry is broken: a difference of order one, beyond rounding",
            "对称性已被打破：差别为 1 的量级，远超舍入误差",
        )
        # below 1e-9 only if values coincide in all of at least 4 dimensions, or a score meets its bound
        return Check(name, claim, 0.0, measured, DIFFERENT, broken, "!=", false_alarm=1e-8)

    return (
        Check(
            "scores-changed",
            Text("the share of the scores that a shuffle changes", "打乱后发生变化的分数所占的比例"),
            predicted=predicted["changed_share"],
            measured=results["changed_share"],
            tolerance=ROUNDING,
            law=counted,
            false_alarm=5e-7,
        ),
        kept(
            "pair-keeps-its-score",
            Text("the score of one pair of tokens, before and after", "同一对词元的分数，打乱前后之差"),
            results["pair_difference"],
            predicted["pairs_keep_their_score"],
        ),
        kept(
            "outputs-follow-tokens",
            Text("the output of one token, before and after", "同一个词元的输出，打乱前后之差"),
            results["output_difference"],
            predicted["equivariant"],
        ),
        kept(
            "pooled-output",
            Text("the mean over all tokens, before and after", "对所有词元的均值，打乱前后之差"),
            results["pooled_difference"],
            predicted["equivariant"],
        ),
        Check(
            "attended-share",
            Text("the share of weights above zero", "大于零的权重所占的比例"),
            predicted=predicted["attended_share"],
            measured=results["attended_share"],
            tolerance=ROUNDING,
            law=counted,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    order = results["order"]
    names = tuple(same(f"t{token + 1}") for token in range(p.tokens))
    moved = tuple(names[token] for token in order)
    first = int(np.argmax(order != np.arange(p.tokens)))
    pair = (first, (first + 1) % p.tokens)
    place = np.argsort(order)
    bound = max(largest(results["scores_before"]), largest(results["scores_after"]))
    kept = Text(
        "the outlined cell is the same pair of tokens as before: it has moved, its colour has not",
        "框出的格子与打乱前是同一对词元：位置变了，颜色没变",
    )
    broken = Text(
        "the outlined cell is the same pair of tokens, yet its score is another one: positions were added",
        "框出的格子是同一对词元，分数却变了：因为加上了位置",
    )
    return (
        HeatMap(
            Text("Scores before the shuffle", "打乱前的分数"),
            Text(
                "rows are queries, columns keys, both in the order of the sequence; one pair is outlined",
                "行是 query，列是 key，都按序列顺序排列；框出了其中一对",
            ),
            results["scores_before"],
            names,
            names,
            -bound,
            bound,
            diverging=True,
            outline=(pair,),
        ),
        HeatMap(
            Text("Scores after the shuffle", "打乱后的分数"),
            kept if predicted["pairs_keep_their_score"] else broken,
            results["scores_after"],
            moved,
            moved,
            -bound,
            bound,
            diverging=True,
            outline=((int(place[pair[0]]), int(place[pair[1]])),),
        ),
    )


DEMO = Demonstration(
    id="D27",
    name="permutation-equivariance",
    title=Text("Shuffled tokens, moved results", "打乱词元，结果随之移动"),
    shows=Text(
        r"self-attention without positions is permutation equivariant: $\operatorname{Attn}(PX) = P\operatorname{Attn}(X)$; "
        "a causal mask or added positions break that",
        r"不含位置信息的自注意力是置换等变的：$\operatorname{Attn}(PX) = P\operatorname{Attn}(X)$；"
        "因果掩码或位置编码会打破它",
    ),
    kills=Text(
        "shuffling the words leaves the attention scores unchanged; self-attention is permutation invariant",
        "打乱词序后注意力分数不变；自注意力是置换不变的",
    ),
    parameters=(
        Parameter("tokens", "n", Text("tokens", "词元数"), 8, 2, 32, 1.0, "int"),
        Parameter("width", "d", Text("width of a token", "词元的维度"), 16, 4, 64, 1.0, "int", "log"),
        Parameter(
            "shuffle",
            "P",
            Text("the shuffle", "打乱方式"),
            "swap",
            kind="choice",
            choices=(
                Choice("swap", Text("swap the first and the last", "首尾对换")),
                Choice("rotate", Text("move all by one place", "整体移动一位")),
                Choice("reverse", Text("reverse", "倒序")),
                Choice("random", Text("at random, none in its place", "随机，且无一留在原位")),
            ),
        ),
        Parameter(
            "mask",
            r"\text{mask}",
            Text("mask", "掩码"),
            "none",
            kind="choice",
            choices=(Choice("none", Text("none", "无")), Choice("causal", Text("causal", "因果掩码"))),
        ),
        Parameter(
            "positions",
            "E",
            Text("positions", "位置编码"),
            "none",
            kind="choice",
            choices=(
                Choice("none", Text("none", "无")),
                Choice("added", Text("added to the tokens", "加到词元上")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "changed_share",
        Text("share of the scores that the shuffle changes", "打乱后发生变化的分数所占的比例"),
        Text("", ""),
        0.0,
        1.0,
    ),
)
