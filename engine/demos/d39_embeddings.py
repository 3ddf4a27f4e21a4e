"""D39: from one-hot codes to dense vectors, and what closeness of vectors does not say.

One-hot codes and their products: Bengio et al. 2003, section 2. Vectors from co-occurrence: positive pointwise
mutual information and a truncated SVD, Levy and Goldberg 2014, section 3.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results
from engine.figure import Axis, Bar, Bars, Figure, Plot, Points, Rule
from engine.nn.embedding import embed, embed_backward, one_hot
from engine.proof.step import Expr, Step, cited, equal, exhausted, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)

SENTENCES = tuple(
    tuple(words)
    for template in (
        (("the",), ("king", "queen"), ("rules", "leads"), ("the",), ("land", "court")),
        (("the",), ("king", "queen"), ("wears",), ("a",), ("crown", "robe")),
        (("we",), ("eat", "peel"), ("a",), ("ripe",), ("apple", "pear")),
        (("this",), ("apple", "pear"), ("tastes",), ("sweet", "sour"), ("today",)),
        (("my",), ("tea", "soup"), ("is",), ("hot", "cold"), ("again",)),
        (("water",), ("runs",), ("hot", "cold"), ("in",), ("winter",)),
    )
    for words in product(*template)
)
"""Every sentence of a small language. King and queen, and hot and cold, may stand in exactly the same places."""


WORDS = tuple(sorted({word for sentence in SENTENCES for word in sentence}))


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def one_hot_distance(same: Expr, m: object = math) -> Expr:
    """Euclidean distance of two one-hot codes; ``same`` is 1 for the same token and 0 otherwise."""
    return m.sqrt(2 - 2 * same)  # type: ignore[attr-defined]


def derive() -> tuple[Step, ...]:
    import sympy as sp

    i, j, k = sp.symbols("i j k", integer=True, positive=True)
    pairs = [{i: a, j: b} for a in range(1, 5) for b in range(1, 5)]
    delta = sp.KroneckerDelta
    table = sp.ImmutableMatrix(3, 2, sp.symbols("e_11 e_12 e_21 e_22 e_31 e_32", real=True))
    g = sp.symbols("g_1:4", real=True)
    rows = sp.symbols("e_a e_b", real=True)
    loss = g[0] * rows[0] + g[1] * rows[1] + g[2] * rows[0]
    return (
        exhausted(
            "orthogonal",
            sp.Sum(delta(i, k) * delta(j, k), (k, 1, 4)),
            "=",
            delta(i, j),
            Text("one-hot codes of different tokens are orthogonal", "不同词元的 one-hot 编码相互正交"),
            over=pairs,
            bound="V=4",
        ),
        exhausted(
            "all-equally-far",
            sp.sqrt(sp.Sum((delta(i, k) - delta(j, k)) ** 2, (k, 1, 4))),
            "=",
            one_hot_distance(delta(i, j), sp),
            Text(
                r"and any two lie $\sqrt 2$ apart: the code knows nothing of meaning",
                r"任意两个相距都是 $\sqrt 2$：编码对词义一无所知",
            ),
            over=pairs,
            bound="V=4",
        ),
        equal(
            "lookup",
            sp.MatMul(sp.ImmutableMatrix([[0, 1, 0]]), table),
            table[1, :],
            Text(
                "multiplying a one-hot code by the table picks a row: a lookup is a linear layer",
                "one-hot 乘以词表就是取出一行：查表是一个线性层",
            ),
            bound="V=3, d=2",
        ),
        equal(
            "gradient-collects",
            sp.Derivative(loss, rows[0]),
            g[0] + g[2],
            Text(
                "in the sequence a b a the gradient of a's vector is the sum over its occurrences",
                "在序列 a b a 中，a 的向量的梯度是各次出现之和",
            ),
            bound="T=3, d=1",
        ),
        popular_error(
            "ids-carry-meaning",
            sp.sqrt(sp.Sum((delta(1, k) - delta(i, k)) ** 2, (k, 1, 4))).subs(i, 4),
            3 * sp.sqrt(sp.Sum((delta(1, k) - delta(2, k)) ** 2, (k, 1, 4))),
            Text(
                "‘token 4 is three times as far from token 1 as token 2’: numbers are names here",
                "“4 号词元到 1 号的距离是 2 号的三倍”：编号只是名字",
            ),
        ),
        cited(
            "factorisation",
            r"\text{SGNS} \approx \text{PMI} - \ln k",
            Text(
                "skip-gram with negative sampling factorises a shifted matrix of pointwise mutual information",
                "负采样的 skip-gram 隐式分解了一个平移后的点互信息矩阵",
            ),
            "Levy and Goldberg 2014, section 3",
        ),
    )


def predict(p: Params) -> Results:
    return {
        "distance": one_hot_distance(0),
        "royal": 1.0,
        "opposites": 1.0,
        "sparse_numbers": float(p.V),
        "dense_numbers": float(p.d),
    }


def co_occurrence(sentences: tuple[tuple[str, ...], ...], window: int) -> Array:
    """How often each pair of :data:`WORDS` stands within ``window`` places, shape (V, V)."""
    place = {word: index for index, word in enumerate(WORDS)}
    counts: Array = np.zeros((len(WORDS), len(WORDS)))
    for sentence in sentences:
        for at, word in enumerate(sentence):
            for other in range(max(0, at - window), min(len(sentence), at + window + 1)):
                if other != at:
                    counts[place[word], place[sentence[other]]] += 1
    return counts


def positive_pmi(counts: Array) -> Array:
    """max(0, ln p(w, c) / (p(w) p(c))), 0 for pairs never seen."""
    total = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=counts > 0)
    pmi: Array = np.maximum(np.log(ratio), 0.0)
    return pmi


def word_vectors(pmi: Array, rank: int) -> Array:
    """Rows of the best rank-``rank`` approximation, shape (V, rank)."""
    left, values, _ = np.linalg.svd(pmi)
    vectors: Array = left[:, :rank] * values[:rank]
    return vectors


def cosine(a: Array, b: Array) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def measure(p: Params, rng: np.random.Generator) -> Results:
    table_of_words = word_vectors(positive_pmi(co_occurrence(SENTENCES, p.window)), p.rank)
    vectors = dict(zip(WORDS, table_of_words, strict=True))
    tokens = rng.integers(0, 12, 30)
    table, upstream = rng.standard_normal((12, 5)), rng.standard_normal((30, 5))
    codes = one_hot(tokens, 12)
    distances = [
        float(np.linalg.norm(codes[a] - codes[b]))
        for a, b in ((0, 1), (0, 2), (1, 2), (3, 4))
        if tokens[a] != tokens[b]
    ]
    return {
        "vectors": table_of_words,
        "royal": cosine(vectors["king"], vectors["queen"]),
        "opposites": cosine(vectors["hot"], vectors["cold"]),
        "unlike": cosine(vectors["king"], vectors["apple"]),
        "distance": max(distances, default=math.sqrt(2)),
        "lookup_gap": float(np.abs(codes @ table - embed(tokens, table)).max()),
        "gradient_gap": float(np.abs(codes.T @ upstream - embed_backward(tokens, upstream, 12)).max()),
        "sparse_numbers": one_hot(np.zeros(1, dtype=np.int64), p.V).size,
        "dense_numbers": embed(np.zeros(1, dtype=np.int64), np.zeros((2, p.d))).size,
    }  # fmt: skip


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    identity = Text("rounding", "舍入误差")
    exchange = Text(
        "rounding of a decomposition: the two words stand in the same places",
        "分解的舍入误差：两个词出现的位置完全相同",
    )

    def near(name: str, claim: Text, key: str, tolerance: float, law: Text) -> Check:
        return Check(name, claim, float(predicted[key]), float(results[key]), tolerance, law)

    return (
        near("one-hot-distance", Text("distance of two different one-hot codes", "两个不同 one-hot 编码的距离"), "distance", 4 * ROUNDING, identity),
        Check("lookup-is-a-product", Text("a lookup against the product with the one-hot code", "查表与 one-hot 乘法之差"), 0.0, results["lookup_gap"], 0.0, Text("one term, no rounding", "只有一项，没有舍入")),
        Check("gradient-collects-occurrences", Text("scattered gradients against the product", "散布的梯度与乘法之差"), 0.0, results["gradient_gap"], 30 * 8 * ROUNDING, identity),
        near("king-and-queen", Text("cosine of king and queen", "king 与 queen 的余弦"), "royal", 1e-9, exchange),
        near("hot-and-cold", Text("cosine of hot and cold, which mean the opposite", "意思相反的 hot 与 cold 的余弦"), "opposites", 1e-9, exchange),
        Check("king-and-apple", Text("king and apple do not share their contexts", "king 与 apple 的上下文不同"), 1.0, results["unlike"], 1e-9, exchange, "!="),
        near("numbers-one-hot", Text("numbers in a one-hot code", "one-hot 编码的数字个数"), "sparse_numbers", 0.0, Text("counted", "清点")),
        near("numbers-dense", Text("numbers in a dense vector", "稠密向量的数字个数"), "dense_numbers", 0.0, Text("counted", "清点")),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    pairs = (("king", "queen"), ("hot", "cold"), ("apple", "pear"), ("king", "apple"), ("hot", "queen"))
    vectors = dict(zip(WORDS, results["vectors"], strict=True))
    groups = (
        ("king", "queen", "land", "crown"),
        ("apple", "pear", "ripe", "sweet"),
        ("hot", "cold", "water", "tea"),
    )
    names = (
        Text("royal words", "王室词"),
        Text("fruit words", "水果词"),
        Text("temperature words", "冷热词"),
    )
    roles = ("measured", "other", "popular")
    scatter = tuple(
        Points(
            name,
            np.array([vectors[word][0] for word in group]),
            np.array([vectors[word][1] for word in group]),
            role,  # type: ignore[arg-type]
        )
        for name, group, role in zip(names, groups, roles, strict=True)
    )
    return (
        Bars(
            Text("Cosine of word vectors", "词向量的余弦"),
            Text(
                "opposites come out as close as synonyms would: a vector tells where a word stands, not what it means",
                "反义词与同义词一样近：向量说的是词出现在哪里，不是它的意思",
            ),
            Axis(
                Text("cosine", "余弦"),
                low=min(0.0, *(cosine(vectors[a], vectors[b]) for a, b in pairs)),
                high=1.0,
            ),
            tuple(Bar(Text(f"{a}, {b}", f"{a}, {b}"), cosine(vectors[a], vectors[b])) for a, b in pairs),
        ),
        Plot(
            Text("The first two coordinates", "前两个坐标"),
            Text(
                "words of one context lie together, whatever they mean",
                "出现在同类上下文中的词聚在一起，无论词义",
            ),
            Axis(Text("first", "第一维")),
            Axis(Text("second", "第二维")),
            (*scatter, Rule(Text("zero", "零"), 0.0, "y", "context")),
        ),
    )


DEMO = Demonstration(
    id="D39",
    name="embeddings",
    title=Text("From one-hot codes to word vectors", "从 one-hot 到词向量"),
    shows=Text(
        r"one-hot codes are all $\sqrt 2$ apart; vectors from co-occurrence place words by context, opposites included",
        r"one-hot 编码两两相距 $\sqrt 2$；由共现得到的向量按上下文摆放词语，反义词也不例外",
    ),
    kills=Text("“close vectors mean synonyms”", "“向量相近就是同义词”"),
    parameters=(
        Parameter("window", "w", Text("window on each side", "每侧窗口大小"), 3, 1, 4, 1, "int"),
        Parameter("rank", "r", Text("numbers kept per word", "每个词保留的维数"), 8, 4, 16, 1, "int"),
        Parameter("V", "V", Text("size of the vocabulary", "词表大小"), 30000, 10, 50000, 0.5, "int", "log"),
        Parameter(
            "d", "d", Text("width of a dense vector", "稠密向量的维度"), 300, 2, 1024, 1.0, "int", "log"
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "opposites", Text("cosine of hot and cold", "hot 与 cold 的余弦"), Text("", ""), -1.0, 1.0 + 1e-9
    ),
)
