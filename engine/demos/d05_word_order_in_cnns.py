"""D05: a convolution sees order inside its window, and pixels that are shuffled are no longer an image.

Collobert et al. 2011, section 3.3 (windows of words); Kim 2014 (TextCNN); Islam, Jia, Bruce 2020 (zero padding tells position);
Wiener 1949 (the best linear denoiser).
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

from engine.demonstration import Check, Choice, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Line, Plot, Points, Rule
from engine.nn.attention import MultiHeadWeights, self_attention
from engine.nn.convolution import correlate, unfold
from engine.nn.initialization import recurrent_matrix
from engine.nn.recurrent import RNNWeights, rnn_forward
from engine.nn.text_convolution import TextCNNWeights, text_cnn
from engine.nn.windows import Floats
from engine.proof.step import Expr, Step, defined, equal, let, popular_error, unequal
from engine.text import Text, same

ROUNDING = float(np.finfo(float).eps)
WIDTH, FILTERS = 8, 4
"""Width of a word vector; filters of the layer that is looked at."""
DIFFERENT = 1e-6
"""Outputs further apart than this are different ones."""
CONSTANT = 16
"""Samples of the constant signal."""
BLOCK = 6
"""Words in each of the two phrases that change places."""
PIXELS, NOISE_VARIANCE, SMOOTHNESS = 64, 0.2, 4.0
"""The denoising task: places on a circle, variance of the noise, width of the spectrum in cycles."""
PERMUTATION = 27
"""Pixel i is shown at the place where 27 i used to be: without a factor in common with 64, so that each is shown once."""
WIDEST = 5
SENTENCES = {
    "nlp": ("我", "爱", "自然", "语言", "处理"),
    "film": ("this", "film", "is", "not", "bad", "at", "all"),
    "bigrams": ("a", "b", "a", "c", "a"),
}
PADDED = "·"


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def window_count(n: Expr, k: Expr) -> Expr:
    """Windows of k in n words, without padding."""
    return n - k + 1


def touched_by_padding(k: Expr) -> Expr:
    """Outputs at both ends whose window holds padding, with padding that keeps the length."""
    return k - 1


def remaining_error(c: Any, w: Any) -> Expr:
    """Mean square error of the best linear filter w for a signal of variance 1, c its covariance with the windows."""
    return 1 - sum(a * b for a, b in zip(c, w, strict=True))


def derive() -> tuple[Step, ...]:
    return (*_windows(), *_pooled(), *_pixels())


def _windows() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.row_softmax import RowSoftmax

    n, k = sp.symbols("n k", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, nonnegative=True)
    x = sp.symbols("x_1:6", real=True)
    w = sp.symbols("w_0:3", real=True)
    a, b = sp.symbols("a b", real=True)
    unfolded = sp.ImmutableMatrix(3, 3, lambda row, column: x[row + column])
    banded = sp.ImmutableMatrix(3, 5, lambda row, column: w[column - row] if 0 <= column - row < 3 else 0)
    reverse = sp.ImmutableMatrix(3, 3, lambda row, column: int(row + column == 2))
    reverse_input = sp.ImmutableMatrix(5, 5, lambda row, column: int(row + column == 4))
    palindrome = banded.subs(w[2], w[0])
    swap = sp.ImmutableMatrix([[0, 1], [1, 0]])
    scores = sp.ImmutableMatrix(2, 2, sp.symbols("s_11 s_12 s_21 s_22", real=True))
    value = sp.ImmutableMatrix(sp.symbols("v_1 v_2", real=True))
    return (
        equal(
            "unfold",
            sp.MatMul(unfolded, sp.ImmutableMatrix(w)),
            sp.MatMul(banded, sp.ImmutableMatrix(x)),
            Text(
                "a filter of width $k$ is a linear scorer of $k$-grams: each window is a row, multiplied with the flat kernel",
                "宽 $k$ 的滤波器是对 $k$-gram 打分的线性函数：每个窗口是一行，与展平的核相乘",
            ),
            bound="n=5, k=3, d=1",
        ),
        equal(
            "windows",
            sp.Sum(1, (i, 0, n - k)),
            window_count(n, k),
            Text(
                r"so many windows without padding; with padding $p$ and stride $s$, $\lfloor (n + 2p - k) / s \rfloor + 1$",
                r"不填充时的窗口数；填充 $p$、步幅 $s$ 时为 $\lfloor (n + 2p - k) / s \rfloor + 1$",
            ),
        ),
        popular_error(
            "blind-to-order",
            w[0] * a + w[1] * b,
            w[0] * b + w[1] * a,
            Text(
                "'a CNN cannot handle order': the score of a bigram is not that of the bigram turned round",
                "“CNN 处理不了顺序”：一个 bigram 的得分与顺序颠倒后的得分不同",
            ),
            bound="k=2",
        ),
        equal(
            "palindromes-only",
            sp.MatMul(palindrome, reverse_input),
            sp.MatMul(reverse, palindrome),
            Text(
                "a sentence read backwards gives the features backwards if the kernel reads the same both ways",
                "若核正读反读都一样，把句子倒过来，特征也只是倒过来",
            ),
            bound="n=5, k=3",
        ),
        unequal(
            "other-kernels",
            sp.MatMul(banded, reverse_input),
            sp.MatMul(reverse, banded),
            Text("any other kernel tells the two readings apart", "其他的核都能分辨正读与倒读"),
            bound="n=5, k=3",
        ),
        equal(
            "attention-without-positions",
            sp.MatMul(RowSoftmax(swap * scores * swap), swap, value),
            sp.MatMul(swap, RowSoftmax(scores), value),
            Text(
                "self-attention without positions has no such window: swapped words give the same outputs, swapped",
                "没有位置信息的自注意力不具备这样的窗口：词对调，输出只是随之对调",
            ),
            bound="n=2",
        ),
    )


def _pooled() -> tuple[Step, ...]:
    import sympy as sp

    x, y, z = sp.symbols("x y z", real=True)
    a, b, c = sp.symbols("a b c", real=True)
    w = sp.symbols("w_0:3", real=True)
    k, i = sp.symbols("k i", integer=True, positive=True)
    before = sp.Symbol("b", integer=True, nonnegative=True)
    kept_length = sp.ImmutableMatrix(
        4, 4, lambda row, column: {0: w[1], 1: w[2], -1: w[0]}.get(column - row, 0)
    )
    bigram = sp.Function("g")

    # functions of a sentence, printed as such and written out over its bigrams when decided
    class Largest(sp.Function):
        def doit(self, **hints: object) -> Expr:
            return sp.Max(*(w[0] * one + w[1] * two for one, two in pairwise(self.args)))

        def _latex(self, printer: Any) -> str:
            return rf"\operatorname{{maxpool}}\left({', '.join(map(printer.doprint, self.args))}\right)"

    class AllBigrams(sp.Function):
        def doit(self, **hints: object) -> Expr:
            return sum(bigram(one, two) for one, two in pairwise(self.args))

        def _latex(self, printer: Any) -> str:
            return rf"\operatorname{{pool}}_g\left({', '.join(map(printer.doprint, self.args))}\right)"

    def all_trigrams(words: tuple[Expr, ...]) -> Expr:
        windows = zip(words, words[1:], words[2:], strict=False)
        return sum((w[0] * one + w[1] * two + w[2] * three) ** 2 for one, two, three in windows)

    return (
        equal(
            "phrases-change-places",
            Largest(0, x, y, 0, z, 0),
            Largest(0, z, 0, x, y, 0),
            Text(
                "the maximum over time keeps what was said, not where: phrases $k - 1$ pads apart may change places",
                "沿时间取最大只保留出现过什么，不保留在哪里：相隔 $k - 1$ 个填充的短语可以互换位置",
            ),
            bound="k=2",
        ),
        unequal(
            "phrases-that-touch",
            sp.Max(x - y, y - z),
            sp.Max(z - x, x - y),
            Text(
                "where they touch, other bigrams arise: here with the taps $1, -1$",
                "短语相邻时，交界处会出现别的 bigram：此处核为 $1, -1$",
            ),
            bound="k=2",
        ),
        equal(
            "same-bigrams",
            AllBigrams(a, b, a, c, a),
            AllBigrams(a, c, a, b, a),
            Text(
                "order beyond the window is lost in any pooling: these two sentences have the same bigrams, for every function "
                "$g$ of them",
                "超出窗口的顺序经任何池化都会丢失：这两句的 bigram 完全相同，无论 $g$ 是什么函数",
            ),
            bound="k=2",
        ),
        unequal(
            "other-trigrams",
            all_trigrams((a, b, a, c, a)),
            all_trigrams((a, c, a, b, a)),
            Text(
                "but not the same trigrams: a wider window, or depth, sees more order",
                "但 trigram 不同：窗口更宽或层数更深，看到的顺序就更多",
            ),
            bound="k=3",
        ),
        equal(
            "constant-input",
            sp.MatMul(kept_length, sp.ones(4, 1)),
            sp.ImmutableMatrix([w[1] + w[2], sum(w), sum(w), w[0] + w[1]]),
            Text(
                "zero padding tells position: a constant input is no longer answered by a constant",
                "零填充会泄露位置：常数输入得到的不再是常数",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "ends",
            sp.Sum(1, (i, 1, before)) + sp.Sum(1, (i, before + 1, k - 1)),
            touched_by_padding(k),
            Text(
                "so many outputs have padding in their window: $b$ on the left and the rest on the right",
                "窗口里含填充的输出有这么多：左端 $b$ 个，其余在右端",
            ),
        ),
    )


def _pixels() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation

    n, d, f = sp.symbols("n d f", integer=True, positive=True)
    P, X, W = sp.MatrixSymbol("P", n, n), sp.MatrixSymbol("X", n, d), sp.MatrixSymbol("W", d, f)
    w_0, w_1, w_2 = sp.symbols("w_0:3", real=True)
    circulant = sp.ImmutableMatrix(4, 4, lambda i, j: [w_1, w_2, 0, w_0][(j - i) % 4])
    swap = sp.ImmutableMatrix(4, 4, lambda i, j: int(j == [1, 0, 2, 3][i]))
    x, u, e, g = sp.symbols("x u e_1 e_2", real=True)
    r, variance = sp.symbols("r v", positive=True)
    c_1, c_2 = sp.symbols("c_1 c_2", real=True)
    law = {x: (0, 1), u: (0, 1), e: (0, variance), g: (0, variance)}
    here, beside = x + e, r * x + sp.sqrt(1 - r**2) * u + g
    full = 1 + variance
    normal = ((c_1, full * w_0 + r * w_1), (c_2, r * w_0 + full * w_1))
    return (
        popular_error(
            "pixels-have-no-order",
            sp.MatMul(circulant, swap),
            sp.MatMul(swap, circulant),
            Text(
                "'pixels have no order': swap two of them, and the map is not the old one with two swapped",
                "“像素没有顺序”：对调两个像素，得到的特征图并不是原图对调两处",
            ),
            bound="n=4, k=3",
        ),
        equal(
            "pointwise-layers",
            sp.MatMul(sp.MatMul(P, X), W),
            sp.MatMul(P, sp.MatMul(X, W)),
            Text(
                "only a layer of width 1 is indifferent to a permutation $P$ of the places",
                "只有宽 1 的层不在乎位置的置换 $P$",
            ),
        ),
        defined(
            "denoising",
            r"y_i = x_i + e_i, \quad \operatorname{Var}(x_i) = 1, \quad \operatorname{Var}(e_i) = v, \qquad \hat{x} = w \star y",
            Text(
                "what the order is worth: one shared filter takes noise off a smooth signal, whose neighbours have correlation $r$",
                "顺序值多少：用一个共享滤波器给光滑信号去噪，相邻样本的相关系数为 $r$",
            ),
        ),
        equal(
            "its-error",
            Expectation((w_0 * here + w_1 * beside - x) ** 2, law),
            full * (w_0**2 + w_1**2) + 2 * r * w_0 * w_1 - 2 * (w_0 + r * w_1) + 1,
            Text("the error of a filter over a place and its neighbour", "用本位置与相邻位置的滤波器的误差"),
            bound="k=2",
        ),
        *(
            let(
                f"normal-equation-{index + 1}",
                symbol,
                value,
                Text(
                    "at its minimum the windows' covariance times $w$ is $c$",
                    "取最小时，窗口的协方差矩阵乘 $w$ 等于 $c$",
                ),
            )
            for index, (symbol, value) in enumerate(normal)
        ),
        equal(
            "its-least-error",
            full * (w_0**2 + w_1**2) + 2 * r * w_0 * w_1 - 2 * (w_0 * c_1 + w_1 * c_2) + 1,
            remaining_error((c_1, c_2), (w_0, w_1)),
            Text(
                "so this is left; shuffled neighbours are hardly correlated, $c_2$ vanishes and the neighbour is of no use",
                "于是剩下这么多；打乱后相邻者几乎不相关，$c_2$ 趋于零，邻居就没有用处了",
            ),
            bound="k=2",
            using=normal,
        ),
    )


def ngrams(words: tuple[str, ...], k: int, padding: str) -> list[tuple[str, ...]]:
    """The windows of a sentence as words."""
    if padding == "same":
        before = (k - 1) // 2
        words = (PADDED,) * before + words + (PADDED,) * (k - 1 - before)
    return [words[i : i + k] for i in range(len(words) - k + 1)]


def shuffled_order(p: Params) -> list[int]:
    """``order[i]`` is the word that stands at place i afterwards."""
    places = list(range(len(SENTENCES[p.sentence])))
    match p.shuffle:
        case "swap":
            places[1], places[3] = places[3], places[1]
            return places
        case "reverse":
            return places[::-1]
    return places[-1:] + places[:-1]


def autocovariance() -> Floats:
    """Of the smooth signal, by distance on the circle; 1 at distance 0."""
    spectrum = np.exp(-((np.fft.rfftfreq(PIXELS, 1 / PIXELS) / SMOOTHNESS) ** 2) / 2)
    covariance = np.fft.irfft(spectrum, PIXELS)
    scaled: Floats = covariance / covariance[0]
    return scaled


def best_filter_error(k: int, step: int) -> float:
    """Least error of a filter of width k when neighbours in view are ``step`` apart in the signal."""
    covariance = autocovariance()
    offsets = np.arange(k) - (k - 1) // 2
    c = covariance[step * offsets % PIXELS]
    windows = covariance[step * (offsets[:, None] - offsets) % PIXELS] + NOISE_VARIANCE * np.eye(k)
    return float(remaining_error(c, np.linalg.solve(windows, c)))


def predict(p: Params) -> Results:
    words, k = SENTENCES[p.sentence], int(p.k)
    moved = tuple(words[i] for i in shuffled_order(p))
    same_bag = Counter(ngrams(words, k, p.padding)) == Counter(ngrams(moved, k, p.padding))
    errors = {
        step: [best_filter_error(width, step) for width in range(1, WIDEST + 1)] for step in (1, PERMUTATION)
    }
    return {
        "windows": window_count(len(words), k) if p.padding == "valid" else len(words),
        "convolution_blind": same_bag,
        "recurrence_blind": words == moved,
        "told_apart": touched_by_padding(k) if p.padding == "same" else 0,
        "sentence_width": int(p.maps) * len(filter_widths(p)),
        "ordered_errors": errors[1],
        "permuted_errors": errors[PERMUTATION],
        "error_ratio": errors[PERMUTATION][k - 1] / errors[1][k - 1],
    }


def filter_widths(p: Params) -> tuple[int, ...]:
    return tuple(int(width) for width in p.widths.split(","))


def embed(words: tuple[str, ...], rng: np.random.Generator) -> Floats:
    """A vector for each word (n, WIDTH), the same wherever the word stands."""
    table = dict(zip(sorted(set(words)), rng.standard_normal((len(set(words)), WIDTH)), strict=True))
    return np.array([table[word] for word in words])


def text_layer(words: Floats, filters: Floats, padding: str) -> Floats:
    """Features (windows, filters) of words (n, d)."""
    return correlate(words.T, filters, padding="same" if padding == "same" else 0).T


def bag_distance(one: Floats, two: Floats, direction: Floats) -> float:
    """Largest difference of two sets of rows, both put in order along a random direction; their order does not count."""
    first, second = (rows[np.argsort(rows @ direction)] for rows in (one, two))
    return float(np.abs(first - second).max())


def denoise(k: int, step: int) -> float:
    """Error of the least-squares filter on one signal for each direction of the law: exactly its expectation."""
    root = np.fft.irfft(np.sqrt(np.fft.rfft(autocovariance()).real.clip(0)), PIXELS)
    circle = np.arange(PIXELS)
    clean = np.concatenate([root[(circle - circle[:, None]) % PIXELS], np.zeros((PIXELS, PIXELS))])
    noise = np.concatenate([np.zeros((PIXELS, PIXELS)), math.sqrt(NOISE_VARIANCE) * np.eye(PIXELS)])
    place = step * circle % PIXELS
    target, seen = clean[:, place], (clean + noise)[:, place]
    rows = unfold(seen[:, None], (k,), padding="same", fill="circular").reshape(-1, k)
    fitted = np.linalg.solve(rows.T @ rows, rows.T @ target.ravel())
    return float(((rows @ fitted - target.ravel()) ** 2).sum() / PIXELS)


def documents(gap: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Two phrases with ``gap`` zero vectors around each, exchanged, and one of them once and twice."""
    silence = np.zeros((gap, WIDTH))
    one, two = rng.standard_normal((2, BLOCK, WIDTH))
    orders = {"in order": (one, two), "exchanged": (two, one), "twice": (one, one), "once": (one,)}
    return {
        name: np.concatenate([silence, *(part for phrase in phrases for part in (phrase, silence))])
        for name, phrases in orders.items()
    }


