"""D68: word2vec and its kin: what negative sampling fits, what a tree of sigmoids costs, how CBOW and skip-gram differ, subwords.

Mikolov et al. 2013a, section 3 (CBOW, skip-gram); Mikolov et al. 2013b, sections 2.1 (hierarchical softmax) and 2.2 (negative sampling);
Levy and Goldberg 2014, section 3.1; Pennington et al. 2014, section 3; Bojanowski et al. 2017, section 3.2 (n-grams).
"""

from __future__ import annotations

import heapq
import math
from itertools import count

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Figure, Line, Plot, Points
from engine.nn.loss import cross_entropy, cross_entropy_backward
from engine.nn.sigmoid import sigmoid
from engine.nn.softmax import softmax
from engine.proof.step import Expr, Step, cited, equal, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
PAIRED, TOPICS, WIDTH = 24, 4, 6
"""Words and contexts of the matrix that is fitted; topics that make them depend on each other; width of a vector."""
TOKENS = 30
SHORTEST, LONGEST = 3, 6
"""Characters of fastText's n-grams, boundary marks counted."""
COMPLEX_STEP = 1e-40


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def best_product(joint: Expr, word: Expr, noise: Expr, k: Expr) -> Expr:
    """e to the inner product at which the loss of skip-gram with k negative samples is least."""
    return joint / (k * word * noise)


def skip_gram_pairs(tokens: Expr, m: Expr) -> Expr:
    """Pairs of centre and context in a text, window m on each side, cut off at the ends."""
    return 2 * m * tokens - m * (m + 1)


def subwords(characters: int) -> int:
    """n-grams of a word with a mark on each side."""
    return sum(max(characters + 2 - n + 1, 0) for n in range(SHORTEST, LONGEST + 1))


def derive() -> tuple[Step, ...]:
    import sympy as sp

    x = sp.Symbol("x", real=True)
    k, m, T = sp.symbols("k m T", positive=True)
    joint, word, context = sp.symbols("P_wc P_w P_c", positive=True)
    first, second, b, c = sp.symbols("P_1 P_2 b c", positive=True)
    u, v, g = sp.symbols("u v g", real=True)
    grams, mark = sp.symbols("L n", integer=True, positive=True)

    def log_sigmoid(z: Expr) -> Expr:
        return -sp.log(1 + sp.exp(-z))

    pair = -joint * log_sigmoid(x) - k * word * context * log_sigmoid(-x)
    best = best_product(joint, word, context, k)
    left, right = 1 / (1 + sp.exp(-u)), 1 / (1 + sp.exp(u))
    low, high = 1 / (1 + sp.exp(-v)), 1 / (1 + sp.exp(v))
    one, two = best_product(first, 1, b, k), best_product(second, 1, c, k)
    return (
        equal(
            "best-inner-product",
            sp.Subs(sp.Derivative(pair, x), x, sp.log(best)),
            sp.Integer(0),
            Text(
                "one pair's share of the loss has its minimum where $e^x$ is the joint probability over $k$ times the noise's",
                "一个词对在损失中的份额，极小点处 $e^x$ 等于联合概率除以 $k$ 倍的噪声概率",
            ),
        ),
        equal(
            "shifted-information",
            best,
            sp.exp(sp.UnevaluatedExpr(sp.log(joint / (word * context)) - sp.log(k))),
            Text(
                r"its logarithm is the pointwise mutual information minus $\ln k$",
                r"取对数，就是点互信息减去 $\ln k$",
            ),
        ),
        popular_error(
            "softmax-recovered",
            one / (one + two),
            first / (first + second),
            Text(
                "'negative sampling approximates the softmax': the softmax of the best products divides out the noise, it is not $P(c|w)$",
                "“负采样近似 softmax”：对最优内积取 softmax 会除掉噪声分布，得到的不是 $P(c|w)$",
            ),
        ),
        equal(
            "tree-sums-to-one",
            left * low + left * high + right,
            sp.Integer(1),
            Text(
                "a tree of sigmoids is a distribution by construction: what goes left and right at a node adds up",
                "sigmoid 的树天然是分布：每个节点往左与往右之和为一",
            ),
            bound="V=3",
        ),
        equal(
            "shared-gradient",
            sp.Derivative((u + v) / 2 * g, u),
            sp.Derivative((u + v) / 2 * g, v),
            Text(
                "CBOW averages its context, so every context word gets the same gradient",
                "CBOW 对上下文取平均，所以每个上下文词得到相同的梯度",
            ),
            bound="m=1",
        ),
        equal(
            "pairs",
            sp.Sum(2 * (T - mark), (mark, 1, grams)),
            skip_gram_pairs(T, grams),
            Text(
                "skip-gram makes an example of each pair within the window, CBOW one of each position",
                "skip-gram 把窗口内每一对当成一个样本，CBOW 每个位置一个",
            ),
        ),
        popular_error(
            "as-many-examples",
            skip_gram_pairs(T, m),
            T,
            Text("'both see the same number of examples'", "“两者的样本数相同”"),
        ),
        cited(
            "glove",
            r"\min \sum_{i,j} f(X_{ij}) \left(w_i^\top \tilde w_j + b_i + \tilde b_j - \ln X_{ij}\right)^2",
            Text(
                "GloVe fits logarithms of counts by weighted least squares; biases take up the frequencies of the two words",
                "GloVe 用加权最小二乘拟合计数的对数；偏置吸收两个词的频率",
            ),
            "Pennington, Socher and Manning 2014, equation 8",
        ),
    )


