"""D43: what a fine-tuning head adds to a pre-trained encoder, and what it knows before training.

Devlin et al. 2019, section 4 and figure 4 (heads); Reimers and Gurevych 2019, section 1 (pairs of sentences).
"""

from __future__ import annotations

import numpy as np

from engine.demonstration import Array, Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.heads import best_span, classify_sentence, classify_tokens, span_logits
from engine.proof.step import Expr, Step, cited, equal, exhausted, popular_error
from engine.text import Text
from engine.tolerance import FALSE_ALARM, proportion

COUNTED = 60
"""Sentences at most for which the calls of the encoder are counted one by one."""
WIDTH = 16
"""Of the states on which fresh heads are tried."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def head_parameters(d: Expr, C: Expr) -> Expr:
    """A linear layer with bias from width d to C outputs."""
    return (d + 1) * C


def pair_encodes(n: Expr) -> Expr:
    """Passes of a cross-encoder over all pairs of n sentences."""
    return n * (n - 1) / 2


def single_encodes(n: Expr) -> Expr:
    """Passes of a bi-encoder: one a sentence, the pairs are compared as vectors."""
    return n


def derive() -> tuple[Step, ...]:
    import sympy as sp

    d, C, n, T = sp.symbols("d C n T", integer=True, positive=True)
    i, j = sp.symbols("i j", integer=True, positive=True)
    a, b, c, e = sp.symbols("a b c e", real=True)
    values = [dict(zip((a, b, c, e), case, strict=True)) for case in _small_cases(sp)]
    return (
        equal(
            "head",
            sp.Sum(sp.Sum(1, (i, 1, d)) + 1, (j, 1, C)),
            head_parameters(d, C),
            Text(
                r"each of the $C$ outputs has $d$ weights and a bias", r"$C$ 个输出各有 $d$ 个权重和一个偏置"
            ),
        ),
        equal(
            "span-head",
            sp.Sum(d + 1, (j, 1, 2)),
            head_parameters(d, 2),
            Text(
                "an extractive answer needs two outputs per token: start and end, whatever the length",
                "抽取式问答每个词元只需两个输出：起点与终点，与长度无关",
            ),
        ),
        popular_error(
            "head-per-token",
            head_parameters(d, C),
            T * head_parameters(d, C),
            Text(
                "‘a tagger has a head for each of its $T$ tokens’: one layer is applied at every position",
                "“标注要为 $T$ 个词元各配一个头”：同一个层用在每个位置上",
            ),
        ),
        equal(
            "pairs",
            sp.Sum(sp.Sum(1, (i, j + 1, n)), (j, 1, n)),
            pair_encodes(n),
            Text("every pair once", "每一对一次"),
        ),
        equal(
            "ratio",
            sp.UnevaluatedExpr(pair_encodes(n)) / single_encodes(n),
            (n - 1) / 2,
            Text(
                "a cross-encoder needs that many times the passes of a bi-encoder",
                "交叉编码器的前向次数是双编码器的这么多倍",
            ),
        ),
        exhausted(
            "best-of-spans",
            sp.Max(a + c, a + e, b + e),
            "=",
            sp.Max(a + c, sp.Max(a, b) + e),
            Text(
                "with $i \\leq j$ the best start for an end is the largest start up to it: one pass suffices",
                "在 $i \\leq j$ 之下，给定终点的最佳起点就是它之前最大的起点：一遍扫描足够",
            ),
            over=values,
            bound="T=2; a, b, c, e ∈ {−1, 0, 1}",
        ),
        popular_error(
            "highest-start-and-end",
            sp.Max(a + c, a + e, b + e),
            sp.Max(a, b) + sp.Max(c, e),
            Text(
                "‘the answer runs from the highest start to the highest end’: with starts $a, b$ and ends $c, e$ of two "
                "tokens the two may cross, and no span has their sum",
                "“答案就是从最高的起点到最高的终点”：两个词元的起点分数为 $a, b$、终点分数为 $c, e$ 时，"
                "两者可能交叉，没有片段能得到它们的和",
            ),
        ),
        popular_error(
            "linear-in-sentences",
            pair_encodes(n),
            single_encodes(n),
            Text(
                "‘comparing n sentences with BERT takes n passes’: pairs go through together",
                "“用 BERT 比较 n 个句子只需 n 次前向”：句对要一起输入",
            ),
        ),
        cited(
            "hours-to-seconds",
            r"n = 10000: \quad 65\ \text{h} \to 5\ \text{s}",
            Text(
                "the most similar pair among 10,000 sentences: 65 hours by pairs, about 5 seconds with sentence vectors",
                "从一万个句子里找最相似的一对：逐对需 65 小时，用句向量约 5 秒",
            ),
            "Reimers and Gurevych 2019, abstract",
        ),
    )


def _small_cases(sp: object) -> list[tuple[int, ...]]:
    from itertools import product

    return list(product((-1, 0, 1), repeat=4))


def predict(p: Params) -> Results:
    return {
        "sentence_head": head_parameters(p.d, p.C),
        "span_head": head_parameters(p.d, 2),
        "pair_passes": pair_encodes(p.n),
        "single_passes": single_encodes(p.n),
        "counted_pairs": pair_encodes(min(p.n, COUNTED)),
        "fresh_accuracy": 1 / p.C,
    }


class CountingEncoder:
    """Stands in for a pre-trained encoder and counts how often it is asked."""

    def __init__(self, width: int, rng: np.random.Generator) -> None:
        self.passes = 0
        self.width = width
        self.rng = rng

    def __call__(self, *sentences: int) -> Array:
        self.passes += 1
        state: Array = self.rng.standard_normal(self.width)
        return state


def compare_by_pairs(encoder: CountingEncoder, n: int) -> None:
    """A cross-encoder: each pair of sentences goes through the encoder together."""
    for first in range(n):
        for second in range(first + 1, n):
            encoder(first, second)


def compare_by_vectors(encoder: CountingEncoder, n: int) -> Array:
    """A bi-encoder: one vector a sentence, then all inner products at once."""
    vectors = np.stack([encoder(sentence) for sentence in range(n)])
    products: Array = vectors @ vectors.T
    return products


def measure(p: Params, rng: np.random.Generator) -> Results:
    W, b = np.zeros((p.C, p.d)), np.zeros(p.C)
    span_W, span_b = np.zeros((2, p.d)), np.zeros(2)
    # the counted arrays are those that the heads take for states of this width
    wide = np.zeros((1, p.T, p.d))
    classify_sentence(wide, W, b)
    span_logits(wide, span_W, span_b)
    n = min(p.n, COUNTED)
    pairs, singles = CountingEncoder(WIDTH, rng), CountingEncoder(WIDTH, rng)
    compare_by_pairs(pairs, n)
    compare_by_vectors(singles, n)
    # fresh heads on states whose labels they have never seen
    heads = max(20, p.samples // p.T)
    states = rng.standard_normal((heads, p.T, 1, WIDTH))
    matrices, biases = rng.standard_normal((heads, p.C, WIDTH)), rng.standard_normal((heads, p.C))
    logits = np.stack([classify_sentence(*head) for head in zip(states, matrices, biases, strict=True)])
    right = int((logits.argmax(axis=-1) == rng.integers(0, p.C, (heads, p.T))).sum())
    start, end = span_logits(
        rng.standard_normal((1, p.T, WIDTH)), rng.standard_normal((2, WIDTH)), np.zeros(2)
    )
    found = best_span(start[0], end[0])
    everywhere = np.triu(start[0][:, None] + end[0][None, :]) + np.tril(np.full((p.T, p.T), -np.inf), -1)
    tags = classify_tokens(np.zeros((1, p.T, WIDTH)), np.zeros((p.C, WIDTH)), np.zeros(p.C))
    return {
        "sentence_head": W.size + b.size,
        "span_head": span_W.size + span_b.size,
        "counted_pairs": pairs.passes,
        "counted_singles": singles.passes,
        "tags": tags.shape[1],
        "heads": heads,
        "fresh_accuracy": right / (heads * p.T),
        "span_gap": float(everywhere.max() - (start[0][found[0]] + end[0][found[1]])),
        "start": start[0],
        "end": end[0],
        "found": np.array(found),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("counted", "逐一清点")
    return (
        Check("sentence-head-size", Text("numbers in a classification head", "分类头的参数个数"), float(predicted["sentence_head"]), float(results["sentence_head"]), None, counted),
        Check("span-head-size", Text("numbers in a span head", "区间头的参数个数"), float(predicted["span_head"]), float(results["span_head"]), None, counted),
        Check("passes-by-pairs", Text("passes of the encoder over all pairs", "逐对比较的编码次数"), float(predicted["counted_pairs"]), float(results["counted_pairs"]), None, counted),
        Check("passes-by-vectors", Text("passes of the encoder for vectors", "句向量的编码次数"), float(min(p.n, COUNTED)), float(results["counted_singles"]), None, counted),
        Check("tag-per-token", Text("outputs of a tagging head, one per token", "标注头的输出个数，每个词元一个"), float(p.T), float(results["tags"]), None, counted),
        Check("span-is-best", Text("score lost by the one-pass search for a span", "一遍扫描损失的分数"), 0.0, results["span_gap"], 0.0, Text("the same sums", "同样的和")),
        Check(
            "fresh-head-guesses",
            Text("accuracy of untrained heads", "未训练的头的准确率"),
            predicted["fresh_accuracy"],
            results["fresh_accuracy"],
            proportion(predicted["fresh_accuracy"], results["heads"] * p.T),
            Text("exact binomial law: labels are independent of the head", "精确二项分布：标签与头无关"),
            false_alarm=FALSE_ALARM,
        ),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    at = np.unique(np.geomspace(2, 1e5, 60).round())
    places = np.arange(p.T, dtype=float)
    i, j = results["found"]
    return (
        Plot(
            Text("Passes of the encoder", "编码器的前向次数"),
            Text("pairs grow with the square, vectors with the number of sentences", "句对按平方增长，句向量按句子数增长"),
            Axis(Text("sentences n", "句子数 n"), "log"),
            Axis(Text("passes", "前向次数"), "log"),
            (
                Line(Text("by pairs", "逐对"), at, pair_encodes(at), "predicted"),
                Line(Text("by vectors", "句向量"), at, single_encodes(at), "other"),
                Points(Text("counted", "清点"), np.array([float(min(p.n, COUNTED))]), np.array([float(results["counted_pairs"])]), "measured"),
                Rule(Text("chosen n", "所选 n"), float(p.n), "x", "context"),
            ),
        ),
        Plot(
            Text("Start and end of an answer", "答案的起点与终点"),
            Text("the best span need not join the two highest peaks: the end may not precede the start", "最佳区间未必由两个最高峰组成：终点不能在起点之前"),
            Axis(Text("token", "词元")),
            Axis(Text("logit", "logit")),
            (
                Line(Text("start", "起点"), places, results["start"], "measured"),
                Line(Text("end", "终点"), places, results["end"], "other"),
                Rule(Text("chosen start", "选中的起点"), float(i), "x", "context"),
                Rule(Text("chosen end", "选中的终点"), float(j), "x", "bound"),
            ),
        ),
        Bars(
            Text("Size of a head", "头的大小"),
            Text("a head is tiny beside the encoder it stands on", "与编码器相比，头微不足道"),
            Axis(Text("parameters", "参数个数"), low=0.0),
            (
                Bar(Text("classification", "分类"), float(results["sentence_head"])),
                Bar(Text("span", "区间"), float(results["span_head"]), "other"),
            ),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D43",
    name="fine-tuning-heads",
    title=Text("Fine-tuning heads", "微调的任务头"),
    shows=Text(
        r"a head adds $(d + 1) C$ numbers and knows nothing untrained; comparing $n$ sentences by pairs takes $n(n-1)/2$ passes",
        r"任务头只加 $(d + 1) C$ 个参数，未训练时一无所知；逐对比较 $n$ 个句子要 $n(n-1)/2$ 次前向",
    ),
    kills=Text("“the logits of a fresh head mean something”", "“刚接上的头给出的 logits 有意义”"),
    parameters=(
        Parameter("d", "d", Text("width of the encoder", "编码器的宽度"), 768, 64, 1024, 1.0, "int", "log"),
        Parameter("C", "C", Text("classes", "类别数"), 2, 2, 20, 1, "int"),
        Parameter("T", "T", Text("tokens, and sentences a fresh head is tried on", "词元数，也是试用新头的句子数"), 32, 4, 128, 1.0, "int", "log"),
        Parameter("n", "n", Text("sentences to compare", "要比较的句子数"), 10000, 2, 100000, 1.0, "int", "log"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline("fresh_accuracy", Text("accuracy of an untrained head", "未训练的头的准确率"), Text("", ""), 0.0, 1.0),
    samples=Samples(rest=6_400, drag=3_200),
)  # fmt: skip