def measure(p: Params, rng: np.random.Generator) -> Results:
    words, k, order = SENTENCES[p.sentence], int(p.k), shuffled_order(p)
    x = embed(words, rng)
    filters = rng.standard_normal((FILTERS, WIDTH, k)) / math.sqrt(WIDTH * k)
    features, moved = (text_layer(sentence, filters, p.padding) for sentence in (x, x[order]))
    rows = unfold(x.T, (k,), padding="same" if p.padding == "same" else 0)
    ends = [((k - 1) // 2, k // 2) if p.padding == "same" else (0, 0), (0, 0)]
    padded = np.pad(x, ends)
    by_channel = np.array(
        [sum(np.correlate(padded[:, c], f[c], "valid") for c in range(WIDTH)) for f in filters]
    ).T
    direction = rng.standard_normal(WIDTH)

    pointwise = rng.standard_normal((FILTERS, WIDTH, 1))
    single = [text_layer(sentence, pointwise, "valid") for sentence in (x, x[order])]
    recurrence = RNNWeights(
        recurrent_matrix(rng, WIDTH, 1.0, "orthogonal"),
        rng.standard_normal((WIDTH, WIDTH)) / WIDTH,
        np.zeros(WIDTH),
    )
    query, key, value, output = (recurrent_matrix(rng, WIDTH, 1.0, "orthogonal") for _ in "QKVO")
    attention = MultiHeadWeights(query, key, value, output, heads=2)
    states = [rnn_forward(sentence, np.zeros(WIDTH), recurrence).hidden[-1] for sentence in (x, x[order])]
    attended = [self_attention(sentence, attention).output for sentence in (x, x[order])]

    ramp = np.arange(1.0, k + 1)[None, None]
    constant = correlate(np.ones((1, CONSTANT)), ramp, padding="same" if p.padding == "same" else 0)[0]

    widths = filter_widths(p)
    text_weights = TextCNNWeights(
        tuple(rng.standard_normal((p.maps, WIDTH, h)) / math.sqrt(WIDTH * h) for h in widths),
        tuple(rng.standard_normal(p.maps) for _ in widths),
    )
    vectors = {
        name: text_cnn(document, text_weights).sentence
        for name, document in documents(max(widths) - 1, rng).items()
    }
    ordered, permuted = (
        [denoise(width, step) for width in range(1, WIDEST + 1)] for step in (1, PERMUTATION)
    )
    return {
        "features": features,
        "windows": len(features),
        "unfold_gap": float(np.abs(rows @ filters.reshape(FILTERS, -1).T - by_channel).max()),
        "convolution_distance": bag_distance(features, moved, direction[:FILTERS]),
        "pointwise_distance": bag_distance(single[0], single[1], direction[:FILTERS]),
        "recurrence_distance": float(np.abs(states[1] - states[0]).max()),
        "attention_distance": bag_distance(attended[0], attended[1], direction),
        "constant_response": constant,
        "told_apart": int((constant != ramp.sum()).sum()),
        "sentence_width": len(vectors["in order"]),
        "exchanged_gap": float(np.abs(vectors["exchanged"] - vectors["in order"]).max()),
        "repeated_gap": float(np.abs(vectors["twice"] - vectors["once"]).max()),
        "ordered_errors": np.array(ordered),
        "permuted_errors": np.array(permuted),
        "error_ratio": permuted[k - 1] / ordered[k - 1],
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    exact = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    counted = Text("exact count", "精确计数")
    plain = Text("not an identity: a difference far beyond rounding", "并非恒等：差别远超舍入误差")
    sums = 64 * ROUNDING * WIDTH * WIDEST

    def blind(name: str, claim: Text, measured: float, holds: bool) -> Check:
        if holds:
            return Check(name, claim, 0.0, measured, sums, exact)
        # smaller only if all of at least 4 random coordinates agree by chance
        return Check(name, claim, 0.0, measured, DIFFERENT, plain, "!=", false_alarm=1e-9)

    errors = np.abs(
        [
            results["ordered_errors"] - predicted["ordered_errors"],
            results["permuted_errors"] - predicted["permuted_errors"],
        ]
    )
    return (
        Check(
            "windows-counted",
            Text("windows of the sentence", "句子的窗口数"),
            predicted["windows"],
            results["windows"],
            0.0,
            counted,
        ),
        blind(
            "windows-as-rows",
            Text(
                "unfolded windows times the flat kernel, against correlating channel by channel",
                "展开的窗口乘以展平的核，与逐通道做互相关之差",
            ),
            results["unfold_gap"],
            True,
        ),
        blind(
            "convolution-and-order",
            Text("features of the shuffled sentence, as a set", "打乱后的特征（作为集合）之差"),
            results["convolution_distance"],
            predicted["convolution_blind"],
        ),
        blind(
            "recurrence-and-order",
            Text("last state of a recurrent network", "循环网络最后的状态之差"),
            results["recurrence_distance"],
            predicted["recurrence_blind"],
        ),
        blind(
            "pointwise-and-order",
            Text("features of a layer of width 1, as a set", "宽 1 的层的特征（作为集合）之差"),
            results["pointwise_distance"],
            True,
        ),
        blind(
            "attention-and-order",
            Text(
                "outputs of self-attention without positions, as a set",
                "无位置信息的自注意力输出（作为集合）之差",
            ),
            results["attention_distance"],
            True,
        ),
        Check(
            "places-told-apart",
            Text("places at which a constant input is not answered alike", "常数输入得到不同响应的位置数"),
            predicted["told_apart"],
            results["told_apart"],
            0.0,
            counted,
        ),
        Check(
            "sentence-vector",
            Text("width of TextCNN's sentence vector", "TextCNN 句向量的维数"),
            predicted["sentence_width"],
            results["sentence_width"],
            0.0,
            counted,
        ),
        blind(
            "phrases-exchanged",
            Text("sentence vector when two phrases change places", "两个短语互换位置时句向量之差"),
            results["exchanged_gap"],
            True,
        ),
        blind(
            "phrase-repeated",
            Text("sentence vector when a phrase is said twice", "同一短语说两遍时句向量之差"),
            results["repeated_gap"],
            True,
        ),
        Check(
            "denoising-errors",
            Text("errors of the best filters, largest difference", "最佳滤波器的误差，最大偏差"),
            0.0,
            float(errors.max()),
            # a covariance matrix with condition number (5 + v) / v at most, and sums over all windows
            1024 * ROUNDING * (WIDEST + NOISE_VARIANCE) / NOISE_VARIANCE,
            exact,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    words, k = SENTENCES[p.sentence], int(p.k)
    rows = tuple(same(" ".join(window)) for window in ngrams(words, k, p.padding))
    columns = tuple(Text(f"filter {i + 1}", f"滤波器 {i + 1}") for i in range(FILTERS))
    bound = float(np.abs(results["features"]).max())
    widths = np.arange(1.0, WIDEST + 1)
    sees = Text(
        "the convolution and the recurrent network see the shuffle; width 1 and attention without positions do not",
        "卷积与循环网络都看得出打乱；宽 1 的层与无位置信息的自注意力看不出",
    )
    misses = Text(
        "the shuffle leaves the windows as they were, as a set, so this convolution with any pooling misses it",
        "打乱后各窗口作为集合没有变，所以这个卷积加上任何池化都看不出",
    )
    return (
        HeatMap(
            Text("Every window, scored by every filter", "每个窗口在每个滤波器上的得分"),
            Text(
                "a row is a window of the sentence: the layer scores n-grams, and order inside one matters",
                "每行是句子的一个窗口：卷积层给 n-gram 打分，窗口内的顺序起作用",
            ),
            results["features"],
            rows,
            columns,
            -bound,
            bound,
            diverging=True,
        ),
        Bars(
            Text("Who notices the shuffle", "谁看得出打乱"),
            misses if predicted["convolution_blind"] else sees,
            Axis(Text("difference", "差异"), low=0.0),
            (
                Bar(
                    Text("recurrent network, last state", "循环网络，最后状态"),
                    results["recurrence_distance"],
                    "measured",
                ),
                Bar(
                    Text(f"convolution of width {k}", f"宽 {k} 的卷积"),
                    results["convolution_distance"],
                    "measured",
                ),
                Bar(Text("convolution of width 1", "宽 1 的卷积"), results["pointwise_distance"], "other"),
                Bar(
                    Text("attention without positions", "无位置信息的自注意力"),
                    results["attention_distance"],
                    "other",
                ),
            ),
        ),
        Plot(
            Text("Denoising, pixels in order and shuffled", "去噪：像素有序与打乱"),
            Text(
                "in order, neighbours help; shuffled, a wider filter gains little more than width 1 gives",
                "有序时邻居有用；打乱后，再宽的滤波器也比宽 1 好不了多少",
            ),
            Axis(Text("width of the filter", "滤波器宽度")),
            Axis(Text("mean square error", "均方误差"), low=0.0),
            (
                Line(
                    Text("in order, predicted", "有序，预测"),
                    widths,
                    np.array(predicted["ordered_errors"]),
                    "predicted",
                ),
                Points(Text("in order", "有序"), widths, results["ordered_errors"], "measured"),
                Line(
                    Text("shuffled, predicted", "打乱，预测"),
                    widths,
                    np.array(predicted["permuted_errors"]),
                    "predicted",
                ),
                Points(Text("shuffled", "打乱"), widths, results["permuted_errors"], "other"),
                Rule(Text("your width", "当前宽度"), float(k), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D05",
    name="word-order-in-cnns",
    title=Text("A convolution sees order inside its window", "卷积看得见窗口内的顺序"),
    shows=Text(
        "a filter of width $k$ scores $k$-grams, so it sees the order inside its window and no further; pixels in another order are "
        "another signal, which a shared filter can no longer use; only width 1 and attention without positions do not care",
        "宽 $k$ 的滤波器给 $k$-gram 打分，因此看得见窗口内的顺序，也只看得见这么多；像素换了次序就是另一个信号，共享滤波器用不上；"
        "只有宽 1 的层与无位置信息的自注意力不在乎次序",
    ),
    kills=Text("CNNs cannot model order; pixels have no order", "CNN 无法处理顺序；像素没有顺序"),
    parameters=(
        Parameter(
            "sentence",
            "x",
            Text("the sentence", "句子"),
            "nlp",
            kind="choice",
            choices=(
                Choice("nlp", same("我 / 爱 / 自然 / 语言 / 处理")),
                Choice("film", same("this film is not bad at all")),
                Choice("bigrams", same("a b a c a")),
            ),
        ),
        Parameter("k", "k", Text("width of the filters", "滤波器宽度"), 3, 1, WIDEST, 1.0, "int"),
        Parameter(
            "shuffle",
            "P",
            Text("the shuffle", "打乱方式"),
            "swap",
            kind="choice",
            choices=(
                Choice("swap", Text("swap the second and the fourth word", "对调第二与第四个词")),
                Choice("reverse", Text("reverse", "倒序")),
                Choice("rotate", Text("move all by one place", "整体移动一位")),
            ),
        ),
        Parameter(
            "padding",
            r"\text{padding}",
            Text("padding", "填充"),
            "valid",
            kind="choice",
            choices=(
                Choice("valid", Text("none", "不填充")),
                Choice("same", Text("zeros, length kept", "零填充，长度不变")),
            ),
        ),
        Parameter(
            "widths",
            "h",
            Text("widths of TextCNN's filters", "TextCNN 的滤波器宽度"),
            "3,4,5",
            kind="choice",
            choices=(Choice("3,4,5", same("3, 4, 5")), Choice("2,3", same("2, 3")), Choice("1", same("1"))),
        ),
        Parameter(
            "maps",
            "m",
            Text("TextCNN's maps of each width", "TextCNN 每种宽度的特征图数"),
            100,
            1,
            200,
            1.0,
            "int",
            "log",
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "error_ratio",
        Text(
            "how many times the error of a denoiser grows when the pixels are shuffled",
            "像素打乱后，去噪误差增大到多少倍",
        ),
        Text("", ""),
        1.0,
        10.0,
    ),
)