def predict(p: Params) -> Results:
    return {
        "pairs": float(skip_gram_pairs(TOKENS, p.m)),
        "positions": float(TOKENS),
        "subwords": float(subwords(p.characters)),
        "inner_nodes": float(p.V - 1),
        "balanced_path": math.ceil(math.log2(p.V)),
    }


def joint_law(rng: np.random.Generator) -> Array:
    """P(w, c), (PAIRED, PAIRED): word and context are drawn from one topic."""
    topics = rng.dirichlet(np.ones(PAIRED), TOPICS) + 0.2 / PAIRED
    topics /= topics.sum(axis=1, keepdims=True)
    shares = rng.dirichlet(np.full(TOPICS, 5.0))
    return np.asarray(topics.T @ (shares[:, None] * topics))


def noise_law(contexts: Array, power: float) -> Array:
    raised = contexts**power
    return np.asarray(raised / raised.sum())


def slope(x: Array, joint: Array, noise: Array, k: int) -> Array:
    """Derivative of the expected loss by each inner product: of the positive pairs, and of k negatives a pair."""
    positive = joint * (sigmoid(x) - 1)
    negative = k * joint.sum(axis=1, keepdims=True) * noise * sigmoid(x)
    return np.asarray(positive + negative)


def fitted(joint: Array, noise: Array, k: int) -> Array:
    low, high = np.full(joint.shape, -40.0), np.full(joint.shape, 40.0)
    for _ in range(60):
        middle = (low + high) / 2
        above = slope(middle, joint, noise, k) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray((low + high) / 2)


def huffman(frequencies: Array) -> list[str]:
    """Code of each word, 0 and 1 for left and right, by joining the two rarest again and again."""
    order = count()
    heap = [(float(f), next(order), [i]) for i, f in enumerate(frequencies)]
    heapq.heapify(heap)
    codes = [""] * len(frequencies)
    while len(heap) > 1:
        f, _, ones = heapq.heappop(heap)
        g, _, others = heapq.heappop(heap)
        for members, bit in ((ones, "0"), (others, "1")):
            for i in members:
                codes[i] = bit + codes[i]
        heapq.heappush(heap, (f + g, next(order), ones + others))
    return codes


def leaf_probabilities(codes: list[str], rng: np.random.Generator) -> tuple[float, int]:
    """Sum of the probabilities of all leaves for a random hidden vector, and the number of nodes that were visited."""
    nodes = sorted({code[:depth] for code in codes for depth in range(len(code))})
    left = sigmoid(rng.standard_normal((len(nodes), WIDTH)) @ rng.standard_normal(WIDTH))
    chance_left = dict(zip(nodes, left.tolist(), strict=True))
    chances = [
        math.prod(
            chance_left[code[:depth]] if bit == "0" else 1 - chance_left[code[:depth]]
            for depth, bit in enumerate(code)
        )
        for code in codes
    ]
    return math.fsum(chances), len(nodes)


def cbow_gradients(m: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """dL/du of each context vector, (2 m, WIDTH), by complex steps; and dL/dh of their mean, (WIDTH,)."""
    contexts, out = rng.standard_normal((2 * m, WIDTH)), rng.standard_normal((PAIRED, WIDTH))
    target = int(rng.integers(PAIRED))
    each = np.empty_like(contexts)
    for row in range(2 * m):
        for column in range(WIDTH):
            moved = contexts.astype(complex)
            moved[row, column] += 1j * COMPLEX_STEP
            z = out @ moved.mean(axis=0)
            each[row, column] = (np.log(np.exp(z).sum()) - z[target]).imag / COMPLEX_STEP
    forward = cross_entropy(out @ contexts.mean(axis=0), target)
    return each, np.asarray(out.T @ cross_entropy_backward(forward))


def count_pairs(m: int) -> int:
    return sum(
        1 for t in range(TOKENS) for other in range(max(0, t - m), min(TOKENS, t + m + 1)) if other != t
    )


def count_subwords(characters: int) -> int:
    marked = "<" + "x" * characters + ">"
    return sum(
        1 for n in range(SHORTEST, LONGEST + 1) for _ in zip(*(marked[i:] for i in range(n)), strict=False)
    )


def measure(p: Params, rng: np.random.Generator) -> Results:
    joint = joint_law(rng)
    noise = noise_law(joint.sum(axis=0), p.power)
    products = fitted(joint, noise, p.k)
    conditional = joint / joint.sum(axis=1, keepdims=True)
    frequencies = np.arange(1, p.V + 1) ** -p.zipf
    frequencies /= frequencies.sum()
    codes = huffman(frequencies)
    lengths = np.array([len(code) for code in codes], dtype=float)
    total, nodes = leaf_probabilities(codes, rng)
    each, whole = cbow_gradients(p.m, rng)
    return {
        "joint": joint,
        "noise": noise,
        "products": products,
        "softmax_gap": float(np.abs(softmax(products) - conditional).max()),
        "corrected_gap": float(np.abs(softmax(products + np.log(noise)) - conditional).max()),
        "information": np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0))),
        "entropy": float(-(frequencies * np.log2(frequencies)).sum()),
        "mean_path": float((frequencies * lengths).sum()),
        "longest_path": float(lengths.max()),
        "lengths": lengths,
        "leaf_sum": total,
        "inner_nodes": float(nodes),
        "shared_gap": float(np.abs(each - whole / (2 * p.m)).max()),
        "gradient_size": float(np.abs(whole).max()),
        "pairs": float(count_pairs(p.m)),
        "subwords": float(count_subwords(p.characters)),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rounding = Text("exact identity, up to rounding", "精确恒等式，只容许舍入误差")
    counted = Text("exact count", "精确计数")
    bisection = Text(
        "bisection on the slope; the root is as sharp as rounding allows", "对斜率做二分，精度到舍入为止"
    )
    shannon = Text("Shannon's bounds for an optimal prefix code", "最优前缀码的香农界")
    joint, noise = results["joint"], results["noise"]
    best = np.log(best_product(joint, joint.sum(axis=1, keepdims=True), noise, p.k))
    size = float(1 + np.abs(best).max())
    return (
        Check("inner-products", Text("largest gap of the fitted products", "拟合内积的最大差距"), 0.0,
              float(np.abs(results["products"] - best).max()), 1024 * ROUNDING * size, bisection),
        Check("not-the-softmax", Text("gap of their softmax from P(c|w)", "其 softmax 与 P(c|w) 的差距"), 0.0,
              results["softmax_gap"], 1e-6 if p.power > 0 else 1024 * ROUNDING * size,
              Text("equal for even noise only", "只有噪声均匀时才相等"), relation="!=" if p.power > 0 else "="),
        Check("corrected-softmax", Text("gap after adding the logarithm of the noise", "加上噪声的对数之后的差距"), 0.0,
              results["corrected_gap"], 1024 * ROUNDING * size, rounding),
        Check("leaves-sum-to-one", Text("sum of all leaves of the tree", "树上所有叶子之和"), 1.0, results["leaf_sum"],
              8 * ROUNDING * results["longest_path"], rounding),
        Check("inner-nodes", Text("inner nodes of the tree", "树的内部节点数"), predicted["inner_nodes"],
              results["inner_nodes"], 0.0, counted),
        Check("path-at-least-entropy", Text("mean path at least the entropy in bits", "平均路径不短于熵（比特）"),
              results["entropy"], results["mean_path"], 64 * ROUNDING, shannon, relation=">="),
        Check("path-below-entropy-plus-one", Text("and at most one more", "且至多多一"),
              results["entropy"] + 1, results["mean_path"], 64 * ROUNDING, shannon, relation="<="),
        Check("context-gradients", Text("largest gap of context gradients from a 2m-th of the whole", "上下文词的梯度与总梯度的 2m 分之一的最大差距"),
              0.0, results["shared_gap"], 256 * ROUNDING * (1 + results["gradient_size"]), rounding),
        Check("skip-gram-pairs", Text("pairs of a text of 30 tokens", "30 个词元的文本中的词对数"), predicted["pairs"],
              results["pairs"], 0.0, counted),
        Check("subwords", Text("n-grams of the word", "一个词的 n-gram 个数"), predicted["subwords"],
              results["subwords"], 0.0, counted),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    information, products = results["information"].ravel(), results["products"].ravel()
    ends = np.array([information.min(), information.max()])
    ranks = np.arange(1, p.V + 1)
    shown = np.unique(np.geomspace(1, p.V, 30).round()).astype(int)
    return (
        Plot(
            Text("Fitted inner products by mutual information", "拟合的内积与点互信息"),
            Text(
                "with noise of power one all points lie on one line; another power spreads them by the context's frequency",
                "噪声幂次为一时，所有点在一条直线上；换别的幂次，就按上下文的频率散开",
            ),
            Axis(Text("pointwise mutual information", "点互信息")),
            Axis(Text("inner product", "内积")),
            (
                Line(Text("power one", "幂次为一"), ends, ends - math.log(p.k), "predicted"),
                Points(Text("fitted", "拟合"), information, products, "measured"),
            ),
        ),
        Plot(
            Text("Path lengths in the tree", "树中的路径长度"),
            Text("frequent words have short paths", "常见词路径短"),
            Axis(Text("rank of the word", "词的排名"), scale="log"),
            Axis(Text("sigmoids on its path", "路径上的 sigmoid 个数"), low=0.0),
            (
                Line(Text("balanced tree", "平衡树"), ranks.astype(float), np.full(p.V, float(predicted["balanced_path"])), "other"),
                Points(Text("Huffman tree", "霍夫曼树"), shown.astype(float), results["lengths"][shown - 1], "measured"),
            ),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D68",
    name="word-vectors",
    title=Text(
        "word2vec: negative sampling, trees, CBOW and skip-gram", "word2vec：负采样、树、CBOW 与 skip-gram"
    ),
    shows=Text(
        r"negative sampling fits mutual information minus $\ln k$, not the softmax; a Huffman tree costs about the entropy per word; CBOW gives "
        "all context words one gradient, skip-gram makes an example of each pair",
        r"负采样拟合的是互信息减 $\ln k$，不是 softmax；霍夫曼树每个词约花费熵那么多；CBOW 给所有上下文词同一个梯度，skip-gram 每一对一个样本",
    ),
    kills=Text(
        "“negative sampling approximates the softmax”, “CBOW and skip-gram see the same examples”",
        "“负采样近似 softmax”、“CBOW 与 skip-gram 的样本相同”",
    ),
    parameters=(
        Parameter("k", "k", Text("negative samples", "负样本数"), 5, 1, 20, 1, "int"),
        Parameter("power", r"\alpha", Text("power of the noise", "噪声的幂次"), 0.75, 0.0, 1.0, 0.05),
        Parameter("V", "V", Text("words in the tree", "树中的词数"), 200, 4, 800, 1.0, "int", "log"),
        Parameter("zipf", "s", Text("exponent of their frequencies", "词频的指数"), 1.0, 0.5, 1.5, 0.1),
        Parameter("m", "m", Text("window on each side", "每侧窗口"), 2, 1, 10, 1, "int"),
        Parameter("characters", "L", Text("characters of a word", "词的字符数"), 6, 1, 20, 1, "int"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "mean_path",
        Text("sigmoids per word in a Huffman tree, on average", "霍夫曼树中每个词平均要算的 sigmoid 个数"),
        Text("", ""),
        1.0,
        12.0,
    ),
)
